/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs and machines that give the library little, or take it away again. */
#include <grp.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "run.h"

#define NOBODY 65534

static const char *const quick[] = { "PMU_PIN=none", "PMU_BACKEND=clock", NULL };
static const char *const software[] = { "PMU_PIN=none", "PMU_GROUP=SOFTWARE", NULL };

static void begin_end(const char *name)
{
	if (pmu_region_begin(name) < 0 || pmu_region_end(name) < 0)
		want(false);
}

static void some_regions(void)
{
	for (int i = 0; i < 100; i++) {
		pmu_region_begin("outer");
		begin_end("inner");
		pmu_region_end("outer");
	}
}

static int only_regions(void *arg)
{
	(void)arg;
	some_regions();
	return 0;
}

static void check_regions(const struct run *r)
{
	is_int(run_calls(r->json, "outer"), 100, "the calls are there");
	is_int(run_calls(r->json, "outer/inner"), 100, "all of them");
}

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

/* --- where the store goes -------------------------------------------------------------
 */

static int mount_at(const char *where, const char *options)
{
	if (unshare(CLONE_NEWNS) < 0)
		return -errno;
	if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
	    mount("tmpfs", where, "tmpfs", 0, options) < 0)
		return -errno;
	return 0;
}

static int without_shared_memory(void *arg)
{
	if (mount_at("/dev", "size=64k") < 0)
		return 77;
	(void)arg;
	some_regions();
	return 0;
}

static void fill(const char *path)
{
	char zero[4096] = { 0 };
	int fd = open(path, O_WRONLY | O_CREAT, 0600);

	while (write(fd, zero, sizeof(zero)) > 0)
		;
	close(fd);
}

static int full_shared_memory(void *arg)
{
	if (mount_at("/dev/shm", "size=128k") < 0)
		return 77;
	(void)arg;
	fill("/dev/shm/full");
	some_regions();
	return 0;
}

static int shared_memory_that_fills_up(void *arg)
{
	char name[32];

	if (mount_at("/dev/shm", "size=256k") < 0)
		return 77;
	(void)arg;
	some_regions();
	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < 5000; i++) {
			snprintf(name, sizeof(name), "region %d", i);
			begin_end(name);
		}
	}
	return 0;
}

static const char *const no_place[] = { "PMU_PIN=none", "PMU_BACKEND=clock", "XDG_RUNTIME_DIR",
					"TMPDIR=@/no/such/folder", NULL };
static const char *const tmp_place[] = { "PMU_PIN=none", "PMU_BACKEND=clock", "XDG_RUNTIME_DIR",
					 "TMPDIR=@", NULL };

static void memory_serves_where_there_is_no_file(int (*fn)(void *), const char *how)
{
	struct run r;
	char *notes;

	run(&r, fn, NULL, no_place);
	if (WIFEXITED(r.status) && WEXITSTATUS(r.status) == 77) {
		skip(how, "this user may not mount");
		run_done(&r);
		return;
	}
	run_good(&r, how);
	check_regions(&r);
	notes = run_list(r.json, "notes");
	has(notes, "memory only", "the report says so");
	free(notes);
	run_done(&r);

	run(&r, fn, NULL, tmp_place);
	run_good(&r, "with TMPDIR instead");
	check_regions(&r);
	notes = run_list(r.json, "notes");
	ok(!strstr(notes, "memory only"), "a file is there");
	free(notes);
	run_done(&r);
}

static void a_store_may_outgrow_its_disk(void)
{
	const json_t *region;
	struct run r;
	int good = 0;
	char *notes;

	run(&r, shared_memory_that_fills_up, NULL, no_place);
	if (WIFEXITED(r.status) && WEXITSTATUS(r.status) == 77) {
		skip("a disk that fills up", "this user may not mount");
		run_done(&r);
		return;
	}
	run_good(&r, "a disk that fills up meanwhile");
	check_regions(&r);
	for (int i = 0; i < 5000; i++) {
		char name[32];

		snprintf(name, sizeof(name), "region %d", i);
		region = json_array_get(json_object_get(r.json, "regions"), (size_t)i);
		good += region && run_int(region, "calls") >= 2;
	}
	is_int(good, 5000, "and no region is lost");
	notes = run_list(r.json, "notes");
	has(notes, "memory", "the report says where the rest was");
	free(notes);
	run_done(&r);
}

