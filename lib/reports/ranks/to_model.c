/* SPDX-License-Identifier: BSD-3-Clause */
/* The report of a job's ranks, of their record. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "reports/ranks/ranking.h"

/* Different texts that a line of the head names. */
#define NAMED 3u

/* "rank 3", "rank 3 and 11 more" */
static void add_who(struct pmu_strbuf *out, const struct pmu_ranks_said *said)
{
	pmu_strbuf_addf(out, "rank %u", said->first_rank);
	if (said->n_ranks > 1)
		pmu_strbuf_addf(out, " and %llu more", (unsigned long long)said->n_ranks - 1);
}

static int by_rank(const void *a, const void *b)
{
	const struct pmu_ranks_said *x = a, *y = b;

	if (x->first_rank != y->first_rank)
		return x->first_rank < y->first_rank ? -1 : 1;
	for (int i = 0; i < 3; i++) {
		int order = strcmp(x->text[i], y->text[i]);

		if (order)
			return order;
	}
	return 0;
}

static const char *take_model_text(struct pmu_model *model, struct pmu_strbuf *text)
{
	const char *copy = text->failed ? ""
					: pmu_model_text(model, pmu_strbuf_text(text), text->len);

	pmu_strbuf_free(text);
	return copy;
}

/* What all say; else the first few texts, each with the ranks that say it. */
static const char *head_text(struct pmu_model *model, const struct pmu_ranks *ranks,
			     enum pmu_said kind)
{
	const struct pmu_ranks_saying *saying = &ranks->saying[kind];
	struct pmu_strbuf text = { 0 };

	if (saying->n == 1 && !saying->n_more && saying->said[0].n_ranks == ranks->n_ranks)
		return pmu_model_textf(model, "%s", saying->said[0].text[0]);
	for (unsigned int i = 0; i < saying->n && i < NAMED; i++) {
		pmu_strbuf_addf(&text, "%s%s (", i ? "; " : "", saying->said[i].text[0]);
		add_who(&text, &saying->said[i]);
		pmu_strbuf_add(&text, ")");
	}
	if (saying->n > NAMED || saying->n_more)
		pmu_strbuf_addf(&text, "; and %s%u others", saying->n_more ? "more than " : "",
				saying->n > NAMED ? saying->n - NAMED : 0);
	return take_model_text(model, &text);
}

/* What all say; "" where they differ. */
static const char *one_text(struct pmu_model *model, const struct pmu_ranks *ranks,
			    enum pmu_said kind)
{
	const struct pmu_ranks_saying *saying = &ranks->saying[kind];

	if (saying->n != 1 || saying->n_more)
		return "";
	return pmu_model_textf(model, "%s", saying->said[0].text[0]);
}

static void make_head(const struct pmu_ranks *ranks, struct pmu_model *model)
{
	model->program = one_text(model, ranks, PMU_SAID_PROGRAM);
	model->command = one_text(model, ranks, PMU_SAID_COMMAND);
	model->host = one_text(model, ranks, PMU_SAID_HOST);
	model->cpu = one_text(model, ranks, PMU_SAID_CPU);
	model->machine = head_text(model, ranks, PMU_SAID_MACHINE);
	model->source = head_text(model, ranks, PMU_SAID_SOURCE);
	model->source_detail = head_text(model, ranks, PMU_SAID_DETAIL);
	model->clock = head_text(model, ranks, PMU_SAID_CLOCK);
	model->pinning = head_text(model, ranks, PMU_SAID_PINNING);
	model->version = head_text(model, ranks, PMU_SAID_VERSION);
	model->died = ranks->saying[PMU_SAID_DIED].n ? head_text(model, ranks, PMU_SAID_DIED)
						     : NULL;
	model->clock_hz = ranks->clock_hz;
	model->pid = -1;
	model->rank = -1;
	model->n_ranks = ranks->n_ranks < INT32_MAX ? (int)ranks->n_ranks : INT32_MAX;
	model->start_unix_ns = ranks->start_unix_ns;
	model->duration_ns = ranks->end_unix_ns > ranks->start_unix_ns
				     ? ranks->end_unix_ns - ranks->start_unix_ns
				     : 0;
}

/* --- notes, refusals, doubts --- */

/* A sentence with the ranks that say it, where not all do. */
static const char *sentence(struct pmu_model *model, const struct pmu_ranks *ranks,
			    const struct pmu_ranks_said *said, const char *is)
{
	struct pmu_strbuf text = { 0 };

	pmu_strbuf_add(&text, is);
	if (said->n_ranks < ranks->n_ranks) {
		pmu_strbuf_add(&text, " (");
		add_who(&text, said);
		pmu_strbuf_add(&text, ")");
	}
	return take_model_text(model, &text);
}

