/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reports of ranks that are added up as they come.
 *
 * Of thousands of reports the threads' rows are what fills memory, and text says nothing of them one
 * by one: they go into their sums, and what a rank has of a sum stays as a portion.  Of the reports
 * themselves their heads, threads and remarks are kept, without rows, for pmu_combining_make() to
 * make the same of them as it does of whole ones.
 */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "report/model/beside.h"
#include "report/model/block.h"
#include "report/model/finish.h"
#include "report/model/measure.h"
#include "report/model/rows.h"
#include "reports/combine/combining.h"
#include "reports/ranks/ranks.h"

/** What is known of a sum that the sum does not have yet. */
struct gathered {
	/* 1 + the latest one's index, of threads and of sockets; 0: none */
	unsigned int portion[2];
	struct pmu_gathered_team *team; /* NULL: nothing of its section's teams is known */
	struct pmu_beside beside;
};

/** A section, with what grows until it is settled in the model's memory. */
struct section {
	struct pmu_finishing f;
	struct pmu_model_row *row; /* [room], as summing and gathered */
	struct gathered *gathered;
	size_t room;
	struct pmu_model_portion *portion;
	size_t portion_room;
	bool has_teams; /* each input has, or none of them */
	unsigned int n_inputs;
};

struct pmu_gathering {
	struct pmu_combining c;
	struct pmu_model **stub; /* what is kept of the inputs */
	size_t stub_room;
	struct pmu_joined *joined;
	struct section *section; /* [section_room], as joined and the model's: */
	struct pmu_model_section *model_section;
	size_t section_room;
	unsigned int n_parts, n_threads; /* of the inputs so far, sockets among these */
	bool counts;
	struct pmu_ranks *ranks; /* all of them; NULL: none so far, or it cannot be had */
	bool no_ranks;
};

/* Room for @n in an array that grows.  Return: 0 or -ENOMEM, and it is as it was. */
static int make_array_room(void *array, size_t *room, size_t n, size_t size)
{
	size_t want = *room ? *room : 16;
	void *old, *grown;

	if (n <= *room)
		return 0;
	while (want < n)
		want *= 2;
	memcpy(&old, array, sizeof(old));
	grown = reallocarray(old, want, size);
	if (!grown)
		return -ENOMEM;
	memset((char *)grown + *room * size, 0, (want - *room) * size);
	memcpy(array, &grown, sizeof(grown));
	*room = want;
	return 0;
}

/* --- what is kept of an input --- */

static void keep_gathered_text(struct pmu_gathering *g, const char **text)
{
	*text = pmu_combining_text(&g->c, *text);
}

static void *copy_array(struct pmu_gathering *g, const void *array, size_t n, size_t size)
{
	void *copy = pmu_block_array(&g->c.model->blocks, n, size);

	if (copy && n)
		memcpy(copy, array, n * size);
	g->c.failed |= !copy;
	return copy;
}

static void keep_parts(struct pmu_gathering *g, struct pmu_model *stub)
{
	stub->part = copy_array(g, stub->part, stub->n_parts, sizeof(*stub->part));
	for (unsigned int i = 0; !g->c.failed && i < stub->n_parts; i++) {
		struct pmu_model_part *part = &stub->part[i];

		keep_gathered_text(g, &part->label);
		keep_gathered_text(g, &part->program);
		keep_gathered_text(g, &part->command);
		keep_gathered_text(g, &part->host);
		if (part->died)
			keep_gathered_text(g, &part->died);
	}
}

static void keep_threads(struct pmu_gathering *g, struct pmu_model *stub)
{
	unsigned int n = stub->n_threads + stub->n_sockets;

	stub->thread = copy_array(g, stub->thread, n, sizeof(*stub->thread));
	for (unsigned int i = 0; !g->c.failed && i < n; i++) {
		keep_gathered_text(g, &stub->thread[i].name);
		keep_gathered_text(g, &stub->thread[i].core_type);
	}
}

