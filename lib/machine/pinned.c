/* SPDX-License-Identifier: BSD-3-Clause */
/* The threads we pinned, and the masks they had before. */
#include "machine/pinned.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/own.h"
#include "machine/pin.h"

/*
 * The register: one word per pinned thread, so that any thread (also a signal handler's)
 * can read an entry whole, without a lock.  0 is free.  An entry only says what we did:
 * its reader compares the thread's present mask, since the thread may have ended, its
 * tid may have a new owner, or the program may have bound it with a system call of its
 * own.
 *
 * tid: 24 bits (the kernel ends at 2^22), cpu: 20, mask: 20 (index of masks[])
 */
static struct {
	_Atomic uint64_t entry;
	_Atomic uintptr_t handle; /* the thread's; written before the entry, read after it */
} * slots; /* [PMU_PINNED_MAX] from the first pinned thread on, set before n_used */
/* Slots at and above this were never used. */
static _Atomic unsigned int n_used;

/* Masks that threads had before; they are never freed, so that an index is good for ever.
 */
#define MAX_MASKS 256
static struct pmu_mask *_Atomic masks[MAX_MASKS];

_Static_assert(PMU_PINNED_MAX <= UINT16_MAX, "slots fit");

static uint64_t pack(int tid, int cpu, unsigned int mask)
{
	return (uint64_t)(uint32_t)tid << 40 | (uint64_t)(uint32_t)cpu << 20 | mask;
}

static int tid_of(uint64_t entry)
{
	return (int)(entry >> 40);
}

static int cpu_of(uint64_t entry)
{
	return (int)(entry >> 20 & 0xfffff);
}

static const struct pmu_mask *mask_of_entry(uint64_t entry)
{
	return atomic_load_explicit(&masks[entry & 0xfffff], memory_order_acquire);
}

static int own_tid(void)
{
	return (int)syscall(SYS_gettid);
}

/*
 * Of a thread that we pinned: a process made by vfork, or by a fork that we do not wrap, runs with
 * its parent's copy of pmu_own.
 */
static bool self_is_mine(void)
{
	return own_tid() == tid_of(pmu_own.pin_entry);
}

static bool self_holds(void)
{
	return pmu_own.pin_entry && atomic_load_explicit(&slots[pmu_own.pin_slot].entry,
							 memory_order_relaxed) == pmu_own.pin_entry;
}

/* Index of a mask equal to @mask, or -ENOMEM, -ENOSPC. */
static int intern(const struct pmu_mask *mask)
{
	struct pmu_mask *copy;

	for (int i = 0; i < MAX_MASKS; i++) {
		copy = atomic_load_explicit(&masks[i], memory_order_acquire);
		if (copy && pmu_mask_equal(copy, mask))
			return i;
		if (copy)
			continue;
		copy = malloc(sizeof(*copy));
		if (!copy)
			return pmu_fail(ENOMEM, "no memory to remember a thread's mask");
		*copy = *mask;
		atomic_store_explicit(&masks[i], copy, memory_order_release);
		return i;
	}
	return pmu_fail(ENOSPC, "threads with more than %d different masks", MAX_MASKS);
}

static void free_entry(unsigned int slot, uint64_t entry)
{
	/* only if it still is that one: its slot may have been given to another thread */
	atomic_compare_exchange_strong(&slots[slot].entry, &entry, 0);
}

/* Entries of threads that ended, or of the thread that had @tid before. */
static void sweep(int tid)
{
	unsigned int n = atomic_load_explicit(&n_used, memory_order_acquire);
	int saved = errno;
	uint64_t entry;

	for (unsigned int i = 0; i < n; i++) {
		entry = atomic_load_explicit(&slots[i].entry, memory_order_acquire);
		if (!entry)
			continue;
		if (tid_of(entry) == tid ||
		    (!tid && syscall(SYS_tgkill, getpid(), tid_of(entry), 0) < 0 && errno == ESRCH))
			free_entry(i, entry);
	}
	errno = saved;
}

/* The first free slot of those in use so far, else their number. */
static unsigned int first_free_slot(void)
{
	unsigned int n = atomic_load_explicit(&n_used, memory_order_relaxed), i = 0;

	while (i < n && atomic_load_explicit(&slots[i].entry, memory_order_relaxed))
		i++;
	return i;
}

