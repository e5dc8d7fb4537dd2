/* SPDX-License-Identifier: BSD-3-Clause */
/* What the kernel says of a thread: faults, context switches, time on a processor. */
#include "session/usage.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "base/process.h"
#include "base/sysfile.h"
#include "base/time.h"
#include "store/row.h"

/* Thread clocks have nanoseconds; getrusage() may be late by a tick. */
static int read_clock(clockid_t clock, struct pmu_usage *usage)
{
	struct timespec now;

	if (clock_gettime(clock, &now) < 0)
		return -errno;
	usage->cpu_ns = (int64_t)pmu_time_ns(now);
	return 0;
}

/*
 * Linux, posix-timers.h: MAKE_THREAD_CPUCLOCK(tid, CPUCLOCK_SCHED), which is what
 * pthread_getcpuclockid() returns.
 */
clockid_t pmu_usage_clock(int tid)
{
	return (clockid_t)(~(unsigned int)tid << 3 | 4 | 2);
}

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
	return read_clock(CLOCK_THREAD_CPUTIME_ID, usage);
}

static int read_faults(int tid, struct pmu_usage *usage)
{
	struct pmu_process_stat stat;
	int rc = pmu_process_stat_thread(tid, &stat);

	if (rc == 0) {
		usage->minor_faults = stat.minor_faults;
		usage->major_faults = stat.major_faults;
	}
	return rc;
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
		rc = read_clock(pmu_usage_clock(tid), &found);
	if (rc == 0)
		*usage = found;
	return rc;
}

void pmu_usage_record(struct pmu_store_thread *record, const struct pmu_usage *now,
		      const struct pmu_usage *before)
{
	const struct pmu_usage used = pmu_usage_less(now, before);

	record->minor_faults = used.minor_faults;
	record->major_faults = used.major_faults;
	record->voluntary_switches = used.voluntary_switches;
	record->involuntary_switches = used.involuntary_switches;
	record->cpu_ns = used.cpu_ns;
}
