/* SPDX-License-Identifier: BSD-3-Clause */
/* What the parts of a comparison share. */
#ifndef PMU_COMMAND_DIFF_JOIN_H
#define PMU_COMMAND_DIFF_JOIN_H

#include "bindings/command/diff/diff.h"

/** pmu_diff_name_len() - of the first name of a path: up to a '/' that is not escaped */
size_t pmu_diff_name_len(const char *path);

/** pmu_diff_join() - groups, measures and regions that belong together.  Return: 0 or -ENOMEM. */
int pmu_diff_join(struct pmu_diff *diff, const struct pmu_diff_request *request);

/** pmu_diff_functions() - of regions that both sides have, by their samples.  Return: 0 or -ENOMEM. */
int pmu_diff_functions(struct pmu_diff *diff);

#endif