static int keep_errno_without_the_folder(void *arg)
{
	const struct run *r = arg;
	char store[512] = "", name[32];

	some_regions();
	want_int(run_stores(r, store, sizeof(store)), 1);
	want_int(nftw(run_path(r, "xdg"), run_unlink, 16, FTW_DEPTH | FTW_PHYS), 0);
	for (int i = 0; i < 5000; i++) {
		snprintf(name, sizeof(name), "region %d", i);
		errno = 4711;
		if (pmu_region_begin(name) < 0 || errno != 4711 || pmu_region_end(name) < 0 ||
		    errno != 4711)
			break;
	}
	want_int(errno, 4711);
	for (int i = 0; i < 5000; i++) {
		snprintf(name, sizeof(name), "no begin %d", i);
		errno = 4711;
		if (pmu_region_end(name) != -ENOENT || errno != 4711)
			break;
	}
	want_int(errno, 4711);
	return 0;
}

static void the_stores_folder_may_go(void)
{
	struct run r;
	char *notes;

	run(&r, keep_errno_without_the_folder, &r, quick);
	run_good(&r, "the store's folder was removed, and errno is kept");
	check_regions(&r);
	is_int(run_calls(r.json, "region 4999"), 1, "the regions after that too");
	notes = run_list(r.json, "notes");
	has(notes, "the file is gone", "the report says so");
	free(notes);
	run_done(&r);
}

static int with_small_files(void *arg)
{
	struct rlimit limit;
	char text[16384] = "";
	int fd[2];

	(void)arg;
	want_int(pipe(fd), 0);
	dup2(fd[1], STDOUT_FILENO);
	close(fd[1]);
	getrlimit(RLIMIT_FSIZE, &limit);
	limit.rlim_cur = 4096;
	want_int(setrlimit(RLIMIT_FSIZE, &limit), 0);
	some_regions();
	want_int(pmu_fini(), 0);
	want(read(fd[0], text, sizeof(text) - 1) > 0);
	want(strstr(text, "outer") != NULL);
	return 7;
}

static void files_may_be_limited_in_size(void)
{
	static const char *const env[] = { "PMU_PIN=none", "PMU_BACKEND=clock", "PMU_OUTPUT=-",
					   NULL };
	struct run r;

	run(&r, with_small_files, NULL, env);
	ok(WIFEXITED(r.status) && WEXITSTATUS(r.status) == 7 && !r.notes->n_failed,
	   "files of 4 KiB at most: the program ends as it would, with its report");
	for (int i = 0; i < r.notes->n_failed && i < RUN_MAX_NOTES; i++)
		diag("%s", r.notes->failed[i]);
	run_done(&r);
}

static int everything_below_limit(void *arg)
{
	struct rlimit limit;
	char name[32];

	getrlimit(RLIMIT_FSIZE, &limit);
	limit.rlim_cur = *(rlim_t *)arg;
	want_int(setrlimit(RLIMIT_FSIZE, &limit), 0);
	for (int i = 0; i < 2000; i++) {
		snprintf(name, sizeof(name), "region %d", i);
		begin_end(name);
	}
	pmu_report(NULL);
	pmu_fini();
	fclose(stdout); /* what it could not write stays the program's own */
	return 7;
}

/* Standard output and error, the claims of processors, the store and each format: all are files. */
static void every_limit_leaves_the_program_alone(void)
{
	static const char *const env[] = { "PMU_PIN=compact", "PMU_BACKEND=clock",
					   "PMU_OUTPUT=@/run.json,@/run.csv,@/run.txt,-", NULL };
	static const rlim_t limits[] = { 0, 1, 70, 500, 4096, 65536, 100000 };
	struct run r;

	for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++) {
		rlim_t limit = limits[i];

		run(&r, everything_below_limit, &limit, env);
		ok(WIFEXITED(r.status) && WEXITSTATUS(r.status) == 7 && !r.notes->n_failed,
		   "files of %llu bytes at most: the program ends as it would",
		   (unsigned long long)limit);
		for (int n = 0; n < r.notes->n_failed && n < RUN_MAX_NOTES; n++)
			diag("%s", r.notes->failed[n]);
		run_done(&r);
	}
}

