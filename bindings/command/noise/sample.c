/* SPDX-License-Identifier: BSD-3-Clause */
/* The state of the machine at one time, from /proc and /sys. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/retry.h"
#include "base/strbuf.h"
#include "base/sysfile.h"
#include "base/time.h"
#include "bindings/command/noise/noise.h"
#include "bindings/command/noise/parse.h"
#include "machine/mask.h"

/*
 * A line of /proc/interrupts has 11 bytes for each processor: this is enough for 1,000 of them with
 * 1,500 lines.
 */
#define TEXT_MAX ((size_t)16 << 20)
/*
 * From Linux 4.13 to 5.17 x86 waits 10 ms for the frequency of a processor that was idle
 * (arch/x86/kernel/cpu/aperfmperf.c), so not of all of hundreds.
 */
#define FREQUENCIES_MAX 8
/* cgroups within cgroups that are asked for a limit */
#define DEPTH_MAX 64

/* One look at the machine. */
struct look {
	const char *root;
	struct pmu_noise_sample *out;
	struct pmu_strbuf text; /* of the file that was read last */
};

/* --- files --- */

static bool path_in_root(const struct look *look, char path[PATH_MAX], const char *fmt,
			 va_list args)
{
	int len = snprintf(path, PATH_MAX, "%s", look->root);

	if (len < 0 || len >= PATH_MAX)
		return false;
	return vsnprintf(path + len, (size_t)(PATH_MAX - len), fmt, args) < PATH_MAX - len;
}

/* The whole of a file.  Return: its text; NULL: it is not there, or too large. */
static PMU_PRINTF(2, 3) const char *read_text(struct look *look, const char *fmt, ...)
{
	char path[PATH_MAX], part[16384];
	struct pmu_strbuf *text = &look->text;
	va_list args;
	ssize_t n;
	bool fits;
	int fd;

	va_start(args, fmt);
	fits = path_in_root(look, path, fmt, args);
	va_end(args);
	fd = fits ? PMU_RETRY(open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)) : -1;
	if (fd < 0)
		return NULL;
	text->len = 0;
	while ((n = PMU_RETRY(read(fd, part, sizeof(part)))) > 0 && text->len < TEXT_MAX &&
	       !text->failed)
		pmu_strbuf_add_n(text, part, (size_t)n);
	close(fd);
	return n || text->failed || !text->len ? NULL : text->text;
}

static PMU_PRINTF(2, 3) uint64_t read_count(struct look *look, const char *fmt, ...)
{
	char path[PATH_MAX];
	va_list args;
	uint64_t value;
	bool fits;

	va_start(args, fmt);
	fits = path_in_root(look, path, fmt, args);
	va_end(args);
	return fits && !pmu_sysfile_u64(path, &value) ? value : PMU_NOISE_MISSING;
}

/* A file that is one word; anything else is "". */
static PMU_PRINTF(3, 4) void read_word(struct look *look, char out[PMU_NOISE_WORD], const char *fmt,
				       ...)
{
	char path[PATH_MAX];
	va_list args;
	bool fits;

	out[0] = '\0';
	va_start(args, fmt);
	fits = path_in_root(look, path, fmt, args);
	va_end(args);
	if (!fits || pmu_sysfile_read(path, out, PMU_NOISE_WORD) < 0)
		out[0] = '\0';
	for (const char *c = out; *c; c++)
		if (*c <= ' ' || *c > '~') {
			out[0] = '\0';
			break;
		}
}

/* --- processors --- */

#define CPU_FOLDER "/sys/devices/system/cpu"

static void mark_allowed(struct look *look)
{
	struct pmu_noise_sample *out = look->out;
	const char *text = out->cpus ? NULL : read_text(look, "/proc/self/status");
	struct pmu_mask mask;
	char list[4096];

	/* proc_pid_status(5) */
	text = text ? strstr(text, "\nCpus_allowed_list:") : NULL;
	if (text && sscanf(text, "\nCpus_allowed_list: %4095[0-9,-]", list) != 1)
		text = NULL;
	out->n_allowed = 0;
	if ((!out->cpus && !text) || pmu_mask_parse(out->cpus ? out->cpus : list, &mask))
		return;
	for (size_t i = 0; i < out->n_cpus; i++) {
		out->cpu[i].allowed = pmu_mask_has(&mask, out->cpu[i].cpu);
		out->n_allowed += out->cpu[i].allowed;
	}
}

/* Documentation/ABI/stable/sysfs-devices-system-cpu: thread_siblings_list */
static int first_sibling(struct look *look, int cpu)
{
	const char *text = read_text(look, CPU_FOLDER "/cpu%d/topology/thread_siblings_list", cpu);
	struct pmu_mask mask;
	char list[1024];

	if (!text || sscanf(text, "%1023[0-9,-]", list) != 1 || pmu_mask_parse(list, &mask) ||
	    !pmu_mask_has(&mask, cpu))
		return -1;
	return pmu_mask_next(&mask, 0);
}

