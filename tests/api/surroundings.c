/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs and machines that give the library little, or take it away again. */
#include <grp.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "surroundings.h"

#define NOBODY 65534

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

/* --- a store that its program may not remove --- */

static int give_up_the_store(void *arg)
{
	const struct run *r = arg;

	begin_end("r");
	if (geteuid() ? chmod(run_path(r, "xdg/pmu"), 0500) : seteuid(NOBODY))
		return 77;
	return 0;
}

static void a_store_that_is_reported_is_no_crashs(void)
{
	static const char *const env[] = { "PMU_OUTPUT=-", "PMU_PIN=none", "PMU_BACKEND=clock",
					   NULL };
	char line[8192];
	struct run r;

	if (RUN_SANITIZED) {
		skip("a program that gives up its rights",
		     "LeakSanitizer may not look at it any more");
		return;
	}
	run(&r, give_up_the_store, &r, env);
	chmod(run_path(&r, "xdg/pmu"), 0700);
	if (!WIFEXITED(r.status) || WEXITSTATUS(r.status) != 77) {
		run_good(&r, "a program that gives up its rights after its first region");
		has(r.out, "  r ", "its report");
		is_int(run_stores(&r, NULL, 0), 1, "it could not remove its store");
		snprintf(line, sizeof(line), "env XDG_RUNTIME_DIR=%s %s report >%s",
			 run_path(&r, "xdg"), run_command_path(), run_path(&r, "list"));
		is_int(system(line), 0, "pmu report");
		is_int(run_stores(&r, NULL, 0), 0, "removes it");
		snprintf(line, sizeof(line), "! grep -F %s %s", r.dir, run_path(&r, "list"));
		is_int(system(line), 0, "and does not list it as left over");
	} else {
		skip("a program that gives up its rights", "cannot be made here");
	}
	run_done(&r);
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "--setuid"))
		return setuid_program();
	the_processors_are_given_back();
	a_second_session_has_its_notes();
	ordinary_users_may_measure();
	a_setuid_program_reads_no_settings();
	the_time_stamp_counter_may_be_forbidden();
	perf_may_be_refused();
	a_later_thread_may_be_refused();
	processors_may_be_many();
	a_store_that_is_reported_is_no_crashs();
	return done_testing();
}
