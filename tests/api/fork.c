/* SPDX-License-Identifier: BSD-3-Clause */
/* Every way to copy a process. */
#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>

#include "fork.h"

/* Not declared by every libc that has it. */
pid_t _Fork(void) __attribute__((weak));

/* --- ways to fork ---------------------------------------------------------------------
 */

static pid_t raw_clone(void)
{
	return (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
}

static pid_t raw_fork(void)
{
#ifdef SYS_fork
	return (pid_t)syscall(SYS_fork);
#else
	return raw_clone();
#endif
}

static pid_t bare_fork(void)
{
	return _Fork ? _Fork() : raw_clone();
}

static const struct way {
	const char *name;
	pid_t (*fork)(void);
	bool past_libc; /* sanitizers do not see it */
} ways[] = {
	{ "fork", fork, false },
	{ "_Fork", bare_fork, true },
	{ "fork by system call", raw_fork, true },
	{ "clone by system call", raw_clone, true },
};
#define N_WAYS (sizeof(ways) / sizeof(*ways))

/* The child's pid goes to a file, so that the test finds its report. */
static void remember_child(const struct run *r, pid_t pid)
{
	FILE *file = fopen(run_path(r, "child"), "w");

	if (file) {
		fprintf(file, "%d", pid);
		fclose(file);
	}
}

static json_t *load_child(const struct run *r)
{
	char *text = run_slurp(run_path(r, "child")), name[64];
	json_t *report;

	snprintf(name, sizeof(name), "run.%s.json", text ? text : "");
	report = run_load(r, name);
	free(text);
	return report;
}

/* --- a child with regions -------------------------------------------------------------
 */

struct fork_case {
	struct run *r;
	const struct way *way;
};

static int fork_in_a_region(void *arg)
{
	const struct fork_case *c = arg;
	pid_t pid;

	for (int i = 0; i < 5; i++) {
		pmu_region_begin("outer");
		begin_end("inner");
		pmu_region_end("outer");
	}
	pmu_region_begin("outer");
	pmu_region_begin("twice");
	pmu_region_begin("twice");
	pid = c->way->fork();
	if (pid == 0) {
		begin_end("inner");
		begin_end("of the child");
		want_int(pmu_region_end("twice"), 0);
		want_int(pmu_region_end("twice"), 0);
		want_int(pmu_region_end("outer"), 0);
		want_int(pmu_region_end("outer"), -ENOENT);
		exit(0);
	}
	want(pid > 0);
	wait_for(pid);
	remember_child(c->r, pid);
	begin_end("of the parent");
	pmu_region_end("twice");
	pmu_region_end("twice");
	pmu_region_end("outer");
	return 0;
}

static void a_child_goes_on_in_a_table_of_its_own(const struct way *way)
{
	struct run r;
	struct fork_case c = { &r, way };
	json_t *child;

	run(&r, fork_in_a_region, &c, quick);
	run_good(&r, way->name);
	is_int(run_calls(r.json, "outer"), 6, "the parent's calls are its own");
	is_int(run_calls(r.json, "outer/inner"), 5, "and those inside");
	is_int(run_calls(r.json, "outer/twice/of the parent"), 1, "and those after the fork");
	is_int(run_calls(r.json, "outer/twice"), 2, "what was open goes on");
	ok(!run_region(r.json, "outer/twice/of the child"), "nothing of the child's is in it");

	child = load_child(&r);
	ok(child != NULL, "the child has a report with its pid in the name");
	is_int(run_calls(child, "outer"), 1, "what was open goes on from zero");
	is_int(run_calls(child, "outer/twice"), 2, "entered twice too");
	is_int(run_calls(child, "outer/twice/inner"), 1, "with what is in it");
	is_int(run_calls(child, "outer/twice/of the child"), 1, "its own region");
	ok(!run_region(child, "outer/inner"), "and not the parent's");
	is_int(run_doubts(child, "outer", "without a begin"), 1, "its own doubt");
	is_int(run_doubts(r.json, NULL, "without a begin"), 0, "is not the parent's");
	is_int((long long)json_array_size(json_object_get(child, "threads")), 1, "one thread");
	is_int(run_stores(&r, NULL, 0), 0, "no store is left");
	json_decref(child);
	run_done(&r);
}

static int end_first(void *arg)
{
	const struct fork_case *c = arg;
	pid_t pid;

	pmu_region_begin("open");
	pid = c->way->fork();
	if (pid == 0) {
		want_int(pmu_region_end("open"), 0);
		exit(0);
	}
	wait_for(pid);
	remember_child(c->r, pid);
	pmu_region_end("open");
	return 0;
}

static void an_end_may_be_the_childs_first_call(void)
{
	struct run r;
	struct fork_case c = { &r, &ways[0] };
	json_t *child;

	run(&r, end_first, &c, quick);
	run_good(&r, "a region begun before the fork and ended after it");
	child = load_child(&r);
	is_int(run_calls(r.json, "open"), 1, "in the parent");
	is_int(run_calls(child, "open"), 1, "in the child");
	json_decref(child);
	run_done(&r);
}

static int forget_in_the_child(void *arg)
{
	const struct fork_case *c = arg;
	pid_t pid;

	pmu_region_begin("inherited");
	pid = c->way->fork();
	if (pid == 0) {
		pmu_region_begin("forgotten");
		exit(0);
	}
	wait_for(pid);
	remember_child(c->r, pid);
	pmu_region_end("inherited");
	return 0;
}

static void what_a_child_forgets_is_its_own_doubt(void)
{
	struct run r;
	struct fork_case c = { &r, &ways[0] };
	json_t *child;

	run(&r, forget_in_the_child, &c, quick);
	run_good(&r, "a region that a child begins and never ends");
	child = load_child(&r);
	ok(run_flag(run_region(child, "inherited"), "open"), "what was open at the fork still is");
	is_int(run_doubts(child, "inherited", "still open"), 0, "which is its parent's affair");
	is_int(run_doubts(child, "inherited/forgotten", "still open"), 1,
	       "what it began itself is a doubt");
	is_int(run_doubts(r.json, NULL, "still open"), 0, "of the child alone");
	json_decref(child);
	run_done(&r);
}

static void first_report(void)
{
	want(pmu_report("/dev/null") <= 0);
}

static void first_read(void)
{
	struct pmu_region_counts counts = { .size = sizeof(counts) };

	want(pmu_region_read("outer", PMU_THREAD_SELF, &counts) < 0 || !counts.calls);
}

static void first_read_by_number(void)
{
	struct pmu_region_counts counts = { .size = sizeof(counts) };

	want(pmu_region_read("outer", 0, &counts) < 0 || !counts.calls);
}

static void first_count_name(void)
{
	pmu_count_name(0);
}

static void first_reset(void)
{
	pmu_region_reset("outer"); /* whatever it returns without a session */
}

static void first_is_open(void)
{
	want_int(pmu_region_is_open("outer"), 1);
	want_int(pmu_region_is_open("before"), 0);
}

static void first_group_next(void)
{
	want(pmu_group_next() < 0);
}

static void first_attach(void)
{
	want_int(pmu_thread_attach(), 0);
}

static void *begin_end_in_thread(void *arg)
{
	begin_end("in a thread");
	return arg;
}

static void first_thread(void)
{
	pthread_t thread;

	want_int(pthread_create(&thread, NULL, begin_end_in_thread, NULL), 0);
	pthread_join(thread, NULL);
}

static const struct first_call {
	const char *name;
	void (*call)(void);
} first_calls[] = {
	{ "pmu_report()", first_report },
	{ "pmu_region_read()", first_read },
	{ "pmu_region_read() by number", first_read_by_number },
	{ "pmu_count_name()", first_count_name },
	{ "pmu_region_reset()", first_reset },
	{ "pmu_region_is_open()", first_is_open },
	{ "pmu_group_next()", first_group_next },
	{ "pmu_thread_attach()", first_attach },
	{ "a thread's", first_thread },
};

struct first_case {
	struct run *r;
	const struct first_call *first;
};

static int other_call_first(void *arg)
{
	const struct first_case *c = arg;
	pid_t pid;

	begin_end("before");
	pmu_region_begin("outer");
	pid = fork();
	if (pid == 0) {
		c->first->call();
		begin_end("inner");
		want_int(pmu_region_end("outer"), 0);
		want_int(pmu_region_end("outer"), -ENOENT);
		exit(0);
	}
	wait_for(pid);
	remember_child(c->r, pid);
	pmu_region_end("outer");
	return 0;
}

static void what_is_open_goes_on_after_any_call(const struct first_call *first)
{
	struct run r;
	struct first_case c = { &r, first };
	json_t *child;

	run(&r, other_call_first, &c, quick);
	run_good(&r, first->name);
	child = load_child(&r);
	is_int(run_calls(r.json, "outer"), 1, "as a child's first call: the parent's");
	is_int(run_calls(child, "outer"), 1, "what is open in the child goes on");
	is_int(run_calls(child, "outer/inner"), 1, "and around what comes then");
	json_decref(child);
	run_done(&r);
}

/* --- a child without regions ----------------------------------------------------------
 */

static int fork_for_other_things(void *arg)
{
	const struct fork_case *c = arg;
	struct pmu_region_counts counts = { .size = sizeof(counts) };
	pid_t pid;

	begin_end("before");
	pmu_region_begin("around");
	for (int i = 0; i < 3; i++) {
		pid = c->way->fork();
		if (pid == 0)
			exit(0);
		wait_for(pid);
	}
	pmu_region_end("around");
	want_int(pmu_region_read("before", PMU_THREAD_SELF, &counts), 0);
	want_int((long long)counts.calls, 1);
	want_int(run_stores(c->r, NULL, 0), 1);
	return 0;
}

static void a_child_without_regions_leaves_no_trace(const struct way *way)
{
	struct run r;
	struct fork_case c = { &r, way };

	run(&r, fork_for_other_things, &c, quick);
	run_good(&r, way->name);
	is_int(run_calls(r.json, "before"), 1, "the parent's counts");
	is_int(run_calls(r.json, "around"), 1, "are intact");
	is_int(run_files(&r, "", ".json", NULL, 0), 1, "and its report is the only one");
	is_str(r.err, "", "nothing is printed");
	run_done(&r);
}

/* --- chains of children ---------------------------------------------------------------
 */

static int three_generations(void *arg)
{
	pid_t pid;

	(void)arg;
	begin_end("first");
	pid = fork();
	if (pid == 0) {
		begin_end("second");
		pid = fork();
		if (pid == 0) {
			begin_end("third");
			exit(0);
		}
		wait_for(pid);
		begin_end("second");
		exit(0);
	}
	wait_for(pid);
	begin_end("first");
	return 0;
}

static void each_generation_has_its_report(void)
{
	struct run r;
	int n;

	run(&r, three_generations, NULL, quick);
	run_good(&r, "a child's child");
	is_int(calls_in_any(&r, "first", &n), 2, "the first generation");
	is_int(calls_in_any(&r, "second", &n), 2, "the second");
	is_int(calls_in_any(&r, "third", &n), 1, "the third");
	is_int(n, 3, "a report each");
	run_done(&r);
}

/* --- threads --------------------------------------------------------------------------
 */

static int stop;

static void *work(void *arg)
{
	int n = 0;
	char name[32];

	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		snprintf(name, sizeof(name), "work %d", n++ % 100);
		begin_end(name); /* takes the library's locks now and then */
	}
	return arg;
}

