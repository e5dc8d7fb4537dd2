/* SPDX-License-Identifier: BSD-3-Clause */
/* Where reports go: formats by ending, descriptors, files, links, devices, and names of
 * files. */
#include "unit/part.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/write.h"
#include "report/report.h"
#include "unit/model_sample.h"

static char dir[64];

/* A path in the test's own folder; a ring of buffers. */
static const char *in_dir(const char *name)
{
	static char path[8][256];
	static int last;

	last = (last + 1) % 8;
	snprintf(path[last], sizeof(path[last]), "%s/%s", dir, name);
	return path[last];
}

static void put_file(const char *path, const char *text, mode_t mode)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	if (fd < 0 || write(fd, text, strlen(text)) < 0 || fchmod(fd, mode) || close(fd))
		abort();
}

static void is_file(const char *path, const char *want, const char *name)
{
	char text[256];
	int fd = open(path, O_RDONLY);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	close(fd);
	text[n < 0 ? 0 : n] = '\0';
	is_str(n < 0 ? NULL : text, want, name);
}

static mode_t mode_of(const char *path)
{
	struct stat st;

	return stat(path, &st) ? 0 : st.st_mode & 07777;
}

/* Files in the folder, besides "." and "..". */
static int count_files(void)
{
	char command[128], text[16] = "";
	FILE *pipe;

	snprintf(command, sizeof(command), "ls -A %s | wc -l", dir);
	pipe = popen(command, "r");
	if (!pipe || !fgets(text, sizeof(text), pipe))
		abort();
	pclose(pipe);
	return atoi(text);
}

static int write_text(const char *path, const char *text)
{
	pmu_error_clear();
	return pmu_report_write_file(path, text, strlen(text));
}

static void the_ending_chooses_the_format(void)
{
	is_int(pmu_report_format_of("run.json"), PMU_REPORT_JSON, "run.json");
	is_int(pmu_report_format_of("/a.csv/run.JSON"), PMU_REPORT_JSON, "case does not count");
	is_int(pmu_report_format_of("run.csv"), PMU_REPORT_CSV, "run.csv");
	is_int(pmu_report_format_of("run.csv.txt"), PMU_REPORT_TEXT, "run.csv.txt");
	is_int(pmu_report_format_of("json"), PMU_REPORT_TEXT, "json");
	is_int(pmu_report_format_of(""), PMU_REPORT_TEXT, "nothing");
}

static void a_format_that_there_is_not_is_refused(void)
{
	static const char *const good[] = { "run",      "run.json",  "run.CSV",     "run.txt",
					    "run.4711", "a.xml/run", "run.xml.txt", "-",
					    "none",     "" };
	char name[64];

	is_int(pmu_report_format_check("dir/run.xml"), -EINVAL, "run.xml");
	is_str(pmu_error_text(),
	       "dir/run.xml: no report is .xml; a name that ends in .json or .csv gets that, others get text",
	       "names the formats");
	is_int(pmu_report_format_check("run.CVS"), -EINVAL, "a slip");
	is_int(pmu_report_format_check("run.speedscope.json"), -EINVAL, "the command's");
	is_str(pmu_error_text(),
	       "run.speedscope.json: only the pmu command writes .speedscope.json; a name that ends in .json gets what 'pmu report' makes it from",
	       "says who writes it");
	is_int(pmu_report_format_check("run.PFTRACE"), -EINVAL, "a trace");
	is_str(pmu_error_text(),
	       "run.PFTRACE: a trace is made by 'pmu run --trace run.pftrace', and no report is one",
	       "says what makes it");
	is_int(pmu_report_format_check("run.perfetto-trace"), -EINVAL, "by its other ending");
	is_int(pmu_report_format_check("run.trace"), -EINVAL, "or what is yet to be one");
	is_int(pmu_report_format_check("dir/callgrind.out.run"), -EINVAL, "KCachegrind's");
	is_int(pmu_report_format_check("callgrind.out.run.json"), 0, "unless another is asked for");
	is_int(pmu_report_format_check("callgrind.out."), 0, "or there is no name behind it");
	is_int(pmu_report_format_check("run.HTML"), -EINVAL, "a page");
	ok(strstr(pmu_error_text(), "pmu report run.json -o run.html") != NULL,
	   "names what makes them");
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		snprintf(name, sizeof(name), "\"%s\" is none of them", good[i]);
		is_int(pmu_report_format_check(good[i]), 0, name);
	}
}

