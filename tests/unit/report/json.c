/* SPDX-License-Identifier: BSD-3-Clause */
/* The JSON report, read back by a JSON library. */
#include "unit/part.h"

#include <jansson.h>
#include <locale.h>

#include "report/encode.h"
#include "report/model/metric.h"
#include "report/report.h"
#include "unit/model_sample.h"

static char *render(const struct pmu_model *model)
{
	struct pmu_strbuf out = { 0 };

	pmu_write_json(&out, model);
	ok(!out.failed && out.text, "rendered");
	return out.text;
}

static json_t *parse(const char *text)
{
	json_error_t error;
	json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &error);

	if (!ok(root != NULL, "is JSON"))
		diag("line %d column %d: %s", error.line, error.column, error.text);
	return root;
}

static json_t *render_and_parse(const struct pmu_model *model)
{
	char *text = render(model);
	json_t *root = parse(text);

	free(text);
	return root;
}

static void is_member_u64(json_t *object, const char *name, bool known, uint64_t want)
{
	json_t *value = json_object_get(object, name);

	if (!known)
		ok(json_is_null(value), "%s is null", name);
	else if (ok(json_is_integer(value), "%s is an integer", name))
		is_u64((uint64_t)json_integer_value(value), want, name);
}

static void is_member_double(json_t *object, const char *name, double want)
{
	json_t *value = json_object_get(object, name);

	if (isnan(want))
		ok(json_is_null(value), "%s is null", name);
	else
		ok(json_is_number(value) && json_number_value(value) == want, "%s is %.17g", name,
		   want);
}

static void is_member_text(json_t *object, const char *name, const char *want)
{
	char *text = strdup(json_string_value(json_object_get(object, name)) ?: "(none)");

	pmu_decode(text);
	is_str(text, want, name);
	free(text);
}

static void is_member_counts(json_t *object, const char *name, const struct pmu_model_section *s,
			     const uint64_t *value, uint32_t missing)
{
	json_t *counts = json_object_get(object, name);

	is_int((int)json_object_size(counts), (int)s->n_counts, name);
	for (unsigned int i = 0; i < s->n_counts; i++)
		is_member_u64(counts, s->count[i].name, !(missing >> i & 1), value[i]);
}

static void is_measured(json_t *object, const struct pmu_model_section *s,
			const struct pmu_model_row *row)
{
	is_member_u64(object, "calls", true, row->calls);
	is_member_u64(object, "time_ns", true, row->time_ns);
	is_member_u64(object, "self_ns", pmu_model_self_known(row), row->self_ns);
	is_member_u64(object, "time_min_ns", row->calls > 0, row->min_ns);
	is_member_u64(object, "time_max_ns", row->calls > 0, row->max_ns);
	is_member_double(object, "time_sd_ns", row->sd_ns);
	is_member_double(object, "share", row->share);
	is_member_u64(object, "open", true, row->n_open);
	is_member_counts(object, "raw", s, row->raw, row->missing);
	is_member_counts(object, "net", s, row->net, row->missing);
	is_member_counts(object, "self", s, row->self, row->self_missing);
	for (unsigned int i = 0; i < s->n_metrics; i++)
		is_member_double(json_object_get(object, "metrics"), s->metric[i].name,
				 row->metric[i]);
}

