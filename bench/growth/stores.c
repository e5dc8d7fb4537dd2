/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * In the child: threads with regions, through the library as programs use it, and the store that
 * they leave.
 */
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "bench/growth/scale.h"
#include "bench/growth/stores.h"
#include "pmu.h"

#define STACK_SIZE ((size_t)256 << 10)
#define N_READS    1000

/*
 * Between two of these every thread does the same, and the first thread looks at what that has
 * taken.
 */
enum phase { STARTED, ATTACHED, ENTERED, PAIRED, N_PHASES };

static struct work {
	unsigned int n_threads, n_regions, n_rounds;
	char **name;
	pthread_barrier_t barrier;
	struct worker {
		pthread_t id;
		double cpu_ns[N_PHASES]; /* processor time at the end of each */
		int error;
	} * worker;
} work;

static int enter_all(void)
{
	int rc = 0;

	for (unsigned int i = 0; i < work.n_regions; i++) {
		rc |= pmu_region_begin(work.name[i]);
		rc |= pmu_region_end(work.name[i]);
	}
	return rc;
}

static void next_phase(struct worker *self, enum phase phase)
{
	self->cpu_ns[phase] = cpu_ns();
	pthread_barrier_wait(&work.barrier);
}

static void *run_worker(void *arg)
{
	struct worker *self = arg;

	pthread_barrier_wait(&work.barrier); /* all are there */
	pthread_barrier_wait(&work.barrier); /* what memory that took is known */
	self->cpu_ns[STARTED] = cpu_ns();
	self->error |= pmu_thread_attach();
	next_phase(self, ATTACHED);
	self->error |= enter_all();
	next_phase(self, ENTERED);
	for (unsigned int round = 0; round < work.n_rounds; round++)
		self->error |= enter_all();
	next_phase(self, PAIRED);
	pthread_barrier_wait(&work.barrier); /* the first thread has looked */
	return NULL;
}

/* --- the threads --- */

static int make_names(void)
{
	work.name = calloc(work.n_regions, sizeof(*work.name));
	for (unsigned int i = 0; work.name && i < work.n_regions; i++) {
		work.name[i] = malloc(24);
		if (!work.name[i])
			return -1;
		snprintf(work.name[i], 24, "region %u", i);
	}
	return work.name ? 0 : -1;
}

static int start_workers(void)
{
	pthread_attr_t attr;
	int rc;

	work.worker = calloc(work.n_threads, sizeof(*work.worker));
	if (!work.worker || make_names() < 0 ||
	    pthread_barrier_init(&work.barrier, NULL, work.n_threads + 1) ||
	    pthread_attr_init(&attr))
		return -1;
	rc = pthread_attr_setstacksize(&attr, STACK_SIZE);
	for (unsigned int i = 0; i < work.n_threads && !rc; i++)
		rc = pthread_create(&work.worker[i].id, &attr, run_worker, &work.worker[i]);
	pthread_attr_destroy(&attr);
	if (rc)
		fprintf(stderr, "no thread: %s\n", strerror(rc));
	return rc ? -1 : 0;
}

/*
 * Nanoseconds of processor time that all threads have spent up to the end of a phase since that of
 * another.
 */
static double spent_ns(enum phase from, enum phase to)
{
	double sum = 0;

	for (unsigned int i = 0; i < work.n_threads; i++)
		sum += work.worker[i].cpu_ns[to] - work.worker[i].cpu_ns[from];
	return sum;
}

static int any_error(void)
{
	for (unsigned int i = 0; i < work.n_threads; i++)
		if (work.worker[i].error)
			return work.worker[i].error;
	return 0;
}

/* Processor time of all threads, those that have ended too. */
static double process_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

/* --- what they leave --- */

