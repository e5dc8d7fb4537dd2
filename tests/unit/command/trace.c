/* SPDX-License-Identifier: BSD-3-Clause */
/* A trace has what the rows have: each call once, also when the program dies of it. */
#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bindings/command/trace/flows.h"
#include "bindings/command/trace/nest.h"
#include "pmu.h"
#include "store/save.h"
#include "tests/sanitized.h"
#include "unit/part.h"

/* --- a program in a process of its own --- */

static char folder[64]; /* of all */

static void set(const char *const *env)
{
	char path[128];

	setenv("XDG_RUNTIME_DIR", folder, 1);
	setenv("PMU_OUTPUT", "none", 1);
	setenv("PMU_PIN", "none", 1);
	setenv("PMU_BACKEND", "clock", 1);
	setenv("PMU_TRACE_SIZE", "1MiB", 1);
	snprintf(path, sizeof(path), "%s/run.trace", folder);
	setenv("PMU_TRACE", path, 1);
	for (; env && *env; env++)
		putenv((char *)(uintptr_t)*env);
}

static pid_t start(void (*program)(void), const char *const *env)
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		set(env);
		program();
		exit(0);
	}
	return pid;
}

static void remove_all(const char *ending)
{
	char path[512], name[200];
	struct dirent *file;
	DIR *dir;

	for (int below = 0; below < 2; below++) {
		snprintf(name, sizeof(name), "%s%s", folder, below ? "/pmu" : "");
		dir = opendir(name);
		while (dir && (file = readdir(dir))) {
			size_t len = strlen(file->d_name), part = strlen(ending);

			if (len < part || strcmp(file->d_name + len - part, ending) != 0)
				continue;
			snprintf(path, sizeof(path), "%s/%s", name, file->d_name);
			unlink(path);
		}
		if (dir)
			closedir(dir);
	}
}

/* The left-over store, or (@below: "") a trace, with a name that ends so. */
static bool find(const char *below, const char *ending, const char *but, char *path, size_t size)
{
	char name[200];
	struct dirent *file;
	bool found = false;
	DIR *dir;

	snprintf(name, sizeof(name), "%s%s", folder, below);
	dir = opendir(name);
	while (dir && !found && (file = readdir(dir))) {
		size_t len = strlen(file->d_name), part = strlen(ending);

		found = len > part && !strcmp(file->d_name + len - part, ending) &&
			strcmp(file->d_name, but) != 0;
		if (found)
			snprintf(path, size, "%s/%s", name, file->d_name);
	}
	if (dir)
		closedir(dir);
	return found;
}

/* --- what is in it --- */

struct found {
	int rc;
	uint64_t n, rows, lost, left_out, dropped, damaged;
	uint64_t rings, arrows, again, parts, waits;
	uint64_t unequal; /* rows that have something else than their calls together */
	uint64_t unequal_waits;
	uint64_t torn;    /* records that no call can be */
	uint64_t misfits; /* slices that do not lie in each other */
	uint64_t begins, ends;
	uint64_t calls; /* of all rows */
	uint64_t deepest;
};

struct sum {
	uint64_t calls, ticks, count[PMU_MAX_SLOTS];
	uint64_t off_ns, queued_ns;
};

static void add(struct found *found, const struct pmu_trace_source *source, struct sum *sum,
		const struct pmu_trace_ring *ring)
{
	uint64_t count[PMU_MAX_SLOTS], last = 0;

	for (uint64_t i = 0; i < ring->n; i++) {
		struct pmu_trace_call call = pmu_trace_call_at(source, ring, i, count);
		const struct pmu_trace_row *row;

		if (call.row == PMU_TRACE_NO_ROW) {
			found->torn++;
			continue;
		}
		if (call.flags & PMU_TRACE_WAITED) {
			found->waits++;
			continue;
		}
		row = &source->row[call.row];
		/* stamps may pass each other by a few ticks */
		found->torn += call.end + 1000 < last || call.begin < source->start.ticks;
		last = call.end;
		found->again += !!(call.flags & PMU_TRACE_AGAIN);
		found->parts += !!(call.flags & PMU_TRACE_PART);
		sum[call.row].calls += !(call.flags & PMU_TRACE_PART);
		sum[call.row].ticks += call.end - call.begin;
		for (uint32_t s = 0; s < source->raw.group[row->thread->group].n_slots; s++)
			sum[call.row].count[s] += count[s];
	}
}

