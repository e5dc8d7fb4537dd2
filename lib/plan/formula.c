/* SPDX-License-Identifier: BSD-3-Clause */
/* Parses formulas into programs of a small stack machine, and runs them. */
#include "plan/formula.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/number.h"

#define DEPTH_MAX 32

enum code { NUMBER, NAME, NEGATE, ADD, SUBTRACT, MULTIPLY, DIVIDE, MINIMUM, MAXIMUM, CHOICE };

struct parser {
	const char *text;
	const char *at;
	int depth;
	int (*index)(void *arg, const char *name);
	void *arg;
	struct pmu_formula *formula;
	int error; /* 0, or what pmu_fail() returned: the first one counts */
};

static void parse_sum(struct parser *p);

static void formula_fail(struct parser *p, const char *at, const char *what)
{
	if (!p->error)
		p->error = pmu_fail(EINVAL, "%s at column %d of the formula \"%s\"", what,
				    (int)(at - p->text) + 1, p->text);
}

/* What is too large to say is missing, also within a formula. */
static double finite_or_missing(double value)
{
	return isfinite(value) ? value : NAN;
}

static struct pmu_formula_op *emit(struct parser *p, enum code code)
{
	struct pmu_formula_op *op;

	if (p->error)
		return NULL;
	if (p->formula->n_ops == PMU_FORMULA_MAX_OPS) {
		formula_fail(p, p->at, "too many operations");
		return NULL;
	}
	op = &p->formula->op[p->formula->n_ops++];
	*op = (struct pmu_formula_op){ .code = (uint8_t)code };
	return op;
}

/* --- words and numbers --- */

static bool accept_char(struct parser *p, char c)
{
	while (*p->at == ' ' || *p->at == '\t')
		p->at++;
	if (!c || *p->at != c)
		return false;
	p->at++;
	return true;
}

/* "e-9"; false: there are no digits */
static bool parse_exponent(struct parser *p, int *value)
{
	bool minus = p->at[1] == '-';
	int written = 0;

	p->at += 1 + (p->at[1] == '-' || p->at[1] == '+');
	if (!pmu_is_digit(*p->at))
		return false;
	for (; pmu_is_digit(*p->at); p->at++)
		written = written < 10000 ? written * 10 + (*p->at - '0') : written;
	*value += minus ? -written : written;
	return true;
}

/* Not strtod(): the program's locale may have another decimal point. */
static void parse_number(struct parser *p)
{
	const char *start = p->at;
	struct pmu_formula_op *op;
	double value = 0;
	int power = 0, n_digits = 0;

	for (; pmu_is_digit(*p->at); p->at++, n_digits++)
		value = value * 10 + (*p->at - '0');
	if (*p->at == '.')
		for (p->at++; pmu_is_digit(*p->at); p->at++, n_digits++, power--)
			value = value * 10 + (*p->at - '0');
	if (!n_digits)
		return formula_fail(p, start, "a number without digits");
	if ((*p->at == 'e' || *p->at == 'E') && !parse_exponent(p, &power))
		return formula_fail(p, start, "an exponent without digits");
	if (pmu_starts_word(*p->at) || *p->at == '.')
		return formula_fail(p, start, "a number that goes on with letters");
	op = emit(p, NUMBER);
	/* dividing by a power of ten rounds once: 0.1 is what a compiler makes of it */
	if (op)
		op->number = finite_or_missing(
			power < 0 ? value / pmu_power_of_ten((unsigned int)-power)
				  : value * pmu_power_of_ten((unsigned int)power));
}

static void emit_load(struct parser *p, const char *name, const char *at)
{
	char what[PMU_FORMULA_NAME_MAX + 32];
	struct pmu_formula_op *op;
	int index;

	if (p->error)
		return;
	index = p->index(p->arg, name);
	if (index < 0 || index > UINT16_MAX) {
		snprintf(what, sizeof(what), "unknown name \"%s\"", name);
		return formula_fail(p, at, what);
	}
	op = emit(p, NAME);
	if (op)
		op->name = (uint16_t)index;
}

