/* SPDX-License-Identifier: BSD-3-Clause */
/* A report as viewers of profiles take it: which paths, measures and threads there are. */
#include "bindings/command/viewers/stacks.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/index.h"
#include "base/strbuf.h"
#include "report/model/finish.h"

static const char *take_block_text(struct pmu_stacks *stacks, struct pmu_strbuf *text)
{
	const char *copy = NULL;

	if (!text->failed)
		copy = pmu_block_text(&stacks->blocks, pmu_strbuf_text(text), text->len);
	pmu_strbuf_free(text);
	return copy;
}

/* --- paths --- */

/* A node on the way there: in the order in which they were found. */
struct found {
	struct pmu_stack_node node;
	int parent;      /* in the report */
	int first, next; /* nested in it, and beside it; -1: none */
};

struct finding {
	struct pmu_stacks *stacks;
	struct pmu_index index; /* of nodes, from 1 on, by the node around and the name */
	struct found *found;
	int first; /* outermost */
};

struct wanted {
	const struct found *found;
	int parent;
	const char *name;
};

static bool is_wanted_node(const void *arg, uintptr_t number)
{
	const struct wanted *wanted = arg;
	const struct found *found = &wanted->found[number - 1];

	return found->parent == wanted->parent && !strcmp(found->node.name, wanted->name);
}

/* Return: its index. */
static int find_node(struct finding *f, int parent, const struct pmu_model_row *sum)
{
	const char *name = pmu_row_name(sum);
	uint32_t hash = pmu_hash_text(name, strlen(name)) ^ pmu_hash_number((uint64_t)parent);
	const struct wanted wanted = { f->found, parent, name };
	struct pmu_index_place *place = pmu_index_find(&f->index, hash, is_wanted_node, &wanted);
	int at = (int)f->stacks->n_nodes;

	if (place->thing)
		return (int)place->thing - 1;
	f->stacks->n_nodes++;
	f->found[at] = (struct found){ .node = { .name = name, .path = sum->path },
				       .parent = parent,
				       .first = -1,
				       .next = -1 };
	pmu_index_take(&f->index, place, hash, (uintptr_t)at + 1);
	return at;
}

static void find_section(struct finding *f, unsigned int s)
{
	const struct pmu_model_section *section = &f->stacks->model->section[s];
	int *node_of = f->stacks->node_of[s];

	for (unsigned int i = 0; i < section->n_rows; i++) {
		const struct pmu_model_row *row = &section->row[i];
		int parent = row->parent < 0 ? -1 : node_of[row->parent];

		if (pmu_row_is_inside(row) || row->depth >= PMU_STACK_DEPTH ||
		    (row->parent >= 0 && parent < 0))
			node_of[i] = -1;
		else
			node_of[i] = find_node(f, parent, row);
		if (node_of[i] >= 0 && row->flags & PMU_ROW_OVERLAP)
			f->found[node_of[i]].node.moved = true;
	}
}

/*
 * What ended after the region around it is not in it, but in the one around that, if not beyond.  Of
 * regions that were set aside together the outermost one tells.
 */
static int place_in_stacks(const struct finding *f, unsigned int at)
{
	int around = f->found[at].parent;

	if (!f->found[at].node.moved)
		return around;
	while (around >= 0 && f->found[around].node.moved)
		around = f->found[around].parent;
	return around < 0 ? -1 : f->found[around].parent;
}

/* From the last one on, each before its siblings. */
static void place_nodes(struct finding *f)
{
	for (unsigned int at = f->stacks->n_nodes; at-- > 0;) {
		int parent = place_in_stacks(f, at);
		int *first = parent < 0 ? &f->first : &f->found[parent].first;

		f->found[at].node.parent = parent;
		f->found[at].next = *first;
		*first = (int)at;
	}
}

