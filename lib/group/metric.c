/* SPDX-License-Identifier: BSD-3-Clause */
/* Evaluates the formulas of metrics over a row's counts. */
#include "group/metric.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"

#define FORMULA_MAX	1024
#define METRIC_NAME_MAX 64
#define DEPTH_MAX	32

struct parser {
	const char *formula;
	const char *at;
	int depth;
	int (*lookup)(void *arg, const char *name, double *value);
	void *arg;
	int error; /* 0, or what pmu_fail() returned: the first one counts */
};

static double sum(struct parser *p);

static double fail(struct parser *p, const char *at, const char *what)
{
	if (!p->error)
		p->error = pmu_fail(EINVAL, "%s at column %d of the formula \"%s\"", what,
				    (int)(at - p->formula) + 1, p->formula);
	return NAN;
}

/* What is too large to say is missing, also within a formula. */
static double finite_or_missing(double value)
{
	return isfinite(value) ? value : NAN;
}

static void skip_blanks(struct parser *p)
{
	while (*p->at == ' ' || *p->at == '\t')
		p->at++;
}

static bool accept(struct parser *p, char c)
{
	skip_blanks(p);
	if (*p->at != c)
		return false;
	p->at++;
	return true;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool starts_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* Not strtod(): the program's locale may have another decimal point. */
static double number(struct parser *p)
{
	const char *start = p->at;
	double value = 0;
	int exponent = 0, n_digits = 0;

	for (; is_digit(*p->at); p->at++, n_digits++)
		value = value * 10 + (*p->at - '0');
	if (*p->at == '.')
		for (p->at++; is_digit(*p->at); p->at++, n_digits++, exponent--)
			value = value * 10 + (*p->at - '0');
	if (!n_digits)
		return fail(p, start, "a number without digits");
	if (*p->at == 'e' || *p->at == 'E') {
		int written = 0;
		bool minus = p->at[1] == '-';

		p->at += 1 + (p->at[1] == '-' || p->at[1] == '+');
		if (!is_digit(*p->at))
			return fail(p, start, "an exponent without digits");
		for (; is_digit(*p->at); p->at++)
			written =
				written < 10000 ? written * 10 + (*p->at - '0') : written;
		exponent += minus ? -written : written;
	}
	if (starts_word(*p->at) || *p->at == '.')
		return fail(p, start, "a number that goes on with letters");
	/* dividing by a power of ten rounds once: 0.1 is what a compiler makes of it */
	return finite_or_missing(exponent < 0 ? value / pow(10, -exponent)
					      : value * pow(10, exponent));
}

static double look_up(struct parser *p, const char *name, const char *at)
{
	double value = NAN;
	char what[METRIC_NAME_MAX + 32];

	if (p->error)
		return NAN;
	if (p->lookup(p->arg, name, &value) < 0) {
		snprintf(what, sizeof(what), "unknown name \"%s\"", name);
		return fail(p, at, what);
	}
	return value;
}

static double quoted(struct parser *p)
{
	const char *start = p->at++;
	size_t len = strcspn(p->at, "\"");
	char name[METRIC_NAME_MAX];

	if (!p->at[len])
		return fail(p, start, "a quote that is not closed");
	if (!len || len >= sizeof(name))
		return fail(p, start, len ? "a name that is too long" : "an empty name");
	memcpy(name, p->at, len);
	name[len] = '\0';
	p->at += len + 1;
	return look_up(p, name, start);
}

/* min(a,b) and max(a,b): missing where either is */
static double of_two(struct parser *p, const char *start, bool greater)
{
	double a, b;

	if (p->depth >= DEPTH_MAX)
		return fail(p, start, "too many parentheses");
	p->depth++;
	a = sum(p);
	if (!p->error && !accept(p, ','))
		fail(p, p->at, "expected ','");
	b = p->error ? NAN : sum(p);
	if (!p->error && !accept(p, ')'))
		fail(p, p->at, "expected ')'");
	p->depth--;
	if (p->error || isnan(a) || isnan(b))
		return NAN;
	return (a > b) == greater ? a : b;
}

static double word(struct parser *p)
{
	const char *start = p->at;
	char name[METRIC_NAME_MAX];
	size_t len = 0;

	while (starts_word(start[len]) || is_digit(start[len]) || start[len] == '.')
		len++;
	if (len >= sizeof(name))
		return fail(p, start, "a name that is too long");
	memcpy(name, start, len);
	name[len] = '\0';
	p->at += len;
	if ((!strcmp(name, "min") || !strcmp(name, "max")) && accept(p, '('))
		return of_two(p, start, name[1] == 'a');
	return look_up(p, name, start);
}

static double parenthesis(struct parser *p)
{
	const char *start = p->at++;
	double value;

	if (p->depth >= DEPTH_MAX)
		return fail(p, start, "too many parentheses");
	p->depth++;
	value = sum(p);
	p->depth--;
	if (!p->error && !accept(p, ')'))
		return fail(p, p->at, "expected ')'");
	return value;
}

static double factor(struct parser *p)
{
	double sign = 1;

	while (accept(p, '-'))
		sign = -sign;
	skip_blanks(p);
	if (*p->at == '(')
		return sign * parenthesis(p);
	if (*p->at == '"')
		return sign * quoted(p);
	if (is_digit(*p->at) || *p->at == '.')
		return sign * number(p);
	if (starts_word(*p->at))
		return sign * word(p);
	return fail(p, p->at,
		    *p->at ? "expected a number, a name or '('" : "a value is missing");
}

static double product(struct parser *p)
{
	double value = factor(p);

	while (!p->error) {
		if (accept(p, '*')) {
			value = finite_or_missing(value * factor(p));
		} else if (accept(p, '/')) {
			double by = factor(p);

			value = by == 0 ? NAN : finite_or_missing(value / by);
		} else {
			break;
		}
	}
	return value;
}

static double sum(struct parser *p)
{
	double value = product(p);

	while (!p->error) {
		if (accept(p, '+'))
			value = finite_or_missing(value + product(p));
		else if (accept(p, '-'))
			value = finite_or_missing(value - product(p));
		else
			break;
	}
	return value;
}

int pmu_metric_eval(const char *formula,
		    int (*lookup)(void *arg, const char *name, double *value), void *arg,
		    double *value)
{
	struct parser p = {
		.formula = formula, .at = formula, .lookup = lookup, .arg = arg};
	double result;

	*value = NAN;
	if (strnlen(formula, FORMULA_MAX) == FORMULA_MAX)
		return pmu_fail(EINVAL, "a formula longer than %d characters",
				FORMULA_MAX - 1);
	result = sum(&p);
	skip_blanks(&p);
	if (!p.error && *p.at)
		fail(&p, p.at, "expected an operator");
	if (p.error)
		return p.error;
	*value = result;
	return 0;
}

/* What the names in a section's formulas stand for. */
struct values {
	const struct pmu_model *model;
	const struct pmu_model_section *section;
	const struct pmu_model_row *row;
	uint64_t time_ns;
	bool of_socket; /* result: a count of sockets was asked for */
};

static int row_value(void *arg, const char *name, double *value)
{
	struct values *v = arg;

	for (unsigned int i = 0; i < v->section->n_counts; i++) {
		if (!v->section->count[i].name || strcmp(v->section->count[i].name, name))
			continue;
		v->of_socket |= v->section->sockets >> i & 1;
		*value = v->row->missing >> i & 1 ? NAN : (double)v->row->net[i];
		return 0;
	}
	if (!strcmp(name, "time"))
		*value = (double)v->time_ns * 1e-9;
	else if (!strcmp(name, "calls"))
		*value = (double)v->row->calls;
	else if (!strcmp(name, "tsc_hz"))
		*value = v->model->clock_hz > 0 ? v->model->clock_hz : NAN;
	else
		return -1;
	return 0;
}

/* Calls shorter than the two reads around them: the counts are of the reads, and no ratio of them
 * means anything. */
static bool drowned(const struct values *v)
{
	bool socket = pmu_model_is_socket(v->model, v->row);
	double read_ns = socket ? v->section->socket_read_ns : v->section->read_ns;

	return (double)v->row->time_ns < 2 * read_ns * (double)v->row->calls;
}

/* The times of threads that were in at once do not say how long a socket counted: in a sum the sockets' do. */
static int fill_metric(struct values *v, const char *formula, double *metric)
{
	int rc;

	v->time_ns = v->row->time_ns;
	rc = pmu_metric_eval(formula, row_value, v, metric);
	if (rc || !v->of_socket || v->row->thread >= 0)
		return rc;
	v->time_ns = v->row->socket_ns;
	return pmu_metric_eval(formula, row_value, v, metric);
}

static void fill_rows(const struct pmu_model *model, struct pmu_model_section *s,
		      struct pmu_model_row *row, unsigned int n_rows)
{
	for (unsigned int m = 0; m < s->n_metrics; m++) {
		const char *formula = s->metric[m].formula;
		int rc = 0;

		if (!formula || !formula[0])
			continue;
		/* one that is wrong for a row is wrong for all */
		for (unsigned int i = 0; i < n_rows && !rc; i++) {
			struct values values = {.model = model, .section = s, .row = &row[i]};

			if (row[i].metric && !drowned(&values))
				rc = fill_metric(&values, formula, &row[i].metric[m]);
		}
	}
}

void pmu_metric_fill(struct pmu_model *model)
{
	for (unsigned int i = 0; i < model->n_sections; i++) {
		struct pmu_model_section *s = &model->section[i];

		fill_rows(model, s, s->row, s->n_rows);
		fill_rows(model, s, s->thread_row, s->n_thread_rows);
	}
}