static void keep_remarks(struct pmu_gathering *g, struct pmu_model *stub)
{
	stub->note = copy_array(g, stub->note, stub->n_notes, sizeof(*stub->note));
	stub->refusal = copy_array(g, stub->refusal, stub->n_refusals, sizeof(*stub->refusal));
	stub->doubt = copy_array(g, stub->doubt, stub->n_doubts, sizeof(*stub->doubt));
	for (unsigned int i = 0; !g->c.failed && i < stub->n_notes; i++)
		keep_gathered_text(g, &stub->note[i]);
	for (unsigned int i = 0; !g->c.failed && i < stub->n_refusals; i++) {
		keep_gathered_text(g, &stub->refusal[i].source);
		keep_gathered_text(g, &stub->refusal[i].why);
		keep_gathered_text(g, &stub->refusal[i].mend);
	}
	for (unsigned int i = 0; !g->c.failed && i < stub->n_doubts; i++) {
		struct pmu_model_doubt *doubt = &stub->doubt[i];

		keep_gathered_text(g, &doubt->text);
		keep_gathered_text(g, &doubt->region);
		doubt->parts = copy_array(g, doubt->parts, doubt->n_parts, sizeof(*doubt->parts));
	}
}

static int keep_model_head(struct pmu_gathering *g, const struct pmu_model *model)
{
	static const size_t text[] = {
		offsetof(struct pmu_model, program), offsetof(struct pmu_model, command),
		offsetof(struct pmu_model, host),    offsetof(struct pmu_model, machine),
		offsetof(struct pmu_model, cpu),     offsetof(struct pmu_model, source),
		offsetof(struct pmu_model, clock),   offsetof(struct pmu_model, source_detail),
		offsetof(struct pmu_model, pinning), offsetof(struct pmu_model, version),
	};
	struct pmu_model *stub = copy_array(g, model, 1, sizeof(*model));

	if (!stub ||
	    make_array_room(&g->stub, &g->stub_room, g->c.n_from + 1, sizeof(*g->stub)) < 0)
		return -ENOMEM;
	stub->blocks = NULL;
	stub->section = NULL;
	stub->n_sections = 0;
	stub->run = NULL;
	for (size_t i = 0; i < PMU_ARRAY_LEN(text); i++)
		keep_gathered_text(g, (const char **)((char *)stub + text[i]));
	if (stub->died)
		keep_gathered_text(g, &stub->died);
	keep_parts(g, stub);
	keep_threads(g, stub);
	keep_remarks(g, stub);
	g->stub[g->c.n_from++] = stub;
	return g->c.failed ? -ENOMEM : 0;
}

/* --- sums --- */

static int widen_counts(struct pmu_gathering *g, uint64_t **counts, unsigned int n,
			unsigned int before)
{
	uint64_t *more = pmu_block_array(&g->c.model->blocks, n, sizeof(*more));

	if (!more)
		return -ENOMEM;
	if (before)
		memcpy(more, *counts, before * sizeof(*more));
	*counts = more;
	return 0;
}

/* New columns: what was added so far has nothing in them. */
static int widen_section(struct pmu_gathering *g, struct section *s, unsigned int before)
{
	unsigned int n = s->f.section->n_counts;
	uint32_t more = pmu_columns_all(n) & ~pmu_columns_all(before),
		 sockets = s->f.section->sockets;
	int rc = 0;

	for (unsigned int i = 0; !rc && i < s->f.section->n_rows; i++) {
		struct pmu_model_row *row = &s->f.section->row[i];
		uint64_t **const counts[] = { &row->raw, &row->net, &row->self, &row->cost };

		for (size_t k = 0; !rc && k < PMU_ARRAY_LEN(counts); k++)
			rc = widen_counts(g, counts[k], n, before);
		if (s->f.summing[i].counted)
			row->missing |= more & ~sockets;
		if (s->f.summing[i].by_socket)
			row->missing |= more & sockets;
		row->self_missing |= row->missing & more;
	}
	return rc;
}

static int sum_room(struct section *s, size_t n)
{
	size_t room[3] = { s->room, s->room, s->room };

	if (make_array_room(&s->f.summing, &room[0], n, sizeof(*s->f.summing)) < 0 ||
	    make_array_room(&s->row, &room[1], n, sizeof(*s->row)) < 0 ||
	    make_array_room(&s->gathered, &room[2], n, sizeof(*s->gathered)) < 0)
		return -ENOMEM;
	s->f.section->row = s->row;
	s->room = room[0];
	return 0;
}

