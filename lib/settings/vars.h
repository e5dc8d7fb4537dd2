/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every PMU_* variable, and the option of `pmu run` that is as it, a row each:
 *
 *	VAR(name, values, fallback, about, member, take)
 *	SET(...)	the same: `pmu run` says it itself, whatever it was before
 *	VALUED(..., option, letter, argument, check, complete, part, help)
 *	SWITCH(..., option, part, help)	of which the option is "1"
 *
 * @member: of struct pmu_options, or 0; @take: the library's, which config.c has; @check: the
 * command's, where that is NULL; @complete: for shells, NULL: the words of @values; @part: of the help.
 *
 * config.c makes of it what a session reads, config_help.c what `pmu help environment` says, the
 * command its options and what it sets for a measured program: a measured process does not need
 * these texts.  Each includes it with a VAR() of its own, and others where it needs them.
 */
#ifndef SET
#define SET VAR
#endif
#ifndef VALUED
#define VALUED(name, values, fallback, about, member, take, option, letter, argument, check, \
	       complete, part, help)                                                         \
	VAR(name, values, fallback, about, member, take)
#endif
#ifndef SWITCH
#define SWITCH(name, values, fallback, about, member, take, option, part, help) \
	VAR(name, values, fallback, about, member, take)
#endif

VAR(PMU_ENABLE, "0, 1, later", "1",
    "0 makes every call return at once; later does so, too, until 'pmu on PID'", MEMBER(enable),
    take_enable)
VAR(PMU_CPUID_FILE, "a file", "this machine",
    "a CPUID dump of another machine, whose registers PMU_MSR_DEVICE names (a simulated one); "
    "HWLOC_XMLFILE says what is where on it",
    0, take_cpuid_file)
VAR(PMU_MSR_DEVICE, "/dev/cpu/%d/msr", "that, or /dev/cpu/%d/msr_safe",
    "where the source msr finds registers; %d is the processor's number", 0, take_msr_device)
VAR(PMU_MSR_BATCH, "/dev/cpu/msr_batch", "that, where it is there",
    "msr-safe's device for many registers in one call", 0, take_msr_batch)
VAR(PMU_EVENT_FILES, "a folder", "none",
    "event files, a checkout of intel/perfmon or of Linux: their names of events are asked for "
    "before the library's own and libpfm4's",
    0, take_event_files)
VAR(PMU_GROUP_PATH, "folders with colons between", "none",
    "where groups of your own are, NAME.group, before those in ~/.config/pmu/groups and the shipped ones; "
    "and LIKWID's, NAME.txt",
    0, NULL)
VALUED(PMU_GROUP, "a group, or several, as CORE,MEM", "CORE where it can be counted, else TIME",
       "what to count: CORE, CYCLES, BRANCH, CACHE, TLB, STALLS, FLOPS_DP, FLOPS_SP, MEM, ENERGY, GPU, TOPDOWN, TMA2, SOFTWARE, "
       "TIME, one of your own, intel:METRIC of Intel's files, or likwid:GROUP of LIKWID's; of several "
       "the next is counted after pmu_group_next(), or with PMU_ROTATE=1 by itself",
       MEMBER(group), take_group, "--group", 'g', "GROUP", NULL, pmu_complete_groups, COUNTED,
       "what to count; 'pmu list groups'")
SWITCH(PMU_ROTATE, "0, 1", "0",
       "1 has the groups of PMU_GROUP take turns: a thread changes between calls of its outermost regions, so that each "
       "call is counted whole, by one of them",
       0, take_rotate, "--rotate", MORE,
       "groups of -g take turns between calls of outermost regions")
VAR(PMU_ROTATE_MIN, "100us, 1ms, 0", "1ms",
    "how long a group's turn is at least, and two hundred times as long as the change takes; 0: one call",
    0, take_rotate_min)
VALUED(PMU_EVENTS, "instructions,cycles:k,UOPS_ISSUED.ANY:c=1,r10e", "none",
       "what to count: a list of events; ':u' user level, ':k' kernel, ':uk' both", MEMBER(events),
       take_events, "--events", 'e', "EVENTS", NULL, pmu_complete_events, COUNTED,
       "what to count; 'pmu help events'")
VALUED(PMU_BACKEND, PMU_BACKEND_NAMES, "auto",
       "where counts come from; auto takes the first that can count what was asked for",
       MEMBER(backend), take_backend, "--source", 0, "NAME", NULL, NULL, MORE,
       "where counts come from")
