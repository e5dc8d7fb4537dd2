/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions in which samples saw regions, as what is nested in these, and in what had called them. */
#include <errno.h>
#include <string.h>

#include "base/hash.h"
#include "bindings/command/viewers/stacks.h"

struct wanted_function {
	const struct pmu_stacks *stacks;
	const char *name, *object;
	const struct pmu_model_line *line;
	int around;
};

static bool is_node_line(const struct pmu_model_line *a, const struct pmu_model_line *b)
{
	return a && b ? a->line == b->line && !strcmp(a->file, b->file) : !a && !b;
}

static bool is_wanted_function(const void *arg, uintptr_t number)
{
	const struct wanted_function *wanted = arg;
	const struct pmu_stack_node *node = &wanted->stacks->node[number - 1];

	return node->parent == wanted->around && !strcmp(node->name, wanted->name) &&
	       !strcmp(node->object, wanted->object) && is_node_line(node->line, wanted->line);
}

/* Where it makes nodes there is room for them. */
struct walk {
	struct pmu_stacks *stacks;
	const struct pmu_model_samples *samples;
	int region;
	bool makes; /* those that are not there yet */
	pmu_stack_take *take;
	void *arg;
};

/* Return: the node; -1: there is none. */
static int function_node(const struct walk *walk, int around, const char *name, const char *object,
			 const struct pmu_model_line *line)
{
	struct pmu_stacks *stacks = walk->stacks;
	const struct wanted_function wanted = { stacks, name, object, line, around };
	uint32_t hash = pmu_hash_text(name, strlen(name)) ^
			pmu_hash_number((uint64_t)(line ? line->line : 0) << 32 ^ (uint32_t)around);
	struct pmu_index_place *place;

	if (around < 0)
		return -1;
	place = pmu_index_find(&stacks->functions, hash, is_wanted_function, &wanted);
	if (!place->thing && walk->makes) {
		stacks->node[stacks->n_nodes++] = (struct pmu_stack_node){
			.name = name,
			.path = stacks->node[walk->region].path,
			.object = object,
			.line = line,
			.parent = around,
		};
		pmu_index_take(&stacks->functions, place, hash, stacks->n_nodes);
	}
	return (int)place->thing - 1;
}

static void walk_calls(const struct walk *walk)
{
	const struct pmu_model_samples *samples = walk->samples;
	int *node = walk->stacks->call;

	for (unsigned int i = 0; i < samples->n_calls; i++) {
		const struct pmu_model_call *call = &samples->call[i];
		const struct pmu_model_frame *frame = &samples->frame[call->frame];

		node[i] = function_node(walk, call->caller ? node[call->caller - 1] : walk->region,
					frame->name, frame->object, NULL);
		if (node[i] >= 0 && walk->take)
			walk->take(walk->arg, walk->stacks, node[i], call->n_samples);
	}
}

/* Return: how many samples they have together, no more than the function. */
static uint64_t walk_lines(const struct walk *walk, int around,
			   const struct pmu_model_function *function)
{
	uint64_t left = function->n_samples;

	for (unsigned int i = 0; walk->stacks->details & PMU_STACK_LINES && i < function->n_lines;
	     i++) {
		const struct pmu_model_line *line = &function->line[i];
		int node;

		if (!line->file[0] || line->n_samples > left)
			continue;
		node = function_node(walk, around, function->name, function->object, line);
		if (node < 0)
			continue;
		left -= line->n_samples;
		if (walk->take)
			walk->take(walk->arg, walk->stacks, node, line->n_samples);
	}
	return function->n_samples - left;
}

static void walk_functions(const struct walk *walk)
{
	for (unsigned int i = 0; i < walk->samples->n_functions; i++) {
		const struct pmu_model_function *function = &walk->samples->function[i];
		int node = function_node(walk, walk->region, function->name, function->object,
					 NULL);
		uint64_t in_lines;

		if (node < 0)
			continue;
		if (!walk->stacks->node[node].function)
			walk->stacks->node[node].function = function;
		in_lines = walk_lines(walk, node, function);
		if (walk->take)
			walk->take(walk->arg, walk->stacks, node, function->n_samples - in_lines);
	}
}

static void walk_samples(const struct walk *walk)
{
	if (walk->samples->n_calls && walk->stacks->details & PMU_STACK_CALLS)
		walk_calls(walk);
	else
		walk_functions(walk);
}

void pmu_stacks_each_function(struct pmu_stacks *stacks, int region,
			      const struct pmu_model_samples *samples, pmu_stack_take *take,
			      void *arg)
{
	const struct walk walk = { stacks, samples, region, false, take, arg };

	if (samples && region >= 0 && stacks->functions.n)
		walk_samples(&walk);
}

static size_t count_nodes(const struct pmu_stacks *stacks, const struct pmu_model_samples *samples)
{
	size_t n = samples->n_functions;

	if (stacks->details & PMU_STACK_CALLS)
		n += samples->n_calls;
	for (unsigned int i = 0; stacks->details & PMU_STACK_LINES && i < samples->n_functions; i++)
		n += samples->function[i].n_lines;
	return n;
}

size_t pmu_stacks_count_functions(const struct pmu_stacks *stacks)
{
	const struct pmu_model *model = stacks->model;
	size_t n = 0;

	for (unsigned int s = 0; s < model->n_sections; s++)
		for (unsigned int i = 0; i < model->section[s].n_rows; i++) {
			const struct pmu_model_samples *samples = model->section[s].row[i].samples;

			n += samples ? count_nodes(stacks, samples) : 0;
		}
	return n;
}

static unsigned int most_calls(const struct pmu_model_row *row, unsigned int n)
{
	unsigned int most = 0;

	for (unsigned int i = 0; i < n; i++)
		if (row[i].samples && row[i].samples->n_calls > most)
			most = row[i].samples->n_calls;
	return most;
}

static int make_calls(struct pmu_stacks *stacks)
{
	const struct pmu_model *model = stacks->model;
	size_t most = 0;

	for (unsigned int s = 0; s < model->n_sections; s++) {
		const struct pmu_model_section *section = &model->section[s];
		unsigned int sums = most_calls(section->row, section->n_rows);
		unsigned int threads = most_calls(section->thread_row, section->n_thread_rows);

		most = sums > most ? sums : most;
		most = threads > most ? threads : most;
	}
	stacks->call = pmu_block_array(&stacks->blocks, most + 1, sizeof(*stacks->call));
	return stacks->call ? 0 : -ENOMEM;
}

int pmu_stacks_functions(struct pmu_stacks *stacks)
{
	const struct pmu_model *model = stacks->model;
	int rc = pmu_index_reserve(&stacks->functions, pmu_stacks_count_functions(stacks) + 1);

	if (!rc)
		rc = make_calls(stacks);
	for (unsigned int s = 0; s < model->n_sections && !rc; s++)
		for (unsigned int i = 0; i < model->section[s].n_rows; i++) {
			const struct walk walk = { .stacks = stacks,
						   .samples = model->section[s].row[i].samples,
						   .region = stacks->node_of[s][i],
						   .makes = true };

			if (walk.samples && walk.region >= 0)
				walk_samples(&walk);
		}
	return rc;
}
