/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers with units, as options and files of limits have them. */
#ifndef PMU_COMMAND_QUANTITY_H
#define PMU_COMMAND_QUANTITY_H

#include <stdbool.h>
#include <stddef.h>

enum pmu_quantity_unit {
	PMU_QUANTITY_PLAIN,
	PMU_QUANTITY_SHARE, /* said in percent; 0.01 is 1% */
	PMU_QUANTITY_TIME,  /* nanoseconds; said in ns, us, ms, s or min */
};

struct pmu_quantity {
	char sign; /* '+', '-'; 0: it has none */
	double value;
	enum pmu_quantity_unit unit;
};

/**
 * pmu_quantity_parse() - all of @text, as "1%", "60s", "+0.5 %", "-3", "1.5ms"
 *
 * Decimal, with a point, below 10^15, whatever the locale.
 *
 * Return: whether it is one.
 */
bool pmu_quantity_parse(const char *text, size_t len, struct pmu_quantity *out);

#endif
