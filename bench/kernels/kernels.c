/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/kernels/kernels.h"

#include <stdlib.h>
#include <unistd.h>

const struct kernel *const kernels[] = {
	&kernel_copy,
	&kernel_scale,
	&kernel_add,
	&kernel_triad,
	&kernel_daxpy,
	&kernel_dot,
	&kernel_matmul,
	&kernel_matmul_blocked,
	&kernel_transpose,
	&kernel_transpose_blocked,
	&kernel_jacobi,
	&kernel_chase,
	&kernel_gather,
	&kernel_search,
	&kernel_branchy_sorted,
	&kernel_branchy_random,
	&kernel_divide,
	&kernel_scan,
	&kernel_histogram,
	&kernel_histogram_shared,
	NULL,
};

void *share_memory(struct share *share, size_t bytes, size_t apart)
{
	share->used = bytes;
	if (posix_memalign(&share->memory, (size_t)sysconf(_SC_PAGESIZE), bytes + apart))
		share->memory = NULL;
	return share->memory;
}
