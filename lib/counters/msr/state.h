/* SPDX-License-Identifier: BSD-3-Clause */
/* The msr source of one group: from nothing to counting, and back. */
#ifndef PMU_MSR_STATE_H
#define PMU_MSR_STATE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "counters/msr/device.h"
#include "counters/msr/journal.h"
#include "counters/msr/program.h"
#include "counters/msr/signals.h"
#include "counters/msr/totals.h"

/** A socket's counters, and what they are multiplied by. */
struct pmu_msr_socket_totals {
	int package; /* logical index */
	struct pmu_msr_totals totals;
};

struct pmu_msr {
	pid_t pid;            /* the process that programmed the registers */
	unsigned int refs;    /* the session's and each attached thread's */
	struct pmu_plan plan; /* without slots that are no registers' */
	struct pmu_machine *machine;
	struct pmu_msr_device device;
	struct pmu_msr_program program;
	struct pmu_msr_journal journal;
	struct pmu_msr_rescue rescue;
	bool by_instruction; /* every process may use RDPMC */
	/* Some register was, or may have been, written. */
	bool touched;
	size_t n_written; /* operations of the program up to the first that failed */
	struct pmu_msr_totals *processor; /* [machine->n_cpus], in the order of machine->cpu */
	unsigned int n_sockets;
	struct pmu_msr_socket_totals *socket;
	struct pmu_msr_entry *entries; /* of all of them */
	double scale[PMU_MAX_SLOTS];   /* energy slots: microjoules a count; else 0 */
	char remark[240];              /* for the report, "" none */
	struct pmu_msr *older;         /* in the list of all */
};

/**
 * pmu_msr_prepare() - everything up to the first write
 * @plan: a copy is kept
 * @probe: result where it does not return 0: error[], why, mend
 *
 * Loads the machine, opens its devices, takes the lock, puts back what dead sessions left, looks,
 * plans.
 *
 * Return: 0; a negative errno with a sentence too.  @msr is for pmu_msr_release() in any case.
 */
int pmu_msr_prepare(struct pmu_msr *msr, const struct pmu_plan *plan, struct pmu_probe *probe);

/**
 * pmu_msr_start() - program every processor and socket
 * Return: 0; else everything is put back, and there is a sentence.
 */
int pmu_msr_start(struct pmu_msr *msr);

/**
 * pmu_msr_restore() - put everything back.  Return: 0 or the first error; the journal stays then.
 */
int pmu_msr_restore(struct pmu_msr *msr);

/**
 * pmu_msr_keeper_rest(), _stop() - the thread that keeps up with counters has nothing to do; ends.
 * From one group to the next it stays: a new one would be counted where it begins.
 */
void pmu_msr_keeper_rest(void);
void pmu_msr_keeper_stop(void);

/** pmu_msr_release() - let go of the lock, the descriptors and the memory. */
void pmu_msr_release(struct pmu_msr *msr);

/**
 * pmu_msr_totals_build_all() - totals for every processor and socket.  Return: 0; -ENOMEM.
 */
int pmu_msr_totals_build_all(struct pmu_msr *msr);
void pmu_msr_totals_free_all(struct pmu_msr *msr);

/**
 * pmu_msr_totals_start_all() - the counters' values as they are now
 *
 * Together with pmu_msr_check_kept(): one call of the kernel's where there are batches.
 *
 * Return: 0 or a negative errno with a sentence.
 */
int pmu_msr_totals_start_all(struct pmu_msr *msr);

/** pmu_msr_say_fault() - Return: its error, with a sentence. */
int pmu_msr_say_fault(const struct pmu_msr *msr, const struct pmu_msr_fault *fault);

/** pmu_msr_checks() - how many registers ENABLE has written. */
size_t pmu_msr_checks(const struct pmu_msr *msr);

/** pmu_msr_check_reads() - reads of them; @op: [pmu_msr_checks()] result */
void pmu_msr_check_reads(const struct pmu_msr *msr, struct pmu_msr_op *op);

/** pmu_msr_check_kept() - every bit that was set is there.  Return: 0; -EIO with a sentence. */
int pmu_msr_check_kept(const struct pmu_msr *msr, const uint64_t *there);

/** pmu_msr_totals_of() - a processor's; NULL for one that is not counted. */
struct pmu_msr_totals *pmu_msr_totals_of(const struct pmu_msr *msr, int cpu);

/** pmu_msr_socket_of() - the index of the socket of a processor; -1. */
int pmu_msr_socket_of(const struct pmu_msr *msr, int cpu);

#endif
