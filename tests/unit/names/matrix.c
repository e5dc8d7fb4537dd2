/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every shipped group on processors that are not here: it is read, its events are found, and they
 * fit the counters, with the NMI watchdog's event on one of them and without; or what is given up
 * is known.
 */
#include <errno.h>

#include "base/error.h"
#include "base/strbuf.h"
#include "counters/msr/program.h"
#include "counters/msr/registers.h"
#include "names/file/file.h"
#include "session/fit.h"
#include "tap.h"
#include "unit/machines.h"

#define SYSFS TEST_SRCDIR "/tests/data/sysfs/"

/* --- processors --- */

/*
 * Cores of Arm: their programmable counters beside the one for cycles, and what the kernel finds in
 * PMCEID*_EL0.
 */
struct arm {
	unsigned int n_counters;
	bool has_stalls, has_last_level;
};

struct cpu {
	const char *name;
	uint32_t family, model, stepping;
	const char *made;        /* machines.h; NULL: arm */
	unsigned int general;    /* its counters, with SMT */
	const char *sysfs;       /* the kernel's PMUs, or NULL */
	enum pmu_core_type kind; /* for which the result is; of hybrids alone */
	struct arm arm;
};

static const struct cpu cpus[] = {
	{ .name = "Nehalem", .family = 6, .model = 0x1a, .made = "nehalem", .general = 4 },
	{ .name = "Westmere-EP", .family = 6, .model = 0x2c, .made = "westmere", .general = 4 },
	{ .name = "Sandy Bridge",
	  .family = 6,
	  .model = 0x2a,
	  .made = "sandybridge",
	  .general = 4,
	  .sysfs = SYSFS "client" },
	{ .name = "Haswell",
	  .family = 6,
	  .model = 0x3c,
	  .made = "haswell-ep",
	  .general = 4,
	  .sysfs = SYSFS "client" },
	{ .name = "Skylake-X",
	  .family = 6,
	  .model = 0x55,
	  .stepping = 4,
	  .made = "skylake",
	  .general = 4,
	  .sysfs = SYSFS "skylake-server" },
	{ .name = "Ice Lake-X",
	  .family = 6,
	  .model = 0x6a,
	  .made = "icelake",
	  .general = 8,
	  .sysfs = SYSFS "skylake-server" },
	{ .name = "Sapphire Rapids",
	  .family = 6,
	  .model = 0x8f,
	  .made = "icelake",
	  .general = 8,
	  .sysfs = SYSFS "skylake-server" },
	{ .name = "Granite Rapids",
	  .family = 6,
	  .model = 0xad,
	  .made = "icelake",
	  .general = 8,
	  .sysfs = SYSFS "skylake-server" },
	{ .name = "Sierra Forest",
	  .family = 6,
	  .model = 0xaf,
	  .made = "silvermont",
	  .general = 8,
	  .sysfs = SYSFS "skylake-server" },
	{ .name = "Alder Lake P",
	  .family = 6,
	  .model = 0x97,
	  .made = "alderlake",
	  .sysfs = SYSFS "hybrid",
	  .kind = PMU_CORE_P },
	{ .name = "Alder Lake E",
	  .family = 6,
	  .model = 0x97,
	  .made = "alderlake",
	  .sysfs = SYSFS "hybrid",
	  .kind = PMU_CORE_E },
	{ .name = "Zen 2", .family = 0x17, .model = 0x31, .made = "zen2", .general = 6 },
	{ .name = "Zen 3", .family = 0x19, .model = 0x01, .made = "zen3", .general = 6 },
	{ .name = "Zen 4",
	  .family = 0x19,
	  .model = 0x11,
	  .made = "zen4",
	  .general = 6,
	  .sysfs = SYSFS "zen" },
	{ .name = "Zen 5",
	  .family = 0x1a,
	  .model = 0x02,
	  .made = "zen4",
	  .general = 6,
	  .sysfs = SYSFS "zen" },
	{ .name = "Cortex-A72", .family = 0x41, .model = 0xd08, .arm = { .n_counters = 6 } },
	{ .name = "Neoverse N1",
	  .family = 0x41,
	  .model = 0xd0c,
	  .arm = { .n_counters = 6, .has_stalls = true, .has_last_level = true } },
	{ .name = "Neoverse V2",
	  .family = 0x41,
	  .model = 0xd4f,
	  .arm = { .n_counters = 6, .has_stalls = true, .has_last_level = true } },
	{ .name = "A64FX",
	  .family = 0x46,
	  .model = 0x001,
	  .arm = { .n_counters = 8, .has_stalls = true } },
};

