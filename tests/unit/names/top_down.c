/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Top-down metrics against values that others compute from the same counts.
 *
 * TEST_TMA is a folder of MODEL.json: counts of events in several sets, and of each node the values
 * that Intel's files and toplev agree on ("v"; "gp" without PERF_METRICS), or for AMD and Arm those
 * of Linux and the vendor.  TEST_PERFMON is one of Intel's event and metric files.
 */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/compiler.h"
#include "base/error.h"
#include "names/file/file.h"
#include "names/json.h"
#include "names/vendor/map.h"
#include "names/vendor/metric_parts.h"
#include "plan/formula.h"
#include "report/text/topdown.h"
#include "unit/part.h"

#define SETS_MAX 16
/* An expectation that is none; NaN is one: missing. */
#define NONE INFINITY

struct row {
	char name[96];
	double value[SETS_MAX];
};

struct node {
	struct row v, gp;
	char truth[SETS_MAX + 1],
		gp_truth[SETS_MAX + 1]; /* '1': above its threshold, and its parent */
	long level;
	bool by_json, has_gp, changed; /* in Intel's later files */
};

/* A file. */
static struct oracle {
	unsigned int n_sets, n_events, n_nodes;
	double smt[SETS_MAX], duration_ms[SETS_MAX], tsc_hz[SETS_MAX];
	struct row event[512];
	struct node node[384];
} oracle;

/* What came of one. */
static struct {
	unsigned int values, wrong, by_general;
	unsigned int judged, misjudged; /* by the thresholds of the report's tree */
	unsigned int no_group,
		no_count; /* nodes that are no group; that need a count which is not there */
} seen;

/* --- reading it --- */

static bool is(const char *text, size_t len, const char *word)
{
	return text && len == strlen(word) && !memcmp(text, word, len);
}

static unsigned int read_row(struct pmu_json *json, double *value)
{
	enum pmu_json_kind kind;
	unsigned int n = 0;

	while ((kind = pmu_json_next(json)) != PMU_JSON_ARRAY_END && kind != PMU_JSON_END) {
		if (n == SETS_MAX)
			continue;
		/* "undef", or null */
		value[n++] = kind == PMU_JSON_NUMBER   ? strtod(json->value, NULL)
			     : kind == PMU_JSON_STRING ? NAN
						       : NONE;
	}
	return n;
}

static void skip_it(struct pmu_json *json, enum pmu_json_kind kind)
{
	if (kind == PMU_JSON_OBJECT || kind == PMU_JSON_ARRAY)
		pmu_json_skip(json);
}

static void read_params(struct pmu_json *json)
{
	enum pmu_json_kind kind;

	while ((kind = pmu_json_next(json)) != PMU_JSON_OBJECT_END && kind != PMU_JSON_END) {
		double *into = is(json->key, json->key_len, "smt")           ? oracle.smt
			       : is(json->key, json->key_len, "duration_ms") ? oracle.duration_ms
			       : is(json->key, json->key_len, "tsc_hz")      ? oracle.tsc_hz
									     : NULL;

		if (kind == PMU_JSON_ARRAY && into)
			oracle.n_sets = read_row(json, into);
		else
			skip_it(json, kind);
	}
}

static void read_events(struct pmu_json *json)
{
	enum pmu_json_kind kind;

	while ((kind = pmu_json_next(json)) != PMU_JSON_OBJECT_END && kind != PMU_JSON_END) {
		struct row *event = &oracle.event[oracle.n_events];

		if (kind != PMU_JSON_ARRAY || oracle.n_events == PMU_ARRAY_LEN(oracle.event)) {
			skip_it(json, kind);
			continue;
		}
		snprintf(event->name, sizeof(event->name), "%.*s", (int)json->key_len, json->key);
		read_row(json, event->value);
		oracle.n_events++;
	}
}

