/* SPDX-License-Identifier: BSD-3-Clause */
/* Rings of calls: made when threads come, kept when they go, saved when the session ends. */
#include "session/trace.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "session/output.h"
#include "session/session.h"
#include "store/save.h"

/* --- a thread's --- */

/* Slots of the group that has most: records are of one size. */
static uint32_t most_slots(void)
{
	uint32_t most = 0;

	for (unsigned int i = 0; i < pmu_session.n_groups; i++)
		if (pmu_session.group[i].plan.n_slots > most)
			most = pmu_session.group[i].plan.n_slots;
	return most;
}

/* By what the clock has done since the session began, which is long enough for a limit. */
static uint64_t ticks_of(uint64_t ns)
{
	const struct pmu_table *table = &pmu_session.table;
	struct pmu_clock_point now;

	if (!ns || !pmu_clock_is_stamp(table->clock))
		return ns;
	now = pmu_clock_point_take(table->clock);
	return (uint64_t)((double)ns * pmu_clock_hz(table->clock, &table->start, &now) / 1e9);
}

static void use_ring(struct pmu_trace *trace, struct pmu_ring *ring)
{
	bool first = pmu_session.config.trace_first;
	char *places = (char *)(ring->at + 1);

	trace->ring = ring;
	trace->head = ring->at;
	trace->n = trace->n_waits = 0;
	PMU_PUBLISH(ring->at->n_waits, 0);
	trace->size = ring->record_size;
	trace->next = (void *)places;
	trace->end = (uintptr_t)places + (uint64_t)ring->n_places * ring->record_size;
	trace->again = first ? trace->end - ring->record_size : (uintptr_t)places;
}

/* Two places: the least that has an end. */
static struct pmu_ring *make_aside(struct pmu_thread *self, const struct pmu_ring *ring)
{
	struct pmu_ring *aside = pmu_arena_alloc(&self->arena, sizeof(*aside), 8);
	struct pmu_store_trace *head = pmu_arena_alloc(
		&self->arena, sizeof(*head) + 2 * (size_t)ring->record_size, 64);

	if (!aside || !head)
		return NULL;
	aside->at = head;
	aside->record_size = ring->record_size;
	aside->n_places = 2;
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
	struct pmu_ring *ring;

	if (!config->trace[0] || self->trace.ring)
		return;
	ring = pmu_table_trace(&pmu_session.table, self->rows.serial, most_slots(),
			       config->trace_bytes);
	if (!ring) {
		note_untraced();
		return;
	}
	self->trace.min = ticks_of(config->trace_min_ns);
	PMU_PUBLISH(ring->at->first, config->trace_first);
	PMU_PUBLISH(ring->at->min_ticks, self->trace.min);
	self->trace.aside = make_aside(self, ring);
	if (self->trace.aside)
		use_ring(&self->trace, ring);
	else
		pmu_table_trace_free(&pmu_session.table, ring, 0);
}

void pmu_trace_detach(struct pmu_thread *self, bool merged)
{
	struct pmu_ring *ring = self->trace.ring;

	self->trace.ring = NULL;
	if (!ring)
		return;
	if (merged)
		pmu_table_trace_free(&pmu_session.table, ring, self->trace.n - self->trace.n_waits);
	else
		pmu_table_trace_end(&pmu_session.table, ring, self->trace.n);
}

struct pmu_trace pmu_trace_aside(struct pmu_thread *self)
{
	struct pmu_trace real = self->trace;

	if (real.ring)
		use_ring(&self->trace, real.aside);
	return real;
}

/* --- the end --- */

/* What is not in it is said in the report, too. */
static void note_lost_trace(void)
{
	bool with_waits;
	uint64_t lost = pmu_table_untraced(&pmu_session.table, &with_waits);
	char text[192];

	if (!lost)
		return;
	snprintf(text, sizeof(text),
		 "%s%" PRIu64 " calls are not in the trace: there was no room for them; a larger "
		 "PMU_TRACE_SIZE keeps more",
		 with_waits ? "at most " : "", lost);
	pmu_table_meta(&pmu_session.table, PMU_META_NOTE, text);
}

void pmu_trace_remark(void)
{
	if (pmu_session.config.trace[0])
		note_lost_trace();
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