static int report_into_small_file(void *arg)
{
	struct rlimit limit;
	char name[32];

	(void)arg;
	for (int i = 0; i < 100; i++) {
		snprintf(name, sizeof(name), "region %d", i);
		begin_end(name);
	}
	getrlimit(RLIMIT_FSIZE, &limit);
	limit.rlim_cur = 4096;
	want_int(setrlimit(RLIMIT_FSIZE, &limit), 0);
	want_int(pmu_fini(), -EFBIG);
	return 7;
}

static void a_report_may_be_larger_than_a_file(void)
{
	struct run r;

	run(&r, report_into_small_file, NULL, quick);
	ok(WIFEXITED(r.status) && WEXITSTATUS(r.status) == 7 && !r.notes->n_failed,
	   "a report beyond the limit: the program ends as it would");
	for (int i = 0; i < r.notes->n_failed && i < RUN_MAX_NOTES; i++)
		diag("%s", r.notes->failed[i]);
	ok(!r.json, "without it");
	has(r.err, "File too large", "and says so");
	is_int(run_stores(&r, NULL, 0), 1, "the store is left");
	run_done(&r);
}

static void hostile_folders_are_not_used(void)
{
	struct run r;
	int n;

	/* a folder that others may write to, and one that is a link */
	run_open(&r);
	if (mkdir(run_path(&r, "xdg/pmu"), 0777) || chmod(run_path(&r, "xdg/pmu"), 0777))
		run_die("mkdir");
	fflush(stdout);
	r.pid = fork();
	if (r.pid == 0) {
		run_environment(&r, quick);
		run_redirect(&r, "err", STDERR_FILENO);
		begin_end("r");
		n = run_stores(&r, NULL, 0);
		exit(n ? 5 : 0);
	}
	run_wait(&r);
	is_int(r.status, 0, "no store in a folder that is open to others");
	is_int(run_calls(r.json, "r"), 1, "the report is there all the same");
	run_done(&r);

	run_open(&r);
	if (mkdir(run_path(&r, "elsewhere"), 0700) ||
	    symlink(run_path(&r, "elsewhere"), run_path(&r, "xdg/pmu")))
		run_die("symlink");
	fflush(stdout);
	r.pid = fork();
	if (r.pid == 0) {
		run_environment(&r, quick);
		run_redirect(&r, "err", STDERR_FILENO);
		begin_end("r");
		n = run_files(&r, "elsewhere", ".pmu", NULL, 0);
		exit(n ? 5 : 0);
	}
	run_wait(&r);
	is_int(r.status, 0, "nor behind a link");
	is_int(run_calls(r.json, "r"), 1, "the report is there all the same");
	run_done(&r);
}

/* --- a session's end ------------------------------------------------------------------
 */

static int cpus_of_thread(cpu_set_t *set)
{
	CPU_ZERO(set);
	if (syscall(SYS_sched_getaffinity, 0, sizeof(*set), set) < 0)
		return -1;
	return CPU_COUNT(set);
}

static int pin_and_end(void *arg)
{
	cpu_set_t before, after;

	(void)arg;
	if (cpus_of_thread(&before) < 2)
		return 77;
	for (int i = 0; i < 3; i++) {
		some_regions();
		want_int(cpus_of_thread(&after), 1);
		want_int(pmu_fini(), 0);
		want(cpus_of_thread(&after) > 1 && CPU_EQUAL(&before, &after));
		want_int(pmu_init(NULL), 0);
	}
	return 0;
}

static void the_processors_are_given_back(void)
{
	static const char *const env[] = { "PMU_PIN=compact", "PMU_BACKEND=clock", NULL };
	struct run r;

	run(&r, pin_and_end, NULL, env);
	if (WIFEXITED(r.status) && WEXITSTATUS(r.status) == 77)
		skip("the processors are given back", "there is only one");
	else
		run_good(&r, "after pmu_fini() the thread may run where it could before");
	run_done(&r);
}

