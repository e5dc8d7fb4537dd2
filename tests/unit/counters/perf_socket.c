/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sockets through perf_event: which events are opened where, their sums, their refusals.  Needs no
 * such hardware.
 */
#include "counters/perf/socket.h"

#include <math.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/error.h"
#include "counters/perf/places.h"
#include "counters/perf/why.h"
#include "machine/models.h"
#include "plan/catalog.h"
#include "plan/group.h"
#include "tests/unit/counters/perf_fake.h"
#include "unit/part.h"

#define N_CPUS  56 /* 28 processors to a socket */
#define PER_CPU 28
#define BOXES   6 /* of uncore_imc */

static const struct pmu_backend *const perf = &pmu_backend_perf;
static char root[] = "/tmp/pmu-perf-socket-XXXXXX", devices[512], cpus[64];

__attribute__((format(printf, 2, 3))) static void put(const char *text, const char *fmt, ...)
{
	char path[256];
	va_list args;
	FILE *file;

	va_start(args, fmt);
	vsnprintf(path, sizeof(path), fmt, args);
	va_end(args);
	file = fopen(path, "w");
	if (!file || fputs(text, file) < 0 || fclose(file))
		abort();
}

/* Two sockets, numbers 1 and 3. */
static void make_cpus(void)
{
	char path[128];

	if (!mkdtemp(root))
		abort();
	snprintf(cpus, sizeof(cpus), "%s", root);
	for (int cpu = 0; cpu < N_CPUS; cpu++) {
		snprintf(path, sizeof(path), "%s/cpu%d", cpus, cpu);
		mkdir(path, 0700);
		snprintf(path, sizeof(path), "%s/cpu%d/topology", cpus, cpu);
		mkdir(path, 0700);
		put(cpu < PER_CPU ? "1\n" : "3\n", "%s/physical_package_id", path);
	}
	put("0-55\n", "%s/online", cpus);
}

static void remove_cpus(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -r %s", root);
	if (system(command))
		diag("%s is left behind", root);
}

static struct pmu_plan plan_of(const char *events)
{
	struct pmu_catalog catalog = { .sysfs = devices };
	struct pmu_plan plan = { 0 };
	struct pmu_group group;

	if (pmu_group_from_events(events, &catalog, &group)) {
		ok(false, "%s: %s", events, pmu_error_text());
		return plan;
	}
	pmu_group_plan(&group, &plan);
	return plan;
}

#define TWO "uncore_imc/cas_count_read/,uncore_imc/cas_count_write/"

static struct pmu_perf_sockets *open_sockets(const char *events)
{
	struct pmu_plan plan = plan_of(events);
	struct pmu_perf_sockets *sockets = NULL;

	fake_forget();
	is_int(pmu_perf_sockets_open(&plan, &sockets), 0, events);
	return sockets;
}

static void close_sockets(struct pmu_perf_sockets *sockets)
{
	pmu_perf_sockets_close(sockets);
	is_int(fake_descriptors(), 0, "  nothing stays open");
}

/* --- where --- */

static void opens_each_box_on_each_socket(void)
{
	struct pmu_perf_sockets *sockets = open_sockets(TWO);
	unsigned int wrong = 0, levels = 0, leaders = 0;

	is_int((int)fake_n, 2 * BOXES * 2, "  two events of six boxes on two sockets");
	for (unsigned int i = 0; i < fake_n; i++) {
		const struct fake_event *event = &fake_event[i];
		bool second = i % 2, other = i / 2 % 2;

		wrong += event->attr.type != 14 + i / 4 ||
			 event->attr.config != (second ? 0xc04 : 0x304) || event->pid != -1 ||
			 event->cpu != (other ? 28 : 0) || !(event->flags & PERF_FLAG_FD_CLOEXEC) ||
			 event->leader != fake_event[i - second].id;
		levels += event->attr.exclude_user || event->attr.exclude_kernel ||
			  event->attr.exclude_hv || event->attr.exclude_idle ||
			  event->attr.exclude_host || event->attr.exclude_guest;
		leaders += event->attr.pinned && event->attr.disabled && event->enabled;
	}
	is_int((int)wrong, 0, "  each by its box's type, on its socket's processor");
	is_int((int)levels, 0, "  no level is excluded: the kernel refuses that");
	is_int((int)leaders, 2 * BOXES, "  pinned, and counting");
	is_int((int)pmu_perf_sockets_count(sockets), 2, "  two sockets");
	is_int((int)pmu_perf_sockets_groups(sockets), 2 * BOXES, "  twelve groups");
	close_sockets(sockets);
}

