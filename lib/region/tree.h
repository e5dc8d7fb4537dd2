/* SPDX-License-Identifier: BSD-3-Clause */
/* A thread's call tree: names, nodes, and the stack of open regions. */
#ifndef PMU_REGION_TREE_H
#define PMU_REGION_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/compiler.h"
#include "session/sockets.h"
#include "session/thread.h"

/** Stands for the length of a name that ends with a NUL. */
#define PMU_NAME_TERMINATED SIZE_MAX

/** A name the thread has used; it can be open on one node only (re-entry does not make
 * another). */
struct pmu_name {
	struct pmu_node *open;  /* the node that is open under this name, or NULL */
	struct pmu_node *nodes; /* every node of this name, by pmu_node.same_name */
	uint32_t hash;
	uint32_t len;
	uint64_t
		/* of the text with its NUL: the bytes of the word that holds the NUL that count */
		last_word;
	char text[] __attribute__((aligned(8))); /* padded with NULs to whole words */
};

/** A region on one path. */
struct pmu_node {
	struct pmu_name *name;
	struct pmu_store_row *row;
	struct pmu_node *parent;
	uint64_t start_ticks;
	uint32_t start_missing; /* slots that begin could not read */
	uint32_t id;            /* of its row */
	struct pmu_node *same_name;
	bool aside;       /* open, but nobody's parent any more: a region below it has ended */
	bool measured;    /* its outer cost is known */
	uint64_t carried; /* ticks of the open call that a checkpoint has published; 0 as a rule */
	/*
	 * [n_slots]; behind it [n_slots] of what its begin counts in the region around it; behind
	 * that a pointer to the row's histogram, where pmu_thread.histograms is set; behind that
	 * struct pmu_stay, where pmu_thread.sockets is
	 */
	uint64_t start[];
};
_Static_assert(sizeof(struct pmu_node) <= 64,
	       "what a pair touches of a node without counts is one line");

/** pmu_node_stay() - its place among the sockets' regions; only where pmu_thread.sockets is set */
static inline struct pmu_stay *pmu_node_stay(const struct pmu_thread *self, struct pmu_node *node)
{
	return (void *)&node->start[2 * (size_t)self->n_slots + self->histograms];
}

/**
 * pmu_node_histogram() - where the lengths of its calls are counted; only where
 * pmu_thread.histograms is set
 */
static inline struct pmu_store_histogram **pmu_node_histogram(const struct pmu_thread *self,
							      struct pmu_node *node)
{
	return (void *)&node->start[2 * (size_t)self->n_slots];
}

/**
 * pmu_node_begin_cost() - [n_slots]: from the call of its begin, the short way, to the read in it,
 * and a constant
 */
static inline uint64_t *pmu_node_begin_cost(const struct pmu_thread *self,
					    const struct pmu_node *node)
{
	return (uint64_t *)(uintptr_t)&node->start[self->n_slots];
}

/**
 * pmu_thread_is_watched() - more is done at its calls than the hot path knows: they take the long
 * way
 */
static inline bool pmu_thread_is_watched(const struct pmu_thread *self)
{
	return self->watch_cpu >= 0 || self->sockets;
}

/** An open region on the stack; entering the innermost one again only counts. */
struct pmu_frame {
	struct pmu_node *node;
	const char *literal; /* what begin was given, if its address alone says what it is */
	uint32_t count;
	bool plain; /* the next end of its name ends it: entered once, nothing to watch */
};

/*
 * A frame of a node that has another one further out: it was entered again from inside another
 * region.  Its begin was given no literal; there it has the place of the next frame below that is
 * none of these.
 */
#define PMU_FRAME_AGAIN (UINT32_C(1) << 31)

/**
 * pmu_frame_below() - the next frame towards the root whose node has no other one below; @frames:
 * the root's
 */
static inline struct pmu_frame *pmu_frame_below(struct pmu_frame *frames,
						const struct pmu_frame *frame)
{
	frame--;
	return &frames[frame->count & PMU_FRAME_AGAIN ? (size_t)(uintptr_t)frame->literal
						      : (size_t)(frame - frames)];
}