static void each_format_has_its_writer(void)
{
	struct pmu_model *model = sample_model();
	static const char *const start[] = { [PMU_REPORT_TEXT] = "pmu: demo",
					     [PMU_REPORT_JSON] = "{\n",
					     [PMU_REPORT_CSV] = "group," };

	for (int format = PMU_REPORT_TEXT; format <= PMU_REPORT_CSV; format++) {
		struct pmu_strbuf out = { 0 };

		pmu_report_render(&out, model, (enum pmu_report_format)format, NULL);
		ok(!strncmp(pmu_strbuf_text(&out), start[format], strlen(start[format])),
		   "writer of format %d", format);
		pmu_strbuf_free(&out);
	}
	pmu_model_free(model);
}

static void a_new_file_has_the_umasks_permissions(void)
{
	const char *path = in_dir("new.txt");
	mode_t before = umask(027);

	is_int(write_text(path, "one\n"), 0, "written");
	umask(before);
	is_file(path, "one\n", "what was written");
	is_int(mode_of(path), 0640, "0666 & ~umask");
	is_int(count_files(), 1, "nothing beside it");
	unlink(path);
}

static void an_old_file_is_replaced_and_keeps_its_permissions(void)
{
	const char *path = in_dir("old.txt");
	struct stat before, after;

	put_file(path, "a longer text that was here before\n", 0604);
	stat(path, &before);
	is_int(write_text(path, "two\n"), 0, "written");
	stat(path, &after);
	is_file(path, "two\n", "nothing of the old one is left");
	is_int(mode_of(path), 0604, "permissions");
	ok(before.st_ino != after.st_ino,
	   "it is another file: a reader of the old one still has it");
	is_int(count_files(), 1, "nothing beside it");
	unlink(path);
}

static void links_are_written_through(void)
{
	const char *link = in_dir("link"), *target = in_dir("target.txt");
	struct stat st;

	mkdir(in_dir("sub"), 0700);
	put_file(target, "old\n", 0600);
	if (symlink("../target.txt", in_dir("sub/first")) || symlink("sub/first", link))
		abort();
	is_int(write_text(link, "new\n"), 0, "written");
	is_file(target, "new\n", "to the target, two relative links away");
	ok(!lstat(link, &st) && S_ISLNK(st.st_mode), "the link is still one");
	unlink(target);
	is_int(write_text(link, "made\n"), 0, "a link that leads nowhere yet");
	is_file(target, "made\n", "gets its target made");
	unlink(link);
	if (symlink("link", link))
		abort();
	is_int(write_text(link, "x"), -ELOOP, "a link to itself");
	unlink(link);
	unlink(in_dir("sub/first"));
	unlink(target);
	rmdir(in_dir("sub"));
}

static void devices_and_descriptors_are_written_to(void)
{
	const char *path = in_dir("out.txt"), *link = in_dir("stdout");
	char name[64];
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);

	is_int(write_text("/dev/null", "x"), 0, "/dev/null");
	if (write(fd, "before ", 7) != 7)
		abort();
	snprintf(name, sizeof(name), "/dev/fd/%d", fd);
	is_int(write_text(name, "after"), 0, "a descriptor by name");
	is_file(path, "before after", "goes on where it was");
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	if (symlink(name, link))
		abort();
	is_int(write_text(link, "!"), 0, "by a link");
	is_file(path, "before after!", "too");
	close(fd);
	is_int(write_text(link, "!"), -EBADF, "a closed one");
	unlink(link);
	unlink(path);
}

static void a_full_disk_leaves_the_old_file_alone(void)
{
	const char *path = in_dir("run.txt");
	int status;

	if (access("/dev/full", W_OK)) {
		skip("full disk", "no /dev/full here");
		return;
	}
	is_int(write_text("/dev/full", "text"), -ENOSPC, "/dev/full");
	has(pmu_error_text(), "cannot write /dev/full: ", "what");
	has(pmu_error_text(), "make room", "and what would help");
	/* a limit on the size of files stands in for a file system that is full half way
	 * through */
	put_file(path, "old\n", 0600);
	fflush(stdout);
	if (!fork()) {
		const struct rlimit limit = { 8, 8 };

		signal(SIGXFSZ, SIG_IGN);
		if (setrlimit(RLIMIT_FSIZE, &limit))
			_exit(99);
		_exit(write_text(path, "a text of more than eight bytes\n") == -EFBIG ? 0 : 1);
	}
	wait(&status);
	is_int(status, 0, "a file system that is full");
	is_file(path, "old\n", "the old file is as it was");
	unlink(path);
	is_int(count_files(), 0, "and no half of a new one is left");
}

