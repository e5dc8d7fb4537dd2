/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory that is given back all at once: a model's, and a writer's scratch. */
#ifndef PMU_REPORT_BLOCK_H
#define PMU_REPORT_BLOCK_H

#include <stdarg.h>
#include <stddef.h>

#include "base/compiler.h"

/** A list of blocks begins as NULL. */
struct pmu_model_block;

/** pmu_block_alloc() - zeroed memory, aligned for anything; NULL without memory. */
void *pmu_block_alloc(struct pmu_model_block **blocks, size_t size);

/** pmu_block_array() - the same for @n elements. */
void *pmu_block_array(struct pmu_model_block **blocks, size_t n, size_t size);

/** pmu_block_text() - a copy of @len bytes with a NUL, packed; NULL without memory. */
char *pmu_block_text(struct pmu_model_block **blocks, const char *text, size_t len);

/** pmu_block_vtextf() - the same of what vprintf(3) would write */
char *pmu_block_vtextf(struct pmu_model_block **blocks, const char *fmt, va_list args)
	PMU_PRINTF(2, 0);

/** pmu_block_join() - what @from has lives as long as @blocks; @from is empty then */
void pmu_block_join(struct pmu_model_block **blocks, struct pmu_model_block **from);
void pmu_block_free(struct pmu_model_block **blocks);

#endif
