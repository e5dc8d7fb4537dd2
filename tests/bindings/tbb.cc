// SPDX-License-Identifier: BSD-3-Clause
// oneTBB's algorithms in a region: what their bodies do is below it, whichever thread runs them.
#include <tbb/blocked_range.h>
#include <tbb/flow_graph.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_invoke.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/parallel_reduce.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <functional>
#include <pmu.hpp>
#include <string>

#include "tap.h"

namespace
{

const int N = 200;
using range = tbb::blocked_range<int>;

int step(int n)
{
	pmu::region r{ "step" };
	volatile int sink = 0;

	for (int i = 0; i < 2000; i++)
		sink = sink + i;
	return n;
}

void loop()
{
	tbb::parallel_for(range(0, N), pmu::in_context([](const range &part) {
				  for (int i = part.begin(); i < part.end(); i++)
					  step(i);
			  }));
}

void reduction()
{
	int sum = tbb::parallel_reduce(range(0, N), 0,
				       pmu::in_context([](const range &part, int from) {
					       for (int i = part.begin(); i < part.end(); i++)
						       from += step(i);
					       return from;
				       }),
				       std::plus<int>());

	is_int(sum, N * (N - 1) / 2, "a reduction");
}

void group()
{
	tbb::task_group tasks;

	for (int i = 0; i < N; i++)
		tasks.run(pmu::in_context([i] { step(i); }));
	tasks.wait();
}

/* A body waits for others, and its thread may run any of them meanwhile. */
void nested()
{
	tbb::parallel_for(0, 10, pmu::in_context([](int) {
				  pmu::region r{ "inner" };

				  tbb::parallel_for(0, N / 10,
						    pmu::in_context([](int i) { step(i); }));
			  }));
}

void invoked()
{
	tbb::parallel_invoke(pmu::in_context([] { step(1); }), pmu::in_context([] { step(2); }));
}

void pipeline()
{
	int next = 0;

	tbb::parallel_pipeline(
		4, tbb::make_filter<void, int>(tbb::filter_mode::serial_in_order,
					       [&](tbb::flow_control &control) {
						       if (next == N)
							       control.stop();
						       return next++;
					       }) &
			   tbb::make_filter<int, void>(tbb::filter_mode::parallel,
						       pmu::in_context([](int i) { step(i); })));
}

void graph()
{
	tbb::flow::graph g;
	tbb::flow::function_node<int, int> node(g, tbb::flow::unlimited, pmu::in_context(step));

	for (int i = 0; i < N; i++)
		node.try_put(i);
	g.wait_for_all();
}

void measure(const char *name, void (*run)(), const char *path, int calls)
{
	std::string row = std::string(",") + name + path + "/step,step,", text;
	{
		pmu::region r{ name };

		run();
	}
	text = pmu::report_text("csv");
	row += std::to_string(std::string(path).empty() ? 1 : 2) + ",all," + std::to_string(calls) +
	       ",";
	if (!ok(text.find(row) != std::string::npos, "%s: all steps are below the region", name))
		printf("# %s", text.c_str());
	ok(text.find(",step,step,0,") == std::string::npos, "%s: and nowhere else", name);
}

} // namespace

int main()
{
	tbb::global_control four(tbb::global_control::max_allowed_parallelism, 4);
	tbb::task_arena arena(4);
	pmu::options its;

	its.backend = "clock";
	its.pin = "none";
	its.output = "none";
	pmu::init(its);
	arena.execute([] {
		measure("loop", loop, "", N);
		measure("reduction", reduction, "", N);
		measure("group", group, "", N);
		measure("nested", nested, "/inner", N);
		measure("invoked", invoked, "", 2);
		measure("pipeline", pipeline, "", N);
		measure("graph", graph, "", N);
	});
	ok(pmu::report_text("json").find("\"doubts\": []") != std::string::npos, "no doubts");
	return done_testing();
}
