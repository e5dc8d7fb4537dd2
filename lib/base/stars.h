/* SPDX-License-Identifier: BSD-3-Clause */
/* Patterns in which '*' stands for any text. */
#ifndef PMU_BASE_STARS_H
#define PMU_BASE_STARS_H

#include <stdbool.h>
#include <stddef.h>

/**
 * pmu_stars_match() - does all of @text suit the pattern?
 * @match_one: another element of it, which is not at its end, against one byte; goes on behind it
 *
 * Where it fails the last star takes one byte more: linear for most, and never deep.
 */
static inline bool pmu_stars_match(const char *pattern, const char *text,
				   bool (*match_one)(const char **pattern, char byte))
{
	const char *star = NULL, *retry = NULL;

	while (*text) {
		if (*pattern == '*') {
			star = ++pattern;
			retry = text;
		} else if (*pattern && match_one(&pattern, *text)) {
			text++;
		} else if (star) {
			pattern = star;
			text = ++retry;
		} else {
			return false;
		}
	}
	while (*pattern == '*')
		pattern++;
	return !*pattern;
}

#endif
