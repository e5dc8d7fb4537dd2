/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Waits for locks of every kind and prints how each call ended; how often it had to wait, and where, goes into
 * the file TEST_CALLS.  Whoever is waited for goes on when the other one sleeps, so that none of it is a matter
 * of time.  TEST_PLUGIN: a library with plugin_lock().
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone))
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static FILE *calls;

static void waited(const char *what, int n)
{
	if (calls)
		fprintf(calls, "%d wait %s\n", n, what);
}

/* --- who sleeps --- */

static _Atomic pid_t waiter;

static void about_to_wait(void)
{
	waiter = (pid_t)syscall(SYS_gettid);
}

/* Its state in /proc; 0: it has ended. */
static char state_of(pid_t tid)
{
	char path[64], text[256] = "";
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", (int)tid);
	file = fopen(path, "r");
	if (!file)
		return 0;
	if (!fgets(text, sizeof(text), file))
		text[0] = '\0';
	fclose(file);
	return strrchr(text, ')') ? strrchr(text, ')')[2] : '?';
}

/* Behind its about_to_wait() it only sleeps where it waits. */
static pid_t until_it_waits(void)
{
	pid_t tid;

	while (!(tid = waiter) || state_of(tid) != 'S')
		sched_yield();
	waiter = 0;
	return tid;
}

static pthread_t start(void *(*function)(void *arg), void *arg)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, function, arg))
		abort();
	return thread;
}

/* Not by a call that is looked at. */
static void until_gone(pid_t tid)
{
	while (state_of(tid))
		sched_yield();
}

static struct timespec in(clockid_t clock, int seconds)
{
	struct timespec time;

	clock_gettime(clock, &time);
	time.tv_sec += seconds;
	return time;
}

/* --- mutexes --- */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

NOINLINE static int lock_plain(void)
{
	int rc = pthread_mutex_lock(&mutex);

	__asm__ volatile("" ::: "memory");
	return rc;
}

NOINLINE static int lock_timed(void)
{
	struct timespec until = in(CLOCK_REALTIME, 1000);
	int rc = pthread_mutex_timedlock(&mutex, &until);

	__asm__ volatile("" ::: "memory");
	return rc;
}

NOINLINE static int lock_clock(void)
{
	struct timespec until = in(CLOCK_MONOTONIC, 1000);
	int rc = pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &until);

	__asm__ volatile("" ::: "memory");
	return rc;
}

static int (*const lockers[])(void) = { lock_plain, lock_timed, lock_clock };

static void *lock_contended(void *arg)
{
	int (*lock)(void) = lockers[*(int *)arg];

	about_to_wait();
	printf("contended: %d\n", lock());
	pthread_mutex_unlock(&mutex);
	return NULL;
}

static void mutexes(void)
{
	int which[] = { 0, 1, 2, 0, 0 };

	for (size_t i = 0; i < COUNT(which); i++) {
		pthread_t thread;
		pid_t tid;

		lock_plain();
		thread = start(lock_contended, &which[i]);
		tid = until_it_waits();
		pthread_mutex_unlock(&mutex);
		until_gone(tid);
		printf("join: %d\n", pthread_join(thread, NULL));
	}
	for (int i = 0; i < 1000; i++) {
		lockers[i % 3]();
		pthread_mutex_unlock(&mutex);
	}
	waited("(mutex) lock_plain", 3);
	waited("(mutex) lock_timed", 1);
	waited("(mutex) lock_clock", 1);
}

/* --- rwlocks --- */

static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;

NOINLINE static int read_it(void)
{
	int rc = pthread_rwlock_rdlock(&rwlock);

	__asm__ volatile("" ::: "memory");
	return rc;
}

NOINLINE static int write_it(void)
{
	int rc = pthread_rwlock_wrlock(&rwlock);

	__asm__ volatile("" ::: "memory");
	return rc;
}

NOINLINE static int read_timed(void)
{
	struct timespec until = in(CLOCK_REALTIME, 1000);
	int rc = pthread_rwlock_timedrdlock(&rwlock, &until);

	__asm__ volatile("" ::: "memory");
	return rc;
}