static void every_number_of_every_region_is_there(void)
{
	struct pmu_model *model = sample_model();
	struct pmu_model_section *s = model->section;
	json_t *root, *regions;
	size_t n_thread_rows = 0;

	sample_sum(model, "assemble")->n_open = 2;
	sample_sum(model, "solve")->net[CYCLES] = INT64_MAX;
	sample_sum(model, "solve")->flags |= PMU_ROW_NO_SELF;
	pmu_metric_fill(model);
	root = render_and_parse(model);
	regions = json_object_get(root, "regions");
	is_int((int)json_array_size(regions), (int)s->n_rows, "regions");
	for (unsigned int i = 0; i < s->n_rows; i++) {
		const struct pmu_model_row *row = &s->row[i];
		json_t *region = json_array_get(regions, i), *thread;
		json_t *threads = json_object_get(region, "threads");
		size_t k;

		is_member_text(region, "name", row->name);
		is_member_text(region, "path", row->path);
		is_member_text(region, "group", "CORE");
		is_member_u64(region, "depth", true, (uint64_t)row->depth);
		if (row->parent < 0)
			ok(json_is_null(json_object_get(region, "parent")), "no parent");
		else
			is_member_text(region, "parent", s->row[row->parent].path);
		is_member_u64(region, "n_threads", true, row->n_threads);
		is_measured(region, s, row);
		is_int((int)json_array_size(threads), (int)row->n_threads, "its threads");
		json_array_foreach(threads, k, thread)
		{
			const struct pmu_model_row *own = s->thread_row;

			while (own->sum != (int)i ||
			       own->thread != json_integer_value(json_object_get(thread, "thread")))
				own++;
			is_measured(thread, s, own);
			n_thread_rows++;
		}
	}
	is_int((int)n_thread_rows, (int)s->n_thread_rows, "every thread's row is in one region");
	json_decref(root);
	pmu_model_free(model);
}

static void the_head_says_what_ran_where(void)
{
	struct pmu_model *model = sample_model();
	json_t *root = render_and_parse(model), *part;

	is_member_u64(root, "pmu_report", true, 1);
	is_member_text(root, "version", "0.1.0");
	is_member_text(root, "program", "demo");
	is_member_text(root, "command", "./demo --size 1000");
	is_member_text(root, "host", "node1");
	is_member_u64(root, "pid", true, 4242);
	is_member_u64(root, "start_unix_ns", true, 1700000000123456789u);
	is_member_u64(root, "duration_ns", true, 1234000000);
	is_member_text(json_object_get(root, "machine"), "cpu", "AuthenticAMD-26-2-1");
	is_member_text(json_object_get(root, "source"), "name", "perf");
	is_member_double(json_object_get(root, "clock"), "hz", 2596000000.0);
	is_member_text(root, "pinning", "auto: 2 threads on CPUs 0,1");
	ok(json_is_null(json_object_get(root, "died")), "a clean end");
	is_member_text(json_array_get(json_object_get(root, "refused"), 0), "mend",
		       "modprobe msr, and run as root");
	is_str(json_string_value(json_array_get(json_object_get(root, "notes"), 0)), model->note[0],
	       "note");
	part = json_array_get(json_object_get(root, "groups"), 0);
	is_member_text(json_array_get(json_object_get(part, "metrics"), 1), "formula",
		       "100 * \"LLC-misses\" / instructions");
	is_member_text(json_array_get(json_object_get(part, "counts"), 2), "name", "LLC-misses");
	part = json_array_get(json_object_get(root, "threads"), 1);
	is_member_text(part, "name", "worker");
	is_member_u64(part, "tid", true, 4243);
	is_member_u64(part, "cpu", true, 1);
	is_member_u64(part, "minor_faults", true, 120);
	is_member_u64(part, "voluntary_switches", false, 0);
	part = json_array_get(json_object_get(root, "doubts"), 0);
	is_member_text(part, "region", "main/solve/a\\/b");
	is_member_u64(part, "thread", true, 0);
	is_member_u64(part, "count", true, 3);
	json_decref(root);
	pmu_model_free(model);
}