/** pmu_frame_top() - the innermost of those */
static inline struct pmu_frame *pmu_frame_top(struct pmu_frame *frames,
					      const struct pmu_frame *innermost)
{
	return pmu_frame_below(frames, innermost + 1);
}

/** In a frame whose begin was given text that may change. */
#define PMU_NOT_LITERAL ((const char *)1)

/** An entry of the cache from (address of the text, node it is begun in) to a node. */
struct pmu_lookup {
	const char *text;
	struct pmu_node *node; /* never NULL: pmu_tree_nobody in an empty entry */
};

/** A node that is set aside. */
struct pmu_aside {
	struct pmu_node *node;
	struct pmu_aside *next;
};

/** What begin and end need only when the cache does not know. */
struct pmu_tree {
	struct pmu_node *root;    /* its name matches no other */
	struct pmu_frame *frames; /* [0] is the root's */
	size_t frames_size;       /* bytes */
	struct pmu_name **names;  /* hash index by text, open addressing */
	size_t n_names, names_room;
	struct pmu_node **nodes; /* hash index by parent and name */
	size_t n_nodes, nodes_room;
	size_t lookup_room; /* entries of pmu_thread.lookup */
	/* the cache while pmu_thread.lookup is an empty one; NULL: it is itself */
	struct pmu_lookup *hidden;
	uint32_t hidden_shift;
	struct pmu_aside *aside, *aside_free; /* nodes set aside; those whose turn it was */
};

/** In the node of the frame after the last: there is no room above it. */
#define PMU_FRAME_END ((struct pmu_node *)1)

/** Matches no lookup: its parent is NULL. */
extern struct pmu_node pmu_tree_nobody __attribute__((visibility("hidden")));

/** pmu_tree_new() - for a thread that has none yet.  Return: 0 or -ENOMEM. */
int pmu_tree_new(struct pmu_thread *self);

/**
 * pmu_tree_name() - the thread's name of that text
 * @add: make it where it is new
 * Return: NULL: unknown, or (with @add) no memory.
 */
struct pmu_name *pmu_tree_name(struct pmu_thread *self, const char *text, size_t len, bool add);

/** pmu_tree_is_full() - no more nodes, whatever their names. */
static inline bool pmu_tree_is_full(const struct pmu_thread *self)
{
	return self->tree->n_nodes >= 2 * (size_t)self->max_regions;
}

/**
 * pmu_tree_node() - the node of a name inside another node, made where it is new
 * @error: -ENOMEM, -ENOSPC where NULL is returned
 *
 * Beyond the limit of regions it is the node of that name directly under the root.
 */
struct pmu_node *pmu_tree_node(struct pmu_thread *self, struct pmu_node *parent,
			       struct pmu_name *name, int *error);

/** pmu_tree_remember() - let the cache find @node for @text begun in @parent. */
void pmu_tree_remember(struct pmu_thread *self, const char *text, struct pmu_node *parent,
		       struct pmu_node *node);

/** pmu_tree_set_aside(), pmu_tree_no_longer_aside() - keep the list of them. */
void pmu_tree_set_aside(struct pmu_thread *self, struct pmu_node *node);
void pmu_tree_no_longer_aside(struct pmu_thread *self, struct pmu_node *node);

/**
 * pmu_tree_hide() - from now on the cache finds nothing: every begin takes the long way
 * pmu_tree_show() - as before.  Return: was it hidden?
 */
void pmu_tree_hide(struct pmu_thread *self);
bool pmu_tree_show(struct pmu_thread *self);

/** pmu_tree_push() - a frame for @node above the innermost.  Return: 0 or -ENOMEM. */
int pmu_tree_push(struct pmu_thread *self, struct pmu_node *node);

/**
 * pmu_is_literal() - text in the program's own read-only data: an address that is always
 * the same text
 *
 * Libraries' literals are not among them: a library can be unloaded, and another one come
 * in its place.
 */
static inline bool pmu_is_literal(const char *text)
{
	return (uintptr_t)text - pmu_literals.base < pmu_literals.size;
}

