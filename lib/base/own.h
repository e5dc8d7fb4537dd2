/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All that the library keeps in threads' own memory (TLS).  The loader has some 1,600 bytes of it for
 * all libraries that come by dlopen(), and the program's own could not have what libpmu took of
 * them: where libpmu-preload.so is loaded it is there, in the program's initial TLS block.  Both
 * define it, under a name without a version, and the loader takes what it finds first.
 */
#ifndef PMU_BASE_OWN_H
#define PMU_BASE_OWN_H

#include <stdbool.h>
#include <stdint.h>

/* The libraries may be of two versions: with another layout it gets another number. */
#define pmu_own    pmu_own_1
#define pmu_nobody pmu_nobody_2

#define PMU_OWN __attribute__((tls_model("initial-exec"), visibility("default")))

struct pmu_thread;

enum pmu_past {
	PMU_PAST_DESTRUCTORS = 1, /* its last one has run: what still calls us is not counted */
	PMU_PAST_EXIT = 2, /* it has ended the session, or waited for that, whatever came of it */
};

struct pmu_own {
	/* The thread's; PMU_NOBODY before its first region and after its end. */
	struct pmu_thread *self;
	/*
	 * What the calling thread knows of its own pin (machine/pinned.c); it holds while that slot
	 * still has the entry.  A child of vfork runs on its parent's copy of this and must leave
	 * it alone: it is known by its tid.
	 */
	uint64_t pin_entry; /* 0: we did not pin this thread */
	uint16_t pin_slot;
	uint8_t pin_depth; /* lifts that were not restored yet */
	bool pin_lifted;   /* the outermost of them found our mask, and put the original one back */
	bool pin_child_lifted; /* for a child on this copy; stale once it executes, so never for the thread */
	/* Inside a call; a signal handler's that finds it set is refused. */
	bool inside;
	uint8_t past;    /* enum pmu_past: what the thread has behind it */
	uint8_t refused; /* an errno, from one function of region/region.c to the next */
};

extern __thread struct pmu_own pmu_own PMU_OWN;

/** A guard that equals no epoch, however many threads count it up and down at once. */
#define PMU_GUARD_SHUT (UINT32_C(1) << 31)

/*
 * Stands for the state of a thread that has none: its guard, at the start of the second line, is always
 * shut.  Around it begin and end read zeros.
 */
struct pmu_nobody {
	uint64_t before[8];
	uint32_t *guard;
	uint64_t nothing[127];
};
extern struct pmu_nobody pmu_nobody __attribute__((visibility("default")));

#define PMU_NOBODY ((struct pmu_thread *)(void *)&pmu_nobody)

#endif
