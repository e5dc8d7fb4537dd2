/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds what people write in libpfm4's tables: its names are Intel's with other joints. */
#include "names/pfm/names.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/compiler.h"
#include "base/error.h"
#include "base/strbuf.h"
#include "names/pfm/load.h"
#include "names/spelling.h"

#define NAME_MAX_LEN 128
#define SHOWN        80

/* --- cutting --- */

int pmu_pfm_cut(const char *text, struct pmu_pfm_text *cut)
{
	char *at = cut->copy;

	memset(cut, 0, sizeof(*cut));
	if (strlen(text) >= sizeof(cut->copy))
		return pmu_fail(EINVAL, "there is no event \"%.*s...\"", SHOWN, text);
	strcpy(cut->copy, text);
	for (char before = '\0';;) {
		size_t len = strcspn(at, ".:");

		if (!len)
			return pmu_fail(
				EINVAL, "there is no event \"%.*s\": nothing %s", SHOWN, text,
				before ? "behind a dot or colon" : "in front of a dot or colon");
		if (cut->n_parts == PMU_PFM_MAX_PARTS)
			return pmu_fail(EINVAL, "\"%.*s\": more than %d parts", SHOWN, text,
					PMU_PFM_MAX_PARTS);
		cut->part[cut->n_parts] = at;
		cut->before[cut->n_parts++] = before;
		before = at[len];
		at[len] = '\0';
		if (!before)
			return 0;
		at += len + 1;
	}
}

/* Parts first to last - 1 with '_' between them; false: too long. */
static bool join_parts(const struct pmu_pfm_text *text, int first, int last, char *name,
		       size_t size)
{
	size_t len = 0;

	for (int i = first; i < last; i++) {
		int n = snprintf(name + len, size - len, "%s%s", i > first ? "_" : "",
				 text->part[i]);

		len += (size_t)n;
		if (len >= size)
			return false;
	}
	return true;
}

/* --- spelling --- */

/* Where Intel's event files and libpfm4's tables spell a name in two ways. */
static const char *const spellings[][2] = {
	{ "DEMAND_", "DMND_" },
	{ "SNOOP_", "SNP_" },
	{ "LLC", "L3" },
	{ "OFFCORE_RESPONSE", "OFFCORE_RESPONSE_0" },
	{ "OCR", "OFFCORE_RESPONSE_0" },
};

/* @name with @from, at the start of a word in it, as @to */
static bool respell(const char *name, const char *from, const char *to, char *out, size_t size)
{
	for (const char *at = name; *at; at++) {
		if ((at > name && at[-1] != '_') || strncasecmp(at, from, strlen(from)) != 0)
			continue;
		return (size_t)snprintf(out, size, "%.*s%s%s", (int)(at - name), name, to,
					at + strlen(from)) < size;
	}
	return false;
}

typedef bool (*finder)(const void *where, const char *name, void *found);

/* As written, then with one spelling exchanged. */
static bool find_spelled(finder find, const void *where, const char *name, void *found)
{
	char other[NAME_MAX_LEN];

	if (find(where, name, found))
		return true;
	for (size_t i = 0; i < 2 * PMU_ARRAY_LEN(spellings); i++) {
		const char *const *pair = spellings[i / 2];

		if (respell(name, pair[i % 2], pair[1 - i % 2], other, sizeof(other)) &&
		    find(where, other, found))
			return true;
	}
	return false;
}

/* Some tables have a name twice: once with masks, once without. */
static bool event_by_name(const void *where, const char *name, void *found)
{
	const struct pmu_pfm_known *known = pmu_pfm_event_called(where, name);
	pfm_event_info_t *event = found;
	int before = event->name ? event->idx : -1;

	while (known && before != -1 && known->at <= before)
		known = known->next;
	return known && pmu_pfm_event_at(known->at, event);
}

static bool attribute_at(const pfm_event_info_t *event, int i, pfm_event_attr_info_t *attribute)
{
	memset(attribute, 0, sizeof(*attribute));
	attribute->size = sizeof(*attribute);
	return pmu_pfm_calls()->get_event_attr_info(event->idx, i, PFM_OS_NONE, attribute) ==
	       PFM_SUCCESS;
}

