/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of the files in one of the kernel's folders. */
#ifndef PMU_NAMES_SYSFS_NAMES_H
#define PMU_NAMES_SYSFS_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#define PMU_SYSFS_NAME_MAX 64

/** All zero is an empty list. */
struct pmu_sysfs_names {
	char (*name)[PMU_SYSFS_NAME_MAX];
	size_t n, room;
};

/**
 * pmu_sysfs_names_add() - the names in a folder beside those that the list has
 * @keep: which, and as what (it may change the copy); NULL: all
 *
 * Names that are no plain words, and those beyond some thousands, are left out.  A folder that is
 * not there has none.
 */
void pmu_sysfs_names_add(struct pmu_sysfs_names *names, const char *folder,
			 bool (*keep)(char *name));
/** pmu_sysfs_names_sort() - by name, each once */
void pmu_sysfs_names_sort(struct pmu_sysfs_names *names);
void pmu_sysfs_names_free(struct pmu_sysfs_names *names);

/**
 * pmu_sysfs_names_find() - as it is written there; where it has no such name, one that differs in
 * case alone; NULL
 */
const char *pmu_sysfs_names_find(const struct pmu_sysfs_names *names, const char *word);

/**
 * pmu_sysfs_names_nearest() - of two lists, the second may be NULL.  Return: NULL where nothing
 * looks like it.
 */
const char *pmu_sysfs_names_nearest(const struct pmu_sysfs_names *names,
				    const struct pmu_sysfs_names *more, const char *word);

/** pmu_sysfs_names_text() - "a, b, c", those that have room; "none" */
void pmu_sysfs_names_text(const struct pmu_sysfs_names *names, char *text, size_t size);

#endif