/* Where an input's sums are now. */
static int find_sums(struct pmu_gathering *g, struct section *s,
		     const struct pmu_model_section *old, int *sum_of)
{
	int rc = sum_room(s, (size_t)s->f.section->n_rows + old->n_rows);

	if (!rc)
		rc = pmu_index_reserve(&s->f.index, old->n_rows);
	for (unsigned int i = 0; !rc && i < old->n_rows; i++) {
		const struct pmu_model_row *row = &old->row[i];
		unsigned int n = s->f.section->n_rows;

		sum_of[i] = pmu_sums_find(&s->f, row->parent < 0 ? -1 : sum_of[row->parent],
					  pmu_row_name(row), row->flags & PMU_ROW_FLAT);
		if ((unsigned int)sum_of[i] < n)
			continue;
		s->f.summing[n].name = pmu_combining_text(&g->c, row->name);
		rc = pmu_sums_row(&s->f, n);
	}
	return rc;
}

static int add_portion(struct pmu_gathering *g, struct section *s, unsigned int part,
		       bool of_socket, unsigned int sum, const struct pmu_model_row *row,
		       const struct pmu_columns *columns)
{
	struct pmu_model_section *section = s->f.section;
	unsigned int *latest = &s->gathered[sum].portion[of_socket];
	struct pmu_model_portion *portion;
	uint64_t *net;

	if (!pmu_model_time_known(row))
		return 0;
	if (!*latest || section->portion[*latest - 1].part != part) {
		if (section->n_portions == UINT_MAX ||
		    make_array_room(&s->portion, &s->portion_room, section->n_portions + 1,
				    sizeof(*portion)) < 0)
			return -ENOMEM;
		section->portion = s->portion;
		*latest = ++section->n_portions;
		section->portion[*latest - 1] = (struct pmu_model_portion){
			.sum = sum,
			.part = part,
			.of_socket = of_socket,
			.net = g->counts ? pmu_block_array(&g->c.model->blocks, section->n_counts,
							   sizeof(*net))
					 : NULL,
		};
	}
	portion = &section->portion[*latest - 1];
	portion->time_ns = pmu_add_capped(portion->time_ns, row->time_ns);
	net = (uint64_t *)(uintptr_t)portion->net;
	for (unsigned int i = 0; net && i < columns->n; i++)
		if (!(row->missing >> i & 1))
			net[columns->at[i]] = pmu_add_capped(net[columns->at[i]], row->net[i]);
	return g->counts && !net ? -ENOMEM : 0;
}

static int add_rows(struct pmu_gathering *g, struct section *s, const struct pmu_joining *j,
		    const struct pmu_model *model, const int *sum_of)
{
	const struct pmu_columns columns = { j->old->n_counts, j->count_at };
	int rc = 0;

	for (unsigned int i = 0; !rc && i < j->old->n_thread_rows; i++) {
		const struct pmu_model_row *row = &j->old->thread_row[i];
		bool is_socket = pmu_model_is_socket(model, row);
		unsigned int part, sum;

		if (row->thread < 0)
			continue;
		sum = (unsigned int)sum_of[row->sum];
		/* what was done for another thread's region is its team's */
		if (row->flags & PMU_ROW_TEAM) {
			rc = pmu_beside_add_samples(&s->gathered[sum].beside, row->samples, false);
			continue;
		}
		part = model->n_parts ? model->thread[row->thread].part : 0;
		if (is_socket)
			pmu_sums_add_socket(&s->f, sum, row, &columns);
		else
			pmu_sums_add(&s->f, sum, row, &columns, (int)g->n_threads + row->thread);
		rc = pmu_beside_add(&s->gathered[sum].beside, row, &columns, !is_socket, false);
		if (!rc)
			rc = add_portion(g, s, g->n_parts + (part < model->n_parts ? part : 0),
					 is_socket, sum, row, &columns);
	}
	return rc;
}

/** Of a sum without a team: its thread, and whether all of its time is known. */
struct opener {
	const struct pmu_model_thread *thread;
	bool is_unknown;
};

