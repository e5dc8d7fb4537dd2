/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs a function in a process of its own and collects what it and its report say. */
#ifndef PMU_TESTS_API_RUN_H
#define PMU_TESTS_API_RUN_H

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <jansson.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "pmu.h"
#include "sanitized.h"
#include "tap.h"

#define RUN_SANITIZED TEST_SANITIZED

#define RUN_MAX_NOTES 16
#define RUN_TEXT_MAX  (1 << 20)

/* What want() found, in memory that all children share: it needs no descriptor. */
struct run_notes {
	int n_wants, n_failed;
	char failed[RUN_MAX_NOTES][400];
};

struct run {
	char dir[256]; /* a folder of its own: run.json, out, err, xdg/ */
	pid_t pid;
	int status;   /* as from waitpid() */
	char *out;    /* what it wrote on standard output */
	char *err;    /* and on standard error */
	json_t *json; /* run.json, NULL where there is none */
	struct run_notes *notes;
};

static struct run_notes *run_notes;

__attribute__((unused)) static uint64_t run_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* For the function that runs: false is a failure of the whole run. */
#define want(cond)              run_want(cond, __FILE__, __LINE__, #cond)
#define want_int(got, expected) run_want_int(got, expected, __FILE__, __LINE__, #got)

__attribute__((unused)) static bool run_want(bool holds, const char *file, int line,
					     const char *text)
{
	int i;

	__atomic_fetch_add(&run_notes->n_wants, 1, __ATOMIC_RELAXED);
	if (holds)
		return true;
	i = __atomic_fetch_add(&run_notes->n_failed, 1, __ATOMIC_RELAXED);
	if (i < RUN_MAX_NOTES)
		snprintf(run_notes->failed[i], sizeof(run_notes->failed[i]), "%s:%d: %s", file,
			 line, text);
	return false;
}

__attribute__((unused)) static bool run_want_int(long long got, long long expected,
						 const char *file, int line, const char *text)
{
	char note[256];

	snprintf(note, sizeof(note), "%s is %lld, not %lld", text, got, expected);
	return run_want(got == expected, file, line, note);
}

/* "@" in a value stands for the run's folder. */
static void run_setenv(const struct run *r, const char *setting)
{
	char name[128], value[4096] = "";
	size_t len = strcspn(setting, "=");
	const char *from = setting + len;

	snprintf(name, sizeof(name), "%.*s", (int)len, setting);
	if (!*from) {
		unsetenv(name);
		return;
	}
	for (from++; *from; from++) {
		size_t used = strlen(value);

		if (*from == '@')
			snprintf(value + used, sizeof(value) - used, "%s", r->dir);
		else
			snprintf(value + used, sizeof(value) - used, "%c", *from);
	}
	setenv(name, value, 1);
}

extern char **environ;

static void run_environment(const struct run *r, const char *const *env)
{
	static const char *const ours[] = { "PMU_OUTPUT=@/run.json", "XDG_RUNTIME_DIR=@/xdg" };
	char name[128];

	for (char **at = environ; *at;) {
		if (strncmp(*at, "PMU", 3)) {
			at++;
			continue;
		}
		snprintf(name, sizeof(name), "%.*s", (int)strcspn(*at, "="), *at);
		unsetenv(name);
		at = environ;
	}
	for (size_t i = 0; i < sizeof(ours) / sizeof(*ours); i++)
		run_setenv(r, ours[i]);
	for (; env && *env; env++)
		run_setenv(r, *env);
}

static void run_die(const char *what)
{
	printf("Bail out! %s: %s\n", what, strerror(errno));
	exit(1);
}

static void run_redirect(const struct run *r, const char *name, int to)
{
	char path[512];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", r->dir, name);
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_APPEND, 0666);
	if (fd < 0 || dup2(fd, to) < 0)
		_exit(125);
	if (fd != to)
		close(fd);
}