static void parse_quoted(struct parser *p)
{
	const char *start = p->at++;
	size_t len = strcspn(p->at, "\"");
	char name[PMU_FORMULA_NAME_MAX];

	if (!p->at[len])
		return formula_fail(p, start, "a quote that is not closed");
	if (!len || len >= sizeof(name))
		return formula_fail(p, start, len ? "a name that is too long" : "an empty name");
	memcpy(name, p->at, len);
	name[len] = '\0';
	p->at += len + 1;
	emit_load(p, name, start);
}

/* --- grammar --- */

static void expect(struct parser *p, char c)
{
	char what[] = "expected 'x'";

	what[10] = c;
	if (!p->error && !accept_char(p, c))
		formula_fail(p, p->at, what);
}

/* if(a < b, x, y) and if(a > b, x, y) */
static void parse_choice(struct parser *p, const char *start)
{
	struct pmu_formula_op *op;
	bool greater = false;

	if (p->depth >= DEPTH_MAX)
		return formula_fail(p, start, "too many parentheses");
	p->depth++;
	parse_sum(p);
	if (!p->error && accept_char(p, '>'))
		greater = true;
	else if (!p->error && !accept_char(p, '<'))
		formula_fail(p, p->at, "expected '<' or '>'");
	for (int i = 0; i < 3 && !p->error; i++) {
		parse_sum(p);
		expect(p, i < 2 ? ',' : ')');
	}
	p->depth--;
	op = emit(p, CHOICE);
	if (op)
		op->name = greater;
}

/* min(a,b) and max(a,b) */
static void parse_of_two(struct parser *p, const char *start, enum code code)
{
	if (p->depth >= DEPTH_MAX)
		return formula_fail(p, start, "too many parentheses");
	p->depth++;
	parse_sum(p);
	expect(p, ',');
	if (!p->error)
		parse_sum(p);
	expect(p, ')');
	p->depth--;
	emit(p, code);
}

static void parse_word(struct parser *p)
{
	const char *start = p->at;
	char name[PMU_FORMULA_NAME_MAX];
	size_t len = 0;

	while (pmu_starts_word(start[len]) || pmu_is_digit(start[len]) || start[len] == '.')
		len++;
	if (len >= sizeof(name))
		return formula_fail(p, start, "a name that is too long");
	memcpy(name, start, len);
	name[len] = '\0';
	p->at += len;
	if ((!strcmp(name, "min") || !strcmp(name, "max")) && accept_char(p, '('))
		parse_of_two(p, start, name[1] == 'a' ? MAXIMUM : MINIMUM);
	else if (!strcmp(name, "if") && accept_char(p, '('))
		parse_choice(p, start);
	else
		emit_load(p, name, start);
}

static void parse_parenthesis(struct parser *p)
{
	const char *start = p->at++;

	if (p->depth >= DEPTH_MAX)
		return formula_fail(p, start, "too many parentheses");
	p->depth++;
	parse_sum(p);
	p->depth--;
	expect(p, ')');
}

static void parse_factor(struct parser *p)
{
	bool minus = false;

	while (accept_char(p, '-'))
		minus = !minus;
	if (*p->at == '(')
		parse_parenthesis(p);
	else if (*p->at == '"')
		parse_quoted(p);
	else if (pmu_is_digit(*p->at) || *p->at == '.')
		parse_number(p);
	else if (pmu_starts_word(*p->at))
		parse_word(p);
	else
		formula_fail(p, p->at,
			     *p->at ? "expected a number, a name or '('" : "a value is missing");
	if (minus)
		emit(p, NEGATE);
}

static void parse_product(struct parser *p)
{
	parse_factor(p);
	while (!p->error) {
		enum code code = accept_char(p, '*')   ? MULTIPLY
				 : accept_char(p, '/') ? DIVIDE
						       : NUMBER;

		if (code == NUMBER)
			break;
		parse_factor(p);
		emit(p, code);
	}
}

