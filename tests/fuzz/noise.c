/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The kernel's texts about load and limits: /proc/stat, behind a NUL /proc/interrupts, behind
 * another one everything else, which every other parser reads.
 */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "bindings/command/noise/parse.h"
#include "machine/mask.h"
#include "tests/fuzz/fuzz.h"

static void check(bool holds)
{
	if (!holds)
		abort();
}

static void check_cpus(const struct pmu_noise_sample *sample)
{
	for (size_t i = 0; i < sample->n_cpus; i++) {
		const struct pmu_noise_cpu *cpu = &sample->cpu[i];

		check(cpu->cpu >= 0 && cpu->cpu < PMU_MASK_CPUS);
		check(!i || cpu->cpu > sample->cpu[i - 1].cpu);
		check(pmu_noise_find(sample, cpu->cpu) == cpu);
	}
	check(sample->n_cpus <= PMU_MASK_CPUS && !pmu_noise_find(sample, -1));
}

static void read_rest(const char *text)
{
	static const char *const controllers[] = { "", "cpu" };
	char word[PMU_NOISE_WORD], cgroup[64];
	double quota = pmu_noise_parse_max(text), load = pmu_noise_parse_load(text);

	check(isnan(quota) || quota > 0);
	check(isnan(load) || load >= 0);
	pmu_noise_parse_pressure(text);
	pmu_noise_parse_field(text, "nr_throttled");
	pmu_noise_parse_choice(text, word, sizeof(word));
	check(!strchr(word, ']'));
	for (size_t i = 0; i < 2; i++)
		if (pmu_noise_parse_cgroup(text, controllers[i], cgroup, sizeof(cgroup)))
			check(cgroup[0] == '/' && !strstr(cgroup, "/..") && !strchr(cgroup, '\n'));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pmu_noise_sample sample = { .n_cpus = 0 };
	char *text = malloc(size + 1), *part[3];
	const char *end = text + size;

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	part[0] = text;
	for (int i = 1; i < 3; i++) {
		part[i] = part[i - 1] + strlen(part[i - 1]);
		part[i] += part[i] < end;
	}
	if (!pmu_noise_parse_stat(part[0], &sample)) {
		check_cpus(&sample);
		pmu_noise_parse_interrupts(part[1], &sample);
		check_cpus(&sample);
	}
	read_rest(part[2]);
	free(sample.cpu);
	free(text);
	return 0;
}
