/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Several sources as one: one counts what threads do and what else is its own, the others count for
 * sockets beside it.
 */
#include "counters/several.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/error.h"

#define MOST_PARTS 4

struct part {
	const struct pmu_backend *backend;
	void *state;
	uint32_t slots;       /* that it counts for sockets */
	struct pmu_plan plan; /* others' slots are absent */
};

struct several {
	struct part part[MOST_PARTS]; /* the first one is the plan's main source */
	unsigned int n;
	uint32_t all;
	const struct part *places; /* whose sockets they are; NULL: there are none */
	char remark[448];          /* a sentence that is still to be said; "" */
};

/* --- the session --- */

static int open_part(struct several *several, const struct pmu_backend *backend,
		     const struct pmu_plan *plan, uint32_t slots)
{
	struct part *part = &several->part[several->n];
	int rc;

	part->backend = backend;
	part->plan = *plan;
	part->plan.main = NULL;
	part->plan.absent |= pmu_plan_mask(plan) & ~slots;
	part->slots = pmu_plan_sockets(plan) & ~part->plan.absent;
	rc = backend->open(&part->state, &part->plan);
	several->n += !rc;
	return rc;
}

static unsigned int sockets_of(const struct part *part)
{
	return part->backend->sockets ? part->backend->sockets(part->state) : 0;
}

/* What a sentence says is missing, for good. */
static void lose_slots(struct several *several, struct part *part, const char *why)
{
	part->slots = 0;
	snprintf(several->remark, sizeof(several->remark), "%s counts nothing: %.400s",
		 part->backend->name, why);
}

/*
 * A row is a socket's: what one part knows as a single place and another one as several can be in
 * none of them.
 */
static void find_places(struct several *several)
{
	for (unsigned int i = 0; i < several->n; i++) {
		struct part *part = &several->part[i];

		if (!sockets_of(part))
			continue;
		if (!several->places)
			several->places = part;
		else if (sockets_of(part) != sockets_of(several->places))
			lose_slots(
				several, part,
				"its counts are no single socket's, and the group has such: put them "
				"in a group of their own");
	}
}

static int several_open(void **state, const struct pmu_plan *plan)
{
	struct several *several = calloc(1, sizeof(*several));
	int rc;

	if (!several)
		return pmu_fail(ENOMEM, "no memory for several sources");
	several->all = pmu_plan_mask(plan);
	rc = open_part(several, plan->main, plan,
		       several->all & ~pmu_backend_beside(plan->main, plan));
	if (rc) {
		free(several);
		return rc;
	}
	for (int i = 0; pmu_backends[i]; i++) {
		uint32_t slots = pmu_plan_kinds(plan, pmu_backends[i]->beside) & ~plan->absent;

		if (slots && pmu_backends[i] != plan->main && several->n < MOST_PARTS &&
		    open_part(several, pmu_backends[i], plan, slots))
			lose_slots(several, &several->part[several->n], pmu_error_text());
	}
	find_places(several);
	*state = several;
	return 0;
}

static void several_close(void *state)
{
	struct several *several = state;

	while (several->n-- > 0)
		several->part[several->n].backend->close(several->part[several->n].state);
	free(several);
}

static int several_put_back(void *state)
{
	const struct several *several = state;
	int first = 0;

	for (unsigned int i = 0; i < several->n; i++) {
		const struct part *part = &several->part[i];
		int rc = part->backend->put_back ? part->backend->put_back(part->state) : 0;

		first = first ? first : rc;
	}
	return first;
}

static void several_child(void *state)
{
	const struct several *several = state;

	for (unsigned int i = 0; i < several->n; i++)
		if (several->part[i].backend->child)
			several->part[i].backend->child(several->part[i].state);
}

/* --- threads: the main source's own, but for what needs its state --- */

static int several_attach(void *state, void *thread, int cpu, pmu_read_fn **read,
			  struct pmu_attachment *got)
{
	const struct part *main = &((const struct several *)state)->part[0];

