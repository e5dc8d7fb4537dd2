/* SPDX-License-Identifier: BSD-3-Clause */
/* Categories' names, in a table that only grows. */
#include "bindings/annotations/categories.h"

#include <stdbool.h>
#include <stdio.h>

#include "bindings/annotations/names.h"
#include "bindings/annotations/prefix.h"
#include "bindings/preload/keep.h"

struct category {
	struct category *next;
	const void *domain;
	uint32_t number;
	const char *name; /* may become another one */
};

#define BUCKETS        256
#define CATEGORIES_MAX 65536

static struct category *table[BUCKETS]; /* grow at their heads; release */
static unsigned int n_categories;       /* preload_lock() */

static struct category **bucket_of(const void *domain, uint32_t number)
{
	uint64_t mixed = ((uintptr_t)domain ^ number) * UINT64_C(0x9E3779B97F4A7C15);

	return &table[(mixed >> 40) % BUCKETS];
}

static struct category *find(struct category **bucket, const void *domain, uint32_t number)
{
	struct category *category = __atomic_load_n(bucket, __ATOMIC_ACQUIRE);

	while (category && (category->domain != domain || category->number != number))
		category = category->next;
	return category;
}

/* preload_lock() */
static struct category *add(struct category **bucket, const void *domain, uint32_t number,
			    const char *name)
{
	struct category *category;

	if (n_categories >= CATEGORIES_MAX || !(category = preload_keep(sizeof(*category))))
		return NULL;
	*category = (struct category){ *bucket, domain, number, name };
	__atomic_store_n(bucket, category, __ATOMIC_RELEASE);
	n_categories++;
	return category;
}

/* What is named already keeps its name where it is not to be @renamed. */
static const char *put(const void *domain, uint32_t number, const char *text, bool renamed)
{
	struct category **bucket = bucket_of(domain, number), *category;
	const char *name = annotation_name(NULL, NULL, NULL, text);

	if (!name || !preload_lock())
		return name;
	category = find(bucket, domain, number);
	if (!category)
		add(bucket, domain, number, name);
	else if (renamed)
		__atomic_store_n(&category->name, name, __ATOMIC_RELAXED);
	else
		name = __atomic_load_n(&category->name, __ATOMIC_RELAXED);
	preload_unlock();
	return name;
}

void annotation_category_name(const void *domain, uint32_t number, const char *name)
{
	if (name && *name)
		(void)put(domain, number, name, true);
}

const char *annotation_category_find(const void *domain, uint32_t number)
{
	struct category *category;
	char text[16];

	if (!(annotation_prefix_wanted() & ANNOTATION_CATEGORY))
		return NULL;
	category = find(bucket_of(domain, number), domain, number);
	if (category)
		return __atomic_load_n(&category->name, __ATOMIC_RELAXED);
	snprintf(text, sizeof(text), "%u", number);
	return put(domain, number, text, false);
}
