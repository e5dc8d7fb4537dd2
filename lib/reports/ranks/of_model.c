/* SPDX-License-Identifier: BSD-3-Clause */
/* A record of the ranks that a model is of: one, or each of several. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "reports/ranks/ranking.h"

/* What the rank at hand did in a region. */
struct now {
	bool any;
	bool selfless;           /* some thread's self time is not known */
	struct pmu_model_row is; /* with net counts */
};

/* A section on the way. */
struct walk {
	const struct pmu_model_section *from;
	struct pmu_ranks_section *to;
	struct now *now; /* [n_rows] */
	uint64_t *net;   /* [n_rows * n_counts] */
	unsigned int *touched, n_touched;
	uint64_t others_ns;   /* of the rank's threads, for regions of other ones */
	unsigned int at;      /* first row of threads that is not taken yet */
	unsigned int *within; /* [n_rows] 1 + index of the call of MPI that a sum is in; 0: none */
};

struct making {
	struct pmu_ranks *ranks;
	const struct pmu_model *model;
	struct walk *walk; /* [n_sections] */
	uint32_t rank;
	const char *host;
};

static size_t length(const char *text)
{
	return text ? strlen(text) : 0;
}

/* --- sums --- */

/* Each rank of a socket has counted all of it. */
static void copy_sum(const struct pmu_model_section *s, const struct pmu_model_row *row,
		     struct pmu_ranks_row *to)
{
	const struct pmu_columns columns = { .n = s->n_counts };

	to->timed = pmu_model_time_known(row);
	pmu_row_add(&to->is, &to->pool, row, PMU_OF_RANKS);
	/* what has no time yet has no counts, which is not to say that they are missing */
	if (to->timed)
		pmu_row_add_counts(&to->is, row, &columns, ~s->sockets);
	to->is.missing |= s->sockets;
}

static int copy_columns(struct pmu_ranks *ranks, const struct pmu_model_section *s,
			struct pmu_ranks_section *to)
{
	to->index = s->index;
	to->read_ns = s->read_ns;
	to->socket_read_ns = s->socket_read_ns;
	to->sockets = s->sockets;
	to->process = s->process;
	to->n_counts = s->n_counts;
	to->n_metrics = s->n_metrics;
	to->metric = pmu_block_array(&ranks->blocks, s->n_metrics, sizeof(*to->metric));
	if (!to->metric)
		return -ENOMEM;
	for (unsigned int i = 0; i < s->n_counts; i++)
		to->count[i] = (struct pmu_model_count){
			.name = pmu_ranks_text(ranks, s->count[i].name, length(s->count[i].name)),
			.unit = pmu_ranks_text(ranks, s->count[i].unit, length(s->count[i].unit)),
		};
	for (unsigned int i = 0; i < s->n_metrics; i++) {
		const struct pmu_model_metric *metric = &s->metric[i];

		to->metric[i] = (struct pmu_model_metric){
			.name = pmu_ranks_text(ranks, metric->name, length(metric->name)),
			.unit = pmu_ranks_text(ranks, metric->unit, length(metric->unit)),
			.formula = pmu_ranks_text(ranks, metric->formula, length(metric->formula)),
		};
	}
	return 0;
}

static int copy_section(struct making *m, const struct pmu_model_section *s, struct walk *walk)
{
	const uint32_t made = PMU_ROW_SHORT | PMU_ROW_INTERRUPTED; /* when a model is finished */
	struct pmu_ranks_section *to = pmu_ranks_find_section(m->ranks, s->group ? s->group : "");

	/* only a forged file has two of a name */
	if (!to || to->n_rows || copy_columns(m->ranks, s, to) < 0)
		return to && to->n_rows ? -EINVAL : -ENOMEM;
	*walk = (struct walk){ .from = s, .to = to };
	walk->now = calloc((size_t)s->n_rows + 1, sizeof(*walk->now));
	walk->net = calloc((size_t)s->n_rows * s->n_counts + 1, sizeof(*walk->net));
	walk->touched = calloc((size_t)s->n_rows + 1, sizeof(*walk->touched));
	walk->within = calloc((size_t)s->n_rows + 1, sizeof(*walk->within));
	if (!walk->now || !walk->net || !walk->touched || !walk->within)
		return -ENOMEM;
	for (unsigned int i = 0; i < s->n_rows; i++) {
		const struct pmu_model_row *row = &s->row[i];

		if (pmu_ranks_add_row(m->ranks, to, row->name ? row->name : "", row->parent,
				      row->flags & ~made) < 0)
			return -ENOMEM;
		copy_sum(s, row, &to->row[i]);
		if (pmu_ranks_is_mpi(to->row[i].is.name))
			walk->within[i] = i + 1;
		if (row->parent >= 0 && walk->within[row->parent])
			walk->within[i] = walk->within[row->parent];
	}
	return 0;
}

