/* SPDX-License-Identifier: BSD-3-Clause */
/* Formulas: parsed once, checked when they are read, evaluated for every row. */
#ifndef PMU_PLAN_FORMULA_H
#define PMU_PLAN_FORMULA_H

#include <stddef.h>
#include <stdint.h>

#define PMU_FORMULA_MAX      1024 /* characters */
#define PMU_FORMULA_MAX_OPS  256
#define PMU_FORMULA_NAME_MAX 64

struct pmu_formula_op {
	uint8_t code; /* of formula.c */
	/* index, where the operation loads a name; of a choice: by '>' */
	uint16_t name;
	double number;
};

/** A formula as a stack machine runs it; without operations it is missing. */
struct pmu_formula {
	unsigned int n_ops;
	struct pmu_formula_op op[PMU_FORMULA_MAX_OPS];
};

/**
 * pmu_formula_parse() - + - * / ( ) min(a,b) max(a,b) if(a<b,x,y) if(a>b,x,y), decimal numbers,
 * names
 * @index: a name's index for pmu_formula_eval(); negative: unknown.  A name that is no plain word
 *         ([A-Za-z_][A-Za-z0-9_.]*) stands in double quotes: "branch-misses" / branches
 * Return: 0; -EINVAL with a sentence that names the column; @formula is then missing.
 */
int pmu_formula_parse(const char *text, int (*index)(void *arg, const char *name), void *arg,
		      struct pmu_formula *formula);

/**
 * pmu_formula_eval() - the value for one row
 * @value: of the names, by their indices; NaN is missing
 * Return: NaN where anything in it is missing, too large, or divided by zero, but for what an if()
 * does not choose.
 */
double pmu_formula_eval(const struct pmu_formula *formula, const double *value);

/**
 * pmu_metric_eval() - the value of a formula, once
 * @formula: as pmu_formula_parse() has it
 * @lookup: value of a name; NaN where it is missing, -1 returned where it is unknown
 * @value: NaN (missing) where anything in it is missing or a division by zero is asked for
 *
 * Return: 0; -EINVAL with a sentence that names the column of a syntax error or unknown name.
 */
int pmu_metric_eval(const char *formula, int (*lookup)(void *arg, const char *name, double *value),
		    void *arg, double *value);

#endif