VALUED(PMU_COUNT, "thread, cpu, process", "thread",
       "whose work: the thread's own, whatever runs on its processor, or that of all threads of the process, which "
       "costs a read(2) for each event at begin and end",
       MEMBER(count), take_count, "--count", 0, "OF", NULL, NULL, COUNTED,
       "of what: thread, cpu, or process: all its threads, also those that are in no region")
VALUED(PMU_SCOPE, "team, thread", "team",
       "whose work a region has: also that of other threads for it, where that is known (OpenMP, threads started in "
       "it, pmu_context_enter()), or that of the thread alone that has begun it",
       0, take_scope, "--scope", 0, "SCOPE", NULL, NULL, MORE,
       "whose work a region has: team or thread")
SWITCH(PMU_REQUIRE, "0, 1", "0",
       "1 measures nothing, and says why, where what was asked for cannot be counted; 'pmu run' then runs nothing",
       0, take_require, "--require", MORE, "run nothing where what was asked for cannot be counted")
VAR(PMU_USER_READ, "0, 1", "1, where the kernel allows it",
    "0 has the source perf read by the kernel, a read(2) at each begin and end, also where threads could read "
    "counters by themselves",
    0, take_user_read)
VALUED(PMU_PIN, "auto, none, compact, scatter, cpus:0-3,8",
       "auto; under 'pmu run' and in Python none",
       "which processor a thread is bound to when it first uses a region", MEMBER(pin), take_pin,
       "--pin", 0, "POLICY", NULL, NULL, MORE, "how threads are bound; without it they are not")
SET(PMU_OUTPUT, "run.json,run.csv,-", "text on standard error",
    "where reports go, the format by the ending; '-' standard output, 'none' nowhere; %p "
    "process, %r MPI rank, %h host, %n program's number in its process",
    MEMBER(output), take_output)
VAR(PMU_REPORT, "total, threads, all, brief", "total",
    "threads: the text also has each thread's rows, and how calls' times are spread; all: also beyond the 100 "
    "longest regions; brief: the rows alone",
    0, take_report)
SWITCH(PMU_HISTOGRAM, "0, 1", "0",
       "1 counts how long each region's calls were: percentiles in the text, a histogram in JSON",
       0, take_histogram, "--histogram", MORE, "how calls' times are spread, by percentiles")
SWITCH(PMU_EXACT, "0, 1", "0",
       "1 also keeps the least that a call of each region counted, and counts interrupts, which may add to counts",
       0, take_exact, "--exact", MORE,
       "beside the mean the least that a call of each region counted, and the interrupts that may have added to its instructions")
VAR(PMU_WAIT, "0, 1", "1, where the kernel allows it",
    "0 does not tell what time threads were on a processor, and what they waited", 0, take_wait)
VAR(PMU_SAMPLE, "off, auto, 1, 10 to 50000, an event", "auto under 'pmu run'",
    "where threads are in their code, so many times a second of CPU time; 1: 997 times; auto: 199 times, of "
    "threads that have run for 50 ms; EVENT:PERIOD, as branch-misses:10007: each so many of the event; for programs that 'pmu run' starts, which collects it",
    0, pmu_config_take_sample)
SWITCH(PMU_CALLERS, "0, 1", "0",
       "1 also takes with each sample what has called the function, of programs compiled with "
       "-fno-omit-frame-pointer",
       0, take_callers, "--callers", MORE,
       "also what called the functions that samples see, by frame pointers: in the text the most frequent callers, in flame graphs and profiles whole stacks; for programs compiled with -fno-omit-frame-pointer")
VALUED(PMU_TRACE, "run.trace", "none",
       "a file that gets every call, its begin, end and counts, for 'pmu report'; %p, %r, %h, %n as in PMU_OUTPUT",
       0, take_trace, "--trace", 0, "FILE", NULL, pmu_complete_traces, WHERE,
       "a file that gets every call, when it was and what it counted: .pftrace is for Perfetto, .trace.json and .json.gz are Chrome's format, of any other 'pmu report' makes these")
VALUED(PMU_TRACE_SIZE, "64KiB to 1GiB, as 16MiB", "16MiB",
       "room for the calls of each thread; where it is full a new one takes the place of the oldest",
       0, take_trace_size, "--trace-size", 0, "SIZE", NULL, NULL, MORE,
       "room for the calls of each thread: 64MiB; 16MiB without it")
