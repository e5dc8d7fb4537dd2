/* SPDX-License-Identifier: BSD-3-Clause */
/* Descriptors parked out of the way, and known again. */
#include "base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/spawning.h"
#include "unit/part.h"

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

/* Descriptors that take the upper half; return: how many. */
static int fill_the_upper_half(int *fd)
{
	struct pmu_fd_limit limit = { .soft = SOFT, .hard = SOFT };
	int n = 0;

	while (n < SOFT && (fd[n] = pmu_fd_park(null(), &limit)) >= SOFT / 2)
		n++;
	close(fd[n]);
	return n;
}

static void close_all(int *fd, int n)
{
	while (n)
		close(fd[--n]);
}

static void leaves_the_limit_alone_while_there_is_room(void)
{
	struct rlimit before = limit_now();
	struct pmu_fd_limit limit;
	int fd;

	errno = EDOM;
	pmu_fd_begin(&limit);
	is_u64(limit.soft, before.rlim_cur, "soft as it is");
	is_u64(limit.hard, before.rlim_max, "hard");
	fd = pmu_fd_park(null(), &limit);
	ok(fd >= SOFT / 2 && fd < SOFT, "in the upper half (%d)", fd);
	is_u64(limit_now().rlim_cur, before.rlim_cur, "the limit does not move");
	ok(!pmu_fd_more(EACCES), "nor for another error");
	pmu_fd_end();
	is_int(errno, EDOM, "errno stays");
	close(fd);
}

static void parks_above_the_programs_limit_when_that_is_full(void)
{
	struct rlimit before = limit_now();
	int full[SOFT + 1], n = fill_the_upper_half(full);
	struct pmu_fd_limit limit;
	int first, second, was;
	char c;

	pmu_fd_begin(&limit);
	was = null();
	first = pmu_fd_park(was, &limit);
	is_u64(limit_now().rlim_cur, before.rlim_max, "raised to the hard limit");
	second = pmu_fd_park(null(), &limit);
	pmu_fd_end();

	is_u64(limit_now().rlim_cur, before.rlim_cur, "and back");
	is_int(first, SOFT, "the lowest number that the program cannot get");
	is_int(second, SOFT + 1, "the next");
	ok(!is_open(was), "the old number is free");
	is_int(fcntl(first, F_GETFD), FD_CLOEXEC, "close-on-exec");
	is_int(read(first, &c, 1), 0, "still works below the lowered limit");
	close(first);
	close(second);
	close_all(full, n);
}

static void opens_above_it_when_no_number_is_left(void)
{
	struct rlimit before = limit_now();
	int full[SOFT + 1], n = 0, fd;
	struct pmu_fd_limit limit;

	while ((fd = null()) >= 0)
		full[n++] = fd;
	ok(!pmu_fd_more(EMFILE), "not outside of a section");
	pmu_fd_begin(&limit);
	ok(pmu_fd_more(EMFILE), "worth trying again");
	fd = null();
	ok(fd >= SOFT, "above (%d)", fd);
	ok(!pmu_fd_more(EMFILE), "once");
	pmu_fd_end();
	is_u64(limit_now().rlim_cur, before.rlim_cur, "and back");
	close(fd);
	close_all(full, n);
}

static void what_the_program_sets_meanwhile_stands(void)
{
	struct pmu_fd_limit limit;

	pmu_fd_begin(&limit);
	ok(pmu_fd_more(EMFILE), "raised");
	soft_limit_is(SOFT / 2);
	pmu_fd_end();
	is_u64(limit_now().rlim_cur, SOFT / 2, "the program's own");
	soft_limit_is(SOFT);
}

static void never_rises_while_a_child_is_made(void)
{
	int full[SOFT + 1], n = fill_the_upper_half(full), was;
	struct pmu_fd_limit limit;

	pmu_spawning_begin(pmu_fd_spawning());
	pmu_fd_begin(&limit);
	ok(!pmu_fd_more(EMFILE), "not worth trying again");
	was = null();
	is_int(pmu_fd_park(was, &limit), was, "a descriptor stays where it is");
	is_u64(limit_now().rlim_cur, SOFT, "the limit too");
	pmu_fd_end();
	pmu_spawning_end(pmu_fd_spawning());
	pmu_fd_begin(&limit);
	ok(pmu_fd_more(EMFILE), "afterwards it may");
	pmu_fd_end();
	close(was);
	close_all(full, n);
}

static int about_to_fork;

/* Return: the child's limit. */
static void *fork_a_child(void *arg)
{
	int status = -1;
	pid_t pid;

	(void)arg;
	__atomic_store_n(&about_to_fork, 1, __ATOMIC_RELEASE);
	/* as the wrapper, which sanitizers may keep out of this program */
	pmu_spawning_begin(pmu_fd_spawning());
	pid = fork();
	if (pid == 0)
		_exit((int)limit_now().rlim_cur);
	pmu_spawning_end(pmu_fd_spawning());
	waitpid(pid, &status, 0);
	return (void *)(intptr_t)WEXITSTATUS(status);
}

static void no_child_is_made_while_it_is_raised(void)
{
	struct pmu_fd_limit limit;
	void *seen = NULL;
	pthread_t thread;

	pmu_fd_begin(&limit);
	ok(pmu_fd_more(EMFILE), "raised");
	if (pthread_create(&thread, NULL, fork_a_child, NULL)) {
		pmu_fd_end();
		skip("a child", "no thread");
		return;
	}
	while (!__atomic_load_n(&about_to_fork, __ATOMIC_ACQUIRE))
		sched_yield();
	for (int i = 0; i < 1000; i++)
		sched_yield();
	pmu_fd_end();
	pthread_join(thread, &seen);
	is_int((int)(intptr_t)seen, SOFT, "the child has the program's limit");
}

/* A child made past the wrappers has a copy of the word, which no thread of it will change. */
static void a_copy_waits_for_nobody(void)
{
	struct pmu_fd_limit limit;
	int status = -1;
	pid_t pid;

	pmu_fd_begin(&limit);
	ok(pmu_fd_more(EMFILE), "raised");
	pid = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
	if (pid == 0) {
		pmu_spawning_begin(pmu_fd_spawning());
		_exit(5);
	}
	pmu_fd_end();
	waitpid(pid, &status, 0);
	is_int(WIFEXITED(status) ? WEXITSTATUS(status) : -1, 5, "a copy forks as ever");
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
	soft_limit_is(SOFT);
}

static void a_limit_that_no_longer_holds_does_no_harm(void)
{
	struct pmu_fd_limit stale = { .soft = 30000, .hard = 60000 };
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

UNIT_PART(fd)
{
	/* a parent may have left descriptors open where these tests count on free numbers
	 */
	for (int fd = 3; fd < 1024; fd++)
		close(fd);
	if (limit_now().rlim_max <= SOFT + 2)
		return skip_all("the hard limit on descriptors is too low");
	soft_limit_is(SOFT);
	leaves_the_limit_alone_while_there_is_room();
	parks_above_the_programs_limit_when_that_is_full();
	opens_above_it_when_no_number_is_left();
	what_the_program_sets_meanwhile_stands();
	never_rises_while_a_child_is_made();
	no_child_is_made_while_it_is_raised();
	a_copy_waits_for_nobody();
	takes_the_top_where_the_limit_cannot_rise();
	goes_further_down_when_the_top_is_full();
	never_goes_above_65536_in_a_wide_range();
	a_limit_that_no_longer_holds_does_no_harm();
	knows_its_own_files();
	tells_anonymous_ones_apart();
	return done_testing();
}
