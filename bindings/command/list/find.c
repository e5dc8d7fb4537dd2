/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds what `pmu list` shows: names from our tables, libpfm4, Intel's files, the kernel and
 * groups' files.
 */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/error.h"
#include "bindings/command/command.h"
#include "bindings/command/list/list.h"
#include "counters/backend.h"
#include "machine/machine.h"
#include "names/file/file.h"
#include "names/likwid/likwid.h"
#include "names/pfm/pfm.h"
#include "names/sysfs/sysfs.h"
#include "names/vendor/metric.h"
#include "names/vendor/vendor.h"
#include "plan/event.h"
#include "session/fit.h"

/* --- rows --- */

static char *copy(struct pmu_list *list, const char *text)
{
	char *copied = strdup(text);

	list->failed |= !copied;
	return copied;
}

/* A section of that title, which need not be the last one. */
static struct pmu_list_section *titled_section(struct pmu_list *list, enum pmu_list_kind kind,
					       const char *from, const char *title)
{
	struct pmu_list_section *section;

	for (size_t i = list->n_sections; i > 0; i--)
		if (!strcmp(list->section[i - 1].title, title))
			return &list->section[i - 1];
	if (list->failed || list->n_sections == PMU_ARRAY_LEN(list->section))
		return NULL;
	section = &list->section[list->n_sections];
	section->kind = kind;
	section->title = copy(list, title);
	section->from = copy(list, from);
	if (list->failed) {
		free(section->title);
		free(section->from);
		return NULL;
	}
	list->n_sections++;
	return section;
}

/* A pattern with * ? [ is all of a name, another a part of the name or of what is said about it. */
static bool matches_pattern(const char *pattern, const char *name, const char *about)
{
	if (!pattern)
		return true;
	if (strpbrk(pattern, "*?["))
		return !fnmatch(pattern, name, FNM_CASEFOLD);
	return strcasestr(name, pattern) || strcasestr(about, pattern);
}

static bool grow_section(struct pmu_list *list, struct pmu_list_section *section)
{
	size_t room = section->room ? 2 * section->room : 16;
	struct pmu_list_row *row;

	if (section->n_rows < section->room)
		return true;
	row = realloc(section->row, room * sizeof(*row));
	if (!row) {
		list->failed = true;
		return false;
	}
	section->row = row;
	section->room = room;
	return true;
}

static void add_list_row(struct pmu_list *list, struct pmu_list_section *section, const char *name,
			 const char *about, const char *unit, const char *note, const char *why)
{
	if (!section || list->failed || !grow_section(list, section))
		return;
	section->row[section->n_rows++] = (struct pmu_list_row){ copy(list, name),
								 copy(list, about),
								 copy(list, unit), copy(list, note),
								 copy(list, why) };
}

void pmu_list_free(struct pmu_list *list)
{
	for (size_t i = 0; i < list->n_sections; i++) {
		struct pmu_list_section *section = &list->section[i];

		for (size_t r = 0; r < section->n_rows; r++) {
			free(section->row[r].name);
			free(section->row[r].about);
			free(section->row[r].unit);
			free(section->row[r].note);
			free(section->row[r].why);
		}
		free(section->row);
		free(section->title);
		free(section->from);
	}
	pmu_strbuf_free(&list->notes);
}

static void add_list_note(struct pmu_list *list, const char *text)
{
	pmu_strbuf_addf(&list->notes, "%s\n", text);
}

/* --- events by our own names --- */

/* Of those that are another event on each processor: is there one on this? */
static bool is_there(const struct pmu_event_about *about, struct pmu_catalog *catalog)
{
	struct pmu_event event;
	bool there;

	if (about->kind != PMU_SLOT_CORE || about->type != PMU_TYPE_NONE)
		return true;
	there = pmu_event_parse(about->name, catalog, &event) == 0;
	pmu_error_clear();
	return there;
}