static void parse_sum(struct parser *p)
{
	parse_product(p);
	while (!p->error) {
		enum code code = accept_char(p, '+')   ? ADD
				 : accept_char(p, '-') ? SUBTRACT
						       : NUMBER;

		if (code == NUMBER)
			break;
		parse_product(p);
		emit(p, code);
	}
}

int pmu_formula_parse(const char *text, int (*index)(void *arg, const char *name), void *arg,
		      struct pmu_formula *formula)
{
	struct parser p = {
		.text = text, .at = text, .index = index, .arg = arg, .formula = formula
	};

	formula->n_ops = 0;
	if (strnlen(text, PMU_FORMULA_MAX) == PMU_FORMULA_MAX)
		return pmu_fail(EINVAL, "a formula longer than %d characters", PMU_FORMULA_MAX - 1);
	parse_sum(&p);
	accept_char(&p, '\0');
	if (!p.error && *p.at)
		formula_fail(&p, p.at, "expected an operator");
	if (p.error)
		formula->n_ops = 0;
	return p.error;
}

/* --- running --- */

static double of_both(enum code code, double a, double b)
{
	switch (code) {
	case ADD:
		return finite_or_missing(a + b);
	case SUBTRACT:
		return finite_or_missing(a - b);
	case MULTIPLY:
		return finite_or_missing(a * b);
	case DIVIDE:
		return b == 0 ? NAN : finite_or_missing(a / b);
	default:
		if (isnan(a) || isnan(b))
			return NAN;
		return (a > b) == (code == MAXIMUM) ? a : b;
	}
}

/* Of a, b, x, y.  What is not chosen may be missing. */
static double eval_choice(const double *of, bool greater)
{
	if (isnan(of[0]) || isnan(of[1]))
		return NAN;
	return (greater ? of[0] > of[1] : of[0] < of[1]) ? of[2] : of[3];
}

double pmu_formula_eval(const struct pmu_formula *formula, const double *value)
{
	/* nothing is taken off that was not put on: the parser made it so */
	double stack[PMU_FORMULA_MAX_OPS];
	unsigned int n = 0;

	for (unsigned int i = 0; i < formula->n_ops; i++) {
		const struct pmu_formula_op *op = &formula->op[i];

		if (op->code == NUMBER)
			stack[n++] = op->number;
		else if (op->code == NAME)
			stack[n++] = finite_or_missing(value[op->name]);
		else if (op->code == NEGATE)
			stack[n - 1] = -stack[n - 1];
		else if (op->code == CHOICE)
			n -= 3, stack[n - 1] = eval_choice(&stack[n - 1], op->name);
		else
			n--, stack[n - 1] = of_both((enum code)op->code, stack[n - 1], stack[n]);
	}
	return n ? stack[0] : NAN;
}

/* --- one formula over given values --- */

struct given {
	int (*lookup)(void *arg, const char *name, double *value);
	void *arg;
	unsigned int n;
	double value[PMU_FORMULA_MAX_OPS];
	struct pmu_formula parsed;
};

static int given_index(void *arg, const char *name)
{
	struct given *given = arg;

	if (given->n == PMU_ARRAY_LEN(given->value))
		return 0; /* as many operations are refused */
	given->value[given->n] = NAN;
	if (given->lookup(given->arg, name, &given->value[given->n]) < 0)
		return -1;
	return (int)given->n++;
}

int pmu_metric_eval(const char *formula, int (*lookup)(void *arg, const char *name, double *value),
		    void *arg, double *value)
{
	/* not on the stack: a program's thread may have a small one */
	struct given *given = calloc(1, sizeof(*given));
	int rc;

	*value = NAN;
	if (!given)
		return pmu_fail(ENOMEM, "no memory for a formula");
	given->lookup = lookup;
	given->arg = arg;
	rc = pmu_formula_parse(formula, given_index, given, &given->parsed);
	if (!rc)
		*value = pmu_formula_eval(&given->parsed, given->value);
	free(given);
	return rc;
}
