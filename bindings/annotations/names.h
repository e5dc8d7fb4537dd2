/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of regions that are made of other tools' annotations. */
#ifndef PMU_ANNOTATIONS_NAMES_H
#define PMU_ANNOTATIONS_NAMES_H

#include <stdint.h>
#include <string.h>

#include "bindings/annotations/thread.h"

#pragma GCC visibility push(hidden)

/** Written before it is published to other threads, and never again. */
struct annotation_known {
	struct annotation_known *next;
	uint32_t hash;
	uint16_t len;
	uint16_t text_at; /* where the annotation's text begins */
	char name[];
};

/* --- names.c's, for what is inline below --- */

const char *annotation_name_make(const char *tool, const char *domain, const char *category,
				 const char *text);

static inline struct annotation_cached *annotation_cached_at(struct annotation_thread *self,
							     const char *domain, const char *text)
{
	/* the golden ratio: texts that lie beside each other come to different places */
	uint64_t mixed = ((uintptr_t)text ^ ((uintptr_t)domain << 7)) *
			 UINT64_C(0x9E3779B97F4A7C15);

	return &self->cache[mixed >> 58];
}
_Static_assert(ANNOTATION_CACHE == 1 << (64 - 58), "the uppermost six bits are the place");

/* What this thread has asked for by the same addresses, or NULL. */
static inline const struct annotation_known *annotation_known_by(const char *tool,
								 const char *domain,
								 const char *category,
								 const char *text)
{
	struct annotation_thread *self = annotation_own;
	const struct annotation_cached *place;

	if (!annotation_likely(self))
		return NULL;
	place = annotation_cached_at(self, domain, text);
	return annotation_likely(place->text == text && place->domain == domain &&
				 place->category == category && place->tool == tool)
		       ? place->known
		       : NULL;
}

/**
 * annotation_name() - the region's name for an annotation's text
 * @tool: "itt", "nvtx", ...; NULL: a text that is no region's, without anything in front
 * @domain, @category: NULL or "": none
 * @text: NULL or "": what stands in front is the name, else that of the tool, which is to be there
 *	then; none of the texts is kept, but @tool, @domain and @category are to be the same as long
 *	as they are at the same address
 *
 * PMU_PREFIX says what stands in front, with ':' behind each: "tbb.flow:node".  What is longer than
 * PMU_NAME_MAX is cut.  Equal names are one pointer, for ever.
 *
 * Context: any thread; a name that this thread has had from the same texts is found by their
 * addresses and confirmed by comparing @text, one that any thread has had without a lock.  Not in
 * signal handlers.
 * Return: NULL without memory, and beyond ANNOTATION_NAMES of them.
 */
static inline const char *annotation_name(const char *tool, const char *domain,
					  const char *category, const char *text)
{
	const struct annotation_known *known = annotation_known_by(tool, domain, category, text);

	if (annotation_likely(text && known && !strcmp(known->name + known->text_at, text)))
		return known->name;
	return annotation_name_make(tool, domain, category, text);
}

/** annotation_name_of_kept() - the same, where @text too is the same for ever */
static inline const char *annotation_name_of_kept(const char *tool, const char *domain,
						  const char *category, const char *text)
{
	const struct annotation_known *known = annotation_known_by(tool, domain, category, text);

	return annotation_likely(known) ? known->name
					: annotation_name_make(tool, domain, category, text);
}

#define ANNOTATION_NAMES (1u << 20)

/** annotation_prefix_wanted() - enum annotation_prefix: what PMU_PREFIX says, read once */
unsigned int annotation_prefix_wanted(void);

#pragma GCC visibility pop

#endif
