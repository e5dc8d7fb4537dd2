/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples by events: what reports say of them, in JSON that is read back, and of different ones no sum. */
#include "unit/part.h"

#include <errno.h>

#include "base/error.h"
#include "base/strbuf.h"
#include "bindings/command/json/read.h"
#include "report/report.h"
#include "reports/combine/combine.h"
#include "unit/model_find.h"
#include "unit/model_sample.h"
#include "unit/samples_sample.h"

static const uint64_t ms = 1000000;

#define EVENT(name, count, how)                                     \
	{                                                           \
		.event = name, .period = (count), .precise = (how), \
	}
static const struct pmu_sample_unit misses = EVENT("branch-misses", 10007, 2);
static const struct pmu_sample_unit misses_rarely = EVENT("branch-misses", 20014, 0);
static const struct pmu_sample_unit faults = EVENT("page-faults", 1, 3);
static const struct pmu_sample_unit of_time = SAMPLES_UNIT;

/* "main" of one thread, and in it "solve" with samples; @unit: NULL: none */
static struct pmu_model *model_with(const struct pmu_sample_unit *unit)
{
	static const struct samples_of of[] = { { "dgemm", 60, { 40, 20 } },
						{ "memcpy", 40, { 0 } } };
	struct pmu_model *model = sample_head();
	struct pmu_model_samples samples;
	struct pmu_model_section *s;

	sample_threads(model, 1, 1000 * ms);
	sample_sections(model, 1, 4);
	s = model->section;
	sample_row(model, s, 0, -1, "main", 1, 500 * ms);
	sample_row(model, s, 0, 0, "solve", 2, 400 * ms);
	is_int(pmu_model_finish(model), 0, "finished");
	if (!unit)
		return model;
	samples = *make_samples(model, of, 2);
	samples.unit = *unit;
	is_int(pmu_model_samples_attach(model, s, &s->thread_row[1], &samples), 0, "attached");
	return model;
}

static char *written(const struct pmu_model *model, bool as_json)
{
	const struct pmu_text_options options = { .columns = 120 };
	struct pmu_strbuf out = { 0 };

	if (as_json)
		pmu_write_json(&out, model);
	else
		pmu_write_text(&out, model, &options);
	ok(!out.failed && out.text, "written");
	return out.text;
}

static void says(const struct pmu_model *model, bool as_json, const char *part)
{
	char *text = written(model, as_json);

	if (!ok(strstr(text, part) != NULL, "has '%s'", part))
		diag("%s", text);
	free(text);
}

static void reports_say_which_event_and_how_late(void)
{
	struct pmu_model *model = model_with(&misses);

	says(model, false,
	     "shares of the samples of a region's own branch-misses, one each 10,007 "
	     "branch-misses (precise)");
	says(model, true,
	     "\"samples\": {\"n\": 100, \"event\": \"branch-misses\", \"period\": 10007, \"precise\": 2, "
	     "\"functions\": [");
	pmu_model_free(model);
	model = model_with(&misses_rarely);
	says(model, false, "20,014 branch-misses (with skid)");
	pmu_model_free(model);
}

/* Return: as pmu_json_read(), with each @from of it as @to. */
static int read_with(const char *json, const char *from, const char *to, struct pmu_model **model)
{
	struct pmu_strbuf text = { 0 };
	const char *at;
	int rc;

	ok(strstr(json, from) != NULL, "there is %s", from);
	for (; (at = strstr(json, from)); json = at + strlen(from)) {
		pmu_strbuf_add_n(&text, json, (size_t)(at - json));
		pmu_strbuf_add(&text, to);
	}
	pmu_strbuf_add(&text, json);
	*model = NULL;
	rc = pmu_json_read(text.text, text.len, model);
	pmu_strbuf_free(&text);
	return rc;
}

static void they_are_read_back(void)
{
	struct pmu_model *model = model_with(&misses), *again;
	char *json = written(model, true), *json_again;

	is_int(read_with(json, "\"event\"", "\"event\"", &again), 0, "read");
	json_again = written(again, true);
	is_str(json_again, json, "the same");
	free(json);
	free(json_again);
	pmu_model_free(model);
	pmu_model_free(again);
}

