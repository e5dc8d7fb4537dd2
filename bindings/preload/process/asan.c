/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gcc's AddressSanitizer ends a program in which its library is not the first.  It only has to come
 * before what it stands in for, and that is so: ours go on to the next in line.
 */
#include "bindings/preload/preload.h"

const char *__asan_default_options(void);

/* What the sanitizer asks for before it looks; ASAN_OPTIONS has the last word. */
PRELOAD_STANDS_IN const char *__asan_default_options(void)
{
	return "verify_asan_link_order=0";
}
