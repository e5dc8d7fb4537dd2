/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Events and groups by name, for the session.  What knows names is a library of its own,
 * libpmu-events.so: tables of events, readers of Intel's and of groups' files.  It is loaded when
 * the first name has to be looked up; a session for which nothing was asked needs none (usual.h).
 */
#ifndef PMU_PLAN_RESOLVE_H
#define PMU_PLAN_RESOLVE_H

#include "machine/events.h"
#include "plan/catalog.h"
#include "plan/group.h"

/** What libpmu-events.so offers its loaders; the functions' own headers say more. */
struct pmu_resolver {
	struct pmu_events events;
	size_t group_size, catalog_size; /* it is of this very libpmu */
	const char *(*error_text)(void); /* it keeps sentences of its own */
	int (*group_find)(const char *name, struct pmu_catalog *catalog, struct pmu_group *group);
	int (*group_from_events)(const char *events, struct pmu_catalog *catalog,
				 struct pmu_group *group);
	int (*add_interrupts)(struct pmu_group *group, struct pmu_catalog *catalog);
	int (*event_list)(const char *text, struct pmu_catalog *catalog, struct pmu_event *events);
	void (*catalog_close)(struct pmu_catalog *catalog);
};
extern const struct pmu_resolver pmu_resolver;

/*
 * As pmu_group_find(), pmu_group_from_events(), pmu_group_add_interrupts() and
 * pmu_event_list_parse(); also -EINVAL with a sentence: there is no resolver.
 */
int pmu_resolve_group(const char *name, struct pmu_catalog *catalog, struct pmu_group *group);
int pmu_resolve_events(const char *events, struct pmu_catalog *catalog, struct pmu_group *group);
int pmu_resolve_interrupts(struct pmu_group *group, struct pmu_catalog *catalog);
int pmu_resolve_event_list(const char *text, struct pmu_catalog *catalog, struct pmu_event *events);
/** pmu_resolve_close() - as pmu_catalog_close(); nothing is loaded for it */
void pmu_resolve_close(struct pmu_catalog *catalog);

#endif
