/* SPDX-License-Identifier: BSD-3-Clause */
/* Results as one JSON object, written at the end.  What is missing is null. */
#include "bench/suite/suite.h"

#include <jansson.h>
#include <stdio.h>

#include "pmu.h"

static const char *const keys[N_WHAT] = {
	[INSTRUCTIONS] = "instructions",
	[BRANCHES] = "branches",
	[MISPREDICTED] = "mispredicted",
	[LINES] = "last_level_misses",
};

static json_t *root, *rows;

static json_t *number(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

static json_t *text(const char *value)
{
	json_t *made = value && *value ? json_string(value) : NULL;

	return made ? made : json_null();
}

static json_t *all_of(const double *value)
{
	json_t *object = json_object();

	for (enum what what = 0; what < N_WHAT; what++)
		json_object_set_new(object, keys[what], number(value[what]));
	return object;
}

static void json_begin(const struct options *options, const struct surroundings *where)
{
	json_t *names = json_object();
	size_t cache = options->cache ? options->cache : where->cache * (size_t)where->n_caches;

	for (enum what what = 0; what < N_WHAT; what++)
		json_object_set_new(names, keys[what], text(counts_name(what)));
	rows = json_array();
	root = json_pack("{s:i, s:s, s:o, s:o, s:o, s:o, s:o, s:i, s:o, s:o, s:o}", "pmu_bench", 1,
			 "version", PMU_VERSION_STRING, "machine", text(where->machine), "source",
			 text(where->source), "pinning", text(where->pinning), "cache_bytes",
			 cache ? json_integer((json_int_t)cache) : json_null(), "time_s",
			 options->calls ? json_null() : json_real(options->seconds), "threads",
			 options->n_threads, "simulated", json_boolean(where->simulated), "counts",
			 names, "rows", rows);
}

static void json_row(const struct result *result)
{
	json_t *row = json_object();

	json_array_append_new(rows, row);
	json_object_set_new(row, "kernel", json_string(result->kernel->name));
	json_object_set_new(row, "size_bytes", json_integer((json_int_t)result->bytes));
	json_object_set_new(row, "verified", json_boolean(!result->wrong));
	json_object_set_new(row, "wrong", text(result->wrong));
	if (result->calls == 0)
		return;
	json_object_set_new(row, "calls", json_integer((json_int_t)result->calls));
	json_object_set_new(row, "passes_per_call", json_integer((json_int_t)result->passes));
	json_object_set_new(row, "rate", number(result->rate));
	json_object_set_new(row, "rate_unit", json_sprintf("%s/s", result->kernel->unit));
	json_object_set_new(row, "iteration_ns", number(result->ns));
	json_object_set_new(row, "iteration_ns_min", number(result->ns_min));
	json_object_set_new(row, "iteration_ns_max", number(result->ns_max));
	json_object_set_new(row, "ratio_to_bare", number(result->of_bare));
	json_object_set_new(row, "counted_per_iteration", all_of(result->counted));
	json_object_set_new(row, "model_per_iteration", all_of(result->model));
}

static void json_end(void)
{
	json_dumpf(root, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(9) | JSON_PRESERVE_ORDER);
	putchar('\n');
	json_decref(root);
}

const struct writer suite_json = { json_begin, json_row, json_end };
