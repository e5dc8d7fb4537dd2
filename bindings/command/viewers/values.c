/* SPDX-License-Identifier: BSD-3-Clause */
/* What each thread, and all of them, have by themselves on each path. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "bindings/command/viewers/share.h"
#include "bindings/command/viewers/stacks.h"
#include "report/model/finish.h"

/* Rows of one lane in one group. */
struct rows {
	const struct pmu_model_section *section;
	const struct pmu_model_row *row;
	const int *node_of; /* of a sum */
	unsigned int first, n;
	bool sums, is_socket;
};

static struct rows rows_of_lane(const struct pmu_stacks *stacks, unsigned int lane, unsigned int s)
{
	const struct pmu_model_section *section = &stacks->model->section[s];
	struct rows rows = { .section = section,
			     .node_of = stacks->node_of[s],
			     .sums = !lane,
			     .is_socket = stacks->lane[lane].is_socket };

	if (rows.sums) {
		rows.row = section->row;
		rows.n = section->n_rows;
		return rows;
	}
	rows.first = stacks->first[s][lane - 1];
	rows.row = section->thread_row + rows.first;
	rows.n = stacks->first[s][lane] - rows.first;
	return rows;
}

static int node_of(const struct rows *rows, unsigned int i)
{
	return rows->node_of[rows->sums ? (int)i : rows->row[i].sum];
}

/* --- values with all that is nested --- */

/*
 * Of all calls of groups that take turns: as many times what a call counted.
 * @value: that of the calls that were measured, with what others did for them
 */
static bool estimate_in_turns(const struct pmu_model_row *sum, uint64_t *value)
{
	double all = (double)*value * (double)sum->whole_calls / (double)sum->calls;

	if (sum->whole_calls <= sum->calls)
		return true;
	if (!sum->calls || !(all < 0x1p63))
		return false;
	*value = pmu_nearest(all);
	return true;
}

/* What others did for a region is theirs, and is whole. */
static uint64_t with_team(uint64_t own, uint64_t team)
{
	return team > own ? team : own;
}

/* One that has nothing but the calls of its openers is what these are. */
static const struct pmu_model_team *team_of(const struct pmu_model_row *sum)
{
	return sum->team && sum->team->has_others ? sum->team : NULL;
}

static bool is_time_known(const struct pmu_model_row *sum, const struct pmu_model_team *team)
{
	return team ? team->time_known : sum->n_threads && pmu_model_time_known(sum);
}

bool pmu_stacks_value(const struct pmu_stack_measure *measure, const struct pmu_model_section *s,
		      const struct pmu_model_row *sum, uint64_t *value)
{
	const struct pmu_model_team *team = team_of(sum);
	unsigned int c = (unsigned int)measure->count;

	if (measure->count < 0) {
		*value = with_team(sum->time_ns, team ? team->all.time_ns : 0);
		return is_time_known(sum, team);
	}
	/* what a socket counted is of no single thread */
	if (s->sockets >> c & 1) {
		*value = sum->net[c];
		return !(sum->missing >> c & 1);
	}
	if ((team ? team->all.missing : sum->missing) >> c & 1)
		return false;
	*value = measure->estimated ? (team ? team->all.net : sum->net)[c]
				    : with_team(sum->net[c], team ? team->all.net[c] : 0);
	return !measure->estimated || estimate_in_turns(sum, value);
}

static bool value_of_thread(const struct rows *rows, const struct pmu_stack_measure *measure,
			    const struct pmu_model_row *row, uint64_t *value)
{
	unsigned int c = (unsigned int)measure->count;
	bool of_socket;

	if (measure->count < 0) {
		*value = row->time_ns;
		return !rows->is_socket && pmu_model_time_known(row);
	}
	of_socket = rows->section->sockets >> c & 1;
	if (measure->estimated || of_socket != rows->is_socket || row->missing >> c & 1)
		return false;
	*value = row->net[c];
	return of_socket || pmu_model_time_known(row);
}

/* --- without --- */