static void read_node(struct pmu_json *json, struct node *node)
{
	enum pmu_json_kind kind;

	memset(node, 0, sizeof(*node));
	while ((kind = pmu_json_next(json)) != PMU_JSON_OBJECT_END && kind != PMU_JSON_END) {
		if (kind == PMU_JSON_STRING && is(json->key, json->key_len, "n"))
			pmu_json_string(json, node->v.name, sizeof(node->v.name));
		else if (kind == PMU_JSON_STRING && is(json->key, json->key_len, "src"))
			node->by_json = memchr(json->value, 'J', json->len) != NULL;
		else if (kind == PMU_JSON_STRING && is(json->key, json->key_len, "tma52"))
			node->changed = !is(json->value, json->len, "same");
		else if (kind == PMU_JSON_STRING && is(json->key, json->key_len, "th"))
			pmu_json_string(json, node->truth, sizeof(node->truth));
		else if (kind == PMU_JSON_STRING && is(json->key, json->key_len, "gpth"))
			pmu_json_string(json, node->gp_truth, sizeof(node->gp_truth));
		else if (kind == PMU_JSON_NUMBER && is(json->key, json->key_len, "l"))
			node->level = strtol(json->value, NULL, 10);
		else if (kind == PMU_JSON_ARRAY && is(json->key, json->key_len, "v"))
			read_row(json, node->v.value);
		else if (kind == PMU_JSON_ARRAY && is(json->key, json->key_len, "gp"))
			node->has_gp = read_row(json, node->gp.value) > 0;
		else
			skip_it(json, kind);
	}
}

static void read_nodes(struct pmu_json *json)
{
	enum pmu_json_kind kind;

	while ((kind = pmu_json_next(json)) != PMU_JSON_ARRAY_END && kind != PMU_JSON_END) {
		if (kind == PMU_JSON_OBJECT && oracle.n_nodes < PMU_ARRAY_LEN(oracle.node))
			read_node(json, &oracle.node[oracle.n_nodes++]);
		else
			skip_it(json, kind);
	}
}

static bool read_oracle(const char *folder, const char *name)
{
	enum pmu_json_kind kind;
	char path[PATH_MAX];
	struct pmu_json json;
	char *text;
	size_t len;

	memset(&oracle, 0, sizeof(oracle));
	memset(&seen, 0, sizeof(seen));
	snprintf(path, sizeof(path), "%s.json", name);
	if (pmu_vendor_read(folder, path, &text, &len))
		return false;
	pmu_json_start(&json, text, len);
	pmu_json_next(&json);
	while ((kind = pmu_json_next(&json)) != PMU_JSON_OBJECT_END && kind != PMU_JSON_END) {
		if (kind == PMU_JSON_OBJECT && is(json.key, json.key_len, "params"))
			read_params(&json);
		else if (kind == PMU_JSON_OBJECT && is(json.key, json.key_len, "events"))
			read_events(&json);
		else if (kind == PMU_JSON_ARRAY && is(json.key, json.key_len, "nodes"))
			read_nodes(&json);
		else
			skip_it(&json, kind);
	}
	free(text);
	return !json.error && oracle.n_sets && oracle.n_nodes;
}

/* --- our value --- */

/* Of a column's name, or of theirs, the spelling of both: "X:c1:e1", "X:sup". */
static void spell(const char *name, char *into, size_t size)
{
	static const struct {
		const char *ours, *both;
	} words[] = {
		{ "uk", "" }, { "k", ":sup" }, { "u", ":user" }, { "e", ":e1" }, { "i", ":i1" }
	};
	char copy[96], *rest = copy, *part;
	size_t i;

	snprintf(copy, sizeof(copy), "%s", name);
	snprintf(into, size, "%s", strsep(&rest, ":"));
	while ((part = strsep(&rest, ":"))) {
		size_t len = strlen(into);

		for (i = 0; i < PMU_ARRAY_LEN(words) && strcmp(part, words[i].ours) != 0; i++)
			;
		if (i < PMU_ARRAY_LEN(words))
			snprintf(into + len, size - len, "%s", words[i].both);
		else if (part[1] == '=')
			snprintf(into + len, size - len, ":%c%s", part[0], part + 2);
		else
			snprintf(into + len, size - len, ":%s", part);
	}
}

