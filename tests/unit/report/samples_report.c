/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples in reports: below their regions in the text, and in JSON, which is read back. */
#include "unit/part.h"

#include <errno.h>

#include "base/error.h"
#include "base/strbuf.h"
#include "bindings/command/json/read.h"
#include "report/model/objects.h"
#include "report/report.h"
#include "unit/model_find.h"
#include "unit/model_sample.h"
#include "unit/samples_sample.h"

#define LONG_NAME \
	"void ns::detail::apply<std::vector<double, std::allocator<double> > >(std::vector<double>&) const"

static const uint64_t ms = 1000000;

static const struct pmu_model_line hot[] = { { "src/hot.c", 42, 400 },
					     { "src/hot.c", 43, 100 },
					     { "src/hot.h", 7, 9 } };
static const struct pmu_model_function many[] = {
	{ "dgemm_kernel", "libopenblas.so.0", 557, 3, hot, 0, NULL },
	{ LONG_NAME, "demo", 140, 0, NULL, 0, NULL },
	{ "memcpy", "libc.so.6", 121, 0, NULL, 0, NULL },
	{ "libfoo.so.1+0x1230", "libfoo.so.1", 60, 0, NULL, 0, NULL },
	{ "clear_page_erms", "[kernel]", 30, 1, &hot[2], 0, NULL },
	{ "sixth", "demo", 20, 0, NULL, 0, NULL },
	{ "seventh", "demo", 12, 0, NULL, 0, NULL },
	{ "eighth", "demo", 12, 0, NULL, 0, NULL },
	{ "ninth", "demo", 12, 0, NULL, 0, NULL },
	{ "tenth", "demo", 12, 0, NULL, 0, NULL },
	{ "eleventh", "demo", 12, 0, NULL, 0, NULL },
	{ "twelfth", "demo", 12, 0, NULL, 0, NULL },
};

static void attach_to(struct pmu_model *model, const char *name,
		      const struct pmu_model_samples *samples)
{
	struct pmu_model_section *s = model->section;

	for (unsigned int i = 0; i < s->n_thread_rows; i++)
		if (!strcmp(s->thread_row[i].name, name) && s->thread_row[i].thread == 0)
			is_int(pmu_model_samples_attach(model, s, &s->thread_row[i], samples), 0,
			       "attached");
}

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
	if (samples)
		attach_to(model, "solve", samples);
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
	const struct pmu_model_samples samples = { .n = 1000,
						   .unit = { .period = SAMPLES_PERIOD_NS },
						   .n_functions = 12,
						   .function = many };
	struct pmu_model *model = model_of(&samples);
	char *text = text_of(model, (struct pmu_text_options){ .columns = 80 });

	has_text(text, "\n      ~ 55.7%  dgemm_kernel  libopenblas.so.0\n      ~ 14.0%  void ns::");
	has_text(text, "\n      ~ 12.1%  memcpy  libc.so.6\n");
	has_text(text, "\n      ~  6.0%  libfoo.so.1+0x1230\n");
	has_text(text, "\n      ~  2.4%  2 more\n");
	has_text(text, "seventh");
	has_no_text(text, "twelfth");
	has_no_text(text, "hot.c");
	has_no_text(text, "std::allocator");
	has_text(
		text,
		"\n  ~  estimated: shares of the samples of a region's own time, one each 1.003 ms");
	is_narrow(text, 80);
	free(text);
	text = text_of(model, (struct pmu_text_options){ .columns = 120 });
	has_text(text, "\n      ~ 14.0%  " LONG_NAME "\n");
	free(text);
	text = text_of(model, (struct pmu_text_options){ .brief = true });
	has_text(text, "~ 55.7%");
	has_no_text(text, "estimated");
	free(text);
	pmu_model_free(model);
}

