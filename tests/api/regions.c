/* SPDX-License-Identifier: BSD-3-Clause */
/* The tree of regions, and what misuse of begin and end leads to. */
#include <pthread.h>
#include <unistd.h>

#include "run.h"

static const char *const quick[] = { "PMU_PIN=none", "PMU_BACKEND=clock", NULL };
static const char *const counted[] = { "PMU_PIN=none", "PMU_GROUP=SOFTWARE", NULL };

static void begin_end(const char *name)
{
	want_int(pmu_region_begin(name), 0);
	want_int(pmu_region_end(name), 0);
}

static unsigned int spin(unsigned int n)
{
	volatile unsigned int x = 0;

	while (n--)
		x += n;
	return x;
}

/* --- the tree -------------------------------------------------------------------------
 */

static int nest(void *arg)
{
	(void)arg;
	for (int i = 0; i < 3; i++) {
		want_int(pmu_region_begin("outer"), 0);
		spin(1000);
		for (int k = 0; k < 2; k++)
			begin_end("inner");
		begin_end("other");
		want_int(pmu_region_end("outer"), 0);
	}
	begin_end("inner");
	return 0;
}

static void regions_form_a_tree_by_nesting(void)
{
	const json_t *outer, *inner, *other, *alone;
	struct run r;

	run(&r, nest, NULL, quick);
	run_good(&r, "nested regions");
	outer = run_region(r.json, "outer");
	inner = run_region(r.json, "outer/inner");
	other = run_region(r.json, "outer/other");
	alone = run_region(r.json, "inner");
	is_int(run_int(outer, "calls"), 3, "calls of the outermost");
	is_int(run_int(inner, "calls"), 6, "calls of the nested one");
	is_int(run_int(other, "calls"), 3, "calls of its neighbour");
	is_int(run_int(alone, "calls"), 1, "the same name elsewhere is another node");
	is_int((long long)json_array_size(json_object_get(r.json, "regions")), 4, "and no more");
	is_int(run_int(outer, "depth"), 0, "depth outside");
	is_int(run_int(inner, "depth"), 1, "depth inside");
	is_str(run_str(inner, "parent"), "outer", "its parent");
	is_str(run_str(inner, "name"), "inner", "its name");
	ok(json_is_null(json_object_get(outer, "parent")), "an outermost region has no parent");
	ok(run_int(outer, "self_ns") >= 0 && run_int(inner, "time_ns") >= 0 &&
		   run_int(outer, "self_ns") + run_int(inner, "time_ns") +
				   run_int(other, "time_ns") <=
			   run_int(outer, "time_ns") + 3,
	   "inclusive is self and the nested ones");
	ok(run_int(outer, "time_min_ns") <= run_int(outer, "time_max_ns") &&
		   run_int(outer, "time_max_ns") <= run_int(outer, "time_ns") + 3,
	   "a call takes between the shortest and the longest");
	is_int((long long)json_array_size(json_object_get(r.json, "doubts")), 0, "no doubts");
	is_int(run_stores(&r, NULL, 0), 0, "no store is left");
	is_str(r.err, "", "nothing on standard error");
	run_done(&r);
}

static int same_text(void *arg)
{
	char one[] = "same", two[] = "same", buffer[32];
	const char *at[2] = { one, two };

	(void)arg;
	for (int i = 0; i < 10; i++) {
		want_int(pmu_region_begin(at[i % 2]), 0);
		want_int(pmu_region_end(at[(i + 1) % 2]), 0);
	}
	for (int i = 0; i < 300; i++) {
		snprintf(buffer, sizeof(buffer), "loop %d", i % 3);
		want_int(pmu_region_begin(buffer), 0);
		begin_end("in it");
		want_int(pmu_region_end(buffer), 0);
	}
	/* the buffer's text changes while the region is open */
	snprintf(buffer, sizeof(buffer), "changing");
	want_int(pmu_region_begin(buffer), 0);
	snprintf(buffer, sizeof(buffer), "something else");
	want_int(pmu_region_end(buffer), -ENOENT);
	want_int(pmu_region_end("changing"), 0);
	/* and while another one is open under the same address */
	for (int i = 0; i < 3; i++) {
		snprintf(buffer, sizeof(buffer), "below");
		want_int(pmu_region_begin(buffer), 0);
		snprintf(buffer, sizeof(buffer), "above");
		want_int(pmu_region_begin(buffer), 0);
		snprintf(buffer, sizeof(buffer), "below");
		if (i == 2)
			want_int(pmu_region_end("above"), 0);
		want_int(pmu_region_end(buffer), 0);
		if (i < 2)
			want_int(pmu_region_end("above"), 0);
	}
	return 0;
}