/* A program stands below a region that has nothing of it. */
static int holder(const struct rows *rows, int i)
{
	const struct pmu_model_row *row = &rows->row[i];

	if (row->holder < 0 || (rows->sums && row->flags & PMU_ROW_PROGRAM))
		return -1;
	return row->holder - (int)rows->first;
}

static bool is_row_moved(const struct pmu_stacks *stacks, const struct rows *rows, int i)
{
	int node = node_of(rows, (unsigned int)i);

	return node >= 0 && stacks->node[node].moved;
}

/* As its node was moved. */
static int row_around_moved(const struct pmu_stacks *stacks, const struct rows *rows, int i)
{
	int at = holder(rows, i);

	if (!is_row_moved(stacks, rows, i))
		return at;
	while (at >= 0 && is_row_moved(stacks, rows, at))
		at = holder(rows, at);
	return at < 0 ? -1 : holder(rows, at);
}

static bool is_growing(const struct pmu_model_row *row)
{
	return row->n_open || (row->team && row->team->all.flags & PMU_ROW_OPEN);
}

/* Flat rows are in outermost ones already. */
static bool fill(const struct pmu_stacks *stacks, const struct rows *rows,
		 const struct pmu_stack_measure *measure, struct pmu_share *share)
{
	bool any = false;

	for (unsigned int i = 0; i < rows->n; i++) {
		const struct pmu_model_row *row = &rows->row[i];
		uint64_t value = 0;
		bool known = node_of(rows, i) >= 0;

		if (known && rows->sums)
			known = pmu_stacks_value(measure, rows->section, row, &value);
		else if (known)
			known = value_of_thread(rows, measure, row, &value);
		share[i] = (struct pmu_share){ .around = row_around_moved(stacks, rows, (int)i),
					       .known = known,
					       .growing = is_growing(row),
					       .value = known ? value : 0 };
		any |= known;
	}
	return any;
}

static void add_measure_values(struct pmu_stacks *stacks, const struct rows *rows, unsigned int m,
			       struct pmu_share *share, struct pmu_stack_values *values)
{
	const struct pmu_stack_measure *measure = &stacks->measure[m];

	if (!fill(stacks, rows, measure, share))
		return;
	values->known[m] = true;
	pmu_share_out(share, rows->n, measure->count < 0);
	for (unsigned int i = 0; i < rows->n; i++) {
		int node = node_of(rows, i);
		uint64_t *own;

		if (node < 0)
			continue;
		own = &values->own[(size_t)stacks->at[node] * values->n_measures + m];
		*own = pmu_add_capped(*own, share[i].own);
		/* an estimate is not exact anyway */
		stacks->node[node].cut |= share[i].cut && !measure->estimated;
	}
}

static void add_calls(const struct pmu_stacks *stacks, const struct rows *rows,
		      struct pmu_stack_values *values)
{
	for (unsigned int i = 0; i < rows->n && !rows->is_socket; i++) {
		const struct pmu_model_row *row = &rows->row[i];
		int node = node_of(rows, i);
		uint64_t *calls;

		if (node < 0)
			continue;
		calls = &values->calls[stacks->at[node]];
		*calls = pmu_add_capped(*calls, row->calls);
	}
}

struct adding_samples {
	struct pmu_stack_values *values;
	unsigned int measure;
};

static void add_function_value(void *arg, struct pmu_stacks *stacks, int node, uint64_t n_samples)
{
	const struct adding_samples *adding = arg;
	struct pmu_stack_values *values = adding->values;
	uint64_t *own =
		&values->own[(size_t)stacks->at[node] * values->n_measures + adding->measure];

	*own = pmu_add_capped(*own, n_samples);
	values->known[adding->measure] = true;
}

/* A region's own are its functions'. */
static void add_samples(struct pmu_stacks *stacks, const struct rows *rows, unsigned int m,
			struct pmu_stack_values *values)
{
	struct adding_samples adding = { values, m };

	for (unsigned int i = 0; i < rows->n; i++)
		pmu_stacks_each_function(stacks, node_of(rows, i), rows->row[i].samples,
					 add_function_value, &adding);
}

