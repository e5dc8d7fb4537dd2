/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A series as JSON, version 1 of the schema.
 *
 *   pmu_series    1; a reader refuses what it does not know, and skips members that it does not know
 *   program, command, host, machine, cpu, source, source_detail, clock, pinning, version
 *                 as in a report (lib/report/json.c), of the first run
 *   differs       [name]: of those, what other runs had otherwise
 *   clock_hz      or null
 *   refused       [{source, why, mend}]
 *   warmup        runs before these, without values here
 *   settings      of the machine, which times depend on: a line; "" not known
 *   noise         [{severity, name, text, mend}]: what disturbed the runs
 *   notes         [{text, runs}]: in so many runs
 *   doubts        [{text, region, runs}]; region is "" where it is about none
 *   runs          [{start_unix_ns, duration_ns, end}]; end: {status, signal, elapsed_ns, user_ns,
 *                 system_ns, max_rss_bytes} of the command, or null
 *   groups        [{name, measures, regions}]
 *     measures    [{name, unit, kind}]; kind is calls, time, count or metric
 *     regions     as a tree, longest first: [{name, path, parent, flat, values}]
 *       parent    path of the one around it, which stands before it; null: none
 *       flat      kept by name, without what was around it
 *       values    one for each measure: [{runs, median, low, high, self}]
 *         runs    one for each run: an exact integer, of a metric a number; null: missing
 *         median  of those that are not; low, high: where it is in 95 of 100 cases, null with too
 *                 few runs
 *         self    the same four without nested regions; not of calls and metrics
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bindings/command/series/parts.h"
#include "report/json.h"
#include "report/json_put.h"

static void put_series_head(struct pmu_strbuf *out, const struct pmu_series *series)
{
	bool first = true;

	pmu_strbuf_add(out, "{\n  \"pmu_series\": 1");
	for (int i = 0; i < PMU_SERIES_TEXTS; i++)
		put_text(out, ",\n  ", pmu_series_text_name((enum pmu_series_text)i),
			 series->text[i]);
	pmu_strbuf_add(out, ",\n  \"differs\": [");
	for (int i = 0; i < PMU_SERIES_TEXTS; i++) {
		if (!(series->differs >> i & 1))
			continue;
		pmu_strbuf_add(out, first ? "" : ", ");
		pmu_encode_json(out, pmu_series_text_name((enum pmu_series_text)i));
		first = false;
	}
	pmu_strbuf_add(out, "]");
	put_double(out, ",\n  ", "clock_hz", series->clock_hz > 0 ? series->clock_hz : NAN);
	pmu_json_refusals(out, series->refusal, series->n_refusals);
	put_u64(out, ",\n  ", "warmup", series->n_warmup);
	put_text(out, ",\n  ", "settings", series->settings);
}

static void put_noise(struct pmu_strbuf *out, const struct pmu_series *series)
{
	pmu_strbuf_add(out, ",\n  \"noise\": [");
	for (size_t i = 0; i < series->noise.n; i++) {
		const struct pmu_noise_finding *finding = &series->noise.finding[i];

		next_line(out, !i, "    ");
		put_text(out, "{", "severity", pmu_noise_severity_name(finding->severity));
		put_text(out, ", ", "name", finding->name);
		put_text(out, ", ", "text", finding->text);
		put_text(out, ", ", "mend", finding->mend ? finding->mend : "");
		pmu_strbuf_add(out, "}");
	}
	end_list(out, !series->noise.n, "  ");
}

static void put_series_remarks(struct pmu_strbuf *out, const struct pmu_series *series,
			       const char *name, bool doubts)
{
	bool first = true;

	pmu_strbuf_addf(out, ",\n  \"%s\": [", name);
	for (unsigned int i = 0; i < series->n_remarks; i++) {
		const struct pmu_series_remark *remark = &series->remark[i];

		if (remark->is_doubt != doubts)
			continue;
		next_line(out, first, "    ");
		put_text(out, "{", "text", remark->text);
		if (doubts)
			put_text(out, ", ", "region", remark->region);
		put_u64(out, ", ", "runs", remark->n_runs);
		pmu_strbuf_add(out, "}");
		first = false;
	}
	end_list(out, first, "  ");
}

static void put_runs(struct pmu_strbuf *out, const struct pmu_series *series)
{
	pmu_strbuf_add(out, ",\n  \"runs\": [");
	for (size_t i = 0; i < series->n_runs; i++) {
		const struct pmu_series_run *run = &series->run[i];

		next_line(out, !i, "    ");
		put_u64(out, "{", "start_unix_ns", run->start_unix_ns);
		put_u64(out, ", ", "duration_ns", run->duration_ns);
		key(out, ", ", "end");
		pmu_json_run(out, run->has_end ? &run->end : NULL);
		pmu_strbuf_add(out, "}");
	}
	end_list(out, !series->n_runs, "  ");
}

