/* SPDX-License-Identifier: BSD-3-Clause */
/* The descriptors of the program that lines and reports go to. */
#ifndef PMU_SESSION_SINK_H
#define PMU_SESSION_SINK_H

#include <stddef.h>

#include "base/error.h"
#include "base/fd.h"

/** A descriptor of the program's that reports may go to. */
struct pmu_sink {
	int fd; /* ours; -1: was closed at the start */
	struct pmu_fd_identity identity;
};

/** pmu_sink_open() - a duplicate of the program's descriptor @fd, out of its way. */
void pmu_sink_open(struct pmu_sink *sink, int fd);
void pmu_sink_close(struct pmu_sink *sink);

/** pmu_sink_write() - 0; -EBADF where it was closed or is something else by now; other errnos. */
int pmu_sink_write(const struct pmu_sink *sink, const char *text, size_t len);

/**
 * pmu_session_say() - one line on the program's standard error, "pmu: " before and a newline after
 * it.
 */
void pmu_session_say(const char *fmt, ...) PMU_PRINTF(1, 2);

/** pmu_session_say_plainly() - the same without memory of its own: what is not ASCII is "?" */
void pmu_session_say_plainly(const char *fmt, ...) PMU_PRINTF(1, 2);

#endif
