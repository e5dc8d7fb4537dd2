/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The numbers of a row, one table of them: how each is added up, what it is called in reports, when it
 * is known.  What adds rows up, writes them and reads them back walks the table.
 */
#ifndef PMU_REPORT_FIELDS_H
#define PMU_REPORT_FIELDS_H

#include <stddef.h>

#include "report/model/model.h"
#include "report/model/pool.h"

enum pmu_field_kind {
	PMU_FIELD_SUM,     /* stops at the most that it holds */
	PMU_FIELD_LEAST,   /* of the rows that have calls */
	PMU_FIELD_MOST,    /* likewise */
	PMU_FIELD_POOLED,  /* the deviation of all calls: struct pmu_pool */
	PMU_FIELD_DERIVED, /* made of the other ones */
	PMU_FIELD_MEAN,    /* time a call, which no row holds */
};

enum pmu_field_type { PMU_FIELD_U64, PMU_FIELD_U32, PMU_FIELD_DOUBLE };

/** When it is known.  A double that is not is NaN. */
enum pmu_field_known {
	PMU_KNOWN_ALWAYS,
	PMU_KNOWN_TIMED,  /* pmu_model_is_timed() */
	PMU_KNOWN_CALLED, /* and of a call at least */
	PMU_KNOWN_UNLESS, /* and it is not PMU_NOT_KNOWN */
	PMU_KNOWN_SELF,   /* and pmu_model_self_known() */
	PMU_KNOWN_OTHERS, /* where it is more than the calls */
};

/** What has it: bits. */
enum pmu_field_of {
	PMU_OF_ROW = 1,        /* each row's, and a sum's */
	PMU_OF_PROGRAM = 2,    /* also a program's, of what its processes' outermost regions have */
	PMU_OF_TEAM = 4,       /* also a team's */
	PMU_OF_SUM = 8,        /* a sum's alone, and made when the sum is */
	PMU_OF_PAGE = 16,      /* sums on pages have it */
	PMU_OF_PAGE_ROWS = 32, /* threads' rows on pages have it */
	PMU_OF_OLD_REPORTS = 64, /* reports of earlier versions lack it */
	PMU_OF_RANKS = 128,      /* also of a region of all ranks */
};

struct pmu_field {
	const char *key;     /* JSON's; NULL: not there */
	const char *column;  /* CSV's, and the key on pages; NULL: not in CSV, and the same key */
	unsigned char place; /* among CSV's columns, from 1 on */
	unsigned char kind, type, known, of;
	uint16_t offset; /* in struct pmu_model_row */
};

/** All of them, in the order in which JSON has them.  The first one is calls. */
extern const struct pmu_field pmu_fields[] __attribute__((visibility("hidden")));
extern const size_t pmu_n_fields __attribute__((visibility("hidden")));

/** A number of a row. */
struct pmu_number {
	bool is_known, is_double;
	uint64_t integer;
	double real;
};

/** pmu_field_get() - what a row has of it */
struct pmu_number pmu_field_get(const struct pmu_field *field, const struct pmu_model_row *row);
/** pmu_field_set() - @integer or @real, as its type is */
void pmu_field_set(const struct pmu_field *field, struct pmu_model_row *row, uint64_t integer,
		   double real);

/** Numbers of a row of which there is one for each count of its section. */
struct pmu_counts_field {
	const char *key; /* NULL: in no report */
	bool is_self;    /* self_missing says of it, too, what is not known */
	uint16_t offset; /* of the pointer to them */
};

enum pmu_counts_field_nth {
	PMU_COUNTS_RAW,
	PMU_COUNTS_NET,
	PMU_COUNTS_SELF,
	PMU_COUNTS_COST,
	PMU_COUNTS_FIELDS,
};
extern const struct pmu_counts_field pmu_counts_fields[PMU_COUNTS_FIELDS]
	__attribute__((visibility("hidden")));

/** pmu_counts_get() - a row's, NULL: it has none; and which of them are missing */
uint64_t *pmu_counts_get(enum pmu_counts_field_nth nth, const struct pmu_model_row *row,
			 uint32_t *missing);

static inline uint64_t pmu_add_capped(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/**
 * pmu_row_add() - a row's numbers to a sum's
 * @pool: of the sum's calls before this row, for its deviation; NULL: there is none
 * @of: one of enum pmu_field_of: those of its fields
 *
 * A least, a most and a deviation of no calls so far become the row's.  The deviation of several rows
 * is not known until pmu_pool_sd() says it.
 */
void pmu_row_add(struct pmu_model_row *to, struct pmu_pool *pool, const struct pmu_model_row *row,
		 unsigned int of);

/** Where a row's counts are in a sum. */
struct pmu_columns {
	unsigned int n;         /* counts of the row */
	const unsigned int *at; /* at[i]: where count i is; NULL: in the same place */
};

/** pmu_columns_all() - a bit for each of @n columns */
static inline uint32_t pmu_columns_all(unsigned int n)
{
	return n < 32 ? (UINT32_C(1) << n) - 1 : UINT32_MAX;
}

/**
 * pmu_row_add_counts() - a row's counts to a sum's
 * @counts: bit k: count k of @to is one that the row is there for; of these it is missing in the sum what
 *          the row has not
 */
void pmu_row_add_counts(struct pmu_model_row *to, const struct pmu_model_row *row,
			const struct pmu_columns *columns, uint32_t counts);

#endif