static void find_own_events(struct pmu_list *list, struct pmu_catalog *catalog)
{
	static const struct {
		const char *from, *title;
	} kinds[] = {
		[PMU_SLOT_CORE] = { "generic", "Events of every CPU, by the kernel's names" },
		[PMU_SLOT_SOFTWARE] = { "software", "Events of the kernel" },
		[PMU_SLOT_UNCORE] = { "uncore", "Outside the cores" },
		[PMU_SLOT_ENERGY] = { "energy", "Energy" },
		[PMU_SLOT_SIMULATED] = { "simulated",
					 "By valgrind's simulation (pmu run --emulate)" },
		[PMU_SLOT_NVML] = { "nvml", "NVIDIA's cards" },
	};

	for (const struct pmu_event_about *event = pmu_event_names; event->name; event++)
		if (matches_pattern(list->pattern, event->name, event->about) &&
		    is_there(event, catalog))
			add_list_row(list,
				     titled_section(list, PMU_LIST_EVENTS, kinds[event->kind].from,
						    kinds[event->kind].title),
				     event->name, event->about, event->unit, "", "");
}

/* --- events by the library's tables and by libpfm4 --- */

struct tables {
	struct pmu_list *list;
	struct pmu_vendor_files *files; /* NULL: they have nothing of this CPU */
};

static void write_pfm(const struct pmu_pfm_name *name, char text[256])
{
	snprintf(text, 256, "%s%s%s", name->event, name->umask[0] ? "." : "", name->umask);
}

/* The tables have codes, libpfm4 has words. */
static void one_description(void *arg, const struct pmu_pfm_name *name)
{
	const struct tables *tables = arg;
	char text[256];

	write_pfm(name, text);
	pmu_vendor_describe(tables->files, text, name->about);
}

/* What the tables lack. */
static void one_pfm(void *arg, const struct pmu_pfm_name *name)
{
	const struct tables *tables = arg;
	struct pmu_list *list = tables->list;
	char title[160], text[256];

	write_pfm(name, text);
	if ((tables->files && pmu_vendor_has(tables->files, text)) ||
	    (!matches_pattern(list->pattern, text, name->about) &&
	     !matches_pattern(list->pattern, name->event, name->event_about)))
		return;
	snprintf(title, sizeof(title), "%s, by libpfm4 (%s)", name->of, name->table);
	add_list_row(list, titled_section(list, PMU_LIST_EVENTS, "libpfm4", title), text,
		     name->about, "", "", "");
}

static void one_of_cpu(struct pmu_list *list, const struct pmu_vendor_event *event,
		       const char *origin, const char *by)
{
	char title[128];

	if (!matches_pattern(list->pattern, event->name, event->about))
		return;
	snprintf(title, sizeof(title), "By %s, %s%s", by,
		 event->unit[0]                   ? "outside the cores: "
		 : event->core_type == PMU_SLOT_P ? "P cores"
		 : event->core_type == PMU_SLOT_E ? "E cores"
						  : "cores",
		 event->unit);
	add_list_row(list, titled_section(list, PMU_LIST_EVENTS, origin, title), event->name,
		     event->about, "", event->deprecated ? "deprecated" : "", "");
}

static void one_of_tables(void *arg, const struct pmu_vendor_event *event)
{
	one_of_cpu(arg, event, "tables", "this library's tables");
}

static void find_tables(struct pmu_list *list, const struct pmu_catalog *catalog)
{
	struct tables tables = { .list = list };
	struct pmu_cpu_id id;

	if (pmu_vendor_whose(catalog, &id) && !pmu_vendor_open_tables(&id, NULL, &tables.files)) {
		pmu_pfm_each(catalog->model, one_description, &tables);
		pmu_error_clear();
		pmu_vendor_each(tables.files, one_of_tables, list);
	}
	if (pmu_pfm_each(catalog->model, one_pfm, &tables) && !tables.files)
		add_list_note(list, pmu_error_text());
	pmu_vendor_close(tables.files);
}

/* --- events by Intel's files --- */

static void one_intel(void *arg, const struct pmu_vendor_event *event)
{
	one_of_cpu(arg, event, "intel", "Intel's files");
}

static void one_linux(void *arg, const struct pmu_vendor_event *event)
{
	one_of_cpu(arg, event, "linux", "Linux's files");
}

