/* SPDX-License-Identifier: BSD-3-Clause */
/* Descriptors parked out of the way, and known again. */
#include "base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "tests/tap.h"

#define SOFT 64

static struct rlimit limit_now(void)
{
	struct rlimit limit = { 0 };

	getrlimit(RLIMIT_NOFILE, &limit);
	return limit;
}

static void soft_limit_is(rlim_t soft)
{
	struct rlimit limit = { soft, limit_now().rlim_max };

	setrlimit(RLIMIT_NOFILE, &limit);
}

static int null(void)
{
	return open("/dev/null", O_RDWR);
}

static bool is_open(int fd)
{
	return fcntl(fd, F_GETFD) >= 0;
}

static void raises_and_lowers_the_soft_limit(void)
{
	struct rlimit before = limit_now();
	struct pmu_fd_limit limit;

	errno = EDOM;
	pmu_fd_raise(&limit);
	is_u64(limit.soft, before.rlim_cur, "soft as it was");
	is_u64(limit.hard, before.rlim_max, "hard");
	ok(limit.raised, "raised");
	is_u64(limit_now().rlim_cur, before.rlim_max, "to the hard one");
	pmu_fd_lower(&limit);
	is_u64(limit_now().rlim_cur, before.rlim_cur, "and back");
	is_u64(limit_now().rlim_max, before.rlim_max, "the hard one stays");
	is_int(errno, EDOM, "errno stays");
}

static void parks_above_the_programs_limit(void)
{
	struct pmu_fd_limit limit;
	int first, second, was;
	char c;

	pmu_fd_raise(&limit);
	was = null();
	first = pmu_fd_park(was, &limit);
	second = pmu_fd_park(null(), &limit);
	pmu_fd_lower(&limit);

	is_int(first, SOFT, "the lowest number that the program cannot get");
	is_int(second, SOFT + 1, "the next");
	ok(!is_open(was), "the old number is free");
	is_int(fcntl(first, F_GETFD), FD_CLOEXEC, "close-on-exec");
	is_int(read(first, &c, 1), 0, "still works below the lowered limit");
	close(first);
	close(second);
}

static void all_of_the_programs_numbers_stay_its_own(void)
{
	struct pmu_fd_limit limit;
	int before = 0, after = 0, ours, fd, opened[SOFT];

	while ((fd = null()) >= 0)
		opened[before++] = fd;
	for (int i = 0; i < before; i++)
		close(opened[i]);
	pmu_fd_raise(&limit);
	ours = pmu_fd_park(null(), &limit);
	pmu_fd_lower(&limit);
	while ((fd = null()) >= 0)
		opened[after++] = fd;
	for (int i = 0; i < after; i++)
		close(opened[i]);
	is_int(after, before, "as many as without ours");
	close(ours);
}

static void takes_the_top_where_the_limit_cannot_rise(void)
{
	struct pmu_fd_limit limit = { .soft = SOFT, .hard = SOFT };
	int was = null(), fd[SOFT], n = 0, lowest = SOFT;

	fd[n] = pmu_fd_park(was, &limit);
	ok(fd[n] >= SOFT / 2 && fd[n] < SOFT, "in the upper half (%d)", fd[n]);
	is_int(fcntl(fd[n], F_GETFD), FD_CLOEXEC, "close-on-exec");
	ok(!is_open(was), "the old number is free");
	for (n = 1; n < SOFT / 2; n++) {
		fd[n] = pmu_fd_park(null(), &limit);
		lowest = fd[n] < lowest ? fd[n] : lowest;
	}
	ok(lowest >= SOFT / 2, "all of the upper half is used (%d)", lowest);

	was = null();
	errno = EDOM;
	is_int(pmu_fd_park(was, &limit), was, "then it stays where it is");
	is_int(errno, EDOM, "errno stays");
	is_int(fcntl(was, F_GETFD), FD_CLOEXEC, "close-on-exec all the same");
	close(was);
	while (n--)
		close(fd[n]);
}

