/* SPDX-License-Identifier: BSD-3-Clause */
/* One machine: recorded ones from dumps and topologies, and this one. */
#include "machine/machine.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

#include "base/error.h"
#include "machine/mask.h"
#include "unit/part.h"

static char dump_path[PATH_MAX], xml_path[PATH_MAX];

/* @dump, @xml: names in tests/data; NULL for none.  Return: NULL after a failed check. */
static struct pmu_machine *load(const char *dump, const char *xml)
{
	struct pmu_machine_from from = { .cpuid_file = dump ? dump_path : NULL,
					 .topology = xml ? xml_path : NULL };
	const char *top = getenv("TEST_SRCDIR");
	struct pmu_machine *machine;
	int rc;

	snprintf(dump_path, sizeof(dump_path), "%s/tests/data/cpuid/%s", top ? top : ".",
		 dump ? dump : "");
	snprintf(xml_path, sizeof(xml_path), "%s/tests/data/topologies/%s", top ? top : ".",
		 xml ? xml : "");
	rc = pmu_machine_load(&from, &machine);
	if (rc == -ENOTSUP) {
		skip("a dump", "%s", pmu_error_text());
		return NULL;
	}
	if (!ok(!rc, "%s with %s", dump ? dump : "this processor", xml ? xml : "no topology"))
		diag("%s", pmu_error_text());
	return machine;
}

static void is_sorted(const struct pmu_machine *machine)
{
	bool sound = true;

	for (size_t i = 0; i < machine->n_cpus; i++) {
		const struct pmu_machine_cpu *cpu = &machine->cpu[i];

		sound &= !i || cpu->pu.cpu > machine->cpu[i - 1].pu.cpu;
		sound &= cpu->l3 >= 0;
		sound &= cpu->kind >= 0 && (unsigned int)cpu->kind < machine->n_kinds;
	}
	ok(sound, "processors in order, each of a kind and with a cache");
}

static void puts_dump_and_topology_together(void)
{
	struct pmu_machine *machine = load("westmere-ep-x5667.txt", "westmere-ep-2s6c2t.xml");

	if (!machine)
		return;
	ok(machine->recorded, "another machine");
	is_u64(machine->id.model, 0x2c, "model");
	is_str(machine->model ? machine->model->microarchitecture : NULL, "Westmere",
	       "microarchitecture");
	is_u64(machine->n_cpus, 24, "processors");
	is_u64(machine->n_packages, 2, "packages");
	is_u64(machine->n_cores, 12, "cores");
	is_u64(machine->n_l3, 2, "last level caches");
	ok(machine->smt, "two per core");
	is_u64(machine->n_kinds, 1, "one kind");
	is_u64(machine->kind[0].version, 3, "its version");
	is_sorted(machine);
	ok(machine->cpu[12].pu.core == machine->cpu[0].pu.core && machine->cpu[12].pu.smt == 1 &&
		   machine->cpu[12].l3 == machine->cpu[0].l3,
	   "12 is the sibling of 0");
	pmu_machine_free(machine);
}

static void does_without_a_topology(void)
{
	struct pmu_machine *machine = load("westmere-ep-x5667.txt", NULL);

	if (!machine)
		return;
	is_u64(machine->n_cpus, 16, "the processors of the dump");
	is_u64(machine->n_cores, 16, "each a core");
	is_u64(machine->n_packages, 1, "of one package");
	ok(!machine->smt && machine->recorded, "without siblings");
	is_sorted(machine);
	pmu_machine_free(machine);
}

/* How many processors of a kind there are in [from, to). */
static size_t count_kind(const struct pmu_machine *machine, int kind, int from, int to)
{
	size_t n = 0;

	for (size_t i = 0; i < machine->n_cpus; i++)
		n += machine->cpu[i].kind == kind && machine->cpu[i].pu.cpu >= from &&
		     machine->cpu[i].pu.cpu < to;
	return n;
}

