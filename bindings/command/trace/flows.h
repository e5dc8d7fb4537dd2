/* SPDX-License-Identifier: BSD-3-Clause */
/* Which call of a region another thread has worked for. */
#ifndef PMU_COMMAND_TRACE_FLOWS_H
#define PMU_COMMAND_TRACE_FLOWS_H

#include "bindings/command/trace/source.h"

/** One end of an arrow. */
struct pmu_flow_end {
	uint32_t ring;
	uint32_t index; /* of the record */
	uint64_t id;    /* of the arrow, from 1 on */
};

/** Both ends of all, each by ring and record. */
struct pmu_flows {
	struct pmu_flow_end *from, *to;
	size_t n;
};

/**
 * pmu_flows_find() - from openers to workers
 *
 * A worker's rows say for which region it worked, not for which call: it is the one of that path, in
 * any thread, that had begun last when the worker came.
 * Return: 0 or -ENOMEM.
 */
int pmu_flows_find(const struct pmu_trace_source *source, struct pmu_flows *flows);
void pmu_flows_free(struct pmu_flows *flows);

/** pmu_flow_ends() - those of a record among @n.  Return: how many, from *@first on. */
size_t pmu_flow_ends(const struct pmu_flow_end *end, size_t n, uint32_t ring, uint64_t index,
		     const struct pmu_flow_end **first);

#endif
