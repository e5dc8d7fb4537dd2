/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Programs into which our libraries cannot be loaded: they are started without them in LD_PRELOAD,
 * which would have the loader complain (32-bit programs, other roots) or give up
 * (another C library).  So are programs started in a sandbox, as its rules know nothing of our
 * system calls.
 */
#ifndef PMU_PRELOAD_FIT_H
#define PMU_PRELOAD_FIT_H

#include <stdbool.h>
#include <stddef.h>

#pragma GCC visibility push(hidden)

/**
 * fit_needs() - must what is about to be started get another environment?
 * @dir, @path: as of openat(); an empty @path is the descriptor's own file
 * @envp: with which it would be started
 *
 * Looks at one file and its interpreters, and only where our libraries are in LD_PRELOAD.
 * Context: any: also in signal handlers and children of vfork().
 * Return: 0, or the bytes that fit_take() needs.
 */
size_t fit_needs(int dir, const char *path, char *const envp[]);

/** fit_needs_command() - the same for a command that is looked for in PATH */
size_t fit_needs_command(const char *command, char *const envp[]);

/**
 * fit_take() - the environment to start it with
 * @needs: of fit_needs()
 * Return: @envp, or a copy without our libraries, where there is memory for it; for fit_give().
 */
char **fit_take(size_t needs, char *const envp[]);

/** fit_give() - the exec has failed, or the child is made.  @fit: of fit_take() for @envp. */
void fit_give(char **fit, char *const envp[]);

/**
 * fit_shell() - before libc starts the shell: where our libraries cannot be loaded into it, they
 * are removed from this process's own environment
 */
void fit_shell(void);

/** fit_sandboxed() - from here on what this process starts is not preloaded */
void fit_sandboxed(void);

#pragma GCC visibility pop

#endif
