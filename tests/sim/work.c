/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * work SCRIPT: a measured program of as many threads as PMU_PIN=cpus:A,B,... has processors, which
 * does what the script says, a step at a time.
 *
 * Steps are separated by line ends or ';'; each begins with the number of the thread that does it,
 * '*' for all of them at the same time:
 *
 *   begin NAME, end NAME   a region
 *   sim COMMAND            to the simulated machine (command.c); %c: the thread's processor
 *   loop N NAME COMMAND    N times: begin, sim, end
 *   group                  the next group
 *   later SECONDS          the clock that does not stop goes on by so much
 *   await N ADDRESS        until any thread has read that register N times more
 *   pollers N              so many threads of the library are there to keep up with narrow counters
 *   keeper                 that thread is there, and the same as before
 *
 * All threads use the library for the first time before the first step, thread 0 first, then in
 * order. TEST_THREADS=N: so many threads, which share the processors.  TEST_CLOCK_MS=N: the clock
 * begins that much later.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "pmu.h"

#define MAX_THREADS 32
#define MAX_STEPS   512
#define EVERYBODY   (-1)
#define SECOND      1000000000ll
#define PATIENCE_MS 60000

struct step {
	int thread;
	const char *verb, *rest;
};

static struct step step[MAX_STEPS];
static int n_steps, n_threads;
static int cpu[MAX_THREADS];
static pthread_barrier_t together;
static long long offset_ns; /* of the clock */

/* --- the clock --- */

/*
 * Both stand in front of libc's for the library too, which asks either way.  What was not given is
 * not looked at behind here.
 */
__attribute__((no_sanitize("address"))) long syscall(long number, ...)
{
	static long (*libc)(long number, ...);
	long arg[6], rc;
	va_list list;

	if (!libc)
		*(void **)&libc = dlsym(RTLD_NEXT, "syscall");
	va_start(list, number);
	for (int i = 0; i < 6; i++)
		arg[i] = va_arg(list, long);
	va_end(list);
	rc = libc(number, arg[0], arg[1], arg[2], arg[3], arg[4], arg[5]);
	if (!rc && number == SYS_clock_gettime &&
	    (arg[0] == CLOCK_MONOTONIC || arg[0] == CLOCK_MONOTONIC_COARSE)) {
		struct timespec *now = (void *)arg[1];
		long long ns = now->tv_sec * SECOND + now->tv_nsec +
			       __atomic_load_n(&offset_ns, __ATOMIC_RELAXED);

		now->tv_sec = ns / SECOND;
		now->tv_nsec = ns % SECOND;
	}
	return rc;
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
	return (int)syscall(SYS_clock_gettime, clock, now);
}

/* --- steps --- */

static void check(const struct step *s, int rc)
{
	if (rc >= 0)
		return;
	fprintf(stderr, "work: %s %s: %s\n", s->verb, s->rest, strerror(-rc));
	_exit(3);
}

static int say(int self, const char *command)
{
	char text[512];
	const char *at = strstr(command, "%c");
	int n, fd = open(getenv("TEST_SIM_CTL"), O_WRONLY | O_CLOEXEC), rc = 0;

	if (fd < 0)
		return -errno;
	if (at)
		n = snprintf(text, sizeof(text), "%.*s%d%s", (int)(at - command), command,
			     cpu[self], at + 2);
	else
		n = snprintf(text, sizeof(text), "%s", command);
	if (write(fd, text, (size_t)n) < 0)
		rc = -errno;
	close(fd);
	return rc;
}

static int loop(int self, const char *rest)
{
	char name[64] = "";
	int n = 0, length = 0, rc = 0;

	if (sscanf(rest, "%d %63s %n", &n, name, &length) < 2)
		return -EINVAL;
	while (!rc && n-- > 0) {
		rc = pmu_region_begin(name);
		if (!rc)
			rc = say(self, rest + length);
		if (!rc)
			rc = pmu_region_end(name);
	}
	return rc;
}

static int later(int self, const char *rest)
{
	(void)self;
	__atomic_fetch_add(&offset_ns, atoll(rest) * SECOND, __ATOMIC_RELAXED);
	return 0;
}

/* How often a register has been read, by the simulated machine's log. */
static int count_reads(const char *address)
{
	char path[256], line[256], want[32];
	const char *ctl = getenv("TEST_SIM_CTL");
	FILE *log;
	int n = 0;

	snprintf(path, sizeof(path), "%.*slog", (int)(strrchr(ctl, '/') + 1 - ctl), ctl);
	snprintf(want, sizeof(want), " read %s ", address);
	log = fopen(path, "re");
	while (log && fgets(line, sizeof(line), log))
		n += strstr(line, want) != NULL;
	if (log)
		fclose(log);
	return n;
}