static void find_openers(const struct pmu_model *model, const struct pmu_model_section *old,
			 struct opener *opener)
{
	for (unsigned int i = 0; i < old->n_thread_rows; i++) {
		const struct pmu_model_row *row = &old->thread_row[i];

		if (row->flags & PMU_ROW_TEAM || row->thread < 0 || pmu_model_is_socket(model, row))
			continue;
		opener[row->sum].thread = &model->thread[row->thread];
		opener[row->sum].is_unknown |= !pmu_model_time_known(row);
	}
}

/*
 * Where threads worked for others' regions, each sum has a team, if only of its openers.  So would
 * sums of inputs where none did, but their openers are not known any more: -ENOTSUP.
 */
static int add_teams(struct pmu_gathering *g, struct section *s, const struct pmu_joining *j,
		     const struct pmu_model *model, const int *sum_of)
{
	bool has_teams = pmu_section_has_teams(j->old);
	struct opener *opener;
	int rc = 0;

	if (!s->n_inputs++)
		s->has_teams = has_teams;
	if (s->has_teams != has_teams || !has_teams)
		return s->has_teams != has_teams ? -ENOTSUP : 0;
	opener = calloc((size_t)j->old->n_rows + 1, sizeof(*opener));
	if (!opener)
		return -ENOMEM;
	find_openers(model, j->old, opener);
	for (unsigned int i = 0; !rc && i < j->old->n_rows; i++) {
		struct gathered *sum = &s->gathered[sum_of[i]];

		if (!sum->team)
			sum->team = pmu_gathered_team_new(g->c.model);
		/* opened by no thread of this input, but maybe by one of another rank */
		if (!sum->team || !opener[i].thread)
			rc = sum->team ? -ENOTSUP : -ENOMEM;
		else
			pmu_gathered_team_add(sum->team, j, &j->old->row[i], opener[i].thread,
					      !opener[i].is_unknown);
	}
	free(opener);
	return rc;
}

/* Room for one section more.  What they point to each other with stays right. */
static int section_room(struct pmu_gathering *g)
{
	struct pmu_model *model = g->c.model;
	size_t room[3] = { g->section_room, g->section_room, g->section_room };

	if (model->n_sections < g->section_room)
		return 0;
	if (make_array_room(&g->section, &room[0], g->section_room + 1, sizeof(*g->section)) < 0 ||
	    make_array_room(&g->joined, &room[1], g->section_room + 1, sizeof(*g->joined)) < 0 ||
	    make_array_room(&g->model_section, &room[2], g->section_room + 1,
			    sizeof(*g->model_section)) < 0)
		return -ENOMEM;
	model->section = g->model_section;
	g->section_room = room[0];
	return 0;
}

static int add_section(struct pmu_gathering *g, const struct pmu_model *model,
		       const struct pmu_model_section *old)
{
	struct pmu_joining j = { .c = &g->c, .old = old };
	struct section *s;
	unsigned int before;
	int *sum_of, rc = section_room(g);

	if (rc)
		return rc;
	j.joined = g->joined;
	rc = pmu_joining_section(&j);
	if (rc)
		return rc;
	s = &g->section[j.into - g->c.model->section];
	s->f.model = g->c.model;
	s->f.section = j.into;
	before = j.into->n_counts;
	rc = pmu_joining_columns(&j);
	if (!rc && j.into->n_counts > before)
		rc = widen_section(g, s, before);
	for (unsigned int i = 0; i < old->n_counts && !rc; i++)
		j.count_at[i] = pmu_joining_count(&j, i);
	sum_of = calloc((size_t)old->n_rows + 1, sizeof(*sum_of));
	if (!rc)
		rc = sum_of ? find_sums(g, s, old, sum_of) : -ENOMEM;
	if (!rc)
		rc = add_rows(g, s, &j, model, sum_of);
	if (!rc)
		rc = add_teams(g, s, &j, model, sum_of);
	free(sum_of);
	return rc;
}

/* --- the end --- */

/* Metrics came with any of the inputs. */
static int give_metrics(const struct section *s)
{
	const struct pmu_model_section *section = s->f.section;

	for (unsigned int i = 0; i < section->n_rows; i++) {
		double *metric = pmu_block_array(&s->f.model->blocks, section->n_metrics,
						 sizeof(*metric));

		if (!metric)
			return -ENOMEM;
		for (unsigned int k = 0; k < section->n_metrics; k++)
			metric[k] = NAN;
		section->row[i].metric = metric;
	}
	return 0;
}

