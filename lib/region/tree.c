/* SPDX-License-Identifier: BSD-3-Clause */
/* A thread's call tree: what a begin needs that the cache does not know. */
#include "region/tree.h"

#include <errno.h>

#include "base/hash.h"
#include "pmu.h"
#include "region/least.h"
#include "region/publish.h"
#include "region/selfcost/selfcost.h"
#include "region/team.h"
#include "region/text.h"

#define FIRST_FRAMES_BYTES ((size_t)4096)
#define FIRST_ROOM         64u
#define FIRST_LOOKUP       128u
#define NODE_ALIGN         64u

/* Too long for pmu_name_matches_short(): matches nothing. */
static struct pmu_name no_name = { .len = PMU_NAME_SHORT };
struct pmu_node pmu_tree_nobody = {
	.name = &no_name,
	.text = PMU_NO_TEXT,
	.next = &pmu_tree_nobody,
};

static size_t max_frames(const struct pmu_tree *tree)
{
	return tree->frames_size / sizeof(struct pmu_frame);
}

/* --- the cache --- */

/*
 * Entries that move to make room for one, until a larger table is better: in a table that is half full
 * as many rarely do.
 */
#define MOST_MOVES 32
/* Texts of a node's that the cache has room for at least, where they lie at several addresses. */
#define TEXTS_OF_NODE 2

static void clear_lookup(struct pmu_lookup *lookup, size_t room)
{
	for (size_t i = 0; i < room; i++)
		lookup[i] = (struct pmu_lookup){ .node = &pmu_tree_nobody };
}

static int make_lookup(struct pmu_thread *self, size_t room)
{
	struct pmu_lookup *lookup = pmu_arena_alloc(&self->arena, room * sizeof(*lookup),
						    NODE_ALIGN);

	if (!lookup)
		return -ENOMEM;
	clear_lookup(lookup, room);
	self->lookup = self->tree->lookup = lookup;
	self->lookup_shift = self->tree->lookup_shift = 64u - (uint32_t)__builtin_ctzll(room);
	self->tree->lookup_room = room;
	return 0;
}

/* Return: true; false: @entry is now one that has no place. */
static bool place_entry(const struct pmu_tree *tree, struct pmu_lookup *entry)
{
	struct pmu_lookup_places at = pmu_lookup_places(entry->key, tree->lookup_shift);
	size_t place = at.first;

	if (pmu_lookup_at(tree->lookup, place)->node != &pmu_tree_nobody)
		place = at.second;
	for (int moves = 0; moves < MOST_MOVES; moves++) {
		struct pmu_lookup *to = pmu_lookup_at(tree->lookup, place), was = *to;

		*to = *entry;
		if (was.node == &pmu_tree_nobody)
			return true;
		*entry = was;
		at = pmu_lookup_places(was.key, tree->lookup_shift);
		place = at.first ^ at.second ^ place;
	}
	return false;
}

static bool place_all(const struct pmu_tree *tree, const struct pmu_lookup *from, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct pmu_lookup entry = from[i];

		if (entry.node != &pmu_tree_nobody && !place_entry(tree, &entry))
			return false;
	}
	return true;
}

/* All entries, and @left, in a larger table.  Return: false: none is to be had. */
static bool grow_lookup(struct pmu_thread *self, const struct pmu_lookup *left)
{
	struct pmu_tree *tree = self->tree;
	struct pmu_lookup *from = tree->lookup;
	size_t n = tree->lookup_room, most = 4 * TEXTS_OF_NODE * (tree->n_nodes + FIRST_ROOM);

	for (size_t room = 2 * n; room <= most && make_lookup(self, room) == 0; room *= 2)
		if (place_all(tree, from, n) && place_all(tree, left, 1)) {
			pmu_arena_drop(from, n * sizeof(*from));
			return true;
		}
	return false;
}

const char *pmu_tree_key(const struct pmu_thread *self, const char *text, size_t len)
{
	struct pmu_text taken;

	if (pmu_text_kind(text, len) != PMU_KIND_TEXT)
		return pmu_text_key(text, len);
	taken = pmu_text_take(self, text);
	return pmu_text_is_none(&taken) ? NULL : pmu_text_taken_key(&taken, text);
}

void pmu_tree_forget(struct pmu_thread *self, const char *key, const struct pmu_node *parent)
{
	struct pmu_lookup *found = pmu_lookup_find(self, pmu_lookup_key(key, parent));

	if (found->key == pmu_lookup_key(key, parent))
		*found = (struct pmu_lookup){ .node = &pmu_tree_nobody };
}

void pmu_tree_remember(struct pmu_thread *self, const char *key, struct pmu_node *parent,
		       struct pmu_node *node)
{
	struct pmu_lookup entry = { pmu_lookup_key(key, parent), node }, left = entry;
	struct pmu_lookup *found = pmu_lookup_find(self, entry.key);

