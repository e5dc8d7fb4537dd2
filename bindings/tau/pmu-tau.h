/* SPDX-License-Identifier: BSD-3-Clause */
/* TAU's timers by pmu.h: what TAU.h has. */
#ifndef PMU_TAU_H
#define PMU_TAU_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pmu.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One for all files of a program: weak, so that a header can define them. */
#define PMU_TAU_SHARED __attribute__((weak, visibility("default")))
extern int pmu_tau_off, pmu_tau_was_off;
PMU_TAU_SHARED int pmu_tau_off, pmu_tau_was_off;

struct pmu_tau_kept {
	void *timer;
	struct pmu_tau_kept *next;
};
extern struct pmu_tau_kept *pmu_tau_all_kept;
PMU_TAU_SHARED struct pmu_tau_kept *pmu_tau_all_kept;

static inline void pmu_tau_switch(int off)
{
	if (off)
		__atomic_store_n(&pmu_tau_was_off, 1, __ATOMIC_RELAXED);
	__atomic_store_n(&pmu_tau_off, off, __ATOMIC_RELAXED);
}

static inline void pmu_tau_begin(const char *name)
{
	if (!__atomic_load_n(&pmu_tau_off, __ATOMIC_RELAXED))
		(void)pmu_region_begin(name);
}

/** pmu_tau_end() - also while switched off, of what was begun before */
static inline void pmu_tau_end(const char *name)
{
	if (__atomic_load_n(&pmu_tau_was_off, __ATOMIC_RELAXED) && pmu_region_is_open(name) <= 0)
		return;
	(void)pmu_region_end(name);
}

/**
 * pmu_tau_timer() - a timer is a copy of its name: the function's and, where it has one, its type
 * Return: NULL without memory.
 */
static inline void *pmu_tau_timer(const char *name, const char *type)
{
	int typed = type && *type && strcmp(type, " ") != 0;
	size_t size = strlen(name) + (typed ? strlen(type) : 0) + 2;
	char *text = (char *)malloc(size);

	if (text)
		snprintf(text, size, "%s%s%s", name, typed ? " " : "", typed ? type : "");
	return text;
}

/**
 * pmu_tau_create() - a timer that is in a variable of the program's alone
 *
 * Nobody gives it back: it is kept, or checkers would call it a leak once the variable is gone.
 */
static inline void *pmu_tau_create(const char *name, const char *type)
{
	struct pmu_tau_kept *kept = (struct pmu_tau_kept *)malloc(sizeof(*kept));

	if (!kept)
		return NULL;
	kept->timer = pmu_tau_timer(name, type);
	kept->next = __atomic_load_n(&pmu_tau_all_kept, __ATOMIC_RELAXED);
	while (!__atomic_compare_exchange_n(&pmu_tau_all_kept, &kept->next, kept, 1,
					    __ATOMIC_RELEASE, __ATOMIC_RELAXED)) {
	}
	return kept->timer;
}

/** pmu_tau_make() - the line is passed by any thread, again and again: the first makes the timer */
static inline void pmu_tau_make(void **timer, const char *name, const char *type)
{
	void *made, *none = NULL;

	if (__atomic_load_n(timer, __ATOMIC_ACQUIRE))
		return;
	made = pmu_tau_timer(name, type);
	if (!__atomic_compare_exchange_n(timer, &none, made, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		free(made);
}

static inline void pmu_tau_timer_begin(void **timer)
{
	pmu_tau_begin((const char *)__atomic_load_n(timer, __ATOMIC_ACQUIRE));
}

static inline void pmu_tau_timer_end(void **timer)
{
	pmu_tau_end((const char *)__atomic_load_n(timer, __ATOMIC_ACQUIRE));
}

#ifdef __cplusplus
}

/** To the end of a scope. */
class pmu_tau_scope
{
      public:
	explicit pmu_tau_scope(void **its) : timer(its)
	{
		pmu_tau_timer_begin(timer);
	}
	~pmu_tau_scope()
	{
		pmu_tau_timer_end(timer);
	}
	pmu_tau_scope(const pmu_tau_scope &) = delete;
	pmu_tau_scope &operator=(const pmu_tau_scope &) = delete;

      private:
	void **timer;
};
#endif

#endif