NOINLINE static int write_timed(void)
{
	struct timespec until = in(CLOCK_REALTIME, -1);
	int rc = pthread_rwlock_timedwrlock(&rwlock, &until);

	__asm__ volatile("" ::: "memory");
	return rc;
}

static void *read_contended(void *arg)
{
	about_to_wait();
	printf("reader: %d\n", arg ? read_timed() : read_it());
	pthread_rwlock_unlock(&rwlock);
	return arg;
}

static void *write_contended(void *arg)
{
	printf("late writer: %d\n", write_timed());
	about_to_wait();
	printf("writer: %d\n", write_it());
	pthread_rwlock_unlock(&rwlock);
	return arg;
}

static void rwlocks(void)
{
	pthread_rwlockattr_t kind;
	pthread_t writer, reader;
	pid_t tid[2];
	int timed = 1;

	for (int i = 0; i < 2; i++) {
		write_it();
		reader = start(read_contended, i ? &timed : NULL);
		tid[0] = until_it_waits();
		printf("by its owner: %d\n", pthread_rwlock_rdlock(&rwlock) == EDEADLK);
		pthread_rwlock_unlock(&rwlock);
		until_gone(tid[0]);
		pthread_join(reader, NULL);
	}
	waited("(rwlock) read_it", 1);
	waited("(rwlock) read_timed", 1);
	waited("(rwlock) rwlocks", 2);

	/* a writer that waits goes before readers that come later */
	pthread_rwlockattr_init(&kind);
	pthread_rwlockattr_setkind_np(&kind, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
	pthread_rwlock_init(&rwlock, &kind);
	for (int i = 0; i < 100; i++) {
		read_it();
		pthread_rwlock_unlock(&rwlock);
		write_timed();
		pthread_rwlock_unlock(&rwlock);
	}
	read_it();
	writer = start(write_contended, NULL);
	tid[0] = until_it_waits();
	reader = start(read_contended, NULL);
	tid[1] = until_it_waits();
	pthread_rwlock_unlock(&rwlock);
	until_gone(tid[0]);
	until_gone(tid[1]);
	pthread_join(writer, NULL);
	pthread_join(reader, NULL);
	waited("(rwlock) write_it", 1);
	waited("(rwlock) write_timed", 1);
	waited("(rwlock) read_it", 1);
}

/* --- conditions --- */

static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static bool told;
static int n_waits;

NOINLINE static void until_told(void)
{
	pthread_mutex_lock(&mutex);
	about_to_wait();
	while (!told) {
		n_waits++;
		pthread_cond_wait(&condition, &mutex);
	}
	pthread_mutex_unlock(&mutex);
}

static void *wait_for_condition(void *arg)
{
	until_told();
	return arg;
}

NOINLINE static int too_late(void)
{
	struct timespec until = in(CLOCK_REALTIME, -1), other = in(CLOCK_MONOTONIC, -1);
	int rc;

	pthread_mutex_lock(&mutex);
	rc = pthread_cond_timedwait(&condition, &mutex, &until);
	rc += pthread_cond_clockwait(&condition, &mutex, CLOCK_MONOTONIC, &other);
	pthread_mutex_unlock(&mutex);
	return rc;
}

static void conditions(void)
{
	pthread_t thread = start(wait_for_condition, NULL);
	pid_t tid = until_it_waits();

	pthread_mutex_lock(&mutex);
	told = true;
	pthread_cond_signal(&condition);
	pthread_mutex_unlock(&mutex);
	until_gone(tid);
	pthread_join(thread, NULL);
	printf("too late: %d\n", too_late() == 2 * ETIMEDOUT);
	waited("(condition) until_told", n_waits);
	waited("(condition) too_late", 2);
}

/* --- semaphores --- */

static sem_t semaphore;

NOINLINE static int take(void)
{
	int rc;

	errno = 77;
	rc = sem_wait(&semaphore);
	printf("taken: %d, errno %d\n", rc, errno);
	return rc;
}

NOINLINE static int take_timed(int seconds, long ns)
{
	struct timespec until = in(CLOCK_REALTIME, seconds);

	until.tv_nsec = ns;
	errno = 0;
	return sem_timedwait(&semaphore, &until) ? errno : 0;
}

static void *take_contended(void *arg)
{
	about_to_wait();
	take();
	return arg;
}

static void semaphores(void)
{
	pthread_t thread;
	pid_t tid;

	sem_init(&semaphore, 0, 2);
	take();
	take();
	thread = start(take_contended, NULL);
	tid = until_it_waits();
	sem_post(&semaphore);
	until_gone(tid);
	pthread_join(thread, NULL);
	printf("too late: %d\n", take_timed(-1, 0) == ETIMEDOUT);
	sem_post(&semaphore);
	printf("no time: %d\n", take_timed(1000, 1000000000) == EINVAL);
	printf("in time: %d\n", take_timed(1000, 0));
	waited("(semaphore) take", 1);
	waited("(semaphore) take_timed", 2);
}

/* --- joins --- */

static void *end_when_joined(void *arg)
{
	until_it_waits();
	return arg;
}

static void *nothing(void *arg)
{
	*(_Atomic pid_t *)arg = (pid_t)syscall(SYS_gettid);
	return arg;
}

NOINLINE static void *join(pthread_t thread)
{
	void *result = NULL;
	int rc = pthread_join(thread, &result);

	printf("joined: %d\n", rc);
	return result;
}

static void joins(void)
{
	_Atomic pid_t tid = 0;
	pthread_t thread = start(end_when_joined, &waiter);
	struct timespec late = in(CLOCK_REALTIME, -1);

	printf("not yet: %d\n", pthread_timedjoin_np(thread, NULL, &late) == ETIMEDOUT);
	about_to_wait();
	printf("its result: %d\n", join(thread) == &waiter);
	thread = start(nothing, &tid);
	while (!tid)
		sched_yield();
	until_gone(tid);
	printf("its result: %d\n", join(thread) == &tid);
	printf("itself: %d\n", pthread_join(pthread_self(), NULL) == EDEADLK);
	waited("(join) join", 1);
	waited("(join) joins", 2);
}

/* --- C11's --- */

static mtx_t c11_mutex;
static cnd_t c11_condition;
static bool c11_told;
static int n_c11_waits;

NOINLINE static int c11_lock(void)
{
	int rc = mtx_lock(&c11_mutex);

	__asm__ volatile("" ::: "memory");
	return rc;
}

static int c11_contended(void *arg)
{
	struct timespec until = in(CLOCK_REALTIME, -1);

	printf("late: %d\n", mtx_timedlock(&c11_mutex, &until) == thrd_timedout);
	about_to_wait();
	printf("locked: %d\n", c11_lock() == thrd_success);
	about_to_wait();
	while (!c11_told) {
		n_c11_waits++;
		cnd_wait(&c11_condition, &c11_mutex);
	}
	mtx_unlock(&c11_mutex);
	until_it_waits();
	return *(int *)arg;
}

static void c11(void)
{
	struct timespec until = in(CLOCK_REALTIME, -1);
	int number = 42, result = 0, rc;
	thrd_t thread;

	mtx_init(&c11_mutex, mtx_timed);
	cnd_init(&c11_condition);
	c11_lock();
	thrd_create(&thread, c11_contended, &number);
	until_it_waits();
	mtx_unlock(&c11_mutex);
	until_it_waits();
	c11_lock();
	rc = cnd_timedwait(&c11_condition, &c11_mutex, &until);
	printf("late: %d\n", rc == thrd_timedout);
	c11_told = true;
	cnd_signal(&c11_condition);
	mtx_unlock(&c11_mutex);
	about_to_wait();
	rc = thrd_join(thread, &result);
	printf("joined: %d, %d\n", rc == thrd_success, result);
	waited("(mutex) c11_contended", 1);
	waited("(mutex) c11_lock", 1);
	waited("(condition) c11_contended", n_c11_waits);
	waited("(condition) c11", 1);
	waited("(join) c11", 1);
}

/* --- barriers --- */

static pthread_barrier_t barrier;

NOINLINE static int meet(void)
{
	int rc = pthread_barrier_wait(&barrier);

	return rc == PTHREAD_BARRIER_SERIAL_THREAD;
}

static void *meet_others(void *arg)
{
	*(int *)arg = meet() + meet();
	return arg;
}

static void barriers(void)
{
	int first = 0, second = 0;
	pthread_t thread;

	pthread_barrier_init(&barrier, NULL, 2);
	thread = start(meet_others, &first);
	meet_others(&second);
	while (pthread_tryjoin_np(thread, NULL))
		sched_yield();
	printf("last: %d\n", first + second);
	waited("(barrier) meet", 4);
}

/* --- kinds of mutexes --- */

static void init(pthread_mutex_t *to, int type, int robust, int protocol)
{
	pthread_mutexattr_t kind;

	pthread_mutexattr_init(&kind);
	pthread_mutexattr_settype(&kind, type);
	pthread_mutexattr_setrobust(&kind, robust);
	pthread_mutexattr_setprotocol(&kind, protocol);
	pthread_mutex_init(to, &kind);
}

static pthread_mutex_t robust;

static void *die_with_it(void *arg)
{
	pthread_mutex_lock(&robust);
	*(_Atomic pid_t *)arg = (pid_t)syscall(SYS_gettid);
	return arg;
}

static void let_it_die(void)
{
	_Atomic pid_t tid = 0;
	pthread_t thread = start(die_with_it, &tid);

	while (!tid)
		sched_yield();
	until_gone(tid);
	pthread_join(thread, NULL);
}

NOINLINE static void kinds(void)
{
	static const int protocols[] = { PTHREAD_PRIO_NONE, PTHREAD_PRIO_INHERIT,
					 PTHREAD_PRIO_PROTECT };
	struct timespec wrong = { 0, -1 };
	pthread_mutex_t other;

	for (size_t i = 0; i < COUNT(protocols); i++) {
		init(&other, PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_STALLED, protocols[i]);
		printf("recursive: %d", pthread_mutex_lock(&other));
		printf(" %d", pthread_mutex_lock(&other));
		printf(" %d", pthread_mutex_unlock(&other));
		printf(" %d", pthread_mutex_unlock(&other));
		printf(" %d\n", pthread_mutex_unlock(&other));
	}
	init(&other, PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_STALLED, PTHREAD_PRIO_NONE);
	pthread_mutex_lock(&other);
	printf("checked: %d\n", pthread_mutex_lock(&other) == EDEADLK);
	pthread_mutex_unlock(&other);
	printf("wrong time, free: %d\n", pthread_mutex_timedlock(&other, &wrong));
	pthread_mutex_unlock(&other);
	printf("wrong clock, free: %d\n",
	       pthread_mutex_clocklock(&other, CLOCK_THREAD_CPUTIME_ID, &wrong) == EINVAL);
	for (size_t i = 0; i < 2; i++) {
		init(&robust, PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ROBUST, protocols[i]);
		let_it_die();
		printf("its owner died: %d\n", pthread_mutex_lock(&robust) == EOWNERDEAD);
		printf("consistent: %d\n", pthread_mutex_consistent(&robust));
		pthread_mutex_unlock(&robust);
		let_it_die();
		printf("its owner died: %d\n", pthread_mutex_lock(&robust) == EOWNERDEAD);
		pthread_mutex_unlock(&robust);
		printf("lost: %d\n", pthread_mutex_lock(&robust) == ENOTRECOVERABLE);
	}
	waited("(mutex) kinds", 3);
}

/* --- cancellation --- */

static pthread_mutex_t behind = PTHREAD_MUTEX_INITIALIZER;

/* Waits itself: not in what was cancelled. */
NOINLINE static void clean_up(void *what)
{
	about_to_wait();
	pthread_mutex_lock(&behind);
	pthread_mutex_unlock(&behind);
	printf("cancelled: %s\n", (const char *)what);
}

NOINLINE static void *cancelled_condition(void *arg)
{
	pthread_mutex_lock(&mutex);
	pthread_cleanup_push(clean_up, arg);
	about_to_wait();
	for (;;)
		pthread_cond_wait(&condition, &mutex);
	pthread_cleanup_pop(0);
	return arg;
}

NOINLINE static void *cancelled_semaphore(void *arg)
{
	pthread_cleanup_push(clean_up, arg);
	about_to_wait();
	sem_wait(&semaphore);
	pthread_cleanup_pop(0);
	return arg;
}

NOINLINE static void *cancelled_join(void *arg)
{
	pthread_cleanup_push(clean_up, "a join");
	about_to_wait();
	pthread_join(*(pthread_t *)arg, NULL);
	pthread_cleanup_pop(0);
	return arg;
}

static void cancel(void *(*function)(void *arg), void *arg)
{
	pthread_t thread;
	void *result;
	pid_t tid;

	pthread_mutex_lock(&behind);
	thread = start(function, arg);
	until_it_waits();
	pthread_cancel(thread);
	tid = until_it_waits();
	pthread_mutex_unlock(&behind);
	until_gone(tid);
	pthread_join(thread, &result);
	printf("as such: %d\n", result == PTHREAD_CANCELED);
}

/* No cancellation point: what is asked for meanwhile comes behind it. */
NOINLINE static void *cancelled_later(void *arg)
{
	about_to_wait();
	pthread_mutex_lock(&behind);
	puts("locked");
	pthread_mutex_unlock(&behind);
	pthread_testcancel();
	return arg;
}

/* A cancellation point, also where nothing has to be waited for. */
static void *cancelled_before(void *arg)
{
	int state;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	pthread_cancel(pthread_self());
	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &state);
	*(_Atomic pid_t *)arg = (pid_t)syscall(SYS_gettid);
	sem_wait(&semaphore);
	return arg;
}

