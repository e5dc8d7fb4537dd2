/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The founding algorithm on a simulated two-socket Westmere: every register in the right order,
 * every count where it belongs, everything as it was at the end; register by register and in
 * batches.
 */
#include "measure.h"
#include "trace.h"

#define N_CPUS         24
#define N_ITEMS(array) (sizeof(array) / sizeof((array)[0]))

/*
 * Intel SDM vol. 3B, "Architectural Performance Monitoring", "Uncore Performance Monitoring
 * Management Facility"
 */
#define EN          UINT64_C(0x400000)
#define USR         UINT64_C(0x10000)
#define ALL         (~UINT64_C(0))
#define GLOBAL_BITS UINT64_C(0x70000000f)
#define UNCORE_BITS UINT64_C(0x100000003)
#define RESET_QUEUE UINT64_C(0x20000)
#define FIXED_BITS  UINT64_C(0xfff)
#define FIXED_USER  UINT64_C(0x222)

static const char events[] =
	"PMU_EVENTS=instructions,cycles,branches,branch-misses,cache-misses,cache-references,"
	"ref-cycles,UNC_LLC_MISS.ANY,uncore/event=0x08,umask=0x01/,uncore-clock";
#define L3_HITS "uncore/event=0x8,umask=0x1/"

static const struct measure_litter litter[] = {
	{ 0x38f, 0x2 }, /* enabled globally, but by no select */
	{ 0x38d, 0x888 },
	{ 0x186, 0x134f0 },
	{ 0x187, 0x80200a1 },
	{ 0x188, 0x1ff2f },
	{ 0x189, 0x8fb1 },
	{ 0xc1, 0x12345678 },
	{ 0xc2, 0xffff87654321 },
	{ 0xc3, 0x7fffffff },
	{ 0xc4, 0xffffffffffff },
	{ 0x309, 0x123456789abc },
	{ 0x30a, 0xfedcba987654 },
	{ 0x30b, 0x1 },
	{ 0x1a6, 0x1234 },
	{ 0x1a7, 0x4321 },
	{ 0x3f6, 0x123 },
	{ 0x1d9, 0x1 },
	{ 0x391, UINT64_C(0x8001000000000012) },
	{ 0x395, 0x4 },
	{ 0x394, 0xabcdef012345 },
	{ 0x396, 0x4560 },
	{ 0x3c0, 0x4010b },
	{ 0x3c1, 0x8000402a },
	{ 0x3c2, 0x77 },
	{ 0x3c7, 0x8 },
	{ 0x3b0, 0x111111111111 },
	{ 0x3b1, 0xffffffffffff },
	{ 0x3b2, 0x333 },
	{ 0x3b7, 0x444 },
	{ 0, 0 },
};

/* --- the order --- */

static const struct trace_step core_steps[] = {
	{ STOP, 0x38f, ~GLOBAL_BITS, 0 },
	{ STOP, 0x38d, ~FIXED_BITS, 0 },
	{ STOP, 0x186, ~EN, 0 },
	{ STOP, 0x187, ~EN, 0 },
	{ STOP, 0x188, ~EN, 0 },
	{ STOP, 0x189, ~EN, 0 },
	{ CLEAR, 0x390, 0, GLOBAL_BITS },
	{ SELECT, 0x186, 0, USR | 0x00c4 },
	{ SELECT, 0x187, 0, USR | 0x00c5 },
	{ SELECT, 0x188, 0, USR | 0x412e },
	{ SELECT, 0x189, 0, USR | 0x4f2e },
	{ ZERO, 0xc1, 0, 0 },
	{ ZERO, 0xc2, 0, 0 },
	{ ZERO, 0xc3, 0, 0 },
	{ ZERO, 0xc4, 0, 0 },
	{ ZERO, 0x309, 0, 0 },
	{ ZERO, 0x30a, 0, 0 },
	{ ZERO, 0x30b, 0, 0 },
	{ ENABLE, 0x186, 0, EN | USR | 0x00c4 },
	{ ENABLE, 0x187, 0, EN | USR | 0x00c5 },
	{ ENABLE, 0x188, 0, EN | USR | 0x412e },
	{ ENABLE, 0x189, 0, EN | USR | 0x4f2e },
	{ ENABLE, 0x38d, ~FIXED_BITS, FIXED_USER },
	{ ENABLE, 0x38f, ALL, GLOBAL_BITS },
};

