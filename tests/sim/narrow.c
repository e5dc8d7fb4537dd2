/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counters that come round soon: a thread of the library reads them in time, else counts are
 * missing; never less than what happened.
 */
#include "measure.h"

/* Energy in 2^-16 J and 32 bits, CBo counters of 44, the others of 48. */
static const char events[] =
	"PMU_EVENTS=instructions,uncore_cbox/event=0x34,umask=0x88/,uncore-clock,energy-pkg";
#define CBO "uncore_cbox/event=0x34,umask=0x88/"

static void run_script(struct run *r, const char *script, const char *name, const char *more)
{
	measure(r, script, session_env("PMU_BACKEND=msr", "PMU_PIN=cpus:0", events, more, NULL));
	measure_good(r, name);
}

static void a_minute_is_the_limit(void)
{
	static const struct measure_count want[] = {
		{ "in time", "socket 0", "energy-pkg", 1000000 },
		{ "in time", "socket 0", CBO, 7 },
		{ "too late", "socket 0", "energy-pkg", MISSING },
		{ "too late", "socket 0", CBO, MISSING },
		{ "too late", "socket 0", "uncore-clock", 8 },
		{ "too late", "thread 0", "instructions", 9 },
		{ "behind", "socket 0", "energy-pkg", MISSING },
		{ "behind", "socket 0", "uncore-clock", 4 },
		{ NULL, NULL, NULL, 0 },
	};
	struct run r;

	run_script(
		&r,
		"0 begin in time;0 sim energy 0 pkg 65536;0 sim uncore 0 cbo1 0x34 0x88 7\n"
		"0 later 58;0 end in time\n"
		"0 begin too late;0 sim energy 0 pkg 65536;0 sim uncore 0 clock 0 0 8\n"
		"0 sim count 0 0xc0 0 user 9 fixed 1;0 later 63;0 end too late\n"
		"0 begin behind;0 sim energy 0 pkg 65536;0 sim uncore 0 clock 0 0 4;0 end behind\n",
		"regions of a minute", NULL);
	measure_counts(&r, want);
	has(session_words(&r), "was not read for too long and may have come round unseen",
	    "the report says why");
	run_done(&r);
}

/* 2^35 counts a second, more than any core gives: 2^13 seconds. */
static void wide_counters_bear_hours(void)
{
	static const struct measure_count want[] = {
		{ "two hours", "thread 0", "instructions", 5 },
		{ "three hours", "thread 0", "instructions", MISSING },
		{ NULL, NULL, NULL, 0 },
	};
	struct run r;

	measure(&r,
		"0 begin two hours;0 sim count 0 0xc0 0 user 5 fixed 1;0 later 7200;0 end two hours\n"
		"0 begin three hours;0 sim count 0 0xc0 0 user 5 fixed 1;0 later 10800;0 end three hours",
		session_env("PMU_BACKEND=msr", "PMU_PIN=cpus:0", "PMU_EVENTS=instructions", NULL));
	measure_good(&r, "regions of hours");
	measure_counts(&r, want);
	run_done(&r);
}

/* 48 bits in two steps, each as long as that may take: a larger jump is another program's write. */
static void comes_round(int cpu, unsigned int address, const char *event, const char *count,
			const char *whose, uint64_t value)
{
	const struct measure_count want = { "a", whose, event, value };
	char script[512], what[64], pin[32];
	struct run r;

	snprintf(pin, sizeof(pin), "PMU_PIN=cpus:%d", cpu);
	snprintf(what, sizeof(what), "PMU_EVENTS=%s", event);
	snprintf(script, sizeof(script),
		 "0 later 4100;0 sim set %d %#x 0x7fffffffffff;0 begin half way;0 end half way\n"
		 "0 later 4100;0 sim set %d %#x 0xfffffffffffe;0 begin half way;0 end half way\n"
		 "0 begin a;0 sim %s;0 end a",
		 cpu, address, cpu, address, count);
	measure(&r, script, session_env("PMU_BACKEND=msr", pin, what, NULL));
	measure_good(&r, event);
	measure_is(&r, &want);
	run_done(&r);
}

static void wide_counters_come_round(void)
{
	comes_round(0, 0xc1, "branches", "count 0 0xc4 0 user 5", "thread 0", 5);
	comes_round(0, 0x309, "instructions", "count 0 0xc0 0 user 6 fixed 1", "thread 0", 6);
}

static void wide_counters_of_small_cores_come_round(void)
{
	comes_round(12, 0x309, "instructions", "count 12 0xc0 0 user 6 fixed 1", "thread 0", 6);
}

static void wide_counters_of_amd_come_round(void)
{
	comes_round(0, 0xc0010201, "instructions", "count 0 0xc0 0 user 100", "thread 0", 100);
	comes_round(9, 0xc0010231, "amd_l3/event=0x4,umask=0xff/", "uncore 9 l3 4 0xff 10",
		    "socket 0", 10);
}