static void what_is_no_event_is_refused(void)
{
	static const struct {
		const char *from, *to;
	} wrong[] = {
		{ "\"event\": \"branch-misses\"", "\"event\": \"\"" },
		{ "\"event\": \"branch-misses\"", "\"event\": 7" },
		{ "\"branch-misses\", \"period\"",
		  "\"a name of 64 bytes, for which a unit has no more room with the end.\", \"period\"" },
		{ "\"period\": 10007", "\"period\": 0" },
		{ "\"period\": 10007", "\"period_ns\": 10007" },
		{ "\"precise\": 2", "\"precise\": 4" },
		{ "\"precise\": 2", "\"precise\": null" },
	};
	struct pmu_model *model = model_with(&misses), *read;
	char *json = written(model, true);

	for (unsigned int i = 0; i < PMU_ARRAY_LEN(wrong); i++) {
		is_int(read_with(json, wrong[i].from, wrong[i].to, &read), -EINVAL, wrong[i].to);
		pmu_model_free(read);
	}
	free(json);
	pmu_model_free(model);
}

/* Of two ranks with these; each has its own in the row. */
static struct pmu_model *both(const struct pmu_sample_unit *a, const struct pmu_sample_unit *b)
{
	struct pmu_model *part[] = { model_with(a), model_with(b) }, *model = NULL;

	for (int i = 0; i < 2; i++)
		part[i]->rank = i;
	is_int(pmu_model_combine(part, 2, PMU_COMBINE_RANKS, &model), 0, "combined");
	if (!model)
		exit(1);
	pmu_model_free(part[0]);
	pmu_model_free(part[1]);
	return model;
}

static void the_same_event_is_added_up(void)
{
	struct pmu_model *model = both(&misses, &misses_rarely);
	const struct pmu_model_samples *samples = model_row(model, "main/solve")->samples;

	is_u64(samples->n, 200, "of both");
	is_str(samples->unit.event, "branch-misses", "as it is");
	is_u64(samples->unit.period, 20014, "of the longer period");
	is_u64(samples->unit.precise, 0, "as late as one of them may be");
	is_int((int)model->n_notes, 0, "nothing is to be said");
	pmu_model_free(model);
}

static void different_events_are_not(void)
{
	const struct pmu_sample_unit *with[] = { &faults, &of_time };

	for (unsigned int i = 0; i < PMU_ARRAY_LEN(with); i++) {
		struct pmu_model *model = both(&misses, with[i]);
		const struct pmu_model_samples *samples = model_row(model, "main/solve")->samples;

		ok(samples && !samples->n && !samples->n_functions, "there is no sum");
		ok(!pmu_model_has_samples(model), "so the report has none");
		is_int((int)model->n_notes, 1, "which is said:");
		says(model, false, "sampled by different events");
		pmu_model_free(model);
	}
}

static void what_is_mixed_stays_mixed(void)
{
	static const struct samples_of of = { "dgemm", 60, { 0 } };
	struct pmu_model *model = sample_head();
	struct pmu_model_samples a = *make_samples(model, &of, 1), b = a;
	const struct pmu_model_samples *sum;

	b.unit = faults;
	sum = pmu_model_samples_add(model, pmu_model_samples_add(model, &a, &b), &a);
	ok(sum && !sum->n && !sum->n_functions, "whatever comes later");
	sum = pmu_model_samples_add(model, &a, pmu_model_samples_add(model, &a, &b));
	ok(sum && !sum->n && !sum->n_functions, "or was before");
	pmu_model_free(model);
}

static void one_who_has_none_changes_nothing(void)
{
	struct pmu_model *model = both(&faults, NULL);

	is_u64(model_row(model, "main/solve")->samples->n, 100, "as many as the other one has");
	is_str(model_row(model, "main/solve")->samples->unit.event, "page-faults", "of that event");
	is_int((int)model->n_notes, 0, "nothing is to be said");
	pmu_model_free(model);
}

UNIT_PART(samples_event)
{
	reports_say_which_event_and_how_late();
	they_are_read_back();
	what_is_no_event_is_refused();
	the_same_event_is_added_up();
	different_events_are_not();
	what_is_mixed_stays_mixed();
	one_who_has_none_changes_nothing();
	return done_testing();
}