static void lines_are_asked_for(void)
{
	const struct pmu_model_samples samples = { .n = 1000,
						   .unit = { .period = SAMPLES_PERIOD_NS },
						   .n_functions = 12,
						   .function = many };
	struct pmu_model *model = model_of(&samples);
	char *text = text_of(model, (struct pmu_text_options){ .lines = true });

	has_text(
		text,
		"libopenblas.so.0\n        ~ 40.0%  hot.c:42\n        ~ 10.0%  hot.c:43\n      ~ 14.0%");
	has_no_text(text, "hot.h");
	is_narrow(text, 80);
	free(text);
	pmu_model_free(model);
}

static void few_samples_have_no_shares(void)
{
	const struct pmu_model_samples few = { .n = PMU_SAMPLES_FEW - 1,
					       .unit = { .period = SAMPLES_PERIOD_NS },
					       .n_functions = 1,
					       .function = many };
	const struct pmu_model_function all = { "all", "demo", PMU_SAMPLES_FEW, 0, NULL, 0, NULL };
	const struct pmu_model_samples enough = { .n = PMU_SAMPLES_FEW,
						  .unit = { .period = SAMPLES_PERIOD_NS },
						  .n_functions = 1,
						  .function = &all };
	struct pmu_model *model = model_of(&few);
	char *text = text_of(model, (struct pmu_text_options){ .columns = 80 });

	has_no_text(text, "~");
	free(text);
	pmu_model_free(model);
	model = model_of(&enough);
	attach_to(model, "main", &few);
	text = text_of(model, (struct pmu_text_options){ .columns = 80 });
	has_text(text, "\n    ~ 29 samples\n");
	has_no_text(text, "dgemm");
	has_text(text, "\n      ~ 100.0%  all\n");
	free(text);
	pmu_model_free(model);
}

/* 30 of 10,000: of a region that takes a hundredth of a second of a run of seconds. */
static void little_of_all_is_not_shown(void)
{
	const struct pmu_model_function first = { "most_of_it", "demo", 10000, 0, NULL, 0, NULL };
	const struct pmu_model_samples most = { .n = 10000,
						.unit = { .period = SAMPLES_PERIOD_NS },
						.n_functions = 1,
						.function = &first };
	const struct pmu_model_samples little = { .n = 99,
						  .unit = { .period = SAMPLES_PERIOD_NS },
						  .n_functions = 12,
						  .function = many };
	struct pmu_model *model = model_of(&most);
	char *text;

	attach_to(model, "main", &little);
	text = text_of(model, (struct pmu_text_options){ .columns = 80 });
	has_text(text, "\n      ~ 100.0%  most_of_it\n");
	has_no_text(text, "dgemm");
	has_no_text(text, "99 samples");
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
	const struct pmu_model_samples samples = { .n = 1000,
						   .unit = { .period = SAMPLES_PERIOD_NS },
						   .n_functions = 12,
						   .function = many };
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
	const struct pmu_model_samples samples = { .n = 1000,
						   .unit = { .period = SAMPLES_PERIOD_NS },
						   .n_functions = 12,
						   .function = many };
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
	is_int(pmu_model_samples_attach(model, s, &s->thread_row[59], &samples), 0, "attached");
	text = text_of(model, (struct pmu_text_options){ .columns = 60, .brief = true });
	is_narrow(text, 80);
	first = strstr(text, "55.7%  dgemm_kernel");
	if (ok(first != NULL, "the name"))
		ok(!strstr(first + 1, "55.7%"), "once");
	free(text);
	pmu_model_free(model);
}

/* --- JSON --- */

static char *json_of(const struct pmu_model *model)
{
	struct pmu_strbuf out = { 0 };

	pmu_write_json(&out, model);
	ok(!out.failed && out.text, "written");
	return out.text;
}

/* What is read is written to. */
static int read_json(const char *json, struct pmu_model **model)
{
	char *text = strdup(json);
	int rc = pmu_json_read(text, strlen(text), model);

	free(text);
	return rc;
}

