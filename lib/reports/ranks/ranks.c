/* SPDX-License-Identifier: BSD-3-Clause */
/* A record of ranks: its parts, and what is read off it. */
#include "reports/ranks/ranks.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "report/several.h"
#include "reports/ranks/ranking.h"

struct pmu_ranks *pmu_ranks_new(void)
{
	struct pmu_model_block *blocks = NULL;
	struct pmu_ranks *ranks = pmu_block_alloc(&blocks, sizeof(*ranks));
	struct pmu_ranks_section *section = pmu_block_array(&blocks, PMU_RANKS_MAX_SECTIONS,
							    sizeof(*section));

	if (!ranks || !section) {
		pmu_block_free(&blocks);
		return NULL;
	}
	ranks->section = section;
	ranks->blocks = blocks;
	return ranks;
}

void pmu_ranks_free(struct pmu_ranks *ranks)
{
	struct pmu_model_block *blocks = ranks ? ranks->blocks : NULL;

	for (unsigned int i = 0; ranks && i < ranks->n_sections; i++)
		pmu_index_free(&ranks->section[i].by_path);
	if (ranks)
		pmu_index_free(&ranks->texts);
	pmu_block_free(&blocks);
}

struct wanted {
	const char *text;
	size_t len;
};

static bool is_wanted_text(const void *arg, uintptr_t thing)
{
	const struct wanted *wanted = arg;
	const char *text = (const char *)thing;

	return !strncmp(text, wanted->text, wanted->len) && !text[wanted->len];
}

const char *pmu_ranks_text(struct pmu_ranks *ranks, const char *text, size_t len)
{
	const struct wanted wanted = { text, len };
	struct pmu_index_place *place;
	const char *copy;
	uint32_t hash;

	if (!text || !len || ranks->failed)
		return "";
	if (pmu_index_reserve(&ranks->texts, 1) < 0) {
		ranks->failed = true;
		return "";
	}
	hash = pmu_hash_text(text, len);
	place = pmu_index_find(&ranks->texts, hash, is_wanted_text, &wanted);
	if (place->thing)
		return (const char *)place->thing;
	copy = pmu_block_text(&ranks->blocks, text, len);
	if (!copy) {
		ranks->failed = true;
		return "";
	}
	pmu_index_take(&ranks->texts, place, hash, (uintptr_t)copy);
	return copy;
}

/* The record itself lies in its memory. */
void pmu_ranks_keep(struct pmu_ranks *ranks, struct pmu_model *model)
{
	struct pmu_model_block *blocks = ranks->blocks;

	for (unsigned int i = 0; i < ranks->n_sections; i++)
		pmu_index_free(&ranks->section[i].by_path);
	pmu_index_free(&ranks->texts);
	ranks->blocks = NULL;
	pmu_block_join(&model->blocks, &blocks);
	model->ranks = ranks;
	model->several = &pmu_several;
	/* the threads of all are one that is merged */
	for (unsigned int i = 0; !model->n_parts && i < ranks->n_sections; i++)
		for (unsigned int k = 0; k < ranks->section[i].n_rows; k++)
			model->section[i].row[k].n_threads = ranks->section[i].row[k].is.n_threads;
}

/* --- what is said --- */

static bool same_said(const struct pmu_ranks_said *a, const struct pmu_ranks_said *b)
{
	for (int i = 0; i < 3; i++)
		if (a->text[i] != b->text[i])
			return false;
	return true;
}

void pmu_ranks_say(struct pmu_ranks *ranks, enum pmu_said kind, const struct pmu_ranks_said *said)
{
	struct pmu_ranks_saying *saying = &ranks->saying[kind];
	struct pmu_ranks_said is = *said, *known;

	for (int i = 0; i < 3; i++)
		is.text[i] = pmu_ranks_text(ranks, is.text[i], is.text[i] ? strlen(is.text[i]) : 0);
	if (!saying->said)
		saying->said = pmu_block_array(&ranks->blocks, PMU_RANKS_MAX_SAID,
					       sizeof(*saying->said));
	ranks->failed |= !saying->said;
	for (unsigned int i = 0; saying->said && i < saying->n; i++) {
		known = &saying->said[i];
		if (!same_said(known, &is))
			continue;
		known->n_ranks = pmu_add_capped(known->n_ranks, is.n_ranks);
		known->count = pmu_add_capped(known->count, is.count);
		if (is.first_rank < known->first_rank)
			known->first_rank = is.first_rank;
		return;
	}
	if (!saying->said || saying->n == PMU_RANKS_MAX_SAID)
		saying->n_more = pmu_add_capped(saying->n_more, 1);
	else
		saying->said[saying->n++] = is;
}

