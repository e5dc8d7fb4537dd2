/* SPDX-License-Identifier: BSD-3-Clause */
/* Begin and end off the hot path, and the steps that all paths share. */
#ifndef PMU_REGION_SLOW_H
#define PMU_REGION_SLOW_H

#include "region/call.h"
#include "region/publish.h"
#include "region/selfcost/selfcost.h"
#include "region/tree.h"
#include "session/enter.h"

/**
 * pmu_region_choose() - the ways through begin and end that suit what the thread reads, which is
 * set
 */
void pmu_region_choose(struct pmu_thread *self);

/**
 * pmu_region_enter() - no session yet, a new thread, another group, a forked child, a signal
 * handler
 * Return: 0 with the guard held, until pmu_session_unbar(); 1 where nothing is measured; a negative
 * errno.
 */
int pmu_region_enter(struct pmu_thread **self);

/**
 * pmu_begin_uncached() - open what the cache does not know: a first call, a re-entry, a
 * reused buffer
 * @rc: result where NULL is returned: 0 for a re-entry, which starts nothing, or a
 * negative errno Return: the node, open but not started.
 */
struct pmu_node *pmu_begin_uncached(struct pmu_thread *self, const char *text, size_t len, int *rc);

/**
 * pmu_end_other() - ends that are not of the innermost region entered once: re-entered
 * ones, those below the top (which detach what is above them), detached ones, and
 * those never begun
 * @ticks, @missing, @now: what was read before anything else
 */
int pmu_end_other(struct pmu_thread *self, const char *text, size_t len, uint64_t ticks,
		  uint32_t missing, uint64_t *now);

/**
 * pmu_node_occupy() - sockets see its call from now on; before the thread's own counters are read
 * Context: where pmu_thread.sockets is set.
 */
void pmu_node_occupy(struct pmu_thread *self, struct pmu_node *node);

/** pmu_node_give_up() - it is not open any more, and what was open of it will never be ended */
void pmu_node_give_up(struct pmu_thread *self, struct pmu_node *node);

/** pmu_node_check_cpu() - the counts are bound to a processor: a call that changes it is
 * worth a doubt. */
void pmu_node_check_cpu(const struct pmu_thread *self, struct pmu_node *node);

/** pmu_node_mark_missing() - slots that one of the two reads could not make: nothing is
 * added for them, and the row says so. */
void pmu_node_mark_missing(const struct pmu_thread *self, struct pmu_node *node, uint32_t missing,
			   uint64_t *now);

/** pmu_node_finish_odd() - the same for an end's, and pmu_node_mark_missing(). */
void pmu_node_finish_odd(struct pmu_thread *self, struct pmu_node *node, enum pmu_way way,
			 uint32_t missing, uint64_t *now);

/**
 * pmu_node_start_odd() - a begin could not read every slot, or read them late; @missing: what
 * read() said
 */
void pmu_node_start_odd(struct pmu_thread *self, struct pmu_node *node, uint32_t missing);
/**
 * pmu_node_note() - what is kept of a call beside its totals, where anything is; @ticks: its length
 */
void pmu_node_note(struct pmu_thread *self, struct pmu_node *node, uint64_t ticks,
		   const uint64_t *now);

/** pmu_node_open() - in a frame of its own, for which there is room; @literal: struct pmu_frame's */
static inline void pmu_node_open(struct pmu_thread *self, struct pmu_node *node,
				 const char *literal)
{
	struct pmu_frame *frame = self->frame + 1;
	struct pmu_name *known = node->name;

	self->frame = frame;
	frame->node = node;
	pmu_compiler_barrier(); /* both at once would go through vector registers */
	frame->literal = literal;
	known->open = node;
	pmu_row_set_open(node->row, 1);
}

/** pmu_node_start() - the last of a begin: counters, then the time stamp, innermost. */
static inline __attribute__((always_inline)) void pmu_node_start(struct pmu_thread *self,
								 struct pmu_node *node)
{
	uint32_t missing = self->read(self->counters, node->start);

	if (unlikely(missing))
		pmu_node_start_odd(self, node, missing);
	node->start_ticks = pmu_clock_stamp();
}

/** pmu_node_start_special() - the same where pmu_thread.special is set */
void pmu_node_start_special(struct pmu_thread *self, struct pmu_node *node);

/**
 * pmu_node_finish() - the totals of a call that has ended, after pmu_node_finish_odd() where
 * anything is; @n: as pmu_publish() has it
 */
static inline __attribute__((always_inline)) void pmu_node_finish(struct pmu_thread *self,
								  struct pmu_node *node,
								  uint64_t ticks,
								  const uint64_t *now, size_t n)
{
	struct pmu_store_row *row = node->row;

	pmu_publish(node, ticks - node->start_ticks, now, n);
	pmu_note_end(self, ticks);
	pmu_row_set_open(row, 0);
	node->name->open = NULL;
}

/** pmu_node_finish_special() - the same, whatever is odd, or special in the thread */
void pmu_node_finish_special(struct pmu_thread *self, struct pmu_node *node, enum pmu_way way,
			     uint64_t ticks, uint32_t missing, uint64_t *now);

#endif
