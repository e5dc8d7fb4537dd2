/* SPDX-License-Identifier: BSD-3-Clause */
/* One kernel on all threads: each has a share of the data, and all work at the same time. */
#include "bench/suite/suite.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/common/numbers.h"
#include "pmu.h"

/* at least, of a region: what its two ends cost is one in thousands of it */
#define CALL_NS        200000
#define MAX_CALLS      4096
#define MIN_CALLS      3
#define EMULATED_BYTES (256 << 10)

struct team {
	const struct kernel *kernel;
	const struct options *options;
	char region[64];
	size_t bytes;           /* of all threads: asked for, or the least that there can be */
	uint64_t passes, calls; /* of each thread */
	bool bare, failed;
	void *common;
	pthread_barrier_t barrier;
	struct worker *worker;
	int n_threads, n_processors;
};

struct worker {
	struct team *team;
	struct share share;
	struct model model;
	double *ns, *bare_ns; /* of each call */
	double start, end;    /* of all calls */
	double counted[N_WHAT];
	const char *wrong;
	pthread_t id;
};

static void wait_for_all(struct team *team)
{
	pthread_barrier_wait(&team->barrier);
}

/* --- on each thread --- */

static void run_passes(struct worker *self)
{
	for (uint64_t i = 0; i < self->team->passes; i++)
		self->team->kernel->pass(&self->share);
}

static double timed_call(struct worker *self)
{
	double start = now_ns();

	pmu_region_begin(self->team->region);
	run_passes(self);
	pmu_region_end(self->team->region);
	return now_ns() - start;
}

static double timed_bare(struct worker *self)
{
	double start = now_ns();

	run_passes(self);
	return now_ns() - start;
}

/*
 * How many passes a region is of, and how many regions fill the time.  One thread decides for all;
 * the others do the same meanwhile, so that it sees memory as busy as it will be.
 */
static uint64_t settle_calls(struct worker *self)
{
	struct team *team = self->team;
	const struct options *options = team->options;
	double ns = 0, best = INFINITY;
	uint64_t done = 0;

	if (options->calls) {
		run_passes(self);
		return 1;
	}
	for (int i = 0; i < 3 || (ns < CALL_NS / 2 && i < 16); i++) {
		double start = now_ns();

		for (uint64_t k = 0; k < UINT64_C(1) << i; k++, done++)
			team->kernel->pass(&self->share);
		ns = now_ns() - start;
		if (i > 0) /* the first finds nothing in a cache */
			best = fmin(best, ns / (double)(UINT64_C(1) << i));
	}
	wait_for_all(team);
	if (self == &team->worker[0]) {
		/* threads that take turns on a processor share its time */
		double room = options->seconds * 1e9 *
			      fmin(1, (double)team->n_processors / team->n_threads);

		team->passes = (uint64_t)fmax(1, ceil(fmax(CALL_NS, room / MAX_CALLS) / best));
		team->calls = (uint64_t)fmin(MAX_CALLS,
					     fmax(MIN_CALLS, room / (best * (double)team->passes)));
	}
	return done;
}

/* A share may be smaller than what a kernel takes at least. */
static void settle_size(struct team *team)
{
	size_t used = 0;

	for (int i = 0; i < team->n_threads; i++)
		used += team->worker[i].share.used;
	if (used > team->bytes)
		team->bytes = used;
	snprintf(team->region, sizeof(team->region), "%s %s", team->kernel->name,
		 size_text(team->bytes));
}

static void measure(struct worker *self)
{
	struct team *team = self->team;
	uint64_t done = settle_calls(self);

	if (self == &team->worker[0])
		settle_size(team);
	wait_for_all(team); /* passes, calls and the region are known */
	self->ns = calloc(team->calls, sizeof(*self->ns));
	self->bare_ns = calloc(team->calls, sizeof(*self->bare_ns));
	if (!self->ns || !self->bare_ns)
		__atomic_store_n(&team->failed, true, __ATOMIC_RELAXED);
	wait_for_all(team);
	if (__atomic_load_n(&team->failed, __ATOMIC_RELAXED)) {
		self->wrong = "there is no memory for its times";
		return;
	}
	self->start = now_ns();
	for (uint64_t i = 0; i < team->calls; i++) {
		self->ns[i] = timed_call(self);
		if (team->bare)
			self->bare_ns[i] = timed_bare(self);
	}
	self->end = now_ns();
	done += team->passes * team->calls * (team->bare ? 2 : 1);
	counts_take(team->region, self->counted);
	if (!team->kernel->check(&self->share, done))
		self->wrong = "its result is wrong";
}

static void *work(void *arg)
{
	struct worker *self = arg;
	struct team *team = self->team;

	pmu_thread_attach(); /* pinned before its first touch places the memory */
	if (team->kernel->prepare(&self->share) < 0)
		__atomic_store_n(&team->failed, true, __ATOMIC_RELAXED);
	else
		team->kernel->model(&self->share, &self->model);
	wait_for_all(team);
	if (__atomic_load_n(&team->failed, __ATOMIC_RELAXED))
		self->wrong = "there is no memory for it";
	else
		measure(self);
	return NULL;
}

/* --- what they found --- */

static double median(double *number, size_t n)
{
	sort_numbers(number, n);
	return n % 2 ? number[n / 2] : (number[n / 2 - 1] + number[n / 2]) / 2;
}

/*
 * Lines that come from memory: all of them where the data is much larger than the cache, none where
 * it fits.
 */
double lines_expected(const struct model *model, double bytes, double cache)
{
	if (cache <= 0)
		return NAN;
	if (bytes <= cache / 2)
		return 0;
	if (model->at_random && bytes > cache)
		return model->lines * (1 - cache / bytes);
	return bytes >= 2 * cache ? model->lines : NAN;
}

