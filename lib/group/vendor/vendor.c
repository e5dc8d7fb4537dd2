/* SPDX-License-Identifier: BSD-3-Clause */
/* Intel's event files of one CPU: read, indexed by name, searched. */
#include "group/vendor/vendor.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/compiler.h"
#include "base/error.h"
#include "base/index.h"
#include "base/strbuf.h"
#include "group/spelling.h"
#include "group/tables/table.h"
#include "group/vendor/file.h"
#include "group/vendor/map.h"
#include "group/vendor/slot.h"

#define MAX_FILES     64
#define MAX_STANDARD  16 /* files of an architecture's standard events */
#define NAME_LEN_MAX  256
#define SHOWN         80
#define MAX_DIFFERENT 16 /* events of one name, however it is spelled, that are looked at */

struct pmu_vendor_files {
	char *folder;       /* NULL: the library's own tables */
	const char *wanted; /* of those only events that this text may mean; NULL all */
	struct pmu_cpu_id id;
	unsigned int n_files;
	struct pmu_vendor_file file[MAX_FILES];
	struct pmu_vendor_file standard[MAX_STANDARD]; /* Linux's, events of an architecture */
	unsigned int n_standard;
	bool has_e; /* a file of E cores */
	struct pmu_strbuf missing;
	struct pmu_vendor_entry **entry; /* of all files, in their order */
	uint32_t n_entries;
	/* the first of each; of each that is the same but for words that are spelled in two ways */
	struct pmu_index by_name, respelled;
};

/* --- reading --- */

/* The kinds of files that hold events. */
static bool is_events(const char *type)
{
	static const char *const types[] = { "core",          "hybridcore", "offcore",
					     "fp_arith_inst", "uncore",     "uncore experimental" };

	for (size_t i = 0; i < PMU_ARRAY_LEN(types); i++)
		if (!strcasecmp(types[i], type))
			return true;
	return false;
}

/* CPUID leaf 1AH, EAX[31:24] (Intel SDM vol. 2A) */
static uint8_t core_type_of(const struct pmu_vendor_map_row *row)
{
	return row->core_type == 0x40 ? PMU_SLOT_P : row->core_type == 0x20 ? PMU_SLOT_E : 0;
}

static void say_missing(struct pmu_vendor_files *files, const char *file, const char *why)
{
	pmu_strbuf_addf(&files->missing, "%s%.*s %s", files->missing.len ? "; " : "", SHOWN, file,
			why);
}

static bool is_intel(const struct pmu_cpu_id *id)
{
	return !strcmp(id->vendor, "GenuineIntel");
}

/* Intel's events outside the cores, and no others, are called so. */
static bool may_have(const struct pmu_vendor_files *files, const struct pmu_vendor_map_row *row)
{
	bool uncore = !strncasecmp(row->type, "uncore", 6);
	const char *text = files->wanted;

	if (!text || !is_intel(&files->id))
		return true;
	return uncore ? !strncasecmp(text, "UNC", 3) : strncasecmp(text, "UNC_", 4) != 0;
}

static int read_table(struct pmu_vendor_files *files, const struct pmu_vendor_map_row *row)
{
	struct pmu_vendor_file *file = &files->file[files->n_files++];

	memset(file, 0, sizeof(*file));
	file->relative = strdup(row->file);
	if (!file->relative || asprintf(&file->name, "table %s", row->file) < 0) {
		file->name = NULL;
		return pmu_fail(ENOMEM, "no memory for %.*s", SHOWN, row->file);
	}
	return pmu_table_read(row->file, pmu_table_find, files->wanted, core_type_of(row), file);
}

/* @file: result; it is to be freed also where it cannot be read */
static int read_file(const char *folder, const char *relative, uint8_t core_type, bool is_linux,
		     struct pmu_vendor_file *file)
{
	int rc;

	memset(file, 0, sizeof(*file));
	file->is_linux = is_linux;
	rc = pmu_vendor_read(folder, relative, &file->text, &file->len);
	if (rc)
		return rc;
	file->relative = strdup(relative);
	if (!file->relative || asprintf(&file->name, "%s/%s", folder, relative) < 0) {
		file->name = NULL;
		return pmu_fail(ENOMEM, "no memory for %.*s", SHOWN, relative);
	}
	return pmu_vendor_file_parse(file, core_type);
}

static int read_event_file(struct pmu_vendor_files *files, const struct pmu_vendor_map_row *row)
{
	struct pmu_vendor_file *file = &files->file[files->n_files];
	int rc = read_file(row->folder, row->file, core_type_of(row), false, file);

	if (rc == -ENOENT) {
		say_missing(files, row->file, "is not there");
		return 0;
	}
	files->n_files++;
	return rc;
}

