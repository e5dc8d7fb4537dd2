/* SPDX-License-Identifier: BSD-3-Clause */
/* What a group of LIKWID's counts: a slot for each count, one for all boxes of a unit where it will do. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "names/likwid/parts.h"

#define TOO_MANY                                                                                 \
	"more than %d counts at once; boxes of a unit are one of them where the file names all " \
	"that this machine has and its formulas add them up: split the group"

/* "uncore_imc_3/UNC_M_CAS_COUNT.RD/" */
static int name_box(const struct pmu_likwid_reading *r, const struct pmu_likwid_counter *c,
		    struct pmu_event *event)
{
	char name[sizeof(event->name)];
	char pmu[sizeof(event->slot.pmu) + 16];

	if ((size_t)snprintf(pmu, sizeof(pmu), "%s_%d", event->slot.pmu, c->name.box) >=
	    sizeof(event->slot.pmu))
		return pmu_likwid_wrong(&r->scan, c->line, "a box with too long a name");
	strcpy(event->slot.pmu, pmu);
	strcpy(name, event->name);
	snprintf(event->name, sizeof(event->name), "%s/%.*s/", event->slot.pmu,
		 (int)(sizeof(event->name) - strlen(pmu) - 3), name);
	return 0;
}

/* @counts: what @c counts, or a part of it */
static int add_counter_slot(struct pmu_likwid_reading *r, const struct pmu_likwid_counter *c,
			    const struct pmu_event *counts, bool box, int *slot)
{
	struct pmu_group *group = r->group;
	struct pmu_event event = *counts;
	int rc = box ? name_box(r, c, &event) : 0;

	if (rc)
		return rc;
	/* what the machine may lack does not take the rest with it */
	event.optional = pmu_slot_is_socket(&event.slot) || event.slot.pmu[0];
	for (unsigned int i = 0; i < group->n_events; i++) {
		if (pmu_event_same_slot(&group->event[i].slot, &event.slot)) {
			*slot = (int)i;
			return 0;
		}
		if (!strcmp(group->event[i].name, event.name))
			return pmu_likwid_wrong(
				&r->scan, c->line,
				"two events are called %s as far as a column has room", event.name);
	}
	if (group->n_events == PMU_MAX_SLOTS)
		return pmu_fail(E2BIG, "%s:%u: " TOO_MANY, r->scan.origin, c->line, PMU_MAX_SLOTS);
	*slot = (int)group->n_events;
	group->event[group->n_events++] = event;
	return 0;
}

static int add_counter_slots(struct pmu_likwid_reading *r, struct pmu_likwid_counter *c, bool box)
{
	int rc = 0;

	if (!c->n_parts)
		return add_counter_slot(r, c, &c->counts, box, &c->slot);
	for (int i = c->first_part; i < c->first_part + c->n_parts && !rc; i++)
		rc = add_counter_slot(r, c, &r->part[i].counts, box, &r->part[i].slot);
	return rc;
}

static int add_slots(struct pmu_likwid_reading *r)
{
	for (int i = 0; i < r->n_counters; i++) {
		struct pmu_likwid_counter *c = &r->counter[i];
		bool apart = c->name.box >= 0 && r->apart[c->family];
		int rc = 0;

		if (!c->counted || (apart && c->no_box))
			continue;
		if (apart || c->family == i)
			rc = add_counter_slots(r, c, apart);
		else
			c->slot = r->counter[c->family].slot;
		if (rc)
			return rc;
	}
	if (r->group->n_events)
		return 0;
	return pmu_fail(ENOTSUP, "group %s cannot be counted here: %s", r->group->name, r->why);
}

/* Once more, with the boxes of a unit as one count wherever the file has all of them. */
static int add_sums_alone(struct pmu_likwid_reading *r)
{
	for (int i = 0; i < r->n_metrics; i++) {
		if (!r->metric[i].apart)
			continue;
		pmu_fail(ENOTSUP, TOO_MANY, PMU_MAX_SLOTS);
		pmu_likwid_leave_out(r, r->metric[i].line, r->metric[i].name);
		r->metric[i].left_out = true;
	}
	memcpy(r->apart, r->apart_anyway, sizeof(r->apart));
	for (int i = 0; i < r->n_counters; i++)
		r->counter[i].slot = -1;
	for (int i = 0; i < r->n_parts; i++)
		r->part[i].slot = -1;
	r->group->n_events = 0;
	return add_slots(r);
}

int pmu_likwid_slots(struct pmu_likwid_reading *r)
{
	int rc = add_slots(r);

	if (rc == -E2BIG && memcmp(r->apart, r->apart_anyway, sizeof(r->apart)) != 0)
		rc = add_sums_alone(r);
	return rc == -E2BIG ? -ENOTSUP : rc;
}
