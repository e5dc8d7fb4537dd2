/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The nodes of top-down analysis, their thresholds, and what they mean.
 *
 * Thresholds are the vendor's: those of Intel's P cores are TMA 5.1's, those of E cores TMA 4's (the
 * columns "Threshold" of TMA_Metrics-full.csv and E-core_TMA_Metrics.csv in intel/perfmon).  AMD and
 * Arm state none: there the nodes that are the same have TMA's, and those that only AMD has those of
 * TMA's counterparts.  What is a share of cycles may overlap with others, and does not add up to
 * what its parent has of slots.
 */
#include <math.h>
#include <string.h>

#include "base/compiler.h"
#include "report/text/topdown.h"

#define SLOTS(label, in, percent, text)                      \
	{                                                    \
		label, in, percent, PMU_OF_SLOTS, NULL, text \
	}
#define CYCLES(label, in, percent, text)                      \
	{                                                     \
		label, in, percent, PMU_OF_CYCLES, NULL, text \
	}

static const struct pmu_topdown_node nodes[] = {
	SLOTS("front-end bound", NULL, 15,
	      "instructions came too late to the part that executes them: the code is large, jumps a "
	      "lot, or is hard to decode; level 2 tells which"),
	SLOTS("fetch latency", "front-end bound", 10,
	      "at times no instruction came at all: code that is in no near cache, or jumps that were "
	      "foreseen late; level 3 tells which"),
	CYCLES("icache misses", "fetch latency", 5,
	       "code was not in the L1 instruction cache: make what is hot smaller, and put it close "
	       "together (-Os, profile-guided optimization, less inlining)"),
	CYCLES("ITLB misses", "fetch latency", 5,
	       "code is spread over more pages than the TLB holds: huge pages for the program's text, or "
	       "hot functions close together"),
	CYCLES("branch resteers", "fetch latency", 5,
	       "fetching began anew at another address, after mispredicted or unknown jumps: look at the "
	       "group BRANCH, and for code that is run from many places"),
	CYCLES("MS switches", "fetch latency", 5,
	       "decoding went to the microcode and back: look for divisions, string instructions, "
	       "denormal numbers and other long instructions"),
	CYCLES("LCP", "fetch latency", 5,
	       "prefixes that change an instruction's length stalled the decoder: mostly 16-bit "
	       "constants; use 32-bit ones"),
	CYCLES("DSB switches", "fetch latency", 5,
	       "decoding went from the cache of decoded operations to the slower decoder: hot loops that "
	       "are large or badly aligned"),
	SLOTS("fetch bandwidth", "front-end bound", 20,
	      "instructions came, but fewer at a time than could be taken: dense code, or code that the "
	      "cache of decoded operations does not hold"),
	SLOTS("MITE", "fetch bandwidth", 10,
	      "the decoder delivered less than it could: hot code that is not in the cache of decoded "
	      "operations; make loops smaller, and align them"),
	SLOTS("DSB", "fetch bandwidth", 15,
	      "the cache of decoded operations delivered less than it could: many jumps into the middle "
	      "of its lines; align hot loops"),
	SLOTS("LSD", "fetch bandwidth", 15,
	      "the buffer of small loops delivered less than it could: a loop whose length does not fit "
	      "the width of the processor; unroll it"),
	SLOTS("bad speculation", NULL, 15,
	      "work was thrown away, because a branch went another way than foreseen or memory was not "
	      "as expected: look at the group BRANCH"),
	SLOTS("branch mispredicts", "bad speculation", 10,
	      "branches went another way than foreseen: look at conditions on data in hot loops; sorted "
	      "data, tables, or arithmetic in place of the branch"),
	SLOTS("machine clears", "bad speculation", 10,
	      "the pipeline was emptied for another reason than a branch: threads that write to memory "
	      "which others have just read, or code that changes itself"),
	SLOTS("pipeline restarts", "bad speculation", 10,
	      "the pipeline was emptied for another reason than a branch: threads that write to memory "
	      "which others have just read, or code that changes itself"),
	SLOTS("back-end bound", NULL, 20,
	      "instructions were there and could not be taken: they waited for data, or for the units "
	      "that compute; level 2 tells which"),
	SLOTS("memory bound", "back-end bound", 20,
	      "the pipeline waited for loads or stores; level 3, or the groups L2, L3, TLB and MEM, tell "
	      "how far away the data was"),
	CYCLES("L1 bound", "memory bound", 10,
	       "loads waited although the L1 cache had their data: dependent loads, loads of what was "
	       "just stored in another size, many TLB misses; look at the group TLB"),
	CYCLES("FB full", "L1 bound", 30,
	       "the buffers between the L1 cache and the next one were full: the bandwidth of memory or "
	       "of the L2 is the limit, not the latency; work on smaller blocks"),
	CYCLES("L2 bound", "memory bound", 5,
	       "loads waited for the L2 cache: what a loop works on is larger than the L1; work on smaller "
	       "blocks, and look at the group L2"),
	CYCLES("L3 bound", "memory bound", 5,
	       "loads waited for the L3 cache or for another core that had the data: work on smaller "
	       "blocks, share less between threads; look at the group L3"),
	CYCLES("DRAM bound", "memory bound", 10,
	       "loads waited for memory: use caches better (blocks, layout, prefetching), and look at the "
	       "groups MEM and NUMA, whether it is the bandwidth or the latency"),
	CYCLES("MEM bandwidth", "DRAM bound", 20,
	       "memory delivered as fast as it could: move less data, by caches (blocks, smaller types) "
	       "or other nodes' memory; the group MEM tells how much it was"),
	CYCLES("MEM latency", "DRAM bound", 10,
	       "loads waited for memory one after another: have more of them under way at once "
	       "(prefetching, independent accesses), or use caches better"),
	CYCLES("store bound", "memory bound", 20,
	       "stores had to wait: they go to lines that other cores have, or to many pages; write less, "
	       "in order, and do not share lines between threads"),
	SLOTS("core bound", "back-end bound", 10,
	      "the pipeline waited for its own units: long divisions, chains of dependent operations, or "
	      "too many of one kind; look at the group UOPS"),
	CYCLES("divider", "core bound", 20,
	       "divisions or square roots were computed: multiply with the reciprocal, use single "
	       "precision, or take them out of the loop"),
	CYCLES("serializing operation", "core bound", 10,
	       "an instruction waited until all before it were done: fences, locked operations, PAUSE, "
	       "CPUID, reading the time"),
	CYCLES("ports utilization", "core bound", 15,
	       "few operations were executed at a time: chains of dependent operations, or many for one "
	       "kind of unit; use independent sums, and vectors"),
	CYCLES("ports utilized 1", "ports utilization", 20,
	       "one operation was executed in a cycle: a chain of operations that wait for each other; "
	       "use several sums, and unroll loops"),
	CYCLES("ports utilized 2", "ports utilization", 15,
	       "two operations were executed in a cycle: chains that wait for each other, or many "
	       "operations for the same units"),
	CYCLES("ports utilized 3m", "ports utilization", 40,
	       "three and more operations were executed in a cycle: the units are busy; what is left is "
	       "to do less work, or to use vectors"),
	SLOTS("used by the sibling", NULL, INFINITY,
	      "the other thread of the core had these slots"),
	{ "retiring", NULL, 70, PMU_OF_SLOTS, "heavy operations",
	  "most slots did useful work: what is left is to do less work, by a better algorithm, vectors "
	  "or more threads" },
	SLOTS("light operations", "retiring", 60,
	      "most slots did useful work by simple instructions: what is left is to do less work, by a "
	      "better algorithm, vectors or more threads"),
	SLOTS("memory operations", "light operations", 10,
	      "loads and stores are a large part of the instructions: keep values in registers, use "
	      "vectors, look whether the compiler has to assume aliases"),
	SLOTS("fused instructions", "light operations", 10,
	      "comparisons with their branches are a large part of the instructions: unroll loops, or use "
	      "vectors"),
	SLOTS("non-fused branches", "light operations", 10,
	      "calls, returns and jumps are a large part of the instructions: inline what is small, "
	      "unroll loops"),
	SLOTS("branch instructions", "light operations", 10,
	      "branches are a large part of the instructions: inline what is small, unroll loops, or use "
	      "vectors"),
	SLOTS("fast path operations", "retiring", 60,
	      "most slots did useful work by simple instructions: what is left is to do less work, by a "
	      "better algorithm, vectors or more threads"),
	SLOTS("heavy operations", "retiring", 10,
	      "slots did useful work, but by instructions that need many operations each: look for "
	      "divisions, gathers, string instructions and conversions"),
	SLOTS("few-uops instructions", "heavy operations", 5,
	      "instructions of two and more operations: gathers, wide multiplications, conversions, and "
	      "operations on memory"),
	SLOTS("microcode sequencer", "heavy operations", 5,
	      "operations came from the microcode: string instructions, denormal numbers and other "
	      "assists; look for values near zero (-ffast-math, DAZ and FTZ)"),
	SLOTS("microcoded operations", "retiring", 10,
	      "operations came from the microcode: string instructions, denormal numbers and other "
	      "assists; look for values near zero (-ffast-math, DAZ and FTZ)"),
};

