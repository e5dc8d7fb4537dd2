/* SPDX-License-Identifier: BSD-3-Clause */
/* What annotations have open: stacks by domain, ranges by number, and pauses. */
#include <pthread.h>

#include "bindings/annotations/names.h"
#include "bindings/annotations/stack.h"
#include "bindings/annotations/thread.h"
#include "pmu.h"
#include "unit/part.h"

static const char one, other; /* domains */

static const char *named(const char *text)
{
	return annotation_name("test", NULL, NULL, text);
}

static uint64_t calls(const char *name)
{
	struct pmu_region_counts counts = { .size = sizeof(counts) };

	return pmu_region_read(name, PMU_THREAD_SELF, &counts) ? 0 : counts.calls;
}

static void they_nest(void)
{
	is_int(annotation_push(&one, named("a")), 0, "the outermost");
	is_int(annotation_push(&one, named("b")), 1, "one in it");
	is_int(pmu_region_is_open("b"), 1, "is open");
	is_int(annotation_pop(&one), 1, "ends first");
	is_int(pmu_region_is_open("b"), 0, "and is not open");
	is_int(pmu_region_is_open("a"), 1, "while the other one is");
	is_int(annotation_pop(&one), 0, "until it ends");
	is_int(pmu_region_is_open("a"), 0, "too");
	is_int(annotation_pop(&one), -1, "and there is none");
}

static void domains_do_not_nest_in_each_other(void)
{
	annotation_push(&one, named("p"));
	is_int(annotation_push(&other, named("q")), 0, "each counts its own");
	annotation_push(&one, named("r"));
	is_int(annotation_pop(&other), 0, "one from the middle ends");
	is_int(pmu_region_is_open("q"), 0, "by its name");
	is_int(pmu_region_is_open("r"), 1, "and not what is above it");
	is_int(annotation_pop(&one), 1, "which ends");
	is_int(pmu_region_is_open("r"), 0, "by its own");
	is_int(annotation_pop(&one), 0, "and the outermost");
	is_int(pmu_region_is_open("p"), 0, "as well");
}

static void too_deep_is_nothing_and_ends(void)
{
	for (int i = 0; i < ANNOTATION_DEPTH + 100; i++)
		annotation_push(&one, named("deep"));
	for (int i = 0; i < ANNOTATION_DEPTH + 100; i++)
		if (annotation_pop(&one) < 0)
			ok(false, "pop %d", i);
	is_int(annotation_pop(&one), -1, "as often as it was begun");
	is_u64(calls("deep"), ANNOTATION_DEPTH, "those that are known are counted");
}

static void a_pause_keeps_places(void)
{
	annotation_push(&one, named("before"));
	annotation_pause("test");
	is_int(annotation_push(&one, named("meanwhile")), 1, "it has its place");
	is_int(pmu_region_is_open("meanwhile"), 0, "and is no region");
	annotation_resume();
	is_int(annotation_pop(&one), 1, "nor when it ends");
	is_int(annotation_pop(&one), 0, "what was begun before");
	is_u64(calls("before"), 1, "is counted");
	is_u64(calls("meanwhile"), 0, "what was begun meanwhile is not");
	annotation_push(&one, named("meanwhile"));
	annotation_pop(&one);
	is_u64(calls("meanwhile"), 1, "but afterwards");
}

static void ranges_overlap(void)
{
	uint64_t a = annotation_range_start(named("x")), b = annotation_range_start(named("y"));

	ok(a && b && a != b, "two numbers");
	annotation_range_stop(a);
	is_int(pmu_region_is_open("x"), 0, "the first ends first");
	is_int(pmu_region_is_open("y"), 1, "the second goes on");
	annotation_range_stop(a);
	annotation_range_stop(0);
	annotation_range_stop(12345);
	annotation_range_stop(UINT64_MAX);
	is_u64(calls("x"), 1, "numbers of nothing end nothing");
	annotation_range_stop(b);
	is_u64(calls("y"), 1, "and it ends");
	ok(annotation_range_start(NULL) != a, "a number does not come again");
}

static uint64_t number[ANNOTATION_RANGES + 2000];

static void too_many_ranges_are_nothing(void)
{
	size_t n = sizeof(number) / sizeof(number[0]), zero = 0;

	for (size_t i = 0; i < n; i++) {
		number[i] = annotation_range_start(NULL);
		zero += !number[i];
	}
	is_u64(zero, 0, "each has a number");
	for (size_t i = 0; i < n; i++)
		annotation_range_stop(number[i]);
	number[0] = annotation_range_start(named("after"));
	annotation_range_stop(number[0]);
	is_u64(calls("after"), 1, "and there is room again");
}

/* --- many threads --- */

#define THREADS 8
#define TIMES   3000

static uint64_t wrong[THREADS];

static void *work(void *arg)
{
	size_t self = (size_t)(uintptr_t)arg;
	uint64_t open[5];

	for (int i = 0; i < TIMES; i++) {
		for (size_t k = 0; k < 5; k++)
			open[k] = annotation_range_start(named("range"));
		annotation_push(&one, named("pushed"));
		if (i % 100 == 0 && self == 0) {
			annotation_pause("test");
			annotation_resume();
		}
		for (size_t k = 0; k < 5; k++)
			annotation_range_stop(open[(k * 3) % 5]);
		wrong[self] += annotation_pop(&one) != 0;
	}
	wrong[self] += pmu_region_is_open("range") != 0 || pmu_region_is_open("pushed") != 0;
	return NULL;
}

static void threads_have_their_own(void)
{
	pthread_t thread[THREADS];
	uint64_t sum = 0;

	for (size_t i = 0; i < THREADS; i++)
		if (pthread_create(&thread[i], NULL, work, (void *)(uintptr_t)i))
			abort();
	for (size_t i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	for (size_t i = 0; i < THREADS; i++)
		sum += wrong[i];
	is_u64(sum, 0, "each thread ended what it began");
}

static uint64_t handed;

static void *stop_handed(void *arg)
{
	(void)arg;
	annotation_range_stop(handed);
	return NULL;
}

static void another_threads_end_is_a_doubt(void)
{
	pthread_t thread;
	char *text = NULL;

	handed = annotation_range_start(named("handed over"));
	if (pthread_create(&thread, NULL, stop_handed, NULL))
		abort();
	pthread_join(thread, NULL);
	ok(!pmu_report_text("text", &text), "the report");
	has(text, "handed over", "names it");
	free(text);
	is_int(pmu_region_end("handed over"), 0, "it is still open where it was begun");
}

UNIT_PART(stack)
{
	const struct pmu_options options = {
		.size = sizeof(options), .pin = "none", .backend = "clock", .output = "none"
	};

	unsetenv("PMU_PREFIX");
	if (pmu_init(&options))
		abort();
	they_nest();
	domains_do_not_nest_in_each_other();
	too_deep_is_nothing_and_ends();
	a_pause_keeps_places();
	ranges_overlap();
	too_many_ranges_are_nothing();
	threads_have_their_own();
	another_threads_end_is_a_doubt();
	return done_testing();
}
