/* SPDX-License-Identifier: BSD-3-Clause */
/* What the calls of one row did: times in ns, counts without the library's own. */
#define PMU_STORE_READER 1
#include <math.h>

#include "store/read/convert.h"

/* Rates of real clocks; others come from damage. */
#define HZ_LEAST 1e5
#define HZ_MOST  1e11

static uint64_t mul(uint64_t a, uint64_t b)
{
	uint64_t product;

	return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

double pmu_convert_set_rate(struct pmu_convert *convert, enum pmu_clock_kind clock,
			    const struct pmu_clock_point *first, const struct pmu_clock_point *last)
{
	double hz = pmu_clock_hz(clock, first, last);

	if (clock == PMU_CLOCK_MONOTONIC)
		hz = 1e9;
	else if (!(hz >= HZ_LEAST && hz <= HZ_MOST))
		hz = 0;
	convert->ns_per_tick = clock == PMU_CLOCK_MONOTONIC ? 1.0 : hz ? 1e9 / hz : 0;
	return hz;
}

uint64_t pmu_convert_ns(const struct pmu_convert *convert, uint64_t ticks)
{
	double ns;

	if (convert->ns_per_tick == 1.0)
		return ticks < UINT64_MAX / 4 ? ticks : UINT64_MAX / 4;
	ns = (double)ticks * convert->ns_per_tick;
	return ns < (double)(UINT64_MAX / 4) ? (uint64_t)(ns + 0.5) : UINT64_MAX / 4;
}

void pmu_convert_nest(struct pmu_nested *around, const struct pmu_nested *in, uint64_t pairs,
		      const uint32_t *outer, uint32_t n_slots)
{
	for (uint32_t i = 0; i < 1 + n_slots; i++)
		around->cost[i] = pmu_add_capped(around->cost[i],
						 pmu_add_capped(in->cost[i], mul(pairs, outer[i])));
}

/* What is left of @value without the library's @cost; says where that was more than there
 * is. */
static uint64_t without_cost(uint64_t value, uint64_t cost, bool *too_much)
{
	if (cost <= value)
		return value - cost;
	*too_much = true;
	return 0;
}

/* Of a region that is open it may be more than the time, which has the calls that have ended alone. */
static void convert_waits(const struct pmu_store_thread *record, const struct pmu_raw_row *from,
			  struct pmu_model_row *to)
{
	uint64_t off = from->off_ns < to->time_ns ? from->off_ns : to->time_ns;
	uint64_t queued = from->queued_ns < off ? from->queued_ns : off;

	if (record->flags & PMU_THREAD_WHOLE && record->cpu_ns > 0) {
		to->cpu_ns = (uint64_t)record->cpu_ns < to->time_ns ? (uint64_t)record->cpu_ns
								    : to->time_ns;
		return;
	}
	if (!(record->flags & PMU_THREAD_WAITS))
		return;
	to->cpu_ns = to->time_ns - off;
	if (!(record->flags & PMU_THREAD_QUEUES))
		return;
	to->blocked_ns = off - queued;
	to->queued_ns = queued;
}

void pmu_convert_times(const struct pmu_convert *convert, const struct pmu_store_thread *record,
		       const struct pmu_raw_row *from, const struct pmu_nested *in,
		       struct pmu_model_row *to)
{
	uint64_t nested = from->flags & PMU_STORE_ROW_AFRESH ? 0 : in->cost[0];
	uint64_t cost = pmu_add_capped(mul(from->calls, record->inner_ticks), nested);
	double mean, variance;

	/*
	 * Time is what the clock says, with all that was done in it: what a pair takes depends on
	 * what is around it, and to take off what it took once would be a guess.  How much that
	 * would be is known.
	 */
	to->time_ns = pmu_convert_ns(convert, from->ticks);
	to->cost_ns = pmu_convert_ns(convert, cost < from->ticks ? cost : from->ticks);
	convert_waits(record, from, to);
	to->sd_ns = NAN;
	if (!from->calls) {
		if (to->calls) /* one that was cut */
			to->min_ns = to->max_ns = to->time_ns;
		return;
	}
	/* min stays 0 in a row where all calls were recursive ones */
	if (from->min && from->min - 1 <= from->max) {
		to->min_ns = pmu_convert_ns(convert, from->min - 1);
		to->max_ns = pmu_convert_ns(convert, from->max);
	}
	mean = (double)from->ticks / (double)from->calls;
	variance = from->square / (double)from->calls - mean * mean;
	if (from->flags & (PMU_STORE_ROW_RECURSIVE | PMU_STORE_ROW_PARTIAL) ||
	    !isfinite(variance) || from->square < 0)
		return;
	to->sd_ns = variance > 0 ? sqrt(variance) * convert->ns_per_tick : 0;
	if (!convert->ns_per_tick)
		to->sd_ns = NAN;
}

void pmu_convert_counts(const struct pmu_group_copy *group, const struct pmu_store_thread *record,
			const struct pmu_raw_row *from, const struct pmu_nested *in,
			struct pmu_model_row *to, bool *too_much)
{
	uint32_t all = group->n_slots ? UINT32_MAX >> (32 - group->n_slots) : 0, i;

	to->missing = group->absent | record->missing | from->missing;
	to->missing = (from->torn ? all : to->missing) & all;
	for (i = 0; i < group->n_slots; i++) {
		if (to->missing & 1u << i || !pmu_convert_has_totals(from))
			continue;
		to->raw[i] = from->count[i];
		to->net[i] = without_cost(
			from->count[i],
			pmu_add_capped(mul(pmu_convert_calls(from), record->inner[i]),
				       in->cost[1 + i]),
			too_much);
		to->cost[i] = to->raw[i] - to->net[i];
	}
}
