/* SPDX-License-Identifier: BSD-3-Clause */
/* The source perf: the protocol of its pages, its refusals, its descriptors. */
#include "counters/perf/perf.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "counters/perf/watchdog.h"
#include "counters/perf/why.h"
#include "plan/group.h"
#include "tests/refuse.h"
#include "unit/part.h"

static const struct pmu_backend *const perf = &pmu_backend_perf;

static struct pmu_plan plan_of(const char *events)
{
	struct pmu_group group;
	struct pmu_plan plan = { 0 };

	if (!pmu_group_from_events(events, NULL, &group))
		pmu_group_plan(&group, &plan);
	return plan;
}

/* --- the watchdog --- */

static void put_file(const char *folder, const char *name, const char *text)
{
	char path[300];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "w");
	ok(file && fputs(text, file) >= 0 && !fclose(file), "%s is written", name);
}

static void is_watchdog(const char *folder, const char *release, const char *config,
			enum pmu_watchdog want)
{
	char setting[300], version[300], path[300];
	const struct pmu_watchdog_files files = { setting, version, folder };

	snprintf(setting, sizeof(setting), "%s/setting", folder);
	snprintf(version, sizeof(version), "%s/version", folder);
	snprintf(path, sizeof(path), "%s/config-%s", folder, release);
	put_file(folder, "version", release);
	if (config)
		put_file(folder, strrchr(path, '/') + 1, config);
	put_file(folder, "setting", "1\n");
	is_int((int)pmu_watchdog_look(&files), (int)want, release);
	put_file(folder, "setting", "0\n");
	is_int((int)pmu_watchdog_look(&files), PMU_WATCHDOG_HOLDS_NONE, "and none where it is off");
	unlink(setting);
	is_int((int)pmu_watchdog_look(&files), PMU_WATCHDOG_HOLDS_NONE, "or not there");
	unlink(version);
	unlink(path);
}

static void the_watchdog_is_looked_up(void)
{
	char folder[] = "/tmp/pmu-watchdog.XXXXXX";

	if (!ok(mkdtemp(folder) != NULL, "a folder"))
		return;
	is_watchdog(folder, "6.1.0-13-amd64", NULL, PMU_WATCHDOG_HOLDS_ONE);
	is_watchdog(folder, "6.4.0", NULL, PMU_WATCHDOG_HOLDS_ONE);
	is_watchdog(folder, "6.5.0", NULL, PMU_WATCHDOG_UNKNOWN);
	is_watchdog(
		folder, "6.12.9",
		"CONFIG_X=y\nCONFIG_HARDLOCKUP_DETECTOR_PERF=y\n# CONFIG_HARDLOCKUP_DETECTOR_BUDDY is not set\nCONFIG_Y=y\n",
		PMU_WATCHDOG_HOLDS_ONE);
	is_watchdog(folder, "7.0.1", "CONFIG_X=y\nCONFIG_HARDLOCKUP_DETECTOR_BUDDY=y\nCONFIG_Y=y\n",
		    PMU_WATCHDOG_HOLDS_NONE);
	rmdir(folder);
}

/* --- reading a page --- */

static struct perf_event_mmap_page page;
static uint64_t raw_value;
static uint32_t asked_for;
static int n_asked;

static uint64_t fake_counter(uint32_t number)
{
	asked_for = number;
	n_asked++;
	return raw_value;
}

static void set_page(uint16_t width, int64_t offset, uint64_t raw)
{
	memset(&page, 0, sizeof(page));
	page.lock = 10;
	page.index = 3;
	page.pmc_width = width;
	page.offset = offset;
	raw_value = raw;
	n_asked = 0;
}

static uint64_t read_page(void)
{
	struct pmu_perf_seat seat = { .page = &page };
	uint64_t value;

	pmu_perf_seat_take(&seat);
	value = pmu_perf_seat_count(&seat, fake_counter(seat.counter));
	is_u64(pmu_perf_seat_moved(&seat), 0, "  nothing came between");
	return value;
}

