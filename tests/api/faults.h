/* SPDX-License-Identifier: BSD-3-Clause */
/* Work of which it is known what it counts: pages that are touched for the first time. */
#ifndef PMU_TESTS_API_FAULTS_H
#define PMU_TESTS_API_FAULTS_H

#include <sys/mman.h>

#include "run.h"

__attribute__((unused)) static void touch(int pages)
{
	size_t size = (size_t)pages * 4096;
	char *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	want(at != MAP_FAILED && !madvise(at, size, MADV_NOHUGEPAGE));
	for (int i = 0; i < pages; i++)
		((volatile char *)at)[i * 4096] = 1;
	munmap(at, size);
}

/* What a report has of it. */
__attribute__((unused)) static void list_has(const struct run *r, const char *list,
					     const char *part, const char *name)
{
	char *text = run_list(r->json, list);

	has(text, part, name);
	free(text);
}

__attribute__((unused)) static long long net(const json_t *region, const char *count)
{
	const json_t *value = json_object_get(json_object_get(region, "net"), count);

	return value ? (long long)json_integer_value(value) : -1;
}

#endif
