/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program annotated with LIKWID's Marker API, as its documentation has it: C and C++, for our
 * header and for LIKWID's. likwid.sh builds it both ways.  What it prints is the same each time; a
 * line that begins with "wrong" is a failure.
 */
#include <likwid-marker.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef _OPENMP
#include <omp.h>
#endif

#define MAX_EVENTS 16

#ifdef LIKWID_PERFMON

static void want(int got, int wanted, const char *what)
{
	if (got != wanted)
		printf("wrong: %s: %d, not %d\n", what, got, wanted);
}

static void touch_pages(void)
{
	const size_t size = 100 * 4096;
	char *pages = (char *)malloc(size);

	for (size_t i = 0; pages && i < size; i += 4096)
		((volatile char *)pages)[i] = 1;
	free(pages);
}

struct result {
	double events[MAX_EVENTS];
	double time;
	int n, count;
};

static struct result get(const char *tag)
{
	struct result r;

	memset(&r, 0, sizeof(r));
	r.n = MAX_EVENTS;
	r.time = -1;
	r.count = -1;
	LIKWID_MARKER_GET(tag, &r.n, r.events, &r.time, &r.count);
	return r;
}

/* --- scenarios --- */

#ifdef _OPENMP
/*
 * What each thread of the team does: 1 + number calls of "mine", 10 nested ones, labels made in a
 * buffer.
 */
static void work(int number)
{
	char label[32];

	LIKWID_MARKER_START("outer");
	for (int i = 0; i < 10; i++) {
		LIKWID_MARKER_START("inner");
		LIKWID_MARKER_STOP("inner");
		snprintf(label, sizeof(label), "step %d", i % 3);
		LIKWID_MARKER_START(label);
		LIKWID_MARKER_STOP(label);
	}
	/* overlapping */
	want(LIKWID_MARKER_START("left"), 0, "START left");
	want(LIKWID_MARKER_START("right"), 0, "START right");
	want(LIKWID_MARKER_STOP("left"), 0, "STOP left");
	want(LIKWID_MARKER_STOP("right"), 0, "STOP right");
	for (int i = 0; i <= number; i++) {
		LIKWID_MARKER_START("mine");
		LIKWID_MARKER_STOP("mine");
	}
	LIKWID_MARKER_STOP("outer");
	want(get("inner").count, 10, "calls of inner");
	want(get("step 0").count, 4, "calls of step 0");
	want(get("step 2").count, 3, "calls of step 2");
	want(get("mine").count, 1 + number, "calls of mine");
	want(get("outer").time >= get("inner").time, 1, "outer lasts longer than inner");
}

static void team(void)
{
	LIKWID_MARKER_INIT;
#pragma omp parallel num_threads(3)
	{
		LIKWID_MARKER_THREADINIT;
		want(LIKWID_MARKER_REGISTER("outer"), 0, "REGISTER");
#pragma omp barrier
		work(omp_get_thread_num());
	}
	LIKWID_MARKER_CLOSE;
}
#endif

static void mistakes(void)
{
	struct result r;

	want(LIKWID_MARKER_START("early"), -EFAULT, "START before INIT");
	want(LIKWID_MARKER_STOP("early"), -EFAULT, "STOP before INIT");
	want(LIKWID_MARKER_REGISTER("early"), -EFAULT, "REGISTER before INIT");
	r = get("early");
	want(r.n == 0 && r.time == 0 && r.count == 0, 1, "GET before INIT has nothing");
	LIKWID_MARKER_INIT;
	LIKWID_MARKER_INIT;
	LIKWID_MARKER_THREADINIT;
	want(LIKWID_MARKER_START("twice"), 0, "START");
	want(LIKWID_MARKER_START("twice") < 0, 1, "START of a region that runs");
	want(LIKWID_MARKER_RESET("twice") < 0, 1, "RESET of a region that runs");
	want(LIKWID_MARKER_STOP("twice"), 0, "STOP");
	want(LIKWID_MARKER_STOP("twice"), -EFAULT, "STOP of a region that does not run");
	want(LIKWID_MARKER_STOP("never"), -EFAULT, "STOP of a region that never ran");
	want(LIKWID_MARKER_RESET("unknown") < 0, 1, "RESET of a region that never ran");
	want(get("twice").count, 1, "calls of twice");
	r = get("unknown");
	want(r.n == 0 && r.time == 0 && r.count == 0, 1,
	     "GET of a region that never ran has nothing");
	for (int i = 0; i < 7; i++) {
		LIKWID_MARKER_START("reset");
		LIKWID_MARKER_STOP("reset");
	}
	want(get("reset").count, 7, "calls before RESET");
	want(LIKWID_MARKER_RESET("reset"), 0, "RESET");
	want(get("reset").count, 0, "calls after RESET");
	LIKWID_MARKER_START("reset");
	LIKWID_MARKER_STOP("reset");
	LIKWID_MARKER_CLOSE;
	want(LIKWID_MARKER_START("late"), -EFAULT, "START after CLOSE");
	LIKWID_MARKER_STOP("late");
}

