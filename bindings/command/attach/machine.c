/* SPDX-License-Identifier: BSD-3-Clause */
/* The events on processors, and how long these were busy: opened, read, closed. */
#include "bindings/command/attach/machine.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/sysfile.h"
#include "base/textfile.h"
#include "base/time.h"
#include "bindings/command/noise/parse.h"
#include "counters/perf/system.h"
#include "report/model/model.h"
#include "store/samples.h"

#define PARANOID  "/proc/sys/kernel/perf_event_paranoid"
#define MOST_STAT (16u << 20)

/* Of many processors those of names that were sampled least are together. */
#define MOST_ROWS 65536u

/* Of a cgroup on a processor: it runs while one of its threads does, at whatever level. */
static const struct pmu_plan clock_plan = { .n_slots = 1,
					    .slot[0] = { .kind = PMU_SLOT_SOFTWARE,
							 .type = PERF_TYPE_SOFTWARE,
							 .config = PERF_COUNT_SW_CPU_CLOCK,
							 .user = true,
							 .kernel = true } };

/* --- which --- */

/* As it is given, or as "system.slice/NAME" and /proc/PID/cgroup have it. */
static int open_cgroup(const char *path)
{
	static const char *const mounts[] = { "/sys/fs/cgroup", "/sys/fs/cgroup/unified" };
	const int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
	int fd = open(path, flags);
	char below[4096];

	for (size_t i = 0; fd < 0 && i < PMU_ARRAY_LEN(mounts); i++)
		if ((size_t)snprintf(below, sizeof(below), "%s/%s", mounts[i], path) <
		    sizeof(below))
			fd = open(below, flags);
	return fd;
}

static void name_machine(struct pmu_attach_machine *machine, const char *cgroup)
{
	const char *slash = strrchr(machine->path, '/');

	machine->name = !cgroup ? "machine" : slash && slash[1] ? slash + 1 : machine->path;
}

/* All programs, and idle processors, too: clocks of it never stand still. */
static bool is_root_cgroup(int fd)
{
	return !faccessat(fd, "cgroup.controllers", F_OK, 0) &&
	       faccessat(fd, "cgroup.type", F_OK, 0) < 0;
}

static int find_cgroup(struct pmu_attach_machine *machine, const char *cgroup)
{
	char link[64];
	ssize_t n;

	machine->cgroup_fd = open_cgroup(cgroup);
	if (machine->cgroup_fd < 0)
		return pmu_fail(errno, "there is no cgroup %s here, nor below /sys/fs/cgroup: %s",
				cgroup, strerror(errno));
	snprintf(link, sizeof(link), "/proc/self/fd/%d", machine->cgroup_fd);
	n = readlink(link, machine->path, sizeof(machine->path) - 1);
	if (n < 0)
		snprintf(machine->path, sizeof(machine->path), "%s", cgroup);
	if (!is_root_cgroup(machine->cgroup_fd))
		return 0;
	close(machine->cgroup_fd);
	return pmu_fail(EINVAL,
			"%s is the root of all cgroups: pmu attach -a measures all programs",
			machine->path);
}

struct pmu_attach_machine *pmu_attach_machine_new(const char *cgroup)
{
	struct pmu_attach_machine *machine = calloc(1, sizeof(*machine));

	if (!machine) {
		pmu_fail(ENOMEM, "no memory");
		return NULL;
	}
	machine->cgroup_fd = -1;
	if (cgroup && find_cgroup(machine, cgroup)) {
		free(machine);
		return NULL;
	}
	name_machine(machine, cgroup);
	return machine;
}

/* --- open --- */

static int fail_rights(const struct pmu_attach_machine *machine, int rc)
{
	char setting[32] = "not known";
	int64_t paranoid;

	if (!pmu_sysfile_i64(PARANOID, &paranoid))
		snprintf(setting, sizeof(setting), "%lld", (long long)paranoid);
	if (machine->cgroup_fd < 0)
		return pmu_fail(
			-rc,
			"what all programs do may not be looked at from here: it takes root, "
			"CAP_PERFMON, or kernel.perf_event_paranoid at 0 or below, and it is %s",
			setting);
	return pmu_fail(
		-rc,
		"what a cgroup does may not be looked at from here: it takes root, CAP_PERFMON, or "
		"kernel.perf_event_paranoid at 0 or below, and it is %s; of your own processes there "
		"pmu attach $(cat %s/cgroup.procs) measures those that run now",
		setting, machine->path);
}

static int fail_cpu(const struct pmu_attach_machine *machine, int cpu, int rc)
{
	if (rc == -EACCES || rc == -EPERM)
		return fail_rights(machine, rc);
	if (machine->cgroup_fd >= 0 && rc == -EBADF)
		return pmu_fail(EBADF, "%s is a folder, but no cgroup", machine->path);
	if (machine->cgroup_fd >= 0 && (rc == -ENOENT || rc == -EINVAL))
		return pmu_fail(-rc,
				"%s is of a hierarchy of cgroups that perf_event_open(2) does not "
				"know (%s): it takes version 2, or the controller perf_event",
				machine->path, strerror(-rc));
	if (rc == -EMFILE)
		return pmu_fail(EMFILE,
				"no descriptor is left for the events of processor %d: raise the "
				"limit (ulimit -Hn, ulimit -n)",
				cpu);
	return pmu_fail(-rc, "cannot count on processor %d: %s", cpu, strerror(-rc));
}

