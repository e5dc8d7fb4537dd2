/* SPDX-License-Identifier: BSD-3-Clause */
/* What regions and threads take in memory. */
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "overhead.h"
#include "pmu.h"

#define N_NAMES   300    /* each nested in each: as many regions as its square, few names */
#define N_THREADS 100000 /* one after another, */
#define AT_ONCE   8      /* so many at a time */
#define N_REGIONS 3      /* in each */

/* --- in the child: the store --- */

/* Bytes of all the files in the folder; negative without it. */
static double folder_size(const char *path)
{
	DIR *dir = opendir(path);
	double sum = 0;

	if (!dir)
		return -1;
	for (struct dirent *entry; (entry = readdir(dir));) {
		struct stat st;

		if (fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
		    S_ISREG(st.st_mode))
			sum += (double)st.st_size;
	}
	closedir(dir);
	return sum;
}

/*
 * The store grows by pieces that double up to a largest size.  From one growth to the
 * next all that was there before has been used up: the regions made since then had that
 * piece to themselves.
 */
static int print_bytes_per_region(const char *path)
{
	double size = folder_size(path), before = 0, per_region = -1;
	struct loop loop = { 0 };
	long n = 0;

	if (size <= 0 || loop_names(&loop, N_NAMES, 0) < 0)
		return 1;
	for (size_t i = 0; i < N_NAMES; i++) {
		pmu_region_begin(loop.name[i]);
		for (size_t k = 0; k < N_NAMES; k++, n++) {
			double now = folder_size(path);

			if (now > size) {
				/* made in the piece that was added last time */
				if (before > 0)
					per_region = (size - before) / (double)n;
				before = size;
				size = now;
				n = 0;
			}
			if (k != i) {
				pmu_region_begin(loop.name[k]);
				pmu_region_end(loop.name[k]);
			}
		}
		pmu_region_end(loop.name[i]);
	}
	printf("%.2f\n", per_region);
	return per_region < 0;
}

int child_store(char **argument)
{
	char folder[] = "/dev/shm/overhead-XXXXXX", path[64];
	int rc;

	(void)argument;
	if (!mkdtemp(folder)) {
		perror(folder);
		return 1;
	}
	snprintf(path, sizeof(path), "%s/pmu", folder);
	if (setenv("XDG_RUNTIME_DIR", folder, 1) < 0)
		return 1;
	rc = pmu_init(NULL);
	rc = rc < 0 ? 1 : print_bytes_per_region(path);
	pmu_fini();
	rmdir(path);
	rmdir(folder);
	return rc;
}

/* --- in the child: threads --- */

static const char *const region[N_REGIONS] = { "first", "second", "third" };

/* The second region is called twice, the third three times. */
static void *short_life(void *arg)
{
	for (int i = 0; i < N_REGIONS; i++) {
		for (int k = 0; k <= i; k++) {
			pmu_region_begin(region[i]);
			pmu_region_end(region[i]);
		}
	}
	return arg;
}

static int start_threads(int n)
{
	pthread_t id[AT_ONCE];

	for (int left = n; left > 0; left -= AT_ONCE) {
		for (int i = 0; i < AT_ONCE; i++)
			if (pthread_create(&id[i], NULL, short_life, NULL))
				return -1;
		for (int i = 0; i < AT_ONCE; i++)
			pthread_join(id[i], NULL);
	}
	return 0;
}

/*
 * Over all threads, by their numbers: most of those kept apart come first, and soon after
 * them the one that holds all others; then there are none.
 */
static double sum_of_calls(const char *name)
{
	struct pmu_region_counts counts = { .size = sizeof(counts) };
	double sum = 0;

	for (int thread = 0, n_unknown = 0; n_unknown < 8 * AT_ONCE; thread++) {
		int rc = pmu_region_read(name, thread, &counts);

		if (rc == 0)
			sum += (double)counts.calls;
		n_unknown = rc == 0 ? 0 : n_unknown + 1;
	}
	return sum;
}

int child_threads(char **argument)
{
	double at[3], wrong = 0;

	(void)argument;
	if (pmu_init(NULL) < 0 || start_threads(N_THREADS / 10) < 0)
		return 1;
	at[0] = resident_kib();
	if (start_threads(N_THREADS * 4 / 10) < 0)
		return 1;
	at[1] = resident_kib();
	if (start_threads(N_THREADS / 2) < 0)
		return 1;
	at[2] = resident_kib();
	for (int i = 0; i < N_REGIONS; i++)
		wrong += sum_of_calls(region[i]) != (double)N_THREADS * (i + 1);
	printf("%.0f %.0f %.0f %.0f\n", at[0], at[1], at[2], wrong);
	return 0;
}

/* --- in the parent --- */

#define SOFTWARE \
	"PMU_BACKEND=software", "PMU_OUTPUT=none", "PMU_PIN=none", "PMU_MAX_REGIONS=1000000"

static const struct store {
	const char *subject;
	const char *settings[6];
	double target; /* negative: none */
} stores[] = {
	{ "store: a region of a thread, time only",
	  { "PMU_BACKEND=clock", "PMU_OUTPUT=none", "PMU_PIN=none", "PMU_MAX_REGIONS=1000000" },
	  -1 },
	{ "store: a region of a thread, 1 count", { SOFTWARE, "PMU_EVENTS=task-clock" }, -1 },
	{ "store: a region of a thread, 4 counts", { SOFTWARE, "PMU_EVENTS=" LOOP_EVENTS }, -1 },
	{ "store: a region of a thread, 8 counts",
	  { SOFTWARE, "PMU_EVENTS=" LOOP_EVENTS
		      ",context-switches,cpu-migrations,alignment-faults,emulation-faults" },
	  256 },
};
static const char *const on_clock[] = { "PMU_BACKEND=clock", "PMU_OUTPUT=none", NULL };

static void measure_store(const struct store *store)
{
	struct row row = row_for(store->subject, "bytes");
	struct child child = { .settings = store->settings, .argument = { "store" } };

	row.target_of = store->target < 0 ? NO_TARGET : OF_VALUE;
	row.target = store->target;
	if (child_run(&child) < 0)
		row.note = child.why;
	else
		row.value = strtod(child.out, NULL);
	table_row(&row);
	child_free(&child);
}

static void measure_threads(void)
{
	static const char *const subject[] = { "resident after 10,000 short threads",
					       "resident after 50,000", "resident after 100,000",
					       "of 3 regions, those with a wrong sum" };
	struct child child = { .settings = on_clock, .argument = { "threads" } };
	double value[4] = { -1, -1, -1, -1 };
	bool failed = child_run(&child) < 0;

	if (!failed)
		sscanf(child.out, "%lf %lf %lf %lf", &value[0], &value[1], &value[2], &value[3]);
	for (int i = 0; i < 4; i++) {
		struct row row = row_for(subject[i], i < 3 ? "KiB" : "");

		row.value = value[i];
		row.threads = AT_ONCE;
		row.note = failed ? child.why : i == 1 || i == 2 ? "to be flat" : NULL;
		row.target_of = i < 3 ? NO_TARGET : OF_VALUE;
		table_row(&row);
	}
	child_free(&child);
}

void measure_memory(void)
{
	table_heading("Memory", false);
	for (size_t i = 0; i < sizeof(stores) / sizeof(*stores); i++)
		measure_store(&stores[i]);
	measure_threads();
}
