/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whichever system call of the library fails, the program does what it does unmeasured, and the
 * report says what is missing.  Each call of each subject is made to fail once, in each way.
 *
 *	sweep                              all of them
 *	sweep N                            some N, spread over all
 *	sweep SUBJECT KIND NTH             one, and what became of it stays there to be looked at
 */
#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../sanitized.h"
#include "../tap.h"
#include "judge.h"

#define SECONDS     30
#define N_WORKERS   2
#define MAX_WORDS   8
#define MAX_SETTING 6

/* In words: PROGRAM, PMU; in settings "@" is the run's folder. */
#define PROGRAM "PROGRAM"
#define PMU     "PMU"
#define PIPE    "/bin/echo a; (exit 3); /bin/true && (/bin/echo b | cat; exit 4)"

static const struct subject {
	const char *name;
	enum inject_whose whose;
	const char *word[MAX_WORDS];
	const char *out;
	int status;
	const char *setting[MAX_SETTING];
} subjects[] = {
	{ "threads",
	  INJECT_PROGRAM,
	  { PROGRAM, "threads" },
	  "done\n",
	  7,
	  { "PMU_OUTPUT=@/o.json" } },
	{ "children",
	  INJECT_PROGRAM,
	  { PROGRAM, "children" },
	  "done\n",
	  7,
	  { "PMU_OUTPUT=@/o.json" } },
	{ "contexts",
	  INJECT_PROGRAM,
	  { PROGRAM, "contexts" },
	  "done\n",
	  7,
	  { "PMU_OUTPUT=@/o.json" } },
	{ "names", INJECT_PROGRAM, { PROGRAM, "names" }, "done\n", 7, { "PMU_OUTPUT=@/o.json" } },
	{ "checkpoints",
	  INJECT_PROGRAM,
	  { PROGRAM, "checkpoints" },
	  "done\n",
	  7,
	  { "PMU_OUTPUT=@/o.json" } },
	{ "sessions",
	  INJECT_PROGRAM,
	  { PROGRAM, "sessions" },
	  "done\n",
	  7,
	  { "PMU_OUTPUT=@/o.json" } },
	{ "groups",
	  INJECT_PROGRAM,
	  { PROGRAM, "groups" },
	  "done\n",
	  7,
	  { "PMU_OUTPUT=@/o.json", "PMU_GROUP=SOFTWARE,TIME" } },
	{ "exact",
	  INJECT_PROGRAM,
	  { PROGRAM, "threads" },
	  "done\n",
	  7,
	  { "PMU_OUTPUT=@/o.json", "PMU_GROUP=SOFTWARE", "PMU_EXACT=1", "PMU_HISTOGRAM=1" } },
	{ "rotate",
	  INJECT_PROGRAM,
	  { PROGRAM, "threads" },
	  "done\n",
	  7,
	  { "PMU_OUTPUT=@/o.json", "PMU_GROUP=SOFTWARE,TIME", "PMU_ROTATE=1" } },
	{ "trace",
	  INJECT_PROGRAM,
	  { PROGRAM, "threads" },
	  "done\n",
	  7,
	  { "PMU_OUTPUT=@/o.json", "PMU_TRACE=@/o.trace", "PMU_TRACE_SIZE=64KiB" } },
	{ "pinned",
	  INJECT_PROGRAM,
	  { PROGRAM, "threads" },
	  "done\n",
	  7,
	  { "PMU_OUTPUT=@/o.json", "PMU_PIN=auto" } },
	{ "rank",
	  INJECT_PROGRAM,
	  { PROGRAM, "threads" },
	  "done\n",
	  7,
	  { "PMU_OUTPUT=@/o.%r.json", "OMPI_COMM_WORLD_RANK=1", "OMPI_COMM_WORLD_SIZE=2" } },
	{ "run",
	  INJECT_PROGRAM,
	  { PMU, "run", "-o", "@/o.json", "--", PROGRAM, "children" },
	  "done\n",
	  7,
	  { NULL } },
	{ "run, command",
	  INJECT_COMMAND,
	  { PMU, "run", "-o", "@/o.json", "--", PROGRAM, "children" },
	  "done\n",
	  7,
	  { NULL } },
	{ "shell",
	  INJECT_PROGRAM,
	  { PMU, "run", "-o", "@/o.json", "--", "/bin/sh", "-c", PIPE },
	  "a\nb\n",
	  4,
	  { NULL } },
	{ "shell, command",
	  INJECT_COMMAND,
	  { PMU, "run", "-o", "@/o.json", "--", "/bin/sh", "-c", PIPE },
	  "a\nb\n",
	  4,
	  { NULL } },
};
#define N_SUBJECTS (sizeof(subjects) / sizeof(*subjects))

