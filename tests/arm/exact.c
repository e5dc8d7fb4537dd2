/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Regions of exactly N instructions, on a machine with exact counters: whatever N
 * is, and each time, the library reports N and one fixed number more.
 *
 *   exact MODE FILE    MODE: "user" or "read" (how counts are read), or "cpu" (PMU_COUNT);
 *                      FILE: gets each region's sums, to compare with the report at exit
 */
#include <pmu.h>
#include <pthread.h>
#include <sys/resource.h>

#include "tap.h"

#define REPEATS   100
#define N_COUNTS  2 /* instructions, cycles */
#define N_SIZES   8
#define N_THREADS 2

/* What a region may count over its N, the two of our own included (see flat below). */
#define MOST_USER 170
#define MOST_READ 140
/* bl and ret of a function */
#define CALL 2

/* --- the kernels
 * ------------------------------------------------------------------------------ */

/*
 * By hand, so that no compiler puts anything else there.
 *
 * work n: exactly n instructions; from 1000 on two for the number and two for each turn
 * of a loop.
 *
 * flat_n(name): a region of n, and of two more (mov, bl) to get to its end.
 *
 * nested_n_m(outer, inner): a region of n with a region of m inside it.
 */
__asm__(".macro work n\n"
	".if \\n < 1000\n"
	".rept \\n\n"
	"	nop\n"
	".endr\n"
	".else\n"
	"	movz	x9, #((\\n - 2) / 2) & 0xffff\n"
	"	movk	x9, #((\\n - 2) / 2) >> 16, lsl #16\n"
	"1:	subs	x9, x9, #1\n"
	"	b.ne	1b\n"
	".endif\n"
	".endm\n"
	".macro enter name\n"
	"	.type \\name, %function\n"
	"\\name:\n"
	"	stp	x29, x30, [sp, #-32]!\n"
	"	mov	x29, sp\n"
	"	stp	x19, x20, [sp, #16]\n"
	"	mov	x19, x0\n"
	"	mov	x20, x1\n"
	".endm\n"
	".macro leave name\n"
	"	ldp	x19, x20, [sp, #16]\n"
	"	ldp	x29, x30, [sp], #32\n"
	"	ret\n"
	"	.size \\name, . - \\name\n"
	".endm\n"
	".macro flat n\n"
	"	enter	flat_\\n\n"
	"	bl	pmu_region_begin\n"
	"	work	\\n\n"
	"	mov	x0, x19\n"
	"	bl	pmu_region_end\n"
	"	leave	flat_\\n\n"
	".endm\n"
	".macro nested n, m\n"
	"	enter	nested_\\n\\()_\\m\n"
	"	bl	pmu_region_begin\n"
	"	work	\\n\n"
	"	mov	x0, x20\n"
	"	bl	pmu_region_begin\n"
	"	work	\\m\n"
	"	mov	x0, x20\n"
	"	bl	pmu_region_end\n"
	"	mov	x0, x19\n"
	"	bl	pmu_region_end\n"
	"	leave	nested_\\n\\()_\\m\n"
	".endm\n"
	".text\n"
	".balign 64\n"
	"work_1000000:\n"
	"	work	1000000\n"
	"	ret\n");

void work_1000000(void);

