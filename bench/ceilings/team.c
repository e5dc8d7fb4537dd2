/* SPDX-License-Identifier: BSD-3-Clause */
/* A loop on one thread or on one of each processor, again and again: medians of what it reaches. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "bench/ceilings/ceilings.h"
#include "bench/common/numbers.h"

#define BITE_TURNS  (64 << 10)  /* of arithmetic: some 100 us */
#define BITE_BYTES  (256 << 10) /* of an array */
#define APART       1088        /* bytes between arrays: never at the same place of a page */
#define SETTLE_NS   10000000    /* until a processor is as fast as it will be */
#define SPINS       20000       /* some 20 us, until others may have the processor */
#define UNDISTURBED 0.98        /* of a run, so much at least on its processor */
#define TOGETHER    0.9         /* of the time from the first one's start to the last one's end */
#define LEAST_GOOD  3           /* such runs, or all are taken */
#define HUGE_PAGE   ((size_t)2 << 20)

struct team_work {
	const struct flops_kernel *flops; /* one of these two */
	const struct stream_kernel *stream;
	int n_threads;
	uint64_t bites; /* of a run; the first thread decides */
	bool failed;    /* a thread has no memory */
	/* how many have come to where they meet, and how often all have met */
	unsigned int arrived, met;
	struct member *member;
	/* of the first thread: all runs, and those that nothing disturbed; a second */
	double run[CEILINGS_MAX_RUNS], good[CEILINGS_MAX_RUNS];
	int n_runs, n_good;
	double first; /* when the first run began */
	bool more;
};

struct member {
	struct team_work *team;
	int cpu;
	pthread_t id;
	size_t memory_bytes;
	void *memory;
	struct streams streams;
	size_t at; /* where in the arrays it is */
	bool wrong;
	double moved;                    /* bytes, since they were filled */
	double start, end, worked, work; /* of this run; worked: ns on the processor */
};

/* --- on each thread --- */

static size_t whole(size_t bytes, size_t unit)
{
	return bytes / unit * unit;
}

/* On the thread that will use it, to be near it.  Huge pages, so that translation is no ceiling. */
static int get_memory(struct member *self)
{
	size_t arrays = (size_t)self->team->stream->arrays, bytes;
	char *memory;

	if (self->memory_bytes < 3 * STREAM_TURN)
		self->memory_bytes = 3 * STREAM_TURN;
	bytes = whole(self->memory_bytes / arrays, STREAM_TURN);
	self->memory_bytes += 2 * APART + HUGE_PAGE;
	memory = mmap(NULL, self->memory_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		      -1, 0);
	if (memory == MAP_FAILED)
		return -1;
	self->memory = memory;
	madvise(memory, self->memory_bytes, MADV_HUGEPAGE);
	memory += -(uintptr_t)memory % HUGE_PAGE;
	self->streams = (struct streams){ memory, memory, memory, bytes };
	if (arrays > 1)
		self->streams.to = memory + bytes + APART;
	if (arrays > 2)
		self->streams.b = self->streams.to + bytes + APART;
	streams_fill(&self->streams);
	return 0;
}

/* Return: operations, or bytes. */
static double bite(struct member *self)
{
	const struct flops_kernel *flops = self->team->flops;
	const struct stream_kernel *stream = self->team->stream;
	size_t length, times;

	if (flops) {
		self->wrong |= !flops_right(flops, BITE_TURNS, flops->run(BITE_TURNS));
		return BITE_TURNS * flops_of_turn(flops);
	}
	length = self->streams.bytes - self->at;
	if (length > BITE_BYTES)
		length = BITE_BYTES;
	times = self->streams.bytes < BITE_BYTES ? BITE_BYTES / self->streams.bytes : 1;
	stream->run(&self->streams, self->at, length, times);
	self->at = (self->at + length) % self->streams.bytes;
	self->moved += (double)length;
	return (double)(length * times) * stream->arrays;
}

/* They start at the same time: a system call to wake them would be a part of the run. */
static void meet(struct team_work *team)
{
	unsigned int met = __atomic_load_n(&team->met, __ATOMIC_RELAXED), arrived;

	arrived = __atomic_add_fetch(&team->arrived, 1, __ATOMIC_ACQ_REL);
	if (arrived == (unsigned int)team->n_threads) {
		__atomic_store_n(&team->arrived, 0, __ATOMIC_RELAXED);
		__atomic_store_n(&team->met, met + 1, __ATOMIC_RELEASE);
		return;
	}
	for (int i = 0; __atomic_load_n(&team->met, __ATOMIC_ACQUIRE) == met; i++)
		if (i > SPINS)
			sched_yield();
}

/* So many fill a run; meanwhile the processor gets as fast as it will be. */
static void settle(struct member *self)
{
	double start = now_ns(), ns;
	uint64_t n = 0;

	do {
		bite(self);
		n++;
		ns = now_ns() - start;
	} while (ns < SETTLE_NS);
	if (self == self->team->member)
		self->team->bites = (uint64_t)fmax(1, (double)n * CEILINGS_RUN_NS / ns);
}

static double worked_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

static void run(struct member *self)
{
	double worked = worked_ns();

	self->work = 0;
	self->start = now_ns();
	for (uint64_t i = 0; i < self->team->bites; i++)
		self->work += bite(self);
	self->end = now_ns();
	self->worked = worked_ns() - worked;
}

