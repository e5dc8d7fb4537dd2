/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of CPUs in the sections of a group's file. */
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/strbuf.h"
#include "names/file/parts.h"

#define ANY_ARM "ARMv8"

static char lower_ascii(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Does the text have the name up to its end, or up to a @stop? */
static bool same_up_to(struct pmu_group_span name, const char *text, char stop)
{
	size_t i;

	for (i = 0; i < name.len; i++)
		if (!text[i] || lower_ascii(text[i]) != lower_ascii(name.at[i]))
			return false;
	return !text[i] || text[i] == stop;
}

/* "wsm_dp" and "wsm" */
static bool is_pfm(struct pmu_group_span name, const char *pfm)
{
	return same_up_to(name, pfm, '_') && (!pfm[name.len] || !memchr(name.at, '_', name.len));
}

/* One of "Gulftown, Westmere-EP", or all of it. */
static bool is_among_codenames(struct pmu_group_span name, const char *list)
{
	if (same_up_to(name, list, '\0'))
		return true;
	for (; list; list = strchr(list, ',')) {
		while (*list == ',' || *list == ' ')
			list++;
		if (same_up_to(name, list, ','))
			return true;
	}
	return false;
}

static bool is_arm_model(const struct pmu_cpu_model *model)
{
	static const char *const x86[] = { "GenuineIntel", "AuthenticAMD", "HygonGenuine",
					   "CentaurHauls", "  Shanghai  " };

	for (size_t i = 0; i < PMU_ARRAY_LEN(x86); i++)
		if (!strcmp(model->vendor, x86[i]))
			return false;
	return true;
}

static bool is_name_of_model(struct pmu_group_span name, const struct pmu_cpu_model *model)
{
	return same_up_to(name, model->microarchitecture, '\0') ||
	       is_among_codenames(name, model->codename) || is_pfm(name, model->pfm) ||
	       is_pfm(name, model->pfm_e) ||
	       (same_up_to(name, ANY_ARM, '\0') && is_arm_model(model));
}

bool pmu_group_cpu_known(struct pmu_group_span name, const struct pmu_cpu_model *model,
			 bool *is_this)
{
	*is_this = name.len && model && is_name_of_model(name, model);
	if (*is_this)
		return true;
	for (const struct pmu_cpu_model *any = pmu_cpu_models; name.len && any->vendor; any++)
		if (is_name_of_model(name, any))
			return true;
	return false;
}

/* Not on the stack: a program's thread may have a small one. */
#define MAX_NAMES 1024

const char *pmu_group_cpu_nearest(struct pmu_group_span name)
{
	const char **names = calloc(MAX_NAMES, sizeof(*names)), *nearest = NULL;
	char word[64];
	size_t n = 0;

	for (const struct pmu_cpu_model *any = pmu_cpu_models;
	     names && any->vendor && n + 3 < MAX_NAMES; any++) {
		names[n++] = any->microarchitecture;
		if (any->pfm[0])
			names[n++] = any->pfm;
	}
	if (names && name.len < sizeof(word)) {
		memcpy(word, name.at, name.len);
		word[name.len] = '\0';
		nearest = pmu_closest(word, names);
	}
	free(names);
	return nearest;
}
