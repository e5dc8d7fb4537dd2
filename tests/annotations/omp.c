/* SPDX-License-Identifier: BSD-3-Clause */
/* Parallel regions of libomp, which tells ITT of them too. */
#include <stdio.h>
int main(void)
{
	double sum = 0;

	for (int k = 0; k < 4; k++)
#pragma omp parallel for reduction(+ : sum)
		for (int i = 0; i < 1000; i++)
			sum += i;
	printf("%g\n", sum);
}
