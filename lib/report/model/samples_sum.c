/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples of several rows as one: by function, and by line in each. */
#include "report/model/samples.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/index.h"
#include "report/model/block.h"
#include "report/model/fields.h"
#include "report/model/model.h"

/** A function, or a line of one. */
struct place {
	size_t function;    /* of a line: 1 + the index of its function; else 0 */
	const char *name;   /* or the line's file */
	const char *object; /* "" of a line */
	uint32_t line;      /* 0 of a function */
	uint64_t n_samples;
};

struct pmu_samples_sum {
	uint64_t n, period_ns;
	struct place *place;
	size_t n_places, room;
	struct pmu_index by_key;       /* places, from 1 */
	struct pmu_model_block *texts; /* theirs */
};

struct wanted {
	const struct pmu_samples_sum *sum;
	const struct place *place;
};

static bool is_wanted_place(const void *arg, uintptr_t number)
{
	const struct wanted *wanted = arg;
	const struct place *a = wanted->place, *b = &wanted->sum->place[number - 1];

	return a->function == b->function && a->line == b->line && !strcmp(a->name, b->name) &&
	       !strcmp(a->object, b->object);
}

static uint32_t hash_place(const struct place *place)
{
	return pmu_hash_text(place->name, strlen(place->name)) ^
	       pmu_hash_number((uint64_t)place->function << 32 ^ place->line) ^
	       2 * pmu_hash_text(place->object, strlen(place->object));
}