/* --- each rank --- */

static void take_thread_row(struct walk *walk, const struct pmu_model_row *row)
{
	const struct pmu_model_section *s = walk->from;
	const struct pmu_columns columns = { .n = s->n_counts };
	struct now *now = &walk->now[row->sum];
	uint64_t *net = &walk->net[(size_t)row->sum * s->n_counts];

	if (!pmu_model_time_known(row))
		return;
	if (!now->any) {
		walk->touched[walk->n_touched++] = (unsigned int)row->sum;
		*now = (struct now){ .any = true, .is.net = net };
		memset(net, 0, s->n_counts * sizeof(*net));
	}
	pmu_row_add(&now->is, NULL, row, PMU_OF_ROW);
	pmu_row_add_counts(&now->is, row, &columns, UINT32_MAX);
	now->selfless |= !pmu_model_self_known(row);
}

static uint32_t rank_of_row(const struct making *m, const struct pmu_model_row *row)
{
	const struct pmu_model *model = m->model;

	if (!model->n_parts)
		return m->rank;
	return (uint32_t)model->part[model->thread[row->thread].part].rank;
}

/* Rows stand thread after thread, and threads part after part, ranks in their order. */
static void take_thread_rows(struct making *m, struct walk *walk)
{
	const struct pmu_model_section *s = walk->from;

	walk->n_touched = 0;
	walk->others_ns = 0;
	for (; walk->at < s->n_thread_rows; walk->at++) {
		const struct pmu_model_row *row = &s->thread_row[walk->at];

		if (row->thread < 0 || pmu_model_is_socket(m->model, row))
			continue;
		if (rank_of_row(m, row) != m->rank)
			break;
		/* it is in no sum, and in no other row */
		if (row->flags & PMU_ROW_TEAM)
			walk->others_ns = pmu_add_capped(walk->others_ns, row->time_ns);
		else
			take_thread_row(walk, row);
	}
}

/* Outermost regions, and calls of MPI that are in no other one. */
static void add_totals(const struct walk *walk, uint64_t *total)
{
	total[PMU_WHOLE_TIME] = pmu_add_capped(total[PMU_WHOLE_TIME], walk->others_ns);
	for (unsigned int i = 0; i < walk->n_touched; i++) {
		unsigned int at = walk->touched[i];
		const struct pmu_ranks_row *row = &walk->to->row[at];

		if (row->is.flags & PMU_ROW_FLAT)
			continue;
		if (row->is.parent < 0)
			total[PMU_WHOLE_TIME] = pmu_add_capped(total[PMU_WHOLE_TIME],
							       walk->now[at].is.time_ns);
		if (walk->within[at] == at + 1)
			total[PMU_WHOLE_MPI] = pmu_add_capped(total[PMU_WHOLE_MPI],
							      walk->now[at].is.time_ns);
	}
}

