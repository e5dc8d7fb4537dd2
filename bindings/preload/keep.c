/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory and a lock for what is found out about functions. */
#include "bindings/preload/keep.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "pmu.h"

/* Bytes asked of the kernel at a time. */
#define PIECE ((size_t)64 << 10)
#define ALIGN 16u

static struct {
	pthread_mutex_t lock;
	char *at;
	size_t left;
} kept = { .lock = PTHREAD_MUTEX_INITIALIZER };

void *preload_map(size_t size)
{
	int saved = errno;
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	errno = saved;
	return memory == MAP_FAILED ? NULL : memory;
}

void preload_unmap(void *memory, size_t size)
{
	int saved = errno;

	munmap(memory, size);
	errno = saved;
}

void *preload_keep(size_t size)
{
	char *memory;

	if (size > SIZE_MAX / 2)
		return NULL;
	size = (size + ALIGN - 1) / ALIGN * ALIGN;
	if (size > PIECE / 4)
		return preload_map(size);
	if (size > kept.left) {
		kept.at = preload_map(PIECE);
		kept.left = kept.at ? PIECE : 0;
		if (!kept.at)
			return NULL;
	}
	memory = kept.at;
	kept.at += size;
	kept.left -= size;
	return memory;
}

const char *preload_keep_text(const char *text, size_t len)
{
	char *copy = preload_keep(len + 1);

	if (copy)
		memcpy(copy, text, len);
	return copy;
}

/* --- the lock --- */

/*
 * Whether the calling thread holds it, or is about to: a pthread key, as the loader has little
 * thread-local memory left for libraries that dlopen() loads.
 */
static pthread_key_t holding;
static bool have_key;

/* Across a fork it is held, so that the child finds what it guards whole. */
static bool held_for_fork; /* under the lock */

static void before_fork(void)
{
	if (preload_lock())
		held_for_fork = true;
}

static void after_fork(void)
{
	if (!pthread_getspecific(holding) || !held_for_fork)
		return;
	held_for_fork = false;
	preload_unlock();
}

static void follow_forks(void)
{
	have_key = !pthread_key_create(&holding, NULL);
	pthread_atfork(before_fork, after_fork, after_fork);
}

bool preload_lock(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, follow_forks);
	/* before, so that a signal handler in between does not try */
	if (!have_key || pthread_getspecific(holding) || pthread_setspecific(holding, &kept))
		return false;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	pthread_mutex_lock(&kept.lock);
	return true;
}

void preload_unlock(void)
{
	pthread_mutex_unlock(&kept.lock);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	pthread_setspecific(holding, NULL);
}

const char *preload_keep_name(const char *name)
{
	const char *text = NULL;

	if (preload_lock()) {
		text = preload_keep_text(name, strnlen(name, PMU_NAME_MAX));
		preload_unlock();
	}
	return text;
}
