/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the ceilings of a machine lie.  pmu-bench writes them, pmu reads them. */
#ifndef PMU_COMMAND_ROOFLINE_PLACE_H
#define PMU_COMMAND_ROOFLINE_PLACE_H

#include <stddef.h>

/**
 * pmu_ceilings_path() - $XDG_CACHE_HOME/pmu/ceilings-HOST-CPU.json, else below ~/.cache
 * @host, @cpu: as a report has them: home folders are shared, and hosts change their processors
 *
 * What is no letter, digit, '.' or '-' of these becomes '_'.
 *
 * Return: bytes of the folder in front, without the slash between; -ENOENT: the environment names no
 * such folder; -ENAMETOOLONG.
 */
int pmu_ceilings_path(const char *host, const char *cpu, char *path, size_t size);

#endif
