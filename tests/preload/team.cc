// SPDX-License-Identifier: BSD-3-Clause
/* Threads started in a region; the arguments are what is to be run. */
#include <pmu.h>
#include <pthread.h>
#include <threads.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <future>
#include <thread>
#include <vector>

static std::atomic<int> done;

static void work()
{
	pmu_region_begin("work");
	done++;
	pmu_region_end("work");
}

static void of_std()
{
	std::vector<std::thread> threads;

	for (int i = 0; i < 4; i++)
		threads.emplace_back(work);
	for (auto &thread : threads)
		thread.join();
}

static void of_async()
{
	std::vector<std::future<void>> results;

	for (int i = 0; i < 4; i++)
		results.push_back(std::async(std::launch::async, work));
	for (auto &result : results)
		result.get();
}

/* A thread started by one that was started. */
static void of_thread()
{
	std::thread([] {
		pmu_region_begin("outer");
		of_std();
		pmu_region_end("outer");
	}).join();
}

static int start_c11(void *)
{
	work();
	thrd_exit(0);
}

static void of_c11()
{
	thrd_t thread;

	thrd_create(&thread, start_c11, nullptr);
	thrd_join(thread, nullptr);
}

static void *start_exit(void *)
{
	work();
	pthread_exit(nullptr);
}

static void *start_cancelled(void *)
{
	work();
	for (;;)
		pthread_testcancel();
}

static void of_posix()
{
	pthread_t thread;

	pthread_create(&thread, nullptr, start_exit, nullptr);
	pthread_join(thread, nullptr);
	pthread_create(&thread, nullptr, start_cancelled, nullptr);
	while (!done)
		;
	pthread_cancel(thread);
	pthread_join(thread, nullptr);
}

/* Started in "init", and works when that has ended. */
static void outlives()
{
	static std::atomic<int> stage;
	std::thread pool;

	pmu_region_begin("init");
	pool = std::thread([] {
		stage = 1;
		while (stage < 2)
			std::this_thread::yield();
		work();
	});
	while (!stage)
		std::this_thread::yield();
	pmu_region_end("init");
	stage = 2;
	pool.join();
}

/* Another one is inside a region when the program ends. */
static void left_behind()
{
	static std::atomic<bool> inside;

	std::thread([] {
		pmu_region_begin("endless");
		inside = true;
		for (;;)
			std::this_thread::sleep_for(std::chrono::seconds(1));
	}).detach();
	while (!inside)
		std::this_thread::yield();
	exit(0);
}

int main(int, char **argv)
{
	static const struct {
		const char *name;
		void (*run)();
	} deeds[] = {
		{ "std", of_std },
		{ "async", of_async },
		{ "nested", of_thread },
		{ "c11", of_c11 },
		{ "posix", of_posix },
		{ "outlives", outlives },
		{ "left_behind", left_behind },
	};

	while (*++argv)
		for (const auto &deed : deeds)
			if (!strcmp(deed.name, *argv)) {
				pmu_region_begin(deed.name);
				deed.run();
				pmu_region_end(deed.name);
			}
	printf("%d\n", done.load());
}