static void adds_the_counter_to_the_offset(void)
{
	set_page(48, 1000, 234);
	is_u64(read_page(), 1234, "1000 before, 234 now");
	is_int(asked_for, 2, "  from the counter before the index");
	is_int(n_asked, 1, "  once");
}

/* The kernel starts a counter at minus the distance to its overflow. */
static void extends_the_sign_by_the_width(void)
{
	static const uint16_t widths[] = { 32, 40, 48, 64 };

	for (int i = 0; i < 4; i++) {
		uint64_t minus_one = widths[i] == 64 ? UINT64_MAX : (1ull << widths[i]) - 1;

		set_page(widths[i], 1000, minus_one);
		is_u64(read_page(), 999, "minus one");
		set_page(widths[i], 1000, minus_one >> 1);
		is_u64(read_page(), 1000 + (minus_one >> 1), "the greatest positive value");
		set_page(widths[i], (int64_t)((minus_one >> 1) + 1), (minus_one >> 1) + 1);
		is_u64(read_page(), 0, "the least negative one");
	}
}

/* An x86 has none: RDPMC gives 0 there. */
static void ignores_bits_beyond_the_width(void)
{
#if defined(__x86_64__)
	skip("40 bits of 64", "RDPMC gives none");
#else
	set_page(40, 0, 0xabcd000000000012);
	is_u64(read_page(), 0x12, "40 bits of 64");
#endif
}

static void offsets_wrap_like_the_kernels(void)
{
	set_page(48, -5, 7);
	is_u64(read_page(), 2, "a negative offset");
	set_page(48, INT64_MAX, 1);
	is_u64(read_page(), 1ull << 63, "beyond the greatest signed number");
}

/* Each change of a page counts its lock up by two. */
static void change_page(uint32_t index, int64_t offset)
{
	page.lock += 2;
	page.index = index;
	page.offset = offset;
}

static void tells_when_the_kernel_came_between(void)
{
	struct pmu_perf_seat seat = { .page = &page };

	set_page(48, 10, 20);
	pmu_perf_seat_take(&seat);
	change_page(5, 1000);
	ok(pmu_perf_seat_moved(&seat), "on another counter");
	is_u64(seat.counter, 2, "  what was looked up before stays");
	pmu_perf_seat_take(&seat);
	ok(!pmu_perf_seat_moved(&seat), "  until it is looked up again");
	is_u64(pmu_perf_seat_count(&seat, 7), 1007, "  which the count is of then");
}

/* In between another event is on the counter that was looked up. */
static void away_and_back_is_not_the_same(void)
{
	struct pmu_perf_seat seat = { .page = &page };

	set_page(48, 10, 20);
	pmu_perf_seat_take(&seat);
	change_page(0, 30);
	change_page(2, 10);
	change_page(0, 30);
	change_page(3, 10);
	is_u64(page.index, 3, "as it was");
	ok(pmu_perf_seat_moved(&seat), "but it was elsewhere meanwhile");
}

static void an_event_that_no_counter_holds_cannot_be_read(void)
{
	struct pmu_perf_user user = { .reader = { .n = 1 }, .seat = { { .page = &page } } };

	set_page(48, 10, 20);
	ok(pmu_perf_user_settle(&user), "on a counter");
	page.index = 0;
	ok(!pmu_perf_user_settle(&user), "on none");
	is_u64(user.seat[0].counter, 0, "  nor is anything read that may not be there");
	ok(pmu_perf_seat_moved(&user.seat[0]), "  and what is read counts for nothing");
#if defined(__x86_64__)
	page.index = (1u << 30) + 1;
	ok(pmu_perf_user_settle(&user), "on a fixed one");
	page.index = (1u << 29) + 1;
	ok(!pmu_perf_user_settle(&user), "PERF_METRICS, which holds shares");
#endif
	page.index = 3;
	page.time_enabled = 5000;
	ok(!pmu_perf_user_settle(&user), "with a hole");
}