static char base[512]; /* the folder of all runs */
static struct expected expected[N_SUBJECTS];
static long n_calls[N_SUBJECTS][INJECT_N_KINDS];

/* --- one run --- */

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	return remove(path);
}

static void remove_folder(const char *path)
{
	nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static void fresh_folder(const char *path)
{
	char below[600];

	remove_folder(path);
	snprintf(below, sizeof(below), "%s/xdg", path);
	if (mkdir(path, 0700) || mkdir(below, 0700)) {
		printf("Bail out! %s: %s\n", below, strerror(errno));
		exit(1);
	}
}

/* @text with the run's folder for "@", and what the words in capitals stand for. */
static char *expand(const char *text, const char *folder)
{
	const char *build = getenv("TEST_BUILDDIR"), *at = strchr(text, '@');
	char *result;
	int n;

	build = build && *build ? build : TEST_BUILDDIR;
	if (!strcmp(text, PROGRAM))
		n = asprintf(&result, "%s/tests/faults/program", build);
	else if (!strcmp(text, PMU))
		n = asprintf(&result, "%s/pmu", build);
	else
		n = at ? asprintf(&result, "%.*s%s%s", (int)(at - text), text, folder, at + 1)
		       : asprintf(&result, "%s", text);
	if (n < 0)
		abort();
	return result;
}

static int run_subject(const struct subject *subject, const char *folder,
		       const struct injection *injection, struct injected *result)
{
	static const char *const always[] = { "XDG_RUNTIME_DIR=@/xdg", "HOME=@",   "TMPDIR=@",
					      "PATH=/usr/bin:/bin",    "LC_ALL=C", "PMU_PIN=none" };
	char *argv[MAX_WORDS + 1] = { NULL }, *env[16] = { NULL };
	size_t n = 0;
	int rc;

	fresh_folder(folder);
	for (size_t i = 0; i < MAX_WORDS && subject->word[i]; i++)
		argv[i] = expand(subject->word[i], folder);
	/* of two settings of a variable the first one counts */
	for (size_t i = 0; i < MAX_SETTING && subject->setting[i]; i++)
		env[n++] = expand(subject->setting[i], folder);
	for (size_t i = 0; i < sizeof(always) / sizeof(*always); i++)
		env[n++] = expand(always[i], folder);
	rc = inject_run(argv, env, folder, SECONDS, injection, result);
	for (size_t i = 0; argv[i]; i++)
		free(argv[i]);
	for (size_t i = 0; env[i]; i++)
		free(env[i]);
	return rc;
}

/* --- what there is to do --- */

struct task {
	size_t subject;
	enum inject_kind kind;
	long nth;
	/* what came of it */
	const char *call, *wrong;
	int error;
	char why[1600];
};

static struct injection injection_of(const struct task *task)
{
	return (struct injection){
		.kind = task->kind,
		.whose = subjects[task->subject].whose,
		.nth = task->nth,
		.error = (unsigned int)task->nth + (task->kind == INJECT_FROM_ON),
	};
}

static void show_bad(const struct task *task)
{
	char why[sizeof(task->why)];

	snprintf(why, sizeof(why), "%s", task->why);
	for (char *at = why; *at; at++)
		*at = *at == '\n' ? ' ' : *at;
	diag("%s, %s, %ld: %s, %s: %s; %s", subjects[task->subject].name, inject_name(task->kind),
	     task->nth, task->call ? task->call : "nothing failed",
	     task->error ? strerrorname_np(task->error) : "half", task->wrong, why);
}

static void do_task(struct task *task, const char *folder)
{
	struct injection injection = injection_of(task);
	struct injected result;

	if (run_subject(&subjects[task->subject], folder, &injection, &result) < 0) {
		task->wrong = "it cannot be started";
		return;
	}
	task->call = result.call;
	task->error = result.error;
	task->wrong = judge(folder, &expected[task->subject], &injection, &result, task->why,
			    sizeof(task->why));
}

/* How many calls a subject has, and what it leaves without a fault. */
static int learn(size_t i)
{
	struct injection injection = { .whose = subjects[i].whose };
	struct injected result;
	const char *wrong;
	char folder[600];
	int rc;

	snprintf(folder, sizeof(folder), "%s/0", base);
	expected[i].out = subjects[i].out;
	expected[i].status = subjects[i].status;
	rc = run_subject(&subjects[i], folder, &injection, &result);
	if (rc < 0)
		return rc;
	memcpy(n_calls[i], result.n_calls, sizeof(n_calls[i]));
	wrong = judge_learn(folder, &result, &expected[i]);
	if (!wrong)
		return 0;
	ok(false, "%s without a fault: %s, status %d", subjects[i].name, wrong, result.status);
	return -EINVAL;
}

static int learn_all(void)
{
	int rc = 0;

	for (size_t i = 0; i < N_SUBJECTS && !rc; i++)
		rc = learn(i);
	return rc;
}

/* Memory that the workers share. */
static struct task *list_tasks(long some, size_t *n)
{
	struct task *tasks;
	long all = 0, step, at = 0;

	for (size_t i = 0; i < N_SUBJECTS; i++)
		for (int kind = 0; kind < INJECT_N_KINDS; kind++)
			all += n_calls[i][kind];
	step = some && all > some ? all / some : 1;
	tasks = mmap(NULL, ((size_t)all / (size_t)step + 1) * sizeof(*tasks),
		     PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	*n = 0;
	if (tasks == MAP_FAILED)
		return NULL;
	for (size_t i = 0; i < N_SUBJECTS; i++)
		for (enum inject_kind kind = 0; kind < INJECT_N_KINDS; kind++)
			for (long nth = 1; nth <= n_calls[i][kind]; nth++)
				if (at++ % step == 0)
					tasks[(*n)++] = (struct task){ .subject = i,
								       .kind = kind,
								       .nth = nth };
	return tasks;
}

static void work_off(struct task *tasks, size_t n)
{
	char folder[600];

	for (size_t worker = 0; worker < N_WORKERS; worker++) {
		if (fork() != 0)
			continue;
		snprintf(folder, sizeof(folder), "%s/%zu", base, worker);
		for (size_t i = worker; i < n; i += N_WORKERS) {
			do_task(&tasks[i], folder);
			if (tasks[i].wrong)
				show_bad(&tasks[i]);
		}
		_exit(0);
	}
	while (wait(NULL) > 0)
		;
}

/* --- what came of it --- */

static void judge_subject(const struct task *tasks, size_t n, size_t subject)
{
	long n_tried[INJECT_N_KINDS] = { 0 }, n_bad[INJECT_N_KINDS] = { 0 }, bad = 0;

	for (size_t i = 0; i < n; i++) {
		if (tasks[i].subject != subject)
			continue;
		n_tried[tasks[i].kind]++;
		n_bad[tasks[i].kind] += tasks[i].wrong != NULL;
		bad += tasks[i].wrong != NULL;
	}
	ok(!bad, "%s", subjects[subject].name);
	for (enum inject_kind kind = 0; kind < INJECT_N_KINDS; kind++)
		diag("%-16s %-14s %6ld tried %4ld bad", subjects[subject].name, inject_name(kind),
		     n_tried[kind], n_bad[kind]);
}

static int sweep(long some)
{
	struct task *tasks;
	size_t n;

	tasks = list_tasks(some, &n);
	if (!tasks)
		return 1;
	work_off(tasks, n);
	for (size_t i = 0; i < N_SUBJECTS; i++)
		judge_subject(tasks, n, i);
	diag("%zu injections", n);
	return done_testing();
}

static int only_one(char **argv)
{
	struct task task = { .nth = atol(argv[3]) };
	char folder[600];

	while (task.subject < N_SUBJECTS - 1 && strcmp(subjects[task.subject].name, argv[1]) != 0)
		task.subject++;
	task.kind = (enum inject_kind)atoi(argv[2]);
	snprintf(folder, sizeof(folder), "%s/one", base);
	do_task(&task, folder);
	show_bad(&task);
	diag("in %s", folder);
	return task.wrong != NULL;
}

int main(int argc, char **argv)
{
	const char *tmp = getenv("TMPDIR");
	int rc;

	if (TEST_SANITIZED)
		return skip_all("a sanitizer makes system calls of its own");
	snprintf(base, sizeof(base), "%s/pmu-faults-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	if (!mkdtemp(base))
		return 1;
	rc = learn_all();
	if (rc == -ENOSYS)
		rc = skip_all("programs cannot be traced here");
	else if (rc == 0 && argc == 4)
		return only_one(argv);
	else if (rc == 0)
		rc = sweep(argc == 2 ? atol(argv[1]) : 0);
	remove_folder(base);
	return rc != 0;
}
