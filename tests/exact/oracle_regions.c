/* SPDX-License-Identifier: BSD-3-Clause */
/* A thread's stack of regions, contexts that it entered, and the totals of all threads. */
#include "oracle_regions.h"

#include <stdlib.h>
#include <string.h>

#include "oracle_text.h"

/* A region on a path. */
struct node {
	struct node *parent; /* NULL: the root */
	struct node *child, *next;
	char *name, *path;
	uint64_t calls, instructions;
	uint64_t start;
	unsigned int n_open; /* calls that have not ended */
	bool detached;       /* open, but no parent of what begins next: one around it has ended */
	bool is_saved;       /* a checkpoint has its call so far */
	bool is_vague;       /* its net counts are only about right, says pmu.h */
	uint64_t context;    /* of the call that is open; 0: none was asked for */
};

/* Calls of one region, begun right in each other. */
struct frame {
	struct node *node;
	unsigned int n;
};

/* A thread's own regions; or those in another thread's region, by a context that it entered. */
struct tree {
	struct node root;
	struct node *team;    /* the other's; NULL: own */
	struct tree *around;  /* stands still meanwhile */
	uint64_t entered;     /* since then */
	uint64_t context;     /* by which */
	unsigned int skipped; /* contexts that changed nothing, to be left first */
	struct frame *frame;
	size_t n_frames, room, n_nodes;
	struct tree *next; /* of this thread */
	bool is_used;
};

struct regions {
	int process;
	uint64_t now;
	struct tree *tree;  /* of what is begun next */
	struct tree *trees; /* all of them */
	char **inherited;   /* names that were open at the fork, until the first call */
	size_t n_inherited;
	unsigned int inherited_contexts;
	struct regions *next;
};

/* A context that is valid. */
struct context {
	struct context *next;
	int process;
	uint64_t word;
	const struct regions *owner;
	struct tree *tree;
	struct node *node;
};

static struct regions *all;
static struct context *contexts;
static size_t most_nodes = SIZE_MAX;

void regions_limit(size_t n)
{
	most_nodes = n;
}

/* --- trees --- */

static struct tree *tree_new(struct regions *self)
{
	struct tree *tree = text_alloc(sizeof(*tree));

	tree->root.path = text_copy("");
	tree->next = self->trees;
	self->trees = tree;
	return tree;
}

struct regions *regions_new(int process)
{
	struct regions *self = text_alloc(sizeof(*self));

	self->process = process;
	self->now = 1u << 30; /* calls take off more than has been counted */
	self->tree = tree_new(self);
	self->next = all;
	return all = self;
}

static void inherit(struct regions *self, const char *name)
{
	self->inherited = text_grow(self->inherited,
				    (self->n_inherited + 1) * sizeof(*self->inherited));
	self->inherited[self->n_inherited++] = text_copy(name);
}

/* Contexts are due to be left, but a region of another thread's is none of the child's. */
static void inherit_tree(struct regions *self, const struct tree *tree)
{
	if (tree->around)
		inherit_tree(self, tree->around);
	self->inherited_contexts += tree->skipped + (tree->team != NULL);
	for (size_t i = tree->team != NULL; i < tree->n_frames; i++)
		for (unsigned int n = 0; n < tree->frame[i].n; n++)
			inherit(self, tree->frame[i].node->name);
}

struct regions *regions_forked(const struct regions *parent, int process)
{
	struct regions *self = regions_new(process);

	for (size_t i = 0; i < parent->n_inherited; i++)
		inherit(self, parent->inherited[i]);
	self->inherited_contexts = parent->inherited_contexts;
	inherit_tree(self, parent->tree);
	return self;
}

static struct node *find_below(const struct node *parent, const char *name)
{
	struct node *node = parent->child;

	while (node && strcmp(node->name, name))
		node = node->next;
	return node;
}

static struct node *node_below(struct tree *tree, struct node *parent, const char *name)
{
	struct node *node = find_below(parent, name);

	if (!node && tree->n_nodes >= most_nodes)
		node = find_below(parent = &tree->root, name);
	if (node)
		return node;
	tree->n_nodes++;
	node = text_alloc(sizeof(*node));
	node->parent = parent;
	node->name = text_copy(name);
	node->path = text_path(parent->path, name);
	node->next = parent->child;
	return parent->child = node;
}

static struct node *find_open(struct node *above, const char *name)
{
	for (struct node *node = above->child; node; node = node->next) {
		struct node *found = node->n_open && !strcmp(node->name, name)
					     ? node
					     : find_open(node, name);

		if (found)
			return found;
	}
	return NULL;
}

static struct node *innermost(const struct tree *tree)
{
	return tree->n_frames ? tree->frame[tree->n_frames - 1].node : (struct node *)&tree->root;
}

