/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The old values of the registers that a session writes, in a file beside the store, for when the
 * session dies without putting them back.
 */
#ifndef PMU_MSR_JOURNAL_H
#define PMU_MSR_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "counters/msr/device.h"
#include "counters/msr/program.h"

/** Limits of a journal; beyond them it is refused. */
#define PMU_MSR_JOURNAL_BYTES (32u << 20)
#define PMU_MSR_JOURNAL_OPS   (512u << 10)

#define PMU_MSR_JOURNAL_ENDING ".registers" /* of its file */

struct pmu_msr_journal {
	char path[512]; /* "" for none: where there is no folder for it */
	char why[160];  /* then: why */
};

/** What a journal says. */
struct pmu_msr_record {
	char device[256]; /* the path with its %d */
	char boot[40];    /* /proc/sys/kernel/random/boot_id; "": not known */
	char cpu[64];     /* "GenuineIntel-6-44-2" */
	char program[64]; /* short name */
	/* The file that the session locked; 0: none. */
	uint64_t lock_device, lock_inode;
	int32_t pid;
	uint64_t start_time, pid_ns; /* as in struct pmu_process */
	size_t n_ops;
	struct pmu_msr_op *op; /* writes that put everything back */
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

/** pmu_msr_journal_remove() - everything is back.  Async-signal-safe. */
void pmu_msr_journal_remove(struct pmu_msr_journal *journal);

/** pmu_msr_journal_is_there() - no other process has put back what it lists. */
bool pmu_msr_journal_is_there(const struct pmu_msr_journal *journal);

/**
 * pmu_msr_journal_restore() - put back what dead sessions of this device left
 * @device: open and locked, so no session is alive on it
 * @said: a line for each journal and what came of it; NULL: not wanted
 *
 * Journals of another boot are removed: a reset has cleared the registers.  Only files that are
 * ours, in our folders, closed to others, of this CPU's model, and only registers that
 * pmu_msr_is_counting(): nothing in the file is trusted.  A container may have device files of its
 * own, with another lock: where the session's was not the one that we hold, its process must have
 * ended.
 *
 * Return: how many journals were put back; a negative errno of the first that could not be, which
 * stays.
 */
int pmu_msr_journal_restore(struct pmu_msr_device *device, const struct pmu_machine *machine,
			    struct pmu_strbuf *said);

/**
 * pmu_msr_journal_any() - is there a journal of this boot for any of the devices of this computer?
 */
bool pmu_msr_journal_any(void);

/**
 * pmu_msr_journal_holder() - which session holds this device, as its journal has it
 * @text: result: "solver (process 4711)"
 * Return: false where no journal tells.
 */
bool pmu_msr_journal_holder(const struct pmu_msr_device *device, const struct pmu_machine *machine,
			    char *text, size_t size);

/** pmu_msr_journal_print() - a journal's text, as pmu_msr_journal_parse() reads it. */
void pmu_msr_journal_print(const struct pmu_msr_record *record, struct pmu_strbuf *out);

/**
 * pmu_msr_journal_parse() - from its bytes
 * @machine: its CPU model, and what of it pmu_msr_is_counting()
 * @record: result; its op is for free()
 * Return: 0; -EINVAL with a sentence; -ENOMEM.
 */
int pmu_msr_journal_parse(const char *text, size_t len, const struct pmu_machine *machine,
			  struct pmu_msr_record *record);

/** pmu_msr_journal_cpu() - "GenuineIntel-6-44-2" */
void pmu_msr_journal_cpu(const struct pmu_machine *machine, char *text, size_t size);

#endif