/* Of all together, from the first one's start to the last one's end. */
static void take_run(struct team_work *team)
{
	double start = INFINITY, end = 0, done = 0, rate;
	bool good = true;

	for (int i = 0; i < team->n_threads; i++) {
		start = fmin(start, team->member[i].start);
		end = fmax(end, team->member[i].end);
		done += team->member[i].work;
	}
	/* all the time on its processor, and at the same time as the others */
	for (int i = 0; i < team->n_threads; i++) {
		const struct member *member = &team->member[i];
		double ns = member->end - member->start;

		good = good && member->worked > UNDISTURBED * ns && ns > TOGETHER * (end - start);
	}
	rate = done / (end - start) * 1e9;
	if (!team->n_runs)
		team->first = start;
	team->run[team->n_runs++] = rate;
	if (good)
		team->good[team->n_good++] = rate;
	team->more = team->n_good < CEILINGS_RUNS && team->n_runs < CEILINGS_MAX_RUNS &&
		     end - team->first < CEILINGS_MAX_NS;
}

static void measure(struct member *self)
{
	struct team_work *team = self->team;

	settle(self);
	do {
		meet(team); /* how much a run is of, is known */
		run(self);
		meet(team);
		if (self == team->member)
			take_run(team);
		meet(team);
	} while (team->more);
	if (team->stream) {
		bool all = self->moved >= (double)self->streams.bytes;

		self->wrong |= !streams_right(team->stream, &self->streams, 0,
					      all ? self->streams.bytes : self->at);
	}
}

static void *work(void *arg)
{
	struct member *self = arg;
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((size_t)self->cpu, &set);
	sched_setaffinity(0, sizeof(set), &set); /* without it the scheduler chooses */
	if (self->team->stream && get_memory(self) < 0)
		__atomic_store_n(&self->team->failed, true, __ATOMIC_RELAXED);
	meet(self->team);
	if (!__atomic_load_n(&self->team->failed, __ATOMIC_RELAXED))
		measure(self);
	if (self->memory)
		munmap(self->memory, self->memory_bytes);
	return NULL;
}

/* --- the team --- */

/* Where nothing was left alone, what was reached all the same. */
static void take_rates(struct ceilings *ceilings, struct team_work *team, struct rate *rate)
{
	bool enough = team->n_good >= LEAST_GOOD;
	double *run = enough ? team->good : team->run;
	size_t n = (size_t)(enough ? team->n_good : team->n_runs);

	sort_numbers(run, n);
	*rate = (struct rate){ .median = run[n / 2],
			       .least = run[0],
			       .most = run[n - 1],
			       .disturbed = team->n_good < CEILINGS_RUNS };
	ceilings->n_rates++;
	ceilings->n_disturbed += rate->disturbed;
}

static void start_all(struct team_work *team)
{
	for (int i = 0; i < team->n_threads; i++)
		if (pthread_create(&team->member[i].id, NULL, work, &team->member[i])) {
			/* those that are there wait for one that will not come */
			fprintf(stderr, "pmu-bench: cannot start thread %d of %d\n", i + 1,
				team->n_threads);
			exit(1);
		}
	for (int i = 0; i < team->n_threads; i++)
		pthread_join(team->member[i].id, NULL);
}

static int run_all(struct ceilings *ceilings, struct team_work *team, const char *what,
		   struct rate *rate)
{
	bool wrong = false;

	start_all(team);
	for (int i = 0; i < team->n_threads; i++)
		wrong |= team->member[i].wrong;
	if (!team->failed && !wrong) {
		take_rates(ceilings, team, rate);
		return 0;
	}
	snprintf(ceilings->wrong, sizeof(ceilings->wrong), "%s: %s", what,
		 wrong ? "its result is wrong" : "there is no memory for it");
	return -1;
}

static int run_team(struct ceilings *ceilings, enum team which, struct team_work *team,
		    const size_t *bytes, const char *what, struct rate *rate)
{
	int rc;

	team->n_threads = ceilings->n_threads[which];
	team->member = calloc((size_t)team->n_threads, sizeof(*team->member));
	if (!team->member) {
		snprintf(ceilings->wrong, sizeof(ceilings->wrong), "there is no memory");
		return -1;
	}
	for (int i = 0; i < team->n_threads; i++)
		team->member[i] = (struct member){ .team = team,
						   .cpu = ceilings->cpus[i],
						   .memory_bytes = bytes ? bytes[i] : 0 };
	rc = run_all(ceilings, team, what, rate);
	free(team->member);
	return rc;
}

int team_flops(struct ceilings *ceilings, enum team team, const struct flops_kernel *kernel,
	       struct rate *rate)
{
	struct team_work work_of = { .flops = kernel };
	char what[64];

	snprintf(what, sizeof(what), "%s precision, %d bits", kernel->precision,
		 kernel->vector_bits);
	return run_team(ceilings, team, &work_of, NULL, what, rate);
}

int team_stream(struct ceilings *ceilings, enum team team, const struct stream_kernel *kernel,
		const struct level *level, struct rate *rate)
{
	struct team_work work_of = { .stream = kernel };
	char what[64];

	snprintf(what, sizeof(what), "%s of %s", kernel->kind, level->name);
	return run_team(ceilings, team, &work_of, level->bytes[team], what, rate);
}
