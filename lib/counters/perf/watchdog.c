/* SPDX-License-Identifier: BSD-3-Clause */
/* Which kind of NMI watchdog this kernel has. */
#include "counters/perf/watchdog.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sysfile.h"

#define CONFIG_MAX ((size_t)1 << 20)

static const struct pmu_watchdog_files here = { "/proc/sys/kernel/nmi_watchdog",
						"/proc/sys/kernel/osrelease", "/boot" };

static enum pmu_watchdog in_config(const char *text)
{
	if (strstr(text, "\nCONFIG_HARDLOCKUP_DETECTOR_BUDDY=y\n"))
		return PMU_WATCHDOG_HOLDS_NONE;
	if (strstr(text, "\nCONFIG_HARDLOCKUP_DETECTOR_PERF=y\n"))
		return PMU_WATCHDOG_HOLDS_ONE;
	return PMU_WATCHDOG_UNKNOWN;
}

static enum pmu_watchdog built_with(const char *folder, const char *release)
{
	enum pmu_watchdog found = PMU_WATCHDOG_UNKNOWN;
	char path[512], *text = malloc(CONFIG_MAX);

	snprintf(path, sizeof(path), "%s/config-%s", folder, release);
	if (text && pmu_sysfile_read(path, text, CONFIG_MAX) > 0)
		found = in_config(text);
	free(text);
	return found;
}

enum pmu_watchdog pmu_watchdog_look(const struct pmu_watchdog_files *files)
{
	unsigned int major, minor;
	char release[256];
	int64_t on = 0;

	files = files ? files : &here;
	if (pmu_sysfile_i64(files->setting, &on) || on <= 0)
		return PMU_WATCHDOG_HOLDS_NONE;
	if (pmu_sysfile_read(files->release, release, sizeof(release)) <= 0 ||
	    sscanf(release, "%u.%u", &major, &minor) != 2)
		return PMU_WATCHDOG_UNKNOWN;
	if (major < 6 || (major == 6 && minor < 5))
		return PMU_WATCHDOG_HOLDS_ONE;
	release[strcspn(release, "\n")] = '\0';
	return strchr(release, '/') ? PMU_WATCHDOG_UNKNOWN : built_with(files->folder, release);
}