static void cancellations(void)
{
	_Atomic pid_t before = 0;
	pthread_t thread, self = pthread_self();
	void *result;
	int value;
	pid_t tid;

	cancel(cancelled_condition, "a condition");
	printf("locked again: %d\n", pthread_mutex_trylock(&mutex) == EBUSY);
	pthread_mutex_init(&mutex, NULL);
	sem_init(&semaphore, 0, 0);
	cancel(cancelled_semaphore, "a semaphore");
	cancel(cancelled_join, &self);
	pthread_mutex_lock(&behind);
	thread = start(cancelled_later, NULL);
	tid = until_it_waits();
	pthread_cancel(thread);
	pthread_mutex_unlock(&behind);
	until_gone(tid);
	pthread_join(thread, &result);
	printf("cancelled later: %d\n", result == PTHREAD_CANCELED);
	sem_init(&semaphore, 0, 1);
	thread = start(cancelled_before, &before);
	while (!before)
		sched_yield();
	until_gone(before);
	pthread_join(thread, &result);
	sem_getvalue(&semaphore, &value);
	printf("cancelled before: %d, not taken: %d\n", result == PTHREAD_CANCELED, value);
	waited("(condition) cancelled_condition", 1);
	waited("(semaphore) cancelled_semaphore", 1);
	waited("(join) cancelled_join", 1);
	waited("(mutex) clean_up", 3);
	waited("(mutex) cancelled_later", 1);
}

