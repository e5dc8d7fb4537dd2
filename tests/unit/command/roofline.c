/* SPDX-License-Identifier: BSD-3-Clause */
/* The roofline of made-up reports: intensities, bounds, what is missing, and ceilings that are none. */
#include "bindings/command/roofline/roofline.h"

#include <errno.h>

#include "base/error.h"
#include "bindings/command/json/read.h"
#include "bindings/command/roofline/place.h"
#include "unit/part.h"

#define S        UINT64_C(1000000000)
#define G        UINT64_C(1000000000)
#define NO_COUNT UINT64_MAX

/* --- reports --- */

/* Groups with metrics that the roofline knows; each with two counts at most. */
static const struct made_group {
	const char *name, *counts, *metrics;
} groups[] = {
	{ "FLOPS_DP", "{\"name\": \"a\", \"unit\": \"\"}",
	  "{\"name\": \"double precision\", \"unit\": \"GFLOP/s\", \"formula\": \"a / time / 1e9\"}" },
	{ "FLOPS_SP", "{\"name\": \"a\", \"unit\": \"\"}",
	  "{\"name\": \"single precision\", \"unit\": \"GFLOP/s\", \"formula\": \"a / time / 1e9\"}" },
	{ "FLOPS_E", "{\"name\": \"a\", \"unit\": \"\"}, {\"name\": \"b\", \"unit\": \"\"}",
	  "{\"name\": \"double precision\", \"unit\": \"GFLOP/s\", \"formula\": \"a / time / 1e9\"}, "
	  "{\"name\": \"double precision, E core\", \"unit\": \"GFLOP/s\", \"formula\": \"b / time / 1e9\"}" },
	{ "ANY_DP", "{\"name\": \"a\", \"unit\": \"\"}",
	  "{\"name\": \"any precision\", \"unit\": \"GFLOP/s\", \"formula\": \"a / time / 1e9\"}" },
	{ "ANY_SP", "{\"name\": \"a\", \"unit\": \"\"}",
	  "{\"name\": \"any precision\", \"unit\": \"GFLOP/s\", \"formula\": \"a / time / 1e9\"}" },
	{ "MEM", "{\"name\": \"a\", \"unit\": \"\"}, {\"name\": \"b\", \"unit\": \"\"}",
	  "{\"name\": \"memory read\", \"unit\": \"GB\", \"formula\": \"a / 1e9\"}, "
	  "{\"name\": \"memory written\", \"unit\": \"GB\", \"formula\": \"b / 1e9\"}" },
	{ "CACHE", "{\"name\": \"a\", \"unit\": \"\"}",
	  "{\"name\": \"last level misses\", \"unit\": \"GB/s\", \"formula\": \"64 * a / time / 1e9\"}" },
};

/* A region's row: of each of the threads the same. */
struct made_row {
	const char *group, *path;
	uint64_t calls, time_ns, a, b; /* of all threads together */
};

static void put_count(struct pmu_strbuf *out, const char *name, uint64_t value)
{
	if (value == NO_COUNT)
		pmu_strbuf_addf(out, "\"%s\": null", name);
	else
		pmu_strbuf_addf(out, "\"%s\": %" PRIu64, name, value);
}

static void put_counts(struct pmu_strbuf *out, const char *name, const struct made_row *row,
		       unsigned int n)
{
	pmu_strbuf_addf(out, ", \"%s\": {", name);
	put_count(out, "a", row->a == NO_COUNT ? NO_COUNT : row->a / n);
	pmu_strbuf_add(out, ", ");
	put_count(out, "b", row->b == NO_COUNT ? NO_COUNT : row->b / n);
	pmu_strbuf_add(out, "}");
}

static void put_values(struct pmu_strbuf *out, const struct made_row *row, unsigned int n)
{
	pmu_strbuf_addf(out,
			"\"calls\": %" PRIu64 ", \"time_ns\": %" PRIu64 ", \"self_ns\": %" PRIu64
			", \"time_own_ns\": 0, \"time_min_ns\": 1, \"time_mean_ns\": 1, "
			"\"time_max_ns\": 1, \"time_sd_ns\": 0, \"share\": null, \"open\": 0, "
			"\"flags\": []",
			row->calls / n, row->time_ns / n, row->time_ns / n);
	put_counts(out, "raw", row, n);
	put_counts(out, "net", row, n);
	put_counts(out, "self", row, n);
	pmu_strbuf_add(out, ", \"metrics\": {}");
}

