/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernel's PMUs and their boxes: which descriptors count a unit of the whole machine. */
#ifndef PMU_MACHINE_BOXES_H
#define PMU_MACHINE_BOXES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PMU_BOX_NAME_MAX 64
#define PMU_BOX_MAX_CPUS 64

/** One box of a PMU. */
struct pmu_box {
	char name[PMU_BOX_NAME_MAX];
	uint32_t type;             /* perf_event_attr.type */
	int cpu[PMU_BOX_MAX_CPUS]; /* its cpumask: one processor of each socket, ascending */
	unsigned int n_cpus;       /* 0: it has no cpumask, it counts what runs on a processor */
	/* there are more processors, or boxes, than are told: a sum over them would be too low */
	bool cut;
};

/**
 * pmu_box_stem() - length of a PMU's name without its box's number: of "uncore_imc" in
 * "uncore_imc_1"
 */
size_t pmu_box_stem(const char *name);

/**
 * pmu_boxes_find() - the boxes of a PMU
 * @devices: /sys/bus/event_source/devices, or a folder like it
 * @pmu: its name, also without the box's number: "uncore_imc" has uncore_imc_0, uncore_imc_1, ...,
 *       in the order of their numbers; "uncore_imc_1" is that one alone; "hisi_sccl,ddrc" has
 *       hisi_sccl1_ddrc0, hisi_sccl1_ddrc1, ...
 *
 * A box with an empty or unreadable cpumask is left out: it cannot be counted.
 * Return: how many there are, of which @room were filled in; 0 for none.
 */
size_t pmu_boxes_find(const char *devices, const char *pmu, struct pmu_box *box, size_t room);

#endif