static void push(struct tree *tree, struct node *node)
{
	if (tree->n_frames == tree->room) {
		tree->room = tree->room ? 2 * tree->room : 64;
		tree->frame = text_grow(tree->frame, tree->room * sizeof(*tree->frame));
	}
	tree->frame[tree->n_frames++] = (struct frame){ node, 1 };
}

/* The innermost frame of a node; -1: it is detached. */
static ptrdiff_t frame_of(const struct tree *tree, const struct node *node)
{
	ptrdiff_t at = (ptrdiff_t)tree->n_frames - 1;

	while (at >= 0 && tree->frame[at].node != node)
		at--;
	return at;
}

/* --- begin and end --- */

static void close_context(struct node *node)
{
	for (struct context **at = &contexts; *at; at = &(*at)->next)
		if ((*at)->node == node) {
			*at = (*at)->next;
			break;
		}
	node->context = 0;
}

static void give_up(struct node *node)
{
	node->n_open = 0;
	node->detached = node->is_saved = false;
	close_context(node);
}

static void blur_around(struct node *node)
{
	while ((node = node->parent))
		node->is_vague = true;
}

static void abandon_below(struct node *above)
{
	for (struct node *node = above->child; node; node = node->next) {
		if (node->n_open)
			give_up(node);
		abandon_below(node);
	}
}

void regions_begin(struct regions *self, const char *name)
{
	struct tree *tree = self->tree;
	struct node *node = find_open(&tree->root, name);

	if (node && node->detached) {
		give_up(node);
		node = NULL;
	}
	if (node) {
		node->n_open++;
		if (node == innermost(tree))
			tree->frame[tree->n_frames - 1].n++;
		else
			push(tree, node);
		return;
	}
	node = node_below(tree, innermost(tree), name);
	node->n_open = 1;
	node->start = self->now;
	push(tree, node);
}

static void finish(struct node *node, uint64_t at)
{
	node->calls++;
	if (--node->n_open)
		return;
	node->instructions += at - node->start;
	give_up(node);
}

/* What was begun in a call that ends now, and has not ended. */
static void detach_above(struct tree *tree, size_t frame)
{
	while (tree->n_frames > frame + 1) {
		struct node *above = tree->frame[--tree->n_frames].node;

		if (frame_of(tree, above) < 0)
			above->detached = true;
	}
}

void regions_end(struct regions *self, const char *name, uint64_t at)
{
	struct tree *tree = self->tree;
	struct node *node = find_open(&tree->root, name);
	ptrdiff_t frame;

	if (!node)
		return;
	frame = frame_of(tree, node);
	if (frame >= 0) {
		detach_above(tree, (size_t)frame);
		if (!--tree->frame[frame].n)
			tree->n_frames--;
		if (frame_of(tree, node) < 0)
			node->detached = node->n_open > 1;
	}
	finish(node, at);
}

static bool is_known(const struct node *above, const char *name)
{
	for (const struct node *node = above->child; node; node = node->next)
		if (!strcmp(node->name, name) || is_known(node, name))
			return true;
	return false;
}

void regions_end_refused(struct regions *self, const char *name)
{
	if (!is_known(&self->tree->root, name))
		node_below(self->tree, &self->tree->root, name);
}

/* --- contexts --- */

static const struct context *find_context(const struct regions *self, uint64_t word)
{
	const struct context *context;

	for (context = contexts; context; context = context->next)
		if (context->word == word && context->process == self->process)
			return context;
	return NULL;
}

void regions_get(struct regions *self, uint64_t word)
{
	struct node *node = innermost(self->tree);
	struct context *context;

	if (!word || node == &self->tree->root || find_context(self, word))
		return;
	context = text_alloc(sizeof(*context));
	*context = (struct context){ contexts, self->process, word, self, self->tree, node };
	contexts = context;
	node->context = word;
}

static bool is_here(const struct regions *self, const struct context *context)
{
	if (self->tree->context == context->word)
		return true;
	return context->owner == self && context->tree == self->tree &&
	       frame_of(self->tree, context->node) >= 0;
}

static struct tree *tree_for(struct regions *self, const struct node *region)
{
	struct tree *tree;

	for (tree = self->trees; tree; tree = tree->next)
		if (tree->team && !tree->is_used && !strcmp(tree->team->path, region->path))
			return tree;
	tree = tree_new(self);
	tree->team = node_below(tree, &tree->root, region->name);
	tree->team->path = text_copy(region->path);
	return tree;
}

void regions_enter(struct regions *self, uint64_t word, uint64_t at)
{
	const struct context *context = word ? find_context(self, word) : NULL;
	struct tree *tree;

	if (!context || is_here(self, context)) {
		self->tree->skipped++;
		return;
	}
	tree = tree_for(self, context->node);
	tree->is_used = true;
	tree->around = self->tree;
	tree->entered = at;
	tree->context = word;
	tree->team->n_open = 1;
	tree->team->start = self->now;
	push(tree, tree->team);
	self->tree = tree;
}

