/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds events of one CPU in its files by their names. */
#include "names/vendor/vendor.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "names/spelling.h"
#include "names/vendor/files.h"
#include "names/vendor/slot.h"

#define NAME_LEN_MAX  256
#define SHOWN         80
#define MAX_DIFFERENT 16 /* events of one name, however it is spelled, that are looked at */

/* The events that a name means, of one kind of cores or of all. */
struct called {
	unsigned int n;
	const struct pmu_vendor_entry *entry[MAX_DIFFERENT];
};

/* Events that are called just so are meant rather than those that are called nearly so. */
static void add_called(const struct pmu_vendor_entry *entry, const char *name, uint8_t core_type,
		       enum pmu_spelling *best, struct called *called)
{
	enum pmu_spelling spelled = pmu_spelling_compare(entry->name, name);

	if (spelled > *best || (core_type && entry->core_type && entry->core_type != core_type))
		return;
	if (spelled < *best)
		called->n = 0;
	*best = spelled;
	if (called->n < MAX_DIFFERENT)
		called->entry[called->n++] = entry;
}

static void find_vendor_called(const struct pmu_vendor_files *files, const char *name,
			       uint8_t core_type, struct called *called)
{
	const struct pmu_vendor_entry *entry = pmu_vendor_first(files, name);
	enum pmu_spelling best = PMU_SPELLED_JOINED;

	called->n = 0;
	for (; entry; entry = entry->next)
		add_called(entry, name, core_type, &best, called);
	if (called->n)
		return;
	best = PMU_SPELLED_RESPELLED;
	entry = pmu_vendor_first_respelled(files, name);
	for (; entry; entry = entry->next_respelled)
		add_called(entry, name, core_type, &best, called);
}

/* The first that these cores have; one that is not deprecated before those that are. */
static const struct pmu_vendor_entry *find_of(const struct called *called, uint8_t core_type)
{
	const struct pmu_vendor_entry *found = NULL;

	for (unsigned int i = 0; i < called->n; i++)
		if (called->entry[i]->core_type == core_type &&
		    (!found || (found->deprecated && !called->entry[i]->deprecated)))
			found = called->entry[i];
	return found;
}

static bool same_vendor_event(const struct pmu_vendor_entry *a, const struct pmu_vendor_entry *b)
{
	return !strcmp(a->unit, b->unit) && a->code == b->code && a->umask == b->umask &&
	       a->umask_ext == b->umask_ext && a->cmask == b->cmask && a->invert == b->invert &&
	       a->edge == b->edge && a->any == b->any && a->equal == b->equal &&
	       a->msr_index == b->msr_index && a->msr_value == b->msr_value &&
	       a->port_mask == b->port_mask && a->fc_mask == b->fc_mask &&
	       a->filter_value == b->filter_value && a->ext_sel == b->ext_sel &&
	       a->fixed == b->fixed && a->fixed_uncore == b->fixed_uncore &&
	       a->rd_wr_mask == b->rd_wr_mask && a->slice == b->slice &&
	       a->thread_mask == b->thread_mask && a->config == b->config &&
	       a->all_slices == b->all_slices && a->all_cores == b->all_cores;
}

/* Two names that are both spelled nearly so, and are not two names of one event. */
static int check_called(const struct called *called, const char *name)
{
	for (unsigned int i = 1; i < called->n; i++)
		if (pmu_spelling_compare(called->entry[0]->name, called->entry[i]->name) !=
			    PMU_SPELLED_SAME &&
		    !same_vendor_event(called->entry[0], called->entry[i]))
			return pmu_fail(EINVAL, "\"%.*s\" can be %s or %s: write one of them",
					SHOWN, name, called->entry[0]->name,
					called->entry[i]->name);
	return 0;
}

static int no_vendor_event(const struct pmu_vendor_files *files, const char *name)
{
	const char *near, *missing = pmu_vendor_missing(files);
	struct pmu_closest search;

	pmu_closest_start(&search, name);
	for (uint32_t i = 0; i < files->n_entries; i++)
		pmu_closest_look(&search, files->entry[i]->name, files->entry[i]->outline);
	near = search.closest;
	return pmu_fail(
		ENOENT, "there is no event \"%.*s\" among %s of this CPU; %s%s%s%s%s%s", SHOWN,
		name, pmu_cpu_is_intel(&files->id) ? "Intel's" : "those",
		near ? "did you mean "
		     : "try instructions, cycles, branches, page-faults or a raw code like r10e",
		near ? near : "", near ? "?" : "", missing[0] ? " (" : "", missing,
		missing[0] ? ")" : "");
}

/* The general counters' event of what a fixed counter counts has the same name and _P. */
static const struct pmu_vendor_entry *twin_of(const struct pmu_vendor_files *files,
					      const struct pmu_vendor_entry *entry)
{
	char name[NAME_LEN_MAX];
	struct called called;

	if (!pmu_intel_is_fixed(entry) ||
	    (size_t)snprintf(name, sizeof(name), "%s_P", entry->name) >= sizeof(name))
		return NULL;
	find_vendor_called(files, name, entry->core_type, &called);
	return find_of(&called, entry->core_type);
}

