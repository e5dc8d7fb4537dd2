/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernels that each file defines; kernels.c has them in order. */
#ifndef BENCH_KERNELS_H
#define BENCH_KERNELS_H

#include "bench/kernels/kernel.h"

extern const struct kernel kernel_copy, kernel_scale, kernel_add, kernel_triad; /* stream.c */
extern const struct kernel kernel_daxpy, kernel_dot;                            /* vectors.c */
extern const struct kernel kernel_matmul, kernel_matmul_blocked;                /* matmul.c */
extern const struct kernel kernel_transpose, kernel_transpose_blocked;          /* transpose.c */
extern const struct kernel kernel_jacobi;                                       /* stencil.c */
extern const struct kernel kernel_chase;                                        /* chase.c */
extern const struct kernel kernel_gather;                                       /* gather.c */
extern const struct kernel kernel_search;                                       /* search.c */
extern const struct kernel kernel_branchy_sorted, kernel_branchy_random;        /* branchy.c */
extern const struct kernel kernel_divide;                                       /* divide.c */
extern const struct kernel kernel_scan;                                         /* scan.c */
extern const struct kernel kernel_histogram, kernel_histogram_shared;           /* histogram.c */

#endif
