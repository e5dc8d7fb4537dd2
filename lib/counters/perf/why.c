/* SPDX-License-Identifier: BSD-3-Clause */
/* Turns the kernel's refusals into a reason and a remedy. */
#include "counters/perf/why.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/compiler.h"
#include "base/sysfile.h"
#include "counters/perf/hybrid.h"
#include "counters/perf/system.h"
#include "counters/perf/watchdog.h"
#include "machine/cpu.h"
#include "machine/models.h"

#define PARANOID "/proc/sys/kernel/perf_event_paranoid"

bool pmu_perf_refuses_slot(int code)
{
	return code == -ENOENT || code == -EINVAL || code == -ENOSPC;
}

int pmu_perf_same_refusal(int code)
{
	return code == -EOPNOTSUPP || code == -ENXIO || code == -ENODEV ? -ENOENT : code;
}

/* Highest kernel.perf_event_paranoid that lets unprivileged processes count this. */
static int paranoid_limit(const struct pmu_plan *plan, unsigned int slot)
{
	if (plan->scope == PMU_COUNT_CPU || pmu_slot_is_socket(&plan->slot[slot]))
		return 0;
	return plan->slot[slot].kernel ? 1 : 2;
}

static const char *what_is_counted(const struct pmu_plan *plan, unsigned int slot)
{
	if (pmu_slot_is_socket(&plan->slot[slot]))
		return "what belongs to a socket";
	if (plan->scope == PMU_COUNT_CPU)
		return "whatever runs on a CPU";
	return plan->slot[slot].kernel ? "at kernel level" : "at user level";
}

static void explain_rights(const struct pmu_plan *plan, int code, unsigned int slot,
			   struct pmu_probe *probe)
{
	const char *what = what_is_counted(plan, slot);
	int limit = paranoid_limit(plan, slot);
	int64_t paranoid;

	(void)code;
	if (pmu_sysfile_i64(PARANOID, &paranoid)) {
		snprintf(probe->why, sizeof(probe->why),
			 "perf_event_open may not count %s (EACCES); " PARANOID " cannot be read",
			 what);
	} else if (paranoid > limit) {
		snprintf(probe->why, sizeof(probe->why),
			 "counting %s needs kernel.perf_event_paranoid at %d or below, "
			 "and it is "
			 "%lld",
			 what, limit, (long long)paranoid);
	} else {
		snprintf(probe->why, sizeof(probe->why),
			 "perf_event_open may not count %s (EACCES) although "
			 "kernel.perf_event_paranoid is %lld: a security module forbids "
			 "it",
			 what, (long long)paranoid);
	}
	snprintf(probe->mend, sizeof(probe->mend),
		 "sysctl kernel.perf_event_paranoid=%d, or give the program CAP_PERFMON", limit);
}

/* What seccomp profiles of containers answer; the kernel itself says EACCES. */
static void explain_forbidden(const struct pmu_plan *plan, int code, unsigned int slot,
			      struct pmu_probe *probe)
{
	int64_t paranoid;
	char setting[64] = "";

	(void)plan;
	(void)code;
	(void)slot;
	if (!pmu_sysfile_i64(PARANOID, &paranoid))
		snprintf(setting, sizeof(setting), "; kernel.perf_event_paranoid is %lld",
			 (long long)paranoid);
	snprintf(probe->why, sizeof(probe->why),
		 "perf_event_open is forbidden here (EPERM), as containers do by "
		 "seccomp%s",
		 setting);
	snprintf(probe->mend, sizeof(probe->mend),
		 "allow perf_event_open in the container (docker: --cap-add PERFMON, or "
		 "a seccomp "
		 "profile that has it)");
}

static void explain_no_call(const struct pmu_plan *plan, int code, unsigned int slot,
			    struct pmu_probe *probe)
{
	int64_t paranoid;

