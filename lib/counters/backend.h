/* SPDX-License-Identifier: BSD-3-Clause */
/* The interface that every source of counts implements. */
#ifndef PMU_COUNTERS_BACKEND_H
#define PMU_COUNTERS_BACKEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "plan/plan.h"

/** Why a source cannot count a plan. */
struct pmu_probe {
	int error[PMU_MAX_SLOTS]; /* 0, or the negative errno that refuses this slot */
	char why[320];            /* one sentence, no full stop: what was tried, on what, why not */
	/* the command or setting that would help; "" where nothing does */
	char mend[240];
};

/** What a thread's attachment came to. */
struct pmu_attachment {
	uint32_t missing; /* slots that this thread cannot count */
	bool user_read;   /* read without the kernel */
	/*
	 * Slots of what the same work does not always do (misses): how much of them is the
	 * library's own is not known.
	 */
	uint32_t unsteady;
	char note[160]; /* "" or why the thread got less than others: a note in the report's head */
};

/** Why a thread's counts ended before the thread did. */
enum pmu_source_lost {
	PMU_SOURCE_HOLDS = 0,
	PMU_SOURCE_CLOSED = 1,  /* the program closed or replaced the descriptors */
	PMU_SOURCE_TAKEN = 2,   /* the counters were given to something else for a while */
	PMU_SOURCE_REFUSED = 3, /* reading them in user space was forbidden */
};

/**
 * A thread's part begins with this, in every source with a thread_size() other than 0.
 *
 * Once @lost is set, read() touches no descriptor any more and what came by them is missing.  It is
 * written (relaxed) by read() on the thread itself and may be loaded (relaxed) from any thread, for
 * a doubt on its row.
 */
struct pmu_source_thread {
	uint32_t lost; /* enum pmu_source_lost */
	/*
	 * hybrid: PMU_SLOT_P, PMU_SLOT_E: kinds of core on which it was counted so far; 0 not
	 * known.  Written as @lost is
	 */
	uint32_t core_types;
	/* of the last read that returned PMU_READ_DELAYED: how often it was made again */
	uint32_t tries;
};

/**
 * A thread's read: value[n_slots] in slot order, each a 64-bit count that only grows; returns the
 * slots that could not be read: their elements mean nothing.  Hot: no lock, no allocation; keeps
 * errno.
 *
 * Beside the slots it may return PMU_READ_DELAYED: it was made again, as its thread was interrupted
 * or its events have moved to other counters; value[] is of the last try.  What that adds is a
 * matter of pmu_source_thread.tries alone.
 */
typedef uint32_t pmu_read_fn(void *thread, uint64_t *value);
#define PMU_READ_DELAYED (1u << 31)
_Static_assert(PMU_MAX_SLOTS < 32, "it is no slot");

/** Counters that a program starts and reads itself, of a whole plan: no threads, no regions. */
struct pmu_by_hand {
	/*
	 * They stand still.  plan outlives them.  0 or a negative errno with a sentence.
	 * Context: one at a time (the session's lock): the limit of descriptors is raised
	 * meanwhile.
	 */
	int (*open)(void **counters, const struct pmu_plan *plan);
	void (*close)(void *counters);
	/* All of them, whatever fails.  0, or the first negative errno. */
	int (*start)(void *counters);
	int (*stop)(void *counters);
	int (*reset)(void *counters);
	pmu_read_fn *read; /* sums over what the plan counts on */
};

