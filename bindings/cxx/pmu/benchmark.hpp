// SPDX-License-Identifier: BSD-3-Clause
/**
 * pmu/benchmark.hpp - what each benchmark of Google Benchmark does to the processor
 *
 *     #include <pmu/benchmark.hpp>
 *
 * in one file of the program, or in all; link with -lbenchmark -lpmu.  Each benchmark then has one
 * user counter for each count of PMU_GROUP or PMU_EVENTS, per iteration and thread, in the table, in
 * JSON and in CSV.  Nothing is to be changed in a benchmark.
 *
 * The timed loop calls State::StartKeepRunning() before its first iteration and FinishKeepRunning()
 * after its last.  Defined here too, they are found before the shared library's, which they call: the
 * counts are of what lies between, without the library's own work and without the clock's.
 * PauseTiming() and ResumeTiming() hold the counts as they do the time, which gets longer by one end
 * and one begin of a region for each loop and each pause.
 *
 * C++11.  Linked statically, Google Benchmark keeps its own functions: times only, and it says so.
 * -DPMU_DISABLE turns all of it into nothing.
 */
#ifndef PMU_BENCHMARK_HPP
#define PMU_BENCHMARK_HPP

#include <benchmark/benchmark.h>

#include <pmu.h>

#ifndef PMU_DISABLE
#include <dlfcn.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace pmu
{
namespace benchmarks
{
/** The region of every timed loop: a State of version 1.7 does not know its benchmark's name. */
inline const char *region()
{
	return "benchmark";
}

/** The functions of the library that are defined below once more. */
struct originals {
	typedef void (*function)(benchmark::State *);
	function start, finish, pause, resume;

	originals()
	    : start(find("_ZN9benchmark5State16StartKeepRunningEv")),
	      finish(find("_ZN9benchmark5State17FinishKeepRunningEv")),
	      pause(find("_ZN9benchmark5State11PauseTimingEv")),
	      resume(find("_ZN9benchmark5State12ResumeTimingEv"))
	{
	}
	static function find(const char *symbol)
	{
		return reinterpret_cast<function>(dlsym(RTLD_NEXT, symbol));
	}
	static const originals &get()
	{
		static const originals found;

		return found;
	}
};

/** Where the calling thread's loop is. */
struct loop {
	pmu_region_counts before;
	bool running, open; // open: running and not paused

	static loop &here()
	{
		static thread_local loop its = {};

		return its;
	}
	void begin()
	{
		open = pmu_region_begin(region()) == 0;
	}
	void end()
	{
		if (open)
			(void)pmu_region_end(region());
		open = false;
	}
};

inline bool read(pmu_region_counts &into)
{
	into = pmu_region_counts();
	into.size = sizeof(into);
	return pmu_region_read(region(), PMU_THREAD_SELF, &into) == 0;
}

/** Whether the head of the results has the reason already; set before main(). */
inline bool &explained()
{
	static bool is = false;

	return is;
}

/** Once, whatever thread finds out first: what is not in the table, and why. */
inline void say_missing(const std::string &what)
{
	static const bool said = [&what] {
		std::fprintf(stderr, "libpmu: not counted: %s; 'pmu doctor' says why\n",
			     what.c_str());
		return true;
	}();

	(void)said;
}

/** Threads' values are added by the framework, and divided by the iterations of all of them. */
inline void publish(benchmark::State &state, const pmu_region_counts &before)
{
	pmu_region_counts now;
	std::string missing;

	if (!read(now) || !now.n_counts) {
		if (!explained())
			say_missing("anything but time");
		return;
	}
	for (unsigned int i = 0; i < now.n_counts && i < PMU_MAX_COUNTS; i++) {
		const char *name = pmu_count_name(i);
		double count = static_cast<double>(now.net[i]) - static_cast<double>(before.net[i]);

		if (!name)
			continue;
		if (now.missing >> i & 1)
			missing += (missing.empty() ? "" : ", ") + std::string(name);
		else
			state.counters[name] = benchmark::Counter(
				count < 0 ? 0 : count, benchmark::Counter::kAvgIterations);
	}
	if (!missing.empty())
		say_missing(missing);
}

/** Starts the session before main(), and says in the head of the results what there is to know. */
inline bool prepare()
{
	static const bool done = [] {
		pmu_options its = pmu_options();
		const originals &found = originals::get();
		int rc;

		its.size = sizeof(its);
		if (!std::getenv("PMU_OUTPUT"))
			its.output = "none"; // the table of results is the report
		if (!found.start || !found.finish || !found.pause || !found.resume) {
			benchmark::AddCustomContext("libpmu", "times only: Google Benchmark is not "
							      "a shared library here");
			return true;
		}
		rc = pmu_init(&its);
		explained() = rc != -EALREADY && *pmu_last_error();
		if (explained())
			benchmark::AddCustomContext("libpmu", pmu_last_error());
		return true;
	}();

	return done;
}

namespace
{
const bool prepared __attribute__((unused)) = prepare();
}
} // namespace benchmarks
} // namespace pmu

// Weak, so that every file may have them; nothing of theirs is in the counts.
namespace benchmark
{
__attribute__((weak)) void State::StartKeepRunning()
{
	pmu::benchmarks::loop &loop = pmu::benchmarks::loop::here();

	loop.end(); // of a benchmark that was left by a break
	loop.running = false;
	// The region's first call on a thread allocates; then it is known.
	loop.begin();
	loop.end();
	(void)pmu::benchmarks::read(loop.before);
	pmu::benchmarks::originals::get().start(this);
	loop.running = true;
	loop.begin();
}

__attribute__((weak)) void State::FinishKeepRunning()
{
	pmu::benchmarks::loop &loop = pmu::benchmarks::loop::here();

	loop.end();
	pmu::benchmarks::originals::get().finish(this);
	if (loop.running)
		pmu::benchmarks::publish(*this, loop.before);
	loop.running = false;
}

__attribute__((weak)) void State::PauseTiming()
{
	pmu::benchmarks::loop::here().end();
	pmu::benchmarks::originals::get().pause(this);
}

__attribute__((weak)) void State::ResumeTiming()
{
	pmu::benchmarks::loop &loop = pmu::benchmarks::loop::here();

	pmu::benchmarks::originals::get().resume(this);
	if (loop.running && !loop.open) // the start resumes too
		loop.begin();
}
} // namespace benchmark
#endif

#endif