static void what_is_unknown_is_null(void)
{
	struct pmu_model *model = sample_head();
	json_t *root, *region, *doubt;

	model->died = "the program did not end cleanly: killed";
	model->clock_hz = 0;
	sample_threads(model, 2, 0);
	model->thread[0].cpu = -1;
	model->thread[0].minor_faults = -1;
	model->thread[1].core_type = "P+E";
	sample_sections(model, 1, 1);
	sample_row(model, model->section, 0, -1, "open", 0, 0)->flags = PMU_ROW_OPEN |
									PMU_ROW_OVERLAP;
	pmu_model_add_doubt(model, "text", "", -1, 0);
	pmu_model_finish(model);
	root = render_and_parse(model);
	is_member_text(root, "died", model->died);
	ok(json_is_null(json_object_get(json_object_get(root, "clock"), "hz")), "clock rate");
	ok(json_is_null(
		   json_object_get(json_array_get(json_object_get(root, "threads"), 0), "cpu")),
	   "no CPU");
	ok(!json_object_get(json_array_get(json_object_get(root, "threads"), 0), "core_type"),
	   "no kind of core");
	is_member_text(json_array_get(json_object_get(root, "threads"), 1), "core_type", "P+E");
	region = json_array_get(json_object_get(root, "regions"), 0);
	is_member_u64(region, "self_ns", false, 0);
	is_member_u64(region, "time_min_ns", false, 0);
	is_member_double(region, "time_sd_ns", NAN);
	is_member_double(region, "share", NAN);
	is_str(json_string_value(json_array_get(json_object_get(region, "flags"), 0)), "overlap",
	       "flags by name");
	is_str(json_string_value(json_array_get(json_object_get(region, "flags"), 1)), "open",
	       "each");
	doubt = json_array_get(json_object_get(root, "doubts"), 0);
	is_member_u64(doubt, "region", false, 0);
	is_member_u64(doubt, "thread", false, 0);
	is_member_u64(doubt, "count", false, 0);
	json_decref(root);
	pmu_model_free(model);
}

/* Every name of one and two bytes, and random longer ones, comes back as it was. */
static void any_bytes_are_valid_json_and_come_back(void)
{
	struct pmu_strbuf out = { 0 };
	uint64_t random = 12345;
	bool right = true;

	for (unsigned int i = 0; i < 256 * 256 + 4000 && right; i++) {
		static const char likely_ones[] = "\\x5cfe0\"\xc3\xa4\xe2\x82\xac\xed\xa0\xf0";
		char name[32] = { (char)(i & 255), (char)(i >> 8 & 255) };
		json_t *value;
		char *back;

		for (unsigned int k = 0; i >= 256 * 256 && k < 30; k++) {
			random = random * 6364136223846793005u + 1442695040888963407u;
			name[k] = random >> 63
					  ? (char)(random >> 33)
					  : likely_ones[(random >> 33) % (sizeof(likely_ones) - 1)];
		}
		out.len = 0;
		pmu_encode_json(&out, name);
		value = json_loads(out.text, JSON_DECODE_ANY, NULL);
		right = json_is_string(value);
		back = strdup(right ? json_string_value(value) : "");
		pmu_decode(back);
		right &= !strcmp(back, name);
		if (!right)
			diag("%s", out.text);
		free(back);
		json_decref(value);
	}
	ok(right, "any bytes");
	pmu_strbuf_free(&out);
}

static void numbers_have_a_point_in_every_locale(void)
{
	struct pmu_model *model = sample_model();
	char *before = strdup(setlocale(LC_NUMERIC, NULL)), *text;

	if (!setlocale(LC_NUMERIC, "de_DE.UTF-8") && !setlocale(LC_NUMERIC, "fr_FR.UTF-8")) {
		skip("decimal comma", "no such locale here");
	} else {
		text = render(model);
		has(text, "\"share\": 0.925", "a point");
		setlocale(LC_NUMERIC, "C");
		json_decref(parse(text));
		free(text);
	}
	setlocale(LC_NUMERIC, before);
	free(before);
	pmu_model_free(model);
}

