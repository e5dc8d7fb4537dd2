// SPDX-License-Identifier: BSD-3-Clause
//
// The temperature of a plate with one hot edge, by Jacobi's method.
//
//     c++ -std=c++17 -O2 heat.cc -o heat $(pkg-config --cflags --libs pmu)
//     ./heat [SWEEPS]
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <pmu.hpp>
#include <vector>

namespace
{
constexpr int n = 64;     // points on an edge
constexpr int every = 10; // sweeps from one look at the residual to the next

class plate
{
	std::vector<double> now, next;

	static double mean(const std::vector<double> &of, int i, int j)
	{
		return 0.25 * (of[(i - 1) * n + j] + of[(i + 1) * n + j] + of[i * n + j - 1] +
			       of[i * n + j + 1]);
	}

      public:
	plate() : now(n * n), next(n * n)
	{
		pmu::region r{ "init" };

		for (int i = 0; i < n; i++)
			now[i * n] = next[i * n] = 1;
	}

	void sweep()
	{
		pmu::region r{ "sweep" };

		for (int i = 1; i < n - 1; i++)
			for (int j = 1; j < n - 1; j++)
				next[i * n + j] = mean(now, i, j);
		now = next;
	}

	// The largest difference between a point and the mean of its neighbours.
	double residual() const
	{
		pmu::region r{ "residual" };
		double largest = 0;

		for (int i = 1; i < n - 1; i++)
			for (int j = 1; j < n - 1; j++)
				largest = std::max(largest,
						   std::fabs(mean(now, i, j) - now[i * n + j]));
		return largest;
	}
};
} // namespace

int main(int argc, char **argv)
{
	int n_sweeps = argc > 1 ? std::atoi(argv[1]) : 100;
	double left = 0;
	plate heated;

	{
		pmu::region r{ "solve" };

		for (int i = 1; i <= n_sweeps; i++) {
			heated.sweep();
			if (i % every == 0)
				left = heated.residual();
		}
	}
	std::printf("after %d sweeps the residual is %.6e\n", n_sweeps, left);
	return 0;
}
