/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Listings of functions in a page:
 *
 *   annotations   {left_out, of: [{section, row, function, listings: [[row]]}]}: of the row's samples' functions the one
 *                 with that number; a listing for each piece of its code; left_out: functions that there was no room for
 *     row         [kind, n, number, text, target]: see kinds below; what is at the end and empty is left out
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "bindings/command/annotate/annotate.h"
#include "bindings/command/annotate/rows.h"
#include "bindings/command/page/data.h"
#include "report/json_put.h"

/* A page that takes long to open is not looked at; a function that is hot in places has a few kilobytes. */
#define MOST_BYTES ((size_t)2 << 20)

static const char *const kinds[] = {
	[PMU_ANNOTATED_REMARK] = "remark", [PMU_ANNOTATED_FILE] = "file",
	[PMU_ANNOTATED_LINE] = "line",     [PMU_ANNOTATED_INSTRUCTION] = "in",
	[PMU_ANNOTATED_FOLD] = "fold",     [PMU_ANNOTATED_FOLDED_IN] = "folded-in",
	[PMU_ANNOTATED_OTHERS] = "others",
};

/* An address is text: it may be more than a script's numbers hold. */
static void put_annotated_number(struct pmu_strbuf *out, const struct pmu_annotated *row)
{
	if (row->kind == PMU_ANNOTATED_INSTRUCTION)
		pmu_strbuf_addf(out, ",\"%" PRIx64 "\"", row->number);
	else
		pmu_strbuf_addf(out, ",%" PRIu64, row->number);
}

static void put_annotated_row(struct pmu_strbuf *out, const struct pmu_annotated *row)
{
	bool has_target = row->target && row->target[0], has_text = row->text && row->text[0];

	pmu_strbuf_addf(out, "[\"%s\",%" PRIu64, kinds[row->kind], row->n_samples);
	if (row->number || has_text)
		put_annotated_number(out, row);
	if (has_text) {
		pmu_strbuf_add(out, ",");
		pmu_encode_json(out, row->text);
	}
	if (has_target) {
		pmu_strbuf_add(out, ",");
		pmu_encode_json(out, row->target);
	}
	pmu_strbuf_add(out, "]");
}

/*
 * A page goes to others.  Which files are source is said by what was compiled from them here, never by a report that may
 * come from anywhere.
 */
static void forget_unchecked(struct pmu_listing *listing)
{
	for (unsigned int i = 0; i < listing->n_files && !listing->is_checked; i++)
		listing->file[i].source = NULL;
}

static int put_page_listing(struct pmu_strbuf *out, struct pmu_annotate *annotate,
			    const struct pmu_model_function *function, unsigned int nth)
{
	struct pmu_model_block *blocks = NULL;
	struct pmu_annotated_rows rows = { .blocks = &blocks };
	struct pmu_listing listing;
	int rc = pmu_annotate_list(annotate, function, nth, &listing);

	if (!rc) {
		forget_unchecked(&listing);
		rc = pmu_annotated_make(&rows, &listing);
	}
	pmu_strbuf_add(out, "[");
	for (unsigned int i = 0; !rc && i < rows.n; i++) {
		pmu_strbuf_add(out, i ? "," : "");
		put_annotated_row(out, &rows.of[i]);
	}
	pmu_strbuf_add(out, "]");
	pmu_block_free(&blocks);
	return rc;
}

static int put_page_choice(struct pmu_strbuf *out, struct pmu_annotate *annotate,
			   const struct pmu_model *model, const struct pmu_annotate_choice *choice)
{
	const struct pmu_model_function *function = choice->function;
	int rc;

	put_u64(out, "{", "section", (uint64_t)(choice->section - model->section));
	put_u64(out, ",", "row", (uint64_t)(choice->row - choice->section->row));
	put_u64(out, ",", "function", (uint64_t)(function - choice->row->samples->function));
	key(out, ",", "listings");
	pmu_strbuf_add(out, "[");
	rc = put_page_listing(out, annotate, function, 0);
	for (unsigned int i = 1; !rc && i < function->n_codes; i++) {
		if (!pmu_annotate_is_worth(function, i))
			continue;
		pmu_strbuf_add(out, ",");
		rc = put_page_listing(out, annotate, function, i);
	}
	pmu_strbuf_add(out, "]}");
	return rc;
}

int pmu_page_annotations(struct pmu_strbuf *out, const struct pmu_model *model,
			 const struct pmu_annotate_request *request)
{
	struct pmu_annotate *annotate = pmu_annotate_new(model, request->source_dir);
	struct pmu_model_block *blocks = NULL;
	struct pmu_annotate_choice *choice = NULL;
	unsigned int n = 0, i;
	size_t start = out->len;
	int rc = annotate ? pmu_annotate_choose_for_page(model, request->of, &blocks, &choice, &n)
			  : -ENOMEM;

	if (rc)
		goto free;
	key(out, ",\n ", "annotations");
	key(out, "{", "of");
	pmu_strbuf_add(out, "[");
	for (i = 0; !rc && i < n && out->len - start < MOST_BYTES; i++) {
		next_line(out, !i, "   ");
		rc = put_page_choice(out, annotate, model, &choice[i]);
	}
	pmu_strbuf_add(out, "]");
	put_u64(out, ",", "left_out", n - i);
	pmu_strbuf_add(out, "}");
free:
	pmu_block_free(&blocks);
	pmu_annotate_free(annotate);
	return rc;
}
