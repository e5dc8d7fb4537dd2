/* SPDX-License-Identifier: BSD-3-Clause */
/* Reports of several processes as one: notes, refusals and doubts. */
#include <errno.h>
#include <stdlib.h>

#include "report/cell.h"
#include "report/model/block.h"
#include "report/model/finish.h"
#include "report/model/samples.h"
#include "reports/combine/combining.h"

#define RANKS_NAMED 8u
/* Ranks start one after another, and the clocks of their hosts differ. */
#define APART_NS 60000000000u

/* --- remarks of our own --- */

static int note_doubled_ranks(struct pmu_combining *c)
{
	const struct pmu_model_part *part = c->model->part;
	struct pmu_strbuf text = { 0 };
	unsigned int n = 0;
	int rc = 0;

	for (unsigned int i = 1; c->ranked && i < c->n_parts; i++) {
		if (part[i].rank != part[i - 1].rank || (i > 1 && part[i].rank == part[i - 2].rank))
			continue;
		if (n++ < RANKS_NAMED)
			pmu_strbuf_addf(&text, "%s%d", n > 1 ? ", " : "", part[i].rank);
	}
	if (n)
		rc = pmu_model_add_note(
			c->model,
			pmu_model_textf(c->model,
					"rank%s %s%s: several processes, which are added up",
					n > 1 ? "s" : "", pmu_strbuf_text(&text),
					n > RANKS_NAMED ? " and others" : ""));
	pmu_strbuf_free(&text);
	return rc;
}

/* Files of an earlier run that lie beside those of the last. */
static int note_apart(struct pmu_combining *c)
{
	const struct pmu_model_part *part = c->model->part, *first = part, *last = part;
	struct pmu_cell apart;

	for (unsigned int i = 1; i < c->n_parts; i++) {
		if (pmu_part_end_ns(&part[i]) < pmu_part_end_ns(first))
			first = &part[i];
		if (part[i].start_unix_ns > last->start_unix_ns)
			last = &part[i];
	}
	if (!c->ranked || !first->start_unix_ns ||
	    pmu_add_capped(pmu_part_end_ns(first), APART_NS) >= last->start_unix_ns)
		return 0;
	pmu_cell_time(&apart, (double)(last->start_unix_ns - pmu_part_end_ns(first)));
	return pmu_model_add_note(
		c->model,
		pmu_model_textf(
			c->model,
			"%s had ended %s%s before %s began: these may be reports of different runs",
			first->label, apart.number, apart.unit, last->label));
}

static int note_shared_sockets(struct pmu_combining *c)
{
	bool counted = false;

	for (unsigned int i = 0; i < c->model->n_sections; i++)
		counted |= (c->model->section[i].sockets & ~c->model->section[i].process) != 0;
	if (!counted || !pmu_model_shares_sockets(c->model))
		return 0;
	return pmu_model_add_note(
		c->model,
		"several processes counted the same socket, each of them all that it did: "
		"such counts are not added up");
}

/* One count of two events means nothing; in the sum of a row there are none then. */
static int note_mixed_samples(struct pmu_combining *c)
{
	struct pmu_sample_unit unit = { .period = 0 };
	bool is_mixed = false;

	for (unsigned int i = 0; i < c->model->n_sections; i++) {
		const struct pmu_model_section *s = &c->model->section[i];

		for (unsigned int k = 0; k < s->n_rows; k++) {
			const struct pmu_model_samples *samples = s->row[k].samples;

			is_mixed |= samples &&
				    (!samples->n || !pmu_sample_unit_add(&unit, &samples->unit));
		}
	}
	if (!is_mixed)
		return 0;
	return pmu_model_add_note(
		c->model, "processes were sampled by different events, which are not added up: a "
			  "region has samples where those of one event alone met it");
}

/* --- what the inputs say --- */

/* The part of an input's remarks, if it has only one part. */
static unsigned int part_of(const struct pmu_combining *c, unsigned int from)
{
	return c->from[from]->n_parts ? PMU_PART_TOLD : c->new_part[c->first_part[from]];
}

static int notes(struct pmu_combining *c)
{
	struct pmu_strbuf text = { 0 };
	struct pmu_remarks s;
	size_t n = 0;
	int rc;

	for (unsigned int i = 0; i < c->n_from; i++)
		n += c->from[i]->n_notes;
	rc = pmu_remarks_open(&s, c, n);
	for (unsigned int i = 0; !rc && i < c->n_from; i++)
		for (unsigned int k = 0; k < c->from[i]->n_notes; k++)
			pmu_remarks_add(&s, part_of(c, i), c->from[i]->note[k], NULL, NULL);
	pmu_remarks_sort(&s);
	for (unsigned int i = 0; !rc && i < s.n; i = pmu_remarks_end(&s, i)) {
		text.len = 0;
		pmu_strbuf_add(&text, s.remark[i].text[0]);
		pmu_remarks_who(&s, &text, i, pmu_remarks_end(&s, i));
		rc = pmu_model_add_note(c->model, pmu_strbuf_text(&text));
	}
	c->failed |= text.failed;
	pmu_strbuf_free(&text);
	pmu_remarks_close(&s);
	return rc;
}