/* --- the ranks that compute longest --- */

static bool is_worse(const struct pmu_ranks_worst *a, const struct pmu_ranks_worst *b)
{
	return a->compute_ns != b->compute_ns ? a->compute_ns > b->compute_ns : a->rank < b->rank;
}

void pmu_ranks_add_worst(struct pmu_ranks *ranks, const struct pmu_ranks_worst *worst)
{
	unsigned int i = ranks->n_worst;

	while (i && is_worse(worst, &ranks->worst[i - 1]))
		i--;
	if (i == PMU_RANKS_WORST)
		return;
	if (ranks->n_worst < PMU_RANKS_WORST)
		ranks->n_worst++;
	memmove(&ranks->worst[i + 1], &ranks->worst[i],
		(ranks->n_worst - 1 - i) * sizeof(*ranks->worst));
	ranks->worst[i] = *worst;
	ranks->worst[i].host = pmu_ranks_text(ranks, worst->host, strlen(worst->host));
}

/* --- sections and rows --- */

struct pmu_ranks_section *pmu_ranks_find_section(struct pmu_ranks *ranks, const char *group)
{
	struct pmu_ranks_section *s = ranks->section;
	unsigned int i = 0;

	while (i < ranks->n_sections && strcmp(s[i].group, group) != 0)
		i++;
	if (i < ranks->n_sections)
		return &s[i];
	if (i == PMU_RANKS_MAX_SECTIONS)
		return NULL;
	s[i].group = pmu_ranks_text(ranks, group, strlen(group));
	s[i].count = pmu_block_array(&ranks->blocks, PMU_MODEL_MAX_COUNTS, sizeof(*s[i].count));
	if (!s[i].count || ranks->failed)
		return NULL;
	ranks->n_sections++;
	return &s[i];
}

static int make_row_room(struct pmu_ranks *ranks, struct pmu_ranks_section *s)
{
	unsigned int room = s->room ? 2 * s->room : 16;
	struct pmu_ranks_row *more;

	if (s->n_rows < s->room)
		return 0;
	more = pmu_block_array(&ranks->blocks, room, sizeof(*more));
	if (!more)
		return -ENOMEM;
	if (s->n_rows)
		memcpy(more, s->row, s->n_rows * sizeof(*more));
	s->row = more;
	s->room = room;
	return 0;
}

int pmu_ranks_add_row(struct pmu_ranks *ranks, struct pmu_ranks_section *s, const char *name,
		      int parent, uint32_t flags)
{
	size_t n = s->n_counts;
	struct pmu_ranks_row row = {
		.is = { .parent = parent, .flags = flags, .thread = -1, .sum = -1, .sd_ns = NAN }
	};

	row.is.name = pmu_ranks_text(ranks, name, strlen(name));
	row.is.raw = pmu_block_array(&ranks->blocks, 3 * n + 1, sizeof(*row.is.raw));
	row.over = pmu_block_array(&ranks->blocks, PMU_OVER_COUNT + n, sizeof(*row.over));
	if (!row.is.raw || !row.over || ranks->failed || make_row_room(ranks, s) < 0) {
		ranks->failed = true;
		return -1;
	}
	row.is.net = row.is.raw + n;
	row.is.cost = row.is.net + n;
	s->row[s->n_rows] = row;
	return (int)s->n_rows++;
}

/* --- what is read off --- */

bool pmu_ranks_is_mpi(const char *name)
{
	return !strncmp(name, "MPI_", 4);
}

double pmu_ranks_explains(const struct pmu_ranks *ranks, const struct pmu_ranks_row *row)
{
	const struct pmu_over *compute = &ranks->whole[PMU_WHOLE_COMPUTE];
	double excess = compute->n ? (double)compute->max - pmu_over_mean(compute) : 0;
	double mean = (double)row->over[PMU_OVER_SELF_NS].sum / (double)ranks->n_ranks;

	if (row->n_selfless || pmu_ranks_is_mpi(row->is.name) || row->is.flags & PMU_ROW_FLAT ||
	    !(excess > 0))
		return NAN;
	return ((double)row->worst_self_ns - mean) / excess;
}
