/* SPDX-License-Identifier: BSD-3-Clause */
/* A table that only grows: readers need no lock. */
#include <stddef.h>

#include "bindings/annotations/handles.h"
#include "bindings/preload/keep.h"

struct annotation_handle {
	uint64_t handle;
	const char *name; /* stored behind the handle, with release; NULL: free */
};

/* Fibonacci hashing (Knuth, The Art of Computer Programming, vol. 3, section 6.4): its upper bits. */
static unsigned int place(uint64_t handle)
{
	return (unsigned int)(handle * 0x9e3779b97f4a7c15u >> 48) & (ANNOTATION_HANDLES - 1);
}

const char *annotation_handle_name(const struct annotation_handles *handles, uint64_t handle)
{
	struct annotation_handle *entry = __atomic_load_n(&handles->entry, __ATOMIC_ACQUIRE);
	const char *name;

	if (!entry)
		return NULL;
	for (unsigned int i = place(handle);; i = (i + 1) & (ANNOTATION_HANDLES - 1)) {
		name = __atomic_load_n(&entry[i].name, __ATOMIC_ACQUIRE);
		if (!name || entry[i].handle == handle)
			return name;
	}
}

static void add(struct annotation_handles *handles, uint64_t handle, const char *name)
{
	struct annotation_handle *entry = handles->entry;
	unsigned int i = place(handle);

	if (!entry) {
		entry = preload_map(ANNOTATION_HANDLES * sizeof(*entry));
		if (!entry)
			return;
		__atomic_store_n(&handles->entry, entry, __ATOMIC_RELEASE);
	}
	while (entry[i].name && entry[i].handle != handle)
		i = (i + 1) & (ANNOTATION_HANDLES - 1);
	if (!entry[i].name) {
		/* a search ends at a free one */
		if (handles->n >= ANNOTATION_HANDLES / 4 * 3)
			return;
		handles->n++;
		entry[i].handle = handle;
	}
	__atomic_store_n(&entry[i].name, name, __ATOMIC_RELEASE);
}

void annotation_handle_set(struct annotation_handles *handles, uint64_t handle, const char *name)
{
	if (!name || !preload_lock())
		return;
	add(handles, handle, name);
	preload_unlock();
}
