/* SPDX-License-Identifier: BSD-3-Clause */
/* Intel's formulas in our language: what is kept, what is decided, what is refused. */
#include "names/vendor/formula.h"

#include <errno.h>

#include "base/compiler.h"
#include "base/error.h"
#include "unit/part.h"

static struct pmu_intel_term terms[] = {
	{ .alias = "a", .text = "INST_RETIRED.ANY" }, { .alias = "b", .text = "\"cycles:k\"" },
	{ .alias = "ms", .text = "(time * 1000)" },   { .alias = "smt_on" },
	{ .alias = "twenty", .number = 20 },          { .alias = "secret", .why = "nobody knows" },
};
static struct pmu_strbuf out;

static int translate(const char *text, int smt_on)
{
	pmu_strbuf_free(&out);
	pmu_error_clear();
	terms[3].number = smt_on;
	for (size_t i = 0; i < PMU_ARRAY_LEN(terms); i++)
		terms[i].used = false;
	return pmu_intel_formula(text, terms, PMU_ARRAY_LEN(terms), &out);
}

static void becomes(const char *text, int smt_on, const char *want)
{
	is_int(translate(text, smt_on), 0, text);
	is_str(pmu_strbuf_text(&out), want, "  in our language");
}

static void is_refused(const char *text, const char *why)
{
	is_int(translate(text, 1), -ENOTSUP, text);
	has(pmu_error_text(), why, "  the sentence says why");
}

static void names_and_numbers_are_put_in(void)
{
	becomes("a / b", 0, "INST_RETIRED.ANY / \"cycles:k\"");
	becomes("100 * a/1e9*0.5", 0, "100 * INST_RETIRED.ANY / 1e9 * 0.5");
	becomes("a / ( ms / 1000 )", 0, "INST_RETIRED.ANY / ((time * 1000) / 1000)");
	becomes("twenty * a", 0, "20 * INST_RETIRED.ANY");
	becomes("-a - -b", 0, "-INST_RETIRED.ANY - -\"cycles:k\"");
	becomes("max( 0 , a - b ) + min(a,2)", 0,
		"max(0, INST_RETIRED.ANY - \"cycles:k\") + min(INST_RETIRED.ANY, 2)");
}

static void parentheses_stay_where_the_order_needs_them(void)
{
	becomes("( ( 4 ) * ( ( a ) ) )", 0, "4 * INST_RETIRED.ANY");
	becomes("(a - (b - a))", 0, "INST_RETIRED.ANY - (\"cycles:k\" - INST_RETIRED.ANY)");
	becomes("(a * b) / 2", 0, "INST_RETIRED.ANY * \"cycles:k\" / 2");
	becomes("a * (b / 2)", 0, "INST_RETIRED.ANY * (\"cycles:k\" / 2)");
	becomes("2 * (a + b)", 0, "2 * (INST_RETIRED.ANY + \"cycles:k\")");
	becomes("(a + b) - (a)", 0, "INST_RETIRED.ANY + \"cycles:k\" - INST_RETIRED.ANY");
	becomes("-(a + b)", 0, "-(INST_RETIRED.ANY + \"cycles:k\")");
}

static void choices_by_the_machine_are_decided(void)
{
	becomes("4 * ( ( b / 2 ) if smt_on else ( a ) )", 1, "4 * (\"cycles:k\" / 2)");
	ok(terms[1].used && !terms[0].used, "  what was not chosen is not used");
	becomes("4 * ( ( b / 2 ) if smt_on else ( a ) )", 0, "4 * INST_RETIRED.ANY");
	ok(terms[0].used && !terms[1].used, "  nor here");
	becomes("1 - a / b if smt_on else 0", 0, "0");
	becomes("1 - a / b if smt_on else 0", 1, "1 - INST_RETIRED.ANY / \"cycles:k\"");
	becomes("a if twenty < 3 else b if twenty > 19 else 1", 0, "\"cycles:k\"");
	becomes("secret if smt_on else a", 0, "INST_RETIRED.ANY");
}

static void choices_by_counts_are_left_to_every_row(void)
{
	becomes("2 * ( a if a < ( b - 1 ) else b ) ", 0,
		"2 * if(INST_RETIRED.ANY < \"cycles:k\" - 1, INST_RETIRED.ANY, \"cycles:k\")");
	becomes("a / b if a > twenty else 1 if b > a else 0", 0,
		"if(INST_RETIRED.ANY > 20, INST_RETIRED.ANY / \"cycles:k\", "
		"if(\"cycles:k\" > INST_RETIRED.ANY, 1, 0))");
}

static void what_cannot_be_said_is_refused(void)
{
	is_refused("a if b else 1", "chooses by what was counted");
	is_refused("(a < b) * 2", "computes with a comparison");
	is_refused("a if smt_on", "an \"if\" without \"else\" at column 12");
	is_refused("a + secret", "nobody knows");
	is_refused("secret if smt_on else a", "nobody knows");
	is_refused("a if secret else b", "nobody knows");
	is_refused("a + unheard", "the unknown name \"unheard\"");
	is_refused("max(a, b, 1)", "not of two values at column 9");
	is_refused("max(a)", "not of two values");
	is_refused("a [ 0 ]", "more than one value at column 3");
	is_refused("a && b", "more than one value at column 3");
	is_refused("a + & b", "\"&\" at column 5");
	is_refused("(a", "no closing parenthesis");
	is_refused("", "no value at column 1");
	is_refused("2.5.1", "a strange number");
	is_refused("1e", "a strange number");
	is_refused("0x10", "a strange number");
}

static void limits_are_told(void)
{
	char text[PMU_INTEL_FORMULA_MAX + 8];

	memset(text, '(', sizeof(text));
	text[100] = '\0';
	is_refused(text, "too many parentheses or choices in one another at column 25");
	memset(text, ' ', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	is_refused(text, "longer than 8191 characters");
	for (int i = 0; i < 2000; i += 2)
		memcpy(text + i, i % 100 == 98 ? "1)" : i % 100 ? "1+" : i ? "+(" : " (", 2);
	text[2000] = '\0';
	is_refused(text, "more than 1024 operations");
}

/* What writes them goes down one in another, maybe on a thread's small stack. */
static void formulas_are_not_too_deep(void)
{
	char text[PMU_INTEL_FORMULA_MAX] = "a";

	for (int i = 0; i < 120; i++)
		strcat(text, "+a");
	is_int(translate(text, 1), 0, "a sum of 121 is written");
	strcat(text, "+a");
	is_refused(text, "too many operations in one another at column 244");
	strcpy(text, "a");
	for (int i = 0; i < 25; i++)
		strcat(text, " if 1 < 2 else a");
	is_refused(text, "too many parentheses or choices");
}

UNIT_PART(intel_formula)
{
	names_and_numbers_are_put_in();
	parentheses_stay_where_the_order_needs_them();
	choices_by_the_machine_are_decided();
	choices_by_counts_are_left_to_every_row();
	what_cannot_be_said_is_refused();
	limits_are_told();
	formulas_are_not_too_deep();
	pmu_strbuf_free(&out);
	return done_testing();
}