static int two_sessions(void *arg)
{
	struct pmu_options options = { .size = sizeof(options) };

	options.output = run_path(arg, "second.json");
	some_regions();
	want_int(pmu_fini(), 0);
	want_int(pmu_init(&options), 0);
	some_regions();
	return 0;
}

static void a_second_session_has_its_notes(void)
{
	/* A thread without a CPU of its own has a note here. */
	static const char *const env[] = { "PMU_PIN=none", "PMU_COUNT=cpu", "PMU_BACKEND=software",
					   "PMU_EVENTS=task-clock", NULL };
	char *first, *second;
	json_t *report;
	struct run r;

	run(&r, two_sessions, &r, env);
	run_good(&r, "two sessions");
	report = run_load(&r, "second.json");
	first = run_list(r.json, "notes");
	second = run_list(report, "notes");
	if (strstr(first, "not pinned"))
		is_str(second, first, "the second one has its notes too");
	else
		skip("the second one has its notes too", "nothing counts CPUs here");
	free(first);
	free(second);
	json_decref(report);
	run_done(&r);
}

/* --- users ----------------------------------------------------------------------------
 */

static int become_nobody(const struct run *r)
{
	if (geteuid() != 0)
		return 0;
	if (chown(r->dir, NOBODY, NOBODY) < 0 || chown(run_path(r, "xdg"), NOBODY, NOBODY) < 0)
		return -errno;
	if (setgroups(0, NULL) < 0 || setgid(NOBODY) < 0 || setuid(NOBODY) < 0)
		return -errno;
	/* as if the program had been started so */
	prctl(PR_SET_DUMPABLE, 1);
	return 0;
}

static int as_an_ordinary_user(void *arg)
{
	if (become_nobody(arg) < 0)
		return 77;
	some_regions();
	return 0;
}

static void *one_region(void *arg)
{
	begin_end("in a thread");
	return arg;
}

static int with_little_locked_memory(void *arg)
{
	struct rlimit limit = { 65536, 65536 };
	pthread_t thread[30];

	setrlimit(RLIMIT_MEMLOCK, &limit);
	if (become_nobody(arg) < 0)
		return 77;
	some_regions();
	for (int i = 0; i < 30; i++)
		want_int(pthread_create(&thread[i], NULL, one_region, NULL), 0);
	for (int i = 0; i < 30; i++)
		pthread_join(thread[i], NULL);
	return 0;
}

static void run_as_user(int (*fn)(void *), const char *const *env, const char *how)
{
	struct run r;

	run(&r, fn, &r, env);
	if (WIFEXITED(r.status) && WEXITSTATUS(r.status) == 77)
		skip(how, "cannot become another user");
	else if (run_good(&r, how))
		check_regions(&r);
	run_done(&r);
}

static void ordinary_users_may_measure(void)
{
	run_as_user(as_an_ordinary_user, NULL, "as an ordinary user");
	run_as_user(as_an_ordinary_user, software, "counting in software");
	run_as_user(with_little_locked_memory, software, "with 64 KiB of locked memory");
	run_as_user(with_little_locked_memory, NULL, "with all defaults");
}

static int setuid_program(void)
{
	pmu_region_begin("privileged");
	pmu_region_end("privileged");
	return 0;
}

static int run_setuid(void *arg)
{
	const struct run *r = arg;

	if (setgroups(0, NULL) < 0 || setgid(NOBODY) < 0 || setuid(NOBODY) < 0)
		return 77;
	execl(run_path(r, "setuid"), "setuid", "--setuid", (char *)NULL);
	return 76;
}

static bool copy_self(const char *path)
{
	char *text = malloc(1 << 24);
	int from = open("/proc/self/exe", O_RDONLY), to = open(path, O_WRONLY | O_CREAT, 0700);
	ssize_t n, all = 0;

	while (text && (n = read(from, text, 1 << 24)) > 0 && write(to, text, (size_t)n) == n)
		all += n;
	close(from);
	close(to);
	free(text);
	return all > 0;
}

