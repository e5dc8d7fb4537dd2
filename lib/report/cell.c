/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers for people: three or four digits that matter, and a unit. */
#include "report/cell.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/compiler.h"
#include "base/number.h"

struct unit {
	double size;
	const char *name;
};

static const struct unit times[] = {
	{ 1, " ns" }, { 1e3, " us" }, { 1e6, " ms" }, { 1e9, " s" }, { 0, NULL }
};
static const struct unit energies[] = { { 1, " uJ" },   { 1e3, " mJ" },  { 1e6, " J" },
					{ 1e9, " kJ" }, { 1e12, " MJ" }, { 0, NULL } };
static const struct unit thousands[] = { { 1, "" },      { 1e3, " k" },  { 1e6, " M" },
					 { 1e9, " G" },  { 1e12, " T" }, { 1e15, " P" },
					 { 1e18, " E" }, { 0, NULL } };
static const struct unit frequencies[] = {
	{ 1, " Hz" }, { 1e3, " kHz" }, { 1e6, " MHz" }, { 1e9, " GHz" }, { 0, NULL }
};

void pmu_cell_text(struct pmu_cell *cell, const char *text)
{
	snprintf(cell->number, sizeof(cell->number), "%s", text);
	cell->unit[0] = '\0';
}

void pmu_cell_none(struct pmu_cell *cell)
{
	pmu_cell_text(cell, "-");
}

/* Digits from the end, a comma after every third: 26 characters for 2^64 - 1. */
void pmu_cell_exact(struct pmu_cell *cell, uint64_t value)
{
	char digits[sizeof(cell->number)];
	char *at = digits + sizeof(digits);
	int n = 0;

	*--at = '\0';
	do {
		if (n && n % 3 == 0)
			*--at = ',';
		*--at = (char)('0' + value % 10);
		value /= 10;
		n++;
	} while (value);
	pmu_cell_text(cell, at);
}

/* Without printf()'s decimal point, which is the locale's; 0 <= @value < 1e15. */
static void put_fixed(struct pmu_cell *cell, double value, int n_decimals)
{
	static const uint64_t power[] = { 1, 10, 100, 1000 };
	uint64_t scaled = pmu_nearest(value * (double)power[n_decimals]);
	char decimals[8] = "";

	pmu_cell_exact(cell, scaled / power[n_decimals]);
	if (n_decimals)
		snprintf(decimals, sizeof(decimals), ".%0*d", n_decimals,
			 (int)(scaled % power[n_decimals]));
	memcpy(cell->number + strlen(cell->number), decimals, strlen(decimals) + 1);
}

/* Decimals that make four digits of it, rounding included: 9.9996 has two, 10.00. */
static int decimals_for(double value, int most)
{
	static const double power[] = { 1, 10, 100, 1000 };
	int n = most;

	while (n > 0 && value * power[n] >= 9999.5)
		n--;
	return n;
}

/* The largest unit of which there is at least one, after rounding. */
static void put_scaled(struct pmu_cell *cell, double value, const struct unit *unit)
{
	while (unit[1].name && value / unit->size >= 999.95)
		unit++;
	value /= unit->size;
	put_fixed(cell, value, decimals_for(value, 3));
	snprintf(cell->unit, sizeof(cell->unit), "%s", unit->name);
}

/* From here on a column has four digits and a unit. */
#define MANY 1e7

void pmu_cell_count(struct pmu_cell *cell, uint64_t value, uint64_t largest)
{
	/* what is whole has no decimals */
	if (largest < (uint64_t)MANY || value < 1000)
		pmu_cell_exact(cell, value);
	else
		put_scaled(cell, (double)value, thousands);
}

/* 0 <= @value < 2^63 */
static bool is_whole(double value)
{
	return value == (double)(uint64_t)value;
}

void pmu_cell_mean(struct pmu_cell *cell, double value)
{
	if (value < 1e14)
		put_fixed(cell, value, !is_whole(value));
	else
		put_scaled(cell, value, thousands);
}

void pmu_cell_time(struct pmu_cell *cell, double ns)
{
	if (!(ns >= 0) || ns > 1e24) {
		pmu_cell_none(cell);
	} else if (ns < 999.95) {
		/* a mean of whole nanoseconds has no more than a tenth to tell */
		put_fixed(cell, ns, ns < 99.95 && !is_whole(ns));
		snprintf(cell->unit, sizeof(cell->unit), " ns");
	} else {
		put_scaled(cell, ns, times);
	}
}

void pmu_cell_energy(struct pmu_cell *cell, uint64_t microjoules)
{
	/* below a thousand there are no decimals to show */
	if (microjoules < 1000) {
		pmu_cell_exact(cell, microjoules);
		snprintf(cell->unit, sizeof(cell->unit), " uJ");
	} else {
		put_scaled(cell, (double)microjoules, energies);
	}
}

void pmu_cell_share(struct pmu_cell *cell, double fraction)
{
	if (!(fraction >= 0) || fraction > 1e9) {
		pmu_cell_none(cell);
		return;
	}
	if (fraction > 0 && fraction < 0.0005)
		pmu_cell_text(cell, "<0.1");
	else
		put_fixed(cell, 100 * fraction, 1);
	cell->unit[0] = '%';
	cell->unit[1] = '\0';
}

static void put_minus(struct pmu_cell *cell)
{
	size_t len = strnlen(cell->number, sizeof(cell->number) - 2);

	memmove(cell->number + 1, cell->number, len);
	cell->number[0] = '-';
	cell->number[len + 1] = '\0';
}

/* The rare ones, as "1.2e-05"; the locale's decimal point becomes '.'. */
static void put_general(struct pmu_cell *cell, double value)
{
	char text[sizeof(cell->number)];
	char *to = text;

	snprintf(text, sizeof(text), "%.2g", value);
	for (const char *from = text; *from; from++) {
		if (strchr("0123456789+-e", *from))
			*to++ = *from;
		else if (to == text || to[-1] != '.')
			*to++ = '.';
	}
	*to = '\0';
	pmu_cell_text(cell, text);
}

void pmu_cell_value(struct pmu_cell *cell, double value, double largest)
{
	double size = fabs(value);
	bool scaled = size >= 999.95 && largest >= MANY;

	if (!isfinite(value)) {
		pmu_cell_none(cell);
		return;
	}
	if ((size > 0 && size < 0.01) || size >= 1e21)
		put_general(cell, size);
	else if (scaled)
		put_scaled(cell, size, thousands);
	else
		put_fixed(cell, size, size < 99.995 ? 2 : size < 999.95);
	if (!scaled || size >= 1e21)
		cell->unit[0] = '\0';
	if (value < 0)
		put_minus(cell);
}

void pmu_cell_estimated(struct pmu_cell *cell)
{
	size_t len = strlen(cell->number);

	if (len + 1 >= sizeof(cell->number))
		return;
	memmove(cell->number + 1, cell->number, len + 1);
	cell->number[0] = '~';
}

void pmu_cell_hz(struct pmu_cell *cell, double hz)
{
	if (!(hz > 0) || hz > 1e15)
		pmu_cell_none(cell);
	else
		put_scaled(cell, hz, frequencies);
}
