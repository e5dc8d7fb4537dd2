// SPDX-License-Identifier: BSD-3-Clause
// The header in C++, and regions where C++ has threads and destructors.
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "pmu.h"
#include "tap.h"

namespace
{

// What a C++ program would write for itself.
class guard
{
	std::string name;

      public:
	explicit guard(const std::string &its) : name(its)
	{
		pmu_region_begin_n(name.data(), name.size());
	}
	guard(const guard &) = delete;
	guard &operator=(const guard &) = delete;
	~guard()
	{
		pmu_region_end_n(name.data(), name.size());
	}
};

struct late {
	bool used = false;
	~late()
	{
		guard region("thread_local destructor");
	}
};

thread_local late last;

pmu_region_counts read(const char *name, int thread = PMU_THREAD_SELF)
{
	pmu_region_counts counts = {};

	counts.size = sizeof(counts);
	if (pmu_region_read(name, thread, &counts) < 0)
		counts.calls = 0;
	return counts;
}

void throw_through(int depth)
{
	guard region("thrown through");

	if (!depth)
		throw std::runtime_error("out");
	throw_through(depth - 1);
}

void options_are_a_plain_structure()
{
	pmu_options options = {};

	options.size = sizeof(options);
	options.backend = "clock";
	options.pin = "none";
	options.output = "none";
	is_int(pmu_init(&options), 0, "a session by options");
	is_int(pmu_init(nullptr), -EALREADY, "runs");
}

void exceptions_end_regions()
{
	for (int i = 0; i < 3; i++) {
		try {
			guard region("around");
			throw_through(4);
		} catch (const std::exception &) {
		}
	}
	is_u64(read("around").calls, 3, "a guard around");
	is_u64(read("thrown through").calls, 15, "guards on the way");
}

void the_scope_macro_works()
{
	for (int i = 0; i < 3; i++) {
		PMU_REGION("macro");
		if (i == 1)
			continue;
	}
	try {
		PMU_REGION("macro");
		throw std::runtime_error("out");
	} catch (const std::exception &) {
	}
	is_u64(read("macro").calls, 4, "PMU_REGION, also when left by an exception");
}

void threads_may_end_in_regions_of_their_destructors()
{
	const int n = 8;
	std::vector<std::thread> threads;
	uint64_t bodies = 0, ends = 0;

	for (int i = 0; i < n; i++)
		threads.emplace_back([] {
			last.used = true;
			guard region("body");
		});
	for (std::thread &thread : threads)
		thread.join();
	for (int i = 1; i <= n; i++) {
		bodies += read("body", i).calls;
		ends += read("thread_local destructor", i).calls;
	}
	is_u64(bodies, n, "std::thread");
	is_u64(ends, n, "regions in destructors of thread_local objects");
}

} // namespace

int main()
{
	options_are_a_plain_structure();
	exceptions_end_regions();
	the_scope_macro_works();
	threads_may_end_in_regions_of_their_destructors();
	is_int(pmu_fini(), 0, "the end");
	is_int(pmu_version(), PMU_VERSION, "the version");
	return done_testing();
}
