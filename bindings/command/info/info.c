/* SPDX-License-Identifier: BSD-3-Clause */
/* `pmu info`: which CPU this is, and what its PMU can do. */
#include "bindings/command/info/info.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "bindings/command/command.h"
#include "bindings/command/complete/complete.h"
#include "counters/msr/device.h"

struct request {
	struct pmu_machine_from from;
	const char *raw; /* a file to be written */
	bool json;
};

static const struct pmu_option info_options[] = {
	{ "--cpuid", .argument = "DUMP", PMU_OPTION_TEXT(struct request, from.cpuid_file),
	  .complete = pmu_complete_files,
	  .help = "of another machine: its CPUID leaves as text, in libcpuid's raw format or as lines \"CPUID 0000000A: 07300403-00000044-00000000-00000603\"" },
	{ "--topology", .argument = "XML", PMU_OPTION_TEXT(struct request, from.topology),
	  .complete = pmu_complete_files, .help = "its topology, as 'lstopo --of xml' writes it" },
	{ "--json", PMU_OPTION_FLAG(struct request, json), .help = "for programs" },
	{ "--raw", .argument = "FILE", PMU_OPTION_TEXT(struct request, raw),
	  .complete = pmu_complete_files,
	  .help = "write the CPUID leaves of every processor to FILE instead, as --cpuid reads them, by libcpuid; '-' is standard output" },
	{ 0 },
};

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

static int show_info(struct pmu_info *info, const struct request *request)
{
	struct pmu_strbuf out = { 0 };

	pmu_info_identify(info, request->from.cpuid_file);
	find_full_width(info, request->from.msr_device);
	if (request->json)
		pmu_info_json(info, &out);
	else
		pmu_info_text(info, &out);
	return pmu_command_print(&out);
}

static int run_info(const struct pmu_command *self, int argc, char **argv)
{
	struct request request = { .json = false };
	struct pmu_info info = { .machine = NULL };
	struct pmu_machine *machine;
	int i, rc;

	for (i = 1; i < argc; i++) {
		rc = pmu_command_option(self, info_options, &request, argv, &i);
		if (rc)
			return rc;
	}
	pmu_command_machine_else(&request.from);
	if (pmu_machine_load(&request.from, &machine)) {
		pmu_command_error("%s", pmu_error_text());
		return PMU_EXIT_FAILED;
	}
	info.machine = machine;
	if (request.raw)
		rc = pmu_info_write_raw(machine, request.from.cpuid_file, request.raw);
	else
		rc = show_info(&info, &request);
	pmu_machine_free(machine);
	return rc;
}

const struct pmu_command pmu_command_info = {
	.name = "info",
	.usage = "info [--cpuid DUMP] [--topology XML] [--json | --raw FILE]",
	.about = "say what processor this is and what its PMU can do",
	.help = "Vendor, model, microarchitecture, features, the counters with their widths, the\n"
		"architectural events, and what is where.  Nothing is written to the machine.\n",
	.options = info_options,
	.run = run_info,
};
