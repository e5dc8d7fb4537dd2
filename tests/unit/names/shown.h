/* SPDX-License-Identifier: BSD-3-Clause */
/* A group as a line of text, to compare with. */
#ifndef TESTS_UNIT_GROUP_SHOWN_H
#define TESTS_UNIT_GROUP_SHOWN_H

#include <stdio.h>

#include "plan/group.h"

/* "name [unit] = formula; ..." */
static inline const char *shown_metrics(const struct pmu_group *group)
{
	static char text[8192];
	size_t len = 0;

	text[0] = '\0';
	for (unsigned int i = 0; i < group->n_metrics; i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%s [%s] = %s",
					i ? "; " : "", group->metric[i].name, group->metric[i].unit,
					group->metric[i].formula);
	return text;
}

/* "instructions cycles? ...": those with a question mark are optional */
static inline const char *shown_events(const struct pmu_group *group)
{
	static char text[2048];
	size_t len = 0;

	text[0] = '\0';
	for (unsigned int i = 0; i < group->n_events; i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%s%s", i ? " " : "",
					group->event[i].name, group->event[i].optional ? "?" : "");
	return text;
}

#endif
