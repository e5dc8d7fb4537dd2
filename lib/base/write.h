/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All that the library writes to a file: a limit that is reached, or a reader that has gone, is an
 * error, never a signal.
 */
#ifndef PMU_BASE_WRITE_H
#define PMU_BASE_WRITE_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * Beyond RLIMIT_FSIZE the kernel sends SIGXFSZ, to a pipe without a reader SIGPIPE; both end a
 * program that did not ask for any of it.  They go to the thread that writes: blocked there, and
 * taken away if we caused them.  Looking at the limit first is not enough: another
 * thread, or prlimit(1), may lower it meanwhile.
 */

/**
 * pmu_write_all() - short writes and EINTR handled; waits for a non-blocking reader.  Return: 0 or
 * a negative errno.
 */
int pmu_write_all(int fd, const void *bytes, size_t len);

/**
 * pmu_write_message() - likewise what people read, while a program waits to exit
 * @may_block: wait like any program where the descriptor blocks; else not even before the first byte
 *
 * A reader that takes nothing for a second is given up, by this process and by all others that write messages to the
 * same pipe, until it reads again: the second passes once, however many messages there are.
 *
 * Return: 0 or a negative errno; -EAGAIN: given up.
 */
int pmu_write_message(int fd, const void *bytes, size_t len, bool may_block);

/** pmu_write_at() - likewise from byte @offset of a file on.  Return: 0 or a negative errno. */
int pmu_write_at(int fd, const void *bytes, size_t len, off_t offset);

/** pmu_write_resize() - ftruncate(2).  Return: 0 or a negative errno. */
int pmu_write_resize(int fd, off_t size);

/** pmu_write_reserve() - fallocate(2) with its @mode.  Return: 0 or a negative errno. */
int pmu_write_reserve(int fd, int mode, off_t offset, off_t size);

/** Signals held back in this thread. */
struct pmu_write_hold {
	sigset_t old_mask;
	sigset_t pending; /* before we wrote */
	bool blocked;
};

/**
 * pmu_write_hold() - for what others write on our behalf, up to pmu_write_release() with its
 * negative errno or 0
 */
void pmu_write_hold(struct pmu_write_hold *hold);
void pmu_write_release(const struct pmu_write_hold *hold, int rc);

#endif
