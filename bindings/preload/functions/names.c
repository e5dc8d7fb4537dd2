/* SPDX-License-Identifier: BSD-3-Clause */
/* What measured functions are called: each name is kept once, for good. */
#include "bindings/preload/functions/names.h"

#include <string.h>

#include "base/hash.h"
#include "bindings/preload/keep.h"

#define N_BUCKETS 4096u

/* Both under preload_lock(); names are read without it too. */
static struct preload_name *names; /* the last one */
static struct bucket {
	struct preload_name *name;
	struct bucket *next;
} * buckets[N_BUCKETS];

const struct preload_name *preload_names(void)
{
	return __atomic_load_n(&names, __ATOMIC_ACQUIRE);
}

struct preload_name *preload_name_of(const char *text, bool is_wanted)
{
	size_t len = strlen(text);
	struct bucket **bucket = &buckets[pmu_hash_text(text, len) % N_BUCKETS], *entry;
	struct preload_name *name;

	for (entry = *bucket; entry; entry = entry->next)
		if (!strcmp(entry->name->text, text))
			return entry->name;
	name = preload_keep(sizeof(*name) + len + 1);
	entry = preload_keep(sizeof(*entry));
	if (!name || !entry)
		return NULL;
	memcpy(name->text, text, len);
	name->next = names;
	name->number = names ? names->number + 1 : 0;
	name->is_wanted = is_wanted;
	*entry = (struct bucket){ name, *bucket };
	*bucket = entry;
	__atomic_store_n(&names, name, __ATOMIC_RELEASE);
	return name;
}
