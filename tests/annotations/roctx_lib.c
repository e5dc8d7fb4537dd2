/* SPDX-License-Identifier: BSD-3-Clause */
/* ROCTX's library, as far as programs see it: depths, numbers of ranges, and how often it was called. */
#include <stdint.h>

int roctxRangePushA(const char *text);
int roctxRangePop(void);
uint64_t roctxRangeStartA(const char *text);
void roctxRangeStop(uint64_t range);
int roctxProfilerPause(uint64_t thread);
int roctxProfilerResume(uint64_t thread);
int roctxCalls(void);

static __thread int depth;
static uint64_t n_ranges, sum;
static int n_calls;

int roctxRangePushA(const char *text)
{
	n_calls += text[0] != 0;
	return depth++;
}

int roctxRangePop(void)
{
	n_calls++;
	return depth ? --depth : -1;
}

uint64_t roctxRangeStartA(const char *text)
{
	n_calls += text[0] != 0;
	return n_ranges++;
}

void roctxRangeStop(uint64_t range)
{
	n_calls++;
	sum += range;
}

int roctxProfilerPause(uint64_t thread)
{
	n_calls++;
	return (int)thread + 100;
}

int roctxProfilerResume(uint64_t thread)
{
	n_calls++;
	return (int)thread + 200;
}

int roctxCalls(void)
{
	return n_calls * 100000 + (int)sum;
}