static int add_over(struct making *m, struct walk *walk, unsigned int at)
{
	struct pmu_ranks_row *row = &walk->to->row[at];
	const struct now *now = &walk->now[at];
	const uint64_t *net = &walk->net[(size_t)at * walk->from->n_counts];
	struct pmu_model_block **blocks = &m->ranks->blocks;
	int rc = pmu_over_add(&row->over[PMU_OVER_TIME_NS], blocks, now->is.time_ns, m->rank,
			      m->host);

	rc |= pmu_over_add(&row->over[PMU_OVER_CALLS], blocks, now->is.calls, m->rank, m->host);
	if (now->selfless)
		row->n_selfless++;
	else
		rc |= pmu_over_add(&row->over[PMU_OVER_SELF_NS], blocks, now->is.self_ns, m->rank,
				   m->host);
	for (unsigned int i = 0; i < walk->from->n_counts; i++)
		if (!((now->is.missing | walk->from->sockets) >> i & 1))
			rc |= pmu_over_add(&row->over[PMU_OVER_COUNT + i], blocks, net[i], m->rank,
					   m->host);
	return rc ? -ENOMEM : 0;
}

static int add_rank(struct making *m)
{
	uint64_t total[PMU_WHOLE_N] = { 0 };
	struct pmu_ranks *ranks = m->ranks;
	struct pmu_ranks_worst worst = { .rank = m->rank, .host = m->host };
	int rc = 0;

	for (unsigned int s = 0; s < m->model->n_sections; s++) {
		take_thread_rows(m, &m->walk[s]);
		add_totals(&m->walk[s], total);
	}
	total[PMU_WHOLE_COMPUTE] = total[PMU_WHOLE_TIME] > total[PMU_WHOLE_MPI]
					   ? total[PMU_WHOLE_TIME] - total[PMU_WHOLE_MPI]
					   : 0;
	worst.compute_ns = total[PMU_WHOLE_COMPUTE];
	worst.mpi_ns = total[PMU_WHOLE_MPI];
	pmu_ranks_add_worst(ranks, &worst);
	for (unsigned int i = 0; i < PMU_WHOLE_N; i++)
		rc |= pmu_over_add(&ranks->whole[i], &ranks->blocks, total[i], m->rank, m->host);
	for (unsigned int s = 0; s < m->model->n_sections; s++) {
		struct walk *walk = &m->walk[s];

		for (unsigned int i = 0; i < walk->from->n_rows && ranks->worst[0].rank == m->rank;
		     i++)
			walk->to->row[i].worst_self_ns = walk->now[i].any ? walk->now[i].is.self_ns
									  : 0;
		for (unsigned int i = 0; !rc && i < walk->n_touched; i++)
			rc = add_over(m, walk, walk->touched[i]);
		for (unsigned int i = 0; i < walk->n_touched; i++)
			walk->now[walk->touched[i]].any = false;
	}
	ranks->n_ranks++;
	return rc || ranks->failed ? -ENOMEM : 0;
}

/* --- the head --- */

static void say_of_rank(struct making *m, enum pmu_said kind, const char *a, const char *b,
			const char *c, uint64_t count)
{
	const struct pmu_ranks_said said = {
		.text = { a, b, c }, .n_ranks = 1, .first_rank = m->rank, .count = count
	};

	if (a && *a)
		pmu_ranks_say(m->ranks, kind, &said);
}

static void say_head(struct making *m)
{
	const struct pmu_model *model = m->model;
	const char *const head[] = {
		[PMU_SAID_PROGRAM] = model->program,
		[PMU_SAID_COMMAND] = model->command,
		[PMU_SAID_HOST] = model->host,
		[PMU_SAID_MACHINE] = model->machine,
		[PMU_SAID_CPU] = model->cpu,
		[PMU_SAID_SOURCE] = model->source,
		[PMU_SAID_DETAIL] = model->source_detail,
		[PMU_SAID_CLOCK] = model->clock,
		[PMU_SAID_PINNING] = model->pinning,
		[PMU_SAID_VERSION] = model->version,
		[PMU_SAID_DIED] = model->died,
	};

	for (unsigned int i = 0; i < PMU_ARRAY_LEN(head); i++)
		if (i != PMU_SAID_HOST || !model->n_parts)
			say_of_rank(m, (enum pmu_said)i, head[i], NULL, NULL, 0);
	for (unsigned int i = 0; i < model->n_notes; i++)
		say_of_rank(m, PMU_SAID_NOTE, model->note[i], NULL, NULL, 0);
	for (unsigned int i = 0; i < model->n_doubts; i++)
		say_of_rank(m, PMU_SAID_DOUBT, model->doubt[i].text, model->doubt[i].region, NULL,
			    model->doubt[i].count);
	for (unsigned int i = 0; i < model->n_refusals; i++)
		say_of_rank(m, PMU_SAID_REFUSAL, model->refusal[i].source, model->refusal[i].why,
			    model->refusal[i].mend, 0);
}

