/* SPDX-License-Identifier: BSD-3-Clause */
/* Registers through the kernel: /dev/cpu/N/msr, msr-safe and its batches. */
#ifndef PMU_MSR_DEVICE_H
#define PMU_MSR_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "counters/msr/program.h"

#define PMU_MSR_DEVICE_DEFAULT "/dev/cpu/%d/msr"
#define PMU_MSR_DEVICE_SAFE    "/dev/cpu/%d/msr_safe"
#define PMU_MSR_BATCH_DEFAULT  "/dev/cpu/msr_batch"

/** Descriptors by processor. */
struct pmu_msr_device {
	char path[256]; /* with its %d */
	size_t n_cpus;
	struct {
		int cpu; /* OS number, ascending */
		int fd;	 /* -1: not open */
	} *at;
	int batch;  /* -1: none */
	int lock;   /* descriptor that holds the machine's lock, -1 */
	void *ops;  /* room for one batch */
	size_t ops_room;
};

/** The access that failed. */
struct pmu_msr_fault {
	int error; /* negative errno; 0: none */
	struct pmu_msr_op op;
};

/**
 * pmu_msr_path() - the path of one processor's registers
 * @template: its first "%d" is replaced by the number, by hand; everything else stays as it is
 * Return: 0; -EINVAL with a sentence where there is no %d; -ENAMETOOLONG.
 */
int pmu_msr_path(const char *template, int cpu, char *path, size_t size);

/**
 * pmu_msr_device_open() - the devices of all of a machine's processors
 * @from: device and batch; NULL, or its members NULL: the defaults that are there
 *
 * Descriptors lie where pmu_fd_park() puts them, close-on-exec.
 *
 * Return: 0; a negative errno with a sentence that says what to do (modprobe msr; rights; an offline CPU).
 */
int pmu_msr_device_open(struct pmu_msr_device *device, const struct pmu_machine *machine,
			const struct pmu_machine_from *from);
void pmu_msr_device_close(struct pmu_msr_device *device);

/**
 * pmu_msr_device_lock() - one session a machine
 *
 * flock(2) on the registers of the machine's first processor: whoever can program them meets there, and the kernel
 * lets go of it when the process dies.
 *
 * Return: 0; -EBUSY with a sentence.
 */
int pmu_msr_device_lock(struct pmu_msr_device *device);
void pmu_msr_device_unlock(struct pmu_msr_device *device);

/** pmu_msr_read() - one register.  Async-signal-safe.  Return: 0 or a negative errno; no sentence. */
int pmu_msr_read(const struct pmu_msr_device *device, int cpu, uint32_t address, uint64_t *value);
int pmu_msr_write(const struct pmu_msr_device *device, int cpu, uint32_t address, uint64_t value);

/**
 * pmu_msr_device_run() - operations in order
 * @value: [n] what reads found; what writes stored; NULL: not wanted
 * @fault: the first access that failed
 * @go_on: after a failure do the rest all the same (restoring)
 *
 * With the batch device one ioctl does them all, operations with a mask two: what is there is read first.
 *
 * Return: 0 or the first negative errno; no sentence.
 */
int pmu_msr_device_run(struct pmu_msr_device *device, const struct pmu_msr_op *op, size_t n, uint64_t *value,
		       bool go_on, struct pmu_msr_fault *fault);

#endif
