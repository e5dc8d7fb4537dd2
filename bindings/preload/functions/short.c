/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Each thread judges a function by its first calls there, and forgets what it did if that was too
 * short.
 */
#include "bindings/preload/functions/short.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bindings/preload/functions/filter.h"
#include "bindings/preload/keep.h"
#include "bindings/preload/preload.h"

/* Calls of a thread before it judges a function, and before it tries again where it cannot. */
#define CALLS_TO_JUDGE 1000u
#define CALLS_TO_RETRY 100u
#define FIRST_CALLS    1024u
/* Names in the note, and its length: see pmu_note(). */
#define NAMED_MAX 10
#define NOTE_MAX  255

uint64_t preload_min_time_ns;
static char min_time[64]; /* as it was given, "" not at all */
static bool is_wrong;

void preload_short_start(void)
{
	const char *text = getenv("PMU_MIN_TIME");

	if (!text || !*text)
		return;
	snprintf(min_time, sizeof(min_time), "%s", text);
	is_wrong = !preload_filter_time(text, &preload_min_time_ns);
}

void preload_short_end(struct preload_calls *self)
{
	if (self->calls)
		preload_unmap(self->calls, self->n * sizeof(*self->calls));
	*self = (struct preload_calls){ 0 };
}

static uint32_t *calls_of(struct preload_calls *self, const struct preload_name *name)
{
	size_t n = self->n ? self->n : FIRST_CALLS;
	uint32_t *calls;

	if (likely(name->number < self->n))
		return &self->calls[name->number];
	while (n <= name->number)
		n *= 2;
	calls = preload_map(n * sizeof(*calls));
	if (!calls)
		return NULL;
	if (self->calls) {
		memcpy(calls, self->calls, self->n * sizeof(*calls));
		preload_unmap(self->calls, self->n * sizeof(*self->calls));
	}
	self->calls = calls;
	self->n = n;
	return &calls[name->number];
}

/* What is open further out on the stack cannot be forgotten now. */
static __attribute__((cold)) uint32_t judge(struct preload_calls *self, struct preload_name *name)
{
	struct pmu_region_counts counts = { .size = sizeof(counts) };

	if (pmu_region_read(name->text, PMU_THREAD_SELF, &counts) || !counts.calls)
		return CALLS_TO_JUDGE - CALLS_TO_RETRY;
	if (counts.time_ns / counts.calls >= preload_min_time_ns)
		return PRELOAD_KEPT;
	if (pmu_region_reset(name->text))
		return CALLS_TO_JUDGE - CALLS_TO_RETRY;
	self->n_left_out++;
	__atomic_store_n(&name->is_left_out, true, __ATOMIC_RELAXED);
	return PRELOAD_LEFT_OUT;
}

void preload_short_count(struct preload_calls *self, struct preload_name *name)
{
	uint32_t *calls = calls_of(self, name);

	if (calls && *calls < CALLS_TO_JUDGE && ++*calls == CALLS_TO_JUDGE)
		*calls = judge(self, name);
}

/* --- the note --- */

static bool was_left_out(const struct preload_name *name)
{
	return __atomic_load_n(&name->is_left_out, __ATOMIC_RELAXED);
}

static void note_left_out(void)
{
	char text[NOTE_MAX + 1], tail[] = " and 1000000 more";
	size_t len = (size_t)snprintf(text, sizeof(text), "PMU_MIN_TIME=%s left out", min_time),
	       n = 0, named = 0;

	for (const struct preload_name *name = preload_names(); name; name = name->next) {
		if (!was_left_out(name))
			continue;
		n++;
		if (named == NAMED_MAX ||
		    len + strlen(name->text) + strlen(", ") + sizeof(tail) > sizeof(text))
			continue;
		len += (size_t)sprintf(text + len, "%s%s", named ? ", " : " ", name->text);
		named++;
	}
	if (n > named)
		snprintf(text + len, sizeof(text) - len, named ? " and %zu more" : " %zu functions",
			 n - named);
	if (n)
		pmu_note(text);
}

void preload_short_note(void)
{
	char text[NOTE_MAX + 1];

	if (!is_wrong) {
		note_left_out();
		return;
	}
	snprintf(text, sizeof(text),
		 "PMU_MIN_TIME=%s is no time, as 500ns, 10us, 1ms are: nothing was left out",
		 min_time);
	pmu_note(text);
}
