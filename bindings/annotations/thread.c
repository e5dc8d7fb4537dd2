/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory for each thread, given back when it ends. */
#include "bindings/annotations/thread.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>

#include "bindings/preload/keep.h"

__thread struct annotation_thread *annotation_own __attribute__((tls_model("initial-exec")));

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t at_end;
static bool have_key;
static uint32_t n_threads;

/* Destructors of others may still annotate: the next call makes a new one, and this is called again. */
static void forget(void *self)
{
	annotation_own = NULL;
	preload_unmap(self, sizeof(struct annotation_thread));
}

static void make_key(void)
{
	have_key = !pthread_key_create(&at_end, forget);
}

struct annotation_thread *annotation_thread_make(void)
{
	struct annotation_thread *self = preload_map(sizeof(*self));
	int saved = errno;

	if (!self)
		return NULL;
	self->top = self->open;
	/* apart from each other, for ranges of two threads are not to share a cache line */
	self->range = __atomic_fetch_add(&n_threads, 1, __ATOMIC_RELAXED) * 16;
	pthread_once(&once, make_key);
	if (have_key)
		pthread_setspecific(at_end, self);
	annotation_own = self;
	errno = saved;
	return self;
}
