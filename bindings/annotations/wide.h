/* SPDX-License-Identifier: BSD-3-Clause */
/* Wide characters, which are UTF-32 on Linux, as UTF-8. */
#ifndef PMU_ANNOTATIONS_WIDE_H
#define PMU_ANNOTATIONS_WIDE_H

#include <stdint.h>
#include <wchar.h>

#include "pmu.h"

struct annotation_text {
	char text[PMU_NAME_MAX + 1];
};

#define ANNOTATION_REPLACEMENT 0xFFFD /* for what is no character */

/** annotation_narrow() - as much of it as a name can have.  Return: @to's text; NULL for NULL. */
static inline const char *annotation_narrow(struct annotation_text *to, const wchar_t *wide)
{
	static const unsigned char first[] = { 0, 0x00, 0xC0, 0xE0, 0xF0 };
	size_t at = 0;

	if (!wide)
		return NULL;
	for (; *wide; wide++) {
		uint32_t c = (uint32_t)*wide;
		size_t len;

		if (c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF))
			c = ANNOTATION_REPLACEMENT;
		len = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
		if (at + len > PMU_NAME_MAX)
			break;
		for (size_t i = len - 1; i > 0; i--, c >>= 6)
			to->text[at + i] = (char)(0x80 | (c & 0x3F));
		to->text[at] = (char)(first[len] | c);
		at += len;
	}
	to->text[at] = '\0';
	return to->text;
}

#endif