/* --- signals --- */

static sigjmp_buf out;
static volatile sig_atomic_t leaves;

static void handle(int signal)
{
	(void)signal;
	if (leaves)
		siglongjmp(out, 1);
}

NOINLINE static void *interrupted(void *arg)
{
	about_to_wait();
	printf("interrupted: %d\n", sem_wait(&semaphore) == -1 && errno == EINTR);
	leaves = 1;
	if (!sigsetjmp(out, 1)) {
		about_to_wait();
		sem_wait(&semaphore);
	} else {
		puts("left");
	}
	about_to_wait();
	lock_plain();
	pthread_mutex_unlock(&mutex);
	return arg;
}

static void signals(void)
{
	struct sigaction action = { .sa_handler = handle };
	pthread_t thread;
	pid_t tid;

	sigaction(SIGUSR1, &action, NULL);
	sem_init(&semaphore, 0, 0);
	lock_plain();
	thread = start(interrupted, NULL);
	until_it_waits();
	pthread_kill(thread, SIGUSR1);
	until_it_waits();
	pthread_kill(thread, SIGUSR1);
	tid = until_it_waits();
	pthread_mutex_unlock(&mutex);
	until_gone(tid);
	pthread_join(thread, NULL);
	waited("(semaphore) interrupted", 2);
	waited("(mutex) lock_plain", 1);
}

