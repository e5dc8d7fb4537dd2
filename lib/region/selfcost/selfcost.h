/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the library's own work counts as, measured with the library itself.
 *
 *   inner   what an empty region counts: from the last read of a begin to the first of an end
 *   outer   what a begin/end pair of a region counts in the region around it; a longer name costs
 *           more, so each node has its own, measured when it is made, by pairs of its own name
 *
 * Both stand in the store, and reports subtract them.  That is right for calls on the fast path
 * through begin and end.  A call on the slow path reads the counters before and after what it has
 * more to do, and moves the start of every open region by that much (struct pmu_pause): none of it
 * is in any region.  What is left, the few instructions beside those two reads, is always the same,
 * and is measured too: by running each such case in a tree of its own and looking what its regions
 * come out with.  A read that has to be made again (PMU_READ_DELAYED) is such a case.
 *
 * A call itself is taken for two instructions of the program's, one for the name and one for the
 * jump; for three where it gives the name's length.
 *
 * Counts of a whole processor are taken for the thread's, which is pinned to it: what else runs
 * there makes what is measured another value each time, and then nothing is taken out.  Where
 * sockets are counted, every call takes the slow path: there nothing is moved.
 */
#ifndef PMU_REGION_SELFCOST_H
#define PMU_REGION_SELFCOST_H

#include "region/tree.h"

/**
 * How a call was given its name: a way of its own through begin and end, with remainders of its
 * own.
 */
enum pmu_way {
	PMU_BY_TEXT,    /* up to its NUL */
	PMU_BY_LENGTH,  /* pmu_region_begin_n(), pmu_region_end_n() */
	PMU_BY_CONTEXT, /* not at all: pmu_context_enter(), pmu_context_leave(), pmu_context_get() */
	PMU_BY_ASIDE,   /* by a stand-in, of which nothing is counted (region/aside/) */
	PMU_WAYS,
};

/** The counts at the moment a call leaves the fast path. */
struct pmu_pause {
	bool on;          /* something is open that must not see what follows */
	enum pmu_way way; /* of the call */
	uint32_t missing;
	uint64_t count[PMU_MAX_SLOTS];
	/* what comparing a name before that took; 0 where none was */
	uint64_t compared[PMU_MAX_SLOTS];
};

/**
 * What the counts are that open regions have started with: for signal handlers that end the
 * program.
 */
enum pmu_moving {
	PMU_MOVING_NOTHING,
	PMU_MOVING_NOW,       /* not known */
	PMU_MOVING_FROM_ZERO, /* less by all that the thread had counted when the pause began */
};

/**
 * What is left of calls that do not take the fast path, by slot; differences of counts, so that
 * they may be negative.
 */