static const struct pmu_topdown_node e_nodes[] = {
	SLOTS("front-end bound", NULL, 20,
	      "instructions came too late to the part that executes them: the code is large, jumps a "
	      "lot, or is hard to decode; level 2 tells which"),
	SLOTS("fetch latency", "front-end bound", 15,
	      "at times no instruction came at all: code that is in no near cache, or jumps that were "
	      "foreseen late; level 3 tells which"),
	SLOTS("icache misses", "fetch latency", 5,
	      "code was not in the L1 instruction cache: make what is hot smaller, and put it close "
	      "together (-Os, profile-guided optimization, less inlining)"),
	SLOTS("ITLB misses", "fetch latency", 5,
	      "code is spread over more pages than the TLB holds: huge pages for the program's text, or "
	      "hot functions close together"),
	SLOTS("branch detect", "fetch latency", 5,
	      "a later predictor set right what the first one had foreseen: code with more branches than "
	      "the first one holds; make what is hot smaller"),
	SLOTS("branch resteer", "fetch latency", 5,
	      "fetching began anew at the target of a branch that was taken: put what follows each other "
	      "together (profile-guided optimization)"),
	SLOTS("fetch bandwidth", "front-end bound", 10,
	      "instructions came, but fewer at a time than could be taken: level 3 tells what held them "
	      "up"),
	SLOTS("cisc", "fetch bandwidth", 5,
	      "instructions came from the microcode: look for divisions, string instructions and other "
	      "long ones"),
	SLOTS("decode", "fetch bandwidth", 5,
	      "the decoder was the limit: long or complex instructions close together"),
	SLOTS("predecode", "fetch bandwidth", 5,
	      "where instructions begin had to be found out: code that runs for the first time, or was "
	      "not kept"),
	SLOTS("other FB", "fetch bandwidth", 5,
	      "the front end was slow for a reason that no counter names"),
	SLOTS("bad speculation", NULL, 15,
	      "work was thrown away, because a branch went another way than foreseen or memory was not "
	      "as expected: look at the group BRANCH"),
	SLOTS("branch mispredicts", "bad speculation", 5,
	      "branches went another way than foreseen: look at conditions on data in hot loops; sorted "
	      "data, tables, or arithmetic in place of the branch"),
	SLOTS("machine clears", "bad speculation", 5,
	      "the pipeline was emptied for another reason than a branch: threads that write to memory "
	      "which others have just read, or code that changes itself"),
	SLOTS("nuke", "machine clears", 5,
	      "the pipeline was emptied with the help of microcode: page faults, assists, code that "
	      "changes itself"),
	SLOTS("fast nuke", "machine clears", 5,
	      "the pipeline was emptied because memory was not as foreseen: loads of what is just being "
	      "stored, by this thread or another"),
	SLOTS("back-end bound", NULL, 10,
	      "instructions were there and could not be taken: they waited for data, or for the units "
	      "that compute; level 2 tells which"),
	SLOTS("core bound", "back-end bound", 10,
	      "what the next instructions may be was restricted by the core itself: look at the group "
	      "UOPS"),
	SLOTS("resource bound", "back-end bound", 20,
	      "a buffer of the core was full, mostly because loads and stores took long: level 3, or the "
	      "groups L2, L3, TLB and MEM, tell more"),
	SLOTS("mem scheduler", "resource bound", 10,
	      "loads and stores waited for their turn: many at a time, or data that is far away; look at "
	      "the groups L2, L3 and TLB"),
	SLOTS("non-mem scheduler", "resource bound", 10,
	      "arithmetic waited for its turn: chains of dependent operations, or many for one kind of "
	      "unit"),
	SLOTS("register", "resource bound", 10,
	      "no physical register was free: many operations wait for a slow one before them"),
	SLOTS("reorder buffer", "resource bound", 10,
	      "too many instructions waited behind a slow one, mostly a load that missed the caches: look "
	      "at the groups L3 and MEM"),
	SLOTS("serialization", "resource bound", 10,
	      "an instruction waited until all before it were done: fences, locked operations, PAUSE, "
	      "CPUID, reading the time"),
	SLOTS("retiring", NULL, 75,
	      "most slots did useful work: what is left is to do less work, by a better algorithm, "
	      "vectors or more threads"),
};