static int add_remarks(const struct pmu_ranks *ranks, struct pmu_model *model)
{
	const struct pmu_ranks_saying *notes = &ranks->saying[PMU_SAID_NOTE];
	const struct pmu_ranks_saying *refusals = &ranks->saying[PMU_SAID_REFUSAL];
	int rc = 0;

	for (unsigned int i = 0; i < notes->n; i++)
		rc |= pmu_model_add_note(
			model, sentence(model, ranks, &notes->said[i], notes->said[i].text[0]));
	if (notes->n_more)
		rc |= pmu_model_add_note(
			model,
			pmu_model_textf(model, "ranks have more notes than the %u that are here",
					PMU_RANKS_MAX_SAID));
	for (unsigned int i = 0; i < refusals->n; i++)
		rc |= pmu_model_add_refusal(
			model, refusals->said[i].text[0],
			sentence(model, ranks, &refusals->said[i], refusals->said[i].text[1]),
			refusals->said[i].text[2]);
	for (unsigned int i = 0; i < ranks->n_sections; i++) {
		const struct pmu_ranks_section *s = &ranks->section[i];

		if (s->n_dropped)
			rc |= pmu_model_add_note(
				model,
				pmu_model_textf(model,
						"regions of %s beyond %u different ones are left "
						"out; each rank's own report has them",
						s->group, PMU_RANKS_MAX_ROWS));
		if (s->sockets)
			rc |= pmu_model_add_note(
				model,
				pmu_model_textf(
					model,
					"counts of sockets and of whole processes are "
					"not added up over ranks: each rank's own report has them"));
	}
	return rc;
}

static int add_doubts(const struct pmu_ranks *ranks, struct pmu_model *model)
{
	const struct pmu_ranks_saying *doubts = &ranks->saying[PMU_SAID_DOUBT];
	int rc = 0;

	/* what finishing finds again is said by the ranks */
	model->n_doubts = 0;
	model->doubt = NULL;
	for (unsigned int i = 0; i < doubts->n; i++)
		rc |= pmu_model_add_doubt(
			model, sentence(model, ranks, &doubts->said[i], doubts->said[i].text[0]),
			doubts->said[i].text[1], -1, doubts->said[i].count);
	return rc;
}

/* --- rows --- */

static int make_thread(const struct pmu_ranks *ranks, struct pmu_model *model)
{
	struct pmu_model_thread *thread = pmu_block_array(&model->blocks, 1, sizeof(*thread));

	if (!thread)
		return -ENOMEM;
	*thread = (struct pmu_model_thread){
		.name = "",
		.cpu = -1,
		.n_merged = ranks->n_threads < UINT32_MAX ? (uint32_t)ranks->n_threads : UINT32_MAX,
		.finished = true,
		.time_ns = ranks->time_ns,
		.minor_faults = ranks->usage[0],
		.major_faults = ranks->usage[1],
		.voluntary_switches = ranks->usage[2],
		.involuntary_switches = ranks->usage[3],
		.cpu_ns = ranks->usage[4],
	};
	model->thread = thread;
	model->n_threads = 1;
	return 0;
}

/* Counts of a row of the model, of which the first also tells which row of the record it is. */
static size_t row_size(const struct pmu_ranks_section *s)
{
	return 3 * (size_t)s->n_counts + 1;
}

static void make_sum_row(struct pmu_model *model, const struct pmu_ranks_section *s,
			 const struct pmu_ranks_row *from, struct pmu_model_row *row,
			 uint64_t *counts)
{
	size_t n = s->n_counts;

	*row = from->is;
	row->name = pmu_model_textf(model, "%s", from->is.name);
	row->thread = 0;
	row->flags &= ~(uint32_t)(PMU_ROW_SHORT | PMU_ROW_INTERRUPTED);
	row->sd_ns = pmu_pool_sd(&from->pool, &from->is);
	row->missing |= s->sockets;
	row->raw = counts;
	row->net = counts + n;
	row->cost = counts + 2 * n;
	if (from->n_selfless)
		row->flags |= PMU_ROW_NO_SELF;
	memcpy(row->raw, from->is.raw, n * sizeof(*counts));
	memcpy(row->net, from->is.net, n * sizeof(*counts));
	memcpy(row->cost, from->is.cost, n * sizeof(*counts));
}

