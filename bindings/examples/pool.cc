// SPDX-License-Identifier: BSD-3-Clause
/*
 * A pool of threads: a region has the work of all tasks that it hands to the pool.
 *
 *   pool [TASKS]
 */
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <queue>
#include <thread>
#include <vector>

#include <pmu.hpp>

namespace
{

class thread_pool
{
      public:
	explicit thread_pool(unsigned int n)
	{
		for (unsigned int i = 0; i < n; i++)
			workers.emplace_back([this] { serve(); });
	}
	~thread_pool()
	{
		submit(nullptr);
		for (auto &worker : workers)
			worker.join();
	}

	// Here is what counts for the caller's region: every task is done in its context.
	template <class Task> void run(Task task)
	{
		submit(pmu::in_context(std::move(task)));
	}

	void wait()
	{
		std::unique_lock<std::mutex> hold(lock);

		idle.wait(hold, [this] { return tasks.empty() && !busy; });
	}

      private:
	using function = std::function<void()>;

	std::mutex lock;
	std::condition_variable some, idle;
	std::queue<function> tasks;
	std::vector<std::thread> workers;
	unsigned int busy = 0;

	void submit(function task)
	{
		std::lock_guard<std::mutex> hold(lock);

		tasks.push(std::move(task));
		some.notify_one();
	}

	void serve()
	{
		std::unique_lock<std::mutex> hold(lock);

		for (;;) {
			some.wait(hold, [this] { return !tasks.empty(); });
			if (!tasks.front()) { // the end; it stays for the others
				some.notify_all();
				return;
			}
			function task = std::move(tasks.front());
			tasks.pop();
			busy++;
			hold.unlock();
			task();
			hold.lock();
			busy--;
			idle.notify_all();
		}
	}
};

double sum_of(int part)
{
	pmu::region r{ "sum" };
	double sum = 0;

	for (int i = 1; i < 100000; i++)
		sum += 1.0 / (i + part);
	return sum;
}

} // namespace

int main(int argc, char **argv)
{
	int n = argc > 1 ? std::atoi(argv[1]) : 100;
	std::vector<double> result(static_cast<std::size_t>(n));
	thread_pool pool(4);
	double total = 0;

	{
		pmu::region r{ "solve" };

		for (int i = 0; i < n; i++)
			pool.run([&result, i] { result[static_cast<std::size_t>(i)] = sum_of(i); });
		pool.wait();
	}
	for (double one : result)
		total += one;
	std::printf("%.6f\n", total);
}
