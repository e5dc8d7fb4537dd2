/* SPDX-License-Identifier: BSD-3-Clause */
/* `pmu info`: what CPUID says, told by libcpuid and written down. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "bindings/command/command.h"
#include "bindings/command/info/codename.h"
#include "bindings/command/info/info.h"
#include "machine/mask.h"
#include "report/report.h"

static int read_leaves(const char *file, struct pmu_cpuid_dump *dump)
{
	if (file)
		return pmu_cpuid_load(file, dump);
	memset(dump, 0, sizeof(*dump));
	dump->cpu = calloc(1, sizeof(*dump->cpu));
	if (!dump->cpu)
		return pmu_fail(ENOMEM, "no memory for the leaves of CPUID");
	dump->n_cpus = 1;
	return pmu_libcpuid_here(&dump->cpu[0]);
}

void pmu_info_identify(struct pmu_info *info, const char *cpuid_file)
{
	const struct pmu_machine *machine = info->machine;
	struct pmu_libcpuid_identity *identity = &info->identity;
	struct pmu_cpuid_dump dump;

	info->id = machine->id;
	info->identified = !read_leaves(cpuid_file, &dump) &&
			   !pmu_libcpuid_identify(&dump.cpu[0], identity);
	if (info->identified) {
		info->id = identity->id;
		memcpy(info->id.hypervisor_name, machine->id.hypervisor_name,
		       sizeof(info->id.hypervisor_name));
	}
	pmu_cpuid_dump_free(&dump);
	pmu_info_codename(&info->id, machine->model, info->identified ? identity->codename : "",
			  info->codename, sizeof(info->codename));
}

/* --- --raw --- */

static int read_cpu(int cpu, struct pmu_cpuid *cpuid)
{
	struct pmu_mask mask;
	int rc;

	memset(&mask, 0, sizeof(mask));
	pmu_mask_set(&mask, cpu);
	rc = pmu_mask_apply(&mask);
	if (rc)
		return pmu_fail(rc, "cannot run on processor %d: %s", cpu, strerror(-rc));
	return pmu_libcpuid_here(cpuid);
}

/* Every processor that this process may use. */
static int read_all_cpus(const struct pmu_machine *machine, struct pmu_cpuid_dump *dump)
{
	struct pmu_mask before;
	int rc = pmu_mask_of_thread(0, &before);

	if (rc)
		return pmu_fail(rc, "cannot tell where this thread may run: %s", strerror(-rc));
	dump->cpu = calloc(machine->n_cpus + 1, sizeof(*dump->cpu));
	if (!dump->cpu)
		return pmu_fail(ENOMEM, "no memory for the leaves of CPUID");
	for (; dump->n_cpus < machine->n_cpus && !rc; dump->n_cpus++)
		rc = read_cpu(machine->cpu[dump->n_cpus].pu.cpu, &dump->cpu[dump->n_cpus]);
	pmu_mask_apply(&before);
	return rc;
}

static int write_dump(const struct pmu_cpuid_dump *dump, const char *path)
{
	struct pmu_strbuf out = { 0 };
	int rc = pmu_libcpuid_print(dump, &out);

	if (!rc && out.failed)
		rc = pmu_fail(ENOMEM, "no memory for a dump");
	if (!rc && !strcmp(path, "-"))
		return pmu_command_print(&out);
	if (!rc) {
		rc = pmu_report_write_file(path, pmu_strbuf_text(&out), out.len);
		if (rc)
			pmu_fail(rc, "cannot write '%s': %s", path, strerror(-rc));
	}
	pmu_strbuf_free(&out);
	return rc;
}

int pmu_info_write_raw(const struct pmu_machine *machine, const char *cpuid_file, const char *path)
{
	struct pmu_cpuid_dump dump = { .n_cpus = 0 };
	int rc = cpuid_file ? pmu_cpuid_load(cpuid_file, &dump) : read_all_cpus(machine, &dump);

	if (!rc)
		rc = write_dump(&dump, path);
	if (rc < 0)
		pmu_command_error("--raw: %s", pmu_error_text());
	pmu_cpuid_dump_free(&dump);
	return rc ? PMU_EXIT_FAILED : 0;
}