/**
 * pmu_text_key() - what the cache knows a text by: its address, and its length where it was given
 *
 * The beginning of a literal is another name than all of it.  With a length the key is no address
 * that anything can have: bit 63 is set, which user space never sees.
 */
static inline const char *pmu_text_key(const char *text, size_t len)
{
	if (len == PMU_NAME_TERMINATED)
		return text;
	return (const char *)((uintptr_t)text ^ (uintptr_t)len << 48 ^ (uintptr_t)1 << 63);
}

static inline size_t pmu_lookup_index(const struct pmu_thread *self, const char *text,
				      const struct pmu_node *parent)
{
	/*
	 * Names often lie 16, 32 or 48 bytes apart: the low bits go to the top first.  Then
	 * Fibonacci hashing: the multiplier is 2^64 / golden ratio, the high bits are the mixed
	 * ones.
	 */
	uint64_t at = (uint64_t)(uintptr_t)text;
	uint64_t key = (at >> 4 | at << 60) ^ (uint64_t)(uintptr_t)parent;

	return (size_t)((key * 0x9e3779b97f4a7c15u) >> self->lookup_shift);
}

static inline bool pmu_name_is(const struct pmu_name *name, const char *text, size_t len)
{
	if (len == PMU_NAME_TERMINATED)
		return !strcmp(name->text, text);
	return name->len == len && !memcmp(name->text, text, len);
}

/* The words of a caller's text may be of any type, and reach past its NUL. */
typedef uint64_t __attribute__((may_alias)) pmu_word;

/**
 * pmu_name_matches_short() - a text of up to 15 bytes on a multiple of 8 is this name
 *
 * By words: a word on its natural boundary lies in one page, so reading it whole is safe where its
 * first byte may be read, and the bytes behind the NUL are masked out.  Calls nothing, so that the
 * hot path can stay without a frame. Return: false: it is not, or this cannot tell.
 */
static inline __attribute__((no_sanitize("address"), no_sanitize("thread"))) bool
pmu_name_matches_short(const struct pmu_name *name, const char *text)
{
	const pmu_word *is = (const pmu_word *)(const void *)text;
	const pmu_word *want = (const pmu_word *)(const void *)name->text;

	if (((uintptr_t)text & 7) || name->len >= 16)
		return false;
	if (name->len < 8)
		return !((*is ^ *want) & name->last_word);
	return is[0] == want[0] && !((is[1] ^ want[1]) & name->last_word);
}

/**
 * pmu_tree_lookup() - a node by the address of its text
 *
 * For literals that is enough; callers that build names in buffers need it confirmed by the text.
 * Return: NULL where the cache does not know.
 */
static inline struct pmu_node *pmu_tree_lookup(const struct pmu_thread *self, const char *text)
{
	const struct pmu_node *parent = self->frame->node;
	size_t i = pmu_lookup_index(self, text, parent);
	const struct pmu_lookup *entry = &self->lookup[i];

	if (likely(entry->text == text && entry->node->parent == parent))
		return entry->node;
	entry = &self->lookup[i ^ 1]; /* the other half of the cache line */
	return entry->text == text && entry->node->parent == parent ? entry->node : NULL;
}

/* One way through, whichever of the two differs. */
static inline bool pmu_lookup_misses(const struct pmu_lookup *entry, const char *text,
				     const struct pmu_node *parent)
{
	return (entry->text != text) | (entry->node->parent != parent);
}

/**
 * pmu_tree_lookup_even() - the same in as many instructions whatever is found, which is counted
 * around it
 */
static inline struct pmu_node *pmu_tree_lookup_even(const struct pmu_thread *self, const char *text)
{
	const struct pmu_node *parent = self->frame->node;
	size_t i = pmu_lookup_index(self, text, parent);
	const struct pmu_lookup *entry = &self->lookup[i];

	entry = &self->lookup[i ^ (size_t)pmu_lookup_misses(entry, text, parent)];
	return pmu_lookup_misses(entry, text, parent) ? NULL : entry->node;
}

#endif
