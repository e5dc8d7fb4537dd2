/* SPDX-License-Identifier: BSD-3-Clause */
/* What a region has done so far, and forgetting it. */
#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "pmu.h"
#include "region/call.h"
#include "region/least.h"
#include "region/publish.h"
#include "region/slow.h"
#include "region/team.h"
#include "session/session.h"
#include "store/read/one.h"

/* Members up to the caller's size; @size itself is the caller's. */
static void hand_over(struct pmu_region_counts *to, const struct pmu_region_counts *from)
{
	size_t size = to->size < sizeof(*from) ? to->size : sizeof(*from);
	size_t head = sizeof(from->size);

	memcpy((char *)to + head, (const char *)from + head, size - head);
}

/* What the library itself has done in a region's calls. */
struct own {
	uint64_t ticks;
	uint64_t count[PMU_MAX_SLOTS];
};

static void add_inner(const struct pmu_thread *self, const struct pmu_node *node, struct own *own)
{
	const struct pmu_store_thread *record = self->rows.record;
	uint64_t calls = node->valid->calls;

	own->ticks += calls * record->inner_ticks;
	calls += pmu_node_is_open(node) && node->flags & PMU_STORE_ROW_PARTIAL;
	for (uint32_t i = 0; i < self->n_slots; i++)
		own->count[i] += calls * record->inner[i];
}

/* As pmu_convert_pairs(). */
static uint64_t pairs_of(const struct pmu_node *node)
{
	bool counts = node->flags & (PMU_STORE_ROW_PARTIAL | PMU_STORE_ROW_DETACHED);

	return node->valid->calls + node->row->unended +
	       (counts && pmu_node_is_open(node) ? 1 + node->again : 0);
}

/* @afresh: the region around it has been reset: its time does not include earlier calls */
static void add_outer(struct pmu_thread *self, const struct pmu_node *node, bool afresh,
		      struct own *own)
{
	uint64_t pairs = pairs_of(node);

	if (!afresh)
		own->ticks += pairs * ((uint64_t)node->row->outer[0] << self->rows.outer_shift);
	for (uint32_t i = 0; i < self->n_slots; i++)
		own->count[i] += pairs * node->row->outer[1 + i];
}

/* The node named @name that @node is nested in; NULL: none. A path has at most one of each name. */
static const struct pmu_node *node_around(const struct pmu_node *node, const struct pmu_name *name)
{
	const struct pmu_node *above = node ? node->parent : NULL;

	while (above && above->name != name)
		above = above->parent;
	return above;
}

/* A node without calls has no cost to subtract. */
static void add_nested_counts(struct pmu_thread *self, const struct pmu_name *name, struct own *own)
{
	const struct pmu_tree *tree = self->tree;

	for (size_t i = 0; i < tree->nodes_room; i++) {
		const struct pmu_node *above = node_around(tree->nodes[i], name);

		if (above && above->valid->calls)
			add_outer(self, tree->nodes[i], above->flags & PMU_STORE_ROW_AFRESH, own);
	}
}

static uint64_t without(uint64_t value, uint64_t part)
{
	return value > part ? value - part : 0;
}

static int never_entered(const char *text)
{
	return pmu_fail(ENOENT, "this thread has not entered a region \"%.200s\"", text);
}

/* The name in the thread's current tree; NULL: no region has it there. */
static struct pmu_name *name_here(struct pmu_thread *self, const char *text)
{
	struct pmu_name *name = pmu_tree_name(self, text, strlen(text), false);

	return name && name->nodes ? name : NULL;
}

/* Return: the ticks of all regions of that name there. */
static uint64_t add_regions(struct pmu_thread *self, const struct pmu_name *name,
			    struct pmu_region_counts *counts, struct own *own)
{
	uint64_t ticks = 0;

	for (const struct pmu_node *node = name->nodes; node; node = node->same_name) {
		const struct pmu_store_bank *bank = node->valid;

		counts->missing |= node->row->missing;
		counts->calls += bank->calls;
		ticks += bank->ticks;
		for (uint32_t i = 0; bank->calls && i < self->n_slots; i++)
			counts->count[i] += bank->count[i];
		add_inner(self, node, own);
	}
	add_nested_counts(self, name, own);
	return ticks;
}

/*
 * The calling thread reads its own rows: no other writer, nothing to retry.  They may be in several
 * trees: it has one for each region of another thread's that it has worked for.
 */
