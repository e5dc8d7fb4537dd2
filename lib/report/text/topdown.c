/* SPDX-License-Identifier: BSD-3-Clause */
/* Top-down analysis as a tree: where each region's slots went, and which branch of it matters. */
#include "report/text/topdown.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "report/encode.h"
#include "report/text/text.h"

#define REGIONS_SHOWN 10u
#define INDENT        4u
#define LABEL_WIDTH   38u /* and the number behind it */
#define BAR_WIDTH     40u /* where there is room, at least BAR_LEAST */
#define BAR_LEAST     10u

/* A region, over all groups that have some of its nodes. */
struct region {
	const char *path, *name; /* as the model has it, and fit for a terminal */
	uint64_t time_ns;
	double value[PMU_TOPDOWN_TREES][PMU_TOPDOWN_MAX_NODES]; /* percent; NaN: missing */
};

/* A row of any group, on the way to its region. */
struct place {
	const char *path;
	uint64_t time_ns;
};

struct trees {
	struct pmu_text *t;
	uint64_t counted[PMU_TOPDOWN_TREES]; /* bit i: some group has node i as a metric */
	struct region *region;               /* [n], longest first */
	struct region **by_path;             /* [n] the same in the order of their paths */
	unsigned int n, n_left;
	uint64_t most_left;
};

/* --- what is there --- */

bool pmu_topdown_is_section(const struct pmu_model_section *section)
{
	return !strcasecmp(section->group, "TOPDOWN") || !strncasecmp(section->group, "TMA_", 4);
}

static void find_nodes(struct trees *trees)
{
	const struct pmu_model *model = trees->t->model;
	unsigned int tree;

	for (unsigned int s = 0; s < model->n_sections; s++)
		for (unsigned int m = 0;
		     pmu_topdown_is_section(&model->section[s]) && m < model->section[s].n_metrics;
		     m++) {
			int node = pmu_topdown_find(model->section[s].metric[m].name, &tree);

			if (node >= 0)
				trees->counted[tree] |= UINT64_C(1) << node;
		}
}

/* What other threads did for it is the region's, too. */
static const double *metrics_of(const struct pmu_model_row *row)
{
	return row->team && row->team->all.metric ? row->team->all.metric : row->metric;
}

static bool has_nodes(const struct pmu_model_section *section, const struct pmu_model_row *row)
{
	const double *metric = metrics_of(row);
	unsigned int tree;

	for (unsigned int m = 0; metric && m < section->n_metrics; m++)
		if (!isnan(metric[m]) && pmu_topdown_find(section->metric[m].name, &tree) >= 0)
			return true;
	return false;
}

/* --- which regions --- */

static int by_place_path(const void *a, const void *b)
{
	return strcmp(((const struct place *)a)->path, ((const struct place *)b)->path);
}

static int by_time(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? 1 : -1;
	return strcmp(x->path, y->path);
}

/* Rows with nodes, of all groups that have some. */
static unsigned int find_rows(struct pmu_text *t, struct place *place)
{
	unsigned int n = 0;

	for (unsigned int s = 0; s < t->model->n_sections; s++) {
		const struct pmu_model_section *section = &t->model->section[s];

		for (unsigned int i = 0; pmu_topdown_is_section(section) && i < section->n_rows;
		     i++) {
			const struct pmu_model_row *row = &section->row[i];

			if (!has_nodes(section, row) || !pmu_text_any_match(t, row, 1))
				continue;
			if (place)
				place[n] = (struct place){ row->path, row->time_ns };
			n++;
		}
	}
	return n;
}

/* Those of one path are one region, with the time of all its groups. */
static unsigned int merge_places(struct place *place, unsigned int n)
{
	unsigned int n_regions = 0;

	qsort(place, n, sizeof(*place), by_place_path);
	for (unsigned int i = 0; i < n; i++) {
		if (n_regions && !strcmp(place[n_regions - 1].path, place[i].path))
			place[n_regions - 1].time_ns += place[i].time_ns;
		else
			place[n_regions++] = place[i];
	}
	qsort(place, n_regions, sizeof(*place), by_time);
	return n_regions;
}