/* Events that have another name with us: generic ones, and those that groups have by their codes. */
static const struct {
	const char *ours, *theirs;
} renamed[] = {
	{ "cycles", "CPU_CLK_UNHALTED.THREAD" },
	{ "cycles", "CPU_CLK_UNHALTED.CORE" },
	{ "cycles", "ls_not_halted_cyc" },
	{ "cycles", "CPU_CYCLES" },
	{ "instructions", "INST_RETIRED.ANY" },
	{ "CPU_CLK_UNHALTED.THREAD_P", "CPU_CLK_UNHALTED.THREAD" },
	{ "CPU_CLK_UNHALTED.CORE_P", "CPU_CLK_UNHALTED.CORE" },
	{ "MANY", "OFFCORE_REQUESTS_OUTSTANDING.ALL_DATA_RD:c4" },
	{ "MANY", "OFFCORE_REQUESTS_OUTSTANDING.DATA_RD:c4" },
	{ "SWITCHES", "UOPS_RETIRED.MS:c1:e1" },
	{ "NO_PORT", "EXE_ACTIVITY.3_PORTS_UTIL:u0x80" },
	{ "RETIRED", "ex_ret_ops" },
	{ "DISPATCHED", "de_src_op_disp.all" },
	{ "FRONTEND", "de_no_dispatch_per_slot.no_ops_from_frontend" },
	{ "NOTHING", "de_no_dispatch_per_slot.no_ops_from_frontend:cmask=6" },
	{ "NOTHING", "de_no_dispatch_per_slot.no_ops_from_frontend:cmask=8" },
	{ "BACKEND", "de_no_dispatch_per_slot.backend_stalls" },
	{ "SIBLING", "de_no_dispatch_per_slot.smt_contention" },
	{ "LOADS", "ex_no_retire.load_not_complete" },
	{ "WAITING", "ex_no_retire.not_complete" },
	{ "MISPREDICTS", "ex_ret_brn_misp" },
	{ "RESTARTS", "resyncs_or_nc_redirects" },
	{ "RESTARTS", "bp_redirects.resync" },
	{ "MICROCODE", "ex_ret_ucode_ops" },
};

static const struct row *count_of_exactly(const char *name)
{
	for (unsigned int i = 0; i < oracle.n_events; i++)
		if (!strcmp(name, oracle.event[i].name))
			return &oracle.event[i];
	return NULL;
}

/* Names without a level are of the user level, which the oracle may write out. */
static const struct row *count_of(const char *name)
{
	char ours[128], user[136], theirs[128];

	spell(name, ours, sizeof(ours));
	snprintf(user, sizeof(user), "%s:user", ours);
	for (unsigned int i = 0; i < oracle.n_events; i++) {
		spell(oracle.event[i].name, theirs, sizeof(theirs));
		if (!strcasecmp(ours, theirs) || !strcasecmp(user, theirs))
			return &oracle.event[i];
	}
	for (size_t i = 0; i < PMU_ARRAY_LEN(renamed); i++)
		if (!strcmp(name, renamed[i].ours) && count_of_exactly(renamed[i].theirs))
			return count_of_exactly(renamed[i].theirs);
	return NULL;
}

static struct pmu_group group;

/* Events, then what is known of the time. */
enum { TIME = PMU_MAX_SLOTS, TSC_HZ, VALUES };

/* @arg: NULL, or a mask that gets the events that are named */
static int index_of(void *arg, const char *name)
{
	uint32_t *named = arg;

	for (unsigned int i = 0; i < group.n_events; i++) {
		if (strcmp(group.event[i].name, name) != 0)
			continue;
		if (named)
			*named |= 1u << i;
		return (int)i;
	}
	return !strcmp(name, "time") ? TIME : !strcmp(name, "tsc_hz") ? TSC_HZ : -1;
}

static bool is_near(double got, double want)
{
	if (isnan(want) || isnan(got))
		return isnan(want) && isnan(got);
	return fabs(got - want) <= 1e-12 || fabs(got - want) <= 1e-9 * fabs(want);
}

static void compare(const struct pmu_formula *formula, const char *text, const struct row **count,
		    const char *name, const double *want, double unit, double smt)
{
	for (unsigned int set = 0; set < oracle.n_sets; set++) {
		double value[VALUES] = { [TIME] = oracle.duration_ms[set] / 1000,
					 [TSC_HZ] = oracle.tsc_hz[set] },
		       got;

		if (want[set] == NONE || (smt >= 0 && oracle.smt[set] != smt))
			continue;
		for (unsigned int i = 0; i < group.n_events; i++)
			value[i] = count[i] ? count[i]->value[set] : NAN;
		got = pmu_formula_eval(formula, value);
		seen.values++;
		if (is_near(got, unit * want[set]))
			continue;
		if (seen.wrong++ < 20)
			diag("%s, set %u: %.17g, want %.17g: %s", name, set + 1, got,
			     unit * want[set], text);
	}
}

/* --- Intel --- */

