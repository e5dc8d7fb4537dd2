/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The simulated machine against the manuals' rules: what the library is proved on must itself be
 * right.
 */
#include "sim/model.h"

#include <errno.h>

#include "tap.h"

#define BIT(i) (UINT64_C(1) << (i))
#define USER   (BIT(16) | BIT(22))
#define KERNEL (BIT(17) | BIT(22))

/*
 * Two packages of two cores of two threads: 0 and 4 are siblings.  AMD's: one package of two L3
 * complexes.
 */
static struct sim_place place[8];

static struct sim_machine *machine_of(const char *cpu)
{
	const struct sim_cpu *model = sim_cpu_find(cpu);
	struct sim_machine *machine;

	for (int i = 0; i < 8; i++) {
		int core = i % 4, half = core / 2;

		place[i] = (struct sim_place){ i,        *cpu == 'z' ? 0 : half, core, i / 4, half,
					       core == 3 };
	}
	machine = model ? sim_machine_new(model, place, 8) : NULL;
	if (!machine)
		exit(1);
	return machine;
}

static uint64_t get(struct sim_machine *machine, int cpu, uint32_t address)
{
	uint64_t value = 0xdead;
	int rc = sim_read(machine, cpu, address, &value);

	if (rc)
		diag("reading %" PRIx32 "H of %d: %d", address, cpu, rc);
	return value;
}

static void put(struct sim_machine *machine, int cpu, uint32_t address, uint64_t value)
{
	if (sim_write(machine, cpu, address, value))
		ok(false, "writing %" PRIx64 "H to %" PRIx32 "H of %d", value, address, cpu);
}

static bool refused(struct sim_machine *machine, uint32_t address, uint64_t value)
{
	return sim_write(machine, 0, address, value) == -EIO;
}

static bool absent(struct sim_machine *machine, uint32_t address)
{
	uint64_t value;

	return sim_read(machine, 0, address, &value) == -EIO && refused(machine, address, 0);
}

static void user(struct sim_machine *machine, int cpu, unsigned int event, unsigned int umask,
		 uint64_t n)
{
	sim_count(machine, cpu,
		  &(struct sim_event){ (uint16_t)event, (uint8_t)umask, false, n, 0 });
}

static void kernel(struct sim_machine *machine, int cpu, unsigned int event, unsigned int umask,
		   uint64_t n)
{
	sim_count(machine, cpu, &(struct sim_event){ (uint16_t)event, (uint8_t)umask, true, n, 0 });
}

/* --- cores --- */

static void version_1_has_no_global_control(void)
{
	struct sim_machine *m = machine_of("yonah");

	ok(absent(m, 0x38f) && absent(m, 0x38d) && absent(m, 0x309),
	   "no global registers, no fixed counters");
	put(m, 0, 0x186, 0xc0 | USER);
	user(m, 0, 0xc0, 0, 5);
	is_u64(get(m, 0, 0xc1), 5, "EN is enough");
	sim_machine_free(m);
}

static void a_counter_needs_all_that_enables_it(void)
{
	struct sim_machine *m = machine_of("westmere");

	is_u64(get(m, 0, 0x38f), 0xf, "after reset the general counters are enabled globally");
	put(m, 0, 0x186, 0xc0 | BIT(16));
	user(m, 0, 0xc0, 0, 1);
	is_u64(get(m, 0, 0xc1), 0, "not without EN");
	put(m, 0, 0x186, 0xc0 | BIT(22));
	user(m, 0, 0xc0, 0, 1);
	is_u64(get(m, 0, 0xc1), 0, "not without a level");
	put(m, 0, 0x186, 0xc0 | USER);
	kernel(m, 0, 0xc0, 0, 1);
	user(m, 0, 0xc0, 1, 1);
	user(m, 0, 0xc1, 0, 1);
	user(m, 1, 0xc0, 0, 1);
	is_u64(get(m, 0, 0xc1), 0, "no other level, unit mask, event or processor");
	put(m, 0, 0x38f, 0xe);
	user(m, 0, 0xc0, 0, 1);
	is_u64(get(m, 0, 0xc1), 0, "not without the global bit");
	put(m, 0, 0x38f, 1);
	user(m, 0, 0xc0, 0, 3);
	is_u64(get(m, 0, 0xc1), 3, "with all of them");
	put(m, 0, 0x186, 0xc0 | USER | KERNEL);
	user(m, 0, 0xc0, 0, 10);
	kernel(m, 0, 0xc0, 0, 20);
	is_u64(get(m, 0, 0xc1), 33, "both levels");
	sim_machine_free(m);
}