static void find_intel_events(struct pmu_list *list, const struct pmu_catalog *catalog)
{
	struct pmu_vendor_files *files;
	struct pmu_cpu_id id;

	if (!pmu_vendor_whose(catalog, &id))
		return;
	if (pmu_vendor_open(catalog->event_files, &id, &files)) {
		add_list_note(list, pmu_error_text());
		return;
	}
	if (pmu_vendor_missing(files)[0])
		add_list_note(list, pmu_vendor_missing(files));
	pmu_vendor_each(files, pmu_vendor_is_linux(files) ? one_linux : one_intel, list);
	pmu_vendor_close(files);
}

/* --- the kernel's PMUs --- */

static void one_pmu(void *arg, const char *name, unsigned int n_boxes)
{
	struct pmu_list *list = arg;
	char about[64] = "";

	if (!list->wanted[PMU_LIST_PMUS] || !matches_pattern(list->pattern, name, ""))
		return;
	if (n_boxes > 1)
		snprintf(about, sizeof(about), "%u boxes, counted together", n_boxes);
	add_list_row(list, titled_section(list, PMU_LIST_PMUS, "kernel", "PMUs of this kernel"),
		     name, about, "", "", "");
}

static void one_pmu_event(void *arg, const char *pmu, const char *name, const char *terms,
			  const char *unit)
{
	struct pmu_list *list = arg;
	char text[256];

	snprintf(text, sizeof(text), "%s/%s/", pmu, name);
	if (list->wanted[PMU_LIST_EVENTS] && matches_pattern(list->pattern, text, terms))
		add_list_row(list,
			     titled_section(list, PMU_LIST_EVENTS, "kernel",
					    "Events of this kernel's PMUs"),
			     text, terms, unit, "", "");
}

/* --- groups --- */

/* A sentence and what would help, of an error or a source. */
#define WHY_MAX 640

struct groups {
	struct pmu_list *list;
	struct pmu_catalog *catalog;
};

static int probe(void *arg, const struct pmu_plan *plan, struct pmu_probe *result)
{
	const struct pmu_backend *const *backend = arg;

	return pmu_backend_probe(*backend, plan, result);
}

static void add_loss_reason(struct pmu_strbuf *text, const char *before,
			    const struct pmu_fit_loss *loss, const char *after)
{
	if (loss->names[0])
		pmu_strbuf_addf(text, "%s%s%s%s: %s", text->len ? "; " : "", before, loss->names,
				after, loss->why);
}

/* All of it is what other sources alone count. */
static bool is_anothers(const struct pmu_backend *backend, const struct pmu_plan *plan)
{
	uint32_t slots = pmu_plan_mask(plan);

	return slots && pmu_backend_beside(backend, plan) == slots;
}

/* By the first source that can count it; @why: there is none, and what the first one said. */
static void fit_here(const struct pmu_group *group, const struct pmu_machine_from *from,
		     struct pmu_strbuf *given_up, char *why, size_t size)
{
	for (int i = 0; pmu_backends[i]; i++) {
		struct pmu_fit fit = { .why = NULL };

		pmu_group_plan(group, &fit.plan);
		if (!pmu_backends[i]->counts || is_anothers(pmu_backends[i], &fit.plan))
			continue;
		fit.plan.from = from;
		if (pmu_fit(group, false, false, probe, (void *)&pmu_backends[i], &fit)) {
			if (!why[0])
				snprintf(why, size, "%s%s%s", fit.first.why,
					 fit.first.mend[0] ? "; to fix it: " : "", fit.first.mend);
			continue;
		}
		why[0] = '\0';
		for (size_t k = 0; k < PMU_ARRAY_LEN(fit.lost); k++)
			add_loss_reason(given_up, "without ", &fit.lost[k], " here");
		add_loss_reason(given_up, "", &fit.missing, " cannot be had here");
		return;
	}
}