static void is_read_back(const struct pmu_model *model, const char *json)
{
	struct pmu_model *again = NULL;
	char *text = text_of(model, (struct pmu_text_options){ .lines = true, .threads = true });
	char *text_again = NULL, *json_again = NULL;

	if (!is_int(read_json(json, &again), 0, "read"))
		diag("%s", pmu_error_text());
	if (again) {
		text_again = text_of(again,
				     (struct pmu_text_options){ .lines = true, .threads = true });
		json_again = json_of(again);
		is_str(text_again, text, "the same text");
		is_str(json_again, json, "and the same JSON");
	}
	free(text);
	free(text_again);
	free(json_again);
	pmu_model_free(again);
}

static void what_is_written_is_read_back(void)
{
	static const struct pmu_model_line nowhere = { "", 0, 70 };
	static const struct pmu_model_function odd[] = {
		{ "a \"name\"\n\xff", "", 70, 1, &nowhere, 0, NULL },
		{ "", "[jit]", 30, 0, NULL, 0, NULL },
	};
	const struct pmu_model_samples samples = { .n = 1000,
						   .unit = { .period = SAMPLES_PERIOD_NS },
						   .n_functions = 12,
						   .function = many };
	const struct pmu_model_samples others = { .n = 101,
						  .unit = { .period = 2 * SAMPLES_PERIOD_NS },
						  .n_functions = 2,
						  .function = odd };
	struct pmu_model *model = model_of(&samples);
	char *json;

	for (unsigned int i = 0; i < model->section->n_thread_rows; i++) {
		struct pmu_model_row *row = &model->section->thread_row[i];

		if (row->flags & PMU_ROW_TEAM && row->calls)
			is_int(pmu_model_samples_attach(model, model->section, row, &others), 0,
			       "a worker's");
	}
	is_u64(model_row(model, "main/solve")->samples->n, 1101, "with the worker's");
	json = json_of(model);
	has_text(json,
		 "\"samples\": {\"n\": 1000, \"period_ns\": 1003009, \"functions\": [{\"name\": "
		 "\"dgemm_kernel\", \"object\": \"libopenblas.so.0\", \"n\": 557, \"lines\": "
		 "[{\"file\": \"src/hot.c\", \"line\": 42, \"n\": 400}, ");
	has_text(
		json,
		"\"object\": null, \"n\": 70, \"lines\": [{\"file\": null, \"line\": null, \"n\": 70}]}");
	is_read_back(model, json);
	free(json);
	pmu_model_free(model);
	model = model_of(NULL);
	json = json_of(model);
	has_no_text(json, "samples");
	free(json);
	pmu_model_free(model);
}

/* Of code that is in two objects, of which one has no id. */
static struct pmu_model *model_with_code(void)
{
	struct pmu_model *model = model_of(NULL);
	static const struct pmu_model_address address[] = { { 0x1130, 60 }, { 0x1139, 500 } };
	const struct pmu_model_code code[] = {
		{ pmu_model_object(model, "/bin/demo", "c0de"), 0x1130, 0x40, 2, address },
		{ pmu_model_object(model, "/lib/\xff.so", ""), 0x1130, 0, 1, address },
	};
	const struct pmu_model_function function = {
		.name = "dgemm", .object = "demo", .n_samples = 620, .n_codes = 2, .code = code
	};
	const struct pmu_model_samples samples = { .n = 620,
						   .unit = { .period = SAMPLES_PERIOD_NS },
						   .n_functions = 1,
						   .function = &function };

	for (unsigned int i = 0; i < model->section->n_thread_rows; i++)
		is_int(pmu_model_samples_attach(model, model->section,
						&model->section->thread_row[i], &samples),
		       0, "attached");
	return model;
}

