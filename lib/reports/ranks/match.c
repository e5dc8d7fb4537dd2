/* SPDX-License-Identifier: BSD-3-Clause */
/* Which row of a record of ranks is which sum of a model that is of the same ranks. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "reports/combine/combine.h"
#include "reports/ranks/ranking.h"

struct wanted {
	const struct pmu_model_section *s;
	const char *name;
	int parent;
	bool flat;
};

static bool is_wanted_row(const void *arg, uintptr_t number)
{
	const struct wanted *wanted = arg;
	const struct pmu_model_row *row = &wanted->s->row[number - 1];

	return row->parent == wanted->parent && !(row->flags & PMU_ROW_FLAT) == !wanted->flat &&
	       !strcmp(row->name, wanted->name);
}

static uint32_t hash_of_wanted(const struct wanted *wanted)
{
	return pmu_hash_text(wanted->name, strlen(wanted->name)) ^
	       pmu_hash_number((uint64_t)(wanted->parent + 1) << 1 | wanted->flat);
}

static int index_sums(const struct pmu_model_section *s, struct pmu_index *index)
{
	if (pmu_index_reserve(index, s->n_rows) < 0)
		return -ENOMEM;
	for (unsigned int i = 0; i < s->n_rows; i++) {
		const struct wanted wanted = { s, s->row[i].name, s->row[i].parent,
					       s->row[i].flags & PMU_ROW_FLAT };
		uint32_t hash = hash_of_wanted(&wanted);
		struct pmu_index_place *place = pmu_index_find(index, hash, is_wanted_row, &wanted);

		if (!place->thing)
			pmu_index_take(index, place, hash, i + 1);
	}
	return 0;
}

/* A sum that no row belongs to is of no rank. */
static int arrange_matched(struct pmu_ranks *ranks, struct pmu_ranks_section *from,
			   const struct pmu_model_section *s, const struct pmu_index *index)
{
	struct pmu_ranks_row *row = pmu_block_array(&ranks->blocks, s->n_rows, sizeof(*row));
	int *at = calloc((size_t)from->n_rows + 1, sizeof(*at));

	for (unsigned int i = 0; row && at && i < from->n_rows; i++) {
		int around = from->row[i].is.parent < 0 ? -1 : at[from->row[i].is.parent];
		const struct wanted wanted = { s, from->row[i].is.name, around,
					       from->row[i].is.flags & PMU_ROW_FLAT };
		const struct pmu_index_place *place;

		at[i] = -2;
		if (around < -1)
			continue;
		place = pmu_index_find(index, hash_of_wanted(&wanted), is_wanted_row, &wanted);
		if (!place->thing)
			continue;
		at[i] = (int)place->thing - 1;
		row[at[i]] = from->row[i];
		row[at[i]].is.parent = around;
	}
	for (unsigned int i = 0; row && i < s->n_rows; i++) {
		if (!row[i].over)
			row[i].over = pmu_block_array(&ranks->blocks,
						      PMU_OVER_COUNT + from->n_counts,
						      sizeof(*row[i].over));
		if (!row[i].is.name)
			row[i].is.name = s->row[i].name;
		if (!row[i].over) {
			free(at);
			return -ENOMEM;
		}
	}
	free(at);
	if (!row || !at)
		return -ENOMEM;
	from->row = row;
	from->n_rows = from->room = s->n_rows;
	return 0;
}

static bool same_counts(const struct pmu_ranks_section *a, const struct pmu_model_section *b)
{
	bool same = a->n_counts == b->n_counts;

	for (unsigned int i = 0; same && i < a->n_counts; i++)
		same = !strncmp(b->count[i].name, a->count[i].name, strlen(a->count[i].name));
	return same;
}

int pmu_ranks_match(struct pmu_ranks *ranks, const struct pmu_model *model)
{
	struct pmu_ranks_section *sections = pmu_block_array(&ranks->blocks, model->n_sections,
							     sizeof(*sections));
	int rc = sections ? 0 : -ENOMEM;

	for (unsigned int i = 0; !rc && i < model->n_sections; i++) {
		const struct pmu_model_section *s = &model->section[i];
		struct pmu_ranks_section *from = pmu_ranks_find_section(ranks, s->group);
		struct pmu_index index = { .n = 0 };

		if (!from || !same_counts(from, s)) {
			rc = -EINVAL;
			break;
		}
		rc = index_sums(s, &index);
		if (!rc)
			rc = arrange_matched(ranks, from, s, &index);
		pmu_index_free(&index);
		pmu_index_free(&from->by_path);
		sections[i] = *from;
	}
	if (rc)
		return rc;
	for (unsigned int i = 0; i < ranks->n_sections; i++)
		pmu_index_free(&ranks->section[i].by_path);
	ranks->section = sections;
	ranks->n_sections = model->n_sections;
	return 0;
}

const struct pmu_ranks *pmu_ranks_for(const struct pmu_model *model, struct pmu_ranks **made)
{
	bool has_rows = false;

	*made = NULL;
	if (model->ranks || !pmu_model_is_ranked(model) || model->n_parts < 2 ||
	    pmu_model_n_ranks(model) != model->n_parts)
		return model->ranks;
	for (unsigned int i = 0; i < model->n_sections; i++)
		has_rows |= model->section[i].n_thread_rows > 0;
	if (!has_rows || pmu_ranks_of(model, 0, made))
		return NULL;
	return *made;
}
