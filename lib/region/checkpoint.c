/* SPDX-License-Identifier: BSD-3-Clause */
/* What open regions have done so far, published as if they ended here; their calls go on. */
#include "region/checkpoint.h"

#include <errno.h>

#include "pmu.h"
#include "region/cost.h"
#include "region/slow.h"
#include "session/session.h"

/* Time and counts of a part of a call: no call has ended, so nothing else grows. */
static void publish_part(const struct pmu_thread *self, struct pmu_node *node, uint64_t ticks,
			 const uint64_t *now)
{
	const struct pmu_store_bank *was;
	struct pmu_store_bank *is;
	uint32_t seq = pmu_row_banks(self, node->row, &was, &is);

	pmu_bank_put(&is->calls, was->calls);
	pmu_bank_put(&is->ticks, was->ticks + ticks);
	pmu_bank_put(&is->min, was->min);
	pmu_bank_put(&is->max, was->max);
	pmu_bank_put_square(&is->square, was->square);
	for (uint32_t i = 0; i < self->n_slots; i++)
		pmu_bank_put(&is->count[i], was->count[i] + (now[i] - node->start[i]));
	__atomic_store_n(&node->row->seq, seq + 1, __ATOMIC_RELEASE);
}

/* The rest of the call, whose length is that of all of it. */
static void publish_rest(const struct pmu_thread *self, struct pmu_node *node, uint64_t ticks,
			 const uint64_t *now)
{
	const struct pmu_store_bank *was;
	struct pmu_store_bank *is;
	uint32_t seq = pmu_row_banks(self, node->row, &was, &is);

	pmu_bank_add_time(was, is, ticks + node->carried);
	pmu_bank_put(&is->ticks, was->ticks + ticks);
	for (uint32_t i = 0; i < self->n_slots; i++)
		pmu_bank_put(&is->count[i], was->count[i] + (now[i] - node->start[i]));
	__atomic_store_n(&node->row->seq, seq + 1, __ATOMIC_RELEASE);
}

/* Stamps without a fence may pass each other by a few ticks. */
static uint64_t since_start(const struct pmu_node *node, uint64_t ticks)
{
	return (int64_t)(ticks - node->start_ticks) < 0 ? 0 : ticks - node->start_ticks;
}

static void save(struct pmu_thread *self, struct pmu_frame *frame, uint64_t ticks, uint32_t missing,
		 const uint64_t *counts)
{
	struct pmu_node *node = frame->node;
	uint64_t now[PMU_MAX_SLOTS];

	memcpy(now, counts, sizeof(now));
	if (unlikely(missing | node->start_missing))
		pmu_node_mark_missing(self, node, missing | node->start_missing, now);
	/* The mark first: who dies in between has an open call of no time rather than time of no call. */
	PMU_ROW_SET(node->row, flags, node->row->flags | PMU_STORE_ROW_PARTIAL);
	publish_part(self, node, since_start(node, ticks), now);
	node->carried += since_start(node, ticks);
	node->start_ticks = ticks;
	node->start_missing = missing;
	memcpy(node->start, counts, self->n_slots * sizeof(*node->start));
	frame->plain = false;
}

void pmu_checkpoint_forget(struct pmu_node *node)
{
	PMU_ROW_SET(node->row, flags, node->row->flags & ~PMU_STORE_ROW_PARTIAL);
	node->carried = 0;
}

void pmu_checkpoint_finish(struct pmu_thread *self, struct pmu_node *node, uint64_t ticks,
			   uint32_t missing, uint64_t *now)
{
	missing |= node->start_missing;
	if (unlikely(missing))
		pmu_node_mark_missing(self, node, missing, now);
	publish_rest(self, node, since_start(node, ticks), now);
	if (self->histograms)
		pmu_note_length(self, node, since_start(node, ticks) + node->carried);
	pmu_note_end(self, ticks);
	pmu_row_set_open(node->row, 0);
	pmu_checkpoint_forget(node);
	node->name->open = NULL;
}

static void note_next(enum pmu_next next)
{
	if (__atomic_load_n(&pmu_session.running, __ATOMIC_ACQUIRE))
		__atomic_store_n(&pmu_session.table.head->next, (uint32_t)next, __ATOMIC_RELAXED);
}

/*
 * A region entered again further in has two frames and one start.  Those set aside are left out: what they are
 * a part of has ended.
 */
static void save_all(struct pmu_thread *self, enum pmu_next next)
{
	uint64_t now[PMU_MAX_SLOTS] = { 0 }, ticks = pmu_clock_ticks(self->clock);
	uint32_t missing = self->read ? self->read(self->counters, now) : 0;
	struct pmu_pause pause;

	missing &= ~PMU_READ_DELAYED; /* what follows is in no region that goes on */
	pmu_pause_from(self, &pause, missing, now);
	for (struct pmu_frame *frame = self->tree->frames + 1; frame <= self->frame; frame++)
		save(self, frame, ticks, missing, now);
	pmu_note_end(self, ticks);
	if (!self->measuring)
		note_next(next);
	pmu_pause_end(self, &pause, PMU_PAUSE_SAVE, NULL);
}

/*
 * The thread cannot come in any more, and no reader is in its idle banks; what its other calls have counted stays known, so
 * where counts cannot be had a row that has any is left as it is.
 */
void pmu_region_settle(struct pmu_thread *thread)
{
	uint64_t now[PMU_MAX_SLOTS] = { 0 }, ticks = pmu_clock_ticks(thread->clock);
	uint32_t all = thread->n_slots ? UINT32_MAX >> (32 - thread->n_slots) : 0;
	uint32_t missing = thread->read ? all & ~thread->rows.record->missing : 0;

	if (!thread->tree || thread->frame == thread->tree->frames)
		return;
	if (missing && thread->backend->read_aside)
		missing = thread->backend->read_aside(thread->counters, now) & all & ~thread->rows.record->missing;
	for (struct pmu_frame *frame = thread->tree->frames + 1; frame <= thread->frame; frame++) {
		const struct pmu_store_row *row = frame->node->row;
		const struct pmu_store_bank *bank;

		bank = pmu_row_bank((struct pmu_store_row *)(uintptr_t)row, thread->bank_offset, thread->bank_size,
				    row->seq & 1);
		if (!missing || !bank->calls)
			save(thread, frame, ticks, missing | thread->rows.record->missing, now);
	}
	pmu_note_end(thread, ticks);
}

PMU_API int pmu_checkpoint(enum pmu_next next)
{
	int32_t epoch = __atomic_load_n(&pmu_epoch, __ATOMIC_RELAXED);
	int saved = errno;

	/* A child's copy of its parent's state is none of ours. */
	if (epoch < 0 || !pmu_session_is_ours())
		return 0;
	if (pmu_session_inside())
		return -EBUSY;
	pmu_session_bar();
	if (pmu_self && pmu_self->tree && pmu_self->epoch == (uint32_t)epoch) {
		pmu_thread_quiet(pmu_self, 1);
		save_all(pmu_self, next);
		pmu_thread_quiet(pmu_self, -1);
	} else {
		note_next(next);
	}
	pmu_session_unbar();
	errno = saved;
	return 0;
}