static void tells_kinds_apart(void)
{
	struct pmu_machine *machine = load("alderlake-i9-12900k.txt", NULL);

	if (!machine)
		return;
	is_u64(machine->n_kinds, 2, "two kinds");
	ok(machine->kind[0].core_type == PMU_CORE_P && machine->kind[1].core_type == PMU_CORE_E,
	   "the P cores first");
	is_u64(count_kind(machine, 0, 0, 16), 16, "16 processors of P cores");
	is_u64(count_kind(machine, 1, 16, 24), 8, "8 E cores");
	pmu_machine_free(machine);
	machine = load("alderlake-i9-12900k.txt", "raptorlake-hybrid-6p2t-8e.xml");
	if (!machine)
		return;
	is_u64(machine->n_cpus, 20, "a dump of more processors than the topology");
	is_u64(count_kind(machine, 0, 0, 12), 12, "hwloc tells the P cores");
	is_u64(count_kind(machine, 1, 12, 20), 8, "and the E cores");
	is_sorted(machine);
	pmu_machine_free(machine);
}

/* Arrow Lake has E cores of two generations under one type. */
static void tells_generations_apart(void)
{
	struct pmu_machine *machine = load("arrowlake-ultra9-285h.txt", NULL);

	if (!machine)
		return;
	is_u64(machine->n_kinds, 3, "three kinds");
	is_u64(machine->kind[0].n_general, 10, "general counters of Lion Cove");
	is_u64(machine->kind[0].fixed, 0xf, "its fixed ones");
	is_u64(machine->kind[1].fixed, 0x77, "those of Skymont");
	is_u64(machine->kind[2].fixed, 0x7, "those of Crestmont");
	is_u64(count_kind(machine, 0, 0, 2) + count_kind(machine, 0, 10, 14), 6, "Lion Cove");
	is_u64(count_kind(machine, 1, 2, 10), 8, "Skymont");
	is_u64(count_kind(machine, 2, 14, 16), 2, "Crestmont");
	pmu_machine_free(machine);
}

static void places_cores_without_a_cache(void)
{
	struct pmu_machine *machine = load("arrowlake-ultra9-285h.txt",
					   "arrowlake-u-hybrid-2p2t-10e.xml");

	if (!machine)
		return;
	is_sorted(machine);
	is_u64(machine->n_l3, 1, "low-power cores count to their package's cache");
	is_u64(count_kind(machine, 0, 0, INT_MAX), 4, "P cores");
	is_u64(count_kind(machine, 1, 0, INT_MAX), 10,
	       "all others as the first E cores of the dump");
	pmu_machine_free(machine);
	machine = load("zen4-8700g.txt", "zen3-1s16c2t-2ccx.xml");
	if (!machine)
		return;
	is_u64(machine->n_l3, 2, "two caches in a package");
	is_u64(machine->n_packages, 1, "one package");
	is_u64(machine->n_kinds, 1, "one kind");
	is_u64(machine->kind[0].n_general, 6, "counters");
	pmu_machine_free(machine);
}

static void one_processor_speaks_for_all(void)
{
	struct pmu_machine *machine = load("core2-q9450.txt", "haswell-ep-cpu0-offline.xml");

	if (!machine)
		return;
	is_u64(machine->n_cpus, 17, "numbers that begin at 4");
	is_int(machine->cpu[0].pu.cpu, 4, "the first");
	is_u64(count_kind(machine, 0, 4, 21), 17, "all of the one kind");
	pmu_machine_free(machine);
	machine = load("pentium4-no-leaf-0ah.txt", NULL);
	if (!machine)
		return;
	is_int(machine->kind[0].family, PMU_PERFMON_NONE, "one without a PMU is a machine, too");
	ok(machine->kind[0].why[0] != '\0', "with the reason");
	pmu_machine_free(machine);
}

