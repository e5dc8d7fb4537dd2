/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sim-machine: a simulated machine as files.
 *
 *   cpu/N/msr      like the kernel's: the offset is the register, 8 bytes its value
 *   cpu/msr_batch  like msr-safe's, with --batch
 *   ctl            takes commands (command.c)
 *   log            every access so far: "12 cpu 3 write 186H 00000000004100C0 ok"
 *   state          every register of every processor: "3 186H 00000000004100C0"
 *
 * It stays in the foreground, prints "ready" when the files are there, and takes them away at
 * SIGTERM, or when a pipe at its standard input is closed: its parent may die in any way.
 */
#define FUSE_USE_VERSION 35
#include <errno.h>
#include <fcntl.h>
#include <fuse.h>
#include <getopt.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "server.h"

#define EXIT_SKIP         77
#define X86_IOC_MSR_BATCH _IOC(_IOC_READ | _IOC_WRITE, 'c', 0xa2, 16)

enum node { NOTHING, ROOT, CTL, LOG, STATE, CPUS, BATCH, CPU, MSR };

static struct sim_server server;

static const struct {
	const char *path;
	enum node node;
} nodes[] = {
	{ "/", ROOT },       { "/ctl", CTL },  { "/log", LOG },
	{ "/state", STATE }, { "/cpu", CPUS }, { "/cpu/msr_batch", BATCH },
};

/* "/cpu/12" and "/cpu/12/msr" */
static enum node node_of(const char *path, int *cpu)
{
	char *end;
	unsigned long number;

	for (size_t i = 0; i < sizeof(nodes) / sizeof(*nodes); i++)
		if (!strcmp(nodes[i].path, path))
			return nodes[i].node == BATCH && !server.batch ? NOTHING : nodes[i].node;
	if (strncmp(path, "/cpu/", 5) || path[5] < '0' || path[5] > '9')
		return NOTHING;
	number = strtoul(path + 5, &end, 10);
	for (size_t i = 0; i < server.n_places; i++)
		if ((unsigned long)server.place[i].cpu == number) {
			*cpu = server.place[i].cpu;
			return !*end ? CPU : !strcmp(end, "/msr") ? MSR : NOTHING;
		}
	return NOTHING;
}

static int do_getattr(const char *path, struct stat *st, struct fuse_file_info *fi)
{
	int cpu;
	enum node node = node_of(path, &cpu);

	(void)fi;
	memset(st, 0, sizeof(*st));
	st->st_uid = getuid();
	st->st_gid = getgid();
	st->st_nlink = 1;
	switch (node) {
	case NOTHING:
		return -ENOENT;
	case ROOT:
	case CPUS:
	case CPU:
		st->st_mode = S_IFDIR | 0755;
		st->st_nlink = 2;
		return 0;
	case LOG:
	case STATE:
		st->st_mode = S_IFREG | 0400;
		return 0;
	default:
		st->st_mode = S_IFREG | 0600;
		return 0;
	}
}

static int do_readdir(const char *path, void *buffer, fuse_fill_dir_t fill, off_t offset,
		      struct fuse_file_info *fi, enum fuse_readdir_flags flags)
{
	char name[16];
	int cpu;

	(void)offset, (void)fi, (void)flags;
	fill(buffer, ".", NULL, 0, 0);
	fill(buffer, "..", NULL, 0, 0);
	switch (node_of(path, &cpu)) {
	case ROOT:
		fill(buffer, "cpu", NULL, 0, 0);
		fill(buffer, "ctl", NULL, 0, 0);
		fill(buffer, "log", NULL, 0, 0);
		fill(buffer, "state", NULL, 0, 0);
		return 0;
	case CPUS:
		for (size_t i = 0; i < server.n_places; i++) {
			snprintf(name, sizeof(name), "%d", server.place[i].cpu);
			fill(buffer, name, NULL, 0, 0);
		}
		if (server.batch)
			fill(buffer, "msr_batch", NULL, 0, 0);
		return 0;
	case CPU:
		fill(buffer, "msr", NULL, 0, 0);
		return 0;
	default:
		return -ENOTDIR;
	}
}