static void knows_the_socket_of_each_processor(void)
{
	struct pmu_perf_sockets *sockets = open_sockets("power/energy-pkg/");

	is_int(pmu_perf_sockets_of(sockets, 0), 0, "  the first processor");
	is_int(pmu_perf_sockets_of(sockets, 27), 0, "  the last of the first socket");
	is_int(pmu_perf_sockets_of(sockets, 28), 1, "  the first of the second");
	is_int(pmu_perf_sockets_of(sockets, 55), 1, "  the last");
	is_int(pmu_perf_sockets_of(sockets, 56), -1, "  one that there is not");
	is_int(pmu_perf_sockets_of(sockets, -1), -1, "  no number");
	close_sockets(sockets);
}

static void sockets_stand_in_the_order_of_their_numbers(void)
{
	struct pmu_perf_places places;

	put("7\n", "%s/cpu0/topology/physical_package_id", cpus);
	put("-1\n", "%s/cpu3/topology/physical_package_id", cpus);
	put("0-2,3,30\n", "%s/online", cpus);
	is_int(pmu_perf_places_find(cpus, &places), 0, "four sockets");
	is_int((int)places.n, 4, "  all of them");
	is_int(pmu_perf_places_of(&places, 3), 0, "  -1 is one too");
	is_int(pmu_perf_places_of(&places, 1), 1, "  then 1");
	is_int(pmu_perf_places_of(&places, 30), 2, "  then 3");
	is_int(pmu_perf_places_of(&places, 0), 3, "  then 7");
	is_int(pmu_perf_places_of(&places, 10), -1, "  one that is offline is nowhere");
	pmu_perf_places_free(&places);
	put("garbage\n", "%s/online", cpus);
	is_int(pmu_perf_places_find(cpus, &places), -ENODEV, "a list that is none");
	has(pmu_error_text(), "does not say", "  is said");
	put("1\n", "%s/cpu0/topology/physical_package_id", cpus);
	put("1\n", "%s/cpu3/topology/physical_package_id", cpus);
	put("0-55\n", "%s/online", cpus);
}

/* --- counts --- */

/* Group @i has counted base + i and 10 * (base + i). */
static void give_all(uint64_t base)
{
	for (unsigned int i = 0, group = 0; i < fake_n; i++) {
		uint64_t value[2];

		if (fake_event[i].leader != fake_event[i].id)
			continue;
		value[0] = base + group;
		value[1] = 10 * (base + group);
		group++;
		fake_give(&fake_event[i], 1000, 1000, value);
	}
}

static void adds_up_the_boxes_of_a_socket(void)
{
	struct pmu_perf_sockets *sockets = open_sockets(TWO);
	uint64_t value[PMU_MAX_SLOTS];

	give_all(100);
	errno = 1234;
	is_int((int)pmu_perf_sockets_read(sockets, 0, value), 0, "  the first socket can be read");
	/* groups 0, 2, 4, ... are on it; a line has 64 bytes */
	is_u64(value[0], 64 * (6 * 100 + 30), "  bytes read, all boxes together");
	is_u64(value[1], 64 * 10 * (6 * 100 + 30), "  and written");
	is_int((int)pmu_perf_sockets_read(sockets, 1, value), 0, "  the second one, too");
	is_u64(value[0], 64 * (6 * 100 + 36), "  with counts of its own");
	is_int(errno, 1234, "  errno is the program's");
	close_sockets(sockets);
}

static void each_event_goes_to_its_slot(void)
{
	struct pmu_perf_sockets *sockets = open_sockets(
		"power/energy-pkg/,uncore_cha/event=0x35,umask=0x11/,power/energy-ram/");
	uint64_t value[PMU_MAX_SLOTS] = { 0 };

	/* slots 0 and 2 are the first group of each socket */
	is_int((int)fake_n, 4 + 24, "  two of power, twelve boxes, on two sockets");
	give_all((uint64_t)1 << 32);
	is_int((int)pmu_perf_sockets_read(sockets, 0, value), 0, "  can be read");
	is_u64(value[0], 1000000, "  2^32 of the kernel's are a joule, and it counts microjoules");
	is_u64(value[2], 10000000, "  the memory's beside it");
	is_u64(value[1],
	       12 * ((uint64_t)1 << 32) + 2 + 4 + 6 + 8 + 10 + 12 + 14 + 16 + 18 + 20 + 22 + 24,
	       "  clock ticks as they are");
	close_sockets(sockets);
}

