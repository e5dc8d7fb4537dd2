// SPDX-License-Identifier: BSD-3-Clause
// Built with -finstrument-functions by functions.sh: names of C++, and exceptions past instrumented functions.
#include <stdexcept>
#include <utility>

#define NOINLINE __attribute__((noinline))

static volatile int sink;

namespace ns
{

NOINLINE static void thrower(int n)
{
	if (n == 0)
		throw std::runtime_error("thrown");
	thrower(n - 1);
	sink = sink + 1;
}

template <class T> NOINLINE T twice(T x)
{
	return x + x;
}

NOINLINE static int over(int a)
{
	return a;
}

// its frame is larger than all that were jumped over
NOINLINE static int over(int a, char b)
{
	volatile char room[20000];

	room[a] = b;
	return a + room[a];
}

struct thing {
	int value;
	NOINLINE explicit thing(int v) : value(v)
	{
	}
	NOINLINE ~thing()
	{
		sink = sink + 1;
	}
	NOINLINE int operator/(int by) const
	{
		return value / by;
	}
};

} // namespace ns

static void past_3()
{
	ns::thrower(3);
	sink = sink + 1;
}

static NOINLINE void past_2()
{
	past_3();
	sink = sink + 1;
}

static NOINLINE void past_1()
{
	ns::thing thing(8);

	past_2();
	sink = sink + thing / 2;
}

static NOINLINE void catcher()
{
	try {
		past_1();
	} catch (const std::exception &) {
		sink = sink + 1;
	}
	sink = sink + ns::over(3, 'c');
	sink = sink + ns::over(1);
}

static NOINLINE void quick(int n)
{
	throw n;
}

static NOINLINE void worker()
{
	sink = sink + 1;
	ns::over(1);
}

static NOINLINE void large_worker()
{
	volatile char room[20000];

	room[sink & 15] = 1;
	sink = sink + room[sink & 15];
	ns::over(1);
}

static NOINLINE void other_quick(int n)
{
	throw n + 1;
}

// of more than a kilobyte
template <class T> struct wrapped {
};
template <class T> struct wide : wrapped<wrapped<wrapped<wrapped<T>>>> {
	using more = wide<wrapped<wrapped<wrapped<wrapped<wrapped<wrapped<T>>>>>>>;
};
using very_wide = wide<wrapped<wide<wide<int>::more::more::more::more>::more::more::more::more>>::
	more::more::more::more;

template <class T> struct long_named {
	NOINLINE void own_name(T)
	{
		sink = sink + 1;
	}
};

// several from one place
static void (*volatile const quicks[])(int) = { quick, other_quick };

int main(int argc, char **)
{
	// main is a region already: that it goes on shows by nothing but the frames
	for (int i = 0; argc > 1 && i < 40; i++) {
		try {
			quick(i);
		} catch (int) {
			sink = sink + 1;
		}
	}
	for (int i = 0; argc > 2 && i < 40; i++) {
		try {
			quicks[i % 2](i);
		} catch (int) {
			sink = sink + 1;
		}
	}
	if (argc > 1) {
		large_worker();
		worker();
		long_named<std::pair<very_wide, std::pair<very_wide, very_wide>>>().own_name({});
		return 0;
	}
	for (int i = 0; i < 10; i++) {
		catcher();
		sink = sink + ns::twice(i) + static_cast<int>(ns::twice(1.5));
	}
	return ns::thing(4) / 2 - 2;
}
