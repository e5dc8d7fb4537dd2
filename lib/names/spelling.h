/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An event's name, however it is spelled: UOPS_ISSUED.ANY (Intel), UOPS_ISSUED:ANY (libpfm4),
 * uops_issued.any (perf), UOPS_ISSUED_ANY (LIKWID), UopsIssuedAny (as AMD's manuals write theirs).
 */
#ifndef PMU_NAMES_SPELLING_H
#define PMU_NAMES_SPELLING_H

#include <stdbool.h>
#include <stdint.h>

/** How much two names are alike; the smaller the more. */
enum pmu_spelling {
	PMU_SPELLED_SAME,      /* but for case, and dots where the other has colons */
	PMU_SPELLED_JOINED,    /* but for what joins the words: . : _ - or nothing */
	PMU_SPELLED_RESPELLED, /* and words that sources write in two ways: DEMAND, DMND */
	PMU_SPELLED_OTHERWISE, /* two names */
};

/** pmu_spelling_compare() - are two names the same one? */
enum pmu_spelling pmu_spelling_compare(const char *a, const char *b);

/** pmu_spelling_hash() - the same for names that are PMU_SPELLED_SAME or PMU_SPELLED_JOINED */
uint32_t pmu_spelling_hash(const char *name);

/** pmu_spelling_hash_respelled() - the same for names that are PMU_SPELLED_RESPELLED, or SAME */
uint32_t pmu_spelling_hash_respelled(const char *name);

/**
 * pmu_spelling_may_be() - can a name be all that was written, or all but modifiers behind it?
 * @text: an event as it was written
 * @name: an event's; with a P behind what was written too, as the general counters' event of what
 *	a fixed counter counts has it
 */
bool pmu_spelling_may_be(const char *text, const char *name);

#endif
