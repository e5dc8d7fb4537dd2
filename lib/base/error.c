/* SPDX-License-Identifier: BSD-3-Clause */
/* Keeps each thread's last error as one sentence. */
#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static __thread char last[PMU_ERROR_MAX] __attribute__((tls_model("initial-exec")));

/* Put "..." at the end of a full buffer, without leaving half a UTF-8 character before
 * it. */
static void mark_cut(char *text, size_t size)
{
	size_t end = size - sizeof("...");

	for (int i = 0; i < 3 && ((unsigned char)text[end] & 0xc0) == 0x80; i++)
		end--;
	memcpy(text + end, "...", sizeof("..."));
}

int pmu_fail(int code, const char *fmt, ...)
{
	int saved = errno;
	char text[PMU_ERROR_MAX]; /* the arguments may point into the last sentence */
	va_list args;
	int len;

	va_start(args, fmt);
	len = vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	if (len < 0)
		snprintf(text, sizeof(text), "an error whose text cannot be formatted");
	else if ((size_t)len >= sizeof(text))
		mark_cut(text, sizeof(text));
	memcpy(last, text, sizeof(last));
	errno = saved;
	if (!code)
		return -EIO;
	return code < 0 ? code : -code;
}

const char *pmu_error_text(void)
{
	return last;
}

void pmu_error_clear(void)
{
	last[0] = '\0';
}
