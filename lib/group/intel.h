/* SPDX-License-Identifier: BSD-3-Clause */
/* Intel's published event files, as they are: mapfile.csv and the JSON files that it names. */
#ifndef PMU_GROUP_INTEL_H
#define PMU_GROUP_INTEL_H

#include "group/catalog.h"
#include "group/event.h"

/** One event of a file. */
struct pmu_intel_event {
	const char *name;  /* "UOPS_ISSUED.ANY"; in the file's own case */
	const char *about; /* BriefDescription */
	const char *unit;  /* of the uncore: "CBO", "iMC", ...; "" a core's */
	uint8_t core_type; /* 0; PMU_SLOT_P, PMU_SLOT_E */
	bool deprecated;
};

/**
 * pmu_intel_open() - the files of one CPU: core (of every core type), uncore
 * @folder: with mapfile.csv; @id: the CPU
 *
 * Return: 0; -ENOENT: the map has no such CPU, or none of its files is there; -EINVAL: a file that cannot be
 * read; each with a sentence that names the file (and line).  A file among several that is missing is
 * a sentence in pmu_intel_missing().
 */
int pmu_intel_open(const char *folder, const struct pmu_cpu_id *id, struct pmu_intel_files **files);
void pmu_intel_close(struct pmu_intel_files *files);
/** "" or which of the map's files are not there */
const char *pmu_intel_missing(const struct pmu_intel_files *files);

/**
 * pmu_intel_find() - an event by name
 * @name: with Intel's dots (colons are taken for dots), case does not count
 * @slot: config (event, umask, edge, inv, any, cmask, equal, umask2 in an event select's places), extra and
 *        extra_value (MSRIndex, MSRValue), counters (Counter), core_types, kind; uncore: unit and pmu
 * @about: result; may be NULL
 *
 * Where both core types have the name with different encodings, @slot is the P core's and core_types says so.
 *
 * Return: 0; -ENOENT with a sentence that names the nearest.
 */
int pmu_intel_find(const struct pmu_intel_files *files, const char *name, struct pmu_slot *slot,
		   struct pmu_intel_event *about);

/** pmu_intel_each() - every event, in the files' order */
void pmu_intel_each(const struct pmu_intel_files *files,
		    void (*each)(void *arg, const struct pmu_intel_event *event), void *arg);

#endif
