/* SPDX-License-Identifier: BSD-3-Clause */
/* What a host took from a virtual machine while the program ran. */
#include "session/steal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sysfile.h"
#include "machine/cpu.h"
#include "session/session.h"

/* user, nice, system, idle, iowait, irq, softirq, steal; guests' time is in the first two */
#define N_TIMES 8
#define STEAL   7

/* Of 10 ms: two may be of either end, and a tenth of a second is not worth a word. */
#define LEAST_TICKS 10
#define LEAST_SHARE 0.005

struct pmu_steal pmu_steal_parse(const char *stat)
{
	struct pmu_steal steal = { 0 };
	char *end;

	if (strncmp(stat, "cpu ", 4))
		return steal;
	stat += 4;
	for (int i = 0; i < N_TIMES; i++) {
		uint64_t ticks = strtoull(stat, &end, 10);

		if (end == stat)
			return (struct pmu_steal){ 0 };
		steal.all += ticks;
		steal.stolen = ticks;
		stat = end;
	}
	return steal;
}

bool pmu_steal_words(const struct pmu_steal *then, const struct pmu_steal *now, char *text,
		     size_t size)
{
	uint64_t stolen = now->stolen - then->stolen, all = now->all - then->all;
	double share = (double)stolen / (double)all;

	if (!then->all || now->all <= then->all || now->stolen < then->stolen ||
	    stolen < LEAST_TICKS || share < LEAST_SHARE || share > 1)
		return false;
	/* in whole percents: processes of one machine say the same */
	snprintf(
		text, size,
		"the host took %s%.0f %% of the processors' time from this virtual machine meanwhile "
		"(steal time): it is in the regions' times",
		share < 0.01 ? "nearly " : "", share < 0.01 ? 1 : 100 * share);
	return true;
}

static struct pmu_steal steal_read(void)
{
	char text[256];
	long n = pmu_sysfile_read("/proc/stat", text, sizeof(text));

	return n < 0 && n != -EFBIG ? (struct pmu_steal){ 0 } : pmu_steal_parse(text);
}

/* Of a large machine's processors the file takes a millisecond, and there is no host. */
void pmu_steal_start(void)
{
	struct pmu_cpu_id id;

	pmu_session.steal = pmu_cpu_identify(&id) == 0 && id.hypervisor ? steal_read()
									: (struct pmu_steal){ 0 };
}

void pmu_steal_remark(void)
{
	struct pmu_steal now;
	char text[192];

	if (!pmu_session.steal.all)
		return;
	now = steal_read();
	if (pmu_steal_words(&pmu_session.steal, &now, text, sizeof(text)))
		pmu_table_meta(&pmu_session.table, PMU_META_NOTE, text);
}