int store_path(const char *folder, char *path, size_t size)
{
	char sub[PATH_MAX];
	double most = 0;
	DIR *dir;

	snprintf(sub, sizeof(sub), "%s/pmu", folder);
	dir = opendir(sub);
	for (struct dirent *entry; dir && (entry = readdir(dir));) {
		struct stat st;

		/* beside it are only claims and a lock */
		if (fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
		    !S_ISREG(st.st_mode) || (double)st.st_size <= most)
			continue;
		most = (double)st.st_size;
		snprintf(path, size, "%s/%s", sub, entry->d_name);
	}
	if (dir)
		closedir(dir);
	return most > 0 ? 0 : -1;
}

static double store_kib(const char *folder)
{
	char path[2 * PATH_MAX];
	struct stat st;

	if (store_path(folder, path, sizeof(path)) < 0 || stat(path, &st) < 0)
		return -1;
	return (double)st.st_size / 1024;
}

static double report_ms(const char *folder)
{
	char path[PATH_MAX];
	double start;
	int rc;

	snprintf(path, sizeof(path), "%s/own.txt", folder);
	start = cpu_ns();
	rc = pmu_report(path);
	return rc < 0 ? -1 : (cpu_ns() - start) / 1e6;
}

/* The last thread's last region, by another thread; the first call looks at all of its rows. */
static double read_us(void)
{
	struct pmu_region_counts counts = { .size = sizeof(counts) };
	double start = 0;

	for (int i = 0; i <= N_READS; i++) {
		int rc = pmu_region_read(work.name[work.n_regions - 1], (int)work.n_threads - 1,
					 &counts);

		if (rc < 0 || counts.calls != 1 + work.n_rounds)
			return -1;
		start = i ? start : cpu_ns();
	}
	return (cpu_ns() - start) / 1e3 / N_READS;
}

static void look(const char *folder, double before_kib, double *value)
{
	double n = (double)work.n_threads * work.n_regions;

	value[STORE_KIB] = store_kib(folder);
	value[RESIDENT_KIB] = resident_kib() - before_kib;
	value[ATTACH_US] = spent_ns(STARTED, ATTACHED) / work.n_threads / 1e3;
	value[FIRST_NS] = spent_ns(ATTACHED, ENTERED) / n;
	value[PAIR_NS] = spent_ns(ENTERED, PAIRED) / n / work.n_rounds;
	value[READ_US] = read_us();
	value[REPORT_MS] = report_ms(folder);
}

static int run(const char *folder, double *value)
{
	double before_kib, start;

	if (start_workers() < 0)
		return -1;
	pthread_barrier_wait(&work.barrier);
	before_kib = resident_kib();
	for (int phase = STARTED; phase < N_PHASES; phase++)
		pthread_barrier_wait(&work.barrier);
	look(folder, before_kib, value);
	start = process_ns();
	pthread_barrier_wait(&work.barrier);
	for (unsigned int i = 0; i < work.n_threads; i++)
		pthread_join(work.worker[i].id, NULL);
	value[END_US] = (process_ns() - start) / work.n_threads / 1e3;
	return any_error();
}

/* Threads, regions and rounds. */
int child_store(char **argument)
{
	double value[N_STORE_NUMBERS];
	const char *folder = getenv("XDG_RUNTIME_DIR");
	int rc;

	work.n_threads = (unsigned int)strtoul(argument[0], NULL, 10);
	work.n_regions = (unsigned int)strtoul(argument[1], NULL, 10);
	work.n_rounds = (unsigned int)strtoul(argument[2], NULL, 10);
	if (!folder || !work.n_threads || !work.n_regions || !work.n_rounds)
		return 2;
	run_folder_empty(folder); /* of the run before */
	rc = pmu_init(NULL);
	if (rc == 0)
		rc = run(folder, value);
	if (rc) {
		fprintf(stderr, "threads with regions: %s\n", pmu_last_error());
		return 1;
	}
	for (int i = 0; i < N_STORE_NUMBERS; i++)
		printf("%.9g ", value[i]);
	fflush(stdout);
	/* the store stays: as after a crash */
	_exit(0);
}
