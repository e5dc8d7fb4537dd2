/* SPDX-License-Identifier: BSD-3-Clause */
/* Descriptors: closed, taken, used up, inherited, and standard error without one. */
#include <pthread.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "surroundings.h"

static void close_from(int first)
{
	for (int fd = first; fd < 4096; fd++)
		close(fd);
#ifdef SYS_close_range
	syscall(SYS_close_range, (unsigned int)first, ~0u, 0u);
#endif
}

/* --- descriptors ----------------------------------------------------------------------
 */

static int close_all_first(void *arg)
{
	close_from(*(int *)arg);
	some_regions();
	return 0;
}

static void descriptors_may_be_closed_before(void)
{
	struct run r;

	for (int first = 0; first <= 3; first += 3) {
		run(&r, close_all_first, &first, software);
		run_good(&r, first ? "all but the standard ones closed at the start"
				   : "all descriptors closed at the start");
		check_regions(&r);
		run_done(&r);
	}
}

static int close_all_meanwhile(void *arg)
{
	some_regions();
	pmu_region_begin("closes");
	close_from(*(int *)arg);
	pmu_region_end("closes");
	some_regions();
	begin_end("closes");
	return 0;
}

static void descriptors_may_be_closed_meanwhile(const char *const *env, const char *how)
{
	struct run r;

	for (int first = 0; first <= 3; first += 3) {
		run(&r, close_all_meanwhile, &first, env);
		run_good(&r, how);
		is_int(run_calls(r.json, "outer"), 200, "regions before and after are there");
		is_int(run_calls(r.json, "closes"), 2, "and the one around it");
		run_done(&r);
	}
}

/* Every number that was ours now is the program's data file. */
static int take_all_numbers(void *arg)
{
	const struct run *r = arg;
	struct rlimit limit = { 256, 256 };
	char text[16] = "";
	int data;

	setrlimit(RLIMIT_NOFILE, &limit);
	some_regions();
	close_from(0);
	data = open(run_path(r, "data"), O_RDWR | O_CREAT | O_TRUNC, 0600);
	want_int(data, 0);
	want_int(write(data, "mine", 4), 4);
	for (int fd = 1; fd < 256; fd++)
		want_int(dup2(data, fd), fd);
	some_regions();
	want_int(pmu_fini(), -EMFILE); /* no number is left for a file */
	for (int fd = 0; fd < 256; fd++)
		want(fcntl(fd, F_GETFD) >= 0);
	want_int(pread(data, text, sizeof(text), 0), 4);
	want(!strcmp(text, "mine"));
	return 0;
}

static void what_is_no_longer_ours_is_left_alone(const char *const *env, const char *how)
{
	struct run r;
	char *data;

	if (RUN_SANITIZED) {
		skip(how, "sanitizers need a descriptor at the end");
		return;
	}
	run(&r, take_all_numbers, &r, env);
	run_good(&r, how);
	data = run_slurp(run_path(&r, "data"));
	is_str(data, "mine", "nothing of ours is in the program's file");
	free(data);
	run_done(&r);
}

static int lose_the_source(void *arg)
{
	(void)arg;
	some_regions();
	close_from(3);
	for (int i = 0; i < 100; i++)
		begin_end("uncounted");
	return 0;
}

static void a_lost_source_is_a_doubt(void)
{
	const json_t *raw;
	struct run r;
	char *source;

	run(&r, lose_the_source, NULL, software);
	run_good(&r, "a source whose descriptors were closed");
	source = run_list(r.json, "source");
	if (strstr(source, "getrusage says")) {
		skip("it is a doubt", "nothing here counts by descriptors");
	} else {
		raw = json_object_get(run_region(r.json, "uncounted"), "raw");
		ok(run_doubts(r.json, NULL, "closed our descriptors") >= 1, "it is a doubt");
		ok(json_is_null(json_object_get(raw, "page-faults")) &&
			   json_object_get(raw, "page-faults"),
		   "and the counts are missing, not 0");
	}
	free(source);
	check_regions(&r);
	is_int(run_calls(r.json, "uncounted"), 100, "calls and times go on");
	run_done(&r);
}

static int use_up_descriptors(void *arg)
{
	struct rlimit limit = { 16, 0 }, after;
	rlim_t hard = *(rlim_t *)arg;

	limit.rlim_max = hard;
	want_int(setrlimit(RLIMIT_NOFILE, &limit), 0);
	while (open("/dev/null", O_RDONLY) >= 0)
		;
	want_int(errno, EMFILE);
	some_regions();
	getrlimit(RLIMIT_NOFILE, &after);
	want_int((long long)after.rlim_cur, 16);
	return 0;
}

#define FEW          64
#define MANY_THREADS 50

static pthread_barrier_t all_there;

