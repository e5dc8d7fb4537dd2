/* SPDX-License-Identifier: BSD-3-Clause */
/* Intel's event files of one CPU: read, indexed by name, searched. */
#include "group/intel/intel.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/compiler.h"
#include "base/error.h"
#include "base/index.h"
#include "base/strbuf.h"
#include "group/intel/file.h"
#include "group/intel/map.h"
#include "group/intel/slot.h"
#include "group/tables/table.h"

#define MAX_FILES     16
#define NAME_LEN_MAX  256
#define SHOWN         80
#define MAX_DIFFERENT 8 /* events of one name that are looked at */

struct pmu_intel_files {
	char *folder;      /* NULL: the library's own tables */
	const char *group; /* of those only events of that group; NULL all */
	struct pmu_cpu_id id;
	unsigned int n_files;
	struct pmu_intel_file file[MAX_FILES];
	bool has_e; /* a file of E cores */
	struct pmu_strbuf missing;
	struct pmu_intel_entry **entry; /* of all files, in their order */
	uint32_t n_entries;
	struct pmu_index by_name; /* the first of each */
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
static uint8_t core_type_of(const struct pmu_intel_map_row *row)
{
	return row->core_type == 0x40 ? PMU_SLOT_P : row->core_type == 0x20 ? PMU_SLOT_E : 0;
}

static void say_missing(struct pmu_intel_files *files, const char *file, const char *why)
{
	pmu_strbuf_addf(&files->missing, "%s%.*s %s", files->missing.len ? "; " : "", SHOWN, file,
			why);
}

static bool is_intel(const struct pmu_cpu_id *id)
{
	return !strcmp(id->vendor, "GenuineIntel");
}

/* Events outside Intel's cores, and no others, are called so. */
static bool may_have(const struct pmu_intel_files *files, const struct pmu_intel_map_row *row)
{
	return !files->group || !is_intel(&files->id) ||
	       !strncasecmp(files->group, "UNC_", 4) == !strncasecmp(row->type, "uncore", 6);
}

static int read_table(struct pmu_intel_files *files, const struct pmu_intel_map_row *row)
{
	struct pmu_intel_file *file = &files->file[files->n_files++];

	memset(file, 0, sizeof(*file));
	file->relative = strdup(row->file);
	if (!file->relative || asprintf(&file->name, "table %s", row->file) < 0) {
		file->name = NULL;
		return pmu_fail(ENOMEM, "no memory for %.*s", SHOWN, row->file);
	}
	return pmu_table_read(row->file, pmu_table_find, files->group, core_type_of(row), file);
}

static int read_file(struct pmu_intel_files *files, const struct pmu_intel_map_row *row)
{
	struct pmu_intel_file *file = &files->file[files->n_files];
	size_t size = strlen(files->folder) + strlen(row->file) + 2;
	int rc;

	memset(file, 0, sizeof(*file));
	rc = pmu_intel_read(files->folder, row->file, &file->text, &file->len);
	if (rc == -ENOENT)
		say_missing(files, row->file, "is not there");
	if (rc)
		return rc == -ENOENT ? 0 : rc;
	file->relative = strdup(row->file);
	file->name = malloc(size);
	files->n_files++;
	if (!file->relative || !file->name)
		return pmu_fail(ENOMEM, "no memory for %.*s", SHOWN, row->file);
	snprintf(file->name, size, "%s/%s", files->folder, row->file);
	return pmu_intel_file_parse(file, core_type_of(row));
}

static int take_row(void *arg, const struct pmu_intel_map_row *row)
{
	struct pmu_intel_files *files = arg;
	int rc;

	if (!is_events(row->type) || !may_have(files, row))
		return 0;
	/* Intel's map has a row for each file, others' end with patterns that fit all the rest */
	if (files->n_files && !is_intel(&files->id))
		return 0;
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
	rc = files->folder ? read_file(files, row) : read_table(files, row);
	files->has_e |= core_type_of(row) == PMU_SLOT_E;
	return rc;
}

static int read_files(struct pmu_intel_files *files)
{
	int n = pmu_intel_map_each(files->folder, &files->id, take_row, files);

	if (n < 0)
		return n;
	if (files->n_files)
		return 0;
	if (files->missing.len)
		return pmu_fail(ENOENT, "%s has no event file of this CPU: %s", files->folder,
				pmu_strbuf_text(&files->missing));
	return pmu_fail(ENODEV, "%s/mapfile.csv has no %s-%u-%X (stepping %u)", files->folder,
			files->id.vendor, files->id.family, files->id.model, files->id.stepping);
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

static int read_tables(struct pmu_intel_files *files)
{
	struct pmu_table map;
	int n;

	if (!pmu_table_find(map_of(&files->id), &map))
		return -ENODEV;
	n = pmu_intel_map_parse("mapfile.csv", map.text, map.len, &files->id, take_row, files);
	return n < 0 ? n : n ? 0 : -ENODEV;
}

/* --- index --- */

static char plain(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c == ':' ? '.' : c;
}

/* FNV-1a of the name in one spelling. */
static uint32_t hash_name(const char *name)
{
	uint32_t hash = 2166136261u;

	for (; *name; name++)
		hash = (hash ^ (unsigned char)plain(*name)) * 16777619u;
	return hash;
}

static bool same_name(const char *a, const char *b)
{
	while (*a && plain(*a) == plain(*b))
		a++, b++;
	return *a == *b;
}

static bool is_called(const void *name, uintptr_t entry)
{
	return same_name(((const struct pmu_intel_entry *)entry)->name, name);
}

static struct pmu_index_place *place_of(const struct pmu_intel_files *files, const char *name)
{
	return pmu_index_find(&files->by_name, hash_name(name), is_called, name);
}

static void put_first(struct pmu_intel_files *files, struct pmu_intel_entry *entry)
{
	struct pmu_index_place *place = place_of(files, entry->name);

	entry->next = (const struct pmu_intel_entry *)place->thing;
	if (entry->next)
		place->thing = (uintptr_t)entry;
	else
		pmu_index_take(&files->by_name, place, hash_name(entry->name), (uintptr_t)entry);
}

static int make_index(struct pmu_intel_files *files)
{
	uint32_t n = 0;

	for (unsigned int i = 0; i < files->n_files; i++)
		n += files->file[i].n;
	files->entry = calloc((size_t)n + 1, sizeof(struct pmu_intel_entry *));
	if (!files->entry || pmu_index_reserve(&files->by_name, n) < 0)
		return pmu_fail(ENOMEM, "no memory for the names of %u events", n);
	for (unsigned int i = 0; i < files->n_files; i++)
		for (uint32_t k = 0; k < files->file[i].n; k++)
			files->entry[files->n_entries++] = &files->file[i].entry[k];
	/* from the last on, so that the first of a name comes first */
	for (uint32_t i = n; i-- > 0;)
		put_first(files, files->entry[i]);
	return 0;
}

/* @rc: what reading said.  Return: 0 and the files; an error, and there are none. */
static int finish(struct pmu_intel_files *files, int rc, struct pmu_intel_files **out)
{
	if (!rc)
		rc = make_index(files);
	if (rc)
		pmu_intel_close(files);
	else
		*out = files;
	return rc;
}

int pmu_intel_open(const char *folder, const struct pmu_cpu_id *id, struct pmu_intel_files **out)
{
	struct pmu_intel_files *files = calloc(1, sizeof(*files));

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

int pmu_intel_open_tables(const struct pmu_cpu_id *id, const char *group,
			  struct pmu_intel_files **out)
{
	struct pmu_intel_files *files = calloc(1, sizeof(*files));

	if (!files)
		return pmu_fail(ENOMEM, "no memory for tables of events");
	files->id = *id;
	files->group = group;
	return finish(files, read_tables(files), out);
}

void pmu_intel_close(struct pmu_intel_files *files)
{
	if (!files)
		return;
	for (unsigned int i = 0; i < files->n_files; i++)
		pmu_intel_file_free(&files->file[i]);
	pmu_strbuf_free(&files->missing);
	free(files->entry);
	pmu_index_free(&files->by_name);
	free(files->folder);
	free(files);
}

const struct pmu_cpu_id *pmu_intel_cpu(const struct pmu_intel_files *files)
{
	return &files->id;
}

const char *pmu_intel_missing(const struct pmu_intel_files *files)
{
	return pmu_strbuf_text(&files->missing);
}

/* --- finding --- */

/* NULL: none. */
static const struct pmu_intel_entry *first_called(const struct pmu_intel_files *files,
						  const char *name)
{
	return (const struct pmu_intel_entry *)place_of(files, name)->thing;
}

/*
 * The first event of that name that these cores have; one that is not deprecated before those that
 * are.
 */
static const struct pmu_intel_entry *find_of(const struct pmu_intel_files *files, const char *name,
					     uint8_t core_type)
{
	const struct pmu_intel_entry *found = NULL, *entry = first_called(files, name);

	for (int n = 0; n < MAX_DIFFERENT && entry; entry = entry->next, n++)
		if (entry->core_type == core_type &&
		    (!found || (found->deprecated && !entry->deprecated)))
			found = entry;
	return found;
}

static int no_event(const struct pmu_intel_files *files, const char *name)
{
	const char **names = calloc((size_t)files->n_entries + 1, sizeof(*names));
	const char *near, *missing = pmu_intel_missing(files);

	for (uint32_t i = 0; names && i < files->n_entries; i++)
		names[i] = files->entry[i]->name;
	near = names ? pmu_closest(name, names) : NULL;
	free(names);
	return pmu_fail(
		ENOENT, "there is no event \"%.*s\" among %s of this CPU; %s%s%s%s%s%s", SHOWN,
		name, is_intel(&files->id) ? "Intel's" : "those",
		near ? "did you mean "
		     : "try instructions, cycles, branches, page-faults or a raw code like r10e",
		near ? near : "", near ? "?" : "", missing[0] ? " (" : "", missing,
		missing[0] ? ")" : "");
}

/* The general counters' event of what a fixed counter counts has the same name and _P. */
static const struct pmu_intel_entry *twin_of(const struct pmu_intel_files *files,
					     const struct pmu_intel_entry *entry)
{
	char name[NAME_LEN_MAX];

	if (!pmu_intel_is_fixed(entry) ||
	    (size_t)snprintf(name, sizeof(name), "%s_P", entry->name) >= sizeof(name))
		return NULL;
	return find_of(files, name, entry->core_type);
}

static int make_slot(const struct pmu_intel_files *files, const struct pmu_intel_entry *entry,
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

/* Hybrid: under one code on both kinds of cores it is counted on both, under two on the P cores. */
static int find_hybrid(const struct pmu_intel_files *files, const struct pmu_intel_entry *p,
		       const struct pmu_intel_entry *e, struct pmu_slot *slot,
		       const struct pmu_intel_entry **found)
{
	uint8_t wanted = slot->core_types;
	struct pmu_slot of_p = *slot, of_e = *slot;
	bool unused;
	int rc;

	*found = p && wanted != PMU_SLOT_E ? p : e;
	if (p && e && !wanted) {
		rc = make_slot(files, p, &of_p, &unused);
		if (rc)
			return rc;
		of_p.core_types = PMU_SLOT_P;
		if (!make_slot(files, e, &of_e, &unused) && same_code(&of_p, &of_e) &&
		    (!of_p.counters || !of_e.counters || of_p.counters & of_e.counters)) {
			of_p.core_types = 0;
			of_p.counters &= of_e.counters;
		}
		*slot = of_p;
		return 0;
	}
	rc = make_slot(files, *found, slot, &unused);
	if (!rc)
		slot->core_types = (*found)->core_type;
	return rc;
}

static void tell(const struct pmu_intel_entry *entry, bool open_filter,
		 struct pmu_intel_event *about)
{
	*about = (struct pmu_intel_event){
		.name = entry->name,
		.about = entry->about,
		.unit = entry->unit,
		.core_type = entry->core_type,
		.deprecated = entry->deprecated,
		.open_filter = open_filter,
	};
}

int pmu_intel_find(const struct pmu_intel_files *files, const char *name, struct pmu_slot *slot,
		   struct pmu_intel_event *about)
{
	const struct pmu_intel_entry *any = find_of(files, name, 0), *found = any;
	const struct pmu_intel_entry *p = find_of(files, name, PMU_SLOT_P),
				     *e = find_of(files, name, PMU_SLOT_E);
	bool open_filter = false;
	int rc;

	if (slot->core_types == PMU_SLOT_P)
		e = NULL;
	if (slot->core_types == PMU_SLOT_E)
		p = NULL;
	if (!any && !p && !e)
		return no_event(files, name);
	rc = any ? make_slot(files, any, slot, &open_filter)
		 : find_hybrid(files, p, e, slot, &found);
	if (!rc && about)
		tell(found, open_filter, about);
	return rc;
}

bool pmu_intel_has(const struct pmu_intel_files *files, const char *name)
{
	return first_called(files, name) != NULL;
}

bool pmu_intel_describe(struct pmu_intel_files *files, const char *name, const char *about)
{
	struct pmu_intel_entry *entry = (struct pmu_intel_entry *)place_of(files, name)->thing;
	char *kept = entry && !entry->about[0] ? strdup(about) : NULL;

	if (kept) {
		entry->about = kept;
		entry->described = true;
	}
	return entry;
}

void pmu_intel_each(const struct pmu_intel_files *files,
		    void (*each)(void *arg, const struct pmu_intel_event *event), void *arg)
{
	for (uint32_t i = 0; i < files->n_entries; i++) {
		struct pmu_intel_event event;

		tell(files->entry[i], false, &event);
		each(arg, &event);
	}
}