static void the_text_is_the_region(void)
{
	struct run r;

	run(&r, same_text, NULL, quick);
	run_good(&r, "names at several addresses and in a reused buffer");
	is_int(run_calls(r.json, "same"), 10, "the same text at another address");
	for (int i = 0; i < 3; i++) {
		char path[32];

		snprintf(path, sizeof(path), "loop %d", i);
		is_int(run_calls(r.json, path), 100, "a name in a reused buffer");
		strcat(path, "/in it");
		is_int(run_calls(r.json, path), 100, "and what is in it");
	}
	is_int(run_calls(r.json, "changing"), 1, "names are copied");
	is_int(run_calls(r.json, "below"), 3, "by their text of now");
	is_int(run_calls(r.json, "below/above"), 3, "where one address has two");
	is_int(run_doubts(r.json, "something else", "without a begin"), 1,
	       "a text that was never begun");
	run_done(&r);
}

static int text_with_length(void *arg)
{
	(void)arg;
	for (int i = 0; i < 2; i++) {
		want_int(pmu_region_begin_n("abcdef", 3), 0);
		want_int(pmu_region_end_n("abcxyz", 3), 0);
		want_int(pmu_region_begin_n("abcdef", 4), 0);
		want_int(pmu_region_end("abcd"), 0);
		want_int(pmu_region_begin("abc"), 0);
		want_int(pmu_region_end_n("abc", 3), 0);
	}
	want_int(pmu_region_begin_n("abc", 0), -EINVAL);
	want_int(pmu_region_begin_n("a\0c", 3), -EINVAL);
	want_int(pmu_region_begin_n(NULL, 3), -EINVAL);
	want_int(pmu_region_begin_n("abc", (size_t)-1), -EINVAL);
	want_int(pmu_region_end_n("abc", (size_t)-1), -EINVAL);
	return 0;
}

static void names_may_have_a_length(void)
{
	struct run r;

	run(&r, text_with_length, NULL, quick);
	run_good(&r, "names without a terminator");
	is_int(run_calls(r.json, "abc"), 4, "by their length");
	is_int(run_calls(r.json, "abcd"), 2, "and another length is another region");
	run_done(&r);
}

static void begin_end_n(const char *name, size_t len)
{
	want_int(pmu_region_begin_n(name, len), 0);
	want_int(pmu_region_end_n(name, len), 0);
}

/* The same address, so the same literal, under two names. */
static int prefix_and_whole(void *arg)
{
	static const char prefix_first[] = "solve_x", whole_first[] = "write_y",
			  nested[] = "outer_z";

	(void)arg;
	for (int i = 0; i < 3; i++)
		begin_end_n(prefix_first, 5);
	for (int i = 0; i < 10; i++)
		begin_end(prefix_first);
	for (int i = 0; i < 10; i++)
		begin_end(whole_first);
	for (int i = 0; i < 3; i++)
		begin_end_n(whole_first, 5);
	for (int i = 0; i < 4; i++) {
		begin_end_n(prefix_first, 5);
		begin_end(prefix_first);
		begin_end(whole_first);
		begin_end_n(whole_first, 5);
	}
	for (int i = 0; i < 3; i++) {
		want_int(pmu_region_begin(nested), 0);
		begin_end_n(nested, 5);
		want_int(pmu_region_end(nested), 0);
	}
	return 0;
}