static void put_row(struct pmu_strbuf *out, const struct made_row *row, unsigned int n)
{
	const char *slash = strrchr(row->path, '/');

	pmu_strbuf_addf(out,
			"{\"name\": \"%s\", \"path\": \"%s\", \"group\": \"%s\", \"depth\": %d, "
			"\"parent\": ",
			slash ? slash + 1 : row->path, row->path, row->group, slash != NULL);
	if (slash)
		pmu_strbuf_addf(out, "\"%.*s\"", (int)(slash - row->path), row->path);
	else
		pmu_strbuf_add(out, "null");
	pmu_strbuf_addf(out, ", \"n_threads\": %u, ", n);
	put_values(out, row, 1);
	pmu_strbuf_add(out, ", \"threads\": [");
	for (unsigned int t = 0; t < n; t++) {
		pmu_strbuf_addf(out, "%s{\"thread\": %u, ", t ? ", " : "", t);
		put_values(out, row, n);
		pmu_strbuf_add(out, "}");
	}
	pmu_strbuf_add(out, "]}");
}

static bool has_group(const struct made_row *row, unsigned int n_rows, const char *name)
{
	for (unsigned int i = 0; i < n_rows; i++)
		if (!strcmp(row[i].group, name))
			return true;
	return false;
}

static void put_groups(struct pmu_strbuf *out, const struct made_row *row, unsigned int n_rows)
{
	bool any = false;

	for (size_t i = 0; i < PMU_ARRAY_LEN(groups); i++) {
		if (!has_group(row, n_rows, groups[i].name))
			continue;
		pmu_strbuf_addf(
			out,
			"%s{\"name\": \"%s\", \"read_ns\": 1, \"counts\": [%s], \"metrics\": [%s]}",
			any ? ", " : "", groups[i].name, groups[i].counts, groups[i].metrics);
		any = true;
	}
}

static void put_threads(struct pmu_strbuf *out, unsigned int n)
{
	for (unsigned int t = 0; t < n; t++)
		pmu_strbuf_addf(
			out,
			"%s{\"thread\": %u, \"name\": \"t\", \"tid\": %u, \"cpu\": 0, "
			"\"merged\": 0, \"finished\": true, \"time_ns\": 9000000000, "
			"\"minor_faults\": 0, \"major_faults\": 0, \"voluntary_switches\": 0, "
			"\"involuntary_switches\": 0, \"cpu_ns\": 1}",
			t ? ", " : "", t, t + 1);
}

static struct pmu_model *make(const struct made_row *row, unsigned int n_rows,
			      unsigned int n_threads)
{
	struct pmu_strbuf out = { 0 };
	struct pmu_model *model = NULL;

	pmu_strbuf_add(&out,
		       "{\"pmu_report\": 1, \"version\": \"0\", \"program\": \"made\", "
		       "\"command\": \"made\", \"host\": \"here\", \"pid\": 1, \"rank\": null, "
		       "\"ranks\": null, \"nth\": 1, \"start_unix_ns\": 1, \"duration_ns\": 1, "
		       "\"machine\": {\"description\": \"Made Up\", \"cpu\": \"MadeUp-1\"}, "
		       "\"clock\": {\"name\": \"time stamp counter\", \"hz\": 1e9}, "
		       "\"source\": {\"name\": \"perf\", \"detail\": \"\"}, \"refused\": [], "
		       "\"pinning\": \"none\", \"died\": null, \"notes\": [], \"doubts\": [], "
		       "\"threads\": [");
	put_threads(&out, n_threads);
	pmu_strbuf_add(&out, "], \"groups\": [");
	put_groups(&out, row, n_rows);
	pmu_strbuf_add(&out, "], \"regions\": [");
	for (unsigned int i = 0; i < n_rows; i++) {
		pmu_strbuf_add(&out, i ? ", " : "");
		put_row(&out, &row[i], n_threads);
	}
	pmu_strbuf_add(&out, "]}");
	if (pmu_json_read(out.text, out.len, &model)) {
		diag("%s", pmu_error_text());
		ok(false, "the made-up report can be read");
		exit(1);
	}
	pmu_strbuf_free(&out);
	return model;
}

