/* SPDX-License-Identifier: BSD-3-Clause */
/* A library of functions that are wrapped: one for each way of passing arguments and results. */
#ifndef PMU_TESTS_WRAPPED_LIB_H
#define PMU_TESTS_WRAPPED_LIB_H

#include <complex.h>
#include <setjmp.h>
#include <stddef.h>

struct two_doubles {
	double a, b;
};
struct four_floats {
	float a, b, c, d;
};
struct mixed {
	long a;
	double b;
};
struct big {
	long word[20];
};
struct huge {
	long word[62];
};

int w_ints(int a, short b, char c, long d, unsigned e, long long f, int g, short h, long i);
double w_doubles(double a, double b, double c, double d, double e, double f, double g, double h,
		 double i, double j);
double w_many(int a, double b, long c, float d, int e, double f, long g, float h, int i, double j,
	      long k, float l, int m, double n, long o, float p, int q, double r, long s, float t);
long double w_long_double(long double a, int b, long double c);
long double _Complex w_complex(long double _Complex a, double _Complex b);
__int128 w_wide(__int128 a, long b, __int128 c);
struct two_doubles w_two(struct two_doubles a, struct four_floats b);
struct four_floats w_four(struct four_floats a, float b);
struct mixed w_mixed(struct mixed a, struct mixed b);
struct big w_big(struct big a, int b, struct big c);
long w_huge(int a, struct huge b);
int w_sum(int n, ...);
double w_sum_doubles(int n, ...);
int w_print(char *to, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
int w_errno(int value);
void w_each(int n, void (*call)(int i, void *data), void *data);
long w_deep(int n);
long w_deeper(int n);
long w_tail(long a, long b);
long w_tail_end(long a, long b, long c);
void w_jump(jmp_buf env, int value);
void w_leave(jmp_buf env, int depth);
void w_leave_deeper(jmp_buf env, int depth);
int w_setjmp_inside(int n);
long w_short_stack(long a, long b, long c, long d, long e, long f, long g, long h);
long w_address(void);
int w_is_itself(void);
int w_asks(void);
#if defined(__x86_64__)
typedef double vector4 __attribute__((vector_size(32)));
typedef double vector8 __attribute__((vector_size(64)));
__attribute__((target("avx"))) vector4 w_avx(vector4 a, vector4 b, vector4 c, vector4 d, vector4 e,
					     vector4 f, vector4 g, vector4 h, vector4 i, double j);
__attribute__((target("avx512f"))) vector8 w_avx512(vector8 a, vector8 b, vector8 c, vector8 d,
						    vector8 e, vector8 f, vector8 g, vector8 h,
						    double i);
#endif

#endif
