/* SPDX-License-Identifier: BSD-3-Clause */
/* The tables of events that the library brings along, made by update.py; README.md has their form. */
#ifndef PMU_NAMES_TABLES_TABLE_H
#define PMU_NAMES_TABLES_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "names/vendor/file.h"

/** Where a table lies in the text of all; the last one's name is "". */
struct pmu_table_place {
	char name[40]; /* its file's, without the ending */
	uint32_t at, len;
};
extern const struct pmu_table_place pmu_table_place[];
extern const char pmu_table_text[];

/** A table's text. */
struct pmu_table {
	const char *name, *text;
	size_t len;
};

/**
 * pmu_table_find() - a table by its name, among those that the library brings along
 * Return: whether there is one.
 */
typedef bool pmu_table_find_fn(const char *name, struct pmu_table *table);
pmu_table_find_fn pmu_table_find;

/**
 * pmu_table_read() - a table's events, and those of the tables that it stands upon
 * @find: where these are
 * @text: an event as it was written: only those that it may mean; NULL all
 * @file: result, as pmu_vendor_file_parse() leaves it; name is set already
 *
 * Return: 0; -EINVAL with a sentence that names table and line; -ENOMEM.
 */
int pmu_table_read(const char *name, pmu_table_find_fn *find, const char *text, uint8_t core_type,
		   struct pmu_vendor_file *file);

#endif
