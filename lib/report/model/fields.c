/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of a row's numbers, and the one way to add rows up. */
#include "report/model/fields.h"

#include <math.h>
#include <string.h>

#include "base/compiler.h"

#define AT(field) (uint16_t) offsetof(struct pmu_model_row, field)
#define PAGE      (PMU_OF_ROW | PMU_OF_PAGE)
#define PAGES     (PAGE | PMU_OF_PAGE_ROWS)

#define WAITS (PAGE | PMU_OF_PROGRAM | PMU_OF_TEAM | PMU_OF_OLD_REPORTS | PMU_OF_RANKS)

const struct pmu_field pmu_fields[] = {
	{ "n_threads", NULL, 0, PMU_FIELD_SUM, PMU_FIELD_U32, PMU_KNOWN_ALWAYS,
	  PMU_OF_PAGE | PMU_OF_RANKS, AT(n_threads) },
	{ "calls", "calls", 1, PMU_FIELD_SUM, PMU_FIELD_U64, PMU_KNOWN_ALWAYS, PAGES | PMU_OF_RANKS,
	  AT(calls) },
	{ "all_calls", NULL, 0, PMU_FIELD_DERIVED, PMU_FIELD_U64, PMU_KNOWN_OTHERS,
	  PMU_OF_SUM | PMU_OF_PAGE, AT(all_calls) },
	{ "time_ns", "time_ns", 2, PMU_FIELD_SUM, PMU_FIELD_U64, PMU_KNOWN_TIMED,
	  PAGES | PMU_OF_PROGRAM | PMU_OF_TEAM | PMU_OF_RANKS, AT(time_ns) },
	{ "cpu_ns", "cpu_ns", 10, PMU_FIELD_SUM, PMU_FIELD_U64, PMU_KNOWN_UNLESS, WAITS,
	  AT(cpu_ns) },
	{ "blocked_ns", "blocked_ns", 11, PMU_FIELD_SUM, PMU_FIELD_U64, PMU_KNOWN_UNLESS, WAITS,
	  AT(blocked_ns) },
	{ "runnable_ns", "runnable_ns", 12, PMU_FIELD_SUM, PMU_FIELD_U64, PMU_KNOWN_UNLESS, WAITS,
	  AT(queued_ns) },
	{ "self_ns", "self_ns", 3, PMU_FIELD_SUM, PMU_FIELD_U64, PMU_KNOWN_SELF, PAGES,
	  AT(self_ns) },
	{ "self_cpu_ns", "self_cpu_ns", 13, PMU_FIELD_SUM, PMU_FIELD_U64, PMU_KNOWN_UNLESS,
	  PAGE | PMU_OF_OLD_REPORTS, AT(self_cpu_ns) },
	{ "time_own_ns", "own_ns", 9, PMU_FIELD_SUM, PMU_FIELD_U64, PMU_KNOWN_TIMED,
	  PAGE | PMU_OF_PROGRAM | PMU_OF_TEAM | PMU_OF_OLD_REPORTS | PMU_OF_RANKS, AT(cost_ns) },
	{ "time_min_ns", "min_ns", 4, PMU_FIELD_LEAST, PMU_FIELD_U64, PMU_KNOWN_CALLED,
	  PAGE | PMU_OF_RANKS, AT(min_ns) },
	{ "time_mean_ns", "mean_ns", 5, PMU_FIELD_MEAN, PMU_FIELD_DOUBLE, PMU_KNOWN_CALLED,
	  PMU_OF_ROW, 0 },
	{ "time_max_ns", "max_ns", 6, PMU_FIELD_MOST, PMU_FIELD_U64, PMU_KNOWN_CALLED,
	  PAGE | PMU_OF_RANKS, AT(max_ns) },
	{ "time_sd_ns", "sd_ns", 7, PMU_FIELD_POOLED, PMU_FIELD_DOUBLE, PMU_KNOWN_ALWAYS,
	  PAGE | PMU_OF_RANKS, AT(sd_ns) },
	{ "share", "share", 8, PMU_FIELD_DERIVED, PMU_FIELD_DOUBLE, PMU_KNOWN_ALWAYS,
	  PAGE | PMU_OF_TEAM, AT(share) },
	{ "open", NULL, 0, PMU_FIELD_SUM, PMU_FIELD_U32, PMU_KNOWN_ALWAYS,
	  PAGE | PMU_OF_PROGRAM | PMU_OF_RANKS, AT(n_open) },
};
const size_t pmu_n_fields = PMU_ARRAY_LEN(pmu_fields);

const struct pmu_counts_field pmu_counts_fields[PMU_COUNTS_FIELDS] = {
	[PMU_COUNTS_RAW] = { "raw", false, AT(raw) },
	[PMU_COUNTS_NET] = { "net", false, AT(net) },
	[PMU_COUNTS_SELF] = { "self", true, AT(self) },
	[PMU_COUNTS_COST] = { NULL, false, AT(cost) },
};

/* --- one number --- */

