/* SPDX-License-Identifier: BSD-3-Clause */
/* Intel's published metrics as groups: the files of type "metrics" that mapfile.csv names. */
#ifndef PMU_NAMES_VENDOR_METRIC_H
#define PMU_NAMES_VENDOR_METRIC_H

#include "plan/catalog.h"
#include "plan/group.h"

/**
 * pmu_intel_metric_find() - a metric with its events as a group named "intel:NAME"
 * @catalog: event_files says where the files are; NULL: this machine, which has none
 * @name: MetricName, or LegacyName with or without "metric_" in front; case does not count
 *
 * The group has one metric, and of the metric's events those that are left once conditions are
 * decided ("if smt_on").  Numbers of the machine come from @catalog or from this machine.  Time is
 * a row's; a socket's counts and time are of one socket, so SOCKET_COUNT is 1.
 *
 * Levels: the user level, as everywhere; user and kernel where the metric sets one level against
 * another, or what was counted against all of the time.
 *
 * Return: 0; -EINVAL: there is no such metric (the sentence names the nearest), or its file is
 * damaged; -ENOTSUP: it cannot be counted as one group, and why.
 */
int pmu_intel_metric_find(struct pmu_catalog *catalog, const char *name, struct pmu_group *group);

/**
 * pmu_intel_metric_each() - every metric of the CPU, in the files' order
 * @note: "" or how it is counted
 * @why_not: "" or why it cannot be had as a group
 * Return: 0; a negative errno with a sentence where the files cannot be read (any more).
 */
int pmu_intel_metric_each(struct pmu_catalog *catalog,
			  void (*each)(void *arg, const char *name, const char *about,
				       const char *unit, const char *note, const char *why_not),
			  void *arg);

#endif