/* Into tree order.  @now: result, where each of them is */
static void order(struct finding *f, int *now)
{
	struct pmu_stacks *stacks = f->stacks;
	unsigned int n = 0;

	for (int at = f->first; at >= 0;) {
		struct pmu_stack_node *node = &stacks->node[n];

		*node = f->found[at].node;
		node->parent = node->parent < 0 ? -1 : now[node->parent];
		now[at] = (int)n++;
		if (f->found[at].first >= 0) {
			at = f->found[at].first;
			continue;
		}
		while (at >= 0 && f->found[at].next < 0)
			at = f->found[at].node.parent;
		at = at < 0 ? -1 : f->found[at].next;
	}
	for (unsigned int s = 0; s < stacks->model->n_sections; s++)
		for (unsigned int i = 0; i < stacks->model->section[s].n_rows; i++)
			if (stacks->node_of[s][i] >= 0)
				stacks->node_of[s][i] = now[stacks->node_of[s][i]];
}

static int find_stack_nodes(struct pmu_stacks *stacks, size_t n_sums)
{
	struct finding f = { .stacks = stacks, .first = -1 };
	struct pmu_model_block *scratch = NULL;
	int *now = pmu_block_array(&scratch, n_sums + 1, sizeof(*now)), rc = -ENOMEM;

	f.found = pmu_block_array(&scratch, n_sums + 1, sizeof(*f.found));
	if (now && f.found && !pmu_index_reserve(&f.index, n_sums)) {
		for (unsigned int s = 0; s < stacks->model->n_sections; s++)
			find_section(&f, s);
		place_nodes(&f);
		order(&f, now);
		rc = 0;
	}
	pmu_index_free(&f.index);
	pmu_block_free(&scratch);
	return rc;
}

static int make_nodes(struct pmu_stacks *stacks)
{
	const struct pmu_model *model = stacks->model;
	size_t n_sums = 0, n_functions = pmu_stacks_count_functions(stacks);
	int rc;

	stacks->node_of = pmu_block_array(&stacks->blocks, model->n_sections, sizeof(int *));
	for (unsigned int s = 0; stacks->node_of && s < model->n_sections; s++) {
		unsigned int n = model->section[s].n_rows;

		stacks->node_of[s] = pmu_block_array(&stacks->blocks, n, sizeof(int));
		if (!stacks->node_of[s])
			return -ENOMEM;
		n_sums += n;
	}
	stacks->node = pmu_block_array(&stacks->blocks, n_sums + n_functions,
				       sizeof(*stacks->node));
	stacks->at = pmu_block_array(&stacks->blocks, n_sums + n_functions, sizeof(*stacks->at));
	if (!stacks->node_of || !stacks->node || !stacks->at)
		return -ENOMEM;
	rc = find_stack_nodes(stacks, n_sums);
	if (rc == 0 && n_functions)
		rc = pmu_stacks_functions(stacks);
	for (unsigned int i = 0; i < stacks->n_nodes; i++)
		stacks->at[i] = -1;
	return rc;
}

/* --- measures --- */

/* Are there calls that another group has counted in its turns? */
static bool is_in_turns(const struct pmu_model_section *s)
{
	for (unsigned int i = 0; s->in_turns && i < s->n_rows; i++)
		if (s->row[i].estimate)
			return true;
	return false;
}

/* Has another group a count of that name? */
static bool is_common(const struct pmu_model *model, unsigned int s, const char *name)
{
	for (unsigned int i = 0; i < model->n_sections; i++)
		for (unsigned int c = 0; i != s && c < model->section[i].n_counts; c++)
			if (!strcmp(model->section[i].count[c].name, name))
				return true;
	return false;
}

/* What sockets count is of no calls in particular: it stands as it was counted. */
static int add_count_measure(struct pmu_stacks *stacks, unsigned int s, unsigned int c,
			     bool in_turns)
{
	const struct pmu_model_section *section = &stacks->model->section[s];
	const struct pmu_model_count *count = &section->count[c];
	bool of_socket = section->sockets >> c & 1;
	struct pmu_stack_measure *measure = &stacks->measure[stacks->n_measures++];
	struct pmu_strbuf name = { 0 };

	*measure = (struct pmu_stack_measure){
		.unit = count->unit ? count->unit : "",
		.section = (int)s,
		.count = (int)c,
		.estimated = in_turns && !of_socket,
	};
	pmu_strbuf_addf(&name, "%s%s", measure->estimated ? "~" : "", count->name);
	if (is_common(stacks->model, s, count->name))
		pmu_strbuf_addf(&name, " (%s)", section->group);
	measure->name = take_block_text(stacks, &name);
	return measure->name ? 0 : -ENOMEM;
}