static void rounds_the_sum_and_not_each_read(void)
{
	uint64_t count = 0, many = 0;
	double scale = 1e6 / 4294967296.0;

	ok(pmu_perf_scale(1, scale, &count) && count == 0, "a 4295th of a microjoule is none");
	ok(pmu_perf_scale(2148, scale, &count) && count == 1, "half of one is one");
	ok(pmu_perf_scale(4294967296u * 1000, scale, &many) && many == 1000000000,
	   "a thousand joules are exact");
	ok(pmu_perf_scale(12345678901234567u, 64, &count) && count == 12345678901234567u * 64,
	   "so are lines in bytes");
	ok(pmu_perf_scale(UINT64_MAX, 0, &count) && count == UINT64_MAX,
	   "without a scale it is as it is");
}

static void what_is_no_number_is_missing(void)
{
	static const double wrong[] = { NAN, INFINITY, -1, 1e300, -INFINITY };
	uint64_t count;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		ok(!pmu_perf_scale(1000, wrong[i], &count), "1000 times %g", wrong[i]);
	ok(!pmu_perf_scale((uint64_t)1 << 60, 64, &count), "more than 64 bits");
}

/* --- what goes wrong later --- */

static void a_box_that_is_lost_makes_the_sum_missing(void)
{
	struct pmu_perf_sockets *sockets = open_sockets("uncore_upi/event=0x01/,power/energy-pkg/");
	uint64_t value[PMU_MAX_SLOTS];
	char text[400] = "";

	give_all(5);
	/* the second box on the first socket: the end of file is how the kernel says so */
	close(fake_event[2].end);
	fake_event[2].end = -1;
	is_int((int)pmu_perf_sockets_read(sockets, 0, value), 0,
	       "  what it counted before it was lost");
	is_int((int)pmu_perf_sockets_read(sockets, 1, value), 0, "  the other socket");
	for (unsigned int i = 0; i < fake_n; i++)
		if (fake_event[i].end >= 0)
			fake_give(&fake_event[i], 1, 1, (uint64_t[]){ 6 });
	is_int((int)pmu_perf_sockets_read(sockets, 0, value), 1,
	       "  then its slot is missing there");
	is_int((int)pmu_perf_sockets_read(sockets, 1, value), 0, "  and nowhere else");
	ok(pmu_perf_sockets_remark(sockets, text, sizeof(text)), "  which is worth a remark");
	has(text, "uncore_upi_1: its counters were given to something else", "  that names it");
	ok(!pmu_perf_sockets_remark(sockets, text, sizeof(text)), "  once");
	close_sockets(sockets);
}

static void time_without_counting_is_a_hole(void)
{
	struct pmu_perf_sockets *sockets = open_sockets("power/energy-pkg/");
	uint64_t value[PMU_MAX_SLOTS];

	fake_give(&fake_event[0], 1000, 999, (uint64_t[]){ 6 });
	is_int((int)pmu_perf_sockets_read(sockets, 0, value), 1, "  not counted all the time");
	fake_give(&fake_event[0], 2000, 2000, (uint64_t[]){ 7 });
	is_int((int)pmu_perf_sockets_read(sockets, 0, value), 1, "  it stays missing");
	close_sockets(sockets);
}

static void what_the_program_closed_is_known(void)
{
	struct pmu_perf_sockets *sockets = open_sockets("power/energy-pkg/");
	uint64_t value[PMU_MAX_SLOTS];
	char text[400] = "";

	for (int fd = 0; fd < 1 << 17; fd++)
		if (fd != fake_event[1].end && fake_id(fd) == fake_event[1].id)
			close(fd);
	is_int((int)pmu_perf_sockets_read(sockets, 1, value), 1, "  the second socket's is gone");
	ok(pmu_perf_sockets_remark(sockets, text, sizeof(text)), "  worth a remark");
	has(text, "the program closed", "  that says why");
	close_sockets(sockets);
}

static void a_forked_child_lets_go(void)
{
	struct pmu_perf_sockets *sockets = open_sockets(TWO);
	uint64_t value[PMU_MAX_SLOTS];
	int status = -1;
	pid_t pid;

	pmu_perf_sockets_child(sockets);
	is_int(fake_descriptors(), 24, "  the parent has no child to let go in");
	pid = fork();
	if (!pid) {
		pmu_perf_sockets_child(sockets);
		status = fake_descriptors();
		pmu_perf_sockets_close(sockets);
		_exit(status);
	}
	waitpid(pid, &status, 0);
	is_int(WEXITSTATUS(status), 0, "  the child has none of them");
	give_all(1);
	is_int((int)pmu_perf_sockets_read(sockets, 0, value), 0, "  the parent goes on counting");
	close_sockets(sockets);
}

