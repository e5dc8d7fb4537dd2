/* SPDX-License-Identifier: BSD-3-Clause */
/* Does the kernel's NMI watchdog hold a counter of each processor? */
#ifndef PMU_COUNTERS_PERF_WATCHDOG_H
#define PMU_COUNTERS_PERF_WATCHDOG_H

enum pmu_watchdog {
	PMU_WATCHDOG_HOLDS_NONE, /* it is off, or processors watch each other */
	PMU_WATCHDOG_HOLDS_ONE,
	PMU_WATCHDOG_UNKNOWN /* it is on, and the kernel does not say of which kind */
};

/** Where to look; tests have files of their own. */
struct pmu_watchdog_files {
	const char *setting; /* /proc/sys/kernel/nmi_watchdog */
	const char *release; /* /proc/sys/kernel/osrelease */
	const char *folder;  /* /boot, with config-RELEASE */
};

/**
 * pmu_watchdog_look() - which of them
 * @files: NULL for this machine's
 *
 * Up to Linux 6.4 it counts cycles with an interrupt.  From 6.5 on processors may watch each other
 * instead (CONFIG_HARDLOCKUP_DETECTOR_BUDDY), and no counter is held.
 */
enum pmu_watchdog pmu_watchdog_look(const struct pmu_watchdog_files *files);

#endif
