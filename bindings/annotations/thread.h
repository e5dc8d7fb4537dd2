/* SPDX-License-Identifier: BSD-3-Clause */
/* What each thread knows of annotations: names it has used, and what it has begun. */
#ifndef PMU_ANNOTATIONS_THREAD_H
#define PMU_ANNOTATIONS_THREAD_H

#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

#define ANNOTATION_CACHE 64   /* names, by the address of their text; a power of two */
#define ANNOTATION_DEPTH 4096 /* annotations open in one thread */

struct annotation_known;

/** A name that this thread has used: what it was asked for, and what it is. */
struct annotation_cached {
	const char *tool, *domain, *category, *text;
	const struct annotation_known *known;
};

/** One that is open.  @name: NULL: it was begun while annotations were paused. */
struct annotation_open {
	const void *domain;
	const char *name;
	int depth; /* how many of its domain were open before */
};

/** Pages that are never used are never there. */
struct annotation_thread {
	struct annotation_open
		*top;      /* the innermost; open[0], which is of no domain, where there is none */
	uint64_t n_deeper; /* open beyond those in open[]: only counted */
	uint32_t range;    /* where the next range may find room */
	struct annotation_cached cache[ANNOTATION_CACHE];
	struct annotation_open open[ANNOTATION_DEPTH + 1];
};

#define annotation_likely(x) __builtin_expect(!!(x), 1)

/* initial-exec: no call, and no memory at a thread's first use */
extern __thread struct annotation_thread *annotation_own __attribute__((tls_model("initial-exec")));

/** annotation_thread_make() - the calling thread's first.  Return: NULL without memory. */
struct annotation_thread *annotation_thread_make(void);

static inline struct annotation_thread *annotation_thread(void)
{
	struct annotation_thread *self = annotation_own;

	return annotation_likely(self) ? self : annotation_thread_make();
}

#pragma GCC visibility pop

#endif