/* 256 below the top are tried first; with those taken, it goes on below them. */
static void goes_further_down_when_the_top_is_full(void)
{
	enum { TOP = 1024, N = 300 };
	struct pmu_fd_limit limit = { .soft = TOP, .hard = TOP };
	int fd[N], lowest = TOP;

	if (limit_now().rlim_max < TOP) {
		skip("further down", "the hard limit is below %d", TOP);
		return;
	}
	soft_limit_is(TOP);
	fd[0] = pmu_fd_park(null(), &limit);
	is_int(fd[0], TOP - 256, "the first");
	for (int i = 1; i < N; i++) {
		fd[i] = pmu_fd_park(null(), &limit);
		lowest = fd[i] < lowest ? fd[i] : lowest;
	}
	is_int(lowest, TOP - 512, "the window below");
	for (int i = 0; i < N; i++)
		close(fd[i]);
	soft_limit_is(SOFT);
}

/* A table for a million numbers would be 8 MiB of kernel memory. */
static void never_goes_above_65536_in_a_wide_range(void)
{
	enum { WIDE = 100000 };
	struct pmu_fd_limit limit = { .soft = WIDE, .hard = WIDE };
	int fd;

	if (limit_now().rlim_max < WIDE &&
	    setrlimit(RLIMIT_NOFILE, &(struct rlimit){ WIDE, WIDE }) < 0) {
		skip("a wide range", "the hard limit is below %d", WIDE);
		return;
	}
	soft_limit_is(WIDE);
	fd = pmu_fd_park(null(), &limit);
	ok(fd >= 32768 && fd < 65536, "below 65536 (%d)", fd);
	close(fd);
	limit.raised = 1;
	fd = pmu_fd_park(null(), &limit);
	ok(fd >= 32768 && fd < 65536, "also with the limit raised (%d)", fd);
	close(fd);
	soft_limit_is(SOFT);
}

static void a_limit_that_no_longer_holds_does_no_harm(void)
{
	struct pmu_fd_limit stale = { .soft = 30000, .hard = 60000, .raised = 1 };
	struct pmu_fd_limit none = { 0 };
	int was = null();

	is_int(pmu_fd_park(was, &stale), was, "nothing above is free: it stays");
	ok(is_open(was), "and open");
	close(was);
	was = null();
	ok(is_open(was = pmu_fd_park(was, &none)) && was >= 3, "no limit known");
	close(was);
}

static void knows_its_own_files(void)
{
	struct pmu_fd_identity id, other;
	int fd = open("/", O_RDONLY), copy;

	is_int(pmu_fd_identify(fd, &id), 0, "identified");
	is_int(pmu_fd_is(fd, &id), 1, "itself");
	copy = dup(fd);
	is_int(pmu_fd_is(copy, &id), 1, "a duplicate");
	close(copy);
	close(fd);
	is_int(pmu_fd_is(fd, &id), 0, "closed");
	is_int(null(), fd, "its number goes to another file");
	is_int(pmu_fd_is(fd, &id), 0, "which is not it");
	close(fd);
	is_int(pmu_fd_identify(fd, &other), -EBADF, "a closed one has no identity");
	is_int(pmu_fd_identify(-1, &other), -EBADF, "nor has -1");
}

/* eventfd and timerfd share one inode */
static void tells_anonymous_ones_apart(void)
{
	struct pmu_fd_identity event, timer;
	int e = eventfd(0, 0), t = timerfd_create(CLOCK_MONOTONIC, 0);

	if (e < 0 || t < 0) {
		skip("anonymous ones", "no eventfd or timerfd here");
		return;
	}
	pmu_fd_identify(e, &event);
	pmu_fd_identify(t, &timer);
	is_int(pmu_fd_is(e, &event), 1, "an eventfd is itself");
	is_int(pmu_fd_is(t, &timer), 1, "a timerfd is itself");
	is_int(pmu_fd_is(t, &event), 0, "a timerfd is no eventfd");
	is_int(pmu_fd_is(e, &timer), 0, "an eventfd is no timerfd");
	close(e);
	close(t);
}

int main(void)
{
	/* a parent may have left descriptors open where these tests count on free numbers
	 */
	for (int fd = 3; fd < 1024; fd++)
		close(fd);
	if (limit_now().rlim_max <= SOFT + 2)
		return skip_all("the hard limit on descriptors is too low");
	soft_limit_is(SOFT);
	raises_and_lowers_the_soft_limit();
	parks_above_the_programs_limit();
	all_of_the_programs_numbers_stay_its_own();
	takes_the_top_where_the_limit_cannot_rise();
	goes_further_down_when_the_top_is_full();
	never_goes_above_65536_in_a_wide_range();
	a_limit_that_no_longer_holds_does_no_harm();
	knows_its_own_files();
	tells_anonymous_ones_apart();
	return done_testing();
}
