/* SPDX-License-Identifier: BSD-3-Clause */
/* Reports of several processes as one: the processes and their threads. */
#include "reports/combine/combine.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "report/model/all_calls.h"
#include "report/model/block.h"
#include "report/several.h"
#include "reports/combine/combining.h"

/* --- texts --- */

static bool is_same_text(const void *wanted, uintptr_t thing)
{
	return !strcmp((const char *)thing, wanted);
}

const char *pmu_combining_text(struct pmu_combining *c, const char *text)
{
	size_t len = text ? strlen(text) : 0;
	struct pmu_index_place *place;
	const char *copy;
	uint32_t hash;

	if (!len || c->failed)
		return "";
	if (pmu_index_reserve(&c->texts, 1) < 0) {
		c->failed = true;
		return "";
	}
	hash = pmu_hash_text(text, len);
	place = pmu_index_find(&c->texts, hash, is_same_text, text);
	if (place->thing)
		return (const char *)place->thing;
	copy = pmu_block_text(&c->model->blocks, text, len);
	if (!copy) {
		c->failed = true;
		return "";
	}
	pmu_index_take(&c->texts, place, hash, (uintptr_t)copy);
	return copy;
}

/* --- parts --- */

static struct pmu_model_part part_of_model(const struct pmu_model *model)
{
	return (struct pmu_model_part){
		.program = model->program,
		.command = model->command,
		.host = model->host,
		.pid = model->pid,
		.rank = model->rank,
		.forked_from = model->forked_from,
		.nth = model->nth,
		.start_unix_ns = model->start_unix_ns,
		.duration_ns = model->duration_ns,
		.died = model->died,
	};
}

static unsigned int parts_in(const struct pmu_model *model)
{
	return model->n_parts ? model->n_parts : 1;
}

