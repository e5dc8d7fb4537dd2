/* SPDX-License-Identifier: BSD-3-Clause */
/* Which processor, as all of the command's JSON says it. */
#ifndef PMU_COMMAND_JSON_CPU_ID_H
#define PMU_COMMAND_JSON_CPU_ID_H

#include "machine/cpu.h"
#include "report/json_put.h"

/* The first members of an object; @before, @between: what is in front of the first, and of the others */
static inline void put_cpu_id(struct pmu_strbuf *out, const char *before, const char *between,
			      const struct pmu_cpu_id *id)
{
	put_text(out, before, "vendor", id->vendor);
	put_u64(out, between, "family", id->family);
	put_u64(out, between, "model", id->model);
	put_u64(out, between, "stepping", id->stepping);
}

#endif
