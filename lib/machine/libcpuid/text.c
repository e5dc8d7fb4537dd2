/* SPDX-License-Identifier: BSD-3-Clause */
/* Which lines of a dump are libcpuid's to read. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/error.h"
#include "machine/libcpuid/libcpuid.h"

/* libcpuid's buffer has 100 bytes: what is longer is read in pieces. */
#define LONGEST 98

bool pmu_libcpuid_knows(const char *line, size_t len)
{
	static const char *const arrays[] = {
		"basic_cpuid[", "ext_cpuid[",   "intel_fn4[",       "intel_fn11[",
		"intel_fn12h[", "intel_fn14h[", "amd_fn8000001dh[",
	};

	for (size_t i = 0; i < PMU_ARRAY_LEN(arrays); i++)
		if (len >= strlen(arrays[i]) && !memcmp(line, arrays[i], strlen(arrays[i])))
			return true;
	return false;
}

/* What has just been added to the text. */
static int count_line(struct pmu_libcpuid_text *text, size_t number)
{
	size_t n = text->n_lines;

	/* room for 8, 16, 32, ... */
	if (!n || (n >= 8 && !(n & (n - 1)))) {
		void *moved = realloc(text->line, (n ? n * 2 : 8) * sizeof(*text->line));

		if (!moved)
			return pmu_fail(ENOMEM, "no memory for a CPUID dump");
		text->line = moved;
	}
	text->line[text->n_lines++] = number;
	return text->text.failed ? pmu_fail(ENOMEM, "no memory for a CPUID dump") : 0;
}

int pmu_libcpuid_add(struct pmu_libcpuid_text *text, size_t cpu, const char *line, size_t len,
		     size_t number)
{
	int rc = 0;

	if (len > LONGEST || memchr(line, 0, len))
		return pmu_fail(EINVAL, PMU_CPUID_NO_LEAF, number);
	while (text->n_cpus <= cpu && !rc) {
		pmu_strbuf_addf(&text->text,
				"_________________ Logical CPU #%zu _________________\n",
				text->n_cpus++);
		rc = count_line(text, number);
	}
	if (rc)
		return rc;
	pmu_strbuf_add_n(&text->text, line, len);
	pmu_strbuf_add(&text->text, "\n");
	return count_line(text, number);
}

void pmu_libcpuid_text_free(struct pmu_libcpuid_text *text)
{
	pmu_strbuf_free(&text->text);
	free(text->line);
	memset(text, 0, sizeof(*text));
}