/* --- what is loaded later --- */

static void *plugin_contended(void *arg)
{
	about_to_wait();
	((void (*)(pthread_mutex_t *))(size_t)arg)(&mutex);
	pthread_mutex_unlock(&mutex);
	return NULL;
}

static void plugins(void)
{
	void *plugin = dlopen(getenv("TEST_PLUGIN"), RTLD_NOW);
	void *function = plugin ? dlsym(plugin, "plugin_lock") : NULL;
	pthread_t thread;
	pid_t tid;

	if (!function)
		abort();
	for (int i = 0; i < 2; i++) {
		lock_plain();
		thread = start(plugin_contended, function);
		tid = until_it_waits();
		pthread_mutex_unlock(&mutex);
		until_gone(tid);
		pthread_join(thread, NULL);
	}
	puts("plugin");
	waited("(mutex) plugin_lock", 2);
}

/* --- a child --- */

static void forks(void)
{
	int status = 1;
	pid_t child;

	fflush(NULL);
	child = fork();
	if (!child) {
		calls = NULL;
		mutexes();
		fflush(NULL);
		_exit(3);
	}
	waitpid(child, &status, 0);
	printf("child: %d\n", WEXITSTATUS(status));
	waited("(mutex) lock_plain", 3);
	waited("(mutex) lock_timed", 1);
	waited("(mutex) lock_clock", 1);
}