/* As many caches as there are threads to fill them, wherever these run. */
static double cache_of(const struct team *team, const struct surroundings *where)
{
	int n = where->n_caches < team->n_threads ? where->n_caches : team->n_threads;

	return (double)(team->options->cache ? team->options->cache : where->cache * (size_t)n);
}

static void take_counts(const struct team *team, double cache, struct result *result)
{
	double n = (double)(team->passes * team->calls), iterations = 0;

	for (int i = 0; i < team->n_threads; i++) {
		const struct worker *worker = &team->worker[i];
		const struct model *model = &worker->model;
		const double expected[N_WHAT] = { [INSTRUCTIONS] = model->instructions,
						  [BRANCHES] = model->branches,
						  [MISPREDICTED] = model->mispredicted,
						  [LINES] = lines_expected(
							  model, (double)team->bytes, cache) };

		iterations += model->iterations;
		for (enum what what = 0; what < N_WHAT; what++) {
			result->counted[what] += worker->counted[what];
			result->model[what] += expected[what];
		}
	}
	for (enum what what = 0; what < N_WHAT; what++) {
		result->counted[what] /= iterations * n;
		result->model[what] /= iterations;
	}
	result->iterations = iterations / team->n_threads;
}

static double sum(const double *number, uint64_t n)
{
	double all = 0;

	for (uint64_t i = 0; i < n; i++)
		all += number[i];
	return all;
}

/*
 * The rate is that of all together, from the first one's start to the last one's end: threads that
 * wait for a processor do no work.  The time of an iteration is the median of the calls, averaged
 * over the threads.
 */
static void take_times(struct team *team, struct result *result)
{
	double ratio = 0, work = 0, with = 0, both = 0, start = INFINITY, end = 0;

	result->ns_min = INFINITY;
	for (int i = 0; i < team->n_threads; i++) {
		struct worker *worker = &team->worker[i];
		double passes = (double)team->passes, per_call = passes * worker->model.iterations,
		       middle;

		start = fmin(start, worker->start);
		end = fmax(end, worker->end);
		work += passes * (double)team->calls * worker->model.work;
		with += sum(worker->ns, team->calls);
		both += sum(worker->ns, team->calls) + sum(worker->bare_ns, team->calls);
		for (uint64_t k = 0; k < team->calls; k++)
			worker->bare_ns[k] /= worker->ns[k];
		ratio += median(worker->bare_ns, team->calls);
		middle = median(worker->ns, team->calls);
		result->ns += middle / per_call / team->n_threads;
		result->ns_min = fmin(result->ns_min, worker->ns[0] / per_call);
		result->ns_max = fmax(result->ns_max, worker->ns[team->calls - 1] / per_call);
	}
	/* without the share of the bare loops */
	result->rate = work / ((end - start) * with / both) * 1e9;
	if (team->bare)
		result->of_bare = ratio / team->n_threads;
}

static int start_all(struct team *team)
{
	int n = 0;

	if (pthread_barrier_init(&team->barrier, NULL, (unsigned int)team->n_threads))
		return -1;
	for (; n < team->n_threads; n++) {
		struct worker *worker = &team->worker[n];

		*worker = (struct worker){ .team = team,
					   .share = { .thread = n,
						      .n_threads = team->n_threads,
						      .bytes = team->bytes /
							       (size_t)team->n_threads,
						      .common = team->common } };
		if (pthread_create(&worker->id, NULL, work, worker)) {
			/* those that are there wait for one that will not come */
			fprintf(stderr, "pmu-bench: cannot start thread %d of %d\n", n + 1,
				team->n_threads);
			exit(1);
		}
	}
	for (int i = 0; i < n; i++)
		pthread_join(team->worker[i].id, NULL);
	pthread_barrier_destroy(&team->barrier);
	return 0;
}

static void forget_all(struct team *team)
{
	for (int i = 0; team->worker && i < team->n_threads; i++) {
		free(team->worker[i].share.memory);
		free(team->worker[i].ns);
		free(team->worker[i].bare_ns);
	}
	free(team->worker);
	free(team->common);
}

static void run_all(struct team *team, const struct surroundings *where, struct result *result)
{
	if (!team->worker || (team->kernel->common && !team->common) || start_all(team) < 0) {
		result->wrong = "there is no memory for it";
		return;
	}
	for (int i = 0; i < team->n_threads; i++)
		if (team->worker[i].wrong)
			result->wrong = team->worker[i].wrong;
	if (result->wrong && team->failed)
		return;
	result->bytes = team->bytes;
	result->passes = team->passes;
	result->calls = team->calls;
	take_counts(team, cache_of(team, where), result);
	take_times(team, result);
	if (where->simulated)
		result->rate = result->ns = result->ns_min = result->ns_max = result->of_bare = NAN;
}

void team_run(const struct options *options, const struct surroundings *where,
	      const struct kernel *kernel, size_t bytes, struct result *result)
{
	struct team team = { .kernel = kernel,
			     .options = options,
			     .passes = 1,
			     .calls = options->calls,
			     .bare = options->bare,
			     .n_threads = options->n_threads,
			     .n_processors = where->processors };

	if (bytes == 0)
		bytes = where->simulated && kernel->bytes > EMULATED_BYTES ? EMULATED_BYTES
									   : kernel->bytes;
	team.bytes = bytes;
	*result = (struct result){ .kernel = kernel, .bytes = bytes, .of_bare = NAN };
	team.worker = calloc((size_t)team.n_threads, sizeof(*team.worker));
	if (kernel->common)
		team.common = kernel->common(bytes, team.n_threads);
	run_all(&team, where, result);
	forget_all(&team);
}