static void a_hole_in_the_time_shows(void)
{
	set_page(48, 0, 0);
	page.time_enabled = page.time_running = 5000;
	ok(pmu_perf_user_whole(&page), "counted all the time");
	page.time_running = 4999;
	ok(!pmu_perf_user_whole(&page), "not all the time");
}

/* --- refusals --- */

struct outcome {
	int refused; /* of refuse_call() */
	int rc;
	struct pmu_probe probe;
	struct pmu_attachment got;
	uint32_t missing;
};

static void probe_refused(const struct pmu_plan *plan, int code, struct outcome *out)
{
	out->refused = refuse_call(SYS_perf_event_open, code);
	if (!out->refused)
		out->rc = perf->probe(plan, &out->probe);
}

/* The session is open already when a thread comes that gets nothing. */
static void attach_refused(const struct pmu_plan *plan, int code, struct outcome *out)
{
	void *thread = calloc(1, perf->thread_size(plan));
	uint64_t value[PMU_MAX_SLOTS];
	pmu_read_fn *read;
	void *state;

	out->rc = perf->open(&state, plan);
	out->refused = refuse_call(SYS_perf_event_open, code);
	if (out->rc || out->refused)
		return;
	out->rc = perf->attach(state, thread, -1, &read, &out->got);
	out->missing = read(thread, value);
	perf->detach(state, thread);
	perf->close(state);
	free(thread);
}

