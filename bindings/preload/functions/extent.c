/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds a thread's stack by the process's mappings. */
#include "bindings/preload/functions/extent.h"

#include <errno.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include "bindings/preload/maps.h"

/* The loader's: where the first thread's stack begins. */
extern void *__libc_stack_end;

/* What a stack without a limit may well have. */
#define STACK_MAX ((uintptr_t)1 << 36)

/* A thread's descriptor lies on its stack; the first thread's stack grows down to its limit. */
void preload_extent_find(struct preload_extent *stack)
{
	bool is_first = getpid() == gettid();
	struct preload_mapping mapping;
	struct rlimit limit;
	int saved = errno;

	if (!preload_mapping_find(
		    is_first ? (uintptr_t)__libc_stack_end : (uintptr_t)pthread_self(), &mapping)) {
		*stack = (struct preload_extent){ 1, 1 };
		return;
	}
	*stack = (struct preload_extent){ mapping.first, mapping.end };
	if (is_first && !getrlimit(RLIMIT_STACK, &limit)) {
		uintptr_t size = limit.rlim_cur < STACK_MAX ? (uintptr_t)limit.rlim_cur : STACK_MAX;

		if (size > stack->high - stack->low)
			stack->low = size < stack->high ? stack->high - size : 0;
	}
	errno = saved;
}
