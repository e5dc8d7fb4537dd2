/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Time on a processor, blocked and waiting for one: what regions say beside what the kernel says of the
 * whole thread.
 *
 * waits N: N random programs, and not again in other ways; waits untold: where nothing tells a thread
 */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#if __has_include(<sys/rseq.h>)
#include <sys/rseq.h>
#endif

#include "read.h"

#define MS UINT64_C(1000000)

static const char *const no_pins[] = { "PMU_PIN=none", "PMU_GROUP=TIME", NULL };

static uint64_t cpu_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void compute(uint64_t ns)
{
	uint64_t end = cpu_now_ns() + ns;

	while (cpu_now_ns() < end)
		;
}

static void sleep_ns(uint64_t ns)
{
	const struct timespec time = { (time_t)(ns / 1000000000), (long)(ns % 1000000000) };

	nanosleep(&time, NULL);
}

static long long of(const struct run *r, const char *path, const char *key)
{
	return run_int(run_region(r->json, path), key);
}

/* Of so many milliseconds: on a busy machine a thread may take some of them to fall asleep. */
static long long about(long long ms)
{
	return ms * MS / 2;
}

/* Where no thread is told, nothing is known, and nothing else can be tested. */
static bool is_told(const struct run *r, const char *path)
{
	return !json_is_null(json_object_get(run_region(r->json, path), "cpu_ns"));
}

static void parts_add_up(const struct run *r, const char *path)
{
	is_int(of(r, path, "cpu_ns") + of(r, path, "blocked_ns") + of(r, path, "runnable_ns"),
	       of(r, path, "time_ns"), path);
}

/* --- one thread --- */

static void recurse(int depth)
{
	pmu_region_begin("again");
	if (depth)
		recurse(depth - 1);
	else
		sleep_ns(10 * MS);
	pmu_region_end("again");
}

static int sleep_and_compute(void *arg)
{
	(void)arg;
	pmu_region_begin("all");
	for (int i = 0; i < 20; i++) {
		pmu_region_begin("sleeps");
		sleep_ns(MS);
		pmu_region_end("sleeps");
	}
	pmu_region_begin("computes");
	compute(20 * MS);
	pmu_region_end("computes");
	recurse(3);
	pmu_region_begin("first");
	pmu_region_begin("second");
	sleep_ns(10 * MS);
	pmu_region_end("first");
	sleep_ns(10 * MS);
	pmu_region_end("second");
	pmu_region_end("all");
	return 0;
}

static bool one_thread(void)
{
	struct run r;
	bool told;

	run(&r, sleep_and_compute, NULL, no_pins);
	run_good(&r, "a thread that sleeps and computes");
	told = is_told(&r, "all");
	if (told) {
		parts_add_up(&r, "all");
		parts_add_up(&r, "all/sleeps");
		ok(of(&r, "all/sleeps", "blocked_ns") >= about(20), "sleeps are in it");
		ok(of(&r, "all/sleeps", "cpu_ns") < of(&r, "all/sleeps", "blocked_ns"),
		   "and nothing else");
		ok(of(&r, "all/computes", "cpu_ns") >= about(20), "work is");
		ok(of(&r, "all/again", "blocked_ns") >= about(10) &&
			   of(&r, "all/again", "cpu_ns") > 0,
		   "of a region that is open four times it is there once");
		ok(of(&r, "all/first", "blocked_ns") >= about(10), "of the first");
		ok(of(&r, "all/first/second", "blocked_ns") >= about(20),
		   "of one that goes on when the one around it has ended");
		ok(of(&r, "all", "blocked_ns") >= about(50), "all of it is around them");
	}
	run_done(&r);
	return told;
}

static void switched_off(void)
{
	static const char *const env[] = { "PMU_PIN=none", "PMU_GROUP=TIME", "PMU_WAIT=0", NULL };
	struct run r;

	run(&r, sleep_and_compute, NULL, env);
	run_good(&r, "PMU_WAIT=0");
	ok(!is_told(&r, "all"), "then it is not known");
	run_done(&r);
}