static unsigned int most_shown(const struct pmu_text *t)
{
	if (t->all)
		return UINT32_MAX;
	return t->top ? t->top : REGIONS_SHOWN;
}

static void make_region(struct pmu_text *t, const struct place *place, struct region *region)
{
	region->name = pmu_text_shown(t, place->path);
	region->path = place->path;
	region->time_ns = place->time_ns;
	for (unsigned int tree = 0; tree < PMU_TOPDOWN_TREES; tree++)
		for (unsigned int i = 0; i < PMU_TOPDOWN_MAX_NODES; i++)
			region->value[tree][i] = NAN;
}

static int regions_by_path(const void *a, const void *b)
{
	return strcmp((*(struct region *const *)a)->path, (*(struct region *const *)b)->path);
}

static int path_to_region(const void *path, const void *region)
{
	return strcmp(path, (*(struct region *const *)region)->path);
}

static void choose_regions(struct trees *trees)
{
	struct pmu_text *t = trees->t;
	unsigned int n = find_rows(t, NULL), n_regions, most = most_shown(t);
	struct place *place = n ? pmu_block_array(&t->scratch, n, sizeof(*place)) : NULL;

	t->failed |= n && !place;
	if (!place)
		return;
	find_rows(t, place);
	n_regions = merge_places(place, n);
	trees->n = n_regions < most ? n_regions : most;
	trees->n_left = n_regions - trees->n;
	trees->most_left = trees->n_left ? place[trees->n].time_ns : 0;
	trees->region = pmu_block_array(&t->scratch, trees->n, sizeof(*trees->region));
	trees->by_path = pmu_block_array(&t->scratch, trees->n, sizeof(*trees->by_path));
	t->failed |= !trees->region || !trees->by_path;
	for (unsigned int i = 0; !t->failed && i < trees->n; i++) {
		make_region(t, &place[i], &trees->region[i]);
		trees->by_path[i] = &trees->region[i];
	}
	if (!t->failed)
		qsort(trees->by_path, trees->n, sizeof(*trees->by_path), regions_by_path);
}

/* The first group that has a node's value tells it. */
static void take_values(const struct pmu_model_section *section, const struct pmu_model_row *row,
			struct region *region)
{
	const double *metric = metrics_of(row);
	unsigned int tree;

	for (unsigned int m = 0; metric && m < section->n_metrics; m++) {
		int node = pmu_topdown_find(section->metric[m].name, &tree);

		if (node >= 0 && isnan(region->value[tree][node]))
			region->value[tree][node] = metric[m];
	}
}

static void fill_trees(struct trees *trees)
{
	const struct pmu_model *model = trees->t->model;

	for (unsigned int s = 0; s < model->n_sections; s++) {
		const struct pmu_model_section *section = &model->section[s];

		for (unsigned int i = 0; pmu_topdown_is_section(section) && i < section->n_rows;
		     i++) {
			struct region **found = bsearch(section->row[i].path, trees->by_path,
							trees->n, sizeof(*trees->by_path),
							path_to_region);

			if (found)
				take_values(section, &section->row[i], *found);
		}
	}
}

/* --- one tree --- */

struct tree {
	struct pmu_text *t;
	const struct pmu_topdown_tree *of;
	const double *value;
	uint64_t shown, counts; /* bit i: node i */
	int parent[PMU_TOPDOWN_MAX_NODES], depth[PMU_TOPDOWN_MAX_NODES];
};

static bool is_node_set(uint64_t mask, unsigned int node)
{
	return mask >> node & 1;
}

