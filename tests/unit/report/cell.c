/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers for people, at the edges of their units. */
#include "unit/part.h"

#include "report/cell.h"

static void is_cell(const struct pmu_cell *cell, const char *want)
{
	char text[64];

	snprintf(text, sizeof(text), "%s%s", cell->number, cell->unit);
	if (!ok(!strcmp(text, want), "%s", want))
		diag("got %s", text);
}

static void is_time(double ns, const char *want)
{
	struct pmu_cell cell;

	pmu_cell_time(&cell, ns);
	is_cell(&cell, want);
}

static void is_count(uint64_t value, const char *want)
{
	struct pmu_cell cell;

	pmu_cell_count(&cell, value, value);
	is_cell(&cell, want);
}

static void is_value(double value, const char *want)
{
	struct pmu_cell cell;

	pmu_cell_value(&cell, value, fabs(value));
	is_cell(&cell, want);
}

static void beside(uint64_t value, uint64_t largest, const char *want)
{
	struct pmu_cell cell;

	pmu_cell_count(&cell, value, largest);
	is_cell(&cell, want);
}

static void value_beside(double value, double largest, const char *want)
{
	struct pmu_cell cell;

	pmu_cell_value(&cell, value, largest);
	is_cell(&cell, want);
}

static void is_share(double value, const char *want)
{
	struct pmu_cell cell;

	pmu_cell_share(&cell, value);
	is_cell(&cell, want);
}

static void times_have_four_digits(void)
{
	is_time(0, "0 ns");
	is_time(12, "12 ns");
	is_time(12.34, "12.3 ns");
	is_time(123.4, "123 ns");
	is_time(999, "999 ns");
	is_time(999.96, "1.000 us");
	is_time(1000, "1.000 us");
	is_time(9999.6, "10.00 us");
	is_time(12345, "12.35 us");
	is_time(999940, "999.9 us");
	is_time(999960, "1.000 ms");
	is_time(1.022e9, "1.022 s");
	is_time(999.96e9, "1,000 s");
	is_time(12345e9, "12,345 s");
	is_time((double)UINT64_MAX, "18,446,744,074 s");
	is_time(NAN, "-");
	is_time(-1, "-");
	is_time(INFINITY, "-");
}

static void energies_have_four_digits(void)
{
	static const struct {
		uint64_t microjoules;
		const char *want;
	} cases[] = {
		{ 0, "0 uJ" },
		{ 999, "999 uJ" },
		{ 1000, "1.000 mJ" },
		{ 61728, "61.73 mJ" },
		{ 999960, "1.000 J" },
		{ 12345678, "12.35 J" },
		{ 1234560000, "1.235 kJ" },
		{ 1234560000000, "1.235 MJ" },
		{ UINT64_MAX, "18,446,744 MJ" },
	};
	struct pmu_cell cell;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		pmu_cell_energy(&cell, cases[i].microjoules);
		is_cell(&cell, cases[i].want);
	}
}

static void counts_are_exact_up_to_seven_digits(void)
{
	is_count(0, "0");
	is_count(999, "999");
	is_count(1000, "1,000");
	is_count(9999999, "9,999,999");
	is_count(10000000, "10.00 M");
	is_count(12345678, "12.35 M");
	is_count(999950000, "1.000 G");
	is_count(1234567890123, "1.235 T");
	is_count(UINT64_MAX, "18.45 E");
}

static void exact_numbers_fit(void)
{
	struct pmu_cell cell;

	pmu_cell_exact(&cell, UINT64_MAX);
	is_cell(&cell, "18,446,744,073,709,551,615");
}

static void shares_never_pass_for_zero(void)
{
	is_share(0, "0.0%");
	is_share(0.0004, "<0.1%");
	is_share(0.0005, "0.1%");
	is_share(0.8276, "82.8%");
	is_share(1, "100.0%");
	is_share(NAN, "-");
}

static void metrics_keep_what_matters(void)
{
	is_value(0, "0.00");
	is_value(1.234, "1.23");
	is_value(-1.234, "-1.23");
	is_value(99.99, "99.99");
	is_value(99.999, "100.0");
	is_value(123.45, "123.5");
	is_value(12345.6, "12,346");
	is_value(12.3456e6, "12.35 M");
	is_value(0.0012, "0.0012");
	is_value(0.000012, "1.2e-05");
	is_value(1e300, "1e+300");
	is_value(NAN, "-");
	is_value(INFINITY, "-");
}

static void frequencies(void)
{
	struct pmu_cell cell;

	pmu_cell_hz(&cell, 2.596e9);
	is_cell(&cell, "2.596 GHz");
	pmu_cell_hz(&cell, 62.5e6);
	is_cell(&cell, "62.50 MHz");
	pmu_cell_hz(&cell, 0);
	is_cell(&cell, "-");
}

static void a_column_has_one_way_of_writing(void)
{
	beside(7209280, 9999999, "7,209,280");
	beside(7209280, 13770000, "7.209 M");
	beside(12345, 13770000, "12.35 k");
	beside(1000, 13770000, "1.000 k");
	beside(999, 13770000, "999");
	beside(0, UINT64_MAX, "0");
	value_beside(7209280, 9999999, "7,209,280");
	value_beside(7209280, 13770000, "7.209 M");
	value_beside(-7209280, 13770000, "-7.209 M");
	value_beside(12345.6, 13770000, "12.35 k");
	value_beside(999.96, 13770000, "1.000 k");
	value_beside(1.5, 13770000, "1.50");
	value_beside(NAN, 13770000, "-");
}

UNIT_PART(cell)
{
	times_have_four_digits();
	energies_have_four_digits();
	counts_are_exact_up_to_seven_digits();
	exact_numbers_fit();
	shares_never_pass_for_zero();
	metrics_keep_what_matters();
	frequencies();
	a_column_has_one_way_of_writing();
	return done_testing();
}