static struct pmu_catalog catalogs[2];

static void compare_metric(const struct node *node, double smt)
{
	bool by_general = strstr(group.note, "PERF_METRICS") != NULL;
	const struct row *count[PMU_MAX_SLOTS];
	struct pmu_formula formula;
	unsigned int values = seen.values;

	/* both ways of counting are not compared with each other */
	if (by_general && !node->has_gp)
		return;
	for (unsigned int i = 0; i < group.n_events; i++) {
		count[i] = count_of(group.event[i].name);
		if (!count[i]) {
			diag("%s: no count of %s", node->v.name, group.event[i].name);
			seen.no_count++;
			return;
		}
	}
	if (pmu_formula_parse(group.metric[0].formula, index_of, NULL, &formula))
		seen.wrong++;
	compare(&formula, group.metric[0].formula, count, node->v.name,
		by_general ? node->gp.value : node->v.value, node->level ? 100 : 1, smt);
	if (by_general)
		seen.by_general += seen.values - values;
}

static int one_metric(void *arg, struct pmu_intel_metric *metric)
{
	uint8_t core_type = *(const uint8_t *)arg;

	for (unsigned int i = 0; i < oracle.n_nodes; i++) {
		const struct node *node = &oracle.node[i];

		if (strcasecmp(node->v.name, metric->name) != 0 || !node->by_json || node->changed)
			continue;
		for (unsigned int smt = 0; smt < 2; smt++) {
			if (!pmu_intel_metric_group(metric, core_type, &catalogs[smt], &group))
				compare_metric(node, smt);
			else if (seen.no_group++, getenv("TEST_TMA_WHY"))
				diag("%s: %s", node->v.name, pmu_error_text());
		}
	}
	return 0;
}

static int one_file(void *arg, const struct pmu_vendor_map_row *row)
{
	static struct pmu_intel_metric room;
	uint8_t core_type = row->core_type == 0x40 ? PMU_SLOT_P : 0;
	unsigned int *n = arg;
	char *text;
	size_t len;
	int rc;

	if (strcmp(row->type, "metrics") != 0 ||
	    pmu_vendor_read(catalogs[0].event_files, row->file, &text, &len))
		return 0;
	rc = pmu_intel_metrics_read(row->file, text, len, &room, one_metric, &core_type);
	free(text);
	++*n;
	return rc;
}

static void be(struct pmu_catalog *catalog, uint32_t model, uint32_t stepping, unsigned int threads,
	       const char *files)
{
	*catalog = (struct pmu_catalog){
		.id = { .vendor = "GenuineIntel",
			.family = 6,
			.model = model,
			.stepping = stepping },
		.event_files = files,
		.threads_per_core = threads,
		.keep_tables = true,
	};
	catalog->model = pmu_cpu_model_find(&catalog->id);
}

/* At least so many values are compared, by general counters among them. */
static const struct {
	const char *name;
	uint32_t model, stepping;
	unsigned int values, by_general;
} intels[] = {
	{ "hsw", 0x3c, 3, 880, 0 },      { "hsx", 0x3f, 2, 880, 0 },
	{ "bdw", 0x3d, 4, 1090, 0 },     { "bdx", 0x4f, 1, 1090, 0 },
	{ "skl", 0x5e, 3, 1490, 0 },     { "skx", 0x55, 4, 1540, 0 },
	{ "clx", 0x55, 7, 1500, 0 },     { "icl", 0x7e, 5, 1700, 210 },
	{ "icx", 0x6a, 6, 1600, 210 },   { "spr", 0x8f, 6, 1550, 290 },
	{ "adl_p", 0x97, 2, 1770, 320 }, { "mtl_p", 0xaa, 4, 1660, 320 },
	{ "srf", 0xaf, 3, 600, 0 },
};

static void intels_metrics(const char *folder, const char *files)
{
	for (size_t i = 0; i < PMU_ARRAY_LEN(intels); i++) {
		unsigned int n_files = 0;

		if (!ok(read_oracle(folder, intels[i].name), "counts of %s", intels[i].name))
			continue;
		be(&catalogs[0], intels[i].model, intels[i].stepping, 1, files);
		be(&catalogs[1], intels[i].model, intels[i].stepping, 2, files);
		pmu_vendor_map_each(files, &catalogs[0].id, one_file, &n_files);
		if (n_files)
			ok(!seen.wrong && seen.values >= intels[i].values &&
				   seen.by_general >= intels[i].by_general,
			   "  %u values of Intel's metrics, %u by general counters, %u wrong (%u "
			   "cannot be counted, %u lack a count)",
			   seen.values, seen.by_general, seen.wrong, seen.no_group, seen.no_count);
		else
			skip("  Intel's metrics", "there is no file of them");
		pmu_catalog_close(&catalogs[0]);
		pmu_catalog_close(&catalogs[1]);
	}
}