/*
 * A free slot, or PMU_PINNED_MAX.  A thread's entry stays when the thread ends, for its
 * last destructor.  Those that ended are looked for each time the register would
 * double, at one system call per entry.
 */
static unsigned int take_slot(void)
{
	static unsigned int sweep_at = 64;
	unsigned int slot = first_free_slot();

	if (slot >= sweep_at) {
		sweep(0);
		slot = first_free_slot();
		if (slot > sweep_at / 2)
			sweep_at = 2 * slot < PMU_PINNED_MAX ? 2 * slot : PMU_PINNED_MAX;
	}
	if (slot < PMU_PINNED_MAX && slot == atomic_load_explicit(&n_used, memory_order_relaxed))
		atomic_store_explicit(&n_used, slot + 1, memory_order_release);
	return slot;
}

static int enter_pinned(int tid, int cpu, int mask)
{
	uint64_t entry = pack(tid, cpu, (unsigned int)mask);
	unsigned int slot;

	if (!slots)
		slots = pmu_pages_alloc(PMU_PINNED_MAX * sizeof(*slots));
	if (!slots)
		return pmu_fail(ENOMEM, "no memory for pinned threads");
	sweep(tid);
	slot = take_slot();
	if (slot == PMU_PINNED_MAX)
		return pmu_fail(ENOSPC, "more than %d pinned threads", PMU_PINNED_MAX);
	atomic_store_explicit(&slots[slot].handle, (uintptr_t)pthread_self(), memory_order_relaxed);
	atomic_store_explicit(&slots[slot].entry, entry, memory_order_release);
	pmu_own.pin_slot = (uint16_t)slot;
	pmu_own.pin_depth = 0;
	pmu_own.pin_lifted = false;
	pmu_compiler_barrier(); /* a signal handler's spawn sees all of it or nothing */
	pmu_own.pin_entry = entry;
	return 0;
}

int pmu_pinned_bind(int cpu, const struct pmu_mask *original)
{
	struct pmu_mask one;
	int mask, rc;

	mask = intern(original);
	if (mask < 0)
		return mask;
	rc = enter_pinned(own_tid(), cpu, mask);
	if (rc)
		return rc;
	memset(&one, 0, sizeof(one));
	pmu_mask_set(&one, cpu);
	rc = pmu_mask_apply(&one);
	if (rc) {
		pmu_pinned_drop(0);
		return pmu_fail(-rc, "the kernel refused CPU %d: %s", cpu, strerror(-rc));
	}
	return 0;
}

int pmu_pinned_own_mask(struct pmu_mask *mask)
{
	int rc = pmu_mask_of_thread(0, mask);

	if (!rc && self_holds() && pmu_mask_single(mask) == cpu_of(pmu_own.pin_entry))
		*mask = *mask_of_entry(pmu_own.pin_entry);
	return rc;
}

void pmu_pinned_forget(void)
{
	pmu_own.pin_entry = 0;
	pmu_own.pin_depth = 0;
	pmu_own.pin_lifted = false;
}

/* Return: the thread has its original mask now, and had our pin before. */
static bool unpin(void)
{
	struct pmu_mask now;

	return !pmu_mask_of_thread(0, &now) && pmu_mask_single(&now) == cpu_of(pmu_own.pin_entry) &&
	       !pmu_mask_apply(mask_of_entry(pmu_own.pin_entry));
}

void pmu_pinned_disown(void)
{
	if (!pmu_own.pin_entry || self_is_mine())
		return;
	if (self_holds())
		unpin();
	pmu_pinned_forget();
}

void pmu_pinned_drop(int tid)
{
	if (tid && (!pmu_own.pin_entry || tid != tid_of(pmu_own.pin_entry))) {
		sweep(tid);
	} else if (pmu_own.pin_entry && self_is_mine()) {
		free_entry(pmu_own.pin_slot, pmu_own.pin_entry);
		pmu_pinned_forget();
	}
}