/* Where no core has siblings to tell by. */
static void hwloc_orders_kinds(void)
{
	const struct pmu_pu_details *details;
	struct pmu_topology *topology;
	const struct pmu_pu *pu;
	const char *top = getenv("TEST_SRCDIR");
	size_t n, right = 0;

	snprintf(xml_path, sizeof(xml_path),
		 "%s/tests/data/topologies/raptorlake-hybrid-6p2t-8e.xml", top ? top : ".");
	if (!is_int(pmu_topology_load_details(xml_path, &topology), 0,
		    "a topology with kinds of core"))
		return;
	details = pmu_topology_details(topology);
	n = pmu_topology_pus(topology, &pu);
	for (size_t i = 0; i < n; i++)
		right += details[i].core_type == (pu[i].cpu < 12 ? PMU_CORE_P : PMU_CORE_E);
	is_u64(right, 20, "the efficient kind is that of the E cores");
	ok(pmu_topology_is_other(topology), "of another machine");
	pmu_topology_free(topology);
}

static int load_text(const char *text, struct pmu_machine **machine)
{
	char path[] = "/tmp/pmu-machine-XXXXXX";
	struct pmu_machine_from from = { .cpuid_file = path };
	int fd = mkstemp(path), rc;

	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		diag("cannot write %s", path);
	close(fd);
	rc = pmu_machine_load(&from, machine);
	unlink(path);
	return rc;
}

static void says_what_is_wrong(void)
{
	struct pmu_machine_from from = { .cpuid_file = "/nowhere/dump" };
	struct pmu_machine *machine = (struct pmu_machine *)&from;
	char text[4096] = "";

	is_int(pmu_machine_load(&from, &machine), -ENOENT, "no dump");
	has(pmu_error_text(), "/nowhere/dump", "is named");
	ok(!machine, "and no machine");
	from = (struct pmu_machine_from){ .topology = "/nowhere/topology.xml" };
	ok(pmu_machine_load(&from, &machine) < 0, "no topology");
	has(pmu_error_text(), "/nowhere/topology.xml", "is named");
	from.topology = "/dev/null";
	ok(pmu_machine_load(&from, &machine) < 0, "an empty topology");
	is_int(load_text("CPUID 00000000: 0000000B-756E6547-6C65746E-49656E69\n", &machine),
	       -EINVAL, "a dump that does not say who it is");
	has(pmu_error_text(), "leaf 01H", "names the leaf");
	for (int i = 1; i <= PMU_MAX_KINDS + 1; i++)
		snprintf(
			text + strlen(text), sizeof(text) - strlen(text),
			"------[ Logical CPU #%d ]------\nCPUID 00000000: 0000000B-756E6547-6C65746E-49656E69\n"
			"CPUID 00000001: 000206C2-0-0-0\nCPUID 0000000A: 0730%02X03-0-0-603\n",
			i, i);
	is_int(load_text(text, &machine), -E2BIG, "more kinds of core than there can be");
}

/* Leaves of a hybrid's processor. */
#define HYBRID(number, type)                                                                                 \
	"------[ Logical CPU #" number                                                                       \
	" ]------\nCPUID 00000000: 00000020-756E6547-6C65746E-49656E69\n"                                    \
	"CPUID 00000001: 00090672-0-8000-0\nCPUID 00000007: 0-0-0-8000\nCPUID 0000000A: 07300605-0-7-8603\n" \
	"CPUID 0000001A: " type "000001-0-0-0\n"

static void puts_performance_cores_first(void)
{
	struct pmu_machine *machine;

	if (!is_int(load_text(HYBRID("0", "20") HYBRID("1", "40") HYBRID("2", "20"), &machine), 0,
		    "a hybrid whose first processor is an E core"))
		return;
	ok(machine->n_kinds == 2 && machine->kind[0].core_type == PMU_CORE_P,
	   "has its P cores first");
	ok(machine->cpu[0].kind == 1 && machine->cpu[1].kind == 0 && machine->cpu[2].kind == 1,
	   "and every processor its kind");
	ok(machine->unplaced, "where they are is not known");
	pmu_machine_free(machine);
}

