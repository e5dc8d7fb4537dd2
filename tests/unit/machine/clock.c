/* SPDX-License-Identifier: BSD-3-Clause */
/* Clocks and the source that counts only time. */
#include "machine/clock.h"

#include "counters/backend.h"
#include "unit/part.h"

static void chooses_a_clock_that_runs(void)
{
	enum pmu_clock_kind kind = pmu_clock_choose();
	uint64_t before = pmu_clock_ticks(kind);
	uint64_t after;
	long tries = 0;

	ok(kind >= PMU_CLOCK_MONOTONIC && kind <= PMU_CLOCK_CNTVCT, "a kind: %s",
	   pmu_clock_name(kind));
	is_int(pmu_clock_choose(), kind, "the same each time");
	do
		after = pmu_clock_ticks(kind);
	while (after == before && ++tries < 100000000);
	ok(after > before, "time goes on");
}

static void points_lie_between_what_was_read_around_them(void)
{
	static const enum pmu_clock_kind fallback = PMU_CLOCK_MONOTONIC;
	enum pmu_clock_kind kinds[] = { pmu_clock_choose(), fallback };

	for (int i = 0; i < 2; i++) {
		uint64_t ticks = pmu_clock_ticks(kinds[i]), mono = pmu_clock_mono_ns();
		struct pmu_clock_point point = pmu_clock_point_take(kinds[i]);

		ok(point.ticks >= ticks && point.ticks <= pmu_clock_ticks(kinds[i]), "%s: ticks",
		   pmu_clock_name(kinds[i]));
		ok(point.mono_ns >= mono && point.mono_ns <= pmu_clock_mono_ns(), "  monotonic");
	}
}

static void rates_come_from_two_points(void)
{
	struct pmu_clock_point first = { 1000, 5000 }, last = { 1000 + 2700, 5000 + 1000 };

	ok(pmu_clock_hz(PMU_CLOCK_TSC, &first, &last) == 2.7e9, "2700 ticks in 1000 ns");
	ok(pmu_clock_hz(PMU_CLOCK_MONOTONIC, &first, &last) == 1e9, "nanoseconds are 1e9");
	ok(pmu_clock_hz(PMU_CLOCK_TSC, &first, &first) == 0, "one point gives none");
	ok(pmu_clock_hz(PMU_CLOCK_TSC, &last, &first) == 0, "nor do two in the wrong order");
	last.ticks = first.ticks;
	ok(pmu_clock_hz(PMU_CLOCK_CNTVCT, &first, &last) == 0, "nor does a clock that stands");
}

static void a_fallback_is_the_monotonic_clock(void)
{
	struct pmu_clock_point point = pmu_clock_point_take(PMU_CLOCK_MONOTONIC);

	is_u64(point.ticks, point.mono_ns, "ticks are its nanoseconds");
}

static void the_source_takes_any_plan_and_counts_nothing(void)
{
	const struct pmu_backend *clock = pmu_backend_find("clock");
	struct pmu_plan plan = { .n_slots = 3 };
	struct pmu_attachment got;
	struct pmu_probe probe;
	pmu_read_fn *read;
	void *state;
	char text[64];

	ok(clock && !clock->counts, "it is there and does not count");
	is_int(clock->probe(&plan, &probe), 0, "it can be used");
	is_int(clock->open(&state, &plan), 0, "it opens");
	is_int((int)clock->thread_size(&plan), 0, "it keeps nothing");
	is_int(clock->attach(state, NULL, -1, &read, &got), 0, "it attaches");
	ok(!read, "  without anything to read");
	is_int((int)got.missing, 7, "  every slot missing");
	clock->describe(state, text, sizeof(text));
	is_str(text, "time only", "  and says so");
	clock->detach(state, NULL);
	clock->close(state);
}

static void sources_are_listed_best_first(void)
{
	is_str(pmu_backends[0]->name, "perf", "perf");
	is_str(pmu_backends[1]->name, "msr", "msr");
	is_str(pmu_backends[2]->name, "valgrind", "valgrind");
	is_str(pmu_backends[3]->name, "software", "software");
	is_str(pmu_backends[4]->name, "nvml", "nvml");
	is_str(pmu_backends[5]->name, "clock", "clock");
	ok(!pmu_backends[6], "no more");
	ok(!pmu_backend_find("Perf") && !pmu_backend_find(""), "others are not found");
}

UNIT_PART(clock)
{
	chooses_a_clock_that_runs();
	points_lie_between_what_was_read_around_them();
	rates_come_from_two_points();
	a_fallback_is_the_monotonic_clock();
	the_source_takes_any_plan_and_counts_nothing();
	sources_are_listed_best_first();
	return done_testing();
}