/*
 * Two groups, of which the first has page faults as its second event, and the second counts
 * nothing.
 */
static void groups(void)
{
	struct result r;
	double before;

	LIKWID_MARKER_INIT;
	for (int i = 0; i < 3; i++) {
		LIKWID_MARKER_START("part");
		touch_pages();
		LIKWID_MARKER_STOP("part");
	}
	r = get("part");
	want(r.count, 3, "calls in the first group");
	want(r.n >= 2 && r.events[1] >= 100, 1, "page faults in the first group");
	before = r.events[1];
	r.n = 1;
	r.events[1] = -1;
	LIKWID_MARKER_GET("part", &r.n, r.events, &r.time, &r.count);
	want(r.n == 1 && r.events[1] == -1, 1, "GET fills no more than there is room for");
	LIKWID_MARKER_START("part");
	LIKWID_MARKER_SWITCH;
	LIKWID_MARKER_STOP("part");
	want(get("part").count, 4, "SWITCH inside a region changes nothing");
	LIKWID_MARKER_SWITCH;
	want(get("part").count, 0, "nothing ran in the second group yet");
	LIKWID_MARKER_START("part");
	LIKWID_MARKER_STOP("part");
	r = get("part");
	want(r.count == 1 && r.n == 0, 1, "the second group has calls and no events");
	LIKWID_MARKER_SWITCH;
	r = get("part");
	want(r.count == 4 && r.events[1] >= before, 1, "round robin: the first group again");
	LIKWID_MARKER_CLOSE;
}

/* Counts of events 0 and 1, of which the first may be one that cannot be counted here. */
static void missing(void)
{
	struct result r;

	LIKWID_MARKER_INIT;
	LIKWID_MARKER_START("part");
	touch_pages();
	LIKWID_MARKER_STOP("part");
	r = get("part");
	want(r.n, 2, "two events");
	want(r.events[0] != r.events[0] || r.events[0] > 0, 1,
	     "a count that could not be made is not 0");
	want(r.events[1] >= 100, 1, "page faults");
	LIKWID_MARKER_CLOSE;
}

static void after_close(void)
{
	LIKWID_MARKER_INIT;
	LIKWID_MARKER_START("part");
	LIKWID_MARKER_STOP("part");
	LIKWID_MARKER_CLOSE;
	printf("done\n");
	fflush(stdout);
	_exit(0); /* the report is there */
}

static const struct scenario {
	const char *name;
	void (*run)(void);
} scenarios[] = {
#ifdef _OPENMP
	{ "team", team },
#endif
	{ "mistakes", mistakes }, { "groups", groups },
	{ "missing", missing },   { "after_close", after_close },
};

int main(int argc, char **argv)
{
	for (size_t i = 0; argc > 1 && i < sizeof(scenarios) / sizeof(scenarios[0]); i++)
		if (!strcmp(argv[1], scenarios[i].name)) {
			scenarios[i].run();
			printf("done\n");
			fflush(stdout);
			return 0;
		}
	printf("wrong: there is no such scenario\n");
	return 2;
}

#else /* without it markers are nothing: no statement, no symbol */

int main(void)
{
	LIKWID_MARKER_INIT;
	LIKWID_MARKER_THREADINIT;
	LIKWID_MARKER_REGISTER("part");
	LIKWID_MARKER_START("part");
	LIKWID_MARKER_STOP("part");
	LIKWID_MARKER_RESET("part");
	LIKWID_MARKER_GET("part", &no_such_variable, events, &time, &count);
	LIKWID_MARKER_SWITCH;
	LIKWID_MARKER_CLOSE;
	LIKWID_NVMARKER_INIT;
	LIKWID_NVMARKER_START("part");
	LIKWID_NVMARKER_STOP("part");
	LIKWID_NVMARKER_CLOSE;
	return 0;
}

#endif