static void fixed_counters_have_their_own_levels(void)
{
	struct sim_machine *m = machine_of("westmere");
	struct sim_event event = { 0, 0, false, 7, 7 };

	put(m, 0, 0x38d, 0x312); /* 0: user; 1: kernel; 2: both */
	sim_count(m, 0, &event);
	is_u64(get(m, 0, 0x309), 0, "not without the global bits");
	put(m, 0, 0x38f, UINT64_C(7) << 32);
	sim_count(m, 0, &event);
	event.kernel = true;
	event.n = 100;
	sim_count(m, 0, &event);
	is_u64(get(m, 0, 0x309), 7, "user");
	is_u64(get(m, 0, 0x30a), 100, "kernel");
	is_u64(get(m, 0, 0x30b), 107, "both");
	event.fixed = 2;
	sim_count(m, 0, &event);
	is_u64(get(m, 0, 0x30a), 200, "one alone");
	is_u64(get(m, 0, 0x30b), 107, "and not the next");
	sim_machine_free(m);
}

static void masks_compare_what_happens_in_one_cycle(void)
{
	static const struct {
		uint64_t bits, want;
		const char *name;
	} row[] = {
		{ 0, 9, "without a mask" },
		{ BIT(24), 9, "at least one" },
		{ UINT64_C(2) << 24, 0, "at least two" },
		{ BIT(24) | BIT(23), 0, "fewer than one" },
		{ UINT64_C(2) << 24 | BIT(23), 9, "fewer than two" },
		{ BIT(23), 9, "invert without a mask does nothing" },
		{ BIT(18), 9, "edges" },
	};

	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
		struct sim_machine *m = machine_of("westmere");

		put(m, 0, 0x186, 0xc0 | USER | row[i].bits);
		user(m, 0, 0xc0, 0, 9);
		is_u64(get(m, 0, 0xc1), row[i].want, row[i].name);
		sim_machine_free(m);
	}
}

static void any_thread_counts_the_sibling(void)
{
	struct sim_machine *m = machine_of("westmere");

	put(m, 0, 0x186, 0xc0 | USER | BIT(21));
	put(m, 0, 0x187, 0xc0 | USER);
	put(m, 0, 0x38d, 0x26);
	put(m, 0, 0x38f, 3 | UINT64_C(3) << 32);
	sim_count(m, 4, &(struct sim_event){ 0xc0, 0, false, 5, 3 });
	sim_count(m, 1, &(struct sim_event){ 0xc0, 0, false, 50, 3 });
	is_u64(get(m, 0, 0xc1), 5, "general counter with ANY, not the other core");
	is_u64(get(m, 0, 0xc2), 0, "without ANY");
	is_u64(get(m, 0, 0x309), 5, "fixed counter with ANY");
	is_u64(get(m, 0, 0x30a), 0, "and without");
	sim_machine_free(m);
	m = machine_of("icelake");
	ok(refused(m, 0x186, 0xc0 | BIT(21)), "where it is deprecated the bit is reserved");
	ok(refused(m, 0x38d, 4), "that of fixed counters too");
	sim_machine_free(m);
	m = machine_of("core2");
	ok(refused(m, 0x186, 0xc0 | BIT(21)) && refused(m, 0x38d, 4),
	   "before version 3 there is none");
	sim_machine_free(m);
}

