/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A group's file, looked through before it is read: sections, the CPUs they are for, aliases,
 * what stands there twice.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "names/file/parts.h"
#include "names/pfm/pfm.h"

static const char *const kind_names[] = { "group", "events", "metrics", NULL };

static bool same_span(struct pmu_group_span a, struct pmu_group_span b)
{
	return a.len == b.len && !memcmp(a.at, b.at, a.len);
}

/* --- sections --- */

static int find_kind(const struct pmu_group_scan *scan, struct pmu_group_span word,
		     enum pmu_group_section_kind *kind)
{
	char name[32];

	for (int i = 0; kind_names[i]; i++)
		if (strlen(kind_names[i]) == word.len &&
		    !strncasecmp(word.at, kind_names[i], word.len)) {
			*kind = (enum pmu_group_section_kind)i;
			return 0;
		}
	snprintf(name, sizeof(name), "%.*s", PMU_GROUP_SHOW(word));
	return pmu_group_scan_fail(
		scan,
		"there is no section [%s]; there are [group], [events] and [metrics], the last "
		"two also with CPUs: [events Sandy Bridge, ivb]",
		name);
}

const struct pmu_cpu_model *pmu_group_reading_model(struct pmu_group_reading *r)
{
	if (!r->model_known) {
		r->model = r->catalog && r->catalog->model ? r->catalog->model
							   : pmu_pfm_own_model();
		r->model_known = true;
	}
	return r->model;
}

static int look_at_cpu(struct pmu_group_reading *r, struct pmu_group_span name,
		       struct pmu_group_section *section)
{
	const char *nearest;
	bool is_this;

	if (!pmu_group_cpu_known(name, pmu_group_reading_model(r), &is_this)) {
		nearest = pmu_group_cpu_nearest(name);
		return pmu_group_scan_fail(&r->scan, "no CPU is called \"%.*s\"%s%s%s",
					   PMU_GROUP_SHOW(name), nearest ? "; did you mean " : "",
					   nearest ? nearest : "", nearest ? "?" : "");
	}
	section->names_cpu = true;
	section->is_for_this |= is_this;
	return 0;
}

/* "Sandy Bridge, ivb" */
static int look_at_cpus(struct pmu_group_reading *r, struct pmu_group_span list,
			struct pmu_group_section *section)
{
	while (list.len) {
		const char *comma = memchr(list.at, ',', list.len);
		struct pmu_group_span name = { list.at,
					       comma ? (size_t)(comma - list.at) : list.len };
		size_t past = name.len + (comma ? 1 : 0);
		int rc;

		while (name.len && isspace((unsigned char)name.at[0]))
			name.at++, name.len--;
		while (name.len && isspace((unsigned char)name.at[name.len - 1]))
			name.len--;
		rc = look_at_cpu(r, name, section);
		if (rc)
			return rc;
		list.at += past;
		list.len -= past;
	}
	return 0;
}

/* Two sections without CPUs, or two that hold what one would have to. */
static int check_order(const struct pmu_group_reading *r, const struct pmu_group_section *section)
{
	for (int i = 0; i < r->n_sections; i++) {
		const struct pmu_group_section *before = &r->section[i];

		if (section->kind == PMU_GROUP_EVENTS && before->kind == PMU_GROUP_METRICS)
			return pmu_group_scan_fail(&r->scan, "[events] stand before all [metrics]");
		if (before->kind == section->kind && !before->names_cpu && !section->names_cpu)
			return pmu_group_scan_fail(&r->scan,
						   "[%s] stands there twice, first on line %u",
						   kind_names[section->kind], before->line);
	}
	return 0;
}

/* The first section that names the CPU; else the one that names none. */
static void choose_section(struct pmu_group_reading *r, int index)
{
	const struct pmu_group_section *section = &r->section[index];
	int *chosen = &r->chosen[section->kind];

	if (section->names_cpu && !section->is_for_this)
		return;
	if (*chosen < 0 || (section->names_cpu && !r->section[*chosen].names_cpu))
		*chosen = index;
}

