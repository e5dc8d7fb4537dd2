/* SPDX-License-Identifier: BSD-3-Clause */
/* Traces as other programs' viewers read them. */
#ifndef PMU_COMMAND_TRACE_H
#define PMU_COMMAND_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** What has been written, for the command's messages. */
struct pmu_trace_written {
	uint64_t slices;
	uint64_t lost;         /* calls that there was no room for while they were traced */
	uint64_t left_out;     /* calls that were shorter than PMU_TRACE_MIN */
	uint64_t damaged;      /* rings and calls that made no sense */
	unsigned int cut;      /* stores that are not whole: cut for want of room, or damaged */
	unsigned int untraced; /* stores without a trace */
	unsigned int unread;   /* stores that cannot be read */
	char why[512];         /* the first of them: a sentence that names it */
};

struct pmu_timeline_format;

/** pmu_trace_check() - can it be written?  Return: 0; -ENOTSUP with a sentence. */
int pmu_trace_check(const struct pmu_timeline_format *format, const char *path);

/**
 * pmu_trace_write() - traces of processes as one, on one clock
 * @store: [@n] their files; those without a trace, and those that cannot be read, are left out
 * @path: written beside its place and renamed into it
 *
 * Streams: it takes 4 bytes for each call of the largest ring, and arrows.
 * Return: 0; a negative errno with a sentence: -ENODATA where none of them has a trace, another one where
 * none can be read.
 */
int pmu_trace_write(const char *const *store, size_t n, const struct pmu_timeline_format *format,
		    const char *path, struct pmu_trace_written *written);

/** pmu_trace_tell() - on standard error, what is not in it */
void pmu_trace_tell(const char *path, const struct pmu_trace_written *written);

#endif
