// SPDX-License-Identifier: BSD-3-Clause
// Exceptions pass through wrapped functions, and their regions end there.
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <unistd.h>

extern "C" void w_each(int n, void (*call)(int i, void *data), void *data);
extern "C" long w_tail(long a, long b);

namespace
{
struct counter {
	int &left;
	~counter()
	{
		left++;
	}
};

void thrower(int i, void *data)
{
	counter here{ *static_cast<int *>(data) };

	w_tail(i, 1);
	if (i == 3)
		throw std::runtime_error("three");
}

void outer(int, void *data)
{
	w_each(5, thrower, data);
}

int compare(const void *a, const void *b)
{
	if (*static_cast<const int *>(a) == 7 || *static_cast<const int *>(b) == 7)
		throw 7;
	return *static_cast<const int *>(a) - *static_cast<const int *>(b);
}
} // namespace

int main()
{
	int left = 0, caught = 0, values[10] = { 1, 5, 3, 7, 2 };

	for (int round = 0; round < 20; round++) {
		try {
			w_each(2, outer, &left);
		} catch (const std::exception &e) {
			caught += std::string(e.what()) == "three";
		}
		try {
			std::qsort(values, 10, sizeof(*values), compare);
		} catch (int i) {
			caught += i;
		}
	}
	// outside of all of them: nothing may be open that would take this for its own
	usleep(100000);
	for (int i = 0; i < 100; i++)
		w_tail(i, 2);
	std::printf("%d %d\n", left, caught);
}
