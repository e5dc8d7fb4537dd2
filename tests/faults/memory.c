/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory that runs out while the first regions begin: the program goes on, and the report says what is missing. */
#include <pthread.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "../api/run.h"

#define CALLS 5

static const char *const quick[] = { "PMU_PIN=none", "PMU_BACKEND=clock", NULL };

/* --- the library's own mappings: the one of that number fails, and those after it where all are to --- */

static int number, failing;
static bool all_after;

void *mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset)
{
	number++;
	if (failing && (number == failing || (all_after && number > failing))) {
		errno = ENOMEM;
		return MAP_FAILED;
	}
	return (void *)syscall(SYS_mmap, at, size, protection, flags, fd, offset);
}

struct how {
	int failing;
	bool all_after, on_a_thread;
	int n_regions;
	rlim_t room;
};

/* Return: how many begins the library refused. */
static int use_regions(void)
{
	int refused = 0;

	for (int i = 0; i < CALLS; i++) {
		int outer = pmu_region_begin("outer"), inner = pmu_region_begin("inner");

		refused += (outer != 0) + (inner != 0);
		want(pmu_region_end("inner") == 0 || inner != 0);
		want(pmu_region_end("outer") == 0 || outer != 0);
	}
	return refused;
}

static void *use_on_a_thread(void *arg)
{
	*(int *)arg = use_regions();
	return NULL;
}

/* Of the address space, so much is left. */
static void limit_room(rlim_t bytes)
{
	struct rlimit limit = { bytes, RLIM_INFINITY };
	unsigned long pages = 0;
	FILE *file = fopen("/proc/self/statm", "r");

	want(file && fscanf(file, "%lu", &pages) == 1);
	if (file)
		fclose(file);
	limit.rlim_cur += pages * (rlim_t)sysconf(_SC_PAGESIZE);
	want(setrlimit(RLIMIT_AS, &limit) == 0);
}

static int run_short(void *arg)
{
	const struct how *how = arg;
	pthread_t thread;
	int refused = 0;

	if (how->room)
		limit_room(how->room);
	number = 0;
	failing = how->failing;
	all_after = how->all_after;
	if (how->on_a_thread && pthread_create(&thread, NULL, use_on_a_thread, &refused) == 0)
		pthread_join(thread, NULL);
	else
		refused = use_regions();
	dprintf(STDOUT_FILENO, "alive %d %d\n", refused, number);
	return 0;
}

/* --- what the report says of it --- */

/* Of the calls of both regions: those in the report, and those that the report says are missing. */
static bool accounts_for(const struct run *r, int refused)
{
	long long counted = 0, doubts = run_doubts(r->json, NULL, "want of memory");
	char *notes = run_list(r->json, "notes");
	const json_t *region;
	size_t i;
	bool all;

	json_array_foreach(json_object_get(r->json, "regions"), i, region)
		counted += run_int(region, "calls");
	all = counted == 2 * CALLS - refused &&
	      (!refused || doubts > 0 || strstr(notes, "no memory for its records"));
	if (!all)
		diag("%lld calls are there, %d were refused, %lld are in doubt, notes: %s", counted,
		     refused, doubts, notes);
	free(notes);
	return all;
}

/* A report that accounts for each call, or a line on standard error with the cause. */
static bool run_bears(const struct how *how, int *n_mapped)
{
	struct run r;
	int refused = -1;
	bool good;

	run(&r, run_short, (void *)(uintptr_t)how, quick);
	good = WIFEXITED(r.status) && !WEXITSTATUS(r.status) && !r.notes->n_failed && r.out &&
	       sscanf(r.out, "alive %d %d", &refused, n_mapped) == 2;
	if (good && r.json)
		good = accounts_for(&r, refused);
	else if (good)
		good = r.err && strstr(r.err, "memory");
	if (!good)
		diag("mapping %d fails%s, room for %llu: status %x, %s%s", how->failing,
		     how->all_after ? " and all after it" : "", (unsigned long long)how->room,
		     (unsigned int)r.status, r.out ? r.out : "", r.err ? r.err : "");
	run_done(&r);
	return good;
}

/* What the end of the program maps, for its report, is not counted. */
#define AT_EXIT 16

static void each_mapping_may_fail(bool on_a_thread, bool more, const char *name)
{
	struct how how = { .on_a_thread = on_a_thread, .all_after = more };
	int n = 0, n_bad = 0, unused;

	n_bad = !run_bears(&how, &n);
	for (how.failing = 1; how.failing <= n + AT_EXIT; how.failing++)
		n_bad += !run_bears(&how, &unused);
	diag("%d mappings", n);
	ok(n > 1 && n_bad == 0, "%s: %d bad outcomes", name, n_bad);
}

static void any_room_may_be_all_that_is_left(rlim_t kib, rlim_t step)
{
	struct how how = { 0 };
	int n_bad = 0, unused;

	for (how.room = 1; how.room < kib << 10; how.room += step << 10)
		n_bad += !run_bears(&how, &unused);
	is_int(n_bad, 0, "so much room is left of the address space, from none on: bad outcomes");
}

/* --- the next group, where rows found no room any more --- */

static int change_groups(void *arg)
{
	const struct how *how = arg;
	char name[32];

	number = 0;
	failing = how->failing;
	all_after = true;
	for (int turn = 0; turn < 4; turn++) {
		for (int i = 0; i < how->n_regions; i++) {
			snprintf(name, sizeof(name), "region %d", i);
			pmu_region_begin(name);
			pmu_region_end(name);
		}
		pmu_group_next();
	}
	return 0;
}

static void groups_change_without_memory(void)
{
	static const char *const two[] = { "PMU_PIN=none", "PMU_GROUP=SOFTWARE,TIME", NULL };
	struct how how = { 0 };
	int n_bad = 0;

	for (how.failing = 1; how.failing < 24; how.failing++) {
		for (how.n_regions = 100; how.n_regions <= 400; how.n_regions += 100) {
			struct run r;

			run(&r, change_groups, &how, two);
			n_bad += r.status != 0;
			if (r.status)
				diag("mapping %d and all after it, %d regions: status %x",
				     how.failing, how.n_regions, (unsigned int)r.status);
			run_done(&r);
		}
	}
	is_int(n_bad, 0, "the next group may find no memory: bad outcomes");
}

int main(void)
{
	if (RUN_SANITIZED)
		return skip_all("a sanitizer has mappings of its own");
	each_mapping_may_fail(false, false, "one mapping fails");
	each_mapping_may_fail(false, true, "from one on all mappings fail");
	each_mapping_may_fail(true, false, "one fails while a thread uses regions");
	each_mapping_may_fail(true, true, "from one on all fail while a thread does");
	any_room_may_be_all_that_is_left(2048, 16);
	groups_change_without_memory();
	return done_testing();
}