static void a_literal_and_its_beginning_are_two_regions(const char *const *env)
{
	struct run r;

	run(&r, prefix_and_whole, NULL, env);
	run_good(&r, "a literal and its beginning");
	is_int(run_calls(r.json, "solve"), 7, "the beginning, first");
	is_int(run_calls(r.json, "solve_x"), 14, "then the whole");
	is_int(run_calls(r.json, "write_y"), 14, "the whole, first");
	is_int(run_calls(r.json, "write"), 7, "then the beginning");
	is_int(run_calls(r.json, "outer_z/outer"), 3, "one in the other");
	is_int((long long)json_array_size(json_object_get(r.json, "regions")), 6, "and no more");
	run_done(&r);
}

static int end_by_the_beginning(void *arg)
{
	static const char literal[] = "abcdef";

	(void)arg;
	for (int i = 0; i < 3; i++) {
		want_int(pmu_region_begin(literal), 0);
		want_int(pmu_region_end_n(literal, 3), -ENOENT);
		want_int(pmu_region_end(literal), 0);
		want_int(pmu_region_begin_n(literal, 3), 0);
		want_int(pmu_region_end(literal), -ENOENT);
		want_int(pmu_region_end_n(literal, 3), 0);
	}
	return 0;
}

static void the_beginning_of_a_literal_does_not_end_it(const char *const *env)
{
	struct run r;

	run(&r, end_by_the_beginning, NULL, env);
	run_good(&r, "ends by the beginning of an open region's name");
	is_int(run_calls(r.json, "abcdef"), 3, "it stays open for its own end");
	is_int(run_calls(r.json, "abc"), 3, "and so does the shorter one");
	is_int(run_doubts(r.json, "abc", "without a begin"), 3, "the others are doubted");
	is_int(run_doubts(r.json, "abcdef", "without a begin"), 3, "both ways");
	run_done(&r);
}

/* --- recursion ------------------------------------------------------------------------
 */

#define DEEP 100000

static int recurse(void *arg)
{
	(void)arg;
	for (int i = 0; i < DEEP; i++)
		if (pmu_region_begin("deep") < 0)
			want(false);
	begin_end("leaf");
	for (int i = 0; i < DEEP; i++)
		if (pmu_region_end("deep") < 0)
			want(false);
	begin_end("deep");
	return 0;
}

static void direct_recursion_re_enters_the_node(void)
{
	const json_t *deep;
	struct run r;

	run(&r, recurse, NULL, quick);
	run_good(&r, "100,000 levels of one region");
	deep = run_region(r.json, "deep");
	is_int(run_int(deep, "calls"), DEEP + 1, "each call counts");
	is_int(run_calls(r.json, "deep/leaf"), 1, "paths stay short");
	is_int((long long)json_array_size(json_object_get(r.json, "regions")), 2, "and few");
	ok(run_flag(deep, "recursive"), "marked as recursive");
	/* more than the thread's time would be none */
	ok(json_is_number(json_object_get(deep, "share")), "its time grew once");
	is_int(run_int(deep, "open"), 0, "all have ended");
	is_int((long long)json_array_size(json_object_get(r.json, "doubts")), 0, "no doubts");
	run_done(&r);
}

static void even(int depth);

static void odd(int depth)
{
	if (pmu_region_begin("odd") < 0)
		want(false);
	if (depth)
		even(depth - 1);
	if (pmu_region_end("odd") < 0)
		want(false);
}

static void even(int depth)
{
	if (pmu_region_begin("even") < 0)
		want(false);
	if (depth)
		odd(depth - 1);
	if (pmu_region_end("even") < 0)
		want(false);
}

static int mutual(void *arg)
{
	(void)arg;
	for (int i = 0; i < 10; i++)
		even(19);
	/* deep without much stack */
	for (int i = 0; i < DEEP; i++)
		if (pmu_region_begin(i % 2 ? "odd" : "even") < 0)
			want(false);
	for (int i = DEEP; i-- > 0;)
		if (pmu_region_end(i % 2 ? "odd" : "even") < 0)
			want(false);
	begin_end("after");
	return 0;
}