static int fork_among_threads(void *arg)
{
	pthread_t thread[2];

	(void)arg;
	begin_end("main");
	pthread_create(&thread[0], NULL, work, NULL);
	pthread_create(&thread[1], NULL, work, NULL);
	for (int i = 0; i < 30; i++) {
		pid_t pid = fork();

		if (pid == 0) {
			begin_end("child");
			begin_end("main");
			exit(0);
		}
		wait_for(pid);
		begin_end("main");
	}
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	pthread_join(thread[0], NULL);
	pthread_join(thread[1], NULL);
	return 0;
}

static void a_program_with_threads_may_fork(void)
{
	struct run r;
	int n;

	run(&r, fork_among_threads, NULL, quick);
	run_good(&r, "30 forks while two threads are in the library");
	is_int(run_calls(r.json, "main"), 31, "the parent's own");
	ok(run_calls(r.json, "work 0") > 0, "and its threads'");
	is_int(calls_in_any(&r, "child", &n), 30, "each child's");
	is_int(n, 31, "with a report each");
	is_int(run_stores(&r, NULL, 0), 0, "no store is left");
	run_done(&r);
}

/* --- a fork while another thread starts or ends the session --- */

static volatile bool all_forked;

static void *start_and_end(void *arg)
{
	while (!all_forked) {
		pmu_fini();
		pmu_init(NULL);
	}
	return arg;
}