static void run_open(struct run *r)
{
	const char *tmp = getenv("TMPDIR");
	char path[512];

	memset(r, 0, sizeof(*r));
	snprintf(r->dir, sizeof(r->dir), "%s/pmu-test-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	if (!mkdtemp(r->dir))
		run_die("no temporary folder");
	snprintf(path, sizeof(path), "%s/xdg", r->dir);
	if (mkdir(path, 0700) < 0)
		run_die(path);
	r->notes = (struct run_notes *)mmap(NULL, sizeof(*r->notes), PROT_READ | PROT_WRITE,
					    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (r->notes == MAP_FAILED)
		run_die("no shared memory");
	run_notes = r->notes;
}

/* A path in the run's folder; good until the call after next. */
__attribute__((unused)) static const char *run_path(const struct run *r, const char *name)
{
	static char path[2][768];
	static int i;

	i = !i;
	snprintf(path[i], sizeof(path[i]), "%s/%s", r->dir, name);
	return path[i];
}

/* A whole file, NUL-terminated, for free(); NULL where there is none. */
static char *run_slurp(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char *text;
	ssize_t n, len = 0;

	if (fd < 0)
		return NULL;
	text = (char *)calloc(1, RUN_TEXT_MAX);
	if (!text)
		run_die("no memory");
	while ((n = read(fd, text + len, (size_t)(RUN_TEXT_MAX - 1 - len))) > 0)
		len += n;
	close(fd);
	return text;
}

__attribute__((unused)) static json_t *run_load(const struct run *r, const char *name)
{
	json_error_t error;
	json_t *json = json_load_file(run_path(r, name), JSON_ALLOW_NUL, &error);

	if (!json && access(run_path(r, name), F_OK) == 0)
		diag("%s, line %d: %s", name, error.line, error.text);
	return json;
}

__attribute__((unused)) static const char *run_command_path(void)
{
	static char path[4096];
	const char *dir = getenv("TEST_BUILDDIR");

	snprintf(path, sizeof(path), "%s/pmu", dir ? dir : TEST_BUILDDIR);
	return path;
}

/*
 * What the command makes of a store, which says nothing where its program died while it made it, or
 * of another report.
 */
__attribute__((unused)) static json_t *run_report_of(const struct run *r, const char *input)
{
	char out[512];
	int status = -1;
	pid_t pid;

	snprintf(out, sizeof(out), "%s/made.json", r->dir);
	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		run_redirect(r, "command", STDOUT_FILENO);
		run_redirect(r, "command", STDERR_FILENO);
		execl(run_command_path(), "pmu", "report", input, "-o", out, (char *)NULL);
		_exit(127);
	}
	waitpid(pid, &status, 0);
	return status ? NULL : run_load(r, "made.json");
}

/* Start @fn(@arg); @env: "NAME=VALUE" to set, "NAME" to unset, NULL at the end. */
static void run_start(struct run *r, int (*fn)(void *), void *arg, const char *const *env)
{
	run_open(r);
	fflush(stdout);
	r->pid = fork();
	if (r->pid < 0)
		run_die("fork");
	if (r->pid)
		return;
	run_environment(r, env);
	run_redirect(r, "out", STDOUT_FILENO);
	run_redirect(r, "err", STDERR_FILENO);
	exit(fn(arg));
}

static void run_wait(struct run *r)
{
	while (waitpid(r->pid, &r->status, 0) < 0 && errno == EINTR)
		;
	r->out = run_slurp(run_path(r, "out"));
	r->err = run_slurp(run_path(r, "err"));
	r->json = run_load(r, "run.json");
}

__attribute__((unused)) static void run(struct run *r, int (*fn)(void *), void *arg,
					const char *const *env)
{
	run_start(r, fn, arg, env);
	run_wait(r);
}

static int run_unlink(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	return remove(path);
}

__attribute__((unused)) static void run_done(struct run *r)
{
	nftw(r->dir, run_unlink, 16, FTW_DEPTH | FTW_PHYS);
	free(r->out);
	free(r->err);
	json_decref(r->json);
	munmap(r->notes, sizeof(*r->notes));
}

/* It returned 0, and whatever it wanted held. */
__attribute__((unused)) static bool run_good(const struct run *r, const char *name)
{
	int n = r->notes->n_failed < RUN_MAX_NOTES ? r->notes->n_failed : RUN_MAX_NOTES;
	bool good = WIFEXITED(r->status) && !WEXITSTATUS(r->status) && !r->notes->n_failed;

	ok(good, "%s", name);
	if (good)
		return true;
	diag("%s %d", WIFEXITED(r->status) ? "exit status" : "killed by signal",
	     WIFEXITED(r->status) ? WEXITSTATUS(r->status) : WTERMSIG(r->status));
	for (int i = 0; i < n; i++)
		diag("%s", r->notes->failed[i]);
	if (r->err && *r->err)
		diag("standard error: %.3000s", r->err);
	return false;
}

/* --- looking things up in a report ----------------------------------------------------
 */

/* A member as an integer; -1 where it is missing or null. */
__attribute__((unused)) static long long run_int(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	return json_is_integer(value) ? (long long)json_integer_value(value) : -1;
}

__attribute__((unused)) static const char *run_str(const json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key));
}