static void mutual_recursion_keeps_paths_short(void)
{
	const json_t *top;
	struct run r;

	run(&r, mutual, NULL, quick);
	run_good(&r, "two regions in each other");
	top = run_region(r.json, "even");
	is_int(run_int(top, "calls"), 100 + DEEP / 2, "calls of the outer one");
	is_int(run_calls(r.json, "even/odd"), 100 + DEEP / 2, "calls of the inner one");
	is_int(run_calls(r.json, "after"), 1, "the stack is empty afterwards");
	is_int((long long)json_array_size(json_object_get(r.json, "regions")), 3, "three paths");
	/* more than the thread's time would be none */
	ok(json_is_number(json_object_get(top, "share")), "its time grew once");
	is_int((long long)json_array_size(json_object_get(r.json, "doubts")), 0, "no doubts");
	run_done(&r);
}

static int deep_names(void *arg)
{
	char name[16];

	(void)arg;
	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < 600; i++) {
			snprintf(name, sizeof(name), "%d", i);
			want_int(pmu_region_begin(name), 0);
		}
		for (int i = 600; i-- > 0;) {
			snprintf(name, sizeof(name), "%d", i);
			want_int(pmu_region_end(name), 0);
		}
	}
	return 0;
}

static void many_levels_nest(void)
{
	const json_t *regions, *last;
	struct run r;

	run(&r, deep_names, NULL, quick);
	run_good(&r, "600 levels of different names");
	regions = json_object_get(r.json, "regions");
	last = json_array_get(regions, 599);
	is_int((long long)json_array_size(regions), 600, "each is there");
	is_str(run_str(last, "name"), "599", "in tree order");
	is_int(run_int(last, "depth"), 599, "at its depth");
	is_int(run_int(last, "calls"), 2, "with its calls");
	run_done(&r);
}

/* --- overlap and misuse ---------------------------------------------------------------
 */

static int overlap(void *arg)
{
	(void)arg;
	for (int i = 0; i < 5; i++) {
		want_int(pmu_region_begin("a"), 0);
		want_int(pmu_region_begin("b"), 0);
		want_int(pmu_region_begin("c"), 0);
		want_int(pmu_region_end("a"), 0); /* below b and c */
		begin_end("later");               /* in neither of them */
		want_int(pmu_region_end("b"), 0);
		want_int(pmu_region_end("c"), 0);
	}
	begin_end("last");
	return 0;
}

static void what_is_detached_can_still_end(void)
{
	struct run r;

	run(&r, overlap, NULL, quick);
	run_good(&r, "overlapping regions");
	is_int(run_calls(r.json, "a"), 5, "the one that ended below the others");
	is_int(run_calls(r.json, "a/b"), 5, "detached and ended");
	is_int(run_calls(r.json, "a/b/c"), 5, "the next one too");
	is_int(run_calls(r.json, "later"), 5, "they are nobody's parents");
	is_int(run_calls(r.json, "last"), 1, "and afterwards all is as ever");
	is_int((long long)json_array_size(json_object_get(r.json, "regions")), 5, "no other path");
	ok(run_flag(run_region(r.json, "a/b"), "overlap"), "marked");
	ok(!run_flag(run_region(r.json, "later"), "overlap"), "and only where it happened");
	ok(json_is_null(json_object_get(run_region(r.json, "a"), "self_ns")),
	   "what overlaps in it leaves no exclusive time");
	ok(run_doubts(r.json, "a/b", "overlap") || run_doubts(r.json, "b", "overlap"),
	   "and a doubt says so");
	is_int(run_doubts(r.json, NULL, "never ended"), 0, "nothing else is doubted");
	run_done(&r);
}

static int early_returns(void *arg)
{
	(void)arg;
	for (int i = 0; i < 50; i++) {
		want_int(pmu_region_begin("solve"), 0);
		want_int(pmu_region_begin("step"), 0);
		want_int(pmu_region_end("solve"), 0); /* an early return forgot step */
	}
	want_int(pmu_region_begin("solve"), 0);
	begin_end("step");
	want_int(pmu_region_end("solve"), 0);
	return 0;
}

