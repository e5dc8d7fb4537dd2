/* SPDX-License-Identifier: BSD-3-Clause */
/* Patterns of functions' names, and the time below which a function is too short to be a region. */
#include "bindings/preload/functions/filter.h"

#include <fnmatch.h>
#include <string.h>

#include "bindings/preload/inside.h"
#include "bindings/preload/preload.h"

#define PATTERN_MAX 1024u

/*
 * Without the list of parameters: up to the parenthesis that the last one closes; 0: there is none.
 */
static size_t without_parameters(const char *name)
{
	const char *at = strrchr(name, ')');
	int depth = 0;

	for (; at && at > name; at--) {
		depth += (*at == ')') - (*at == '(');
		if (!depth)
			return (size_t)(at - name);
	}
	return 0;
}

static __attribute__((noinline)) bool matches(const char *pattern, const char *name)
{
	char plain[PMU_NAME_MAX + 1];
	size_t len;

	if (!fnmatch(pattern, name, 0))
		return true;
	len = without_parameters(name);
	if (!len || len >= sizeof(plain))
		return false;
	memcpy(plain, name, len);
	plain[len] = '\0';
	return !fnmatch(pattern, plain, 0);
}

/*
 * The next pattern without blanks around it; a comma behind a backslash belongs to it.  False: cut,
 * as nothing matches it.
 */
static bool take_pattern(const char **at, char *pattern)
{
	size_t len = 0;
	const char *c = *at + strspn(*at, " \t");

	for (; *c && *c != ','; c++) {
		if (c[0] == '\\' && c[1] && len < PATTERN_MAX)
			pattern[len++] = *c++;
		if (len < PATTERN_MAX)
			pattern[len++] = *c;
	}
	*at = *c ? c + 1 : c;
	while (len && len < PATTERN_MAX && strchr(" \t", pattern[len - 1]))
		len--;
	if (len == PATTERN_MAX)
		return false;
	pattern[len] = '\0';
	return len > 0;
}

/* What the last pattern that matches says; otherwise whether the first one leaves out, if that @decides. */
static bool last_match(const char *patterns, const char *name, bool wanted, bool decides)
{
	char pattern[PATTERN_MAX];

	while (patterns && *patterns) {
		bool out;

		if (!take_pattern(&patterns, pattern))
			continue;
		out = pattern[0] == '!';
		if (decides)
			wanted = out;
		decides = false;
		if (matches(pattern + out, name))
			wanted = !out;
	}
	return wanted;
}

bool preload_filter_wants(const char *patterns, const char *name)
{
	return last_match(patterns, name, true, true);
}

bool preload_filter_asks_for(const char *patterns, const char *name)
{
	return last_match(patterns, name, false, false);
}

bool preload_filter_asks(const char *patterns)
{
	char pattern[PATTERN_MAX];

	while (patterns && *patterns)
		if (take_pattern(&patterns, pattern) && pattern[0] != '!')
			return true;
	return false;
}

static const struct {
	const char *unit;
	uint64_t ns;
} units[] = {
	{ "ns", 1 },
	{ "us", 1000 },
	{ "ms", 1000000 },
	{ "s", 1000000000 },
};

bool preload_filter_time(const char *text, uint64_t *ns)
{
	uint64_t whole = 0, thousandths = 0, worth = 1000;
	const char *at = text + strspn(text, " \t");
	size_t digits = strspn(at, "0123456789");

	if (!digits || digits > 9)
		return false;
	for (; digits; digits--)
		whole = 10 * whole + (uint64_t)(*at++ - '0');
	if (*at == '.')
		for (at++; *at >= '0' && *at <= '9'; at++)
			thousandths += (worth /= 10) * (uint64_t)(*at - '0');
	at += strspn(at, " \t");
	if (!*at && !whole && !thousandths) {
		*ns = 0;
		return true;
	}
	for (size_t i = 0; i < PRELOAD_ARRAY_LEN(units); i++) {
		if (strcmp(at, units[i].unit) != 0)
			continue;
		*ns = whole * units[i].ns + thousandths * units[i].ns / 1000;
		return true;
	}
	return false;
}
