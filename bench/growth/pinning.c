/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where two threads for each processor of a large machine go: chosen as for threads here, and bound
 * nowhere.
 */
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "bench/growth/scale.h"
#include "machine/mask.h"
#include "machine/pin.h"

enum pin_number { FIRST_MS, THREAD_US, WORST_US, WRONG, N_PIN_NUMBERS };

static const char *const policies[] = { "auto", "compact", "scatter" };
#define N_POLICIES (sizeof(policies) / sizeof(*policies))

/* --- in the child --- */

/*
 * auto gives each of the first half a processor of its own and the others none; else each is given
 * twice.
 */
static double count_wrong(const char *policy, const int *cpu, unsigned int n)
{
	bool is_auto = !strcmp(policy, "auto");
	unsigned int times[PMU_MASK_CPUS] = { 0 };
	double wrong = 0;

	for (unsigned int i = 0; i < 2 * n; i++) {
		bool outside = cpu[i] < 0 || (unsigned int)cpu[i] >= n;

		if (is_auto && i >= n)
			wrong += cpu[i] != -1;
		else
			wrong += outside || times[cpu[i]]++ != i / n;
	}
	return wrong;
}

static void place(struct pmu_pinning *pinning, int *cpu, unsigned int n, double *value)
{
	double begun = cpu_ns(), start = begun, end = begun, worst = 0;
	char why[160];

	for (unsigned int i = 0; i < 2 * n; i++, start = end) {
		cpu[i] = pmu_pinning_thread(pinning, why, sizeof(why));
		end = cpu_ns();
		if (!i) {
			value[FIRST_MS] = (end - begun) / 1e6;
			begun = end;
		} else if (end - start > worst) {
			worst = end - start;
		}
	}
	value[THREAD_US] = (end - begun) / 1e3 / (2 * n - 1);
	value[WORST_US] = worst / 1e3;
}

/* Which policy, how many processors. */
int child_pins(char **argument)
{
	unsigned int n = (unsigned int)strtoul(argument[1], NULL, 10);
	struct pmu_pin_request request;
	struct pmu_pinning *pinning;
	double value[N_PIN_NUMBERS];
	int *cpu = calloc(2 * (size_t)n + 1, sizeof(*cpu));

	if (!cpu || !n || n > PMU_MASK_CPUS || pmu_pin_parse(argument[0], &request))
		return 2;
	request.elsewhere = n;
	if (pmu_pinning_open(&pinning, &request, NULL, NULL)) {
		fprintf(stderr, "no pinning: %s\n", pmu_error_text());
		free(cpu);
		return 1;
	}
	place(pinning, cpu, n, value);
	value[WRONG] = count_wrong(argument[0], cpu, n);
	pmu_pinning_close(pinning);
	free(cpu);
	for (int i = 0; i < N_PIN_NUMBERS; i++)
		printf("%.9g ", value[i]);
	return 0;
}

/* --- in the parent --- */

static void measure_size(const char *policy, unsigned int at, const char *folder,
			 struct series *row)
{
	char setting[PATH_MAX + 16], n[16], why[300] = "";
	const char *const settings[] = { setting, "HWLOC_THISSYSTEM=0", NULL };
	const char *topology = setting + strlen("HWLOC_XMLFILE=");
	struct child child = { .settings = settings, .argument = { "pins", policy, n } };
	double value[N_PIN_NUMBERS];

	snprintf(n, sizeof(n), "%u", machine_sizes.size[at]);
	snprintf(setting, sizeof(setting), "HWLOC_XMLFILE=%s/%s.xml", folder, n);
	if (machine_topology(&machine_westmere, machine_sizes.size[at], topology, why,
			     sizeof(why)) < 0 ||
	    run_child(&child, value, N_PIN_NUMBERS) < 0) {
		for (int i = 0; i < N_PIN_NUMBERS; i++)
			series_fail(&row[i], why[0] ? why : child.why);
		return;
	}
	for (int i = 0; i < N_PIN_NUMBERS; i++)
		row[i].value[at] = value[i];
}

static void measure_policy(const char *policy, const struct sizes *sizes, const char *folder)
{
	static const struct {
		const char *what, *unit;
		enum target target;
	} number[N_PIN_NUMBERS] = {
		[FIRST_MS] = { "the first thread, with the topology", "ms", LINEAR },
		[THREAD_US] = { "each of the others", "us", LINEAR },
		[WORST_US] = { "the slowest of them", "us", NO_TARGET },
		[WRONG] = { "threads on a wrong processor", "", NONE },
	};
	char titles[N_PIN_NUMBERS][64];
	struct series row[N_PIN_NUMBERS];

	for (int i = 0; i < N_PIN_NUMBERS; i++) {
		snprintf(titles[i], sizeof(titles[i]), "%s: %s", policy, number[i].what);
		row[i] = series_for(titles[i], number[i].unit, number[i].target,
				    number[i].target == NONE);
	}
	for (unsigned int at = 0; at < sizes->n; at++)
		measure_size(policy, at, folder, row);
	for (int i = 0; i < N_PIN_NUMBERS; i++)
		series_row(&row[i]);
}

void measure_pinning(void)
{
	struct sizes sizes;
	char folder[FOLDER_MAX];

	part_begin(&sizes, folder);
	series_heading(
		"Pinning: two threads for each processor of a Westmere-EP with sockets of 64",
		&sizes);
	for (size_t i = 0; i < N_POLICIES; i++)
		measure_policy(policies[i], &sizes, folder);
	run_folder_remove(folder);
}
