/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * POSIX's locks and C11's: each call that has to wait for another thread is a region.
 *
 * Ours try first, with the function that never waits, and what that refuses goes to the function that they
 * stand in for, as a region (waits.h).  An answer other than EBUSY is the one that the caller gets: a mutex
 * whose owner has died, say, is locked then (EOWNERDEAD).  A call that is refused at once, as a second lock
 * of a mutex that checks for errors (EDEADLK), is a region all the same.
 *
 * Others are served in the same order as without: glibc's pthread_rwlock_tryrdlock() fails where a writer that
 * goes first is waiting, as pthread_rwlock_rdlock() waits then.
 */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <time.h>

#include "bindings/preload/inside.h"
#include "bindings/preload/locks/waits.h"
#include "bindings/preload/preload.h"
#include "bindings/preload/wrap/stand_in.h"

/* --- the functions that only try --- */

#define TRIES(X)                                        \
	X(pthread_mutex_trylock, pthread_mutex_t *)     \
	X(pthread_rwlock_tryrdlock, pthread_rwlock_t *) \
	X(pthread_rwlock_trywrlock, pthread_rwlock_t *) \
	X(sem_trywait, sem_t *)                         \
	X(mtx_trylock, mtx_t *)

/* Set before the first slot leads to one of ours. */
static struct {
#define TRY_MEMBER(name, parameter) int (*name)(parameter);
	TRIES(TRY_MEMBER)
	int (*pthread_tryjoin_np)(pthread_t, void **);
} try;

/* With a wrong time or clock some are refused even where there is nothing to wait for: that is libc's to say. */
static inline bool is_right(clockid_t clock, const struct timespec *until)
{
	return (clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC) &&
	       (!until || (unsigned long)until->tv_nsec < 1000000000ul);
}

/* sem_wait() is a cancellation point also where it need not wait. */
static inline int try_semaphore(sem_t *semaphore)
{
	int saved;

	pthread_testcancel();
	saved = errno;
	if (likely(!try.sem_trywait(semaphore)))
		return 0;
	errno = saved;
	return EBUSY;
}

/* C11's have numbers of their own, of which none is EBUSY. */
static inline int try_mtx(mtx_t *mutex)
{
	int rc = try.mtx_trylock(mutex);

	return unlikely(rc == thrd_busy) ? EBUSY : rc;
}

static inline int try_thrd(thrd_t thread, int *result)
{
	void *value;
	int rc = try.pthread_tryjoin_np(thread, &value);

	if (!rc && result)
		*result = (int)(intptr_t)value;
	return rc == 0 ? thrd_success : rc == EBUSY ? EBUSY : thrd_error;
}

/* --- ours --- */

#define MUTEX     pthread_mutex_t *mutex
#define RWLOCK    pthread_rwlock_t *lock
#define CONDITION pthread_cond_t *condition, pthread_mutex_t *mutex
#define SEMAPHORE sem_t *semaphore
#define THREAD    pthread_t thread, void **result
#define BARRIER   pthread_barrier_t *barrier
#define UNTIL     const struct timespec *until
#define CLOCK     clockid_t clock

#define TIMED(clock, tried) (likely(is_right(clock, until)) ? (tried) : EBUSY)

