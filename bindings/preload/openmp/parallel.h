/* SPDX-License-Identifier: BSD-3-Clause */
/* The program's OpenMP parallel regions: what gomp.c and ompt.c know of each. */
#ifndef PMU_PRELOAD_PARALLEL_H
#define PMU_PRELOAD_PARALLEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/hash.h"
#include "bindings/preload/inside.h"
#include "bindings/preload/symbols/seen.h"

struct preload_gomp;

/** One parallel region of the program's text.  It stays as long as the process. */
struct preload_parallel {
	/* What it is known by: libgomp's outlined function, or where OMPT's call returns to. */
	const void *address;
	bool has_tasks;   /* its object makes explicit tasks */
	const void *from; /* where its call returns to; NULL: not said */
	/* Of gomp.c: */
	const struct preload_gomp *runtime;
	/* Of ompt.c: */
	/* stands for all calls that return into the runtime itself: a jump was made of each */
	bool is_runtime;
	/* Of parallel.c: */
	const char *name;              /* its region; NULL: it has none */
	const char *leftover;          /* the region of tasks that run after a thread's own share */
	struct preload_parallel *next; /* in its bucket */
	const char *function;          /* the part of the name before the number */
	/* where it is from, so that it has the same name when that is loaded again */
	const char *file;
	uintptr_t offset;
	struct preload_seen seen;
};

#define PRELOAD_PARALLEL_BUCKETS 1024u
extern struct preload_parallel *preload_parallel_table[PRELOAD_PARALLEL_BUCKETS];

static inline struct preload_parallel **preload_parallel_bucket(const void *address)
{
	return &preload_parallel_table[pmu_hash_number((uintptr_t)address) %
				       PRELOAD_PARALLEL_BUCKETS];
}

/**
 * preload_parallel_find() - the one that is known by an address, or NULL.  Takes no lock but after
 * a dlclose().
 */
static inline struct preload_parallel *preload_parallel_find(const void *address)
{
	/* pairs with the release store in parallel.c */
	struct preload_parallel *parallel = __atomic_load_n(preload_parallel_bucket(address),
							    __ATOMIC_ACQUIRE);

	while (parallel && parallel->address != address)
		parallel = parallel->next;
	if (unlikely(parallel && !preload_is_current(&parallel->seen)) &&
	    !preload_seen_again(&parallel->seen, parallel->address))
		return NULL;
	return parallel;
}

/**
 * preload_parallel_outlined() - make one of an outlined function
 * @draft: address, runtime, has_tasks and from are taken from it
 * @named: false: it gets no name
 *
 * "parallel solve:0" is the region of solve._omp_fn.0.  Without that symbol it is the first one that
 * is met of those that solve(), or what the compiler has inlined there, calls the runtime for.
 *
 * Context: takes locks, allocates.
 * Return: it, or the one that another thread was quicker with; NULL without memory.
 */
struct preload_parallel *preload_parallel_outlined(const struct preload_parallel *draft,
						   bool named);

/**
 * preload_parallel_called() - make one of a call into the runtime
 * @from: where the call returns to; NULL where the runtime does not say
 * @around: the parallel region that the caller is in, or NULL
 *
 * A function's calls are numbered in the order in which they are met: "parallel solve:0", "parallel
 * solve:1". The names of functions that clang has outlined say nothing, so theirs is that of the
 * region around them.
 *
 * A function that does nothing else ends with a jump into the runtime, and what it returns to is
 * the runtime, whatever region it is.  Each region that holds such a call has one of them, known by
 * the address behind its own.
 *
 * Context and return: as preload_parallel_outlined().
 */
struct preload_parallel *preload_parallel_called(const void *from,
						 const struct preload_parallel *around);

/** preload_parallel_inside() - such a one, or NULL, as preload_parallel_called() */
struct preload_parallel *preload_parallel_inside(const void *from,
						 const struct preload_parallel *around);

/** preload_file_name() - the last part of a path */
static inline const char *preload_file_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/** preload_is_llvm_runtime() - is it the file of LLVM's or Intel's OpenMP? */
bool preload_is_llvm_runtime(const char *path);

/**
 * preload_gomp_forking - the calling thread is on its way into a parallel region that gomp.c counts
 *
 * LLVM's runtime also has libgomp's entry points, and says of those too that a parallel region
 * begins.
 */
extern __thread bool preload_gomp_forking;

/** preload_ompt_tells - LLVM's runtime has agreed to tell of its parallel regions. */
extern bool preload_ompt_tells;

/**
 * preload_omp_mask() - let a runtime be told where its threads may run as if they were not pinned
 * @code: an address in it
 */
void preload_omp_mask(const void *code);

#endif