/* --- the shipped groups --- */

#define HYBRID TEST_SRCDIR "/tests/data/sysfs/hybrid"

/*
 * Models, and how many of their nodes the groups have at least.  @smt: 0 where slots are counted by
 * the thread's cycles, as of a core with its other thread idle; else -1.
 */
static const struct {
	const char *name, *vendor;
	uint32_t family, model, stepping;
	double smt, unit;
	bool e_core;
	const char *sysfs;
	unsigned int nodes;
} ours[] = {
	{ "snb", "GenuineIntel", 6, 0x2a, 7, 0, 100, false, "", 21 },
	{ "jkt", "GenuineIntel", 6, 0x2d, 7, 0, 100, false, "", 21 },
	{ "ivb", "GenuineIntel", 6, 0x3a, 9, 0, 100, false, "", 26 },
	{ "ivt", "GenuineIntel", 6, 0x3e, 4, 0, 100, false, "", 26 },
	{ "hsw", "GenuineIntel", 6, 0x3c, 3, 0, 100, false, "", 26 },
	{ "hsx", "GenuineIntel", 6, 0x3f, 2, 0, 100, false, "", 26 },
	{ "bdw", "GenuineIntel", 6, 0x3d, 4, 0, 100, false, "", 25 },
	{ "bdx", "GenuineIntel", 6, 0x4f, 1, 0, 100, false, "", 25 },
	{ "skl", "GenuineIntel", 6, 0x5e, 3, 0, 100, false, "", 30 },
	{ "skx", "GenuineIntel", 6, 0x55, 4, 0, 100, false, "", 30 },
	{ "clx", "GenuineIntel", 6, 0x55, 7, 0, 100, false, "", 29 },
	{ "icl", "GenuineIntel", 6, 0x7e, 5, -1, 100, false, "", 33 },
	{ "icx", "GenuineIntel", 6, 0x6a, 6, -1, 100, false, "", 33 },
	{ "spr", "GenuineIntel", 6, 0x8f, 6, -1, 100, false, "", 37 },
	{ "adl_p", "GenuineIntel", 6, 0x97, 2, -1, 100, false, HYBRID, 38 },
	{ "adl_e", "GenuineIntel", 6, 0x97, 2, -1, 100, true, HYBRID, 25 },
	{ "mtl_p", "GenuineIntel", 6, 0xaa, 4, -1, 100, false, HYBRID, 38 },
	{ "mtl_e", "GenuineIntel", 6, 0xaa, 4, -1, 100, true, HYBRID, 25 },
	{ "srf", "GenuineIntel", 6, 0xaf, 3, -1, 100, true, "", 25 },
	{ "zen4", "AuthenticAMD", 0x19, 0x11, 1, -1, 100, false, "", 13 },
	{ "zen5", "AuthenticAMD", 0x1a, 0x02, 1, -1, 100, false, "", 13 },
	{ "neoverse_v1", "ARM", 0x41, 0xd40, 0x10, -1, 1, false, "", 4 },
	{ "neoverse_n2_r0p0", "ARM", 0x41, 0xd49, 0, -1, 1, false, "", 4 },
	{ "neoverse_n2_r0p3", "ARM", 0x41, 0xd49, 3, -1, 1, false, "", 4 },
	{ "neoverse_v2", "ARM", 0x41, 0xd4f, 0x10, -1, 1, false, "", 4 },
};

static const char *const shipped[] = { "TMA_SLOTS",   "TMA_BOUND",     "TMA_OPS",
				       "TMA_LATENCY", "TMA_BANDWIDTH", "TMA_MEMORY",
				       "TMA_CORE",    "TMA_UOPS",      "TMA_DETAIL" };