static bool umask_by_name(const void *where, const char *name, void *found)
{
	const pfm_event_info_t *event = where;
	pfm_event_attr_info_t attribute;

	for (int i = 0; i < event->nattrs; i++) {
		if (attribute_at(event, i, &attribute) && attribute.type == PFM_ATTR_UMASK &&
		    !strcasecmp(attribute.name, name)) {
			*(pfm_event_attr_info_t *)found = attribute;
			return true;
		}
	}
	return false;
}

static bool is_modifier_of(const pfm_event_info_t *event, const char *name)
{
	pfm_event_attr_info_t attribute;

	for (int i = 0; i < event->nattrs; i++)
		if (attribute_at(event, i, &attribute) && attribute.type != PFM_ATTR_UMASK &&
		    !strcasecmp(attribute.name, name))
			return true;
	return false;
}

/* --- suggestions --- */

static const char **names_of_umasks(const pfm_event_info_t *event)
{
	const char **names = calloc((size_t)event->nattrs + 1, sizeof(*names));
	pfm_event_attr_info_t attribute;
	int n = 0;

	if (!names)
		return NULL;
	for (int i = 0; i < event->nattrs; i++)
		if (attribute_at(event, i, &attribute) && attribute.type == PFM_ATTR_UMASK)
			names[n++] = attribute.name;
	return names;
}

static int no_pfm_event(const pfm_pmu_info_t *table, const struct pmu_pfm_text *text)
{
	const struct pmu_pfm_events *events = pmu_pfm_events(table);
	pfm_event_info_t event = { .name = NULL };
	pfm_event_attr_info_t umask;
	struct pmu_closest search;
	const char *near;

	pmu_closest_start(&search, text->part[0]);
	for (int i = 0; events && i < events->n; i++)
		pmu_closest_look(&search, events->event[i].name, events->event[i].outline);
	near = search.closest;
	if (!near)
		return pmu_fail(
			ENOENT,
			"there is no event \"%.*s\" among those of %s; try instructions, cycles, "
			"branches, page-faults or a raw code like r10e",
			SHOWN, text->part[0], table->desc);
	if (text->n_parts > 1 && event_by_name(table, near, &event) &&
	    umask_by_name(&event, text->part[1], &umask))
		return pmu_fail(ENOENT,
				"there is no event \"%.*s\" among those of %s; did you mean %s.%s?",
				SHOWN, text->part[0], table->desc, near, umask.name);
	return pmu_fail(ENOENT, "there is no event \"%.*s\" among those of %s; did you mean %s?",
			SHOWN, text->part[0], table->desc, near);
}

/* The nearest mask, or those that there are. */
static int no_umask(const pfm_event_info_t *event, const char *part)
{
	const char **names = names_of_umasks(event);
	const char *near = names && names[0] && part ? pmu_closest(part, names) : NULL;
	struct pmu_strbuf list = { 0 };
	int rc;

	for (int i = 0; !near && names && names[i] && list.len < 240; i++)
		pmu_strbuf_addf(&list, "%s%s", i ? ", " : "", names[i]);
	if (near)
		rc = pmu_fail(ENOENT, "%s has nothing called \"%.*s\"; did you mean %s.%s?",
			      event->name, SHOWN, part, event->name, near);
	else if (!list.len)
		rc = pmu_fail(ENOENT, "%s is one event: write it without \"%.*s\"", event->name,
			      SHOWN, part ? part : "");
	else if (part)
		rc = pmu_fail(ENOENT, "%s has nothing called \"%.*s\"; it has %s", event->name,
			      SHOWN, part, pmu_strbuf_text(&list));
	else
		rc = pmu_fail(ENOENT, "%s is many events; say which: %s", event->name,
			      pmu_strbuf_text(&list));
	pmu_strbuf_free(&list);
	free(names);
	return rc;
}

/* --- reading --- */

static bool looks_like_number(const char *part)
{
	return part[0] == '0' && (part[1] == 'x' || part[1] == 'X') &&
	       strspn(part + 2, "0123456789abcdefABCDEF") == strlen(part + 2) && part[2];
}

