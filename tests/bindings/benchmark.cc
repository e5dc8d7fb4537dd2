/* SPDX-License-Identifier: BSD-3-Clause */
// Loops of known instructions, for benchmark.sh.
#include <pmu/benchmark.hpp>

#define TEN     "nop\n nop\n nop\n nop\n nop\n nop\n nop\n nop\n nop\n nop\n"
#define HUNDRED TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN

static void hundred(benchmark::State &state)
{
	for (auto _ : state)
		__asm__ volatile(HUNDRED);
}
BENCHMARK(hundred)->Iterations(1000);
BENCHMARK(hundred)->Iterations(1000)->Threads(2);

static void two_hundred(benchmark::State &state)
{
	for (auto _ : state)
		__asm__ volatile(HUNDRED HUNDRED);
}
BENCHMARK(two_hundred)->Iterations(1000);

static void keeps_running(benchmark::State &state)
{
	while (state.KeepRunning())
		__asm__ volatile(HUNDRED);
}
BENCHMARK(keeps_running)->Iterations(1000);

static void paused(benchmark::State &state)
{
	for (auto _ : state) {
		__asm__ volatile(HUNDRED);
		state.PauseTiming();
		__asm__ volatile(HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED);
		state.ResumeTiming();
	}
}
BENCHMARK(paused)->Iterations(1000);

// Left by break: its region is not part of the next one.
static void skipped(benchmark::State &state)
{
	for (auto _ : state) {
		state.SkipWithError("on purpose");
		break;
	}
}
BENCHMARK(skipped);

static void after(benchmark::State &state)
{
	for (auto _ : state)
		__asm__ volatile(HUNDRED);
}
BENCHMARK(after)->Iterations(1000);

BENCHMARK_MAIN();