static int open_device(enum node node, int cpu)
{
	if (server.refused &&
	    (server.refused_cpu < 0 || (node == MSR && server.refused_cpu == cpu)))
		return server.refused;
	if (server.vanished || (node == MSR && sim_is_offline(server.machine, cpu)))
		return -ENXIO;
	return 0;
}

static int do_open(const char *path, struct fuse_file_info *fi)
{
	int cpu = -1;
	enum node node = node_of(path, &cpu);

	fi->direct_io = 1;
	switch (node) {
	case NOTHING:
		return -ENOENT;
	case MSR:
	case BATCH:
		return open_device(node, cpu);
	default:
		return 0;
	}
}

static int slice(const struct sim_text *text, char *buffer, size_t size, off_t offset)
{
	if (offset < 0 || (size_t)offset >= text->length)
		return 0;
	if (size > text->length - (size_t)offset)
		size = text->length - (size_t)offset;
	memcpy(buffer, text->text + offset, size);
	return (int)size;
}

/*
 * As the kernel's driver: more than 8 bytes are the same register again; what went well before a
 * failure counts.
 */
static int each_value(int cpu, off_t offset, size_t size, bool write, char *buffer)
{
	uint64_t value;
	size_t done = 0;
	int rc = 0;

	if (size % 8)
		return -EINVAL;
	if (offset < 0 || offset > UINT32_MAX)
		return -EIO;
	server.caller = fuse_get_context()->pid;
	while (done < size) {
		if (write)
			memcpy(&value, buffer + done, 8);
		rc = sim_access(&server, cpu, (uint32_t)offset, write, &value);
		if (rc)
			break;
		if (!write)
			memcpy(buffer + done, &value, 8);
		done += 8;
	}
	return done ? (int)done : rc;
}

static int do_read(const char *path, char *buffer, size_t size, off_t offset,
		   struct fuse_file_info *fi)
{
	int cpu = -1;

	(void)fi;
	switch (node_of(path, &cpu)) {
	case MSR:
		return each_value(cpu, offset, size, false, buffer);
	case LOG:
		return slice(&server.log, buffer, size, offset);
	case STATE:
		/* as it was when reading began */
		if (!offset) {
			server.state.length = 0;
			sim_state(&server, &server.state);
		}
		return slice(&server.state, buffer, size, offset);
	default:
		return -EINVAL;
	}
}

static int run_commands(const char *buffer, size_t size)
{
	char *text = strndup(buffer, size), *rest = text, *line;
	int rc = 0;

	if (!text)
		return -ENOMEM;
	while (!rc && (line = strsep(&rest, "\n")))
		rc = sim_command(&server, line);
	free(text);
	return rc ? rc : (int)size;
}

static int do_write(const char *path, const char *buffer, size_t size, off_t offset,
		    struct fuse_file_info *fi)
{
	int cpu = -1;

	(void)fi;
	switch (node_of(path, &cpu)) {
	case MSR:
		return each_value(cpu, offset, size, true, (char *)(uintptr_t)buffer);
	case CTL:
		return run_commands(buffer, size);
	default:
		return -EINVAL;
	}
}

/* What a shell does before it writes. */
static int do_truncate(const char *path, off_t size, struct fuse_file_info *fi)
{
	int cpu;

	(void)size, (void)fi;
	return node_of(path, &cpu) == CTL ? 0 : -EINVAL;
}

static int do_ioctl(const char *path, unsigned int command, void *arg, struct fuse_file_info *fi,
		    unsigned int flags, void *data)
{
	int cpu;

	(void)arg, (void)fi;
	if (node_of(path, &cpu) != BATCH || command != X86_IOC_MSR_BATCH ||
	    flags & FUSE_IOCTL_COMPAT)
		return -ENOTTY;
	server.caller = fuse_get_context()->pid;
	return sim_batch(&server, server.caller, data);
}

static const struct fuse_operations operations = {
	.getattr = do_getattr,
	.readdir = do_readdir,
	.open = do_open,
	.read = do_read,
	.write = do_write,
	.truncate = do_truncate,
	.ioctl = do_ioctl,
};

/* --- the program --- */

/* ThreadSanitizer would take a second to end it. */
const char *__tsan_default_options(void);
const char *__tsan_default_options(void)
{
	return "atexit_sleep_ms=0";
}