/* Samples, and what there is to know about processes: where idle, a processor is in none. */
static int open_samples(const struct pmu_attach *attach, const struct pmu_attach_ring *ring)
{
	const struct pmu_attach_machine *machine = attach->machine;
	struct perf_event_attr attr;
	int fd, rc;

	pmu_samples_fill(&attr, &attach->plan.sample);
	attr.sample_id_all = attr.task = attr.use_clockid = attr.exclude_idle = 1;
	attr.clockid = CLOCK_MONOTONIC;
	fd = pmu_perf_system->open(&attr, machine->cgroup_fd, ring->cpu, -1,
				   PERF_FLAG_FD_CLOEXEC |
					   (machine->cgroup_fd >= 0 ? PERF_FLAG_PID_CGROUP : 0));
	if (fd < 0)
		return fd;
	rc = pmu_perf_system->control(fd, PERF_EVENT_IOC_SET_OUTPUT, (void *)(intptr_t)ring->fd);
	if (rc < 0)
		close(fd);
	return rc < 0 ? rc : fd;
}

static int open_group(const struct pmu_attach_machine *machine, int cpu,
		      const struct pmu_plan *plan, struct pmu_perf_group *group)
{
	const bool has_cgroup = machine->cgroup_fd >= 0;
	const struct pmu_perf_where where = { .pid = has_cgroup ? machine->cgroup_fd : -1,
					      .cpu = cpu,
					      .cgroup = has_cgroup };
	const int kind = pmu_perf_hybrid_kind(&machine->hybrid, cpu);
	struct pmu_plan of_kind;
	unsigned int failed;

	if (kind < 0)
		return pmu_perf_group_open(group, plan, &where, &failed);
	pmu_perf_hybrid_plan(&machine->hybrid, (unsigned int)kind, true, plan, &of_kind);
	return pmu_perf_group_open(group, &of_kind, &where, &failed);
}

static int open_cpu(struct pmu_attach *attach, size_t i)
{
	const struct pmu_attach_ring *ring = &attach->rings.of[i];
	struct pmu_attach_machine *machine = attach->machine;
	struct pmu_attach_machine_cpu *cpu = &machine->cpu[i];
	int rc;

	rc = open_group(machine, ring->cpu, &attach->plan.plan, &cpu->counts);
	pmu_perf_reader_init(&cpu->reader, &cpu->counts, &attach->plan.plan);
	/* also where it is the system's account that is read: who has no right to it is told */
	if (!rc)
		rc = open_group(machine, ring->cpu, &clock_plan, &cpu->clock);
	if (rc || !attach->plan.sample.unit.period)
		return rc;
	cpu->watch = open_samples(attach, ring);
	return cpu->watch < 0 ? cpu->watch : 0;
}

int pmu_attach_machine_open(struct pmu_attach *attach)
{
	struct pmu_attach_machine *machine = attach->machine;
	int rc = 0;

	pmu_perf_hybrid_of_plan(&attach->plan.plan, &machine->hybrid);
	machine->programs.n_cpus = attach->rings.n;
	machine->cpu = calloc(attach->rings.n + 1, sizeof(*machine->cpu));
	if (!machine->cpu)
		return pmu_fail(ENOMEM, "no memory for the events of %zu processors",
				attach->rings.n);
	for (size_t i = 0; i < attach->rings.n; i++)
		machine->cpu[i].watch = -1;
	for (size_t i = 0; i < attach->rings.n && !rc; i++) {
		rc = open_cpu(attach, i);
		/* it has gone offline */
		if (rc == -ENODEV)
			rc = 0;
		if (rc)
			rc = fail_cpu(machine, attach->rings.of[i].cpu, rc);
	}
	return rc;
}

/* --- start, stop --- */

/* Of all processors, or none of them: what the system has on its account, /proc/stat. */
static void read_busy(const struct pmu_attach *attach, uint64_t *busy_ns)
{
	const uint64_t tick_ns = 1000000000u / (uint64_t)sysconf(_SC_CLK_TCK);
	struct pmu_noise_sample stat = { .cpu = NULL };
	char *text = NULL;
	size_t len;
	int rc = pmu_textfile_read("/proc/stat", MOST_STAT, &text, &len);

	if (!rc)
		rc = pmu_noise_parse_stat(text, &stat);
	for (size_t i = 0; i < attach->rings.n; i++) {
		const struct pmu_noise_cpu *cpu = rc ? NULL
						     : pmu_noise_find(&stat,
								      attach->rings.of[i].cpu);

		busy_ns[i] = cpu ? (cpu->busy + cpu->irq) * tick_ns : PMU_NOT_KNOWN;
	}
	free(stat.cpu);
	free(text);
}