/* A mean of ten digits or more is not above the only call that it is of. */
static void a_mean_has_all_its_digits(void)
{
	struct pmu_model *model = sample_model();
	struct pmu_model_row *row = sample_sum(model, "solve");
	json_t *root, *region = NULL;
	size_t i;

	row->calls = 1;
	row->time_ns = row->max_ns = row->min_ns = 2300492756;
	row->sd_ns = 1e10 / 3;
	root = render_and_parse(model);
	json_array_foreach(json_object_get(root, "regions"), i,
			   region) if (!strcmp(json_string_value(json_object_get(region, "name")),
					       "solve")) break;
	is_member_u64(region, "time_max_ns", true, 2300492756);
	is_member_double(region, "time_mean_ns", 2300492756);
	is_member_double(region, "time_sd_ns", 1e10 / 3);
	json_decref(root);
	pmu_model_free(model);
}

static void an_empty_model_is_a_report_too(void)
{
	struct pmu_model *model = pmu_model_new();
	json_t *root = render_and_parse(model);

	is_int((int)json_array_size(json_object_get(root, "regions")), 0, "no regions");
	ok(json_is_array(json_object_get(root, "doubts")), "lists are there all the same");
	json_decref(root);
	pmu_model_free(model);
}

static void teams_are_beside_what_is_their_own(void)
{
	struct pmu_model *model = sample_team();
	const struct pmu_model_row *sum = model->section->row;
	json_t *root, *region, *team, *workers, *threads;

	pmu_metric_fill(model);
	root = render_and_parse(model);
	region = json_array_get(json_object_get(root, "regions"), 0);
	team = json_object_get(region, "team");
	is_member_u64(region, "time_ns", true, sum->time_ns);
	is_member_u64(team, "time_ns", true, sum->team->all.time_ns);
	is_member_u64(team, "n_threads", true, 3);
	is_member_double(team, "share", sum->team->all.share);
	is_member_double(team, "imbalance", sum->team->imbalance);
	is_member_double(team, "efficiency", sum->team->efficiency);
	is_member_counts(team, "raw", model->section, sum->team->all.raw, sum->team->all.missing);
	is_member_counts(team, "net", model->section, sum->team->all.net, sum->team->all.missing);
	is_member_double(json_object_get(team, "metrics"), "IPC", 3);
	ok(json_is_true(json_object_get(team, "others")), "others worked for it");
	workers = json_object_get(team, "workers");
	threads = json_object_get(region, "threads");
	is_int((int)json_array_size(workers), 2, "two workers");
	is_int((int)json_array_size(threads), 2, "and two that opened it");
	is_member_u64(json_array_get(workers, 0), "thread", true, 1);
	is_member_u64(json_array_get(workers, 0), "team_depth", true, 1);
	is_member_u64(json_array_get(workers, 0), "time_ns", true, 200000000);
	ok(!json_object_get(json_array_get(threads, 0), "team_depth"), "whose path is their own");
	is_member_u64(json_array_get(json_object_get(root, "threads"), 1), "stop_ns", true,
		      1000000000);
	ok(!json_object_get(json_array_get(json_object_get(root, "regions"), 2), "team"),
	   "one of a single thread has none");
	json_decref(root);
	model->section->row[0].team->time_known = false;
	model->section->row[0].team->n_threads = 0;
	model->section->row[0].team->all.missing = 1u << CYCLES;
	root = render_and_parse(model);
	team = json_object_get(json_array_get(json_object_get(root, "regions"), 0), "team");
	is_member_u64(team, "time_ns", false, 0);
	is_member_u64(team, "n_threads", false, 0);
	is_member_counts(team, "net", model->section, sum->team->all.net, 1u << CYCLES);
	json_decref(root);
	pmu_model_free(model);
}

UNIT_PART(json)
{
	every_number_of_every_region_is_there();
	the_head_says_what_ran_where();
	what_is_unknown_is_null();
	any_bytes_are_valid_json_and_come_back();
	numbers_have_a_point_in_every_locale();
	a_mean_has_all_its_digits();
	an_empty_model_is_a_report_too();
	teams_are_beside_what_is_their_own();
	return done_testing();
}