static bool is_equal(const struct pmu_trace_source *source, const struct pmu_trace_row *row,
		     const struct sum *sum)
{
	bool equal = row->raw->calls == sum->calls && row->raw->ticks == sum->ticks;

	for (uint32_t s = 0; s < source->raw.group[row->thread->group].n_slots; s++)
		if (!(row->missing >> s & 1))
			equal &= row->raw->count[s] == sum->count[s];
	return equal;
}

/* Slices lie in each other. */
struct fitting {
	struct found *found;
	struct sum *sum;
	uint64_t last, depth;
};

static int fit_begin(void *arg, const struct pmu_slice *slice)
{
	struct fitting *fitting = arg;

	fitting->found->begins++;
	if (slice->beside)
		return 0;
	fitting->found->misfits += slice->begin < fitting->last;
	fitting->last = slice->begin;
	if (++fitting->depth > fitting->found->deepest)
		fitting->found->deepest = fitting->depth;
	return 0;
}

static int fit_end(void *arg, const struct pmu_slice *slice)
{
	struct fitting *fitting = arg;

	fitting->found->ends++;
	fitting->sum[slice->call.row].off_ns += slice->blocked_ns + slice->runnable_ns;
	fitting->sum[slice->call.row].queued_ns += slice->runnable_ns;
	if (slice->beside)
		return 0;
	fitting->found->misfits += slice->end < fitting->last || !fitting->depth;
	fitting->last = slice->end;
	fitting->depth--;
	return 0;
}

static int fit_again(void *arg, const struct pmu_slice *slice)
{
	(void)arg;
	(void)slice;
	return 0;
}

static void nest(struct found *found, const struct pmu_trace_source *source, struct sum *sum)
{
	struct pmu_flows flows;

	for (size_t r = 0; r < source->n_rings; r++) {
		struct fitting fitting = { .found = found, .sum = sum };
		const struct pmu_nest_listener listener = { fit_begin, fit_end, fit_again,
							    &fitting };

		if (pmu_nest_walk(source, &source->ring[r], &listener))
			found->misfits++;
		found->misfits += fitting.depth;
	}
	if (pmu_flows_find(source, &flows) == 0)
		found->arrows = flows.n;
	pmu_flows_free(&flows);
}

static int look(const struct pmu_store_view *view, unsigned int is, void *arg)
{
	struct pmu_trace_source source;
	struct found *found = arg;
	struct sum *sum;
	int rc = pmu_trace_source_open(&source, view, is);

	if (!rc) {
		sum = calloc(source.n_rows + (size_t)1, sizeof(*sum));
		for (size_t r = 0; r < source.n_rings; r++) {
			found->n += source.ring[r].n - source.ring[r].n_waits;
			found->lost += source.ring[r].lost;
			found->left_out += source.ring[r].left_out;
			add(found, &source, sum, &source.ring[r]);
		}
		for (uint32_t i = 0; i < source.n_rows; i++) {
			found->calls += source.row[i].raw->calls;
			found->unequal += !is_equal(&source, &source.row[i], &sum[i]);
		}
		found->rings = source.n_rings;
		found->rows = source.n_rows;
		found->dropped = source.dropped;
		found->damaged = source.n_damaged;
		nest(found, &source, sum);
		for (uint32_t i = 0; i < source.n_rows; i++)
			found->unequal_waits += source.row[i].raw->off_ns != sum[i].off_ns ||
						source.row[i].raw->queued_ns != sum[i].queued_ns;
		free(sum);
	}
	pmu_trace_source_close(&source);
	return rc;
}

static struct found look_at(const char *path)
{
	struct found found = { 0 };

	found.rc = pmu_store_look(path, look, &found);
	return found;
}

static struct found run(void (*program)(void), const char *const *env)
{
	char path[128];
	int status = -1;
	pid_t pid;

	remove_all(".trace");
	pid = start(program, env);
	waitpid(pid, &status, 0);
	ok(status == 0, "the program ends");
	snprintf(path, sizeof(path), "%s/run.trace", folder);
	return look_at(path);
}

static void is_whole(const struct found *found, const char *what)
{
	ok(found->rc == 0 && !found->lost && !found->damaged && found->n > 0,
	   "%s: %" PRIu64 " calls are there", what, found->n);
	is_u64(found->unequal, 0, "their sums are the rows': calls, times, counts");
	is_u64(found->torn, 0, "each is a call");
	is_u64(found->misfits, 0, "they lie in each other");
	ok(found->begins == found->ends, "each begins and ends");
}

/* --- programs --- */

static void spin(int n)
{
	for (volatile int i = 0; i < n; i++)
		;
}

static void recurse(int depth)
{
	pmu_region_begin("recursive");
	spin(10);
	if (depth)
		recurse(depth - 1);
	pmu_region_end("recursive");
}

