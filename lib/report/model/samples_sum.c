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
struct spot {
	size_t function;    /* of a line: 1 + the index of its function; else 0 */
	const char *name;   /* or the line's file */
	const char *object; /* "" of a line */
	uint32_t line;      /* 0 of a function */
	uint64_t n_samples;
};

struct pmu_samples_sum {
	uint64_t n, period_ns;
	struct spot *spot;
	size_t n_spots, room;
	struct pmu_index by_key;       /* spots, from 1 */
	struct pmu_model_block *texts; /* theirs */
};

struct wanted {
	const struct pmu_samples_sum *sum;
	const struct spot *spot;
};

static bool is_wanted_spot(const void *arg, uintptr_t number)
{
	const struct wanted *wanted = arg;
	const struct spot *a = wanted->spot, *b = &wanted->sum->spot[number - 1];

	return a->function == b->function && a->line == b->line && !strcmp(a->name, b->name) &&
	       !strcmp(a->object, b->object);
}

static uint32_t hash_spot(const struct spot *spot)
{
	return pmu_hash_text(spot->name, strlen(spot->name)) ^
	       pmu_hash_number((uint64_t)spot->function << 32 ^ spot->line) ^
	       2 * pmu_hash_text(spot->object, strlen(spot->object));
}

static int make_spot_room(struct pmu_samples_sum *sum)
{
	size_t room = sum->room ? 2 * sum->room : 32;
	struct spot *grown;

	if (sum->n_spots < sum->room)
		return 0;
	grown = reallocarray(sum->spot, room, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	sum->spot = grown;
	sum->room = room;
	return 0;
}

/* Return: 1 + the index of the spot, which has its samples now; 0 without memory. */
static size_t add_spot(struct pmu_samples_sum *sum, const struct spot *spot)
{
	const struct wanted wanted = { sum, spot };
	uint32_t hash = hash_spot(spot);
	struct pmu_index_place *found;
	struct spot made = *spot;

	if (pmu_index_reserve(&sum->by_key, 1) < 0 || make_spot_room(sum) < 0)
		return 0;
	found = pmu_index_find(&sum->by_key, hash, is_wanted_spot, &wanted);
	if (found->thing) {
		struct spot *at = &sum->spot[found->thing - 1];

		at->n_samples = pmu_add_capped(at->n_samples, spot->n_samples);
		return found->thing;
	}
	made.name = pmu_block_text(&sum->texts, spot->name, strlen(spot->name));
	made.object = pmu_block_text(&sum->texts, spot->object, strlen(spot->object));
	if (!made.name || !made.object)
		return 0;
	sum->spot[sum->n_spots++] = made;
	pmu_index_take(&sum->by_key, found, hash, sum->n_spots);
	return sum->n_spots;
}

static int add_function(struct pmu_samples_sum *sum, const struct pmu_model_function *from)
{
	const struct spot spot = { 0, from->name ? from->name : "",
				   from->object ? from->object : "", 0, from->n_samples };
	size_t function = add_spot(sum, &spot);

	for (unsigned int i = 0; function && i < from->n_lines; i++) {
		const struct pmu_model_line *line = &from->line[i];
		const struct spot of_line = { function, line->file ? line->file : "", "",
					      line->line, line->n_samples };

		if (!add_spot(sum, &of_line))
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

static int by_samples(const struct spot *a, const struct spot *b)
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
	const struct spot *spot = arg, *x = &spot[*(const size_t *)a],
			  *y = &spot[*(const size_t *)b];
	const struct spot *of_x = x->function ? &spot[x->function - 1] : x;
	const struct spot *of_y = y->function ? &spot[y->function - 1] : y;

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

	for (size_t i = 0; i < sum->n_spots; i++) {
		const struct spot *spot = &sum->spot[order[i]];

		if (spot->function) {
			*line++ = (struct pmu_model_line){ file_name(model, spot->name, &last,
								     &copy),
							   spot->line, spot->n_samples };
			at->n_lines++;
			continue;
		}
		at = function++;
		*at = (struct pmu_model_function){
			.name = pmu_model_text(model, spot->name, strlen(spot->name)),
			.object = pmu_model_text(model, spot->object, strlen(spot->object)),
			.n_samples = spot->n_samples,
			.line = line,
		};
	}
}

const struct pmu_model_samples *pmu_samples_sum_make(struct pmu_model *model,
						     const struct pmu_samples_sum *sum)
{
	struct pmu_model_samples *made = pmu_model_alloc(model, sizeof(*made));
	size_t *order = calloc(sum->n_spots + 1, sizeof(*order)), n_functions = 0;
	struct pmu_model_function *function;
	struct pmu_model_line *line;

	for (size_t i = 0; order && i < sum->n_spots; i++) {
		order[i] = i;
		n_functions += !sum->spot[i].function;
	}
	function = pmu_model_alloc(model, n_functions * sizeof(*function));
	line = pmu_model_alloc(model, (sum->n_spots - n_functions) * sizeof(*line));
	if (!made || !order || !function || !line) {
		free(order);
		return NULL;
	}
	if (sum->n_spots)
		qsort_r(order, sum->n_spots, sizeof(*order), by_function, sum->spot);
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
	free(sum->spot);
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
