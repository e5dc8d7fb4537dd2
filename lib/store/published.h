/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the writer of a store only ever stores.
 *
 * The file belongs to the user who started the program and may be edited at any moment.  So sizes,
 * offsets, indices, ids and states that stand in it are for readers, which check them; their writer
 * keeps its own in private memory.  These fields have a type that nothing can be calculated from:
 * code that loads one does not compile.  Totals are ordinary fields: they go back into the store,
 * and never become an address, an index or a loop's end.
 *
 * A reader (store/read/, and whatever else takes a store apart) defines PMU_STORE_READER before its
 * first include, and has the same fields as plain numbers.
 */
#ifndef PMU_STORE_PUBLISHED_H
#define PMU_STORE_PUBLISHED_H

#include "base/compiler.h"

#ifdef PMU_STORE_READER
#define PMU_PUBLISHED(type)     type
#define PMU_PUBLISHED_AT(field) (&(field))
#else
#define PMU_PUBLISHED(type)       \
	struct {                  \
		type only_stored; \
	}
#define PMU_PUBLISHED_AT(field) (&(field).only_stored)
#endif

#define PMU_PUBLISHED_TYPE(field) __typeof__(*PMU_PUBLISHED_AT(field))

/** PMU_PUBLISH() - store a field, in no order; PMU_PUBLISH_LAST() - release: behind what it makes valid */
#define PMU_PUBLISH(field, value) \
	pmu_store_relaxed(PMU_PUBLISHED_AT(field), (PMU_PUBLISHED_TYPE(field))(value))
#define PMU_PUBLISH_LAST(field, value)                                                \
	__atomic_store_n(PMU_PUBLISHED_AT(field), (PMU_PUBLISHED_TYPE(field))(value), \
			 __ATOMIC_RELEASE)

/** PMU_PUBLISH_NEXT() - count a field up, release: of a number that its writer alone counts, and that means nothing else */
#define PMU_PUBLISH_NEXT(field, by) \
	__atomic_store_n(PMU_PUBLISHED_AT(field), *PMU_PUBLISHED_AT(field) + (by), __ATOMIC_RELEASE)

/**
 * PMU_PUBLISHED_SUM() - what was stored there, of a thread that has ended or is not the caller, to be
 * added to another number of the store
 *
 * tests/package/published.sh has the fields that this is good for.
 */
#define PMU_PUBLISHED_SUM(field) __atomic_load_n(PMU_PUBLISHED_AT(field), __ATOMIC_RELAXED)

#endif
