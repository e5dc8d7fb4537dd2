/* SPDX-License-Identifier: BSD-3-Clause */
/* What Caliper's functions and its C++ classes share. */
#ifndef PMU_PRELOAD_CALIPER_H
#define PMU_PRELOAD_CALIPER_H

#include <stdbool.h>
#include <stdint.h>

#include "bindings/preload/markers/both.h"

#pragma GCC visibility push(hidden)

typedef uint64_t cali_id_t;

#define CALI_TOOL   "caliper"
#define CALI_INV_ID UINT64_MAX

static inline bool cali_mine(void)
{
	return preload_mine(PRELOAD_CALIPER);
}

/**
 * preload_cali_begin() - a value of an attribute: a region where it is a text
 * @attribute: its name: "function", "loop" and their like are Caliper's own, others stand before
 *             the region's name as its domain
 * @text: NULL: a number, for which there is no region, but an end is expected
 */
void preload_cali_begin(const char *attribute, const char *text);

/** preload_cali_begin_flag() - an attribute without a value is a region itself */
void preload_cali_begin_flag(const char *attribute);
void preload_cali_end(const char *attribute);

/**
 * preload_cali_name() - of a region of one of Caliper's own attributes, for annotation_push()
 * Return: NULL without a text, too.
 */
const char *preload_cali_name(const char *attribute, const char *text);

/** preload_cali_keep() - a text that stays, one for all equal ones.  Return: NULL without memory. */
const char *preload_cali_keep(const char *text);

#pragma GCC visibility pop

#endif
