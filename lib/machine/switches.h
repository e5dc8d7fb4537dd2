/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Has the calling thread been off its processor?  Found out without a system call.
 *
 * A thread may tell the kernel of a section of code that is to start over when the thread is switched
 * off in it (rseq(2)).  Each time a thread is switched off, or gets a signal, the kernel looks whether
 * it is in the section; where it is not, it clears the thread's word that says where the section is
 * described.  So a thread leaves the description of a section that it is never in: as long as the
 * word is as it left it, the thread has not been off its processor.
 *
 * The area with that word is libc's, or one of our own where nobody else has registered one.  Where there
 * is none, a perf event that counts nothing has a page into which the kernel stores the count, 0, each
 * time the thread is switched on: that is a word to leave the same address in.
 */
#ifndef PMU_MACHINE_SWITCHES_H
#define PMU_MACHINE_SWITCHES_H

#include <stdbool.h>
#include <stddef.h>
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

/** struct rseq of linux/rseq.h, as of 4.18 */
struct pmu_switch_area {
	uint32_t cpu_id_start;
	int32_t cpu_id; /* negative: not registered */
	uint64_t section;
	uint32_t flags, reserved[3];
} __attribute__((aligned(32)));

struct pmu_switch_way;

/**
 * What a thread is told by.  It must stay there as long as the thread is attached, and in a forked
 * child's copy of the memory.
 */
struct pmu_switches {
	uint64_t *word; /* NULL: nothing tells it */
	const struct pmu_switch_way *way;
	struct pmu_switch_area own; /* where libc has none for it */
};

/**
 * pmu_switches_attach() - the calling thread's word, if it has one
 * @mark: that it is going to watch
 * Context: one thread at a time.  Whether this kernel or machine clears a word as we need it is tried once a
 * process, for each of the ways.
 */
void pmu_switches_attach(struct pmu_switches *switches, const struct pmu_switch_mark *mark);

/** pmu_switches_detach() - on the same thread; all is as if we had not been there */
void pmu_switches_detach(struct pmu_switches *switches, const struct pmu_switch_mark *mark);

/** pmu_switches_told() - is the calling thread told still?  The program may have unregistered the area. */
bool pmu_switches_told(const struct pmu_switches *switches);

/**
 * pmu_switches_shed() - in a forked child: the thread is attached no more; its word can be read and written as
 * long as the child lives.  Async-signal-safe; may come twice.
 * pmu_switches_to_shed() - is there anything to be done?
 */
bool pmu_switches_to_shed(const struct pmu_switches *switches);
void pmu_switches_shed(const struct pmu_switches *switches);

/**
 * pmu_switches_fill() - in a forked child: where the parent had pages of an event, of which the kernel leaves a
 * hole, is memory again: code that the fork interrupted may be about to look there
 * Context: async-signal-safe; may come twice.
 */
void pmu_switches_fill(void *at, size_t size);

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