static void code_is_written_and_read_back(void)
{
	struct pmu_model *model = model_with_code();
	char *json = json_of(model);

	has_text(json,
		 ",\n  \"objects\": [\n    {\"path\": \"/bin/demo\", \"build_id\": \"c0de\"},\n"
		 "    {\"path\": \"/lib/\\\\xff.so\", \"build_id\": null}\n  ]");
	has_text(json, "\"n\": 620, \"code\": [{\"object\": 0, \"start\": 4400, \"size\": 64, "
		       "\"addresses\": [[0,60],[9,500]]}, {\"object\": 1, \"start\": 4400, "
		       "\"size\": null, \"addresses\": [[0,60]]}]}");
	is_read_back(model, json);
	free(json);
	pmu_model_free(model);
}

/* The report with something else in the place of the first @from in the thread's row. */
static int read_with(const char *json, const char *from, const char *to, struct pmu_model **model)
{
	const char *threads = strstr(json, "\"threads\": [\n       {\"thread\": 0, \"calls\": 2");
	const char *at = threads ? strstr(threads, from) : NULL;
	struct pmu_strbuf out = { 0 };
	int rc;

	*model = NULL;
	if (!ok(at != NULL, "'%s' is there", from))
		return 0;
	pmu_strbuf_add_n(&out, json, (size_t)(at - json));
	pmu_strbuf_add(&out, to);
	pmu_strbuf_add(&out, at + strlen(from));
	rc = read_json(pmu_strbuf_text(&out), model);
	pmu_strbuf_free(&out);
	return rc;
}

/* main -> dgemm -> memcpy, main -> memcpy, and of one callers are not known. */
static const struct pmu_model_frame frames[] = { { "main", "demo" },
						 { "dgemm_kernel", "libopenblas.so.0" },
						 { "memcpy", "" } };
static const struct pmu_model_call calls[] = {
	{ 0, 0, 322 }, { 1, 1, 500 }, { 2, 2, 100 }, { 1, 2, 21 }, { 0, 1, 57 }
};
static const struct pmu_model_samples called = { .n = 1000,
						 .unit = { .period = SAMPLES_PERIOD_NS },
						 .n_functions = 12,
						 .function = many,
						 .n_frames = 3,
						 .n_calls = 5,
						 .frame = frames,
						 .call = calls };

static void callers_are_asked_for(void)
{
	/* main -> dgemm -> dgemm, fft -> dgemm, rare -> dgemm, [truncated] -> dgemm, dgemm */
	static const struct pmu_model_frame by[] = { { "main", "demo" },
						     { "dgemm_kernel", "libopenblas.so.0" },
						     { "fft", "libfft.so" },
						     { "rare", "demo" },
						     { PMU_SAMPLES_TRUNCATED, "" } };
	static const struct pmu_model_call to[] = {
		{ 0, 0, 0 }, { 1, 1, 100 }, { 2, 1, 200 }, { 0, 2, 0 },  { 4, 1, 60 },
		{ 0, 3, 0 }, { 6, 1, 50 },  { 0, 4, 0 },   { 8, 1, 80 }, { 0, 1, 67 },
	};
	struct pmu_model_samples samples = called;
	struct pmu_model *model;
	char *text;

	samples.n_frames = PMU_ARRAY_LEN(by);
	samples.frame = by;
	samples.n_calls = PMU_ARRAY_LEN(to);
	samples.call = to;
	model = model_of(&samples);
	text = text_of(model, (struct pmu_text_options){ .callers = true });
	has_text(text, "\n      ~ 55.7%  dgemm_kernel  libopenblas.so.0\n"
		       "        ~ 30.0%  called by main\n"
		       "        ~  6.0%  called by fft  libfft.so\n"
		       "      ~ 14.0%  void ns::");
	has_no_text(text, "rare");
	has_no_text(text, "truncated");
	is_narrow(text, 80);
	free(text);
	text = text_of(model, (struct pmu_text_options){ .lines = false });
	has_no_text(text, "called by");
	free(text);
	pmu_model_free(model);
}