static int read_own(const char *text, struct pmu_region_counts *counts)
{
	struct pmu_thread *self = pmu_thread_self();
	struct pmu_tree *was, *tree = NULL;
	struct own own = { 0 };
	uint64_t ticks = 0;
	bool found = false;

	if (!self || !self->tree || self->session != pmu_session.n_started)
		return never_entered(text);
	was = self->tree;
	counts->n_counts = self->n_slots;
	counts->missing = pmu_session.group[self->group].plan.absent | pmu_thread_missing(self);
	while ((tree = pmu_team_next_tree(self, tree))) {
		const struct pmu_name *name;

		self->tree = tree;
		name = name_here(self, text);
		found |= name != NULL;
		ticks += name ? add_regions(self, name, counts, &own) : 0;
		self->tree = was;
	}
	if (!found)
		return never_entered(text);
	counts->time_ns = pmu_table_ns(&pmu_session.table, ticks);
	counts->net_time_ns = pmu_table_ns(&pmu_session.table, without(ticks, own.ticks));
	for (uint32_t i = 0; i < self->n_slots; i++)
		counts->net[i] = without(counts->count[i], own.count[i]);
	return 0;
}

/* After pmu_group_next() the thread's rows are those of the new group. */
static void follow_group(void)
{
	if (pmu_thread_self() && pmu_own.self->epoch != (uint32_t)pmu_session_epoch())
		pmu_thread_attach();
}

static int read_region_path(const char *path, int thread, struct pmu_region_counts *counts)
{
	const struct pmu_session_group *group = &pmu_session.group[pmu_session.current];
	int rc = pmu_store_read_one(&pmu_session.table, pmu_session.current, group->plan.n_slots,
				    group->plan.absent, (uint32_t)thread, path, counts);

	switch (rc) {
	case -ENOENT:
		return pmu_fail(ENOENT, "thread %d has not entered \"%.200s\"", thread, path);
	case -ESRCH:
		return pmu_fail(ESRCH, "there is no thread %d", thread);
	case -ENOMEM:
		return pmu_fail(ENOMEM, "no memory for finding regions of thread %d", thread);
	}
	return rc;
}

struct wanted {
	const char *region;
	int thread;
	struct pmu_region_counts *counts;
};

static int read_region(void *wanted)
{
	const struct wanted *want = wanted;
	struct pmu_region_counts result = { 0 };
	int rc;

	if (!want->region || !*want->region || !want->counts ||
	    want->counts->size < sizeof(want->counts->size) || want->thread < PMU_THREAD_SELF)
		return pmu_fail(EINVAL,
				"pmu_region_read() needs a name, a thread of -1 or more, and "
				"counts->size");
	if (want->thread == PMU_THREAD_SELF)
		follow_group();
	rc = pmu_call_enter();
	if (rc < 0)
		return rc;
	if (!pmu_session.running)
		rc = pmu_fail(ENODEV, "nothing is being measured");
	else
		rc = want->thread == PMU_THREAD_SELF
			     ? read_own(want->region, &result)
			     : read_region_path(want->region, want->thread, &result);
	if (rc == 0)
		hand_over(want->counts, &result);
	pmu_call_leave();
	return rc;
}

PMU_API int pmu_region_read(const char *region, int thread, struct pmu_region_counts *counts)
{
	return pmu_call_aside(read_region, &(struct wanted){ region, thread, counts });
}

/* --- reset --- */

/*
 * Zeroes are published like any other totals, by way of the idle bank, so that a reader sees all of
 * them or none.
 */
static void clear_row(const struct pmu_thread *self, struct pmu_node *node)
{
	struct pmu_banks banks = pmu_node_banks(node);

	pmu_bank_clear(banks.is, self->n_slots);
}

/* What it was re-entered from inside of keeps what was counted in both: so the mark stays. */
static uint16_t lasting_flags(const struct pmu_node *node)
{
	uint16_t lasting = PMU_STORE_ROW_FLAT;

	if (node->flags & PMU_STORE_ROW_MUTUAL)
		lasting |= PMU_STORE_ROW_RECURSIVE | PMU_STORE_ROW_MUTUAL;
	return node->flags & lasting;
}

static void publish_cleared(struct pmu_node *node)
{
	struct pmu_store_row *row = node->row;
	struct pmu_banks banks = pmu_node_banks(node);

	pmu_node_commit(node, &banks);
	pmu_node_set_flags(node, lasting_flags(node) | PMU_STORE_ROW_AFRESH);
	PMU_ROW_SET(row, missing, 0);
	PMU_ROW_SET(row, unended, 0);
	PMU_ROW_SET(row, unbegun, 0);
	PMU_ROW_SET(row, moved, 0);
}