/* AMD's nodes, as Linux calls them, and ours. */
static const struct {
	const char *theirs, *ours;
} called[] = {
	{ "smt_contention", "used by the sibling" },
	{ "frontend_bound_latency", "fetch latency" },
	{ "frontend_bound_bandwidth", "fetch bandwidth" },
	{ "bad_speculation_mispredicts", "branch mispredicts" },
	{ "bad_speculation_pipeline_restarts", "pipeline restarts" },
	{ "backend_bound_memory", "memory bound" },
	{ "backend_bound_cpu", "core bound" },
	{ "retiring_fastpath", "fast path operations" },
	{ "retiring_microcode", "microcoded operations" },
	{ "frontend_bound_by_latency", "fetch latency" },
	{ "frontend_bound_by_bandwidth", "fetch bandwidth" },
	{ "bad_speculation_from_mispredicts", "branch mispredicts" },
	{ "bad_speculation_from_pipeline_restarts", "pipeline restarts" },
	{ "backend_bound_by_memory", "memory bound" },
	{ "backend_bound_by_cpu", "core bound" },
	{ "retiring_from_fastpath", "fast path operations" },
	{ "retiring_from_microcode", "microcoded operations" },
	{ "IFetch_Latency", "fetch latency" },
	{ "IFetch_Bandwidth", "fetch bandwidth" },
};

/* "Few_Uops_Instructions" and "few-uops instructions" */
static bool same_letters(const char *a, const char *b)
{
	for (;;) {
		while (*a && !isalnum((unsigned char)*a))
			a++;
		while (*b && !isalnum((unsigned char)*b))
			b++;
		if (!*a || !*b || tolower((unsigned char)*a) != tolower((unsigned char)*b))
			return !*a && !*b;
		a++;
		b++;
	}
}

static bool is_node(const struct node *node, const char *name)
{
	if (node->level && same_letters(node->v.name, name))
		return true;
	for (size_t i = 0; i < PMU_ARRAY_LEN(called); i++)
		if (!strcmp(node->v.name, called[i].theirs) && !strcmp(name, called[i].ours))
			return true;
	return false;
}

static const struct node *node_of(const char *name)
{
	for (unsigned int i = 0; i < oracle.n_nodes; i++)
		if (is_node(&oracle.node[i], name))
			return &oracle.node[i];
	return NULL;
}

/* "cpu_core/TOPDOWN.SLOTS/" */
static const struct row *count_of_column(const char *column)
{
	char name[96];
	const char *slash = strchr(column, '/');

	if (!slash)
		return count_of(column);
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(slash + 1, "/"), slash + 1);
	return count_of(name);
}

/* All events that are named, too. */
static bool find_counts(uint32_t named, const struct row **count)
{
	bool all = true;

	for (unsigned int i = 0; i < group.n_events; i++) {
		count[i] = count_of_column(group.event[i].name);
		all &= count[i] || !(named >> i & 1);
	}
	return all;
}

static char truth_of(const struct node *node, unsigned int set)
{
	const char *truth = node->has_gp ? node->gp_truth : node->truth;

	return set < strlen(truth) ? truth[set] : '-';
}

/* By what the vendor's thresholds say of them. */
static bool parents_count(const struct pmu_topdown_tree *tree, const char *parent, unsigned int set)
{
	for (unsigned int i = tree->n; parent && i-- > 0;) {
		const struct node *node;

		if (strcmp(tree->node[i].name, parent) != 0)
			continue;
		node = node_of(parent);
		if (!node || truth_of(node, set) != '1')
			return false;
		parent = tree->node[i].parent;
	}
	return true;
}

/* Is the threshold of the tree the one that these values were judged by? */
static void judge(const struct node *node, const char *metric, double unit)
{
	const double *value = node->has_gp ? node->gp.value : node->v.value;
	const struct pmu_topdown_node *ours_is;
	const struct pmu_topdown_tree *tree;
	unsigned int which;
	int at = pmu_topdown_find(metric, &which);

	if (at < 0) {
		diag("%s is in no tree", metric);
		seen.misjudged++;
		return;
	}
	tree = &pmu_topdown_trees[which];
	ours_is = &tree->node[at];
	for (unsigned int set = 0; set < oracle.n_sets; set++) {
		bool above = unit * value[set] > ours_is->above;
		char truth = truth_of(node, set);

		if (value[set] == NONE || isnan(value[set]) || truth == '-')
			continue;
		seen.judged++;
		if (truth == '1' ? above || ours_is->also
				 : !above || !parents_count(tree, ours_is->parent, set))
			continue;
		seen.misjudged++;
		diag("%s, set %u: %g%% is %sabove its threshold", metric, set + 1,
		     unit * value[set], truth == '1' ? "" : "not ");
	}
}

