/* SPDX-License-Identifier: BSD-3-Clause */
/* What the kernel says of a thread: faults and context switches. */
#include "session/usage.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "base/sysfile.h"

int pmu_usage_self(struct pmu_usage *usage)
{
	struct rusage now;

	if (getrusage(RUSAGE_THREAD, &now) < 0)
		return -errno;
	*usage = (struct pmu_usage){
		.minor_faults = now.ru_minflt,
		.major_faults = now.ru_majflt,
		.voluntary_switches = now.ru_nvcsw,
		.involuntary_switches = now.ru_nivcsw,
	};
	return 0;
}

/*
 * proc(5): in "stat", after the name in parentheses, minflt is the eighth field and majflt the
 * tenth.
 */
static int read_faults(int tid, struct pmu_usage *usage)
{
	char path[64], text[1024];
	const char *fields;
	long n;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", tid);
	n = pmu_sysfile_read(path, text, sizeof(text));
	if (n < 0)
		return (int)n;
	fields = strrchr(text, ')');
	if (!fields || sscanf(fields + 1, " %*c %*d %*d %*d %*d %*d %*u %" SCNd64 " %*u %" SCNd64,
			      &usage->minor_faults, &usage->major_faults) != 2)
		return -EINVAL;
	return 0;
}

static int read_switches(int tid, struct pmu_usage *usage)
{
	char path[64], text[4096];
	const char *line;
	long n;

	snprintf(path, sizeof(path), "/proc/self/task/%d/status", tid);
	n = pmu_sysfile_read(path, text, sizeof(text));
	if (n < 0)
		return (int)n;
	line = strstr(text, "\nvoluntary_ctxt_switches:");
	if (!line ||
	    sscanf(line,
		   "\nvoluntary_ctxt_switches: %" SCNd64 "\nnonvoluntary_ctxt_switches: %" SCNd64,
		   &usage->voluntary_switches, &usage->involuntary_switches) != 2)
		return -EINVAL;
	return 0;
}

int pmu_usage_other(int tid, struct pmu_usage *usage)
{
	struct pmu_usage found = { 0 };
	int rc = read_faults(tid, &found);

	if (rc == 0)
		rc = read_switches(tid, &found);
	if (rc == 0)
		*usage = found;
	return rc;
}
