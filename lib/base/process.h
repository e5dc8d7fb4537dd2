/* SPDX-License-Identifier: BSD-3-Clause */
/* Which process it is, and whether it still runs. */
#ifndef PMU_BASE_PROCESS_H
#define PMU_BASE_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

/** What /proc/PID/stat says of a process or a thread (proc_pid_stat(5)). */
struct pmu_process_stat {
	char state;           /* field 3 */
	uint32_t flags;       /* field 9, PF_* of Linux' include/linux/sched.h */
	int64_t minor_faults; /* field 10 */
	int64_t major_faults; /* field 12 */
	long n_threads;       /* field 20 */
	uint64_t start_time;  /* field 22, clock ticks since boot */
};

/** pmu_process_stat_parse() - a line of it.  Return: 0, or -EINVAL. */
int pmu_process_stat_parse(const char *text, struct pmu_process_stat *stat);

/**
 * pmu_process_stat() - of a process
 * @pid: 0: the calling one, whatever its number is where /proc was mounted
 * Context: no allocation.  Return: 0; a negative errno where it is gone or hidden.
 */
int pmu_process_stat(int pid, struct pmu_process_stat *stat);

/** pmu_process_stat_thread() - of a thread of the calling process, likewise */
int pmu_process_stat_thread(int tid, struct pmu_process_stat *stat);

/** pmu_process_has_ended() - a zombie without a thread that still runs */
bool pmu_process_has_ended(const struct pmu_process_stat *stat);

/** What /proc/PID/task/TID/schedstat says of a thread (proc_pid_schedstat(5)); not every kernel has it. */
struct pmu_process_sched {
	uint64_t ran_ns;    /* on a processor */
	uint64_t queued_ns; /* runnable, and waiting for one */
	uint64_t times;     /* how often it came to run */
};

/** pmu_process_sched() - @path: of that file.  Context: no allocation.  Return: 0 or a negative errno. */
int pmu_process_sched(const char *path, struct pmu_process_sched *sched);

/** What tells a process from any other, before and after it; 0 or "" is not known. */
struct pmu_process {
	int32_t pid;
	uint64_t start_time; /* tells a pid from its next owner */
	uint64_t pid_ns;     /* inode of /proc/self/ns/pid: elsewhere the pid says nothing */
	char boot_id[40];    /* /proc/sys/kernel/random/boot_id */
};

/** pmu_process_self() - from /proc; what cannot be read stays 0 or "".  No allocation. */
void pmu_process_self(struct pmu_process *process);

enum pmu_boot { PMU_BOOT_UNKNOWN, PMU_BOOT_THIS, PMU_BOOT_ANOTHER };

/**
 * pmu_process_boot() - of which boot of which machine is that id?  At most 40 bytes are looked at.
 */
enum pmu_boot pmu_process_boot(const char *boot_id);

enum pmu_liveness {
	PMU_PROCESS_ALIVE,
	PMU_PROCESS_DEAD,
	PMU_PROCESS_FOREIGN, /* another machine, or a pid namespace that is not seen: cannot be told */
};

/** pmu_process_is_numbered() - does the process @pid, as it is seen here, have that number in its innermost pid namespace? */
bool pmu_process_is_numbered(int pid, int32_t inside);

/**
 * pmu_process_liveness() - by pid, start time, pid namespace and boot
 *
 * A process of a container that is seen from here is looked for in /proc, one after another.
 */
enum pmu_liveness pmu_process_liveness(const struct pmu_process *process);
/** pmu_process_liveness_here() - likewise, without a search: a container's process is foreign */
enum pmu_liveness pmu_process_liveness_here(const struct pmu_process *process);

#endif
