/* SPDX-License-Identifier: BSD-3-Clause */
/* What is looked at as JSON, an object a line. */
#ifndef PMU_COMMAND_TOP_JSON_H
#define PMU_COMMAND_TOP_JSON_H

#include "base/strbuf.h"
#include "bindings/command/top/order.h"

/** pmu_top_put_json() - one object with its newline; @unix_ns: when that was */
void pmu_top_put_json(struct pmu_strbuf *out, const struct pmu_top_program *const *program,
		      size_t n, const struct pmu_top_order *order, uint64_t unix_ns);

#endif
