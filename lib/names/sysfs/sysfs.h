/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernel's PMUs as sysfs shows them: formats, named events, scales, processors. */
#ifndef PMU_NAMES_SYSFS_SYSFS_H
#define PMU_NAMES_SYSFS_SYSFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "names/sysfs/names.h"
#include "plan/event.h"

/**
 * pmu_sysfs_event() - "uncore_imc/cas_count_read/", "power/energy-pkg/", "cpu/event=0x0e,umask=1/",
 * "msr/tsc/"
 * @devices: folder of the PMUs
 * @pmu: the PMU's name, also without its box's number: uncore_imc is uncore_imc_0, uncore_imc_1,
 *	... added up
 * @terms: what stands between the slashes: term=value, a bare term is 1, a named event first;
 *         config=, config1= and config2= set all of a word
 * @event: slot (type, config, config1, config2, pmu, scale, kind: UNCORE where the PMU has a
 *         cpumask, ENERGY for power, else CORE), unit; a name that is the same for every order of
 *         the terms; not the level.  slot.pmu is empty of what a core's own PMU counts.  slot.unit
 *         says that no register counts it: a caller that knows better fills it in.
 *
 * Values go where the PMU's format files say ("config:0-7,32-35"); one that does not fit is
 * refused.  Units: Joules become uJ and MiB become B, by scale; other units and scales stay as they
 * are written where the scale is 1, else the raw count is kept and has no unit.  A core's counts
 * are not scaled: such an event is refused.
 *
 * Source: Linux, Documentation/ABI/testing/sysfs-bus-event_source-devices-{events,format} and
 * perf-list(1).
 * Return: 0; -ENOENT: no such PMU, event or term, with a sentence that names the nearest; -EINVAL.
 */
int pmu_sysfs_event(const char *devices, const char *pmu, const char *terms,
		    struct pmu_event *event);

/**
 * pmu_sysfs_has() - is there such a PMU or a box of it?  As for pmu_sysfs_event(), case does not
 * count.
 */
bool pmu_sysfs_has(const char *devices, const char *pmu);

/**
 * pmu_sysfs_pmus() - names of the PMUs that count, boxes of one kind as one name; the caller frees
 * the list.
 */
void pmu_sysfs_pmus(const char *devices, struct pmu_sysfs_names *names);

/**
 * pmu_sysfs_each() - every PMU that counts once (boxes of one kind as one name), with its named
 * events.  Sorted by name.
 */
void pmu_sysfs_each(const char *devices,
		    void (*pmu)(void *arg, const char *name, unsigned int n_boxes),
		    void (*event)(void *arg, const char *pmu, const char *name, const char *terms,
				  const char *unit),
		    void *arg);

#endif
