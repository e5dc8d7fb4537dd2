/* SPDX-License-Identifier: BSD-3-Clause */
/* How much stack the public calls take: at most 6 KiB, so that any thread has room for them. */
#include <pthread.h>
#include <stdint.h>
#include <sys/mman.h>

#include "run.h"

#define MOST        6144u
#define STACK_BYTES (256u << 10)
#define PATTERN     0x5a5a5a5a5a5a5a5aull

/* Calls in a thread of a process of its own, on a stack that is known to be full of the pattern. */
struct deed {
	const char *name;
	void (*run)(void);
	const char *env[4];
	char *stack; /* shared with the process */
};

static void *do_it(void *arg)
{
	((struct deed *)arg)->run();
	return NULL;
}

/* --- the calls --- */

static void attach(void)
{
	want_int(pmu_thread_attach(), 0);
}

static void region(void)
{
	want_int(pmu_region_begin("outer"), 0);
	want_int(pmu_region_begin("a region"), 0);
	want_int(pmu_region_end("a region"), 0);
	want_int(pmu_region_end("outer"), 0);
}

/* Where this machine can. */
static void tried(void)
{
	pmu_region_begin("outer");
	pmu_region_end("outer");
	pmu_group_next();
	pmu_region_begin("outer");
	pmu_region_end("outer");
}

static void refused(void)
{
	want(pmu_region_begin("outer") < 0);
}

static void wrong(void)
{
	want(pmu_region_end("never begun") < 0);
}

static void read_region(void)
{
	struct pmu_region_counts counts = { .size = sizeof(counts) };

	region();
	want_int(pmu_region_read("a region", PMU_THREAD_SELF, &counts), 0);
	want_int(pmu_region_read("outer/a region", 0, &counts), 0);
	want_int(pmu_region_reset("a region"), 0);
}

static void report(void)
{
	region();
	want_int(pmu_report("report.json"), 0);
	want_int(pmu_report("report.csv"), 0);
	want_int(pmu_report("report.txt"), 0);
}

static void report_text(void)
{
	char *text = NULL;

	region();
	want_int(pmu_report_text("text", &text), 0);
	free(text);
}

static void sessions(void)
{
	region();
	want_int(pmu_fini(), 0);
	want_int(pmu_init(NULL), 0);
	region();
}

static void by_hand(void)
{
	struct pmu_counters *counters = NULL;

	if (pmu_counters_open("software/context-switches/", PMU_SCOPE_THREAD, &counters) == 0)
		pmu_counters_close(counters);
}

static void odds(void)
{
	region();
	want_int(pmu_note("a note"), 0);
	pmu_checkpoint(PMU_NEXT_GOES_ON);
	pmu_count_name(0);
	pmu_strerror(-5);
	pmu_last_error();
}

static void leave(void)
{
	region();
	exit(0);
}

static void nothing(void)
{
}

/* --- in a process of its own each --- */

static int in_child(void *arg)
{
	struct deed *deed = arg;
	char folder[512];
	pthread_attr_t attr;
	pthread_t thread;

	snprintf(folder, sizeof(folder), "%s", getenv("PMU_OUTPUT"));
	*strrchr(folder, '/') = '\0';
	want_int(chdir(folder), 0); /* its own, for the reports */
	pthread_attr_init(&attr);
	want_int(pthread_attr_setstack(&attr, deed->stack, STACK_BYTES), 0);
	want_int(pthread_create(&thread, &attr, do_it, deed), 0);
	pthread_join(thread, NULL);
	return 0;
}

/* Bytes that were written below the stack's beginning. */
static size_t taken_by(struct deed *deed)
{
	uint64_t *word;
	struct run r;
	size_t i = 0;

	deed->stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			   -1, 0);
	if (deed->stack == MAP_FAILED)
		return SIZE_MAX;
	word = (uint64_t *)(void *)deed->stack;
	for (; i < STACK_BYTES / sizeof(*word); i++)
		word[i] = PATTERN;
	run(&r, in_child, deed, deed->env);
	is_int(r.status, 0, "the process ends well");
	is_int(r.notes->n_failed, 0, "and each call did what was asked for");
	run_done(&r);
	for (i = 0; i < STACK_BYTES / sizeof(*word) && word[i] == PATTERN;)
		i++;
	munmap(deed->stack, STACK_BYTES);
	return STACK_BYTES - i * sizeof(*word);
}

int main(void)
{
	struct deed none = { "nothing", nothing, { "PMU_BACKEND=clock", NULL }, NULL };
	struct deed deeds[] = {
		{ "the first region", region, { NULL }, NULL },
		{ "the first region, pinned", region, { "PMU_PIN=compact", NULL }, NULL },
		{ "the first region, on a list of processors",
		  tried,
		  { "PMU_PIN=cpus:0", NULL },
		  NULL },
		{ "the first region, with software events",
		  tried,
		  { "PMU_GROUP=SOFTWARE", NULL },
		  NULL },
		{ "the first region, of a processor",
		  tried,
		  { "PMU_COUNT=cpu", "PMU_GROUP=SOFTWARE", NULL },
		  NULL },
		{ "the first region, of the process",
		  tried,
		  { "PMU_COUNT=process", "PMU_GROUP=SOFTWARE", NULL },
		  NULL },
		{ "the first region, with a wrong setting",
		  refused,
		  { "PMU_GROUP=NONE_SUCH", NULL },
		  NULL },
		{ "pmu_thread_attach()", attach, { NULL }, NULL },
		{ "an end without a begin", wrong, { NULL }, NULL },
		{ "pmu_region_read() and _reset()", read_region, { NULL }, NULL },
		{ "pmu_report()", report, { NULL }, NULL },
		{ "pmu_report_text()", report_text, { NULL }, NULL },
		{ "pmu_fini() and pmu_init()", sessions, { NULL }, NULL },
		{ "pmu_group_next()", tried, { "PMU_GROUP=TIME,SOFTWARE", NULL }, NULL },
		{ "pmu_counters_open()", by_hand, { NULL }, NULL },
		{ "what is left", odds, { NULL }, NULL },
		{ "exit()", leave, { NULL }, NULL },
	};
	/* not known to the compiler, which would warn of what it finds without callers */
	volatile bool sanitized = RUN_SANITIZED;
	size_t without;

	if (sanitized) {
		skip("small stacks", "sanitizers need more");
		return done_testing();
	}
	without = taken_by(&none);
	for (size_t i = 0; i < sizeof(deeds) / sizeof(*deeds); i++) {
		size_t taken = taken_by(&deeds[i]) - without;

		if (!ok(taken <= MOST, "%s takes 6 KiB of stack at most", deeds[i].name))
			diag("it takes %zu bytes", taken);
	}
	return done_testing();
}