static int look_at_section(struct pmu_group_reading *r, struct pmu_group_span text)
{
	struct pmu_group_section *section = &r->section[r->n_sections];
	struct pmu_group_span word = { text.at, 0 };
	int rc;

	if (r->n_sections == PMU_GROUP_MAX_SECTIONS)
		return pmu_group_scan_fail(&r->scan, "more than %d sections",
					   PMU_GROUP_MAX_SECTIONS);
	while (word.len < text.len && !isspace((unsigned char)word.at[word.len]))
		word.len++;
	*section = (struct pmu_group_section){ .line = r->scan.number };
	rc = find_kind(&r->scan, word, &section->kind);
	if (!rc)
		rc = look_at_cpus(
			r, (struct pmu_group_span){ text.at + word.len, text.len - word.len },
			section);
	if (!rc && section->kind == PMU_GROUP_ABOUT && section->names_cpu)
		rc = pmu_group_scan_fail(
			&r->scan, "[group] is for all CPUs: name them behind events and metrics");
	if (!rc)
		rc = check_order(r, section);
	if (rc)
		return rc;
	r->current = r->n_sections++;
	r->n_keys = 0;
	choose_section(r, r->current);
	return 0;
}

/* --- keys, looked at --- */

static bool is_alias(struct pmu_group_span name)
{
	for (size_t i = 0; i < name.len; i++)
		if (!isascii((unsigned char)name.at[i]) ||
		    !(isalpha((unsigned char)name.at[i]) || name.at[i] == '_' ||
		      (i && isdigit((unsigned char)name.at[i]))))
			return false;
	return !pmu_group_name_is_ours(name);
}

static int look_at_alias(struct pmu_group_reading *r, struct pmu_group_span name)
{
	struct pmu_group_alias *alias;

	if (!is_alias(name))
		return pmu_group_scan_fail(
			&r->scan,
			"\"%.*s\": an alias is made of letters, digits and underscores, and "
			"is none of time, calls, tsc_hz, min and max",
			PMU_GROUP_SHOW(name));
	if (pmu_group_alias_find(&r->aliases, name))
		return 0;
	if (r->aliases.n == PMU_GROUP_MAX_ALIASES)
		return pmu_group_scan_fail(&r->scan, "more than %d aliases", PMU_GROUP_MAX_ALIASES);
	alias = &r->aliases.alias[r->aliases.n++];
	memcpy(alias->name, name.at, name.len);
	alias->name[name.len] = '\0';
	alias->event = -1;
	return 0;
}

static int look_at_key(struct pmu_group_reading *r, const struct pmu_group_line *line)
{
	if (r->current < 0)
		return pmu_group_scan_fail(
			&r->scan,
			"this stands in no section; [group], [events] or [metrics] first");
	for (unsigned int i = 0; i < r->n_keys; i++)
		if (same_span(r->key[i], line->key))
			return pmu_group_scan_fail(&r->scan, "\"%.*s\" stands there twice",
						   PMU_GROUP_SHOW(line->key));
	if (r->n_keys == PMU_GROUP_MAX_KEYS)
		return pmu_group_scan_fail(&r->scan, "more than %d lines in one section",
					   PMU_GROUP_MAX_KEYS);
	r->key[r->n_keys++] = line->key;
	if (r->section[r->current].kind == PMU_GROUP_ABOUT && line->key.len == strlen("about") &&
	    !strncasecmp(line->key.at, "about", line->key.len))
		r->about = line->value;
	return r->section[r->current].kind == PMU_GROUP_EVENTS ? look_at_alias(r, line->key) : 0;
}

int pmu_group_look(struct pmu_group_reading *r)
{
	struct pmu_group_line line;
	int rc;

	while ((rc = pmu_group_scan_line(&r->scan, &line)) > 0) {
		if (line.kind == PMU_GROUP_LINE_SECTION)
			rc = look_at_section(r, line.key);
		else if (line.kind == PMU_GROUP_LINE_KEY)
			rc = look_at_key(r, &line);
		if (rc < 0)
			return rc;
	}
	return rc;
}
