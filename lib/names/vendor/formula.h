/* SPDX-License-Identifier: BSD-3-Clause */
/* Formulas of Intel's metric files in the language of our own. */
#ifndef PMU_NAMES_VENDOR_FORMULA_H
#define PMU_NAMES_VENDOR_FORMULA_H

#include <stdbool.h>
#include <stddef.h>

#include "base/strbuf.h"

/** Longer ones have more in them than a group can count. */
#define PMU_INTEL_FORMULA_MAX 8192

/** What one name of a formula stands for. */
struct pmu_intel_term {
	const char *alias; /* as the formula has it */
	/* as ours has it: a column's name, or something in parentheses; NULL: a number */
	const char *text;
	double number;   /* then: which, a whole one */
	const char *why; /* not NULL: it cannot be had, and why */
	bool used;       /* result: it is in the formula that came out */
};

/**
 * pmu_intel_formula() - a formula of a metric file as one for pmu_formula_parse()
 * @text: + - * / ( ) min max, numbers, and "X if CONDITION else Y" where the condition is a
 *        comparison, or a number that is known beforehand (of threads per core); what is known is
 *        decided
 * @term: its names; only those that come out need to be known
 *
 * Parentheses around a single value are left out, others are kept, and so is the order of
 * operations.
 *
 * Return: 0; -ENOTSUP with a sentence: why ours cannot say that; -ENOMEM.
 */
int pmu_intel_formula(const char *text, struct pmu_intel_term *term, size_t n_terms,
		      struct pmu_strbuf *out);

#endif
