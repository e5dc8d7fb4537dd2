/* SPDX-License-Identifier: BSD-3-Clause */
/* Walks through the names of one of libpfm4's tables. */
#include <string.h>

#include "names/pfm/load.h"
#include "names/pfm/names.h"

static const char *text_or(const char *text, const char *otherwise)
{
	return text && *text ? text : otherwise;
}

/* Masks that are another's by another name are left out.  Return: how many there were. */
static int each_umask(const pfm_event_info_t *event, struct pmu_pfm_name *name,
		      void (*each)(void *arg, const struct pmu_pfm_name *name), void *arg)
{
	int n = 0;

	for (int i = 0; i < event->nattrs; i++) {
		pfm_event_attr_info_t attribute;

		memset(&attribute, 0, sizeof(attribute));
		attribute.size = sizeof(attribute);
		if (pmu_pfm_calls()->get_event_attr_info(event->idx, i, PFM_OS_NONE, &attribute) !=
			    PFM_SUCCESS ||
		    attribute.type != PFM_ATTR_UMASK)
			continue;
		n++;
		if (attribute.equiv && *attribute.equiv)
			continue;
		name->umask = attribute.name;
		name->about = text_or(attribute.desc, name->event_about);
		each(arg, name);
	}
	return n;
}

void pmu_pfm_each_of(const pfm_pmu_info_t *table,
		     void (*each)(void *arg, const struct pmu_pfm_name *name), void *arg)
{
	for (int i = table->first_event; i != -1; i = pmu_pfm_calls()->get_event_next(i)) {
		struct pmu_pfm_name name = { .table = table->name,
					     .of = text_or(table->desc, table->name),
					     .umask = "" };
		pfm_event_info_t event;

		memset(&event, 0, sizeof(event));
		event.size = sizeof(event);
		if (pmu_pfm_calls()->get_event_info(i, PFM_OS_NONE, &event) != PFM_SUCCESS)
			continue;
		name.event = event.name;
		name.event_about = text_or(event.desc, "");
		name.about = name.event_about;
		if (!each_umask(&event, &name, each, arg))
			each(arg, &name);
	}
}
