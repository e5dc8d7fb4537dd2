/* SPDX-License-Identifier: BSD-3-Clause */
/* `pmu report` without a file: what stores there are. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "bindings/command/command.h"
#include "bindings/command/inputs.h"
#include "bindings/command/run.h"
#include "store/place.h"

static const char *const fate_words[] = {
	[PMU_STORE_ALIVE] = "running",
	[PMU_STORE_DEAD] = "left over",
	[PMU_STORE_FOREIGN] = "elsewhere",
};

static void add_size(struct pmu_strbuf *out, uint64_t size)
{
	if (size < 10u << 20)
		pmu_strbuf_addf(out, "%6" PRIu64 " KiB", (size + 1023) >> 10);
	else
		pmu_strbuf_addf(out, "%6" PRIu64 " MiB", size >> 20);
}

static void add_entry(struct pmu_strbuf *out, const struct pmu_store_entry *entry)
{
	time_t seconds = (time_t)(entry->start_unix_ns / 1000000000u);
	char when[32] = "?", program[sizeof(entry->program)], *c;
	/* its process may be another program by now */
	enum pmu_store_fate fate = entry->fate == PMU_STORE_ALIVE && entry->ended ? PMU_STORE_DEAD
										  : entry->fate;
	struct tm tm;

	if (localtime_r(&seconds, &tm))
		strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S", &tm);
	/* a program's name may hold anything; a terminal should not */
	memcpy(program, entry->program, sizeof(program));
	for (c = program; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = '?';
	pmu_strbuf_addf(out, "%-19s  %8" PRId32 "  %-9s  %-20s  ", when, entry->pid,
			fate_words[fate], program);
	add_size(out, entry->size);
	pmu_strbuf_addf(out, "  %s\n", entry->path);
}

int pmu_report_list(void)
{
	struct pmu_strbuf out = { 0 };
	struct pmu_store_entry *entry;
	int n, i;

	/* a run that was killed has left what it would have made its report of */
	pmu_run_folders_sweep();
	n = pmu_store_list(&entry);
	if (n < 0) {
		pmu_command_error("%s", pmu_error_text());
		return PMU_EXIT_FAILED;
	}
	if (!n) {
		pmu_strbuf_add(&out,
			       "No stores: no program is being measured, and none ended without "
			       "its report.\n");
		return pmu_command_print(&out);
	}
	pmu_strbuf_addf(&out, "%-19s  %8s  %-9s  %-20s  %10s  %s\n", "started", "process", "state",
			"program", "size", "store");
	for (i = 0; i < n; i++)
		add_entry(&out, &entry[i]);
	pmu_strbuf_add(&out, "\n'pmu report STORE' makes the report of one, also while "
			     "its program runs.\n");
	free(entry);
	return pmu_command_print(&out);
}
