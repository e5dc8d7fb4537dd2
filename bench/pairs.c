/* SPDX-License-Identifier: BSD-3-Clause */
/* Times begin/end pairs, with blocks of bare reads between them. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "overhead.h"
#include "pmu.h"

#define MAX_THREADS 2
#define N_ROUNDS    101	   /* odd: the median is one of them */
#define BLOCK_NS    100000 /* so short that most blocks pass without an interrupt */
#define MANY	    10000

static const char *const on_clock[] = {"PMU_BACKEND=clock", "PMU_OUTPUT=none", NULL};
static const char *const on_software[] = {
	"PMU_BACKEND=software", "PMU_EVENTS=" LOOP_EVENTS, "PMU_OUTPUT=none", NULL};
static const char *const off[] = {"PMU_ENABLE=0", NULL};
static const char *const nothing_set[] = {NULL};

/* What a subject's loop works on. */
enum names { NO_NAMES, EIGHT, HUNDRED_LITERALS, IN_ORDER, AT_RANDOM };

static const struct subject {
	const char *name;
	const char *const *settings;
	loop_fn *bare, *pairs;
	enum names names;
	int threads;
	bool beside_one; /* compared with one region too */
	enum target_of target_of;
	double target;
} subjects[] = {
	{"one region", on_clock, loop_bare_clock, loop_one, NO_NAMES, 1, false, OF_BARE,
	 1.10},
	{"one region, no PMU_ variable", nothing_set, loop_bare_clock, loop_one, NO_NAMES,
	 1, false, OF_BARE, 1.10},
	{"100 names in rotation", on_clock, loop_bare_clock, loop_named, HUNDRED_LITERALS,
	 1, false, OF_BARE, 1.30},
	{"nested, depth 8", on_clock, loop_bare_clock, loop_nested, EIGHT, 1, false,
	 OF_BARE, 1.10},
	{"two threads at once", on_clock, loop_bare_clock, loop_one, NO_NAMES, 2, false,
	 OF_BARE, 1.10},
	{"10,000 names in order", on_clock, loop_bare_clock, loop_named, IN_ORDER, 1,
	 true, OF_ONE, 1.5},
	{"10,000 names at random", on_clock, loop_bare_clock, loop_named, AT_RANDOM, 1,
	 true, OF_ONE, 3},
	{"a buffer, each time another text", on_clock, loop_bare_clock, loop_buffer,
	 EIGHT, 1, true, NO_TARGET, 0},
	{"pmu_region_begin_n", on_clock, loop_bare_clock, loop_counted, NO_NAMES, 1,
	 false, NO_TARGET, 0},
	{"PMU_ENABLE=0", off, loop_bare_clock, loop_one, NO_NAMES, 1, false, NO_TARGET,
	 0},
	{"software, bare: two read(2)", on_software, loop_bare_read, loop_one, NO_NAMES,
	 1, false, OF_BARE, 1.05},
};
#define N_SUBJECTS (sizeof(subjects) / sizeof(*subjects))

/* --- in the child
 * -------------------------------------------------------------------------- */

enum block { BARE, ONE, PAIRS, N_BLOCKS };

static struct measurement {
	const struct subject *subject;
	size_t n_pairs; /* in a block */
	pthread_barrier_t barrier;
	struct timed_thread {
		pthread_t id;
		struct loop loop;
		double ns[N_BLOCKS][N_ROUNDS]; /* per pair */
		double to_bare[N_ROUNDS], to_one[N_ROUNDS];
		int error;
	} thread[MAX_THREADS];
} measured;

/* 0 or a negative errno. */
static int prepare(struct loop *loop, const struct subject *subject)
{
	static const size_t n_names[] = {
		[EIGHT] = DEPTH, [IN_ORDER] = MANY, [AT_RANDOM] = MANY};

	if (subject->bare == loop_bare_read && loop_group(loop) < 0)
		return -errno;
	if (subject->names == HUNDRED_LITERALS)
		loop_literals(loop);
	else if (n_names[subject->names] &&
		 loop_names(loop, n_names[subject->names], 0) < 0)
		return -ENOMEM;
	if (subject->names == AT_RANDOM)
		loop_shuffle(loop);
	return pmu_thread_attach();
}

/* As many pairs as take BLOCK_NS of bare reads; all names equally often. */
static size_t block_size(struct loop *loop, const struct subject *subject)
{
	size_t n = 64, unit = loop->n_names ? loop->n_names : 1;

	for (;; n *= 2) {
		double start = now_ns();

		subject->bare(loop, n);
		if (now_ns() - start > BLOCK_NS || n >= (1u << 20))
			break;
	}
	return (n + unit - 1) / unit * unit;
}

static double time_block(struct loop *loop, loop_fn *fn)
{
	double start;

	pthread_barrier_wait(&measured.barrier);
	start = now_ns();
	fn(loop, measured.n_pairs);
	return (now_ns() - start) / (double)measured.n_pairs;
}

