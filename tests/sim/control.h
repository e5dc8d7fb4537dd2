/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A simulated machine for a test program: started, told what happens on it, asked what was done to
 * it.
 *
 *	struct sim_run sim;
 *	int rc = sim_start(&sim, "westmere", SIM_BATCH);
 *
 *	if (rc > 0)
 *		return skip_all(sim.why);
 *	sim_environment(&sim);		  what the library reads
 *	sim_send(&sim, "count 3 0xc0 0 user %d", 1000);
 *	log = sim_log(&sim);		  free() it
 *	sim_stop(&sim);
 */
#ifndef PMU_SIM_CONTROL_H
#define PMU_SIM_CONTROL_H

#include <stdint.h>
#include <sys/types.h>

struct sim_run {
	char dir[64];       /* a folder of its own; the files are in machine/ below it */
	char device[96];    /* .../cpu/%d/msr, for PMU_MSR_DEVICE */
	char batch[96];     /* .../cpu/msr_batch, whether it is there or not, for PMU_MSR_BATCH */
	char ctl[96];       /* where a measured program writes commands */
	char cpuid[512];    /* a dump of that CPU, for PMU_CPUID_FILE */
	char topology[512]; /* for HWLOC_XMLFILE */
	char why[640];      /* where it did not start */
	pid_t pid;
	int hold; /* it ends when this is closed, by whatever death */
};

#define SIM_BATCH 1 /* with the batch device */

/**
 * sim_start() - a machine with that CPU and the topology that goes with it
 * @cpu: core2, nehalem, westmere, sandybridge, skylake, icelake, alderlake, zen3, zen4
 *
 * Reads TEST_SRCDIR and TEST_BUILDDIR; without them the folders are those of the build.
 *
 * Return: 0; 1: this machine cannot (no FUSE), why says it; -1: it failed, why says how.
 */
int sim_start(struct sim_run *run, const char *cpu, int flags);

/**
 * sim_stop() - nothing is left of it.  Return: 0; -1 where it had died, or found a fault in itself
 * (sanitizers).
 */
int sim_stop(struct sim_run *run);

/**
 * sim_environment() - set PMU_MSR_DEVICE, PMU_MSR_BATCH, PMU_CPUID_FILE, HWLOC_XMLFILE, and
 * TEST_SIM_CTL
 */
void sim_environment(const struct sim_run *run);

/** sim_send() - a command (command.c has them): 0 or a negative errno */
int sim_send(const struct sim_run *run, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/** sim_log(), sim_state() - the whole text; free() it; NULL where it cannot be read */
char *sim_log(const struct sim_run *run);
char *sim_state(const struct sim_run *run);

/** sim_register() - one register from sim_state(); UINT64_MAX without it.  Nothing is logged. */
uint64_t sim_register(const struct sim_run *run, int cpu, uint32_t address);

#endif
