/* SPDX-License-Identifier: BSD-3-Clause */
/* Registers through the kernel: /dev/cpu/N/msr, msr-safe and its batches. */
#ifndef PMU_MSR_DEVICE_H
#define PMU_MSR_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fd.h"
#include "counters/msr/program.h"

#define PMU_MSR_DEVICE_DEFAULT "/dev/cpu/%d/msr"
#define PMU_MSR_DEVICE_SAFE    "/dev/cpu/%d/msr_safe"
#define PMU_MSR_BATCH_DEFAULT  "/dev/cpu/msr_batch"

/** A descriptor, and what it was when it was opened. */
struct pmu_msr_file {
	int fd; /* -1: not open */
	struct pmu_fd_identity identity;
};

/** The registers of one processor. */
struct pmu_msr_place {
	int cpu; /* OS number */
	struct pmu_msr_file file;
};

/** pmu_msr_file_is_ours() - not one that the program closed or replaced.  Async-signal-safe. */
bool pmu_msr_file_is_ours(const struct pmu_msr_file *file);

/** Descriptors by processor. */
struct pmu_msr_device {
	char path[256]; /* absolute, with its %d */
	size_t n_cpus;
	struct pmu_msr_place *at; /* ascending */
	struct pmu_msr_file batch, lock;
	void *ops; /* room for one batch */
	size_t ops_room;
};

/** The access that failed. */
struct pmu_msr_fault {
	int error; /* negative errno; 0: none */
	size_t at; /* index of the operation */
	struct pmu_msr_op op;
};

/**
 * pmu_msr_path() - the path of one processor's registers
 * @template: its first "%d" is replaced by the number, by hand; everything else stays as it is
 * Return: 0; -EINVAL with a sentence where there is no %d; -ENAMETOOLONG.
 */
int pmu_msr_path(const char *template, int cpu, char *path, size_t size);

/**
 * pmu_msr_device_try() - can registers be reached at all?  Before anything that takes time.
 * @from: as for pmu_msr_device_open()
 * Return: 0; a negative errno with a sentence.
 */
int pmu_msr_device_try(const struct pmu_machine_from *from);

/**
 * pmu_msr_device_open() - the devices of all of a machine's processors
 * @from: device and batch; NULL, or its members NULL: the defaults that are there
 *
 * Descriptors lie where pmu_fd_park() puts them, close-on-exec.
 * Context: the session's lock: the limit of descriptors is raised meanwhile.
 *
 * Return: 0; a negative errno with a sentence that says why not.
 */
int pmu_msr_device_open(struct pmu_msr_device *device, const struct pmu_machine *machine,
			const struct pmu_machine_from *from);

/**
 * pmu_msr_device_mend() - what would help against such an error of opening, locking or running; ""
 * nothing.
 */
const char *pmu_msr_device_mend(const struct pmu_machine_from *from, int error);

/** pmu_msr_device_add() - one more processor's.  Return: as pmu_msr_device_open(). */
int pmu_msr_device_add(struct pmu_msr_device *device, int cpu);

/**
 * pmu_msr_device_close() - all that still is ours, but not the lock:
 * pmu_msr_device_unlock() releases that.
 */
void pmu_msr_device_close(struct pmu_msr_device *device);

/**
 * pmu_msr_device_drop() - the same without giving memory back.  Async-signal-safe; for forked
 * children.
 */
void pmu_msr_device_drop(struct pmu_msr_device *device);

/**
 * pmu_msr_device_check() - forget descriptors that the program has closed or replaced
 * Return: how many were.
 */
size_t pmu_msr_device_check(struct pmu_msr_device *device);

/**
 * pmu_msr_device_reopen() - open those again that are not open.  Return: as pmu_msr_device_open().
 */
int pmu_msr_device_reopen(struct pmu_msr_device *device);

/** pmu_msr_device_holds() - is the lock still held by a descriptor of ours? */
bool pmu_msr_device_holds(const struct pmu_msr_device *device);

/**
 * pmu_msr_device_lock() - one session a machine
 *
 * A record lock, fcntl(2), on the registers of the machine's first processor: all sessions try to
 * take it there, and the kernel releases it when the process dies, whatever its children have
 * inherited.  Where msr_safe is there, it is on its device also for sessions that use msr.
 * @machine: to find out which process has it; NULL: that does not matter
 *
 * Return: 0; -EBUSY with a sentence.
 */
int pmu_msr_device_lock(struct pmu_msr_device *device, const struct pmu_machine *machine);

/** pmu_msr_device_unlock() - in a forked child too: what it has is a descriptor, not the lock. */
void pmu_msr_device_unlock(struct pmu_msr_device *device);

/** pmu_msr_fd() - the descriptor of a processor's registers; -1. */
int pmu_msr_fd(const struct pmu_msr_device *device, int cpu);

/**
 * pmu_msr_read() - one register
 * Context: async-signal-safe; keeps errno; no point of cancellation.
 * Return: 0 or a negative errno; no sentence.
 */
int pmu_msr_read(const struct pmu_msr_device *device, int cpu, uint32_t address, uint64_t *value);
int pmu_msr_write(const struct pmu_msr_device *device, int cpu, uint32_t address, uint64_t value);

/** pmu_msr_read_fd() - the same by descriptor. */
int pmu_msr_read_fd(int fd, uint32_t address, uint64_t *value);

/**
 * pmu_msr_device_run() - operations in order
 * @value: [n] what reads found; what writes stored; NULL: not wanted
 * @fault: the first access that failed; NULL: not wanted
 * @go_on: after a failure do the rest all the same (restoring)
 *
 * With the batch device one ioctl does them all, operations with a mask two: what is there is read
 * first.  Order is then kept for each processor, not between them.
 *
 * Return: 0 or the first negative errno; no sentence.
 */
int pmu_msr_device_run(struct pmu_msr_device *device, const struct pmu_msr_op *op, size_t n,
		       uint64_t *value, bool go_on, struct pmu_msr_fault *fault);

/** pmu_msr_device_run_one() - one operation, without the batch.  Async-signal-safe. */
int pmu_msr_device_run_one(const struct pmu_msr_device *device, const struct pmu_msr_op *op,
			   uint64_t *value);

#endif
