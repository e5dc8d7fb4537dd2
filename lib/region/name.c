/* SPDX-License-Identifier: BSD-3-Clause */
/* Compares names, in as many instructions for any two equal texts of one length. */
#include "region/name.h"

#include "base/compiler.h"

/* They may be of any type and lie anywhere, and reach past the end of a shorter text. */
typedef uint64_t __attribute__((may_alias, aligned(1))) word;
typedef uint32_t __attribute__((may_alias, aligned(1))) half;
#define NO_SANITIZERS \
	__attribute__((no_sanitize("address"), no_sanitize("thread"), no_sanitize("undefined")))

static inline NO_SANITIZERS bool same_word(const char *a, const char *b)
{
	return *(const word *)(const void *)a == *(const word *)(const void *)b;
}

static inline NO_SANITIZERS bool same_half(const char *a, const char *b)
{
	return *(const half *)(const void *)a == *(const half *)(const void *)b;
}

/*
 * Word by word; the last word overlaps the one before it, so that @size bytes are read and no more.
 */
static inline NO_SANITIZERS bool same_bytes(const char *a, const char *b, size_t size)
{
	size_t i;

	if (size >= 8) {
		for (i = 0; i < size - 8; i += 8)
			if (!same_word(a + i, b + i))
				return false;
		return same_word(a + size - 8, b + size - 8);
	}
	if (size >= 4)
		return same_half(a, b) && same_half(a + size - 4, b + size - 4);
	for (i = 0; i < size && a[i] == b[i]; i++)
		;
	return i == size;
}

__attribute__((noinline)) NO_SANITIZERS PMU_HOT bool pmu_name_is(const struct pmu_name *name,
								 const char *text, size_t len)
{
	size_t want = name->len;

	if (len == PMU_NAME_TERMINATED) {
		if (((uintptr_t)text & (PMU_SMALLEST_PAGE - 1)) + want >= PMU_SMALLEST_PAGE)
			return false;
		return same_bytes(text, name->text, want + 1);
	}
	return want == len && same_bytes(text, name->text, len);
}
