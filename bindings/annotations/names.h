/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of regions that are made of other tools' annotations. */
#ifndef PMU_ANNOTATIONS_NAMES_H
#define PMU_ANNOTATIONS_NAMES_H

#pragma GCC visibility push(hidden)

/**
 * annotation_name() - the region's name for an annotation's text
 * @tool: "itt", "nvtx", ...; NULL: a text that is no region's, without anything in front
 * @domain, @category: NULL or "": none
 * @text: NULL or "": what stands in front is the name, else that of the tool, which is to be there then
 *
 * PMU_PREFIX says what stands in front, with ':' behind each: "tbb.flow:node".  What is longer than
 * PMU_NAME_MAX is cut.  Equal names are one pointer, for ever; none of the texts is kept.
 *
 * Context: any thread; a name that this thread has had from the same texts is found by their
 * addresses and confirmed by comparing them, one that any thread has had without a lock.  Not in
 * signal handlers.
 * Return: NULL without memory, and beyond ANNOTATION_NAMES of them.
 */
const char *annotation_name(const char *tool, const char *domain, const char *category,
			    const char *text);

#define ANNOTATION_NAMES (1u << 20)

/** annotation_prefix_wanted() - enum annotation_prefix: what PMU_PREFIX says, read once */
unsigned int annotation_prefix_wanted(void);

#pragma GCC visibility pop

#endif