static const struct trace_step uncore_steps[] = {
	{ STOP, 0x391, ~UNCORE_BITS, 0 },
	{ STOP, 0x3c0, ~EN, 0 },
	{ STOP, 0x3c1, ~EN, 0 },
	{ STOP, 0x395, ~UINT64_C(1), 0 },
	{ CLEAR, 0x393, 0, UNCORE_BITS },
	{ SELECT, 0x3c0, 0, RESET_QUEUE | 0x0309 },
	{ SELECT, 0x3c1, 0, RESET_QUEUE | 0x0108 },
	{ SELECT, 0x395, 0, 0 },
	{ ZERO, 0x3b0, 0, 0 },
	{ ZERO, 0x3b1, 0, 0 },
	{ ZERO, 0x394, 0, 0 },
	{ ENABLE, 0x3c0, 0, EN | 0x0309 },
	{ ENABLE, 0x3c1, 0, EN | 0x0108 },
	{ ENABLE, 0x395, 0, 1 },
	{ ENABLE, 0x391, ALL, UNCORE_BITS },
};

/* tests/data/topologies/westmere-ep-2s6c2t.xml */
static int package_of(int cpu)
{
	return cpu % 12 >= 6;
}

static bool is_uncore(uint32_t address)
{
	return address >= 0x391 && address <= 0x3c7;
}

static void every_processor_is_looked_at_before_anything_is_written(const struct trace *t)
{
	static const uint32_t look[] = { 0x38f, 0x38e, 0x38d, 0x186, 0x187, 0x188, 0x189,
					 0xc1,  0xc2,  0xc3,  0xc4,  0x309, 0x30a, 0x30b };
	size_t first = 0, n = 0, n_uncore[2] = { 0, 0 };

	while (first < t->ready && !t->line[first].write)
		first++;
	for (int cpu = 0; cpu < N_CPUS; cpu++)
		for (size_t a = 0; a < N_ITEMS(look); a++)
			for (size_t i = 0; i < first; i++)
				if (t->line[i].cpu == cpu && t->line[i].address == look[a]) {
					n++;
					break;
				}
	is_u64(n, N_CPUS * N_ITEMS(look),
	       "each register of each processor's counters is looked at");
	for (size_t i = 0; i < first; i++)
		n_uncore[package_of(t->line[i].cpu)] += is_uncore(t->line[i].address);
	ok(n_uncore[0] >= 18 && n_uncore[0] == n_uncore[1], "and both sockets'");
}

static void phases_follow_each_other(const struct trace *t, const char *before)
{
	struct trace_span span[TRACE_PHASES];
	int n_good = 0, n_programmed = 0, by[2] = { -1, -1 };

	for (int p = 0; p < TRACE_PHASES; p++)
		span[p] = (struct trace_span){ SIZE_MAX, 0 };
	for (int cpu = 0; cpu < N_CPUS; cpu++) {
		n_good += trace_steps(t, cpu, 0xc1, 0x390, core_steps, N_ITEMS(core_steps), before,
				      span);
		if (!trace_write(t, 0, t->ready, cpu, 0x391, 0x3c7, false))
			continue;
		n_programmed++;
		by[package_of(cpu)] = cpu;
	}
	is_int(n_good, N_CPUS, "each processor's counters are programmed, each step once");
	ok(n_programmed == 2 && by[0] >= 0 && by[1] >= 0,
	   "each socket's uncore from one processor, which is one of that socket");
	for (int s = 0; s < 2 && by[s] >= 0; s++)
		ok(trace_steps(t, by[s], 0x391, 0x3c7, uncore_steps, N_ITEMS(uncore_steps), before,
			       span),
		   "each step once on socket %d", s);
	for (int p = 1; p < TRACE_PHASES; p++)
		ok(span[p - 1].last < span[p].first,
		   "phase %d is over everywhere before phase %d begins", p - 1, p);
}

static void the_global_controls_come_first_and_last(const struct trace *t, const char *before)
{
	int n_first = 0, n_last = 0, n_off = 0, n_back = 0;

	for (int cpu = 0; cpu < N_CPUS; cpu++) {
		const struct trace_line *first = trace_write(t, 0, t->ready, cpu, 0xc1, 0x390,
							     false),
					*last = trace_write(t, 0, t->ready, cpu, 0xc1, 0x390, true),
					*off = trace_write(t, t->done, t->n, cpu, 0xc1, 0x390,
							   false),
					*back = trace_write(t, t->done, t->n, cpu, 0xc1, 0x390,
							    true);

		n_first += first && first->address == 0x38f;
		n_last += last && last->address == 0x38f;
		n_off += off && off->address == 0x38f && !(off->value & GLOBAL_BITS);
		n_back += back && back->address == 0x38f &&
			  back->value == measure_state(before, cpu, 0x38f);
	}
	ok(n_first == N_CPUS && n_last == N_CPUS,
	   "stopping begins with the global control, enabling ends with it");
	ok(n_off == N_CPUS && n_back == N_CPUS, "and so does putting back, with its old value");
}

