/* SPDX-License-Identifier: BSD-3-Clause */
/* One run of a command. */
#ifndef PMU_COMMAND_RUN_ONCE_H
#define PMU_COMMAND_RUN_ONCE_H

#include "bindings/command/run/run.h"
#include "machine/mask.h"

/** Everything of it.  All zero but for the request and what was found out of the command. */
struct pmu_run {
	struct pmu_run_request request;
	struct pmu_run_target target;
	struct pmu_run_folder folder;
	struct pmu_run_libraries libraries;
	struct pmu_run_parts parts;
	struct pmu_run_end end;
	struct pmu_mask cpus; /* of the request, where it has any */
};

/**
 * pmu_run_prepare() - take the command line of `pmu run`, and find out what is wrong before anything runs
 * @run: all zero; its request is for pmu_run_request_free() also after an error
 * Return: 0, or an exit status after a message.
 */
int pmu_run_prepare(const struct pmu_command *self, int argc, char **argv, struct pmu_run *run);

/**
 * pmu_run_enter() - execute the command; @run has what it left until pmu_run_leave()
 * Return: 0, or an exit status after a message.
 */
int pmu_run_enter(struct pmu_run *run);
/** pmu_run_gather() - its results.  Return: whether there is anything to be reported. */
bool pmu_run_gather(struct pmu_run *run);
/** pmu_run_leave() - also after an error; what is known of its end stays */
void pmu_run_leave(struct pmu_run *run);

/**
 * pmu_run_end_alike() - as the command did: shells and scripts look at how we end
 * Return: an exit status; not at all where a signal ended it.
 */
int pmu_run_end_alike(const struct pmu_model_run *run);

/** pmu_run_repeat() - as often as the request says, with one report.  Return: an exit status. */
int pmu_run_repeat(struct pmu_run *run);

#endif
