/* SPDX-License-Identifier: BSD-3-Clause */
/* Categories of annotations: numbers that have names in a domain. */
#ifndef PMU_ANNOTATIONS_CATEGORIES_H
#define PMU_ANNOTATIONS_CATEGORIES_H

#include <stdint.h>

#include "bindings/annotations/thread.h"

#pragma GCC visibility push(hidden)

/**
 * annotation_category_name() - what a category of a domain is called from now on
 * @domain: any pointer, compared only
 */
void annotation_category_name(const void *domain, uint32_t category, const char *name);

const char *annotation_category_find(const void *domain, uint32_t category);

/**
 * annotation_category() - what it is called
 *
 * Return: its number as text where it has no name; NULL for 0, which is none, and where
 * PMU_PREFIX leaves categories out.
 */
static inline const char *annotation_category(const void *domain, uint32_t category)
{
	return annotation_likely(!category) ? NULL : annotation_category_find(domain, category);
}

#pragma GCC visibility pop

#endif