static void *counted_thread(void *arg)
{
	enum { PAGES = 20, PAGE = 4096 };
	char *page = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			  -1, 0);

	want_int(madvise(page, PAGES * PAGE, MADV_NOHUGEPAGE), 0);
	pmu_region_begin("in a thread");
	for (int i = 0; i < PAGES; i++)
		*(volatile char *)(page + i * PAGE) = 1;
	pmu_region_end("in a thread");
	pthread_barrier_wait(&all_there); /* all have what they need */
	pthread_barrier_wait(&all_there);
	return arg;
}

/* More threads than descriptors, each with counters. */
static int leave_some_descriptors(void *arg)
{
	struct rlimit few = { FEW, FEW };
	pthread_t thread[MANY_THREADS];
	int n = 0;

	want_int(setrlimit(RLIMIT_NOFILE, &few), 0);
	some_regions();
	pthread_barrier_init(&all_there, NULL, MANY_THREADS + 1);
	for (int i = 0; i < MANY_THREADS; i++)
		want_int(pthread_create(&thread[i], NULL, counted_thread, arg), 0);
	pthread_barrier_wait(&all_there);
	while (open("/dev/null", O_RDONLY) >= 0)
		n++;
	want(n >= FEW / 2);
	for (int fd = 3; fd < FEW && n; fd++) { /* for the report */
		char link[64], path[64] = "";

		snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
		if (readlink(link, path, sizeof(path) - 1) > 0 && !strcmp(path, "/dev/null") &&
		    !close(fd))
			n--;
	}
	pthread_barrier_wait(&all_there);
	for (int i = 0; i < MANY_THREADS; i++)
		pthread_join(thread[i], NULL);
	return 0;
}

static void the_program_keeps_most_descriptors(void)
{
	const json_t *faults;
	struct run r;

	if (RUN_SANITIZED) {
		skip("a share of the descriptors", "sanitizers need some");
		return;
	}
	run(&r, leave_some_descriptors, NULL, software);
	run_good(&r, "50 threads with counters and 64 descriptors");
	is_int(run_calls(r.json, "in a thread"), MANY_THREADS, "each has its calls");
	faults = json_object_get(json_object_get(run_region(r.json, "in a thread"), "raw"),
				 "page-faults");
	ok(json_integer_value(faults) >= 20 * MANY_THREADS,
	   "and its page faults, also where getrusage tells them: %lld",
	   (long long)json_integer_value(faults));
	run_done(&r);
}

/*
 * The worst that a program can do to itself: where the soft limit is the hard one, it closes what
 * it does not know, and every number is a pipe's with something in it.
 */
static int take_all_numbers_for_a_pipe(void *arg)
{
	struct rlimit few = { FEW, FEW };
	int ends[2], left = 0, later = 0;
	char text[4096];

	(void)arg;
	memset(text, 'x', sizeof(text));
	want_int(setrlimit(RLIMIT_NOFILE, &few), 0);
	some_regions();
	close_from(0);
	want_int(pipe(ends), 0);
	for (int fd = 2; fd < FEW; fd++)
		want_int(dup2(ends[0], fd), fd);
	want_int(write(ends[1], text, sizeof(text)), sizeof(text));
	some_regions();
	want_int(ioctl(ends[0], FIONREAD, &left), 0);
	want(left >= (int)sizeof(text) - 152); /* as the README has it: one read of the library's */
	some_regions();
	pmu_fini();
	want_int(ioctl(ends[0], FIONREAD, &later), 0);
	want_int(later, left); /* and never again */
	return 0;
}

static void a_pipe_in_their_place_loses_one_read_at_most(void)
{
	struct run r;

	if (RUN_SANITIZED) {
		skip("a pipe in place of counters", "sanitizers need a descriptor at the end");
		return;
	}
	run(&r, take_all_numbers_for_a_pipe, NULL, software);
	run_good(&r, "a pipe at every number that was ours");
	run_done(&r);
}

static void descriptors_may_be_few(void)
{
	rlim_t hard[] = { 64, 16 };
	struct run r;

	if (RUN_SANITIZED) {
		skip("few descriptors", "sanitizers need one at the end");
		return;
	}
	run(&r, use_up_descriptors, &hard[0], software);
	run_good(&r, "no descriptor left below the soft limit");
	run_done(&r);
	run(&r, use_up_descriptors, &hard[1], software);
	run_good(&r, "none at all");
	run_done(&r);
}

/* --- standard error -------------------------------------------------------------------
 */

enum when { BEFORE, AFTER };

static int data_as_standard_error(void *arg)
{
	const struct run *r = ((void **)arg)[0];
	enum when when = *(enum when *)((void **)arg)[1];
	int data;

	if (when == AFTER)
		some_regions();
	close(STDERR_FILENO);
	data = open(run_path(r, "data"), O_RDWR | O_CREAT | O_TRUNC, 0600);
	want_int(data, STDERR_FILENO);
	want_int(write(data, "mine", 4), 4);
	some_regions();
	return 0;
}