/* c=2, i, i=1, e, t, intx: after a colon only */
static bool is_modifier(const pfm_event_info_t *event, const struct pmu_pfm_text *text, int i)
{
	char name[16];
	size_t len = strcspn(text->part[i], "=");

	if (text->before[i] != ':' || len >= sizeof(name))
		return false;
	memcpy(name, text->part[i], len);
	name[len] = '\0';
	return is_modifier_of(event, name);
}

/*
 * libpfm4 takes L1D_CACHE_LD:I as a modifier, invert, where people mean the mask I_STATE, and so
 * with L2_LINES_IN:E and :I.
 */
static int check_letter(const pfm_event_info_t *event, const char *part)
{
	pfm_event_attr_info_t umask;
	char state[NAME_MAX_LEN];

	if (strchr(part, '='))
		return 0;
	snprintf(state, sizeof(state), "%s_STATE", part);
	if (umask_by_name(event, part, &umask) || umask_by_name(event, state, &umask))
		return pmu_fail(
			EINVAL,
			"%s:%s can be read in two ways: write %s.%s for the state, %s=1 for the modifier",
			event->name, part, event->name, umask.name, part);
	return 0;
}

static void add_umask(struct pmu_pfm_event *event, const pfm_event_info_t *info,
		      const pfm_event_attr_info_t *umask)
{
	event->by_number |= is_modifier_of(info, umask->name);
	event->number |= umask->code & 0xff;
	event->umask[event->n_umasks++] = umask->name;
}

/*
 * The masks that parts i and following name: as many of them together as can be.  Return: the next
 * part; 0: none.
 */
static int read_umask(const pfm_event_info_t *info, const struct pmu_pfm_text *text, int i,
		      struct pmu_pfm_event *event)
{
	char name[NAME_MAX_LEN];
	pfm_event_attr_info_t umask;

	for (int last = text->n_parts; last > i; last--) {
		if (!join_parts(text, i, last, name, sizeof(name)) ||
		    !find_spelled(umask_by_name, info, name, &umask))
			continue;
		add_umask(event, info, &umask);
		return last;
	}
	/* the manual's L1D_CACHE_ST.I is I_STATE */
	snprintf(name, sizeof(name), "%.16s_STATE", text->part[i]);
	if (text->before[i] != '.' || !umask_by_name(info, name, &umask))
		return 0;
	add_umask(event, info, &umask);
	return i + 1;
}

static int read_rest(const pfm_event_info_t *info, const struct pmu_pfm_text *text, int i,
		     struct pmu_pfm_event *event)
{
	while (i < text->n_parts) {
		int next = i + 1, rc;

		if (is_modifier(info, text, i)) {
			rc = check_letter(info, text->part[i]);
			if (rc)
				return rc;
			event->modifier[event->n_modifiers++] = text->part[i];
		} else if (looks_like_number(text->part[i])) {
			event->umask[event->n_umasks++] = text->part[i];
		} else {
			next = read_umask(info, text, i, event);
			if (!next && strchr(text->part[i], '='))
				return pmu_fail(EINVAL, "%s knows no \"%.*s\"", info->name, SHOWN,
						text->part[i]);
			if (!next)
				return no_umask(info, text->part[i]);
		}
		i = next;
	}
	return 0;
}

/* An event that has masks but none by default is not one event. */
static int check_umask(const pfm_event_info_t *info, const struct pmu_pfm_event *event)
{
	pfm_event_attr_info_t attribute;
	bool has_default = false;
	int n = 0;

	for (int i = 0; i < info->nattrs; i++) {
		if (!attribute_at(info, i, &attribute) || attribute.type != PFM_ATTR_UMASK)
			continue;
		n++;
		has_default |= attribute.is_dfl;
	}
	return n && !has_default && !event->n_umasks ? no_umask(info, NULL) : 0;
}

/* Some tables have an event under a second name without masks: they are the first one's. */
static void follow_equivalent(const pfm_pmu_info_t *table, pfm_event_info_t *event)
{
	pfm_event_info_t first = { .name = NULL };

	if (event->equiv && !strchr(event->equiv, ':') &&
	    event_by_name(table, event->equiv, &first))
		*event = first;
}