static pmu_context_t context;

static void *help(void *unused)
{
	for (int i = 0; i < 5; i++) {
		pmu_context_enter(context);
		pmu_region_begin("helper");
		spin(50);
		pmu_region_end("helper");
		pmu_context_leave();
	}
	return unused;
}

static void in_every_way(void)
{
	char buffer[32] = "in a buffer";
	pthread_t thread[2];

	pmu_region_begin("all");
	for (int i = 0; i < 100; i++) {
		pmu_region_begin("outer");
		pmu_region_begin("inner");
		pmu_region_end("inner");
		pmu_region_begin(buffer);
		pmu_region_end(buffer);
		pmu_region_begin_n("sized name", 5);
		pmu_region_end_n("sized name", 5);
		pmu_region_end("outer");
	}
	recurse(5);
	pmu_region_begin("x");
	pmu_region_begin("y");
	pmu_region_end("x");
	pmu_region_end("y");
	pmu_region_begin("cut");
	pmu_region_begin("cut inner");
	pmu_checkpoint(PMU_NEXT_GOES_ON);
	pmu_region_end("cut inner");
	pmu_region_end("cut");
	pmu_region_begin("team");
	context = pmu_context_get();
	for (int i = 0; i < 2; i++)
		pthread_create(&thread[i], NULL, help, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	pmu_region_end("team");
	pmu_region_end("all");
}

static void traced_in_every_way(void)
{
	static const char *const counted[] = { "PMU_BACKEND=software",
					       "PMU_EVENTS=page-faults,minor-faults", NULL };
	static const char *const longer[] = { "PMU_HISTOGRAM=1", NULL };
	static const char *const turns[] = { "PMU_BACKEND=software", "PMU_GROUP=SOFTWARE,TIME",
					     "PMU_ROTATE=1", "PMU_ROTATE_MIN=0", NULL };
	struct found found = run(in_every_way, NULL);

	is_whole(&found, "on the clock");
	is_u64(found.rings, 3, "a ring for each thread");
	is_u64(found.again, 5, "calls inside their own region");
	is_u64(found.parts, 3, "three were cut by a checkpoint");
	/* where starting a thread is seen, it is in the team from its first moment on */
	ok(found.arrows == 2 || found.arrows == 10, "arrows from the opener to its workers");
	found = run(in_every_way, counted);
	is_whole(&found, "with counts");
	found = run(in_every_way, longer);
	is_whole(&found, "with a histogram");
	found = run(in_every_way, turns);
	is_whole(&found, "of groups in turns");
}

#define MANY 20000u

static void call_often(void)
{
	for (unsigned int i = 0; i < MANY; i++) {
		pmu_region_begin("call");
		pmu_region_end("call");
	}
}

static void what_is_lost_is_counted(void)
{
	/* what it waited would take places of calls */
	static const char *const newest[] = { "PMU_TRACE_SIZE=64KiB", "PMU_WAIT=0", NULL };
	static const char *const first[] = { "PMU_TRACE_SIZE=64KiB", "PMU_TRACE_KEEP=first",
					     "PMU_WAIT=0", NULL };
	const uint64_t places = (65536 - 128) / 24;
	struct found found = run(call_often, newest);

	is_u64(found.n, places - 1, "a full ring has the newest calls");
	is_u64(found.lost, MANY - (places - 1), "the number of those lost is right");
	is_u64(found.torn + found.misfits, 0, "and none is torn");
	found = run(call_often, first);
	is_u64(found.n, places - 1, "or the first ones");
	is_u64(found.lost, MANY - (places - 1), "the number of those lost is right there, too");
	is_u64(found.torn + found.misfits, 0, "and none is torn");
}

static void sleep_ms(long ms)
{
	struct timespec time = { 0, ms * 1000000 };

	nanosleep(&time, NULL);
}

static void call_long_and_short(void)
{
	call_often();
	for (int i = 0; i < 3; i++) {
		pmu_region_begin("long");
		sleep_ms(30);
		pmu_region_end("long");
	}
}

static void short_calls_are_left_out(void)
{
	static const char *const env[] = { "PMU_TRACE_MIN=20ms", NULL };
	struct found found = run(call_long_and_short, env);

	/* on a busy machine a short one may be long */
	ok(found.n >= 3 && found.n < 100, "only long calls are there");
	is_u64(found.left_out, MANY + 3 - found.n, "it is known how many are not");
}

/* --- threads --- */

#define CHURN 300

static void *live_shortly(void *unused)
{
	for (int i = 0; i < 20; i++) {
		pmu_region_begin("short life");
		pmu_region_begin("inner");
		pmu_region_end("inner");
		pmu_region_end("short life");
	}
	return unused;
}

static void churn(void)
{
	for (int i = 0; i < CHURN; i += 3) {
		pthread_t thread[3];

		for (int k = 0; k < 3; k++)
			pthread_create(&thread[k], NULL, live_shortly, NULL);
		for (int k = 0; k < 3; k++)
			pthread_join(thread[k], NULL);
	}
}

#define SOME 2700u

static void *call_some(void *unused)
{
	for (unsigned int i = 0; i < SOME; i++) {
		pmu_region_begin("some");
		pmu_region_end("some");
	}
	return unused;
}

static void threads_that_come_and_go(void)
{
	static const char *const few[] = { "PMU_MAX_THREADS=5", NULL };
	struct found found = run(churn, NULL);
	char path[128];
	struct stat st;

	is_whole(&found, "short lives");
	is_u64(found.rings, CHURN, "each thread has a ring");
	is_u64(found.n, CHURN * 40, "with its calls");
	snprintf(path, sizeof(path), "%s/run.trace", folder);
	if (!ok(stat(path, &st) == 0, "there is a file"))
		return;
	ok(st.st_size < 32 << 20, "they share the room: %lld KiB", (long long)st.st_size >> 10);
	found = run(churn, few);
	is_u64(found.rings, 5, "of threads whose rows are added up");
	is_u64(found.dropped, (CHURN - 5) * 40, "calls are dropped, and counted");
	is_u64(found.torn, 0, "what is there is whole");
}

/* More than one page of calls of each; then one that has many. */
static void end_and_work(void)
{
	pthread_t thread;

	churn();
	pthread_create(&thread, NULL, call_some, NULL);
	pthread_join(thread, NULL);
}

static void each_thread_has_all_of_its_room(void)
{
	static const char *const env[] = { "PMU_TRACE_SIZE=64KiB", "PMU_WAIT=0", NULL };
	struct found found = run(end_and_work, env);
	char path[128];
	struct stat st;

	is_whole(&found, "short lives, then a longer one");
	is_u64(found.n, CHURN * 40 + SOME, "all of its calls");
	snprintf(path, sizeof(path), "%s/run.trace", folder);
	ok(stat(path, &st) == 0 && st.st_blocks * 512 < CHURN * 65536 / 8,
	   "rings are no longer than they have to be: %lld KiB", (long long)st.st_blocks / 2);
}

/* --- processes --- */

static void fork_one(void)
{
	pid_t pid;

	pmu_region_begin("around");
	pmu_region_begin("before");
	pmu_region_end("before");
	pid = fork();
	if (pid == 0) {
		for (int i = 0; i < 7; i++) {
			pmu_region_begin("in the child");
			pmu_region_end("in the child");
		}
		pmu_region_end("around");
		exit(0);
	}
	waitpid(pid, NULL, 0);
	pmu_region_end("around");
}

static void a_forked_child_has_a_trace_of_its_own(void)
{
	struct found found = run(fork_one, NULL);
	char path[512];

	is_whole(&found, "the parent");
	is_u64(found.n, 2, "none of the child's calls");
	if (!ok(find("", ".trace", "run.trace", path, sizeof(path)), "the child has one, too"))
		return;
	found = look_at(path);
	is_whole(&found, "the child");
	is_u64(found.n, 8, "with the region that was open");
}

/* --- at any moment --- */

#define N_KILLS (TEST_SANITIZED ? 10 : 40)
#define N_LOOKS 40

static void *work_for_ever(void *unused)
{
	for (;;) {
		pmu_region_begin("work");
		pmu_region_begin("inner");
		pmu_region_end("inner");
		pmu_region_end("work");
	}
	return unused;
}

static void work_on_two_threads(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, work_for_ever, NULL);
	work_for_ever(NULL);
}

