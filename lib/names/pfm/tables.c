/* SPDX-License-Identifier: BSD-3-Clause */
/* libpfm4's tables by name: what it says of them is asked for once. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/hash.h"
#include "base/index.h"
#include "names/pfm/load.h"
#include "names/pfm/names.h"

/* Its tables, those of neither cores nor what is outside of them left out. */
struct tables {
	int n;
	struct pmu_index by_name;
	pfm_pmu_info_t table[PFM_PMU_MAX];
};

struct span {
	const char *at;
	size_t len;
};

static uint32_t hash_span(const struct span *name)
{
	uint32_t hash = 0;

	for (size_t i = 0; i < name->len; i++)
		hash = pmu_hash_number(hash ^ (uint32_t)tolower((unsigned char)name->at[i]));
	return hash;
}

static bool is_named_table(const void *wanted, uintptr_t thing)
{
	const pfm_pmu_info_t *table = (const pfm_pmu_info_t *)thing;
	const struct span *name = wanted;

	return !strncasecmp(table->name, name->at, name->len) && !table->name[name->len];
}

/* The first of a name. */
static void add_table(struct tables *all, const pfm_pmu_info_t *table)
{
	struct span name = { table->name, strlen(table->name) };
	struct pmu_index_place *place = pmu_index_find(&all->by_name, hash_span(&name),
						       is_named_table, &name);

	all->table[all->n] = *table;
	if (!place->thing)
		pmu_index_take(&all->by_name, place, hash_span(&name),
			       (uintptr_t)&all->table[all->n]);
	all->n++;
}

/* Read at the first call and kept; NULL: no memory. */
static const struct tables *tables(void)
{
	static struct tables *all;

	if (all)
		return all;
	all = calloc(1, sizeof(*all));
	if (!all || pmu_index_reserve(&all->by_name, PFM_PMU_MAX) < 0) {
		free(all);
		return all = NULL;
	}
	for (int i = 0; i < PFM_PMU_MAX; i++) {
		pfm_pmu_info_t table = { .size = sizeof(table) };

		if (pmu_pfm_calls()->get_pmu_info((pfm_pmu_t)i, &table) == PFM_SUCCESS &&
		    (table.type == PFM_PMU_TYPE_CORE || table.type == PFM_PMU_TYPE_UNCORE))
			add_table(all, &table);
	}
	return all;
}

bool pmu_pfm_table_by_name(const char *name, size_t len, pfm_pmu_info_t *table)
{
	const struct tables *all = tables();
	struct span span = { name, len };
	uintptr_t found =
		all ? pmu_index_find(&all->by_name, hash_span(&span), is_named_table, &span)->thing
		    : 0;

	if (found)
		*table = *(const pfm_pmu_info_t *)found;
	return found;
}

bool pmu_pfm_table_present(pfm_pmu_type_t type, pfm_pmu_info_t *table)
{
	const struct tables *all = tables();

	for (int i = 0; all && i < all->n; i++)
		if (all->table[i].is_present && all->table[i].type == type) {
			*table = all->table[i];
			return true;
		}
	return false;
}