static void regions_only_read(const struct trace *t)
{
	size_t writes = 0, others = 0;

	for (size_t i = t->ready; i < t->done; i++) {
		uint32_t a = t->line[i].address;

		writes += t->line[i].write;
		others += !((a >= 0xc1 && a <= 0xc4) || (a >= 0x309 && a <= 0x30b) || a == 0x394 ||
			    a == 0x3b0 || a == 0x3b1);
	}
	ok(t->done > t->ready, "counters are read while regions run");
	is_u64(writes + others, 0, "and nothing else is done");
	is_int(t->n_failed, 0, "no access is refused");
}

/*
 * Each phase is one call: looking (twice, once to choose and once to know what is put back), then
 * all to enabling, then the first read.  Putting back reads what others may have changed meanwhile.
 */
static void a_phase_is_a_batch(const struct trace *t)
{
	int n_alone = 0, n_mixed = 0;
	size_t i = 0, end = t->ready;

	while (i < t->ready && !t->line[i].write)
		i++;
	/* behind the last batch threads begin to read their own counters */
	while (end > i && !t->line[end - 1].batch)
		end--;
	for (; i < end; i++) {
		n_alone += !t->line[i].batch;
		n_mixed += t->line[i].write == (t->line[i].batch == t->batches_ready);
	}
	is_int(n_alone, 0, "nothing is written but in batches");
	is_int(n_mixed, 0, "and they write only, but for the last, which reads");
	is_int(t->batches_ready, 2 + TRACE_PHASES + 1, "one a phase");
	is_int(t->batches_done, t->batches_ready, "none while regions run");
	is_int(t->n_batches - t->batches_done, 2,
	       "two to put back: what is there, then what was there");
}

/* --- counts --- */

/* Threads: 0 and 3 on the first core, 1 on another of its socket, 2 on the other socket. */
static const char pin[] = "PMU_PIN=cpus:0,1,6,12";

static const char script[] =
	/* close to the end of 48 bits, in two steps, each of as long as that may take */
	"0 later 4100\n"
	"0 sim set 0 0x309 0x7fffffffffff\n"
	"0 sim set 0 0xc1 0x7fffffffffff\n"
	"0 sim set 6 0xc4 0x7fffffffffff\n"
	"0 sim set 0 0x394 0x7fffffffffff\n"
	"0 sim set 6 0x3b0 0x7fffffffffff\n"
	"* begin half way;* end half way\n"
	"0 later 4100\n"
	"0 sim set 0 0x309 0xfffffffffffd\n"
	"0 sim set 0 0xc1 0xfffffffffff0\n"
	"0 sim set 6 0xc4 0xffffffffffff\n"
	"0 sim set 0 0x394 0xffffffffff00\n"
	"0 sim set 6 0x3b0 0xffffffffffff\n"
	"* begin half way;* end half way\n"
	"0 sim phase ready\n"
	/* before any region: in none */
	"0 sim count 0 0xc0 0 user 11 fixed 1\n"
	"0 sim uncore 0 uncore 0x9 3 13\n"
	"0 begin solve\n"
	"0 sim count 0 0xc0 0 user 1000 fixed 1\n"
	"0 sim count 0 0x3c 0 user 3000 fixed 2\n"
	"0 sim count 0 0 0 user 2500 fixed 4\n"
	"0 sim count 0 0xc4 0 user 200\n"
	"0 sim count 0 0xc5 0 user 20\n"
	"0 sim count 0 0x2e 0x41 user 30\n"
	"0 sim count 0 0x2e 0x4f user 300\n"
	/*
	 * the kernel's, another unit mask, another thread's processor, a processor without thread
	 */
	"0 sim count 0 0xc0 0 kernel 777 fixed 7\n"
	"0 sim count 0 0x2e 0x01 user 99\n"
	"0 sim count 12 0xc4 0 user 5000 fixed 7\n"
	"0 sim count 7 0xc4 0 user 5000 fixed 7\n"
	"0 sim uncore 0 uncore 0x9 3 400\n"
	"0 begin inner\n"
	"0 sim count 0 0xc0 0 user 50 fixed 1\n"
	"0 sim uncore 1 uncore 0x9 3 5\n"
	"0 sim uncore 1 clock 0 0 1000\n"
	"0 sim uncore 1 uncore 0x8 1 9\n"
	"0 sim uncore 1 uncore 0x8 2 1000\n"
	"0 end inner\n"
	/* two threads in one region on one socket: the socket's counts are added once */
	"1 begin solve\n"
	"1 sim count 1 0xc0 0 user 7 fixed 1\n"
	"0 sim uncore 0 uncore 0x9 3 60\n"
	"0 end solve\n"
	"1 sim uncore 0 uncore 0x9 3 3\n"
	"0 sim count 0 0xc0 0 user 12345 fixed 1\n"
	"1 end solve\n"
	"1 sim uncore 0 uncore 0x9 3 10000\n"
	/* the other socket */
	"2 begin solve\n"
	"2 sim uncore 6 uncore 0x9 3 70\n"
	"2 sim uncore 0 uncore 0x9 3 10000\n"
	"2 sim count 6 0x2e 0x4f user 4\n"
	"2 end solve\n"
	/* many at once */
	"* loop 25 hot count %c 0xc0 0 user 3 fixed 1\n"
	"0 sim phase done\n";

