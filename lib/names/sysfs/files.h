/* SPDX-License-Identifier: BSD-3-Clause */
/* The files of one of the kernel's PMUs: for sysfs.c and sysfs_list.c. */
#ifndef PMU_NAMES_SYSFS_FILES_H
#define PMU_NAMES_SYSFS_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "machine/boxes.h"
#include "names/sysfs/names.h"

/** Longest text of a format or an event file. */
#define PMU_SYSFS_TEXT_MAX 512

/** One PMU. */
struct pmu_sysfs_pmu {
	const char *devices;
	/* as the kernel writes it, without a box's number where none was asked for */
	char name[PMU_SYSFS_NAME_MAX];
	size_t n_boxes;
	struct pmu_box box; /* the first: its files are read */
};

/**
 * pmu_sysfs_open() - by name, ignoring case.  Return: 0; -ENOENT with a sentence that names the
 * nearest.
 */
int pmu_sysfs_open(const char *devices, const char *name, struct pmu_sysfs_pmu *pmu);

/**
 * pmu_sysfs_why_not() - why a PMU of this name counts nothing: "it writes traces"; NULL: it does
 */
const char *pmu_sysfs_why_not(const char *name);

/**
 * pmu_sysfs_names() - of its folder "format"; of "events" without the files that belong to an event
 */
void pmu_sysfs_names(const struct pmu_sysfs_pmu *pmu, const char *folder,
		     struct pmu_sysfs_names *names);

/**
 * pmu_sysfs_read() - a file of its folder
 * @suffix: of the file's name, ".scale"; ""
 * Return: bytes; -ENOENT: there is none; other errors with a sentence.  What is no plain text is
 * -EINVAL.
 */
long pmu_sysfs_read(const struct pmu_sysfs_pmu *pmu, const char *folder, const char *name,
		    const char *suffix, char text[PMU_SYSFS_TEXT_MAX]);

/** pmu_sysfs_exists() - is there a file of this name? */
bool pmu_sysfs_exists(const struct pmu_sysfs_pmu *pmu, const char *file);

/** What a count of a named event is to be multiplied by, and in which unit it is then. */
struct pmu_sysfs_scale {
	double factor; /* 1: as it is */
	char unit[16]; /* "" none */
	double kernel; /* what the kernel's file says */
};

/** pmu_sysfs_scale() - of a named event.  Return: 0; a negative errno with a sentence. */
int pmu_sysfs_scale(const struct pmu_sysfs_pmu *pmu, const char *event,
		    struct pmu_sysfs_scale *scale);

#endif