static struct outcome in_child(void (*act)(const struct pmu_plan *, int, struct outcome *),
			       const struct pmu_plan *plan, int code)
{
	struct outcome *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
				      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct outcome out;
	pid_t pid = fork();

	if (!pid) {
		act(plan, code, shared);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	out = *shared;
	munmap(shared, sizeof(*shared));
	return out;
}

static void each_refusal_has_its_words(void)
{
	static const struct {
		int code, rc;
		const char *events, *why, *mend;
	} cases[] = {
		{ EACCES, -EACCES, "cycles", "perf_event_paranoid", "perf_event_paranoid=2" },
		{ EACCES, -EACCES, "cycles:k", "at kernel level", "perf_event_paranoid=1" },
		{ EPERM, -EPERM, "cycles", "seccomp", "--cap-add PERFMON" },
		{ ENOSYS, -ENOSYS, "cycles", "(ENOSYS)", "perf" },
		{ EMFILE, -EMFILE, "cycles", "limit is", "ulimit -n" },
		{ ENFILE, -ENFILE, "cycles", "(ENFILE)", "fs.file-max" },
		{ ENOENT, -ENODEV, "cycles,instructions", "PMU", NULL },
		{ ENODEV, -ENODEV, "cycles", "PMU", NULL },
		{ EOPNOTSUPP, -ENODEV, "cycles", "PMU", NULL },
		{ EINVAL, -EINVAL, "r10e", "type 4, code 0x10e (EINVAL)", NULL },
		{ ENOSPC, -ENOSPC, "cycles,instructions", "0 of 2 events fit", "fewer events" },
		{ EBUSY, -EBUSY, "cycles", "type 0, code 0x0", NULL },
		{ ENOENT, -ENOENT, "page-faults", "type 1, code 0x2 (ENOENT)", NULL },
		{ ENOENT, -ENOENT, "page-faults,context-switches",
		  "this CPU and kernel have none of them (ENOENT)", NULL },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct pmu_plan plan = plan_of(cases[i].events);
		struct outcome out = in_child(probe_refused, &plan, cases[i].code);

		if (out.refused) {
			skip(strerror(cases[i].code), "no seccomp: %s", strerror(-out.refused));
			continue;
		}
		is_int(out.rc, cases[i].rc, strerror(cases[i].code));
		is_int(out.probe.error[0], cases[i].rc, "  of the first slot");
		has(out.probe.why, cases[i].why, "  why");
		if (cases[i].mend) /* else it depends on the machine */
			has(out.probe.mend, cases[i].mend, "  what would help");
	}
}

static void counting_a_cpu_needs_more_rights(void)
{
	int cpu = sched_getcpu();
	struct pmu_plan plan = plan_of("page-faults");
	struct outcome out;

	plan.scope = PMU_COUNT_CPU;
	plan.cpu = &cpu;
	plan.n_cpus = 1;
	out = in_child(probe_refused, &plan, EACCES);
	if (out.refused) {
		skip("CPU scope", "no seccomp: %s", strerror(-out.refused));
		return;
	}
	is_int(out.rc, -EACCES, "whatever runs on a CPU");
	has(out.probe.mend, "perf_event_paranoid=0", "  needs 0");
	plan.n_cpus = 0;
	is_int(perf->probe(&plan, &out.probe), -EINVAL, "no CPUs at all");
}

static void what_does_not_fit_is_counted(void)
{
	struct pmu_plan plan = plan_of("r1,r2,r3,r4,r5");
	struct pmu_probe probe = { .error = { 0, 0, 0, 0, -ENOSPC } };

	plan.absent = 1;
	pmu_perf_explain(&plan, -ENOSPC, 4, &probe);
	has(probe.why, "3 of 4 events fit", "three of four");
}

/* --- threads: with the kernel's own events, which need no PMU --- */

struct attached {
	void *state;
	struct pmu_perf_thread thread;
	struct pmu_attachment got;
	pmu_read_fn *read;
};

/* false: skipped, because perf_event_open is refused here */
static bool attach(struct attached *at, const struct pmu_plan *plan, int cpu, const char *name)
{
	struct pmu_probe probe;

	if (perf->probe(plan, &probe)) {
		skip(name, "%s", probe.why);
		return false;
	}
	is_int(perf->open(&at->state, plan), 0, name);
	is_int(perf->attach(at->state, &at->thread, cpu, &at->read, &at->got), 0, "  attached");
	return true;
}

static void detach(struct attached *at)
{
	perf->detach(at->state, &at->thread);
	perf->close(at->state);
}

static int n_descriptors(void)
{
	int n = 0;

	for (int fd = 0; fd < 1 << 17; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

static void values_go_to_their_slots(void)
{
	struct pmu_plan plan = plan_of("major-faults,task-clock,minor-faults,cpu-clock");
	uint64_t value[4] = { 0, 99, 88, 77 };
	struct attached at;

	plan.absent = 1 << 2;
	if (!attach(&at, &plan, -1, "a slot in the middle is absent"))
		return;
	is_int((int)at.got.missing, 4, "  it is missing");
	is_int((int)at.read(&at.thread, value), 4, "  in each read");
	is_u64(value[2], 88, "  and left alone");
	ok(value[1] != 99 && value[3] != 77, "  those behind it are not shifted");
	detach(&at);
}

static void nothing_to_count_is_no_error(void)
{
	struct pmu_plan plan = plan_of("task-clock,page-faults");
	struct attached at;
	uint64_t value[2];

	plan.absent = 3;
	if (!attach(&at, &plan, -1, "every slot is absent"))
		return;
	is_int((int)at.read(&at.thread, value), 3, "  every slot is missing");
	detach(&at);
}

static void gives_back_every_descriptor(void)
{
	struct pmu_plan plan = plan_of("task-clock,page-faults");
	struct rlimit before, after;
	int n = n_descriptors();
	struct attached at;

	getrlimit(RLIMIT_NOFILE, &before);
	if (!attach(&at, &plan, -1, "two events"))
		return;
	getrlimit(RLIMIT_NOFILE, &after);
	is_u64(after.rlim_cur, before.rlim_cur, "  the limit is the program's again");
	is_int(n_descriptors(), n + 2, "  hold two descriptors");
	is_int(fcntl(at.thread.group.fd[0], F_GETFD), FD_CLOEXEC, "  that end at exec");
	perf->detach(at.state, &at.thread);
	is_int(n_descriptors(), n, "  until they are detached");
	perf->detach(at.state, &at.thread);
	is_int(n_descriptors(), n, "  twice does no harm");
	memset(&at.thread, 0, sizeof(at.thread));
	perf->detach(at.state, &at.thread);
	is_int(n_descriptors(), n, "  nor does a wiped thread");
	perf->close(at.state);
}

static void closed_descriptors_end_the_counts(void)
{
	struct pmu_plan plan = plan_of("task-clock,page-faults");
	uint64_t value[2];
	struct attached at;
	struct rlimit limit;
	int ends[2], fd;
	char byte;

	if (!attach(&at, &plan, -1, "descriptors that the program closes"))
		return;
	fd = at.thread.group.fd[0];
	close(fd);
	errno = 1234;
	is_int((int)at.read(&at.thread, value), 3, "  everything is missing");
	is_int(errno, 1234, "  errno is the program's");
	is_int((int)at.thread.user.reader.source.lost, PMU_SOURCE_CLOSED, "  it is remembered");

	/* now the number belongs to something of the program's */
	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
	if (pipe(ends) || write(ends[1], "x", 1) != 1 || dup2(ends[0], fd) != fd) {
		skip("  a pipe in its place", "%s", strerror(errno));
	} else {
		fcntl(ends[0], F_SETFL, O_NONBLOCK);
		is_int((int)at.read(&at.thread, value), 3, "  still missing");
		perf->detach(at.state, &at.thread);
		ok(fcntl(fd, F_GETFD) >= 0, "  what is not ours is not closed");
		is_int((int)read(fd, &byte, 1), 1, "  nor read");
		close(fd);
	}
	close(ends[0]);
	close(ends[1]);
	detach(&at);
}

/* Of the group behind a descriptor: for how long it has been counting. */
static uint64_t enabled_ns(int fd)
{
	struct pmu_perf_values got = { 0 };

	return read(fd, &got, sizeof(got)) > 0 ? got.enabled_ns : 0;
}

static bool still_counts(int fd)
{
	uint64_t before = enabled_ns(fd);

	for (int i = 0; i < 1000; i++)
		if (enabled_ns(fd) != before)
			return true;
	return false;
}

/* As another process has it, which outlives the session. */
static void a_copy_of_a_closed_group_counts_nothing(void)
{
	struct pmu_plan plan = plan_of("task-clock,page-faults");
	struct attached at;
	int copy;

	if (!attach(&at, &plan, -1, "copies of descriptors"))
		return;
	copy = dup(at.thread.group.fd[0]);
	ok(still_counts(copy), "  count while the group is open");
	detach(&at);
	ok(enabled_ns(copy) > 0, "  are there after it");
	ok(!still_counts(copy), "  and count no more");
	close(copy);
}

static void a_copied_group_leaves_the_owners_alone(void)
{
	struct pmu_plan plan = plan_of("task-clock,page-faults");
	struct attached at;
	int status = -1;
	pid_t pid;

	if (!attach(&at, &plan, -1, "a copy of the process"))
		return;
	pid = fork();
	if (pid == 0) {
		int n = n_descriptors();

		perf->detach(at.state, &at.thread);
		_exit(n - n_descriptors());
	}
	waitpid(pid, &status, 0);
	is_int(WEXITSTATUS(status), 2, "  lets go of its descriptors");
	ok(still_counts(at.thread.group.fd[0]), "  and the owner's count on");
	detach(&at);
}

static void a_foreign_group_is_recognised(void)
{
	struct pmu_plan plan = plan_of("task-clock,page-faults");
	uint64_t value[2];
	struct attached at;
	int pipe_ends[2];

	if (!attach(&at, &plan, -1, "an empty file in the place of the group"))
		return;
	if (pipe(pipe_ends))
		return;
	close(pipe_ends[1]);
	at.thread.user.reader.fd = pipe_ends[0];
	is_int((int)at.read(&at.thread, value), 3, "  everything is missing");
	is_int((int)at.thread.user.reader.source.lost, PMU_SOURCE_CLOSED, "  it is not ours");
	close(pipe_ends[0]);
	detach(&at);
}

static void a_forked_child_lets_go_of_its_copies(void)
{
	struct pmu_plan plan = plan_of("task-clock,page-faults");
	uint64_t value[2];
	struct attached at;
	int status = -1;
	pid_t pid;

	if (!attach(&at, &plan, -1, "a fork"))
		return;
	pid = fork();
	if (!pid) {
		int n = n_descriptors();

		perf->detach(at.state, &at.thread);
		_exit(n - n_descriptors());
	}
	waitpid(pid, &status, 0);
	is_int(WEXITSTATUS(status), 2, "  the child closes two");
	is_int((int)at.read(&at.thread, value), 0, "  the parent goes on counting");
	detach(&at);
}

static void a_thread_without_counters_says_why(void)
{
	static const struct {
		int code;
		const char *note;
	} cases[] = { { EMFILE, "ulimit -n" },
		      { ENOSPC, "held by something else" },
		      { EIO, "perf_event_open" } };
	struct pmu_plan plan = plan_of("task-clock,page-faults");

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct outcome out = in_child(attach_refused, &plan, cases[i].code);

		if (out.refused) {
			skip(strerror(cases[i].code), "no seccomp: %s", strerror(-out.refused));
			continue;
		}
		is_int(out.rc, 0, strerror(cases[i].code));
		has(out.got.note, cases[i].note, "  noted");
		is_int((int)out.got.missing, 3, "  everything is missing");
		is_int((int)out.missing, 3, "  in each read");
	}
}

static void counts_of_a_cpu_need_a_pin(void)
{
	int cpu = sched_getcpu();
	struct pmu_plan plan = plan_of("task-clock,page-faults");
	struct attached at;
	uint64_t value[2];
	char text[160];

	plan.scope = PMU_COUNT_CPU;
	plan.cpu = &cpu;
	plan.n_cpus = 1;
	if (!attach(&at, &plan, -1, "a thread without a CPU"))
		return;
	has(at.got.note, "not pinned", "  is told why");
	is_int((int)at.read(&at.thread, value), 3, "  it has no counts");
	perf->detach(at.state, &at.thread);
	is_int(perf->attach(at.state, &at.thread, cpu + 1, &at.read, &at.got), 0, "another CPU");
	has(at.got.note, "is not counted", "  is told why");
	is_int(perf->attach(at.state, &at.thread, cpu, &at.read, &at.got), 0, "the CPU");
	is_int((int)at.got.missing, 0, "  has counts");
	is_int((int)at.read(&at.thread, value), 0, "  that can be read");
	perf->describe(at.state, text, sizeof(text));
	has(text, "whatever runs", "  and it says of what");
	perf->detach(at.state, &at.thread);
	is_int((int)at.read(&at.thread, value), 0, "  they are the session's, not the thread's");
	perf->close(at.state);
}

UNIT_PART(perf)
{
	the_watchdog_is_looked_up();
	adds_the_counter_to_the_offset();
	extends_the_sign_by_the_width();
	ignores_bits_beyond_the_width();
	offsets_wrap_like_the_kernels();
	tells_when_the_kernel_came_between();
	away_and_back_is_not_the_same();
	an_event_that_no_counter_holds_cannot_be_read();
	a_hole_in_the_time_shows();
	each_refusal_has_its_words();
	counting_a_cpu_needs_more_rights();
	what_does_not_fit_is_counted();
	values_go_to_their_slots();
	nothing_to_count_is_no_error();
	gives_back_every_descriptor();
	closed_descriptors_end_the_counts();
	a_copy_of_a_closed_group_counts_nothing();
	a_copied_group_leaves_the_owners_alone();
	a_foreign_group_is_recognised();
	a_forked_child_lets_go_of_its_copies();
	a_thread_without_counters_says_why();
	counts_of_a_cpu_need_a_pin();
	return done_testing();
}
