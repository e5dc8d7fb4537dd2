/* SPDX-License-Identifier: BSD-3-Clause */
/* Counters by hand: one group of descriptors for the thread, or one a CPU. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "counters/perf/group.h"
#include "counters/perf/hybrid.h"
#include "counters/perf/perf.h"

struct part {
	struct pmu_perf_group group;
	struct pmu_perf_reader reader;
};

struct by_hand {
	const struct pmu_plan *plan;
	struct pmu_perf_parts kinds; /* of a thread on a hybrid, in place of a part */
	bool kinds_lost;
	unsigned int n_parts;
	struct part part[];
};

static void close_hand_parts(struct by_hand *self, unsigned int n)
{
	pmu_perf_parts_close(&self->kinds);
	while (n)
		pmu_perf_group_close(&self->part[--n].group);
}

/* The plan as the CPU counts it. */
static const struct pmu_plan *plan_on(const struct pmu_perf_hybrid *hybrid, int cpu,
				      const struct pmu_plan *plan, struct pmu_plan *room)
{
	int kind = pmu_perf_hybrid_kind(hybrid, cpu);

	if (kind < 0)
		return plan;
	pmu_perf_hybrid_plan(hybrid, (unsigned int)kind, true, plan, room);
	return room;
}

static int open_hand_part(struct by_hand *self, unsigned int i,
			  const struct pmu_perf_hybrid *hybrid, const struct pmu_fd_limit *limit)
{
	bool by_cpu = self->plan->scope == PMU_COUNT_CPU;
	struct pmu_perf_where where = { .pid = by_cpu ? -1 : 0,
					.cpu = by_cpu ? self->plan->cpu[i] : -1,
					.limit = limit };
	struct part *part = &self->part[i];
	struct pmu_plan room;
	unsigned int failed;
	int rc = pmu_perf_group_open(&part->group, plan_on(hybrid, where.cpu, self->plan, &room),
				     &where, &failed);

	if (rc && by_cpu)
		return pmu_fail(rc, "cannot count on CPU %d: %s", where.cpu, strerror(-rc));
	if (rc)
		return pmu_fail(rc, "cannot open the counters: %s", strerror(-rc));
	pmu_perf_reader_init(&part->reader, &part->group, self->plan);
	return 0;
}

static int open_kinds(struct by_hand *self, const struct pmu_perf_hybrid *hybrid,
		      const struct pmu_fd_limit *limit)
{
	struct pmu_perf_where where = { .pid = 0, .cpu = -1, .limit = limit };
	int rc = pmu_perf_parts_open(&self->kinds, hybrid, self->plan, &where);

	self->n_parts = 0;
	return rc ? pmu_fail(rc, "cannot open the counters: %s", strerror(-rc)) : 0;
}

static int open_parts(struct by_hand *self)
{
	struct pmu_perf_hybrid hybrid;
	struct pmu_fd_limit limit;
	int rc = 0;

	pmu_perf_hybrid_of_plan(self->plan, &hybrid);
	pmu_fd_begin(&limit);
	if (hybrid.n && self->plan->scope != PMU_COUNT_CPU)
		rc = open_kinds(self, &hybrid, &limit);
	for (unsigned int i = 0; i < self->n_parts && !rc; i++) {
		rc = open_hand_part(self, i, &hybrid, &limit);
		if (rc)
			close_hand_parts(self, i);
	}
	pmu_fd_end();
	return rc;
}

static int by_hand_open(void **counters, const struct pmu_plan *plan)
{
	unsigned int n_parts = plan->scope == PMU_COUNT_CPU ? plan->n_cpus : 1;
	struct by_hand *self = calloc(1, sizeof(*self) + n_parts * sizeof(self->part[0]));
	int rc;

	if (!self)
		return pmu_fail(ENOMEM, "no memory for the counters of %u CPUs", n_parts);
	self->plan = plan;
	self->n_parts = n_parts;
	rc = open_parts(self);
	if (rc)
		free(self);
	else
		*counters = self;
	return rc;
}

static void by_hand_close(void *counters)
{
	struct by_hand *self = counters;

	close_hand_parts(self, self->n_parts);
	free(self);
}

static int each_part(struct by_hand *self, int (*act)(const struct pmu_perf_group *group))
{
	int rc = 0;

	for (unsigned int i = 0; i < self->n_parts + self->kinds.n; i++) {
		int error = act(i < self->n_parts ? &self->part[i].group
						  : &self->kinds.group[i - self->n_parts]);

		rc = rc ? rc : error;
	}
	return rc;
}

static int by_hand_start(void *counters)
{
	return each_part(counters, pmu_perf_group_enable);
}

static int by_hand_stop(void *counters)
{
	return each_part(counters, pmu_perf_group_disable);
}

static int by_hand_reset(void *counters)
{
	return each_part(counters, pmu_perf_group_reset);
}

static uint32_t read_kinds(struct by_hand *self, uint64_t *value)
{
	uint32_t all = pmu_plan_mask(self->plan), core_types;

	self->kinds_lost = self->kinds_lost ||
			   pmu_perf_parts_read(&self->kinds, value, &core_types);
	return self->kinds_lost ? all : all & ~pmu_perf_parts_slots(&self->kinds);
}

/* A sum that lacks one CPU is no sum. */
static uint32_t by_hand_read(void *counters, uint64_t *sum)
{
	uint64_t value[PMU_MAX_SLOTS] = { 0 };
	struct by_hand *self = counters;
	uint32_t missing = 0;

	memset(sum, 0, PMU_MAX_SLOTS * sizeof(*sum));
	if (self->kinds.n)
		return read_kinds(self, sum);
	for (unsigned int i = 0; i < self->n_parts; i++) {
		missing |= pmu_perf_reader_read(&self->part[i].reader, value);
		for (unsigned int slot = 0; slot < self->plan->n_slots; slot++)
			sum[slot] += value[slot];
	}
	return missing;
}

const struct pmu_by_hand pmu_perf_by_hand = {
	.open = by_hand_open,
	.close = by_hand_close,
	.start = by_hand_start,
	.stop = by_hand_stop,
	.reset = by_hand_reset,
	.read = by_hand_read,
};
