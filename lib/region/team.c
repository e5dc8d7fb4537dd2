/* SPDX-License-Identifier: BSD-3-Clause */
/* A thread's teams: which region a context is for, and the tree that it has here. */
#include "region/team.h"

#include <errno.h>

#include "region/selfcost/selfcost.h"
#include "session/session.h"

/* Never entered: no context has its binding. */
static struct pmu_team nobody;

struct pmu_teams pmu_teams_none = {
	.known = { [0 ... PMU_TEAM_KNOWN - 1] = { PMU_CONTEXT_UNBOUND, &nobody } },
};

/* --- which region --- */

/*
 * Names from the outermost region inwards, each with its NUL. A name has one place in a path, as
 * in a thread's own tree: where a task calls what it is a task of, and that starts another one, the
 * path would be longer each time.
 */
struct path {
	char *text; /* NULL: no memory */
	size_t size;
	uint32_t depth;
};

/* What a thread has no row for is in no path: its root. */
static const struct pmu_node *around(const struct pmu_node *node)
{
	return node->parent && node->parent->row ? node->parent : NULL;
}

static bool is_same_name(const struct pmu_node *a, const struct pmu_node *b)
{
	return a->name->len == b->name->len && !memcmp(a->name->text, b->name->text, a->name->len);
}

/* The outermost of a name stands for all of them, and for what is between. */
static const struct pmu_node *next_outwards(const struct pmu_node *node)
{
	const struct pmu_node *at, *outermost = node;

	for (at = around(node); at; at = around(at))
		if (is_same_name(at, node))
			outermost = at;
	return around(outermost);
}

/* Context: the session's lock, so that its thread does not go. */
static struct path copy_path(const struct pmu_node *innermost)
{
	const struct pmu_node *node;
	struct path path = { 0 };
	char *end;

	for (node = innermost; node; node = next_outwards(node)) {
		path.size += (size_t)node->name->len + 1;
		path.depth++;
	}
	path.text = pmu_pages_alloc(path.size);
	end = path.text + path.size;
	for (node = innermost; path.text && node; node = next_outwards(node)) {
		end -= (size_t)node->name->len + 1;
		memcpy(end, node->name->text, (size_t)node->name->len + 1);
	}
	return path;
}

/* --- its tree --- */

static int make_thread_teams(struct pmu_thread *self)
{
	struct pmu_teams *teams = pmu_arena_alloc(&self->arena, sizeof(*teams), 64);
	struct pmu_tree_place was = pmu_tree_place(self);
	int rc;

	if (!teams)
		return -ENOMEM;
	*teams = pmu_teams_none;
	teams->paths.row_flags = PMU_STORE_ROW_TEAM;
	teams->paths.teams = teams;
	rc = pmu_tree_make(self, &teams->paths);
	pmu_tree_return(self, &was);
	if (!rc)
		self->tree->teams = teams;
	return rc;
}

static struct pmu_node *find_path_node(struct pmu_thread *self, const char *text, uint32_t depth,
				       int *error)
{
	struct pmu_node *node = self->tree->root;

	for (; node && depth > 0; depth--) {
		size_t len = strlen(text);
		struct pmu_name *name = pmu_tree_name(self, text, len, !pmu_tree_is_full(self));

		*error = pmu_tree_is_full(self) ? -ENOSPC : -ENOMEM;
		node = name ? pmu_tree_node(self, node, name, error) : NULL;
		text += len + 1;
	}
	return node;
}

/* @again: it is there, and entered */
static struct pmu_team *find_team(const struct pmu_teams *teams, const struct pmu_node *node,
				  bool *again)
{
	struct pmu_team *team;

	for (team = teams->all; team; team = team->next) {
		if (team->node->parent != node->parent || team->node->name != node->name)
			continue;
		if (!team->around)
			return team;
		*again = true;
	}
	return NULL;
}

static struct pmu_team *make_team(struct pmu_thread *self, struct pmu_teams *teams,
				  struct pmu_node *node)
{
	struct pmu_team *team = pmu_arena_alloc(&self->arena, sizeof(*team), 64);

	if (!team || !node)
		return NULL;
	team->node = node;
	team->row = node->row;
	team->tree.teams = teams;
	team->tree.team = team;
	if (pmu_tree_make(self, &team->tree) < 0)
		return NULL;
	team->tree.root->id = node->id;
	team->tree.frames[1].node = node;
	team->tree.frames[1].literal = PMU_FRAME_TEAM;
	team->next = teams->all;
	teams->all = team;
	return team;
}

static struct pmu_team *team_of(struct pmu_thread *self, const struct path *path, int *error)
{
	struct pmu_teams *teams = self->tree->teams;
	struct pmu_tree_place was = pmu_tree_place(self);
	struct pmu_team *team = NULL;
	struct pmu_node *node;
	bool again = false;

	self->tree = &teams->paths;
	node = find_path_node(self, path->text, path->depth, error);
	if (node)
		team = find_team(teams, node, &again);
	if (node && !team) {
		*error = -ENOMEM;
		team = make_team(self, teams, again ? pmu_tree_node_beside(self, node) : node);
	}
	pmu_tree_return(self, &was);
	return team;
}

/* --- a context --- */

/* Is it one of a thread that is part of this session, and its region open? */
static bool is_live(const struct pmu_thread *self, const struct pmu_context_place *place,
		    uint64_t context)
{
	return __atomic_load_n(&place->live, __ATOMIC_ACQUIRE) == context && place->thread &&
	       place->thread->session == self->session;
}

