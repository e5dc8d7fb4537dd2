/* SPDX-License-Identifier: BSD-3-Clause */
/* What a host took from a virtual machine while the program ran: a note of its report. */
#ifndef PMU_SESSION_STEAL_H
#define PMU_SESSION_STEAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Ticks of all processors together since the machine's start, as proc_stat(5) has them. */
struct pmu_steal {
	uint64_t stolen; /* ready to run, and the host ran something else */
	uint64_t all;    /* these, running and idle; 0: not known */
};

/** pmu_steal_parse() - of /proc/stat, its first line at least.  Return: zeros where it does not tell. */
struct pmu_steal pmu_steal_parse(const char *stat);

/** pmu_steal_words() - what was taken, if it is worth a word.  Return: is there one in @text? */
bool pmu_steal_words(const struct pmu_steal *then, const struct pmu_steal *now, char *text,
		     size_t size);

/** pmu_steal_start(), pmu_steal_remark() - the session begins, and ends: a note in its report */
void pmu_steal_start(void);
void pmu_steal_remark(void);

#endif