static void counters_wrap_at_their_width(void)
{
	static const struct {
		const char *cpu;
		unsigned int bits;
	} row[] = { { "core2", 40 }, { "westmere", 48 } };

	for (size_t i = 0; i < 2; i++) {
		struct sim_machine *m = machine_of(row[i].cpu);
		uint64_t top = BIT(row[i].bits);

		diag("%s", row[i].cpu);
		put(m, 0, 0xc1, 0xffffffff);
		is_u64(get(m, 0, 0xc1), top - 1, "a 32-bit write is sign-extended to the width");
		put(m, 0, 0xc1, UINT64_C(0x123457fffffff));
		is_u64(get(m, 0, 0xc1), 0x7fffffff, "and takes no more than 32 bits");
		put(m, 0, 0xc1, 0xfffffffe);
		put(m, 0, 0x309, top - 2);
		ok(refused(m, 0x309, top), "a fixed counter's bits above its width are reserved");
		put(m, 0, 0x186, 0xc0 | USER);
		put(m, 0, 0x38d, 2);
		put(m, 0, 0x38f, 1 | BIT(32));
		sim_count(m, 0, &(struct sim_event){ 0xc0, 0, false, 1, 1 });
		is_u64(get(m, 0, 0x38e), 0, "no overflow yet");
		sim_count(m, 0, &(struct sim_event){ 0xc0, 0, false, 4, 1 });
		is_u64(get(m, 0, 0xc1), 3, "the general counter wraps");
		is_u64(get(m, 0, 0x309), 3, "the fixed one too");
		is_u64(get(m, 0, 0x38e), 1 | BIT(32), "overflow status has both");
		ok(refused(m, 0x38e, 0), "status cannot be written");
		put(m, 0, 0x390, 1);
		is_u64(get(m, 0, 0x38e), BIT(32), "ones clear it");
		is_u64(get(m, 0, 0x390), 0, "what clears reads as 0");
		ok(refused(m, 0x390, BIT(40)), "its other bits are reserved");
		sim_machine_free(m);
	}
}

static void full_width_writes_where_capabilities_say_so(void)
{
	struct sim_machine *m = machine_of("sandybridge");

	ok(get(m, 0, 0x345) & BIT(13), "Sandy Bridge has them");
	put(m, 0, 0x4c1, UINT64_C(0x123456789abc));
	is_u64(get(m, 0, 0xc1), UINT64_C(0x123456789abc), "all bits arrive");
	is_u64(get(m, 0, 0x4c1), UINT64_C(0x123456789abc), "under both addresses");
	ok(refused(m, 0x4c1, BIT(48)), "bits above the width are reserved");
	sim_machine_free(m);
	m = machine_of("nehalem");
	ok(!(get(m, 0, 0x345) & BIT(13)) && absent(m, 0x4c1), "Nehalem has not");
	sim_machine_free(m);
}

static void reserved_bits_are_refused(void)
{
	struct sim_machine *m = machine_of("westmere");

	ok(refused(m, 0x186, BIT(32)), "select, bit 32 without TSX");
	ok(!sim_write(m, 0, 0x186, BIT(19)), "pin control exists");
	put(m, 0, 0x186, 0x41);
	ok(refused(m, 0x186, BIT(40) | 0x42), "a refused write");
	is_u64(get(m, 0, 0x186), 0x41, "changes nothing");
	ok(refused(m, 0x38f, 0x10), "global control, fifth counter");
	ok(refused(m, 0x38f, BIT(35)), "global control, fourth fixed counter");
	ok(refused(m, 0x38d, 0x1000), "fixed control, fourth fixed counter");
	ok(absent(m, 0x18a) && absent(m, 0xc5) && absent(m, 0x30c), "those counters do not exist");
	ok(absent(m, 0x999), "nor does just any register");
	ok(refused(m, 0x345, 0), "capabilities cannot be written");
	sim_machine_free(m);
	m = machine_of("skylake");
	ok(!sim_write(m, 0, 0x186, BIT(32)) && refused(m, 0x187, BIT(33)) &&
		   !sim_write(m, 0, 0x188, BIT(33)),
	   "with TSX bit 32, and 33 of counter 2 alone");
	sim_machine_free(m);
}