	return main->backend->attach(main->state, thread, cpu, read, got);
}

/* --- sockets --- */

static unsigned int several_sockets(void *state)
{
	const struct several *several = state;

	return several->places ? sockets_of(several->places) : 0;
}

static int several_socket_of(void *state, int cpu)
{
	const struct part *places = ((const struct several *)state)->places;

	return places ? places->backend->socket_of(places->state, cpu) : -1;
}

static uint32_t several_read_socket(void *state, unsigned int socket, uint64_t *value)
{
	const struct several *several = state;
	uint32_t missing = several->all;

	for (unsigned int i = 0; i < several->n; i++) {
		const struct part *part = &several->part[i];

		if (part->slots)
			missing &= ~part->slots |
				   part->backend->read_socket(part->state, socket, value);
	}
	return missing;
}

static uint32_t several_spoiled_socket(void *state, unsigned int socket)
{
	const struct several *several = state;
	uint32_t spoiled = 0;

	for (unsigned int i = 0; i < several->n; i++) {
		const struct part *part = &several->part[i];

		if (part->slots && part->backend->spoiled_socket)
			spoiled |= part->slots & part->backend->spoiled_socket(part->state, socket);
	}
	return spoiled;
}

/* --- words --- */

static bool several_remark(void *state, char *text, size_t size)
{
	struct several *several = state;

	if (several->remark[0]) {
		snprintf(text, size, "%s", several->remark);
		several->remark[0] = '\0';
		return true;
	}
	for (unsigned int i = 0; i < several->n; i++) {
		const struct part *part = &several->part[i];

		if (part->backend->remark && part->backend->remark(part->state, text, size))
			return true;
	}
	return false;
}

static void several_describe(void *state, char *text, size_t size)
{
	const struct several *several = state;
	size_t len = 0;

	text[0] = '\0';
	for (unsigned int i = 0; i < several->n && len + 8 < size; i++) {
		const struct part *part = &several->part[i];

		if (i)
			snprintf(text + len, size - len, "; %s: ", part->backend->name);
		len = strlen(text);
		part->backend->describe(part->state, text + len, size - len);
		len = strlen(text);
	}
}

/* --- the sources there are --- */

struct joined {
	struct pmu_backend backend;
	const struct pmu_backend *main;
	uint32_t beside;
	char name[64];
};

static void join(struct joined *joined, const struct pmu_backend *main, uint32_t beside)
{
	struct pmu_backend *backend = &joined->backend;

	joined->main = main;
	joined->beside = beside;
	snprintf(joined->name, sizeof(joined->name), "%s", main->name);
	for (int i = 0; pmu_backends[i]; i++) {
		size_t len = strlen(joined->name);

		if (pmu_backends[i]->beside & beside)
			snprintf(joined->name + len, sizeof(joined->name) - len, "+%s",
				 pmu_backends[i]->name);
	}
	/* what gets a thread's part alone is the main source's own; no detach() uses its state */
	*backend = *main;
	backend->name = joined->name;
	backend->open = several_open;
	backend->close = several_close;
	backend->put_back = main->put_back ? several_put_back : NULL;
	backend->attach = several_attach;
	backend->describe = several_describe;
	backend->sockets = several_sockets;
	backend->socket_of = several_socket_of;
	backend->read_socket = several_read_socket;
	backend->spoiled_socket = several_spoiled_socket;
	backend->remark = several_remark;
	backend->child = several_child;
	backend->by_hand = NULL;
	backend->end = NULL;
}

const struct pmu_backend *pmu_backend_several(const struct pmu_backend *main, uint32_t beside)
{
	static struct joined joined[8];

	for (size_t i = 0; i < PMU_ARRAY_LEN(joined); i++) {
		if (!joined[i].main)
			join(&joined[i], main, beside);
		if (joined[i].main == main && joined[i].beside == beside)
			return &joined[i].backend;
	}
	return NULL;
}