/* Return: 1 for a node that was compared. */
static unsigned int shipped_metric(const struct pmu_metric_text *metric, bool e_core, double smt,
				   double unit)
{
	static const char suffix[] = ", E core";
	const struct row *count[PMU_MAX_SLOTS];
	size_t len = strlen(metric->name), more = strlen(suffix);
	bool is_e = len > more && !strcmp(metric->name + len - more, suffix);
	struct pmu_formula formula;
	const struct node *node;
	unsigned int values;
	uint32_t named = 0;
	char name[64];

	snprintf(name, sizeof(name), "%.*s", (int)(is_e ? len - more : len), metric->name);
	node = is_e == e_core ? node_of(name) : NULL;
	if (is_e == e_core && !node) {
		diag("no node is called %s", name);
		seen.no_group++;
	}
	if (!node || pmu_formula_parse(metric->formula, index_of, &named, &formula))
		return 0;
	if (!find_counts(named, count)) {
		diag("%s lacks a count: %s", name, metric->formula);
		seen.no_count++;
		return 0;
	}
	judge(node, metric->name, unit);
	values = seen.values;
	compare(&formula, metric->formula, count, name,
		node->has_gp ? node->gp.value : node->v.value, unit, smt);
	return seen.values > values;
}

static unsigned int shipped_groups(size_t m)
{
	struct pmu_catalog catalog = {
		.id = { .family = ours[m].family,
			.model = ours[m].model,
			.stepping = ours[m].stepping },
		.sysfs = ours[m].sysfs,
		.keep_tables = true,
	};
	unsigned int nodes = 0;

	snprintf(catalog.id.vendor, sizeof(catalog.id.vendor), "%s", ours[m].vendor);
	if (!strcmp(ours[m].vendor, "ARM"))
		pmu_cpu_midr((uint64_t)ours[m].family << 24 | ours[m].model << 4 |
				     (ours[m].stepping & 15),
			     &catalog.id);
	catalog.model = pmu_cpu_model_find(&catalog.id);
	for (size_t g = 0; g < PMU_ARRAY_LEN(shipped); g++) {
		int rc = pmu_group_shipped_find(shipped[g], &catalog, &group);

		if (rc &&
		    (rc != -ENOTSUP || !strstr(pmu_error_text(), "has no events of this CPU")))
			diag("%s: %s", shipped[g], pmu_error_text());
		for (unsigned int i = 0; !rc && i < group.n_metrics; i++)
			nodes += shipped_metric(&group.metric[i], ours[m].e_core, ours[m].smt,
						ours[m].unit);
		if (!rc && group.note[0])
			diag("%s: %s", shipped[g], group.note);
	}
	pmu_catalog_close(&catalog);
	return nodes;
}

static void shipped_nodes(const char *folder)
{
	unsigned int nodes = 0, models = 0;

	for (size_t m = 0; m < PMU_ARRAY_LEN(ours); m++) {
		unsigned int n;

		if (!ok(read_oracle(folder, ours[m].name), "counts of %s", ours[m].name))
			continue;
		n = shipped_groups(m);
		ok(!seen.wrong && !seen.no_group && !seen.no_count && n >= ours[m].nodes,
		   "  %u nodes of the groups, %u values, %u wrong", n, seen.values, seen.wrong);
		ok(!seen.misjudged, "  thresholds hold for %u values", seen.judged);
		nodes += n;
		models++;
	}
	diag("%u nodes of %u models", nodes, models);
}

UNIT_PART(top_down)
{
	const char *top = getenv("TEST_SRCDIR"), *folder = getenv("TEST_TMA");
	const char *files = getenv("TEST_PERFMON");
	char tma[PATH_MAX], perfmon[PATH_MAX + 32];

	snprintf(tma, sizeof(tma), "%s/../shared/facts/tma", top ? top : ".");
	snprintf(perfmon, sizeof(perfmon), "%s/../intel-perfmon", folder ? folder : tma);
	folder = folder ? folder : tma;
	if (access(folder, R_OK))
		return skip_all("TEST_TMA names no folder of counts and values");
	intels_metrics(folder, files ? files : perfmon);
	shipped_nodes(folder);
	return done_testing();
}
