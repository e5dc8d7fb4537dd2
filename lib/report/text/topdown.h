/* SPDX-License-Identifier: BSD-3-Clause */
/* The nodes of top-down analysis: how they stand to each other, and what they tell. */
#ifndef PMU_REPORT_TOPDOWN_H
#define PMU_REPORT_TOPDOWN_H

#include <stdbool.h>

struct pmu_model_section;

/** What a node's percentage is of. */
enum pmu_topdown_of { PMU_OF_SLOTS, PMU_OF_CYCLES };

struct pmu_topdown_node {
	const char *name;   /* the metric's, as groups have it; without ", E core" */
	const char *parent; /* the name of a node before it; NULL: level 1 */
	double above;       /* percent; it counts where it has more, and its parent counts */
	enum pmu_topdown_of of;
	const char *also;  /* NULL, or the node in it that makes it count, too */
	const char *means; /* and what to look at next */
};

/** The nodes of one kind of core, a parent before its children. */
struct pmu_topdown_tree {
	const char *core; /* "E cores"; "" where there is one kind, and for P cores */
	unsigned int n;
	const struct pmu_topdown_node *node;
};

enum { PMU_TOPDOWN_TREES = 2 };
extern const struct pmu_topdown_tree pmu_topdown_trees[PMU_TOPDOWN_TREES];

/** Most nodes of a tree. */
#define PMU_TOPDOWN_MAX_NODES 64

/**
 * pmu_topdown_find() - the node of a metric
 * @metric: "memory bound", "memory bound, E core"
 * @tree: result: of which tree
 * Return: its index; -1: the metric is no node.
 */
int pmu_topdown_find(const char *metric, unsigned int *tree);

/** pmu_topdown_is_section() - is it a group of top-down analysis? */
bool pmu_topdown_is_section(const struct pmu_model_section *section);

#endif
