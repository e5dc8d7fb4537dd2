/* SPDX-License-Identifier: BSD-3-Clause */
/* Formulas of metrics: values, what is missing, and what is refused where. */
#include "unit/part.h"

#include <errno.h>
#include <locale.h>

#include "base/error.h"
#include "plan/formula.h"
#include "report/model/metric.h"
#include "unit/model_sample.h"

static int look_up(void *arg, const char *name, double *value)
{
	static const struct {
		const char *name;
		double value;
	} known[] = { { "a", 6 },     { "b", 4 },     { "zero", 0 },
		      { "min", 100 }, { "x.y_1", 3 }, { "branch-misses", 8 } };

	(void)arg;
	if (!strcmp(name, "gone")) {
		*value = NAN;
		return 0;
	}
	for (size_t i = 0; i < PMU_ARRAY_LEN(known); i++) {
		if (strcmp(known[i].name, name) != 0)
			continue;
		*value = known[i].value;
		return 0;
	}
	return -1;
}

static void is_value(const char *formula, double want)
{
	double value = -1;
	int rc = pmu_metric_eval(formula, look_up, NULL, &value);

	if (!ok(!rc && (isnan(want) ? isnan(value) : value == want), "%s", formula))
		diag("rc %d, got %.17g, want %.17g", rc, value, want);
}

static void is_refused(const char *formula, const char *part)
{
	double value = 1;

	pmu_error_clear();
	is_int(pmu_metric_eval(formula, look_up, NULL, &value), -EINVAL, formula);
	ok(isnan(value), "nothing comes of it");
	has(pmu_error_text(), part, "the sentence says what and where");
}

static void computes_by_the_usual_precedence(void)
{
	is_value("1 + 2 * 3", 7);
	is_value("(1 + 2) * 3", 9);
	is_value("10 - 4 - 3", 3);
	is_value("24 / 4 / 2", 3);
	is_value("a/b", 1.5);
	is_value("-a + --b", -2);
	is_value("2*-3", -6);
	is_value("  x.y_1\t", 3);
	is_value("100 * \"branch-misses\" / b", 200);
	is_value("min(a, b) + max(a,b)", 10);
	is_value("max(min(1,2),min(4,3))", 3);
	is_value("min * 2", 200);
}

static void reads_decimal_numbers(void)
{
	is_value("0.1", 0.1);
	is_value(".5", 0.5);
	is_value("3.", 3);
	is_value("1e3", 1000);
	is_value("64e-9", 64e-9);
	is_value("1E+2", 100);
}

static void reads_numbers_alike_in_every_locale(void)
{
	char *before = strdup(setlocale(LC_NUMERIC, NULL));

	if (!setlocale(LC_NUMERIC, "de_DE.UTF-8") && !setlocale(LC_NUMERIC, "fr_FR.UTF-8"))
		skip("decimal comma", "no such locale here");
	else
		is_value("1.5", 1.5);
	setlocale(LC_NUMERIC, before);
	free(before);
}

static void keeps_missing_missing(void)
{
	is_value("gone", NAN);
	is_value("a + gone * 0", NAN);
	is_value("min(a, gone)", NAN);
	is_value("max(gone, a)", NAN);
	is_value("min(gone, a)", NAN);
	is_value("max(a, gone)", NAN);
}

static void takes_division_by_zero_for_missing(void)
{
	is_value("a / zero", NAN);
	is_value("zero / zero", NAN);
	is_value("1 / (a - 6)", NAN);
	is_value("1e308 * 1e308", NAN);
	is_value("1 / 1e999", NAN);
	is_value("1 / (1e300 * 1e300)", NAN);
}

static void names_what_is_wrong_and_where(void)
{
	is_refused("", "column 1");
	is_refused("a +", "a value is missing at column 4");
	is_refused("a b", "expected an operator at column 3");
	is_refused("(a", "expected ')' at column 3");
	is_refused("a)", "column 2");
	is_refused("max(a)", "expected ',' at column 6");
	is_refused("max(a,b", "expected ')' at column 8");
	is_refused("min()", "column 5");
	is_refused("2 * nothing", "unknown name \"nothing\" at column 5");
	is_refused("\"open", "quote that is not closed at column 1");
	is_refused("\"\"", "empty name");
	is_refused("1.2.3", "column 1");
	is_refused("0x10", "column 1");
	is_refused("3e", "exponent");
	is_refused("1 ^ 2", "column 3");
	is_refused("a % b", "column 3");
	is_refused(".", "without digits");
}