static int compare_u64(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static const char *text_or_empty(const char *text)
{
	return text ? text : "";
}

/* By rank where each has one; then by start, so that a process's next program comes behind it. */
static int by_part(const void *a, const void *b, void *combining)
{
	const struct pmu_origin *x = a, *y = b;
	const struct pmu_combining *c = combining;
	int order = 0;

	if (c->ranked)
		order = x->is.rank < y->is.rank ? -1 : x->is.rank > y->is.rank;
	if (!order)
		order = compare_u64(x->is.start_unix_ns, y->is.start_unix_ns);
	if (!order)
		order = strcmp(text_or_empty(x->is.host), text_or_empty(y->is.host));
	if (!order)
		order = x->is.pid < y->is.pid ? -1 : x->is.pid > y->is.pid;
	if (!order)
		order = compare_u64(x->is.nth, y->is.nth);
	if (!order)
		order = compare_u64(x->from, y->from);
	return order ? order : compare_u64(x->part, y->part);
}

static void look_at_parts(struct pmu_combining *c)
{
	c->ranked = c->one_host = true;
	for (unsigned int i = 0; i < c->n_parts; i++) {
		c->ranked &= c->origin[i].is.rank >= 0;
		c->one_host &= !strcmp(text_or_empty(c->origin[i].is.host),
				       text_or_empty(c->origin[0].is.host));
	}
	qsort_r(c->origin, c->n_parts, sizeof(*c->origin), by_part, c);
	c->own_ranks = c->ranked;
	for (unsigned int i = 1; i < c->n_parts; i++)
		c->own_ranks &= c->origin[i].is.rank != c->origin[i - 1].is.rank;
}

/* "rank 3"; "rank 3, solver 4711"; "gcc 4711 on node2" */
static const char *label_of(struct pmu_combining *c, const struct pmu_model_part *part)
{
	struct pmu_strbuf text = { 0 };
	const char *label;

	if (part->rank >= 0)
		pmu_strbuf_addf(&text, "rank %d", part->rank);
	if (!c->own_ranks) {
		pmu_strbuf_addf(&text, "%s%s", part->rank >= 0 ? ", " : "",
				part->program[0] ? part->program : "process");
		if (part->pid >= 0)
			pmu_strbuf_addf(&text, " %lld", (long long)part->pid);
		if (!c->one_host && part->host[0])
			pmu_strbuf_addf(&text, " on %s", part->host);
	}
	label = pmu_combining_text(c, pmu_strbuf_text(&text));
	c->failed |= text.failed;
	pmu_strbuf_free(&text);
	return label;
}

static int make_parts(struct pmu_combining *c)
{
	struct pmu_model *model = c->model;

	model->part = pmu_block_array(&model->blocks, c->n_parts, sizeof(*model->part));
	if (!model->part)
		return -ENOMEM;
	model->n_parts = c->n_parts;
	model->several = &pmu_several;
	for (unsigned int i = 0; i < c->n_parts; i++) {
		const struct pmu_origin *origin = &c->origin[i];
		struct pmu_model_part *part = &model->part[i];

		c->new_part[c->first_part[origin->from] + origin->part] = i;
		*part = origin->is;
		part->program = pmu_combining_text(c, part->program);
		part->command = pmu_combining_text(c, part->command);
		part->host = pmu_combining_text(c, part->host);
		part->died = part->died ? pmu_combining_text(c, part->died) : NULL;
		part->label = label_of(c, part);
	}
	return c->failed ? -ENOMEM : 0;
}

static int collect_parts(struct pmu_combining *c)
{
	unsigned int n = 0;

	c->first_part = calloc(c->n_from, sizeof(*c->first_part));
	if (!c->first_part)
		return -ENOMEM;
	for (unsigned int i = 0; i < c->n_from; i++) {
		c->first_part[i] = n;
		if (__builtin_add_overflow(n, parts_in(c->from[i]), &n) || n > INT_MAX / 8)
			return -E2BIG;
	}
	c->n_parts = n;
	c->new_part = calloc(n, sizeof(*c->new_part));
	c->origin = calloc(n, sizeof(*c->origin));
	if (!c->new_part || !c->origin)
		return -ENOMEM;
	for (unsigned int i = 0, at = 0; i < c->n_from; i++)
		for (unsigned int k = 0; k < parts_in(c->from[i]); k++)
			c->origin[at++] = (struct pmu_origin){
				.from = i,
				.part = k,
				.is = c->from[i]->n_parts ? c->from[i]->part[k]
							  : part_of_model(c->from[i]),
			};
	look_at_parts(c);
	return make_parts(c);
}

/* --- threads --- */

/* A thread or socket of an input, to be put in its part's place. */
struct found {
	bool socket;
	unsigned int part; /* the new one */
	unsigned int from, index;
};

static int by_socket_part(const void *a, const void *b)
{
	const struct found *x = a, *y = b;
	int order = compare_u64(x->socket, y->socket);

	if (!order)
		order = compare_u64(x->part, y->part);
	if (!order)
		order = compare_u64(x->from, y->from);
	return order ? order : compare_u64(x->index, y->index);
}

static unsigned int part_of_thread(const struct pmu_combining *c, unsigned int from,
				   const struct pmu_model_thread *thread)
{
	unsigned int part = thread->part < parts_in(c->from[from]) ? thread->part : 0;

	return c->new_part[c->first_part[from] + (c->from[from]->n_parts ? part : 0)];
}

static struct found *find_threads(struct pmu_combining *c, unsigned int n)
{
	struct found *found = calloc((size_t)n + 1, sizeof(*found));
	unsigned int at = 0;

	for (unsigned int i = 0; found && i < c->n_from; i++) {
		const struct pmu_model *from = c->from[i];

		for (unsigned int k = 0; k < from->n_threads + from->n_sockets; k++)
			found[at++] = (struct found){
				.socket = k >= from->n_threads,
				.part = part_of_thread(c, i, &from->thread[k]),
				.from = i,
				.index = k,
			};
	}
	if (found)
		qsort(found, n, sizeof(*found), by_socket_part);
	return found;
}

static int copy_threads(struct pmu_combining *c, const struct found *found, unsigned int n)
{
	struct pmu_model *model = c->model;

	model->thread = pmu_block_array(&model->blocks, n, sizeof(*model->thread));
	c->new_thread = calloc((size_t)n + 1, sizeof(*c->new_thread));
	if (!model->thread || !c->new_thread)
		return -ENOMEM;
	for (unsigned int i = 0; i < n; i++) {
		struct pmu_model_thread *thread = &model->thread[i];

		*thread = c->from[found[i].from]->thread[found[i].index];
		thread->part = found[i].part;
		thread->name = pmu_combining_text(c, thread->name);
		thread->core_type = pmu_combining_text(c, thread->core_type);
		c->new_thread[c->first_thread[found[i].from] + found[i].index] = (int)i;
	}
	return c->failed ? -ENOMEM : 0;
}

static int collect_threads(struct pmu_combining *c)
{
	unsigned int n = 0;
	struct found *found;
	int rc = -ENOMEM;

	c->first_thread = calloc(c->n_from, sizeof(*c->first_thread));
	for (unsigned int i = 0; c->first_thread && i < c->n_from; i++) {
		c->first_thread[i] = n;
		if (__builtin_add_overflow(n, c->from[i]->n_threads + c->from[i]->n_sockets, &n) ||
		    n > INT_MAX / 8)
			return -E2BIG;
		c->model->n_threads += c->from[i]->n_threads;
		c->model->n_sockets += c->from[i]->n_sockets;
	}
	found = c->first_thread ? find_threads(c, n) : NULL;
	if (found)
		rc = copy_threads(c, found, n);
	free(found);
	return rc;
}

/* --- all of it --- */

static int combine(struct pmu_combining *c)
{
	int rc = collect_parts(c);

	if (!rc)
		rc = collect_threads(c);
	/* what counted tells by what rows are ordered */
	if (!rc)
		pmu_combining_head(c);
	if (!rc)
		rc = c->gathering ? pmu_gathering_sections(c->gathering)
				  : pmu_combining_sections(c);
	if (!rc && c->how == PMU_COMBINE_TREE)
		rc = pmu_combining_tree(c);
	if (!rc)
		rc = c->gathering ? pmu_model_add_calls(c->model) : pmu_model_finish(c->model);
	if (!rc)
		rc = pmu_combining_remarks(c);
	return !rc && c->failed ? -ENOMEM : rc;
}

int pmu_combining_make(struct pmu_combining *c, struct pmu_model **combined)
{
	unsigned int n = c->n_from;
	int rc = c->model ? combine(c) : -ENOMEM;

	free(c->origin);
	free(c->first_part);
	free(c->new_part);
	free(c->first_thread);
	free(c->new_thread);
	pmu_index_free(&c->texts);
	if (!rc) {
		*combined = c->model;
		return 0;
	}
	pmu_model_free(c->model);
	if (rc == -E2BIG)
		return pmu_fail(
			E2BIG,
			"the reports have more threads, or one group has more than %d counts, than "
			"a report holds; give fewer of them",
			PMU_MODEL_MAX_COUNTS);
	return pmu_fail(ENOMEM, "no memory to combine %u reports", n);
}

int pmu_model_combine(struct pmu_model *const *part, unsigned int n, enum pmu_combine how,
		      struct pmu_model **combined)
{
	struct pmu_combining c = {
		.from = part, .n_from = n, .how = how, .model = pmu_model_new()
	};

	return pmu_combining_make(&c, combined);
}