_Static_assert(PMU_ARRAY_LEN(nodes) <= PMU_TOPDOWN_MAX_NODES, "nodes have a bit each");

const struct pmu_topdown_tree pmu_topdown_trees[PMU_TOPDOWN_TREES] = {
	{ "", PMU_ARRAY_LEN(nodes), nodes },
	{ "E cores", PMU_ARRAY_LEN(e_nodes), e_nodes },
};

/* How metrics of E cores end; those of the second kind are shares of what four events have. */
static const char *const e_endings[] = { ", E core", ", E core slots" };

static bool is_node_metric(const char *metric, const char *name, const char *ending)
{
	size_t len = strlen(name);

	return !strncmp(metric, name, len) && !strcmp(metric + len, ending);
}

int pmu_topdown_find(const char *metric, unsigned int *tree)
{
	for (unsigned int i = 0; i < PMU_ARRAY_LEN(nodes); i++)
		if (!strcmp(metric, nodes[i].name)) {
			*tree = 0;
			return (int)i;
		}
	for (unsigned int i = 0; i < PMU_ARRAY_LEN(e_nodes); i++)
		for (size_t e = 0; e < PMU_ARRAY_LEN(e_endings); e++)
			if (is_node_metric(metric, e_nodes[i].name, e_endings[e])) {
				*tree = 1;
				return (int)i;
			}
	return -1;
}