/* --- ceilings: 60 GFLOP/s in double, 120 in single precision, 25 GB/s; of all four 200, 400, 40 --- */

static const struct pmu_ceilings ceilings = {
	.machine = "Made Up",
	.host = "here",
	.cpu = "MadeUp-1",
	.threads = 4,
	.n_flops = 3,
	.flops = { { PMU_DOUBLE, 0, { 10e9, 40e9 } },
		   { PMU_DOUBLE, 512, { 60e9, 200e9 } },
		   { PMU_SINGLE, 512, { 120e9, 400e9 } } },
	.n_levels = 2,
	.level = { { "L1", 32768, { 400e9, 1600e9 } }, { "memory", 0, { 25e9, 40e9 } } },
};

static bool near(double got, double want, const char *name)
{
	bool holds = ok(fabs(got - want) <= 1e-9 * fabs(want), "%s", name);

	if (!holds)
		diag("got %.12g, want %.12g", got, want);
	return holds;
}

static struct pmu_model *model;
static struct pmu_roofline roofline;

static const struct pmu_roofline_row *first(const struct made_row *row, unsigned int n_rows,
					    unsigned int n_threads, const struct pmu_ceilings *of)
{
	pmu_roofline_free(&roofline);
	pmu_model_free(model);
	model = make(row, n_rows, n_threads);
	pmu_roofline_make(model, of, &roofline);
	return &roofline.row[0];
}
#define FIRST(rows, threads, of) first(rows, PMU_ARRAY_LEN(rows), threads, of)

/* --- what is put together --- */

static void is_a_call_each(void)
{
	static const struct made_row rows[] = {
		{ "FLOPS_DP", "triad", 100, S, 2 * G, NO_COUNT },
		{ "FLOPS_SP", "triad", 50, S / 2, 0, NO_COUNT },
		{ "MEM", "triad", 200, 2 * S, 32 * G, 16 * G },
	};
	const struct pmu_roofline_row *row = FIRST(rows, 1, &ceilings);

	is_u64(roofline.n_rows, 1, "sections of a region are one row");
	near(row->flops, 20e6, "operations a call");
	near(row->bytes, 240e6, "bytes a call, read and written");
	near(row->intensity, 1 / 12.0, "intensity is of a call, however many each section has");
	near(row->flop_rate, 2e9, "operations by the time of their own section");
	near(row->byte_rate, 24e9, "bytes by theirs");
	is_int(row->bytes_by, PMU_BYTES_MEMORY, "by memory controllers");
	is_int(row->bound, PMU_BOUND_MEMORY, "below the ridge memory bounds it");
	near(row->roof, 25e9 / 12, "at what it moves a byte");
	near(row->reached, 0.96, "and so much of it is reached");
	is_u64(row->time_ns, 7 * S / 2, "time is that of all sections");
}

static void above_the_ridge(void)
{
	static const struct made_row rows[] = {
		{ "FLOPS_DP", "dgemm", 10, 2 * S, 80 * G, NO_COUNT },
		{ "MEM", "dgemm", 10, 2 * S, G / 2, G / 2 },
	};
	const struct pmu_roofline_row *row = FIRST(rows, 1, &ceilings);

	near(row->intensity, 80, "much is computed a byte");
	is_int(row->bound, PMU_BOUND_COMPUTE, "arithmetic bounds it");
	near(row->roof, 60e9, "by the widest vectors in double precision");
	near(row->reached, 2 / 3.0, "of which so much is reached");
}

static void mixed_precision(void)
{
	static const struct made_row rows[] = {
		{ "FLOPS_DP", "mixed", 1, S, 20 * G, NO_COUNT },
		{ "FLOPS_SP", "mixed", 1, S, 20 * G, NO_COUNT },
		{ "MEM", "mixed", 1, S, G, 0 },
	};
	const struct pmu_roofline_row *row = FIRST(rows, 1, &ceilings);

	near(row->flops, 40e9, "both precisions count");
	near(row->peak, 80e9, "each takes its time at its own peak");
	near(row->reached, 0.5, "which is the ceiling of both");
}