static int give_teams(const struct section *s)
{
	int rc = 0;

	for (unsigned int i = 0; !rc && s->has_teams && i < s->f.section->n_rows; i++)
		rc = pmu_gathered_team_end(s->gathered[s->f.summing[i].made].team, &s->f,
					   &s->f.section->row[i]);
	return rc;
}

static int give_calls(const struct section *s)
{
	int rc = 0;

	for (unsigned int i = 0; !rc && i < s->f.section->n_rows; i++)
		rc = pmu_beside_make(&s->gathered[s->f.summing[i].made].beside, s->f.model,
				     s->f.section->n_counts, &s->f.section->row[i]);
	return rc;
}

static int by_sum(const void *a, const void *b)
{
	const struct pmu_model_portion *x = a, *y = b;

	if (x->sum != y->sum)
		return x->sum < y->sum ? -1 : 1;
	if (x->part != y->part)
		return x->part < y->part ? -1 : 1;
	return x->of_socket - y->of_socket;
}

/* The sums are in another order now, and the parts have theirs. */
static int place_portions(const struct pmu_gathering *g, const struct section *s)
{
	struct pmu_model_section *section = s->f.section;
	unsigned int *now = calloc((size_t)section->n_rows + 1, sizeof(*now));

	if (!now)
		return -ENOMEM;
	for (unsigned int i = 0; i < section->n_rows; i++)
		now[s->f.summing[i].made] = i;
	for (unsigned int i = 0; i < section->n_portions; i++) {
		struct pmu_model_portion *portion = &section->portion[i];

		portion->sum = now[portion->sum];
		portion->part = g->c.new_part[portion->part];
	}
	free(now);
	if (section->n_portions)
		qsort(section->portion, section->n_portions, sizeof(*section->portion), by_sum);
	return 0;
}

/* Into the model's memory. */
static int settle_sections(struct pmu_gathering *g)
{
	struct pmu_model *model = g->c.model;

	model->section = copy_array(g, model->section, model->n_sections, sizeof(*model->section));
	for (unsigned int i = 0; !g->c.failed && i < model->n_sections; i++) {
		struct pmu_model_section *s = &model->section[i];

		s->row = copy_array(g, s->row, s->n_rows, sizeof(*s->row));
		s->portion = copy_array(g, s->portion, s->n_portions, sizeof(*s->portion));
	}
	return g->c.failed ? -ENOMEM : 0;
}

int pmu_gathering_sections(struct pmu_gathering *g)
{
	struct pmu_model *model = g->c.model;
	int rc = 0;

	for (unsigned int i = 0; !rc && i < model->n_sections; i++) {
		struct section *s = &g->section[i];

		s->f.section = &model->section[i];
		pmu_measure_rank(model, s->f.section);
		s->f.shared_sockets = s->f.section->sockets && pmu_model_shares_sockets(model);
		rc = give_metrics(s);
		if (!rc)
			rc = pmu_sums_close(&s->f);
		if (!rc)
			rc = give_teams(s);
		if (!rc)
			rc = give_calls(s);
		if (!rc)
			rc = place_portions(g, s);
		if (!rc)
			pmu_rows_mark(s->f.section, s->f.section->row, s->f.section->n_rows);
	}
	return rc ? rc : settle_sections(g);
}

/* --- how all is spread over ranks --- */

/* Without memory the report has less to say. */
static void add_ranks(struct pmu_gathering *g, const struct pmu_model *model)
{
	struct pmu_ranks *ranks = NULL;

	if (g->no_ranks)
		return;
	g->no_ranks = (!model->n_parts && model->rank < 0) ||
		      pmu_ranks_of(model, (uint32_t)model->rank, &ranks) < 0;
	if (g->no_ranks)
		return;
	if (!g->ranks) {
		g->ranks = ranks;
		return;
	}
	g->no_ranks = pmu_ranks_merge(g->ranks, ranks) < 0;
	pmu_ranks_free(ranks);
}