/* Processors of servers: what can be counted of them must be enough for a first look at a program. */
#define INTEL_SERVER(text, number, step, like, counters)                                    \
	{                                                                                   \
		.name = text, .family = 6, .model = number, .stepping = step, .made = like, \
		.general = counters, .sysfs = SYSFS "skylake-server"                        \
	}
#define AMD_SERVER(text, fam, number, like)                                               \
	{                                                                                 \
		.name = text, .family = fam, .model = number, .made = like, .general = 6, \
		.sysfs = SYSFS "zen"                                                      \
	}
#define ARM_SERVER(text, implementer, part, counters, last_level)   \
	{                                                           \
		.name = text, .family = implementer, .model = part, \
		.arm = { counters,                                  \
			 true,                                      \
			 last_level }                               \
	}
static const struct cpu servers[] = {
	INTEL_SERVER("Nehalem-EP", 0x1a, 5, "nehalem", 4),
	INTEL_SERVER("Nehalem-EX", 0x2e, 6, "nehalem-ex", 4),
	INTEL_SERVER("Westmere-EP", 0x2c, 2, "westmere", 4),
	INTEL_SERVER("Westmere-EX", 0x2f, 2, "nehalem-ex", 4),
	INTEL_SERVER("Sandy Bridge-EP", 0x2d, 7, "sandybridge", 4),
	INTEL_SERVER("Ivy Bridge-EP", 0x3e, 4, "sandybridge", 4),
	INTEL_SERVER("Haswell-EP", 0x3f, 2, "haswell-ep", 4),
	INTEL_SERVER("Broadwell-EP", 0x4f, 1, "haswell-ep", 4),
	INTEL_SERVER("Broadwell-DE", 0x56, 3, "haswell-ep", 4),
	INTEL_SERVER("Avoton", 0x4d, 8, "silvermont", 2),
	INTEL_SERVER("Denverton", 0x5f, 1, "silvermont", 4),
	INTEL_SERVER("Knights Landing", 0x57, 1, "silvermont", 2),
	INTEL_SERVER("Knights Mill", 0x85, 0, "silvermont", 2),
	INTEL_SERVER("Skylake-SP", 0x55, 4, "skylake", 4),
	INTEL_SERVER("Cascade Lake", 0x55, 7, "skylake", 4),
	INTEL_SERVER("Cooper Lake", 0x55, 11, "skylake", 4),
	INTEL_SERVER("Ice Lake-SP", 0x6a, 6, "icelake", 8),
	INTEL_SERVER("Ice Lake-D", 0x6c, 1, "icelake", 8),
	INTEL_SERVER("Snow Ridge", 0x86, 4, "silvermont", 4),
	INTEL_SERVER("Sapphire Rapids", 0x8f, 8, "icelake", 8),
	INTEL_SERVER("Emerald Rapids", 0xcf, 2, "icelake", 8),
	INTEL_SERVER("Granite Rapids", 0xad, 1, "icelake", 8),
	INTEL_SERVER("Granite Rapids-D", 0xae, 1, "icelake", 8),
	INTEL_SERVER("Sierra Forest", 0xaf, 3, "silvermont", 8),
	INTEL_SERVER("Grand Ridge", 0xb6, 0, "silvermont", 8),
	INTEL_SERVER("Clearwater Forest", 0xdd, 0, "skymont", 8),
	AMD_SERVER("Naples", 0x17, 0x01, "zen2"),
	AMD_SERVER("Rome", 0x17, 0x31, "zen2"),
	AMD_SERVER("Milan", 0x19, 0x01, "zen3"),
	AMD_SERVER("Genoa", 0x19, 0x11, "zen4"),
	AMD_SERVER("Bergamo", 0x19, 0xa0, "zen4"),
	AMD_SERVER("Instinct MI300A", 0x19, 0x90, "zen4"),
	AMD_SERVER("Turin", 0x1a, 0x02, "zen4"),
	AMD_SERVER("Turin Dense", 0x1a, 0x11, "zen4"),
	ARM_SERVER("Neoverse N1, Ampere Altra", 0x41, 0xd0c, 6, true),
	ARM_SERVER("Neoverse V1", 0x41, 0xd40, 6, true),
	ARM_SERVER("Neoverse N2", 0x41, 0xd49, 6, true),
	ARM_SERVER("Neoverse V2, Grace", 0x41, 0xd4f, 6, true),
	ARM_SERVER("Neoverse N3", 0x41, 0xd8e, 6, true),
	ARM_SERVER("Neoverse V3", 0x41, 0xd84, 6, true),
	ARM_SERVER("A64FX", 0x46, 0x001, 8, false),
	ARM_SERVER("AmpereOne", 0xc0, 0xac3, 6, false),
	ARM_SERVER("AmpereOneX", 0xc0, 0xac4, 6, false),
};

