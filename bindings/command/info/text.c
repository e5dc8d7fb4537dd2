/* SPDX-License-Identifier: BSD-3-Clause */
/* `pmu info` for people. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/compiler.h"
#include "bindings/command/command.h"
#include "bindings/command/info/info.h"
#include "machine/mask.h"

#define WIDTH  96
#define COLUMN 24

PMU_PRINTF(3, 4)
static void add_labelled(struct pmu_strbuf *out, const char *label, const char *fmt, ...)
{
	char text[512];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	pmu_command_item(out, COLUMN, WIDTH, label, text);
}

static const char *yes_or_no(bool yes)
{
	return yes ? "yes" : "no";
}

/* --- processor --- */

static void add_model(const struct pmu_info *info, struct pmu_strbuf *out)
{
	const struct pmu_cpu_model *model = info->machine->model;
	char process[32] = "";

	if (!model) {
		add_labelled(out, "microarchitecture",
			     "not known: this model is not in our tables");
		return;
	}
	if (model->process_nm)
		snprintf(process, sizeof(process), ", %u nm", model->process_nm);
	add_labelled(out, "microarchitecture", "%s%s", model->microarchitecture, process);
	if (info->codename[0])
		add_labelled(out, "code name", "%s", info->codename);
}

static void add_features(const struct pmu_libcpuid_identity *identity, struct pmu_strbuf *out)
{
	struct pmu_strbuf text = { 0 };

	for (size_t i = 0; i < identity->n_features; i++)
		pmu_strbuf_addf(&text, "%s%s", i ? " " : "", identity->feature[i]);
	pmu_command_item(out, COLUMN, WIDTH, "features", pmu_strbuf_text(&text));
	pmu_strbuf_free(&text);
}

static void add_processor(const struct pmu_info *info, struct pmu_strbuf *out)
{
	const struct pmu_cpu_id *id = &info->id;

	pmu_strbuf_add(out, "Processor\n");
	add_labelled(out, "name", "%s", id->brand[0] ? id->brand : "not known");
	add_labelled(out, "vendor", "%s", id->vendor[0] ? id->vendor : "not known");
	add_labelled(out, "family and model", "%02X_%02XH (family %u, model %u), stepping %u",
		     id->family, id->model, id->family, id->model, id->stepping);
	add_model(info, out);
	add_labelled(out, "hypervisor", "%s%s%s%s", yes_or_no(id->hypervisor),
		     id->hypervisor_name[0] ? " (" : "", id->hypervisor_name,
		     id->hypervisor_name[0] ? ")" : "");
	if (info->identified)
		add_features(&info->identity, out);
}

static void add_topology(const struct pmu_machine *machine, struct pmu_strbuf *out)
{
	pmu_strbuf_add(out, "\nTopology\n");
	if (!machine->unplaced) {
		add_labelled(out, "sockets", "%u", machine->n_packages);
		add_labelled(out, "cores", "%u", machine->n_cores);
	}
	add_labelled(out, "logical processors", "%zu%s", machine->n_cpus,
		     machine->unplaced ? " in the dump; --topology would tell what is where" : "");
	if (machine->unplaced)
		return;
	add_labelled(out, "SMT", "%s", yes_or_no(machine->smt));
	add_labelled(out, "L3 domains", "%u", machine->n_l3);
}

/* --- performance monitoring --- */

/*
 * What the fixed counters count: Intel SDM vol. 3B, table "Association of Fixed-Function
 * Performance Counters with Architectural Performance Events".
 */
static const char *const fixed_names[] = {
	"instructions",    "core cycles",    "reference cycles", "top-down slots",
	"bad speculation", "frontend bound", "retiring",
};

static void add_fixed(const struct pmu_perfmon *perfmon, struct pmu_strbuf *out)
{
	struct pmu_strbuf text = { 0 };
	const char *before = ": ";

	if (!perfmon->n_fixed) {
		add_labelled(out, "fixed counters", "none");
		return;
	}
	pmu_strbuf_addf(&text, "%u x %u bits", perfmon->n_fixed, perfmon->fixed_bits);
	for (unsigned int i = 0; i < 32; i++) {
		if (!(perfmon->fixed >> i & 1))
			continue;
		pmu_strbuf_addf(&text, "%s%u", before, i);
		if (i < PMU_ARRAY_LEN(fixed_names))
			pmu_strbuf_addf(&text, " (%s)", fixed_names[i]);
		before = ", ";
	}
	add_labelled(out, "fixed counters", "%s", pmu_strbuf_text(&text));
	pmu_strbuf_free(&text);
}

