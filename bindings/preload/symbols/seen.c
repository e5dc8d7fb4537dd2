/* SPDX-License-Identifier: BSD-3-Clause */
/* What goes away, and what has not. */
#include "bindings/preload/symbols/seen.h"

#include <dlfcn.h>
#include <stddef.h>

#include "bindings/preload/preload.h"
#include "bindings/preload/symbols/symbols.h"

unsigned int preload_unloads;

bool preload_seen_again(struct preload_seen *seen, const void *address)
{
	struct preload_seen now = preload_seen_now();

	if (address && preload_place_object(address) != seen->object)
		return false;
	__atomic_store_n(&seen->unloads, now.unloads, __ATOMIC_RELAXED);
	return true;
}

static struct preload_behind behind_dlclose = { "dlclose", NULL };

__attribute__((constructor(101))) static void find_behind(void)
{
	preload_behind_find(&behind_dlclose, 1);
}

PRELOAD_STANDS_IN int dlclose(void *handle)
{
	__typeof__(&dlclose) next = (__typeof__(&dlclose))preload_behind(&behind_dlclose);
	int rc;

	if (unlikely(!next))
		return -1;
	rc = next(handle);
	/* release: pairs with the acquire in preload_seen_now() */
	__atomic_fetch_add(&preload_unloads, 1, __ATOMIC_RELEASE);
	return rc;
}
