/* SPDX-License-Identifier: BSD-3-Clause */
/* Rings of calls: made when threads come, kept when they go, saved when the session ends. */
#include "session/trace.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "session/session.h"
#include "store/save.h"

/* --- a thread's --- */

/* Slots of the group that has most: records are of one size. */
static uint32_t most_slots(void)
{
	uint32_t most = 0;

	for (unsigned int i = 0; i < pmu_session.n_groups; i++)
		if (pmu_session.group[i].layout->n_slots > most)
			most = pmu_session.group[i].layout->n_slots;
	return most;
}

/* By what the clock has done since the session began, which is long enough for a limit. */
static uint64_t ticks_of(uint64_t ns)
{
	const struct pmu_store_head *head = pmu_session.table.head;
	struct pmu_clock_point now;

	if (!ns || !pmu_clock_is_stamp(head->clock_kind))
		return ns;
	now = pmu_clock_point_take(head->clock_kind);
	return (uint64_t)((double)ns * pmu_clock_hz(head->clock_kind, &head->point[0], &now) / 1e9);
}

static void use_ring(struct pmu_trace *trace, struct pmu_store_trace *ring)
{
	uint64_t last = ring->first ? ring->n_places - 1 : 0;

	trace->ring = ring;
	trace->size = ring->record_size;
	trace->min = ring->min_ticks;
	trace->next = pmu_trace_at(ring, 0);
	trace->end = (uintptr_t)pmu_trace_at(ring, ring->n_places);
	trace->again = (uintptr_t)pmu_trace_at(ring, last);
}

/* Two places: the least that has an end. */
static struct pmu_store_trace *make_aside(struct pmu_thread *self,
					  const struct pmu_store_trace *ring)
{
	struct pmu_store_trace *aside = pmu_arena_alloc(
		&self->arena, sizeof(*aside) + 2 * (size_t)ring->record_size, 64);

	if (aside) {
		*aside = *ring;
		aside->n_places = 2;
	}
	return aside;
}

static void note_untraced(void)
{
	char text[PMU_ERROR_MAX + 160];

	if (pmu_session.untraced++)
		return;
	snprintf(text, sizeof(text),
		 "calls of some threads are not traced, for there is no room for them: %s; "
		 "try a smaller PMU_TRACE_SIZE",
		 pmu_error_text());
	pmu_table_meta(&pmu_session.table, PMU_META_NOTE, text);
}

void pmu_trace_attach(struct pmu_thread *self)
{
	const struct pmu_config *config = &pmu_session.config;
	struct pmu_store_trace *ring;

	if (!config->trace[0] || self->trace.ring)
		return;
	ring = pmu_table_trace(&pmu_session.table, self->rows.serial, most_slots(),
			       config->trace_bytes);
	if (!ring) {
		note_untraced();
		return;
	}
	ring->first = config->trace_first;
	ring->min_ticks = ticks_of(config->trace_min_ns);
	self->trace.aside = make_aside(self, ring);
	if (self->trace.aside)
		use_ring(&self->trace, ring);
	else
		pmu_table_trace_free(&pmu_session.table, ring);
}

void pmu_trace_detach(struct pmu_thread *self, bool merged)
{
	struct pmu_store_trace *ring = self->trace.ring;

	self->trace.ring = NULL;
	if (!ring)
		return;
	if (merged)
		pmu_table_trace_free(&pmu_session.table, ring);
	else
		pmu_table_trace_end(&pmu_session.table, ring);
}

struct pmu_trace pmu_trace_aside(struct pmu_thread *self)
{
	struct pmu_trace real = self->trace;

	if (real.ring)
		use_ring(&self->trace, real.aside);
	return real;
}

/* --- the end --- */

/* A piece of rings has nothing else, but what a thread left of its ring may be nobody's yet. */
static uint64_t lost_in(const struct pmu_store_piece *piece)
{
	const struct pmu_store_chunk *chunk = piece->base;
	uint64_t lost = 0;

	for (uint64_t at = 0; at < piece->size && chunk->kind == PMU_CHUNK_TRACE;) {
		const struct pmu_store_trace *ring = (const void *)(chunk + 1);
		uint64_t n = __atomic_load_n(&ring->n, __ATOMIC_RELAXED);
		uint64_t keeps = ring->n_places - 1;

		lost += ring->dropped + (n > keeps ? n - keeps : 0);
		at += chunk->size;
		chunk = (const void *)((const char *)piece->base + at);
	}
	return lost;
}

/* What is not in it is said in the report, too. */
static void note_lost(void)
{
	uint64_t lost = 0;
	char text[192];

	for (size_t i = 1; i < pmu_session.table.n_pieces; i++)
		lost += lost_in(&pmu_session.table.piece[i]);
	if (!lost)
		return;
	snprintf(text, sizeof(text),
		 "%" PRIu64 " calls are not in the trace: there was no room for them; a larger "
		 "PMU_TRACE_SIZE keeps more",
		 lost);
	pmu_table_meta(&pmu_session.table, PMU_META_NOTE, text);
}

void pmu_trace_remark(void)
{
	if (pmu_session.config.trace[0])
		note_lost();
}

int pmu_trace_save(void)
{
	struct pmu_output output = { .configured = pmu_session.config.trace };
	struct pmu_store_view view;
	int rc;

	if (!pmu_session.config.trace[0] || pmu_session.kept)
		return 0;
	if (!pmu_session.table.path[0])
		return pmu_fail(ENOSPC, "no trace: %s", pmu_session.table.why);
	rc = pmu_output_name(&output);
	if (rc < 0)
		return rc;
	view = pmu_table_view(&pmu_session.table);
	rc = pmu_store_save(pmu_session.table.path, &view, output.path);
	if (rc < 0)
		pmu_fail(-rc, "cannot write the trace %s: %s", output.path, strerror(-rc));
	pmu_output_forget(&output);
	return rc;
}
