/* SPDX-License-Identifier: BSD-3-Clause */
/* How much more, or less, than its baseline a value may be. */
#ifndef PMU_COMMAND_CHECK_LIMITS_H
#define PMU_COMMAND_CHECK_LIMITS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/strbuf.h"
#include "bindings/command/quantity.h"
#include "report/model/block.h"

/** Most bytes of a file of limits. */
#define PMU_LIMITS_FILE ((size_t)1 << 20)

/** One: "solve:instructions = +0.5%". */
struct pmu_limit {
	const char *text;         /* as it was said */
	const char *about;        /* REGION:MEASURE; regions by a pattern, any measure by '*' */
	const char *value;        /* "+0.5%" */
	bool is_none;             /* "none": it is not checked */
	struct pmu_quantity most; /* '+': more than that is too much, '-': less; 0: either */
	unsigned int n_met;       /* values it was for */
};

/** All zero has none; the last that is for a value counts. */
struct pmu_limits {
	struct pmu_limit *limit;
	size_t n, room;
	struct pmu_model_block *blocks;
};

void pmu_limits_free(struct pmu_limits *limits);

/** pmu_limits_add() - one, of @len bytes.  Return: 0; -EINVAL or -ENOMEM with a sentence. */
int pmu_limits_add(struct pmu_limits *limits, const char *text, size_t len);

/**
 * pmu_limits_parse() - a file's text: a limit a line; empty ones, and those that begin with '#', are
 * none
 * @path: for sentences
 * Return: 0; -EINVAL, -E2BIG or -ENOMEM with a sentence that names the line.
 */
int pmu_limits_parse(struct pmu_limits *limits, const char *path, const char *text, size_t len);

/** pmu_limits_read() - a file.  Return: as above; 0: there is none of that name; or why not. */
int pmu_limits_read(struct pmu_limits *limits, const char *path);

/** A value that may have a limit. */
struct pmu_limits_value {
	const char *name, *path; /* of its region */
	const char *measure;
	bool is_time; /* has limits as +2ms; others have them as +100; all as +5% */
};

/** pmu_limits_find() - its limit; NULL: none was said */
const struct pmu_limit *pmu_limits_find(const struct pmu_limits *limits,
					const struct pmu_limits_value *value);
/** pmu_limits_meet() - counts it for all that are for it, whether another one comes later or not */
void pmu_limits_meet(struct pmu_limits *limits, const struct pmu_limits_value *value);

/** pmu_limits_keep() - a file's text with limits that it does not have behind it */
void pmu_limits_keep(const struct pmu_limits *limits, const char *text, size_t len,
		     struct pmu_strbuf *out);

#endif
