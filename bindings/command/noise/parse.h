/* SPDX-License-Identifier: BSD-3-Clause */
/* What the kernel's texts about load and limits say.  Nothing in them is trusted. */
#ifndef PMU_COMMAND_NOISE_PARSE_H
#define PMU_COMMAND_NOISE_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bindings/command/noise/noise.h"

/**
 * pmu_noise_parse_stat() - /proc/stat: the processors that are online, and switches of contexts
 * @out: its processors are those of the text afterwards, in ascending order
 *
 * Source: proc_stat(5).  Return: 0 or -ENOMEM.
 */
int pmu_noise_parse_stat(const char *text, struct pmu_noise_sample *out);

/**
 * pmu_noise_parse_interrupts() - /proc/interrupts: sums by processor
 * @out: has its processors; those that the text does not know stay as they are
 *
 * Source: proc_interrupts(5).  Lines with a number as name are devices', the others the kernel's
 * and the processor's own.
 */
void pmu_noise_parse_interrupts(const char *text, struct pmu_noise_sample *out);

/** pmu_noise_parse_field() - "NAME 123 ..." at the beginning of a line; PMU_NOISE_MISSING none */
uint64_t pmu_noise_parse_field(const char *text, const char *name);

/** pmu_noise_parse_pressure() - us of "some", of /proc/pressure/cpu; PMU_NOISE_MISSING none */
uint64_t pmu_noise_parse_pressure(const char *text);

/** pmu_noise_parse_load() - the first number of /proc/loadavg; NAN none */
double pmu_noise_parse_load(const char *text);

/** pmu_noise_parse_max() - processors that a cpu.max allows; NAN: all, or it makes no sense */
double pmu_noise_parse_max(const char *text);

/** pmu_noise_parse_choice() - "always" of "[always] madvise never"; "" none */
void pmu_noise_parse_choice(const char *text, char *out, size_t size);

/**
 * pmu_noise_parse_cgroup() - the path of a process in a hierarchy, of /proc/PID/cgroup
 * @controller: "cpu" of version 1, "" of version 2
 * Return: false: it is in none, or in one that cannot be seen from here.
 */
bool pmu_noise_parse_cgroup(const char *text, const char *controller, char *out, size_t size);

#endif
