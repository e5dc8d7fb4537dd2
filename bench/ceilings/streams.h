/* SPDX-License-Identifier: BSD-3-Clause */
/* Loops of nothing but loads and stores, in the widest registers: what caches and memory move. */
#ifndef BENCH_CEILINGS_STREAMS_H
#define BENCH_CEILINGS_STREAMS_H

#include <stdbool.h>
#include <stddef.h>

#define STREAM_TURN 512 /* bytes of an array that a turn of a loop takes, at most */

/** What a thread's memory is cut into. */
struct streams {
	char *a, *b,
		*to;  /* those that the loop has, as far apart as they are long; the others are a */
	size_t bytes; /* of each; whole turns */
};

struct stream_kernel {
	const char *kind; /* "read", "copy", "triad" */
	int arrays;       /* of as many bytes moved: also those that are written */
	int vector_bits;
	bool (*is_there)(void); /* does this processor have the instructions? */
	/** run() - over the bytes from @at on, @length of them, @times times */
	void (*run)(const struct streams *at, size_t from, size_t length, size_t times);
};

/** All of them: by kind, by ascending width.  Ends with a NULL kind. */
extern const struct stream_kernel stream_kernels[];

/** streams_best() - is it the widest of its kind that this processor has? */
bool streams_best(const struct stream_kernel *kernel);

/** streams_fill() - as the loops want it; the memory is this thread's from here on */
void streams_fill(const struct streams *at);
/**
 * streams_right() - are @length bytes from @from on what a loop that has been over them makes of
 * them?  A loop that writes nothing is always right.
 */
bool streams_right(const struct stream_kernel *kernel, const struct streams *at, size_t from,
		   size_t length);

#endif