	/* Calls that are watched take the slow path. */
	if (pmu_thread_is_watched(self))
		return;
	/* An entry of this key may be of another node: the buffer held another text then. */
	if (found->key == entry.key) {
		*found = entry;
	} else if (!place_entry(self->tree, &left) && !grow_lookup(self, &left)) {
		/* Of so many texts most are of no use any more: those that are come again. */
		clear_lookup(self->tree->lookup, self->tree->lookup_room);
		place_entry(self->tree, &entry);
	}
}

/* --- hash indexes --- */

static size_t hash_node(const struct pmu_node *parent, const struct pmu_name *name)
{
	return (size_t)((((uint64_t)parent->id << 32 | name->hash) * 0x9e3779b97f4a7c15u) >> 32);
}

static struct pmu_name **name_place(const struct pmu_tree *tree, uint32_t hash, const char *text,
				    size_t len)
{
	size_t mask = tree->names_room - 1, i = hash & mask;

	while (tree->names[i] && (tree->names[i]->hash != hash || tree->names[i]->len != len ||
				  memcmp(tree->names[i]->text, text, len)))
		i = (i + 1) & mask;
	return &tree->names[i];
}

static struct pmu_node **node_place(const struct pmu_tree *tree, const struct pmu_node *parent,
				    const struct pmu_name *name)
{
	size_t mask = tree->nodes_room - 1, i = hash_node(parent, name) & mask;

	while (tree->nodes[i] && (tree->nodes[i]->parent != parent || tree->nodes[i]->name != name))
		i = (i + 1) & mask;
	return &tree->nodes[i];
}

/* Both indexes are at most three quarters full. */
static bool is_room_for_one(size_t n, size_t room)
{
	return 4 * (n + 1) <= 3 * room;
}

static int grow_names(struct pmu_thread *self)
{
	struct pmu_tree *tree = self->tree;
	struct pmu_name **old = tree->names;
	size_t n_old = tree->names_room, room = n_old ? 2 * n_old : FIRST_ROOM;

	if (is_room_for_one(tree->n_names, n_old))
		return 0;
	tree->names = pmu_arena_alloc(&self->arena, room * sizeof(struct pmu_name *), NODE_ALIGN);
	if (!tree->names) {
		tree->names = old;
		return -ENOMEM;
	}
	tree->names_room = room;
	for (size_t i = 0; i < n_old; i++)
		if (old[i])
			*name_place(tree, old[i]->hash, old[i]->text, old[i]->len) = old[i];
	pmu_arena_drop(old, n_old * sizeof(*old));
	return 0;
}

static int grow_nodes(struct pmu_thread *self)
{
	struct pmu_tree *tree = self->tree;
	struct pmu_node **old = tree->nodes;
	size_t n_old = tree->nodes_room, room = n_old ? 2 * n_old : FIRST_ROOM;

	if (is_room_for_one(tree->n_nodes, n_old))
		return 0;
	tree->nodes = pmu_arena_alloc(&self->arena, room * sizeof(struct pmu_node *), NODE_ALIGN);
	if (!tree->nodes) {
		tree->nodes = old;
		return -ENOMEM;
	}
	tree->nodes_room = room;
	for (size_t i = 0; i < n_old; i++)
		if (old[i])
			*node_place(tree, old[i]->parent, old[i]->name) = old[i];
	pmu_arena_drop(old, n_old * sizeof(*old));
	return 0;
}

/* --- names and nodes --- */

static struct pmu_name *new_name(struct pmu_thread *self, uint32_t hash, const char *text,
				 size_t len)
{
	size_t size = sizeof(struct pmu_name) + PMU_ALIGN_UP(len + 1, PMU_NAME_SHORT);
	struct pmu_name *name = pmu_arena_alloc(&self->arena, size, PMU_NAME_SHORT);

	if (!name)
		return NULL;
	name->hash = hash;
	name->len = (uint32_t)len;
	memcpy(name->text, text, len);
	pmu_name_make_short(name, self->bytewise);
	return name;
}

struct pmu_name *pmu_tree_name(struct pmu_thread *self, const char *text, size_t len, bool add)
{
	struct pmu_tree *tree = self->tree;
	uint32_t hash = pmu_hash_text(text, len);
	struct pmu_name **place;

	if (add ? grow_names(self) < 0 : !tree->names_room)
		return NULL;
	place = name_place(tree, hash, text, len);
	if (!*place && add) {
		*place = new_name(self, hash, text, len);
		tree->n_names += *place != NULL;
	}
	return *place;
}

