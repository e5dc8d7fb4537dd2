/* SPDX-License-Identifier: BSD-3-Clause */
/* Sets of CPUs, large enough for any kernel, and a thread's affinity straight from it. */
#include "machine/mask.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/compiler.h"

static bool cpu_in_range(int cpu)
{
	return cpu >= 0 && cpu < PMU_MASK_CPUS;
}

static unsigned long bit_of(int cpu)
{
	return 1ul << ((size_t)cpu % PMU_MASK_WORD_BITS);
}

bool pmu_mask_has(const struct pmu_mask *mask, int cpu)
{
	return cpu_in_range(cpu) && (mask->word[(size_t)cpu / PMU_MASK_WORD_BITS] & bit_of(cpu));
}

void pmu_mask_set(struct pmu_mask *mask, int cpu)
{
	if (cpu_in_range(cpu))
		mask->word[(size_t)cpu / PMU_MASK_WORD_BITS] |= bit_of(cpu);
}

void pmu_mask_clear(struct pmu_mask *mask, int cpu)
{
	if (cpu_in_range(cpu))
		mask->word[(size_t)cpu / PMU_MASK_WORD_BITS] &= ~bit_of(cpu);
}

unsigned int pmu_mask_count(const struct pmu_mask *mask)
{
	unsigned int n = 0;

	for (size_t i = 0; i < PMU_ARRAY_LEN(mask->word); i++)
		n += (unsigned int)__builtin_popcountl(mask->word[i]);
	return n;
}

bool pmu_mask_equal(const struct pmu_mask *a, const struct pmu_mask *b)
{
	return !memcmp(a, b, sizeof(*a));
}

int pmu_mask_next(const struct pmu_mask *mask, int from)
{
	size_t i = (size_t)(from > 0 ? from : 0) / PMU_MASK_WORD_BITS;
	unsigned long word;

	if (from >= PMU_MASK_CPUS)
		return -1;
	word = mask->word[i];
	if (from > 0)
		word &= ~0ul << ((size_t)from % PMU_MASK_WORD_BITS);
	while (!word && ++i < PMU_ARRAY_LEN(mask->word))
		word = mask->word[i];
	return word ? (int)(i * PMU_MASK_WORD_BITS) + __builtin_ctzl(word) : -1;
}

int pmu_mask_single(const struct pmu_mask *mask)
{
	int cpu = pmu_mask_next(mask, 0);

	return cpu >= 0 && pmu_mask_next(mask, cpu + 1) < 0 ? cpu : -1;
}

/* The last CPU of the run that starts at @cpu. */
static int run_end(const struct pmu_mask *mask, int cpu)
{
	while (pmu_mask_has(mask, cpu + 1))
		cpu++;
	return cpu;
}

void pmu_mask_format(const struct pmu_mask *mask, char *text, size_t size)
{
	size_t len = 0;
	char item[32];
	int last;

	if (!size)
		return;
	text[0] = '\0';
	for (int cpu = pmu_mask_next(mask, 0); cpu >= 0; cpu = pmu_mask_next(mask, last + 1)) {
		last = run_end(mask, cpu);
		if (last == cpu + 1) /* two neighbours read better as a list */
			last = cpu;
		snprintf(item, sizeof(item), last > cpu ? "%s%d-%d" : "%s%d", len ? "," : "", cpu,
			 last);
		if (len + strlen(item) + sizeof(",...") > size) {
			snprintf(text + len, size - len, "%s...", len ? "," : "");
			return;
		}
		len += (size_t)snprintf(text + len, size - len, "%s", item);
	}
}

/*
 * Digits up to the next character that is none.  Return: where that is; NULL: no number of a CPU.
 */
static const char *parse_cpu(const char *text, int *cpu)
{
	const char *at = text;

	for (*cpu = 0; *at >= '0' && *at <= '9'; at++) {
		*cpu = *cpu * 10 + (*at - '0');
		if (*cpu >= PMU_MASK_CPUS)
			return NULL;
	}
	return at == text ? NULL : at;
}

int pmu_mask_parse(const char *text, struct pmu_mask *mask)
{
	int first, last;

	memset(mask, 0, sizeof(*mask));
	while (*text) {
		text = parse_cpu(text, &first);
		last = first;
		if (text && *text == '-')
			text = parse_cpu(text + 1, &last);
		if (!text || last < first || (*text == ',' && !text[1]))
			return -EINVAL;
		for (int cpu = first; cpu <= last; cpu++)
			pmu_mask_set(mask, cpu);
		if (*text && *text++ != ',')
			return -EINVAL;
	}
	return 0;
}

int pmu_mask_of_thread(int tid, struct pmu_mask *mask)
{
	int saved = errno, rc = 0;

	/* The kernel fills as many bytes as it has and returns their number. */
	memset(mask, 0, sizeof(*mask));
	if (syscall(SYS_sched_getaffinity, tid, sizeof(*mask), mask) < 0)
		rc = -errno;
	errno = saved;
	return rc;
}

int pmu_mask_allowed(struct pmu_mask *mask)
{
	int saved = errno, rc = 0;

	memset(mask, 0, sizeof(*mask));
	if (sched_getaffinity(0, sizeof(*mask), (cpu_set_t *)(void *)mask) < 0)
		rc = -errno;
	errno = saved;
	return rc;
}

int pmu_mask_apply(const struct pmu_mask *mask)
{
	int saved = errno, rc = 0;

	if (syscall(SYS_sched_setaffinity, 0, sizeof(*mask), mask) < 0)
		rc = -errno;
	errno = saved;
	return rc;
}
