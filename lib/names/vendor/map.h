/* SPDX-License-Identifier: BSD-3-Clause */
/* mapfile.csv: which of Intel's files are about which CPU. */
#ifndef PMU_NAMES_VENDOR_MAP_H
#define PMU_NAMES_VENDOR_MAP_H

#include <stddef.h>

#include "machine/cpu.h"

/** One line of the map that is about the CPU. */
struct pmu_vendor_map_row {
	/*
	 * in the folder, without a slash in front: "SKX/events/skylakex_core.json"; Linux's: a
	 * folder of files, "arm/neoverse-n1"
	 */
	const char *file;
	const char *folder;     /* the map's; NULL: of the text alone */
	const char *type;       /* "core", "hybridcore", "uncore", "metrics", ... */
	unsigned int core_type; /* of hybrids, CPUID leaf 1AH: 20H E, 40H P; 0 none is named */
	unsigned int native;    /* native model of the core */
	unsigned int line;
};

/**
 * pmu_vendor_map_parse() - a map's rows about one CPU, in their order
 * @name: of the map, for sentences
 * @text: need not end in NUL
 * @row: called for each; what it returns ends the walk where it is not 0
 *
 * A CPU is written GenuineIntel-6-55-4: family decimal, model and stepping hexadecimal, and may end
 * before the stepping; Arm's by MIDR_EL1, 0x00000000410fd0c0; RISC-V's by mvendorid, marchid and
 * mimpid, 0x5b7-0x0-0x0.  But for Arm's it is a pattern that may have [5-9A-F], [[:xdigit:]], (A|B)
 * and + in it.  One with anything else in it matches no CPU, and a path that leads out of the
 * folder is refused.
 *
 * Return: how many rows; a negative value of @row; -EINVAL with a sentence that names the line.
 */
int pmu_vendor_map_parse(const char *name, const char *text, size_t len,
			 const struct pmu_cpu_id *id,
			 int (*row)(void *arg, const struct pmu_vendor_map_row *row), void *arg);

/** pmu_vendor_cpu_name() - a CPU as maps write it, and the stepping of x86 */
void pmu_vendor_cpu_name(const struct pmu_cpu_id *id, char *name, size_t size);

/**
 * pmu_vendor_read() - a whole file of the folder
 * @text: malloc'ed, with a NUL behind its end
 *
 * Return: 0; -ENOENT where it is not there; another negative errno; each with a sentence.
 */
int pmu_vendor_read(const char *folder, const char *file, char **text, size_t *len);

/**
 * pmu_vendor_map_each() - the rows of a folder's mapfile.csv about one CPU
 * @folder: a checkout of intel/perfmon; of Linux's, its tools/perf/pmu-events or what is below: the
 *	map of the CPU's architecture
 * Return: as pmu_vendor_map_parse(), -ENOENT where the folder has no map.
 */
int pmu_vendor_map_each(const char *folder, const struct pmu_cpu_id *id,
			int (*row)(void *arg, const struct pmu_vendor_map_row *row), void *arg);

#endif