/* Deep and long input ends in an error, not in a full stack. */
static void limits_depth_and_length(void)
{
	char text[2048];
	double value;

	memset(text, '(', 1000);
	strcpy(text + 1000, "1");
	is_refused(text, "parentheses");
	memset(text, ' ', sizeof(text));
	memcpy(text + sizeof(text) - 2, "1", 2);
	is_refused(text, "longer than");
	memset(text, '-', 1000);
	strcpy(text + 1000, "1");
	is_value(text, 1);
	memset(text, 'n', 1000);
	text[1000] = '\0';
	is_int(pmu_metric_eval(text, look_up, NULL, &value), -EINVAL, "a name of 1000 characters");
	for (int i = 0; i < 20; i++)
		memcpy(text + i * 4, "max(", 4);
	memcpy(text + 80, "1", 2);
	for (int i = 0; i < 20; i++)
		strcat(text, ",2)");
	is_value(text, 2);
}

static void fills_the_rows_of_a_model(void)
{
	struct pmu_model *model = sample_model();
	struct pmu_model_section *s = model->section;
	struct pmu_model_row *row = sample_sum(model, "assemble");

	s->metric[1].formula = "nonsense(";
	pmu_metric_fill(model);
	ok(row->metric[0] == (double)row->net[0] / (double)row->net[1],
	   "a sum's IPC, from net counts");
	ok(isnan(row->metric[1]), "a formula that is wrong leaves its metric missing");
	s->metric[0].formula = "\"LLC-misses\" / calls";
	s->metric[1].formula = "time * tsc_hz";
	pmu_metric_fill(model);
	ok(isnan(row->metric[0]), "missing where the count is missing");
	row = sample_sum(model, "solve");
	ok(row->metric[0] == (double)row->net[2] / 40, "calls");
	ok(fabs(row->metric[1] / (1.4 * 2596e6) - 1) < 1e-12, "time in seconds, tsc_hz");
	ok(!isnan(s->thread_row[0].metric[0]), "threads' rows too");
	pmu_model_free(model);
}

static void nanoseconds_are_no_time_stamps(void)
{
	struct pmu_model *model = sample_model();
	struct pmu_model_row *row = sample_sum(model, "solve");

	model->section->metric[0].formula = "tsc_hz";
	model->clock = "clock_gettime";
	model->clock_hz = 1e9;
	pmu_metric_fill(model);
	ok(isnan(row->metric[0]), "without a time stamp counter its rate is missing");
	model->clock = "virtual counter";
	pmu_metric_fill(model);
	ok(row->metric[0] == 1e9, "one that runs at the same rate has it");
	pmu_model_free(model);
}

static void calls_shorter_than_their_reads_have_no_metrics(void)
{
	struct pmu_model_metric ratio = { "ratio", "", "n / time" };
	struct pmu_model_count n = { "n", "" };
	uint64_t raw[2] = { 1000, 1000 };
	double value[2] = { NAN, NAN };
	struct pmu_model_row row[2] = {
		{ .calls = 10, .time_ns = 9999, .raw = raw, .net = raw, .metric = &value[0] },
		{ .calls = 10, .time_ns = 10000, .raw = raw, .net = raw, .metric = &value[1] },
	};
	struct pmu_model_section section = {
		.read_ns = 500,
		.n_counts = 1,
		.count = &n,
		.n_metrics = 1,
		.metric = &ratio,
		.n_rows = 2,
		.row = row,
	};
	struct pmu_model model = { .section = &section, .n_sections = 1 };

	pmu_metric_fill(&model);
	ok(isnan(value[0]), "999.9 ns a call, 1,000 of reads: missing");
	ok(fabs(value[1] - 1e8) < 1, "1,000 ns: there");
}

UNIT_PART(metric)
{
	computes_by_the_usual_precedence();
	reads_decimal_numbers();
	reads_numbers_alike_in_every_locale();
	keeps_missing_missing();
	takes_division_by_zero_for_missing();
	names_what_is_wrong_and_where();
	limits_depth_and_length();
	fills_the_rows_of_a_model();
	nanoseconds_are_no_time_stamps();
	calls_shorter_than_their_reads_have_no_metrics();
	return done_testing();
}
