/* SPDX-License-Identifier: BSD-3-Clause */
/* A flow graph and algorithms of TBB, which has its own tasks for ITT. */
#include <atomic>
#include <cstdio>
#include <tbb/flow_graph.h>
#include <tbb/parallel_for.h>
int main()
{
	std::atomic<long> sum{ 0 };
	tbb::flow::graph graph;
	tbb::flow::function_node<int, int> node(graph, tbb::flow::unlimited, [&](int value) {
		sum += value;
		return value;
	});

	for (int k = 0; k < 5; k++)
		tbb::parallel_for(0, 1000, [&](int i) { sum += i; });
	for (int i = 0; i < 50; i++)
		node.try_put(i);
	graph.wait_for_all();
	std::printf("%ld\n", (long)sum);
}
