/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What programs all registers of a large machine: its topology, its plan, and what `pmu msr plan` makes
 * of it.
 */
#include <errno.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "bench/growth/scale.h"
#include "counters/msr/program.h"
#include "machine/machine.h"

/* Plans of one process; odd: the median is one of them. */
#define PLANS 21

/* --- in the child: as many slots as the processor's counters and a plan take --- */

static void add(struct pmu_plan *plan, struct pmu_slot slot)
{
	if (plan->n_slots < PMU_MAX_SLOTS)
		plan->slot[plan->n_slots++] = slot;
}

static void add_core(struct pmu_plan *plan, uint32_t type, const uint64_t *config, size_t n)
{
	for (size_t i = 0; i < n; i++)
		add(plan, (struct pmu_slot){ .kind = PMU_SLOT_CORE,
					     .type = type,
					     .config = config[i],
					     .user = true });
}

static void add_unit(struct pmu_plan *plan, enum pmu_uncore_unit unit, const uint64_t *config,
		     size_t n)
{
	for (size_t i = 0; i < n; i++)
		add(plan, (struct pmu_slot){ .kind = PMU_SLOT_UNCORE,
					     .type = PMU_TYPE_NONE,
					     .unit = unit,
					     .config = config[i],
					     .user = true,
					     .kernel = true });
}

static void add_energy(struct pmu_plan *plan, enum pmu_energy_domain domain)
{
	add(plan, (struct pmu_slot){ .kind = PMU_SLOT_ENERGY,
				     .type = PMU_TYPE_NONE,
				     .unit = (uint8_t)domain,
				     .user = true,
				     .kernel = true });
}

/* The seven architectural events, all eight uncore counters, the uncore's clock. */
static void plan_westmere(struct pmu_plan *plan)
{
	static const uint64_t core[] = {
		PERF_COUNT_HW_INSTRUCTIONS,        PERF_COUNT_HW_CPU_CYCLES,
		PERF_COUNT_HW_BRANCH_INSTRUCTIONS, PERF_COUNT_HW_BRANCH_MISSES,
		PERF_COUNT_HW_CACHE_MISSES,        PERF_COUNT_HW_CACHE_REFERENCES,
		PERF_COUNT_HW_REF_CPU_CYCLES
	};
	/*
	 * Intel SDM vol. 3B, events of the Westmere uncore: LLC hits, misses, lines in and out,
	 * requests to the home logic from here and from there, reads and writes of memory
	 */
	static const uint64_t uncore[] = { 0x0308, 0x0309, 0x0f0a, 0x1f0b,
					   0x1020, 0x0420, 0x072c, 0x072f };
	static const uint64_t clock[] = { 0 };

	add_core(plan, PERF_TYPE_HARDWARE, core, sizeof(core) / sizeof(*core));
	add_unit(plan, PMU_UNIT_UNCORE, uncore, sizeof(uncore) / sizeof(*uncore));
	add_unit(plan, PMU_UNIT_CLOCK, clock, 1);
}

/* All six counters of a core, those of each complex, the energy of sockets and of every core. */
static void plan_zen(struct pmu_plan *plan)
{
	/*
	 * AMD PPR family 19H: instructions, cycles, branches and their misses, loads, data cache
	 * refills
	 */
	static const uint64_t core[] = { 0xc0, 0x76, 0xc2, 0xc3, 0x0129, 0xff43 };
	/* L3 lookups, misses, hits, requests to the fabric, fill latency */
	static const uint64_t l3[] = { 0xff04, 0x0104, 0xfe04, 0x1f9a, 0x0090 };

	add_core(plan, PERF_TYPE_RAW, core, sizeof(core) / sizeof(*core));
	add_unit(plan, PMU_UNIT_L3, l3, sizeof(l3) / sizeof(*l3));
	add_energy(plan, PMU_ENERGY_PACKAGE);
	add_energy(plan, PMU_ENERGY_CORES);
}

enum plan_number { LOAD_MS, LOOK_OPS, PLAN_US, PLAN_OPS, PLAN_KIB, PEAK_KIB, N_PLAN_NUMBERS };

static int plan_once(const struct pmu_machine *machine, const struct pmu_plan *plan,
		     pmu_msr_found found, double *value)
{
	struct pmu_msr_program program;
	double start = cpu_ns();
	int rc = pmu_msr_program_make(machine, plan, found, &program, NULL);

	value[PLAN_US] = (cpu_ns() - start) / 1e3;
	value[PLAN_OPS] = (double)program.n_ops;
	value[PLAN_KIB] = ((double)program.n_ops * sizeof(*program.op) +
			   (double)program.n_units * sizeof(*program.unit)) /
			  1024;
	pmu_msr_program_free(&program);
	return rc;
}