static void callers_are_written_and_read_back(void)
{
	struct pmu_model *model = model_of(&called);
	char *json = json_of(model);

	has_text(json,
		 "], \"callers\": {\"functions\": [{\"name\": \"main\", \"object\": \"demo\"}, "
		 "{\"name\": \"dgemm_kernel\", \"object\": \"libopenblas.so.0\"}, {\"name\": "
		 "\"memcpy\", \"object\": null}], \"calls\": [[0,0,322],[1,1,500],[2,2,100],"
		 "[1,2,21],[0,1,57]]}}");
	is_read_back(model, json);
	free(json);
	pmu_model_free(model);
}

static void callers_that_cannot_be_are_refused(void)
{
	static const struct {
		const char *from, *to;
	} wrong[] = {
		{ "[0,0,322]", "[1,0,322]" },
		{ "[0,0,322]", "[-1,0,322]" },
		{ "[0,0,322]", "[0,3,322]" },
		{ "[0,0,322]", "[0,-1,322]" },
		{ "[0,0,322]", "[0,0,-1]" },
		{ "[0,0,322]", "[0,0,1001]" },
		{ "[1,2,21]", "[1,2,400]" },
		{ "[1,2,21]", "[1,2,20]" },
		{ "[0,0,322]", "[0,0]" },
		{ "[0,0,322]", "[0,0,322,1]" },
		{ "[0,0,322]", "7" },
		{ "\"calls\": [", "\"other\": [" },
		{ "\"calls\": [", "\"calls\": 1, \"other\": [" },
		{ "\"callers\": {", "\"callers\": 1, \"other\": {" },
		{ "\"name\": \"main\"", "\"name\": 1" },
	};
	struct pmu_model *model = model_of(&called), *read;
	char *json = json_of(model);
	struct pmu_strbuf deep = { 0 };

	for (unsigned int i = 0; i < PMU_ARRAY_LEN(wrong); i++) {
		is_int(read_with(json, wrong[i].from, wrong[i].to, &read), -EINVAL, wrong[i].to);
		pmu_model_free(read);
	}
	is_int(read_with(json, "[0,1,57]]", "[0,1,57],[3,0,0]]", &read), 0, "one deeper");
	pmu_model_free(read);
	for (unsigned int i = 0; i < 300; i++)
		pmu_strbuf_addf(&deep, i ? ",[%u,0,0]" : "[%u,0,0]", i);
	pmu_strbuf_add(&deep, ",[0,0,1000]");
	is_int(read_with(json, "[0,0,322],[1,1,500],[2,2,100],[1,2,21],[0,1,57]",
			 pmu_strbuf_text(&deep), &read),
	       -EINVAL, "much deeper");
	pmu_model_free(read);
	pmu_strbuf_free(&deep);
	free(json);
	pmu_model_free(model);
}