static uint64_t cgroup_usage(const struct pmu_attach_machine *machine)
{
	char path[64], text[4096];
	uint64_t usage;

	if (machine->cgroup_fd < 0)
		return PMU_NOT_KNOWN;
	snprintf(path, sizeof(path), "/proc/self/fd/%d/cpu.stat", machine->cgroup_fd);
	if (pmu_sysfile_read(path, text, sizeof(text)) < 0)
		return PMU_NOT_KNOWN;
	usage = pmu_noise_parse_field(text, "usage_usec");
	return usage == PMU_NOISE_MISSING ? PMU_NOT_KNOWN : usage;
}

/*
 * How long it was enabled, and ran, is wrong in the first event of a cgroup on a processor, by as much as the machine has
 * run (seen in Linux 6.1 and 6.18); but a clock always counts.
 */
static uint64_t read_clock(const struct pmu_attach_machine_cpu *cpu)
{
	struct pmu_perf_values got;

	return cpu->clock.n && !pmu_perf_group_read(&cpu->clock, &got) ? got.value[0]
								       : PMU_NOT_KNOWN;
}

void pmu_attach_machine_start(struct pmu_attach *attach)
{
	struct pmu_attach_machine *machine = attach->machine;
	uint64_t *busy_ns = calloc(attach->rings.n + 1, sizeof(*busy_ns));

	machine->start_unix_ns = pmu_time_now_ns(CLOCK_REALTIME);
	if (busy_ns && machine->cgroup_fd < 0)
		read_busy(attach, busy_ns);
	machine->usage_us = cgroup_usage(machine);
	machine->start_ns = pmu_time_now_ns(CLOCK_MONOTONIC);
	for (size_t i = 0; i < attach->rings.n; i++) {
		struct pmu_attach_machine_cpu *cpu = &machine->cpu[i];

		cpu->start_ns = pmu_time_now_ns(CLOCK_MONOTONIC);
		/* this one first, see read_clock() */
		pmu_perf_group_enable(&cpu->clock);
		pmu_perf_group_enable(&cpu->counts);
		cpu->busy_ns = busy_ns ? busy_ns[i] : PMU_NOT_KNOWN;
	}
	free(busy_ns);
}

/* Of two readings of an account; one of them may be missing. */
static uint64_t account_since(uint64_t before, uint64_t now)
{
	return before == PMU_NOT_KNOWN || now == PMU_NOT_KNOWN || now < before ? PMU_NOT_KNOWN
									       : now - before;
}

static void stop_cpu(struct pmu_attach_machine_cpu *cpu, bool is_all, uint64_t busy_ns)
{
	const uint64_t clock_ns = read_clock(cpu);

	cpu->missing = pmu_perf_reader_read(&cpu->reader, cpu->count);
	cpu->stop_ns = pmu_time_now_ns(CLOCK_MONOTONIC);
	cpu->busy_ns = is_all ? account_since(cpu->busy_ns, busy_ns) : clock_ns;
	/* by two clocks, one of which has ticks */
	if (cpu->busy_ns != PMU_NOT_KNOWN && cpu->busy_ns > cpu->stop_ns - cpu->start_ns)
		cpu->busy_ns = cpu->stop_ns - cpu->start_ns;
}

void pmu_attach_machine_stop(struct pmu_attach *attach)
{
	struct pmu_attach_machine *machine = attach->machine;
	const bool is_all = machine->cgroup_fd < 0;
	uint64_t *busy_ns = calloc(attach->rings.n + 1, sizeof(*busy_ns));

	if (busy_ns && is_all)
		read_busy(attach, busy_ns);
	for (size_t i = 0; i < attach->rings.n; i++)
		stop_cpu(&machine->cpu[i], is_all, busy_ns ? busy_ns[i] : PMU_NOT_KNOWN);
	machine->usage_us = account_since(machine->usage_us, cgroup_usage(machine));
	machine->stop_ns = pmu_time_now_ns(CLOCK_MONOTONIC);
	pmu_attach_look(attach);
	pmu_attach_programs_end(&machine->programs);
	pmu_attach_programs_fold(&machine->programs, MOST_ROWS);
	free(busy_ns);
}

void pmu_attach_machine_close(struct pmu_attach *attach)
{
	struct pmu_attach_machine *machine = attach->machine;

	for (size_t i = 0; machine->cpu && i < attach->rings.n; i++) {
		struct pmu_attach_machine_cpu *cpu = &machine->cpu[i];

		if (cpu->watch >= 0)
			close(cpu->watch);
		pmu_perf_group_close(&cpu->clock);
		pmu_perf_group_close(&cpu->counts);
	}
	pmu_attach_programs_free(&machine->programs);
	if (machine->cgroup_fd >= 0)
		close(machine->cgroup_fd);
	free(machine->cpu);
	free(machine);
	attach->machine = NULL;
}