/* --- other threads --- */

static void *work_for(void *context)
{
	pmu_context_enter(*(pmu_context_t *)context);
	sleep_ns(20 * MS);
	pmu_context_leave();
	sleep_ns(20 * MS);
	return NULL;
}

static int let_work(void *arg)
{
	pmu_context_t context;
	pthread_t thread;

	(void)arg;
	pmu_region_begin("team");
	context = pmu_context_get();
	pthread_create(&thread, NULL, work_for, &context);
	pthread_join(thread, NULL);
	pmu_region_end("team");
	return 0;
}

static void another_threads_region(void)
{
	static const char *const env[] = { "PMU_PIN=none", "PMU_GROUP=TIME", "PMU_SCOPE=team",
					   NULL };
	const json_t *team;
	struct run r;

	run(&r, let_work, NULL, env);
	run_good(&r, "a worker that sleeps");
	team = json_object_get(run_region(r.json, "team"), "team");
	ok(run_int(team, "blocked_ns") - of(&r, "team", "blocked_ns") >= about(20),
	   "waits for whom it works for, beside who waits for it");
	ok(json_number_value(json_object_get(team, "efficiency")) < .5,
	   "none of that is efficient");
	run_done(&r);
}

/* It sleeps in its region when the program ends. */
static void *sleep_on(void *at_work)
{
	pmu_region_begin("for ever");
	sem_post(at_work);
	for (;;)
		sleep_ns(1000 * MS);
	return NULL;
}

static int leave_asleep(void *arg)
{
	pthread_t thread;
	sem_t at_work;

	(void)arg;
	sem_init(&at_work, 0, 0);
	pmu_region_begin("main");
	pthread_create(&thread, NULL, sleep_on, &at_work);
	sem_wait(&at_work);
	sleep_ns(30 * MS);
	pmu_region_end("main");
	return 0;
}

static const char *asleep_path(const struct run *r)
{
	return run_region(r->json, "for ever") ? "for ever" : "main/for ever";
}

static void asleep_at_the_end(void)
{
	static const char *const env[] = { "PMU_PIN=none", "PMU_GROUP=TIME", "PMU_SCOPE=thread",
					   NULL };
	struct run r;

	run(&r, leave_asleep, NULL, env);
	run_good(&r, "a thread that sleeps when the program ends");
	if (TEST_TSAN ||
	    json_is_null(json_object_get(run_region(r.json, asleep_path(&r)), "time_ns")))
		skip("what it has waited", "another thread's regions are left alone here");
	else
		ok(of(&r, asleep_path(&r), "blocked_ns") >= about(29), "has waited");
	run_done(&r);
}

static int sleep_in_child(void *shared)
{
	pid_t pid;

	pmu_region_begin("parent");
	sleep_ns(5 * MS);
	pid = fork();
	if (!pid) {
		sleep_ns(5 * MS);
		pmu_region_begin("child");
		sleep_ns(10 * MS);
		pmu_region_end("child");
		pmu_region_end("parent");
		exit(0);
	}
	*(pid_t *)shared = pid;
	waitpid(pid, NULL, 0);
	pmu_region_end("parent");
	return 0;
}

static void forked(void)
{
	pid_t *pid = mmap(NULL, sizeof(*pid), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			  -1, 0);
	struct run r, child;
	char name[32];

	run(&r, sleep_in_child, pid, no_pins);
	run_good(&r, "a child that sleeps");
	ok(of(&r, "parent", "blocked_ns") >= about(20), "its parent waits for it");
	snprintf(name, sizeof(name), "run.%d.json", *pid);
	child = r;
	child.json = run_load(&r, name);
	ok(of(&child, "parent/child", "blocked_ns") >= about(10), "it knows its own");
	parts_add_up(&child, "parent/child");
	parts_add_up(&child, "parent");
	json_decref(child.json);
	run_done(&r);
	munmap(pid, sizeof(*pid));
}

