/* SPDX-License-Identifier: BSD-3-Clause */
/* What `pmu info` shows, and its two ways of showing it. */
#ifndef PMU_COMMAND_INFO_H
#define PMU_COMMAND_INFO_H

#include <stdbool.h>

#include "base/strbuf.h"
#include "machine/libcpuid/libcpuid.h"
#include "machine/machine.h"

/** Yes, no, or not known. */
enum pmu_info_answer { PMU_INFO_NO, PMU_INFO_YES, PMU_INFO_UNKNOWN };

struct pmu_info {
	const struct pmu_machine *machine;
	struct pmu_cpu_id id;                  /* by libcpuid where it knows the processor */
	struct pmu_libcpuid_identity identity; /* what it said */
	bool identified;
	char codename[128];              /* "" not known */
	enum pmu_info_answer full_width; /* writes to all bits of a counter */
	const char *full_width_by;       /* how we know, or what would tell; "" */
};

/**
 * pmu_info_identify() - fills in .id, .identity, .identified and .codename
 * @cpuid_file: as in struct pmu_machine_from
 */
void pmu_info_identify(struct pmu_info *info, const char *cpuid_file);

/**
 * pmu_info_write_raw() - the leaves of every processor in libcpuid's raw format
 * @path: "-" standard output
 * Return: 0 or PMU_EXIT_FAILED, after a message.
 */
int pmu_info_write_raw(const struct pmu_machine *machine, const char *cpuid_file, const char *path);

/** pmu_info_text() - for people. */
void pmu_info_text(const struct pmu_info *info, struct pmu_strbuf *out);

/** pmu_info_json() - for programs. */
void pmu_info_json(const struct pmu_info *info, struct pmu_strbuf *out);

/** pmu_info_doubt() - what CPUID leaves open about this machine's counters, a sentence; NULL. */
const char *pmu_info_doubt(const struct pmu_machine *machine, const struct pmu_perfmon *perfmon);

#endif
