/* SPDX-License-Identifier: BSD-3-Clause */
/* Of which regions one call in so many is measured: PMU_EVERY. */
#ifndef PMU_SESSION_EVERY_H
#define PMU_SESSION_EVERY_H

#include <stddef.h>
#include <stdint.h>

#define PMU_EVERY_MAX_RULES 32
#define PMU_EVERY_MAX_NAME  128
#define PMU_EVERY_MOST      1000000u

/** Rules in the order in which they were given; the first that a name suits holds. */
struct pmu_every_rules {
	unsigned int n; /* 0: every call of every region is measured */
	struct {
		char pattern[PMU_EVERY_MAX_NAME]; /* '*' stands for any text */
		uint32_t one_in;
	} rule[PMU_EVERY_MAX_RULES];
};

/**
 * pmu_every_parse() - rules as "kernel:10,solve*:100,*:1"
 *
 * A name may hold colons: the last one of a rule is before its number.
 * Return: 0, or -EINVAL with a sentence.
 */
int pmu_every_parse(const char *text, struct pmu_every_rules *rules);

/** pmu_every_one_in() - one call in so many of a region is measured, on average; 1: each */
uint32_t pmu_every_one_in(const struct pmu_every_rules *rules, const char *name);

/** pmu_every_text() - for a report: "of kernel one call in 10 was measured, of * one in 2"; cut to fit */
void pmu_every_text(const struct pmu_every_rules *rules, char *text, size_t size);

#endif