#define KERNEL(n, m)                                      \
	__asm__("flat " #n "\n nested " #n ", " #m "\n"); \
	void flat_##n(const char *name);                  \
	void nested_##n##_##m(const char *outer, const char *inner)

KERNEL(0, 1000000);
KERNEL(1, 100000);
KERNEL(10, 10000);
KERNEL(100, 1000);
KERNEL(1000, 100);
KERNEL(10000, 10);
KERNEL(100000, 1);
KERNEL(1000000, 0);

static const struct kernel {
	uint64_t n, m;
	void (*flat)(const char *name);
	void (*nested)(const char *outer, const char *inner);
} kernels[N_SIZES] = {
	{ 0, 1000000, flat_0, nested_0_1000000 },    { 1, 100000, flat_1, nested_1_100000 },
	{ 10, 10000, flat_10, nested_10_10000 },     { 100, 1000, flat_100, nested_100_1000 },
	{ 1000, 100, flat_1000, nested_1000_100 },   { 10000, 10, flat_10000, nested_10000_10 },
	{ 100000, 1, flat_100000, nested_100000_1 }, { 1000000, 0, flat_1000000, nested_1000000_0 },
};

/* --- what a call counts over its N
 * ------------------------------------------------------------ */

/* Of REPEATS calls of one region of n instructions. */
struct cost {
	uint64_t n;
	uint64_t calls;
	uint64_t least[N_COUNTS], most[N_COUNTS]; /* of one call, over n */
	uint64_t sum[N_COUNTS];                   /* of all calls so far */
	int failures; /* of the library's functions, and missing counts */
};

static const char *mode;

/* What is left of a region's first call, which takes other ways through the library than
 * all others. */
static void forget(struct cost *cost, const char *name, uint64_t n)
{
	memset(cost, 0, sizeof(*cost));
	memset(cost->least, 0xff, sizeof(cost->least));
	cost->n = n;
	if (pmu_region_reset(name))
		cost->failures++;
}

/* One more call: what it has added to the region's sums. */
static void take(struct cost *cost, const char *name)
{
	struct pmu_region_counts got = { .size = sizeof(got) };

	if (pmu_region_read(name, PMU_THREAD_SELF, &got) || got.missing || got.n_counts != N_COUNTS)
		cost->failures++;
	cost->calls = got.calls;
	for (int i = 0; i < N_COUNTS; i++) {
		uint64_t over = got.count[i] - cost->sum[i] - cost->n;

		cost->sum[i] = got.count[i];
		cost->least[i] = over < cost->least[i] ? over : cost->least[i];
		cost->most[i] = over > cost->most[i] ? over : cost->most[i];
	}
}

static void measure_flat(struct cost cost[N_SIZES], const char *const name[N_SIZES])
{
	for (int i = 0; i < N_SIZES; i++) {
		const struct kernel *kernel = &kernels[i];

		kernel->flat(name[i]);
		forget(&cost[i], name[i], kernel->n);
		for (int k = 0; k < REPEATS; k++) {
			kernel->flat(name[i]);
			take(&cost[i], name[i]);
		}
	}
}

/* The same two regions for all sizes: what it takes to find the inner one is inside the
 * outer one. */
static void measure_nested(struct cost outer[N_SIZES], struct cost inner[N_SIZES])
{
	for (int i = 0; i < N_SIZES; i++) {
		const struct kernel *kernel = &kernels[i];

		kernel->nested("outer", "inner");
		forget(&outer[i], "outer", kernel->n + kernel->m);
		forget(&inner[i], "inner", kernel->m);
		for (int k = 0; k < REPEATS; k++) {
			kernel->nested("outer", "inner");
			take(&outer[i], "outer");
			take(&inner[i], "inner");
		}
	}
}

/* --- checks
 * ----------------------------------------------------------------------------------- */

static void is_whole(const struct cost *cost, const char *what)
{
	if (!ok(cost->calls == REPEATS && !cost->failures,
		"%s, %s: %d calls of %" PRIu64 " instructions", mode, what, REPEATS, cost->n))
		diag("got %" PRIu64 " calls, %d failures", cost->calls, cost->failures);
}

/*
 * An instruction takes a cycle on this machine, so cycles are as exact.  Every call counts the
 * same, also where the kernel came in the middle of a read.
 */
static void is_exact(const struct cost cost[N_SIZES], const char *what, uint64_t want)
{
	for (int i = 0; i < N_SIZES; i++) {
		const struct cost *c = &cost[i];
		bool right = true;

		is_whole(c, what);
		for (int k = 0; k < N_COUNTS; k++)
			right &= c->least[k] == want && c->most[k] == want;
		if (!ok(right,
			"%s, %s: each counts %" PRIu64 " + %" PRIu64
			" instructions and as many cycles",
			mode, what, c->n, want))
			diag("instructions from %" PRIu64 " to %" PRIu64 ", cycles from %" PRIu64
			     " to %" PRIu64 " more",
			     c->least[0], c->most[0], c->least[1], c->most[1]);
	}
}

static const char *const main_names[N_SIZES] = {
	"main 0",    "main 1",     "main 10",     "main 100",
	"main 1000", "main 10000", "main 100000", "main 1000000",
};

/* Returns what every region counts over its N. */
static uint64_t one_thread(void)
{
	uint64_t most = strcmp(mode, "user") ? MOST_READ : MOST_USER;
	struct cost flat[N_SIZES], outer[N_SIZES], inner[N_SIZES];
	uint64_t fixed;

	measure_flat(flat, main_names);
	fixed = flat[0].least[0];
	diag("%s: a region counts %" PRIu64 " instructions of the library's own", mode, fixed);
	ok(fixed <= most, "%s: the library's own are at most %" PRIu64, mode, most);
	is_exact(flat, "flat", fixed);

	measure_nested(outer, inner);
	diag("%s: and %" PRIu64 " more with a region inside it", mode, outer[0].least[0] - fixed);
	is_exact(inner, "inner", fixed);
	is_exact(outer, "outer", outer[0].least[0]);
	return fixed;
}

/* --- threads
 * ---------------------------------------------------------------------------------- */

struct worker {
	pthread_t id;
	char name[N_SIZES][32];
	struct cost flat[N_SIZES];
	long interrupted; /* times that something else ran in between */
};

static pthread_barrier_t all_there;

static void *work_alone(void *arg)
{
	struct worker *self = arg;
	const char *name[N_SIZES];
	struct rusage usage;

	for (int i = 0; i < N_SIZES; i++)
		name[i] = self->name[i];
	measure_flat(self->flat, name);
	getrusage(RUSAGE_THREAD, &usage);
	self->interrupted = usage.ru_nivcsw;
	return NULL;
}

static void *work_together(void *arg)
{
	pthread_barrier_wait(&all_there);
	return work_alone(arg);
}

static void start(struct worker *worker, const char *name, void *(*work)(void *worker))
{
	for (int i = 0; i < N_SIZES; i++)
		snprintf(worker->name[i], sizeof(worker->name[i]), "%s %" PRIu64, name,
			 kernels[i].n);
	if (pthread_create(&worker->id, NULL, work, worker))
		abort();
}

static void one_thread_after_the_other(uint64_t fixed)
{
	static const char *const name[N_THREADS] = { "first", "second" };
	struct worker worker = { 0 };

	for (int i = 0; i < N_THREADS; i++) {
		start(&worker, name[i], work_alone);
		pthread_join(worker.id, NULL);
		is_exact(worker.flat, name[i], fixed);
	}
}

/* On one processor they take turns in the middle of their regions. */
static void threads_at_once(uint64_t fixed)
{
	static const char *const name[N_THREADS] = { "left", "right" };
	struct worker worker[N_THREADS] = { 0 };

	pthread_barrier_init(&all_there, NULL, N_THREADS);
	for (int i = 0; i < N_THREADS; i++)
		start(&worker[i], name[i], work_together);
	for (int i = 0; i < N_THREADS; i++)
		pthread_join(worker[i].id, NULL);
	for (int i = 0; i < N_THREADS; i++) {
		ok(worker[i].interrupted > 10, "%s, %s: took turns %ld times", mode, name[i],
		   worker[i].interrupted);
		is_exact(worker[i].flat, name[i], fixed);
	}
}

/* --- other ways to count
 * ---------------------------------------------------------------------- */

/* Whatever else runs at user level on the processor is counted, too. */
static void whole_cpu(void)
{
	struct cost flat[N_SIZES];

	measure_flat(flat, main_names);
	for (int i = 0; i < N_SIZES; i++) {
		is_whole(&flat[i], "flat");
		if (ok(flat[i].most[0] < 100000,
		       "%s: at least its %" PRIu64 " instructions and not many more", mode,
		       flat[i].n))
			continue;
		diag("got from %" PRId64 " to %" PRId64 " more", (int64_t)flat[i].least[0],
		     (int64_t)flat[i].most[0]);
	}
}

static void by_hand(void)
{
	struct pmu_counters *counters;
	uint64_t empty[N_COUNTS], before[N_COUNTS], after[N_COUNTS];
	int exact = 0;

	if (!is_int(pmu_counters_open("instructions,cycles", PMU_SCOPE_THREAD, &counters), 0,
		    "counters open")) {
		diag("%s", pmu_last_error());
		return;
	}
	is_int(pmu_counters_start(counters), 0, "and start");
	for (int i = 0; i < REPEATS; i++) {
		pmu_counters_read(counters, empty, N_COUNTS, NULL);
		pmu_counters_read(counters, before, N_COUNTS, NULL);
		work_1000000();
		pmu_counters_read(counters, after, N_COUNTS, NULL);
		exact += after[0] - before[0] - (before[0] - empty[0]) == 1000000 + CALL;
	}
	is_int(exact, REPEATS, "reads by hand count exactly what is between them");
	pmu_counters_close(counters);
}

/* --- the report at exit
 * ----------------------------------------------------------------------- */

static int write_sums(const char *path)
{
	FILE *file = fopen(path, "w");

	if (!file)
		return -1;
	for (int i = 0; i < N_SIZES; i++) {
		struct pmu_region_counts got = { .size = sizeof(got) };

		if (pmu_region_read(main_names[i], PMU_THREAD_SELF, &got))
			continue;
		fprintf(file, "%" PRIu64 " %" PRIu64 " %" PRIu64 " %s\n", got.calls, got.count[0],
			got.count[1], main_names[i]);
	}
	return fclose(file);
}

int main(int argc, char **argv)
{
	uint64_t fixed;

	if (argc != 3)
		return 2;
	mode = argv[1];
	if (!strcmp(mode, "cpu")) {
		whole_cpu();
	} else {
		fixed = one_thread();
		one_thread_after_the_other(fixed);
		threads_at_once(fixed);
		by_hand();
	}
	is_int(write_sums(argv[2]), 0, "sums written");
	return done_testing();
}