/* What is being written. */
struct writing {
	struct pmu_strbuf *out;
	const struct pmu_series *series;
	const struct pmu_series_group *group;
	double *scratch; /* [runs] */
};

static void put_series_value(struct pmu_strbuf *out, uint64_t value, bool is_metric)
{
	double number;

	memcpy(&number, &value, sizeof(number));
	if (value == PMU_SERIES_MISSING || (is_metric && pmu_encode_double(out, number) < 0))
		pmu_strbuf_add(out, "null");
	else if (!is_metric)
		pmu_encode_u64(out, value);
}

static void put_share(const struct writing *w, unsigned int region, unsigned int measure,
		      enum pmu_series_share share)
{
	bool is_metric = w->group->measure[measure].kind == PMU_SERIES_METRIC;
	struct pmu_series_summary s = pmu_series_summarize(w->series, w->group, region, measure,
							   share, w->scratch);

	pmu_strbuf_add(w->out, "{\"runs\": [");
	for (size_t run = 0; run < w->series->n_runs; run++) {
		pmu_strbuf_add(w->out, run ? ", " : "");
		put_series_value(w->out, pmu_series_value(w->group, run, region, measure, share),
				 is_metric);
	}
	pmu_strbuf_add(w->out, "]");
	put_double(w->out, ", ", "median", s.median);
	put_double(w->out, ", ", "low", s.low);
	put_double(w->out, ", ", "high", s.high);
}

static void put_series_region(const struct writing *w, unsigned int at)
{
	const struct pmu_series_region *region = &w->group->region[at];

	put_text(w->out, "{", "name", region->name);
	put_text(w->out, ", ", "path", region->path);
	put_nullable(w->out, ", ", "parent",
		     region->parent < 0 ? NULL : w->group->region[region->parent].path);
	put_bool(w->out, ", ", "flat", region->is_flat);
	pmu_strbuf_add(w->out, ", \"values\": [");
	for (unsigned int m = 0; m < w->group->n_measures; m++) {
		enum pmu_series_kind kind = w->group->measure[m].kind;

		next_line(w->out, !m, "          ");
		put_share(w, at, m, PMU_SERIES_ALL);
		if (kind == PMU_SERIES_TIME || kind == PMU_SERIES_COUNT) {
			pmu_strbuf_add(w->out, ",\n           \"self\": ");
			put_share(w, at, m, PMU_SERIES_OWN);
			pmu_strbuf_add(w->out, "}");
		}
		pmu_strbuf_add(w->out, "}");
	}
	pmu_strbuf_add(w->out, "]}");
}

static void put_series_group(const struct writing *w)
{
	put_text(w->out, "{", "name", w->group->name);
	pmu_strbuf_add(w->out, ",\n     \"measures\": [");
	for (unsigned int m = 0; m < w->group->n_measures; m++) {
		next_line(w->out, !m, "       ");
		put_text(w->out, "{", "name", w->group->measure[m].name);
		put_text(w->out, ", ", "unit", w->group->measure[m].unit);
		put_text(w->out, ", ", "kind", pmu_series_kind_name(w->group->measure[m].kind));
		pmu_strbuf_add(w->out, "}");
	}
	end_list(w->out, !w->group->n_measures, "     ");
	pmu_strbuf_add(w->out, ",\n     \"regions\": [");
	for (unsigned int i = 0; i < w->group->n_regions; i++) {
		next_line(w->out, !i, "       ");
		put_series_region(w, w->group->order[i]);
	}
	end_list(w->out, !w->group->n_regions, "     ");
	pmu_strbuf_add(w->out, "}");
}

int pmu_series_write_json(struct pmu_strbuf *out, const struct pmu_series *series)
{
	struct writing w = { .out = out, .series = series };

	w.scratch = calloc(series->n_runs + 1, sizeof(*w.scratch));
	if (!w.scratch)
		return -ENOMEM;
	put_series_head(out, series);
	put_noise(out, series);
	put_series_remarks(out, series, "notes", false);
	put_series_remarks(out, series, "doubts", true);
	put_runs(out, series);
	pmu_strbuf_add(out, ",\n  \"groups\": [");
	for (unsigned int g = 0; g < series->n_groups; g++) {
		w.group = &series->group[g];
		next_line(out, !g, "    ");
		put_series_group(&w);
	}
	end_list(out, !series->n_groups, "  ");
	pmu_strbuf_add(out, "\n}\n");
	free(w.scratch);
	return out->failed ? -ENOMEM : 0;
}