static int64_t add_if_known(int64_t a, int64_t b)
{
	return a < 0 || b < 0 || __builtin_add_overflow(a, b, &a) ? -1 : a;
}

static void add_threads(struct making *m)
{
	struct pmu_ranks *ranks = m->ranks;

	for (unsigned int i = 0; i < m->model->n_threads; i++) {
		const struct pmu_model_thread *t = &m->model->thread[i];
		const int64_t usage[] = { t->minor_faults, t->major_faults, t->voluntary_switches,
					  t->involuntary_switches, t->cpu_ns };

		ranks->n_threads += t->n_merged ? t->n_merged : 1;
		ranks->time_ns = pmu_add_capped(ranks->time_ns, t->time_ns);
		for (unsigned int k = 0; k < PMU_ARRAY_LEN(usage); k++)
			ranks->usage[k] = add_if_known(ranks->usage[k], usage[k]);
	}
}

static void describe_rank(struct making *m)
{
	struct pmu_ranks *ranks = m->ranks;

	ranks->first_rank = m->rank;
	ranks->start_unix_ns = m->model->start_unix_ns;
	ranks->end_unix_ns = pmu_add_capped(m->model->start_unix_ns, m->model->duration_ns);
	ranks->clock_hz = m->model->clock_hz;
	say_head(m);
	add_threads(m);
}

/* --- all of it --- */

static int add_parts(struct making *m)
{
	const struct pmu_model *model = m->model;
	int rc = 0;

	for (unsigned int i = 0; !rc && i < model->n_parts; i++) {
		if (i && model->part[i].rank == model->part[i - 1].rank)
			continue;
		m->rank = (uint32_t)model->part[i].rank;
		m->host = pmu_ranks_text(m->ranks, model->part[i].host,
					 length(model->part[i].host));
		say_of_rank(m, PMU_SAID_HOST, m->host, NULL, NULL, 0);
		rc = add_rank(m);
	}
	return rc;
}

static int make_record_of_rank(struct making *m)
{
	int rc = 0;

	for (unsigned int i = 0; i < m->model->n_parts; i++)
		if (m->model->part[i].rank < 0)
			return -EINVAL;
	if (m->model->n_sections > PMU_RANKS_MAX_SECTIONS)
		return -EINVAL;
	for (unsigned int i = 0; !rc && i < m->model->n_sections; i++)
		rc = copy_section(m, &m->model->section[i], &m->walk[i]);
	if (rc)
		return rc;
	describe_rank(m);
	if (m->model->n_parts)
		return add_parts(m);
	m->host = pmu_ranks_text(m->ranks, m->model->host, length(m->model->host));
	return add_rank(m);
}

int pmu_ranks_of(const struct pmu_model *model, uint32_t rank, struct pmu_ranks **ranks)
{
	struct making m = { .ranks = pmu_ranks_new(), .model = model, .rank = rank, .host = "" };
	int rc = -ENOMEM;

	m.walk = calloc((size_t)model->n_sections + 1, sizeof(*m.walk));
	if (m.ranks && m.walk)
		rc = make_record_of_rank(&m);
	for (unsigned int i = 0; m.walk && i < model->n_sections; i++) {
		free(m.walk[i].now);
		free(m.walk[i].net);
		free(m.walk[i].touched);
		free(m.walk[i].within);
	}
	free(m.walk);
	if (!rc && !m.ranks->failed) {
		*ranks = m.ranks;
		return 0;
	}
	pmu_ranks_free(m.ranks);
	if (rc == -EINVAL)
		return pmu_fail(EINVAL, "the report is not one of MPI ranks");
	return pmu_fail(ENOMEM, "no memory for what ranks are together");
}