	(void)plan;
	(void)code;
	(void)slot;
	/* the setting exists where the kernel has the call:
	 * Documentation/admin-guide/sysctl/kernel.rst */
	if (pmu_sysfile_i64(PARANOID, &paranoid)) {
		snprintf(probe->why, sizeof(probe->why),
			 "this kernel has no perf_event_open (ENOSYS): it was built "
			 "without "
			 "CONFIG_PERF_EVENTS");
		snprintf(probe->mend, sizeof(probe->mend), "boot a kernel with CONFIG_PERF_EVENTS");
	} else {
		snprintf(probe->why, sizeof(probe->why),
			 "perf_event_open is hidden from this process (ENOSYS), as "
			 "containers do by "
			 "seccomp");
		snprintf(probe->mend, sizeof(probe->mend),
			 "allow perf_event_open in the container's seccomp profile");
	}
}

static void explain_descriptors(const struct pmu_plan *plan, int code, unsigned int slot,
				struct pmu_probe *probe)
{
	struct rlimit limit = { 0, 0 };

	(void)plan;
	(void)slot;
	if (code == -ENFILE) {
		snprintf(probe->why, sizeof(probe->why),
			 "the machine has no open file left (ENFILE)");
		snprintf(probe->mend, sizeof(probe->mend), "raise fs.file-max by sysctl");
		return;
	}
	getrlimit(RLIMIT_NOFILE, &limit);
	snprintf(probe->why, sizeof(probe->why),
		 "the process has no descriptor left (EMFILE): its limit is %llu",
		 (unsigned long long)limit.rlim_cur);
	snprintf(probe->mend, sizeof(probe->mend), "raise ulimit -n");
}

static void explain_no_pmu(const struct pmu_plan *plan, int code, unsigned int slot,
			   struct pmu_probe *probe)
{
	struct pmu_cpu_id id;

	(void)plan;
	(void)code;
	(void)slot;
	if (pmu_cpu_identify(&id) || !id.hypervisor) {
		snprintf(probe->why, sizeof(probe->why),
			 "the kernel shows no PMU of this processor");
		snprintf(probe->mend, sizeof(probe->mend),
			 "see what the kernel says: dmesg | grep -i -e pmu -e perf");
		return;
	}
	snprintf(probe->why, sizeof(probe->why), "this virtual machine%s%s%s shows no PMU",
		 id.hypervisor_name[0] ? " (" : "", id.hypervisor_name,
		 id.hypervisor_name[0] ? ")" : "");
	snprintf(probe->mend, sizeof(probe->mend),
		 "give the guest a virtual PMU (QEMU: -cpu host,pmu=on) or run on bare "
		 "metal");
}

static const char *errno_name(int code)
{
	switch (-code) {
	case ENOENT:
		return "ENOENT";
	case EINVAL:
		return "EINVAL";
	default:
		return strerror(-code);
	}
}

/* Events that do not exist here. */
static unsigned int refused_events(const struct pmu_plan *plan, const struct pmu_probe *probe)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < plan->n_slots; i++)
		n += probe->error[i] && probe->error[i] != -ENOSPC;
	return n;
}

static void explain_no_event(const struct pmu_plan *plan, int code, unsigned int slot,
			     struct pmu_probe *probe)
{
	if (plan->slot[slot].kind == PMU_SLOT_SIMULATED) {
		snprintf(probe->why, sizeof(probe->why), "only valgrind's simulation tells it");
		snprintf(probe->mend, sizeof(probe->mend), "pmu run --emulate -- COMMAND");
		return;
	}
	probe->mend[0] = '\0';
	if (refused_events(plan, probe) > 1)
		snprintf(probe->why, sizeof(probe->why),
			 "this CPU and kernel have none of them (%s)", errno_name(code));
	else if (pmu_slot_is_socket(&plan->slot[slot]))
		snprintf(probe->why, sizeof(probe->why), "%.31s has no event of code 0x%llx (%s)",
			 plan->slot[slot].pmu, (unsigned long long)plan->slot[slot].config,
			 errno_name(code));
	else if (plan->slot[slot].type == PERF_TYPE_HARDWARE)
		snprintf(probe->why, sizeof(probe->why),
			 "the kernel has no such event for this CPU (%s)", errno_name(code));
	else
		snprintf(probe->why, sizeof(probe->why),
			 "this CPU and kernel have no event of type %u, code 0x%llx (%s)",
			 plan->slot[slot].type, (unsigned long long)plan->slot[slot].config,
			 errno_name(code));
}