static int fork_while_it_starts(void *arg)
{
	pthread_t other;

	(void)arg;
	want_int(pmu_init(NULL), 0);
	if (pthread_create(&other, NULL, start_and_end, NULL))
		return 1;
	for (int i = 0; i < 200; i++) {
		pid_t child = fork();
		int status = 0;

		if (child == 0) {
			alarm(20);
			pmu_region_begin("child");
			pmu_region_end("child");
			_exit(0);
		}
		want(child > 0 && waitpid(child, &status, 0) == child && status == 0);
	}
	all_forked = true;
	pthread_join(other, NULL);
	return run_notes->n_failed ? 1 : 0;
}

static void a_fork_may_come_while_the_session_starts(void)
{
	static const char *const silent[] = { "PMU_PIN=none", "PMU_BACKEND=clock",
					      "PMU_OUTPUT=none", NULL };
	struct run r;

	run(&r, fork_while_it_starts, NULL, silent);
	ok(WIFEXITED(r.status) && WEXITSTATUS(r.status) == 0,
	   "200 forks while another thread starts and ends sessions");
	run_done(&r);
}

#define N_CHILDREN 50
#define N_FIRST    4
static pthread_barrier_t first_barrier;

static void *first_together(void *arg)
{
	pthread_barrier_wait(&first_barrier);
	for (int i = 0; i < 5; i++)
		begin_end("thread");
	return arg;
}

