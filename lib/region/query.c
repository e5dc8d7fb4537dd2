/* SPDX-License-Identifier: BSD-3-Clause */
/* What a region has done so far, whether it is open, and forgetting it. */
#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "pmu.h"
#include "region/publish.h"
#include "region/slow.h"
#include "session/session.h"

/* Members up to the caller's size; @size itself is the caller's. */
static void hand_over(struct pmu_region_counts *to, const struct pmu_region_counts *from)
{
	size_t size = to->size < sizeof(*from) ? to->size : sizeof(*from);
	size_t head = sizeof(from->size);

	memcpy((char *)to + head, (const char *)from + head, size - head);
}

static const struct pmu_store_bank *valid_bank(const struct pmu_thread *self,
					       struct pmu_store_row *row)
{
	return pmu_row_bank(row, self->bank_offset, self->bank_size, row->seq & 1);
}

static uint64_t ticks_to_ns(uint64_t ticks)
{
	const struct pmu_store_head *head = pmu_session.table.head;
	struct pmu_clock_point now = pmu_clock_point_take(head->clock_kind);
	double hz = pmu_clock_hz(head->clock_kind, &head->point[0], &now);

	return hz > 0 ? (uint64_t)((double)ticks * 1e9 / hz) : 0;
}

/* What the library itself has done in a region's calls. */
struct own {
	uint64_t ticks;
	uint64_t count[PMU_MAX_SLOTS];
};

static void add_inner(const struct pmu_thread *self, uint64_t calls, struct own *own)
{
	const struct pmu_store_thread *record = self->rows.record;

	own->ticks += calls * record->inner_ticks;
	for (uint32_t i = 0; i < self->n_slots; i++)
		own->count[i] += calls * record->inner[i];
}

/*
 * @afresh: the region around it was set to zero, and its time does not begin with the cost of calls
 *	before
 */
static void add_outer(struct pmu_thread *self, const struct pmu_node *node, bool afresh,
		      struct own *own)
{
	uint64_t calls = valid_bank(self, node->row)->calls;

	own->ticks += afresh ? 0 : calls * node->row->outer[0];
	for (uint32_t i = 0; i < self->n_slots; i++)
		own->count[i] += calls * node->row->outer[1 + i];
}

/*
 * The node of a name that another one is nested in; NULL: there is none.  Of a name only one lies
 * on a path.
 */
static const struct pmu_node *node_around(const struct pmu_node *node, const struct pmu_name *name)
{
	const struct pmu_node *above = node ? node->parent : NULL;

	while (above && above->name != name)
		above = above->parent;
	return above;
}

/* Nodes without a call have nothing that could be taken off. */
static void add_nested(struct pmu_thread *self, const struct pmu_name *name, struct own *own)
{
	const struct pmu_tree *tree = self->tree;

	for (size_t i = 0; i < tree->nodes_room; i++) {
		const struct pmu_node *above = node_around(tree->nodes[i], name);

		if (above && valid_bank(self, above->row)->calls)
			add_outer(self, tree->nodes[i], above->row->flags & PMU_STORE_ROW_AFRESH,
				  own);
	}
}

static uint64_t without(uint64_t value, uint64_t part)
{
	return value > part ? value - part : 0;
}

/* The calling thread reads its own rows: no other writer, nothing to retry. */
static int read_own(const char *text, struct pmu_region_counts *counts)
{
	struct pmu_thread *self = pmu_self;
	struct pmu_name *name = NULL;
	struct own own = { 0 };
	uint64_t ticks = 0;

	if (self && self->tree && self->session == pmu_session.n_started)
		name = pmu_tree_name(self, text, strlen(text), false);
	if (!name || !name->nodes)
		return pmu_fail(ENOENT, "this thread has not entered a region \"%.200s\"", text);
	counts->n_counts = self->n_slots;
	counts->missing = pmu_session.group[self->group].plan.absent | self->rows.record->missing;
	for (const struct pmu_node *node = name->nodes; node; node = node->same_name) {
		const struct pmu_store_bank *bank = valid_bank(self, node->row);

		counts->missing |= node->row->missing;
		counts->calls += bank->calls;
		ticks += bank->ticks;
		for (uint32_t i = 0; bank->calls && i < self->n_slots; i++)
			counts->count[i] += bank->count[i];
		add_inner(self, bank->calls, &own);
	}
	add_nested(self, name, &own);
	counts->time_ns = ticks_to_ns(ticks);
	counts->net_time_ns = ticks_to_ns(without(ticks, own.ticks));
	for (uint32_t i = 0; i < self->n_slots; i++)
		counts->net[i] = without(counts->count[i], own.count[i]);
	return 0;
}

