/* SPDX-License-Identifier: BSD-3-Clause */
/* Another program writes into the live store: the measured one uses nothing of that. */
#include <glob.h>
#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>

#include "run.h"

#define CHUNK_MAGIC 0x4b4e4843u /* lib/store/row.h */
#define NAMES       2u
#define N_WORKERS   4
#define HEAP        ((size_t)1 << 20)
#define GUARD       ((size_t)6 << 30) /* what any 32 bits that are added to an address lead to */
#define LEAST_TURNS 10u

/* Of the program and of the one that writes into its store. */
struct common {
	uint64_t n_edits, turns;
	bool done;
};

static struct common *common;
static uint64_t n_edits = 200000;

/* --- the one that writes --- */

static uint64_t next_random(void)
{
	static uint64_t state = 88172645463325252u;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static uint64_t plausible(void)
{
	static const uint64_t some[] = { 0,          1,          2,          64,
					 4096,       65536,      0x7fffffff, 0x80000000,
					 0xffffffff, 0xfffffff0, UINT64_MAX, INT64_MAX };
	uint64_t r = next_random();

	return r & 1 ? some[(r >> 1) % (sizeof(some) / sizeof(*some))] : (r >> 1) % 4096;
}

/* A byte, a word of either size, or a word of what starts a chunk, a row or a record. */
static void edit(char *map, size_t size)
{
	uint64_t r = next_random(), value = r & 4 ? plausible() : next_random();
	size_t at = (size_t)(next_random() % size);
	uint32_t word = (uint32_t)value;

	switch (r & 3) {
	case 0:
		map[at] = (char)value;
		break;
	case 1:
		memcpy(map + (at & ~(size_t)7), &value, 8);
		break;
	case 2:
		memcpy(map + (at & ~(size_t)3), &word, 4);
		break;
	default:
		memcpy(map + (at & ~(size_t)63) + (r >> 8) % 16 * 4, &word, 4);
	}
}

static int open_store(pid_t pid)
{
	char pattern[512];
	glob_t found;
	int fd = -1;

	snprintf(pattern, sizeof(pattern), "%s/pmu/%d-*.pmu", getenv("XDG_RUNTIME_DIR"), (int)pid);
	if (!glob(pattern, 0, NULL, &found)) {
		fd = open(found.gl_pathv[0], O_RDWR | O_CLOEXEC);
		globfree(&found);
	}
	return fd;
}

static char *map_store(int fd, char *old, size_t *size)
{
	struct stat st;

	if (fstat(fd, &st) || (size_t)st.st_size == *size)
		return old;
	if (old)
		munmap(old, *size);
	*size = (size_t)st.st_size;
	return (char *)mmap(NULL, *size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
}

static void keep_copy(const char *map, size_t size)
{
	char path[512];
	FILE *file;

	snprintf(path, sizeof(path), "%s/copy.pmu", getenv("XDG_RUNTIME_DIR"));
	file = fopen(path, "w");
	if (file)
		fwrite(map, 1, size, file);
	if (file)
		fclose(file);
}

static void scribble(pid_t pid)
{
	int fd = open_store(pid);
	size_t size = 0;
	char *map = NULL;

	for (uint64_t i = 0; fd >= 0; i++) {
		if (i % 64 == 0) {
			map = map_store(fd, map, &size);
			common->n_edits = i;
			if (i >= n_edits &&
			    __atomic_load_n(&common->turns, __ATOMIC_RELAXED) > LEAST_TURNS)
				break;
			sched_yield();
		}
		edit(map, size);
	}
	if (map)
		keep_copy(map, size);
	__atomic_store_n(&common->done, true, __ATOMIC_RELEASE);
	_exit(fd < 0);
}

/* --- the program --- */

static bool is_over(void)
{
	return __atomic_load_n(&common->done, __ATOMIC_ACQUIRE);
}

static pmu_context_t context;

static void nested(unsigned int id, unsigned int n)
{
	char name[64];

	pmu_region_begin("outer");
	snprintf(name, sizeof(name), "a new name, of %u: %u", id, n % 3000);
	pmu_region_begin(name);
	pmu_region_begin("outer"); /* again, from inside another one */
	pmu_region_begin("inner");
	if (n % 16 == 0)
		pmu_checkpoint(PMU_NEXT_GOES_ON);
	pmu_region_end("outer"); /* "inner" overlaps it */
	pmu_region_end("inner");
	pmu_region_end(name);
	pmu_region_end("outer");
	pmu_context_enter(__atomic_load_n(&context, __ATOMIC_RELAXED));
	pmu_region_begin("for another");
	pmu_region_end("for another");
	pmu_context_leave();
	if (n % 64 == 0)
		pmu_region_reset("inner");
	if (n % 8 == 0)
		pmu_region_end("never begun");
}

static void *short_life(void *arg)
{
	for (unsigned int i = 0; i < 40; i++)
		nested(*(unsigned int *)arg, i);
	return NULL;
}

static void *long_life(void *arg)
{
	for (unsigned int i = 0; !is_over(); i++)
		nested(*(unsigned int *)arg, i);
	return NULL;
}

static void read_all(void)
{
	static const char *const paths[] = { "outer", "main/outer", "inner",
					     "outer/a new name, of 1: 5" };
	struct pmu_region_counts counts = { .size = sizeof(counts) };
	char *text = NULL;

	for (int thread = PMU_THREAD_SELF; thread < 8; thread++)
		for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++)
			pmu_region_read(paths[i], thread, &counts);
	if (!pmu_report_text("json", &text))
		free(text);
}

/* Also what a forked child makes of its copy. */
static void fork_once(unsigned int id)
{
	int status = -1;
	pid_t pid = fork();

	if (!pid) {
		short_life(&id);
		exit(7);
	}
	want(pid < 0 || waitpid(pid, &status, 0) == pid);
	want(pid < 0 || (WIFEXITED(status) && WEXITSTATUS(status) == 7));
}

static void one_turn(unsigned int turn)
{
	pthread_t thread[N_WORKERS];
	unsigned int id[N_WORKERS];

	pmu_region_begin("main");
	__atomic_store_n(&context, pmu_context_get(), __ATOMIC_RELAXED);
	for (unsigned int i = 0; i < N_WORKERS; i++) {
		id[i] = 100 + (turn * N_WORKERS + i) % 50;
		pthread_create(&thread[i], NULL, short_life, &id[i]);
	}
	for (unsigned int i = 0; i < N_WORKERS; i++)
		pthread_join(thread[i], NULL);
	read_all();
	if (turn % 8 == 0)
		fork_once(200);
	pmu_region_end("main");
}

static bool is_whole(const unsigned char *heap)
{
	for (size_t i = 0; i < HEAP; i++)
		if (heap[i] != (unsigned char)(i * 167 >> 3))
			return false;
	return true;
}

/* What lies above the store takes no write: maps are made downwards, and this one is there before. */
static unsigned char *guard(void)
{
	unsigned char *heap = (unsigned char *)malloc(HEAP);

	want(mmap(NULL, GUARD, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) !=
	     MAP_FAILED);
	for (size_t i = 0; heap && i < HEAP; i++)
		heap[i] = (unsigned char)(i * 167 >> 3);
	return heap;
}

static int program(void *arg)
{
	unsigned char *heap = guard();
	pthread_t thread[N_WORKERS];
	unsigned int id[N_WORKERS];
	pid_t other, self = getpid();
	int status = -1;

	(void)arg;
	pmu_region_begin("main");
	pmu_region_end("main");
	other = fork();
	if (!other)
		scribble(self);
	for (unsigned int i = 0; i < N_WORKERS; i++) {
		id[i] = i;
		pthread_create(&thread[i], NULL, long_life, &id[i]);
	}
	for (unsigned int turn = 0; !is_over(); turn++) {
		one_turn(turn);
		__atomic_fetch_add(&common->turns, 1, __ATOMIC_RELAXED);
	}
	for (unsigned int i = 0; i < N_WORKERS; i++)
		pthread_join(thread[i], NULL);
	want(waitpid(other, &status, 0) == other && status == 0);
	want(heap && is_whole(heap));
	free(heap);
	puts("a result");
	return 0;
}

/* Whatever it says of it, it says it. */
static int report_status(const struct run *r)
{
	int status = -1;
	pid_t pid = fork();

	if (!pid) {
		run_redirect(r, "command", STDOUT_FILENO);
		run_redirect(r, "command", STDERR_FILENO);
		execl(run_command_path(), "pmu", "report", run_path(r, "xdg/copy.pmu"),
		      (char *)NULL);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	return status;
}

static void it_goes_on(const char *what, const char *const *env)
{
	struct run r;

	memset(common, 0, sizeof(*common));
	run(&r, program, NULL, env);
	run_good(&r, what);
	ok(r.out && !strcmp(r.out, "a result\n"), "%s: with its output", what);
	ok(WIFEXITED(report_status(&r)), "%s: what is left of the store is read", what);
	diag("%llu edits, %llu turns", (unsigned long long)common->n_edits,
	     (unsigned long long)common->turns);
	run_done(&r);
}

/* --- the edit that moved a name --- */

static int new_names(void *arg)
{
	int fd;
	size_t size = 0;
	char *map;

	(void)arg;
	free(guard());
	pmu_region_begin("first");
	pmu_region_end("first");
	fd = open_store(getpid());
	map = fd < 0 ? NULL : map_store(fd, NULL, &size);
	if (!want(map != NULL))
		return 1;
	for (size_t at = 4096; at + 64 <= size;) {
		uint32_t head[4];
		size_t start = at;

		memcpy(head, map + at, sizeof(head));
		if (head[0] != CHUNK_MAGIC || !want(head[2] != 0))
			break;
		at += head[2];
		if (head[1] != NAMES)
			continue;
		head[2] = UINT32_MAX; /* its size, and what is used of it */
		head[3] = 0x40000000;
		memcpy(map + start, head, sizeof(head));
	}
	for (int i = 0; i < 3; i++) {
		char name[32];

		snprintf(name, sizeof(name), "AAAAAAAA-new-%d", i);
		want_int(pmu_region_begin(name), 0);
		want_int(pmu_region_end(name), 0);
	}
	return 0;
}

static void an_edited_length_moves_no_name(void)
{
	struct run r;

	run(&r, new_names, NULL, NULL);
	run_good(&r, "a name goes where it would have gone");
	run_done(&r);
}

/* --- programs that others may not see --- */

static int not_dumpable(void *arg)
{
	(void)arg;
	prctl(PR_SET_DUMPABLE, 0);
	pmu_region_begin("secret");
	want_int(open_store(getpid()), -1);
	pmu_region_end("secret");
	return 0;
}

static void what_nobody_may_see_has_no_store(void)
{
	struct run r;
	const json_t *region;
	char *notes;

	run(&r, not_dumpable, NULL, NULL);
	run_good(&r, "a program that is not dumpable has its results in memory of its own");
	region = run_region(r.json, "secret");
	is_int(run_int(region, "calls"), 1, "and a report at its end");
	notes = json_dumps(json_object_get(r.json, "notes"), 0);
	has(notes, "not dumpable", "that says so");
	free(notes);
	run_done(&r);
}

int main(int argc, char **argv)
{
	static const char *const kept[] = { "PMU_HISTOGRAM=1", "PMU_TRACE=@/trace.pmu",
					    "PMU_TRACE_SIZE=64KiB", "PMU_MAX_THREADS=3", NULL };
	static const char *const exact[] = { "PMU_EVENTS=page-faults,task-clock", "PMU_EXACT=1",
					     "PMU_MAX_THREADS=3", NULL };
	static const char *const rotating[] = { "PMU_GROUP=SOFTWARE,TIME", "PMU_ROTATE=1",
						"PMU_ROTATE_MIN=0", NULL };

	if (argc > 1)
		n_edits = strtoull(argv[1], NULL, 10);
	common = (struct common *)mmap(NULL, sizeof(*common), PROT_READ | PROT_WRITE,
				       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (common == MAP_FAILED)
		run_die("no shared memory");
	an_edited_length_moves_no_name();
	what_nobody_may_see_has_no_store();
	it_goes_on("histograms, traces, merged threads", kept);
	it_goes_on("least counts, some calls alone", exact);
	it_goes_on("groups that take turns", rotating);
	done_testing();
}