/* --- Linux's folders --- */

static bool is_json(const char *name)
{
	size_t len = strlen(name);

	return len > 5 && !strcmp(name + len - 5, ".json");
}

static int keep_json(const struct dirent *entry)
{
	return is_json(entry->d_name);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

/* Every JSON file of a folder.  Return: 0; -ENOENT: there is none. */
static int read_folder(const char *folder, struct pmu_vendor_file *file, unsigned int most,
		       unsigned int *n)
{
	struct dirent **name;
	int n_names = scandir(folder, &name, keep_json, by_name), rc = 0;

	if (n_names < 0)
		return pmu_fail(errno == ENOTDIR ? ENOENT : errno, "cannot read the folder %s: %s",
				folder, strerror(errno));
	for (int i = 0; i < n_names; i++) {
		if (!rc && *n == most)
			rc = pmu_fail(EINVAL, "%s has more than %u files", folder, most);
		if (!rc)
			rc = read_file(folder, name[i]->d_name, 0, true, &file[(*n)++]);
		free(name[i]);
	}
	free(name);
	return rc ? rc : n_names ? 0 : pmu_fail(ENOENT, "%s has no event files", folder);
}

/* A processor's folder, and what it refers to beside the map. */
static int read_linux(struct pmu_vendor_files *files, const struct pmu_vendor_map_row *row)
{
	char *folder;
	int rc;

	if (asprintf(&folder, "%s/%s", row->folder, row->file) < 0)
		return pmu_fail(ENOMEM, "no memory for %.*s", SHOWN, row->file);
	rc = read_folder(folder, files->file, MAX_FILES, &files->n_files);
	free(folder);
	if (rc == -ENOENT) {
		say_missing(files, row->file, "is not there");
		return 0;
	}
	if (!rc && pmu_cpu_arch(&files->id) != PMU_ARCH_X86) {
		rc = read_folder(row->folder, files->standard, MAX_STANDARD, &files->n_standard);
		if (rc == -ENOENT)
			rc = 0;
	}
	for (unsigned int i = 0; i < files->n_files && !rc; i++)
		pmu_vendor_file_settle(&files->file[i], files->standard, files->n_standard);
	return rc;
}

static int take_row(void *arg, const struct pmu_vendor_map_row *row)
{
	struct pmu_vendor_files *files = arg;
	bool is_folder;
	int rc;

	if (!is_events(row->type) || !may_have(files, row))
		return 0;
	is_folder = files->folder && !is_json(row->file);
	/* Intel's map has a row for each file, others' end with patterns that fit all the rest */
	if ((files->n_files || files->missing.len) && (is_folder || !is_intel(&files->id)))
		return 0;
	if (is_folder)
		return read_linux(files, row);
	for (unsigned int i = 0; i < files->n_files; i++)
		if (!strcmp(files->file[i].relative, row->file))
			return 0;
	/* Arrow Lake-H: nothing tells its low-power cores from the other E cores */
	if (core_type_of(row) == PMU_SLOT_E && files->has_e) {
		say_missing(files, row->file, "is of a second kind of E cores and not used");
		return 0;
	}
	if (files->n_files == MAX_FILES)
		return pmu_fail(EINVAL, "%s/mapfile.csv:%u: more than %d files of one CPU",
				files->folder ? files->folder : "tables", row->line, MAX_FILES);
	rc = files->folder ? read_event_file(files, row) : read_table(files, row);
	files->has_e |= core_type_of(row) == PMU_SLOT_E;
	return rc;
}

static int read_files(struct pmu_vendor_files *files)
{
	int n = pmu_vendor_map_each(files->folder, &files->id, take_row, files);
	char cpu[80];

	if (n < 0)
		return n;
	if (files->n_files)
		return 0;
	if (files->missing.len)
		return pmu_fail(ENOENT, "%s has no event file of this CPU: %s", files->folder,
				pmu_strbuf_text(&files->missing));
	pmu_vendor_cpu_name(&files->id, cpu, sizeof(cpu));
	return pmu_fail(ENODEV, "%s/mapfile.csv has no %s", files->folder, cpu);
}

/* Of whom there are tables. */
static const char *map_of(const struct pmu_cpu_id *id)
{
	switch (pmu_cpu_arch(id)) {
	case PMU_ARCH_X86:
		return is_intel(id) ? "intel/mapfile" : "amd/mapfile";
	case PMU_ARCH_ARM:
		return "arm64/mapfile";
	case PMU_ARCH_RISCV:
		return "riscv/mapfile";
	}
	return "";
}

static int read_tables(struct pmu_vendor_files *files)
{
	struct pmu_table map;
	int n;

	if (!pmu_table_find(map_of(&files->id), &map))
		return -ENODEV;
	n = pmu_vendor_map_parse("mapfile.csv", map.text, map.len, &files->id, take_row, files);
	return n < 0 ? n : n ? 0 : -ENODEV;
}

/* --- index --- */

static bool is_called(const void *name, uintptr_t entry)
{
	return pmu_spelling_compare(((const struct pmu_vendor_entry *)entry)->name, name) <=
	       PMU_SPELLED_JOINED;
}

static struct pmu_index_place *place_of(const struct pmu_vendor_files *files, const char *name)
{
	return pmu_index_find(&files->by_name, pmu_spelling_hash(name), is_called, name);
}

static bool is_respelled(const void *name, uintptr_t entry)
{
	enum pmu_spelling spelled = pmu_spelling_compare(
		((const struct pmu_vendor_entry *)entry)->name, name);

	return spelled != PMU_SPELLED_OTHERWISE;
}

static struct pmu_index_place *place_of_respelled(const struct pmu_vendor_files *files,
						  const char *name)
{
	return pmu_index_find(&files->respelled, pmu_spelling_hash_respelled(name), is_respelled,
			      name);
}

/* Return: the one that was first before. */
static const struct pmu_vendor_entry *put_first(struct pmu_index *index,
						struct pmu_index_place *place, uint32_t hash,
						const struct pmu_vendor_entry *entry)
{
	const struct pmu_vendor_entry *before = (const struct pmu_vendor_entry *)place->thing;

	if (before)
		place->thing = (uintptr_t)entry;
	else
		pmu_index_take(index, place, hash, (uintptr_t)entry);
	return before;
}

static void put(struct pmu_vendor_files *files, struct pmu_vendor_entry *entry)
{
	const char *name = entry->name;

	entry->outline = pmu_word_outline(name);
	entry->next = put_first(&files->by_name, place_of(files, name), pmu_spelling_hash(name),
				entry);
	entry->next_respelled = put_first(&files->respelled, place_of_respelled(files, name),
					  pmu_spelling_hash_respelled(name), entry);
}

static int make_index(struct pmu_vendor_files *files)
{
	uint32_t n = 0;

	for (unsigned int i = 0; i < files->n_files; i++)
		n += files->file[i].n;
	files->entry = calloc((size_t)n + 1, sizeof(struct pmu_vendor_entry *));
	if (!files->entry || pmu_index_reserve(&files->by_name, n) < 0 ||
	    pmu_index_reserve(&files->respelled, n) < 0)
		return pmu_fail(ENOMEM, "no memory for the names of %u events", n);
	for (unsigned int i = 0; i < files->n_files; i++)
		for (uint32_t k = 0; k < files->file[i].n; k++)
			files->entry[files->n_entries++] = &files->file[i].entry[k];
	/* from the last on, so that the first of a name comes first */
	for (uint32_t i = n; i-- > 0;)
		put(files, files->entry[i]);
	return 0;
}

/* @rc: what reading said.  Return: 0 and the files; an error, and there are none. */
static int finish(struct pmu_vendor_files *files, int rc, struct pmu_vendor_files **out)
{
	if (!rc)
		rc = make_index(files);
	if (rc)
		pmu_vendor_close(files);
	else
		*out = files;
	return rc;
}

int pmu_vendor_open(const char *folder, const struct pmu_cpu_id *id, struct pmu_vendor_files **out)
{
	struct pmu_vendor_files *files = calloc(1, sizeof(*files));

	if (!files)
		return pmu_fail(ENOMEM, "no memory for the event files in %s", folder);
	files->id = *id;
	files->folder = strdup(folder);
	return finish(files,
		      files->folder
			      ? read_files(files)
			      : pmu_fail(ENOMEM, "no memory for the event files in %s", folder),
		      out);
}

int pmu_vendor_open_tables(const struct pmu_cpu_id *id, const char *text,
			   struct pmu_vendor_files **out)
{
	struct pmu_vendor_files *files = calloc(1, sizeof(*files));

	if (!files)
		return pmu_fail(ENOMEM, "no memory for tables of events");
	files->id = *id;
	files->wanted = text;
	return finish(files, read_tables(files), out);
}

void pmu_vendor_close(struct pmu_vendor_files *files)
{
	if (!files)
		return;
	for (unsigned int i = 0; i < files->n_files; i++)
		pmu_vendor_file_free(&files->file[i]);
	for (unsigned int i = 0; i < files->n_standard; i++)
		pmu_vendor_file_free(&files->standard[i]);
	pmu_strbuf_free(&files->missing);
	free(files->entry);
	pmu_index_free(&files->by_name);
	pmu_index_free(&files->respelled);
	free(files->folder);
	free(files);
}

const struct pmu_cpu_id *pmu_vendor_cpu(const struct pmu_vendor_files *files)
{
	return &files->id;
}

bool pmu_vendor_is_linux(const struct pmu_vendor_files *files)
{
	return files->n_files && files->file[0].is_linux;
}

const char *pmu_vendor_missing(const struct pmu_vendor_files *files)
{
	return pmu_strbuf_text(&files->missing);
}

/* --- finding --- */

/* NULL: none. */
static const struct pmu_vendor_entry *first_called(const struct pmu_vendor_files *files,
						   const char *name)
{
	return (const struct pmu_vendor_entry *)place_of(files, name)->thing;
}

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

static void find_called(const struct pmu_vendor_files *files, const char *name, uint8_t core_type,
			struct called *called)
{
	const struct pmu_vendor_entry *entry = first_called(files, name);
	enum pmu_spelling best = PMU_SPELLED_JOINED;

	called->n = 0;
	for (; entry; entry = entry->next)
		add_called(entry, name, core_type, &best, called);
	if (called->n)
		return;
	best = PMU_SPELLED_RESPELLED;
	entry = (const struct pmu_vendor_entry *)place_of_respelled(files, name)->thing;
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

static bool same_event(const struct pmu_vendor_entry *a, const struct pmu_vendor_entry *b)
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
		    !same_event(called->entry[0], called->entry[i]))
			return pmu_fail(EINVAL, "\"%.*s\" can be %s or %s: write one of them",
					SHOWN, name, called->entry[0]->name,
					called->entry[i]->name);
	return 0;
}