/* A region by its path, the first of that path; NULL: not in the report. */
__attribute__((unused)) static const json_t *run_region(const json_t *report, const char *path)
{
	size_t i;
	json_t *region;

	json_array_foreach(json_object_get(report, "regions"), i, region)
	{
		const char *its = run_str(region, "path");

		if (its && !strcmp(its, path))
			return region;
	}
	return NULL;
}

__attribute__((unused)) static const json_t *run_region_of_group(const json_t *report,
								 const char *path,
								 const char *group)
{
	size_t i;
	json_t *region;

	json_array_foreach(json_object_get(report, "regions"), i, region)
	{
		if (!strcmp(run_str(region, "path"), path) &&
		    !strcmp(run_str(region, "group"), group))
			return region;
	}
	return NULL;
}

__attribute__((unused)) static long long run_calls(const json_t *report, const char *path)
{
	return run_int(run_region(report, path), "calls");
}

__attribute__((unused)) static bool run_flag(const json_t *region, const char *flag)
{
	size_t i;
	json_t *value;

	json_array_foreach(json_object_get(region, "flags"), i,
			   value) if (!strcmp(json_string_value(value), flag)) return true;
	return false;
}

/* How often a doubt with these words was had; of @region, unless NULL.  One without a
 * number counts as one. */
__attribute__((unused)) static long long run_doubts(const json_t *report, const char *region,
						    const char *words)
{
	long long sum = 0;
	size_t i;
	json_t *doubt;

	json_array_foreach(json_object_get(report, "doubts"), i, doubt)
	{
		const char *its = run_str(doubt, "region"), *text = run_str(doubt, "text");

		if (!text || !strstr(text, words) || (region && (!its || strcmp(its, region))))
			continue;
		sum += run_int(doubt, "count") < 0 ? 1 : run_int(doubt, "count");
	}
	return sum;
}

/* The parts of a list as one text, for has(). */
__attribute__((unused)) static char *run_list(const json_t *report, const char *key)
{
	char *text = json_dumps(json_object_get(report, key), JSON_ENCODE_ANY);

	return text ? text : strdup("");
}

/* Files in a folder of the run, with names that end so; the first one's name, if asked for. */
__attribute__((unused)) static int run_files(const struct run *r, const char *folder,
					     const char *ending, char *first, size_t size)
{
	DIR *dir = opendir(run_path(r, folder));
	struct dirent *entry;
	int n = 0;

	while (dir && (entry = readdir(dir))) {
		size_t len = strlen(entry->d_name), end = strlen(ending);

		if (len < end || strcmp(entry->d_name + len - end, ending))
			continue;
		if (!n++ && first)
			snprintf(first, size, "%s/%s", run_path(r, folder), entry->d_name);
	}
	if (dir)
		closedir(dir);
	return n;
}

/* Stores that the run has left behind. */
__attribute__((unused)) static int run_stores(const struct run *r, char *first, size_t size)
{
	return run_files(r, "xdg/pmu", ".pmu", first, size);
}

#endif
