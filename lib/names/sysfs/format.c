/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the kernel's format files and puts values where they say. */
#include "names/sysfs/format.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

/* One or two digits.  Return: what follows; NULL for no number of a bit. */
static const char *read_bit(const char *text, unsigned int *bit)
{
	if (!isdigit((unsigned char)*text))
		return NULL;
	*bit = (unsigned int)(*text++ - '0');
	if (isdigit((unsigned char)*text))
		*bit = *bit * 10 + (unsigned int)(*text++ - '0');
	return *bit < 64 && !isdigit((unsigned char)*text) ? text : NULL;
}

static uint64_t range(unsigned int low, unsigned int high)
{
	return (UINT64_MAX >> (63 - high)) & (UINT64_MAX << low);
}

int pmu_sysfs_format_parse(const char *text, struct pmu_sysfs_format *format)
{
	static const char word[] = "config";
	unsigned int low, high;
	uint64_t bits = 0;

	if (strncmp(text, word, sizeof(word) - 1) != 0)
		return -EINVAL;
	text += sizeof(word) - 1;
	format->config = isdigit((unsigned char)*text) ? (uint8_t)(*text++ - '0') : 0;
	if (*text != ':')
		return -EINVAL;
	do {
		text = read_bit(text + 1, &low); /* behind ':' or ',' */
		high = low;
		if (text && *text == '-')
			text = read_bit(text + 1, &high);
		if (!text || high < low || bits & range(low, high))
			return -EINVAL;
		bits |= range(low, high);
	} while (*text == ',');
	format->bits = bits;
	if (*text)
		return -EINVAL;
	return format->config < PMU_SYSFS_CONFIGS ? 0 : -ENOTSUP;
}

uint64_t pmu_sysfs_format_max(const struct pmu_sysfs_format *format)
{
	unsigned int n = (unsigned int)__builtin_popcountll(format->bits);

	return n ? UINT64_MAX >> (64 - n) : 0;
}

void pmu_sysfs_format_put(const struct pmu_sysfs_format *format, uint64_t value,
			  uint64_t config[PMU_SYSFS_CONFIGS])
{
	uint64_t *word = &config[format->config];

	*word &= ~format->bits;
	for (uint64_t bits = format->bits; bits; bits &= bits - 1, value >>= 1)
		if (value & 1)
			*word |= bits & -bits;
}
