/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers with units: what is one, and what it is worth. */
#include <math.h>
#include <string.h>

#include "bindings/command/quantity.h"
#include "unit/part.h"

static const struct {
	const char *text;
	char sign;
	double value;
	enum pmu_quantity_unit unit;
} known[] = {
	{ "0", 0, 0, PMU_QUANTITY_PLAIN },
	{ "+100", '+', 100, PMU_QUANTITY_PLAIN },
	{ "-3", '-', 3, PMU_QUANTITY_PLAIN },
	{ " 12.50 ", 0, 12.5, PMU_QUANTITY_PLAIN },
	{ "1%", 0, 0.01, PMU_QUANTITY_SHARE },
	{ "+0.5 %", '+', 0.005, PMU_QUANTITY_SHARE },
	{ "1ns", 0, 1, PMU_QUANTITY_TIME },
	{ "2.5us", 0, 2500, PMU_QUANTITY_TIME },
	{ "+2\tms", '+', 2e6, PMU_QUANTITY_TIME },
	{ "60s", 0, 60e9, PMU_QUANTITY_TIME },
	{ "10min", 0, 600e9, PMU_QUANTITY_TIME },
	{ "999999999999999", 0, 999999999999999, PMU_QUANTITY_PLAIN },
};

static const char *const none[] = {
	"",
	" ",
	"+",
	"%",
	"ms",
	"1.",
	".5",
	"1.5.",
	"+-1",
	"--1",
	"1e9",
	"0x10",
	"1 000",
	"1,5%",
	"inf",
	"nan",
	"1%%",
	"1 m s",
	"1S",
	"1 h",
	"1000000000000000",
	"1.0000000000000000",
	"1\n",
};

UNIT_PART(quantity)
{
	struct pmu_quantity q;

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		bool is = pmu_quantity_parse(known[i].text, strlen(known[i].text), &q);

		ok(is && q.sign == known[i].sign && q.unit == known[i].unit &&
			   fabs(q.value - known[i].value) <= 1e-15 * known[i].value,
		   "'%s' is %g", known[i].text, known[i].value);
	}
	for (size_t i = 0; i < sizeof(none) / sizeof(*none); i++)
		ok(!pmu_quantity_parse(none[i], strlen(none[i]), &q), "'%s' is none", none[i]);
	ok(!pmu_quantity_parse("1\0", 2, &q), "nor is a NUL");
	ok(pmu_quantity_parse("12", 1, &q) && q.value == 1,
	   "what is behind its end is not looked at");
	return done_testing();
}
