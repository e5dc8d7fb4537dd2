/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * PMU_COUNT=process where counts are exact: what threads do that never call the library is in its
 * regions to the instruction, whenever they begin and end.
 *
 * A region's count has some of the library's own, as much at each call but the first: so it is
 * called a second time with N turns of a loop and a third time with 2 N, and the difference is N
 * turns of each thread.  The threads are clone(2)'s, with descriptors
 * of their own: a pipe's end comes when the kernel has taken them, behind their last instruction,
 * and while it still adds up what they counted.
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/systemcall.h"
#include "steps.h"
#include "tap.h"

#define MOST  4
#define TURNS 100000u
#define STACK 16384

/* --- threads made by clone(2) itself --- */

struct worker {
	int go[2], told[2], end[2];
	uint64_t turns, later; /* later: before it ends, after another go */
	char *stack;
};

static void take(int fd)
{
	char byte;

	pmu_system_call4(SYS_read, fd, (long)(uintptr_t)&byte, 1, 0);
}

static void give(int fd)
{
	static const char byte;

	pmu_system_call4(SYS_write, fd, (long)(uintptr_t)&byte, 1, 0);
}

static int work(void *arg)
{
	const struct worker *self = arg;

	take(self->go[0]);
	steps_loop(self->turns);
	give(self->told[1]);
	take(self->go[0]);
	steps_loop(self->later);
	return 0;
}

static void begin_worker(struct worker *worker, uint64_t turns, uint64_t later)
{
	worker->turns = turns;
	worker->later = later;
	if (clone(work, worker->stack + STACK,
		  CLONE_VM | CLONE_FS | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM, worker) < 0)
		abort();
	pmu_system_call2(SYS_close, worker->end[1], 0);
}

static void prepare(struct worker *worker)
{
	if (!worker->stack)
		worker->stack = malloc(STACK);
	if (!worker->stack || pipe(worker->go) || pipe(worker->told) || pipe(worker->end))
		abort();
}

/* The first part of what it does. */
static void go(struct worker *worker)
{
	give(worker->go[1]);
	take(worker->told[0]);
}

static void finish(struct worker *worker)
{
	give(worker->go[1]);
	take(worker->end[0]);
}

static void forget(struct worker *worker)
{
	close(worker->go[0]);
	close(worker->go[1]);
	close(worker->told[0]);
	close(worker->told[1]);
	close(worker->end[0]);
}

/* --- regions --- */

/* When the threads begin and end; each does its turns within the region. */
static const struct {
	const char *name;
	bool pool;   /* begun before the session */
	bool within; /* begun within the region */
	bool stays;  /* ends after the region, with more turns that are not in it */
} kinds[] = {
	{ "pool", .pool = true },
	{ "live", .pool = false },
	{ "inner", .within = true },
	{ "stays", .stays = true },
	{ "both", .within = true, .stays = true },
};
#define KINDS (sizeof(kinds) / sizeof(*kinds))

static struct worker pool[3][MOST];

static void run_region(const char *name, size_t kind, int n, int times, struct worker *worker)
{
	uint64_t turns = (uint64_t)TURNS * (unsigned int)times;
	uint64_t first = kinds[kind].stays ? turns : turns / 2;
	uint64_t later = kinds[kind].stays ? 777 : turns / 2;

	for (int i = 0; i < n && !kinds[kind].pool; i++)
		prepare(&worker[i]);
	for (int i = 0; i < n && !kinds[kind].pool && !kinds[kind].within; i++)
		begin_worker(&worker[i], first, later);
	pmu_region_begin(name);
	for (int i = 0; i < n && kinds[kind].within; i++)
		begin_worker(&worker[i], first, later);
	for (int i = 0; i < n; i++)
		go(&worker[i]);
	for (int i = 0; i < n && !kinds[kind].stays; i++)
		finish(&worker[i]);
	pmu_region_end(name);
	for (int i = 0; i < n && kinds[kind].stays; i++)
		finish(&worker[i]);
	for (int i = 0; i < n; i++)
		forget(&worker[i]);
}

