/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of kernels without a label: their functor's type, and that of its tag. */
#ifndef PMU_ANNOTATIONS_FUNCTOR_H
#define PMU_ANNOTATIONS_FUNCTOR_H

#pragma GCC visibility push(hidden)

/**
 * annotation_functor() - as annotation_name(), without a domain
 * @text: a label, or what typeid(FUNCTOR).name() says, "/" and typeid(TAG).name() behind it where
 *        there is a tag: then the name is that of the types in C++
 *
 * Context: as annotation_name(); the first time that such a type is met allocates.
 */
const char *annotation_functor(const char *tool, const char *category, const char *text);

#pragma GCC visibility pop

#endif