static void a_data_file_may_have_standard_errors_number(enum when when, const char *how)
{
	static const char *const env[] = { "PMU_PIN=none", "PMU_OUTPUT", NULL };
	struct run r;
	void *arg[] = { &r, &when };
	char *data;

	run(&r, data_as_standard_error, arg, env);
	run_good(&r, how);
	data = run_slurp(run_path(&r, "data"));
	is_str(data, "mine", "nothing of ours is in the program's file");
	free(data);
	run_done(&r);
}

static int closed_error_then_open(void *arg)
{
	(void)arg;
	close(STDERR_FILENO);
	some_regions();
	want_int(open("/dev/null", O_RDWR), STDERR_FILENO);
	return 0;
}

static void standard_error_may_be_closed(void)
{
	static const char *const env[] = { "PMU_PIN=none", "PMU_OUTPUT", NULL };
	struct run r;

	run(&r, closed_error_then_open, NULL, env);
	run_good(&r, "standard error closed before the first region");
	is_str(r.err, "", "the report goes nowhere");
	is_str(r.out, "", "and not to standard output");
	run_done(&r);
	run(&r, only_regions, NULL, env);
	run_good(&r, "and where it is open");
	has(r.err, "outer", "the report is there");
	run_done(&r);
}

/* Started with 2>&-: its first open() gets the number 2, before any region. */
static int start_without_standard_error(void *arg)
{
	close(STDERR_FILENO);
	execl("/proc/self/exe", "self", "--data", run_path(arg, "data"), (char *)NULL);
	return 9;
}

static int write_data(const char *path)
{
	int data = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);

	if (data != STDERR_FILENO || write(data, "mine", 4) != 4)
		return 8;
	pmu_region_begin("r");
	pmu_region_end("r");
	return 0;
}

static void it_may_be_closed_when_the_program_starts(void)
{
	static const char *const env[] = { "PMU_PIN=none", "PMU_OUTPUT", NULL };
	struct run r;
	char *data;

	run(&r, start_without_standard_error, &r, env);
	run_good(&r, "a program started without standard error");
	data = run_slurp(run_path(&r, "data"));
	is_str(data, "mine", "nothing of ours is in its data file");
	free(data);
	run_done(&r);
}

/* --- copies of descriptors ------------------------------------------------------------
 */

static int n_of_perf(void)
{
	char path[64], link[64];
	int n = 0;
	ssize_t len;

	for (int fd = 0; fd < 1024; fd++) {
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		len = readlink(path, link, sizeof(link) - 1);
		link[len < 0 ? 0 : len] = '\0';
		n += !strcmp(link, "anon_inode:[perf_event]");
	}
	return n;
}

/* The child is a daemon, that never comes by the library. */
static int child_with_counters(void *arg)
{
	struct rlimit limit;
	int status = -1;
	pid_t pid;

	(void)arg;
	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = limit.rlim_cur < 1024 ? limit.rlim_cur : 1024;
	setrlimit(RLIMIT_NOFILE, &limit);
	some_regions();
	if (!n_of_perf())
		return 77;
	pid = fork();
	if (pid == 0)
		_exit(n_of_perf());
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 78;
}

static void a_child_keeps_no_counters(const char *count)
{
	const char *const env[] = { "PMU_PIN=none", "PMU_GROUP=SOFTWARE", count, NULL };
	struct run r;

	run(&r, child_with_counters, NULL, env);
	if (WIFEXITED(r.status) && WEXITSTATUS(r.status) == 77)
		skip(count, "no descriptors of counters here");
	else
		is_int(r.status, 0, count);
	run_done(&r);
}

int main(int argc, char **argv)
{
	if (argc > 2 && !strcmp(argv[1], "--data"))
		return write_data(argv[2]);
	descriptors_may_be_closed_before();
	descriptors_may_be_closed_meanwhile(quick, "closed meanwhile, on the clock");
	descriptors_may_be_closed_meanwhile(software, "closed meanwhile, with counters");
	what_is_no_longer_ours_is_left_alone(quick, "all numbers taken, on the clock");
	what_is_no_longer_ours_is_left_alone(software, "all numbers taken, with counters");
	a_lost_source_is_a_doubt();
	descriptors_may_be_few();
	the_program_keeps_most_descriptors();
	a_pipe_in_their_place_loses_one_read_at_most();
	standard_error_may_be_closed();
	a_data_file_may_have_standard_errors_number(AFTER, "a data file as number 2, later");
	a_data_file_may_have_standard_errors_number(BEFORE, "a data file as number 2, before");
	it_may_be_closed_when_the_program_starts();
	a_child_keeps_no_counters("PMU_COUNT=thread");
	a_child_keeps_no_counters("PMU_COUNT=cpu");
	a_child_keeps_no_counters("PMU_COUNT=process");
	return done_testing();
}
