/* SPDX-License-Identifier: BSD-3-Clause */
/* Which of a table's rows are shown, and in which order. */
#include <fnmatch.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/compiler.h"
#include "report/model/finish.h"
#include "report/model/measure.h"
#include "report/text/longest.h"
#include "report/text/text.h"

/* What rows are told apart by; from 0 on a count. */
enum { BY_TIME = -5, BY_CPU, BY_WAITING, BY_SELF, BY_CALLS };

static const struct {
	const char *name;
	int key;
} sort_keys[] = {
	{ "cpu", BY_CPU },
	{ "waiting", BY_WAITING },
	{ "self", BY_SELF },
	{ "calls", BY_CALLS },
};

static bool find_count(const struct pmu_model_section *s, const char *name, int *key)
{
	for (unsigned int i = 0; i < s->n_counts; i++)
		if (!strcasecmp(name, s->count[i].name)) {
			*key = (int)i;
			return true;
		}
	return false;
}

/* What rows are ordered by where nothing else is asked for. */
static int usual_key(const struct pmu_model_section *s)
{
	return s->ranked ? (int)s->ranked - 1 : BY_TIME;
}

/* Return: whether the section has what was asked for; else the usual key. */
static bool find_key(const struct pmu_text *t, const struct pmu_model_section *s, int *key)
{
	const char *sort = t->sort ? t->sort : "time";

	*key = usual_key(s);
	if (!strcmp(sort, "time"))
		return !t->sort || !s->ranked;
	for (size_t i = 0; i < PMU_ARRAY_LEN(sort_keys); i++)
		if (!strcmp(sort, sort_keys[i].name)) {
			*key = sort_keys[i].key;
			return true;
		}
	return find_count(s, sort, key);
}

static uint64_t count_of(const struct pmu_model_row *row, unsigned int c)
{
	return row->missing >> c & 1 ? 0 : row->net[c];
}

/* Of what the column shows; unknown is 0. */
static uint64_t self_key_of(const struct pmu_model_section *s, const struct pmu_model_row *row)
{
	uint64_t self = pmu_measure_self(s, row, pmu_measure_by(s, row));

	return self != PMU_NOT_KNOWN ? self : 0;
}

static uint64_t sort_key_of(const struct pmu_text *t, const struct pmu_model_section *s,
			    const struct pmu_model_row *row, int key)
{
	/* a list is by what it shows */
	const bool of_team = row->team && !t->sort;

	switch (key) {
	case BY_TIME:
		return of_team ? row->team->all.time_ns : row->time_ns;
	case BY_CPU:
		return pmu_measure_of(s, row, PMU_BY_CPU);
	case BY_WAITING:
		return pmu_model_cpu_known(row) ? row->time_ns - row->cpu_ns : 0;
	case BY_SELF:
		return self_key_of(s, row);
	case BY_CALLS:
		return row->calls;
	}
	return count_of(of_team ? &row->team->all : row, (unsigned int)key);
}

static bool matches(const struct pmu_text *t, const struct pmu_model_row *row)
{
	return !t->filter || !fnmatch(t->filter, row->name, 0) || !fnmatch(t->filter, row->path, 0);
}

/*
 * Those that match; in a tree also what stands around them, which comes before them at a lesser
 * depth.
 */
static void mark_matching(const struct pmu_text *t, const struct pmu_model_row *row, unsigned int n,
			  bool *shown)
{
	int depth = 0;

	for (unsigned int i = n; i-- > 0;) {
		if (!matches(t, &row[i]) && (row[i].depth >= depth || t->sort))
			continue;
		shown[i] = true;
		depth = row[i].depth;
	}
}

/* What others did in a region is not in those around it: they are shown for it. */
static void raise_parents(const struct pmu_model_section *s, const struct pmu_model_row *row,
			  unsigned int n, uint64_t *key)
{
	int first = n ? (int)(row - (row->thread < 0 ? s->row : s->thread_row)) : 0;

	for (unsigned int i = n; i-- > 0;) {
		int parent = row[i].parent - first;

		if (parent >= 0 && key[parent] < key[i])
			key[parent] = key[i];
	}
}

/* An index and its key. */
struct place {
	uint64_t key;
	unsigned int at;
};

static int by_largest_key(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? 1 : -1;
	return x->at < y->at ? -1 : x->at > y->at;
}

/* Makes the result of the @n rows that are left. */
static int take_chosen(struct pmu_text *t, const struct pmu_model_row *row, struct place *place,
		       unsigned int n, struct pmu_text_choice *choice)
{
	struct pmu_model_row *copy = pmu_block_array(&t->scratch, n, sizeof(*copy));
	uint64_t *key = pmu_block_array(&t->scratch, n, sizeof(*key));
	struct pmu_longest longest;

	for (unsigned int i = 0; key && i < n; i++)
		key[i] = place[i].key;
	if (!copy || !key || pmu_longest(&longest, key, n, t->rows, &t->scratch) < 0)
		return -1;
	for (unsigned int i = 0; i < longest.n; i++)
		place[i] = place[longest.at[i]];
	if (t->sort && longest.n)
		qsort(place, longest.n, sizeof(*place), by_largest_key);
	for (unsigned int i = 0; i < longest.n; i++) {
		longest.at[i] = place[i].at;
		copy[i] = row[place[i].at];
		if (t->sort)
			copy[i].depth = 0;
	}
	choice->row = copy;
	choice->at = longest.at;
	choice->n = longest.n;
	choice->n_left = longest.n_left;
	choice->most_left = longest.most_left;
	return 0;
}

void pmu_text_choose(struct pmu_text *t, const struct pmu_model_section *section,
		     const struct pmu_model_row *row, unsigned int n,
		     struct pmu_text_choice *choice)
{
	bool *shown = pmu_block_array(&t->scratch, n, sizeof(*shown));
	struct place *place = pmu_block_array(&t->scratch, n, sizeof(*place));
	uint64_t *keys = pmu_block_array(&t->scratch, n, sizeof(*keys));
	unsigned int n_places = 0;
	int key;

	find_key(t, section, &key);
	*choice = (struct pmu_text_choice){ .is_usual = key == usual_key(section) };
	if (!shown || !place || !keys) {
		t->failed = true;
		return;
	}
	mark_matching(t, row, n, shown);
	for (unsigned int i = 0; i < n; i++)
		keys[i] = sort_key_of(t, section, &row[i], key);
	if (!t->sort)
		raise_parents(section, row, n, keys);
	for (unsigned int i = 0; i < n; i++)
		if (shown[i])
			place[n_places++] = (struct place){ keys[i], i };
	choice->n_unmatched = n - n_places;
	t->failed |= take_chosen(t, row, place, n_places, choice) < 0;
}

bool pmu_text_any_match(const struct pmu_text *t, const struct pmu_model_row *row, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		if (matches(t, &row[i]))
			return true;
	return false;
}

bool pmu_text_sorts(const struct pmu_text *t, const struct pmu_model_section *section)
{
	int key;

	return find_key(t, section, &key);
}