/* Sums over the child's threads, as any of its threads reads them. */
static void *read_threads(void *arg)
{
	struct pmu_region_counts counts = { .size = sizeof(counts) };
	int calls = 0;

	for (int i = 0; i < N_FIRST + 2; i++)
		if (pmu_region_read("thread", i, &counts) == 0)
			calls += (int)counts.calls;
	want_int(calls, 5 * N_FIRST);
	return arg;
}

static void be_a_child_of_threads(void)
{
	pthread_t thread[N_FIRST];

	alarm(20);
	pthread_barrier_init(&first_barrier, NULL, N_FIRST);
	for (int i = 0; i < N_FIRST; i++)
		want_int(pthread_create(&thread[i], NULL, first_together, NULL), 0);
	for (int i = 0; i < N_FIRST; i++)
		pthread_join(thread[i], NULL);
	pthread_create(&thread[0], NULL, read_threads, NULL);
	pthread_join(thread[0], NULL);
	read_threads(NULL);
	begin_end("main");
	read_threads(NULL);
	want_int(pmu_region_end("outer"), 0);
	_exit(0);
}

static int fork_children_of_threads(void *arg)
{
	(void)arg;
	begin_end("main");
	pmu_region_begin("outer");
	for (int i = 0; i < N_CHILDREN; i++) {
		pid_t pid = fork();

		if (pid == 0)
			be_a_child_of_threads();
		wait_for(pid);
	}
	pmu_region_end("outer");
	return 0;
}

static void a_child_may_make_threads_before_its_first_call(void)
{
	struct run r;

	run(&r, fork_children_of_threads, NULL, quick);
	run_good(&r, "50 children whose threads make their first calls together");
	is_int(run_calls(r.json, "main"), 1, "the parent's calls are its own");
	ok(!run_region(r.json, "thread") && !run_region(r.json, "outer/thread"),
	   "nothing of the children's is in it");
	run_done(&r);
}

/* --- signal handlers ------------------------------------------------------------------
 */

#define N_FORKS 25
static volatile sig_atomic_t n_forked;

static void fork_in_handler(int signal)
{
	int saved = errno;
	pid_t pid;

	(void)signal;
	if (n_forked >= N_FORKS)
		return;
	pid = bare_fork();
	if (pid == 0) {
		struct itimerval off = { 0 };

		setitimer(ITIMER_REAL, &off, NULL);
		/* The fork may have interrupted the library: then this is refused, and
		 * nothing worse. */
		if (pmu_region_begin("handler's child") == 0)
			pmu_region_end("handler's child");
		_exit(0);
	}
	if (pid > 0) {
		int status = -1;

		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
		want_int(status, 0);
	}
	n_forked++;
	errno = saved;
}

