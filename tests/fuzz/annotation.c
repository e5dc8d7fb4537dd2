/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzz target: any texts as an annotation's: lines of PMU_PREFIX, domain, category and text; the rest is wide. */
#include <stdlib.h>
#include <string.h>

#include "bindings/annotations/names.h"
#include "bindings/annotations/prefix.h"
#include "bindings/annotations/wide.h"
#include "tests/fuzz/fuzz.h"

/* The line, ended; @rest: what is behind it, or the text's end. */
static char *line_of(char **rest, char *end)
{
	char *line = *rest, *at = memchr(line, '\n', (size_t)(end - line));

	if (at)
		*at = '\0';
	*rest = at ? at + 1 : end;
	return line;
}

/* That a character begun is there as a whole, unless it was not in what was given. */
static void check_name(const char *name, const char *domain, const char *category, const char *text)
{
	char copy[PMU_NAME_MAX + 1];
	size_t len = name ? strlen(name) : 0;

	if (!name || !len || len > PMU_NAME_MAX)
		abort();
	memcpy(copy, name, len + 1);
	if (annotation_name("fuzz", domain, category, text) != name || strcmp(copy, name) != 0)
		abort();
	if (*domain && strncmp(name, domain, strnlen(domain, PMU_NAME_MAX - 4)) != 0)
		abort();
	if (!*domain && *text && strncmp(name, text, len) != 0)
		abort();
}

static void check_wide(const char *bytes, size_t size)
{
	size_t n = size / sizeof(wchar_t);
	wchar_t *wide = calloc(n + 1, sizeof(*wide));
	struct annotation_text narrow;
	size_t len;

	if (!wide)
		abort();
	memcpy(wide, bytes, n * sizeof(*wide));
	(void)annotation_narrow(&narrow, wide);
	len = strlen(narrow.text);
	if (len > PMU_NAME_MAX || (wide[0] && !len))
		abort();
	/* no byte that begins nothing, and none that goes on what was not begun */
	for (size_t i = 0; i < len;) {
		unsigned char c = (unsigned char)narrow.text[i];
		size_t more = c < 0x80 ? 0 : c < 0xC2 ? 9 : c < 0xE0 ? 1 : c < 0xF0 ? 2 : 3;

		if (more > 3 || c > 0xF4)
			abort();
		for (i++; more; more--, i++)
			if (((unsigned char)narrow.text[i] & 0xC0) != 0x80)
				abort();
	}
	free(wide);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *all = malloc(size + 1), *rest = all, *end, *prefix, *domain, *category, *text;

	if (!all)
		abort();
	memcpy(all, data, size);
	end = all + size;
	*end = '\0';
	prefix = line_of(&rest, end);
	domain = line_of(&rest, end);
	category = line_of(&rest, end);
	text = line_of(&rest, end);
	if (annotation_prefix(prefix) & ~7u)
		abort();
	/* its address is to be one of this text alone, which it would not be the next time */
	domain = (char *)annotation_name(NULL, NULL, NULL, domain);
	check_name(annotation_name("fuzz", domain ? domain : "", category, text),
		   domain ? domain : "", category, text);
	check_wide(rest, (size_t)(end - rest));
	free(all);
	return 0;
}