static void a_missed_end_costs_a_doubt(void)
{
	struct run r;

	run(&r, early_returns, NULL, quick);
	run_good(&r, "early returns");
	is_int(run_calls(r.json, "solve"), 51, "calls around it");
	is_int(run_calls(r.json, "solve/step"), 1, "only those that ended");
	is_int((long long)json_array_size(json_object_get(r.json, "regions")), 2,
	       "the tree does not grow");
	is_int(run_doubts(r.json, "solve/step", "never ended") +
		       run_doubts(r.json, "step", "never ended"),
	       50, "the doubt names the region and how often");
	run_done(&r);
}

static int ends_alone(void *arg)
{
	(void)arg;
	want_int(pmu_region_end("first thing ever"), -ENOENT);
	for (int i = 0; i < 3; i++)
		want_int(pmu_region_end("never begun"), -ENOENT);
	begin_end("known");
	want_int(pmu_region_end("known"), -ENOENT);
	want_int(pmu_region_end("known"), -ENOENT);
	return 0;
}

static void an_end_without_begin_is_named(void)
{
	struct run r;

	run(&r, ends_alone, NULL, quick);
	run_good(&r, "ends without a begin");
	is_int(run_doubts(r.json, "first thing ever", "without a begin"), 1, "one of them");
	is_int(run_doubts(r.json, "never begun", "without a begin"), 3, "one thrice");
	is_int(run_doubts(r.json, "known", "without a begin"), 2, "one that is known");
	is_int(run_calls(r.json, "known"), 1, "which keeps its calls");
	ok(run_calls(r.json, "never begun") <= 0, "and the unknown has none");
	is_str(r.err, "", "nothing is printed");
	run_done(&r);
}

static int stay_open(void *arg)
{
	(void)arg;
	want_int(pmu_region_begin("left open"), 0);
	begin_end("in it");
	want_int(pmu_region_begin("twice"), 0);
	want_int(pmu_region_begin("twice"), 0);
	want_int(pmu_region_end("twice"), 0);
	return 0;
}

static void a_begin_never_ended_is_named(void)
{
	const json_t *open;
	struct run r;

	run(&r, stay_open, NULL, quick);
	run_good(&r, "regions open at exit");
	open = run_region(r.json, "left open");
	is_int(run_int(open, "calls"), 0, "no call has ended");
	is_int(run_int(open, "open"), 1, "one is open");
	ok(run_flag(open, "open"), "marked as open");
	ok(json_is_null(json_object_get(open, "time_ns")) &&
		   json_is_null(json_object_get(open, "share")),
	   "of which no time is known");
	is_int(run_doubts(r.json, "left open", "still open"), 1, "the doubt names it");
	is_int(run_calls(r.json, "left open/twice"), 1, "the inner one of two has ended");
	is_int(run_int(run_region(r.json, "left open/twice"), "open"), 1, "the outer one not");
	is_int(run_calls(r.json, "left open/in it"), 1, "what was in it is there");
	is_int(run_doubts(r.json, NULL, "below zero"), 0,
	       "and is no doubt about the one around it");
	run_done(&r);
}

static void *end_elsewhere(void *arg)
{
	want_int(pmu_region_end(arg), -ENOENT);
	return NULL;
}

static int end_in_a_thread(void *arg)
{
	char name[] = "here";
	pthread_t thread;

	(void)arg;
	want_int(pmu_region_begin(name), 0);
	want_int(pthread_create(&thread, NULL, end_elsewhere, name), 0);
	pthread_join(thread, NULL);
	want_int(pmu_region_end(name), 0);
	return 0;
}

static void an_end_in_another_thread_is_an_error(void)
{
	struct run r;

	run(&r, end_in_a_thread, NULL, quick);
	run_good(&r, "an end in another thread");
	is_int(run_calls(r.json, "here"), 1, "the region ended where it was begun");
	/* where a sanitizer starts threads, they do not work for the region */
	is_int(run_doubts(r.json, "here/here", "without a begin") +
		       run_doubts(r.json, "here", "without a begin"),
	       1, "the other end is doubted, where it was");
	run_done(&r);
}