/* What a child process does is its own. */
static void run_child(void)
{
	int status = -1;
	pid_t pid;

	pmu_region_begin("child");
	pid = fork();
	if (!pid) {
		steps_loop(20 * TURNS);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	pmu_region_end("child");
	is_int(status, 0, "a child process ends");
}

static pthread_barrier_t barrier;

static void *share(void *arg)
{
	(void)arg;
	pthread_barrier_wait(&barrier);
	pmu_region_begin("shared");
	pthread_barrier_wait(&barrier);
	steps_loop(10 * TURNS);
	pthread_barrier_wait(&barrier);
	pmu_region_end("shared");
	return NULL;
}

/* --- the report --- */

static char *report;

static bool read_report(void)
{
	free(report);
	if (!pmu_report_text("csv", &report))
		return true;
	report = strdup("");
	return false;
}

/* The field of that number of a line; "" where there is none. */
static const char *field(const char *line, int number)
{
	while (number && *line && *line != '\n')
		number -= *line++ == ',';
	return number ? "" : line;
}

static int column(const char *title)
{
	size_t len = strlen(title);

	for (int i = 0; *field(report, i); i++) {
		const char *at = field(report, i);

		if (!strncmp(at, title, len) && (at[len] == ',' || at[len] == '\n'))
			return i;
	}
	return -1;
}

/* A count of all threads' row; -1: missing. */
static int64_t count_of(const char *region, const char *title)
{
	int at = column(title), path = column("path"), thread = column("thread");
	const char *line = report;
	size_t len = strlen(region);

	while (at >= 0 && (line = strchr(line, '\n')) && *++line) {
		const char *value = field(line, at), *name = field(line, path);

		if (!strncmp(name, region, len) && name[len] == ',' &&
		    !strncmp(field(line, thread), "all,", 4))
			return *value >= '0' && *value <= '9' ? (int64_t)strtoull(value, NULL, 10)
							      : -1;
	}
	return -1;
}

/* --- checks --- */

static const struct {
	const char *title;
	uint64_t each; /* turn */
} events[] = { { "raw:instructions", 2 }, { "raw:branches", 1 } };
#define EVENTS (sizeof(events) / sizeof(*events))

/* At the end a thread may be in its last system call still, or in the next one already. */
#define UNKNOWN 48

static unsigned int n_checked, n_wrong, n_missing;

static void check_event(const char *name, size_t event, int n, const int64_t total[3])
{
	int64_t turns = (int64_t)(events[event].each * TURNS * (unsigned int)n);
	int64_t once = total[1] - total[0], twice = total[2] - total[1];
	bool right = llabs(twice - once - turns) <= UNKNOWN * n;

	n_checked++;
	n_missing += total[0] < 0;
	n_wrong += !right;
	ok(total[0] > 0 && right, "%s of %s, threads: %d", events[event].title, name, n);
	if (!right)
		printf("# %lld, %lld, %lld: %lld more than %lld\n", (long long)total[0],
		       (long long)total[1], (long long)total[2], (long long)(twice - once),
		       (long long)turns);
	/* and no more than these */
	ok(once - turns > 0 && once - turns < 20000, "with little of the library's own: %lld",
	   (long long)(once - turns));
}

static void check_kind(size_t kind, int n)
{
	int64_t total[EVENTS][3] = { { 0 } };
	struct worker worker[MOST] = { { .turns = 0 } };
	char name[32];

	snprintf(name, sizeof(name), "%s-%d", kinds[kind].name, n);
	for (int call = 0; call < 3; call++) {
		run_region(name, kind, n, call, kinds[kind].pool ? pool[call] : worker);
		if (!read_report())
			ok(false, "a report");
		for (size_t i = 0; i < EVENTS; i++)
			total[i][call] = count_of(name, events[i].title);
	}
	for (size_t i = 0; i < EVENTS; i++)
		if (column(events[i].title) >= 0)
			check_event(name, i, n, total[i]);
	for (int i = 0; i < MOST; i++)
		free(worker[i].stack);
}

static bool is_between(const char *region, int64_t least, int64_t most)
{
	int64_t count = count_of(region, "raw:instructions");

	printf("# %s: %lld instructions\n", region, (long long)count);
	return count >= least && count < most;
}

int main(void)
{
	pthread_t thread[2];

	for (int call = 0; call < 3; call++)
		for (int i = 0; i < MOST; i++) {
			struct worker *one = &pool[call][i];

			prepare(one);
			begin_worker(one, TURNS * (unsigned int)call / 2,
				     TURNS * (unsigned int)call / 2);
		}
	is_int(pmu_init(NULL), 0, "a session, with threads that were there before");
	for (size_t kind = 0; kind < KINDS; kind++)
		for (int n = kinds[kind].pool ? MOST : 1; n <= MOST; n *= 2)
			check_kind(kind, n);
	run_child();
	pthread_barrier_init(&barrier, NULL, 2);
	for (int i = 0; i < 2; i++)
		pthread_create(&thread[i], NULL, share, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	ok(read_report(), "a report");
	ok(is_between("child", 1, 20 * TURNS), "what a child process does is not in it");
	ok(is_between("shared", 40 * TURNS, 60 * TURNS),
	   "what two threads do in a region at the same time is in it once");
	free(report);
	printf("# net: %u regions, %u wrong, %u missing\n", n_checked, n_wrong, n_missing);
	return done_testing();
}
