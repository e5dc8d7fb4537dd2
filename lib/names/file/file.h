/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Groups as text: small INI files.
 *
 *   [group]
 *   about = Instructions, cycles and branches
 *   [events]                   ; of every CPU that no other section names
 *   I  = instructions
 *   BM = branch-misses ?       ; '?': left out, and named, where the CPU lacks it or it does not fit
 *   [events Sandy Bridge, ivb] ; of these: the first section that names a CPU is the one it takes
 *   [metrics]                  ; formulas over the aliases, see metric.h; sections by CPU as above
 *   IPC                  = I / C
 *   branch miss rate [%] = 100 * BM / B
 *
 * A CPU is named by its microarchitecture ("Sandy Bridge"), a code name ("Gulftown"), libpfm4's
 * name of its PMU, also without what follows the first underscore ("snb" is also snb_ep), or "ARMv8",
 * which is every arm64 core.
 *
 * Instead of events and metrics [group] can have "groups = CORE, MEM": it stands for these,
 * in this order, without those that the CPU has nothing of.
 *
 * A column bears the event's name; where an event is given by its code (r10e,
 * cpu/event=0x0e,umask=0x01/), it bears the alias.  A metric with an alias that only other CPUs'
 * sections have is left out.
 */
#ifndef PMU_NAMES_FILE_FILE_H
#define PMU_NAMES_FILE_FILE_H

#include "plan/catalog.h"
#include "plan/group.h"

/** Limits; beyond them a file is refused with its line. */
#define PMU_GROUP_FILE_MAX     65536
#define PMU_GROUP_LINE_MAX     190 /* what most readers of INI take whole */
#define PMU_GROUP_KEY_MAX      49
#define PMU_GROUP_MAX_SECTIONS 64
#define PMU_GROUP_MAX_ALIASES  512 /* different ones, of all sections together */

/**
 * pmu_group_file_parse() - a file's text as a group of one CPU
 * @origin: file name, for sentences
 * @name: the group's
 *
 * Everything is checked: unknown sections, CPUs and keys, what stands there twice, ':' as a
 * separator, indented lines (INI would join them), over-long lines, unknown events, formulas with
 * unknown names or that do not parse.
 *
 * Return: 0; -EINVAL with a sentence "FILE:LINE: ..." (and column for formulas); -ENOTSUP with a
 * sentence: it has nothing for this CPU, or what it cannot do without is not here.
 */
int pmu_group_file_parse(const char *text, size_t len, const char *origin, const char *name,
			 struct pmu_catalog *catalog, struct pmu_group *group);

/**
 * pmu_group_file_find() - by name: PMU_GROUP_PATH (folders with colons between),
 * ~/.config/pmu/groups ($XDG_CONFIG_HOME), the shipped ones
 * @name: case does not count; NAME.group is the file
 *
 * Context: setuid programs (secure_getenv) are given the shipped ones alone.
 * Return: as above; -ENOENT: there is none; -EINVAL: a file that cannot be read.
 */
int pmu_group_file_find(const char *name, struct pmu_catalog *catalog, struct pmu_group *group);

/**
 * pmu_group_file_each() - every group that can be found, the one that wins for each name, sorted
 * @each: @about: why not, where the file cannot be read; @origin: the file, "" of a shipped one
 */
void pmu_group_file_each(void (*each)(void *arg, const char *name, const char *about,
				      const char *origin),
			 void *arg);

/** pmu_group_file_names() - the names of all groups that can be found, sorted; no file is read */
void pmu_group_file_names(void (*each)(void *arg, const char *name), void *arg);

/** A shipped file. */
struct pmu_group_shipped {
	const char *name, *text;
};
/** pmu_group_shipped_find() - as pmu_group_file_find(), of the shipped ones alone */
int pmu_group_shipped_find(const char *name, struct pmu_catalog *catalog, struct pmu_group *group);

/** Made of lib/names/data/ at build time; ends with a NULL name. */
extern const struct pmu_group_shipped pmu_group_shipped[];

#endif