static void keeps_to_the_mask(void)
{
	struct pmu_mask before, one;
	struct pmu_machine *machine;
	int cpu;

	if (pmu_mask_of_thread(0, &before) || pmu_mask_count(&before) < 2) {
		skip("a narrower mask", "there is but one processor here");
		return;
	}
	cpu = pmu_mask_next(&before, pmu_mask_next(&before, 0) + 1);
	memset(&one, 0, sizeof(one));
	pmu_mask_set(&one, cpu);
	pmu_mask_apply(&one);
	if (is_int(pmu_machine_load(NULL, &machine), 0, "with one processor allowed")) {
		ok(machine->n_cpus == 1 && machine->cpu[0].pu.cpu == cpu,
		   "it is the machine's only one");
		is_u64(machine->n_cores, 1, "one core");
		pmu_machine_free(machine);
	}
	pmu_mask_apply(&before);
}

static void knows_this_machine(void)
{
	struct pmu_mask before, after, used;
	struct pmu_machine *machine;
	int rc;

	if (pmu_mask_of_thread(0, &before)) {
		skip("this machine", "the kernel does not tell where a thread may run");
		return;
	}
	rc = pmu_machine_load(NULL, &machine);
	if (!ok(!rc, "this machine"))
		diag("%s", pmu_error_text());
	if (rc)
		return;
	ok(!pmu_mask_of_thread(0, &after) && pmu_mask_equal(&before, &after),
	   "the thread is where it was");
	memset(&used, 0, sizeof(used));
	for (size_t i = 0; i < machine->n_cpus; i++)
		pmu_mask_set(&used, machine->cpu[i].pu.cpu);
	ok(pmu_mask_equal(&before, &used), "the processors it may use");
	ok(!machine->recorded, "is not another one");
	ok(machine->n_kinds >= 1 && machine->n_cores >= 1 && machine->n_packages >= 1 &&
		   machine->n_l3 >= 1,
	   "has kinds, cores, packages and caches");
	is_sorted(machine);
	for (unsigned int i = 0; i < machine->n_kinds; i++)
		ok((machine->kind[i].family == PMU_PERFMON_NONE) ==
			   (machine->kind[i].why[0] != '\0'),
		   "a PMU or a reason");
	pmu_machine_free(machine);
}

/* As in a program that is given its topology by hwloc's own variable. */
static void takes_hwlocs_variable(void)
{
	struct pmu_machine_from from = { .cpuid_file = dump_path };
	const char *top = getenv("TEST_SRCDIR");
	struct pmu_machine *machine;
	int rc;

	snprintf(dump_path, sizeof(dump_path), "%s/tests/data/cpuid/nehalem-i7-920.txt",
		 top ? top : ".");
	snprintf(xml_path, sizeof(xml_path), "%s/tests/data/topologies/westmere-ep-2s6c2t.xml",
		 top ? top : ".");
	setenv("HWLOC_XMLFILE", xml_path, 1);
	rc = pmu_machine_load(&from, &machine);
	if (rc == -ENOTSUP) {
		skip("a dump with HWLOC_XMLFILE", "%s", pmu_error_text());
	} else if (is_int(rc, 0, "a dump with HWLOC_XMLFILE")) {
		is_u64(machine->n_cpus, 24, "has the processors of that file");
		pmu_machine_free(machine);
	}
	unsetenv("HWLOC_XMLFILE");
}

UNIT_PART(machine)
{
	puts_dump_and_topology_together();
	does_without_a_topology();
	tells_kinds_apart();
	tells_generations_apart();
	places_cores_without_a_cache();
	one_processor_speaks_for_all();
	says_what_is_wrong();
	puts_performance_cores_first();
	hwloc_orders_kinds();
	knows_this_machine();
	keeps_to_the_mask();
	takes_hwlocs_variable();
	return done_testing();
}