/* --- refusals --- */

static int no_rights(const struct fake_event *event, unsigned int place)
{
	(void)place;
	return event->pid == -1 ? -EACCES : 0;
}

static int room_for_one(const struct fake_event *event, unsigned int place)
{
	(void)event;
	return place ? -EINVAL : 0;
}

static int unknown_write(const struct fake_event *event, unsigned int place)
{
	(void)place;
	return event->attr.config == 0xc04 ? -EINVAL : 0;
}

static int not_on_the_second(const struct fake_event *event, unsigned int place)
{
	(void)place;
	return event->cpu == 28 ? -ENODEV : 0;
}

static int probe(const char *events, int (*refuse)(const struct fake_event *, unsigned int),
		 struct pmu_probe *probe)
{
	struct pmu_plan plan = plan_of(events);
	int rc;

	fake_forget();
	fake_refuse = refuse;
	rc = perf->probe(&plan, probe);
	is_int(fake_descriptors(), 0, "a probe leaves nothing open");
	return rc;
}

static void without_rights_the_setting_is_named(void)
{
	struct pmu_probe got;

	is_int(probe(TWO, no_rights, &got), -EACCES, "  nothing else to count: no rights");
	has(got.why, "perf_event_paranoid", "  why");
	has(got.why, "belongs to a socket", "  what");
	has(got.mend, "perf_event_paranoid=0", "  what would help");
	has(got.mend, "CAP_PERFMON", "  or that");
}

static void cores_count_without_sockets(void)
{
	struct pmu_probe got;

	is_int(probe("instructions," TWO, no_rights, &got), 0, "  instructions can be counted");
	is_int(got.error[0], 0, "  they are not refused");
	ok(got.error[1] == -EACCES && got.error[2] == -EACCES, "  what belongs to sockets is");
	has(got.why, "perf_event_paranoid", "  why");
}

static void events_that_do_not_fit_are_told_from_unknown_ones(void)
{
	struct pmu_probe got;

	is_int(probe(TWO, room_for_one, &got), -ENOSPC, "  one counter to a box");
	ok(got.error[0] == 0 && got.error[1] == -ENOSPC, "  the second event has none");
	has(got.why, "1 of 2 events fit the counters of uncore_imc", "  why");
	is_int(probe("instructions," TWO, unknown_write, &got), -EINVAL,
	       "  an event that the box does not know");
	ok(got.error[0] == 0 && got.error[1] == 0 && got.error[2] == -EINVAL, "  that one alone");
	has(got.why, "uncore_imc has no event of code 0xc04 (EINVAL)", "  why");
}

static void a_pmu_that_is_not_there_is_named(void)
{
	struct pmu_catalog catalog = { .sysfs = devices, .keep_absent = true };
	struct pmu_plan plan = plan_of("instructions,power/energy-pkg/");
	struct pmu_probe got;
	struct pmu_event event;

	is_int(pmu_event_parse("uncore_nothing/cas_count_read/", &catalog, &event), 0,
	       "a PMU that other machines have");
	plan.slot[1] = event.slot;
	fake_forget();
	is_int(perf->probe(&plan, &got), -ENOENT, "  is not counted here");
	ok(!got.error[0] && got.error[1] == -ENOENT, "  it alone");
	has(got.why, "shows no PMU called uncore_nothing", "  why");
	/* the generic name where the kernel has no such counter */
	plan.slot[1] = (struct pmu_slot){ .kind = PMU_SLOT_ENERGY,
					  .type = PMU_TYPE_NONE,
					  .unit = PMU_ENERGY_GRAPHICS };
	is_int(perf->probe(&plan, &got), -ENOENT, "energy that its driver does not count");
	has(got.why, "PMU power has no event energy-gpu", "  why");
	is_str(got.mend, "", "  nothing would help");
	plan.slot[0] = (struct pmu_slot){ .kind = PMU_SLOT_ENERGY,
					  .type = PMU_TYPE_NONE,
					  .unit = PMU_ENERGY_CORES };
	is_int(perf->probe(&plan, &got), -ENOENT, "two that its driver does not count");
	is_str(got.why, "the kernel's PMU power has none of these events",
	       "  what is said holds for both");
	plan = plan_of("instructions,power/energy-pkg/");
	plan.slot[1] = (struct pmu_slot){ .kind = PMU_SLOT_ENERGY,
					  .type = PMU_TYPE_NONE,
					  .unit = PMU_ENERGY_GRAPHICS };
	fake_system.devices = "/nonexistent";
	is_int(perf->probe(&plan, &got), -ENOENT, "energy without a driver");
	has(got.why, "shows no PMU called power", "  why");
	fake_system.devices = devices;
	/* the kernel may show that PMU by now: the slot still has no type */
	plan.slot[1] = event.slot;
	snprintf(plan.slot[1].pmu, sizeof(plan.slot[1].pmu), "uncore_imc");
	is_int(perf->probe(&plan, &got), -ENOENT, "a PMU that came later");
	is_int(pmu_event_parse("uncore_imx/cas_count_read/", &catalog, &event), -EINVAL,
	       "a slip of the pen");
	has(pmu_error_text(), "did you mean uncore_imc", "  is no such PMU");
	catalog.keep_absent = false;
	is_int(pmu_event_parse("uncore_nothing/cas_count_read/", &catalog, &event), -EINVAL,
	       "unless absent ones are kept");
}

