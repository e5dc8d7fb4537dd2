// SPDX-License-Identifier: BSD-3-Clause
// Parallel regions in C++: templates, lambdas, members, and exceptions that are thrown and caught in them.
#include <cstdio>
#include <stdexcept>

namespace outer
{
static long sum;

static void add(long value)
{
#pragma omp atomic
	sum += value;
}

template <class T> struct solver {
	T start;

	__attribute__((noinline)) void solve()
	{
#pragma omp parallel
		{
			try {
				if (start)
					throw std::runtime_error("caught");
				add(100);
			} catch (const std::exception &) {
				add(1);
			}
		}
	}
};
} // namespace outer

int main()
{
	outer::solver<int> a{ 1 };
	outer::solver<long> b{ 0 };
	auto lambda = [] {
#pragma omp parallel
		outer::add(10);
	};

	for (int i = 0; i < 5; i++)
		a.solve();
	b.solve();
	lambda();
	std::printf("%ld\n", outer::sum);
	return 0;
}