static int sleep_and_die(void *arg)
{
	(void)arg;
	pmu_region_begin("open");
	sleep_ns(10 * MS);
	pmu_checkpoint(PMU_NEXT_GOES_ON);
	kill(getpid(), SIGKILL);
	return 0;
}

static void checkpoint(void)
{
	char store[1024];
	struct run r;

	if (access(run_command_path(), X_OK)) {
		skip("a checkpoint", "no command pmu to read left-over stores with");
		return;
	}
	run(&r, sleep_and_die, NULL, no_pins);
	is_int(run_stores(&r, store, sizeof(store)), 1, "a program that is killed");
	r.json = run_report_of(&r, store);
	ok(of(&r, "open", "blocked_ns") >= about(10), "has waited, by its checkpoint");
	parts_add_up(&r, "open");
	run_done(&r);
}

/* --- signals, and others that use what tells us --- */

static void sleep_in_handler(int signal)
{
	(void)signal;
	pmu_region_begin("handler");
	sleep_ns(MS);
	pmu_region_end("handler");
}

static int be_interrupted(void *arg)
{
	const struct itimerval often = { { 0, 4000 }, { 0, 4000 } }, never = { 0 };
	const struct sigaction action = { .sa_handler = sleep_in_handler, .sa_flags = SA_RESTART };

	(void)arg;
	pmu_region_begin("computes");
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	compute(30 * MS);
	setitimer(ITIMER_REAL, &never, NULL);
	pmu_region_end("computes");
	return 0;
}

static void handlers(void)
{
	long long calls;
	struct run r;

	run(&r, be_interrupted, NULL, no_pins);
	run_good(&r, "a handler that sleeps in a region");
	calls = run_calls(r.json, "computes/handler");
	ok(calls > 0 && of(&r, "computes/handler", "blocked_ns") >= calls * (long long)MS,
	   "has waited");
	ok(of(&r, "computes", "blocked_ns") >= of(&r, "computes/handler", "blocked_ns"),
	   "and what it interrupted");
	parts_add_up(&r, "computes");
	run_done(&r);
}

#ifdef RSEQ_SIG
/* A section that the thread is never in: of a user who leaves the last one's address there. */
static struct {
	struct rseq_cs section;
	uint32_t padding, signature;
	uint64_t code[2];
} theirs __attribute__((aligned(64)));

static struct rseq *area(void)
{
	char *pointer = NULL;

#if defined(__x86_64__)
	__asm__("movq %%fs:0, %0" : "=r"(pointer));
#elif defined(__aarch64__)
	__asm__("mrs %0, tpidr_el0" : "=r"(pointer));
#endif
	return (struct rseq *)(void *)(pointer + __rseq_offset);
}

static void leave_theirs(void)
{
	uint64_t address = (uintptr_t)&theirs.section;

	memcpy(&area()->rseq_cs, &address, sizeof(address));
	__asm__ volatile("" ::: "memory");
}

static int use_area(void *arg)
{
	(void)arg;
	theirs.signature = RSEQ_SIG;
	theirs.section.abort_ip = (uintptr_t)&theirs.code[0];
	theirs.section.start_ip = (uintptr_t)&theirs.code[1];
	theirs.section.post_commit_offset = 1;
	for (int i = 0; i < 10; i++) {
		pmu_region_begin("shares");
		leave_theirs();
		sleep_ns(MS);
		pmu_region_end("shares");
		leave_theirs();
		sleep_ns(MS);
	}
	return 0;
}

static int take_area_away(void *other)
{
	pmu_region_begin("all");
	pmu_region_begin("before");
	sleep_ns(MS);
	pmu_region_end("before");
	want_int(syscall(SYS_rseq, area(), 32, RSEQ_FLAG_UNREGISTER, RSEQ_SIG), 0);
	if (other)
		want_int(syscall(SYS_rseq, other, 32, 0, RSEQ_SIG), 0);
	pmu_region_begin("after");
	sleep_ns(MS);
	pmu_region_end("after");
	pmu_region_end("all");
	return 0;
}

