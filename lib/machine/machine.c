/* SPDX-License-Identifier: BSD-3-Clause */
/* One machine, this or a recorded one. */
#include "machine/machine.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/compiler.h"
#include "base/error.h"
#include "machine/mask.h"

/* --- kinds of core --- */

static bool same_kind(const struct pmu_perfmon *a, const struct pmu_perfmon *b)
{
	return a->family == b->family && a->version == b->version && a->general == b->general &&
	       a->general_bits == b->general_bits && a->fixed == b->fixed &&
	       a->fixed_bits == b->fixed_bits && a->events == b->events &&
	       a->any_thread == b->any_thread && a->umask2 == b->umask2 && a->equal == b->equal &&
	       a->core_extension == b->core_extension && a->nb_extension == b->nb_extension &&
	       a->l3_extension == b->l3_extension && a->n_nb == b->n_nb && a->n_umc == b->n_umc &&
	       a->pdcm == b->pdcm && a->hybrid == b->hybrid && a->core_type == b->core_type;
}

/* Return: its index, added if it is new; -E2BIG. */
static int add_core_kind(struct pmu_machine *machine, const struct pmu_cpuid *cpuid)
{
	struct pmu_perfmon perfmon;

	pmu_perfmon_decode(cpuid, &perfmon);
	for (unsigned int i = 0; i < machine->n_kinds; i++)
		if (same_kind(&machine->kind[i], &perfmon))
			return (int)i;
	if (machine->n_kinds == PMU_MAX_KINDS)
		return pmu_fail(E2BIG, "this machine has more than %d kinds of core",
				PMU_MAX_KINDS);
	machine->kind[machine->n_kinds] = perfmon;
	return (int)machine->n_kinds++;
}

/* Performance cores first; @moved: [PMU_MAX_KINDS] the new index of each. */
static void order_kinds(struct pmu_machine *machine, int moved[PMU_MAX_KINDS])
{
	struct pmu_perfmon kind[PMU_MAX_KINDS];
	unsigned int n = 0;

	for (int pass = 0; pass < 2; pass++) {
		for (unsigned int i = 0; i < machine->n_kinds; i++) {
			if ((machine->kind[i].core_type == PMU_CORE_E) != pass)
				continue;
			moved[i] = (int)n;
			kind[n++] = machine->kind[i];
		}
	}
	memcpy(machine->kind, kind, n * sizeof(kind[0]));
}

static int first_kind_of(const struct pmu_machine *machine, int core_type)
{
	for (unsigned int i = 0; i < machine->n_kinds; i++)
		if ((int)machine->kind[i].core_type == core_type)
			return (int)i;
	return 0;
}

/* --- places --- */

static int by_cpu(const void *a, const void *b)
{
	const struct pmu_machine_cpu *s = a, *t = b;

	return (s->pu.cpu > t->pu.cpu) - (s->pu.cpu < t->pu.cpu);
}

/* The L3 of a package's first processor that has one: low-power cores of some hybrids have none. */
static int l3_of_package(const struct pmu_pu *pu, const struct pmu_pu_details *details, size_t n,
			 int package)
{
	for (size_t i = 0; i < n; i++)
		if (pu[i].package == package && details[i].l3 >= 0)
			return details[i].l3;
	return -1;
}

static bool has_sibling(const struct pmu_pu *pu, size_t n, size_t i)
{
	return pu[i].smt || (i + 1 < n && pu[i + 1].core == pu[i].core);
}

/* How many different values a member has; @seen: room for a mark per value below @n_values. */
static unsigned int count_values(const struct pmu_machine *machine, size_t member, bool *seen,
				 size_t n_values)
{
	unsigned int n = 0;
	int value;

	memset(seen, 0, n_values * sizeof(*seen));
	for (size_t i = 0; i < machine->n_cpus; i++) {
		memcpy(&value, (const char *)&machine->cpu[i] + member, sizeof(value));
		if (value < 0 || (size_t)value >= n_values || seen[value])
			continue;
		seen[value] = true;
		n++;
	}
	return n;
}