static void run_rounds(struct timed_thread *self)
{
	const struct subject *subject = measured.subject;
	loop_fn *const fn[N_BLOCKS] = {[BARE] = subject->bare,
				       [ONE] = subject->beside_one ? loop_one : NULL,
				       [PAIRS] = subject->pairs};

	for (int round = -1; round < N_ROUNDS; round++) {
		double ns[N_BLOCKS] = {0};

		for (int i = 0; i < N_BLOCKS; i++)
			if (fn[i])
				ns[i] = time_block(&self->loop, fn[i]);
		if (round < 0) /* everything is met for the first time */
			continue;
		for (int i = 0; i < N_BLOCKS; i++)
			self->ns[i][round] = ns[i];
		self->to_bare[round] = ns[PAIRS] / ns[BARE];
		self->to_one[round] = fn[ONE] ? ns[PAIRS] / ns[ONE] : -1;
	}
	for (int i = 0; i < N_BLOCKS; i++)
		sort_numbers(self->ns[i], N_ROUNDS);
	sort_numbers(self->to_bare, N_ROUNDS);
	sort_numbers(self->to_one, N_ROUNDS);
}

static void *timed(void *arg)
{
	struct timed_thread *self = arg;

	self->error = -prepare(&self->loop, measured.subject);
	if (!self->error && self == &measured.thread[0])
		measured.n_pairs = block_size(&self->loop, measured.subject);
	pthread_barrier_wait(&measured.barrier); /* n_pairs is known */
	for (int i = 0; i < measured.subject->threads; i++)
		if (measured.thread[i].error)
			return NULL;
	run_rounds(self);
	return NULL;
}

/* The worst of the threads stands for all. */
static int print_worst(void)
{
	const struct timed_thread *worst = &measured.thread[0];

	for (int i = 0; i < measured.subject->threads; i++) {
		const struct timed_thread *thread = &measured.thread[i];

		if (thread->error) {
			fprintf(stderr, "%s\n", strerror(thread->error));
			return 1;
		}
		if (thread->to_bare[N_ROUNDS / 2] > worst->to_bare[N_ROUNDS / 2])
			worst = thread;
	}
	printf("%.4f %.4f %.4f %.4f %.4f %.4f %d\n", worst->ns[PAIRS][N_ROUNDS / 2],
	       worst->ns[PAIRS][0], worst->ns[PAIRS][N_ROUNDS - 1],
	       worst->ns[BARE][N_ROUNDS / 2], worst->to_bare[N_ROUNDS / 2],
	       worst->to_one[N_ROUNDS / 2], pmu_count_name(0) != NULL);
	return 0;
}

int child_pairs(char **argument)
{
	size_t index = argument[0] ? strtoul(argument[0], NULL, 10) : N_SUBJECTS;
	int started = 1;

	if (index >= N_SUBJECTS)
		return 2;
	measured.subject = &subjects[index];
	if (pthread_barrier_init(&measured.barrier, NULL,
				 (unsigned int)measured.subject->threads))
		return 1;
	for (; started < measured.subject->threads; started++)
		if (pthread_create(&measured.thread[started].id, NULL, timed,
				   &measured.thread[started])) {
			perror("cannot start a thread");
			return 1;
		}
	timed(&measured.thread[0]);
	while (--started > 0)
		pthread_join(measured.thread[started].id, NULL);
	return print_worst();
}

/* --- in the parent
 * ------------------------------------------------------------------------- */

static void measure_one(const struct subject *subject)
{
	struct row row = row_for(subject->name, "ns");
	struct child child = {.settings = subject->settings};
	char index[8];
	int counts = 0;

	snprintf(index, sizeof(index), "%d", (int)(subject - subjects));
	child.argument[0] = "pairs";
	child.argument[1] = index;
	row.threads = subject->threads;
	row.target_of = subject->target_of;
	row.target = subject->target;
	if (child_run(&child) < 0) {
		row.note = child.why;
	} else if (sscanf(child.out, "%lf %lf %lf %lf %lf %lf %d", &row.value, &row.min,
			  &row.max, &row.bare, &row.ratio_bare, &row.ratio_one,
			  &counts) != 7) {
		row.value = -1;
		row.note = "its numbers are unreadable";
	} else if (counts && subject->settings == nothing_set) {
		/* two time stamps are no measure for what reads counters */
		row.target_of = NO_TARGET;
		row.note = "with the machine's counters";
	}
	table_row(&row);
	child_free(&child);
}

void measure_pairs(const char *only)
{
	table_heading(
		"What a begin/end pair takes, beside the bare reads of the same run",
		true);
	for (size_t i = 0; i < N_SUBJECTS; i++)
		if (!only || strstr(subjects[i].name, only))
			measure_one(&subjects[i]);
}