/* X(name, what it waits for, parameters, arguments, what is tried first: EBUSY where it may have to wait) */
#define FUNCTIONS(X)                                                                             \
	X(pthread_mutex_lock, "mutex", (MUTEX), (mutex), try.pthread_mutex_trylock(mutex))       \
	X(pthread_mutex_timedlock, "mutex", (MUTEX, UNTIL), (mutex, until),                      \
	  TIMED(CLOCK_REALTIME, try.pthread_mutex_trylock(mutex)))                               \
	X(pthread_mutex_clocklock, "mutex", (MUTEX, CLOCK, UNTIL), (mutex, clock, until),        \
	  TIMED(clock, try.pthread_mutex_trylock(mutex)))                                        \
	X(pthread_rwlock_rdlock, "rwlock", (RWLOCK), (lock), try.pthread_rwlock_tryrdlock(lock)) \
	X(pthread_rwlock_timedrdlock, "rwlock", (RWLOCK, UNTIL), (lock, until),                  \
	  TIMED(CLOCK_REALTIME, try.pthread_rwlock_tryrdlock(lock)))                             \
	X(pthread_rwlock_clockrdlock, "rwlock", (RWLOCK, CLOCK, UNTIL), (lock, clock, until),    \
	  TIMED(clock, try.pthread_rwlock_tryrdlock(lock)))                                      \
	X(pthread_rwlock_wrlock, "rwlock", (RWLOCK), (lock), try.pthread_rwlock_trywrlock(lock)) \
	X(pthread_rwlock_timedwrlock, "rwlock", (RWLOCK, UNTIL), (lock, until),                  \
	  TIMED(CLOCK_REALTIME, try.pthread_rwlock_trywrlock(lock)))                             \
	X(pthread_rwlock_clockwrlock, "rwlock", (RWLOCK, CLOCK, UNTIL), (lock, clock, until),    \
	  TIMED(clock, try.pthread_rwlock_trywrlock(lock)))                                      \
	X(pthread_cond_wait, "condition", (CONDITION), (condition, mutex), EBUSY)                \
	X(pthread_cond_timedwait, "condition", (CONDITION, UNTIL), (condition, mutex, until),    \
	  EBUSY)                                                                                 \
	X(pthread_cond_clockwait, "condition", (CONDITION, CLOCK, UNTIL),                        \
	  (condition, mutex, clock, until), EBUSY)                                               \
	X(sem_wait, "semaphore", (SEMAPHORE), (semaphore), try_semaphore(semaphore))             \
	X(sem_timedwait, "semaphore", (SEMAPHORE, UNTIL), (semaphore, until),                    \
	  TIMED(CLOCK_REALTIME, try_semaphore(semaphore)))                                       \
	X(sem_clockwait, "semaphore", (SEMAPHORE, CLOCK, UNTIL), (semaphore, clock, until),      \
	  TIMED(clock, try_semaphore(semaphore)))                                                \
	X(pthread_join, "join", (THREAD), (thread, result),                                      \
	  try.pthread_tryjoin_np(thread, result))                                                \
	X(pthread_timedjoin_np, "join", (THREAD, UNTIL), (thread, result, until),                \
	  TIMED(CLOCK_REALTIME, try.pthread_tryjoin_np(thread, result)))                         \
	X(pthread_clockjoin_np, "join", (THREAD, CLOCK, UNTIL), (thread, result, clock, until),  \
	  TIMED(clock, try.pthread_tryjoin_np(thread, result)))                                  \
	X(pthread_barrier_wait, "barrier", (BARRIER), (barrier), EBUSY)                          \
	X(mtx_lock, "mutex", (mtx_t * mutex), (mutex), try_mtx(mutex))                           \
	X(mtx_timedlock, "mutex", (mtx_t * mutex, UNTIL), (mutex, until),                        \
	  TIMED(CLOCK_REALTIME, try_mtx(mutex)))                                                 \
	X(cnd_wait, "condition", (cnd_t * condition, mtx_t * mutex), (condition, mutex), EBUSY)  \
	X(cnd_timedwait, "condition", (cnd_t * condition, mtx_t * mutex, UNTIL),                 \
	  (condition, mutex, until), EBUSY)                                                      \
	X(thrd_join, "join", (thrd_t thread, int *result), (thread, result),                     \
	  try_thrd(thread, result))

enum function {
#define INDEX(name, what, parameters, arguments, tried) AT_##name,
	FUNCTIONS(INDEX) N_FUNCTIONS
};

static struct wrap_stand_in stand_ins[N_FUNCTIONS];

#define STAND_IN(name, what, parameters, arguments, tried)                                   \
	static int ours_##name parameters                                                    \
	{                                                                                    \
		int rc = tried;                                                              \
                                                                                             \
		if (likely(rc != EBUSY))                                                     \
			return rc;                                                           \
		return ((int(*) parameters)wait_call(what, stand_ins[AT_##name].function,    \
						     __builtin_return_address(0)))arguments; \
	}
FUNCTIONS(STAND_IN)

/* Valgrind's race detectors know what waits for a lock, but not all that tries to get one. */
static bool is_under_detector(void)
{
	const char *preloaded = getenv("LD_PRELOAD");

	return preloaded &&
	       (strstr(preloaded, "vgpreload_helgrind") || strstr(preloaded, "vgpreload_drd"));
}

void preload_locks_start(void)
{
	if (is_under_detector()) {
		pmu_note("under helgrind and drd no wait for a lock is a region: they would "
			 "take locked data for a race");
		return;
	}
#define FIND_TRY(name, parameter) try.name = (int (*)(parameter))preload_next(#name);
	TRIES(FIND_TRY)
	try.pthread_tryjoin_np = (int (*)(pthread_t, void **))preload_next("pthread_tryjoin_np");
#define FIND(name, what, parameters, arguments, tried)                                        \
	stand_ins[AT_##name] = (struct wrap_stand_in){ #name, (uintptr_t)preload_next(#name), \
						       (uintptr_t)ours_##name };
	FUNCTIONS(FIND)
	if (try.pthread_mutex_trylock && try.pthread_rwlock_tryrdlock &&
	    try.pthread_rwlock_trywrlock && try.sem_trywait && try.mtx_trylock &&
	    try.pthread_tryjoin_np)
		wrap_stand_in(stand_ins, N_FUNCTIONS);
}
