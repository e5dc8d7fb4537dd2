/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A report as viewers of profiles take it: paths of regions, each with what was counted in it and in
 * nothing nested in it.
 */
#ifndef PMU_COMMAND_VIEWERS_STACKS_H
#define PMU_COMMAND_VIEWERS_STACKS_H

#include "base/index.h"
#include "report/model/block.h"
#include "report/model/model.h"
#include "report/model/samples.h"

/** Regions that a path has at most; what is nested deeper is with the last. */
#define PMU_STACK_DEPTH 1000

/** What functions have around them, and in them, where it is known; else they are right below their regions. */
enum pmu_stack_detail {
	PMU_STACK_CALLS = 1 << 0, /* what had called them */
	PMU_STACK_LINES =
		1 << 1, /* each line is a node in its function's; but not of those with callers */
};

/** A region on one path, whichever groups counted it; or a function in which samples saw it, with its callers around it. */
struct pmu_stack_node {
	const char *name,
		*path;      /* the model's: untrusted bytes; a function has its region's path */
	const char *object; /* of a function; NULL: a region */
	/* with its lines; NULL: they are of no single stack */
	const struct pmu_model_function *function;
	/* of the function around, which has the same name; NULL: none */
	const struct pmu_model_line *line;
	int parent; /* that it is shown in; always before it; -1: none */
	unsigned int frame;
	bool moved; /* it ended after the region around it, and is shown in one further out */
	bool cut;   /* less is shown than it has, as more is nested around it than fits */
};

/** What the same region, or function, is on all paths. */
struct pmu_stack_frame {
	const char *name;   /* that of the model, with " ~" where it was moved or cut */
	const char *object; /* of a function; NULL: a region */
};

/** What is shown of each: samples, time, and each count of each group. */
struct pmu_stack_measure {
	const char
		*name; /* "time"; "cycles"; "cycles (CACHE)" of several groups; "~..." estimated */
	const char *unit;   /* "ns"; "", as the count's */
	int section, count; /* -1: time, or samples, of all groups */
	bool sampled;       /* of functions alone; a region has those of its own */
	/* of all calls, from those that the group has counted in its turns; of all threads together alone */
	bool estimated;
	bool in_sums, in_threads; /* known of anything there */
};

/** Of all threads and sockets, or of one. */
struct pmu_stack_lane {
	const char *title; /* "all threads"; "thread 3 (worker)"; "rank 2, thread 0"; "socket 0" */
	int thread;        /* index into the model's threads and sockets; -1: all */
	bool is_socket;
};

struct pmu_stacks {
	const struct pmu_model *model;
	struct pmu_stack_node *node; /* regions in tree order, then functions */
	unsigned int n_nodes;
	struct pmu_stack_frame *frame;
	unsigned int n_frames;
	struct pmu_stack_measure *measure; /* the first is what viewers show: samples, or time */
	unsigned int n_measures;
	struct pmu_stack_lane *lane; /* the first is all; no others where no threads are known */
	unsigned int n_lanes;
	const char **remark; /* what is to be known of all this: lines */
	unsigned int n_remarks;
	/* Private: */
	int **node_of;        /* [n_sections][n_rows] a sum's node, -1: none */
	unsigned int **first; /* [n_sections][n_lanes] rows of a thread, up to the next one's */
	int *at;              /* [n_nodes] working space: -1 */
	unsigned int details; /* enum pmu_stack_detail */
	int *call;            /* [most calls of a row] working space */
	struct pmu_index functions; /* nodes, from 1 on, by the node around, name and object */
	struct pmu_model_block *blocks;
};

/**
 * pmu_stacks_make() - of a finished model
 * @details: enum pmu_stack_detail
 * @stacks: result, for pmu_stacks_free() also after an error; points into @model
 * Return: 0 or -ENOMEM.
 */
int pmu_stacks_make(const struct pmu_model *model, unsigned int details, struct pmu_stacks *stacks);
void pmu_stacks_free(struct pmu_stacks *stacks);

/** pmu_stacks_functions() - makes their nodes, behind the regions'.  Return: 0 or -ENOMEM. */
int pmu_stacks_functions(struct pmu_stacks *stacks);

/** pmu_stacks_count_functions() - nodes that they take at most */
size_t pmu_stacks_count_functions(const struct pmu_stacks *stacks);

/** What takes the node of a function with its own samples there. */
typedef void pmu_stack_take(void *arg, struct pmu_stacks *stacks, int node, uint64_t n_samples);

/**
 * pmu_stacks_each_function() - of a row's samples
 * @region: the row's node; -1: none is taken
 *
 * What all rows together have no node for is left out, with all that is below it.
 */
void pmu_stacks_each_function(struct pmu_stacks *stacks, int region,
			      const struct pmu_model_samples *samples, pmu_stack_take *take,
			      void *arg);

/** What a lane has of the paths that it has. */
struct pmu_stack_values {
	unsigned int n;
	unsigned int n_measures;
	unsigned int *node; /* [n] ascending; of all: each node */
	uint64_t *calls;    /* [n] */
	uint64_t *own; /* [n][n_measures] without what is nested; 0 also where it is not known */
	bool *known;   /* [n_measures] of any of them */
};

/** pmu_stacks_values() - for pmu_stack_values_free() also after an error.  Return: 0 or -ENOMEM. */
int pmu_stacks_values(struct pmu_stacks *stacks, unsigned int lane,
		      struct pmu_stack_values *values);
void pmu_stack_values_free(struct pmu_stack_values *values);

/** pmu_stack_own() - of the @i-th of them */
static inline uint64_t pmu_stack_own(const struct pmu_stack_values *values, unsigned int i,
				     unsigned int measure)
{
	return values->own[(size_t)i * values->n_measures + measure];
}

/**
 * pmu_stacks_value() - what a sum has of a measure, with all that is nested in it and with what other
 * threads did for it
 * Return: is it known?
 */
bool pmu_stacks_value(const struct pmu_stack_measure *measure,
		      const struct pmu_model_section *section, const struct pmu_model_row *sum,
		      uint64_t *value);

/** pmu_stacks_remarks() - makes them.  Return: 0 or -ENOMEM. */
int pmu_stacks_remarks(struct pmu_stacks *stacks);

#endif
