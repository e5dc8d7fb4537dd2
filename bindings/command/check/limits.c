/* SPDX-License-Identifier: BSD-3-Clause */
/* Limits: from the command line and from a file beside the baseline. */
#include "bindings/command/check/limits.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/sysfile.h"

#define MAX_LIMITS 10000u
#define MAX_LINE   4096u

void pmu_limits_free(struct pmu_limits *limits)
{
	free(limits->limit);
	pmu_block_free(&limits->blocks);
	*limits = (struct pmu_limits){ .n = 0 };
}

static bool is_blank_char(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static void trim(const char **text, size_t *len)
{
	while (*len && is_blank_char(**text)) {
		++*text;
		--*len;
	}
	while (*len && is_blank_char((*text)[*len - 1]))
		--*len;
}

static struct pmu_limit *grow_limits(struct pmu_limits *limits)
{
	if (limits->n == limits->room) {
		size_t room = limits->room ? 2 * limits->room : 16;
		struct pmu_limit *grown = reallocarray(limits->limit, room, sizeof(*grown));

		if (!grown)
			return NULL;
		limits->limit = grown;
		limits->room = room;
	}
	return &limits->limit[limits->n];
}

static bool is_word(const char *text, size_t len, const char *word)
{
	return len == strlen(word) && !memcmp(text, word, len);
}

/* @equals: in @text.  Names of regions may have one, too: the last one counts. */
static int take_limit_line(struct pmu_limits *limits, const char *text, size_t len,
			   const char *equals)
{
	const char *about = text, *value = equals + 1;
	size_t about_len = (size_t)(equals - text), value_len = (size_t)(text + len - value);
	struct pmu_limit limit = { .is_none = false };
	const char *colon;

	trim(&about, &about_len);
	trim(&value, &value_len);
	colon = memrchr(about, ':', about_len);
	if (!colon || colon == about || colon + 1 == about + about_len)
		return pmu_fail(EINVAL,
				"limit '%.*s': say it as REGION:COUNT=+LIMIT, as in "
				"solve:instructions=+0.5%% or '*:time=+5%%'",
				(int)len, text);
	limit.is_none = is_word(value, value_len, "none");
	if (!limit.is_none && !pmu_quantity_parse(value, value_len, &limit.most))
		return pmu_fail(EINVAL,
				"limit '%.*s': '%.*s' is none; say it as in +5%%, -5%%, 5%%, "
				"+100, +2ms, or none",
				(int)len, text, (int)value_len, value);
	limit.text = pmu_block_text(&limits->blocks, text, len);
	limit.about = pmu_block_text(&limits->blocks, about, about_len);
	limit.value = pmu_block_text(&limits->blocks, value, value_len);
	if (!limit.text || !limit.about || !limit.value || !grow_limits(limits))
		return pmu_fail(ENOMEM, "no memory for limits");
	limits->limit[limits->n++] = limit;
	return 0;
}

int pmu_limits_add(struct pmu_limits *limits, const char *text, size_t len)
{
	const char *equals;

	trim(&text, &len);
	equals = memrchr(text, '=', len);
	if (len > MAX_LINE || limits->n == MAX_LIMITS)
		return pmu_fail(EINVAL, "more than %u %s", len > MAX_LINE ? MAX_LINE : MAX_LIMITS,
				len > MAX_LINE ? "bytes for one limit" : "limits");
	if (!equals || memchr(text, '\0', len))
		return pmu_fail(EINVAL,
				"limit '%.*s': say it as REGION:COUNT=+LIMIT, as in "
				"solve:instructions=+0.5%%",
				(int)len, text);
	return take_limit_line(limits, text, len, equals);
}

int pmu_limits_parse(struct pmu_limits *limits, const char *path, const char *text, size_t len)
{
	const char *end = text + len;
	unsigned int number = 0;

	while (text < end) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		const char *line = text;
		size_t n = (size_t)((newline ? newline : end) - text);
		char why[512];
		int rc;

		number++;
		text += n + 1;
		trim(&line, &n);
		if (!n || *line == '#')
			continue;
		rc = pmu_limits_add(limits, line, n);
		if (rc) {
			snprintf(why, sizeof(why), "%s", pmu_error_text());
			return pmu_fail(-rc, "%s:%u: %s", path, number, why);
		}
	}
	return 0;
}

int pmu_limits_read(struct pmu_limits *limits, const char *path)
{
	char *text = malloc(PMU_LIMITS_FILE);
	long len = text ? pmu_sysfile_read(path, text, PMU_LIMITS_FILE) : -ENOMEM;
	int rc = 0;

	if (len >= 0)
		rc = pmu_limits_parse(limits, path, text, (size_t)len);
	else if (len != -ENOENT)
		rc = pmu_fail((int)-len, "cannot read the limits in %s: %s", path,
			      strerror((int)-len));
	free(text);
	return rc;
}

/* Its measure is what stands behind the colon that leaves just that: names of both may have colons. */
static bool is_limit_for(const struct pmu_limit *limit, const struct pmu_limits_value *value)
{
	size_t len = strlen(limit->about), n = strlen(value->measure);
	char region[MAX_LINE + 1];

	if (!limit->is_none && limit->most.unit != PMU_QUANTITY_SHARE &&
	    value->is_time != (limit->most.unit == PMU_QUANTITY_TIME))
		return false;
	if (limit->about[len - 1] == '*' && limit->about[len - 2] == ':')
		n = 1;
	else if (len < n + 2 || strcmp(limit->about + len - n, value->measure) != 0 ||
		 limit->about[len - n - 1] != ':')
		return false;
	memcpy(region, limit->about, len - n - 1);
	region[len - n - 1] = '\0';
	return !fnmatch(region, value->name, 0) || !fnmatch(region, value->path, 0);
}

const struct pmu_limit *pmu_limits_find(const struct pmu_limits *limits,
					const struct pmu_limits_value *value)
{
	for (size_t i = limits->n; i-- > 0;)
		if (is_limit_for(&limits->limit[i], value))
			return &limits->limit[i];
	return NULL;
}

void pmu_limits_meet(struct pmu_limits *limits, const struct pmu_limits_value *value)
{
	for (size_t i = 0; i < limits->n; i++)
		limits->limit[i].n_met += is_limit_for(&limits->limit[i], value);
}

static bool has_line(const char *text, size_t len, const char *line)
{
	const char *end = text + len;

	while (text < end) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		const char *at = text;
		size_t n = (size_t)((newline ? newline : end) - text);

		text += n + 1;
		trim(&at, &n);
		if (is_word(at, n, line))
			return true;
	}
	return false;
}

void pmu_limits_keep(const struct pmu_limits *limits, const char *text, size_t len,
		     struct pmu_strbuf *out)
{
	pmu_strbuf_add_n(out, text, len);
	if (len && text[len - 1] != '\n')
		pmu_strbuf_add(out, "\n");
	for (size_t i = 0; i < limits->n; i++)
		if (!has_line(text, len, limits->limit[i].text))
			pmu_strbuf_addf(out, "%s\n", limits->limit[i].text);
}