/* Of what a group stands for: what this processor has nothing of; @why: it has none of it. */
static void look_at_members(struct pmu_catalog *catalog, const char *list, struct pmu_strbuf *note,
			    char *why, size_t size)
{
	char names[PMU_GROUP_LIST_MAX], *rest = names, *name;
	struct pmu_group member;
	bool any = false;

	snprintf(names, sizeof(names), "%s", list);
	while ((name = strsep(&rest, ", "))) {
		if (!*name)
			continue;
		if (!pmu_group_find(name, catalog, &member)) {
			any = true;
			continue;
		}
		if (!why[0])
			snprintf(why, size, "%s", pmu_error_text());
		pmu_strbuf_addf(note, "%s%s", note->len ? ", " : "without ", name);
	}
	if (any)
		why[0] = '\0';
	else
		note->len = 0;
}

static void add_list_group(struct groups *groups, const char *name, const char *about,
			   const char *origin)
{
	char title[320], why[WHY_MAX] = "";
	struct pmu_list *list = groups->list;
	struct pmu_strbuf given_up = { 0 };
	struct pmu_machine_from from;
	struct pmu_group group;

	if (pmu_group_find(name, groups->catalog, &group)) {
		snprintf(why, sizeof(why), "%s", pmu_error_text());
		/* of a file that cannot be read the description is the same sentence */
		if (!strcmp(about, why))
			about = "";
	} else if (group.groups[0]) {
		look_at_members(groups->catalog, group.groups, &given_up, why, sizeof(why));
	} else {
		pmu_strbuf_add(&given_up, group.note);
		if (list->elsewhere && groups->catalog->model)
			pmu_list_fit_elsewhere(groups->catalog->model, &group, &given_up, why,
					       sizeof(why));
		else if (group.n_events && !list->elsewhere)
			fit_here(&group, pmu_command_machine(&from) ? &from : NULL, &given_up, why,
				 sizeof(why));
	}
	snprintf(title, sizeof(title), "Groups%s%.256s", origin[0] ? " of " : "", origin);
	/* a file each: their folder is what they have in common */
	if (origin[0] && strrchr(title, '/'))
		*strrchr(title, '/') = '\0';
	add_list_row(list,
		     titled_section(list, PMU_LIST_GROUPS, origin[0] ? "file" : "shipped", title),
		     name, about, "", pmu_strbuf_text(&given_up), why);
	pmu_strbuf_free(&given_up);
}

static void one_group(void *arg, const char *name, const char *about, const char *origin)
{
	struct groups *groups = arg;

	if (matches_pattern(groups->list->pattern, name, about))
		add_list_group(groups, name, about, origin);
}

static void one_metric(void *arg, const char *name, const char *about, const char *unit,
		       const char *note, const char *why_not)
{
	struct pmu_list *list = arg;
	char text[128];

	snprintf(text, sizeof(text), "intel:%s", name);
	if (!matches_pattern(list->pattern, text, about))
		return;
	add_list_row(list,
		     titled_section(list, PMU_LIST_GROUPS, "intel",
				    why_not[0] ? "Intel's metrics that cannot be groups"
					       : "Intel's metrics, each a group"),
		     text, about, unit, note, why_not);
}

/* --- all of it --- */

static void find_events(struct pmu_list *list, struct pmu_catalog *catalog)
{
	find_own_events(list, catalog);
	if (catalog->event_files)
		find_intel_events(list, catalog);
	find_tables(list, catalog);
}

static void find_groups(struct pmu_list *list, struct pmu_catalog *catalog)
{
	struct groups groups = { list, catalog };

	pmu_group_file_each(one_group, &groups);
	pmu_likwid_each(one_group, &groups);
	if (catalog->event_files && pmu_intel_metric_each(catalog, one_metric, list))
		add_list_note(list, pmu_error_text());
}

void pmu_list_find(struct pmu_list *list, struct pmu_catalog *catalog)
{
	const char *devices = pmu_catalog_devices(catalog);

	if (list->wanted[PMU_LIST_GROUPS])
		find_groups(list, catalog);
	if (list->wanted[PMU_LIST_EVENTS])
		find_events(list, catalog);
	if (devices && (list->wanted[PMU_LIST_EVENTS] || list->wanted[PMU_LIST_PMUS]))
		pmu_sysfs_each(devices, one_pmu, one_pmu_event, list);
	list->failed |= list->notes.failed;
}