/* After pmu_group_next() the thread's rows are those of the new group. */
static void follow_group(void)
{
	if (pmu_self && pmu_self->epoch != (uint32_t)__atomic_load_n(&pmu_epoch, __ATOMIC_RELAXED))
		pmu_thread_attach();
}

static const struct pmu_model_row *find_row(const struct pmu_model *model,
					    const struct pmu_model_section *section,
					    const char *path, int thread, bool *known)
{
	for (unsigned int i = 0; i < section->n_thread_rows; i++) {
		const struct pmu_model_row *row = &section->thread_row[i];

		if (pmu_model_is_socket(model, row) || model->thread[row->thread].number != thread)
			continue;
		*known = true;
		if (!strcmp(row->path, path))
			return row;
	}
	return NULL;
}

static int read_path(const char *path, int thread, struct pmu_region_counts *counts)
{
	const struct pmu_model_section *section;
	const struct pmu_model_row *row;
	struct pmu_model *model;
	bool known = false;
	int rc = pmu_session_model(&model);

	if (rc < 0)
		return pmu_fail(-rc, "cannot read the table of results: %s", pmu_strerror(rc));
	for (unsigned int i = 0; i < model->n_threads; i++)
		known |= model->thread[i].number == thread;
	row = NULL;
	section = NULL;
	for (unsigned int i = 0; i < model->n_sections; i++)
		if (model->section[i].index == pmu_session.current)
			section = &model->section[i];
	if (section)
		row = find_row(model, section, path, thread, &known);
	if (row) {
		counts->calls = row->calls;
		counts->time_ns = row->time_ns;
		counts->net_time_ns = row->time_ns - row->cost_ns;
		counts->n_counts = section->n_counts;
		counts->missing = row->missing;
		memcpy(counts->count, row->raw, section->n_counts * sizeof(*row->raw));
		memcpy(counts->net, row->net, section->n_counts * sizeof(*row->net));
	} else {
		rc = known ? pmu_fail(ENOENT, "thread %d has not entered \"%.200s\"", thread, path)
			   : pmu_fail(ESRCH, "there is no thread %d", thread);
	}
	pmu_model_free(model);
	return rc;
}

PMU_API int pmu_region_read(const char *region, int thread, struct pmu_region_counts *counts)
{
	struct pmu_region_counts result = { 0 };
	int saved = errno, rc;

	if (!region || !*region || !counts || counts->size < sizeof(counts->size) ||
	    thread < PMU_THREAD_SELF)
		return pmu_fail(EINVAL,
				"pmu_region_read() needs a name, a thread of -1 or more, and "
				"counts->size");
	if (thread == PMU_THREAD_SELF)
		follow_group();
	rc = pmu_session_enter();
	if (rc < 0)
		return rc;
	if (!pmu_session.running)
		rc = pmu_fail(ENODEV, "nothing is being measured");
	else
		rc = thread == PMU_THREAD_SELF ? read_own(region, &result)
					       : read_path(region, thread, &result);
	if (rc == 0)
		hand_over(counts, &result);
	pmu_session_leave();
	errno = saved;
	return rc;
}

/* --- open --- */

static bool is_open(struct pmu_thread *self, const char *text)
{
	const struct pmu_node *node = pmu_tree_lookup(self, text); /* as a begin would look here */
	const struct pmu_name *name = node ? node->name : NULL;

	if (!name || (!pmu_is_literal(text) && !pmu_name_is(name, text, PMU_NAME_TERMINATED)))
		name = pmu_tree_name(self, text, strlen(text), false);
	return name && name->open;
}

/*
 * No lock where the thread has used the session before; a forked child takes up its regions first.
 */
PMU_API int pmu_region_is_open(const char *name)
{
	struct pmu_thread *self = pmu_self;
	int saved = errno, rc = 0;

	if (!name || !*name)
		return pmu_fail(EINVAL, "pmu_region_is_open() needs a name");
	if (!self && pmu_session_is_ours())
		return 0;
	if (self && self->tree &&
	    *self->gate == (uint32_t)__atomic_load_n(&pmu_epoch, __ATOMIC_RELAXED))
		pmu_session_bar();
	else
		rc = pmu_region_enter(&self);
	if (rc == 0) {
		rc = is_open(self, name);
		pmu_session_unbar();
	} else if (rc > 0) {
		rc = 0;
	}
	errno = saved;
	return rc;
}

/* --- reset --- */

static struct pmu_store_bank *idle_bank(const struct pmu_thread *self, struct pmu_store_row *row)
{
	return pmu_row_bank(row, self->bank_offset, self->bank_size, ~row->seq & 1);
}

/*
 * Zeroes are published like any other totals, so that a reader sees all of them or none: first into
 * the idle bank.
 */