static void a_setuid_program_reads_no_settings(void)
{
	static const char *const env[] = { "PMU_OUTPUT=@/run.json", "PMU_GROUP=NO_SUCH",
					   "PMU_OUPUT=x", "PMU_ENABLE=0", NULL };
	const char *name = "a setuid program reads no settings";
	struct run r;

	if (geteuid() != 0) {
		skip(name, "only root can make one");
		return;
	}
	if (RUN_SANITIZED) {
		skip(name, "sanitizers refuse to run in one");
		return;
	}
	run_open(&r);
	chmod(r.dir, 0755);
	if (!copy_self(run_path(&r, "setuid")) || chmod(run_path(&r, "setuid"), 04755) < 0)
		run_die("copy");
	fflush(stdout);
	r.pid = fork();
	if (r.pid == 0) {
		run_environment(&r, env);
		run_redirect(&r, "out", STDOUT_FILENO);
		run_redirect(&r, "err", STDERR_FILENO);
		exit(run_setuid(&r));
	}
	run_wait(&r);
	if (WIFEXITED(r.status) && WEXITSTATUS(r.status) >= 76) {
		skip(name, "it cannot be started here");
	} else {
		is_int(r.status, 0, name);
		ok(!r.json, "no file is written for the user");
		has(r.err, "privileged", "the report is the default one");
		ok(r.err && !strstr(r.err, "NO_SUCH") && !strstr(r.err, "OUPUT"),
		   "with no word about the variables");
		is_int(run_stores(&r, NULL, 0), 0, "nor a store where they say");
	}
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

/* --- the time stamp counter -----------------------------------------------------------
 */

static int without_tsc(void *arg)
{
	(void)arg;
#ifdef __x86_64__
	if (prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0) < 0)
		return 77;
	some_regions();
	prctl(PR_SET_TSC, PR_TSC_ENABLE, 0, 0, 0);
	return 0;
#else
	return 77;
#endif
}

static void the_time_stamp_counter_may_be_forbidden(void)
{
	struct run r;

	run(&r, without_tsc, NULL, quick);
	if (WIFEXITED(r.status) && WEXITSTATUS(r.status) == 77) {
		skip("no time stamp counter", "none can be forbidden here");
	} else {
		is_int(r.status, 0, "without a time stamp counter the program runs");
		has(r.err, "PR_SET_TSC", "and is told why it is not measured");
	}
	run_done(&r);
}

/* --- perf_event_open ------------------------------------------------------------------
 */

static int refuse_perf(int error)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned int)error),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(filter) / sizeof(*filter), filter };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0)
		return -errno;
	return 0;
}

static int without_perf(void *arg)
{
	if (refuse_perf(*(int *)arg) < 0)
		return 77;
	some_regions();
	return 0;
}

static void refused_with(int error, const char *name)
{
	static const char *const backend[] = { "PMU_PIN=none", "PMU_BACKEND=perf", NULL };
	static const char *const nothing[] = { "PMU_PIN=none", NULL };
	const json_t *refusal, *faults;
	struct run r;

	run(&r, without_perf, &error, nothing);
	if (WIFEXITED(r.status) && WEXITSTATUS(r.status) == 77) {
		skip(name, "seccomp filters are not allowed");
		run_done(&r);
		return;
	}
	run_good(&r, name);
	check_regions(&r);
	is_str(run_str(json_object_get(r.json, "source"), "name"), "clock", "the next source");
	refusal = json_array_get(json_object_get(r.json, "refused"), 0);
	is_str(run_str(refusal, "source"), "perf", "what was refused");
	ok(run_str(refusal, "why") && *run_str(refusal, "why"), "and why: %s",
	   run_str(refusal, "why") ? run_str(refusal, "why") : "");
	run_done(&r);

	run(&r, without_perf, &error, software);
	run_good(&r, "software events");
	check_regions(&r);
	faults = json_object_get(json_object_get(run_region(r.json, "outer"), "raw"),
				 "page-faults");
	ok(json_is_integer(faults), "faults come from getrusage");
	run_done(&r);

	run(&r, without_perf, &error, backend);
	run_good(&r, "PMU_BACKEND=perf");
	check_regions(&r);
	ok(json_array_size(json_object_get(r.json, "refused")) >= 1, "the report says why not");
	run_done(&r);
}

