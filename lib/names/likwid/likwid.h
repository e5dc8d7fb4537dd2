/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * LIKWID's performance groups as they are: NAME.txt with SHORT, EVENTSET, METRICS and LONG.
 *
 * A line of the EVENTSET is "COUNTER[:OPTION[=HEX]]... EVENT": the counter's name says the unit and
 * its box (PMC0, FIXC1, MBOX3C0, PWR0), the event's name is the processor's with underscores for
 * dots.  A line of METRICS is a name and, as its last word, a formula over the counters.
 *
 * Source: the format as LIKWID 5.4's documentation and its reader have it.
 */
#ifndef PMU_NAMES_LIKWID_LIKWID_H
#define PMU_NAMES_LIKWID_LIKWID_H

#include "plan/catalog.h"
#include "plan/group.h"

#define PMU_LIKWID_PREFIX "likwid:"

/** Limits; beyond them a file is refused with its line. */
#define PMU_LIKWID_LINE_MAX     4094
#define PMU_LIKWID_MAX_COUNTERS 512 /* lines of an EVENTSET */
#define PMU_LIKWID_MAX_METRICS  256 /* lines of METRICS */

/**
 * pmu_likwid_parse() - a file's text as a group of one CPU
 * @origin: file name, for sentences
 * @name: the group's, without "likwid:"
 *
 * Boxes of one kind that count the same event become one slot where every formula has their sum
 * and no box is left out of it; else each is a slot.  What cannot be counted here is left out and
 * named in the group's note with file, line and reason, and so is a metric that needs it.
 *
 * Return: 0; -EINVAL with a sentence "FILE:LINE: ..."; -ENOTSUP with a sentence: nothing of it can
 * be counted here, or not all of it at once; -ENOMEM.
 */
int pmu_likwid_parse(const char *text, size_t len, const char *origin, const char *name,
		     struct pmu_catalog *catalog, struct pmu_group *group);

/**
 * pmu_likwid_find() - by name, in the folders of PMU_GROUP_PATH and ~/.config/pmu/groups
 * @name: of the file NAME.txt; case does not count
 * Return: as above; -EINVAL: there is none, or it cannot be read.
 */
int pmu_likwid_find(const char *name, struct pmu_catalog *catalog, struct pmu_group *group);

/**
 * pmu_likwid_each() - every such file of these folders that has an EVENTSET, sorted
 * @each: @name: with "likwid:"; @about: its SHORT; @origin: the file
 */
void pmu_likwid_each(void (*each)(void *arg, const char *name, const char *about,
				  const char *origin),
		     void *arg);

#endif