static void threads(void)
{
	static const struct made_row rows[] = {
		{ "FLOPS_DP", "team", 4, 4 * S, 80 * G, NO_COUNT },
		{ "MEM", "team", 4, 4 * S, 16 * G, 16 * G },
	};
	const struct pmu_roofline_row *row = FIRST(rows, 4, &ceilings);

	is_u64(row->threads, 4, "four threads");
	near(row->flop_rate, 80e9, "rates are of all threads together");
	near(row->byte_rate, 32e9, "bytes likewise");
	near(row->peak, 200e9, "beside what all compute");
	near(row->bandwidth, 40e9, "and move");
	row = FIRST(rows, 2, &ceilings);
	near(row->peak, 120e9, "two compute twice as much as one");
	near(row->bandwidth, 40e9, "and move no more than all");
	row = FIRST(rows, 8, &ceilings);
	near(row->peak, 200e9, "more than there were processors do no more than these");
}

static void one_precision_that_nobody_tells(void)
{
	static const struct made_row rows[] = {
		{ "ANY_DP", "r", 2, S, 10 * G, NO_COUNT },
		{ "ANY_SP", "r", 2, S, 10 * G, NO_COUNT },
		{ "MEM", "r", 2, S, 10 * G, 0 },
	};
	const struct pmu_roofline_row *row = FIRST(rows, 1, &ceilings);

	near(row->flops, 5e9, "what both groups count is there once");
	near(row->intensity, 1, "in the intensity, too");
	near(row->peak, 60e9, "and compared with double precision");
}

static void kinds_of_cores(void)
{
	static const struct made_row rows[] = { { "FLOPS_E", "r", 1, S, 3 * G, G } };
	static const struct made_row only[] = { { "FLOPS_E", "r", 1, S, 3 * G, NO_COUNT } };

	near(FIRST(rows, 1, &ceilings)->flops, 4e9, "P and E cores add up");
	near(FIRST(only, 1, &ceilings)->flops, 3e9, "where there are no others, one kind is all");
}

static void bytes_by_misses(void)
{
	static const struct made_row rows[] = {
		{ "FLOPS_DP", "r", 1, S, 10 * G, NO_COUNT },
		{ "CACHE", "r", 2, S, G / 32, NO_COUNT },
	};
	static const struct made_row both[] = {
		{ "MEM", "r", 1, S, 4 * G, 4 * G },
		{ "CACHE", "r", 2, S, G / 32, NO_COUNT },
	};
	const struct pmu_roofline_row *row = FIRST(rows, 1, &ceilings);

	near(row->bytes, 1e9, "a line of 64 bytes for each miss");
	is_int(row->bytes_by, PMU_BYTES_MISSES, "it says so");
	row = FIRST(both, 1, &ceilings);
	near(row->bytes, 8e9, "memory controllers are better");
}

/* --- what is missing --- */

static void missing_is_not_zero(void)
{
	static const struct made_row rows[] = {
		{ "FLOPS_DP", "r", 1, S, NO_COUNT, NO_COUNT },
		{ "MEM", "r", 1, S, 10 * G, NO_COUNT },
	};
	static const struct made_row flops[] = { { "FLOPS_DP", "r", 1, S, G, NO_COUNT } };
	const struct pmu_roofline_row *row = FIRST(rows, 1, &ceilings);

	ok(isnan(row->flops) && isnan(row->flop_rate), "operations that were not counted");
	ok(isnan(row->bytes) && isnan(row->byte_rate), "bytes of which a part was not counted");
	ok(isnan(row->intensity) && isnan(row->reached), "and what would follow from them");
	is_int(row->bound, PMU_BOUND_UNKNOWN, "nobody knows what bounds it");
	ok(!roofline.has_flop[PMU_DOUBLE] && !roofline.has_bytes[PMU_BYTES_MEMORY],
	   "there are none to be shown");
	row = FIRST(flops, 1, &ceilings);
	near(row->flop_rate, 1e9, "without bytes there is a rate");
	ok(isnan(row->intensity) && row->bound == PMU_BOUND_UNKNOWN, "and no intensity");
}

static void no_operations_at_all(void)
{
	static const struct made_row rows[] = {
		{ "FLOPS_DP", "copy", 1, S, 0, NO_COUNT },
		{ "FLOPS_SP", "copy", 1, S, 0, NO_COUNT },
		{ "MEM", "copy", 1, S, 10 * G, 10 * G },
	};
	const struct pmu_roofline_row *row = FIRST(rows, 1, &ceilings);

	ok(row->flops == 0 && row->intensity == 0, "0 that was counted is 0");
	is_int(row->bound, PMU_BOUND_MEMORY, "memory bounds it");
	near(row->reached, 0.8, "and what it moves tells how near it is");
}

