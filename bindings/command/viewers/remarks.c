/* SPDX-License-Identifier: BSD-3-Clause */
/* What a reader must know of a report, and other viewers have no place for in their pictures. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "bindings/command/viewers/stacks.h"
#include "report/encode.h"
#include "report/model/finish.h"
#include "report/text/samples.h"

/* Paths that a remark has. */
#define NAMED 5u
/* Doubts and notes, each. */
#define MOST 20u

struct remarks {
	struct pmu_stacks *stacks;
	unsigned int room;
	int failed;
};

static void add_remark(struct remarks *r, struct pmu_strbuf *line)
{
	struct pmu_stacks *stacks = r->stacks;

	r->failed |= line->failed;
	if (!r->failed && stacks->n_remarks == r->room) {
		unsigned int room = r->room ? 2 * r->room : 32;
		const char **grown = pmu_block_array(&stacks->blocks, room, sizeof(char *));

		r->failed = !grown;
		for (unsigned int i = 0; grown && i < stacks->n_remarks; i++)
			grown[i] = stacks->remark[i];
		r->room = grown ? room : r->room;
		stacks->remark = grown ? grown : stacks->remark;
	}
	if (!r->failed)
		stacks->remark[stacks->n_remarks++] = pmu_block_text(
			&stacks->blocks, pmu_strbuf_text(line), line->len);
	r->failed |= stacks->n_remarks && !stacks->remark[stacks->n_remarks - 1];
	pmu_strbuf_free(line);
}

/* "label: text"; nothing where there is no text */
static void add_labelled_remark(struct remarks *r, const char *label, const char *text)
{
	struct pmu_strbuf line = { 0 };

	if (!text || !text[0])
		return;
	pmu_strbuf_addf(&line, "%s: ", label);
	pmu_encode_line(&line, text);
	add_remark(r, &line);
}

/* --- the report's own --- */

static void add_head(struct remarks *r)
{
	const struct pmu_model *model = r->stacks->model;
	struct pmu_strbuf source = { 0 };

	add_labelled_remark(r, "program", model->command[0] ? model->command : model->program);
	add_labelled_remark(r, "host", model->host);
	add_labelled_remark(r, "machine", model->machine);
	pmu_strbuf_addf(&source, "%s%s%s", model->source, model->source_detail[0] ? ": " : "",
			model->source_detail);
	r->failed |= source.failed;
	add_labelled_remark(r, "source", pmu_strbuf_text(&source));
	pmu_strbuf_free(&source);
	for (unsigned int i = 0; i < model->n_refusals; i++) {
		struct pmu_strbuf why = { 0 };

		pmu_strbuf_addf(&why, "%s: %s", model->refusal[i].source, model->refusal[i].why);
		r->failed |= why.failed;
		add_labelled_remark(r, "not used", pmu_strbuf_text(&why));
		pmu_strbuf_free(&why);
	}
	add_labelled_remark(r, "ended", model->died);
}

static void add_more(struct remarks *r, unsigned int n, const char *what)
{
	struct pmu_strbuf line = { 0 };

	if (n <= MOST)
		return;
	pmu_strbuf_addf(&line, "%s: and %u more, in the report itself", what, n - MOST);
	add_remark(r, &line);
}

static void add_doubts(struct remarks *r)
{
	const struct pmu_model *model = r->stacks->model;

	for (unsigned int i = 0; i < model->n_notes && i < MOST; i++)
		add_labelled_remark(r, "note", model->note[i]);
	add_more(r, model->n_notes, "note");
	for (unsigned int i = 0; i < model->n_doubts && i < MOST; i++) {
		const struct pmu_model_doubt *doubt = &model->doubt[i];
		struct pmu_strbuf text = { 0 };

		pmu_strbuf_addf(&text, "%s%s%s", doubt->region, doubt->region[0] ? ": " : "",
				doubt->text);
		if (doubt->count > 1)
			pmu_strbuf_addf(&text, " (%llu times)", (unsigned long long)doubt->count);
		r->failed |= text.failed;
		add_labelled_remark(r, "doubt", pmu_strbuf_text(&text));
		pmu_strbuf_free(&text);
	}
	add_more(r, model->n_doubts, "doubt");
}

/* --- of paths --- */

/* Is it so of a sum? */
typedef bool is_so(const struct pmu_model_section *section, const struct pmu_model_row *sum,
		   const struct pmu_stack_measure *measure);

static bool is_missing(const struct pmu_model_section *section, const struct pmu_model_row *sum,
		       const struct pmu_stack_measure *measure)
{
	uint64_t value;

	return !pmu_stacks_value(measure, section, sum, &value);
}

static bool is_open(const struct pmu_model_section *section, const struct pmu_model_row *sum,
		    const struct pmu_stack_measure *measure)
{
	(void)section;
	(void)measure;
	return sum->n_open || (sum->team && sum->team->all.flags & PMU_ROW_OPEN);
}

/* A program has nothing by itself, an open one is another matter. */
static bool is_mixed(const struct pmu_model_section *section, const struct pmu_model_row *sum,
		     const struct pmu_stack_measure *measure)
{
	(void)section;
	(void)measure;
	return sum->flags & PMU_ROW_NO_SELF && !(sum->flags & PMU_ROW_PROGRAM) && !sum->n_open;
}

/* Marks those nodes of which it is so in any group that has the measure. */
static void mark(const struct pmu_stacks *stacks, is_so *so,
		 const struct pmu_stack_measure *measure, bool *marked)
{
	for (unsigned int s = 0; s < stacks->model->n_sections; s++) {
		const struct pmu_model_section *section = &stacks->model->section[s];

		if (measure->section >= 0 && measure->section != (int)s)
			continue;
		for (unsigned int i = 0; i < section->n_rows; i++)
			if (stacks->node_of[s][i] >= 0 && so(section, &section->row[i], measure))
				marked[stacks->node_of[s][i]] = true;
	}
}