/* --- what is to come out; what is not here fits, with the watchdog as well --- */

struct expected {
	const char *group, *cpu;
	const char *alone, *beside_watchdog;
};

static const struct expected expectations[] = {
#include "unit/names/matrix.h"
};

static bool used[sizeof(expectations) / sizeof(expectations[0])];

static const char *expectation(const char *group, const char *cpu, bool watchdog)
{
	for (size_t i = 0; i < sizeof(expectations) / sizeof(expectations[0]); i++) {
		if (strcmp(expectations[i].group, group) != 0 ||
		    strcmp(expectations[i].cpu, cpu) != 0)
			continue;
		used[i] = true;
		return watchdog ? expectations[i].beside_watchdog : expectations[i].alone;
	}
	return "fits";
}

/* --- what is tried --- */

struct trial {
	const struct cpu *cpu;
	bool watchdog;
	struct pmu_machine *machine; /* NULL: arm */
	/* result: slots that the kind of core in question does not count */
	uint32_t absent_here;
};

static struct pmu_machine *make_machine(const struct cpu *cpu, const struct pmu_cpu_model *model)
{
	struct pmu_machine *machine = made_machine(cpu->made, 1, 4, 2);

	machine->model = model;
	machine->id.family = cpu->family;
	machine->id.model = cpu->model;
	machine->id.stepping = cpu->stepping;
	if (cpu->general) {
		machine->kind[0].n_general = cpu->general;
		machine->kind[0].general = (1u << cpu->general) - 1;
	}
	return machine;
}

/* The watchdog counts cycles: on the fixed counter for them, or on the first of AMD's. */
static uint64_t value_of(const struct trial *trial, uint32_t address)
{
	bool amd = trial->machine->kind[0].family == PMU_PERFMON_AMD;

	/* graphics that are in use */
	if (address == MSR_PP1_ENERGY_STATUS)
		return 1;
	if (!trial->watchdog)
		return 0;
	if (amd)
		return address == MSR_AMD_PERF_CTL0    ? 0x530076
		       : address == MSR_AMD_GLOBAL_CTL ? 1
						       : 0;
	return address == MSR_IA32_FIXED_CTR_CTRL     ? 0xb0
	       : address == MSR_IA32_PERF_GLOBAL_CTRL ? UINT64_C(1) << 33
						      : 0;
}

static uint64_t *look(const struct trial *trial, const struct pmu_plan *plan)
{
	struct pmu_msr_program looked;
	uint64_t *found = NULL;

	if (pmu_msr_program_look(trial->machine, plan, &looked))
		diag("look: %s", pmu_error_text());
	else
		found = calloc(looked.n_ops + 1, sizeof(*found));
	for (size_t i = 0; found && i < looked.n_ops; i++)
		found[i] = value_of(trial, looked.op[i].address);
	pmu_msr_program_free(&looked);
	return found;
}

/* Counters of what the kernel alone knows, and of what it does itself, are not in short supply. */
static struct pmu_plan of_cores_and_registers(const struct pmu_plan *plan)
{
	struct pmu_plan rest = *plan;

	for (unsigned int i = 0; i < plan->n_slots; i++)
		if (plan->slot[i].kind == PMU_SLOT_SOFTWARE ||
		    plan->slot[i].kind == PMU_SLOT_NVML ||
		    (plan->slot[i].kind == PMU_SLOT_UNCORE && plan->slot[i].unit == PMU_UNIT_NONE))
			rest.absent |= 1u << i;
	return rest;
}

static bool is_empty(const struct pmu_plan *plan)
{
	return plan->absent == (1u << plan->n_slots) - 1;
}

static int probe_registers(struct trial *trial, const struct pmu_plan *plan,
			   struct pmu_probe *probe)
{
	struct pmu_plan rest = of_cores_and_registers(plan);
	struct pmu_msr_program program;
	uint64_t *found;
	int rc;