static void clear_row(const struct pmu_thread *self, struct pmu_store_row *row)
{
	struct pmu_store_bank *idle = idle_bank(self, row);

	__atomic_store_n(&idle->calls, 0, __ATOMIC_RELEASE);
	__atomic_store_n(&idle->ticks, 0, __ATOMIC_RELEASE);
	__atomic_store_n(&idle->min, 0, __ATOMIC_RELEASE);
	__atomic_store_n(&idle->max, 0, __ATOMIC_RELEASE);
	__atomic_store_n((uint64_t *)(void *)&idle->square, 0, __ATOMIC_RELEASE);
	for (uint32_t i = 0; i < self->n_slots; i++)
		__atomic_store_n(&idle->count[i], 0, __ATOMIC_RELEASE);
}

static void publish_cleared(struct pmu_store_row *row)
{
	__atomic_store_n(&row->seq, row->seq + 1, __ATOMIC_RELEASE);
	PMU_ROW_SET(row, flags, (row->flags & PMU_STORE_ROW_FLAT) | PMU_STORE_ROW_AFRESH);
	PMU_ROW_SET(row, missing, 0);
	PMU_ROW_SET(row, unended, 0);
	PMU_ROW_SET(row, unbegun, 0);
	PMU_ROW_SET(row, moved, 0);
}

/*
 * A reader takes off what the library did in all calls of the regions nested in this one, also in
 * those before: so the new totals begin with as much.
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
			pmu_bank_put(&idle_bank(self, above->row)->count[i],
				     idle_bank(self, above->row)->count[i] + own.count[i]);
	}
}

static bool has_counted(const struct pmu_thread *self, const struct pmu_store_bank *bank,
			const struct own *own)
{
	for (uint32_t i = 0; i < self->n_slots; i++)
		if (bank->count[i] < own->count[i])
			return false;
	return true;
}

/*
 * The other way round: of these calls nothing will be taken off any more in a region around.  Where
 * it is in an open call, it stays.
 */
static void forget_in(struct pmu_thread *self, struct pmu_store_row *row, const struct own *own)
{
	const struct pmu_store_bank *was;
	struct pmu_store_bank *is;
	uint32_t seq = pmu_row_banks(self, row, &was, &is);

	if (!has_counted(self, was, own)) {
		PMU_ROW_SET(row, flags, row->flags | PMU_STORE_ROW_MIXED);
		return;
	}
	pmu_bank_put(&is->calls, was->calls);
	pmu_bank_keep_times(was, is);
	for (uint32_t i = 0; i < self->n_slots; i++)
		pmu_bank_put(&is->count[i], was->count[i] - own->count[i]);
	__atomic_store_n(&row->seq, seq + 1, __ATOMIC_RELEASE);
}

static void forget_around(struct pmu_thread *self, const struct pmu_node *node)
{
	struct own own = { 0 };

	add_outer(self, node, true, &own);
	for (node = node->parent; node && node->row; node = node->parent)
		forget_in(self, node->row, &own);
}

/* A reader sees all of it or nothing. */
static void reset_histogram(struct pmu_store_histogram *histogram)
{
	uint32_t seq;

	if (!histogram)
		return;
	seq = histogram->seq;
	__atomic_store_n(&histogram->seq, seq + 1, __ATOMIC_RELAXED);
	for (uint32_t i = 0; i < PMU_HISTOGRAM_BUCKETS; i++)
		__atomic_store_n(&histogram->bucket[i], 0, __ATOMIC_RELEASE);
	__atomic_store_n(&histogram->seq, seq + 2, __ATOMIC_RELEASE);
}

static int reset(const char *text)
{
	struct pmu_thread *self = pmu_self;
	struct pmu_name *name = NULL;

	if (self && self->tree && self->epoch == (uint32_t)pmu_epoch)
		name = pmu_tree_name(self, text, strlen(text), false);
	if (!name || !name->nodes)
		return pmu_fail(ENOENT, "this thread has not entered a region \"%.200s\"", text);
	if (name->open)
		return pmu_fail(EBUSY, "region \"%.200s\" is open on this thread", text);
	for (struct pmu_node *node = name->nodes; node; node = node->same_name) {
		forget_around(self, node);
		clear_row(self, node->row);
	}
	keep_nested(self, name);
	for (struct pmu_node *node = name->nodes; node; node = node->same_name) {
		publish_cleared(node->row);
		if (self->histograms)
			reset_histogram(*pmu_node_histogram(self, node));
		if (self->sockets)
			pmu_stay_reset(self, pmu_node_stay(self, node));
	}
	return 0;
}

PMU_API int pmu_region_reset(const char *name)
{
	int saved = errno, rc;

	if (!name || !*name)
		return pmu_fail(EINVAL, "pmu_region_reset() needs a name");
	follow_group();
	rc = pmu_session_enter();
	if (rc < 0)
		return rc;
	rc = pmu_session.running ? reset(name) : 0;
	pmu_session_leave();
	errno = saved;
	return rc;
}