/* --- limits ---------------------------------------------------------------------------
 */

static int too_many(void *arg)
{
	char name[16];
	int refused = 0;

	(void)arg;
	for (int round = 0; round < 4; round++) {
		want_int(pmu_region_begin("top"), 0);
		for (int i = 0; i < 25; i++) {
			snprintf(name, sizeof(name), "r%d", i);
			begin_end(name);
		}
		want_int(pmu_region_end("top"), 0);
	}
	for (int i = 0; i < 100; i++) {
		snprintf(name, sizeof(name), "more%d", i);
		if (pmu_region_begin(name) == -ENOSPC)
			refused++;
		else
			want_int(pmu_region_end(name), 0);
	}
	want(refused > 0);
	begin_end("top");
	return 0;
}

static void beyond_the_limit_regions_are_kept_by_name(void)
{
	static const char *const env[] = { "PMU_PIN=none", "PMU_BACKEND=clock",
					   "PMU_MAX_REGIONS=16", NULL };
	const json_t *flat;
	struct run r;

	run(&r, too_many, NULL, env);
	run_good(&r, "more regions than PMU_MAX_REGIONS");
	is_int(run_calls(r.json, "top"), 5, "those within the limit");
	is_int(run_calls(r.json, "top/r3"), 4, "keep their place");
	flat = run_region(r.json, "r20");
	is_int(run_int(flat, "calls"), 4, "one beyond it is flat");
	ok(run_flag(flat, "flat"), "and marked");
	is_int(run_int(flat, "depth"), 0, "without the regions around it");
	ok(run_doubts(r.json, NULL, "limit of regions") >= 1, "the report says so");
	ok(run_doubts(r.json, NULL, "beyond the limit could not be kept") >= 1,
	   "and counts what it could not keep");
	ok(json_array_size(json_object_get(r.json, "regions")) <= 33, "and there are no more");
	run_done(&r);
}

static long resident_bytes(void)
{
	long size = 0, resident = 0;
	FILE *file = fopen("/proc/self/statm", "re");

	want(file && fscanf(file, "%ld %ld", &size, &resident) == 2);
	if (file)
		fclose(file);
	return resident * sysconf(_SC_PAGESIZE);
}

#define N_NAMES 200000

static int ever_new_names(void *arg)
{
	char name[32];
	long before;

	(void)arg;
	begin_end("first");
	before = resident_bytes();
	for (int i = 0; i < N_NAMES; i++) {
		snprintf(name, sizeof(name), "name %d", i);
		if (pmu_region_begin(name) == 0 ? pmu_region_end(name)
						: pmu_region_end(name) != -ENOENT)
			want(false);
	}
	if (!RUN_SANITIZED)
		want(resident_bytes() - before < 2 << 20);
	begin_end("first");
	return 0;
}

static void beyond_the_limit_memory_stays_flat(void)
{
	static const char *const env[] = { "PMU_PIN=none", "PMU_BACKEND=clock",
					   "PMU_MAX_REGIONS=100", NULL };
	struct run r;

	run(&r, ever_new_names, NULL, env);
	run_good(&r, "200,000 names, each of them new");
	is_int(run_calls(r.json, "first"), 2, "what was there goes on");
	ok(run_doubts(r.json, NULL, "beyond the limit could not be kept") >= N_NAMES - 200,
	   "the others are counted");
	run_done(&r);
}

/* --- names ----------------------------------------------------------------------------
 */

static char longest[PMU_NAME_MAX + 1], too_long[PMU_NAME_MAX + 2];

