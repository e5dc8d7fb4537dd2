/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Caliper's annotations by pmu.h: what cali.h has.  A thread's values are in a stack, for ends do
 * not say what they end but of which attribute it is.
 */
#ifndef PMU_CALIPER_H
#define PMU_CALIPER_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <pmu.h>

/** Most attributes of a program, and values open in a thread: more are no regions. */
#define PMU_CALIPER_ATTRIBUTES 256
#define PMU_CALIPER_DEPTH      256

#ifdef __cplusplus
extern "C" {
#endif

enum {
	PMU_CALIPER_REGION,
	PMU_CALIPER_FUNCTION,
	PMU_CALIPER_LOOP,
	PMU_CALIPER_ANNOTATION,
	PMU_CALIPER_STATEMENT,
	PMU_CALIPER_PHASE,
	PMU_CALIPER_COMM,
	PMU_CALIPER_OWN /* above are those that stand before no name */
};

/* One for all files of a program: weak, so that a header can define them. */
#define PMU_CALIPER_SHARED __attribute__((weak, visibility("default")))
struct pmu_caliper_attributes {
	int lock;
	uint32_t n; /* beside Caliper's own; stored with release behind the name */
	const char *name[PMU_CALIPER_ATTRIBUTES];
};
extern struct pmu_caliper_attributes pmu_caliper_attributes;
PMU_CALIPER_SHARED struct pmu_caliper_attributes pmu_caliper_attributes;

/** What a thread has open: the attribute, and the region's name; NULL: none, a number. */
struct pmu_caliper_open {
	uint64_t attribute;
	char *name;
};
struct pmu_caliper_stack {
	uint32_t n, beyond;
	struct pmu_caliper_open open[PMU_CALIPER_DEPTH];
};
extern __thread struct pmu_caliper_stack pmu_caliper_stack;
PMU_CALIPER_SHARED __thread struct pmu_caliper_stack pmu_caliper_stack;

static inline const char *pmu_caliper_own(uint64_t id)
{
	static const char *const own[] = { "region",    "function", "loop",       "annotation",
					   "statement", "phase",    "comm.region" };

	return id < PMU_CALIPER_OWN ? own[id] : NULL;
}

/** pmu_caliper_attribute_name() - NULL: there is no such attribute */
static inline const char *pmu_caliper_attribute_name(uint64_t id)
{
	struct pmu_caliper_attributes *all = &pmu_caliper_attributes;

	if (id < PMU_CALIPER_OWN)
		return pmu_caliper_own(id);
	id -= PMU_CALIPER_OWN;
	return id < __atomic_load_n(&all->n, __ATOMIC_ACQUIRE) ? all->name[id] : NULL;
}

/** pmu_caliper_find() - UINT64_MAX: none of that name */
static inline uint64_t pmu_caliper_find(const char *name)
{
	const char *known;

	for (uint64_t id = 0; (known = pmu_caliper_attribute_name(id)); id++)
		if (!strcmp(known, name))
			return id;
	return UINT64_MAX;
}

static inline uint64_t pmu_caliper_create(const char *name)
{
	struct pmu_caliper_attributes *all = &pmu_caliper_attributes;
	uint64_t id = pmu_caliper_find(name);

	if (id != UINT64_MAX)
		return id;
	while (__atomic_exchange_n(&all->lock, 1, __ATOMIC_ACQUIRE)) {
	}
	id = pmu_caliper_find(name);
	if (id == UINT64_MAX && all->n < PMU_CALIPER_ATTRIBUTES &&
	    (all->name[all->n] = strdup(name))) {
		id = PMU_CALIPER_OWN + (uint64_t)all->n;
		__atomic_store_n(&all->n, all->n + 1, __ATOMIC_RELEASE);
	}
	__atomic_store_n(&all->lock, 0, __ATOMIC_RELEASE);
	return id;
}

/** pmu_caliper_push() - @text: the region; NULL: a number */
static inline void pmu_caliper_push(uint64_t id, const char *domain, const char *text)
{
	struct pmu_caliper_stack *self = &pmu_caliper_stack;
	size_t front = domain ? strlen(domain) + 1 : 0;
	char *name = NULL;

	if (self->n == PMU_CALIPER_DEPTH) {
		self->beyond++;
		return;
	}
	if (text && *text && (name = (char *)malloc(front + strlen(text) + 1))) {
		if (front) {
			memcpy(name, domain, front - 1);
			name[front - 1] = ':';
		}
		strcpy(name + front, text);
	}
	self->open[self->n].attribute = id;
	self->open[self->n].name = name;
	self->n++;
	if (name)
		(void)pmu_region_begin(name);
}

/** pmu_caliper_begin() - a value: a region where it is a text, with the attribute before it */
static inline void pmu_caliper_begin(uint64_t id, const char *text)
{
	pmu_caliper_push(id, id < PMU_CALIPER_OWN ? NULL : pmu_caliper_attribute_name(id), text);
}

/** pmu_caliper_begin_flag() - an attribute without a value is a region */
static inline void pmu_caliper_begin_flag(uint64_t id)
{
	pmu_caliper_push(id, NULL, pmu_caliper_attribute_name(id));
}

/** pmu_caliper_end() - the innermost value of an attribute */
static inline void pmu_caliper_end(uint64_t id)
{
	struct pmu_caliper_stack *self = &pmu_caliper_stack;
	uint32_t at = self->n;
	char *name;

	if (self->beyond) {
		self->beyond--;
		return;
	}
	while (at && self->open[at - 1].attribute != id)
		at--;
	if (!at)
		return;
	name = self->open[at - 1].name;
	self->n--;
	memmove(&self->open[at - 1], &self->open[at], (self->n - (at - 1)) * sizeof(self->open[0]));
	if (name)
		(void)pmu_region_end(name);
	free(name);
}

#ifdef __cplusplus
}
#endif

#endif
