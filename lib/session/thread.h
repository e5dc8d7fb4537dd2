/* SPDX-License-Identifier: BSD-3-Clause */
/* A thread's place in the session: its counters, its rows, its memory. */
#ifndef PMU_SESSION_THREAD_H
#define PMU_SESSION_THREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/own.h"
#include "counters/backend.h"
#include "machine/clock.h"
#include "machine/switches.h"
#include "session/control.h"
#include "session/enter.h"
#include "session/samples.h"
#include "session/trace.h"
#include "session/turns.h"
#include "session/usage.h"
#include "session/waits.h"
#include "store/table.h"

struct pmu_context_place;
struct pmu_node;
struct pmu_cost;
struct pmu_sockets;
struct pmu_occupancy;
struct pmu_frame;
struct pmu_lookup;
struct pmu_tree;

/** The library measures itself, by calls of its own. */
enum pmu_measuring {
	PMU_MEASURING_NOTHING,
	PMU_MEASURING_ALL,  /* in a tree that is not kept */
	PMU_MEASURING_NODE, /* pairs of one node */
};

/** What a thread keeps of a group while another one is counted. */
struct pmu_thread_group {
	struct pmu_tree *tree;
	struct pmu_frame *frame;
	struct pmu_lookup *lookup;
	uint32_t lookup_shift;
	void *counters;
	struct pmu_cost *cost;
	/* Where groups take turns: its counters stand still, as they were attached. */
	bool attached;
	pmu_read_fn *read;
	const struct pmu_backend *backend;
	void *source;
	uint32_t unsteady;
	struct pmu_turned turned;
	uint32_t spoiled;
	struct pmu_table_rows rows; /* rows.record is NULL where it has none yet */
};

/**
 * What begin and end touch, and behind it what they do not.
 *
 * It lies in ordinary memory that a forked child has a copy of, all but the guard: that one is wiped
 * there (guard.h), so the child's first call leaves the hot path, finds what was open in the copy,
 * and goes on in a table of its own.
 */
struct pmu_thread {
	/*
	 * Where the word at @switched points as long as the thread has not been off its processor, nor sampled.
	 * Never changes.
	 */
	struct pmu_switch_mark mark;
	/*
	 * Reentrancy guard: pmu_epoch while the thread is inside the library, PMU_GUARD_OUTSIDE() of it outside, 0
	 * after a fork
	 */
	uint32_t *guard;
	/* Of the region layer: the session zeroes them at attach and leaves them alone. */
	struct pmu_frame *frame; /* of the innermost open region */
	struct pmu_lookup *lookup;
	uint32_t lookup_shift; /* 64 - log2 of its size */
	/* Set at attach. */
	uint32_t n_slots;
	pmu_read_fn *read; /* NULL: nothing to read */
	void *counters;    /* for read() */
	/* A time stamp in a register is added up, and nothing else is to be done. */
	bool time_only;
	/* There is other work than to add up counts and such a time stamp, or nothing to read. */
	bool special;
	bool guard_in_one; /* arm64: an instruction counts the guard up and down in memory (LSE) */
	uint32_t
		text_limit; /* places in a page from which the begin of a text may be read at once */
	uint64_t *
		switched; /* the thread's word; where none is told of anything one that stays @mark */

	uint64_t *last_end; /* in the record */
	/* Where it is not time only.  Of the region layer, by pmu_region_choose(). */
	int (*begin)(const char *name, struct pmu_thread *self);
	int (*end)(const char *name, struct pmu_thread *self);
	uint64_t now[PMU_MAX_SLOTS]; /* what an end has read: no need of a stack frame for it */
	/* What makes it special, beside having nothing to read. */
	bool suspends;   /* backend->suspend() is to be called around what the library does */
	bool histograms; /* every call's length is counted */
	bool exact;      /* the least that its calls count is kept */
	bool traced;     /* each call is kept */
	bool noted;      /* any of them: more is to be done at the end of each call */
	bool rotates;    /* groups take turns, and it goes along */
	bool special_by_length; /* a begin that is given a length has more to do: either of the two */
	bool special_to_leave;  /* a leave of a context: it is special, or traced */
	bool stamp_outside;     /* of the reads: the clock is no single instruction */
	struct pmu_trace trace; /* where it is traced */

