/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts what belongs to sockets: boxes of one kind are added up, each read by one system call. */
#include "counters/perf/socket.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "counters/perf/box.h"
#include "counters/perf/places.h"
#include "counters/perf/system.h"
#include "counters/perf/why.h"

/* 2^64: where a count no longer fits */
#define BEYOND 18446744073709551616.0L

/* A box on one socket. */
struct part {
	struct pmu_perf_group group;
	unsigned int socket;
	uint32_t lost; /* enum pmu_source_lost; relaxed */
	bool told;
	char name[PMU_BOX_NAME_MAX];
};

struct pmu_perf_sockets {
	pid_t pid;
	struct pmu_plan plan; /* socket slots alone */
	struct pmu_perf_places places;
	unsigned int n_parts;
	struct part *part;
};

/* --- the session --- */

static int fail_box(const struct pmu_plan *plan, uint32_t slots, const struct pmu_box *box, int cpu,
		    int rc)
{
	struct pmu_probe probe = { .why = "" };

	pmu_perf_box_explain(plan, slots, pmu_perf_same_refusal(rc),
			     (unsigned int)__builtin_ctz(slots), &probe);
	return pmu_fail(rc, "cannot count %s on CPU %d: %s%s%s", box->name, cpu, probe.why,
			probe.mend[0] ? "; " : "", probe.mend);
}

static int add_box_part(struct pmu_perf_sockets *sockets, uint32_t slots, const struct pmu_box *box,
			int cpu, const struct pmu_fd_limit *limit)
{
	struct part *part = &sockets->part[sockets->n_parts];
	int rc, socket = pmu_perf_places_of(&sockets->places, cpu);

	if (socket < 0)
		return pmu_fail(
			ENODEV,
			"cannot count %s: its cpumask has CPU %d, whose socket is not known",
			box->name, cpu);
	rc = pmu_perf_box_open(&sockets->plan, slots, box, cpu, limit, &part->group);
	if (rc)
		return fail_box(&sockets->plan, slots, box, cpu, rc);
	snprintf(part->name, sizeof(part->name), "%s", box->name);
	part->socket = (unsigned int)socket;
	sockets->n_parts++;
	return 0;
}

static int add_socket_boxes(struct pmu_perf_sockets *sockets, uint32_t slots,
			    const struct pmu_perf_boxes *boxes, const struct pmu_fd_limit *limit)
{
	struct part *more;
	size_t n = 0;
	int rc = 0;

	for (size_t i = 0; i < boxes->n; i++)
		n += boxes->box[i].n_cpus;
	more = realloc(sockets->part, (sockets->n_parts + n) * sizeof(*more));
	if (!more)
		return pmu_fail(ENOMEM, "no memory for %zu counters of sockets", n);
	memset(more + sockets->n_parts, 0, n * sizeof(*more));
	sockets->part = more;
	for (size_t i = 0; i < boxes->n && !rc; i++)
		for (unsigned int k = 0; k < boxes->box[i].n_cpus && !rc; k++)
			rc = add_box_part(sockets, slots, &boxes->box[i], boxes->box[i].cpu[k],
					  limit);
	return rc;
}

static int open_pmu(struct pmu_perf_sockets *sockets, uint32_t slots,
		    const struct pmu_fd_limit *limit)
{
	const struct pmu_slot *slot = &sockets->plan.slot[__builtin_ctz(slots)];
	struct pmu_probe why = { .why = "" };
	struct pmu_perf_boxes boxes;
	int rc = pmu_perf_boxes_find(&sockets->plan, slots, &boxes, &why);

	if (rc)
		rc = pmu_fail(rc, "cannot count %s: %s", pmu_perf_pmu_of(slot),
			      why.why[0] ? why.why : strerror(-rc));
	else
		rc = add_socket_boxes(sockets, slots, &boxes, limit);
	free(boxes.box);
	return rc;
}

static int open_all_boxes(struct pmu_perf_sockets *sockets)
{
	struct pmu_fd_limit limit;
	int rc = 0;

	pmu_fd_begin(&limit);
	for (uint32_t left = pmu_perf_wanted(&sockets->plan), slots; left && !rc; left &= ~slots) {
		slots = pmu_perf_same_pmu(&sockets->plan, left);
		rc = open_pmu(sockets, slots, &limit);
	}
	pmu_fd_end();
	return rc;
}

int pmu_perf_sockets_open(const struct pmu_plan *plan, struct pmu_perf_sockets **result)
{
	struct pmu_perf_sockets *sockets;
	int rc;

	*result = NULL;
	if (!pmu_perf_wanted(plan))
		return 0;
	sockets = calloc(1, sizeof(*sockets));
	if (!sockets)
		return pmu_fail(ENOMEM, "no memory for the counters of sockets");
	sockets->pid = getpid();
	sockets->plan = *plan;
	sockets->plan.absent |= pmu_plan_mask(plan) & ~pmu_plan_sockets(plan);
	rc = pmu_perf_places_find(pmu_perf_system->cpus, &sockets->places);
	if (!rc)
		rc = open_all_boxes(sockets);
	if (rc)
		pmu_perf_sockets_close(sockets);
	else
		*result = sockets;
	return rc;
}