/* As they are given, and as a report writes name and path. */
static const struct {
	const char *name, *shown, *path, *cell; /* of CSV; NULL: as it is shown */
} odd_names[] = {
	{ "with \"quotes\"", "with \"quotes\"", "with \"quotes\"", NULL },
	{ "two\nlines\r\n", "two\nlines\r\n", "two\nlines\r\n", "two\\x0alines\\x0d\\x0a" },
	{ "a,b;c", "a,b;c", "a,b;c", NULL },
	{ "a/b", "a/b", "a\\/b", NULL },
	{ "a\\b", "a\\b", "a\\\\b", NULL },
	{ "\t\x01\x1f\x7f", "\t\x01\x1f\x7f", "\t\x01\x1f\x7f", "\\x09\\x01\\x1f\\x7f" },
	{ " ", " ", " ", NULL },
	{ "'", "'", "'", NULL },
	{ "=cmd()", "=cmd()", "=cmd()", "\\x3dcmd()" },
	{ "gr\xc3\xb6\xc3\x9f"
	  "e \xe2\x82\xac \xf0\x9f\x98\x80",
	  "gr\xc3\xb6\xc3\x9f"
	  "e \xe2\x82\xac \xf0\x9f\x98\x80",
	  "gr\xc3\xb6\xc3\x9f"
	  "e \xe2\x82\xac \xf0\x9f\x98\x80",
	  NULL },
	{ "latin\xe9", "latin\\xe9", "latin\\xe9", NULL },
	{ "\xff\xfe\x80", "\\xff\\xfe\\x80", "\\xff\\xfe\\x80", NULL },
	{ "\xc0\xaf", "\\xc0\\xaf", "\\xc0\\xaf", NULL },
	{ "\xed\xa0\x80", "\\xed\\xa0\\x80", "\\xed\\xa0\\x80", NULL },
	{ longest, longest, longest, NULL },
};
#define N_ODD_NAMES (sizeof(odd_names) / sizeof(*odd_names))

static int use_names(void *arg)
{
	(void)arg;
	for (size_t i = 0; i < N_ODD_NAMES; i++)
		begin_end(odd_names[i].name);
	want_int(pmu_region_begin(NULL), -EINVAL);
	want_int(pmu_region_end(NULL), -EINVAL);
	want_int(pmu_region_begin(""), -EINVAL);
	want_int(pmu_region_end(""), -EINVAL);
	want_int(pmu_region_begin(too_long), -ENAMETOOLONG);
	want_int(pmu_region_end(too_long), -ENAMETOOLONG);
	want_int(pmu_region_begin_n(too_long, PMU_NAME_MAX + 1), -ENAMETOOLONG);
	want_int(pmu_region_begin_n(too_long, PMU_NAME_MAX), 0);
	want_int(pmu_region_end_n(too_long, PMU_NAME_MAX), 0);
	return 0;
}

/* One RFC 4180 record: the @n-th cell into @cell; returns what follows it, NULL where it
 * is malformed. */
static const char *csv_record(const char *at, int *n_cells, int n, char *cell, size_t size)
{
	size_t len = 0;

	*n_cells = 1;
	cell[0] = '\0';
	for (bool quoted = *at == '"', start = true; *at; start = false) {
		if (start && quoted)
			at++;
		if (quoted && *at == '"' && at[1] != '"') {
			at++;
			quoted = false;
			if (*at != ',' && *at != '\n')
				return NULL;
			continue;
		}
		if (!quoted && *at == '"')
			return NULL;
		if (!quoted && *at == '\n')
			return at + 1;
		if (!quoted && *at == ',') {
			at++;
			++*n_cells;
			quoted = *at == '"';
			at += quoted;
			continue;
		}
		at += quoted && *at == '"';
		if (*n_cells == n && len + 1 < size) {
			cell[len++] = *at;
			cell[len] = '\0';
		}
		at++;
	}
	return NULL;
}

