/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Work that threads do for a region of another: N instructions of any of them are N in the region's
 * team, and 2 N are N more.
 *
 *   team WAY THREADS    WAY: "pool", which hands on contexts itself, "threads", or under the
 *                       preloaded library "openmp" and "nested"
 *
 * For machines with exact counters.
 */
#include <pmu.h>
#include <pthread.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include "tap.h"

#define REPEATS     20
#define MAX_THREADS 4
#define STEP        1000

/* The calls of one region: each task does as many times STEP. */
static const struct run {
	const char *name;
	uint64_t n;
} runs[] = { { "solve of 1", 1 }, { "solve of 2", 2 }, { "solve of 9", 9 } };
#define N_RUNS 3

static int n_threads;

/* Two instructions a turn, and as many more each time. */
static __attribute__((noinline, noclone)) void work(uint64_t n)
{
	uint64_t turns = n * STEP / 2;

#if defined(__x86_64__)
	__asm__ volatile("1:	dec	%0\n"
			 "	jnz	1b"
			 : "+r"(turns)
			 :
			 : "cc");
#elif defined(__aarch64__)
	__asm__ volatile("1:	subs	%0, %0, #1\n"
			 "	b.ne	1b"
			 : "+r"(turns)
			 :
			 : "cc");
#else
#error "no loop for this processor"
#endif
}

static void part(uint64_t n)
{
	work(n);
	pmu_region_begin("part");
	work(n);
	pmu_region_end("part");
	work(n);
}

/* --- a pool --- */

static struct {
	pthread_barrier_t start, done;
	pmu_context_t context;
	uint64_t n; /* 0: the end */
} pool;

static void *serve(void *arg)
{
	pmu_region_begin("serve");
	while (pthread_barrier_wait(&pool.start), pool.n) {
		pmu_context_enter(pool.context);
		part(pool.n);
		pmu_context_leave();
		pthread_barrier_wait(&pool.done);
	}
	pmu_region_end("serve");
	return arg;
}

static void go_by_pool(const struct run *run)
{
	static pthread_t thread[MAX_THREADS];
	static bool is_open;

	if (!is_open) {
		pthread_barrier_init(&pool.start, NULL, (unsigned int)n_threads + 1);
		pthread_barrier_init(&pool.done, NULL, (unsigned int)n_threads + 1);
		for (int i = 0; i < n_threads; i++)
			pthread_create(&thread[i], NULL, serve, NULL);
		is_open = true;
	}
	if (run) {
		pmu_region_begin(run->name);
		pool.context = pmu_context_get();
		pool.n = run->n;
		pthread_barrier_wait(&pool.start);
		pthread_barrier_wait(&pool.done);
		pmu_region_end(run->name);
		return;
	}
	pool.n = 0;
	pthread_barrier_wait(&pool.start);
	for (int i = 0; i < n_threads; i++)
		pthread_join(thread[i], NULL);
}

/* --- threads --- */

static void *run_thread(void *arg)
{
	part(*(uint64_t *)arg);
	return NULL;
}

static void go_by_threads(const struct run *run)
{
	pthread_t thread[MAX_THREADS];
	uint64_t n = run ? run->n : 0;

	if (!run)
		return;
	pmu_region_begin(run->name);
	for (int i = 0; i < n_threads; i++)
		pthread_create(&thread[i], NULL, run_thread, &n);
	for (int i = 0; i < n_threads; i++)
		pthread_join(thread[i], NULL);
	pmu_region_end(run->name);
}

/* --- OpenMP --- */

#ifdef _OPENMP
static void go_by_openmp(const struct run *run)
{
	if (!run)
		return;
	pmu_region_begin(run->name);
#pragma omp parallel num_threads(n_threads)
	part(run->n);
	pmu_region_end(run->name);
}

static void go_nested(const struct run *run)
{
	if (!run)
		return;
	omp_set_max_active_levels(2);
	pmu_region_begin(run->name);
#pragma omp parallel num_threads(2)
	{
#pragma omp parallel num_threads(n_threads)
		part(run->n);
	}
	pmu_region_end(run->name);
}
#endif

/* --- what the report has --- */

#define ALL  (-1) /* of those that a thread began itself, all threads together */
#define TEAM (-2) /* what others did for the region */

static int64_t number(const char *line, int column)
{
	for (; column > 0 && line; column--)
		line = strchr(line, ',') ? strchr(line, ',') + 1 : NULL;
	return line && *line >= '0' && *line <= '9' ? strtoll(line, NULL, 10) : -1;
}

static int column_of(const char *head, const char *title)
{
	size_t len = strlen(title);

	for (int column = 0; head; column++) {
		if (!strncmp(head, title, len) && (head[len] == ',' || head[len] == '\n'))
			return column;
		head = strpbrk(head, ",\n");
		head = head && *head == ',' ? head + 1 : NULL;
	}
	return -1;
}

