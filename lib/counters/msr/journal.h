/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The old values of the registers that a session writes, in a file beside the store, for when the session
 * dies without putting them back.
 */
#ifndef PMU_MSR_JOURNAL_H
#define PMU_MSR_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "counters/msr/device.h"
#include "counters/msr/program.h"

struct pmu_msr_journal {
	char path[512]; /* "" for none: where there is no folder for it */
	char why[160];	/* then: why */
};

/**
 * pmu_msr_journal_write() - before the first register is written: how to put everything back
 *
 * All RESTORE operations, the device's path, boot and CPU; renamed into place when it is complete.
 *
 * Return: 0, also where no file could be made: journal->why then says so.
 */
int pmu_msr_journal_write(struct pmu_msr_journal *journal, const struct pmu_msr_device *device,
			  const struct pmu_msr_program *program);

/** pmu_msr_journal_remove() - everything is back. */
void pmu_msr_journal_remove(struct pmu_msr_journal *journal);

/**
 * pmu_msr_journal_restore() - put back what dead sessions of this device left
 * @device: open and locked, so no session is alive on it
 * @said: a line for each journal and what came of it; NULL: not wanted
 *
 * Journals of another boot are removed: a reset has cleared the registers.  Only files that are ours, in our
 * folder, closed to others, of this CPU's model, and only registers that pmu_msr_is_counting(): nothing
 * in the file is trusted.
 *
 * Return: how many journals were put back; a negative errno of the first that could not be.
 */
int pmu_msr_journal_restore(struct pmu_msr_device *device, const struct pmu_machine *machine,
			    struct pmu_strbuf *said);

/** pmu_msr_journal_parse() - the operations of a journal's bytes, for the fuzzer too.
 * Return: 0; -EINVAL with a sentence; -ENOMEM.  @ops is for free(). */
int pmu_msr_journal_parse(const void *bytes, size_t size, const struct pmu_machine *machine,
			  struct pmu_msr_op **ops, size_t *n_ops, char *device_path, size_t path_size);

#endif