static void no_ceilings(void)
{
	static const struct made_row rows[] = {
		{ "FLOPS_DP", "r", 1, S, G, NO_COUNT },
		{ "MEM", "r", 1, S, G, G },
	};
	struct pmu_ceilings some = ceilings;
	const struct pmu_roofline_row *row = FIRST(rows, 1, NULL);

	near(row->intensity, 0.5, "there is an intensity");
	ok(row->bound == PMU_BOUND_UNKNOWN && isnan(row->reached) && isnan(row->roof),
	   "and nothing to be compared with");
	some.n_levels = 1;
	row = FIRST(rows, 1, &some);
	ok(row->bound == PMU_BOUND_UNKNOWN && isnan(row->bandwidth), "ceilings without memory");
}

static void regions_that_one_section_has(void)
{
	static const struct made_row rows[] = {
		{ "FLOPS_DP", "main", 1, 3 * S, G, NO_COUNT },
		{ "FLOPS_DP", "main/a", 1, S, G, NO_COUNT },
		{ "MEM", "main", 1, 3 * S, G, G },
		{ "MEM", "main/b", 1, S, G, G },
	};

	FIRST(rows, 1, &ceilings);
	is_u64(roofline.n_rows, 3, "each region is there once");
	is_str(roofline.row[0].path, "main", "by the first section's order");
	is_str(roofline.row[1].path, "main/a", "its own");
	is_str(roofline.row[2].path, "main/b", "then what the second has");
	ok(isnan(roofline.row[1].bytes) && isnan(roofline.row[2].flops), "with what was counted");
}

/* --- files of ceilings --- */

static int parse(const char *text, struct pmu_ceilings *out)
{
	char *copy = strdup(text);
	int rc = pmu_ceilings_parse(copy, strlen(copy), out);

	free(copy);
	return rc;
}

#define HEAD                                                                          \
	"{\"pmu_ceilings\": 1, \"machine\": \"m\", \"host\": \"h\", \"cpu\": \"c\", " \
	"\"unix_s\": 1, \"threads\": [1, 2], "
#define RATES(one, all) "[{\"median\": " one "}, {\"median\": " all "}]"
#define FLOPS(precision, bits, rates)                                                             \
	"\"flops\": [{\"precision\": " precision ", \"vector_bits\": " bits ", \"rates\": " rates \
	"}], "
#define LEVELS(name, bytes, moves) \
	"\"levels\": [{\"name\": " name ", \"cache_bytes\": " bytes ", \"moves\": " moves "}]}"
#define GOOD_FLOPS  FLOPS("\"double\"", "256", RATES("2e9", "4e9"))
#define GOOD_MOVES  "[{\"rates\": " RATES("1e9", "3e9") "}, {\"rates\": " RATES("2e9", "2e9") "}]"
#define GOOD_LEVELS LEVELS("\"memory\"", "null", GOOD_MOVES)

static void a_good_file(void)
{
	struct pmu_ceilings got;

	is_int(parse(HEAD GOOD_FLOPS GOOD_LEVELS, &got), 0, "a good file is read");
	is_u64(got.threads, 2, "threads");
	near(pmu_ceilings_peak(&got, PMU_DOUBLE)->rate.all, 4e9, "a peak");
	ok(!pmu_ceilings_peak(&got, PMU_SINGLE), "none of a precision that is not there");
	near(pmu_ceilings_memory(&got)->rate.one, 2e9, "of one thread the best way to move");
	near(pmu_ceilings_memory(&got)->rate.all, 3e9, "of all threads likewise");
}

