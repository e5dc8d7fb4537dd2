/* SPDX-License-Identifier: BSD-3-Clause */
/* What makes times vary on this machine: its state at a time, and what was not the command's own. */
#ifndef PMU_COMMAND_NOISE_H
#define PMU_COMMAND_NOISE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"

struct rusage;

/** A count that no file tells; of shares and seconds it is NAN. */
#define PMU_NOISE_MISSING UINT64_MAX

/**
 * A processor that is online.  Times are in clock ticks of sysconf(_SC_CLK_TCK), since the machine
 * started.
 */
struct pmu_noise_cpu {
	int cpu;                    /* its number */
	int core;                   /* the lowest number among its siblings; -1 not known */
	bool allowed;               /* we may run on it */
	uint64_t busy;              /* user, nice and system */
	uint64_t idle, irq;         /* irq: with softirq */
	uint64_t steal;             /* a virtual machine's processor waited for a real one */
	uint64_t interrupts;        /* all */
	uint64_t device_interrupts; /* those with a number, of devices */
	uint64_t khz;               /* now */
	uint64_t throttles;         /* of it and its package, for heat */
};

#define PMU_NOISE_WORD 32

/** The state of the machine at one time.  All zero before pmu_noise_sample(). */
struct pmu_noise_sample {
	const char *cpus; /* from the caller: the list that the command is bound to; NULL: as we */
	uint64_t time_ns; /* CLOCK_MONOTONIC */
	struct pmu_noise_cpu *cpu;
	size_t n_cpus;          /* 0: /proc/stat tells nothing */
	unsigned int n_allowed; /* of them, to the command */
	uint64_t switches;      /* of contexts */
	double load;            /* of the last minute */
	uint64_t pressure_us;   /* some task waited for a processor */
	uint64_t swap_used_kib;
	double quota; /* processors that a cgroup's limit is as much as; NAN none */
	uint64_t quota_throttled, quota_throttled_ns; /* periods in which it had to wait */
	/* Settings, which are read once. */
	bool has_settings;
	char governor[PMU_NOISE_WORD], driver[PMU_NOISE_WORD];   /* of frequencies; "" not known */
	char huge_pages[PMU_NOISE_WORD];                         /* always, madvise, never */
	char isolated[PMU_NOISE_WORD], tickless[PMU_NOISE_WORD]; /* isolcpus, nohz_full: lists */
	int turbo, smt;                                          /* 1, 0; -1 not known */
	int aslr; /* 0, 1, 2 as randomize_va_space; -1 not known */
	bool is_virtual;
};

/**
 * pmu_noise_sample() - look at the machine now
 * @out: all zero but for @cpus, or an earlier sample, to use its memory and settings again; for
 * pmu_noise_sample_free()
 * @root: the folder where proc and sys are; "" for this machine
 *
 * Nothing is invented: what a file does not tell is missing.
 *
 * Return: 0, also where most is missing; -ENOMEM.
 */
int pmu_noise_sample(struct pmu_noise_sample *out, const char *root);
void pmu_noise_sample_free(struct pmu_noise_sample *sample);
/** pmu_noise_find() - a processor by its number; NULL: it is not online */
struct pmu_noise_cpu *pmu_noise_find(const struct pmu_noise_sample *sample, int cpu);

/** Between two samples, around one run of the command. */
struct pmu_noise_run {
	uint64_t elapsed_ns; /* of the command */
	double wall_s;       /* between the samples */
	double n_cpus;       /* that were online; 0 not known */
	double own_s;        /* the command's user and system time, of children it waited for too */
	double other_s;      /* time of processors that others used, the kernel among them */
	double other;        /* the same as a share of all processors' time */
	double steal_s, steal;
	double sibling_s;          /* both processors of a core were busy, at least so long */
	double interrupts;         /* of devices, a second, on the processors we may use */
	int interrupted_cpu;       /* that had most of them; -1 none */
	double interrupted;        /* of devices, a second, on that one */
	double pressure;           /* share of time in which some task waited for a processor */
	uint64_t khz_min, khz_max; /* seen before and after, of the processors we may use */
	uint64_t throttles;        /* for heat */
	uint64_t quota_throttled;  /* periods in which the cgroup's limit stopped it */
	double quota_throttled_s;
	uint64_t read_kib;    /* from disks, for the command */
	uint64_t involuntary; /* context switches of the command */
};

/**
 * pmu_noise_between() - what was not the command's own
 * @command: of wait4(2) for the command
 * @elapsed_ns: of the command
 *
 * Files count ticks of 10 ms: shares of other load and steal may be off by two of them in the run's
 * time, and are missing below 50 ms.
 *
 * Return: 0; -EINVAL where @after is not behind @before.
 */
int pmu_noise_between(const struct pmu_noise_sample *before, const struct pmu_noise_sample *after,
		      const struct rusage *command, uint64_t elapsed_ns, struct pmu_noise_run *out);

enum pmu_noise_severity {
	PMU_NOISE_QUIET,
	PMU_NOISE_KNOW, /* worth knowing */
	PMU_NOISE_DISTURBS,
};

struct pmu_noise_finding {
	enum pmu_noise_severity severity;
	const char *name; /* a word for programs: other-load */
	char *text;       /* a sentence without its full stop */
	char *mend;       /* how to stop it; NULL: nothing is to be done */
};

#define PMU_NOISE_FINDINGS 24

/** All zero before the first.  The most telling are first. */
struct pmu_noise_findings {
	struct pmu_noise_finding finding[PMU_NOISE_FINDINGS];
	size_t n;
	bool no_memory;
};

/**
 * pmu_noise_summarize() - what disturbed the runs, and what it did to their times where that is
 * clear
 * @runs: in the order in which they were made, without those that warm up
 * @out: all zero; for pmu_noise_findings_free()
 *
 * Runs are numbered from 1.  Without findings the runs were quiet as far as can be seen.
 *
 * Return: 0 or -ENOMEM.
 */
int pmu_noise_summarize(const struct pmu_noise_run *runs, size_t n, struct pmu_noise_findings *out);
void pmu_noise_findings_free(struct pmu_noise_findings *findings);

/**
 * pmu_noise_settings() - what stays as it is, for a report's head: "governor powersave, turbo on,
 * ..." without a newline; nothing where nothing is known
 */
void pmu_noise_settings(const struct pmu_noise_sample *sample, struct pmu_strbuf *out);

/**
 * pmu_noise_machine() - what makes times vary on this machine, and what does not
 * @run: of pmu_noise_between() for an earlier sample and @now, and for ourselves
 *
 * Return: 0 or -ENOMEM.
 */
int pmu_noise_machine(const struct pmu_noise_sample *now, const struct pmu_noise_run *run,
		      struct pmu_noise_findings *out);

/** The same work done many times. */
struct pmu_noise_work {
	int cpu; /* that it was bound to; -1: to none */
	size_t n;
	uint64_t least_ns, median_ns, p99_ns, most_ns;
};

/**
 * pmu_noise_work() - do work of about a millisecond for a time, on one processor
 *
 * It is a chain of multiplications that neither memory nor branches hold up: only the frequency, and
 * what keeps the thread from its processor, change how long it takes.
 *
 * Return: 0 or -ENOMEM.
 */
int pmu_noise_work(uint64_t duration_ns, struct pmu_noise_work *out);

/** pmu_noise_severity_name() - quiet, worth knowing, disturbs */
const char *pmu_noise_severity_name(enum pmu_noise_severity severity);

#endif
