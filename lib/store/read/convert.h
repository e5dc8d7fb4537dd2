/* SPDX-License-Identifier: BSD-3-Clause */
/* From copies of a store's rows to the model's: times in ns, net counts, doubts. */
#ifndef PMU_STORE_CONVERT_H
#define PMU_STORE_CONVERT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/histogram.h"
#include "report/model.h"
#include "store/read/raw.h"

/** What is known of the process that wrote the store. */
enum pmu_program_state {
	PMU_PROGRAM_RUNS,
	PMU_PROGRAM_ENDED, /* cleanly; its report was written */
	PMU_PROGRAM_DIED,
	PMU_PROGRAM_UNKNOWN, /* of another machine, boot or container */
};

/** A doubt before equal ones are added up. */
struct pmu_raw_doubt {
	const char *text;
	const char *region;
	int thread;
	uint64_t count;
};

/** Everything between the copies and the model. */
struct pmu_convert {
	struct pmu_raw *raw;
	struct pmu_model *model;
	enum pmu_program_state state;
	uint32_t next;           /* enum pmu_next */
	double ns_per_tick;      /* 0: not known */
	uint64_t first_ticks;    /* when the session began */
	uint64_t last_ticks;     /* now, or the last moment that is known of a program that is
				gone */
	unsigned int *thread_of; /* [raw->n_threads] index into model->thread */
	const char **name;       /* [raw->n_names] as the model has them; NULL: not yet */
	struct pmu_histogram_sum *histogram; /* empty; for whoever makes one */
	struct pmu_raw_doubt *doubt;
	size_t n_doubts, doubt_room;
};

/** pmu_convert_ns() - a duration in ticks as ns, at most UINT64_MAX / 4. */
uint64_t pmu_convert_ns(const struct pmu_convert *convert, uint64_t ticks);

/** pmu_convert_threads() - model->thread, one for each number.  Return: 0 or -ENOMEM. */
int pmu_convert_threads(struct pmu_convert *convert);

/** pmu_convert_section() - the rows of one group.  Return: 0 or -ENOMEM. */
int pmu_convert_section(struct pmu_convert *convert, uint32_t group,
			struct pmu_model_section *section);

/** Rows of a section by thread, place and name; of use only where a thread has several
 * records. */
struct pmu_fold {
	unsigned int *slot; /* index of a row + 1; NULL: every row is the only one of its
			       kind */
	size_t mask;
};

int pmu_fold_open(struct pmu_fold *fold, const struct pmu_convert *convert, uint32_t group,
		  size_t n_rows);
void pmu_fold_close(struct pmu_fold *fold);
/** pmu_fold_add() - a row into the section, or onto the one it belongs to.  Return: its
 * index. */
unsigned int pmu_fold_add(struct pmu_fold *fold, struct pmu_convert *convert,
			  struct pmu_model_section *section, const struct pmu_model_row *row);

/** pmu_convert_doubt() - count one more doubt; @text and @region live as long as the
 * model. */
int pmu_convert_doubt(struct pmu_convert *convert, const char *text, const char *region, int thread,
		      uint64_t count);

/** pmu_convert_doubts() - all of them, added up, into the model.  Return: 0 or -ENOMEM.
 */
int pmu_convert_doubts(struct pmu_convert *convert);

#endif