/* As a session does it: what is there first, then all of it.  Every register is found to hold 0. */
static int time_plans(const struct pmu_machine *machine, const struct pmu_plan *plan, double *value)
{
	struct pmu_msr_program look;
	double us[PLANS];
	uint64_t *found;
	int rc = pmu_msr_program_look(machine, plan, &look);

	value[LOOK_OPS] = (double)look.n_ops;
	found = calloc(look.n_ops + 1, sizeof(*found));
	pmu_msr_program_free(&look);
	for (int i = 0; !rc && found && i < PLANS; i++) {
		rc = plan_once(machine, plan, found, value);
		us[i] = value[PLAN_US];
	}
	if (!found || rc) {
		free(found);
		return -1;
	}
	free(found);
	sort_numbers(us, PLANS);
	value[PLAN_US] = us[PLANS / 2];
	return 0;
}

/* Which machine, its topology, how many processors. */
int child_plan(char **argument)
{
	bool westmere = !strcmp(argument[0], machine_westmere.name);
	char cpuid[PATH_MAX];
	struct pmu_machine_from from = { .cpuid_file = cpuid, .topology = argument[1] };
	struct pmu_plan plan = { .scope = PMU_COUNT_CPU };
	struct pmu_machine *machine;
	double value[N_PLAN_NUMBERS], start = cpu_ns();
	int rc;

	data_path(cpuid, sizeof(cpuid), westmere ? machine_westmere.cpuid : machine_zen.cpuid);
	rc = pmu_machine_load(&from, &machine);
	value[LOAD_MS] = (cpu_ns() - start) / 1e6;
	if (!rc && machine->n_cpus != strtoul(argument[2], NULL, 10))
		rc = pmu_fail(EINVAL, "%zu processors instead of %s", machine->n_cpus, argument[2]);
	if (!rc) {
		(westmere ? plan_westmere : plan_zen)(&plan);
		rc = time_plans(machine, &plan, value);
		pmu_machine_free(machine);
	}
	if (rc) {
		fprintf(stderr, "no plan: %s\n", pmu_error_text());
		return 1;
	}
	value[PEAK_KIB] = peak_kib();
	for (int i = 0; i < N_PLAN_NUMBERS; i++)
		printf("%.9g ", value[i]);
	return 0;
}

/* --- in the parent: the plan's numbers, and what is shown of it --- */

/*
 * What `pmu msr plan` says: a line for what all processors do alike, one for each operation, or as
 * JSON.
 */
static const struct shown {
	const char *option, *title;
} shown[] = { { NULL, "pmu plan" },
	      { "--all", "pmu plan --all" },
	      { "--json", "pmu plan --json" } };
#define N_SHOWN (sizeof(shown) / sizeof(*shown))

static void show(const struct machine *machine, const char *topology, const struct shown *what,
		 const char *folder, struct series *row, unsigned int at)
{
	char cpuid[PATH_MAX], out[PATH_MAX], why[200] = "";
	const char *const word[] = { "plan",   "--cpuid",    cpuid, "--topology",
				     topology, what->option, NULL };
	struct taken taken;

	data_path(cpuid, sizeof(cpuid), machine->cpuid);
	snprintf(out, sizeof(out), "%s/plan.out", folder);
	if (run_command(word, out, out, &taken, why, sizeof(why)) < 0) {
		series_fail(&row[0], why);
		series_fail(&row[1], why);
		return;
	}
	row[0].value[at] = taken.ms;
	row[1].value[at] = taken.peak_mib;
}

/* One size of everything: first the plan's numbers, then two rows for each way of showing it. */
static void measure_size(const struct machine *machine, unsigned int at, const char *folder,
			 struct series *row)
{
	char topology[PATH_MAX], n[16], why[300] = "";
	struct child child = { .argument = { "plan", machine->name, topology, n } };
	double value[N_PLAN_NUMBERS];

	snprintf(n, sizeof(n), "%u", machine_sizes.size[at]);
	snprintf(topology, sizeof(topology), "%s/%s-%s.xml", folder, machine->name, n);
	if (machine_topology(machine, machine_sizes.size[at], topology, why, sizeof(why)) < 0) {
		for (size_t i = 0; i < N_PLAN_NUMBERS + 2 * N_SHOWN; i++)
			series_fail(&row[i], why);
		return;
	}
	if (run_child(&child, value, N_PLAN_NUMBERS) < 0)
		for (int i = 0; i < N_PLAN_NUMBERS; i++)
			series_fail(&row[i], child.why);
	else
		for (int i = 0; i < N_PLAN_NUMBERS; i++)
			row[i].value[at] = value[i];
	for (size_t i = 0; i < N_SHOWN; i++)
		show(machine, topology, &shown[i], folder, &row[N_PLAN_NUMBERS + 2 * i], at);
}

