// SPDX-License-Identifier: BSD-3-Clause
/**
 * pmu/catch2.hpp - what each BENCHMARK of Catch2 2.x does to the processor
 *
 *     #include <pmu/catch2.hpp>
 *
 * instead of <catch2/catch.hpp>, in every file with benchmarks; link with -lpmu.  Each benchmark is a
 * region of its name, and at the end of its test case a line on standard error has its mean time
 * and its counts, per iteration.
 *
 * Counted is what lies between the two times of Catch2's chronometer, in the samples alone: neither
 * warming up nor the analysis, and with BENCHMARK_ADVANCED what is in measure().  A sample's time
 * gets longer by one begin and one end of a region.
 *
 * C++11.  -DPMU_DISABLE turns all of it into nothing.
 */
#ifndef PMU_CATCH2_HPP
#define PMU_CATCH2_HPP

#if defined(TWOBLUECUBES_SINGLE_INCLUDE_CATCH_HPP_INCLUDED) && !defined(PMU_DISABLE) && \
	!(defined(CATCH_CONFIG_ENABLE_BENCHMARKING) &&                                  \
	  (defined(CATCH_CONFIG_EXTERNAL_INTERFACES) || defined(CATCH_CONFIG_MAIN) ||   \
	   defined(CATCH_CONFIG_RUNNER)))
#error "include <pmu/catch2.hpp> before <catch2/catch.hpp>, or instead of it"
#endif
#ifndef CATCH_CONFIG_ENABLE_BENCHMARKING
#define CATCH_CONFIG_ENABLE_BENCHMARKING
#endif
#ifndef CATCH_CONFIG_EXTERNAL_INTERFACES
#define CATCH_CONFIG_EXTERNAL_INTERFACES
#endif
#include <catch2/catch.hpp>

#include <pmu.h>

#ifndef PMU_DISABLE
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace pmu
{
namespace catch2
{
/** The benchmark that is being sampled: one at a time, on the thread that runs the tests. */
struct current {
	std::string name;
	bool sampling, open;
	pmu_region_counts before;

	static current &get()
	{
		static current its = {};

		return its;
	}
	bool read(pmu_region_counts &into) const
	{
		into = pmu_region_counts();
		into.size = sizeof(into);
		return pmu_region_read(name.c_str(), PMU_THREAD_SELF, &into) == 0;
	}
	void begin()
	{
		open = sampling && pmu_region_begin(name.c_str()) == 0;
	}
	void end()
	{
		if (open)
			(void)pmu_region_end(name.c_str());
		open = false;
	}
};

struct listener : Catch::TestEventListenerBase {
	using TestEventListenerBase::TestEventListenerBase;

	void testRunStarting(Catch::TestRunInfo const &) override
	{
		pmu_options its = pmu_options();

		its.size = sizeof(its);
		if (!std::getenv("PMU_OUTPUT"))
			its.output = "none"; // the lines below are the report
		if (pmu_init(&its) != -EALREADY && *pmu_last_error())
			std::fprintf(stderr, "libpmu: %s\n", pmu_last_error());
	}

	void benchmarkStarting(Catch::BenchmarkInfo const &info) override
	{
		current &its = current::get();

		its.name = info.name.substr(0, PMU_NAME_MAX);
		its.sampling = true;
		// The region's first call allocates; then it is known.
		its.begin();
		its.end();
		(void)its.read(its.before);
	}

	void benchmarkEnded(Catch::BenchmarkStats<> const &stats) override
	{
		current &its = current::get();
		pmu_region_counts now;
		double n = static_cast<double>(stats.info.samples) * stats.info.iterations;
		char text[128];

		its.sampling = false;
		std::snprintf(text, sizeof(text), ": %.6g ns", stats.mean.point.count());
		lines += "libpmu: " + stats.info.name + text;
		if (!its.read(now)) {
			lines += ", no counts\n";
			return;
		}
		for (unsigned int i = 0; i < now.n_counts && i < PMU_MAX_COUNTS; i++) {
			double count = static_cast<double>(now.net[i]) -
				       static_cast<double>(its.before.net[i]);
			const char *name = pmu_count_name(i);

			if (now.missing >> i & 1)
				std::snprintf(text, sizeof(text), ", - ");
			else
				std::snprintf(text, sizeof(text), ", %.6g ",
					      count < 0 ? 0 : count / n);
			lines += text + std::string(name ? name : "");
		}
		lines += '\n';
	}

	void benchmarkFailed(std::string const &) override
	{
		current::get().end();
		current::get().sampling = false;
	}

	// The reporter's table is complete then, and standard output is the reporter's.
	void testCaseEnded(Catch::TestCaseStats const &) override
	{
		std::fputs(lines.c_str(), stderr);
		lines.clear();
	}

      private:
	std::string lines;
};

/** Once in a program, however many of its files include this. */
inline bool listen()
{
	static Catch::ListenerRegistrar<listener> registrar;

	return true;
}

namespace
{
const bool listening __attribute__((unused)) = listen();
}
} // namespace catch2
} // namespace pmu

namespace Catch
{
namespace Benchmark
{
namespace Detail
{
template <> inline void ChronometerModel<default_clock>::start()
{
	started = default_clock::now();
	pmu::catch2::current::get().begin();
}
template <> inline void ChronometerModel<default_clock>::finish()
{
	pmu::catch2::current::get().end();
	finished = default_clock::now();
}
} // namespace Detail
} // namespace Benchmark
} // namespace Catch
#endif

#endif