static void a_socket_that_fails_fails_the_opening(void)
{
	struct pmu_plan plan = plan_of(TWO);
	struct pmu_perf_sockets *sockets = (void *)&plan;

	fake_forget();
	fake_refuse = not_on_the_second;
	is_int(pmu_perf_sockets_open(&plan, &sockets), -ENODEV,
	       "the second socket's processor is offline");
	ok(sockets == NULL, "  nothing was made");
	has(pmu_error_text(), "uncore_imc_0 on CPU 28", "  which is said");
	is_int(fake_descriptors(), 0, "  nothing stays open");
}

/* --- beside threads --- */

static void threads_leave_sockets_out(void)
{
	struct pmu_plan plan = plan_of("task-clock," TWO ",page-faults");
	struct pmu_attachment got;
	uint64_t value[PMU_MAX_SLOTS] = { 0 };
	pmu_read_fn *read;
	void *state, *thread;
	char text[200];

	fake_forget();
	is_int(perf->open(&state, &plan), 0, "threads and sockets");
	is_int((int)perf->sockets(state), 2, "  two sockets");
	thread = calloc(1, perf->thread_size(&plan));
	is_int(perf->attach(state, thread, -1, &read, &got), 0, "  a thread");
	is_int((int)got.missing, 6, "  without what belongs to sockets");
	is_int((int)fake_event[fake_n - 1].attr.config, PERF_COUNT_SW_PAGE_FAULTS,
	       "  page faults are its last event");
	is_int((int)fake_event[fake_n - 1].pid, 0, "  of the thread");
	ok(fake_event[fake_n - 2].attr.exclude_kernel && fake_event[fake_n - 2].attr.exclude_hv,
	   "  which has levels");
	fake_give(&fake_event[fake_n - 2], 1, 1, (uint64_t[]){ 11, 22 });
	is_int((int)read(thread, value), 6, "  they are missing in its reads");
	ok(value[0] == 11 && value[3] == 22, "  the others are in their slots");
	fake_n -= 2;
	give_all(1);
	fake_n += 2;
	is_int((int)perf->read_socket(state, perf->socket_of(state, 30), value), 9,
	       "  and the other way round");
	is_u64(value[1], 64 * (6 * 1 + 36), "  with the second socket's counts");
	perf->describe(state, text, sizeof(text));
	has(text, "whole sockets, 12 read(2)", "  the head says what it costs");
	perf->detach(state, thread);
	perf->close(state);
	free(thread);
	is_int(fake_descriptors(), 0, "  nothing stays open");
}

static void threads_count_on_where_sockets_cannot_be_opened(void)
{
	struct pmu_plan plan = plan_of("task-clock," TWO);
	struct pmu_attachment got;
	pmu_read_fn *read;
	void *state, *thread;
	char text[400] = "";

	fake_forget();
	fake_refuse = not_on_the_second;
	is_int(perf->open(&state, &plan), 0, "sockets that were there a moment ago");
	is_int((int)perf->sockets(state), 0, "  are not counted");
	ok(perf->remark(state, text, sizeof(text)), "  which is worth a remark");
	has(text, "uncore_imc_0 on CPU 28", "  that says where");
	ok(!perf->remark(state, text, sizeof(text)), "  once");
	thread = calloc(1, perf->thread_size(&plan));
	is_int(perf->attach(state, thread, -1, &read, &got), 0, "  a thread");
	is_int((int)got.missing, 6, "  has the rest");
	perf->detach(state, thread);
	perf->close(state);
	free(thread);
}

