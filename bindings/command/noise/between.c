/* SPDX-License-Identifier: BSD-3-Clause */
/* What was not the command's own between two looks at the machine. */
#include <errno.h>
#include <math.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include "bindings/command/noise/noise.h"

/*
 * The files count ticks of 10 ms, and each processor may be one off at either end: below so many
 * ticks a share says nothing.
 */
#define TICKS_LEAST 5

/* What was added up over processors. */
struct sums {
	double n, busy_s, steal_s, sibling_s, device_interrupts;
	double most;  /* interrupts of devices on one processor, */
	int most_cpu; /* -1 none */
};

static double tick_s(void)
{
	long hz = sysconf(_SC_CLK_TCK);

	return 1.0 / (double)(hz > 0 ? hz : 100);
}

/* What was added to a count; 0 where it went back, as idle times may (proc_stat(5)). */
static double grown(uint64_t before, uint64_t after)
{
	if (before == PMU_NOISE_MISSING || after == PMU_NOISE_MISSING)
		return NAN;
	return after > before ? (double)(after - before) : 0;
}

static uint64_t grown_count(uint64_t before, uint64_t after)
{
	if (before == PMU_NOISE_MISSING || after == PMU_NOISE_MISSING)
		return PMU_NOISE_MISSING;
	return after > before ? after - before : 0;
}

static double busy_s(const struct pmu_noise_cpu *before, const struct pmu_noise_cpu *after)
{
	return (grown(before->busy, after->busy) + grown(before->irq, after->irq)) * tick_s();
}

/* Two that were busy for longer than there was time were so together for what is above. */
static void add_siblings(const struct pmu_noise_sample *before,
			 const struct pmu_noise_sample *after, size_t i, double wall_s,
			 struct sums *sums)
{
	const struct pmu_noise_cpu *cpu = &after->cpu[i], *first = pmu_noise_find(after, cpu->core);
	const struct pmu_noise_cpu *then = pmu_noise_find(before, cpu->cpu),
				   *first_then = pmu_noise_find(before, cpu->core);
	double both;

	if (!first || first == cpu || !then || !first_then)
		return;
	both = busy_s(then, cpu) + busy_s(first_then, first) - wall_s;
	if (both > 0)
		sums->sibling_s += both;
}

static void add_cpu_interrupts(const struct pmu_noise_cpu *before,
			       const struct pmu_noise_cpu *after, struct sums *sums)
{
	double n = grown(before->device_interrupts, after->device_interrupts);

	if (!after->allowed || isnan(n))
		return;
	sums->device_interrupts = isnan(sums->device_interrupts) ? n : sums->device_interrupts + n;
	if (n > sums->most || sums->most_cpu < 0) {
		sums->most = n;
		sums->most_cpu = after->cpu;
	}
}

/* Processors that came or went meanwhile are left out. */
static void add_up(const struct pmu_noise_sample *before, const struct pmu_noise_sample *after,
		   double wall_s, struct sums *sums)
{
	size_t j = 0;

	for (size_t i = 0; i < after->n_cpus; i++) {
		const struct pmu_noise_cpu *cpu = &after->cpu[i], *then;

		while (j < before->n_cpus && before->cpu[j].cpu < cpu->cpu)
			j++;
		if (j == before->n_cpus || before->cpu[j].cpu != cpu->cpu)
			continue;
		then = &before->cpu[j];
		sums->n++;
		sums->busy_s += busy_s(then, cpu);
		sums->steal_s += grown(then->steal, cpu->steal) * tick_s();
		add_cpu_interrupts(then, cpu, sums);
		if (cpu->core >= 0 && cpu->core != cpu->cpu)
			add_siblings(before, after, i, wall_s, sums);
	}
}

