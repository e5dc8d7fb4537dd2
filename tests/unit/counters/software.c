/* SPDX-License-Identifier: BSD-3-Clause */
/* The source software, with and without perf_event behind it. */
#include <errno.h>
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "counters/perf/perf.h"
#include "plan/group.h"
#include "tests/refuse.h"
#include "unit/part.h"

#define PAGES 64

static const struct pmu_backend *const software = &pmu_backend_software;

static struct pmu_plan plan_of(const char *events)
{
	struct pmu_group group;
	struct pmu_plan plan = { 0 };

	if (!pmu_group_from_events(events, NULL, &group))
		pmu_group_plan(&group, &plan);
	return plan;
}

/* each a fault at user level; false where there is no memory */
static bool touch_pages(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *at = mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			0);

	if (at == MAP_FAILED)
		return false;
	madvise(at, PAGES * page, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < PAGES; i++)
		((volatile char *)at)[i * page] = 1;
	munmap(at, PAGES * page);
	return true;
}

/* What a child measured: the parent checks it, so that checks are numbered in one process. */
struct outcome {
	int refused; /* of refuse_call() */
	int rc;
	struct pmu_probe probe;
	struct pmu_attachment got;
	uint64_t first[PMU_MAX_SLOTS], last[PMU_MAX_SLOTS];
	uint32_t missing, missing_after_close, missing_untold, lost;
	char about[160];
};

static void measure(const struct pmu_plan *plan, struct outcome *out)
{
	void *thread, *state;
	pmu_read_fn *read;

	out->rc = software->probe(plan, &out->probe);
	if (out->rc || software->open(&state, plan))
		return;
	thread = calloc(1, software->thread_size(plan));
	software->describe(state, out->about, sizeof(out->about));
	software->attach(state, thread, -1, &read, &out->got);
	out->missing = read(thread, out->first);
	touch_pages();
	usleep(1000);
	out->missing |= read(thread, out->last);
	for (int fd = 3; fd < 1024; fd++)
		close(fd);
	for (uint32_t i = 0; i < ((struct pmu_perf_thread *)thread)->group.n; i++)
		close(((struct pmu_perf_thread *)thread)->group.fd[i]);
	out->missing_after_close = read(thread, out->last);
	out->lost = ((struct pmu_source_thread *)thread)->lost;
	out->missing_untold = refuse_call(SYS_getrusage, EPERM) ? UINT32_MAX
								: read(thread, out->last);
	software->detach(state, thread);
	software->close(state);
	free(thread);
}

/* @code: errno of perf_event_open in the child; 0: as it is, for a user without rights */
static struct outcome in_child(const char *events, int code)
{
	struct outcome *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
				      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct pmu_plan plan = plan_of(events);
	struct outcome out;
	pid_t pid = fork();

	if (!pid) {
		if (code)
			shared->refused = refuse_call(SYS_perf_event_open, code);
		else if (geteuid() == 0)
			shared->refused = setresuid(65534, 65534, 65534);
		if (!shared->refused)
			measure(&plan, shared);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	out = *shared;
	munmap(shared, sizeof(*shared));
	return out;
}

static void takes_events_of_the_kernel_only(void)
{
	struct pmu_plan plan = plan_of("page-faults,cycles");
	struct pmu_probe probe;

	is_int(software->probe(&plan, &probe), -EINVAL, "cycles are refused");
	is_int(probe.error[0], 0, "  not the faults beside them");
	is_int(probe.error[1], -EINVAL, "  but they");
	has(probe.why, "processor", "  with the reason");
	plan.absent = 2;
	ok(software->probe(&plan, &probe) != -EINVAL, "absent ones do not matter");
}

static void asks_getrusage_where_perf_is_refused(void)
{
	struct outcome out = in_child("minor-faults,cpu-migrations,context-switches,task-"
				      "clock,page-faults,major-faults",
				      EACCES);

	if (out.refused) {
		skip("getrusage", "no seccomp: %s", strerror(-out.refused));
		return;
	}
	is_int(out.rc, 0, "usable without perf_event");
	is_int(out.probe.error[1], -EACCES, "  all but the migrations");
	has(out.probe.why, "perf_event_paranoid", "  with the reason");
	is_int((int)out.got.missing, 2, "  which are missing");
	is_int((int)out.missing, 2, "  in each read");
	has(out.about, "getrusage", "  and it says where the rest is from");
	ok(out.last[0] >= out.first[0] + PAGES, "a fault for each page");
	ok(out.last[2] > out.first[2], "a switch for the sleep");
	ok(out.last[3] > out.first[3], "time on the CPU");
	is_u64(out.last[4], out.last[0] + out.last[5], "both kinds of faults");
	is_int((int)out.missing_after_close, 2, "nothing to close");
	is_int(out.missing_untold, 63,
	       "where getrusage is forbidden later, all of them are missing");
}

static void never_passes_off_all_for_a_part(void)
{
	struct outcome out = in_child("page-faults:k", EACCES);

	if (out.refused)
		skip("kernel only", "no seccomp: %s", strerror(-out.refused));
	else
		is_int(out.rc, -EACCES, "getrusage has no faults of the kernel alone");
	out = in_child("cpu-migrations", ENOSYS);
	if (out.refused)
		skip("migrations", "no seccomp: %s", strerror(-out.refused));
	else
		is_int(out.rc, -ENOSYS, "nor migrations");
}

static void mixes_both_ways_for_a_user_without_rights(void)
{
	struct outcome out = in_child("page-faults,context-switches,cpu-migrations", 0);

	if (out.refused || out.rc || !out.probe.error[2]) {
		skip("half and half", "the kernel level is open to anybody here");
		return;
	}
	is_int((int)out.missing, 4, "only the migrations are missing");
	ok(out.last[0] >= out.first[0] + PAGES, "a fault for each page");
	ok(out.last[1] > out.first[1], "a switch for the sleep");
	if (!strncmp(out.about, "what", 4)) {
		skip("closing", "perf_event is closed to users here");
		return;
	}
	has(out.about, "the rest by getrusage", "it says so");
	is_int((int)out.missing_after_close, 5, "closed descriptors cost what came by them");
	is_int((int)out.lost, PMU_SOURCE_CLOSED, "  and that is remembered");
}

UNIT_PART(software)
{
	takes_events_of_the_kernel_only();
	asks_getrusage_where_perf_is_refused();
	never_passes_off_all_for_a_part();
	mixes_both_ways_for_a_user_without_rights();
	return done_testing();
}
