/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The least that a call of a row counted, its shortest path, where that was kept; and what may have
 * been counted too much.
 */
#ifndef PMU_REPORT_LEAST_H
#define PMU_REPORT_LEAST_H

#include "report/model/model.h"

/** pmu_model_least_new() - nothing known yet; NULL without memory */
struct pmu_model_least *pmu_model_least_new(struct pmu_model *model, unsigned int n_counts);

/** pmu_model_least_keep() - one more count of a call, if that is less */
void pmu_model_least_keep(struct pmu_model_least *least, unsigned int count, uint64_t value);

/** pmu_model_has_leasts() - was it kept for any row? */
bool pmu_model_has_leasts(const struct pmu_model *model);

/**
 * pmu_section_interrupts() - the column of interrupts beside one of instructions at user level; -1:
 * there is none
 */
int pmu_section_interrupts(const struct pmu_model_section *section);

/**
 * pmu_section_less_interrupts() - the metric of instructions without them, where the processor's count
 * of interrupts may be taken off; -1: there is none
 */
int pmu_section_less_interrupts(const struct pmu_model_section *section);

#endif
