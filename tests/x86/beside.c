/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What goes on beside a program that is measured.
 *
 *   beside flicker      takes counters of all processors 20 times a second, and gives them back
 *   beside pinned       takes all of them, and keeps them; "ready" when it has
 *   beside move PID     moves the threads of a process between the processors
 *   beside stat IN OUT CONTROL ACK
 *                       is measured by itself and by perf stat, with these --control fifos: IN
 *                       turns of work in regions, OUT outside.  Writes two binary numbers: the
 *                       instructions of its root regions, and those that it knows of outside; and
 *                       "switches N" to standard error: how often it was moved off its processor
 *                       meanwhile.  With real-time priority on perf's processor: perf runs only
 *                       while this one waits
 */
#include <dirent.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <pmu.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "steps.h"

#define MAX_EVENTS 64

/* --- counters --- */

static int open_event(uint64_t config, int cpu, bool pinned)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_RAW,
		.size = sizeof(attr),
		.config = config,
		.pinned = pinned,
	};

	return (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

/* A pinned event that found no counter is at its end of file. */
static bool counts(int fd)
{
	uint64_t value;

	return read(fd, &value, sizeof(value)) == sizeof(value);
}

/* How many it got: raw events that differ, on each processor, until one gets no counter. */
static int take(int fd[MAX_EVENTS], bool pinned, int most)
{
	int n = 0, cpus = (int)sysconf(_SC_NPROCESSORS_CONF);

	for (int cpu = 0; cpu < cpus; cpu++)
		for (int i = 0; i < most && n < MAX_EVENTS; i++) {
			/* those of the fixed counters, too: instructions and cycles */
			int one = open_event(i == 0   ? 0xc0
					     : i == 1 ? 0x3c
						      : 0x1c2 + ((uint64_t)i << 8),
					     cpu, pinned);

			if (one < 0)
				break;
			if (pinned && !counts(one)) {
				close(one);
				break;
			}
			fd[n++] = one;
		}
	return n;
}

static void give_back(const int fd[MAX_EVENTS], int n)
{
	for (int i = 0; i < n; i++)
		close(fd[i]);
}

static int flicker(void)
{
	int fd[MAX_EVENTS];

	for (int i = 0;; i++) {
		int n = take(fd, false, 2 + i % 7);

		if (!n)
			return 1;
		usleep(25000);
		give_back(fd, n);
		usleep(25000);
	}
}

static int pinned(void)
{
	static int fd[MAX_EVENTS];

	if (!take(fd, true, 16))
		return 1;
	puts("ready");
	fflush(stdout);
	pause();
	return 0;
}

/* --- processors --- */

static int move(pid_t pid)
{
	int cpus = (int)sysconf(_SC_NPROCESSORS_ONLN);
	char tasks[64];
	unsigned int n = 0;

	snprintf(tasks, sizeof(tasks), "/proc/%d/task", (int)pid);
	while (!kill(pid, 0)) {
		DIR *dir = opendir(tasks);
		struct dirent *entry;

		while (dir && (entry = readdir(dir))) {
			cpu_set_t set;

			CPU_ZERO(&set);
			CPU_SET(n++ % (unsigned int)cpus, &set);
			if (atoi(entry->d_name) > 0)
				sched_setaffinity(atoi(entry->d_name), sizeof(set), &set);
		}
		if (dir)
			closedir(dir);
		n++;
		usleep(3000);
	}
	return 0;
}

/* --- a program with a known total --- */

static uint64_t net_of(const char *name)
{
	struct pmu_region_counts counts = { .size = sizeof(counts) };

	if (pmu_region_read(name, PMU_THREAD_SELF, &counts) || counts.missing)
		abort();
	return counts.net[0];
}

static int to_perf, from_perf;

static bool meet_perf(const char *control, const char *ack)
{
	struct sched_param first = { .sched_priority = 1 };

	to_perf = open(control, O_WRONLY);
	from_perf = open(ack, O_RDONLY);
	return to_perf >= 0 && from_perf >= 0 && !sched_setscheduler(0, SCHED_FIFO, &first);
}

/* Its answer says that it is done. */
static bool tell_perf(const char *command, size_t length)
{
	char answer[16];

	return write(to_perf, command, length) > 0 && read(from_perf, answer, sizeof(answer)) > 0;
}

/* How often something else has taken the processor. */
static long times_moved_off(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_nivcsw;
}

static int counted(uint64_t in, uint64_t outside, const char *control, const char *ack)
{
	static const char *const root[] = { "first", "second" };
	uint64_t result[2] = { 0, outside * steps_kernel[0].turn.of[STEPS_INSTRUCTIONS] };
	static struct steps_book book;
	long switches;

	for (int i = 0; i < 10; i++)
		for (int k = 0; k < 2; k++) {
			steps_begin(&book, root[k]);
			steps_work(&book, &steps_kernel[0], in);
			steps_end(&book, root[k]);
		}
	/* first calls take other ways through the library, of lengths that vary */
	steps_go(&book);
	for (int k = 0; k < 2; k++)
		if (pmu_region_reset(root[k]))
			return 1;
	if (!meet_perf(control, ack) || !tell_perf("enable\n", 7))
		return 1;
	switches = times_moved_off();
	steps_run(book.step);
	steps_loop(outside);
	switches = times_moved_off() - switches;
	if (!tell_perf("disable\n", 8))
		return 1;
	for (int k = 0; k < 2; k++)
		result[0] += net_of(root[k]);
	fprintf(stderr, "switches %ld\n", switches);
	return write(1, result, sizeof(result)) != sizeof(result);
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "flicker"))
		return flicker();
	if (argc == 2 && !strcmp(argv[1], "pinned"))
		return pinned();
	if (argc == 3 && !strcmp(argv[1], "move"))
		return move(atoi(argv[2]));
	if (argc == 6 && !strcmp(argv[1], "stat"))
		return counted(strtoull(argv[2], NULL, 10), strtoull(argv[3], NULL, 10), argv[4],
			       argv[5]);
	return 2;
}
