/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts of the oracle. */
#include "oracle_text.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void fail(const char *format, ...)
{
	va_list args;

	fputs("oracle: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	putc('\n', stderr);
	exit(125);
}

void *text_alloc(size_t size)
{
	void *memory = calloc(1, size);

	if (!memory)
		fail("no memory");
	return memory;
}

void *text_grow(void *memory, size_t size)
{
	void *grown = realloc(memory, size);

	if (!grown)
		fail("no memory");
	return grown;
}

char *text_copy(const char *text)
{
	return strcpy(text_alloc(strlen(text) + 1), text);
}

char *text_path(const char *path, const char *name)
{
	char *joined = text_alloc(strlen(path) + 2 * strlen(name) + 2), *to = joined;

	if (*path) {
		to = stpcpy(to, path);
		*to++ = '/';
	}
	for (; *name; name++) {
		if (strchr("/\\", *name))
			*to++ = '\\';
		*to++ = *name;
	}
	return joined;
}

/* Unicode 15, table 3-7: of an invalid byte 0. */
static size_t utf8_len(const char *text, uint32_t *code)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const unsigned char *s = (const unsigned char *)text;
	size_t len = s[0] < 0x80       ? 1
		     : s[0] >> 5 == 6  ? 2
		     : s[0] >> 4 == 14 ? 3
		     : s[0] >> 3 == 30 ? 4
				       : 0;

	*code = len < 2 ? s[0] : s[0] & (0x7fu >> len);
	for (size_t i = 1; i < len; i++) {
		if (s[i] >> 6 != 2)
			return 0;
		*code = *code << 6 | (s[i] & 0x3f);
	}
	if (len && (*code < least[len] || *code > 0x10ffff || (*code >= 0xd800 && *code < 0xe000)))
		return 0;
	return len;
}

/* What a reader would not see, or what turns the text around it. */
static bool is_hidden(uint32_t code)
{
	static const uint32_t range[][2] = { { 0x00, 0x1f },     { 0x7f, 0x9f },
					     { 0x61c, 0x61c },   { 0x200b, 0x200f },
					     { 0x2028, 0x202e }, { 0x2060, 0x2069 },
					     { 0xfeff, 0xfeff } };

	for (size_t i = 0; i < sizeof(range) / sizeof(*range); i++)
		if (code >= range[i][0] && code <= range[i][1])
			return true;
	return false;
}

static bool looks_escaped(const char *text)
{
	return !strncmp(text, "\\x", 2) && strspn(text + 2, "0123456789abcdef") >= 2;
}

void text_put(FILE *out, const char *path)
{
	const char *from = path;

	while (*from) {
		uint32_t code;
		size_t len = utf8_len(from, &code);
		/* a spreadsheet would take the cell for a formula */
		bool is_formula = from == path && strchr("=+-@", *from);

		if (len && !is_formula && !is_hidden(code) && !looks_escaped(from)) {
			fwrite(from, 1, len, out);
			from += len;
			continue;
		}
		if (!len || is_formula || looks_escaped(from))
			len = 1;
		for (; len; len--)
			fprintf(out, "\\x%02x", (unsigned char)*from++);
	}
}