struct pmu_remainders {
	bool known;
	uint32_t rough; /* bit i: slot i's were not the same each time, and are left alone */
	/*
	 * What an empty region counts, over one that is begun and ended by text; by a stand-in: one that is
	 * ended by it.
	 */
	uint64_t inner[PMU_MAX_SLOTS];
	/* a slow begin, over the node's own fast one; by a stand-in: what a region counts that it begins, likewise */
	uint64_t begin[PMU_MAX_SLOTS];
	uint64_t compare[PMU_MAX_SLOTS]; /* comparing, over what the two reads around it count */
	uint64_t end[PMU_MAX_SLOTS];     /* a slow end */
	/* over that, in a region that the ended one is not part of */
	uint64_t alien[PMU_MAX_SLOTS];
	/* a begin of a region that is open already, and an end that leaves it open */
	uint64_t again[PMU_MAX_SLOTS], end_again[PMU_MAX_SLOTS];
	/*
	 * What a node's begin cost has too much (pmu_node_begin_cost()): so the part of a pair that
	 * a region misses which ends in the middle of it comes out right.
	 */
	uint64_t overlap[PMU_MAX_SLOTS];
	/*
	 * Reads that are made again: the first time, each further one; and a begin, an end that
	 * sees to it.
	 */
	uint64_t late[PMU_MAX_SLOTS], later[PMU_MAX_SLOTS];
	uint64_t start[PMU_MAX_SLOTS], finish[PMU_MAX_SLOTS];
	uint64_t save[PMU_MAX_SLOTS];    /* a checkpoint; known by text, as the next three */
	uint64_t part[PMU_MAX_SLOTS];    /* up to its read, over what is up to that of an end */
	uint64_t refused[PMU_MAX_SLOTS]; /* a begin that begins nothing */
	/* what comes behind starting anew, over what comes behind a begin */
	uint64_t restart[PMU_MAX_SLOTS];
	/* another public call, or a stand-in; by context: an enter and its leave, in a region around */
	uint64_t call[PMU_MAX_SLOTS];
	uint64_t other[PMU_MAX_SLOTS]; /* a stand-in's call of another library, beside @call */
	uint64_t each[PMU_MAX_SLOTS];  /* moving the start of one more open region */
	/* a begin, or enter, before which the thread has been off its processor; an end, or leave */
	uint64_t off_begin[PMU_MAX_SLOTS], off_end[PMU_MAX_SLOTS];
	/*
	 * By context: asking for one; a leave of nothing; an enter that changes nothing, and its leave; one that has to
	 * find out for which region it is; a slow leave, over a fast one.
	 */
	uint64_t get[PMU_MAX_SLOTS], alone[PMU_MAX_SLOTS];
	uint64_t skip[PMU_MAX_SLOTS], find[PMU_MAX_SLOTS];
	uint64_t leave[PMU_MAX_SLOTS];
};

/** Of the stand-in that the thread is in. */
struct pmu_aside_state {
	uintptr_t
		at; /* the frame of the way into it, only compared; 0: none, or nothing is counted of it */
	bool works;     /* it begins or ends a region now */
	uint64_t ticks; /* when it was called */
	void *next;     /* of another library, that it is about to call */
	struct pmu_node *begun;
	struct pmu_pause pause; /* since it was called */
};

struct pmu_cost {
	struct pmu_remainders by[PMU_WAYS];
	uint32_t unknown;       /* bit i: slot i could not be measured */
	struct pmu_node **open; /* room for as many as are open */
	size_t open_room;
	enum pmu_moving moving;
	struct pmu_store_row *row;             /* for totals that no reader is to see */
	char *text;                            /* room for a name, within a page */
	struct pmu_least *none;                /* what is counted where a pair would be */
	struct pmu_store_histogram *histogram; /* likewise; NULL where none are made */
	struct pmu_pause pause;                /* of a public call, while @paused */
	uint64_t paused_ticks;
	unsigned int paused; /* how deep: a handler's calls may come in between */
	struct pmu_aside_state aside;
};

/** What a call that took the slow path was. */
enum pmu_pause_kind {
	PMU_PAUSE_BEGIN, /* of a region, which is the innermost frame now */
	PMU_PAUSE_AGAIN, /* a begin of one that was open already */
	PMU_PAUSE_NOTHING, /* an enter that changes nothing: its leave takes off what both leave behind */
	PMU_PAUSE_REFUSED,      /* a begin of none */
	PMU_PAUSE_END,          /* of a region */
	PMU_PAUSE_END_DETACHED, /* likewise, that was detached */
	PMU_PAUSE_END_AGAIN,    /* of a region that stays open */
	PMU_PAUSE_END_MARK,     /* likewise, and neither it nor its begin is a call */
	PMU_PAUSE_START,        /* a begin on the fast path, but its read was made again */
	PMU_PAUSE_FINISH,       /* an end likewise */
	PMU_PAUSE_SAVE,         /* a checkpoint */
	PMU_PAUSE_CALL,         /* another public call, or a stand-in */
	PMU_PAUSE_OTHER,        /* a stand-in, up to where it calls another library */
	PMU_PAUSE_RESTART,      /* what was open starts anew */
	PMU_PAUSE_GET,          /* of a context */
	PMU_PAUSE_FIND,         /* an enter for which its region is looked for */
	PMU_PAUSE_SKIP,         /* a leave, where the enter changed nothing */
	PMU_PAUSE_ALONE,        /* a leave where nothing was entered */
	PMU_PAUSE_LEAVE,        /* of one that was entered, off the fast path */
	PMU_PAUSE_OFF_BEGIN,    /* the thread was off its processor: before a begin, or enter */
	PMU_PAUSE_OFF_END,      /* an end, or leave */
	PMU_PAUSE_KINDS,
};