/* A row in no report; its id is only used for hashing. */
static struct pmu_store_row *private_row(struct pmu_thread *self, uint16_t flags, uint32_t *id)
{
	struct pmu_store_row *row = pmu_arena_alloc(&self->arena, pmu_row_size(self->n_slots),
						    NODE_ALIGN);

	*id = (uint32_t)self->tree->n_nodes + 1;
	if (row)
		PMU_PUBLISH(row->flags, flags);
	return row;
}

/* All bits of the id are in the upper and in the lower half. */
static uint64_t salt_of(uint32_t id)
{
	uint64_t salt = id * 0xbf58476d1ce4e5b9u;

	return (salt ^ salt >> 29) * 0x94d049bb133111ebu;
}

bool pmu_tree_is_leaf(const struct pmu_tree *tree, const struct pmu_node *node)
{
	for (size_t i = 0; i < tree->nodes_room; i++)
		if (tree->nodes[i] && tree->nodes[i]->parent == node)
			return false;
	return true;
}

static struct pmu_node *new_node(struct pmu_thread *self, struct pmu_node *parent,
				 struct pmu_name *name, uint16_t flags)
{
	size_t size = sizeof(struct pmu_node) +
		      (2 * (size_t)self->n_slots + self->histograms + self->exact) *
			      sizeof(uint64_t) +
		      (self->sockets ? sizeof(struct pmu_occupancy) : 0);
	struct pmu_node *node = pmu_arena_alloc(&self->arena, size, NODE_ALIGN);

	if (!node)
		return NULL;
	node->row = self->measuring ? private_row(self, flags, &node->id)
				    : pmu_thread_row(self, name->text, name->len, parent->id, flags,
						     &node->id);
	if (!node->row)
		return NULL;
	pmu_node_use_row(node, pmu_node_row(self, node->row));
	node->flags = flags;
	node->salt = salt_of(node->id);
	node->text = PMU_NO_TEXT;
	node->next = &pmu_tree_nobody;
	/* Without memory the row has no histogram. */
	if (self->histograms)
		*pmu_node_histogram(self, node) =
			self->measuring
				? pmu_cost_histogram(self)
				: (void *)pmu_thread_side(self, PMU_SIDE_HISTOGRAM, node->id);
	node->name = name;
	node->parent = parent;
	if (self->exact && pmu_least_new(self, node) < 0)
		return NULL;
	node->same_name = name->nodes;
	name->nodes = node;
	return node;
}

struct pmu_node *pmu_tree_node(struct pmu_thread *self, struct pmu_node *parent,
			       struct pmu_name *name, int *error)
{
	struct pmu_tree *tree = self->tree;
	size_t limit = self->max_regions;
	struct pmu_node **place;
	uint16_t flags = tree->row_flags;

	*error = -ENOMEM;
	if (grow_nodes(self) < 0)
		return NULL;
	place = node_place(tree, parent, name);
	if (!*place && tree->n_nodes >= limit) {
		flags |= PMU_STORE_ROW_FLAT;
		pmu_thread_flag(self, PMU_THREAD_FLAT);
		parent = tree->root;
		place = node_place(tree, parent, name);
		if (!*place && pmu_tree_is_full(self)) {
			*error = -ENOSPC;
			return NULL;
		}
	}
	if (!*place) {
		*place = new_node(self, parent, name, flags);
		tree->n_nodes += *place != NULL;
	}
	if (*place && flags & PMU_STORE_ROW_FLAT)
		pmu_node_set_flags(*place, (*place)->flags | flags);
	return *place;
}

struct pmu_node *pmu_tree_node_beside(struct pmu_thread *self, const struct pmu_node *node)
{
	return new_node(self, node->parent, node->name, self->tree->row_flags);
}

/* --- detached nodes --- */

/*
 * Without memory it is missing in the list: then it also counts what later calls do on the slow
 * path.
 */
void pmu_tree_detach(struct pmu_thread *self, struct pmu_node *node)
{
	struct pmu_tree *tree = self->tree;
	struct pmu_detached *entry = tree->detached_free;

	node->detached = true;
	node->detached_as = ++tree->n_detached;
	pmu_node_set_flags(node, node->flags | PMU_STORE_ROW_DETACHED);
	if (tree->team) /* more to be done when it is left */
		pmu_frame_make_odd(tree->frames + 1);
	if (entry)
		tree->detached_free = entry->next;
	else
		entry = pmu_arena_alloc(&self->arena, sizeof(*entry), 8);
	if (!entry)
		return;
	entry->node = node;
	entry->next = tree->detached;
	tree->detached = entry;
}