	/* --- cold --- */
	enum pmu_clock_kind clock;
	bool bytewise; /* under a tool that looks whether each byte may be read */
	int watch_cpu; /* CPU that the counts are bound to, -1: does not matter */
	/* of the group; NULL: nothing of it is counted for whole sockets */
	struct pmu_sockets *sockets;
	struct pmu_occupancy *occupancies;  /* open regions that are counted there now */
	struct pmu_tree *tree;              /* of the region layer */
	struct pmu_arena arena;             /* nodes, names; emptied at detach */
	struct pmu_context_place *contexts; /* of its nodes */
	struct pmu_table_rows rows;
	const struct pmu_backend *backend; /* what it is attached to: */
	void *source;                      /* the backend's state, */
	uint32_t session;                  /* pmu_session.n_started, */
	unsigned int group;                /* index of the group, */
	struct pmu_turned turned;          /* where groups take turns */
	uint32_t spoiled; /* slots of the group of which no count is one: pmu_backend.spoiled() */
	uint32_t turn;    /* the group that it is to count next: session/rotate.h */
	uint32_t epoch;   /* and the guard's value inside the library */
	struct pmu_thread *next; /* in the session's list of attached ones, or of unused ones */
	/* what points to it in the list of attached ones; NULL: the session has let go of it */
	struct pmu_thread **link;
	/* [n_others] by group; that of @group is out of date.  NULL: it has counted one group alone */
	struct pmu_thread_group *other;
	unsigned int n_others;
	unsigned int exit_rounds; /* of thread-exit destructors so far */
	struct pmu_cost *cost; /* of the region layer; NULL: not measured, or nothing to measure */
	enum pmu_measuring measuring;
	int result;           /* of a begin on the slow path */
	uint32_t unsteady;    /* see struct pmu_attachment */
	uint32_t max_regions; /* beyond it regions are kept by name */
	uint32_t number;
	int tid;
	int cpu;                /* pinned to, -1 */
	struct pmu_usage usage; /* at attach, or as if the group had been counted all the time */
	bool usage_known;
	struct pmu_waits waits;
	struct pmu_samples samples;
	/* Where measuring is switched off and on (session/control.h): */
	bool stopped;     /* what it had open has ended for that, or stands still as it slept */
	bool resumes;     /* it is on again, and its regions are to be put in order */
	bool missed;      /* the program may end what it began while it was off */
	const char *life; /* the region that its life is, to go on with; NULL: none */
};

/**
 * pmu_thread_suspend() - one reason @more, or fewer, for the source not to count, where it can be
 * suspended
 */
static inline void pmu_thread_suspend(const struct pmu_thread *self, int more)
{
	if (self->suspends)
		self->backend->suspend(self->counters, more);
}

/** pmu_thread_ticks() - now, in as many instructions each time where they are counted */
static inline uint64_t pmu_thread_ticks(const struct pmu_thread *self)
{
	return self->read && self->stamp_outside ? pmu_clock_steady()
						 : pmu_clock_ticks(self->clock);
}

_Static_assert(offsetof(struct pmu_thread, guard) % 64 == 0 &&
		       offsetof(struct pmu_thread, switched) / 64 ==
			       offsetof(struct pmu_thread, guard) / 64,
	       "begin and end find all of it in one line");

_Static_assert(offsetof(struct pmu_thread, guard) == offsetof(struct pmu_nobody, guard) &&
		       sizeof(struct pmu_nobody) >= sizeof(struct pmu_thread),
	       "it may stand for one");

/** pmu_thread_self() - the calling thread's; NULL before its first region and after its end */
static inline struct pmu_thread *pmu_thread_self(void)
{
	return pmu_own.self == PMU_NOBODY ? NULL : pmu_own.self;
}

/**
 * What a guard holds inside: odd and positive in a session, another value in each and after each
 * change of group; 0 before the first; negative: every call returns at once. Loaded relaxed: the
 * guard it is compared with is the thread's own.
 */
#define pmu_epoch                (pmu_control_page.at.control.epoch)
#define PMU_GUARD_OUTSIDE(epoch) ((uint32_t)(epoch)-1)

/** The program's own read-only data; size 0 where it is not known. */
struct pmu_literals {
	uintptr_t base;
	size_t size;
};
extern struct pmu_literals pmu_literals __attribute__((visibility("hidden")));

/** pmu_literals_find() - once per session, before threads are let in. */
void pmu_literals_find(void);