static int join_refusals(struct pmu_combining *c)
{
	struct pmu_strbuf text = { 0 };
	struct pmu_remarks s;
	size_t n = 0;
	int rc;

	for (unsigned int i = 0; i < c->n_from; i++)
		n += c->from[i]->n_refusals;
	rc = pmu_remarks_open(&s, c, n);
	for (unsigned int i = 0; !rc && i < c->n_from; i++) {
		for (unsigned int k = 0; k < c->from[i]->n_refusals; k++) {
			const struct pmu_model_refusal *refusal = &c->from[i]->refusal[k];

			pmu_remarks_add(&s, part_of(c, i), refusal->source, refusal->why,
					refusal->mend);
		}
	}
	pmu_remarks_sort(&s);
	for (unsigned int i = 0; !rc && i < s.n; i = pmu_remarks_end(&s, i)) {
		text.len = 0;
		pmu_strbuf_add(&text, s.remark[i].text[1]);
		pmu_remarks_who(&s, &text, i, pmu_remarks_end(&s, i));
		rc = pmu_model_add_refusal(c->model, s.remark[i].text[0], pmu_strbuf_text(&text),
					   s.remark[i].text[2]);
	}
	c->failed |= text.failed;
	pmu_strbuf_free(&text);
	pmu_remarks_close(&s);
	return rc;
}

static void say_doubts(struct pmu_remarks *s, unsigned int from)
{
	const struct pmu_combining *c = s->c;
	const struct pmu_model *model = c->from[from];

	for (unsigned int k = 0; k < model->n_doubts; k++) {
		const struct pmu_model_doubt *doubt = &model->doubt[k];
		unsigned int part = part_of(c, from);
		struct pmu_remark *remark = pmu_remarks_add(s, part, doubt->text, doubt->region,
							    NULL);

		remark->doubt = doubt;
		remark->from = from;
		remark->thread = doubt->thread;
		remark->count = doubt->count;
		if (part != PMU_PART_TOLD)
			remark->doubt_part = (int)part;
		else if (doubt->part >= 0 && (unsigned int)doubt->part < model->n_parts)
			remark->doubt_part =
				(int)c->new_part[c->first_part[from] + (unsigned int)doubt->part];
	}
}

/* The parts that one of the inputs' doubts is about. */
static void mark_parts(const struct pmu_combining *c, const struct pmu_remark *remark,
		       bool *is_about)
{
	const unsigned int *new_part = &c->new_part[c->first_part[remark->from]];
	const struct pmu_model *from = c->from[remark->from];

	if (remark->doubt_part >= 0) {
		is_about[remark->doubt_part] = true;
		return;
	}
	for (unsigned int i = 0; i < remark->doubt->n_parts; i++)
		if (remark->doubt->parts[i] < from->n_parts)
			is_about[new_part[remark->doubt->parts[i]]] = true;
	for (unsigned int i = 0; !remark->doubt->n_parts && i < from->n_parts; i++)
		is_about[new_part[i]] = true;
}

/* Lists the parts that a doubt is about, if there are several and not all. */
static int list_parts(struct pmu_remarks *s, unsigned int i, unsigned int end,
		      struct pmu_model_doubt *doubt)
{
	const struct pmu_combining *c = s->c;
	bool *is_about = calloc(c->n_parts, sizeof(*is_about));
	unsigned int *parts = pmu_block_array(&c->model->blocks, c->n_parts, sizeof(*parts)), n = 0;

	for (; is_about && parts && i < end; i++)
		mark_parts(c, &s->remark[i], is_about);
	for (unsigned int part = 0; is_about && parts && part < c->n_parts; part++)
		if (is_about[part])
			parts[n++] = part;
	free(is_about);
	if (n && n < c->n_parts) {
		doubt->parts = parts;
		doubt->n_parts = n;
	}
	return n ? 0 : -ENOMEM;
}

/* The thread is named if the doubt is about one thread of one part. */
static int add_doubt(struct pmu_remarks *s, unsigned int i, unsigned int end)
{
	struct pmu_model *model = s->c->model;
	int thread = s->remark[i].thread, part = s->remark[i].doubt_part, rc;
	struct pmu_strbuf text = { 0 };
	uint64_t count = 0;
	bool countable = true;

	for (unsigned int k = i; k < end; k++) {
		countable &= s->remark[k].count > 0;
		count = pmu_add_capped(count, s->remark[k].count);
		if (s->remark[k].doubt_part != part)
			part = -1;
		if (s->remark[k].thread != thread)
			thread = -1;
	}
	pmu_strbuf_add(&text, s->remark[i].text[0]);
	pmu_remarks_who(s, &text, i, end);
	rc = text.failed ? -ENOMEM
			 : pmu_model_add_doubt(model, pmu_strbuf_text(&text), s->remark[i].text[1],
					       part < 0 ? -1 : thread, countable ? count : 0);
	if (!rc)
		model->doubt[model->n_doubts - 1].part = part;
	if (!rc && part < 0)
		rc = list_parts(s, i, end, &model->doubt[model->n_doubts - 1]);
	pmu_strbuf_free(&text);
	return rc;
}

/*
 * The inputs have all doubts, also those that finishing the sum has found a second time: those are
 * replaced.
 */
static int doubts(struct pmu_combining *c)
{
	struct pmu_remarks s;
	size_t n = 0;
	int rc;

	c->model->n_doubts = 0;
	c->model->doubt = NULL;
	for (unsigned int i = 0; i < c->n_from; i++)
		n += c->from[i]->n_doubts;
	rc = pmu_remarks_open(&s, c, n);
	for (unsigned int i = 0; !rc && i < c->n_from; i++)
		say_doubts(&s, i);
	pmu_remarks_sort(&s);
	for (unsigned int i = 0; !rc && i < s.n; i = pmu_remarks_end(&s, i))
		rc = add_doubt(&s, i, pmu_remarks_end(&s, i));
	pmu_remarks_close(&s);
	return rc;
}

int pmu_combining_remarks(struct pmu_combining *c)
{
	int rc = note_doubled_ranks(c);

	if (!rc)
		rc = note_apart(c);
	if (!rc)
		rc = note_shared_sockets(c);
	if (!rc)
		rc = note_mixed_samples(c);
	if (!rc)
		rc = notes(c);
	if (!rc)
		rc = join_refusals(c);
	return rc ? rc : doubts(c);
}