static void taken_away(void *other, const char *name)
{
	struct run r;

	run(&r, take_area_away, other, no_pins);
	run_good(&r, name);
	ok(!is_told(&r, "all") && !is_told(&r, "all/after"), "nothing is known then");
	run_done(&r);
}

static void other_users(void)
{
	static struct rseq another;
	struct run r;

	if (!__rseq_size) {
		skip("users of rseq(2)", "libc has registered none");
		return;
	}
	run(&r, use_area, NULL, no_pins);
	run_good(&r, "another user of the thread's rseq area");
	ok(of(&r, "shares", "blocked_ns") >= about(5), "costs a look, and is right");
	parts_add_up(&r, "shares");
	run_done(&r);
	another.cpu_id = (uint32_t)RSEQ_CPU_ID_UNINITIALIZED;
	taken_away(NULL, "a program that unregisters it");
	taken_away(&another, "a program that registers another one in its place");
}
#else
static void other_users(void)
{
	skip("users of rseq(2)", "libc does not say where its areas are");
}
#endif

/* --- random programs --- */

#define SLACK_NS 20000 /* for each switch */

static uint32_t seed = 1;

static uint32_t rand_below(uint32_t n)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % n;
}

/* A mutex that another thread holds now and then. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int is_over;

static void *hold_it(void *unused)
{
	while (!__atomic_load_n(&is_over, __ATOMIC_RELAXED)) {
		pthread_mutex_lock(&mutex);
		sleep_ns(200000);
		pthread_mutex_unlock(&mutex);
		sleep_ns(300000);
	}
	return unused;
}

static void step(int depth)
{
	static const char *const names[] = { "a", "b", "c", "d" };
	const char *name = names[rand_below(4)];

	switch (rand_below(depth < 4 ? 7 : 5)) {
	case 0:
		sleep_ns(rand_below(300000));
		break;
	case 1:
		compute(rand_below(300000));
		break;
	case 2:
		pthread_mutex_lock(&mutex);
		pthread_mutex_unlock(&mutex);
		break;
	case 3:
	case 4:
		sched_yield();
		break;
	default:
		pmu_region_begin(name);
		for (uint32_t i = rand_below(4); i > 0; i--)
			step(depth + 1);
		pmu_region_end(name);
	}
}

/*
 * What the kernel says of the thread in each of them.  A machine that is busy may stop the thread between
 * one clock and the other, or the region: of several tries one must be right.
 */
#define TRIES 5
struct said {
	uint64_t waited, time;
	long switches;
};
struct programs {
	int n;
	struct said said[][TRIES];
};

static long switches_now(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_nvcsw + usage.ru_nivcsw;
}

static struct said try_program(int i, int try)
{
	uint64_t cpu, time;
	long switches;
	char name[32];

	snprintf(name, sizeof(name), "p%d.%d", i, try);
	pmu_region_begin(name); /* made */
	pmu_region_end(name);
	pmu_region_reset(name);
	seed = (uint32_t)i;
	switches = switches_now();
	time = run_now_ns();
	cpu = cpu_now_ns();
	pmu_region_begin(name);
	for (int k = 0; k < 6; k++)
		step(0);
	pmu_region_end(name);
	cpu = cpu_now_ns() - cpu;
	time = run_now_ns() - time;
	return (struct said){ time > cpu ? time - cpu : 0, time, switches_now() - switches };
}

