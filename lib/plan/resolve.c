/* SPDX-License-Identifier: BSD-3-Clause */
/* Asks what knows names, and takes over what it says. */
#include "plan/resolve.h"

#include <errno.h>

#include "base/error.h"

/* Another version's groups are laid out in another way. */
static bool is_own_version(const struct pmu_resolver *resolver)
{
	return resolver->events.size == sizeof(*resolver) &&
	       resolver->group_size == sizeof(struct pmu_group) &&
	       resolver->catalog_size == sizeof(struct pmu_catalog);
}

static const struct pmu_resolver *resolver_get(void)
{
	const struct pmu_events *events = pmu_events_get();
	const struct pmu_resolver *resolver = (const struct pmu_resolver *)events;

	if (!events || is_own_version(resolver))
		return resolver;
	pmu_fail(ENOTSUP, "libpmu-events.so is of another libpmu than the one that loads it");
	return NULL;
}

/* What was loaded keeps its sentences to itself. */
static int take_sentence(const struct pmu_resolver *resolver, int rc)
{
	return rc < 0 ? pmu_fail(rc, "%s", resolver->error_text()) : rc;
}

int pmu_resolve_group(const char *name, struct pmu_catalog *catalog, struct pmu_group *group)
{
	const struct pmu_resolver *resolver = resolver_get();

	return resolver ? take_sentence(resolver, resolver->group_find(name, catalog, group))
			: -EINVAL;
}

int pmu_resolve_events(const char *events, struct pmu_catalog *catalog, struct pmu_group *group)
{
	const struct pmu_resolver *resolver = resolver_get();

	return resolver ? take_sentence(resolver,
					resolver->group_from_events(events, catalog, group))
			: -EINVAL;
}

int pmu_resolve_interrupts(struct pmu_group *group, struct pmu_catalog *catalog)
{
	const struct pmu_resolver *resolver = resolver_get();

	return resolver ? take_sentence(resolver, resolver->add_interrupts(group, catalog))
			: -EINVAL;
}

int pmu_resolve_event_list(const char *text, struct pmu_catalog *catalog, struct pmu_event *events)
{
	const struct pmu_resolver *resolver = resolver_get();

	return resolver ? take_sentence(resolver, resolver->event_list(text, catalog, events))
			: -EINVAL;
}

void pmu_resolve_close(struct pmu_catalog *catalog)
{
	const struct pmu_resolver *resolver = NULL;

	/* else nothing was read, and perhaps nothing loaded */
	if (catalog->files || catalog->files_error || catalog->tables)
		resolver = resolver_get();
	if (resolver)
		resolver->catalog_close(catalog);
}
