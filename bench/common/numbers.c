/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/common/numbers.h"

#include <stdlib.h>

static int compare(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

void sort_numbers(double *number, size_t n)
{
	qsort(number, n, sizeof(*number), compare);
}