/* Documentation/ABI/testing/sysfs-devices-system-cpu: thermal_throttle, x86 alone */
static uint64_t count_throttles(struct look *look, int cpu)
{
	uint64_t core = read_count(look, CPU_FOLDER "/cpu%d/thermal_throttle/core_throttle_count",
				   cpu),
		 package = read_count(
			 look, CPU_FOLDER "/cpu%d/thermal_throttle/package_throttle_count", cpu);

	if (core == PMU_NOISE_MISSING)
		return package;
	return package == PMU_NOISE_MISSING ? core : core + package;
}

static int add_cpus(struct look *look)
{
	struct pmu_noise_sample *out = look->out;
	const char *text = read_text(look, "/proc/stat");
	unsigned int n_asked = 0;
	int rc;

	out->n_cpus = 0;
	out->switches = PMU_NOISE_MISSING;
	rc = text ? pmu_noise_parse_stat(text, out) : 0;
	if (rc)
		return rc;
	text = read_text(look, "/proc/interrupts");
	if (text)
		pmu_noise_parse_interrupts(text, out);
	mark_allowed(look);
	for (size_t i = 0; i < out->n_cpus; i++) {
		struct pmu_noise_cpu *cpu = &out->cpu[i];

		cpu->core = first_sibling(look, cpu->cpu);
		if (!cpu->allowed)
			continue;
		cpu->throttles = count_throttles(look, cpu->cpu);
		if (n_asked++ < FREQUENCIES_MAX)
			cpu->khz = read_count(look, CPU_FOLDER "/cpu%d/cpufreq/scaling_cur_freq",
					      cpu->cpu);
	}
	return 0;
}

/* --- a limit of the cgroup's --- */

/* Documentation/admin-guide/cgroup-v2.rst; version 1: Documentation/scheduler/sched-bwc.rst */
static const struct hierarchy {
	const char *controller;
	const char *mount;
	const char *throttled_time;
	uint64_t unit_ns;
} hierarchies[] = {
	{ "", "/sys/fs/cgroup", "throttled_usec", 1000 },
	{ "cpu", "/sys/fs/cgroup/cpu", "throttled_time", 1 },
	{ "cpu", "/sys/fs/cgroup/cpu,cpuacct", "throttled_time", 1 },
};

static double read_quota(struct look *look, const struct hierarchy *in, const char *cgroup)
{
	const char *text;
	uint64_t quota, period;

	if (!in->controller[0]) {
		text = read_text(look, "%s%s/cpu.max", in->mount, cgroup);
		return text ? pmu_noise_parse_max(text) : NAN;
	}
	/* without a limit it is -1 */
	quota = read_count(look, "%s%s/cpu.cfs_quota_us", in->mount, cgroup);
	period = read_count(look, "%s%s/cpu.cfs_period_us", in->mount, cgroup);
	if (quota == PMU_NOISE_MISSING || period == PMU_NOISE_MISSING || !quota || !period)
		return NAN;
	return (double)quota / (double)period;
}

/* Keeps the tightest limit. */
static void ask_cgroup(struct look *look, const struct hierarchy *in, const char *cgroup)
{
	struct pmu_noise_sample *out = look->out;
	double quota = read_quota(look, in, cgroup);
	const char *text;
	uint64_t time;

	if (isnan(quota) || quota >= out->quota)
		return;
	out->quota = quota;
	text = read_text(look, "%s%s/cpu.stat", in->mount, cgroup);
	out->quota_throttled = text ? pmu_noise_parse_field(text, "nr_throttled")
				    : PMU_NOISE_MISSING;
	time = text ? pmu_noise_parse_field(text, in->throttled_time) : PMU_NOISE_MISSING;
	if (time == PMU_NOISE_MISSING || __builtin_mul_overflow(time, in->unit_ns, &time))
		time = PMU_NOISE_MISSING;
	out->quota_throttled_ns = time;
}

/* Ours and those above it: all of their limits hold. */
static void add_quota(struct look *look)
{
	struct pmu_noise_sample *out = look->out;
	char cgroup[2048], *last;
	const char *text;

	out->quota = NAN;
	out->quota_throttled = out->quota_throttled_ns = PMU_NOISE_MISSING;
	for (size_t i = 0; i < PMU_ARRAY_LEN(hierarchies); i++) {
		text = read_text(look, "/proc/self/cgroup");
		if (!text || !pmu_noise_parse_cgroup(text, hierarchies[i].controller, cgroup,
						     sizeof(cgroup)))
			continue;
		for (int depth = 0; depth < DEPTH_MAX; depth++) {
			ask_cgroup(look, &hierarchies[i], strcmp(cgroup, "/") ? cgroup : "");
			last = strrchr(cgroup, '/');
			if (!last || !cgroup[0])
				break;
			*last = '\0';
		}
	}
}

