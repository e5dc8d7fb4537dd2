/* SPDX-License-Identifier: BSD-3-Clause */
/* Names that come from Fortran. */
#ifndef PMU_PRELOAD_FORTRAN_H
#define PMU_PRELOAD_FORTRAN_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "pmu.h"

/** A name with its NUL; one that is too long stays so, for libpmu to refuse. */
struct preload_name {
	char text[PMU_NAME_MAX + 2];
};

/**
 * preload_name() - a Fortran character value as C text: without the blanks at its end, and to a NUL
 * in it
 * @len: the hidden argument, which some compilers pass as an int, with anything in the upper half
 */
static inline const char *preload_name(struct preload_name *name, const char *text, size_t len)
{
	if (len > UINT32_MAX)
		len = (uint32_t)len;
	len = strnlen(text, len < sizeof(name->text) - 1 ? len : sizeof(name->text) - 1);
	while (len && text[len - 1] == ' ')
		len--;
	memcpy(name->text, text, len);
	name->text[len] = '\0';
	return name->text;
}

#endif
