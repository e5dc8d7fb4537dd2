/* SPDX-License-Identifier: BSD-3-Clause */
/* `pmu info`: who is this CPU, and what can its PMU do. */
#include "bindings/command/info.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "bindings/command/command.h"
#include "counters/msr/device.h"

struct request {
	struct pmu_machine_from from;
	bool json;
};

static int parse_option(const struct pmu_command *self, struct request *request, char **argv,
			int *i)
{
	const struct pmu_option options[] = {
		{ .name = "--cpuid", .value = &request->from.cpuid_file },
		{ .name = "--topology", .value = &request->from.topology },
		{ .name = "--json", .flag = &request->json },
		{ .name = NULL },
	};

	return pmu_command_option(self, options, argv, i);
}

/*
 * IA32_PERF_CAPABILITIES bit 13, FW_WRITE (Intel SDM vol. 3B, "Full-Width Writes to Performance
 * Counter Registers").
 */
static enum pmu_info_answer read_capabilities(const char *device, int cpu)
{
	uint64_t value;
	char path[512];
	ssize_t got;
	int fd;

	if (pmu_msr_path(device, cpu, path, sizeof(path)))
		return PMU_INFO_UNKNOWN;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return PMU_INFO_UNKNOWN;
	got = pread(fd, &value, sizeof(value), 0x345);
	close(fd);
	if (got != (ssize_t)sizeof(value))
		return PMU_INFO_UNKNOWN;
	return value >> 13 & 1 ? PMU_INFO_YES : PMU_INFO_NO;
}

static void find_full_width(struct pmu_info *info, const char *device)
{
	const struct pmu_machine *machine = info->machine;

	info->full_width_by = "";
	info->full_width = PMU_INFO_NO;
	if (machine->kind[0].family == PMU_PERFMON_AMD)
		info->full_width = PMU_INFO_YES; /* writes there always were */
	if (machine->kind[0].family != PMU_PERFMON_INTEL || !machine->kind[0].pdcm)
		return;
	if (!machine->recorded || device) {
		info->full_width = read_capabilities(device ? device : PMU_MSR_DEVICE_DEFAULT,
						     machine->cpu[0].pu.cpu);
		if (info->full_width == PMU_INFO_UNKNOWN)
			info->full_width_by = "IA32_PERF_CAPABILITIES would tell";
	} else if (machine->model) {
		info->full_width = machine->model->full_width ? PMU_INFO_YES : PMU_INFO_NO;
		info->full_width_by = "going by the model";
	} else {
		info->full_width = PMU_INFO_UNKNOWN;
		info->full_width_by = "IA32_PERF_CAPABILITIES would tell";
	}
}

const char *pmu_info_doubt(const struct pmu_machine *machine, const struct pmu_perfmon *perfmon)
{
	/*
	 * every processor since Bulldozer has the extension; a hypervisor without a PMU takes it
	 * away, and so does one that emulates just the four
	 */
	if (perfmon->family == PMU_PERFMON_AMD && machine->id.hypervisor &&
	    !perfmon->core_extension && machine->id.family >= 0x15)
		return "this model has six, which the hypervisor hides; whether it offers these four, CPUID does not "
		       "tell";
	return NULL;
}

static int run_info(const struct pmu_command *self, int argc, char **argv)
{
	struct request request = { .json = false };
	struct pmu_info info = { .machine = NULL };
	struct pmu_strbuf out = { 0 };
	struct pmu_machine *machine;
	int i, rc = 0;

	for (i = 1; i < argc; i++) {
		rc = parse_option(self, &request, argv, &i);
		if (rc)
			return rc;
	}
	pmu_command_machine_else(&request.from);
	if (pmu_machine_load(&request.from, &machine)) {
		pmu_command_error("%s", pmu_error_text());
		return PMU_EXIT_FAILED;
	}
	info.machine = machine;
	find_full_width(&info, request.from.msr_device);
	if (request.json)
		rc = pmu_info_json(&info, &out);
	else
		pmu_info_text(&info, &out);
	pmu_machine_free(machine);
	if (rc)
		out.failed = 1;
	return pmu_command_print(&out);
}

const struct pmu_command pmu_command_info = {
	.name = "info",
	.usage = "info [--cpuid DUMP] [--topology XML] [--json]",
	.about = "say what processor this is and what its PMU can do",
	.help = "Vendor, model, microarchitecture, the counters with their widths, the architectural\n"
		"events, and what is where.  Nothing is written to the machine.\n"
		"\n"
		"  --cpuid DUMP    of another machine: its CPUID leaves as text, in libcpuid's raw format or\n"
		"                  as lines \"CPUID 0000000A: 07300403-00000044-00000000-00000603\"\n"
		"  --topology XML  its topology, as 'lstopo --of xml' writes it\n"
		"  --json          for programs\n"
		"  -h, --help      this text\n",
	.run = run_info,
};
