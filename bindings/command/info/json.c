/* SPDX-License-Identifier: BSD-3-Clause */
/* `pmu info` for programs. */
#include "bindings/command/info/info.h"
#include "bindings/command/json/made.h"

static json_t *answer(enum pmu_info_answer value)
{
	return value == PMU_INFO_UNKNOWN ? json_null() : json_boolean(value == PMU_INFO_YES);
}

static json_t *counters(unsigned int count, unsigned int bits, uint32_t bitmap)
{
	return json_pack("{s:i, s:i, s:I}", "count", (int)count, "bits", (int)bits, "bitmap",
			 (json_int_t)bitmap);
}

/* Null where CPUID does not list events. */
static json_t *events(const struct pmu_perfmon *perfmon)
{
	json_t *object = json_object();

	for (int i = 0; i < PMU_ARCH_EVENTS; i++)
		json_object_set_new(object, pmu_arch_event_name((enum pmu_arch_event)i),
				    perfmon->family == PMU_PERFMON_AMD
					    ? json_null()
					    : json_boolean(perfmon->events >> i & 1));
	return object;
}

static json_t *perfmon_object(const struct pmu_info *info, const struct pmu_perfmon *perfmon)
{
	static const char *const families[] = {
		[PMU_PERFMON_NONE] = "", [PMU_PERFMON_INTEL] = "intel", [PMU_PERFMON_AMD] = "amd"
	};

	return json_pack(
		"{s:o, s:i, s:o, s:o, s:o, s:b, s:o, s:b, s:b, s:b, s:b, s:b, s:i, s:i, s:o, s:o}",
		"family", pmu_json_known_text(families[perfmon->family]), "version",
		(int)perfmon->version, "general",
		counters(perfmon->n_general, perfmon->general_bits, perfmon->general), "fixed",
		counters(perfmon->n_fixed, perfmon->fixed_bits, perfmon->fixed), "events",
		events(perfmon), "any_thread", perfmon->any_thread, "full_width_writes",
		answer(info->full_width), "umask2", perfmon->umask2, "equal", perfmon->equal,
		"core_extension", perfmon->core_extension, "northbridge_extension",
		perfmon->nb_extension, "l3_extension", perfmon->l3_extension,
		"northbridge_counters", (int)perfmon->n_nb, "memory_counters", (int)perfmon->n_umc,
		"why", pmu_json_known_text(perfmon->why), "doubt",
		pmu_json_known_text(pmu_info_doubt(info->machine, perfmon)));
}

static json_t *kind_object(const struct pmu_info *info, unsigned int kind)
{
	const struct pmu_machine *machine = info->machine;
	const struct pmu_perfmon *perfmon = &machine->kind[kind];
	json_t *cpus = json_array();

	for (size_t i = 0; i < machine->n_cpus; i++)
		if (machine->cpu[i].kind == (int)kind)
			json_array_append_new(cpus, json_integer(machine->cpu[i].pu.cpu));
	return json_pack("{s:o, s:o, s:o}", "core_type",
			 pmu_json_known_text(perfmon->core_type == PMU_CORE_P   ? "performance"
					     : perfmon->core_type == PMU_CORE_E ? "efficiency"
										: ""),
			 "cpus", cpus, "perfmon", perfmon_object(info, perfmon));
}

static json_t *kind_objects(const struct pmu_info *info)
{
	json_t *array = json_array();

	for (unsigned int i = 0; i < info->machine->n_kinds; i++)
		json_array_append_new(array, kind_object(info, i));
	return array;
}

static json_t *number_if_known(bool known, unsigned int value)
{
	return known ? json_integer(value) : json_null();
}

static json_t *topology(const struct pmu_machine *machine)
{
	bool known = !machine->unplaced;

	return json_pack("{s:o, s:o, s:I, s:o, s:o}", "sockets",
			 number_if_known(known, machine->n_packages), "cores",
			 number_if_known(known, machine->n_cores), "logical_processors",
			 (json_int_t)machine->n_cpus, "smt",
			 known ? json_boolean(machine->smt) : json_null(), "l3_domains",
			 number_if_known(known, machine->n_l3));
}

/* Null where libcpuid has not been asked, or does not know the processor. */
static json_t *features(const struct pmu_info *info)
{
	json_t *array = info->identified ? json_array() : json_null();

	for (size_t i = 0; info->identified && i < info->identity.n_features; i++)
		json_array_append_new(array, json_string(info->identity.feature[i]));
	return array;
}

/* Its word for it: what fits its tables best. */
static json_t *libcpuid(const struct pmu_info *info)
{
	if (!info->identified)
		return json_null();
	return json_pack("{s:s, s:o}", "version", pmu_libcpuid_version(), "codename",
			 pmu_json_known_text(info->identity.codename));
}

static json_t *info_machine_object(const struct pmu_info *info)
{
	const struct pmu_machine *machine = info->machine;
	const struct pmu_cpu_model *model = machine->model;
	const struct pmu_cpu_id *id = &info->id;

	return json_pack(
		"{s:s, s:I, s:I, s:I, s:s, s:o, s:o, s:o, s:b, s:o, s:b, s:o, s:o, s:o, s:o, s:o}",
		"vendor", id->vendor, "family", (json_int_t)id->family, "model",
		(json_int_t)id->model, "stepping", (json_int_t)id->stepping, "brand", id->brand,
		"microarchitecture", pmu_json_known_text(model ? model->microarchitecture : ""),
		"codename", pmu_json_known_text(info->codename), "process_nm",
		number_if_known(model && model->process_nm, model ? model->process_nm : 0),
		"hypervisor", id->hypervisor, "hypervisor_name",
		pmu_json_known_text(id->hypervisor_name), "recorded", machine->recorded, "perfmon",
		perfmon_object(info, &machine->kind[0]), "kinds", kind_objects(info), "topology",
		topology(machine), "features", features(info), "libcpuid", libcpuid(info));
}

int pmu_info_json(const struct pmu_info *info, struct pmu_strbuf *out)
{
	return pmu_json_made(info_machine_object(info), JSON_INDENT(2), out);
}
