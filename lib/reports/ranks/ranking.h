/* SPDX-License-Identifier: BSD-3-Clause */
/* What the parts that make and merge records of ranks share. */
#ifndef PMU_REPORTS_RANKS_RANKING_H
#define PMU_REPORTS_RANKS_RANKING_H

#include "report/model/block.h"
#include "reports/ranks/ranks.h"

/** pmu_ranks_new() - of no rank.  Return: NULL without memory. */
struct pmu_ranks *pmu_ranks_new(void);

/** pmu_ranks_text() - the record's only copy; "" for NULL and without memory, then with @failed */
const char *pmu_ranks_text(struct pmu_ranks *ranks, const char *text, size_t len);

/** pmu_over_merge() - add another's ranks; their hosts become texts of the record */
int pmu_over_merge(struct pmu_over *over, struct pmu_ranks *ranks, const struct pmu_over *from);

/** pmu_ranks_say() - one more said; the same one is added to */
void pmu_ranks_say(struct pmu_ranks *ranks, enum pmu_said kind, const struct pmu_ranks_said *said);

/** pmu_ranks_add_worst() - keeps those that compute longest, of equal ones the lowest */
void pmu_ranks_add_worst(struct pmu_ranks *ranks, const struct pmu_ranks_worst *worst);

/**
 * pmu_ranks_find_section() - by group; made where there is none
 * Return: NULL without memory, and beyond PMU_RANKS_MAX_SECTIONS.
 */
struct pmu_ranks_section *pmu_ranks_find_section(struct pmu_ranks *ranks, const char *group);

/**
 * pmu_ranks_add_row() - behind the others, with nothing in it
 * Return: its index; -1 without memory.
 */
int pmu_ranks_add_row(struct pmu_ranks *ranks, struct pmu_ranks_section *section, const char *name,
		      int parent, uint32_t flags);

#endif