static int make_place_room(struct pmu_samples_sum *sum)
{
	size_t room = sum->room ? 2 * sum->room : 32;
	struct place *grown;

	if (sum->n_places < sum->room)
		return 0;
	grown = reallocarray(sum->place, room, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	sum->place = grown;
	sum->room = room;
	return 0;
}

/* Return: 1 + the index of the place, which has its samples now; 0 without memory. */
static size_t add_place(struct pmu_samples_sum *sum, const struct place *place)
{
	const struct wanted wanted = { sum, place };
	uint32_t hash = hash_place(place);
	struct pmu_index_place *found;
	struct place made = *place;

	if (pmu_index_reserve(&sum->by_key, 1) < 0 || make_place_room(sum) < 0)
		return 0;
	found = pmu_index_find(&sum->by_key, hash, is_wanted_place, &wanted);
	if (found->thing) {
		struct place *at = &sum->place[found->thing - 1];

		at->n_samples = pmu_add_capped(at->n_samples, place->n_samples);
		return found->thing;
	}
	made.name = pmu_block_text(&sum->texts, place->name, strlen(place->name));
	made.object = pmu_block_text(&sum->texts, place->object, strlen(place->object));
	if (!made.name || !made.object)
		return 0;
	sum->place[sum->n_places++] = made;
	pmu_index_take(&sum->by_key, found, hash, sum->n_places);
	return sum->n_places;
}

static int add_function(struct pmu_samples_sum *sum, const struct pmu_model_function *from)
{
	const struct place place = { 0, from->name ? from->name : "",
				     from->object ? from->object : "", 0, from->n_samples };
	size_t function = add_place(sum, &place);

	for (unsigned int i = 0; function && i < from->n_lines; i++) {
		const struct pmu_model_line *line = &from->line[i];
		const struct place of_line = { function, line->file ? line->file : "", "",
					       line->line, line->n_samples };

		if (!add_place(sum, &of_line))
			return -ENOMEM;
	}
	return function ? 0 : -ENOMEM;
}

int pmu_samples_sum_add(struct pmu_samples_sum **sum, const struct pmu_model_samples *samples)
{
	int rc = 0;

	if (!*sum)
		*sum = calloc(1, sizeof(**sum));
	if (!*sum)
		return -ENOMEM;
	(*sum)->n = pmu_add_capped((*sum)->n, samples->n);
	if ((*sum)->period_ns < samples->period_ns)
		(*sum)->period_ns = samples->period_ns;
	for (unsigned int i = 0; !rc && i < samples->n_functions; i++)
		rc = add_function(*sum, &samples->function[i]);
	return rc;
}

/* --- the result --- */

static int by_samples(const struct place *a, const struct place *b)
{
	int order;

	if (a->n_samples != b->n_samples)
		return a->n_samples < b->n_samples ? 1 : -1;
	order = strcmp(a->name, b->name);
	if (!order)
		order = strcmp(a->object, b->object);
	return order ? order : (a->line > b->line) - (a->line < b->line);
}

/* Functions with their lines behind them. */
static int by_function(const void *a, const void *b, void *arg)
{
	const struct place *place = arg, *x = &place[*(const size_t *)a],
			   *y = &place[*(const size_t *)b];
	const struct place *of_x = x->function ? &place[x->function - 1] : x;
	const struct place *of_y = y->function ? &place[y->function - 1] : y;

	if (of_x != of_y)
		return by_samples(of_x, of_y);
	if (!x->function || !y->function)
		return (x->function != 0) - (y->function != 0);
	return by_samples(x, y);
}

/* Those of one file stand together often: they share its name. */
static const char *file_name(struct pmu_model *model, const char *name, const char **last,
			     const char **copy)
{
	if (!*last || strcmp(*last, name) != 0) {
		*last = name;
		*copy = pmu_model_text(model, name, strlen(name));
	}
	return *copy;
}

static void fill_functions(struct pmu_model *model, const struct pmu_samples_sum *sum,
			   const size_t *order, struct pmu_model_function *function,
			   struct pmu_model_line *line)
{
	struct pmu_model_function *at = function;
	const char *last = NULL, *copy = "";

	for (size_t i = 0; i < sum->n_places; i++) {
		const struct place *place = &sum->place[order[i]];

		if (place->function) {
			*line++ = (struct pmu_model_line){ file_name(model, place->name, &last,
								     &copy),
							   place->line, place->n_samples };
			at->n_lines++;
			continue;
		}
		at = function++;
		*at = (struct pmu_model_function){
			.name = pmu_model_text(model, place->name, strlen(place->name)),
			.object = pmu_model_text(model, place->object, strlen(place->object)),
			.n_samples = place->n_samples,
			.line = line,
		};
	}
}

const struct pmu_model_samples *pmu_samples_sum_make(struct pmu_model *model,
						     const struct pmu_samples_sum *sum)
{
	struct pmu_model_samples *made = pmu_model_alloc(model, sizeof(*made));
	size_t *order = calloc(sum->n_places + 1, sizeof(*order)), n_functions = 0;
	struct pmu_model_function *function;
	struct pmu_model_line *line;

	for (size_t i = 0; order && i < sum->n_places; i++) {
		order[i] = i;
		n_functions += !sum->place[i].function;
	}
	function = pmu_model_alloc(model, n_functions * sizeof(*function));
	line = pmu_model_alloc(model, (sum->n_places - n_functions) * sizeof(*line));
	if (!made || !order || !function || !line) {
		free(order);
		return NULL;
	}
	if (sum->n_places)
		qsort_r(order, sum->n_places, sizeof(*order), by_function, sum->place);
	fill_functions(model, sum, order, function, line);
	free(order);
	*made = (struct pmu_model_samples){ sum->n, sum->period_ns, (unsigned int)n_functions,
					    function };
	return made;
}

void pmu_samples_sum_free(struct pmu_samples_sum *sum)
{
	if (!sum)
		return;
	pmu_index_free(&sum->by_key);
	pmu_block_free(&sum->texts);
	free(sum->place);
	free(sum);
}

const struct pmu_model_samples *pmu_model_samples_add(struct pmu_model *model,
						      const struct pmu_model_samples *a,
						      const struct pmu_model_samples *b)
{
	const struct pmu_model_samples *of[] = { a, b }, *made = NULL;
	struct pmu_samples_sum *sum = NULL;
	int rc = 0;

	for (int i = 0; !rc && i < 2; i++)
		rc = of[i] ? pmu_samples_sum_add(&sum, of[i]) : 0;
	if (!rc && sum)
		made = pmu_samples_sum_make(model, sum);
	pmu_samples_sum_free(sum);
	return made;
}
