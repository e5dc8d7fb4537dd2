// SPDX-License-Identifier: BSD-3-Clause
// A program with Kokkos: kernels with labels and without, regions, sections, deep copies.
#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ProfileSection.hpp>
#include <cstdio>

struct Tag {
};

struct Functor {
	Kokkos::View<double *> x;
	KOKKOS_INLINE_FUNCTION void operator()(int i) const
	{
		x(i) += 1;
	}
	KOKKOS_INLINE_FUNCTION void operator()(const Tag &, int i) const
	{
		x(i) += 2;
	}
};

template <typename T> struct Adder {
	Kokkos::View<double *> x;
	KOKKOS_INLINE_FUNCTION void operator()(int i, T &sum) const
	{
		sum += x(i);
	}
};

int main(int argc, char **argv)
{
	double sum = 0;

	Kokkos::initialize(argc, argv);
	{
		const int n = 1000;
		Kokkos::View<double *> x("x", n), y("y", n);
		Kokkos::Profiling::ProfilingSection section("section");

		Kokkos::Profiling::pushRegion("region");
		for (int k = 0; k < 5; k++) {
			Kokkos::parallel_for(
				"axpy", n, KOKKOS_LAMBDA(int i) { x(i) += 2 * y(i) + 1; });
			Kokkos::parallel_reduce(
				"dot", n, KOKKOS_LAMBDA(int i, double &s) { s += x(i) * x(i); },
				sum);
		}
		section.start();
		Kokkos::Profiling::popRegion();
		Kokkos::parallel_scan(
			"scan", n, KOKKOS_LAMBDA(int i, double &s, bool last) {
				if (last)
					y(i) = s;
				s += x(i);
			});
		section.stop();
		section.start();
		for (int k = 0; k < 3; k++) {
			Kokkos::parallel_for(n, Functor{ x });
			Kokkos::parallel_for(Kokkos::RangePolicy<Tag>(0, n), Functor{ x });
		}
		section.stop();
		Kokkos::parallel_reduce(n, Adder<double>{ x }, sum);
		Kokkos::deep_copy(y, x);
		Kokkos::fence();
	}
	Kokkos::finalize();
	std::printf("%g\ndone\n", sum);
	return 0;
}
