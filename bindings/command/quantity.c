/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers with units. */
#include "bindings/command/quantity.h"

#include <string.h>

#include "base/compiler.h"

#define MAX_DIGITS 15 /* of the whole part: such a number is exact in a double */

static const struct {
	const char *name;
	enum pmu_quantity_unit unit;
	double worth;
} units[] = {
	{ "", PMU_QUANTITY_PLAIN, 1 },      { "%", PMU_QUANTITY_SHARE, 0.01 },
	{ "ns", PMU_QUANTITY_TIME, 1 },     { "us", PMU_QUANTITY_TIME, 1e3 },
	{ "ms", PMU_QUANTITY_TIME, 1e6 },   { "s", PMU_QUANTITY_TIME, 1e9 },
	{ "min", PMU_QUANTITY_TIME, 60e9 },
};

static void skip_blanks(const char **at, const char *end)
{
	while (*at < end && (**at == ' ' || **at == '\t'))
		++*at;
}

/* Return: how many. */
static size_t take_digits(const char **at, const char *end, double *value, double *worth)
{
	const char *start = *at;

	for (; *at < end && **at >= '0' && **at <= '9'; ++*at) {
		*value = 10 * *value + (**at - '0');
		*worth *= 10;
	}
	return (size_t)(*at - start);
}

bool pmu_quantity_parse(const char *text, size_t len, struct pmu_quantity *out)
{
	const char *at = text, *end = text + len;
	double value = 0, worth = 1;
	size_t digits;

	*out = (struct pmu_quantity){ .sign = 0 };
	while (end > at && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	skip_blanks(&at, end);
	if (at < end && (*at == '+' || *at == '-'))
		out->sign = *at++;
	digits = take_digits(&at, end, &value, &worth);
	if (!digits || digits > MAX_DIGITS)
		return false;
	worth = 1;
	if (at < end && *at == '.') {
		at++;
		digits = take_digits(&at, end, &value, &worth);
		if (!digits || digits > MAX_DIGITS)
			return false;
	}
	skip_blanks(&at, end);
	for (size_t i = 0; i < PMU_ARRAY_LEN(units); i++) {
		if (strlen(units[i].name) != (size_t)(end - at) ||
		    memcmp(units[i].name, at, (size_t)(end - at)) != 0)
			continue;
		out->unit = units[i].unit;
		out->value = value / worth * units[i].worth;
		return true;
	}
	return false;
}