	trial->absent_here = 0;
	if (is_empty(&rest))
		return 0;
	found = look(trial, &rest);
	rc = pmu_msr_program_make(trial->machine, &rest, found, &program, probe);
	for (unsigned int k = 0; rc == 0 && trial->cpu->kind && k < trial->machine->n_kinds; k++)
		if (trial->machine->kind[k].core_type == trial->cpu->kind)
			trial->absent_here = program.missing[k];
	pmu_msr_program_free(&program);
	free(found);
	return rc;
}

static bool arm_has(const struct arm *arm, const struct pmu_slot *slot)
{
	bool last_level = slot->type == PERF_TYPE_HW_CACHE &&
			  (slot->config & 0xff) == PERF_COUNT_HW_CACHE_LL;
	bool stall = slot->type == PERF_TYPE_HARDWARE &&
		     (slot->config == PERF_COUNT_HW_STALLED_CYCLES_FRONTEND ||
		      slot->config == PERF_COUNT_HW_STALLED_CYCLES_BACKEND);

	if (slot->kind != PMU_SLOT_CORE)
		return false;
	if (slot->type == PERF_TYPE_HARDWARE && slot->config == PERF_COUNT_HW_REF_CPU_CYCLES)
		return false;
	return !(last_level && !arm->has_last_level) && !(stall && !arm->has_stalls);
}

/*
 * As the kernel's driver has it: cycles have a counter of their own, everything else any of the
 * others.
 */
static int probe_arm(const struct trial *trial, const struct pmu_plan *plan,
		     struct pmu_probe *probe)
{
	struct pmu_plan rest = of_cores_and_registers(plan);
	unsigned int free_counters = trial->cpu->arm.n_counters;
	bool cycles_free = !trial->watchdog;
	int rc = 0;

	for (unsigned int i = 0; i < rest.n_slots; i++) {
		const struct pmu_slot *slot = &rest.slot[i];

		if (rest.absent >> i & 1)
			continue;
		if (!arm_has(&trial->cpu->arm, slot))
			probe->error[i] = -ENOENT;
		else if (cycles_free && slot->type == PERF_TYPE_HARDWARE &&
			 slot->config == PERF_COUNT_HW_CPU_CYCLES)
			cycles_free = false;
		else if (free_counters)
			free_counters--;
		else
			probe->error[i] = -ENOSPC;
		if (probe->error[i] && rc != -ENOENT)
			rc = probe->error[i];
	}
	if (rc)
		snprintf(probe->why, sizeof(probe->why),
			 rc == -ENOENT ? "the core does not have it" : "no counter is free");
	return rc;
}

static int probe(void *arg, const struct pmu_plan *plan, struct pmu_probe *answer)
{
	struct trial *trial = arg;

	return trial->machine ? probe_registers(trial, plan, answer)
			      : probe_arm(trial, plan, answer);
}

/* --- what comes out --- */

static void add_names(struct pmu_strbuf *out, const char *before, const struct pmu_group *group,
		      uint32_t slots)
{
	const char *comma = before;

	for (unsigned int i = 0; i < group->n_events; i++)
		if (slots >> i & 1) {
			pmu_strbuf_addf(out, "%s%s", comma, group->event[i].name);
			comma = ", ";
		}
}

/* "fits", "fits but for A, B; not here: C" */
static void describe(const struct trial *trial, const struct pmu_group *group,
		     const struct pmu_fit *fit, struct pmu_strbuf *out)
{
	uint32_t sockets = pmu_plan_sockets(&fit->plan);

	pmu_strbuf_add(out, "fits");
	add_names(out, " but for ", group, fit->plan.absent);
	add_names(out, "; not here: ", group, trial->absent_here & ~fit->plan.absent & ~sockets);
}

/* @asked: as for pmu_fit().  Return: whether it can be counted; @out: the sentence about it. */
static bool try_group(const struct cpu *cpu, const char *name, bool watchdog, bool asked,
		      struct pmu_strbuf *out)
{
	struct pmu_cpu_id id = { .family = cpu->family,
				 .model = cpu->model,
				 .stepping = cpu->stepping };
	struct pmu_catalog catalog = { .sysfs = cpu->sysfs };
	struct trial trial = { .cpu = cpu, .watchdog = watchdog };
	struct pmu_fit fit = { .why = NULL };
	static struct pmu_group group;
	bool fits = true;