static void a_missing_folder_is_named(void)
{
	is_int(write_text(in_dir("no/run.json"), "x"), -ENOENT, "no such folder");
	has(pmu_error_text(), "cannot write ", "what failed");
	has(pmu_error_text(), "/no/run.json: No such file or directory; create ", "why");
	has(pmu_error_text(), "/no first, or change PMU_OUTPUT", "what would help");
	is_int(write_text(dir, "x"), -EISDIR, "a folder");
	has(pmu_error_text(), "name a file in it, or change PMU_OUTPUT", "what would help");
	is_int(write_text("", "x"), -ENOENT, "no name");
	is_int(write_text("/dev/null/run.json", "x"), -ENOTDIR, "no folder");
}

static void over_long_names_are_refused(void)
{
	char path[2 * PATH_MAX];

	memset(path, 'x', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	is_int(write_text(path, "x"), -ENAMETOOLONG, "longer than any path");
	path[300] = '\0';
	is_int(write_text(path, "x"), -ENAMETOOLONG, "longer than any file's name");
}

/* As an ordinary user: a child becomes one where the test is run by root. */
static void rights_are_respected(void)
{
	const char *read_only = in_dir("readonly.txt"), *open_dir = in_dir("shut/open.txt");
	int status = 0;
	pid_t child;

	put_file(read_only, "keep\n", 0444);
	mkdir(in_dir("shut"), 0755);
	put_file(open_dir, "a longer text that was here before\n", 0666);
	chmod(in_dir("shut"), 0555);
	chmod(dir, 0777);
	fflush(stdout);
	child = fork();
	if (!child) {
		int bad = 0;

		if (!getuid() && (setgid(65534) || setuid(65534)))
			_exit(99);
		bad |= write_text(read_only, "lost\n") != -EACCES;
		bad |= 2 * (strstr(pmu_error_text(), "may write") == NULL);
		bad |= 4 * (write_text(open_dir, "new\n") != 0);
		bad |= 8 * (write_text(in_dir("shut/other.txt"), "new\n") != -EACCES);
		_exit(bad);
	}
	waitpid(child, &status, 0);
	is_int(WIFEXITED(status) ? WEXITSTATUS(status) : -1, 0, "an ordinary user's tries");
	is_file(read_only, "keep\n", "a file without the right to write is not replaced");
	is_file(open_dir, "new\n", "a writable one in a folder that is not is written in place");
	chmod(in_dir("shut"), 0755);
	chmod(dir, 0700);
	unlink(open_dir);
	unlink(read_only);
	rmdir(in_dir("shut"));
}

static void *read_slowly(void *arg)
{
	static char text[4096];
	size_t *total = arg;
	int fd = open(in_dir("fifo"), O_RDONLY);
	ssize_t n;

	while ((n = read(fd, text, sizeof(text))) > 0)
		*total += (size_t)n;
	close(fd);
	return NULL;
}

static void pipes_get_all_of_it_or_an_error(void)
{
	const char *path = in_dir("fifo");
	size_t len = 1 << 20, total = 0;
	char *text = malloc(len);
	pthread_t reader;
	int rc;

	memset(text, 'x', len);
	if (mkfifo(path, 0600))
		abort();
	is_int(write_text(path, "x"), -ENXIO, "no process reads: no waiting");
	has(pmu_error_text(), "no process reads", "which it says");
	pthread_create(&reader, NULL, read_slowly, &total);
	do
		rc = pmu_report_write_file(path, text, len);
	while (rc == -ENXIO);
	pthread_join(reader, NULL);
	is_int(rc, 0, "written");
	is_u64(total, len, "more than a pipe holds arrives");
	unlink(path);
	free(text);
}

static volatile sig_atomic_t n_sigpipe;

static void on_sigpipe(int signal)
{
	(void)signal;
	n_sigpipe++;
}

static void a_broken_pipe_is_an_error_and_no_signal(void)
{
	sigset_t pipe_only, pending;
	int fd[2];

	signal(SIGPIPE, on_sigpipe);
	if (pipe(fd))
		abort();
	close(fd[0]);
	is_int(pmu_write_all(fd[1], "x", 1), -EPIPE, "error");
	is_int(n_sigpipe, 0, "no signal");
	sigpending(&pending);
	ok(!sigismember(&pending, SIGPIPE), "none waits");
	/* one that was there before stays */
	sigemptyset(&pipe_only);
	sigaddset(&pipe_only, SIGPIPE);
	pthread_sigmask(SIG_BLOCK, &pipe_only, NULL);
	raise(SIGPIPE);
	is_int(pmu_write_all(fd[1], "x", 1), -EPIPE, "error again");
	sigpending(&pending);
	ok(sigismember(&pending, SIGPIPE) == 1, "the program's own signal still waits");
	pthread_sigmask(SIG_UNBLOCK, &pipe_only, NULL);
	is_int(n_sigpipe, 1, "and arrives once");
	close(fd[1]);
	is_int(pmu_write_all(fd[1], "x", 1), -EBADF, "a closed descriptor");
	is_int(pmu_write_all(-1, "", 0), 0, "nothing to write is no error");
	signal(SIGPIPE, SIG_DFL);
}

static void a_non_blocking_pipe_gets_all(void)
{
	size_t len = 1 << 20, total = 0;
	char *text = calloc(1, len), got[4096];
	int fd[2], status;
	ssize_t n;

	if (pipe2(fd, O_NONBLOCK))
		abort();
	fflush(stdout);
	if (!fork()) {
		close(fd[0]);
		_exit(pmu_write_all(fd[1], text, len) ? 1 : 0);
	}
	close(fd[1]);
	fcntl(fd[0], F_SETFL, 0);
	while ((n = read(fd[0], got, sizeof(got))) > 0)
		total += (size_t)n;
	wait(&status);
	is_int(status, 0, "written");
	is_u64(total, len, "all of it");
	close(fd[0]);
	free(text);
}

static void is_path(const char *configured, const char *want)
{
	const struct pmu_output_names names = {
		.pid = 4242, .rank = "3", .host = "node1", .nth = 2
	};
	char out[64];

	is_int(pmu_output_path(configured, &names, out, sizeof(out)), (int)strlen(want),
	       configured);
	is_str(out, want, want);
}

static void letters_in_output_paths_are_replaced(void)
{
	struct pmu_output_names names = { .pid = 1, .rank = "../x", .host = NULL, .nth = 1 };
	char out[16];

	is_path("run.json", "run.json");
	is_path("%h/run-%p.%r.%n.json", "node1/run-4242.3.2.json");
	is_path("100%%p", "100%p");
	is_path("a%xb%", "a%xb%");
	is_path("%d%P%%p%", "%d%P%p%");
	is_path("", "");
	is_int(pmu_output_path("%r", &names, out, sizeof(out)), 4, "a rank");
	is_str(out, ".._x", "names no other folder");
	names.rank = "..";
	pmu_output_path("%r/x", &names, out, sizeof(out));
	is_str(out, "__/x", "nor does one of dots");
	names.rank = NULL;
	pmu_output_path("%r", &names, out, sizeof(out));
	is_str(out, "0", "no rank is 0");
	is_int(pmu_output_path("123456789012345", &names, out, sizeof(out)), 15, "just fits");
	is_int(pmu_output_path("1234567890123456", &names, out, sizeof(out)), -ENAMETOOLONG,
	       "one too many");
	is_str(out, "123456789012345", "ends all the same");
}

static void is_aside(const char *path, unsigned int nth, const char *want)
{
	char out[64];

	is_int(pmu_output_aside(path, 77, nth, out, sizeof(out)), (int)strlen(want), path);
	is_str(out, want, want);
}

static void names_aside_keep_the_ending(void)
{
	char out[12];

	is_aside("dir/run.json", 0, "dir/run.77.json");
	is_aside("dir/run.json", 3, "dir/run.77-3.json");
	is_aside("a.b/run", 0, "a.b/run.77");
	is_aside("run.tar.csv", 0, "run.tar.77.csv");
	is_aside("x/.hidden", 0, "x/.hidden.77");
	is_aside("x/.json", 1, "x/.77-1.json");
	is_int(pmu_output_aside("run.json", 77, 0, out, sizeof(out)), 11, "just fits");
	is_int(pmu_output_aside("run.json", 777, 0, out, sizeof(out)), -ENAMETOOLONG,
	       "one too many");
}

UNIT_PART(report)
{
	snprintf(dir, sizeof(dir), "/tmp/pmu-test-report-XXXXXX");
	if (!mkdtemp(dir))
		return skip_all("no folder for files in /tmp");
	the_ending_chooses_the_format();
	a_format_that_there_is_not_is_refused();
	each_format_has_its_writer();
	a_new_file_has_the_umasks_permissions();
	an_old_file_is_replaced_and_keeps_its_permissions();
	links_are_written_through();
	devices_and_descriptors_are_written_to();
	a_full_disk_leaves_the_old_file_alone();
	a_missing_folder_is_named();
	over_long_names_are_refused();
	rights_are_respected();
	pipes_get_all_of_it_or_an_error();
	a_broken_pipe_is_an_error_and_no_signal();
	a_non_blocking_pipe_gets_all();
	letters_in_output_paths_are_replaced();
	names_aside_keep_the_ending();
	is_int(count_files(), 0, "nothing is left behind");
	rmdir(dir);
	return done_testing();
}
