/* SPDX-License-Identifier: BSD-3-Clause */
/* Is loaded by locks.c and locks a mutex of its. */
#include <pthread.h>

int plugin_lock(pthread_mutex_t *mutex);

int plugin_lock(pthread_mutex_t *mutex)
{
	int rc = pthread_mutex_lock(mutex);

	__asm__ volatile("" ::: "memory");
	return rc;
}