static void perf_may_be_refused(void)
{
	static const struct {
		int code;
		const char *name;
	} errors[] = { { EACCES, "EACCES" }, { EPERM, "EPERM" },   { EMFILE, "EMFILE" },
		       { ENOSPC, "ENOSPC" }, { ENOSYS, "ENOSYS" }, { EINVAL, "EINVAL" },
		       { ENOENT, "ENOENT" }, { EBUSY, "EBUSY" },   { ENODEV, "ENODEV" } };

	for (size_t i = 0; i < sizeof(errors) / sizeof(*errors); i++)
		refused_with(errors[i].code, errors[i].name);
}

/* --- more processors than a cpu_set_t has --- */

/* As a kernel does that has numbers for 4,096: a shorter mask is refused. */
static int refuse_short_masks(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_sched_getaffinity, 0, 3),
		/* its lower half */
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[1])),
		BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 4096 / 8, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EINVAL),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(filter) / sizeof(*filter), filter };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0)
		return -errno;
	return 0;
}

static int with_many_processors(void *arg)
{
	if (*(int *)arg && refuse_short_masks() < 0)
		return 77;
	some_regions();
	return 0;
}

/* Refused or not, as this machine has it: the same as with few of them. */
static void processors_may_be_many(void)
{
	static const char *const env[] = { "PMU_COUNT=cpu", "PMU_EVENTS=cpu-clock", "PMU_PIN=none",
					   NULL };
	struct run r[2];

	for (int many = 0; many < 2; many++)
		run(&r[many], with_many_processors, &many, env);
	if (WIFEXITED(r[1].status) && WEXITSTATUS(r[1].status) == 77) {
		skip("many processors", "seccomp filters are not allowed");
	} else {
		is_int(r[1].status, r[0].status, "many processors");
		is_str(r[1].err, r[0].err, "what is said");
		is_str(run_str(json_object_get(r[1].json, "source"), "name"),
		       run_str(json_object_get(r[0].json, "source"), "name"),
		       "and what counts are as with few");
	}
	run_done(&r[0]);
	run_done(&r[1]);
}

/* As above, but only after the session and its first thread are there. */
static int refused_later(void *arg)
{
	pthread_t thread;

	some_regions();
	if (refuse_perf(*(int *)arg) < 0)
		return 77;
	pthread_create(&thread, NULL, one_region, NULL);
	pthread_join(thread, NULL);
	return 0;
}

static void a_later_thread_may_be_refused(void)
{
	int error = EMFILE;
	struct run r;

	run(&r, refused_later, &error, software);
	if (WIFEXITED(r.status) && WEXITSTATUS(r.status) == 77) {
		skip("a later thread", "seccomp filters are not allowed");
	} else {
		run_good(&r, "a thread that gets no counters");
		check_regions(&r);
		is_int(run_calls(r.json, "in a thread"), 1, "has its calls");
	}
	run_done(&r);
}

int main(int argc, char **argv)
{
	if (argc > 2 && !strcmp(argv[1], "--data"))
		return write_data(argv[2]);
	if (argc > 1 && !strcmp(argv[1], "--setuid"))
		return setuid_program();
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
	memory_serves_where_there_is_no_file(without_shared_memory, "no /dev/shm");
	memory_serves_where_there_is_no_file(full_shared_memory, "a full /dev/shm");
	a_store_may_outgrow_its_disk();
	the_stores_folder_may_go();
	files_may_be_limited_in_size();
	every_limit_leaves_the_program_alone();
	a_report_may_be_larger_than_a_file();
	hostile_folders_are_not_used();
	the_processors_are_given_back();
	a_second_session_has_its_notes();
	ordinary_users_may_measure();
	a_setuid_program_reads_no_settings();
	a_child_keeps_no_counters("PMU_COUNT=thread");
	a_child_keeps_no_counters("PMU_COUNT=cpu");
	the_time_stamp_counter_may_be_forbidden();
	perf_may_be_refused();
	a_later_thread_may_be_refused();
	processors_may_be_many();
	return done_testing();
}