/** What pmu_thread_enter() found. */
enum pmu_entry {
	PMU_ENTRY_OFF,   /* no measuring: return 0 */
	PMU_ENTRY_READY, /* attached to this epoch */
	/*
	 * measuring is being switched off: @self, unless NULL, ends what it has open; then
	 * pmu_session_unbar()
	 */
	PMU_ENTRY_STOPPING,
	PMU_ENTRY_INTERRUPTED, /* a signal handler's call inside the library: return -EBUSY */
	PMU_ENTRY_FAILED,      /* @error says why */
};

/**
 * pmu_thread_enter() - from wherever the calling thread is to attached, starting the session if
 * need be
 * @self: result with PMU_ENTRY_READY, the guard set to "inside"
 * @forked_from: result: in a forked child the copy of the parent thread's state, for what was open;
 *	else NULL
 * @error: result with PMU_ENTRY_FAILED: negative errno
 *
 * The caller must call pmu_session_unbar() after PMU_ENTRY_READY.
 */
enum pmu_entry pmu_thread_enter(struct pmu_thread **self, struct pmu_thread **forked_from,
				int *error);

/** pmu_thread_doubt() - count one of the record's doubts. */
void pmu_thread_doubt(struct pmu_thread *self, enum pmu_thread_doubt which);

/**
 * pmu_thread_row() - one more row for the calling thread
 * @text: the region's name
 * Context: takes the session's lock.  Return: NULL without memory.
 */
struct pmu_store_row *pmu_thread_row(struct pmu_thread *self, const char *text, size_t len,
				     uint32_t parent, uint16_t flags, uint32_t *id);

/**
 * pmu_thread_side() - a record beside a row
 * @row: id of a row of the calling thread
 * Context: takes the session's lock.  Return: NULL without memory.
 */
struct pmu_store_side *pmu_thread_side(struct pmu_thread *self, enum pmu_side which, uint32_t row);

/** pmu_thread_missing() - slots that its record has as missing; a report may add some meanwhile */
static inline uint32_t pmu_thread_missing(const struct pmu_thread *self)
{
	return pmu_load_relaxed(&self->rows.record->missing);
}

/** pmu_thread_is_current() - attached to the session that runs now. */
bool pmu_thread_is_current(const struct pmu_thread *self);

/** pmu_thread_is_attached() - and to its group, whether measuring was switched off since then or not */
bool pmu_thread_is_attached(const struct pmu_thread *self);

/**
 * pmu_thread_attach_new() - give the calling thread its place
 * Context: the session's lock.  Return: 0 or a negative errno.
 */
int pmu_thread_attach_new(struct pmu_thread **self);

/**
 * pmu_thread_forget_all() - no thread is attached any more, as far as the session knows
 *
 * Those of the session before stay linked to each other until they detach.
 * Context: the session's lock, or a forked child's only thread.
 */
void pmu_thread_forget_all(void);

/**
 * pmu_thread_reattach() - the session counts another group, or it is another session
 * Context: the session's lock.  Return: 0 or a negative errno.
 */
int pmu_thread_reattach(struct pmu_thread **self);

/**
 * pmu_thread_detach() - the calling thread's rows are final, its counters closed
 * Context: the session's lock.
 */
void pmu_thread_detach(struct pmu_thread *self);

/** pmu_thread_any_open() - has it a region open in its group?  Context: the session's lock. */
bool pmu_thread_any_open(const struct pmu_thread *thread);

/**
 * pmu_thread_update_usage() - of that only what the kernel has counted; also from a signal handler
 * of the thread's own
 */
void pmu_thread_update_usage(struct pmu_thread *thread);

/**
 * pmu_thread_update() - bring a thread's record up to now: what the kernel says of it
 * @thread: the calling thread or another one that is attached
 * Context: the session's lock.
 */
void pmu_thread_update(struct pmu_thread *thread);

/** pmu_thread_note_lost() - doubts and missing counts, where its counters are not its own any more */
void pmu_thread_note_lost(struct pmu_thread *self);

/** pmu_thread_note_core_types() - the kinds of core that it ran on, as its source has seen them */
void pmu_thread_note_core_types(struct pmu_thread *self);

/**
 * pmu_thread_setup() - once per process: notice when threads end.  Return: 0 or a negative errno.
 */
int pmu_thread_setup(void);

/**
 * pmu_thread_flag() - set one of the record's flags
 * pmu_thread_unflag() - as if it had never been set, of any group that the thread has counted
 */
void pmu_thread_flag(struct pmu_thread *self, enum pmu_store_thread_flags flag);
void pmu_thread_unflag(struct pmu_thread *self, enum pmu_store_thread_flags flag);

#endif
