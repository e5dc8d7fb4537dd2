/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions in which samples saw regions, as what is nested in these. */
#include <errno.h>
#include <string.h>

#include "base/hash.h"
#include "bindings/command/viewers/stacks.h"

struct wanted_function {
	const struct pmu_stacks *stacks;
	const struct pmu_model_function *function;
	int region;
};

static bool is_wanted_function(const void *arg, uintptr_t number)
{
	const struct wanted_function *wanted = arg;
	const struct pmu_stack_node *node = &wanted->stacks->node[number - 1];

	return node->parent == wanted->region && !strcmp(node->name, wanted->function->name) &&
	       !strcmp(node->function->object, wanted->function->object);
}

static struct pmu_index_place *find_function(const struct pmu_stacks *stacks, int region,
					     const struct pmu_model_function *function,
					     uint32_t *hash)
{
	const struct wanted_function wanted = { stacks, function, region };

	*hash = pmu_hash_text(function->name, strlen(function->name)) ^
		pmu_hash_number((uint64_t)region);
	return pmu_index_find(&stacks->functions, *hash, is_wanted_function, &wanted);
}

int pmu_stacks_function(const struct pmu_stacks *stacks, int node,
			const struct pmu_model_function *function)
{
	uint32_t hash;

	if (node < 0 || !stacks->functions.n)
		return -1;
	return (int)find_function(stacks, node, function, &hash)->thing - 1;
}

static void add_function(struct pmu_stacks *stacks, int region,
			 const struct pmu_model_function *function)
{
	uint32_t hash;
	struct pmu_index_place *place = find_function(stacks, region, function, &hash);

	if (place->thing)
		return;
	stacks->node[stacks->n_nodes++] = (struct pmu_stack_node){
		.name = function->name,
		.path = stacks->node[region].path,
		.function = function,
		.parent = region,
	};
	pmu_index_take(&stacks->functions, place, hash, stacks->n_nodes);
}

static void add_functions_of(struct pmu_stacks *stacks, unsigned int s, unsigned int i)
{
	const struct pmu_model_samples *samples = stacks->model->section[s].row[i].samples;
	int region = stacks->node_of[s][i];

	for (unsigned int k = 0; samples && region >= 0 && k < samples->n_functions; k++)
		add_function(stacks, region, &samples->function[k]);
}

size_t pmu_stacks_count_functions(const struct pmu_model *model)
{
	size_t n = 0;

	for (unsigned int s = 0; s < model->n_sections; s++)
		for (unsigned int i = 0; i < model->section[s].n_rows; i++)
			if (model->section[s].row[i].samples)
				n += model->section[s].row[i].samples->n_functions;
	return n;
}

int pmu_stacks_functions(struct pmu_stacks *stacks)
{
	const struct pmu_model *model = stacks->model;
	int rc = pmu_index_reserve(&stacks->functions, pmu_stacks_count_functions(model) + 1);

	for (unsigned int s = 0; s < model->n_sections && !rc; s++)
		for (unsigned int i = 0; i < model->section[s].n_rows; i++)
			add_functions_of(stacks, s, i);
	return rc;
}