static int await(int self, const char *rest)
{
	static const struct timespec pause = { .tv_nsec = 10000000 };
	char address[16];
	int n, before;

	(void)self;
	if (sscanf(rest, "%d %15s", &n, address) != 2)
		return -EINVAL;
	before = count_reads(address);
	for (int ms = 0; ms < PATIENCE_MS; ms += 10) {
		if (count_reads(address) >= before + n)
			return 0;
		nanosleep(&pause, NULL);
	}
	return -ETIME;
}

static int count_pollers(int *tid)
{
	DIR *tasks = opendir("/proc/self/task");
	struct dirent *task;
	char path[300], name[32];
	FILE *comm;
	int n = 0;

	while (tasks && (task = readdir(tasks))) {
		snprintf(path, sizeof(path), "/proc/self/task/%s/comm", task->d_name);
		comm = fopen(path, "re");
		if (comm && fgets(name, sizeof(name), comm) && !strcmp(name, "pmu-keeper\n")) {
			*tid = atoi(task->d_name);
			n++;
		}
		if (comm)
			fclose(comm);
	}
	if (tasks)
		closedir(tasks);
	return n;
}

/* They give themselves their name when they begin to run. */
static int pollers(int self, const char *rest)
{
	static const struct timespec pause = { .tv_nsec = 100000000 };
	int tid;

	(void)self;
	for (int ms = 0; ms < PATIENCE_MS; ms += 100) {
		nanosleep(&pause, NULL);
		if (count_pollers(&tid) == atoi(rest))
			return 0;
	}
	return -ETIME;
}

static int keeper(int self, const char *rest)
{
	static int before;
	int tid = 0, rc = pollers(self, "1");

	(void)rest;
	if (!rc)
		rc = count_pollers(&tid) == 1 && (!before || tid == before) ? 0 : -ESRCH;
	before = tid;
	return rc;
}

static int begin(int self, const char *rest)
{
	(void)self;
	return pmu_region_begin(rest);
}

static int end(int self, const char *rest)
{
	(void)self;
	return pmu_region_end(rest);
}

static int next_group(int self, const char *rest)
{
	(void)self, (void)rest;
	return pmu_group_next();
}

static const struct {
	const char *name;
	int (*run)(int self, const char *rest);
} verbs[] = {
	{ "begin", begin }, { "end", end },          { "sim", say },
	{ "loop", loop },   { "group", next_group }, { "later", later },
	{ "await", await }, { "pollers", pollers },  { "keeper", keeper },
};

static int do_step(int self, const struct step *s)
{
	for (size_t i = 0; i < sizeof(verbs) / sizeof(*verbs); i++)
		if (!strcmp(verbs[i].name, s->verb))
			return verbs[i].run(self, s->rest);
	return -ENOSYS;
}

static void *work(void *arg)
{
	int self = (int)((int *)arg - cpu);

	for (int i = 0; i < n_threads; i++) {
		if (i == self)
			check(&(struct step){ self, "attach", "" }, pmu_thread_attach());
		pthread_barrier_wait(&together);
	}
	for (int i = 0; i < n_steps; i++) {
		if (step[i].thread == self || step[i].thread == EVERYBODY)
			check(&step[i], do_step(self, &step[i]));
		pthread_barrier_wait(&together);
	}
	return NULL;
}

/* --- the script --- */

static void read_step(char *line)
{
	char *word, *verb;

	line += strspn(line, " \t");
	if (!*line)
		return;
	if (n_steps == MAX_STEPS)
		abort();
	word = strsep(&line, " ");
	verb = line ? strsep(&line, " ") : NULL;
	step[n_steps].thread = *word == '*' ? EVERYBODY : atoi(word);
	step[n_steps].verb = verb ? verb : "";
	step[n_steps++].rest = line ? line : "";
}

static void read_cpus(const char *pin)
{
	const char *threads = getenv("TEST_THREADS");

	if (!pin || strncmp(pin, "cpus:", 5))
		pin = "cpus:0";
	for (pin += 5; *pin && n_threads < MAX_THREADS; pin += *pin == ',')
		cpu[n_threads++] = (int)strtol(pin, (char **)&pin, 10);
	for (int n = n_threads; threads && n_threads < atoi(threads) && n_threads < MAX_THREADS;
	     n_threads++)
		cpu[n_threads] = cpu[n_threads % n];
}

int main(int argc, char **argv)
{
	pthread_t thread[MAX_THREADS];
	char *rest = argc > 1 ? strdup(argv[1]) : NULL, *copy = rest, *line;

	while ((line = strsep(&rest, ";\n")))
		read_step(line);
	read_cpus(getenv("PMU_PIN"));
	if (getenv("TEST_CLOCK_MS"))
		offset_ns = atoll(getenv("TEST_CLOCK_MS")) * (SECOND / 1000);
	pthread_barrier_init(&together, NULL, (unsigned int)n_threads);
	for (int i = 1; i < n_threads; i++)
		if (pthread_create(&thread[i], NULL, work, &cpu[i]))
			return 2;
	work(&cpu[0]);
	for (int i = 1; i < n_threads; i++)
		pthread_join(thread[i], NULL);
	free(copy);
	return 0;
}