static int count_places(struct pmu_machine *machine)
{
	size_t n_values = 1;
	bool *seen;

	for (size_t i = 0; i < machine->n_cpus; i++) {
		const struct pmu_machine_cpu *cpu = &machine->cpu[i];
		const int value[] = { cpu->pu.package, cpu->pu.core, cpu->l3 };

		machine->smt |= cpu->pu.smt > 0;
		for (size_t j = 0; j < PMU_ARRAY_LEN(value); j++)
			if (value[j] >= 0 && (size_t)value[j] >= n_values)
				n_values = (size_t)value[j] + 1;
	}
	seen = calloc(n_values, sizeof(*seen));
	if (!seen)
		return pmu_fail(ENOMEM, "no memory for %zu processors", machine->n_cpus);
	machine->n_packages = count_values(machine, offsetof(struct pmu_machine_cpu, pu.package),
					   seen, n_values);
	machine->n_cores = count_values(machine, offsetof(struct pmu_machine_cpu, pu.core), seen,
					n_values);
	machine->n_l3 = count_values(machine, offsetof(struct pmu_machine_cpu, l3), seen, n_values);
	free(seen);
	return 0;
}

static int make_cpus(struct pmu_machine *machine, size_t n)
{
	machine->n_cpus = n;
	machine->cpu = calloc(n + !n, sizeof(*machine->cpu));
	return machine->cpu ? 0 : pmu_fail(ENOMEM, "no memory for %zu processors", n);
}

/* A dump without a topology: one package, each processor a core. */
static int place_dump(struct pmu_machine *machine, const struct pmu_cpuid_dump *dump)
{
	int rc = make_cpus(machine, dump->n_cpus);

	for (size_t i = 0; !rc && i < dump->n_cpus; i++)
		machine->cpu[i].pu = (struct pmu_pu){ .cpu = (int)i, .core = (int)i };
	return rc;
}

/* Until the kinds are known, cpu->kind is the type of its core. */
static int place_topology(struct pmu_machine *machine, const struct pmu_topology *topology)
{
	const struct pmu_pu_details *details = pmu_topology_details(topology);
	const struct pmu_pu *pu;
	size_t n = pmu_topology_pus(topology, &pu);
	int rc = make_cpus(machine, n);

	for (size_t i = 0; !rc && i < n; i++) {
		int l3 = details[i].l3, type = details[i].core_type;

		if (l3 < 0)
			l3 = l3_of_package(pu, details, n, pu[i].package);
		if (!type)
			type = has_sibling(pu, n, i) ? PMU_CORE_P : PMU_CORE_E;
		machine->cpu[i] = (struct pmu_machine_cpu){ pu[i], l3 < 0 ? pu[i].package : l3,
							    type };
	}
	if (!rc)
		qsort(machine->cpu, n, sizeof(*machine->cpu), by_cpu);
	return rc;
}

/* --- from a dump --- */

/* The dump has a processor for each of the topology's, by number. */
static bool dump_covers(const struct pmu_machine *machine, const struct pmu_cpuid_dump *dump)
{
	return dump->n_cpus == machine->n_cpus && machine->cpu[0].pu.cpu == 0 &&
	       machine->cpu[machine->n_cpus - 1].pu.cpu == (int)machine->n_cpus - 1;
}

static int find_dumped_kinds(struct pmu_machine *machine, const struct pmu_cpuid_dump *dump)
{
	bool covers = dump_covers(machine, dump);
	int moved[PMU_MAX_KINDS] = { 0 };
	int kind;

	for (size_t i = 0; i < dump->n_cpus; i++) {
		kind = add_core_kind(machine, &dump->cpu[i]);
		if (kind < 0)
			return kind;
		if (covers)
			machine->cpu[i].kind = kind;
	}
	order_kinds(machine, moved);
	for (size_t i = 0; i < machine->n_cpus; i++) {
		struct pmu_machine_cpu *cpu = &machine->cpu[i];

		cpu->kind = covers ? moved[cpu->kind] : first_kind_of(machine, cpu->kind);
	}
	return 0;
}

static int from_dump(struct pmu_machine *machine, const char *path,
		     const struct pmu_topology *topology)
{
	struct pmu_cpuid_dump dump;
	int rc = pmu_cpuid_load(path, &dump);

	if (rc)
		return rc;
	if (pmu_cpu_identify_by(&dump.cpu[0], &machine->id)) {
		rc = pmu_fail(EINVAL,
			      "the CPUID dump '%s' lacks leaf 01H, which says what processor it is",
			      path);
		goto free_dump;
	}
	rc = topology ? place_topology(machine, topology) : place_dump(machine, &dump);
	if (!rc)
		rc = find_dumped_kinds(machine, &dump);
free_dump:
	pmu_cpuid_dump_free(&dump);
	return rc;
}

/* --- this machine --- */

