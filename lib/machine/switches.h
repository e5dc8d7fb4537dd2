/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Has the calling thread been off its processor?  Found out without a system call.
 *
 * A thread may tell the kernel of a section of code that is to start over when the thread is switched
 * off in it (rseq(2)).  Each time a thread is switched off, or gets a signal, the kernel looks whether
 * it is in the section; where it is not, it clears the thread's word that says where the section is
 * described.  So a thread leaves the description of a section that it is never in: as long as the
 * word is as it left it, the thread has not been off its processor.
 */
#ifndef PMU_MACHINE_SWITCHES_H
#define PMU_MACHINE_SWITCHES_H

#include <stdbool.h>
#include <stdint.h>

/**
 * The section that a thread is never in, as the kernel reads it: struct rseq_cs of linux/rseq.h, and
 * what it wants to find in front of the address to start over at.  It must stay there, unchanged, as
 * long as any thread's word may point to it: the kernel sends SIGSEGV for one that it cannot read.
 */
struct pmu_switch_mark {
	uint32_t version, flags;
	uint64_t start_ip, post_commit_offset, abort_ip;
	uint32_t reserved, signature; /* abort_ip is behind it */
	uint64_t nowhere[3];
};
_Static_assert(sizeof(struct pmu_switch_mark) == 64, "what follows it starts a line");

/** pmu_switch_mark_fill() - before any word points to it */
void pmu_switch_mark_fill(struct pmu_switch_mark *mark);

/**
 * pmu_switch_word() - the calling thread's
 * @mark: that it is going to watch
 * Context: one thread at a time.  Return: NULL: its libc has not registered one (glibc has from 2.35
 * on), or this kernel or machine does not clear it as we need it, which is tried once a process.
 */
uint64_t *pmu_switch_word(const struct pmu_switch_mark *mark);

/** pmu_switch_watch() - from now on @word is @mark until the thread is switched off */
static inline void pmu_switch_watch(uint64_t *word, const struct pmu_switch_mark *mark)
{
	__atomic_store_n(word, (uint64_t)(uintptr_t)mark, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/** pmu_switch_was_off() - has the thread been switched off since, or has another user of the word had it? */
static inline bool pmu_switch_was_off(const uint64_t *word, const struct pmu_switch_mark *mark)
{
#if defined(__x86_64__)
	bool differs; /* in one instruction, which compilers make two of for an atomic load */

	__asm__ volatile("cmpq %2, %1" : "=@ccne"(differs) : "m"(*word), "r"(mark));
	return differs;
#else
	return __atomic_load_n(word, __ATOMIC_RELAXED) != (uint64_t)(uintptr_t)mark;
#endif
}

/** pmu_switch_forget() - the word does not point to @mark any more */
static inline void pmu_switch_forget(uint64_t *word, const struct pmu_switch_mark *mark)
{
	if (!pmu_switch_was_off(word, mark))
		__atomic_store_n(word, 0, __ATOMIC_RELAXED);
}

#endif