static int make_section(const struct pmu_ranks_section *from, struct pmu_model *model,
			struct pmu_model_section *s, uint64_t **first)
{
	uint64_t *counts = pmu_block_array(&model->blocks, from->n_rows,
					   row_size(from) * sizeof(*counts));

	*first = counts;
	*s = (struct pmu_model_section){
		.group = pmu_model_textf(model, "%s", from->group),
		.index = from->index,
		.read_ns = from->read_ns,
		.socket_read_ns = from->socket_read_ns,
		.sockets = from->sockets,
		.process = from->process,
		.n_counts = from->n_counts,
		.n_metrics = from->n_metrics,
		.n_thread_rows = from->n_rows,
	};
	s->count = pmu_block_array(&model->blocks, s->n_counts, sizeof(*s->count));
	s->metric = pmu_block_array(&model->blocks, s->n_metrics, sizeof(*s->metric));
	s->thread_row = pmu_block_array(&model->blocks, from->n_rows, sizeof(*s->thread_row));
	if (!counts || !s->count || !s->metric || !s->thread_row)
		return -ENOMEM;
	for (unsigned int i = 0; i < s->n_counts; i++)
		s->count[i] = (struct pmu_model_count){
			.name = pmu_model_textf(model, "%s", from->count[i].name),
			.unit = pmu_model_textf(model, "%s", from->count[i].unit),
		};
	for (unsigned int i = 0; i < s->n_metrics; i++)
		s->metric[i] = (struct pmu_model_metric){
			.name = pmu_model_textf(model, "%s", from->metric[i].name),
			.unit = pmu_model_textf(model, "%s", from->metric[i].unit),
			.formula = pmu_model_textf(model, "%s", from->metric[i].formula),
		};
	for (unsigned int i = 0; i < from->n_rows; i++)
		make_sum_row(model, from, &from->row[i], &s->thread_row[i],
			     counts + i * row_size(from));
	return 0;
}

/* The record's rows as the sums of the finished model, which know how many threads they are of. */
static int arrange_sums(struct pmu_ranks *ranks, struct pmu_ranks_section *from,
			struct pmu_model_section *s, const uint64_t *first)
{
	struct pmu_ranks_row *row = pmu_block_array(&ranks->blocks, s->n_rows, sizeof(*row));

	if (!row)
		return -ENOMEM;
	for (unsigned int i = 0; i < s->n_thread_rows; i++) {
		size_t at = (size_t)(s->thread_row[i].raw - first) / row_size(from);
		struct pmu_model_row *sum = &s->row[s->thread_row[i].sum];

		row[s->thread_row[i].sum] = from->row[at];
		row[s->thread_row[i].sum].is.parent = sum->parent;
	}
	from->row = row;
	from->n_rows = from->room = s->n_rows;
	return 0;
}

/* --- all of it --- */

static int make_ranks_model(struct pmu_ranks *ranks, struct pmu_model *model)
{
	uint64_t **first = pmu_block_array(&ranks->blocks, ranks->n_sections, sizeof(*first));
	int rc;

	make_head(ranks, model);
	rc = make_thread(ranks, model);
	model->section = pmu_block_array(&model->blocks, ranks->n_sections,
					 sizeof(*model->section));
	if (!model->section || !first)
		rc = -ENOMEM;
	for (unsigned int i = 0; !rc && i < ranks->n_sections; i++) {
		rc = make_section(&ranks->section[i], model, &model->section[i], &first[i]);
		model->n_sections++;
	}
	if (!rc)
		rc = pmu_model_finish(model);
	for (unsigned int i = 0; !rc && i < ranks->n_sections; i++)
		rc = arrange_sums(ranks, &ranks->section[i], &model->section[i], first[i]);
	if (!rc)
		rc = add_doubts(ranks, model);
	return rc ? rc : add_remarks(ranks, model);
}

int pmu_ranks_model(struct pmu_ranks *ranks, struct pmu_model **model)
{
	int rc = -ENOMEM;

	*model = pmu_model_new();
	for (unsigned int i = 0; i < PMU_SAID_KINDS; i++)
		if (ranks->saying[i].n > 1)
			qsort(ranks->saying[i].said, ranks->saying[i].n,
			      sizeof(*ranks->saying[i].said), by_rank);
	if (*model)
		rc = make_ranks_model(ranks, *model);
	if (!rc) {
		pmu_ranks_keep(ranks, *model);
		return 0;
	}
	pmu_ranks_free(ranks);
	pmu_model_free(*model);
	*model = NULL;
	return rc == -E2BIG ? pmu_fail(E2BIG, "the ranks have more counts than a report holds")
			    : pmu_fail(ENOMEM, "no memory for the report of all ranks");
}
