/* SPDX-License-Identifier: BSD-3-Clause */
/* The events of libpfm4's tables by name: each table is read once. */
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "names/pfm/load.h"
#include "names/pfm/names.h"
#include "names/spelling.h"

/* Of the tables that were asked for; kept as long as libpfm4 is, under pfm.c's lock. */
static struct pmu_pfm_events *known[PFM_PMU_MAX];

bool pmu_pfm_event_at(int i, pfm_event_info_t *event)
{
	memset(event, 0, sizeof(*event));
	event->size = sizeof(*event);
	return pmu_pfm_calls()->get_event_info(i, PFM_OS_NONE, event) == PFM_SUCCESS;
}

static bool is_pfm_called(const void *name, uintptr_t event)
{
	return pmu_spelling_compare(((const struct pmu_pfm_known *)event)->name, name) <=
	       PMU_SPELLED_JOINED;
}

static struct pmu_index_place *place_of_pfm_event(const struct pmu_pfm_events *events,
						  const char *name)
{
	return pmu_index_find(&events->by_name, pmu_spelling_hash(name), is_pfm_called, name);
}

static void read_pfm_events(const pfm_pmu_info_t *table, struct pmu_pfm_events *events)
{
	for (int i = table->first_event; i != -1 && events->n < table->nevents;
	     i = pmu_pfm_calls()->get_event_next(i)) {
		pfm_event_info_t info;

		if (pmu_pfm_event_at(i, &info))
			events->event[events->n++] = (struct pmu_pfm_known){
				.name = info.name,
				.at = i,
				.outline = pmu_word_outline(info.name),
			};
	}
}

/* From the last on, so that the first of a name comes first. */
static void make_index(struct pmu_pfm_events *events)
{
	for (int i = events->n; i-- > 0;) {
		struct pmu_pfm_known *event = &events->event[i];
		struct pmu_index_place *place = place_of_pfm_event(events, event->name);

		event->next = (const struct pmu_pfm_known *)place->thing;
		if (event->next)
			place->thing = (uintptr_t)event;
		else
			pmu_index_take(&events->by_name, place, pmu_spelling_hash(event->name),
				       (uintptr_t)event);
	}
}

const struct pmu_pfm_events *pmu_pfm_events(const pfm_pmu_info_t *table)
{
	struct pmu_pfm_events *events;
	size_t n = table->nevents > 0 ? (size_t)table->nevents : 0;

	if (known[table->pmu])
		return known[table->pmu];
	events = calloc(1, sizeof(*events) + n * sizeof(events->event[0]));
	if (!events || pmu_index_reserve(&events->by_name, n) < 0) {
		free(events);
		return NULL;
	}
	read_pfm_events(table, events);
	make_index(events);
	known[table->pmu] = events;
	return events;
}

const struct pmu_pfm_known *pmu_pfm_event_called(const pfm_pmu_info_t *table, const char *name)
{
	const struct pmu_pfm_events *events = pmu_pfm_events(table);

	return events && events->n
		       ? (const struct pmu_pfm_known *)place_of_pfm_event(events, name)->thing
		       : NULL;
}