/* Several processes of a rank would be several ranks. */
static void keep_ranks(struct pmu_gathering *g, struct pmu_model *model)
{
	if (!g->ranks || g->no_ranks || g->ranks->n_ranks < 2 ||
	    pmu_model_n_ranks(model) != model->n_parts || pmu_ranks_match(g->ranks, model) < 0)
		return;
	pmu_ranks_keep(g->ranks, model);
	g->ranks = NULL;
}

/* --- what others see --- */

struct pmu_gathering *pmu_gather_new(bool counts)
{
	struct pmu_gathering *g = calloc(1, sizeof(*g));

	if (!g)
		return NULL;
	g->counts = counts;
	g->c.how = PMU_COMBINE_RANKS;
	g->c.gathering = g;
	g->c.model = pmu_model_new();
	if (!g->c.model) {
		free(g);
		return NULL;
	}
	return g;
}

/* Not rows of programs. */
static bool takes(const struct pmu_model *model)
{
	for (unsigned int i = 0; i < model->n_sections; i++)
		for (unsigned int k = 0; k < model->section[i].n_rows; k++)
			if (model->section[i].row[k].flags & PMU_ROW_PROGRAM)
				return false;
	return true;
}

/* Whether all of an input finds room, before anything of it is in there. */
static bool has_room_for_model(struct pmu_gathering *g, const struct pmu_model *model)
{
	unsigned int n_parts = model->n_parts ? model->n_parts : 1;
	struct pmu_joining j = { .c = &g->c };

	for (unsigned int i = 0; i < model->n_sections; i++) {
		unsigned int at = 0, n;

		j.old = &model->section[i];
		while (at < g->c.model->n_sections &&
		       strcmp(g->c.model->section[at].group, j.old->group ? j.old->group : "") != 0)
			at++;
		if (at == g->c.model->n_sections)
			continue;
		j.into = &g->c.model->section[at];
		j.about = &g->joined[at];
		n = j.into->n_counts;
		for (unsigned int k = 0; k < j.old->n_counts; k++)
			n += pmu_joining_count(&j, k) == j.into->n_counts;
		if (n > PMU_MODEL_MAX_COUNTS)
			return false;
	}
	return model->n_threads + model->n_sockets <= INT_MAX / 8 - g->n_threads &&
	       n_parts <= INT_MAX / 8 - g->n_parts;
}

int pmu_gather_add(struct pmu_gathering *g, const struct pmu_model *model)
{
	unsigned int n_parts = model->n_parts ? model->n_parts : 1;
	int rc = 0;

	if (!takes(model))
		return -ENOTSUP;
	if (!has_room_for_model(g, model))
		return -E2BIG;
	for (unsigned int i = 0; !rc && i < model->n_sections; i++)
		rc = add_section(g, model, &model->section[i]);
	/* one group twice, with other counts each time */
	if (rc == -E2BIG)
		rc = -ENOTSUP;
	if (!rc)
		rc = keep_model_head(g, model);
	if (!rc)
		add_ranks(g, model);
	g->n_parts += n_parts;
	g->n_threads += model->n_threads + model->n_sockets;
	return rc;
}

static void gathering_free(struct pmu_gathering *g)
{
	pmu_ranks_free(g->ranks);
	for (size_t i = 0; i < g->section_room; i++) {
		pmu_index_free(&g->section[i].f.index);
		free(g->section[i].f.summing);
		for (size_t k = 0; k < g->section[i].room; k++)
			pmu_beside_free(&g->section[i].gathered[k].beside);
		free(g->section[i].row);
		free(g->section[i].gathered);
		free(g->section[i].portion);
	}
	free(g->section);
	free(g->model_section);
	free(g->joined);
	free(g->stub);
	free(g);
}

int pmu_gather_end(struct pmu_gathering *g, struct pmu_model **combined)
{
	int rc;

	g->c.from = g->stub;
	rc = pmu_combining_make(&g->c, combined);
	if (!rc)
		keep_ranks(g, *combined);
	gathering_free(g);
	return rc;
}

void pmu_gather_drop(struct pmu_gathering *g)
{
	if (!g)
		return;
	pmu_index_free(&g->c.texts);
	pmu_model_free(g->c.model);
	gathering_free(g);
}
