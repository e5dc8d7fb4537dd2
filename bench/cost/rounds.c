/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Times begin/end pairs, with blocks of bare reads between them, on one thread or several at once.
 */
#include "rounds.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bare.h"
#include "bench/common/report.h"
#include "busy.h"
#include "overhead.h"
#include "pmu.h"

#define BLOCK_NS 100000 /* so short that most blocks pass without an interrupt */

/* --- in the child --- */

enum block { BARE, ONE, PAIRS, N_BLOCKS };

/*
 * Reads of counters by a thread of its own, on the same processor: there are few counters, and the
 * pinned groups of two threads that take turns have all of them each.
 */
struct deputy {
	pthread_t id;
	pthread_barrier_t turn; /* of two */
	int cpu;
	size_t n_pairs; /* to read next; 0: it is over */
	double ns;
};

struct timed_thread {
	pthread_t id;
	struct loop loop;
	struct deputy deputy;
	double ns[N_BLOCKS][MAX_ROUNDS]; /* per pair */
	double to_bare[MAX_ROUNDS], to_one[MAX_ROUNDS];
	char why[200]; /* it cannot be measured */
};

static struct measurement {
	struct work work;
	const struct bare *bare;
	loop_fn *pairs;
	bool by_deputy;
	size_t n_pairs; /* in a block */
	pthread_barrier_t barrier;
	struct timed_thread *thread;
} measured;

static int refuse(struct timed_thread *self, const char *why)
{
	snprintf(self->why, sizeof(self->why), "%s", why);
	return -1;
}

static double time_loop(struct loop *loop, loop_fn *fn, size_t n_pairs)
{
	double start = now_ns();

	fn(loop, n_pairs);
	return now_ns() - start;
}

/* --- a deputy --- */