static void version_4_tells_who_is_there(void)
{
	struct sim_machine *m = machine_of("skylake");

	is_u64(get(m, 0, 0x392), 0, "nobody");
	put(m, 0, 0x187, 0xc0);
	put(m, 0, 0x38d, 0x20);
	is_u64(get(m, 0, 0x392), BIT(1) | BIT(33),
	       "an event in a select, a level of a fixed counter");
	put(m, 0, 0x187, 0xc0 | BIT(20));
	is_u64(get(m, 0, 0x392), BIT(1) | BIT(33) | BIT(63), "and an interrupt");
	ok(refused(m, 0x392, 0), "it cannot be written");
	put(m, 0, 0x391, 2);
	is_u64(get(m, 0, 0x38e), 2, "status can be set");
	put(m, 0, 0x390, 2);
	is_u64(get(m, 0, 0x38e), 0, "and cleared");
	sim_machine_free(m);
	m = machine_of("sandybridge");
	ok(!sim_write(m, 0, 0x391, BIT(29)) && get(m, 0, 0x38e) == 0,
	   "before version 4 391H is something else");
	sim_machine_free(m);
}

static void models_have_what_cpuid_says(void)
{
	static const struct {
		const char *cpu;
		unsigned int general, fixed;
	} row[] = { { "core2", 2, 3 },       { "nehalem", 4, 3 }, { "westmere", 4, 3 },
		    { "sandybridge", 4, 3 }, { "skylake", 4, 3 }, { "icelake", 8, 4 },
		    { "alderlake", 6, 3 } };

	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
		struct sim_machine *m = machine_of(row[i].cpu);
		unsigned int general = 0, fixed = 0;

		while (!absent(m, 0x186 + general) && !absent(m, 0xc1 + general))
			general++;
		while (!absent(m, 0x309 + fixed))
			fixed++;
		ok(general == row[i].general && fixed == row[i].fixed, "%s: %u general, %u fixed",
		   row[i].cpu, general, fixed);
		sim_machine_free(m);
	}
}

static void hybrids_have_two_kinds(void)
{
	struct sim_machine *m = machine_of("alderlake");

	ok(!sim_write(m, 0, 0x38f, BIT(48)), "PERF_METRICS on a P core");
	is_int(sim_write(m, 3, 0x38f, BIT(48)), -EIO, "not on an E core");
	ok(get(m, 0, 0x345) != get(m, 3, 0x345), "capabilities differ");
	put(m, 3, 0x186, 0xc0 | USER);
	user(m, 3, 0xc0, 0, 4);
	is_u64(get(m, 3, 0xc1), 4, "E cores count");
	sim_machine_free(m);
}

/* --- beyond the cores --- */

static void nehalem_uncore_is_the_packages(void)
{
	struct sim_machine *m = machine_of("westmere");

	put(m, 5, 0x3c0, 0x0140 | BIT(22));
	is_u64(get(m, 0, 0x3c0), 0x0140 | BIT(22),
	       "a select is the same from every processor of the package");
	is_u64(get(m, 2, 0x3c0), 0, "the other package has its own");
	sim_count_uncore(m, 0, "uncore", 0x40, 1, 5);
	is_u64(get(m, 0, 0x3b0), 0, "nothing without the global bit");
	put(m, 1, 0x391, 1 | BIT(32));
	sim_count_uncore(m, 0, "uncore", 0x40, 1, 5);
	sim_count_uncore(m, 2, "uncore", 0x40, 1, 500);
	is_u64(get(m, 4, 0x3b0), 5, "five");
	put(m, 0, 0x3c0, 0x0140);
	sim_count_uncore(m, 0, "uncore", 0x40, 1, 5);
	is_u64(get(m, 0, 0x3b0), 5, "no more without EN");
	sim_count_uncore(m, 0, "clock", 0, 0, 7);
	is_u64(get(m, 0, 0x394), 0, "the clock stands without its own bit");
	put(m, 0, 0x395, 1);
	put(m, 0, 0x391, 1);
	sim_count_uncore(m, 0, "clock", 0, 0, 7);
	is_u64(get(m, 0, 0x394), 0, "and without the global one");
	put(m, 0, 0x391, BIT(32));
	put(m, 0, 0x394, BIT(48) - 3);
	sim_count_uncore(m, 0, "clock", 0, 0, 7);
	is_u64(get(m, 0, 0x394), 4, "it wraps at 48 bits");
	is_u64(get(m, 0, 0x392), BIT(32), "into its status");
	put(m, 0, 0x393, BIT(32));
	is_u64(get(m, 0, 0x392), 0, "which ones clear");
	put(m, 0, 0x3c1, BIT(17) | 0x40);
	is_u64(get(m, 0, 0x3c1), 0x40, "the queue's reset reads as 0");
	ok(refused(m, 0x3c1, BIT(16)) && refused(m, 0x3c1, BIT(19)) && refused(m, 0x391, BIT(8)),
	   "there are no levels and no ninth counter");
	sim_machine_free(m);
	m = machine_of("core2");
	ok(absent(m, 0x391) && absent(m, 0x3c0) && absent(m, 0x606),
	   "Core 2 has neither uncore nor energy");
	sim_machine_free(m);
}

