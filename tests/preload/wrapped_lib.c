/* SPDX-License-Identifier: BSD-3-Clause */
/* A library of functions that are wrapped. */
#include "wrapped_lib.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wpsabi"
#endif

int w_ints(int a, short b, char c, long d, unsigned e, long long f, int g, short h, long i)
{
	return (int)(a + 2 * b + 3 * c + 4 * d + 5 * (int)e + 6 * f + 7 * g + 8 * h + 9 * i);
}

double w_doubles(double a, double b, double c, double d, double e, double f, double g, double h,
		 double i, double j)
{
	return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + 10 * j;
}

double w_many(int a, double b, long c, float d, int e, double f, long g, float h, int i, double j,
	      long k, float l, int m, double n, long o, float p, int q, double r, long s, float t)
{
	return a + 2 * b + 3 * (double)c + 4 * d + 5 * e + 6 * f + 7 * (double)g + 8 * h + 9 * i +
	       10 * j + 11 * (double)k + 12 * l + 13 * m + 14 * n + 15 * (double)o + 16 * p +
	       17 * q + 18 * r + 19 * (double)s + 20 * t;
}

long double w_long_double(long double a, int b, long double c)
{
	return a * b + c;
}

long double _Complex w_complex(long double _Complex a, double _Complex b)
{
	return a * b;
}

__int128 w_wide(__int128 a, long b, __int128 c)
{
	return a * b + c;
}

struct two_doubles w_two(struct two_doubles a, struct four_floats b)
{
	return (struct two_doubles){ a.a + b.a + b.c, a.b + b.b + b.d };
}

struct four_floats w_four(struct four_floats a, float b)
{
	return (struct four_floats){ a.a * b, a.b * b, a.c * b, a.d * b };
}

struct mixed w_mixed(struct mixed a, struct mixed b)
{
	return (struct mixed){ a.a - b.a, a.b - b.b };
}

struct big w_big(struct big a, int b, struct big c)
{
	for (int i = 0; i < 20; i++)
		a.word[i] = a.word[i] * b + c.word[i];
	return a;
}

long w_huge(int a, struct huge b)
{
	long sum = a;

	for (int i = 0; i < 62; i++)
		sum = 3 * sum + b.word[i];
	return sum;
}

int w_sum(int n, ...)
{
	va_list args;
	int sum = 0;

	va_start(args, n);
	for (int i = 0; i < n; i++)
		sum = 3 * sum + va_arg(args, int);
	va_end(args);
	return sum;
}

double w_sum_doubles(int n, ...)
{
	va_list args;
	double sum = 0;

	va_start(args, n);
	for (int i = 0; i < n; i++)
		sum = 2 * sum + va_arg(args, double);
	va_end(args);
	return sum;
}

int w_print(char *to, size_t size, const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(to, size, format, args);
	va_end(args);
	return n;
}

int w_errno(int value)
{
	int was = errno;

	errno = value;
	return was;
}

void w_each(int n, void (*call)(int i, void *data), void *data)
{
	for (int i = 0; i < n; i++)
		call(i, data);
}

/* Through a GOT slot again: the compiler binds only a function's calls of itself. */
long w_deep(int n)
{
	return n ? n + w_deeper(n - 1) : 0;
}

long w_deeper(int n)
{
	return n ? n + w_deep(n - 1) : 0;
}

long w_tail(long a, long b)
{
	return w_tail_end(b, a, 7);
}

long w_tail_end(long a, long b, long c)
{
	return 100 * a + 10 * b + c;
}

void w_jump(jmp_buf env, int value)
{
	longjmp(env, value);
}

void w_leave(jmp_buf env, int depth)
{
	if (depth)
		w_leave_deeper(env, depth - 1);
	w_jump(env, 1);
}

void w_leave_deeper(jmp_buf env, int depth)
{
	w_leave(env, depth);
}

int w_setjmp_inside(int n)
{
	volatile int rounds = 0;
	jmp_buf env;

	setjmp(env);
	if (rounds < n) {
		rounds++;
		w_leave(env, 3);
	}
	return rounds;
}

long w_short_stack(long a, long b, long c, long d, long e, long f, long g, long h)
{
	return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h;
}

/* How far the stack pointer is from where the ABI wants it. */
long w_address(void)
{
	return (long)((uintptr_t)__builtin_frame_address(0) % 16);
}

/* As libraries do that let functions be replaced: a pointer in data, and another one in code. */
static int (*volatile hook)(void) = w_is_itself;

int w_is_itself(void)
{
	return hook == w_is_itself;
}

int w_asks(void)
{
	return w_is_itself() + (hook == w_is_itself);
}

#if defined(__x86_64__)
__attribute__((target("avx"))) vector4 w_avx(vector4 a, vector4 b, vector4 c, vector4 d, vector4 e,
					     vector4 f, vector4 g, vector4 h, vector4 i, double j)
{
	return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + j;
}

__attribute__((target("avx512f"))) vector8 w_avx512(vector8 a, vector8 b, vector8 c, vector8 d,
						    vector8 e, vector8 f, vector8 g, vector8 h,
						    double i)
{
	return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + i;
}
#endif
