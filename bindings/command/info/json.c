/* SPDX-License-Identifier: BSD-3-Clause */
/* `pmu info` for programs: null is what is not known. */
#include "bindings/command/info/info.h"
#include "bindings/command/json/cpu_id.h"
#include "report/json_put.h"

static void put_counters(struct pmu_strbuf *out, const char *name, unsigned int count,
			 unsigned int bits, uint32_t bitmap)
{
	key(out, ", ", name);
	put_u64(out, "{", "count", count);
	put_u64(out, ", ", "bits", bits);
	put_u64(out, ", ", "bitmap", bitmap);
	pmu_strbuf_add(out, "}");
}

/* Null where CPUID does not list events. */
static void put_arch_events(struct pmu_strbuf *out, const struct pmu_perfmon *perfmon)
{
	key(out, ", ", "events");
	for (int i = 0; i < PMU_ARCH_EVENTS; i++)
		put_answer(out, i ? ", " : "{", pmu_arch_event_name((enum pmu_arch_event)i),
			   perfmon->family == PMU_PERFMON_AMD ? -1
							      : (int)(perfmon->events >> i & 1));
	pmu_strbuf_add(out, "}");
}

static void put_perfmon(struct pmu_strbuf *out, const char *before, const struct pmu_info *info,
			const struct pmu_perfmon *perfmon)
{
	static const char *const families[] = {
		[PMU_PERFMON_NONE] = "", [PMU_PERFMON_INTEL] = "intel", [PMU_PERFMON_AMD] = "amd"
	};

	key(out, before, "perfmon");
	put_known_text(out, "{", "family", families[perfmon->family]);
	put_u64(out, ", ", "version", perfmon->version);
	put_counters(out, "general", perfmon->n_general, perfmon->general_bits, perfmon->general);
	put_counters(out, "fixed", perfmon->n_fixed, perfmon->fixed_bits, perfmon->fixed);
	put_arch_events(out, perfmon);
	put_bool(out, ", ", "any_thread", perfmon->any_thread);
	put_answer(out, ", ", "full_width_writes",
		   info->full_width == PMU_INFO_UNKNOWN ? -1 : info->full_width == PMU_INFO_YES);
	put_bool(out, ", ", "umask2", perfmon->umask2);
	put_bool(out, ", ", "equal", perfmon->equal);
	put_bool(out, ", ", "core_extension", perfmon->core_extension);
	put_bool(out, ", ", "northbridge_extension", perfmon->nb_extension);
	put_bool(out, ", ", "l3_extension", perfmon->l3_extension);
	put_u64(out, ", ", "northbridge_counters", perfmon->n_nb);
	put_u64(out, ", ", "memory_counters", perfmon->n_umc);
	put_known_text(out, ", ", "why", perfmon->why);
	put_known_text(out, ", ", "doubt", pmu_info_doubt(info->machine, perfmon));
	pmu_strbuf_add(out, "}");
}

static void put_kind(struct pmu_strbuf *out, const struct pmu_info *info, unsigned int kind)
{
	const struct pmu_machine *machine = info->machine;
	const struct pmu_perfmon *perfmon = &machine->kind[kind];
	const char *before = "";

	put_known_text(out, "{", "core_type",
		       perfmon->core_type == PMU_CORE_P   ? "performance"
		       : perfmon->core_type == PMU_CORE_E ? "efficiency"
							  : "");
	pmu_strbuf_add(out, ", \"cpus\": [");
	for (size_t i = 0; i < machine->n_cpus; i++) {
		if (machine->cpu[i].kind != (int)kind)
			continue;
		pmu_strbuf_addf(out, "%s%d", before, machine->cpu[i].pu.cpu);
		before = ", ";
	}
	pmu_strbuf_add(out, "]");
	put_perfmon(out, ", ", info, perfmon);
	pmu_strbuf_add(out, "}");
}

static void put_core_kinds(struct pmu_strbuf *out, const struct pmu_info *info)
{
	pmu_strbuf_add(out, ",\n  \"kinds\": [");
	for (unsigned int i = 0; i < info->machine->n_kinds; i++) {
		next_line(out, !i, "    ");
		put_kind(out, info, i);
	}
	end_list(out, !info->machine->n_kinds, "  ");
}

static void put_topology(struct pmu_strbuf *out, const struct pmu_machine *machine)
{
	bool known = !machine->unplaced;

	key(out, ",\n  ", "topology");
	put_known(out, "{", "sockets", known, machine->n_packages);
	put_known(out, ", ", "cores", known, machine->n_cores);
	put_u64(out, ", ", "logical_processors", machine->n_cpus);
	put_answer(out, ", ", "smt", known ? machine->smt : -1);
	put_known(out, ", ", "l3_domains", known, machine->n_l3);
	pmu_strbuf_add(out, "}");
}

/* What libcpuid says.  Null where it has not been asked, or does not know the processor. */
static void put_libcpuid(struct pmu_strbuf *out, const struct pmu_info *info)
{
	if (!info->identified) {
		put_null(out, ",\n  ", "features");
		put_null(out, ",\n  ", "libcpuid");
		return;
	}
	pmu_strbuf_add(out, ",\n  \"features\": [");
	for (size_t i = 0; i < info->identity.n_features; i++) {
		pmu_strbuf_add(out, i ? ", " : "");
		pmu_encode_json(out, info->identity.feature[i]);
	}
	pmu_strbuf_add(out, "]");
	key(out, ",\n  ", "libcpuid");
	put_text(out, "{", "version", pmu_libcpuid_version());
	/* its word for it: what fits its tables best */
	put_known_text(out, ", ", "codename", info->identity.codename);
	pmu_strbuf_add(out, "}");
}

void pmu_info_json(const struct pmu_info *info, struct pmu_strbuf *out)
{
	const struct pmu_machine *machine = info->machine;
	const struct pmu_cpu_model *model = machine->model;
	const struct pmu_cpu_id *id = &info->id;
	unsigned int process_nm = model ? model->process_nm : 0;

	put_cpu_id(out, "{\n  ", ",\n  ", id);
	put_text(out, ",\n  ", "brand", id->brand);
	put_known_text(out, ",\n  ", "microarchitecture", model ? model->microarchitecture : "");
	put_known_text(out, ",\n  ", "codename", info->codename);
	put_known(out, ",\n  ", "process_nm", process_nm, process_nm);
	put_bool(out, ",\n  ", "hypervisor", id->hypervisor);
	put_known_text(out, ",\n  ", "hypervisor_name", id->hypervisor_name);
	put_bool(out, ",\n  ", "recorded", machine->recorded);
	put_perfmon(out, ",\n  ", info, &machine->kind[0]);
	put_core_kinds(out, info);
	put_topology(out, machine);
	put_libcpuid(out, info);
	pmu_strbuf_add(out, "\n}\n");
}
