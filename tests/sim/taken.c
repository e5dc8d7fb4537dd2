/* SPDX-License-Identifier: BSD-3-Clause */
/* Devices that cannot be used and counters that others use: left alone, and named. */
#include <grp.h>

#include "marked.h"

/* --- before it starts --- */

/* Refused without a write: why. */
static void is_refused(const char *command, const char *mend, const char *words, const char *how)
{
	char *before = sim_state(&sim);
	struct run r;

	sim_send(&sim, "forget");
	sim_send(&sim, "%s", command);
	run(&r, one_region, NULL, session_env("PMU_EVENTS=instructions,cycles", NULL));
	ok(ended(&r), "%s", how);
	is_str(session_source(&r), "clock", "another source takes over");
	has(session_words(&r), words, "the report has the reason");
	is_u64(session_count(-1, -1).writes, 0, "no register is written");
	sim_send(&sim, "%s", mend);
	session_is_back(before, "nor changed");
	run_done(&r);
}

static void what_cannot_be_opened_is_refused(void)
{
	machine_starts("skylake", 0);
	is_refused("offline 2", "online 2", "CPU 2 is offline or has no such registers",
		   "a processor is offline");
	is_refused("refuse all EACCES", "refuse all 0", "Permission denied",
		   "a device without permission");
	is_refused("refuse all EACCES", "refuse all 0", "run as root", "and what would help");
	is_refused("refuse 3 EPERM", "refuse 3 0", "CAP_SYS_RAWIO",
		   "a device without the capability");
	is_refused("vanish", "appear", "No such device or address", "no device any more");
	sim_stop(&sim);
}

/* A kernel in lockdown, or with msr.allow_writes=off: reading is allowed. */
static void what_may_not_be_written_is_refused(void)
{
	char *before;
	struct run r;

	machine_starts("skylake", 0);
	before = sim_state(&sim);
	for (uint32_t address = 0xc1; address <= 0x400; address++)
		if (sim_register(&sim, 0, address) != UINT64_MAX)
			sim_send(&sim, "fail all 0x%x write EPERM", address);
	run(&r, one_region, NULL, session_env("PMU_EVENTS=instructions,cycles", NULL));
	ok(ended(&r), "registers that may be read, but not written");
	is_str(session_source(&r), "clock", "another source takes over");
	has(session_words(&r), "Operation not permitted", "the report says why");
	has(session_words(&r), "msr.allow_writes=on", "and what would help");
	session_is_back(before, "everything is as it was");
	run_done(&r);
	sim_stop(&sim);
}

static int one_region_of_nobody(void *arg)
{
	/* The report and the store are theirs, the registers root's. */
	if (setgroups(0, NULL) || setgid(65534) || setuid(65534))
		return 77;
	return one_region(arg);
}

/* Where every user can read it: the sources may lie where only root can. */
static void copy_cpuid(const char *path)
{
	char text[4096];
	FILE *from = fopen(sim.cpuid, "r"), *to = fopen(path, "w");
	size_t n;

	if (!from || !to)
		run_die(path);
	while ((n = fread(text, 1, sizeof(text), from)) > 0)
		fwrite(text, 1, n, to);
	fclose(from);
	if (fclose(to))
		run_die(path);
}

static void nobody_may_not_touch_registers(void)
{
	char xdg[128], dir[] = "/tmp/pmu-nobody-XXXXXX", path[64], output[96], cpuid[64],
		       cpuid_file[96];
	char *before;
	struct run r;

	if (geteuid() != 0) {
		skip("a device of root's", "needs root to become nobody");
		return;
	}
	machine_starts("skylake", 0);
	before = sim_state(&sim);
	sim_send(&sim, "forget");
	if (!mkdtemp(dir) || chown(dir, 65534, 65534))
		run_die(dir);
	snprintf(xdg, sizeof(xdg), "XDG_RUNTIME_DIR=%s", dir);
	snprintf(path, sizeof(path), "%s/run.json", dir);
	snprintf(output, sizeof(output), "PMU_OUTPUT=%s", path);
	snprintf(cpuid, sizeof(cpuid), "%s/cpuid.txt", dir);
	snprintf(cpuid_file, sizeof(cpuid_file), "PMU_CPUID_FILE=%s", cpuid);
	copy_cpuid(cpuid);
	run(&r, one_region_of_nobody, NULL,
	    session_env(cpuid_file, "HWLOC_XMLFILE=", xdg, output, NULL));
	r.json = json_load_file(path, JSON_ALLOW_NUL, NULL);
	ok(ended(&r), "an ordinary user");
	ok(r.json && strcmp(session_source(&r), "msr") != 0, "another source takes over: %s",
	   session_source(&r));
	has(session_words(&r), "Permission denied", "the report has the reason");
	is_u64(session_count(-1, -1).accesses, 0, "no register is read");
	session_is_back(before, "nor written");
	run_done(&r);
	nftw(dir, run_unlink, 16, FTW_DEPTH | FTW_PHYS);
	sim_stop(&sim);
}

static int unmeasured(void *arg)
{
	(void)arg;
	want(pmu_region_begin("work") <= 0);
	pmu_region_end("work");
	return run_notes->n_failed ? 1 : 7;
}