/* "what (3 regions): main/a, main/b, and 1 more" */
static void add_marked(struct remarks *r, const char *what, const bool *marked)
{
	const struct pmu_stacks *stacks = r->stacks;
	struct pmu_strbuf line = { 0 };
	unsigned int n = 0, named = 0;

	for (unsigned int i = 0; i < stacks->n_nodes; i++)
		n += marked[i];
	if (!n)
		return;
	pmu_encode_line(&line, what);
	pmu_strbuf_addf(&line, " (%u region%s):", n, n > 1 ? "s" : "");
	for (unsigned int i = 0; i < stacks->n_nodes && named < NAMED; i++) {
		if (!marked[i])
			continue;
		pmu_strbuf_add(&line, named++ ? ", " : " ");
		pmu_encode_line(&line, stacks->node[i].path);
	}
	if (n > NAMED)
		pmu_strbuf_addf(&line, ", and %u more", n - NAMED);
	add_remark(r, &line);
}

static void add_where(struct remarks *r, const char *what, is_so *so,
		      const struct pmu_stack_measure *measure)
{
	bool *marked = calloc((size_t)r->stacks->n_nodes + 1, sizeof(*marked));

	if (marked) {
		mark(r->stacks, so, measure, marked);
		add_marked(r, what, marked);
	}
	r->failed |= !marked;
	free(marked);
}

static void add_samples_remark(struct remarks *r)
{
	const struct pmu_model *model = r->stacks->model;
	struct pmu_strbuf text = { 0 };
	struct pmu_sample_unit unit = { .period = 0 };
	bool is_mixed = false;

	for (unsigned int s = 0; s < model->n_sections; s++)
		for (unsigned int i = 0; i < model->section[s].n_rows; i++) {
			const struct pmu_model_samples *samples = model->section[s].row[i].samples;

			if (samples)
				is_mixed |= !pmu_sample_unit_add(&unit, &samples->unit);
		}
	pmu_strbuf_add(&text, "estimates: functions in which regions were by themselves");
	if (!is_mixed)
		pmu_text_add_period(&text, &unit);
	r->failed |= text.failed;
	add_labelled_remark(r, "samples", pmu_strbuf_text(&text));
	pmu_strbuf_free(&text);
}

static void add_measure_remarks(struct remarks *r, const struct pmu_stack_measure *measure)
{
	struct pmu_strbuf what = { 0 };

	if (measure->sampled) {
		add_samples_remark(r);
		return;
	}
	if (measure->estimated)
		add_labelled_remark(
			r, measure->name,
			"an estimate, from calls that the group has counted, of what all of them did");
	pmu_strbuf_addf(&what, "%s unknown, and shown with the regions around if at all",
			measure->name);
	r->failed |= what.failed;
	if (!measure->in_sums && !measure->in_threads && measure->count >= 0)
		add_labelled_remark(r, measure->name, "not known of any region, and left out");
	else
		add_where(r, pmu_strbuf_text(&what), is_missing, measure);
	pmu_strbuf_free(&what);
}

static bool is_node_moved(const struct pmu_stack_node *node)
{
	return node->moved;
}

static bool is_node_cut(const struct pmu_stack_node *node)
{
	return node->cut;
}

static void add_nodes(struct remarks *r, const char *what,
		      bool (*is)(const struct pmu_stack_node *node))
{
	const struct pmu_stacks *stacks = r->stacks;
	bool *marked = calloc((size_t)stacks->n_nodes + 1, sizeof(*marked));

	for (unsigned int i = 0; marked && i < stacks->n_nodes; i++)
		marked[i] = is(&stacks->node[i]);
	if (marked)
		add_marked(r, what, marked);
	r->failed |= !marked;
	free(marked);
}

/* Beyond a limit: of regions of a thread, of what is nested here. */
static void add_flat(struct remarks *r)
{
	const struct pmu_stacks *stacks = r->stacks;
	struct pmu_strbuf line = { 0 };
	unsigned int n = 0;

	for (unsigned int s = 0; s < stacks->model->n_sections; s++)
		for (unsigned int i = 0; i < stacks->model->section[s].n_rows; i++)
			n += stacks->node_of[s][i] < 0;
	if (!n)
		return;
	pmu_strbuf_addf(
		&line,
		"%u region%s beyond the limit of a thread, or of depth, %s with the regions around %s",
		n, n > 1 ? "s" : "", n > 1 ? "are" : "is", n > 1 ? "them" : "it");
	add_remark(r, &line);
}

int pmu_stacks_remarks(struct pmu_stacks *stacks)
{
	struct remarks r = { .stacks = stacks };

	add_head(&r);
	add_nodes(&r,
		  "marked by ~ and shown further out, as they ended after the region around them",
		  is_node_moved);
	add_nodes(&r,
		  "marked by ~ and shown with less than they have, as more is nested in the region "
		  "around them than that has",
		  is_node_cut);
	add_where(&r,
		  "regions in them overlap or were entered by way of each other: what they "
		  "have by themselves is uncertain",
		  is_mixed, &stacks->measure[0]);
	add_where(&r, "still open, with what their calls had done so far", is_open,
		  &stacks->measure[0]);
	add_flat(&r);
	for (unsigned int m = 0; m < stacks->n_measures; m++)
		add_measure_remarks(&r, &stacks->measure[m]);
	add_doubts(&r);
	return r.failed ? -ENOMEM : 0;
}