struct pmu_team *pmu_team_find(struct pmu_thread *self, uint64_t context, int *error)
{
	const struct pmu_context_place *place = pmu_context_place(context);
	struct pmu_team *team = NULL;
	struct path path = { 0 };
	uint64_t binding;

	if (self->tree->teams == &pmu_teams_none && (*error = make_thread_teams(self)) < 0)
		return NULL;
	if (self->measuring)
		return pmu_team_trial(self);
	*error = -ESTALE;
	pmu_session_lock();
	binding = place->binding;
	if (is_live(self, place, context)) {
		path = copy_path(place->node);
		*error = path.text ? 0 : -ENOMEM;
	}
	pmu_session_unlock();
	if (!*error)
		team = team_of(self, &path, error);
	if (path.text)
		pmu_pages_free(path.text, path.size);
	/* where sockets are counted, every call takes the slow path */
	if (team && !self->sockets)
		self->tree->teams->known[context % PMU_TEAM_KNOWN] =
			(struct pmu_team_known){ binding, team };
	return team;
}

struct pmu_tree *pmu_team_next_tree(const struct pmu_thread *self, const struct pmu_tree *tree)
{
	struct pmu_tree *own = self->tree;
	struct pmu_team *next;

	while (own->team)
		own = own->team->around;
	if (!tree)
		return own;
	next = tree->team ? tree->team->next : own->teams->all;
	return next ? &next->tree : NULL;
}

struct pmu_team *pmu_team_trial(struct pmu_thread *self)
{
	char name[] = "inner";
	const struct path path = { name, sizeof(name), 1 };
	struct pmu_team *team = NULL;
	int error = 0;

	if (self->tree->teams == &pmu_teams_none)
		error = make_thread_teams(self);
	if (!error)
		team = team_of(self, &path, &error);
	if (team)
		self->tree->teams->known[PMU_CONTEXT_TRIAL % PMU_TEAM_KNOWN] =
			(struct pmu_team_known){ PMU_CONTEXT_BINDING, team };
	return team;
}

bool pmu_team_is_here(const struct pmu_thread *self, uint64_t context)
{
	const struct pmu_context_place *place = pmu_context_place(context);
	const struct pmu_frame *frame;

	if (__atomic_load_n(&place->live, __ATOMIC_ACQUIRE) != context)
		return false;
	if (self->tree->team && self->tree->team->context == context)
		return true;
	if (place->thread != self)
		return false;
	for (frame = self->frame; frame > self->tree->frames; frame--)
		if (frame->node == place->node)
			return true;
	return false;
}

/* --- regions around --- */

/*
 * What follows is counted in the regions around, as much each time: so the compiler must not do
 * several slots at once, which it does or not by where they lie.
 */

/* A region that stood still, and what it must not see of its thread's coming back. */
struct going_on {
	uint64_t ticks;
	uint32_t missing;
	uint64_t later[PMU_MAX_SLOTS];
};

static void go_on_node(const struct pmu_thread *self, struct pmu_node *node,
		       const struct going_on *by)
{
	node->start_ticks += by->ticks;
	node->start_missing |= by->missing;
	for (uint32_t i = 0; i < self->n_slots; i++)
		pmu_store_relaxed(&node->start[i], node->start[i] + by->later[i]);
}

static size_t n_around(const struct pmu_team *team)
{
	const struct pmu_detached *entry;
	const struct pmu_frame *frame;
	size_t n = 0;

	for (frame = team->frame; frame > team->around->frames; frame--)
		n += !(frame->count & PMU_FRAME_AGAIN);
	for (entry = team->around->detached; entry; entry = entry->next)
		n++;
	return n;
}

static struct going_on how_much_later(const struct pmu_thread *self, const struct pmu_team *team,
				      uint64_t ticks, uint32_t missing, const uint64_t *now,
				      bool paused)
{
	struct going_on by = { .ticks = ticks - team->entered_ticks,
			       .missing = missing | team->entered_missing };
	size_t n = paused ? 1 : n_around(team);

	for (uint32_t i = 0; i < self->n_slots; i++)
		pmu_store_relaxed(&by.later[i],
				  now[i] - team->entered[i] + pmu_cost_of_context(self, i, n));
	return by;
}

void pmu_team_go_on(struct pmu_thread *self, struct pmu_team *team, uint64_t ticks,
		    uint32_t missing, const uint64_t *now, bool paused)
{
	struct going_on by = how_much_later(self, team, ticks, missing, now, paused);
	struct pmu_tree *around = team->around;
	const struct pmu_detached *entry;
	struct pmu_frame *frame;

	team->around = NULL;
	pmu_compiler_barrier();
	for (frame = team->frame; frame > around->frames; frame--)
		if (!(frame->count & PMU_FRAME_AGAIN))
			go_on_node(self, frame->node, &by);
	for (entry = around->detached; entry; entry = entry->next)
		go_on_node(self, entry->node, &by);
	pmu_compiler_barrier();
	team->around = around;
	pmu_team_leave(self, team);
	if (around->hidden)
		pmu_tree_hide(self);
}

void pmu_team_forget(struct pmu_thread *self)
{
	self->tree->teams->known[PMU_CONTEXT_TRIAL % PMU_TEAM_KNOWN].binding = PMU_CONTEXT_UNBOUND;
}