static int make_vendor_slot(const struct pmu_vendor_files *files,
			    const struct pmu_vendor_entry *entry, struct pmu_slot *slot,
			    bool *open_filter)
{
	*open_filter = false;
	if (!pmu_cpu_is_intel(&files->id))
		return pmu_linux_slot(entry, &files->id, slot);
	if (entry->unit[0])
		return pmu_intel_uncore_slot(entry, &files->id, slot, open_filter);
	return pmu_intel_core_slot(entry, twin_of(files, entry), slot);
}

static bool same_config(const struct pmu_slot *a, const struct pmu_slot *b)
{
	return a->config == b->config && a->extra == b->extra && a->extra_value == b->extra_value;
}

/* Hybrid: on both kinds of cores, each by its own code. */
static int find_both(const struct pmu_vendor_files *files, const struct pmu_vendor_entry *p,
		     const struct pmu_vendor_entry *e, struct pmu_slot *slot)
{
	struct pmu_slot of_e = *slot;
	bool unused;
	int rc = make_vendor_slot(files, p, slot, &unused);

	if (rc)
		return rc;
	if (make_vendor_slot(files, e, &of_e, &unused))
		slot->core_types = PMU_SLOT_P;
	else if (same_config(slot, &of_e) &&
		 (!slot->counters || !of_e.counters || slot->counters & of_e.counters))
		slot->counters &= of_e.counters;
	else
		pmu_slot_set_e_code(slot, &of_e);
	return 0;
}

static int find_hybrid(const struct pmu_vendor_files *files, const struct pmu_vendor_entry *p,
		       const struct pmu_vendor_entry *e, struct pmu_slot *slot,
		       const struct pmu_vendor_entry **found)
{
	uint8_t wanted = slot->core_types;
	bool unused;
	int rc;

	*found = p && wanted != PMU_SLOT_E ? p : e;
	if (p && e && !wanted)
		return find_both(files, p, e, slot);
	rc = make_vendor_slot(files, *found, slot, &unused);
	if (!rc)
		slot->core_types = (*found)->core_type;
	return rc;
}

static const char *successor_of(const struct pmu_vendor_files *files,
				const struct pmu_vendor_entry *entry)
{
	for (uint32_t i = 0; entry->deprecated && i < files->n_entries; i++)
		if (!files->entry[i]->deprecated && same_vendor_event(files->entry[i], entry) &&
		    files->entry[i]->core_type == entry->core_type)
			return files->entry[i]->name;
	return NULL;
}

static struct pmu_vendor_event about_entry(const struct pmu_vendor_entry *entry)
{
	return (struct pmu_vendor_event){
		.name = entry->name,
		.about = entry->about,
		.unit = entry->unit,
		.core_type = entry->core_type,
		.errata = entry->errata,
		.deprecated = entry->deprecated,
	};
}

int pmu_vendor_find(const struct pmu_vendor_files *files, const char *name, struct pmu_slot *slot,
		    struct pmu_vendor_event *about)
{
	const struct pmu_vendor_entry *any, *p, *e, *found;
	struct called called;
	bool open_filter = false;
	int rc;

	find_vendor_called(files, name, slot->core_types, &called);
	if (!called.n)
		return no_vendor_event(files, name);
	rc = check_called(&called, name);
	if (rc)
		return rc;
	found = any = find_of(&called, 0);
	p = find_of(&called, PMU_SLOT_P);
	e = find_of(&called, PMU_SLOT_E);
	rc = any ? make_vendor_slot(files, any, slot, &open_filter)
		 : find_hybrid(files, p, e, slot, &found);
	if (!rc && about) {
		*about = about_entry(found);
		about->successor = successor_of(files, found);
		about->open_filter = open_filter;
	}
	return rc;
}

bool pmu_vendor_has(const struct pmu_vendor_files *files, const char *name)
{
	struct called called;

	find_vendor_called(files, name, 0, &called);
	return called.n;
}

bool pmu_vendor_describe(struct pmu_vendor_files *files, const char *name, const char *about)
{
	struct called called;

	find_vendor_called(files, name, 0, &called);
	for (unsigned int i = 0; i < called.n; i++) {
		struct pmu_vendor_entry *entry =
			(struct pmu_vendor_entry *)(uintptr_t)called.entry[i];
		char *kept = entry->about[0] ? NULL : strdup(about);

		if (!kept)
			continue;
		entry->about = kept;
		entry->described = true;
	}
	return called.n;
}

void pmu_vendor_each(const struct pmu_vendor_files *files,
		     void (*each)(void *arg, const struct pmu_vendor_event *event), void *arg)
{
	for (uint32_t i = 0; i < files->n_entries; i++) {
		const struct pmu_vendor_event event = about_entry(files->entry[i]);

		each(arg, &event);
	}
}