static void client_uncore_lies_elsewhere(void)
{
	struct sim_machine *m = machine_of("sandybridge");

	put(m, 0, 0x394, BIT(22));
	put(m, 0, 0x700, 0x0122 | BIT(22));
	put(m, 0, 0x731, 0x0122 | BIT(22));
	put(m, 0, 0x3b2, 0x0180 | BIT(22));
	put(m, 0, 0x3b3, 0x0180 | BIT(22));
	sim_count_uncore(m, 0, "cbo0", 0x22, 1, 5);
	is_u64(get(m, 0, 0x706), 0, "nothing without the global enable");
	put(m, 0, 0x391, BIT(29));
	sim_count_uncore(m, 0, "cbo0", 0x22, 1, 5);
	sim_count_uncore(m, 0, "cbo3", 0x22, 1, 6);
	sim_count_uncore(m, 0, "clock", 0, 0, 7);
	sim_count_uncore(m, 0, "arb", 0x80, 1, 8);
	is_u64(get(m, 0, 0x706), 5, "the first unit's first counter");
	is_u64(get(m, 0, 0x737), 6, "the fourth unit's second");
	is_u64(get(m, 0, 0x395), 7, "the clock");
	is_u64(get(m, 0, 0x3b0), 8, "occupancy on ARB's counter 0");
	is_u64(get(m, 0, 0x3b1), 0, "which the other cannot count");
	put(m, 0, 0x706, BIT(44) - 1);
	sim_count_uncore(m, 0, "cbo0", 0x22, 1, 2);
	is_u64(get(m, 0, 0x706), 1, "44 bits");
	is_u64(get(m, 0, 0x392), 8, "into the status");
	ok(absent(m, 0x740) && absent(m, 0xe01) && absent(m, 0x3c0),
	   "no fifth unit, nothing of other models");
	ok(refused(m, 0x700, BIT(29)), "counter masks have five bits");
	is_int(sim_count_uncore(m, 0, "cbo4", 0, 1, 1), -EINVAL, "no such unit");
	sim_machine_free(m);
}

static void later_clients_move_it(void)
{
	struct sim_machine *m = machine_of("skylake");

	put(m, 0, 0xe01, BIT(29));
	put(m, 0, 0x710, 0x0122 | BIT(22));
	sim_count_uncore(m, 0, "cbo1", 0x22, 1, 5);
	is_u64(get(m, 0, 0x716), 5, "Skylake: the global control is at E01H");
	sim_machine_free(m);
	m = machine_of("icelake");
	put(m, 0, 0x708, 0x0122 | BIT(22));
	put(m, 0, 0x3b2, 0x0181 | BIT(22));
	put(m, 0, 0x3b3, 0x0181 | BIT(22));
	sim_count_uncore(m, 0, "cbo1", 0x22, 1, 5);
	sim_count_uncore(m, 0, "arb", 0x81, 1, 6);
	is_u64(get(m, 0, 0x70a), 5, "Ice Lake: eight apart, no global enable");
	is_u64(get(m, 0, 0x3b0), 0, "ARB's counter 0 is not for use");
	is_u64(get(m, 0, 0x3b1), 6, "counter 1 is");
	sim_machine_free(m);
}

