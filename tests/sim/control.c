/* SPDX-License-Identifier: BSD-3-Clause */
/* Starts, commands and stops a simulated machine. */
#include "control.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct {
	const char *cpu, *dump, *topology;
} machines[] = {
	{ "core2", "core2-q9450", "core2-1s4c" },
	{ "nehalem", "nehalem-i7-920", "nehalem-ep-2s4c2t" },
	{ "westmere", "westmere-ep-x5667", "westmere-ep-2s6c2t" },
	{ "sandybridge", "sandybridge-i7-2600k", "sandybridge-1s4c2t" },
	{ "skylake", "skylake-i3-6100", "skylake-1s2c2t" },
	{ "icelake", "icelake-i7-1065g7", "icelake-1s4c2t" },
	{ "alderlake", "alderlake-i9-12900k", "raptorlake-hybrid-6p2t-8e" },
	{ "zen3", "zen3-5950x", "zen3-1s16c2t-2ccx" },
	{ "zen4", "zen4-8700g", "zen4-1s8c2t" },
};

static const char *folder(const char *name, const char *otherwise)
{
	const char *value = getenv(name);

	return value && *value ? value : otherwise;
}

static int find_files(struct sim_run *run, const char *cpu)
{
	const char *data = folder("TEST_SRCDIR", TEST_SRCDIR);

	for (size_t i = 0; i < sizeof(machines) / sizeof(*machines); i++)
		if (!strcmp(machines[i].cpu, cpu)) {
			snprintf(run->cpuid, sizeof(run->cpuid), "%s/tests/data/cpuid/%s.txt", data,
				 machines[i].dump);
			snprintf(run->topology, sizeof(run->topology),
				 "%s/tests/data/topologies/%s.xml", data, machines[i].topology);
			return 0;
		}
	snprintf(run->why, sizeof(run->why), "no simulated machine has the CPU \"%s\"", cpu);
	return -1;
}

/* Where configure found no FUSE, it was not built. */
static int find_program(struct sim_run *run, char *program, size_t size)
{
	snprintf(program, size, "%s/tests/sim/machine", folder("TEST_BUILDDIR", TEST_BUILDDIR));
	if (!access(program, X_OK))
		return 0;
	snprintf(run->why, sizeof(run->why),
		 "there is no %s: built without FUSE (on Debian libfuse3-dev)", program);
	return 1;
}

static int make_folders(struct sim_run *run)
{
	snprintf(run->dir, sizeof(run->dir), "/tmp/pmu-sim-XXXXXX");
	if (mkdtemp(run->dir)) {
		snprintf(run->device, sizeof(run->device), "%s/machine/cpu/%%d/msr", run->dir);
		snprintf(run->batch, sizeof(run->batch), "%s/machine/cpu/msr_batch", run->dir);
		snprintf(run->ctl, sizeof(run->ctl), "%s/machine", run->dir);
		if (!mkdir(run->ctl, 0755)) {
			snprintf(run->ctl, sizeof(run->ctl), "%s/machine/ctl", run->dir);
			return 0;
		}
	}
	snprintf(run->why, sizeof(run->why), "no folder under /tmp: %s", strerror(errno));
	return -1;
}

