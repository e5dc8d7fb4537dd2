/* SPDX-License-Identifier: BSD-3-Clause */
/* Signal handlers that use regions, whatever they interrupt. */
#include <pthread.h>
#include <sys/resource.h>
#include <sys/time.h>

#include "run.h"

static const char *const quick[] = { "PMU_PIN=none", "PMU_BACKEND=clock", NULL };

/* Shared with the test: what the handlers saw. */
struct seen {
	uint64_t signals, pairs, refused, odd_code, odd_errno;
	uint64_t calls; /* of the main program */
};

static struct seen *seen;

static struct seen *share(void)
{
	return mmap(NULL, sizeof(*seen), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
}

static void count(uint64_t *number)
{
	__atomic_fetch_add(number, 1, __ATOMIC_RELAXED);
}

static void use_region(int signal)
{
	int begun, ended, saved = errno;

	(void)signal;
	errno = 4711;
	begun = pmu_region_begin("handler");
	ended = pmu_region_end("handler");
	if (errno != 4711)
		count(&seen->odd_errno);
	count(&seen->signals);
	if (begun == 0 && ended == 0) {
		count(&seen->pairs);
	} else if (begun == -EBUSY && ended == -EBUSY) {
		count(&seen->refused);
		count(&seen->refused);
	} else {
		count(&seen->odd_code);
	}
	errno = saved;
}

static void every_us(long us)
{
	struct itimerval often = { { 0, us }, { 0, us } };
	struct sigaction action = { .sa_handler = use_region, .sa_flags = SA_RESTART };

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
}

static void no_more(void)
{
	struct itimerval off = { 0 };

	setitimer(ITIMER_REAL, &off, NULL);
	signal(SIGALRM, SIG_IGN);
}

#define ENOUGH 300

/* Until the handlers have been refused a number of times: where they hit is chance. */
static bool more(uint64_t at_most)
{
	return (seen->refused < ENOUGH || seen->signals < 2 * ENOUGH) && seen->calls < at_most;
}

static int interrupt_the_hot_path(void *arg)
{
	(void)arg;
	pmu_region_begin("loop"); /* the session starts without being interrupted */
	pmu_region_end("loop");
	seen->calls = 1;
	every_us(50);
	while (more(30000000)) {
		if (pmu_region_begin("loop") < 0 || pmu_region_end("loop") < 0)
			want(false);
		seen->calls++;
	}
	no_more();
	return 0;
}

static void check_seen(const struct run *r, const char *path)
{
	long long in_tree = 0;
	size_t i;
	json_t *region;

	ok(seen->signals > 0, "there were %" PRIu64 " signals, %" PRIu64 " calls were refused",
	   seen->signals, seen->refused);
	is_u64(seen->odd_code, 0, "a handler's pair is made or refused as a whole");
	is_u64(seen->odd_errno, 0, "errno is left alone");
	is_int(run_calls(r->json, path), (long long)seen->calls, "no interrupted call is lost");
	json_array_foreach(json_object_get(r->json, "regions"), i, region)
	{
		if (!strcmp(run_str(region, "name"), "handler"))
			in_tree += run_int(region, "calls");
	}
	is_int(in_tree, (long long)seen->pairs, "no handler's call is lost");
	is_int(run_doubts(r->json, NULL, "signal handler"), (long long)seen->refused,
	       "each refused one is a doubt");
	is_int(run_doubts(r->json, NULL, "never ended") +
		       run_doubts(r->json, NULL, "without a begin") +
		       run_doubts(r->json, NULL, "overlap"),
	       0, "and nothing else is doubted");
}

static void handlers_may_interrupt_begin_and_end(void)
{
	struct run r;

	seen = share();
	run(&r, interrupt_the_hot_path, NULL, quick);
	run_good(&r, "signals among begins and ends");
	check_seen(&r, "loop");
	ok(seen->refused > 0, "some did hit the library");
	run_done(&r);
	munmap(seen, sizeof(*seen));
}

static int interrupt_the_slow_path(void *arg)
{
	char name[32];

	(void)arg;
	pmu_region_begin("slow");
	every_us(50);
	while (more(30000)) {
		/* new names: memory, rows, locks */
		snprintf(name, sizeof(name), "new %" PRIu64, seen->calls);
		if (pmu_region_begin(name) < 0 || pmu_region_end(name) < 0)
			want(false);
		seen->calls++;
	}
	no_more();
	pmu_region_end("slow");
	return 0;
}

static void handlers_may_interrupt_the_first_call_of_a_region(void)
{
	long long n = 0;
	struct run r;
	size_t i;
	json_t *region;

	seen = share();
	run(&r, interrupt_the_slow_path, NULL, quick);
	run_good(&r, "signals among the first calls of regions");
	json_array_foreach(json_object_get(r.json, "regions"), i, region)
	{
		if (!strncmp(run_str(region, "name"), "new ", 4))
			n += run_int(region, "calls");
	}
	is_int(n, (long long)seen->calls, "each is there");
	seen->calls = 1;
	check_seen(&r, "slow");
	run_done(&r);
	munmap(seen, sizeof(*seen));
}

/* The very first call of the process is the handler's, or is interrupted by one. */
static int interrupt_the_start(void *arg)
{
	(void)arg;
	every_us(100);
	for (int i = 0; i < 20; i++) {
		pmu_region_begin("main");
		pmu_region_end("main");
		seen->calls++;
		pmu_fini();
		pmu_init(NULL);
	}
	no_more();
	return 0;
}

static void handlers_may_interrupt_start_and_end_of_a_session(void)
{
	struct run r;

	if (RUN_SANITIZED) {
		skip("signals while sessions start and end", "starting one takes memory");
		return;
	}
	seen = share();
	run(&r, interrupt_the_start, NULL, quick);
	run_good(&r, "signals while sessions start and end");
	is_u64(seen->odd_errno, 0, "errno is left alone");
	ok(seen->signals > 0, "there were %" PRIu64 " signals", seen->signals);
	ok(run_calls(r.json, "main") == 1, "and the first report is whole");
	run_done(&r);
	munmap(seen, sizeof(*seen));
}

/* What holds the library's lock for long is interrupted by a region that needs it. */
static void use_new_region(int signal)
{
	static volatile sig_atomic_t n;
	int saved = errno;
	char name[16] = "new 0000";

	(void)signal;
	for (int at = 7, i = n++; at > 3; at--, i /= 10)
		name[at] = (char)('0' + i % 10);
	if (pmu_region_begin(name) == 0) {
		pmu_region_end(name);
		count(&seen->pairs);
	}
	count(&seen->signals);
	errno = saved;
}

static int interrupt_other_calls(void *arg)
{
	struct pmu_region_counts counts = { .size = sizeof(counts) };

	(void)arg;
	pmu_region_begin("main");
	pmu_region_end("main");
	every_us(100);
	signal(SIGALRM, use_new_region);
	while (seen->signals < 300) {
		want_int(pmu_region_read("main", 0, &counts), 0);
		want_int(pmu_region_read("main", PMU_THREAD_SELF, &counts), 0);
		want_int(pmu_report("/dev/null"), 0);
		want_int(pmu_region_reset("nothing"), -ENOENT);
		want_int(pmu_group_next(), -ENOENT);
	}
	no_more();
	return 0;
}

static void handlers_may_interrupt_reports_and_reads(void)
{
	long long n = 0;
	struct run r;
	size_t i;
	json_t *region;

	seen = share();
	run(&r, interrupt_other_calls, NULL, quick);
	run_good(&r, "signals among reports and reads");
	json_array_foreach(json_object_get(r.json, "regions"), i, region)
	{
		if (!strncmp(run_str(region, "name"), "new ", 4))
			n += run_int(region, "calls");
	}
	is_int(n, (long long)seen->pairs, "no handler's call is lost");
	is_int(run_calls(r.json, "main"), 1, "and the region is as it was");
	run_done(&r);
	munmap(seen, sizeof(*seen));
}

/* --- many threads ---------------------------------------------------------------------
 */

static void *be_interrupted(void *arg)
{
	for (int i = 0; i < 100; i++) {
		if (pmu_region_begin("loop") < 0 || pmu_region_end("loop") < 0)
			want(false);
		count(&seen->calls);
	}
	return arg;
}

static int interrupt_threads_that_come_and_go(void *arg)
{
	pthread_t thread[2];

	(void)arg;
	want_int(pmu_init(NULL), 0); /* which a handler cannot do whatever it interrupts */
	every_us(100);
	for (int i = 0; i < 200; i++) {
		for (int k = 0; k < 2; k++)
			want_int(pthread_create(&thread[k], NULL, be_interrupted, NULL), 0);
		for (int k = 0; k < 2; k++)
			pthread_join(thread[k], NULL);
	}
	no_more();
	return 0;
}

static void handlers_may_interrupt_threads_that_come_and_go(void)
{
	struct run r;

	seen = share();
	run(&r, interrupt_threads_that_come_and_go, NULL, quick);
	run_good(&r, "signals among threads");
	is_u64(seen->odd_errno, 0, "errno is left alone");
	is_int(run_calls(r.json, "loop"), (long long)seen->calls, "no interrupted call is lost");
	run_done(&r);
	munmap(seen, sizeof(*seen));
}

/* --- leaving a handler by a jump, or the program --------------------------------------
 */

static void leave_program(int signal)
{
	(void)signal;
	exit(0);
}

static int exit_in_a_handler(void *arg)
{
	struct itimerval once = { { 0, 0 }, { 0, *(int *)arg } };

	pmu_region_begin("loop");
	pmu_region_end("loop");
	signal(SIGALRM, leave_program);
	setitimer(ITIMER_REAL, &once, NULL);
	for (;;) {
		pmu_region_begin("loop");
		pmu_region_end("loop");
	}
	return 9;
}

static void a_handler_may_end_the_program(void)
{
	int good = 0;

	if (RUN_SANITIZED) {
		skip("exit() in a handler", "sanitizers object: it takes memory");
		return;
	}
	for (int i = 0; i < 20; i++) {
		int us = 300 + 97 * i;
		struct run r;

		run(&r, exit_in_a_handler, &us, quick);
		good += WIFEXITED(r.status) && !WEXITSTATUS(r.status) &&
			run_calls(r.json, "loop") >= 1;
		run_done(&r);
	}
	is_int(good, 20, "exit() in a handler that interrupted the library, with a report");
}

/* New names take the library's lock, which the handler's thread then has. */
static int exit_in_the_lock(void *arg)
{
	struct itimerval once = { { 0, 0 }, { 0, *(int *)arg } };
	const struct rlimit little = { 20, 20 };
	char name[32];

	setrlimit(RLIMIT_CPU, &little);
	pmu_region_begin("first");
	pmu_region_end("first");
	signal(SIGALRM, leave_program);
	setitimer(ITIMER_REAL, &once, NULL);
	for (unsigned int i = 0;; i++) {
		snprintf(name, sizeof(name), "region %u", i % 20000);
		pmu_region_begin(name);
		pmu_region_end(name);
	}
	return 9;
}

static void a_handler_may_end_the_program_in_the_lock(void)
{
	int n = 0, n_kept = 0, n_said = 0;

	if (RUN_SANITIZED) {
		skip("exit() in a handler", "sanitizers object: it takes memory");
		return;
	}
	for (int i = 0; i < 20; i++) {
		int us = 1000 + 197 * i;
		struct run r;

		run(&r, exit_in_the_lock, &us, quick);
		n += WIFEXITED(r.status) && !WEXITSTATUS(r.status);
		n_kept += r.json || run_stores(&r, NULL, 0) == 1;
		n_said += r.json || strstr(r.err, "no report: exit() was called in a signal");
		run_done(&r);
	}
	is_int(n, 20, "exit() in a handler that interrupted the library in its lock");
	is_int(n_kept, 20, "leaves a report, or the results");
	is_int(n_said, 20, "and says where these are");
}

static int errno_is_kept(void *arg)
{
	char name[PMU_NAME_MAX + 2];

	(void)arg;
	memset(name, 'x', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	errno = 4711;
	pmu_region_begin("first");
	want_int(errno, 4711);
	pmu_region_end("first");
	pmu_region_end("unknown");
	pmu_region_begin(NULL);
	pmu_region_begin(name);
	pmu_region_read("nothing", PMU_THREAD_SELF, &(struct pmu_region_counts){ .size = 16 });
	pmu_region_reset("nothing");
	pmu_thread_attach();
	pmu_report("/no/such/folder/x");
	pmu_group_next();
	pmu_count_name(0);
	pmu_init(NULL);
	want_int(errno, 4711);
	pmu_fini();
	want_int(errno, 4711);
	pmu_init(NULL);
	want_int(errno, 4711);
	return 0;
}

static void errno_is_nobodys_business(void)
{
	struct run r;

	run(&r, errno_is_kept, NULL, NULL);
	run_good(&r, "no call changes errno");
	run_done(&r);
}

int main(void)
{
	handlers_may_interrupt_begin_and_end();
	handlers_may_interrupt_the_first_call_of_a_region();
	handlers_may_interrupt_start_and_end_of_a_session();
	handlers_may_interrupt_reports_and_reads();
	handlers_may_interrupt_threads_that_come_and_go();
	a_handler_may_end_the_program();
	a_handler_may_end_the_program_in_the_lock();
	errno_is_nobodys_business();
	return done_testing();
}