static const char *const small[] = { "PMU_TRACE_SIZE=64KiB", "PMU_WAIT=0", NULL };

static bool has_calls(char *path, size_t size)
{
	return find("/pmu", ".pmu", "", path, size) && look_at(path).n > 0;
}

/* Each ring may be one call ahead of its rows. */
static void check_killed(const char *path, struct found *all)
{
	struct found found = look_at(path);
	uint64_t traced = found.n + found.lost;

	if (found.rc)
		return;
	all->rings += found.rings;
	all->n += found.n;
	all->lost += found.lost;
	all->torn += found.torn;
	all->misfits += found.misfits;
	all->damaged += found.damaged;
	all->unequal += traced > found.calls + found.rings || traced + found.rings < found.calls;
}

static void killed_at_any_moment_no_call_is_torn(void)
{
	const char *many = getenv("TEST_KILLS");
	unsigned int seed = (unsigned int)getpid();
	struct found all = { 0 };
	int n = many ? atoi(many) : N_KILLS;
	char path[512];

	diag("seed %u", seed);
	for (int i = 0; i < n; i++) {
		pid_t pid = start(work_on_two_threads, small);

		/* a few at the start itself */
		for (int k = 0; k < 500 && i % 8 && !has_calls(path, sizeof(path)); k++)
			usleep(500);
		usleep((unsigned int)rand_r(&seed) % (TEST_SANITIZED ? 100000 : 20000));
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		if (find("/pmu", ".pmu", "", path, sizeof(path)))
			check_killed(path, &all);
		remove_all(".pmu");
	}
	diag("%d kills: %" PRIu64 " rings, %" PRIu64 " calls kept, %" PRIu64 " before them", n,
	     all.rings, all.n, all.lost);
	ok(all.rings > (uint64_t)n / 2, "kills leave rings");
	is_u64(all.torn, 0, "no call is torn");
	is_u64(all.misfits, 0, "nor out of place");
	is_u64(all.damaged, 0, "nor is a ring");
	is_u64(all.unequal, 0, "there are as many as the rows say, but for one in flight");
}

