/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers for people: three or four digits that matter, and a unit. */
#ifndef PMU_REPORT_CELL_H
#define PMU_REPORT_CELL_H

#include <stdint.h>

/** A number and its unit; in a table each of the two is aligned by itself. */
struct pmu_cell {
	char number[27];
	char unit[5]; /* "" or " ms", " M", "%" */
};

/** pmu_cell_none() - "-": unknown */
void pmu_cell_none(struct pmu_cell *cell);
/** pmu_cell_text() - as it stands, cut where it is too long */
void pmu_cell_text(struct pmu_cell *cell, const char *text);
/** pmu_cell_exact() - all digits: 1,234,567 */
void pmu_cell_exact(struct pmu_cell *cell, uint64_t value);
/**
 * pmu_cell_count() - all digits; in a column where @largest has more than seven: 123, 12.35 k,
 * 12.35 M, 1.234 G, ...
 * @largest: of the column: its numbers are all written in one way
 */
void pmu_cell_count(struct pmu_cell *cell, uint64_t value, uint64_t largest);
/** pmu_cell_mean() - of whole numbers: 1,234,567.8 */
void pmu_cell_mean(struct pmu_cell *cell, double value);
/** pmu_cell_time() - 123 ns, 12.3 ns, 1.234 us, 12.34 ms, 123.4 s, 12,345 s; NaN is
 * unknown */
void pmu_cell_time(struct pmu_cell *cell, double ns);
/** pmu_cell_energy() - 123 uJ, 12.34 mJ, 1.234 J, 12.34 kJ */
void pmu_cell_energy(struct pmu_cell *cell, uint64_t microjoules);
/** pmu_cell_share() - 82.8%, <0.1%; NaN is unknown */
void pmu_cell_share(struct pmu_cell *cell, double fraction);
/**
 * pmu_cell_value() - a metric: 1.23, 123.4, 12,345, 0.0012; with @largest as a count; NaN is
 * unknown
 */
void pmu_cell_value(struct pmu_cell *cell, double value, double largest);
/** pmu_cell_estimated() - "~20.1": what was not counted has a sign before it */
void pmu_cell_estimated(struct pmu_cell *cell);
/** pmu_cell_hz() - 2.596 GHz */
void pmu_cell_hz(struct pmu_cell *cell, double hz);

#endif