/* --- paths --- */

static int ascending(const void *a, const void *b)
{
	const unsigned int *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static void find_lane_node(struct pmu_stacks *stacks, int node, struct pmu_stack_values *values)
{
	if (node < 0 || stacks->at[node] >= 0)
		return;
	stacks->at[node] = 0;
	values->node[values->n++] = (unsigned int)node;
}

static void find_function_node(void *arg, struct pmu_stacks *stacks, int node, uint64_t n_samples)
{
	(void)n_samples;
	find_lane_node(stacks, node, arg);
}

static void find_row_nodes(struct pmu_stacks *stacks, const struct rows *rows, unsigned int i,
			   struct pmu_stack_values *values)
{
	find_lane_node(stacks, node_of(rows, i), values);
	pmu_stacks_each_function(stacks, node_of(rows, i), rows->row[i].samples, find_function_node,
				 values);
}

/* @values->node: room for all; stacks->at[node] becomes its place there. */
static void find_lane_nodes(struct pmu_stacks *stacks, unsigned int lane,
			    struct pmu_stack_values *values)
{
	for (unsigned int i = 0; !lane && i < stacks->n_nodes; i++)
		stacks->at[values->node[values->n++] = i] = 0;
	for (unsigned int s = 0; lane && s < stacks->model->n_sections; s++) {
		struct rows rows = rows_of_lane(stacks, lane, s);

		for (unsigned int i = 0; i < rows.n; i++)
			find_row_nodes(stacks, &rows, i, values);
	}
	qsort(values->node, values->n, sizeof(*values->node), ascending);
	for (unsigned int i = 0; i < values->n; i++)
		stacks->at[values->node[i]] = (int)i;
}

static unsigned int most_rows(const struct pmu_stacks *stacks, unsigned int lane)
{
	unsigned int most = 0;

	for (unsigned int s = 0; s < stacks->model->n_sections; s++) {
		unsigned int n = rows_of_lane(stacks, lane, s).n;

		most = n > most ? n : most;
	}
	return most;
}

static void add_all(struct pmu_stacks *stacks, unsigned int lane, struct pmu_share *share,
		    struct pmu_stack_values *values)
{
	for (unsigned int s = 0; s < stacks->model->n_sections; s++) {
		struct rows rows = rows_of_lane(stacks, lane, s);

		add_calls(stacks, &rows, values);
		for (unsigned int m = 0; m < stacks->n_measures; m++)
			if (stacks->measure[m].sampled)
				add_samples(stacks, &rows, m, values);
			else if (stacks->measure[m].section < 0 ||
				 stacks->measure[m].section == (int)s)
				add_measure_values(stacks, &rows, m, share, values);
	}
}

int pmu_stacks_values(struct pmu_stacks *stacks, unsigned int lane, struct pmu_stack_values *values)
{
	size_t n = (size_t)stacks->n_nodes + 1;
	struct pmu_share *share = calloc((size_t)most_rows(stacks, lane) + 1, sizeof(*share));
	int rc = -ENOMEM;

	*values = (struct pmu_stack_values){ .n_measures = stacks->n_measures };
	values->node = calloc(n, sizeof(*values->node));
	values->known = calloc((size_t)stacks->n_measures + 1, sizeof(*values->known));
	if (!share || !values->node || !values->known)
		goto free_share;
	find_lane_nodes(stacks, lane, values);
	values->calls = calloc((size_t)values->n + 1, sizeof(*values->calls));
	values->own = calloc(((size_t)values->n + 1) * stacks->n_measures, sizeof(*values->own));
	if (values->calls && values->own) {
		add_all(stacks, lane, share, values);
		rc = 0;
	}
	for (unsigned int i = 0; i < values->n; i++)
		stacks->at[values->node[i]] = -1;
free_share:
	free(share);
	return rc;
}

void pmu_stack_values_free(struct pmu_stack_values *values)
{
	free(values->node);
	free(values->calls);
	free(values->own);
	free(values->known);
}
