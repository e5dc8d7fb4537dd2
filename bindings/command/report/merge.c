/* SPDX-License-Identifier: BSD-3-Clause */
/* Several reports as one: whether they belong together, and what is in more than one of them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "bindings/command/command.h"
#include "bindings/command/report/inputs.h"
#include "report/model/metric.h"
#include "reports/combine/combine.h"

bool pmu_input_is_ranked(const struct pmu_model *model)
{
	return model->n_parts ? pmu_model_is_ranked(model) : model->rank >= 0;
}

int pmu_input_rank(const struct pmu_model *model)
{
	return model->n_parts ? model->part[0].rank : model->rank;
}

enum pmu_merging pmu_inputs_belong(const struct pmu_input *input, size_t n)
{
	const struct pmu_input *other = NULL, *unranked = NULL;
	size_t n_ranked = 0;
	bool differ = false;

	for (size_t i = 0; i < n; i++) {
		const struct pmu_model *model = input[i].model;

		if (!pmu_input_is_ranked(model)) {
			unranked = &input[i];
			continue;
		}
		n_ranked++;
		differ |= model->n_parts > 1 ||
			  pmu_input_rank(model) != pmu_input_rank(input[0].model);
		if (strcmp(model->program, input[0].model->program) != 0)
			other = &input[i];
	}
	if (n_ranked < 2 || (!unranked && !differ))
		return PMU_MERGE_NOT;
	if (unranked)
		pmu_fail(EINVAL, "%s is of no rank", unranked->path);
	else if (other)
		pmu_fail(EINVAL, "%s is of %s and %s of %s", input[0].path, input[0].model->program,
			 other->path, other->model->program);
	return unranked || other ? PMU_MERGE_REFUSED : PMU_MERGE_RANKS;
}

/* --- the same process twice --- */

struct process {
	size_t input;
	struct pmu_model_part is; /* what tells it from others */
};

static int by_input(const void *a, const void *b)
{
	const struct process *x = a, *y = b;
	int order = pmu_parts_compare(&x->is, &y->is);

	return order ? order : x->input < y->input ? -1 : x->input > y->input;
}

static size_t add_processes(const struct pmu_input *input, size_t i, struct process *process)
{
	const struct pmu_model *model = input[i].model;
	size_t n = 0;

	for (unsigned int k = 0; k < model->n_parts; k++)
		process[n++] = (struct process){ i, model->part[k] };
	if (!n)
		process[n++] = (struct process){ i,
						 { .host = model->host,
						   .pid = model->pid,
						   .nth = model->nth,
						   .start_unix_ns = model->start_unix_ns } };
	return n;
}

/* Marks what is left out.  Return: a negative errno, or how many. */
static int find_doubles(const struct pmu_input *input, size_t n, bool *left_out)
{
	struct process *process;
	size_t n_processes = 0;
	int n_left_out = 0;

	for (size_t i = 0; i < n; i++)
		n_processes += input[i].model->n_parts + 1;
	process = calloc(n_processes, sizeof(*process));
	if (!process)
		return pmu_fail(ENOMEM, "no memory to merge %zu reports", n);
	n_processes = 0;
	for (size_t i = 0; i < n; i++)
		n_processes += add_processes(input, i, &process[n_processes]);
	qsort(process, n_processes, sizeof(*process), by_input);
	for (size_t i = 1, first = 0; i < n_processes; i++) {
		const struct pmu_model_part *is = &process[i].is;
		size_t at = process[i].input;

		if (pmu_parts_compare(&process[first].is, is) != 0 || is->pid < 0 ||
		    !is->start_unix_ns) {
			first = i;
			continue;
		}
		if (at == process[first].input || left_out[at] || left_out[process[first].input])
			continue;
		pmu_command_error("%s is left out: %s is of the same process", input[at].path,
				  input[process[first].input].path);
		left_out[at] = true;
		n_left_out++;
	}
	free(process);
	return n_left_out;
}

static enum pmu_combine how_to_merge(const struct pmu_model *const *model, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		if (!model[i]->program[0] || strcmp(model[i]->program, model[0]->program) != 0)
			return PMU_COMBINE_PROGRAMS;
	return PMU_COMBINE_RANKS;
}

int pmu_inputs_merge(const struct pmu_input *input, size_t n, bool tree, struct pmu_model **model,
		     size_t *n_left_out)
{
	struct pmu_model **part = calloc(n, sizeof(*part));
	bool *left_out = calloc(n, sizeof(*left_out));
	unsigned int n_parts = 0;
	int rc = -ENOMEM;

	if (part && left_out)
		rc = find_doubles(input, n, left_out);
	else
		pmu_fail(ENOMEM, "no memory to merge %zu reports", n);
	if (rc >= 0) {
		*n_left_out = (size_t)rc;
		for (size_t i = 0; i < n; i++)
			if (!left_out[i])
				part[n_parts++] = input[i].model;
		rc = pmu_model_combine(
			part, n_parts,
			tree ? PMU_COMBINE_TREE
			     : how_to_merge((const struct pmu_model *const *)part, n_parts),
			model);
	}
	if (rc == 0)
		pmu_metric_fill(*model);
	free(part);
	free(left_out);
	return rc;
}