struct pmu_backend {
	const char *name;  /* value of PMU_BACKEND */
	const char *about; /* a few words for `pmu doctor` */
	bool counts;       /* false: time only */
	/*
	 * It holds what another group's state needs: one state at a time is open, that of the group
	 * that is counted now.  close() may come while threads are attached: they read nothing from
	 * then on, and what they need for that stays until the last detach().
	 */
	bool exclusive;
	/* whatever runs on a thread's processor is counted, whatever the plan's scope */
	bool counts_cpu;
	/*
	 * what a simulation says: columns are called after it, and times are none of the program's
	 */
	bool simulated;
	/* It knows no other machine than the one that it runs on, whatever PMU_CPUID_FILE says. */
	bool here_alone;
	/*
	 * most machines cannot have it: -ENOSYS from probe() is told only to a user who asked for
	 * it
	 */
	bool rare;
	/*
	 * What the kernel counts without a PMU: tried first where nothing else is asked for, and
	 * last for what then is left, but not in its turn.
	 */
	bool fallback;
	/*
	 * Kinds of slots, a bit for each, that no other source counts, and for sockets alone: it is
	 * opened for them beside the one that counts the rest.  0 in a source that counts threads.
	 */
	uint32_t beside;
	/* What it counts where the source was named and no group; NULL: CORE. */
	const char *default_group;
	/*
	 * Can it count this plan here?  0: every slot that is not absent.  Otherwise the first
	 * refusal, of events that do not exist before those without a counter; probe says which
	 * slots (-ENOENT, -EINVAL: no such event here; -ENOSPC: does not fit beside the slots
	 * before it, however these are spread over the counters; others refuse the whole source)
	 * and why.  Leaves nothing open. With 0 an error[] may still be set: that slot can only be
	 * left missing here, and why says so.
	 */
	int (*probe)(const struct pmu_plan *plan, struct pmu_probe *probe);
	/*
	 * Once per session.  *state is the source's own; plan outlives it.  0 or a negative errno
	 * with a sentence.
	 */
	int (*open)(void **state, const struct pmu_plan *plan);
	void (*close)(void *state);
	/*
	 * What close() would put back on this machine, before it: threads read nothing from then
	 * on, and what went wrong can still be told.  0 or a negative errno with a sentence; NULL
	 * in a source that changes nothing.
	 */
	int (*put_back)(void *state);
	/* Bytes that attach() fills for each thread. */
	size_t (*thread_size)(const struct pmu_plan *plan);
	/*
	 * On the thread itself, after pinning; no malloc: a signal handler may be the caller.  @cpu
	 * is the OS number of the CPU it is pinned to, or -1.  *read is NULL for a source that has
	 * nothing to read.  A thread that gets no counters is attached all the same: every slot
	 * missing, and a note.
	 * Context: one thread at a time (the session's lock): the limit of descriptors is raised
	 * meanwhile.
	 */
	int (*attach)(void *state, void *thread, int cpu,
		      pmu_read_fn **read /* kept until detach() */, struct pmu_attachment *got);
	/*
	 * The counts of a thread that is asleep, by another one: as its read(), through the kernel.
	 * NULL in a source where each thread can read its own only.
	 */
	pmu_read_fn *read_aside;
	/*
	 * Lets the calling thread's next read be made @tries times more; 0: as it is.  As many
	 * instructions for either.  NULL in a source that never makes one again.  Return:
	 * false where this thread's are not.
	 */
	bool (*unsettle)(void *thread, uint32_t tries);
	/*
	 * On the thread itself: its counters stand still from rest() to wake(), while others of the
	 * same plan's kind count for it; nothing reads them meanwhile.  @read: as attach() was
	 * given it, set as it left it.  Both NULL where others need not wait for its counters.
	 */
	void (*rest)(void *thread);
	void (*wake)(void *thread, pmu_read_fn **read);
	/*
	 * Slots in which something else has counted, or may have, since an unknown moment: none of
	 * the thread's counts of them is one, nor will be.  From any thread, at slow moments and
	 * before detach(); keeps errno.  NULL in a source that sees that when it reads.
	 */
	uint32_t (*spoiled)(void *thread);
	/*
	 * From any thread once @thread is not reading; also in a forked child, which owns copies;
	 * once more does no harm.  A descriptor that is not ours any more is left alone.
	 */
	void (*detach)(void *state, void *thread);
	/*
	 * One clause for the report's head on how the counts are made: "user level, read in user
	 * space".
	 */
	void (*describe)(void *state, char *text, size_t size);
	/*
	 * Slots of whole sockets (pmu_slot_is_socket()); NULL in a source that counts none.  A
	 * thread's read() leaves them out: they are missing in what attach() says.
	 * PMU_COUNT_PROCESS: all other slots likewise, of the process as one socket with every CPU.
	 *
	 * sockets(): how many are counted, 0 where the plan has no such slot.  socket_of(): the
	 * index of a CPU's, -1 for one that is not counted.  read_socket(): value[n_slots] as
	 * read() gives it, socket slots only; returns those that could not be read.  From any
	 * thread, several at once; keeps errno.
	 */
	unsigned int (*sockets)(void *state);
	int (*socket_of)(void *state, int cpu);
	uint32_t (*read_socket)(void *state, unsigned int socket, uint64_t *value);
	/* As spoiled(), of a socket; NULL where that is. */
	uint32_t (*spoiled_socket)(void *state, unsigned int socket);
	/*
	 * What has gone wrong while it counted, a sentence for a note in the report, each once;
	 * false: nothing.  NULL in a source that has nothing to say.
	 */
	bool (*remark)(void *state, char *text, size_t size);
	/*
	 * Adds @more to the number of reasons for which counting is suspended in the calling
	 * thread; while it is not 0 nothing is counted, and reads give what was counted before.
	 * Around the library's own work; a signal handler's calls add to those of what it
	 * interrupted.  NULL in a source that cannot.  Return: the number before.
	 */
	int (*suspend)(void *thread, int more);
	/*
	 * On the thread itself, before it is asked what it lost: are its counters still its own?
	 * NULL in a source that sees that at each read.
	 */
	void (*look)(void *thread);
	/* NULL in a source that counts for regions alone. */
	const struct pmu_by_hand *by_hand;
	/*
	 * In a forked child at once: let go of descriptors.  Async-signal-safe; close() may follow.
	 * May be NULL.
	 */
	void (*child)(void *state);
	/* A session has ended, and closed all its groups: so do threads of the source's own.  May be NULL. */
	void (*end)(void);
};

/** PMU_BACKENDS() - all sources, best first: what @source makes of the name of each */
#define PMU_BACKENDS(source) \
	source(perf) source(msr) source(valgrind) source(software) source(nvml) source(clock)

/** PMU_BACKEND_NAMES - what can be asked for: "auto, perf, msr" */
#define PMU_BACKEND_NAMES       "auto" PMU_BACKENDS(PMU_BACKEND_NAMED)
#define PMU_BACKEND_NAMED(name) ", " #name

/** All of them, in that order; ends with NULL. */
extern const struct pmu_backend *const pmu_backends[];

/** pmu_backend_find() - the source of that name, NULL for none. */
const struct pmu_backend *pmu_backend_find(const char *name);

/**
 * pmu_backend_beside() - slots that are not absent, and that a source with .beside counts and
 * @backend does not
 * @backend: NULL: any source
 */
uint32_t pmu_backend_beside(const struct pmu_backend *backend, const struct pmu_plan *plan);

/** pmu_backend_probe() - its probe(), where slots that another source counts beside it are none */
int pmu_backend_probe(const struct pmu_backend *backend, const struct pmu_plan *plan,
		      struct pmu_probe *probe);

/**
 * pmu_backend_fallback(), pmu_backend_time() - the source with .fallback; the one without .counts
 */
const struct pmu_backend *pmu_backend_fallback(void);
const struct pmu_backend *pmu_backend_time(void);

#define PMU_BACKEND_DECLARED(name) extern const struct pmu_backend pmu_backend_##name;
PMU_BACKENDS(PMU_BACKEND_DECLARED)

#endif