static void *stand_in(void *arg)
{
	struct timed_thread *self = arg;
	struct deputy *deputy = &self->deputy;
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET((size_t)deputy->cpu, &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
	measured.bare->open(&self->loop, self->why, sizeof(self->why));
	pthread_barrier_wait(&deputy->turn);
	while (!self->why[0]) {
		pthread_barrier_wait(&deputy->turn);
		if (!deputy->n_pairs)
			break;
		/* the caches are the other's */
		self->loop.bare(&self->loop, deputy->n_pairs / 8 + 1);
		deputy->ns = time_loop(&self->loop, self->loop.bare, deputy->n_pairs);
		pthread_barrier_wait(&deputy->turn);
	}
	return NULL;
}

static int appoint(struct timed_thread *self)
{
	struct deputy *deputy = &self->deputy;

	deputy->cpu = sched_getcpu();
	if (deputy->cpu < 0 || pthread_barrier_init(&deputy->turn, NULL, 2) ||
	    pthread_create(&deputy->id, NULL, stand_in, self))
		return refuse(self, "cannot start a thread for the bare reads");
	pthread_barrier_wait(&deputy->turn); /* it has its group */
	if (!self->why[0])
		return 0;
	pthread_join(deputy->id, NULL);
	return -1;
}

static void dismiss(struct timed_thread *self)
{
	self->deputy.n_pairs = 0;
	pthread_barrier_wait(&self->deputy.turn);
	pthread_join(self->deputy.id, NULL);
}

static double time_bare(struct timed_thread *self, size_t n_pairs)
{
	if (!measured.by_deputy)
		return time_loop(&self->loop, self->loop.bare, n_pairs);
	self->deputy.n_pairs = n_pairs;
	pthread_barrier_wait(&self->deputy.turn); /* it begins */
	pthread_barrier_wait(&self->deputy.turn); /* it is done */
	loop_one(&self->loop, 8);                 /* the caches were the other's */
	return self->deputy.ns;
}

/* --- before the rounds --- */

static int prepare_names(struct loop *loop)
{
	const struct work *work = &measured.work;
	int rc;

	if (!strcmp(work->names, "none"))
		return 0;
	if (!strcmp(work->names, "literals"))
		return loop_literals(loop, (size_t)work->n_names);
	rc = loop_names(loop, (size_t)work->n_names, 0);
	return !rc && !strcmp(work->names, "drawn") ? loop_draw(loop) : rc;
}

/* Why this source does not count: the first reason that the report has. */
static int explain_missing(struct timed_thread *self)
{
	json_t *report;

	if (report_now(&report) == 0) {
		const json_t *refused = json_array_get(json_object_get(report, "refused"), 0);

		report_text(self->why, sizeof(self->why), json_object_get(refused, "why"));
		if (!self->why[0])
			report_text(self->why, sizeof(self->why),
				    json_array_get(json_object_get(report, "notes"), 0));
		json_decref(report);
	}
	return self->why[0] ? -1
			    : refuse(self, "counts are missing, and the report does not say why");
}

/* A source that cannot count is no error to a program: its counts are missing. */
static int check_counts(struct timed_thread *self)
{
	struct pmu_region_counts counts = { .size = sizeof(counts) };
	int n = bare_events();

	loop_one(&self->loop, 1);
	if (n > 0 && (pmu_region_read("one region", PMU_THREAD_SELF, &counts) < 0 ||
		      (int)counts.n_counts < n || counts.missing))
		return explain_missing(self);
	return 0;
}

static int prepare(struct timed_thread *self)
{
	if (prepare_names(&self->loop) < 0)
		return refuse(self, "no memory");
	if (pmu_thread_attach() < 0)
		return refuse(self, pmu_last_error());
	if (check_counts(self) < 0)
		return -1;
	return measured.by_deputy ? appoint(self)
				  : measured.bare->open(&self->loop, self->why, sizeof(self->why));
}

/* As many pairs as take a block's time in bare reads; all names equally often. */
static size_t block_size(struct timed_thread *self)
{
	size_t n = 64, unit = self->loop.n_names ? self->loop.n_names : 1;
	/* several threads do not wake at once: their blocks are to overlap all the same */
	double ns = measured.work.n_threads > 2 ? BLOCK_NS / 2.0 * measured.work.n_threads
						: BLOCK_NS;

	while (time_bare(self, n) <= ns && n < (1u << 22))
		n *= 2;
	return (n + unit - 1) / unit * unit;
}

/* --- the rounds --- */

static double time_block(struct timed_thread *self, enum block block)
{
	double ns;

	pthread_barrier_wait(&measured.barrier);
	if (block == BARE)
		ns = time_bare(self, measured.n_pairs);
	else
		ns = time_loop(&self->loop, block == ONE ? loop_one : measured.pairs,
			       measured.n_pairs);
	return ns / (double)measured.n_pairs;
}

static void run_rounds(struct timed_thread *self)
{
	const struct work *work = &measured.work;

	for (int round = -1; round < work->n_rounds; round++) {
		double ns[N_BLOCKS] = { 0 };

		for (int i = 0; i < N_BLOCKS; i++)
			if (i != ONE || work->beside_one)
				ns[i] = time_block(self, (enum block)i);
		if (round < 0) /* everything is met for the first time */
			continue;
		for (int i = 0; i < N_BLOCKS; i++)
			self->ns[i][round] = ns[i];
		self->to_bare[round] = ns[PAIRS] / ns[BARE];
		self->to_one[round] = work->beside_one ? ns[PAIRS] / ns[ONE] : -1;
	}
	for (int i = 0; i < N_BLOCKS; i++)
		sort_numbers(self->ns[i], (size_t)work->n_rounds);
	sort_numbers(self->to_bare, (size_t)work->n_rounds);
	sort_numbers(self->to_one, (size_t)work->n_rounds);
}

static bool all_ready(void)
{
	for (int i = 0; i < measured.work.n_threads; i++)
		if (measured.thread[i].why[0])
			return false;
	return true;
}

static void *timed(void *arg)
{
	struct timed_thread *self = arg;
	bool ready;

	busy_pin((int)(self - measured.thread));
	ready = prepare(self) == 0;

	if (ready && self == measured.thread)
		measured.n_pairs = block_size(self);
	pthread_barrier_wait(&measured.barrier); /* n_pairs is known, and which threads are ready */
	if (all_ready())
		run_rounds(self);
	if (ready && measured.by_deputy)
		dismiss(self);
	return NULL;
}

/* --- the result --- */

/* The worst of the threads stands for all. */
static int print_worst(void)
{
	const struct timed_thread *worst = &measured.thread[0];
	int last = measured.work.n_rounds - 1, middle = last / 2;
	char how[200] = "";
	json_t *report;

	for (int i = 0; i < measured.work.n_threads; i++) {
		const struct timed_thread *thread = &measured.thread[i];

		if (thread->why[0]) {
			fprintf(stderr, "%s\n", thread->why);
			return 1;
		}
		if (thread->to_bare[middle] > worst->to_bare[middle])
			worst = thread;
	}
	if (report_now(&report) == 0) {
		report_text(how, sizeof(how),
			    json_object_get(json_object_get(report, "source"), "detail"));
		json_decref(report);
	}
	printf("%.4f %.4f %.4f %.4f %.4f %.4f %d %s\n", worst->ns[PAIRS][middle],
	       worst->ns[PAIRS][0], worst->ns[PAIRS][last], worst->ns[BARE][middle],
	       worst->to_bare[middle], worst->to_one[middle], pmu_count_name(0) != NULL, how);
	return 0;
}

/* The words that work_measure() makes. */
static int parse(char **word, struct work *work)
{
	int *const number[] = { &work->n_names, &work->n_threads, &work->n_rounds,
				&work->beside_one };
	const char **const text[] = { &work->loop, &work->bare, &work->names, &work->busy };

	for (size_t i = 0; i < 4; i++, word++) {
		if (!*word)
			return -1;
		*text[i] = *word;
	}
	for (size_t i = 0; i < 4; i++, word++) {
		if (!*word)
			return -1;
		*number[i] = atoi(*word);
	}
	return work->n_threads < 1 || work->n_rounds < 1 || work->n_rounds > MAX_ROUNDS ? -1 : 0;
}

int child_pairs(char **argument)
{
	struct work *work = &measured.work;
	int started = 1;

	if (parse(argument, work) < 0 || !(measured.pairs = loop_find(work->loop)) ||
	    !(measured.bare = bare_find(work->bare)) || !busy_known(work->busy))
		return 2;
	busy_pin(0);
	if (strcmp(work->busy, "none") != 0 && !busy_start(work->busy)) {
		fprintf(stderr, "there is no other processor\n");
		return 1;
	}
	measured.by_deputy = !strcmp(work->bare, "group") && bare_needs_counters();
	measured.thread = calloc((size_t)work->n_threads, sizeof(*measured.thread));
	if (!measured.thread ||
	    pthread_barrier_init(&measured.barrier, NULL, (unsigned int)work->n_threads))
		return 1;
	for (; started < work->n_threads; started++)
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

/* --- in the parent --- */

static int read_numbers(const char *said, struct row *row, struct work_notes *notes)
{
	int counts, at = 0;

	if (sscanf(said, "%lf %lf %lf %lf %lf %lf %d %n", &row->value, &row->min, &row->max,
		   &row->bare, &row->ratio_bare, &row->ratio_one, &counts, &at) != 7) {
		row->value = -1;
		snprintf(notes->why, sizeof(notes->why), "its numbers are unreadable");
		return -1;
	}
	notes->counts = counts;
	snprintf(notes->how, sizeof(notes->how), "%.*s", (int)strcspn(said + at, "\n"), said + at);
	return 0;
}

int work_measure(const struct work *work, const char *const *settings, struct row *row,
		 struct work_notes *notes)
{
	const int number[] = { work->n_names, work->n_threads, work->n_rounds, work->beside_one };
	struct child child = { .settings = settings,
			       .argument = { "pairs", work->loop, work->bare, work->names,
					     work->busy ? work->busy : "none" } };
	char word[4][12];
	int rc;

	for (int i = 0; i < 4; i++) {
		snprintf(word[i], sizeof(word[i]), "%d", number[i]);
		child.argument[5 + i] = word[i];
	}
	*notes = (struct work_notes){ .counts = false };
	row->threads = work->n_threads;
	rc = child_run(&child);
	if (rc < 0)
		snprintf(notes->why, sizeof(notes->why), "%s", child.why);
	else
		rc = read_numbers(child.out, row, notes);
	if (rc < 0)
		row->note = notes->why;
	child_free(&child);
	return rc;
}

/* --- several processes --- */

#define PROCESSES 5

/*
 * Two kinds of processes: a gap that nothing else of the spread comes near.  How many are below; 0.
 */
static int split(const struct row *of)
{
	double widest = 0, second = 0;
	int at = 0;

	for (int i = 1; i < PROCESSES; i++) {
		double gap = of[i].ratio_bare - of[i - 1].ratio_bare;

		if (gap > widest) {
			second = widest;
			widest = gap;
			at = i;
		} else if (gap > second) {
			second = gap;
		}
	}
	return widest > 3 * second && widest > 0.1 * of[0].ratio_bare ? at : 0;
}

static int by_ratio(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	return (x->ratio_bare > y->ratio_bare) - (x->ratio_bare < y->ratio_bare);
}

static void summarize(struct row *of, struct row *row, struct work_notes *notes)
{
	int below;

	qsort(of, PROCESSES, sizeof(*of), by_ratio);
	*row = of[PROCESSES / 2];
	row->low = of[0].ratio_bare;
	row->high = of[PROCESSES - 1].ratio_bare;
	for (int i = 0; i < PROCESSES; i++) {
		row->min = of[i].min < row->min ? of[i].min : row->min;
		row->max = of[i].max > row->max ? of[i].max : row->max;
	}
	below = split(of);
	if (below)
		snprintf(notes->spread, sizeof(notes->spread),
			 "two kinds of processes: %d up to %.2f, %d from %.2f x bare", below,
			 of[below - 1].ratio_bare, PROCESSES - below, of[below].ratio_bare);
}

int work_repeat(const struct work *work, const char *const *settings, struct row *row,
		struct work_notes *notes)
{
	struct row of[PROCESSES];

	for (int i = 0; i < PROCESSES; i++) {
		of[i] = *row;
		if (work_measure(work, settings, &of[i], notes) < 0) {
			*row = of[i];
			return -1;
		}
	}
	summarize(of, row, notes);
	if (notes->spread[0])
		row->note = notes->spread;
	return 0;
}