static void add_full_width(const struct pmu_info *info, struct pmu_strbuf *out)
{
	static const char *const words[] = {
		[PMU_INFO_NO] = "no", [PMU_INFO_YES] = "yes", [PMU_INFO_UNKNOWN] = "not known"
	};

	add_labelled(out, "full-width writes", "%s%s%s", words[info->full_width],
		     info->full_width_by[0] ? ", " : "", info->full_width_by);
}

static void add_intel(const struct pmu_info *info, const struct pmu_perfmon *perfmon,
		      struct pmu_strbuf *out)
{
	char label[64];

	add_labelled(out, "version", "%u (architectural)", perfmon->version);
	add_labelled(out, "general counters", "%u x %u bits", perfmon->n_general,
		     perfmon->general_bits);
	add_fixed(perfmon, out);
	add_labelled(out, "AnyThread", "%s", yes_or_no(perfmon->any_thread));
	add_full_width(info, out);
	if (perfmon->umask2 || perfmon->equal)
		add_labelled(out, "event selects", "%s%s%s",
			     perfmon->umask2 ? "second unit mask" : "",
			     perfmon->umask2 && perfmon->equal ? ", " : "",
			     perfmon->equal ? "equal flag" : "");
	pmu_strbuf_add(out, "  events\n");
	for (int i = 0; i < PMU_ARCH_EVENTS; i++) {
		snprintf(label, sizeof(label), "  %s", pmu_arch_event_name((enum pmu_arch_event)i));
		add_labelled(out, label, "%s", yes_or_no(perfmon->events >> i & 1));
	}
}

static void add_amd(const struct pmu_machine *machine, const struct pmu_perfmon *perfmon,
		    struct pmu_strbuf *out)
{
	const char *doubt = pmu_info_doubt(machine, perfmon);

	add_labelled(out, "version", "%u%s", perfmon->version,
		     perfmon->version >= 2 ? " (PerfMonV2)" : "");
	add_labelled(out, "general counters", "%u x %u bits", perfmon->n_general,
		     perfmon->general_bits);
	if (doubt)
		add_labelled(out, "", "%s", doubt);
	add_labelled(out, "fixed counters", "none");
	add_labelled(out, "core extension", "%s", yes_or_no(perfmon->core_extension));
	/* the same bit means the L2 caches of family 16H */
	add_labelled(out, machine->id.family == 0x16 ? "L2 counters" : "L3 counters", "%s",
		     yes_or_no(perfmon->l3_extension));
	if (perfmon->version >= 2)
		add_labelled(out, "northbridge counters", "%u", perfmon->n_nb);
	else
		add_labelled(out, "northbridge counters", "%s", yes_or_no(perfmon->nb_extension));
	if (perfmon->n_umc)
		add_labelled(out, "memory counters", "%u", perfmon->n_umc);
	add_labelled(out, "events", "named by model: CPUID lists none");
}

/* ", performance cores (processors 0-15)" of a hybrid. */
static void add_heading(const struct pmu_machine *machine, unsigned int kind,
			struct pmu_strbuf *out)
{
	const struct pmu_perfmon *perfmon = &machine->kind[kind];
	struct pmu_mask mask;
	char text[256];

	pmu_strbuf_add(out, "\nPerformance monitoring");
	if (machine->n_kinds > 1) {
		memset(&mask, 0, sizeof(mask));
		for (size_t i = 0; i < machine->n_cpus; i++)
			if (machine->cpu[i].kind == (int)kind)
				pmu_mask_set(&mask, machine->cpu[i].pu.cpu);
		pmu_mask_format(&mask, text, sizeof(text));
		pmu_strbuf_addf(out, ", %scores (%s%s)",
				perfmon->core_type == PMU_CORE_P   ? "performance "
				: perfmon->core_type == PMU_CORE_E ? "efficiency "
								   : "",
				text[0] ? "processors " : "none here", text);
	}
	pmu_strbuf_add(out, "\n");
}

void pmu_info_text(const struct pmu_info *info, struct pmu_strbuf *out)
{
	const struct pmu_machine *machine = info->machine;

	add_processor(info, out);
	add_topology(machine, out);
	for (unsigned int i = 0; i < machine->n_kinds; i++) {
		const struct pmu_perfmon *perfmon = &machine->kind[i];

		add_heading(machine, i, out);
		if (perfmon->family == PMU_PERFMON_INTEL)
			add_intel(info, perfmon, out);
		else if (perfmon->family == PMU_PERFMON_AMD)
			add_amd(machine, perfmon, out);
		else
			add_labelled(out, "none", "%s", perfmon->why);
	}
}