static void close_box_parts(struct pmu_perf_sockets *sockets)
{
	for (unsigned int i = 0; i < sockets->n_parts; i++)
		pmu_perf_group_close(&sockets->part[i].group);
}

void pmu_perf_sockets_close(struct pmu_perf_sockets *sockets)
{
	if (!sockets)
		return;
	close_box_parts(sockets);
	pmu_perf_places_free(&sockets->places);
	free(sockets->part);
	free(sockets);
}

void pmu_perf_sockets_child(struct pmu_perf_sockets *sockets)
{
	if (sockets && sockets->pid != getpid())
		close_box_parts(sockets);
}

/* --- counts --- */

unsigned int pmu_perf_sockets_count(const struct pmu_perf_sockets *sockets)
{
	return sockets ? sockets->places.n : 0;
}

unsigned int pmu_perf_sockets_groups(const struct pmu_perf_sockets *sockets)
{
	return sockets ? sockets->n_parts : 0;
}

int pmu_perf_sockets_of(const struct pmu_perf_sockets *sockets, int cpu)
{
	return sockets ? pmu_perf_places_of(&sockets->places, cpu) : -1;
}

bool pmu_perf_scale(uint64_t raw, double scale, uint64_t *count)
{
	long double scaled;

	if (scale == 0) {
		*count = raw;
		return true;
	}
	scaled = (long double)raw * (long double)scale + 0.5L;
	/* also where it is no number */
	if (!(scaled >= 0 && scaled < BEYOND))
		return false;
	*count = (uint64_t)scaled;
	return true;
}

/* Return: the part's slots that were added to @total; what is lost stays so. */
static uint32_t add_counts(struct part *part, uint64_t *total)
{
	enum pmu_source_lost lost = __atomic_load_n(&part->lost, __ATOMIC_RELAXED);
	struct pmu_perf_values got;
	uint32_t slots = 0;

	if (!lost)
		lost = pmu_perf_group_read(&part->group, &got);
	if (!lost && got.enabled_ns != got.running_ns)
		lost = PMU_SOURCE_TAKEN;
	for (uint32_t i = 0; i < part->group.n && !lost; i++) {
		total[part->group.slot[i]] += got.value[i];
		slots |= 1u << part->group.slot[i];
	}
	if (lost)
		__atomic_store_n(&part->lost, lost, __ATOMIC_RELAXED);
	return slots;
}

static uint32_t slots_of(const struct part *part)
{
	uint32_t slots = 0;

	for (uint32_t i = 0; i < part->group.n; i++)
		slots |= 1u << part->group.slot[i];
	return slots;
}

/*
 * A sum that lacks one box is none.  Rounded from the sum of all counts: what is rounded off never
 * adds up.
 */
uint32_t pmu_perf_sockets_read(struct pmu_perf_sockets *sockets, unsigned int socket,
			       uint64_t *value)
{
	uint64_t total[PMU_MAX_SLOTS] = { 0 };
	uint32_t counted = 0, partial = 0;

	for (unsigned int i = 0; i < sockets->n_parts; i++) {
		struct part *part = &sockets->part[i];
		uint32_t added;

		if (part->socket != socket)
			continue;
		added = add_counts(part, total);
		counted |= added;
		partial |= slots_of(part) & ~added;
	}
	counted &= ~partial;
	for (uint32_t left = counted; left; left &= left - 1) {
		int slot = __builtin_ctz(left);

		if (!pmu_perf_scale(total[slot], sockets->plan.slot[slot].scale, &value[slot]))
			counted &= ~(1u << slot);
	}
	return pmu_plan_mask(&sockets->plan) & ~counted;
}

/* What fails on one box fails on all of them as a rule: one is reported, the others counted. */
bool pmu_perf_sockets_remark(struct pmu_perf_sockets *sockets, char *text, size_t size)
{
	const struct part *first = NULL;
	unsigned int others = 0;
	char more[48] = "";

	for (unsigned int i = 0; sockets && i < sockets->n_parts; i++) {
		struct part *part = &sockets->part[i];

		if (part->told || !__atomic_load_n(&part->lost, __ATOMIC_RELAXED))
			continue;
		part->told = true;
		others += first != NULL;
		first = first ? first : part;
	}
	if (!first)
		return false;
	if (others)
		snprintf(more, sizeof(more), " (and %u others)", others);
	snprintf(text, size, "%s%s: %s; what it counts is missing from then on", first->name, more,
		 __atomic_load_n(&first->lost, __ATOMIC_RELAXED) == PMU_SOURCE_CLOSED
			 ? "the program closed our descriptors"
			 : "its counters were given to something else");
	return true;
}