/**
 * pmu_cost_thread() - measure inner, and what slow paths leave behind, for a thread that has
 * just got its tree
 *
 * A few reads of the counters for each; signals wait meanwhile.
 */
void pmu_cost_thread(struct pmu_thread *self);

/**
 * pmu_cost_node() - measure outer for a new node that the cache knows by @text, not open yet, begun
 * in the innermost frame
 * @len: PMU_NAME_TERMINATED, or as it was given
 */
void pmu_cost_node(struct pmu_thread *self, struct pmu_node *node, const char *text, size_t len);

/** pmu_cost_histogram() - for a node of a tree that is not kept: it is the same work there */
static inline struct pmu_store_histogram *pmu_cost_histogram(const struct pmu_thread *self)
{
	return self->cost ? self->cost->histogram : NULL;
}

/**
 * pmu_cost_is_beside() - is a region open that is detached, and so no parent of what is begun now?
 *
 * It counts what those pairs cost, but readers take that off parents alone: such pairs must take the
 * slow path.
 */
static inline bool pmu_cost_is_beside(const struct pmu_thread *self)
{
	return self->tree->detached && self->read && self->cost &&
	       self->measuring != PMU_MEASURING_NODE && !pmu_thread_is_watched(self);
}

/**
 * pmu_cost_needs_slow() - must a node's end take the slow path?  Also where its parent is not the
 * region that it is begun in.
 */
static inline bool pmu_cost_needs_slow(const struct pmu_thread *self, const struct pmu_node *node)
{
	return pmu_cost_is_beside(self) || node->parent != self->frame[-1].node;
}

/** pmu_cost_fast() - of a node's begins and ends on the fast path */
static inline const struct pmu_remainders *pmu_cost_fast(const struct pmu_thread *self,
							 const struct pmu_node *node)
{
	return &self->cost->by[node->kind == PMU_KIND_SIZED ? PMU_BY_LENGTH : PMU_BY_TEXT];
}

/** pmu_cost_of_begin() - what a region around counts of a node's begin on the fast path, in a slot */
static inline uint64_t pmu_cost_of_begin(const struct pmu_thread *self, const struct pmu_node *node,
					 uint32_t slot)
{
	return pmu_node_begin_cost(self, node)[slot] - pmu_cost_fast(self, node)->overlap[slot];
}

static inline enum pmu_way pmu_way_of_length(size_t len)
{
	return len == PMU_NAME_TERMINATED ? PMU_BY_TEXT : PMU_BY_LENGTH;
}

/**
 * pmu_cost_way() - measure what slow paths leave behind of calls of that way, once, where that
 * is not known
 */
void pmu_cost_way(struct pmu_thread *self, enum pmu_way way);

/**
 * pmu_cost_by_length() - counts of an end by length, as if it were by text: it reads that much
 * later
 */
static inline void pmu_cost_by_length(const struct pmu_thread *self, uint64_t *now)
{
	for (uint32_t i = 0; self->cost && i < self->n_slots; i++)
		now[i] -= self->cost->by[PMU_BY_LENGTH].inner[i];
}

/** pmu_cost_by_context() - the same of a leave; @now: is only for the team's own node */
static inline void pmu_cost_by_context(const struct pmu_thread *self, uint64_t *now)
{
	for (uint32_t i = 0; self->cost && i < self->n_slots; i++)
		pmu_store_relaxed(&now[i], now[i] - self->cost->by[PMU_BY_CONTEXT].inner[i]);
}

/**
 * pmu_cost_of_context() - what each of @n regions around sees of an enter and a leave, in a slot
 *
 * As many instructions for a slot that is rough, of which it is 0.
 */