static void the_path_is_text(void)
{
	struct run r;

	machine_starts("skylake", 0);
	run(&r, unmeasured, NULL, session_env("PMU_MSR_DEVICE=/dev/cpu/msr", NULL));
	ok(ended(&r), "a path without %%d");
	has(r.err, "PMU_MSR_DEVICE=/dev/cpu/msr: no %d in it", "is refused, with the reason");
	run_done(&r);
	run(&r, unmeasured, NULL, session_env("PMU_MSR_DEVICE=/nowhere/%s%n%d/%d/%x", NULL));
	ok(ended(&r), "a path with %%s and %%n in it");
	has(session_words(&r), "/nowhere/%s%n0/%d/%x",
	    "is taken as it is, and the first %d replaced");
	run_done(&r);
	run(&r, unmeasured, NULL, session_env("PMU_MSR_DEVICE=%n%s", NULL));
	ok(ended(&r), "nothing but those");
	has(r.err, "PMU_MSR_DEVICE=%n%s: no %d in it", "is refused as it is");
	run_done(&r);
	sim_stop(&sim);
}

/* --- counters that others have --- */

static void others_counters_are_left_alone(const char *cpu, const char *command, const char *events,
					   uint32_t select, uint32_t counter, const char *words,
					   const char *how)
{
	char *before, setting[256];
	struct run r;

	machine_starts(cpu, 0);
	sim_send(&sim, "%s", command);
	sim_send(&sim, "forget");
	before = sim_state(&sim);
	snprintf(setting, sizeof(setting), "PMU_EVENTS=%s", events);
	run(&r, one_region, NULL, session_env(setting, NULL));
	ok(ended(&r), "%s", how);
	is_str(session_source(&r), "msr", "there are others");
	is_int(session_net(&r, "work", "instructions"), 1000, "that count exactly");
	if (words)
		has(session_words(&r), words, "the report names it");
	else
		ok(!strstr(session_words(&r), "in use"), "what counts nothing is not worth a word");
	is_u64(session_count(-1, counter).writes, 0, "the counter is never written");
	if (select)
		is_u64(session_count(-1, select).writes, 0, "nor its select, on any processor");
	session_is_back(before, "it is as it was");
	run_done(&r);
	sim_stop(&sim);
}

static void counters_in_use_are_planned_around(void)
{
	others_counters_are_left_alone("skylake", "set 1 0x186 0x43003c\nset 1 0xc1 12345",
				       "instructions,branches,branch-misses", 0x186, 0xc1,
				       "general counter 0 is in use on CPU 1", "a select with EN");
	others_counters_are_left_alone("skylake", "set 0 0x38d 0x3\nset 0 0x309 12345",
				       "instructions,cycles,branches", 0, 0x309,
				       "fixed counter 0 is in use on CPU 0", "a fixed counter");
	others_counters_are_left_alone("skylake", "set 3 0x187 0x3c\nset 3 0xc2 12345",
				       "instructions,branches,branch-misses", 0x187, 0xc2, NULL,
				       "a select that IA32_PERF_GLOBAL_INUSE says is taken");
	others_counters_are_left_alone(
		"sandybridge", "set 1 0x186 0x43003c", "instructions,branches", 0x186, 0xc1,
		"general counter 0 is in use on CPU 1", "the same before there was that");
	others_counters_are_left_alone("sandybridge", "set 0 0x38d 0x3\nset 0 0x309 12345",
				       "instructions,cycles", 0, 0x309,
				       "fixed counter 0 is in use on CPU 0", "and a fixed counter");
	others_counters_are_left_alone("skylake", "set 0 0x394 0x400000\nset 0 0x395 12345",
				       "instructions,uncore-clock", 0x394, 0x395,
				       "MSR_UNC_PERF_FIXED_CTRL is in use on socket 0",
				       "the uncore's clock");
	others_counters_are_left_alone("zen3", "set 1 0xc0010200 0x4300c0\nset 1 0xc0010201 12345",
				       "instructions", 0xc0010200, 0xc0010201,
				       "general counter 0 is in use on CPU 1", "AMD's counters");
}

/* Another's counter counts on, and with the value it had, while a session starts, runs and ends. */
static void others_counters_count_on(void)
{
	struct run r;

	machine_starts("skylake", 0);
	sim_send(&sim, "set 0 0x38f 0x70000000f\nset 0 0x186 0x4100c0\nset 0 0xc1 5");
	run(&r, one_region, NULL, session_env("PMU_EVENTS=instructions,cycles,branches", NULL));
	is_str(session_source(&r), "msr", "a session beside another's counter");
	is_int(session_net(&r, "work", "instructions"), 1000, "counts exactly");
	is_u64(sim_register(&sim, 0, 0xc1), 1005, "and so does the other");
	run_done(&r);
	sim_stop(&sim);
}

static void all_counters_may_be_taken(void)
{
	char *before;
	struct run r;

	machine_starts("skylake", 0);
	for (int i = 0; i < 4; i++)
		sim_send(&sim, "set 2 0x%x 0x43003c", 0x186 + i);
	sim_send(&sim, "set 2 0x38d 0x333\nforget");
	before = sim_state(&sim);
	run(&r, one_region, NULL, session_env("PMU_EVENTS=instructions,cycles", NULL));
	ok(ended(&r), "all counters of one processor are taken");
	is_str(session_source(&r), "clock", "another source takes over");
	has(session_words(&r), "0 of 2 events fit", "the report says what fits");
	has(session_words(&r),
	    "general counter 0 is in use on CPU 2: event 3CH, umask 00H, USR, OS",
	    "what is in the way");
	has(session_words(&r), ", and 6 more counters", "and how much of it");
	is_u64(session_count(-1, -1).writes, 0, "no register is written");
	session_is_back(before, "nor changed");
	run_done(&r);
	sim_stop(&sim);
}

int main(void)
{
	int rc = sim_start(&sim, "core2", 0);

	if (rc > 0)
		return skip_all(sim.why);
	sim_stop(&sim);
	what_cannot_be_opened_is_refused();
	what_may_not_be_written_is_refused();
	nobody_may_not_touch_registers();
	the_path_is_text();
	counters_in_use_are_planned_around();
	others_counters_count_on();
	all_counters_may_be_taken();
	return done_testing();
}
