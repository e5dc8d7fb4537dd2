/* SPDX-License-Identifier: BSD-3-Clause */
/* Files of source: where they are found, and their lines. */
#ifndef PMU_COMMAND_SOURCE_H
#define PMU_COMMAND_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

/** A file of source; live as long as their list. */
struct pmu_source {
	struct pmu_source *next;
	char *name; /* as debugging information has it */
	char *path; /* where it was found; NULL: it was not */
	struct timespec written;
	char *text;    /* NULL: it cannot be read */
	int error;     /* why: an errno */
	size_t *start; /* [n_lines] offsets in @text; each line ends in a NUL */
	size_t n_lines;
};

/** pmu_source_find() - the file that debugging information calls @name
 * @list: of those that were looked for; NULL at first
 * @folder: where to look first, by all of the name, then by less and less of its beginning; NULL: nowhere
 * @object: path of what was compiled from it, beside which a name without a folder is looked for
 * Return: NULL without memory.
 */
struct pmu_source *pmu_source_find(struct pmu_source **list, const char *name, const char *folder,
				   const char *object);

/** pmu_source_line() - a line's text, from 1 on; NULL: there is no such line */
const char *pmu_source_line(const struct pmu_source *source, uint32_t line);

void pmu_source_free(struct pmu_source **list);

#endif