static int node_index_of(const struct pmu_topdown_tree *of, const char *name)
{
	for (unsigned int i = 0; name && i < of->n; i++)
		if (!strcmp(of->node[i].name, name))
			return (int)i;
	return -1;
}

static bool is_above(const struct tree *tree, int node)
{
	return node >= 0 && tree->value[node] > tree->of->node[node].above;
}

/* Of one that has not been counted the next around it decides. */
static bool parent_counts(const struct tree *tree, unsigned int node)
{
	int parent = tree->parent[node];

	while (parent >= 0 && isnan(tree->value[parent]))
		parent = tree->parent[parent];
	return parent < 0 || is_node_set(tree->counts, (unsigned int)parent);
}

/* Parents stand before their children. */
static void judge_tree(struct tree *tree, uint64_t counted)
{
	for (unsigned int i = 0; i < tree->of->n; i++) {
		const struct pmu_topdown_node *node = &tree->of->node[i];
		int parent = node_index_of(tree->of, node->parent);

		tree->parent[i] = parent;
		tree->depth[i] = parent < 0 ? 0 : tree->depth[parent] + 1;
		if ((is_above(tree, (int)i) ||
		     is_above(tree, node_index_of(tree->of, node->also))) &&
		    !isnan(tree->value[i]) && parent_counts(tree, i))
			tree->counts |= UINT64_C(1) << i;
		if (!is_node_set(counted, i))
			continue;
		/* and what is around it, counted or not */
		for (int at = (int)i; at >= 0; at = tree->parent[at])
			tree->shown |= UINT64_C(1) << at;
	}
}

static bool is_below(const struct tree *tree, unsigned int node, int around)
{
	int at = tree->parent[node];

	if (around < 0)
		return at < 0 || (isnan(tree->value[at]) && is_below(tree, (unsigned int)at, -1));
	while (at >= 0 && at != around && isnan(tree->value[at]))
		at = tree->parent[at];
	return at == around;
}

/* The largest that counts, and in it the largest again, down to where none does; -1: none at all. */
static int find_leaf(const struct tree *tree)
{
	int leaf = -1, next;

	do {
		next = -1;
		for (unsigned int i = 0; i < tree->of->n; i++)
			if (is_node_set(tree->counts, i) && (int)i != leaf &&
			    is_below(tree, i, leaf) &&
			    (next < 0 || tree->value[i] > tree->value[next]))
				next = (int)i;
		if (next >= 0)
			leaf = next;
	} while (next >= 0);
	return leaf;
}

static unsigned int bar_width(const struct pmu_text *t)
{
	unsigned int rest = INDENT + LABEL_WIDTH + (unsigned int)strlen(" of cycles  * <--");
	unsigned int room = t->columns > rest ? t->columns - rest : 0;

	return room < BAR_LEAST ? 0 : room < BAR_WIDTH ? room : BAR_WIDTH;
}

static void put_bar(struct pmu_text *t, double percent)
{
	double part = percent < 0 ? 0 : percent > 100 ? 100 : percent;
	unsigned int width = bar_width(t), n = (unsigned int)(part / 100 * width + 0.5);

	if (width)
		pmu_strbuf_add(t->out, " ");
	for (unsigned int i = 0; i < width; i++)
		pmu_strbuf_add(t->out, i < n ? "#" : ".");
}

