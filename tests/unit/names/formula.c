/* SPDX-License-Identifier: BSD-3-Clause */
/* Formulas: parsed once, run over many rows. */
#include "plan/formula.h"

#include <errno.h>

#include "base/error.h"
#include "unit/part.h"

static struct pmu_formula formula;
static int n_asked;

static int index_of(void *arg, const char *name)
{
	const char *const *names = arg;

	n_asked++;
	for (int i = 0; names[i]; i++)
		if (!strcmp(names[i], name))
			return i;
	return -1;
}

static const char *names[] = { "a", "b", "cycles:k", "time", NULL };

static int parse(const char *text)
{
	pmu_error_clear();
	n_asked = 0;
	return pmu_formula_parse(text, index_of, names, &formula);
}

static void one_formula_serves_many_rows(void)
{
	static const double rows[][4] = {
		{ 6, 3, 0, 0 }, { 1, 8, 0, 0 }, { NAN, 1, 0, 0 }, { 1, 0, 0, 0 }
	};

	is_int(parse("100 * a / b"), 0, "a formula is parsed");
	is_int(n_asked, 2, "  each name is asked for once");
	ok(pmu_formula_eval(&formula, rows[0]) == 200, "  the first row");
	ok(pmu_formula_eval(&formula, rows[1]) == 12.5, "  the second");
	ok(isnan(pmu_formula_eval(&formula, rows[2])), "  missing in, missing out");
	ok(isnan(pmu_formula_eval(&formula, rows[3])), "  divided by zero is missing");
	is_int(n_asked, 2, "  and nobody was asked again");
}

static void names_have_the_indices_that_they_were_given(void)
{
	static const double row[] = { 1, 20, 300, 4000 };

	is_int(parse("a + b + \"cycles:k\" + time"), 0, "four names, one in quotes");
	ok(pmu_formula_eval(&formula, row) == 4321, "  each its own value");
	is_int(parse("-(a - \"b\") * -time"), 0, "signs");
	ok(pmu_formula_eval(&formula, row) == -(1.0 - 20) * -4000,
	   "  in front of parentheses and names");
	is_int(parse("min(a, b) / max(\"cycles:k\", time) - max(a, min(b, 3))"), 0, "functions");
	ok(pmu_formula_eval(&formula, row) == 1.0 / 4000 - 3, "  nested");
}

static void one_of_two_is_chosen_by_a_comparison(void)
{
	static const double row[] = { 1, 20, NAN, 4 };

	is_int(parse("if(a < b, 5, 7) + if (a > b, 100, 10*2)"), 0, "two choices");
	ok(pmu_formula_eval(&formula, row) == 25, "  by less, and by greater");
	is_int(parse("if(a < a, 1, 2) * if(a > a, 1, 3)"), 0, "of equals");
	ok(pmu_formula_eval(&formula, row) == 6, "  neither holds");
	is_int(parse("if(a > b - 19.5, if(b > 30, 1, b / 2), a / 0)"), 0, "one in the other");
	ok(pmu_formula_eval(&formula, row) == 10, "  and what is not chosen may be missing");
	is_int(parse("if(a < b, a / 0, 1)"), 0, "what is chosen");
	ok(isnan(pmu_formula_eval(&formula, row)), "  may be missing");
	is_int(parse("if(\"cycles:k\" < b, 1, 1)"), 0, "what is compared");
	ok(isnan(pmu_formula_eval(&formula, row)), "  may not");
}

static void infinite_values_are_missing(void)
{
	static const double row[] = { INFINITY, 1e300, 0, 0 };

	is_int(parse("a"), 0, "a name alone");
	ok(isnan(pmu_formula_eval(&formula, row)), "  an infinite count is missing");
	is_int(parse("min(b * b, 1)"), 0, "too large on the way");
	ok(isnan(pmu_formula_eval(&formula, row)), "  is missing at the end");
}

static void refused_formulas_are_missing(void)
{
	static const double row[] = { 1, 2, 3, 4 };
	static const struct {
		const char *text, *why;
	} wrong[] = {
		{ "a + c", "unknown name \"c\" at column 5" },
		{ "a +", "a value is missing at column 4" },
		{ "a b", "expected an operator at column 3" },
		{ "min(a)", "expected ',' at column 6" },
		{ "(a", "expected ')' at column 3" },
		{ "\"a", "a quote that is not closed at column 1" },
		{ "a < b", "expected an operator at column 3" },
		{ "if(a, 1, 2)", "expected '<' or '>' at column 5" },
		{ "if(a < b, 1)", "expected ',' at column 12" },
		{ "if(a < b, 1, 2, 3)", "expected ')' at column 15" },
		{ "if(a <= b, 1, 2)", "expected a number, a name or '(' at column 7" },
		{ "if", "unknown name \"if\" at column 1" },
		{ "", "column 1" },
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		is_int(parse(wrong[i].text), -EINVAL, wrong[i].text);
		has(pmu_error_text(), wrong[i].why, "  the sentence says what and where");
		ok(isnan(pmu_formula_eval(&formula, row)), "  nothing comes of it");
	}
}

/* n times "a+" and an "a" */
static int parse_long(int n)
{
	char text[PMU_FORMULA_MAX + 8];

	for (int i = 0; i < n; i++)
		memcpy(text + (ptrdiff_t)i * 2, "a+", 2);
	strcpy(text + (ptrdiff_t)n * 2, "a");
	return parse(text);
}

static void limits_are_told(void)
{
	static const double row[] = { 1, 2, 3, 4 };
	char deep[64];

	is_int(parse_long(127), 0, "255 operations");
	ok(pmu_formula_eval(&formula, row) == 128, "  are done");
	is_int(parse_long(128), -EINVAL, "257 are too many");
	has(pmu_error_text(), "too many operations", "  and the sentence says so");
	memset(deep, '(', 33);
	strcpy(deep + 33, "a");
	is_int(parse(deep), -EINVAL, "33 parentheses are too many");
	has(pmu_error_text(), "too many parentheses at column 33", "  and the sentence says so");
	is_int(parse_long(PMU_FORMULA_MAX / 2), -EINVAL, "too long");
	has(pmu_error_text(), "longer than 1023", "  and the sentence says so");
}

UNIT_PART(formula)
{
	one_formula_serves_many_rows();
	names_have_the_indices_that_they_were_given();
	one_of_two_is_chosen_by_a_comparison();
	infinite_values_are_missing();
	refused_formulas_are_missing();
	limits_are_told();
	return done_testing();
}
