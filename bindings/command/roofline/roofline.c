/* SPDX-License-Identifier: BSD-3-Clause */
/* What bounds a region, and why something is not known. */
#include "bindings/command/roofline/roofline.h"

#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bindings/command/roofline/parts.h"

/* --- bounds --- */

static double peak_of_threads(const struct pmu_ceilings *ceilings, enum pmu_precision precision,
			      unsigned int threads)
{
	const struct pmu_ceilings_flops *flops = pmu_ceilings_peak(ceilings, precision);

	return flops ? pmu_ceilings_of(ceilings, &flops->rate, threads) : NAN;
}

/* Each precision takes the time that it takes at its own peak; an unknown one counts as double. */
static double mixed_peak(const struct pmu_ceilings *ceilings, const struct pmu_roofline_row *row)
{
	double peak[PMU_N_PRECISIONS], work = 0, seconds = 0;

	for (enum pmu_precision p = 0; p < PMU_N_PRECISIONS; p++)
		peak[p] = peak_of_threads(ceilings, p, row->threads);
	if (!isnan(row->flop_any))
		return peak[PMU_DOUBLE];
	for (enum pmu_precision p = 0; p < PMU_N_PRECISIONS; p++) {
		if (!(row->flop[p] > 0))
			continue;
		work += row->flop[p];
		seconds += row->flop[p] / peak[p];
	}
	return work > 0 ? work / seconds : peak[PMU_DOUBLE];
}

static void bound(const struct pmu_ceilings *ceilings, struct pmu_roofline_row *row)
{
	const struct pmu_ceilings_level *level = pmu_ceilings_memory(ceilings);

	row->peak = mixed_peak(ceilings, row);
	row->bandwidth = level ? pmu_ceilings_of(ceilings, &level->rate, row->threads) : NAN;
	if (isnan(row->flops) || isnan(row->bytes) || isnan(row->peak) || isnan(row->bandwidth) ||
	    isnan(row->intensity))
		return;
	row->bound = row->bandwidth * row->intensity < row->peak ? PMU_BOUND_MEMORY
								 : PMU_BOUND_COMPUTE;
	row->roof = fmin(row->peak, row->bandwidth * row->intensity);
	/* by either the same where both are of the same calls; without operations the roof is 0 */
	row->reached = row->bound == PMU_BOUND_MEMORY ? row->byte_rate / row->bandwidth
						      : row->flop_rate / row->peak;
}

int pmu_roofline_make(const struct pmu_model *model, const struct pmu_ceilings *ceilings,
		      struct pmu_roofline *roofline)
{
	int rc;

	*roofline = (struct pmu_roofline){ .model = model, .ceilings = ceilings };
	rc = pmu_roofline_collect(roofline);
	for (unsigned int i = 0; i < roofline->n_rows; i++) {
		struct pmu_roofline_row *row = &roofline->row[i];

		row->peak = row->bandwidth = row->roof = row->reached = NAN;
		if (ceilings)
			bound(ceilings, row);
	}
	return rc;
}

void pmu_roofline_free(struct pmu_roofline *roofline)
{
	free(roofline->row);
	roofline->row = NULL;
}

bool pmu_roofline_is_measured(const struct pmu_roofline *roofline)
{
	for (unsigned int i = 0; i < roofline->n_rows; i++)
		if (pmu_roofline_has_place(&roofline->row[i]))
			return true;
	return false;
}

const struct pmu_roofline_row *pmu_roofline_main(const struct pmu_roofline *roofline,
						 const bool *shown)
{
	const struct pmu_roofline_row *most = NULL;

	for (unsigned int i = 0; i < roofline->n_rows; i++) {
		const struct pmu_roofline_row *row = &roofline->row[i];

		if (shown[i] && row->bound != PMU_BOUND_UNKNOWN &&
		    (!most || row->self_ns > most->self_ns))
			most = row;
	}
	return most;
}

unsigned int pmu_roofline_threads(const struct pmu_roofline *roofline)
{
	unsigned int most = 1;

	for (unsigned int i = 0; i < roofline->n_rows; i++)
		if (roofline->row[i].threads > most)
			most = roofline->row[i].threads;
	return most;
}

/* --- what is not known --- */

static const struct pmu_model_section *section(const struct pmu_model *model, const char *group)
{
	for (unsigned int s = 0; s < model->n_sections; s++)
		if (!strncmp(model->section[s].group, group, strlen(group)))
			return &model->section[s];
	return NULL;
}

/* What the report says of a group, or of the sources that were not used. */
static bool add_reason(const struct pmu_model *model, const char *group, struct pmu_strbuf *out)
{
	char about[32];

	snprintf(about, sizeof(about), "group %s", group);
	for (unsigned int i = 0; i < model->n_notes; i++)
		if (strstr(model->note[i], about)) {
			pmu_strbuf_addf(out, ": %s", model->note[i]);
			return true;
		}
	for (unsigned int i = 0; i < model->n_refusals; i++)
		if (model->refusal[i].why[0]) {
			pmu_strbuf_addf(out, ": %s", model->refusal[i].why);
			return true;
		}
	return false;
}

void pmu_roofline_why_no_flop(const struct pmu_roofline *roofline, struct pmu_strbuf *out)
{
	pmu_strbuf_add(out, "no floating point operations were counted");
	if (add_reason(roofline->model, "FLOPS", out))
		return;
	if (!section(roofline->model, "FLOPS"))
		pmu_strbuf_add(out, ": no group FLOPS_DP or FLOPS_SP is in this report; 'pmu run "
				    "--roofline' counts them");
}

void pmu_roofline_why_no_bytes(const struct pmu_roofline *roofline, struct pmu_strbuf *out)
{
	pmu_strbuf_add(out, "no bytes were counted");
	if (add_reason(roofline->model, "MEM", out))
		return;
	if (!section(roofline->model, "MEM") && !section(roofline->model, "CACHE"))
		pmu_strbuf_add(out,
			       ": no group MEM or CACHE is in this report; 'pmu run --roofline' "
			       "counts one of them");
}

/* --- which rows --- */

static int by_time(const void *a, const void *b)
{
	const struct pmu_roofline_row *const *x = a, *const *y = b;

	return ((*x)->time_ns < (*y)->time_ns) - ((*x)->time_ns > (*y)->time_ns);
}

unsigned int pmu_roofline_choose(const struct pmu_roofline *roofline,
				 const struct pmu_text_options *options, bool *shown)
{
	unsigned int most = options->top ? options->top : options->all ? UINT32_MAX : PMU_TEXT_ROWS;
	const struct pmu_roofline_row **order = calloc((size_t)roofline->n_rows + 1,
						       sizeof(struct pmu_roofline_row *));
	unsigned int n = 0, i;

	for (i = 0; order && i < roofline->n_rows; i++) {
		const struct pmu_roofline_row *row = &roofline->row[i];

		if (!options->filter || !fnmatch(options->filter, row->name, 0) ||
		    !fnmatch(options->filter, row->path, 0))
			order[n++] = row;
	}
	if (order)
		qsort(order, n, sizeof(*order), by_time);
	for (i = 0; i < n && i < most; i++)
		shown[order[i] - roofline->row] = true;
	free(order);
	return n > most ? n - most : 0;
}