/* --- many at once --- */

static struct {
	pthread_mutex_t mutex;
	pthread_rwlock_t rwlock;
	sem_t semaphore;
	pthread_cond_t condition;
	long sum[3];
	int turn;
} all = { .mutex = PTHREAD_MUTEX_INITIALIZER,
	  .rwlock = PTHREAD_RWLOCK_INITIALIZER,
	  .condition = PTHREAD_COND_INITIALIZER };

#define N_THREADS 4
#define N_ROUNDS  2000

static void *hurry(void *arg)
{
	int me = *(int *)arg;

	for (int i = 0; i < N_ROUNDS; i++) {
		pthread_mutex_lock(&all.mutex);
		all.sum[0]++;
		pthread_mutex_unlock(&all.mutex);
		if (i % 4 == me)
			pthread_rwlock_wrlock(&all.rwlock);
		else
			pthread_rwlock_rdlock(&all.rwlock);
		if (i % 4 == me)
			all.sum[1]++;
		pthread_rwlock_unlock(&all.rwlock);
		sem_wait(&all.semaphore);
		all.sum[2]++;
		sem_post(&all.semaphore);
	}
	for (int i = 0; i < 100; i++) {
		pthread_mutex_lock(&all.mutex);
		while (all.turn % N_THREADS != me)
			pthread_cond_wait(&all.condition, &all.mutex);
		all.turn++;
		pthread_cond_broadcast(&all.condition);
		pthread_mutex_unlock(&all.mutex);
	}
	return NULL;
}

static void many(void)
{
	pthread_t thread[N_THREADS];
	int number[N_THREADS];

	sem_init(&all.semaphore, 0, 1);
	for (int i = 0; i < N_THREADS; i++) {
		number[i] = i;
		thread[i] = start(hurry, &number[i]);
	}
	for (int i = 0; i < N_THREADS; i++)
		pthread_join(thread[i], NULL);
	printf("%ld %ld %ld %d\n", all.sum[0], all.sum[1], all.sum[2], all.turn);
}

/* --- */

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} parts[] = {
		{ "mutexes", mutexes },
		{ "rwlocks", rwlocks },
		{ "conditions", conditions },
		{ "semaphores", semaphores },
		{ "joins", joins },
		{ "barriers", barriers },
		{ "kinds", kinds },
		{ "cancellations", cancellations },
		{ "c11", c11 },
		{ "signals", signals },
		{ "plugins", plugins },
		{ "forks", forks },
		{ "many", many },
	};
	const char *path = getenv("TEST_CALLS");

	calls = path ? fopen(path, "w") : NULL;
	for (int i = 1; i < argc; i++)
		for (size_t k = 0; k < COUNT(parts); k++)
			if (!strcmp(argv[i], parts[k].name))
				parts[k].run();
	fflush(NULL);
	return 7;
}