	if (cpu->made)
		snprintf(id.vendor, sizeof(id.vendor), "%s",
			 cpu->family == 6 ? "GenuineIntel" : "AuthenticAMD");
	else
		pmu_cpu_midr((uint64_t)cpu->family << 24 | cpu->model << 4, &id);
	catalog.model = pmu_cpu_model_find(&id);
	catalog.id = id;
	if (pmu_group_shipped_find(name, &catalog, &group)) {
		pmu_strbuf_addf(out, "nothing: %s", pmu_error_text());
		return false;
	}
	if (cpu->made)
		trial.machine = make_machine(cpu, catalog.model);
	pmu_group_plan(&group, &fit.plan);
	if (group.n_events && pmu_fit(&group, asked, false, probe, &trial, &fit)) {
		pmu_strbuf_addf(out, "nothing: %s", fit.first.why);
		fits = false;
	} else {
		describe(&trial, &group, &fit, out);
	}
	if (trial.machine)
		made_free(trial.machine);
	return fits;
}

static void every_group_fits_or_says_what_not(bool print)
{
	for (const struct pmu_group_shipped *group = pmu_group_shipped; group->name; group++) {
		for (size_t c = 0; c < sizeof(cpus) / sizeof(cpus[0]); c++) {
			struct pmu_strbuf out[2] = { { 0 }, { 0 } };

			for (int watchdog = 0; watchdog < 2; watchdog++) {
				try_group(&cpus[c], group->name, watchdog, true, &out[watchdog]);
				if (print)
					continue;
				ok(!strcmp(pmu_strbuf_text(&out[watchdog]),
					   expectation(group->name, cpus[c].name, watchdog)),
				   "%s on %s%s", group->name, cpus[c].name,
				   watchdog ? ", beside the watchdog" : "");
				if (strcmp(pmu_strbuf_text(&out[watchdog]),
					   expectation(group->name, cpus[c].name, watchdog)) != 0)
					diag("got \"%s\", want \"%s\"",
					     pmu_strbuf_text(&out[watchdog]),
					     expectation(group->name, cpus[c].name, watchdog));
			}
			if (print && (strcmp(pmu_strbuf_text(&out[0]), "fits") != 0 ||
				      strcmp(pmu_strbuf_text(&out[1]), "fits") != 0))
				printf("\t{\"%s\", \"%s\",\n\t \"%s\",\n\t \"%s\"},\n", group->name,
				       cpus[c].name, pmu_strbuf_text(&out[0]),
				       pmu_strbuf_text(&out[1]));
			pmu_strbuf_free(&out[0]);
			pmu_strbuf_free(&out[1]);
		}
	}
}

static void every_expectation_is_of_use(void)
{
	for (size_t i = 0; i < sizeof(expectations) / sizeof(expectations[0]); i++)
		ok(used[i], "%s on %s is tried", expectations[i].group, expectations[i].cpu);
}

#define ENOUGH 10

/* But for the clock, which needs no counter; with the NMI watchdog as well. */
static void every_server_has_enough(void)
{
	for (size_t c = 0; c < sizeof(servers) / sizeof(servers[0]); c++) {
		struct pmu_strbuf missing = { 0 };
		unsigned int n = 0;

		for (const struct pmu_group_shipped *group = pmu_group_shipped; group->name;
		     group++) {
			struct pmu_strbuf out = { 0 };
			bool watchdog = servers[c].made != NULL;

			if (!strcmp(group->name, "TIME"))
				continue;
			if (try_group(&servers[c], group->name, false, false, &out) &&
			    (!watchdog || try_group(&servers[c], group->name, true, false, &out)))
				n++;
			else
				pmu_strbuf_addf(&missing, "%s: %s; ", group->name,
						pmu_strbuf_text(&out));
			pmu_strbuf_free(&out);
		}
		if (!ok(n >= ENOUGH, "%s: %u groups", servers[c].name, n))
			diag("%s", pmu_strbuf_text(&missing));
		pmu_strbuf_free(&missing);
	}
}

/* With an argument: what comes out, as the table. */
int main(int argc, char **argv)
{
	(void)argv;
#if !defined(__x86_64__) && !defined(__i386__)
	return skip_all("libpfm4 has the events of x86 on x86 only");
#endif
	every_group_fits_or_says_what_not(argc > 1);
	if (argc > 1)
		return 0;
	every_expectation_is_of_use();
	every_server_has_enough();
	return done_testing();
}