/* "    memory bound   41.2%  ########........ * <--" */
static void put_node(const struct tree *tree, unsigned int i, int leaf)
{
	const struct pmu_topdown_node *node = &tree->of->node[i];
	struct pmu_strbuf *out = tree->t->out;
	size_t start = out->len, width;
	struct pmu_cell cell;
	const char *sign;

	pmu_strbuf_pad(out, start + INDENT + 2 * (size_t)tree->depth[i], ' ');
	pmu_strbuf_add(out, node->name);
	if (isnan(tree->value[i])) {
		pmu_strbuf_add(out, "\n");
		return;
	}
	pmu_cell_share(&cell, fabs(tree->value[i]) / 100);
	sign = tree->value[i] < 0 ? "-" : "";
	width = strlen(sign) + strlen(cell.number) + strlen(cell.unit);
	pmu_strbuf_pad(out, start + INDENT + LABEL_WIDTH - width, ' ');
	pmu_strbuf_addf(out, "%s%s%s of %s", sign, cell.number, cell.unit,
			node->of == PMU_OF_CYCLES ? "cycles"
			: bar_width(tree->t)      ? "slots "
						  : "slots");
	put_bar(tree->t, tree->value[i]);
	if (is_node_set(tree->counts, i))
		pmu_strbuf_add(out, (int)i == leaf ? " * <--" : " *");
	pmu_strbuf_add(out, "\n");
}

static void put_sentence(const struct tree *tree, int leaf)
{
	struct pmu_text *t = tree->t;
	struct pmu_strbuf text = { 0 };

	if (leaf < 0)
		pmu_strbuf_add(&text, "no share is large enough to stand out");
	else
		pmu_strbuf_addf(&text, "%s: %s", tree->of->node[leaf].name,
				tree->of->node[leaf].means);
	pmu_strbuf_add(t->out, "    ");
	pmu_text_wrap(t, pmu_strbuf_text(&text), INDENT);
	t->failed |= text.failed;
	pmu_strbuf_free(&text);
}

static bool any_value(const struct pmu_topdown_tree *of, const double *value)
{
	for (unsigned int i = 0; i < of->n; i++)
		if (!isnan(value[i]))
			return true;
	return false;
}

/* Of a path that is too long its end, which tells more. */
static void put_tree_title(struct pmu_text *t, const struct region *region, const char *core)
{
	const char *name = region->name, *sign = "";
	struct pmu_cell time;
	size_t room;

	pmu_cell_time(&time, (double)region->time_ns);
	room = t->columns - strlen("  ..., ") - strlen(time.number) - strlen(time.unit);
	room -= core[0] ? strlen(", ") + strlen(core) : 0;
	for (size_t width = pmu_utf8_width(name); width > room; width--) {
		name += pmu_utf8_next(name);
		sign = "...";
	}
	pmu_strbuf_addf(t->out, "\n  %s%s, %s%s%s%s\n", sign, name, time.number, time.unit,
			core[0] ? ", " : "", core);
}

static void put_tree(struct trees *trees, const struct region *region, unsigned int which)
{
	struct pmu_text *t = trees->t;
	struct tree tree = { .t = t,
			     .of = &pmu_topdown_trees[which],
			     .value = region->value[which] };
	int leaf;

	if (!any_value(tree.of, tree.value))
		return;
	judge_tree(&tree, trees->counted[which]);
	leaf = find_leaf(&tree);
	put_tree_title(t, region, tree.of->core);
	for (unsigned int i = 0; i < tree.of->n; i++)
		if (is_node_set(tree.shown, i))
			put_node(&tree, i, leaf);
	put_sentence(&tree, leaf);
}

void pmu_text_topdown(struct pmu_text *t)
{
	struct trees trees = { .t = t };

	find_nodes(&trees);
	if (!trees.counted[0] && !trees.counted[1])
		return;
	choose_regions(&trees);
	if (t->failed || !trees.n)
		return;
	fill_trees(&trees);
	pmu_strbuf_add(t->out, "\n  ");
	pmu_text_wrap(
		t,
		"top-down: where the slots of the pipeline went; * above the threshold for it, "
		"<-- look here first",
		2);
	for (unsigned int i = 0; i < trees.n && !t->failed; i++)
		for (unsigned int which = 0; which < PMU_TOPDOWN_TREES; which++)
			put_tree(&trees, &trees.region[i], which);
	if (trees.n_left)
		pmu_text_left_out(t, trees.n_left, trees.n_left == 1 ? "region" : "regions",
				  trees.most_left, "", "all");
}