static void csv_is_valid(const struct run *r)
{
	char *text = run_slurp(run_path(r, "run.csv"));
	char name[PMU_NAME_MAX * 4 + 1];
	const char *at = text;
	int n_cells, n_head, n_records = 0, bad = 0;
	bool seen[N_ODD_NAMES] = { false };

	if (!ok(text != NULL, "there is a CSV file"))
		return;
	at = csv_record(at, &n_head, 3, name, sizeof(name));
	is_str(name, "name", "its third column is the name");
	while (at && *at) {
		at = csv_record(at, &n_cells, 3, name, sizeof(name));
		bad += !at || n_cells != n_head;
		n_records++;
		for (size_t i = 0; i < N_ODD_NAMES; i++)
			seen[i] |= !strcmp(name, odd_names[i].cell ? odd_names[i].cell
								   : odd_names[i].shown);
	}
	is_int(bad, 0, "each line has as many cells as the head");
	ok(n_records >= (int)N_ODD_NAMES, "there is a line for each region");
	for (size_t i = 0; i < N_ODD_NAMES; i++)
		ok(seen[i], "name %zu is in the CSV", i);
	free(text);
}

static void any_text_is_a_name(void)
{
	static const char *const env[] = { "PMU_PIN=none", "PMU_BACKEND=clock",
					   "PMU_OUTPUT=@/run.json,@/run.csv,@/run.txt", NULL };
	struct run r;
	char *text;

	memset(longest, 'x', PMU_NAME_MAX);
	memset(too_long, 'y', PMU_NAME_MAX + 1);
	run(&r, use_names, NULL, env);
	run_good(&r, "names of any kind");
	ok(r.json != NULL, "the JSON is valid");
	for (size_t i = 0; i < N_ODD_NAMES; i++) {
		const json_t *region = run_region(r.json, odd_names[i].path);

		is_int(run_int(region, "calls"), 1, "a region under its path");
		is_str(run_str(region, "name"), odd_names[i].shown, "with its name");
	}
	is_int(run_doubts(r.json, NULL, "NULL, empty or too long"), 7, "bad names are doubts");
	csv_is_valid(&r);
	text = run_slurp(run_path(&r, "run.txt"));
	has(text, "with \"quotes\"", "there is a text");
	ok(text && !strchr(text, '\x01') && !strchr(text, '\xff'), "without control characters");
	free(text);
	run_done(&r);
}

/* --- the macro ------------------------------------------------------------------------
 */

static int leave_early(int how)
{
	PMU_REGION("scope");
	for (int i = 0; i < 3; i++) {
		PMU_REGION("loop");
		if (how == 1 && i == 1)
			break;
		if (how == 2)
			return 2;
		if (how == 3)
			goto out;
	}
	return 0;
out:
	return 3;
}

static int use_scopes(void *arg)
{
	(void)arg;
	for (int how = 0; how < 4; how++)
		want_int(leave_early(how), how < 2 ? 0 : how);
	return 0;
}

static void a_scope_ends_however_it_is_left(void)
{
	struct run r;

	run(&r, use_scopes, NULL, quick);
	run_good(&r, "PMU_REGION");
	is_int(run_calls(r.json, "scope"), 4, "of the function");
	is_int(run_calls(r.json, "scope/loop"), 3 + 2 + 1 + 1, "of the loop's body");
	is_int((long long)json_array_size(json_object_get(r.json, "doubts")), 0, "no doubts");
	run_done(&r);
}

int main(void)
{
	regions_form_a_tree_by_nesting();
	the_text_is_the_region();
	names_may_have_a_length();
	a_literal_and_its_beginning_are_two_regions(quick);
	a_literal_and_its_beginning_are_two_regions(counted);
	the_beginning_of_a_literal_does_not_end_it(quick);
	the_beginning_of_a_literal_does_not_end_it(counted);
	direct_recursion_re_enters_the_node();
	mutual_recursion_keeps_paths_short();
	many_levels_nest();
	what_is_detached_can_still_end();
	a_missed_end_costs_a_doubt();
	an_end_without_begin_is_named();
	a_begin_never_ended_is_named();
	an_end_in_another_thread_is_an_error();
	beyond_the_limit_regions_are_kept_by_name();
	beyond_the_limit_memory_stays_flat();
	any_text_is_a_name();
	a_scope_ends_however_it_is_left();
	return done_testing();
}
