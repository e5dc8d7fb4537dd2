/* SPDX-License-Identifier: BSD-3-Clause */
/* A file that is written bit by bit, compressed or not, and there when it is whole. */
#ifndef PMU_COMMAND_TRACE_SINK_H
#define PMU_COMMAND_TRACE_SINK_H

#include <stdbool.h>
#include <stddef.h>

struct pmu_trace_sink {
	char *path;
	char *beside; /* what is renamed to it; NULL: a device or pipe is written to */
	int fd;
	void *gz; /* zlib's */
	int error;
};

/** pmu_trace_sink_compresses() - was zlib built in? */
bool pmu_trace_sink_compresses(void);

/**
 * pmu_trace_sink_open() - a new file beside @path, which has its place in the end
 * Return: 0 or a negative errno with a sentence.
 */
int pmu_trace_sink_open(struct pmu_trace_sink *sink, const char *path, bool compressed);

/** pmu_trace_sink_put() - an error stays until the end.  Return: 0 or a negative errno. */
int pmu_trace_sink_put(struct pmu_trace_sink *sink, const char *bytes, size_t len);

/**
 * pmu_trace_sink_close() - @keep: as @path; else it leaves nothing
 * Return: 0 or a negative errno with a sentence.
 */
int pmu_trace_sink_close(struct pmu_trace_sink *sink, bool keep);

#endif
