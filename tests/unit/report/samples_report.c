/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples in reports: below their regions in the text. */
#include "unit/part.h"

#include "base/strbuf.h"
#include "report/report.h"
#include "unit/model_sample.h"
#include "unit/samples_sample.h"

#define LONG_NAME \
	"void ns::detail::apply<std::vector<double, std::allocator<double> > >(std::vector<double>&) const"

static const uint64_t ms = 1000000;

static const struct pmu_model_line hot[] = { { "src/hot.c", 42, 400 },
					     { "src/hot.c", 43, 100 },
					     { "src/hot.h", 7, 9 } };
static const struct pmu_model_function many[] = {
	{ "dgemm_kernel", "libopenblas.so.0", 557, 3, hot },
	{ LONG_NAME, "demo", 200, 0, NULL },
	{ "memcpy", "libc.so.6", 121, 0, NULL },
	{ "libfoo.so.1+0x1230", "libfoo.so.1", 60, 0, NULL },
	{ "clear_page_erms", "[kernel]", 30, 1, &hot[2] },
	{ "sixth", "demo", 20, 0, NULL },
	{ "seventh", "demo", 12, 0, NULL },
};

/* main of one thread, and solve in it, which thread 1 works for. */
static struct pmu_model *model_of(const struct pmu_model_samples *samples)
{
	struct pmu_model *model = sample_head();
	struct pmu_model_section *s;

	sample_threads(model, 2, 1000 * ms);
	sample_sections(model, 1, 8);
	s = model->section;
	sample_row(model, s, 0, -1, "main", 1, 500 * ms);
	sample_row(model, s, 0, 0, "solve", 2, 400 * ms);
	sample_row(model, s, 1, -1, "main", 0, 0)->flags = PMU_ROW_TEAM;
	sample_row(model, s, 1, 2, "solve", 2, 300 * ms)->flags = PMU_ROW_TEAM;
	is_int(pmu_model_finish(model), 0, "finished");
	for (unsigned int i = 0; samples && i < s->n_thread_rows; i++)
		if (!strcmp(s->thread_row[i].name, "solve") && s->thread_row[i].thread == 0)
			is_int(pmu_samples_attach(model, s, &s->thread_row[i], samples), 0,
			       "attached");
	return model;
}

static char *text_of(const struct pmu_model *model, struct pmu_text_options options)
{
	struct pmu_strbuf out = { 0 };

	if (!options.columns)
		options.columns = 80;
	pmu_write_text(&out, model, &options);
	ok(!out.failed && out.text, "written");
	return out.text;
}

static void has_text(const char *text, const char *part)
{
	if (!ok(strstr(text, part) != NULL, "has '%s'", part))
		diag("%s", text);
}

static void has_no_text(const char *text, const char *part)
{
	if (!ok(strstr(text, part) == NULL, "no '%s'", part))
		diag("%s", text);
}

static void is_narrow(const char *text, size_t columns)
{
	for (const char *at = text; *at; at += strcspn(at, "\n"), at += *at == '\n')
		if (strcspn(at, "\n") > columns) {
			ok(false, "a line is longer than %zu: %.*s", columns,
			   (int)strcspn(at, "\n"), at);
			return;
		}
	ok(true, "no line is longer than %zu", columns);
}

static void functions_stand_below_their_region(void)
{
	const struct pmu_model_samples samples = { 1000, SAMPLES_PERIOD_NS, 7, many };
	struct pmu_model *model = model_of(&samples);
	char *text = text_of(model, (struct pmu_text_options){ .columns = 80 });

	has_text(text, "\n      ~ 55.7%  dgemm_kernel  libopenblas.so.0\n      ~ 20.0%  void ns::");
	has_text(text, "\n      ~ 12.1%  memcpy  libc.so.6\n");
	has_text(text, "\n      ~  6.0%  libfoo.so.1+0x1230\n");
	has_text(text, "\n      ~  3.2%  2 more\n");
	has_no_text(text, "sixth");
	has_no_text(text, "hot.c");
	has_no_text(text, "std::allocator");
	has_text(
		text,
		"\n  ~  estimated: shares of the samples of a region's own time, one each 1.003 ms");
	is_narrow(text, 80);
	free(text);
	text = text_of(model, (struct pmu_text_options){ .columns = 120 });
	has_text(text, "\n      ~ 20.0%  " LONG_NAME "\n");
	free(text);
	text = text_of(model, (struct pmu_text_options){ .brief = true });
	has_text(text, "~ 55.7%");
	has_no_text(text, "estimated");
	free(text);
	pmu_model_free(model);
}