/* Every event of that name, until the rest fits. */
static int find_pfm_called(const pfm_pmu_info_t *table, const char *name,
			   const struct pmu_pfm_text *text, int next, bool *known,
			   struct pmu_pfm_event *event)
{
	pfm_event_info_t info = { .name = NULL };
	int rc = -ENOENT;

	while (rc && find_spelled(event_by_name, table, name, &info)) {
		pfm_event_info_t masks = info;

		follow_equivalent(table, &masks);
		memset(event, 0, sizeof(*event));
		event->name = info.name;
		*known = true;
		rc = read_rest(&masks, text, next, event);
		if (!rc)
			rc = check_umask(&masks, event);
	}
	return rc;
}

/* "RETIRED_SSE_AVX_FLOPS_ALL:c=1" as event and mask and what follows.  Return: as read_rest(). */
static int read_joined(const pfm_event_info_t *info, const pfm_event_attr_info_t *umask,
		       const struct pmu_pfm_text *text, struct pmu_pfm_event *event)
{
	char name[2 * NAME_MAX_LEN], written[PMU_PFM_TEXT_MAX];

	snprintf(name, sizeof(name), "%s_%s", info->name, umask->name);
	for (int last = text->n_parts; last > 0; last--) {
		if (!join_parts(text, 0, last, written, sizeof(written)) ||
		    pmu_spelling_compare(written, name) > PMU_SPELLED_JOINED)
			continue;
		memset(event, 0, sizeof(*event));
		event->name = info->name;
		add_umask(event, info, umask);
		return read_rest(info, text, last, event);
	}
	return -ENOENT;
}

static int find_joined_in(const pfm_event_info_t *info, const struct pmu_pfm_text *text,
			  struct pmu_pfm_event *event)
{
	pfm_event_attr_info_t umask;
	int rc = -ENOENT;

	for (int i = 0; i < info->nattrs && rc == -ENOENT; i++)
		if (attribute_at(info, i, &umask) && umask.type == PFM_ATTR_UMASK)
			rc = read_joined(info, &umask, text, event);
	return rc;
}

/* What is written in one word, as LIKWID does, is cut where a mask begins. */
static int find_joined(const pfm_pmu_info_t *table, const struct pmu_pfm_text *text,
		       struct pmu_pfm_event *event)
{
	const struct pmu_pfm_events *events = pmu_pfm_events(table);
	char written[PMU_PFM_TEXT_MAX];
	struct pmu_pfm_event other;
	const char *found = NULL;
	uint64_t outline;

	if (!events || !join_parts(text, 0, text->n_parts, written, sizeof(written)))
		return -ENOENT;
	outline = pmu_word_outline(written);
	for (int i = 0; i < events->n; i++) {
		pfm_event_info_t info;

		if (!pmu_outline_within(events->event[i].outline, outline) ||
		    !pmu_spelling_may_be(written, events->event[i].name) ||
		    !pmu_pfm_event_at(events->event[i].at, &info) ||
		    find_joined_in(&info, text, found ? &other : event))
			continue;
		if (found && strcmp(found, info.name) != 0)
			return pmu_fail(EINVAL, "\"%.*s\" can be %s.%s or %s.%s: write one of them",
					SHOWN, written, found, event->umask[0], info.name,
					other.umask[0]);
		found = info.name;
	}
	return found ? 0 : -ENOENT;
}

int pmu_pfm_find(const pfm_pmu_info_t *table, const struct pmu_pfm_text *text,
		 struct pmu_pfm_event *event)
{
	char name[NAME_MAX_LEN];
	bool known = false;
	int rc = -ENOENT;

	for (int k = 1; k <= text->n_parts && rc == -ENOENT; k++)
		if (join_parts(text, 0, k, name, sizeof(name)))
			rc = find_pfm_called(table, name, text, k, &known, event);
	if (rc == -ENOENT && !known)
		rc = find_joined(table, text, event);
	/* a known one has been told about */
	return rc == -ENOENT && !known ? no_pfm_event(table, text) : rc;
}
