/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of one of libpfm4's tables, and what its events need of the counters: for pfm.c. */
#ifndef PMU_NAMES_PFM_NAMES_H
#define PMU_NAMES_PFM_NAMES_H

#include <perfmon/pfmlib.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/index.h"
#include "machine/models.h"
#include "names/pfm/pfm.h"
#include "plan/plan.h"

/** Longest text of one event. */
#define PMU_PFM_TEXT_MAX  256
#define PMU_PFM_MAX_PARTS 12

/** What was written, cut at its dots and colons. */
struct pmu_pfm_text {
	char copy[PMU_PFM_TEXT_MAX];
	int n_parts;
	const char *part[PMU_PFM_MAX_PARTS];
	char before[PMU_PFM_MAX_PARTS]; /* what stands in front of it: '.' or ':' */
};

/** What it means in one table. */
struct pmu_pfm_event {
	const char *name; /* libpfm4's */
	int n_umasks;
	const char *umask[PMU_PFM_MAX_PARTS];
	bool by_number;      /* one of the masks has the name of a modifier */
	unsigned int number; /* then: all of them */
	int n_modifiers;
	const char *modifier[PMU_PFM_MAX_PARTS];
};

/** pmu_pfm_cut() - @text has no table's name in front.  Return: 0; -EINVAL with a sentence. */
int pmu_pfm_cut(const char *text, struct pmu_pfm_text *cut);

/** pmu_pfm_table_by_name() - a table of cores' events, or of those outside of them */
bool pmu_pfm_table_by_name(const char *name, size_t len, pfm_pmu_info_t *table);

/** pmu_pfm_table_present() - the first of that type that libpfm4 itself finds on this machine */
bool pmu_pfm_table_present(pfm_pmu_type_t type, pfm_pmu_info_t *table);

/** One event of a table. */
struct pmu_pfm_known {
	const char *name;                 /* libpfm4's */
	int at;                           /* its number there */
	uint64_t outline;                 /* pmu_word_outline() */
	const struct pmu_pfm_known *next; /* another of the same name */
};

/** A table's events. */
struct pmu_pfm_events {
	struct pmu_index by_name; /* the first of each, whatever joins the words */
	int n;
	struct pmu_pfm_known event[];
};

/** pmu_pfm_event_at() - what libpfm4 says of an event */
bool pmu_pfm_event_at(int i, pfm_event_info_t *event);

/** pmu_pfm_events() - read at the first call, and kept.  Return: NULL without memory. */
const struct pmu_pfm_events *pmu_pfm_events(const pfm_pmu_info_t *table);

/** pmu_pfm_event_called() - the first of that name, whatever joins the words; NULL: none */
const struct pmu_pfm_known *pmu_pfm_event_called(const pfm_pmu_info_t *table, const char *name);

/**
 * pmu_pfm_find() - an event of one table
 *
 * Intel's "A.B.C" is looked for as event A with mask B_C, then masks B and C, then event A_B.  What
 * stands behind a dot is never a modifier; what stands behind a colon is one where it looks like
 * one.
 *
 * Return: 0; -ENOENT: no such event or mask, -EINVAL: it can be read in two ways; each with a
 * sentence.
 */
int pmu_pfm_find(const pfm_pmu_info_t *table, const struct pmu_pfm_text *text,
		 struct pmu_pfm_event *event);

/** pmu_pfm_each_of() - every name of one table, for pmu_pfm_each() */
void pmu_pfm_each_of(const pfm_pmu_info_t *table,
		     void (*each)(void *arg, const struct pmu_pfm_name *name), void *arg);

/**
 * Code 00H with a mask up to here stands for a fixed counter; with others for what no counter of
 * its own counts.
 */
#define PMU_PFM_MAX_PSEUDO 7

/**
 * pmu_pfm_limit() - which general counters can count an Intel core event: slot->counters; a code
 * that they know
 */
void pmu_pfm_limit(const char *table, struct pmu_slot *slot);

/**
 * pmu_pfm_limit_core() - the same of a model, also where libpfm4 has no table of it; the slot says
 * which kind of core
 */
void pmu_pfm_limit_core(const struct pmu_cpu_model *model, struct pmu_slot *slot);

/**
 * pmu_pfm_fixed() - Intel's name of a fixed counter's event
 * @unknown: among those that are asked for after libpfm4 did not know the name, else before
 * Return: the name; NULL: it is none.
 */
const char *pmu_pfm_fixed(const struct pmu_pfm_text *text, bool unknown, struct pmu_slot *slot);

#endif