static void *field_at(const struct pmu_field *field, const struct pmu_model_row *row)
{
	return (char *)(uintptr_t)row + field->offset;
}

static uint64_t integer_of(const struct pmu_field *field, const struct pmu_model_row *row)
{
	const void *at = field_at(field, row);

	return field->type == PMU_FIELD_U32 ? *(const uint32_t *)at : *(const uint64_t *)at;
}

static double real_of(const struct pmu_field *field, const struct pmu_model_row *row)
{
	if (field->kind == PMU_FIELD_MEAN)
		return row->calls ? (double)row->time_ns / (double)row->calls : NAN;
	return *(const double *)field_at(field, row);
}

static bool is_field_known(const struct pmu_field *field, const struct pmu_model_row *row)
{
	switch ((enum pmu_field_known)field->known) {
	case PMU_KNOWN_TIMED:
		return pmu_model_is_timed(row);
	case PMU_KNOWN_CALLED:
		return pmu_model_is_timed(row) && row->calls;
	case PMU_KNOWN_SELF:
		return pmu_model_is_timed(row) && pmu_model_self_known(row);
	case PMU_KNOWN_UNLESS:
		return pmu_model_is_timed(row) && integer_of(field, row) != PMU_NOT_KNOWN;
	case PMU_KNOWN_OTHERS:
		return integer_of(field, row) > row->calls;
	case PMU_KNOWN_ALWAYS:
		break;
	}
	return true;
}

struct pmu_number pmu_field_get(const struct pmu_field *field, const struct pmu_model_row *row)
{
	struct pmu_number number = { .is_known = is_field_known(field, row),
				     .is_double = field->type == PMU_FIELD_DOUBLE };

	if (!number.is_double) {
		number.integer = integer_of(field, row);
		return number;
	}
	number.real = number.is_known ? real_of(field, row) : NAN;
	number.is_known = !isnan(number.real);
	return number;
}

void pmu_field_set(const struct pmu_field *field, struct pmu_model_row *row, uint64_t integer,
		   double real)
{
	void *at = field_at(field, row);

	if (field->type == PMU_FIELD_DOUBLE)
		*(double *)at = real;
	else if (field->type == PMU_FIELD_U32)
		*(uint32_t *)at = integer < UINT32_MAX ? (uint32_t)integer : UINT32_MAX;
	else
		*(uint64_t *)at = integer;
}

uint64_t *pmu_counts_get(enum pmu_counts_field_nth nth, const struct pmu_model_row *row,
			 uint32_t *missing)
{
	const struct pmu_counts_field *field = &pmu_counts_fields[nth];

	*missing = row->missing | (field->is_self ? row->self_missing : 0);
	return *(uint64_t *const *)(const void *)((const char *)row + field->offset);
}

/* --- sums --- */

/* @first: there were no calls before the row's. */
static void add_field(const struct pmu_field *field, struct pmu_model_row *to,
		      const struct pmu_model_row *row, bool first)
{
	uint64_t sum, more;

	if (field->kind == PMU_FIELD_POOLED && row->calls)
		to->sd_ns = first ? row->sd_ns : NAN;
	if (field->type == PMU_FIELD_DOUBLE)
		return;
	sum = integer_of(field, to);
	more = integer_of(field, row);
	if (field->kind == PMU_FIELD_SUM)
		sum = pmu_add_capped(sum, more);
	else if (row->calls && (first || (field->kind == PMU_FIELD_LEAST) == (more < sum)))
		sum = more;
	pmu_field_set(field, to, sum, 0);
}

void pmu_row_add(struct pmu_model_row *to, struct pmu_pool *pool, const struct pmu_model_row *row,
		 unsigned int of)
{
	bool first = !to->calls;

	for (size_t i = 0; i < pmu_n_fields; i++)
		if (pmu_fields[i].of & of)
			add_field(&pmu_fields[i], to, row, first);
	if (pool)
		pmu_pool_row(pool, row);
}

void pmu_row_add_counts(struct pmu_model_row *to, const struct pmu_model_row *row,
			const struct pmu_columns *columns, uint32_t counts)
{
	const unsigned int *at = columns->at;
	uint32_t has = 0, missing;

	for (unsigned int i = 0; at && i < columns->n; i++) {
		has |= UINT32_C(1) << at[i];
		to->missing |= (row->missing >> i & 1) << at[i] & counts;
		to->self_missing |= (row->self_missing >> i & 1) << at[i] & counts;
	}
	to->missing |= counts & (at ? ~has : row->missing);
	to->self_missing |= counts & (at ? ~has : row->self_missing);
	for (unsigned int nth = 0; nth < PMU_COUNTS_FIELDS; nth++) {
		uint64_t *sum = pmu_counts_get(nth, to, &missing);
		const uint64_t *more = pmu_counts_get(nth, row, &missing);

		for (unsigned int i = 0; sum && more && i < columns->n; i++) {
			unsigned int k = at ? at[i] : i;

			if (counts >> k & 1 && !(row->missing >> i & 1))
				sum[k] = pmu_add_capped(sum[k], more[i]);
		}
	}
}