static void files_that_are_none(void)
{
	static const char *const bad[] = {
		"",
		"{",
		"[]",
		"7",
		"{\"pmu_report\": 1}",
		"{\"pmu_ceilings\": \"1\"}",
		HEAD GOOD_FLOPS,
		HEAD GOOD_LEVELS,
		HEAD FLOPS("\"half\"", "256", RATES("1", "1")) GOOD_LEVELS,
		HEAD FLOPS("2", "256", RATES("1", "1")) GOOD_LEVELS,
		HEAD FLOPS("\"double\"", "-1", RATES("1", "1")) GOOD_LEVELS,
		HEAD FLOPS("\"double\"", "1e3", RATES("1", "1")) GOOD_LEVELS,
		HEAD FLOPS("\"double\"", "99999999999", RATES("1", "1")) GOOD_LEVELS,
		HEAD FLOPS("\"double\"", "256", RATES("0", "1")) GOOD_LEVELS,
		HEAD FLOPS("\"double\"", "256", RATES("1", "-4e9")) GOOD_LEVELS,
		HEAD FLOPS("\"double\"", "256", RATES("1e999", "1")) GOOD_LEVELS,
		HEAD FLOPS("\"double\"", "256", RATES("1e19", "1")) GOOD_LEVELS,
		HEAD FLOPS("\"double\"", "256", RATES("null", "1")) GOOD_LEVELS,
		HEAD FLOPS("\"double\"", "256", RATES("\"1\"", "1")) GOOD_LEVELS,
		HEAD FLOPS("\"double\"", "256", "[{\"median\": 1}]") GOOD_LEVELS,
		HEAD FLOPS("\"double\"", "256", "7") GOOD_LEVELS,
		HEAD GOOD_FLOPS LEVELS("null", "null", GOOD_MOVES),
		HEAD GOOD_FLOPS LEVELS("\"L1\"", "0", GOOD_MOVES),
		HEAD GOOD_FLOPS LEVELS("\"L1\"", "-1", GOOD_MOVES),
		HEAD GOOD_FLOPS LEVELS("\"L1\"", "\"x\"", GOOD_MOVES),
		HEAD GOOD_FLOPS LEVELS("\"L1\"", "1", "[]"),
		HEAD GOOD_FLOPS LEVELS("\"L1\"", "1", "[7]"),
		HEAD GOOD_FLOPS "\"levels\": [[]]}",
		HEAD "\"flops\": {}, " GOOD_LEVELS,
		HEAD
		"\"flops\": [1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1], " GOOD_LEVELS,
	};
	struct pmu_ceilings got;

	for (size_t i = 0; i < PMU_ARRAY_LEN(bad); i++) {
		int rc;

		pmu_error_clear();
		rc = parse(bad[i], &got);
		ok(rc == -EINVAL && pmu_error_text()[0], "refused: %s", pmu_error_text());
	}
	is_int(parse("{\"pmu_ceilings\": 2}", &got), -ENOTSUP, "a later version is told apart");
	ok(strstr(pmu_error_text(), "measures again"), "with the way out");
}

static void any_beginning_of_a_file(void)
{
	static const char whole[] = HEAD GOOD_FLOPS GOOD_LEVELS;
	struct pmu_ceilings got;
	bool refused = true;

	for (size_t n = 0; n + 1 < sizeof(whole) - 1; n++) {
		char *part = strndup(whole, n);

		refused = refused && parse(part, &got) == -EINVAL;
		free(part);
	}
	ok(refused, "no beginning of a file is taken for one");
}

static void where_it_lies(void)
{
	char path[256];

	setenv("XDG_CACHE_HOME", "/cache", 1);
	is_int(pmu_ceilings_path("a/../b c", "Genuine-6\n", path, sizeof(path)), 10, "a folder");
	is_str(path, "/cache/pmu/ceilings-a_.._b_c-Genuine-6_.json", "names are no paths");
	setenv("XDG_CACHE_HOME", "relative", 1);
	setenv("HOME", "/home/me", 1);
	ok(pmu_ceilings_path("h", "c", path, sizeof(path)) > 0, "below home");
	is_str(path, "/home/me/.cache/pmu/ceilings-h-c.json", "as a relative one does not count");
	unsetenv("HOME");
	is_int(pmu_ceilings_path("h", "c", path, sizeof(path)), -ENOENT, "nowhere");
	setenv("HOME", "/home/me", 1);
	is_int(pmu_ceilings_path("h", "c", path, 20), -ENAMETOOLONG, "no room");
}

UNIT_PART(roofline)
{
	is_a_call_each();
	above_the_ridge();
	mixed_precision();
	threads();
	one_precision_that_nobody_tells();
	kinds_of_cores();
	bytes_by_misses();
	missing_is_not_zero();
	no_operations_at_all();
	no_ceilings();
	regions_that_one_section_has();
	a_good_file();
	files_that_are_none();
	any_beginning_of_a_file();
	where_it_lies();
	pmu_roofline_free(&roofline);
	pmu_model_free(model);
	return done_testing();
}
