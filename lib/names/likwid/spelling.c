/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names of events as LIKWID writes them: the processor's, with underscores for dots, and outside
 * the cores without what says the unit.  Where two events are spelled alike, the name is neither's.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "names/likwid/parts.h"
#include "names/pfm/pfm.h"
#include "names/spelling.h"

#define NAME_LEN_MAX 160

/* "UNC_M_CAS_COUNT.RD" without "UNC_M_" */
static const char *without_unit(const char *name)
{
	const char *end = strncasecmp(name, "UNC_", 4) != 0 ? NULL : strchr(name + 4, '_');

	return end ? end + 1 : name;
}

/* --- the tables --- */

struct search {
	const struct pmu_vendor_files *files;
	const char *event;
	const char *pmus; /* NULL: a core's */
	struct pmu_slot slot;
	char found[NAME_LEN_MAX], other[NAME_LEN_MAX]; /* "" none; another that differs */
	enum pmu_spelling best; /* of @found; nothing that is spelled worse is meant */
};

static bool is_listed_word(const char *word, const char *list)
{
	size_t len = strlen(word);

	for (const char *at = list; (at = strstr(at, word)); at += len)
		if ((at == list || at[-1] == ' ') && (!at[len] || at[len] == ' '))
			return true;
	return false;
}

static enum pmu_spelling spelling_of(const struct search *search, const char *name)
{
	enum pmu_spelling whole = pmu_spelling_compare(search->event, name), part;

	if (!search->pmus)
		return whole;
	part = pmu_spelling_compare(search->event, without_unit(name));
	return whole < part ? whole : part;
}

static void look_at_spelled(void *arg, const struct pmu_vendor_event *event)
{
	struct search *search = arg;
	struct pmu_slot slot = { .kind = PMU_SLOT_CORE };
	enum pmu_spelling spelling;

	if (!search->pmus != !event->unit[0])
		return;
	spelling = spelling_of(search, event->name);
	if (strlen(event->name) >= NAME_LEN_MAX || spelling > search->best)
		return;
	/* what cannot be counted is told when it is asked for by the name that is found */
	if (pmu_vendor_find(search->files, event->name, &slot, NULL))
		pmu_error_clear();
	else if (search->pmus && !is_listed_word(slot.pmu, search->pmus))
		return;
	if (!search->found[0] || spelling < search->best) {
		strcpy(search->found, event->name);
		search->other[0] = '\0';
		search->slot = slot;
		search->best = spelling;
	} else if (!pmu_event_same_slot(&slot, &search->slot)) {
		strcpy(search->other, event->name);
	}
}

/* NULL: nothing has the processor. */
static const struct pmu_vendor_files *files_of(struct pmu_catalog *catalog)
{
	const struct pmu_vendor_files *files = NULL;

	if (pmu_vendor_of(catalog, &files) && pmu_vendor_tables_of(catalog, &files))
		return NULL;
	return files;
}

static int find_in(const struct pmu_vendor_files *files, struct pmu_likwid_span event,
		   const char *pmus, char *name, size_t size)
{
	char text[NAME_LEN_MAX];
	struct search search = {
		.files = files, .event = text, .pmus = pmus, .best = PMU_SPELLED_RESPELLED
	};

	snprintf(text, sizeof(text), "%.*s", (int)event.len, event.at);
	pmu_vendor_each(files, look_at_spelled, &search);
	if (search.other[0])
		return pmu_fail(EINVAL, "%.*s may be %s and %s, which differ",
				PMU_LIKWID_SHOW(event), search.found, search.other);
	if (!search.found[0])
		return pmu_fail(
			EINVAL,
			"this processor's tables have no %s \"%.*s\", with dots or underscores",
			pmus ? "event of that unit" : "event of its cores", PMU_LIKWID_SHOW(event));
	snprintf(name, size, "%s", search.found);
	return 0;
}

/* --- others: libpfm4's tables --- */

/* As it is, and with a colon for each of its underscores. */
static int ask_pfm(const struct pmu_cpu_model *model, struct pmu_likwid_span event, char *name,
		   size_t size)
{
	struct pmu_slot found = { .kind = PMU_SLOT_CORE };
	char text[NAME_LEN_MAX], label[NAME_LEN_MAX];
	bool any = false;

	if (event.len >= sizeof(text) || event.len >= size)
		return pmu_fail(EINVAL, "an event with too long a name");
	for (size_t i = 0; i <= event.len; i++) {
		struct pmu_slot slot = { .kind = PMU_SLOT_CORE };

		if (i < event.len && event.at[i] != '_')
			continue;
		snprintf(text, sizeof(text), "%.*s", (int)event.len, event.at);
		if (i < event.len)
			text[i] = ':';
		if (pmu_pfm_encode(text, model, &slot, label, sizeof(label)))
			continue;
		if (any && !pmu_event_same_slot(&slot, &found))
			return pmu_fail(EINVAL, "%.*s may be %s and %s, which differ",
					PMU_LIKWID_SHOW(event), name, text);
		any = true;
		found = slot;
		snprintf(name, size, "%s", text);
	}
	if (any)
		return 0;
	return pmu_fail(EINVAL, "no table has an event \"%.*s\" of this processor",
			PMU_LIKWID_SHOW(event));
}

int pmu_likwid_spelling(struct pmu_likwid_reading *r, struct pmu_likwid_span event,
			const char *pmus, char *name, size_t size)
{
	const struct pmu_vendor_files *files = files_of(r->catalog);
	const struct pmu_cpu_model *model = r->catalog->model;
	char why[PMU_ERROR_MAX];
	int rc;

	/* Nehalem's and Westmere's one unit outside the cores */
	if (pmus && !strcmp(pmus, "uncore"))
		return ask_pfm(model, event, name, size);
	if (!files)
		return pmus ? pmu_fail(EINVAL, "no table has the uncore of this processor")
			    : ask_pfm(model, event, name, size);
	rc = find_in(files, event, pmus, name, size);
	if (!rc || pmus)
		return rc;
	/* libpfm4 may know it by a name that the tables do not have */
	snprintf(why, sizeof(why), "%s", pmu_error_text());
	return ask_pfm(model, event, name, size) ? pmu_fail(EINVAL, "%s", why) : 0;
}