static int random_programs(void *arg)
{
	struct programs *programs = arg;
	pthread_t thread;

	pthread_create(&thread, NULL, hold_it, NULL);
	for (int i = 0; i < programs->n; i++)
		for (int try = 0; try < TRIES; try++)
			programs->said[i][try] = try_program(i, try);
	__atomic_store_n(&is_over, 1, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	return 0;
}

/*
 * What a hypervisor takes, by the kernel's own count: proc_stat(5), the 8th number of the first line.  It is in the
 * clocks, and at a moment that nothing tells.
 */
static long long stolen_now(void)
{
	FILE *file = fopen("/proc/stat", "r");
	long long stolen = 0;

	if (!file)
		return 0;
	if (fscanf(file, "cpu %*d %*d %*d %*d %*d %*d %*d %lld", &stolen) != 1)
		stolen = 0;
	fclose(file);
	return stolen;
}

/* Return: how much it is off beyond what it may be; 0 or less: it is right. */
static long long is_off_by(const struct run *r, const struct said *said, int i, int try)
{
	long long differs;
	char name[32];

	snprintf(name, sizeof(name), "p%d.%d", i, try);
	differs = llabs(of(r, name, "blocked_ns") + of(r, name, "runnable_ns") -
			(long long)said->waited);
	return differs - SLACK_NS * (said->switches + 2) - (long long)said->time / 100;
}

static void beside_the_kernel(int n)
{
	size_t size = sizeof(struct programs) + (size_t)n * TRIES * sizeof(struct said);
	struct programs *programs = mmap(NULL, size, PROT_READ | PROT_WRITE,
					 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int wrong = 0, tries = 0;
	long long stolen = stolen_now();
	long switches = 0;
	struct run r;

	programs->n = n;
	run(&r, random_programs, programs, no_pins);
	run_good(&r, "random programs that sleep, compute, lock and yield");
	for (int i = 0; i < n; i++) {
		long long least = INT64_MAX;

		for (int try = 0; try < TRIES; try++) {
			const struct said *said = &programs->said[i][try];
			long long off_by = is_off_by(&r, said, i, try);

			tries += off_by > 0;
			least = off_by < least ? off_by : least;
			switches += said->switches;
		}
		wrong += least > 0;
	}
	printf("# %d of %d tries were off; %ld switches\n", tries, n * TRIES, switches);
	if (wrong && stolen_now() > stolen)
		skip("each waited as long as the kernel says",
		     "a processor was taken away meanwhile");
	else
		is_int(wrong, 0, "each waited as long as the kernel says");
	run_done(&r);
	munmap(programs, size);
}

/* --- the other ways in which a thread can be told --- */

static bool without_libcs(void)
{
	return setenv("GLIBC_TUNABLES", "glibc.pthread.rseq=0", 1) == 0;
}

static bool without_call(unsigned int number)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(filter) / sizeof(filter[0]), filter };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

static bool without_rseq(void)
{
	return without_call(SYS_rseq);
}

static bool without_both(void)
{
	return without_rseq() && without_call(SYS_perf_event_open);
}

#define CANNOT 77

/* @what: argument of this program */
static void again(bool (*prepare)(void), const char *what, const char *name)
{
	int status = -1;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		dup2(STDERR_FILENO, STDOUT_FILENO);
		if (!prepare())
			_exit(CANNOT);
		execl("/proc/self/exe", "waits", what, (char *)NULL);
		_exit(CANNOT);
	}
	waitpid(pid, &status, 0);
	if (WIFEXITED(status) && WEXITSTATUS(status) == CANNOT)
		skip(name, "not to be had here");
	else
		is_int(status, 0, name);
}

static int not_told(void)
{
	struct run r;
	char *notes;

	run(&r, sleep_and_compute, NULL, no_pins);
	run_good(&r, "a thread that nothing tells");
	ok(!is_told(&r, "all"), "it knows nothing of what it waited");
	notes = run_list(r.json, "notes");
	ok(strstr(notes, "what threads waited is not known"), "which is said");
	free(notes);
	run_done(&r);
	return done_testing();
}

int main(int argc, char **argv)
{
	bool told;

	if (argc > 1 && !strcmp(argv[1], "untold"))
		return not_told();
	told = one_thread();
	if (!told)
		skip("waits", "threads are not told here when they are off their processor");
	if (told) {
		another_threads_region();
		asleep_at_the_end();
		forked();
		checkpoint();
		handlers();
		beside_the_kernel(argc > 1 ? atoi(argv[1]) : 100);
	}
	switched_off();
	if (argc > 1)
		return done_testing();
	if (told)
		other_users();
	again(without_libcs, "20", "without libc's rseq area");
	again(without_rseq, "20", "without rseq(2)");
	again(without_both, "untold", "without rseq(2) and perf_event_open(2)");
	return done_testing();
}
