/* SPDX-License-Identifier: BSD-3-Clause */
/* Where a PMU wants the value of a term: its format files. */
#ifndef PMU_NAMES_SYSFS_FORMAT_H
#define PMU_NAMES_SYSFS_FORMAT_H

#include <stdbool.h>
#include <stdint.h>

/** config, config1 and config2 of perf_event_attr. */
#define PMU_SYSFS_CONFIGS 3

/** Bits of one of them; a value's lowest bit goes to the lowest. */
struct pmu_sysfs_format {
	uint8_t config; /* 0, 1, 2 */
	uint64_t bits;
};

/**
 * pmu_sysfs_format_parse() - "config:0-7,32-35", "config1:18"
 *
 * Source: Linux, Documentation/ABI/testing/sysfs-bus-event_source-devices-format.
 * Return: 0; -EINVAL: it is none; -ENOTSUP: of a config that does not exist here.
 */
int pmu_sysfs_format_parse(const char *text, struct pmu_sysfs_format *format);

/** pmu_sysfs_format_max() - the largest value that fits */
uint64_t pmu_sysfs_format_max(const struct pmu_sysfs_format *format);

/**
 * pmu_sysfs_format_put() - in place of what stands in these bits; of a value that is too large its
 * low bits
 */
void pmu_sysfs_format_put(const struct pmu_sysfs_format *format, uint64_t value,
			  uint64_t config[PMU_SYSFS_CONFIGS]);

#endif