static const struct measure_count counts[] = {
	{ "solve", "thread 0", "instructions", 1050 },
	{ "solve", "thread 0", "cycles", 3000 },
	{ "solve", "thread 0", "ref-cycles", 2500 },
	{ "solve", "thread 0", "branches", 200 },
	{ "solve", "thread 0", "branch-misses", 20 },
	{ "solve", "thread 0", "cache-misses", 30 },
	{ "solve", "thread 0", "cache-references", 300 },
	{ "solve/inner", "thread 0", "instructions", 50 },
	{ "solve/inner", "thread 0", "cycles", 0 },
	{ "solve", "thread 1", "instructions", 7 },
	{ "solve", "thread 1", "branches", 0 },
	{ "solve", "thread 2", "cache-references", 4 },
	{ "solve", "thread 2", "instructions", 0 },
	{ "solve", "all", "instructions", 1057 },
	{ "solve", "all", "cache-references", 304 },
	{ "hot", "thread 0", "instructions", 75 },
	{ "hot", "thread 1", "instructions", 75 },
	{ "hot", "thread 2", "instructions", 75 },
	{ "hot", "thread 3", "instructions", 75 },
	{ "hot", "all", "instructions", 300 },
	{ "solve", "thread 0", "UNC_LLC_MISS.ANY", MISSING },
	{ "solve", "socket 0", "instructions", MISSING },
	{ "solve", "socket 0", "UNC_LLC_MISS.ANY", 468 },
	{ "solve", "socket 0", "uncore-clock", 1000 },
	{ "solve", "socket 0", L3_HITS, 9 },
	{ "solve/inner", "socket 0", "UNC_LLC_MISS.ANY", 5 },
	{ "solve/inner", "socket 0", "uncore-clock", 1000 },
	{ "solve", "socket 1", "UNC_LLC_MISS.ANY", 70 },
	{ "solve", "socket 1", "uncore-clock", 0 },
	{ "solve", "all", "UNC_LLC_MISS.ANY", 538 },
	{ NULL, NULL, NULL, 0 },
};

static void the_founding_algorithm(int flags)
{
	struct run r;
	struct trace t;
	char *before;

	measure_litter(litter);
	before = sim_state(&sim);
	sim_send(&sim, "forget");
	measure(&r, script, session_env("PMU_BACKEND=msr", pin, events, NULL));
	if (measure_good(&r, flags & SIM_BATCH ? "a session in batches"
					       : "a session register by register")) {
		measure_counts(&r, counts);
		trace_load(&t);
		every_processor_is_looked_at_before_anything_is_written(&t);
		phases_follow_each_other(&t, before);
		the_global_controls_come_first_and_last(&t, before);
		regions_only_read(&t);
		if (flags & SIM_BATCH)
			a_phase_is_a_batch(&t);
		trace_free(&t);
	}
	session_is_back(before, "every register is as it was");
	run_done(&r);
}

/*
 * A general counter's upper bits cannot be written here: a counter that has such bits, which
 * restoring it would lose, is left as it is.
 */
static void a_counter_that_cannot_be_put_back_is_not_zeroed(void)
{
	static const struct measure_count want[] = {
		{ "a", "thread 0", "branches", 6 },
		{ NULL, NULL, NULL, 0 },
	};
	struct run r;
	char *before;

	sim_send(&sim, "set 3 0xc1 0x123456789a");
	before = sim_state(&sim);
	sim_send(&sim, "forget");
	measure(&r, "0 begin a;0 sim count 3 0xc4 0 user 6;0 end a;0 sim set 3 0xc1 0x123456789a",
		session_env("PMU_BACKEND=msr", "PMU_PIN=cpus:3", "PMU_EVENTS=branches", NULL));
	measure_good(&r, "a session");
	measure_counts(&r, want);
	is_u64(session_count(3, 0xc1).writes, 0, "it is not written");
	is_u64(session_count(4, 0xc1).writes, 2, "others are");
	session_is_back(before, "every register is as it was");
	run_done(&r);
}