static int make_measures(struct pmu_stacks *stacks)
{
	const struct pmu_model *model = stacks->model;
	size_t n = 2;
	int rc = 0;

	for (unsigned int s = 0; s < model->n_sections; s++)
		n += model->section[s].n_counts;
	stacks->measure = pmu_block_array(&stacks->blocks, n, sizeof(*stacks->measure));
	if (!stacks->measure)
		return -ENOMEM;
	/* the first one is what viewers show */
	if (stacks->functions.n)
		stacks->measure[stacks->n_measures++] = (struct pmu_stack_measure){
			.name = "samples", .unit = "", .section = -1, .count = -1, .sampled = true
		};
	/* a simulation's times are none */
	if (n == 2 || !pmu_model_is_simulated(model))
		stacks->measure[stacks->n_measures++] = (struct pmu_stack_measure){
			.name = "time", .unit = "ns", .section = -1, .count = -1
		};
	for (unsigned int s = 0; s < model->n_sections; s++) {
		const struct pmu_model_section *section = &model->section[s];
		bool in_turns = is_in_turns(section);

		if (section->ranked)
			rc = add_count_measure(stacks, s, section->ranked - 1, in_turns);
		for (unsigned int c = 0; c < section->n_counts && !rc; c++)
			if (c + 1 != section->ranked)
				rc = add_count_measure(stacks, s, c, in_turns);
	}
	return rc;
}

/* --- threads --- */

static const char *title_of_thread(struct pmu_stacks *stacks, unsigned int i)
{
	const struct pmu_model *model = stacks->model;
	const struct pmu_model_thread *thread = &model->thread[i];
	struct pmu_strbuf title = { 0 };

	if (model->n_parts && thread->part < model->n_parts)
		pmu_strbuf_addf(&title, "%s, ", model->part[thread->part].label);
	if (i < model->n_threads && thread->n_merged > 1)
		pmu_strbuf_addf(&title, "%u finished threads", thread->n_merged);
	else if (i < model->n_threads)
		pmu_strbuf_addf(&title, "thread %d", thread->number);
	else if (thread->number == PMU_MODEL_PROCESS)
		pmu_strbuf_add(&title, "process");
	else if (thread->number < 0)
		pmu_strbuf_add(&title, "unknown socket");
	else
		pmu_strbuf_addf(&title, "socket %d", thread->number);
	if (i < model->n_threads && thread->name && thread->name[0])
		pmu_strbuf_addf(&title, " (%s)", thread->name);
	return take_block_text(stacks, &title);
}

static int make_lanes(struct pmu_stacks *stacks)
{
	const struct pmu_model *model = stacks->model;
	/* the rows of one that ranks have made together are the sums again */
	unsigned int n = model->ranks && !model->n_parts ? 0 : model->n_threads + model->n_sockets;

	stacks->lane = pmu_block_array(&stacks->blocks, (size_t)n + 1, sizeof(*stacks->lane));
	if (!stacks->lane)
		return -ENOMEM;
	stacks->lane[stacks->n_lanes++] = (struct pmu_stack_lane){ .title = "all threads",
								   .thread = -1 };
	for (unsigned int i = 0; i < n; i++) {
		struct pmu_stack_lane *lane = &stacks->lane[stacks->n_lanes++];

		lane->thread = (int)i;
		lane->is_socket = i >= model->n_threads;
		lane->title = title_of_thread(stacks, i);
		if (!lane->title)
			return -ENOMEM;
	}
	return 0;
}

