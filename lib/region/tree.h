/* SPDX-License-Identifier: BSD-3-Clause */
/* A thread's call tree: names, nodes, and the stack of open regions. */
#ifndef PMU_REGION_TREE_H
#define PMU_REGION_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/compiler.h"
#include "region/name.h"
#include "session/sockets.h"
#include "session/thread.h"

/** The program's own begin and end of the main that libpmu-preload has begun: base/main.h. */
enum pmu_node_mark {
	PMU_MARK_NONE, /* not yet, or another region */
	PMU_MARK_OPEN,
	PMU_MARK_ENDS, /* in the end that is at work */
	PMU_MARK_OVER, /* further ones are calls */
};

/** A region on one path. */
struct pmu_node {
	struct pmu_name *name;
	struct pmu_store_row *row;
	struct pmu_store_bank *valid; /* one of the row's */
	struct pmu_node *parent;
	const char *text;            /* the literal it was last begun by; PMU_NO_TEXT: none */
	struct pmu_node *next;       /* begun after it at this depth, likely again; never NULL */
	struct pmu_store_bank *idle; /* the other one */
	uint64_t start_ticks;
	/* --- a pair that counts nothing touches only what is above --- */
	uint32_t start_missing; /* slots that begin could not read */
	uint32_t id;            /* of its row */
	struct pmu_node *same_name;
	bool detached;    /* open, but no parent any more: a region further out has ended */
	bool measured;    /* its outer cost is known, of calls by texts of a kind: */
	uint8_t kind;     /* enum pmu_text_kind; 0: of any */
	uint8_t mark;     /* enum pmu_node_mark */
	uint32_t context; /* its place among contexts; 0: it has none */
	uint32_t again;   /* of its begins that have not ended, those after the first */
	uint16_t flags;   /* of its row */
	/*
	 * Which of its tree's nodes it was when it was detached; and how many there had been when it was
	 * last begun off the fast path, so that it is known which was open around which.
	 */
	uint32_t detached_as, begun_after;
	struct pmu_store_waits *waits; /* NULL: its thread has not been off its processor in it */
	uint64_t carried; /* ticks of the open call that a checkpoint has published; 0 as a rule */
	uint64_t salt; /* in the keys of what is begun in it, so that no two parents' are alike */
	/*
	 * [n_slots]; behind it [n_slots] of what its begin counts in the region around it; behind
	 * that a pointer to the row's histogram, where pmu_thread.histograms is set, and one to its
	 * open call, where pmu_thread.exact is; behind that struct pmu_occupancy, where
	 * pmu_thread.sockets is
	 */
	uint64_t start[];
};
_Static_assert(offsetof(struct pmu_node, start_missing) == 64,
	       "what a pair touches of a node without counts is one line");
#define PMU_NO_TEXT ((const char *)1)

