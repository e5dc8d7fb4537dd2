/* SPDX-License-Identifier: BSD-3-Clause */
/* The places in the program that have had to wait, by where the call returns to. */
#include "bindings/preload/locks/waits.h"

#include <errno.h>
#include <stdio.h>

#include "base/hash.h"
#include "bindings/preload/inside.h"
#include "bindings/preload/keep.h"
#include "bindings/preload/preload.h"
#include "bindings/preload/symbols/seen.h"
#include "bindings/preload/symbols/symbols.h"
#include "bindings/preload/wrap/call.h"

/* One call of the program's text.  It stays as long as the process. */
struct place {
	const void *from;
	uintptr_t function, stub; /* what is called; what is called in its place */
	struct preload_seen seen;
	struct place *next; /* in its bucket */
};

/* Calls of which none is a region: too many others are. */
static bool left_out;

#define BUCKETS 256u
static struct place *table[BUCKETS];

/* The program's ThreadSanitizer sees names copied and read by libc's functions, but not what orders that here. */
extern __attribute__((weak, visibility("default"))) void __tsan_acquire(void *address);
extern __attribute__((weak, visibility("default"))) void __tsan_release(void *address);

static struct place **bucket_of(const void *from)
{
	return &table[pmu_hash_number((uintptr_t)from) % BUCKETS];
}

static struct place *find(const void *from, uintptr_t function)
{
	/* pairs with the release store in add() */
	struct place *place = __atomic_load_n(bucket_of(from), __ATOMIC_ACQUIRE);

	while (place && (place->from != from || place->function != function))
		place = place->next;
	if (place && unlikely(__tsan_acquire))
		__tsan_acquire(place);
	return place;
}

static uintptr_t add(const struct place *draft)
{
	struct place **bucket = bucket_of(draft->from), *place = NULL;

	if (!preload_lock())
		return 0;
	place = preload_keep(sizeof(*place));
	if (place) {
		*place = *draft;
		place->next = *bucket;
		if (__tsan_release)
			__tsan_release(place);
		__atomic_store_n(bucket, place, __ATOMIC_RELEASE);
	}
	preload_unlock();
	return draft->stub;
}

/* Another thread that does the same gets the same stub. */
static PRELOAD_COLD uintptr_t meet(const char *what, uintptr_t function, const void *from)
{
	struct place draft = { .from = from, .function = function, .seen = preload_seen_now() };
	struct preload_place place;
	char name[PMU_NAME_MAX + 1];
	int saved = errno;
	uintptr_t stub = 0;

	/* it may be a function's end that the call returns to: the byte before is inside */
	if (!preload_place_find((const char *)from - 1, &place)) {
		snprintf(name, sizeof(name), "wait (%s) %s", what, place.name);
		draft.seen.object = place.object;
		draft.stub = wrap_call_add(function, name);
		if (!draft.stub)
			__atomic_store_n(&left_out, true, __ATOMIC_RELAXED);
		stub = add(&draft);
	}
	errno = saved;
	return stub;
}

void preload_locks_end(void)
{
	char text[128];

	if (!__atomic_load_n(&left_out, __ATOMIC_RELAXED))
		return;
	snprintf(text, sizeof(text),
		 "calls that wait for locks are regions up to %u: the rest was left out",
		 wrap_call_max());
	pmu_note(text);
}

uintptr_t wait_call(const char *what, uintptr_t function, const void *from)
{
	struct place *place;
	uintptr_t stub;

	if (!preload_on(PRELOAD_LOCKS))
		return function;
	place = find(from, function);
	if (unlikely(place && !preload_is_current(&place->seen)) &&
	    !preload_seen_again(&place->seen, from))
		place = NULL;
	stub = likely(place) ? place->stub : meet(what, function, from);
	return stub ? stub : function;
}