static void lines_are_asked_for(void)
{
	const struct pmu_model_samples samples = { 1000, SAMPLES_PERIOD_NS, 7, many };
	struct pmu_model *model = model_of(&samples);
	char *text = text_of(model, (struct pmu_text_options){ .lines = true });

	has_text(
		text,
		"libopenblas.so.0\n        ~ 40.0%  hot.c:42\n        ~ 10.0%  hot.c:43\n      ~ 20.0%");
	has_no_text(text, "hot.h");
	is_narrow(text, 80);
	free(text);
	pmu_model_free(model);
}

static void few_samples_have_no_shares(void)
{
	const struct pmu_model_samples few = { PMU_SAMPLES_FEW - 1, SAMPLES_PERIOD_NS, 1, many };
	const struct pmu_model_function all = { "all", "demo", PMU_SAMPLES_FEW, 0, NULL };
	const struct pmu_model_samples enough = { PMU_SAMPLES_FEW, SAMPLES_PERIOD_NS, 1, &all };
	struct pmu_model *model = model_of(&few);
	char *text = text_of(model, (struct pmu_text_options){ .columns = 80 });

	has_text(text, "\n      ~ 29 samples\n");
	has_no_text(text, "dgemm");
	free(text);
	pmu_model_free(model);
	model = model_of(&enough);
	text = text_of(model, (struct pmu_text_options){ .columns = 80 });
	has_text(text, "\n      ~ 100.0%  all\n");
	free(text);
	pmu_model_free(model);
}

static void without_samples_nothing_is_said(void)
{
	struct pmu_model *model = model_of(NULL);
	char *text = text_of(model, (struct pmu_text_options){ .lines = true });

	has_no_text(text, "~");
	free(text);
	pmu_model_free(model);
}

static void a_row_that_is_not_shown_has_none_there(void)
{
	const struct pmu_model_samples samples = { 1000, SAMPLES_PERIOD_NS, 7, many };
	struct pmu_model *model = model_of(&samples);
	char *text = text_of(model, (struct pmu_text_options){ .filter = "main" });

	has_no_text(text, "~");
	free(text);
	text = text_of(model, (struct pmu_text_options){ .sort = "time" });
	has_text(text, "\n    ~ 55.7%  dgemm_kernel");
	free(text);
	pmu_model_free(model);
}

/* Where it is deepest something of a name is left; columns that do not fit do not repeat them. */
static void deep_regions_have_room_for_a_name(void)
{
	const struct pmu_model_samples samples = { 1000, SAMPLES_PERIOD_NS, 7, many };
	struct pmu_model *model = sample_head();
	struct pmu_model_section *s;
	char *text, *first;

	sample_threads(model, 1, 1000 * ms);
	sample_sections(model, 1, 60);
	s = model->section;
	sample_core(model, s);
	for (int i = 0; i < 60; i++)
		sample_row(model, s, 0, i - 1, "in", 1, (uint64_t)(100 - i) * ms);
	is_int(pmu_model_finish(model), 0, "finished");
	is_int(pmu_samples_attach(model, s, &s->thread_row[59], &samples), 0, "attached");
	text = text_of(model, (struct pmu_text_options){ .columns = 60, .brief = true });
	is_narrow(text, 80);
	first = strstr(text, "55.7%  dgemm_kernel");
	if (ok(first != NULL, "the name"))
		ok(!strstr(first + 1, "55.7%"), "once");
	free(text);
	pmu_model_free(model);
}

UNIT_PART(samples_report)
{
	functions_stand_below_their_region();
	lines_are_asked_for();
	few_samples_have_no_shares();
	without_samples_nothing_is_said();
	a_row_that_is_not_shown_has_none_there();
	deep_regions_have_room_for_a_name();
	return done_testing();
}
