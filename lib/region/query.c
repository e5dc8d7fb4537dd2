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

static void add_outer(struct pmu_thread *self, const struct pmu_node *node, struct own *own)
{
	uint64_t calls = valid_bank(self, node->row)->calls;

	own->ticks += calls * node->row->outer[0];
	for (uint32_t i = 0; i < self->n_slots; i++)
		own->count[i] += calls * node->row->outer[1 + i];
}

/* Of a name only one node lies on a path. */
static void add_nested(struct pmu_thread *self, const struct pmu_name *name, struct own *own)
{
	const struct pmu_tree *tree = self->tree;

	for (size_t i = 0; i < tree->nodes_room; i++) {
		const struct pmu_node *above = tree->nodes[i] ? tree->nodes[i]->parent : NULL;

		while (above && above->name != name)
			above = above->parent;
		if (above)
			add_outer(self, tree->nodes[i], own);
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
		return pmu_fail(ENOENT, "this thread has not entered a region \"%.200s\"",
				text);
	counts->n_counts = self->n_slots;
	counts->missing =
		pmu_session.group[self->group].plan.absent | self->rows.record->missing;
	for (const struct pmu_node *node = name->nodes; node; node = node->same_name) {
		const struct pmu_store_bank *bank = valid_bank(self, node->row);

		counts->missing |= node->row->missing;
		counts->calls += bank->calls;
		ticks += bank->ticks;
		for (uint32_t i = 0; i < self->n_slots; i++)
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
	if (pmu_self &&
	    pmu_self->epoch != (uint32_t)__atomic_load_n(&pmu_epoch, __ATOMIC_RELAXED))
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
		return pmu_fail(-rc, "cannot read the table of results: %s",
				pmu_strerror(rc));
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
		rc = known ? pmu_fail(ENOENT, "thread %d has not entered \"%.200s\"",
				      thread, path)
			   : pmu_fail(ESRCH, "there is no thread %d", thread);
	}
	pmu_model_free(model);
	return rc;
}

PMU_API int pmu_region_read(const char *region, int thread,
			    struct pmu_region_counts *counts)
{
	struct pmu_region_counts result = {0};
	int saved = errno, rc;

	if (!region || !*region || !counts || counts->size < sizeof(counts->size) ||
	    thread < PMU_THREAD_SELF)
		return pmu_fail(
			EINVAL,
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

/* No lock where the thread has used the session before; a forked child takes up its regions first. */
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

/* Zeroes are published like any other totals, so that a reader sees all of them or none.
 */
static void reset_row(const struct pmu_thread *self, struct pmu_store_row *row)
{
	uint32_t seq = row->seq;
	struct pmu_store_bank *idle =
		pmu_row_bank(row, self->bank_offset, self->bank_size, ~seq & 1);

	__atomic_store_n(&idle->calls, 0, __ATOMIC_RELEASE);
	__atomic_store_n(&idle->ticks, 0, __ATOMIC_RELEASE);
	__atomic_store_n(&idle->min, 0, __ATOMIC_RELEASE);
	__atomic_store_n(&idle->max, 0, __ATOMIC_RELEASE);
	__atomic_store_n((uint64_t *)(void *)&idle->square, 0, __ATOMIC_RELEASE);
	for (uint32_t i = 0; i < self->n_slots; i++)
		__atomic_store_n(&idle->count[i], 0, __ATOMIC_RELEASE);
	__atomic_store_n(&row->seq, seq + 1, __ATOMIC_RELEASE);
	PMU_ROW_SET(row, flags, (row->flags & PMU_STORE_ROW_FLAT) | PMU_STORE_ROW_MIXED);
	PMU_ROW_SET(row, missing, 0);
	PMU_ROW_SET(row, unended, 0);
	PMU_ROW_SET(row, unbegun, 0);
	PMU_ROW_SET(row, moved, 0);
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

/* What the library did in this region's calls is still in what those around it have counted. */
static void mark_ancestors(const struct pmu_node *node)
{
	for (node = node->parent; node && node->row; node = node->parent)
		PMU_ROW_SET(node->row, flags, node->row->flags | PMU_STORE_ROW_MIXED);
}

static int reset(const char *text)
{
	struct pmu_thread *self = pmu_self;
	struct pmu_name *name = NULL;

	if (self && self->tree && self->epoch == (uint32_t)pmu_epoch)
		name = pmu_tree_name(self, text, strlen(text), false);
	if (!name || !name->nodes)
		return pmu_fail(ENOENT, "this thread has not entered a region \"%.200s\"",
				text);
	if (name->open)
		return pmu_fail(EBUSY, "region \"%.200s\" is open on this thread", text);
	for (struct pmu_node *node = name->nodes; node; node = node->same_name) {
		reset_row(self, node->row);
		mark_ancestors(node);
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