/* Only the group that is counted holds registers. */
static void another_group_gives_them_back_meanwhile(void)
{
	static const struct measure_count want[] = {
		{ "a", "thread 0", "instructions", 12 },
		{ NULL, NULL, NULL, 0 },
	};
	const struct trace_line *last, *again;
	struct trace t;
	struct run r;
	char *before = sim_state(&sim);

	sim_send(&sim, "forget");
	measure(&r,
		"0 begin a;0 sim count 2 0xc0 0 user 5 fixed 1;0 end a\n"
		"0 group\n"
		"0 sim phase ready;0 begin a;0 sim count 2 0xc0 0 user 100 fixed 1;0 end a;0 sim phase done\n"
		"0 group\n"
		"0 begin a;0 sim count 2 0xc0 0 user 7 fixed 1;0 end a\n",
		session_env("PMU_BACKEND=msr", "PMU_PIN=cpus:2", "PMU_GROUP=CORE,TIME", NULL));
	measure_good(&r, "a session of two groups");
	measure_counts(&r, want);
	trace_load(&t);
	last = trace_write(&t, 0, t.ready, 2, 0xc1, 0x390, true);
	again = trace_write(&t, t.done, t.n, 2, 0xc1, 0x390, false);
	ok(last && last->address == 0x38f && last->value == measure_state(before, 2, 0x38f),
	   "everything is put back for the group that needs no registers");
	ok(t.ready == t.done, "which touches none");
	ok(again != NULL, "and programmed again for the other");
	trace_free(&t);
	session_is_back(before, "every register is as it was");
	run_done(&r);
}

#define CALL      "0 begin a;0 sim count 2 0xc0 0 user 5 fixed 1;0 end a\n"
#define SIX_CALLS CALL CALL CALL CALL CALL CALL

/* The registers are one group's at a time; the first that is named counts nothing. */
static void groups_take_turns(void)
{
	uint64_t n = 0;
	struct run r;
	char *before = sim_state(&sim);

	sim_send(&sim, "forget");
	measure(&r, SIX_CALLS,
		session_env("PMU_BACKEND=msr", "PMU_PIN=cpus:2", "PMU_GROUP=TIME,CORE,BRANCH",
			    "PMU_ROTATE=1", "PMU_ROTATE_MIN=0", NULL));
	run_good(&r, "a session whose groups take turns");
	for (size_t i = 0; i < 2; i++) {
		const json_t *region = run_region_of_group(r.json, "a", i ? "BRANCH" : "CORE");
		const json_t *raw = json_object_get(region, "raw");

		n += (uint64_t)run_int(region, "calls");
		is_int(run_int(raw, "instructions"), 5 * run_int(region, "calls"),
		       "each counts all of its calls");
	}
	is_int((long long)n, 6, "every call is some group's");
	session_is_back(before, "every register is as it was");
	run_done(&r);
}

/* The report says that an uncore group takes turns in another way. */
static void sockets_take_turns_by_time(void)
{
	char *notes;
	struct run r;

	sim_send(&sim, "forget");
	measure(&r, SIX_CALLS,
		session_env("PMU_BACKEND=msr", "PMU_PIN=cpus:2", "PMU_GROUP=CORE,MEM",
			    "PMU_ROTATE=1", "PMU_ROTATE_MIN=0", NULL));
	run_good(&r, "a group of whole sockets among them");
	notes = run_list(r.json, "notes");
	has(notes, "MEM counts whole sockets, which take turns by time", "which is said");
	free(notes);
	run_done(&r);
}

int main(void)
{
	static const int modes[] = { 0, SIM_BATCH };

	for (size_t i = 0; i < N_ITEMS(modes); i++) {
		int rc = sim_start(&sim, "westmere", modes[i]);

		if (rc > 0)
			return skip_all(sim.why);
		if (!ok(!rc, "a machine starts")) {
			diag("%s", sim.why);
			break;
		}
		the_founding_algorithm(modes[i]);
		if (!modes[i]) {
			a_counter_that_cannot_be_put_back_is_not_zeroed();
			another_group_gives_them_back_meanwhile();
			groups_take_turns();
			sockets_take_turns_by_time();
		}
		ok(!sim_stop(&sim), "and ends well");
	}
	return done_testing();
}
