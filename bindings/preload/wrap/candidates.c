/* SPDX-License-Identifier: BSD-3-Clause */
/* A list that grows while the loader's lock is held, where malloc() may not be called. */
#include "bindings/preload/wrap/candidates.h"

#include <stdlib.h>
#include <string.h>

#include "bindings/preload/keep.h"

#define TEXT_SIZE ((size_t)64 << 10)

static bool make_room(struct candidates *all)
{
	size_t room = all->room ? 2 * all->room : 128;
	struct candidate *more;

	if (all->n < all->room)
		return true;
	more = preload_map(room * sizeof(*more));
	if (!more)
		return false;
	if (all->at) {
		memcpy(more, all->at, all->n * sizeof(*more));
		preload_unmap(all->at, all->room * sizeof(*more));
	}
	all->at = more;
	all->room = room;
	return true;
}

static bool copy_text(struct candidates *all, const char **text)
{
	size_t size = *text ? strlen(*text) + 1 : 0;
	struct candidates_text *block = all->text;

	if (!*text)
		return true;
	if (size > TEXT_SIZE - sizeof(*block))
		return false;
	if (!block || TEXT_SIZE - block->used < size) {
		block = preload_map(TEXT_SIZE);
		if (!block)
			return false;
		*block = (struct candidates_text){ .before = all->text, .used = sizeof(*block) };
		all->text = block;
	}
	*text = memcpy((char *)block + block->used, *text, size);
	block->used += size;
	return true;
}

bool candidates_add(struct candidates *all, const struct candidate *candidate)
{
	struct candidate copy = *candidate;

	if (!make_room(all) || !copy_text(all, &copy.name) || !copy_text(all, &copy.version) ||
	    !copy_text(all, &copy.object))
		return false;
	all->at[all->n++] = copy;
	return true;
}

void candidates_free(struct candidates *all)
{
	for (size_t i = 0; i < all->n; i++)
		free(all->at[i].demangled);
	while (all->text) {
		struct candidates_text *block = all->text;

		all->text = block->before;
		preload_unmap(block, TEXT_SIZE);
	}
	if (all->at)
		preload_unmap(all->at, all->room * sizeof(*all->at));
	*all = (struct candidates){ .n = 0 };
}