static void what_cannot_be_is_refused(void)
{
	static const struct {
		const char *from, *to;
	} wrong[] = {
		{ "\"n\": 1000", "\"n\": -1" },
		{ "\"n\": 1000", "\"n\": 1.5" },
		{ "\"n\": 1000", "\"n\": 556" },
		{ "\"n\": 1000, ", "" },
		{ "\"n\": 400", "\"n\": 558" },
		{ "\"n\": 557", "\"n\": 9223372036854775808" },
		{ "\"period_ns\": 1003009", "\"period_ns\": null" },
		{ "\"line\": 42", "\"line\": 4294967296" },
		{ "\"line\": 42", "\"line\": \"42\"" },
		{ "\"file\": \"src/hot.c\"", "\"file\": 1" },
		{ "\"name\": \"memcpy\"", "\"name\": null" },
		{ "\"object\": \"libc.so.6\"", "\"object\": []" },
		{ "\"functions\": [", "\"functions\": [7, " },
		{ "\"lines\": [", "\"lines\": [[], " },
		{ "\"samples\": {", "\"samples\": 1, \"other\": {" },
	};
	const struct pmu_model_samples samples = { .n = 1000,
						   .unit = { .period = SAMPLES_PERIOD_NS },
						   .n_functions = 12,
						   .function = many };
	struct pmu_model *model = model_of(&samples), *read;
	char *json = json_of(model);

	for (unsigned int i = 0; i < PMU_ARRAY_LEN(wrong); i++) {
		int rc = read_with(json, wrong[i].from, wrong[i].to, &read);

		is_int(rc, -EINVAL, wrong[i].to);
		pmu_model_free(read);
	}
	is_int(read_with(json, "\"name\": \"memcpy\"", "\"name\": \"dgemm_kernel\"", &read), 0,
	       "a function twice");
	is_u64(read ? model_row(read, "main/solve")->samples->n_functions : 0, 12,
	       "that of another library is another");
	pmu_model_free(read);
	is_int(read_with(json, "\"n\": 557", "\"n\": 10", &read), -EINVAL,
	       "less than in its lines");
	pmu_model_free(read);
	is_int(read_with(json, "\"n\": 121", "\"n\": 1", &read), 0, "in another order");
	is_str(read ? model_row(read, "main/solve")->samples->function[11].name : "", "memcpy",
	       "which is put right");
	pmu_model_free(read);
	free(json);
	pmu_model_free(model);
}

static void code_that_cannot_be_is_refused(void)
{
	static const struct {
		const char *from, *to;
	} wrong[] = {
		{ "\"object\": 0", "\"object\": 2" },
		{ "\"object\": 0", "\"object\": -1" },
		{ "\"object\": 0, ", "" },
		{ "\"start\": 4400", "\"start\": -4400" },
		{ "\"start\": 4400", "\"start\": 9223372036854775807" },
		{ "\"size\": 64", "\"size\": \"64\"" },
		{ "[0,60]", "[0]" },
		{ "[0,60]", "[0,60,1]" },
		{ "[0,60]", "[-1,60]" },
		{ "[0,60]", "[0,0]" },
		{ "[0,60]", "[0,121]" },
		{ "[0,60]", "7" },
		{ "\"addresses\": [[", "\"addresses\": [\"\", [" },
		{ "\"code\": [", "\"code\": [1, " },
		{ "\"code\": [", "\"code\": 1, \"other\": [" },
	};
	struct pmu_model *model = model_with_code(), *read;
	char *json = json_of(model), *objects = strstr(json, "\"objects\"");

	for (unsigned int i = 0; i < PMU_ARRAY_LEN(wrong); i++) {
		is_int(read_with(json, wrong[i].from, wrong[i].to, &read), -EINVAL, wrong[i].to);
		pmu_model_free(read);
	}
	is_int(read_with(json, "[9,500]", "[9,500], [0,1]", &read), -EINVAL, "more than there are");
	pmu_model_free(read);
	is_int(read_with(json, "\"start\": 4400", "\"start\": 4096", &read), 0, "elsewhere");
	pmu_model_free(read);
	if (ok(objects != NULL, "there are objects"))
		objects[1] = 'O';
	is_int(read_json(json, &read), -EINVAL, "code of objects that are not there");
	free(json);
	pmu_model_free(model);
}

UNIT_PART(samples_report)
{
	functions_stand_below_their_region();
	lines_are_asked_for();
	few_samples_have_no_shares();
	little_of_all_is_not_shown();
	without_samples_nothing_is_said();
	a_row_that_is_not_shown_has_none_there();
	deep_regions_have_room_for_a_name();
	what_is_written_is_read_back();
	code_is_written_and_read_back();
	callers_are_asked_for();
	callers_are_written_and_read_back();
	callers_that_cannot_be_are_refused();
	code_that_cannot_be_is_refused();
	what_cannot_be_is_refused();
	return done_testing();
}