/* The poller waits 20 seconds of the kernel's clock; ours begins almost as much before that. */
static void somebody_reads_while_nobody_else_does(void)
{
	/* the energy counter comes round in each */
	static const struct measure_count want[] = {
		{ "long", "socket 0", "energy-pkg", 3 * UINT64_C(0xc0000000) / 65536 * 1000000 },
		{ "long", "socket 0", CBO, 2 * UINT64_C(0xc0000000000) },
		{ NULL, NULL, NULL, 0 },
	};
	struct run r;

	run_script(
		&r,
		"0 begin long\n"
		"0 sim energy 0 pkg 0xc0000000;0 sim uncore 0 cbo0 0x34 0x88 0xc0000000000;0 await 2 611H\n"
		"0 sim energy 0 pkg 0xc0000000;0 sim uncore 0 cbo0 0x34 0x88 0xc0000000000;0 await 2 611H\n"
		"0 sim energy 0 pkg 0xc0000000\n"
		"0 end long",
		"a region in which counters come round", "TEST_CLOCK_MS=-19950");
	measure_counts(&r, want);
	run_done(&r);
}

static void one_thread_keeps_up_with_all(void)
{
	struct run r;

	measure(&r, "0 pollers 1",
		session_env("PMU_BACKEND=msr", "PMU_PIN=cpus:0", "PMU_EVENTS=instructions", NULL));
	measure_good(&r, "one thread for wide counters, which regions of days need");
	run_done(&r);
	measure(&r, "0 pollers 1", session_env("PMU_BACKEND=msr", "PMU_PIN=cpus:0", events, NULL));
	measure_good(&r, "one for narrow and wide ones");
	run_done(&r);
	/* where there is one processor, a new one's first instructions would be in what that counts */
	measure(&r, "0 keeper;0 group;0 begin a;0 end a;0 keeper",
		session_env("PMU_BACKEND=msr", "PMU_PIN=cpus:0", "PMU_GROUP=BRANCH,CORE", NULL));
	measure_good(&r, "the same one for the next group");
	run_done(&r);
}

/*
 * A read by either thread updates the processor's totals: each thread sees at least its own events,
 * at most those of both.
 */
static void threads_may_share_a_processor(void)
{
	const struct measure_count first = { "hot", "thread 0", "instructions", 0 },
				   second = { "hot", "thread 1", "instructions", 0 };
	uint64_t a, b;
	struct run r;

	measure(&r, "* loop 200 hot count %c 0xc0 0 user 3 fixed 1",
		session_env("PMU_BACKEND=msr", "PMU_PIN=cpus:2", "PMU_EVENTS=instructions",
			    "TEST_THREADS=2", NULL));
	measure_good(&r, "two threads on one processor");
	a = measure_value(&r, &first);
	b = measure_value(&r, &second);
	ok(a >= 600 && a <= 1200 && b >= 600 && b <= 1200,
	   "each counts what happens on it: %" PRIu64 ", %" PRIu64, a, b);
	run_done(&r);
}

static void narrow_core_counters_too(void)
{
	static const struct measure_count want[] = {
		{ "in time", "thread 0", "instructions", 5 },
		{ "too late", "thread 0", "instructions", MISSING },
		{ "other", "thread 1", "instructions", MISSING },
		{ NULL, NULL, NULL, 0 },
	};
	struct run r;

	measure(&r,
		"0 begin in time;0 sim count 0 0xc0 0 user 5 fixed 1;0 later 58;0 end in time\n"
		"0 begin too late;0 sim count 0 0xc0 0 user 5 fixed 1;0 later 63;0 end too late\n"
		"1 begin other;1 end other",
		session_env("PMU_BACKEND=msr", "PMU_PIN=cpus:0,1", "PMU_EVENTS=instructions",
			    NULL));
	measure_good(&r, "counters of 40 bits");
	measure_counts(&r, want);
	run_done(&r);
}

static const struct {
	const char *cpu;
	void (*test)(void);
} tests[] = {
	{ "sandybridge", a_minute_is_the_limit },
	{ "sandybridge", wide_counters_bear_hours },
	{ "sandybridge", somebody_reads_while_nobody_else_does },
	{ "sandybridge", one_thread_keeps_up_with_all },
	{ "sandybridge", threads_may_share_a_processor },
	{ "core2", narrow_core_counters_too },
	{ "skylake", wide_counters_come_round },
	{ "icelake", wide_counters_come_round },
	{ "alderlake", wide_counters_of_small_cores_come_round },
	{ "zen3", wide_counters_of_amd_come_round },
};

int main(void)
{
	for (size_t i = 0; i < sizeof(tests) / sizeof(*tests); i++) {
		int rc = sim_start(&sim, tests[i].cpu, 0);

		if (rc > 0)
			return skip_all(sim.why);
		if (ok(!rc, "a machine with %s starts", tests[i].cpu))
			tests[i].test();
		else
			diag("%s", sim.why);
		ok(!sim_stop(&sim), "and ends well");
	}
	return done_testing();
}