void pmu_tree_forget_detached(struct pmu_thread *self, struct pmu_node *node)
{
	struct pmu_tree *tree = self->tree;
	struct pmu_detached **at = &tree->detached, *entry;

	node->detached = false;
	pmu_node_set_flags(node, node->flags & ~(unsigned int)PMU_STORE_ROW_DETACHED);
	while (*at && (*at)->node != node)
		at = &(*at)->next;
	entry = *at;
	if (!entry)
		return;
	*at = entry->next;
	entry->next = tree->detached_free;
	tree->detached_free = entry;
}

/* --- a cache that finds nothing --- */

struct pmu_tree_cache pmu_tree_cache(const struct pmu_tree *tree, bool hidden)
{
	static struct pmu_lookup nothing[2] = { { .node = &pmu_tree_nobody },
						{ .node = &pmu_tree_nobody } };

	if (hidden) /* 63: 64 - log2 of its size */
		return (struct pmu_tree_cache){ nothing, 63, true };
	return (struct pmu_tree_cache){ tree->lookup, tree->lookup_shift, false };
}

static void use_cache(struct pmu_thread *self, bool hidden)
{
	struct pmu_tree_cache cache = pmu_tree_cache(self->tree, hidden);

	pmu_tree_use_cache(self, &cache);
}

void pmu_tree_hide(struct pmu_thread *self)
{
	use_cache(self, true);
}

bool pmu_tree_show(struct pmu_thread *self)
{
	bool was_hidden = self->tree->hidden;

	use_cache(self, false);
	return was_hidden;
}

/* --- frames --- */

/* From @first on. */
static void clear_frames(struct pmu_tree *tree, size_t first)
{
	for (size_t i = first; i < max_frames(tree); i++)
		tree->frames[i] = (struct pmu_frame){ .node = &pmu_tree_nobody, .count = 1 };
	tree->frames[max_frames(tree) - 1].end = true;
}

static int grow_frames(struct pmu_thread *self)
{
	struct pmu_tree *tree = self->tree;
	size_t size = 2 * tree->frames_size, top = (size_t)(self->frame - tree->frames);
	struct pmu_frame *frames = pmu_arena_alloc(&self->arena, size, NODE_ALIGN);

	if (!frames)
		return -ENOMEM;
	memcpy(frames, tree->frames, (top + 1) * sizeof(*frames));
	tree->frames = frames;
	tree->frames_size = size;
	clear_frames(tree, top + 1);
	self->frame = &frames[top];
	return 0;
}

int pmu_tree_push(struct pmu_thread *self, struct pmu_node *node)
{
	bool plain;

	if (unlikely(self->frame[1].end) && grow_frames(self) < 0)
		return -ENOMEM;
	pmu_tree_follow(self->frame, node);
	self->frame++;
	self->frame->node = node;
	plain = !pmu_node_is_open(node) && !pmu_thread_is_watched(self) &&
		!pmu_cost_needs_slow(self, node);
	self->frame->literal = plain ? PMU_FRAME_TEXT : PMU_FRAME_ODD;
	self->frame->sized = false;
	return 0;
}

void pmu_tree_pop(struct pmu_thread *self)
{
	self->frame->count = 1;
	self->frame--;
}

struct pmu_node_row pmu_node_row(const struct pmu_thread *self, struct pmu_store_row *row)
{
	return (struct pmu_node_row){ row, pmu_row_bank(row, self->n_slots, 0),
				      pmu_row_bank(row, self->n_slots, 1) };
}

struct pmu_node_row pmu_node_use_row(struct pmu_node *node, struct pmu_node_row row)
{
	struct pmu_node_row was = { node->row, node->valid, node->idle };

	node->row = row.row;
	node->valid = row.valid;
	node->idle = row.idle;
	return was;
}

int pmu_tree_new(struct pmu_thread *self)
{
	struct pmu_tree *tree = pmu_arena_alloc(&self->arena, sizeof(*tree), NODE_ALIGN);

	if (!tree)
		return -ENOMEM;
	tree->teams = &pmu_teams_none;
	return pmu_tree_make(self, tree);
}

int pmu_tree_make(struct pmu_thread *self, struct pmu_tree *tree)
{
	struct pmu_name *empty;

	self->tree = tree;
	tree->root = pmu_arena_alloc(&self->arena, sizeof(*tree->root), NODE_ALIGN);
	empty = new_name(self, 0, "", 0);
	tree->frames = pmu_arena_alloc(&self->arena, FIRST_FRAMES_BYTES, NODE_ALIGN);
	if (!tree->root || !empty || !tree->frames || make_lookup(self, FIRST_LOOKUP) < 0) {
		self->tree = NULL;
		return -ENOMEM;
	}
	tree->root->name = empty;
	tree->frames_size = FIRST_FRAMES_BYTES;
	clear_frames(tree, 0);
	self->frame = tree->frames;
	self->frame->node = tree->root;
	self->frame->literal = PMU_FRAME_ODD;
	return 0;
}