/* --- the rest --- */

static void add_load(struct look *look)
{
	struct pmu_noise_sample *out = look->out;
	const char *text = read_text(look, "/proc/loadavg");
	uint64_t total, unused;

	out->load = text ? pmu_noise_parse_load(text) : NAN;
	text = read_text(look, "/proc/pressure/cpu");
	out->pressure_us = text ? pmu_noise_parse_pressure(text) : PMU_NOISE_MISSING;
	text = read_text(look, "/proc/meminfo");
	total = text ? pmu_noise_parse_field(text, "SwapTotal:") : PMU_NOISE_MISSING;
	unused = text ? pmu_noise_parse_field(text, "SwapFree:") : PMU_NOISE_MISSING;
	out->swap_used_kib = total == PMU_NOISE_MISSING || unused > total ? PMU_NOISE_MISSING
									  : total - unused;
}

/* 0 or 1; -1: it is not known. */
static int read_switch(struct look *look, const char *path, bool inverted)
{
	uint64_t value = read_count(look, CPU_FOLDER "/%s", path);

	if (value > 1)
		return -1;
	return (int)value ^ inverted;
}

/* The flag "hypervisor" of x86, CPUID 1H:ECX[31]; the device tree of others. */
static bool look_virtual(struct look *look)
{
	const char *text = read_text(look, "/proc/cpuinfo"), *end;

	text = text ? strstr(text, "\nflags\t") : NULL;
	end = text ? strchr(text + 1, '\n') : NULL;
	if (text && memmem(text, end ? (size_t)(end - text) : strlen(text), " hypervisor", 11))
		return true;
	return read_text(look, "/proc/device-tree/hypervisor/compatible") != NULL;
}

/* A list of processors in the kernel's words; "(null)" is none. */
static void read_list(struct look *look, char out[PMU_NOISE_WORD], const char *file)
{
	const char *text = read_text(look, CPU_FOLDER "/%s", file);
	struct pmu_mask mask;
	char list[4096];

	out[0] = '\0';
	if (text && sscanf(text, "%4095[0-9,-]", list) == 1 && !pmu_mask_parse(list, &mask))
		pmu_mask_format(&mask, out, PMU_NOISE_WORD);
}

/* Documentation/admin-guide/pm/intel_pstate.rst and cpufreq.rst: no_turbo, boost */
static void sample_settings(struct look *look)
{
	struct pmu_noise_sample *out = look->out;
	const char *text;
	uint64_t aslr;
	int cpu = 0;

	for (size_t i = out->n_cpus; i-- > 0;)
		if (out->cpu[i].allowed)
			cpu = out->cpu[i].cpu;
	read_word(look, out->governor, CPU_FOLDER "/cpu%d/cpufreq/scaling_governor", cpu);
	read_word(look, out->driver, CPU_FOLDER "/cpu%d/cpufreq/scaling_driver", cpu);
	out->turbo = read_switch(look, "intel_pstate/no_turbo", true);
	if (out->turbo < 0)
		out->turbo = read_switch(look, "cpufreq/boost", false);
	out->smt = read_switch(look, "smt/active", false);
	for (size_t i = 0; i < out->n_cpus && out->smt < 0; i++)
		if (out->cpu[i].core >= 0 && out->cpu[i].core != out->cpu[i].cpu)
			out->smt = 1;
	aslr = read_count(look, "/proc/sys/kernel/randomize_va_space");
	out->aslr = aslr <= 2 ? (int)aslr : -1;
	out->is_virtual = look_virtual(look);
	read_list(look, out->isolated, "isolated");
	read_list(look, out->tickless, "nohz_full");
	text = read_text(look, "/sys/kernel/mm/transparent_hugepage/enabled");
	pmu_noise_parse_choice(text ? text : "", out->huge_pages, sizeof(out->huge_pages));
	out->has_settings = true;
}

int pmu_noise_sample(struct pmu_noise_sample *out, const char *root)
{
	struct look look = { .root = root, .out = out };
	int rc;

	out->time_ns = pmu_time_now_ns(CLOCK_MONOTONIC);
	rc = add_cpus(&look);
	if (!rc) {
		add_load(&look);
		add_quota(&look);
		if (!out->has_settings)
			sample_settings(&look);
	}
	if (look.text.failed)
		rc = -ENOMEM;
	pmu_strbuf_free(&look.text);
	return rc;
}

void pmu_noise_sample_free(struct pmu_noise_sample *sample)
{
	free(sample->cpu);
	*sample = (struct pmu_noise_sample){ 0 };
}
