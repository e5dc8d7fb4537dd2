/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads and writes registers by an open device. */
#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/compiler.h"
#include "counters/msr/batch.h"
#include "counters/msr/device.h"

/*
 * libc's pread() and pwrite() may be interposed and are points of cancellation: a thread that ended
 * between two registers would leave the rest as they are.
 */
static long transfer(long number, int fd, void *value, uint32_t address)
{
	int saved = errno;
	long n;

	do
#if defined(__LP64__)
		n = syscall(number, fd, value, sizeof(uint64_t), (long)address);
#else
		/* the offset in two halves: i386 */
		n = syscall(number, fd, value, sizeof(uint64_t), (long)address, 0L);
#endif
	while (n < 0 && errno == EINTR);
	if (n < 0)
		n = -errno;
	errno = saved;
	return n;
}

static int result(long n)
{
	/* The kernel's driver gives 8 bytes or an error: this is something else. */
	if (n >= 0 && n != sizeof(uint64_t))
		return -EBADF;
	return n < 0 ? (int)n : 0;
}

int pmu_msr_read_fd(int fd, uint32_t address, uint64_t *value)
{
	return result(transfer(SYS_pread64, fd, value, address));
}

int pmu_msr_read(const struct pmu_msr_device *device, int cpu, uint32_t address, uint64_t *value)
{
	int fd = pmu_msr_fd(device, cpu);

	return fd < 0 ? -ENXIO : pmu_msr_read_fd(fd, address, value);
}

int pmu_msr_write(const struct pmu_msr_device *device, int cpu, uint32_t address, uint64_t value)
{
	int fd = pmu_msr_fd(device, cpu);

	return fd < 0 ? -ENXIO : result(transfer(SYS_pwrite64, fd, &value, address));
}

int pmu_msr_device_run_one(const struct pmu_msr_device *device, const struct pmu_msr_op *op,
			   uint64_t *value)
{
	uint64_t there = 0;
	int rc = 0;

	if (!op->write)
		return pmu_msr_read(device, op->cpu, op->address, value);
	if (op->mask != UINT64_MAX)
		rc = pmu_msr_read(device, op->cpu, op->address, &there);
	*value = (there & ~op->mask) | op->value;
	return rc ? rc : pmu_msr_write(device, op->cpu, op->address, *value);
}

static int run_single(struct pmu_msr_device *device, const struct pmu_msr_op *op, size_t n,
		      uint64_t *value, bool go_on, struct pmu_msr_fault *fault)
{
	int first = 0;

	for (size_t i = 0; i < n && (go_on || !first); i++) {
		uint64_t done = 0;
		int rc = pmu_msr_device_run_one(device, &op[i], &done);

		if (value)
			value[i] = done;
		if (!rc || first)
			continue;
		first = rc;
		if (fault)
			*fault = (struct pmu_msr_fault){ .error = rc, .at = i, .op = op[i] };
	}
	return first;
}

int pmu_msr_device_run(struct pmu_msr_device *device, const struct pmu_msr_op *op, size_t n,
		       uint64_t *value, bool go_on, struct pmu_msr_fault *fault)
{
	int rc;

	if (fault)
		*fault = (struct pmu_msr_fault){ 0 };
	if (device->batch.fd >= 0 && n) {
		rc = pmu_msr_batch_run(device, op, n, value, fault);
		if (rc <= 0)
			return rc;
		if (fault)
			*fault = (struct pmu_msr_fault){ 0 };
	}
	return run_single(device, op, n, value, go_on, fault);
}