static void alive_no_call_is_torn(void)
{
	pid_t pid = start(work_on_two_threads, small);
	struct found all = { 0 };
	char path[512];

	for (int i = 0; i < 2000 && !find("/pmu", ".pmu", "", path, sizeof(path)); i++)
		usleep(1000);
	usleep(50000);
	for (int i = 0; i < N_LOOKS; i++) {
		struct found found = look_at(path);

		all.rings += found.rings;
		all.n += found.n;
		all.torn += found.torn;
		all.misfits += found.misfits;
		all.damaged += found.damaged;
	}
	for (int i = 0; i < N_LOOKS; i++) {
		char copy[128];
		struct found found;

		snprintf(copy, sizeof(copy), "%s/copy.trace", folder);
		all.rc |= pmu_store_save(path, NULL, copy);
		found = look_at(copy);
		all.torn += found.torn;
		all.misfits += found.misfits;
		all.damaged += found.damaged;
		all.parts += found.n;
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	remove_all(".pmu");
	ok(!all.rc && all.parts > 0, "copies of it have calls, too");
	diag("%d looks: %" PRIu64 " calls", N_LOOKS, all.n);
	ok(all.rings > 0, "rings are there while the program runs");
	is_u64(all.torn, 0, "no call is torn");
	is_u64(all.misfits, 0, "nor out of place");
	is_u64(all.damaged, 0, "nor is a ring");
}

/* --- waits --- */

static void sleep_in_regions(void)
{
	const struct timespec moment = { .tv_nsec = 200000 };

	pmu_region_begin("outer");
	for (int i = 0; i < 20; i++) {
		pmu_region_begin("sleeps");
		nanosleep(&moment, NULL);
		pmu_region_begin("inner");
		nanosleep(&moment, NULL);
		pmu_region_end("inner");
		if (i % 2)
			nanosleep(&moment, NULL);
		recurse(2);
		pmu_region_end("sleeps");
		pmu_region_begin("works");
		spin(1000);
		pmu_region_end("works");
	}
	pmu_region_end("outer");
}

static void each_call_knows_what_it_waited(void)
{
	static const char *const env[] = { "PMU_WAIT=0", NULL };
	struct found found = run(sleep_in_regions, NULL);

	is_whole(&found, "a program that sleeps");
	is_u64(found.unequal_waits, 0, "what its calls have waited is what its regions have");
	found = run(sleep_in_regions, env);
	is_whole(&found, "without that");
	is_u64(found.waits, 0, "nothing of it is there");
}

UNIT_PART(trace)
{
	strcpy(folder, "/tmp/pmu-trace-XXXXXX");
	if (!mkdtemp(folder))
		return 1;
	traced_in_every_way();
	what_is_lost_is_counted();
	short_calls_are_left_out();
	each_call_knows_what_it_waited();
	threads_that_come_and_go();
	each_thread_has_all_of_its_room();
	a_forked_child_has_a_trace_of_its_own();
	alive_no_call_is_torn();
	killed_at_any_moment_no_call_is_torn();
	remove_all("");
	{
		char path[128];

		snprintf(path, sizeof(path), "%s/pmu", folder);
		rmdir(path);
		rmdir(folder);
	}
	return done_testing();
}