static void go_on(struct node *above, uint64_t n)
{
	for (struct node *node = above->child; node; node = node->next) {
		node->start += n;
		go_on(node, n);
	}
}

void regions_leave(struct regions *self, uint64_t at)
{
	struct tree *tree = self->tree;

	if (tree->skipped) {
		tree->skipped--;
		return;
	}
	if (!tree->team)
		return;
	abandon_below(tree->team);
	finish(tree->team, at);
	tree->n_frames = 0;
	tree->context = 0;
	tree->is_used = false;
	self->tree = tree->around;
	go_on(&self->tree->root, self->now - tree->entered);
}

/* --- what else there is --- */

static void reset_below(struct node *above, const char *name)
{
	for (struct node *node = above->child; node; node = node->next) {
		if (!strcmp(node->name, name)) {
			node->calls = node->instructions = 0;
			node->is_vague = false;
			blur_around(node);
		}
		reset_below(node, name);
	}
}

void regions_reset(struct regions *self, const char *name)
{
	for (struct tree *tree = self->trees; tree; tree = tree->next)
		reset_below(&tree->root, name);
}

void regions_checkpoint(struct regions *self, uint64_t at)
{
	for (struct tree *tree = self->tree; tree; at = tree->entered, tree = tree->around)
		for (size_t i = 0; i < tree->n_frames; i++) {
			struct node *node = tree->frame[i].node;

			if (at > node->start) /* once, if it has two frames */
				node->instructions += at - node->start;
			node->start = at > node->start ? at : node->start;
			node->is_saved = true;
		}
}

void regions_forget(struct regions *self)
{
	while (self->tree->team) {
		self->tree->is_used = false;
		self->tree->n_frames = 0;
		self->tree->context = 0;
		abandon_below(&self->tree->root);
		self->tree = self->tree->around;
	}
	self->tree->n_frames = 0;
	abandon_below(&self->tree->root);
}

void regions_begin_inherited(struct regions *self)
{
	for (size_t i = 0; i < self->n_inherited; i++) {
		regions_begin(self, self->inherited[i]);
		free(self->inherited[i]);
	}
	self->tree->skipped += self->inherited_contexts;
	self->n_inherited = self->inherited_contexts = 0;
}

void regions_step(struct regions *self, int64_t n)
{
	self->now += (uint64_t)n;
}

static bool has_open(const struct node *above)
{
	for (const struct node *node = above->child; node; node = node->next)
		if (node->n_open || has_open(node))
			return true;
	return false;
}

bool regions_are_open(const struct regions *self)
{
	const struct tree *tree = self->tree;

	return self->n_inherited || self->inherited_contexts || tree->team || tree->skipped ||
	       tree->n_frames || has_open(&tree->root);
}

uint64_t regions_now(const struct regions *self)
{
	return self->now;
}

/* --- totals --- */

struct sum {
	bool is_team, is_vague;
	const char *path;
	uint64_t calls, instructions;
};

static struct sum *sums;
static size_t n_sums, sums_room;

static void collect(const struct tree *tree, const struct node *above)
{
	for (const struct node *node = above->child; node; node = node->next) {
		if (n_sums == sums_room) {
			sums_room = sums_room ? 2 * sums_room : 1024;
			sums = text_grow(sums, sums_room * sizeof(*sums));
		}
		sums[n_sums++] = (struct sum){ .is_team = node == tree->team,
					       .is_vague = node->is_vague,
					       .path = node->path,
					       .calls = node->calls + node->is_saved,
					       .instructions = node->instructions };
		collect(tree, node);
	}
}

static int compare(const void *a, const void *b)
{
	const struct sum *left = a, *right = b;

	if (left->is_team != right->is_team)
		return left->is_team ? 1 : -1;
	return strcmp(left->path, right->path);
}

static void print(FILE *out, const struct sum *sum)
{
	if (sum->is_vague) {
		fputs("# about ", out);
		text_put(out, sum->path);
		putc('\n', out);
	}
	fprintf(out, "%s%llu %llu ", sum->is_team ? "team " : "", (unsigned long long)sum->calls,
		(unsigned long long)sum->instructions);
	text_put(out, sum->path);
	putc('\n', out);
}

void regions_print(FILE *out)
{
	for (const struct regions *thread = all; thread; thread = thread->next)
		for (struct tree *tree = thread->trees; tree; tree = tree->next)
			collect(tree, &tree->root);
	if (n_sums)
		qsort(sums, n_sums, sizeof(*sums), compare);
	for (size_t i = 0, next; i < n_sums; i = next) {
		struct sum sum = sums[i];

		for (next = i + 1; next < n_sums && !compare(&sum, &sums[next]); next++) {
			sum.calls += sums[next].calls;
			sum.instructions += sums[next].instructions;
			sum.is_vague |= sums[next].is_vague;
		}
		print(out, &sum);
	}
}