/*
 * A reader subtracts the library's cost of all calls of nested regions, including those before the
 * reset: so the new totals start with the cost of those.
 */
static void keep_nested(struct pmu_thread *self, const struct pmu_name *name)
{
	const struct pmu_tree *tree = self->tree;

	for (size_t k = 0; k < tree->nodes_room; k++) {
		const struct pmu_node *above = node_around(tree->nodes[k], name);
		struct own own = { 0 };

		if (!above)
			continue;
		add_outer(self, tree->nodes[k], true, &own);
		for (uint32_t i = 0; i < self->n_slots; i++)
			pmu_bank_put(&above->idle->count[i], above->idle->count[i] + own.count[i]);
	}
}

/*
 * The opposite, for a region around: its readers will not subtract the cost of the forgotten calls
 * any more, so that is done here. Not where the cost is part of a call that is still open, and not
 * in the totals yet: then the row is marked.
 */
static void forget_in(struct pmu_thread *self, struct pmu_node *node, const struct own *own)
{
	struct pmu_banks banks = pmu_node_banks(node);

	if (!pmu_bank_take_counts(banks.was, banks.is, own->count, self->n_slots)) {
		pmu_node_set_flags(node, node->flags | PMU_STORE_ROW_MIXED);
		return;
	}
	pmu_bank_copy_times(banks.was, banks.is);
	pmu_node_commit(node, &banks);
}

static void forget_around(struct pmu_thread *self, const struct pmu_node *node)
{
	struct own own = { 0 };

	add_outer(self, node, true, &own);
	for (struct pmu_node *around = node->parent; around && around->row;
	     around = around->parent) {
		forget_in(self, around, &own);
		if (around->flags & PMU_STORE_ROW_TEAM) /* is in nothing further out */
			break;
	}
}

/* In the thread's current tree. */
static void reset_regions(struct pmu_thread *self, const struct pmu_name *name)
{
	for (struct pmu_node *node = name->nodes; node; node = node->same_name) {
		forget_around(self, node);
		clear_row(self, node);
	}
	keep_nested(self, name);
	for (struct pmu_node *node = name->nodes; node; node = node->same_name) {
		publish_cleared(node);
		if (self->histograms && *pmu_node_histogram(self, node))
			pmu_side_clear(PMU_SIDE_HISTOGRAM,
				       &(*pmu_node_histogram(self, node))->side);
		if (node->waits)
			pmu_side_clear(PMU_SIDE_WAITS, &node->waits->side);
		if (self->exact)
			pmu_side_clear(PMU_SIDE_LEAST, &(*pmu_node_call(self, node))->least->side);
		if (self->sockets)
			pmu_occupancy_reset(self, pmu_node_occupancy(self, node));
	}
}

/* Return: in how many of its trees it was entered; -EBUSY where it is open in one. */
static int reset_trees(struct pmu_thread *self, const char *text, bool only_look)
{
	struct pmu_tree *was = self->tree, *tree = NULL;
	int n = 0;

	while (n >= 0 && (tree = pmu_team_next_tree(self, tree))) {
		const struct pmu_name *name;

		self->tree = tree;
		name = name_here(self, text);
		if (name && !only_look)
			reset_regions(self, name);
		n = name && name->open ? -EBUSY : n + (name != NULL);
		self->tree = was;
	}
	return n;
}

static int reset_by_name(const char *text)
{
	struct pmu_thread *self = pmu_thread_self();
	int n = 0;

	if (self && self->tree && pmu_thread_is_attached(self))
		n = reset_trees(self, text, true);
	if (n == 0)
		return never_entered(text);
	if (n < 0)
		return pmu_fail(EBUSY, "region \"%.200s\" is open on this thread", text);
	reset_trees(self, text, false);
	return 0;
}

static int reset_region(void *text)
{
	const char *name = text;
	int rc;

	if (!name || !*name)
		return pmu_fail(EINVAL, "pmu_region_reset() needs a name");
	follow_group();
	rc = pmu_call_enter();
	if (rc < 0)
		return rc;
	rc = pmu_session.running ? reset_by_name(name) : 0;
	pmu_call_leave();
	return rc;
}

PMU_API int pmu_region_reset(const char *name)
{
	return pmu_call_aside(reset_region, (void *)(uintptr_t)name);
}
