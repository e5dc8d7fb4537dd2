/* SPDX-License-Identifier: BSD-3-Clause */
// Benchmarks of known instructions, for catch2.sh.
#define CATCH_CONFIG_MAIN
#include <pmu/catch2.hpp>

#define TEN     "nop\n nop\n nop\n nop\n nop\n nop\n nop\n nop\n nop\n nop\n"
#define HUNDRED TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN

TEST_CASE("nops")
{
	BENCHMARK("one")
	{
		__asm__ volatile(HUNDRED);
	};
	BENCHMARK("two")
	{
		__asm__ volatile(HUNDRED HUNDRED);
	};
	BENCHMARK_ADVANCED("measured alone")(Catch::Benchmark::Chronometer meter)
	{
		__asm__ volatile(HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED);
		meter.measure([] { __asm__ volatile(HUNDRED); });
	};
}