static int no_event(const struct pmu_vendor_files *files, const char *name)
{
	const char *near, *missing = pmu_vendor_missing(files);
	struct pmu_closest search;

	pmu_closest_start(&search, name);
	for (uint32_t i = 0; i < files->n_entries; i++)
		pmu_closest_look(&search, files->entry[i]->name, files->entry[i]->outline);
	near = search.closest;
	return pmu_fail(
		ENOENT, "there is no event \"%.*s\" among %s of this CPU; %s%s%s%s%s%s", SHOWN,
		name, is_intel(&files->id) ? "Intel's" : "those",
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
	find_called(files, name, entry->core_type, &called);
	return find_of(&called, entry->core_type);
}

static int make_slot(const struct pmu_vendor_files *files, const struct pmu_vendor_entry *entry,
		     struct pmu_slot *slot, bool *open_filter)
{
	*open_filter = false;
	if (!is_intel(&files->id))
		return pmu_linux_slot(entry, &files->id, slot);
	if (entry->unit[0])
		return pmu_intel_uncore_slot(entry, &files->id, slot, open_filter);
	return pmu_intel_core_slot(entry, twin_of(files, entry), slot);
}

static bool same_code(const struct pmu_slot *a, const struct pmu_slot *b)
{
	return a->config == b->config && a->extra == b->extra && a->extra_value == b->extra_value;
}

/* Hybrid: on both kinds of cores, each by its own code. */
static int find_both(const struct pmu_vendor_files *files, const struct pmu_vendor_entry *p,
		     const struct pmu_vendor_entry *e, struct pmu_slot *slot)
{
	struct pmu_slot of_e = *slot;
	bool unused;
	int rc = make_slot(files, p, slot, &unused);

	if (rc)
		return rc;
	if (make_slot(files, e, &of_e, &unused))
		slot->core_types = PMU_SLOT_P;
	else if (same_code(slot, &of_e) &&
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
	rc = make_slot(files, *found, slot, &unused);
	if (!rc)
		slot->core_types = (*found)->core_type;
	return rc;
}

static const char *successor_of(const struct pmu_vendor_files *files,
				const struct pmu_vendor_entry *entry)
{
	for (uint32_t i = 0; entry->deprecated && i < files->n_entries; i++)
		if (!files->entry[i]->deprecated && same_event(files->entry[i], entry) &&
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

	find_called(files, name, slot->core_types, &called);
	if (!called.n)
		return no_event(files, name);
	rc = check_called(&called, name);
	if (rc)
		return rc;
	found = any = find_of(&called, 0);
	p = find_of(&called, PMU_SLOT_P);
	e = find_of(&called, PMU_SLOT_E);
	rc = any ? make_slot(files, any, slot, &open_filter)
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

	find_called(files, name, 0, &called);
	return called.n;
}

bool pmu_vendor_describe(struct pmu_vendor_files *files, const char *name, const char *about)
{
	struct called called;

	find_called(files, name, 0, &called);
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
