/* SPDX-License-Identifier: BSD-3-Clause */
/* What a store says of the program, the machine and how it was measured. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/sysfile.h"
#include "counters/valgrind/valgrind.h"
#include "machine/cpu.h"
#include "pmu.h"
#include "session/describe.h"
#include "session/rank.h"
#include "session/session.h"
#include "store/place.h"

void pmu_session_tell(enum pmu_meta_key key, const char *text)
{
	pmu_table_meta(&pmu_session.table, key, text);
	if (pmu_store_kept())
		pmu_brief_add(&pmu_session.texts, key, text);
}

static void tell_meta(enum pmu_meta_key key, const char *text)
{
	pmu_session_tell(key, text);
}

static void describe_program(void)
{
	char text[1024];
	long n = pmu_sysfile_read("/proc/self/cmdline", text, sizeof(text));

	tell_meta(PMU_META_PROGRAM, program_invocation_short_name);
	/* A longer line is cut where the buffer ends. */
	if (n == -EFBIG)
		n = sizeof(text) - 1;
	if (n > 0) {
		for (long i = 0; i < n; i++)
			if (!text[i])
				text[i] = ' ';
		text[n] = '\0';
		while (n > 0 && text[n - 1] == ' ')
			text[--n] = '\0';
		tell_meta(PMU_META_COMMAND, text);
	}
	if (gethostname(text, sizeof(text)) == 0) {
		text[sizeof(text) - 1] = '\0';
		tell_meta(PMU_META_HOST, text);
	}
	if (pmu_session.forked_from) {
		snprintf(text, sizeof(text), "%d", pmu_session.forked_from);
		pmu_table_meta(&pmu_session.table, PMU_META_FORKED, text);
	}
	if (pmu_session_rank())
		tell_meta(PMU_META_RANK, pmu_session_rank());
	if (pmu_session_ranks())
		tell_meta(PMU_META_RANKS, pmu_session_ranks());
	tell_meta(PMU_META_VERSION, PMU_VERSION_STRING);
}

/* The machine that the counts are of, where that is another one. */
static void describe_recorded(const struct pmu_cpu_id *id)
{
	char text[256];

	snprintf(text, sizeof(text), "%s, by PMU_CPUID_FILE",
		 id->brand[0] ? id->brand : "unknown CPU");
	tell_meta(PMU_META_MACHINE, text);
	snprintf(text, sizeof(text), "%s-%u-%u-%u", id->vendor, id->family, id->model,
		 id->stepping);
	tell_meta(PMU_META_CPU, text);
}

void pmu_session_machine(char *text, size_t size, char *cpu, size_t cpu_size)
{
	struct pmu_cpu_id id;
	long n = sysconf(_SC_NPROCESSORS_ONLN);
	bool known = pmu_cpu_identify(&id) == 0;

	snprintf(text, size, "%s, %ld processor%s%s%s%s%s",
		 known && id.brand[0] ? id.brand : "unknown CPU", n, n == 1 ? "" : "s",
		 known && id.hypervisor ? ", virtual machine" : "",
		 known && id.hypervisor && id.hypervisor_name[0] ? " (" : "",
		 known && id.hypervisor ? id.hypervisor_name : "",
		 known && id.hypervisor && id.hypervisor_name[0] ? ")" : "");
	cpu[0] = '\0';
	if (known)
		snprintf(cpu, cpu_size, "%s-%u-%u-%u", id.vendor, id.family, id.model, id.stepping);
}

/* Valgrind has a processor of its own: `pmu run` tells which one it runs on. */
static bool describe_told(void)
{
	const char *told = secure_getenv(PMU_SIM_MACHINE_VARIABLE), *tab;
	char text[256];

	tab = told ? strchr(told, '\t') : NULL;
	if (!tab)
		return false;
	snprintf(text, sizeof(text), "%.*s", (int)(tab - told), told);
	tell_meta(PMU_META_MACHINE, text);
	if (tab[1])
		tell_meta(PMU_META_CPU, tab + 1);
	return true;
}

static void describe_machine(void)
{
	bool simulated = pmu_session.group[0].backend->simulated;
	char text[256], cpu[64];

	if (simulated && describe_told())
		return;
	pmu_session_machine(text, sizeof(text), cpu, sizeof(cpu));
	if (simulated)
		strncat(text, ", the processor that valgrind simulates",
			sizeof(text) - strlen(text) - 1);
	tell_meta(PMU_META_MACHINE, text);
	if (cpu[0])
		tell_meta(PMU_META_CPU, cpu);
}

static void describe_source(void)
{
	const struct pmu_session_group *group = &pmu_session.group[0];
	char text[256] = "";

	tell_meta(PMU_META_SOURCE, group->backend->name);
	group->backend->describe(group->source, text, sizeof(text));
	tell_meta(PMU_META_SOURCE_DETAIL, text);
}

static void describe_metrics(void)
{
	for (unsigned int i = 0; i < pmu_session.n_groups; i++) {
		const struct pmu_group *group = &pmu_session.group[i].group;

		for (unsigned int j = 0; j < group->n_metrics; j++) {
			char text[640];

			snprintf(text, sizeof(text), "%u\t%s\t%s\t%s", i, group->metric[j].name,
				 group->metric[j].unit, group->metric[j].formula);
			tell_meta(PMU_META_METRIC, text);
		}
	}
}

void pmu_session_describe_pinning(void)
{
	char *last = pmu_session.last_pinning, text[sizeof(pmu_session.last_pinning)];

	pmu_pinning_describe(pmu_session.pinning, text, sizeof(text));
	/*
	 * Called for every report: an unchanged text is not stored again, since a table only grows.
	 */
	if (!strcmp(last, text))
		return;
	strcpy(last, text);
	tell_meta(PMU_META_PINNING, text);
}

void pmu_session_describe(void)
{
	describe_program();
	if (pmu_session.config.from.cpuid_file)
		describe_recorded(&pmu_session.config.id);
	else
		describe_machine();
	describe_source();
	describe_metrics();
	/* A new table has nothing of it yet. */
	pmu_session.last_pinning[0] = '\0';
	pmu_session_describe_pinning();
	if (pmu_session.config.output[0])
		tell_meta(PMU_META_OUTPUT, pmu_session.config.output);
}