static void measure_machine(const struct machine *machine, const struct sizes *sizes,
			    const char *folder)
{
	char heading[160], titles[N_SHOWN][64];
	struct series row[N_PLAN_NUMBERS + 2 * N_SHOWN] = {
		[LOAD_MS] = series_for("topology (XML) and CPUID loaded", "ms", LINEAR, false),
		[LOOK_OPS] = series_for("registers looked at before", "", LINEAR, true),
		[PLAN_US] = series_for("plan made", "us", LINEAR, false),
		[PLAN_OPS] = series_for("operations of the plan", "", LINEAR, true),
		[PLAN_KIB] = series_for("size of the plan", "KiB", LINEAR, true),
		[PEAK_KIB] = series_for("most memory of the process", "KiB", LINEAR, true),
	};

	for (size_t i = 0; i < N_SHOWN; i++) {
		snprintf(titles[i], sizeof(titles[i]), "%s, memory", shown[i].title);
		row[N_PLAN_NUMBERS + 2 * i] = series_for(shown[i].title, "ms", LINEAR, false);
		row[N_PLAN_NUMBERS + 2 * i + 1] = series_for(titles[i], "MiB", LINEAR, true);
	}
	snprintf(heading, sizeof(heading), "Planning: %s, sockets of 64 processors (%s)",
		 machine->title, machine->shape);
	series_heading(heading, sizes);
	for (unsigned int at = 0; at < sizes->n; at++)
		measure_size(machine, at, folder, row);
	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++)
		series_row(&row[i]);
}

/* --- registers that all differ --- */

/*
 * What stands for one processor's registers: a file, in which each is 8 bytes at its number, so
 * that it shares 7 of them with the next one.  General and fixed counters (Intel SDM vol. 4: from
 * C1H and 309H) hold numbers as no other processor has them; nobody counts.
 */
static int write_registers(const char *path, unsigned int cpu)
{
	unsigned char byte[4096] = { 0 };
	FILE *file = fopen(path, "wb");
	bool failed = !file;

	for (unsigned int i = 0; i < 12; i++)
		byte[0xc1 + i] = byte[0x309 + i] = (unsigned char)(cpu >> 8 * (i % 2));
	failed = failed || fwrite(byte, sizeof(byte), 1, file) != 1;
	failed |= file && fclose(file) != 0;
	return failed ? -1 : 0;
}

static int write_all_registers(const char *folder, unsigned int n_cpus)
{
	for (unsigned int cpu = 0; cpu < n_cpus; cpu++) {
		char path[PATH_MAX];

		snprintf(path, sizeof(path), "%s/msr%u", folder, cpu);
		if (write_registers(path, cpu) < 0)
			return -1;
	}
	return 0;
}

/* As the environment describes the machine: there its registers are looked at. */
static int plan_different(unsigned int n_cpus, const char *folder, struct taken *taken, char *why,
			  size_t size)
{
	static const char *const name[] = { "PMU_CPUID_FILE", "HWLOC_XMLFILE", "PMU_MSR_DEVICE" };
	static const char *const word[] = { "plan", NULL };
	char path[3][PATH_MAX], out[PATH_MAX];
	int rc;

	data_path(path[0], sizeof(path[0]), machine_westmere.cpuid);
	snprintf(path[1], sizeof(path[1]), "%s/%s-%u.xml", folder, machine_westmere.name, n_cpus);
	snprintf(path[2], sizeof(path[2]), "%s/msr%%d", folder);
	snprintf(out, sizeof(out), "%s/plan.out", folder);
	if (machine_topology(&machine_westmere, n_cpus, path[1], why, size) < 0)
		return -1;
	if (write_all_registers(folder, n_cpus) < 0) {
		snprintf(why, size, "cannot write registers: %s", strerror(errno));
		return -1;
	}
	for (int i = 0; i < 3; i++)
		setenv(name[i], path[i], 1);
	rc = run_command(word, out, out, taken, why, size);
	for (int i = 0; i < 3; i++)
		unsetenv(name[i]);
	return rc;
}

static void measure_different(const struct sizes *sizes, const char *folder)
{
	struct series ms = series_for("pmu plan", "ms", LINEAR, false);
	struct series kib = series_for("pmu plan, size", "KiB", LINEAR, true);

	series_heading("Planning: Westmere-EP, no two processors' registers hold the same", sizes);
	for (unsigned int at = 0; at < sizes->n; at++) {
		struct taken taken;
		char why[200] = "";

		if (plan_different(sizes->size[at], folder, &taken, why, sizeof(why)) < 0) {
			series_fail(&ms, why);
			series_fail(&kib, why);
			continue;
		}
		ms.value[at] = taken.ms;
		kib.value[at] = taken.out_kib;
	}
	series_row(&ms);
	series_row(&kib);
}

void measure_planning(void)
{
	struct sizes sizes;
	char folder[FOLDER_MAX];

	part_begin(&sizes, folder);
	measure_machine(&machine_westmere, &sizes, folder);
	measure_machine(&machine_zen, &sizes, folder);
	measure_different(&sizes, folder);
	run_folder_remove(folder);
}
