// SPDX-License-Identifier: BSD-3-Clause
// Waits with C++'s means: its locks are POSIX's.
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>

static std::mutex mutex;
static std::condition_variable condition;
static int turn;

// Each waits for the other one, at least every other time.
static __attribute__((noinline)) void play(int me)
{
	for (int i = 0; i < 100; i++) {
		std::unique_lock<std::mutex> lock(mutex);
		while (turn % 2 != me)
			condition.wait(lock);
		turn++;
		condition.notify_one();
	}
}

int main()
{
	std::thread other(play, 1);

	play(0);
	other.join();
	std::printf("%d\n", turn);
}
