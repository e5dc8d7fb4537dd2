/* SPDX-License-Identifier: BSD-3-Clause */
/* Events of the event files by their names, however these are spelled. */
#include <errno.h>
#include <stdlib.h>

#include "base/error.h"
#include "names/spelling.h"
#include "names/vendor/files.h"

static bool is_entry_called(const void *name, uintptr_t entry)
{
	return pmu_spelling_compare(((const struct pmu_vendor_entry *)entry)->name, name) <=
	       PMU_SPELLED_JOINED;
}

static bool is_respelled(const void *name, uintptr_t entry)
{
	enum pmu_spelling spelled = pmu_spelling_compare(
		((const struct pmu_vendor_entry *)entry)->name, name);

	return spelled != PMU_SPELLED_OTHERWISE;
}

static struct pmu_index_place *place_of_entry(const struct pmu_vendor_files *files, uint32_t hash,
					      const char *name)
{
	return pmu_index_find(&files->by_name, hash, is_entry_called, name);
}

static struct pmu_index_place *place_of_respelled(const struct pmu_vendor_files *files,
						  uint32_t hash, const char *name)
{
	return pmu_index_find(&files->respelled, hash, is_respelled, name);
}

const struct pmu_vendor_entry *pmu_vendor_first(const struct pmu_vendor_files *files,
						const char *name)
{
	return (const struct pmu_vendor_entry *)place_of_entry(files, pmu_spelling_hash(name), name)
		->thing;
}

const struct pmu_vendor_entry *pmu_vendor_first_respelled(const struct pmu_vendor_files *files,
							  const char *name)
{
	uint32_t hash = pmu_spelling_hash_respelled(name);

	return (const struct pmu_vendor_entry *)place_of_respelled(files, hash, name)->thing;
}

/* Return: the one that was first before. */
static const struct pmu_vendor_entry *put_first(struct pmu_index *index,
						struct pmu_index_place *place, uint32_t hash,
						const struct pmu_vendor_entry *entry)
{
	const struct pmu_vendor_entry *before = (const struct pmu_vendor_entry *)place->thing;

	if (before)
		place->thing = (uintptr_t)entry;
	else
		pmu_index_take(index, place, hash, (uintptr_t)entry);
	return before;
}

static void put_entry(struct pmu_vendor_files *files, struct pmu_vendor_entry *entry)
{
	const char *name = entry->name;
	uint32_t hash = pmu_spelling_hash(name), respelled = pmu_spelling_hash_respelled(name);

	entry->outline = pmu_word_outline(name);
	entry->next = put_first(&files->by_name, place_of_entry(files, hash, name), hash, entry);
	entry->next_respelled = put_first(
		&files->respelled, place_of_respelled(files, respelled, name), respelled, entry);
}

int pmu_vendor_index(struct pmu_vendor_files *files)
{
	uint32_t n = 0;

	for (unsigned int i = 0; i < files->n_files; i++)
		n += files->file[i].n;
	files->entry = calloc((size_t)n + 1, sizeof(struct pmu_vendor_entry *));
	if (!files->entry || pmu_index_reserve(&files->by_name, n) < 0 ||
	    pmu_index_reserve(&files->respelled, n) < 0)
		return pmu_fail(ENOMEM, "no memory for the names of %u events", n);
	for (unsigned int i = 0; i < files->n_files; i++)
		for (uint32_t k = 0; k < files->file[i].n; k++)
			files->entry[files->n_entries++] = &files->file[i].entry[k];
	/* from the last on, so that the first of a name comes first */
	for (uint32_t i = n; i-- > 0;)
		put_entry(files, files->entry[i]);
	return 0;
}
