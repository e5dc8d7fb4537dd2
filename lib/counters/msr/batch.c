/* SPDX-License-Identifier: BSD-3-Clause */
/* msr-safe's batch device: many registers of many processors in one call. */
#include "counters/msr/batch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "base/compiler.h"

/*
 * msr-safe (github.com/LLNL/msr-safe), README.md, "/dev/cpu/msr_batch": an operation, and the array
 * of them.  The module compares the version's upper half from 2.0 on with its own; before, the word
 * was padding.
 */
struct batch_op {
	uint16_t cpu;
	uint16_t is_read;
	int32_t error;
	uint32_t address;
	uint32_t padding;
	uint64_t value;
	uint64_t write_mask; /* result: the bits that may be written */
};
_Static_assert(sizeof(struct batch_op) == 32, "as the module has it");

struct batch {
	uint32_t n;
	uint32_t version;
	struct batch_op *op;
};
#define BATCH_IOCTL   _IOWR('c', 0xa2, struct batch)
#define BATCH_VERSION 0x20000u
#define BATCH_MAX     16384u /* operations in one call: half a megabyte, which the kernel copies */

static bool is_masked(const struct pmu_msr_op *op)
{
	return op->write && op->mask != UINT64_MAX;
}

static int make_batch_room(struct pmu_msr_device *device, size_t n)
{
	void *ops;

	if (n > SIZE_MAX / sizeof(struct batch_op))
		return -ENOMEM;
	if (device->ops_room >= n)
		return 0;
	ops = realloc(device->ops, n * sizeof(struct batch_op));
	if (!ops)
		return -ENOMEM;
	device->ops = ops;
	device->ops_room = n;
	return 0;
}

/*
 * Errors that speak of the module, its list or a processor rather than of a register.  With EACCES,
 * EROFS or ENXIO in one operation the module has done none of them: one processor that went offline
 * must not keep all others from being put back.
 */
static bool speaks_of_batches(int error)
{
	static const int errors[] = { ENOTTY, ENOPROTOOPT, EBADF,  EINVAL, E2BIG, ENOMEM,
				      EACCES, EROFS,       EFAULT, EPERM,  ENXIO };

	for (size_t i = 0; i < PMU_ARRAY_LEN(errors); i++)
		if (error == -errors[i])
			return true;
	return false;
}

/* Return: 0, also where operations failed, which say so themselves; else the call's own error. */
static int call_batch(int fd, struct batch_op *op, size_t n)
{
	int saved = errno, rc = 0;

	for (size_t done = 0; done < n && !rc; done += BATCH_MAX) {
		struct batch batch = { .n = (uint32_t)(n - done < BATCH_MAX ? n - done : BATCH_MAX),
				       .version = BATCH_VERSION,
				       .op = op + done };
		bool told = false;

		if (!ioctl(fd, BATCH_IOCTL, &batch))
			continue;
		rc = -errno;
		for (uint32_t i = 0; i < batch.n && !told; i++)
			told = batch.op[i].error != 0;
		if (told)
			rc = 0;
	}
	errno = saved;
	return rc;
}

static void fill_batch_op(struct batch_op *to, const struct pmu_msr_op *op, bool read,
			  uint64_t value)
{
	*to = (struct batch_op){
		.cpu = (uint16_t)op->cpu, .is_read = read, .address = op->address, .value = value
	};
}

/*
 * What an earlier operation of this batch has put there by then; operations of one processor follow
 * each other.
 */
static const struct batch_op *earlier_write(const struct batch_op *all, const struct pmu_msr_op *op,
					    size_t i)
{
	for (size_t j = i; j-- > 0 && op[j].cpu == op[i].cpu;)
		if (op[j].write && !all[j].is_read && op[j].address == op[i].address)
			return &all[j];
	return NULL;
}

/*
 * What is there under the masks.  Return: 0, also where a register cannot be read; else nothing has
 * been read.
 */
static int read_masked(struct pmu_msr_device *device, const struct pmu_msr_op *op, size_t n)
{
	struct batch_op *all = device->ops;
	size_t n_masked = 0;
	int rc;

	for (size_t i = 0; i < n; i++)
		if (is_masked(&op[i]))
			fill_batch_op(&all[n_masked++], &op[i], true, 0);
	rc = n_masked ? call_batch(device->batch.fd, all, n_masked) : 0;
	for (size_t i = 0; i < n_masked && !rc; i++)
		if (speaks_of_batches(all[i].error))
			rc = all[i].error;
	/* to their places: from the last to the first, none is overwritten before it has moved */
	for (size_t i = n; i-- > 0 && n_masked && !rc;)
		if (is_masked(&op[i]))
			all[i] = all[--n_masked];
	return rc;
}

static void fill_all(struct batch_op *all, const struct pmu_msr_op *op, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t value = op[i].value;
		int32_t error = 0;

		if (is_masked(&op[i])) {
			const struct batch_op *before = earlier_write(all, op, i);

			error = all[i].error;
			value |= (before ? before->value : all[i].value) & ~op[i].mask;
		}
		/* What could not be read is not written: it is read once more in its place. */
		fill_batch_op(&all[i], &op[i], !op[i].write || error, value);
	}
}

int pmu_msr_batch_run(struct pmu_msr_device *device, const struct pmu_msr_op *op, size_t n,
		      uint64_t *value, struct pmu_msr_fault *fault)
{
	struct batch_op *all;
	int rc = make_batch_room(device, n), first = 0;

	for (size_t i = 0; i < n && !rc; i++)
		if (op[i].cpu < 0 || op[i].cpu > UINT16_MAX)
			rc = -EINVAL;
	if (!rc)
		rc = read_masked(device, op, n);
	if (rc)
		return 1;
	all = device->ops;
	fill_all(all, op, n);
	rc = call_batch(device->batch.fd, all, n);
	if (rc)
		return speaks_of_batches(rc) ? 1 : rc;
	for (size_t i = 0; i < n; i++) {
		if (!all[i].error && op[i].write && all[i].is_read)
			all[i].error = -EIO;
		if (value)
			value[i] = all[i].value;
		if (!all[i].error || first)
			continue;
		first = all[i].error < 0 ? all[i].error : -all[i].error;
		if (fault)
			*fault = (struct pmu_msr_fault){ .error = first, .at = i, .op = op[i] };
	}
	return speaks_of_batches(first) ? 1 : first;
}
