/* SPDX-License-Identifier: BSD-3-Clause */
/* Student's distribution, of whole degrees of freedom, and the normal one that it comes to. */
#include <math.h>

#include "bindings/command/stats/parts.h"

/* One step of Lentz's method for continued fractions: the next two convergents' ratios. */
static double lentz(double numerator, double *upper, double *lower)
{
	*upper = 1 + numerator / *upper;
	*lower = 1 / (1 + numerator * *lower);
	return *upper * *lower;
}

/* The incomplete beta function's fraction: NIST Digital Library of Mathematical Functions, 8.17.22. */
static double beta_fraction(double x, double a, double b)
{
	double upper = 1, lower = 0, value = 1, last = 0;

	for (int m = 0; m < 1000 && value != last; m++) {
		double k = a + 2 * m;

		last = value;
		if (m)
			value *= lentz(m * (b - m) * x / ((k - 1) * k), &upper, &lower);
		value *= lentz(-(a + m) * (a + b + m) * x / (k * (k + 1)), &upper, &lower);
	}
	return 1 / value;
}

/* I_x(a, b), whose fraction converges where x is not too large; else by its complement. */
static double beta(double x, double a, double b)
{
	double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));

	if (x <= 0 || x >= 1)
		return x > 0;
	return x < (a + 1) / (a + b + 2) ? front * beta_fraction(x, a, b) / a
					 : 1 - front * beta_fraction(1 - x, b, a) / b;
}

double pmu_student_p(double t, size_t freedom)
{
	double n = (double)freedom;

	if (!freedom || freedom > PMU_STUDENT_MOST)
		return erfc(fabs(t) / M_SQRT2);
	return beta(n / (n + t * t), n / 2, 0.5);
}

double pmu_student_limit(double level, size_t freedom)
{
	double low = 0, high = 1;

	while (pmu_student_p(high, freedom) > 1 - level && high < 1e9)
		high *= 2;
	for (int i = 0; i < 100; i++) {
		double middle = (low + high) / 2;

		*(pmu_student_p(middle, freedom) > 1 - level ? &low : &high) = middle;
	}
	return high;
}
