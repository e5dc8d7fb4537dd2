/* SPDX-License-Identifier: BSD-3-Clause */
/* A text as a member of a JSON object. */
#ifndef BENCH_JSON_TEXT_H
#define BENCH_JSON_TEXT_H

#include <stdio.h>

/** json_text() - "name": "text"; control characters become blanks */
static inline void json_text(const char *name, const char *text)
{
	printf("\"%s\": \"", name);
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			putchar('\\');
		putchar((unsigned char)*text < ' ' ? ' ' : *text);
	}
	putchar('"');
}

#endif