static void energy_wraps_at_32_bits(void)
{
	struct sim_machine *m = machine_of("skylake");

	is_u64(get(m, 0, 0x606) >> 8 & 0x1f, 14, "2^-14 J");
	sim_poke(m, 0, 0x611, 0xffffffff);
	sim_energy(m, 1, "pkg", 3);
	sim_energy(m, 2, "pkg", 70);
	is_u64(get(m, 4, 0x611), 2, "wraps, in this package");
	is_u64(get(m, 2, 0x611), 70, "and not in the other");
	ok(refused(m, 0x611, 0), "it cannot be written");
	ok(get(m, 0, 0x619) == 0 && get(m, 0, 0x639) == 0 && get(m, 0, 0x641) == 0,
	   "memory, cores, graphics");
	sim_machine_free(m);
	m = machine_of("sandybridge");
	ok(absent(m, 0x619), "Sandy Bridge clients do not measure memory");
	is_int(sim_energy(m, 0, "dram", 1), -EINVAL, "so none is used");
	sim_machine_free(m);
}

/* --- AMD --- */

static void zen_has_six_counters(void)
{
	struct sim_machine *m = machine_of("zen3");

	put(m, 0, 0xc001020au, 0xc0 | USER);
	put(m, 0, 0xc0010202u, BIT(32) | 0x0124 | USER);
	user(m, 0, 0xc0, 0, 5);
	user(m, 0, 0x124, 1, 6);
	is_u64(get(m, 0, 0xc001020bu), 5, "the sixth");
	is_u64(get(m, 0, 0xc0010203u), 6, "a 12-bit event");
	is_u64(get(m, 0, 0xc0010005u), 6, "under its old address too");
	put(m, 0, 0xc0010204u, 0xc0 | USER | BIT(40));
	user(m, 0, 0xc0, 0, 5);
	is_u64(get(m, 0, 0xc0010205u), 0, "nothing for guests alone");
	put(m, 0, 0xc0010001u, 0x76);
	is_u64(get(m, 0, 0xc0010202u), 0x76, "and so its control");
	put(m, 0, 0xc0010200u, UINT64_MAX);
	is_u64(get(m, 0, 0xc0010200u), UINT64_C(0x30fffd7ffff), "reserved bits are ignored");
	put(m, 0, 0xc0010201u, UINT64_MAX);
	is_u64(get(m, 0, 0xc0010201u), BIT(48) - 1, "counters have 48 bits");
	ok(absent(m, 0xc001020cu) && absent(m, 0xc0000301u) && absent(m, 0x186),
	   "no seventh, no global control, nothing of Intel's");
	sim_machine_free(m);
}

static void zen4_has_a_global_control(void)
{
	struct sim_machine *m = machine_of("zen4");

	is_u64(get(m, 0, 0xc0000301u), 0x3f, "after reset everything is enabled");
	put(m, 0, 0xc0010200u, 0x76 | USER);
	put(m, 0, 0xc0000301u, 0x3e);
	user(m, 0, 0x76, 0, 5);
	is_u64(get(m, 0, 0xc0010201u), 0, "not without its bit");
	put(m, 0, 0xc0000301u, 1);
	put(m, 0, 0xc0010201u, BIT(48) - 1);
	user(m, 0, 0x76, 0, 5);
	is_u64(get(m, 0, 0xc0010201u), 4, "wraps");
	is_u64(get(m, 0, 0xc0000300u), 1, "into the status");
	put(m, 0, 0xc0000302u, 1);
	is_u64(get(m, 0, 0xc0000300u), 0, "which ones clear");
	ok(refused(m, 0xc0000300u, 0), "and nothing writes");
	sim_machine_free(m);
}