static inline uint64_t pmu_cost_of_context(const struct pmu_thread *self, uint32_t slot, size_t n)
{
	const struct pmu_remainders *left = self->cost ? &self->cost->by[PMU_BY_CONTEXT] : NULL;

	return left ? left->call[slot] + (n - 1) * left->each[slot] : 0;
}

/** pmu_pause_begin() - a call leaves the fast path: read now, if anything is open. */
void pmu_pause_begin(struct pmu_thread *self, struct pmu_pause *pause, enum pmu_way way);

/**
 * pmu_pause_from() - the same where the counts have been read: the first thing that an end does.
 */
void pmu_pause_from(struct pmu_thread *self, struct pmu_pause *pause, enum pmu_way way,
		    uint32_t missing, const uint64_t *count);

/** pmu_pause_learn() - before it ends: what such calls leave behind, where it is not known */
void pmu_pause_learn(struct pmu_thread *self, struct pmu_pause *pause, enum pmu_way way);

/**
 * pmu_pause_compare() - before it, the text was compared with a name that it is not
 *
 * How much work that is depends on both: it is done once more, between two reads.
 */
void pmu_pause_compare(struct pmu_thread *self, struct pmu_pause *pause,
		       const struct pmu_name *name, const char *text, size_t len);

/**
 * pmu_pause_end() - read again, and take what was counted meanwhile from every open region
 * @node: what was begun or ended; NULL for neither
 */
void pmu_pause_end(struct pmu_thread *self, const struct pmu_pause *pause, enum pmu_pause_kind kind,
		   struct pmu_node *node);

/** pmu_cost_late() - by how much the last read was late, which was made again, in a slot */
static inline uint64_t pmu_cost_late(const struct pmu_thread *self, uint32_t slot)
{
	const struct pmu_source_thread *source = self->counters;

	const struct pmu_remainders *left = &self->cost->by[PMU_BY_TEXT];

	if (left->rough >> slot & 1)
		return 0;
	return left->late[slot] + (source->tries - 1) * left->later[slot];
}

/** pmu_cost_in_time() - counts of a read that was made again, as if it had been right at once */
static inline void pmu_cost_in_time(const struct pmu_thread *self, uint64_t *now)
{
	for (uint32_t i = 0; self->cost && i < self->n_slots; i++)
		now[i] -= pmu_cost_late(self, i);
}

/**
 * pmu_cost_overlap() - a region ends while others, begun in it, are detached: it has seen only a
 * part of their pairs
 * pmu_cost_unended() - so have regions around it of one that will never end
 */
void pmu_cost_overlap(struct pmu_thread *self, struct pmu_node *node);
void pmu_cost_unended(const struct pmu_thread *self, const struct pmu_node *node);

/**
 * pmu_cost_foresee() - so have those that are open in a tree, each of those in it, as long as their
 * counts so far are as if all of them ended now
 * @innermost: frame of @tree
 * @back: as it was
 */
void pmu_cost_foresee(const struct pmu_thread *self, const struct pmu_tree *tree,
		      const struct pmu_frame *innermost, bool back);

/**
 * pmu_cost_restart() - what is open counts from now on, as if it had been begun, one in the other, just before
 * the call that follows, which is of that way
 *
 * Context: pmu_forked_call(), for which it is exact.
 */
void pmu_cost_restart(struct pmu_thread *self, enum pmu_way way);

/** pmu_cost_part() - counts of a checkpoint, as if an end had read them */
static inline void pmu_cost_part(const struct pmu_thread *self, uint64_t *now)
{
	const struct pmu_remainders *left = self->cost ? &self->cost->by[PMU_BY_TEXT] : NULL;

	for (uint32_t i = 0; left && i < self->n_slots; i++)
		if (!(left->rough >> i & 1))
			now[i] -= left->part[i];
}

/** pmu_cost_no_part() - counts of which it is not known: readers take off nothing but what is added here */
static inline void pmu_cost_no_part(const struct pmu_thread *self, uint64_t *now)
{
	for (uint32_t i = 0; i < self->n_slots; i++)
		now[i] += self->rows.record->inner[i];
}

#endif