/* Neither CPUID nor registers that it describes. */
static void no_cpuid(struct pmu_machine *machine)
{
	struct pmu_perfmon *perfmon = &machine->kind[0];

	pmu_cpu_identify(&machine->id);
	snprintf(perfmon->why, sizeof(perfmon->why), "registers are programmed on x86 only");
	machine->n_kinds = 1;
}

/* The calling processor's. */
static int add_live_kind(struct pmu_machine *machine)
{
	struct pmu_cpuid cpuid;
	int rc = pmu_cpuid_live(&cpuid);

	if (rc)
		return rc;
	pmu_cpu_identify_by(&cpuid, &machine->id);
	rc = add_core_kind(machine, &cpuid);
	pmu_cpuid_free(&cpuid);
	return rc;
}

static int bind_to(int cpu)
{
	struct pmu_mask mask;

	memset(&mask, 0, sizeof(mask));
	pmu_mask_set(&mask, cpu);
	return pmu_mask_apply(&mask);
}

/*
 * The thread visits every processor: cores of one type can differ, as Skymont and the low-power
 * Crestmont of Arrow Lake do.  One that it may not visit is taken for the first of its type.
 */
static int visit_cpus(struct pmu_machine *machine)
{
	int moved[PMU_MAX_KINDS] = { 0 };
	struct pmu_mask before;
	int rc = pmu_mask_of_thread(0, &before);

	if (rc)
		return pmu_fail(rc, "cannot tell where this thread may run: %s", strerror(-rc));
	for (size_t i = 0; i < machine->n_cpus && rc >= 0; i++) {
		struct pmu_machine_cpu *cpu = &machine->cpu[i];

		if (bind_to(cpu->pu.cpu)) {
			cpu->kind = -cpu->kind;
			continue;
		}
		rc = add_live_kind(machine);
		cpu->kind = rc;
	}
	pmu_mask_apply(&before);
	if (rc < 0)
		return rc;
	order_kinds(machine, moved);
	for (size_t i = 0; i < machine->n_cpus; i++) {
		struct pmu_machine_cpu *cpu = &machine->cpu[i];

		cpu->kind = cpu->kind >= 0 ? moved[cpu->kind] : first_kind_of(machine, -cpu->kind);
	}
	return 0;
}

static int from_here(struct pmu_machine *machine, const struct pmu_topology *topology)
{
	int rc = place_topology(machine, topology);

	if (rc)
		return rc;
	rc = add_live_kind(machine);
	if (rc == -ENODEV)
		no_cpuid(machine);
	else if (rc < 0)
		return rc;
	if (machine->kind[0].hybrid && !pmu_topology_is_other(topology))
		return visit_cpus(machine);
	for (size_t i = 0; i < machine->n_cpus; i++)
		machine->cpu[i].kind = 0;
	return 0;
}

/* A dump is of a machine that has the topology named beside it, or in hwloc's variables. */
static bool wants_topology(const struct pmu_machine_from *from)
{
	return !from->cpuid_file || from->topology || secure_getenv("HWLOC_XMLFILE") ||
	       secure_getenv("HWLOC_SYNTHETIC");
}

int pmu_machine_load(const struct pmu_machine_from *from, struct pmu_machine **machine)
{
	static const struct pmu_machine_from here = { .cpuid_file = NULL };
	struct pmu_topology *topology = NULL;
	struct pmu_machine *made;
	int rc = 0;

	*machine = NULL;
	if (!from)
		from = &here;
	made = calloc(1, sizeof(*made));
	if (!made)
		return pmu_fail(ENOMEM, "no memory for a machine's description");
	if (wants_topology(from))
		rc = pmu_topology_load_details(from->topology, &topology);
	if (rc)
		goto free_made;
	made->unplaced = !topology;
	made->recorded = from->cpuid_file || pmu_topology_is_other(topology);
	if (from->cpuid_file)
		rc = from_dump(made, from->cpuid_file, topology);
	else
		rc = from_here(made, topology);
	pmu_topology_free(topology);
	if (!rc)
		rc = count_places(made);
	if (rc)
		goto free_made;
	made->model = pmu_cpu_model_find(&made->id);
	made->partial = !made->recorded && (long)made->n_cpus < sysconf(_SC_NPROCESSORS_ONLN);
	*machine = made;
	return 0;
free_made:
	pmu_machine_free(made);
	return rc;
}

void pmu_machine_free(struct pmu_machine *machine)
{
	if (!machine)
		return;
	free(machine->cpu);
	free(machine);
}
