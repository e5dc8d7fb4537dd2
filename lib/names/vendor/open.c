/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the event files and tables of one CPU. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/compiler.h"
#include "base/error.h"
#include "names/tables/table.h"
#include "names/vendor/files.h"
#include "names/vendor/map.h"
#include "names/vendor/vendor.h"

#define SHOWN 80

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

/* Intel's events outside the cores, and no others, are called so. */
static bool may_have(const struct pmu_vendor_files *files, const struct pmu_vendor_map_row *row)
{
	bool uncore = !strncasecmp(row->type, "uncore", 6);
	const char *text = files->wanted;

	if (!text || !pmu_cpu_is_intel(&files->id))
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
static int read_vendor_file(const char *folder, const char *relative, uint8_t core_type,
			    bool is_linux, struct pmu_vendor_file *file)
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
	int rc = read_vendor_file(row->folder, row->file, core_type_of(row), false, file);

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

static int by_entry_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

/* Every JSON file of a folder.  Return: 0; -ENOENT: there is none. */
static int read_folder(const char *folder, struct pmu_vendor_file *file, unsigned int most,
		       unsigned int *n)
{
	struct dirent **name;
	int n_names = scandir(folder, &name, keep_json, by_entry_name), rc = 0;

	if (n_names < 0)
		return pmu_fail(errno == ENOTDIR ? ENOENT : errno, "cannot read the folder %s: %s",
				folder, strerror(errno));
	for (int i = 0; i < n_names; i++) {
		if (!rc && *n == most)
			rc = pmu_fail(EINVAL, "%s has more than %u files", folder, most);
		if (!rc)
			rc = read_vendor_file(folder, name[i]->d_name, 0, true, &file[(*n)++]);
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
	rc = read_folder(folder, files->file, PMU_VENDOR_MAX_FILES, &files->n_files);
	free(folder);
	if (rc == -ENOENT) {
		say_missing(files, row->file, "is not there");
		return 0;
	}
	if (!rc && pmu_cpu_arch(&files->id) != PMU_ARCH_X86) {
		rc = read_folder(row->folder, files->standard, PMU_VENDOR_MAX_STANDARD,
				 &files->n_standard);
		if (rc == -ENOENT)
			rc = 0;
	}
	for (unsigned int i = 0; i < files->n_files && !rc; i++)
		pmu_vendor_file_settle(&files->file[i], files->standard, files->n_standard);
	return rc;
}

static int take_map_row(void *arg, const struct pmu_vendor_map_row *row)
{
	struct pmu_vendor_files *files = arg;
	bool is_folder;
	int rc;

	if (!is_events(row->type) || !may_have(files, row))
		return 0;
	is_folder = files->folder && !is_json(row->file);
	/* Intel's map has a row for each file, others' end with patterns that fit all the rest */
	if ((files->n_files || files->missing.len) && (is_folder || !pmu_cpu_is_intel(&files->id)))
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
	if (files->n_files == PMU_VENDOR_MAX_FILES)
		return pmu_fail(EINVAL, "%s/mapfile.csv:%u: more than %d files of one CPU",
				files->folder ? files->folder : "tables", row->line,
				PMU_VENDOR_MAX_FILES);
	rc = files->folder ? read_event_file(files, row) : read_table(files, row);
	files->has_e |= core_type_of(row) == PMU_SLOT_E;
	return rc;
}

static int read_files(struct pmu_vendor_files *files)
{
	int n = pmu_vendor_map_each(files->folder, &files->id, take_map_row, files);
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

/* The map of the tables for a CPU's architecture. */
static const char *map_of(const struct pmu_cpu_id *id)
{
	switch (pmu_cpu_arch(id)) {
	case PMU_ARCH_X86:
		return pmu_cpu_is_intel(id) ? "intel/mapfile" : "amd/mapfile";
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
	n = pmu_vendor_map_parse("mapfile.csv", map.text, map.len, &files->id, take_map_row, files);
	return n < 0 ? n : n ? 0 : -ENODEV;
}

/* --- open, close --- */

/* @rc: what reading said.  Return: 0 and the files; an error, and there are none. */
static int finish_files(struct pmu_vendor_files *files, int rc, struct pmu_vendor_files **out)
{
	if (!rc)
		rc = pmu_vendor_index(files);
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
	return finish_files(
		files,
		files->folder ? read_files(files)
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
	return finish_files(files, read_tables(files), out);
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
