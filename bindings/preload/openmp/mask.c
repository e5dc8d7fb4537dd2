/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * LLVM's OpenMP asks where it may run, and binds its threads, by syscall(), at its first parallel
 * region.  That goes past libpmu's functions for it, so it would take the first thread's pin for
 * the whole machine, have a team of one, and undo the pins of all.  In that runtime, and only
 * there, syscall() is ours.
 */
#include <dlfcn.h>
#include <errno.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bindings/preload/inside.h"
#include "bindings/preload/openmp/parallel.h"
#include "bindings/preload/symbols/imports.h"

/* Bytes: the largest number of processors that Linux can be built for. */
#define MASK_MAX 1024u

typedef unsigned char mask[MASK_MAX];

/*
 * The pin that the runtime has just bound the calling thread away from, as it does for a moment to
 * each processor in turn.  It binds it back to what it was told; that is where the pin returns.
 */
static __thread struct {
	int cpu;       /* + 1; 0: none */
	uint64_t told; /* hash of the mask that the thread is told */
} left;

static uint64_t hash_of(const unsigned char *bytes, size_t size)
{
	uint64_t hash = 0;

	while (size > 0 && !bytes[size - 1])
		size--; /* masks come in several sizes */
	for (size_t i = 0; i < size; i++)
		hash = (hash ^ bytes[i]) * 0x100000001b3ull; /* FNV's prime */
	return hash;
}

/* + 1; 0: not just one */
static int only_cpu(const unsigned char *bytes)
{
	int cpu = 0;

	for (int i = 0; i < (int)MASK_MAX * 8; i++) {
		if (!(bytes[i / 8] & 1 << i % 8))
			continue;
		if (cpu)
			return 0;
		cpu = i + 1;
	}
	return cpu;
}

/*
 * Is the calling thread where libpmu has put it?  Then the kernel says one thing and libpmu's
 * function another.
 */
static PRELOAD_COLD void note_pin(void)
{
	mask now = { 0 };
	int cpu;

	if (syscall(SYS_sched_getaffinity, 0, sizeof(now), now) < 0)
		return;
	cpu = only_cpu(now);
	memset(now, 0, sizeof(now));
	if (!cpu || sched_getaffinity(0, sizeof(now), (cpu_set_t *)(void *)now) < 0 ||
	    only_cpu(now) == cpu)
		return;
	left.cpu = cpu;
	left.told = hash_of(now, sizeof(now));
}

static long get_mask(pid_t thread, size_t size, void *theirs)
{
	long n = syscall(SYS_sched_getaffinity, thread, size, theirs);
	int saved = errno;

	if (n > 0)
		/* libpmu's, where it is in front of libc's */
		sched_getaffinity(thread, (size_t)n, theirs);
	errno = saved;
	return n;
}

static PRELOAD_COLD long pin_again(void)
{
	mask pin = { 0 };

	pin[(left.cpu - 1) / 8] = (unsigned char)(1 << (left.cpu - 1) % 8);
	left.cpu = 0;
	return syscall(SYS_sched_setaffinity, 0, sizeof(pin), pin);
}

static long set_mask(size_t size, const void *theirs)
{
	note_pin();
	if (left.cpu && size <= MASK_MAX && hash_of(theirs, size) == left.told)
		return pin_again();
	return syscall(SYS_sched_setaffinity, 0, size, theirs);
}

/* In the place of syscall(): as many arguments as it can have. */
static long runtimes_syscall(long number, long a, long b, long c, long d, long e, long f)
{
	if (number == SYS_sched_getaffinity && c)
		return get_mask((pid_t)a, (size_t)b, (void *)c);
	/* without a mask it only asks whether it could */
	if (number == SYS_sched_setaffinity && c && (!a || (pid_t)a == (pid_t)syscall(SYS_gettid)))
		return set_mask((size_t)b, (const void *)c);
	return syscall(number, a, b, c, d, e, f);
}

static bool pins(void)
{
	const char *pin = getenv("PMU_PIN"), *source = getenv("PMU_BACKEND");

	return (pin && *pin && strcmp(pin, "none") != 0) || (source && !strcmp(source, "msr"));
}

void preload_omp_mask(const void *code)
{
	int saved = errno;

	if (preload_possible() && pins())
		preload_import_instead(code, "syscall", (void *)(uintptr_t)runtimes_syscall);
	errno = saved;
}

/* The runtime that the program is linked with; others are found when they look for a tool. */
__attribute__((constructor)) static void find_runtime(void)
{
	const void *fork_call;

	if (!preload_possible() || !pins())
		return;
	fork_call = dlsym(RTLD_DEFAULT, "__kmpc_fork_call");
	if (fork_call)
		preload_omp_mask(fork_call);
	else
		(void)dlerror();
}