static int fork_by_timer(void *arg)
{
	struct itimerval often = { { 0, 2000 }, { 0, 2000 } };
	int n = 0;

	(void)arg;
	begin_end("loop");
	signal(SIGALRM, fork_in_handler);
	setitimer(ITIMER_REAL, &often, NULL);
	for (; n_forked < N_FORKS; n++)
		begin_end("loop");
	fprintf(stdout, "%d", n + 1);
	return 0;
}

static void a_signal_handler_may_fork(void)
{
	struct run r;

	run(&r, fork_by_timer, NULL, quick);
	run_good(&r, "forks in a signal handler that interrupts begin and end");
	is_int(run_calls(r.json, "loop"), r.out ? atoll(r.out) : -2, "no call is lost or doubled");
	run_done(&r);
}

/* The child returns from the handler, into whatever was interrupted. */
static volatile sig_atomic_t in_child;

static void fork_and_return(int signal)
{
	int saved = errno;
	pid_t pid;

	(void)signal;
	if (in_child || n_forked >= N_FORKS)
		return;
	pid = bare_fork();
	if (pid == 0) {
		struct itimerval off = { 0 };

		setitimer(ITIMER_REAL, &off, NULL);
		in_child = 1;
	} else {
		int status = -1;

		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
		want_int(status, 0);
		n_forked++;
	}
	errno = saved;
}

static int go_on_in_the_child(void *arg)
{
	struct itimerval often = { { 0, 1000 }, { 0, 1000 } };
	int n = 0;

	(void)arg;
	begin_end("loop");
	signal(SIGALRM, fork_and_return);
	setitimer(ITIMER_REAL, &often, NULL);
	for (; n_forked < N_FORKS && !in_child; n++)
		begin_end("loop");
	if (in_child) {
		for (int i = 0; i < 1000; i++)
			begin_end("loop in the child");
		exit(0);
	}
	fprintf(stdout, "%d", n + 1);
	return 0;
}

static void a_fork_may_interrupt_the_library(void)
{
	long long extra;
	struct run r;
	int n;

	run(&r, go_on_in_the_child, NULL, quick);
	run_good(&r, "children that return into an interrupted begin or end");
	/* Both finish the call that was interrupted: in one table it may be there twice,
	 * but not unsaid. */
	extra = run_calls(r.json, "loop") - (r.out ? atoll(r.out) : 0);
	diag("%lld calls too many", extra);
	ok(extra == 0 || (extra > 0 && extra <= N_FORKS &&
			  run_doubts(r.json, NULL, "forked while") >= extra),
	   "the parent's calls are its own, or doubted");
	ok(!run_region(r.json, "loop in the child"), "its regions are");
	is_int(calls_in_any(&r, "loop in the child", &n) +
		       calls_in_any(&r, "loop/loop in the child", &n),
	       1000 * N_FORKS, "the children's calls are theirs");
	is_int(n, N_FORKS + 1, "with a report each");
	run_done(&r);
}

int main(void)
{
	for (size_t i = 0; i < N_WAYS; i++) {
		if (RUN_SANITIZED && ways[i].past_libc) {
			skip(ways[i].name, "sanitizers lose track of such a child");
			continue;
		}
		a_child_goes_on_in_a_table_of_its_own(&ways[i]);
		a_child_without_regions_leaves_no_trace(&ways[i]);
	}
	an_end_may_be_the_childs_first_call();
	what_a_child_forgets_is_its_own_doubt();
	for (size_t i = 0; i < sizeof(first_calls) / sizeof(*first_calls); i++)
		what_is_open_goes_on_after_any_call(&first_calls[i]);
	each_generation_has_its_report();
	a_program_with_threads_may_fork();
	if (RUN_SANITIZED)
		skip("a fork while a session starts", "sanitizers' own locks may be taken then");
	else
		a_fork_may_come_while_the_session_starts();
	a_child_may_make_threads_before_its_first_call();
	if (RUN_SANITIZED)
		skip("a signal handler may fork", "sanitizers lose track of such a child");
	else {
		a_signal_handler_may_fork();
		a_fork_may_interrupt_the_library();
	}
	return done_testing();
}