VALUED(PMU_TRACE_KEEP, "newest, first", "newest",
       "which calls stay where there are more than there is room for", 0, take_trace_keep,
       "--trace-keep", 0, "WHICH", NULL, NULL, MORE,
       "newest or first, where there are more calls than room")
VALUED(PMU_TRACE_MIN, "500ns, 1us, 10us", "0", "shorter calls are left out of the trace", 0,
       take_trace_min, "--trace-min", 0, "TIME", NULL, NULL, MORE, "leave out shorter calls: 1us")
VAR(PMU_MAX_THREADS, "1 to 1000000", "1024",
    "finished threads that keep rows of their own; more are added up", 0, take_max_threads)
VAR(PMU_MAX_REGIONS, "1 to 16777216", "65536",
    "regions per thread that keep their place in the tree; more are kept by name", 0,
    take_max_regions)
VAR(PMU_KEEP_DAYS, "1 to 36500", "30",
    "days that the results of killed programs stay after they were first found", 0, take_keep_days)
VAR(PMU_KEEP_MIB, "1 to 1048576", "256", "MiB that they may have together; the oldest go first", 0,
    take_keep_mib)
SET(PMU_STORE, "a folder", "none",
    "for 'pmu run': results stay there as a store, and no report is written at the end", 0, NULL)
SET(PMU_VALGRIND_LOG, "a file, %p for the process", "none",
    "for 'pmu run --emulate': where valgrind's log is, which the source valgrind reads its counts from",
    0, NULL)
SET(PMU_SIM_CACHES, "words", "none",
    "for 'pmu run --emulate': the caches that valgrind was told to simulate, for the report's head",
    0, NULL)
SET(PMU_SIM_MACHINE, "words", "none",
    "for 'pmu run --emulate': the machine that valgrind runs on, for the report's head", 0, NULL)
VALUED(PMU_AUTO, "main, threads, openmp, functions, wrap, markers, mpi, locks; none",
       "all but locks",
       "under 'pmu run': what is made a region without the program's doing; of markers one kind: likwid, papi, itt, nvtx, "
       "roctx, kokkos, caliper, scorep, tau, gptl, petsc",
       0, NULL, "--auto", 0, "PARTS", check_auto, pmu_complete_parts, COUNTED,
       "what regions are made of: main, threads, openmp, functions, wrap, markers or one kind of them, mpi, locks; none; without it all but locks")
VALUED(PMU_FUNCTIONS, "kernel_*,!*_small", "all; of Python none",
       "which functions compiled with -finstrument-functions, and of Python programs, are regions; '!' leaves out, the last match wins",
       0, NULL, "--functions", 0, "PATTERNS", NULL, NULL, COUNTED,
       "which instrumented functions: 'kernel_*,!*_small'")
VALUED(PMU_MIN_TIME, "500ns, 10us, 1ms", "0",
       "instrumented functions whose first 1,000 calls of a thread are shorter on average are left out, and named",
       0, NULL, "--min-time", 0, "TIME", check_min_time, NULL, MORE,
       "leave out functions whose first 1,000 calls took less on average: 10us")
VALUED(PMU_WRAP, "libblas.so:dgemm_,libz:*flate*", "none",
       "functions of shared libraries that are regions where others call them", 0, NULL, "--wrap",
       0, "LIB:FUNC,...", check_wrap, NULL, COUNTED,
       "functions of shared libraries: libblas.so:dgemm_")
VALUED(PMU_PREFIX, "tool, domain, category; none", "domain",
       "what stands before the names of regions that are made of annotations for other tools, with ':' behind each: "
       "of 'tbb.flow:node' the domain",
       0, NULL, "--prefix", 0, "WORDS", check_prefix, pmu_complete_prefixes, MORE,
       "what stands before names that annotations for other tools give: tool, domain, category; none; domain without it")
VAR(PMU_MPI, "0, 1", "1",
    "for libpmu-mpi: 0 leaves each MPI rank to its own report, with none of all", 0, NULL)
VAR(PMU_MPI_WAIT, "seconds", "60",
    "for libpmu-mpi: how long a rank waits at MPI_Finalize for those that may not be measured; 0: for ever",
    0, NULL)

#undef VAR
#undef SET
#undef VALUED
#undef SWITCH