void pmu_pinned_drop_pthread(pthread_t thread)
{
	unsigned int n = atomic_load_explicit(&n_used, memory_order_acquire);
	uint64_t entry;

	if (pthread_equal(thread, pthread_self())) {
		pmu_pinned_drop(0);
		return;
	}
	for (unsigned int i = 0; i < n; i++) {
		entry = atomic_load_explicit(&slots[i].entry, memory_order_acquire);
		if (entry && atomic_load_explicit(&slots[i].handle, memory_order_relaxed) ==
				     (uintptr_t)thread)
			free_entry(i, entry);
	}
}

/* The original mask as a cpu_set_t of any size, if the thread is where @entry put it. */
static int tell_original_mask(uint64_t entry, int tid, size_t size, void *out)
{
	const struct pmu_mask *original = mask_of_entry(entry);
	size_t n = size < sizeof(*original) ? size : sizeof(*original);
	struct pmu_mask now;

	if (pmu_mask_of_thread(tid, &now) || pmu_mask_single(&now) != cpu_of(entry))
		return 0;
	memset(out, 0, size);
	memcpy(out, original->word, n);
	return 1;
}

int pmu_pin_original(int tid, size_t size, void *mask)
{
	unsigned int n = atomic_load_explicit(&n_used, memory_order_acquire);
	uint64_t entry;

	if (likely(!n)) /* no thread is pinned */
		return 0;
	if (!tid || (pmu_own.pin_entry && tid == tid_of(pmu_own.pin_entry)))
		return self_holds() ? tell_original_mask(pmu_own.pin_entry, 0, size, mask) : 0;
	for (unsigned int i = 0; i < n; i++) {
		entry = atomic_load_explicit(&slots[i].entry, memory_order_acquire);
		if (entry && tid_of(entry) == tid)
			return tell_original_mask(entry, tid, size, mask);
	}
	return 0;
}

int pmu_pinned_original_pthread(pthread_t thread, size_t size, void *mask)
{
	unsigned int n = atomic_load_explicit(&n_used, memory_order_acquire);
	uint64_t entry;

	if (likely(!n))
		return 0;
	if (pthread_equal(thread, pthread_self()))
		return pmu_pin_original(0, size, mask);
	for (unsigned int i = 0; i < n; i++) {
		entry = atomic_load_explicit(&slots[i].entry, memory_order_acquire);
		if (!entry || atomic_load_explicit(&slots[i].handle, memory_order_relaxed) !=
				      (uintptr_t)thread)
			continue;
		if (tell_original_mask(entry, tid_of(entry), size, mask))
			return 1;
	}
	return 0;
}

static void pin_again(void)
{
	struct pmu_mask now;

	/* only on the mask that unpin() left: a mask that was set since then stays */
	if (!self_holds() || pmu_mask_of_thread(0, &now) ||
	    !pmu_mask_equal(&now, mask_of_entry(pmu_own.pin_entry)))
		return;
	memset(&now, 0, sizeof(now));
	pmu_mask_set(&now, cpu_of(pmu_own.pin_entry));
	pmu_mask_apply(&now);
}

static PMU_COLD void lift(void)
{
	bool holds = self_holds();

	if (!self_is_mine()) {
		pmu_own.pin_child_lifted = holds && unpin();
		return;
	}
	/*
	 * A mask that is not ours was set by a system call that we did not see.  It stands; where
	 * it gives way to ours again (OpenMP runtimes bind a thread for a moment), that is a pin as
	 * before.
	 */
	if (!holds)
		pmu_pinned_forget(); /* another thread dropped it */
	else if (!pmu_own.pin_depth++)
		pmu_own.pin_lifted = unpin();
}

static PMU_COLD void restore(void)
{
	if (!self_is_mine()) {
		if (pmu_own.pin_child_lifted)
			pin_again();
		pmu_own.pin_child_lifted = false;
	} else if (pmu_own.pin_depth && !--pmu_own.pin_depth && pmu_own.pin_lifted) {
		pmu_own.pin_lifted = false;
		pin_again();
	}
}

void pmu_pin_lift(void)
{
	int saved = errno;

	if (likely(!pmu_own.pin_entry))
		return;
	lift();
	errno = saved;
}

void pmu_pin_restore(void)
{
	int saved = errno;

	if (likely(!pmu_own.pin_entry))
		return;
	restore();
	errno = saved;
}