/* What would help: the module, unless it is there already. */
static void the_module_is_named_that_would_help(void)
{
	static const struct {
		const char *pmu;
		uint32_t family, model;
		bool loaded, guest;
		const char *why, *mend;
	} cases[] = {
		{ "uncore", 6, 0x1a, false, false,
		  "this machine's kernel shows no PMU called uncore", "modprobe intel_uncore" },
		{ "uncore_imc", 6, 0x3c, true, false,
		  "this machine's kernel shows no PMU called uncore_imc, although the module intel_uncore is loaded",
		  "" },
		{ "power", 6, 0x3c, false, false, "this machine's kernel shows no PMU called power",
		  "modprobe rapl" },
		{ "power", 6, 0x1a, false, false, "this CPU (Nehalem) has no counters of energy",
		  "" },
		{ "amd_umc", 0x19, 0x11, false, false,
		  "this machine's kernel shows no PMU called amd_umc",
		  "modprobe amd_uncore (Linux 6.8 or later has it)" },
		{ "amd_umc", 0x19, 0x11, true, false,
		  "this machine's kernel shows no PMU called amd_umc",
		  "Linux 6.8 or later has it" },
		{ "hisi_sccl,ddrc", 0x48, 0xd01, false, false,
		  "this machine's kernel shows no PMU called hisi_sccl,ddrc",
		  "modprobe hisi_uncore_ddrc_pmu" },
		{ "uncore_imc", 6, 0x3c, false, true,
		  "this virtual machine (KVM) shows no PMU called uncore_imc",
		  "run on bare metal" },
	};
	char folder[] = "/tmp/pmu-modules.XXXXXX", path[2][64];

	if (!mkdtemp(folder))
		return;
	snprintf(path[0], sizeof(path[0]), "%s/intel_uncore", folder);
	snprintf(path[1], sizeof(path[1]), "%s/amd_uncore", folder);
	for (size_t i = 0; i < 2; i++)
		mkdir(path[i], 0700);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct pmu_cpu_id id = { .family = cases[i].family,
					 .model = cases[i].model,
					 .hypervisor = cases[i].guest };
		struct pmu_probe got;

		snprintf(id.vendor, sizeof(id.vendor), "%s",
			 cases[i].family == 6 ? "GenuineIntel" : "AuthenticAMD");
		snprintf(id.hypervisor_name, sizeof(id.hypervisor_name), "%s",
			 cases[i].guest ? "KVM" : "");
		fake_system.modules = cases[i].loaded ? folder : "/nonexistent";
		pmu_perf_explain_no_pmu_of(cases[i].pmu, &id, &got);
		is_str(got.why, cases[i].why, cases[i].pmu);
		is_str(got.mend, cases[i].mend, "  what would help");
	}
	for (size_t i = 0; i < 2; i++)
		rmdir(path[i]);
	rmdir(folder);
}

UNIT_PART(perf_socket)
{
	snprintf(devices, sizeof(devices), "%s/tests/data/sysfs/skylake-server", TEST_SRCDIR);
	make_cpus();
	fake_system.devices = devices;
	fake_system.cpus = cpus;
	pmu_perf_system = &fake_system;
	the_module_is_named_that_would_help();
	opens_each_box_on_each_socket();
	knows_the_socket_of_each_processor();
	sockets_stand_in_the_order_of_their_numbers();
	adds_up_the_boxes_of_a_socket();
	each_event_goes_to_its_slot();
	rounds_the_sum_and_not_each_read();
	what_is_no_number_is_missing();
	a_box_that_is_lost_makes_the_sum_missing();
	time_without_counting_is_a_hole();
	what_the_program_closed_is_known();
	a_forked_child_lets_go();
	without_rights_the_setting_is_named();
	cores_count_without_sockets();
	events_that_do_not_fit_are_told_from_unknown_ones();
	a_pmu_that_is_not_there_is_named();
	a_socket_that_fails_fails_the_opening();
	threads_leave_sockets_out();
	threads_count_on_where_sockets_cannot_be_opened();
	fake_forget();
	remove_cpus();
	return done_testing();
}
