/* SPDX-License-Identifier: BSD-3-Clause */
/* Ways through a finished model's rows that the writers share. */
#ifndef PMU_REPORT_ROWS_H
#define PMU_REPORT_ROWS_H

#include "report/model/model.h"

/** The threads' rows of each sum: row[start[i]] to row[start[i + 1] - 1] belong to sum i.
 */
struct pmu_rows_by_sum {
	unsigned int *start; /* [n_rows + 1] */
	unsigned int *row;   /* indices into thread_row, in its order */
};

/** pmu_rows_by_sum() - make one, for pmu_rows_by_sum_free().  Return: 0 or -ENOMEM. */
int pmu_rows_by_sum(struct pmu_rows_by_sum *index, const struct pmu_model_section *section);
void pmu_rows_by_sum_free(struct pmu_rows_by_sum *index);

/** pmu_section_has_teams() - did any thread work for another's region? */
bool pmu_section_has_teams(const struct pmu_model_section *section);
bool pmu_model_has_teams(const struct pmu_model *model);

/** pmu_model_thread_number() - number of a row's thread, -1 for a sum and a socket */
int pmu_model_thread_number(const struct pmu_model *model, const struct pmu_model_row *row);

/**
 * pmu_model_socket_number() - number of a row's socket, -1 where it is not known, or of no socket;
 *	PMU_MODEL_PROCESS
 */
int pmu_model_socket_number(const struct pmu_model *model, const struct pmu_model_row *row);

/**
 * pmu_row_is_short() - are a row's calls too short to mean much?
 *
 * So it is where more than a tenth of the time or of a count was the library's own work, of the
 * time at least 10 ns a call.  Where that was not measured, as of sockets, it is guessed: 20 ns a
 * call, or two reads of the counters.
 */
bool pmu_row_is_short(const struct pmu_model_section *section, const struct pmu_model_row *row);

#endif
