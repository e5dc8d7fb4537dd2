/* SPDX-License-Identifier: BSD-3-Clause */
/* System calls that a signal of the program's interrupts. */
#ifndef PMU_BASE_RETRY_H
#define PMU_BASE_RETRY_H

#include <errno.h>

/**
 * PMU_RETRY() - what a call returns that was not interrupted (EINTR)
 *
 * A program's handlers may be without SA_RESTART, and signals come at any time: opening a file of NFS or FUSE waits, and
 * so do locks.  Not for close(2): its descriptor is closed, whatever it returns.
 */
#define PMU_RETRY(call)                            \
	__extension__({                            \
		__typeof__(call) rc_;              \
		do                                 \
			rc_ = (call);              \
		while (rc_ < 0 && errno == EINTR); \
		rc_;                               \
	})

#endif