/** pmu_node_occupancy() - as sockets see it; only where pmu_thread.sockets is set */
static inline struct pmu_occupancy *pmu_node_occupancy(const struct pmu_thread *self,
						       struct pmu_node *node)
{
	return (void *)&node->start[2 * (size_t)self->n_slots + self->histograms + self->exact];
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

/** pmu_node_call() - what is known of its open call; only where pmu_thread.exact is set */
static inline struct pmu_call **pmu_node_call(const struct pmu_thread *self, struct pmu_node *node)
{
	return (void *)&node->start[2 * (size_t)self->n_slots + self->histograms];
}

/**
 * pmu_node_has_seen() - was @above, an ancestor of @node, open when that was begun, and is it since?
 * @detached: @node is detached, or was until it ended
 */
static inline bool pmu_node_has_seen(const struct pmu_node *above, const struct pmu_node *node,
				     bool detached)
{
	return !detached || above->begun_after < node->detached_as;
}

/**
 * pmu_node_begin_cost() - [n_slots]: from the call of its begin, on the fast path, to the read in
 * it, and a constant
 */
static inline uint64_t *pmu_node_begin_cost(const struct pmu_thread *self,
					    const struct pmu_node *node)
{
	return (uint64_t *)(uintptr_t)&node->start[self->n_slots];
}

/**
 * pmu_thread_is_watched() - more is done at its calls than the fast path knows: they take the slow
 * one
 */
static inline bool pmu_thread_is_watched(const struct pmu_thread *self)
{
	return self->sockets;
}

/**
 * An open region on the stack; entering the innermost one again only counts.
 *
 * Those above the innermost are empty: their count is 1, and their node that which was open there
 * last, or &pmu_tree_nobody.
 */
struct pmu_frame {
	struct pmu_node *node;
	/*
	 * What the end is given that simply ends it: what begin was given, if its address alone
	 * says what it is, or PMU_FRAME_TEXT, PMU_FRAME_SIZED.  PMU_FRAME_ODD: there is more to be
	 * done.
	 */
	const char *literal;
	uint32_t count; /* begins that have not ended; with PMU_FRAME_AGAIN */
	bool sized;     /* of an odd one: it would be PMU_FRAME_SIZED */
	bool end;       /* the last one, which stays empty */
};

/*
 * Values of @literal where begin was given text that may change: up to its NUL, or with a length.
 */
#define PMU_FRAME_TEXT  ((const char *)1)
#define PMU_FRAME_SIZED ((const char *)2)
#define PMU_FRAME_ODD   ((const char *)-1)
/* of a team's own node: no end by any name ends it */
#define PMU_FRAME_TEAM ((const char *)-2)

/*
 * Flag of a re-entry: a frame of a node that has another frame further out. Its end takes the slow
 * path. In place of a literal it has the index of the next frame outwards that is no re-entry,
 * inverted: negative, like PMU_FRAME_ODD.
 */
#define PMU_FRAME_AGAIN (UINT32_C(1) << 31)

/** pmu_frame_make_odd() - from now on its end takes the slow path */
static inline void pmu_frame_make_odd(struct pmu_frame *frame)
{
	if (frame->count & PMU_FRAME_AGAIN || frame->literal == PMU_FRAME_ODD)
		return;
	frame->sized = frame->literal == PMU_FRAME_SIZED;
	frame->literal = PMU_FRAME_ODD;
}

/** pmu_frame_is_plain() - an end of its name may take the fast path */
static inline bool pmu_frame_is_plain(const struct pmu_frame *frame)
{
	return (intptr_t)frame->literal > 0;
}

/** pmu_frame_is_sized() - was its begin given a length? */
static inline bool pmu_frame_is_sized(const struct pmu_frame *frame)
{
	return frame->literal == PMU_FRAME_ODD ? frame->sized : frame->literal == PMU_FRAME_SIZED;
}

/** pmu_frame_below() - the next frame outwards that is no re-entry; @frames: the root's */
static inline struct pmu_frame *pmu_frame_below(struct pmu_frame *frames,
						const struct pmu_frame *frame)
{
	frame--;
	return &frames[frame->count & PMU_FRAME_AGAIN ? (size_t) ~(uintptr_t)frame->literal
						      : (size_t)(frame - frames)];
}

/** pmu_frame_top() - the innermost frame that is no re-entry */
static inline struct pmu_frame *pmu_frame_top(struct pmu_frame *frames,
					      const struct pmu_frame *innermost)
{
	return pmu_frame_below(frames, innermost + 1);
}

/** How a caller gives a name: what looking it up takes depends on that. */
enum pmu_text_kind {
	PMU_KIND_LITERAL = 1, /* its address says what it is: pmu_is_literal() */
	PMU_KIND_TEXT,        /* up to its NUL */
	PMU_KIND_SIZED,       /* with a length */
};

/**
 * An entry of the cache from (address of the text, node it is begun in) to a node.
 *
 * Cuckoo hashing: it is in one of two places, and moves to the other one to make room.
 */
struct pmu_lookup {
	uint64_t key; /* pmu_lookup_key(); with the parent that the node has, it tells the text */
	struct pmu_node *node; /* never NULL: pmu_tree_nobody in an empty entry */
};

/** An entry of the list of detached nodes. */
struct pmu_detached {
	struct pmu_node *node;
	struct pmu_detached *next;
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
	/* the cache: pmu_thread's while the tree is the thread's, and it is not hidden */
	struct pmu_lookup *lookup;
	uint32_t lookup_shift;
	bool hidden;                                   /* the thread has an empty one instead */
	size_t lookup_room;                            /* entries of it */
	struct pmu_detached *detached, *detached_free; /* in use; free entries */
	uint32_t n_detached;                           /* so far */
	struct pmu_teams *teams;                       /* the thread's; never NULL */
	struct pmu_team *team; /* that the tree is for; NULL: it is the thread's own */
	/* contexts that were entered here and changed nothing */
	uint32_t skipped;
	uint16_t row_flags; /* of all its rows: enum pmu_store_row_flags */
};

/** Matches no lookup and is begun by no text: its parent is NULL. */
extern struct pmu_node pmu_tree_nobody __attribute__((visibility("hidden")));

/** pmu_tree_new() - for a thread that has none yet.  Return: 0 or -ENOMEM. */
int pmu_tree_new(struct pmu_thread *self);

/** pmu_tree_make() - the same in @tree, which is all zero, in place of the one the thread has */
int pmu_tree_make(struct pmu_thread *self, struct pmu_tree *tree);

/** pmu_tree_node_beside() - another node of the same name and parent, which no lookup finds */
struct pmu_node *pmu_tree_node_beside(struct pmu_thread *self, const struct pmu_node *node);

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

/** pmu_tree_is_leaf() - has no region ever been begun in @node? */
bool pmu_tree_is_leaf(const struct pmu_tree *tree, const struct pmu_node *node);

/**
 * pmu_tree_node() - the node of a name inside another node, made where it is new
 * @error: -ENOMEM, -ENOSPC where NULL is returned
 *
 * Beyond the limit of regions it is the node of that name directly under the root.
 */
struct pmu_node *pmu_tree_node(struct pmu_thread *self, struct pmu_node *parent,
			       struct pmu_name *name, int *error);

/** pmu_tree_key() - what the cache knows a text by; NULL: it cannot know this one */
const char *pmu_tree_key(const struct pmu_thread *self, const char *text, size_t len);

/** pmu_tree_remember() - let the cache find @node for a text of that key begun in @parent */
void pmu_tree_remember(struct pmu_thread *self, const char *key, struct pmu_node *parent,
		       struct pmu_node *node);
/** pmu_tree_forget() - find nothing for it any more */
void pmu_tree_forget(struct pmu_thread *self, const char *key, const struct pmu_node *parent);

/** pmu_tree_detach(), pmu_tree_forget_detached() - keep the list of them. */
void pmu_tree_detach(struct pmu_thread *self, struct pmu_node *node);
void pmu_tree_forget_detached(struct pmu_thread *self, struct pmu_node *node);

/**
 * pmu_tree_hide() - from now on the cache finds nothing: every begin takes the slow path
 * pmu_tree_show() - as before.  Return: was it hidden?
 */
void pmu_tree_hide(struct pmu_thread *self);
bool pmu_tree_show(struct pmu_thread *self);

/** What a thread looks nodes up in. */
struct pmu_tree_cache {
	struct pmu_lookup *lookup;
	uint32_t lookup_shift;
	bool hidden;
};

/** pmu_tree_cache() - its tree's, or the one that finds nothing */
struct pmu_tree_cache pmu_tree_cache(const struct pmu_tree *tree, bool hidden);

/** pmu_tree_use_cache() - from now on it is looked up there */
static inline __attribute__((always_inline)) void pmu_tree_use_cache(
	struct pmu_thread *self, const struct pmu_tree_cache *cache)
{
	self->tree->hidden = cache->hidden;
	self->lookup = cache->lookup;
	self->lookup_shift = cache->lookup_shift;
}

/** Where a thread is while it does something in another tree. */
struct pmu_tree_place {
	struct pmu_tree *tree;
	struct pmu_frame *frame;
	struct pmu_lookup *lookup;
	uint32_t lookup_shift;
};

static inline struct pmu_tree_place pmu_tree_place(const struct pmu_thread *self)
{
	return (struct pmu_tree_place){ self->tree, self->frame, self->lookup, self->lookup_shift };
}

/** pmu_tree_return() - there again */
static inline void pmu_tree_return(struct pmu_thread *self, const struct pmu_tree_place *was)
{
	self->tree = was->tree;
	self->frame = was->frame;
	self->lookup = was->lookup;
	self->lookup_shift = was->lookup_shift;
}

/** pmu_tree_push() - a frame for @node above the innermost.  Return: 0 or -ENOMEM. */
int pmu_tree_push(struct pmu_thread *self, struct pmu_node *node);

/** pmu_tree_pop() - the innermost one is empty again */
void pmu_tree_pop(struct pmu_thread *self);

/** A row, and which of its banks is valid. */
struct pmu_node_row {
	struct pmu_store_row *row;
	struct pmu_store_bank *valid, *idle;
};

/** pmu_node_row() - a row with totals of zero */
struct pmu_node_row pmu_node_row(const struct pmu_thread *self, struct pmu_store_row *row);

/** pmu_node_use_row() - from now on the node's totals are in @row.  Return: where they were. */
struct pmu_node_row pmu_node_use_row(struct pmu_node *node, struct pmu_node_row row);

/** pmu_node_is_open() - as a region of its thread's own */
static inline bool pmu_node_is_open(const struct pmu_node *node)
{
	return node->name->open == node;
}

/** pmu_tree_each_open() - each region that is open in the thread's tree, once, from the innermost on */
static inline __attribute__((always_inline)) void pmu_tree_each_open(
	const struct pmu_thread *self, void (*each)(void *arg, struct pmu_node *node), void *arg)
{
	struct pmu_frame *frames = self->tree->frames;

	for (struct pmu_frame *frame = pmu_frame_top(frames, self->frame); frame > frames;
	     frame = pmu_frame_below(frames, frame))
		each(arg, frame->node);
	for (const struct pmu_detached *entry = self->tree->detached; entry; entry = entry->next)
		each(arg, entry->node);
}

/** pmu_node_set_flags() - enum pmu_store_row_flags, all of them */
static inline void pmu_node_set_flags(struct pmu_node *node, unsigned int flags)
{
	node->flags = (uint16_t)flags;
	PMU_PUBLISH(node->row->flags, flags);
}

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

static inline enum pmu_text_kind pmu_text_kind(const char *text, size_t len)
{
	if (len != PMU_NAME_TERMINATED)
		return PMU_KIND_SIZED;
	return pmu_is_literal(text) ? PMU_KIND_LITERAL : PMU_KIND_TEXT;
}

/**
 * pmu_text_key() - what the cache knows a literal by, or a text with a length: its address, and its
 * length where it was given; all others: region/text.h
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

/**
 * pmu_lookup_key() - of a text's key begun in @parent; for one parent, no two texts have the same
 */
static inline uint64_t pmu_lookup_key(const char *text, const struct pmu_node *parent)
{
	return (uint64_t)(uintptr_t)text ^ parent->salt;
}

/** The two places where an entry of the cache can be, in bytes from its start. */
struct pmu_lookup_places {
	size_t first, second;
};

/*
 * Fibonacci hashing: the multiplier is 2^64 / golden ratio, the high bits of the product are mixed,
 * and so are those of its lower half.
 */
static inline struct pmu_lookup_places pmu_lookup_places(uint64_t key, uint32_t shift)
{
	uint64_t mixed = key * 0x9e3779b97f4a7c15u;

	return (struct pmu_lookup_places){
		.first = (size_t)(mixed >> shift) * sizeof(struct pmu_lookup),
		.second = (size_t)((uint32_t)mixed >> (shift & 31)) * sizeof(struct pmu_lookup),
	};
}

static inline struct pmu_lookup *pmu_lookup_at(struct pmu_lookup *lookup, size_t place)
{
	return (void *)((char *)lookup + place);
}

/**
 * pmu_lookup_find() - the entry of a key, if there is one; in as many instructions in either place
 */
static inline struct pmu_lookup *pmu_lookup_find(const struct pmu_thread *self, uint64_t key)
{
	struct pmu_lookup_places at = pmu_lookup_places(key, self->lookup_shift);
	size_t place = at.first;

#if defined(__x86_64__)
	__asm__("cmpq %[key], %[is]\n\tcmovneq %[second], %[place]"
		: [place] "+r"(place)
		: [is] "m"(pmu_lookup_at(self->lookup, at.first)->key), [key] "r"(key),
		  [second] "r"(at.second)
		: "cc");
#else
	place ^= (at.first ^ at.second) & -(size_t)(pmu_lookup_at(self->lookup, place)->key != key);
#endif
	return pmu_lookup_at(self->lookup, place);
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
	uint64_t key = pmu_lookup_key(text, parent);
	const struct pmu_lookup *entry = pmu_lookup_find(self, key);

	return likely(entry->key == key && entry->node->parent == parent) ? entry->node : NULL;
}

/**
 * pmu_tree_expect() - the node that comes next, if things go on as they did before
 *
 * Regions follow each other in the same order again and again: it is the one that was begun last
 * time after the one that was open last in the frame above.  Callers see whether it is: its parent,
 * and its text.
 */
static inline struct pmu_node *pmu_tree_expect(const struct pmu_frame *frame)
{
	return frame[1].node->next;
}

/** pmu_tree_follow() - things have gone on otherwise: @node is begun above @frame */
static inline void pmu_tree_follow(const struct pmu_frame *frame, struct pmu_node *node)
{
	if (frame[1].node != &pmu_tree_nobody)
		frame[1].node->next = node;
}

/**
 * pmu_tree_lookup_where() - the same for a begin that can take the fast path
 * @not: not 0: nor where that is so
 *
 * Not where the region is open already, or there is no room for its frame.  Whatever is in the way,
 * it takes as many instructions to find that out: they are counted in the regions around, before
 * the counters are read.
 */
static inline struct pmu_node *pmu_tree_lookup_where(const struct pmu_thread *self,
						     const char *text, uint64_t not )
{
	const struct pmu_frame *frame = self->frame;
	const struct pmu_node *parent = frame->node;
	uint64_t key = pmu_lookup_key(text, parent);
	const struct pmu_lookup *entry = pmu_lookup_find(self, key);
	struct pmu_node *node = entry->node;

	not |= entry->key ^ key;
	not |= (uintptr_t)node->parent ^ (uintptr_t)parent;
	not |= (uintptr_t)node->name->open;
	not |= frame[1].end;
	return likely(!not ) ? node : NULL;
}

/** pmu_tree_lookup_closed() - for any text */
static inline struct pmu_node *pmu_tree_lookup_closed(const struct pmu_thread *self,
						      const char *text)
{
	return pmu_tree_lookup_where(self, text, 0);
}

#endif