/* Rows are thread by thread, those of none before them. */
static int find_rows(struct pmu_stacks *stacks)
{
	const struct pmu_model *model = stacks->model;

	stacks->first = pmu_block_array(&stacks->blocks, model->n_sections, sizeof(unsigned int *));
	for (unsigned int s = 0; stacks->first && s < model->n_sections; s++) {
		const struct pmu_model_section *section = &model->section[s];
		unsigned int *first = pmu_block_array(&stacks->blocks, stacks->n_lanes,
						      sizeof(*first));
		unsigned int i = 0;

		stacks->first[s] = first;
		if (!first)
			return -ENOMEM;
		for (unsigned int lane = 0; lane < stacks->n_lanes; lane++) {
			while (i < section->n_thread_rows &&
			       section->thread_row[i].thread < (int)lane)
				i++;
			first[lane] = i;
		}
	}
	return stacks->first ? 0 : -ENOMEM;
}

/* --- frames --- */

/* What is cut, and what is known, shows when all is computed once. */
static int look_through(struct pmu_stacks *stacks)
{
	int rc = 0;

	for (unsigned int lane = 0; lane < stacks->n_lanes && !rc; lane++) {
		struct pmu_stack_values values;

		rc = pmu_stacks_values(stacks, lane, &values);
		for (unsigned int m = 0; m < stacks->n_measures && !rc; m++) {
			bool *in = lane ? &stacks->measure[m].in_threads
					: &stacks->measure[m].in_sums;

			*in |= values.known[m];
		}
		pmu_stack_values_free(&values);
	}
	return rc;
}

static bool is_frame(const void *arg, uintptr_t frame)
{
	const struct pmu_stacks *stacks = arg;
	const struct pmu_stack_frame *a = &stacks->frame[frame - 1];
	const struct pmu_stack_frame *b = &stacks->frame[stacks->n_frames];

	return !strcmp(a->name, b->name) && !a->object == !b->object &&
	       (!a->object || !strcmp(a->object, b->object));
}

/* The next one, unless there is one of the same name. */
static int add_frame(struct pmu_stacks *stacks, struct pmu_index *index,
		     struct pmu_stack_node *node)
{
	struct pmu_stack_frame *frame = &stacks->frame[stacks->n_frames];
	struct pmu_index_place *place;
	uint32_t hash;

	/* readers take none for an error, or for the line's end */
	frame->name = node->name[0] ? node->name : "(no name)";
	frame->object = node->object;
	if (node->cut || node->moved) {
		struct pmu_strbuf name = { 0 };

		pmu_strbuf_addf(&name, "%s ~", frame->name);
		frame->name = take_block_text(stacks, &name);
	}
	if (!frame->name)
		return -ENOMEM;
	hash = pmu_hash_text(frame->name, strlen(frame->name));
	place = pmu_index_find(index, hash, is_frame, stacks);
	if (!place->thing)
		pmu_index_take(index, place, hash, ++stacks->n_frames);
	node->frame = (unsigned int)place->thing - 1;
	return 0;
}

static int make_frames(struct pmu_stacks *stacks)
{
	struct pmu_index index = { 0 };
	int rc = pmu_index_reserve(&index, stacks->n_nodes);

	stacks->frame = pmu_block_array(&stacks->blocks, (size_t)stacks->n_nodes + 1,
					sizeof(*stacks->frame));
	if (!stacks->frame)
		rc = -ENOMEM;
	for (unsigned int i = 0; i < stacks->n_nodes && !rc; i++)
		rc = add_frame(stacks, &index, &stacks->node[i]);
	pmu_index_free(&index);
	return rc;
}

int pmu_stacks_make(const struct pmu_model *model, unsigned int details, struct pmu_stacks *stacks)
{
	static int (*const make[])(struct pmu_stacks * stacks) = {
		make_nodes,   make_measures, make_lanes,         find_rows,
		look_through, make_frames,   pmu_stacks_remarks,
	};
	int rc = 0;

	*stacks = (struct pmu_stacks){ .model = model, .details = details };
	for (unsigned int i = 0; i < PMU_ARRAY_LEN(make) && !rc; i++)
		rc = make[i](stacks);
	return rc;
}

void pmu_stacks_free(struct pmu_stacks *stacks)
{
	pmu_index_free(&stacks->functions);
	pmu_block_free(&stacks->blocks);
}
