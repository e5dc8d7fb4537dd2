/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Groups as text: small INI files.
 *
 *   [group]
 *   about = Instructions, cycles and branches
 *   [events]                          of every CPU that no other section names
 *   I  = instructions
 *   BM = branch-misses ?              ; '?': left out, and named, where the CPU lacks it or it does not fit
 *   [events Sandy Bridge, ivb]        of these: microarchitectures, code names or libpfm4's names of PMUs
 *   [metrics]                         formulas over the aliases, see metric.h; sections for CPUs as above
 *   IPC                  = I / C
 *   branch miss rate [%] = 100 * BM / B
 */
#ifndef PMU_GROUP_FILE_H
#define PMU_GROUP_FILE_H

#include "group/catalog.h"
#include "group/group.h"

/** Limits; beyond them a file is refused with its line. */
#define PMU_GROUP_FILE_MAX 65536
#define PMU_GROUP_LINE_MAX 1000

/**
 * pmu_group_file_parse() - a file's text as a group of one CPU
 * @origin: file name, for sentences
 * @name: the group's
 *
 * Everything is checked: unknown sections and keys, keys named twice, ':' as a separator, indented lines (INI would
 * join them), over-long lines, unknown events, formulas with unknown names or that do not parse.
 *
 * Return: 0; -EINVAL with a sentence "FILE:LINE: ..." (and column for formulas); -ENOTSUP: it has nothing for
 * this CPU.
 */
int pmu_group_file_parse(const char *text, size_t len, const char *origin, const char *name,
			 const struct pmu_catalog *catalog, struct pmu_group *group);

/**
 * pmu_group_file_find() - by name: PMU_GROUP_PATH (folders with colons between), ~/.config/pmu/groups
 * ($XDG_CONFIG_HOME), the shipped ones
 * @name: case does not count; NAME.group is the file
 * Return: as above; -ENOENT: there is none.
 */
int pmu_group_file_find(const char *name, const struct pmu_catalog *catalog, struct pmu_group *group);

/** pmu_group_file_each() - every group that can be found, the one that wins for each name, sorted */
void pmu_group_file_each(void (*each)(void *arg, const char *name, const char *about, const char *origin), void *arg);

/** A shipped file. */
struct pmu_group_shipped {
	const char *name, *text;
};
/** Made of lib/group/data/ at build time; ends with a NULL name. */
extern const struct pmu_group_shipped pmu_group_shipped[];

#endif