/* In the child. */
static _Noreturn void become(const struct sim_run *run, char *program, const char *cpu, int flags,
			     int in, int out)
{
	char mountpoint[96];
	char *args[] = { program,
			 (char *)"--cpu",
			 (char *)(uintptr_t)cpu,
			 (char *)"--topology",
			 (char *)(uintptr_t)run->topology,
			 mountpoint,
			 (char *)(flags & SIM_BATCH ? "--batch" : NULL),
			 NULL };

	snprintf(mountpoint, sizeof(mountpoint), "%s/machine", run->dir);
	/* It outlives a Ctrl-C at the terminal, as it takes its files away by itself. */
	setpgid(0, 0);
	dup2(in, STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	execv(program, args);
	printf("cannot start %s: %s\n", program, strerror(errno));
	fflush(stdout);
	_exit(1);
}

/* Its first line: "ready", or the reason why it ends. */
static void first_line(int fd, char *line, size_t size)
{
	struct pollfd ready = { fd, POLLIN, 0 };
	size_t length = 0;

	while (length < size - 1 && poll(&ready, 1, 60000) > 0 && read(fd, line + length, 1) == 1 &&
	       line[length] != '\n')
		length++;
	line[length] = '\0';
}

int sim_start(struct sim_run *run, const char *cpu, int flags)
{
	int in[2], out[2], status = -1;
	char program[512];

	memset(run, 0, sizeof(*run));
	run->pid = -1;
	run->hold = -1;
	if (find_files(run, cpu))
		return -1;
	if (find_program(run, program, sizeof(program)))
		return 1;
	if (make_folders(run))
		return -1;
	if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC)) {
		snprintf(run->why, sizeof(run->why), "no pipe: %s", strerror(errno));
		return -1;
	}
	run->pid = fork();
	if (!run->pid)
		become(run, program, cpu, flags, in[0], out[1]);
	/* The simulator reads and writes batches in its caller's memory, which Yama must allow. */
	if (run->pid > 0)
		prctl(PR_SET_PTRACER, run->pid);
	close(in[0]);
	close(out[1]);
	run->hold = in[1];
	first_line(out[0], run->why, sizeof(run->why));
	close(out[0]);
	if (!strcmp(run->why, "ready"))
		return 0;
	if (run->pid > 0) {
		/* After a reason it ends by itself, and its status tells what kind of reason. */
		if (!*run->why)
			kill(run->pid, SIGKILL);
		waitpid(run->pid, &status, 0);
		run->pid = -1;
	}
	sim_stop(run);
	if (!*run->why)
		snprintf(run->why, sizeof(run->why), "the simulated machine did not start");
	return WIFEXITED(status) && WEXITSTATUS(status) == 77 ? 1 : -1;
}

/* It was killed, and a mount without a server is left. */
static void unmount(char *mountpoint)
{
	char *args[] = { (char *)"fusermount3", (char *)"-u", (char *)"-z", mountpoint, NULL };
	pid_t pid;

	if (!umount2(mountpoint, MNT_DETACH))
		return;
	pid = fork();
	if (!pid) {
		execvp(args[0], args);
		_exit(1);
	}
	waitpid(pid, NULL, 0);
}

int sim_stop(struct sim_run *run)
{
	char mountpoint[96];
	int status = 0;

	if (run->pid > 0) {
		kill(run->pid, SIGTERM);
		waitpid(run->pid, &status, 0);
	}
	run->pid = -1;
	if (run->hold >= 0)
		close(run->hold);
	run->hold = -1;
	snprintf(mountpoint, sizeof(mountpoint), "%s/machine", run->dir);
	if (rmdir(mountpoint) && errno != ENOENT) {
		unmount(mountpoint);
		rmdir(mountpoint);
	}
	rmdir(run->dir);
	return status ? -1 : 0;
}

void sim_environment(const struct sim_run *run)
{
	setenv("PMU_MSR_DEVICE", run->device, 1);
	/* One that is asked for must be there. */
	if (access(run->batch, F_OK))
		unsetenv("PMU_MSR_BATCH");
	else
		setenv("PMU_MSR_BATCH", run->batch, 1);
	setenv("PMU_CPUID_FILE", run->cpuid, 1);
	setenv("HWLOC_XMLFILE", run->topology, 1);
	setenv("TEST_SIM_CTL", run->ctl, 1);
}

int sim_send(const struct sim_run *run, const char *fmt, ...)
{
	char text[4096];
	va_list args;
	int n, fd, rc = 0;

	va_start(args, fmt);
	n = vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	if (n < 0 || (size_t)n >= sizeof(text))
		return -E2BIG;
	fd = open(run->ctl, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (write(fd, text, (size_t)n) < 0)
		rc = -errno;
	close(fd);
	return rc;
}

static char *read_file(const struct sim_run *run, const char *name)
{
	char path[128], *text = NULL, *larger;
	size_t length = 0;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "%s/machine/%s", run->dir, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	do {
		larger = realloc(text, length + 65536 + 1);
		if (!larger)
			abort();
		text = larger;
		n = read(fd, text + length, 65536);
		if (n > 0)
			length += (size_t)n;
	} while (n > 0);
	close(fd);
	text[length] = '\0';
	return text;
}

char *sim_log(const struct sim_run *run)
{
	return read_file(run, "log");
}

char *sim_state(const struct sim_run *run)
{
	return read_file(run, "state");
}

uint64_t sim_register(const struct sim_run *run, int cpu, uint32_t address)
{
	char *state = sim_state(run), want[32];
	const char *line = state;
	uint64_t value = UINT64_MAX;
	int n = snprintf(want, sizeof(want), "%d %XH ", cpu, address);

	for (; line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
		if (!strncmp(line, want, (size_t)n)) {
			value = strtoull(line + n, NULL, 16);
			break;
		}
	free(state);
	return value;
}