static void l3_counters_belong_to_the_complex(void)
{
	/* all slices, all cores, both threads */
	const uint64_t all = BIT(46) | BIT(47) | UINT64_C(3) << 56;
	struct sim_machine *m = machine_of("zen3");

	put(m, 0, 0xc0010230u, 0xff04 | BIT(22) | all);
	put(m, 0, 0xc0010232u, 0xff04 | BIT(22) | (all & ~BIT(47)) | BIT(42));
	put(m, 0, 0xc0010234u, 0xff04 | BIT(22) | (all & ~BIT(57)));
	put(m, 0, 0xc0010236u, 0xff04 | BIT(22) | (all & ~BIT(46)) | BIT(48));
	sim_count_uncore(m, 1, "l3", 0x04, 0xff, 5);
	sim_count_uncore(m, 4, "l3", 0x04, 0xff, 100);
	sim_count_uncore(m, 2, "l3", 0x04, 0xff, 1000);
	is_u64(get(m, 5, 0xc0010231u), 105, "all cores, seen from any of them");
	is_u64(get(m, 5, 0xc0010233u), 5, "core 1 alone");
	is_u64(get(m, 5, 0xc0010235u), 5, "first threads alone");
	is_u64(get(m, 5, 0xc0010237u), 0, "slice 1, where nothing happened");
	is_u64(get(m, 2, 0xc0010231u), 0, "another complex has its own");
	sim_energy(m, 4, "core", 9);
	is_u64(get(m, 0, 0xc001029au), 9, "a core's energy, from its other thread");
	is_u64(get(m, 1, 0xc001029au), 0, "not the next core's");
	sim_machine_free(m);
}

/* --- what tests do to it --- */

static void faults_and_absence(void)
{
	struct sim_machine *m = machine_of("westmere");
	uint64_t value;

	sim_fail(m, 3, 0x186, false, true, -EIO);
	is_int(sim_write(m, 3, 0x186, 0), -EIO, "writing fails there");
	is_int(sim_read(m, 3, 0x186, &value), 0, "reading does not");
	is_int(sim_write(m, 2, 0x186, 0), 0, "nor writing elsewhere");
	sim_fail(m, 3, 0x186, false, true, 0);
	is_int(sim_write(m, 3, 0x186, 0x41), 0, "mended");
	sim_fail(m, -1, 0x38f, true, false, -EPERM);
	is_int(sim_read(m, 7, 0x38f, &value), -EPERM, "everywhere");
	sim_offline(m, 3, true);
	is_int(sim_read(m, 3, 0x186, &value), -ENXIO, "offline");
	is_int(sim_read(m, 8, 0x186, &value), -ENXIO, "no such processor");
	sim_offline(m, 3, false);
	is_u64(get(m, 3, 0x186), 0, "back again, reset");
	is_u64(get(m, 3, 0x345), 0x1c3, "to its reset values");
	put(m, 2, 0x186, 0x41);
	put(m, 2, 0x3c0, 0x41);
	sim_offline(m, 2, true);
	sim_offline(m, 2, false);
	ok(get(m, 2, 0x186) == 0 && get(m, 2, 0x3c0) == 0x41,
	   "what the package shares stays as it was");
	sim_machine_free(m);
}

int main(void)
{
	version_1_has_no_global_control();
	a_counter_needs_all_that_enables_it();
	fixed_counters_have_their_own_levels();
	masks_compare_what_happens_in_one_cycle();
	any_thread_counts_the_sibling();
	counters_wrap_at_their_width();
	full_width_writes_where_capabilities_say_so();
	reserved_bits_are_refused();
	version_4_tells_who_is_there();
	models_have_what_cpuid_says();
	hybrids_have_two_kinds();
	nehalem_uncore_is_the_packages();
	client_uncore_lies_elsewhere();
	later_clients_move_it();
	energy_wraps_at_32_bits();
	zen_has_six_counters();
	zen4_has_a_global_control();
	l3_counters_belong_to_the_complex();
	faults_and_absence();
	return done_testing();
}