static pthread_t main_thread;

static void *watch(void *unused)
{
	char byte;
	ssize_t n;

	(void)unused;
	do
		n = read(STDIN_FILENO, &byte, 1);
	while (n > 0 || (n < 0 && errno == EINTR));
	pthread_kill(main_thread, SIGTERM);
	return NULL;
}

static void watch_standard_input(void)
{
	pthread_t thread;
	struct stat st;
	sigset_t all, old;

	if (fstat(STDIN_FILENO, &st) || !(S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode)))
		return;
	main_thread = pthread_self();
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	if (!pthread_create(&thread, NULL, watch, NULL))
		pthread_detach(thread);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

static int serve(const char *mountpoint)
{
	struct fuse_args args = FUSE_ARGS_INIT(0, NULL);
	struct fuse *fuse = NULL;
	sigset_t all;
	int rc = 1, fd = open("/dev/fuse", O_RDWR | O_CLOEXEC);

	if (fd < 0) {
		printf("cannot open /dev/fuse: %s\n", strerror(errno));
		return EXIT_SKIP;
	}
	close(fd);
	if (!fuse_opt_add_arg(&args, "sim-machine") &&
	    !fuse_opt_add_arg(&args, "-ofsname=sim-machine"))
		fuse = fuse_new(&args, &operations, sizeof(operations), NULL);
	fuse_opt_free_args(&args);
	if (!fuse)
		return 1;
	if (fuse_mount(fuse, mountpoint)) {
		printf("this machine lets nobody mount a FUSE file system at %s\n", mountpoint);
		fuse_destroy(fuse);
		return EXIT_SKIP;
	}
	if (!fuse_set_signal_handlers(fuse_get_session(fuse))) {
		watch_standard_input();
		puts("ready");
		fflush(stdout);
		rc = fuse_loop(fuse) < 0;
		/* No second signal ends the clearing away. */
		sigfillset(&all);
		pthread_sigmask(SIG_SETMASK, &all, NULL);
		fuse_remove_signal_handlers(fuse_get_session(fuse));
	}
	fuse_unmount(fuse);
	fuse_destroy(fuse);
	return rc;
}

static int usage(void)
{
	fprintf(stderr,
		"usage: sim-machine --cpu NAME --topology XML [--batch] [--log FILE] MOUNTPOINT\nCPUs:");
	for (size_t i = 0; sim_cpu_name(i); i++)
		fprintf(stderr, " %s", sim_cpu_name(i));
	fprintf(stderr, "\n");
	return 2;
}

/*
 * Reads the options into the server.  Return: the CPU model and the topology, NULL where there is
 * none.
 */
static const struct sim_cpu *configure(int argc, char **argv, const char **xml)
{
	static const struct option options[] = {
		{ "cpu", required_argument, NULL, 'c' },
		{ "topology", required_argument, NULL, 't' },
		{ "batch", no_argument, NULL, 'b' },
		{ "log", required_argument, NULL, 'l' },
		{ NULL, 0, NULL, 0 },
	};
	const struct sim_cpu *cpu = NULL;
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) >= 0) {
		switch (option) {
		case 'c':
			cpu = sim_cpu_find(optarg);
			break;
		case 't':
			*xml = optarg;
			break;
		case 'b':
			server.batch = true;
			break;
		case 'l':
			server.copy = fopen(optarg, "we");
			if (!server.copy)
				perror(optarg);
			break;
		default:
			return NULL;
		}
	}
	return cpu;
}

int main(int argc, char **argv)
{
	const char *xml = NULL;
	const struct sim_cpu *cpu = configure(argc, argv, &xml);
	int rc;

	if (!cpu || !xml || optind != argc - 1)
		return usage();
	if (sim_places_load(xml, &server.place, &server.n_places))
		return 1;
	server.machine = sim_machine_new(cpu, server.place, server.n_places);
	if (!server.machine)
		return 1;
	rc = serve(argv[optind]);
	sim_machine_free(server.machine);
	free(server.place);
	free(server.log.text);
	free(server.state.text);
	if (server.copy)
		fclose(server.copy);
	return rc;
}