/* Sum of a count over the lines of a path that starts and ends so; -1: one is missing. */
static int64_t count(const char *csv, const char *title, const char *start, const char *end,
		     int whose)
{
	int column = column_of(csv, title);
	int64_t sum = 0, lines = 0;

	for (const char *line = strchr(csv, '\n') + 1; *line; line = strchr(line, '\n') + 1) {
		const char *path = strchr(line, ',') + 1, *behind = strchr(path, ',');
		int64_t value = number(line, column);
		const char *thread = behind;

		if (!strncmp(path, "main/", 5))
			path += 5;
		for (int i = 0; i < 2; i++)
			thread = strchr(thread + 1, ',');
		if (strncmp(path, start, strlen(start)) || behind - path < (long)strlen(end) ||
		    strncmp(behind - strlen(end), end, strlen(end)) ||
		    (whose == ALL ? strncmp(thread, ",all,", 5) : strncmp(thread, ",team ", 6)))
			continue;
		if (value < 0)
			return -1;
		sum += value;
		lines++;
	}
	return lines ? sum : -1;
}

/*
 * The same, for parallel regions without what the first thread waits for the others at their end:
 * it may spin.
 */
static int64_t count_work(const char *csv, const char *title, const char *start, const char *end,
			  int whose)
{
	int64_t all = count(csv, title, start, end, whose), waits;
	char path[100];

	if (strncmp(end, "/parallel", strlen("/parallel")) != 0 || n_threads < 2)
		return all;
	snprintf(path, sizeof(path), "%s/wait (barrier)", end);
	waits = count(csv, title, start, path, whose);
	return all < 0 || waits < 0 ? -1 : all - waits;
}

static int n_judged, n_wrong, n_missing;

/* @tasks: in each call, by so many threads; @times: how often the region has work() in it */
static void judge(const char *csv, const char *end, int whose, uint64_t tasks, uint64_t times)
{
	static const char *const titles[] = { "net:instructions", "raw:instructions" };

	for (int i = 0; i < 2; i++)
		for (int j = 1; j < N_RUNS; j++) {
			int64_t a = count_work(csv, titles[i], runs[0].name, end, whose);
			int64_t b = count_work(csv, titles[i], runs[j].name, end, whose);
			int64_t more = (int64_t)((runs[j].n - runs[0].n) * tasks * times * STEP);

			n_judged++;
			n_missing += a < 0 || b < 0;
			n_wrong += a >= 0 && b >= 0 && b - a != REPEATS * more;
			ok(a >= 0 && b - a == REPEATS * more, "%s%s, %s: %" PRId64 " more", end,
			   whose == ALL ? "" : " of others", titles[i], REPEATS * more);
			if (a < 0 || b - a != REPEATS * more)
				diag("%s: %" PRId64 " instead of %" PRId64 " more than %" PRId64,
				     *end ? end + 1 : "what others did", b - a, REPEATS * more, a);
		}
}

static void judge_way(const char *csv, const char *way)
{
	uint64_t n = (uint64_t)n_threads;

	if (!strcmp(way, "pool")) {
		judge(csv, "", TEAM, n, 3);
		judge(csv, "/part", ALL, n, 1);
	} else if (!strcmp(way, "threads")) {
		judge(csv, "", TEAM, n, 3);
		if (getenv("LD_PRELOAD"))
			judge(csv, "/thread", ALL, n, 3);
		judge(csv, "/part", ALL, n, 1);
	} else if (!strcmp(way, "openmp")) {
		judge(csv, "/parallel go_by_openmp:0", ALL, n, 3);
		judge(csv, "/part", ALL, n, 1);
		if (n > 1)
			judge(csv, "", TEAM, n - 1, 3);
	} else {
		judge(csv, "/parallel go_nested:1", ALL, 2 * n, 3);
		judge(csv, "/part", ALL, 2 * n, 1);
	}
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*go)(const struct run *run);
	} ways[] = {
		{ "pool", go_by_pool },
		{ "threads", go_by_threads },
#ifdef _OPENMP
		{ "openmp", go_by_openmp },
		{ "nested", go_nested },
#endif
	};
	const char *way = argc > 1 ? argv[1] : "";
	void (*go)(const struct run *run) = NULL;
	char *csv;

	n_threads = argc > 2 ? atoi(argv[2]) : 2;
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++)
		if (!strcmp(ways[i].name, way))
			go = ways[i].go;
	if (!go || n_threads < 1 || n_threads > MAX_THREADS)
		return 2;
	diag("%s, %d threads", way, n_threads);
	go(&(struct run){ "the threads' first", 1 });
	for (int i = 0; i < REPEATS; i++)
		for (int j = 0; j < N_RUNS; j++)
			go(&runs[j]);
	go(NULL);
	if (is_int(pmu_report_text("csv", &csv), 0, "a report"))
		judge_way(csv, way);
	diag("net: %d regions, %d wrong, %d missing", n_judged, n_wrong, n_missing);
	if (getenv("TEST_SHOW"))
		fputs(csv, stderr);
	free(csv);
	return done_testing();
}
