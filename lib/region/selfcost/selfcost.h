/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the library's own work counts as, measured with the library itself.
 *
 *   inner   what an empty region counts: from the last read of a begin to the first of an end
 *   outer   what a begin/end pair of a region counts in the region around it; a longer name costs
 *   more, so
 *           each node has its own, measured when the node is made, by pairs of its own name
 *
 * Both stand in the store, and reports subtract them.  That is right for calls that take the short
 * way through begin and end.  A call that takes a longer one reads the counters before and after
 * what it has more to do, and moves the start of every open region by that much (struct pmu_pause):
 * none of it is in any region.  What is left, the few instructions beside those two reads, is
 * always the same, and is measured too: by running each such case in a tree of its own and looking
 * what its regions come out with.  A read that the kernel delays (PMU_READ_DELAYED) is such a case.
 *
 * A call itself is taken for two instructions of the program's, one for the name and one for the
 * jump.
 *
 * Counts of whole processors and sockets have other people's work in them, and their threads take
 * the long way at every call: there nothing is moved.
 */
#ifndef PMU_REGION_COST_H
#define PMU_REGION_COST_H

#include "region/tree.h"

/** The counts at the moment a call leaves the short way. */
struct pmu_pause {
	bool on; /* something is open that must not see what follows */
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

/** The remainders, by slot; differences of counts, so that they may be negative. */
struct pmu_cost {
	uint64_t begin[PMU_MAX_SLOTS];   /* a begin the long way; over the node's own short one */
	uint64_t compare[PMU_MAX_SLOTS]; /* comparing, over what the two reads around it count */
	uint64_t end[PMU_MAX_SLOTS];     /* an end the long way */
	/* over that, in a region that the ended one is not part of */
	uint64_t alien[PMU_MAX_SLOTS];
	uint64_t again[PMU_MAX_SLOTS]; /* a begin and an end of a region that is open already */
	/*
	 * What a node's begin cost has too much (pmu_node_begin_cost()): so the part of a pair that
	 * a region misses which ends in the middle of it comes out right.
	 */
	uint64_t overlap[PMU_MAX_SLOTS];
	/* a begin, an end whose read was delayed */
	uint64_t start[PMU_MAX_SLOTS], finish[PMU_MAX_SLOTS];
	uint64_t save[PMU_MAX_SLOTS]; /* a checkpoint */
	uint64_t call[PMU_MAX_SLOTS]; /* another public call */
	uint64_t each[PMU_MAX_SLOTS]; /* moving the start of one more open region */
	struct pmu_node **open;       /* room for as many as are open */
	size_t open_room;
	enum pmu_moving moving;
	/* bit i: slot i's remainders were not the same each time, and are left alone */
	uint32_t rough;
	uint32_t unknown;                      /* bit i: slot i could not be measured */
	struct pmu_store_row *row;             /* takes what nobody is to see */
	struct pmu_store_histogram *histogram; /* likewise; NULL where none are made */
	struct pmu_pause pause;                /* of a public call, while @paused */
	uint64_t paused_ticks;
	unsigned int paused; /* how deep: a handler's calls may come in between */
};

/** What a call that took the long way was. */
enum pmu_pause_kind {
	PMU_PAUSE_BEGIN, /* of a region, which is the innermost frame now */
	PMU_PAUSE_AGAIN, /* a begin of one that was open already; others whose work is nobody's */
	PMU_PAUSE_END,   /* of a region */
	PMU_PAUSE_END_AGAIN, /* of a region that stays open */
	PMU_PAUSE_START,     /* a begin the short way, but its read was delayed */
	PMU_PAUSE_FINISH,    /* an end likewise */
	PMU_PAUSE_SAVE,      /* a checkpoint */
	PMU_PAUSE_CALL,      /* another public call */
	PMU_PAUSE_KINDS,
};

/**
 * pmu_cost_thread() - measure inner, and what the long ways leave behind, for a thread that has
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
 * pmu_cost_is_beside() - is a region open that is nobody's parent?
 *
 * What pairs cost beside it no reader takes off it, who looks at parents alone: they must take the
 * long way.
 */
static inline bool pmu_cost_is_beside(const struct pmu_thread *self)
{
	return self->tree->aside && self->read && self->cost &&
	       self->measuring != PMU_MEASURING_NODE && !pmu_thread_is_watched(self);
}

/**
 * pmu_cost_needs_long() - must a node's end take the long way?  Also where its parent is not the
 * region that it is begun in.
 */
static inline bool pmu_cost_needs_long(const struct pmu_thread *self, const struct pmu_node *node)
{
	return pmu_cost_is_beside(self) || node->parent != self->frame[-1].node;
}

/** pmu_pause_begin() - a call leaves the short way: read now, if anything is open. */
void pmu_pause_begin(struct pmu_thread *self, struct pmu_pause *pause);

/**
 * pmu_pause_from() - the same where the counts have been read: the first thing that an end does.
 */
void pmu_pause_from(struct pmu_thread *self, struct pmu_pause *pause, uint32_t missing,
		    const uint64_t *count);

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
		   const struct pmu_node *node);

/**
 * pmu_cost_overlap() - a region ends while others, begun in it, are set aside: it has seen only a
 * part of their pairs
 */
void pmu_cost_overlap(struct pmu_thread *self, struct pmu_node *node);

#endif