static void explain_no_room(const struct pmu_plan *plan, int code, unsigned int slot,
			    struct pmu_probe *probe)
{
	unsigned int asked = 0, out = 0;
	static const char *const watchdog_text[] = {
		[PMU_WATCHDOG_HOLDS_NONE] = "",
		[PMU_WATCHDOG_HOLDS_ONE] = "; the NMI watchdog holds one counter",
		[PMU_WATCHDOG_UNKNOWN] = "; the NMI watchdog is on and may hold one counter",
	};
	enum pmu_watchdog watchdog;

	(void)code;
	for (unsigned int i = 0; i < plan->n_slots; i++) {
		asked += !(plan->absent >> i & 1);
		out += probe->error[i] == -ENOSPC;
	}
	if (pmu_slot_is_socket(&plan->slot[slot])) {
		snprintf(probe->why, sizeof(probe->why),
			 "%u of %u events fit the counters of %.31s at the same time", asked - out,
			 asked, plan->slot[slot].pmu);
		snprintf(probe->mend, sizeof(probe->mend),
			 "ask for fewer events, or end what else counts on this machine");
		return;
	}
	watchdog = pmu_watchdog_look(NULL);
	snprintf(probe->why, sizeof(probe->why),
		 "%u of %u events fit the counters at the same time%s", asked - out, asked,
		 watchdog_text[watchdog]);
	snprintf(probe->mend, sizeof(probe->mend), "%s",
		 watchdog != PMU_WATCHDOG_HOLDS_NONE
			 ? "sysctl kernel.nmi_watchdog=0, or ask for fewer events"
			 : "ask for fewer events, or end what else counts on this "
			   "machine");
}

static void explain_no_process(const struct pmu_plan *plan, int code, unsigned int slot,
			       struct pmu_probe *probe)
{
	struct pmu_perf_hybrid hybrid;

	(void)code;
	(void)slot;
	pmu_perf_hybrid_of_plan(plan, &hybrid);
	if (hybrid.n)
		snprintf(probe->why, sizeof(probe->why),
			 "this processor has several kinds of core, whose counts of a whole "
			 "process are not added up (PMU_COUNT=process)");
	else
		snprintf(probe->why, sizeof(probe->why),
			 "a kernel before Linux 5.13 cannot count the threads of a process without "
			 "its child processes (PMU_COUNT=process)");
	probe->mend[0] = '\0';
}

static void explain_other(const struct pmu_plan *plan, int code, unsigned int slot,
			  struct pmu_probe *probe)
{
	snprintf(probe->why, sizeof(probe->why),
		 "perf_event_open failed for type %u, code 0x%llx: %s", plan->slot[slot].type,
		 (unsigned long long)plan->slot[slot].config, strerror(-code));
	probe->mend[0] = '\0';
}

/* Modules of the kernel that bring PMUs of sockets. */
static const struct module {
	const char *begins, *name;
	const char *since; /* a kernel that brings it, where older ones have the module without */
} modules[] = {
	{ "uncore", "intel_uncore", NULL },
	{ "cstate", "intel_cstate", NULL },
	{ "power", "rapl", NULL },
	{ "amd_df", "amd_uncore", NULL },
	{ "amd_l3", "amd_uncore", NULL },
	{ "amd_umc", "amd_uncore", "Linux 6.8" },
	{ "arm_cmn", "arm_cmn", NULL },
	{ "arm_dsu", "arm_dsu_pmu", NULL },
	{ "hisi_sccl,ddrc", "hisi_uncore_ddrc_pmu", NULL },
	{ "hisi_sccl,hha", "hisi_uncore_hha_pmu", NULL },
	{ "hisi_sccl,l3c", "hisi_uncore_l3c_pmu", NULL },
};

static const struct module *module_of(const char *pmu)
{
	for (size_t i = 0; i < PMU_ARRAY_LEN(modules); i++)
		if (!strncmp(pmu, modules[i].begins, strlen(modules[i].begins)))
			return &modules[i];
	return NULL;
}

