/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The roofline for a page:
 *
 *   roofline      {why, no_flop, no_bytes, threads, flops, levels, rows}
 *     why         there are no ceilings; "" where there are
 *     no_flop, no_bytes    why nothing can be placed; "" where something can
 *     threads     most that any region has; all ceilings are of so many
 *     flops       [{name, rate, one, peak}]: FLOP/s; one: of one thread; peak: the best of its precision
 *     levels      [{name, rate, one}]: byte/s; the last is memory
 *     rows        [{section, row, intensity, flop_rate, byte_rate, peak, bandwidth, roof, bound, reached,
 *                 threads}]: those that have a place; section, row: indexes of the region where it is first
 */
#include <math.h>
#include <stdio.h>

#include "bindings/command/page/data.h"
#include "bindings/command/roofline/parts.h"
#include "report/json_put.h"

static void put_rate(struct pmu_strbuf *out, const struct pmu_roofline *roofline,
		     const struct pmu_ceilings_rate *rate)
{
	put_double(out, ",", "rate",
		   pmu_ceilings_of(roofline->ceilings, rate, pmu_roofline_threads(roofline)));
	put_double(out, ",", "one", rate->one);
}

static void put_flops(struct pmu_strbuf *out, const struct pmu_roofline *roofline)
{
	const struct pmu_ceilings *ceilings = roofline->ceilings;
	char name[PMU_FLOPS_NAME_MAX];

	for (unsigned int i = 0; ceilings && i < ceilings->n_flops; i++) {
		const struct pmu_ceilings_flops *flops = &ceilings->flops[i];

		pmu_ceilings_flops_name(flops, name, sizeof(name));
		next_line(out, !i, "   ");
		put_text(out, "{", "name", name);
		put_rate(out, roofline, &flops->rate);
		put_bool(out, ",", "peak", pmu_ceilings_peak(ceilings, flops->precision) == flops);
		pmu_strbuf_add(out, "}");
	}
}

static void put_levels(struct pmu_strbuf *out, const struct pmu_roofline *roofline)
{
	for (unsigned int i = 0; roofline->ceilings && i < roofline->ceilings->n_levels; i++) {
		const struct pmu_ceilings_level *level = &roofline->ceilings->level[i];

		next_line(out, !i, "   ");
		put_text(out, "{", "name", level->name);
		put_rate(out, roofline, &level->rate);
		pmu_strbuf_add(out, "}");
	}
}

static void put_roofline_row(struct pmu_strbuf *out, const struct pmu_roofline_row *row)
{
	static const char *const bounds[] = { [PMU_BOUND_UNKNOWN] = "",
					      [PMU_BOUND_COMPUTE] = "compute",
					      [PMU_BOUND_MEMORY] = "memory" };

	put_u64(out, "{", "section", row->section);
	put_u64(out, ",", "row", row->index);
	put_double(out, ",", "intensity", row->intensity);
	put_double(out, ",", "flop_rate", row->flop_rate);
	put_double(out, ",", "byte_rate", row->byte_rate);
	put_double(out, ",", "peak", row->peak);
	put_double(out, ",", "bandwidth", row->bandwidth);
	put_double(out, ",", "roof", row->roof);
	put_text(out, ",", "bound", bounds[row->bound]);
	put_double(out, ",", "reached", row->reached);
	put_u64(out, ",", "threads", row->threads);
	pmu_strbuf_add(out, "}");
}

static void put_why(struct pmu_strbuf *out, const struct pmu_roofline *roofline, const char *name,
		    bool known,
		    void (*add)(const struct pmu_roofline *roofline, struct pmu_strbuf *out))
{
	struct pmu_strbuf text = { 0 };

	if (!known)
		add(roofline, &text);
	put_text(out, ",\n  ", name, pmu_strbuf_text(&text));
	out->failed |= text.failed;
	pmu_strbuf_free(&text);
}

static bool has_flop(const struct pmu_roofline *roofline)
{
	for (unsigned int i = 0; i < roofline->n_rows; i++)
		if (!isnan(roofline->row[i].flops))
			return true;
	return false;
}

static bool any_row_has_bytes(const struct pmu_roofline *roofline)
{
	for (unsigned int i = 0; i < roofline->n_rows; i++)
		if (!isnan(roofline->row[i].bytes))
			return true;
	return false;
}

void pmu_page_roofline(struct pmu_strbuf *out, const struct pmu_roofline *roofline, const char *why)
{
	bool first = true;

	put_text(out, ",\n \"roofline\": {", "why", why);
	put_why(out, roofline, "no_flop", has_flop(roofline), pmu_roofline_why_no_flop);
	put_why(out, roofline, "no_bytes", any_row_has_bytes(roofline), pmu_roofline_why_no_bytes);
	put_u64(out, ",\n  ", "threads", pmu_roofline_threads(roofline));
	pmu_strbuf_add(out, ",\n  \"flops\": [");
	put_flops(out, roofline);
	pmu_strbuf_add(out, "],\n  \"levels\": [");
	put_levels(out, roofline);
	pmu_strbuf_add(out, "],\n  \"rows\": [");
	for (unsigned int i = 0; i < roofline->n_rows; i++) {
		if (!pmu_roofline_has_place(&roofline->row[i]))
			continue;
		next_line(out, first, "   ");
		first = false;
		put_roofline_row(out, &roofline->row[i]);
	}
	pmu_strbuf_add(out, "]}");
}