static void add_frequencies(const struct pmu_noise_sample *sample, struct pmu_noise_run *out)
{
	for (size_t i = 0; i < sample->n_cpus; i++) {
		uint64_t khz = sample->cpu[i].khz;

		if (khz == PMU_NOISE_MISSING)
			continue;
		if (out->khz_min == PMU_NOISE_MISSING || khz < out->khz_min)
			out->khz_min = khz;
		if (out->khz_max == PMU_NOISE_MISSING || khz > out->khz_max)
			out->khz_max = khz;
	}
}

/* Those of a package are counted by each of its processors: the most that one saw. */
static void add_throttles(const struct pmu_noise_sample *before,
			  const struct pmu_noise_sample *after, struct pmu_noise_run *out)
{
	for (size_t i = 0; i < after->n_cpus; i++) {
		const struct pmu_noise_cpu *then = pmu_noise_find(before, after->cpu[i].cpu);
		uint64_t n = then ? grown_count(then->throttles, after->cpu[i].throttles)
				  : PMU_NOISE_MISSING;

		if (n != PMU_NOISE_MISSING &&
		    (out->throttles == PMU_NOISE_MISSING || n > out->throttles))
			out->throttles = n;
	}
}

/* At most 1; what is missing stays so. */
static double share(double value)
{
	return value > 1 ? 1 : value;
}

static double seconds(struct timeval time)
{
	return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

static void add_command(const struct rusage *command, struct pmu_noise_run *out)
{
	out->own_s = seconds(command->ru_utime) + seconds(command->ru_stime);
	out->read_kib = (uint64_t)command->ru_inblock / 2; /* getrusage(2): blocks of 512 bytes */
	out->involuntary = (uint64_t)command->ru_nivcsw;
}

static void add_times(const struct sums *sums, double wall_s, struct pmu_noise_run *out)
{
	double all_s = wall_s * sums->n;
	bool fine = wall_s / tick_s() >= TICKS_LEAST;

	out->n_cpus = sums->n;
	if (!(sums->n > 0))
		return;
	out->other_s = sums->busy_s > out->own_s ? sums->busy_s - out->own_s : 0;
	out->steal_s = sums->steal_s;
	out->sibling_s = sums->sibling_s;
	out->other = fine ? share(out->other_s / all_s) : NAN;
	out->steal = fine ? share(out->steal_s / all_s) : NAN;
	out->interrupts = sums->device_interrupts / wall_s;
	out->interrupted_cpu = sums->most_cpu;
	out->interrupted = sums->most_cpu < 0 ? NAN : sums->most / wall_s;
}

int pmu_noise_between(const struct pmu_noise_sample *before, const struct pmu_noise_sample *after,
		      const struct rusage *command, uint64_t elapsed_ns, struct pmu_noise_run *out)
{
	struct sums sums = { .device_interrupts = NAN, .most_cpu = -1 };
	double wall_s = (double)(after->time_ns - before->time_ns) / 1e9;

	if (after->time_ns <= before->time_ns)
		return -EINVAL;
	*out = (struct pmu_noise_run){
		.elapsed_ns = elapsed_ns,
		.wall_s = wall_s,
		.other_s = NAN,
		.other = NAN,
		.steal_s = NAN,
		.steal = NAN,
		.sibling_s = NAN,
		.interrupts = NAN,
		.interrupted_cpu = -1,
		.interrupted = NAN,
		.khz_min = PMU_NOISE_MISSING,
		.khz_max = PMU_NOISE_MISSING,
		.throttles = PMU_NOISE_MISSING,
	};
	add_command(command, out);
	add_up(before, after, wall_s, &sums);
	add_times(&sums, wall_s, out);
	add_frequencies(before, out);
	add_frequencies(after, out);
	add_throttles(before, after, out);
	out->pressure = share(grown(before->pressure_us, after->pressure_us) / 1e6 / wall_s);
	out->quota_throttled = grown_count(before->quota_throttled, after->quota_throttled);
	out->quota_throttled_s = grown(before->quota_throttled_ns, after->quota_throttled_ns) / 1e9;
	return 0;
}