static bool is_loaded(const struct module *module)
{
	char path[256];

	return module &&
	       (size_t)snprintf(path, sizeof(path), "%s/%s", pmu_perf_system->modules,
				module->name) < sizeof(path) &&
	       !access(path, F_OK);
}

/* Energy counters came with Sandy Bridge and Zen. */
static bool has_no_energy(const char *pmu, const struct pmu_cpu_id *id)
{
	const struct pmu_cpu_model *model = !strcmp(pmu, "power") ? pmu_cpu_model_find(id) : NULL;

	return model && model->rapl == PMU_RAPL_NONE;
}

/* Loading what is loaded would not help; then its driver knows no such PMU here, or is too old. */
static void mend_no_pmu(const char *pmu, struct pmu_probe *probe)
{
	const struct module *module = module_of(pmu);
	size_t len = strlen(probe->why);

	if (!module)
		return;
	if (!is_loaded(module))
		snprintf(probe->mend, sizeof(probe->mend), "modprobe %s%s%s%s", module->name,
			 module->since ? " (" : "", module->since ? module->since : "",
			 module->since ? " or later has it)" : "");
	else if (module->since)
		snprintf(probe->mend, sizeof(probe->mend), "%s or later has it", module->since);
	else
		snprintf(probe->why + len, sizeof(probe->why) - len,
			 ", although the module %s is loaded", module->name);
}

void pmu_perf_explain_no_pmu_of(const char *pmu, const struct pmu_cpu_id *id,
				struct pmu_probe *probe)
{
	bool named = id->hypervisor && id->hypervisor_name[0];

	probe->mend[0] = '\0';
	if (has_no_energy(pmu, id)) {
		snprintf(probe->why, sizeof(probe->why), "this CPU (%s) has no counters of energy",
			 pmu_cpu_model_find(id)->microarchitecture);
		return;
	}
	snprintf(probe->why, sizeof(probe->why), "%s%s%s%s shows no PMU %s%s",
		 id->hypervisor ? "this virtual machine" : "this machine's kernel",
		 named ? " (" : "", named ? id->hypervisor_name : "", named ? ")" : "",
		 *pmu ? "called " : "", *pmu ? pmu : "for it");
	if (id->hypervisor)
		snprintf(probe->mend, sizeof(probe->mend), "run on bare metal");
	else
		mend_no_pmu(pmu, probe);
}

static const struct {
	int code;
	void (*explain)(const struct pmu_plan *plan, int code, unsigned int slot,
			struct pmu_probe *probe);
	const char *note;
} refusals[] = {
	{ -EACCES, explain_rights, "no right to count" },
	{ -EPERM, explain_forbidden, "perf_event_open is forbidden" },
	{ -ENOSYS, explain_no_call, "no perf_event_open" },
	{ -EMFILE, explain_descriptors, "no descriptor was left for its counters (ulimit -n)" },
	{ -ENFILE, explain_descriptors, "the machine had no open file left for its counters" },
	{ -ENODEV, explain_no_pmu, "no PMU" },
	{ -ENOENT, explain_no_event, "its CPU has not all of the events" },
	{ -EINVAL, explain_no_event, "its CPU has not all of the events" },
	{ -ENOSPC, explain_no_room, "its counters are held by something else" },
	{ -EXDEV, explain_no_process, "whole processes cannot be counted here" },
	{ 0, explain_other, NULL },
};

static size_t find_refusal(int code)
{
	size_t i = 0;

	while (refusals[i].code && refusals[i].code != code)
		i++;
	return i;
}

void pmu_perf_explain(const struct pmu_plan *plan, int code, unsigned int slot,
		      struct pmu_probe *probe)
{
	refusals[find_refusal(code)].explain(plan, code, slot, probe);
}

void pmu_perf_note(int code, char *text, size_t size)
{
	const char *note = refusals[find_refusal(code)].note;

	if (note)
		snprintf(text, size, "%s", note);
	else
		snprintf(text, size, "perf_event_open: %s", strerror(-code));
}
