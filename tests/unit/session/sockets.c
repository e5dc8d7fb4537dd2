/* SPDX-License-Identifier: BSD-3-Clause */
/* What sockets count, by region: with a source whose counters move only when a test says so. */
#include "tap.h"

#include <errno.h>
#include <glob.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "bindings/command/json/read.h"
#include "pmu.h"
#include "region/call.h"
#include "report/report.h"
#include "session/session.h"
#include "session/sockets.h"
#include "store/read/snapshot.h"
#include "unit/model_find.h"

static char dir[] = "/tmp/pmu-sockets-XXXXXX";

/* --- the source: slot 0 is the thread's, 1 and 2 are the socket's --- */

enum { INSTRUCTIONS, CYCLES, ENERGY, SLOTS };
#define OURS (1u << CYCLES | 1u << ENERGY)

static uint64_t counter[2][SLOTS];
static uint32_t unreadable;
static unsigned int n_reads;
static __thread int on_socket; /* where the thread is; -1: nowhere that is counted */
static __thread uint64_t own;
static pthread_barrier_t *stop_at; /* readers wait here twice; NULL: they do not */
static bool fork_now;              /* the next reader forks, as a signal handler might */
static int forked = -1;            /* what that returned */
static bool yielding;              /* readers let others go first */

/* Socket @socket counts @n more, and twice as much energy. */
static void tick(int socket, uint64_t n)
{
	__atomic_fetch_add(&counter[socket][CYCLES], n, __ATOMIC_RELAXED);
	__atomic_fetch_add(&counter[socket][ENERGY], 2 * n, __ATOMIC_RELAXED);
}

static size_t fake_size(const struct pmu_plan *plan)
{
	(void)plan;
	return 0;
}

static uint32_t fake_read(void *thread, uint64_t *value)
{
	(void)thread;
	memset(value, 0xa5, SLOTS * sizeof(*value));
	value[INSTRUCTIONS] = own;
	return 0;
}

static int fake_attach(void *state, void *thread, int cpu, pmu_read_fn **read,
		       struct pmu_attachment *got)
{
	(void)state, (void)thread, (void)cpu;
	*read = fake_read;
	got->missing = OURS;
	return 0;
}

static void fake_detach(void *state, void *thread)
{
	(void)state, (void)thread;
}

/* A state is whether it is open. */
static bool states[16];
static unsigned int n_states, n_misused;

static int fake_open(void **state, const struct pmu_plan *plan)
{
	(void)plan;
	*state = &states[n_states++ % PMU_ARRAY_LEN(states)];
	*(bool *)*state = true;
	return 0;
}

static void fake_close(void *state)
{
	*(bool *)state = false;
}

static unsigned int fake_sockets(void *state)
{
	(void)state;
	return 2;
}

static int fake_socket_of(void *state, int cpu)
{
	(void)state, (void)cpu;
	return on_socket;
}

static uint32_t fake_read_socket(void *state, unsigned int socket, uint64_t *value)
{
	pthread_barrier_t *stop;

	if (!*(bool *)state)
		__atomic_fetch_add(&n_misused, 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(&n_reads, 1, __ATOMIC_RELAXED);
	stop = __atomic_load_n(&stop_at, __ATOMIC_RELAXED);
	if (stop) {
		pthread_barrier_wait(stop);
		pthread_barrier_wait(stop);
	}
	if (yielding)
		sched_yield();
	if (fork_now) {
		fork_now = false;
		forked = fork();
	}
	memset(value, 0x5a, SLOTS * sizeof(*value));
	for (int i = CYCLES; i < SLOTS; i++)
		value[i] = __atomic_load_n(&counter[socket][i], __ATOMIC_RELAXED);
	return unreadable;
}

static const struct pmu_backend fake = {
	.name = "fake",
	.counts = true,
	.open = fake_open,
	.thread_size = fake_size,
	.attach = fake_attach,
	.detach = fake_detach,
	.close = fake_close,
	.sockets = fake_sockets,
	.socket_of = fake_socket_of,
	.read_socket = fake_read_socket,
};

static void use_source(unsigned int index, const struct pmu_backend *source)
{
	struct pmu_session_group *group = &pmu_session.group[index];

	pmu_session_close_group(group);
	group->plan.absent = group->layout->absent = 0;
	group->plan.slot[CYCLES].kind = PMU_SLOT_UNCORE;
	group->plan.slot[ENERGY].kind = PMU_SLOT_ENERGY;
	snprintf(group->layout->slot[ENERGY].name, sizeof(group->layout->slot[0].name), "energy");
	snprintf(group->layout->slot[ENERGY].unit, sizeof(group->layout->slot[0].unit), "uJ");
	group->backend = source;
	group->was_open = false;
	/* one that is exclusive is opened when its turn comes */
	if ((!source->exclusive || index == 0) && pmu_session_open_group(group) < 0)
		abort();
}

/* A session that counts by that source. */
static void start(void)
{
	setenv("PMU_EVENTS", "instructions,cycles,branches", 1);
	if (pmu_init(NULL) < 0)
		abort();
	use_source(0, &fake);
	on_socket = 0;
	unreadable = 0;
}

static void begin(const char *name)
{
	if (pmu_region_begin(name) < 0)
		ok(false, "begin %s: %s", name, pmu_last_error());
}

static void end(const char *name)
{
	if (pmu_region_end(name) < 0)
		ok(false, "end %s: %s", name, pmu_last_error());
}

/* --- what came of it --- */

static struct pmu_model *model_now(void)
{
	struct pmu_model *model = NULL;

	if (pmu_call_enter() < 0 || pmu_session_model(&model) < 0)
		abort();
	pmu_call_leave();
	return model;
}

static const struct pmu_model_row *row_of(const struct pmu_model *model, const char *path,
					  int socket)
{
	for (unsigned int s = 0; s < model->n_sections; s++)
		for (unsigned int i = 0; i < model->section[s].n_thread_rows; i++) {
			const struct pmu_model_row *row = &model->section[s].thread_row[i];

			if (pmu_model_is_socket(model, row) && !strcmp(row->path, path) &&
			    model->thread[row->thread].number == socket)
				return row;
		}
	return NULL;
}

/* What a socket counted in a region, and how often that was occupied; UINT64_MAX: missing. */
static void is_row(const struct pmu_model_row *row, uint64_t calls, uint64_t cycles,
		   const char *name)
{
	if (!ok(row != NULL, "%s: there is a row", name))
		return;
	is_u64(row->calls, calls, name);
	if (cycles == UINT64_MAX) {
		ok(row->missing >> CYCLES & 1, "%s: missing", name);
		return;
	}
	ok(!(row->missing & OURS), "%s: not missing", name);
	is_u64(row->net[CYCLES], cycles, name);
	is_u64(row->net[ENERGY], 2 * cycles, name);
}

static long doubts_with(const struct pmu_model *model, const char *part)
{
	long n = 0;

	for (unsigned int i = 0; i < model->n_doubts; i++)
		n += strstr(model->doubt[i].text, part) != NULL;
	return n;
}

/* --- another thread, step by step --- */

struct other {
	pthread_t thread;
	pthread_barrier_t go, done;
	void (*step)(void *arg);
	void *arg;
	int socket;
};

static void *other_main(void *arg)
{
	struct other *other = arg;

	on_socket = other->socket;
	for (;;) {
		pthread_barrier_wait(&other->go);
		if (!other->step)
			return NULL;
		other->step(other->arg);
		pthread_barrier_wait(&other->done);
	}
}

static void other_start(struct other *other, int socket)
{
	other->socket = socket;
	pthread_barrier_init(&other->go, NULL, 2);
	pthread_barrier_init(&other->done, NULL, 2);
	if (pthread_create(&other->thread, NULL, other_main, other))
		abort();
}

static void other_do(struct other *other, void (*step)(void *), const char *name)
{
	other->step = step;
	other->arg = (void *)(uintptr_t)name;
	pthread_barrier_wait(&other->go);
	if (step)
		pthread_barrier_wait(&other->done);
	else
		pthread_join(other->thread, NULL);
}

static void step_begin(void *name)
{
	begin(name);
}

static void step_end(void *name)
{
	end(name);
}

#define OTHER_BEGIN(other, name) other_do(other, step_begin, name)
#define OTHER_END(other, name)   other_do(other, step_end, name)
#define OTHER_EXIT(other)        other_do(other, NULL, NULL)

/* --- tests --- */

/* "cycle rate" of a sum is over the time that its socket was occupied. */
static void is_rate(const struct pmu_model *model, const char *path, uint64_t cycles)
{
	const struct pmu_model_section *s = model->section;
	const struct pmu_model_row *sum = model_row(model, path), *row = row_of(model, path, 0);

	for (unsigned int i = 0; i < s->n_metrics; i++) {
		double want = (double)cycles / (double)row->time_ns;

		if (!strcmp(s->metric[i].name, "cycle rate"))
			ok(fabs(sum->metric[i] - want) <= 1e-9 * want &&
				   sum->time_ns != row->time_ns,
			   "its rate is the socket's");
	}
}

static void a_region_has_what_its_socket_counted_meanwhile(void)
{
	const struct pmu_model_row *sum, *row;
	struct pmu_model *model;

	start();
	tick(0, 7);
	begin("solve");
	tick(0, 10);
	tick(1, 1000);
	own += 40;
	end("solve");
	tick(0, 7);
	begin("solve");
	tick(0, 30);
	end("solve");
	model = model_now();
	is_int((int)model->n_threads, 1, "one thread");
	is_int((int)model->n_sockets, 1, "and one socket, that it was on");
	is_int((int)model->section->sockets, OURS, "which counts are whose");
	sum = model_row(model, "solve");
	is_row(sum, 2, 40, "the sum");
	is_u64(sum->net[INSTRUCTIONS], 40, "the thread's own count");
	is_u64(sum->self[CYCLES], 40, "nothing is nested in it");
	is_u64(sum->missing, 0, "nothing is missing");
	is_u64(sum->n_threads, 1, "of one thread");
	row = row_of(model, "solve", 0);
	is_row(row, 2, 40, "the socket's row");
	ok(row && row->missing == 1u << INSTRUCTIONS, "it has no count of threads");
	row = &model->section->thread_row[0];
	ok(!pmu_model_is_socket(model, row) && row->missing == OURS,
	   "nor the thread one of sockets");
	is_int((int)model->n_doubts, 0, "and nothing of that is a doubt");
	ok(sum->time_ns == row->time_ns, "time is the thread's");
	pmu_model_free(model);
	pmu_fini();
}

static void threads_that_overlap_count_once(void)
{
	struct pmu_model *model;
	struct other other;
	unsigned int before;

	start();
	other_start(&other, 0);
	begin("warm");
	end("warm");
	before = n_reads;
	begin("solve");
	tick(0, 1);
	OTHER_BEGIN(&other, "solve");
	tick(0, 10);
	end("solve");
	tick(0, 100);
	OTHER_END(&other, "solve");
	tick(0, 1000);
	is_int((int)(n_reads - before), 2, "read when the first came in and when the last left");
	model = model_now();
	is_row(row_of(model, "solve", 0), 1, 111, "occupied once");
	is_row(model_row(model, "solve"), 2, 111, "two calls");
	is_rate(model, "solve", 111);
	is_u64(model_row(model, "solve")->n_threads, 2, "of two threads");
	is_int((int)model->n_threads, 2, "sockets are no threads");
	pmu_model_free(model);
	OTHER_EXIT(&other);
	pmu_fini();
}

static void sockets_are_added_up(void)
{
	struct pmu_model *model;
	struct other other;

	start();
	other_start(&other, 1);
	begin("solve");
	OTHER_BEGIN(&other, "solve");
	tick(0, 5);
	tick(1, 60);
	end("solve");
	tick(0, 700);
	tick(1, 8000);
	OTHER_END(&other, "solve");
	model = model_now();
	is_row(row_of(model, "solve", 0), 1, 5, "socket 0");
	is_row(row_of(model, "solve", 1), 1, 8060, "socket 1");
	is_row(model_row(model, "solve"), 2, 8065, "both");
	is_int((int)model->n_sockets, 2, "two sockets");
	pmu_model_free(model);
	OTHER_EXIT(&other);
	pmu_fini();
}

static void nested_regions_have_their_part(void)
{
	struct pmu_model *model;

	start();
	for (int i = 0; i < 3; i++) {
		begin("outer");
		tick(0, 1);
		begin("inner");
		tick(0, 10);
		end("inner");
		begin("inner");
		tick(0, 10);
		end("inner");
		tick(0, 100);
		end("outer");
	}
	model = model_now();
	is_row(model_row(model, "outer"), 3, 363, "outer");
	is_row(model_row(model, "outer/inner"), 6, 60, "inner");
	is_u64(model_row(model, "outer")->self[CYCLES], 303, "without what is nested");
	is_u64(model_row(model, "outer")->self_missing, 0, "which is known");
	is_u64(row_of(model, "outer", 0)->self[CYCLES], 303, "on the socket, too");
	pmu_model_free(model);
	pmu_fini();
}

static char *render(const struct pmu_model *model, enum pmu_report_format format);
static void is_read_back(const struct pmu_model *model);

/*
 * What a socket counts while threads are in two regions side by side is in both: what is left
 * around them is no difference.
 */
static void regions_side_by_side_leave_no_self(void)
{
	struct pmu_model *model;
	struct other other;
	char *text;

	start();
	other_start(&other, 0);
	begin("all");
	begin("outer");
	OTHER_BEGIN(&other, "all");
	OTHER_BEGIN(&other, "outer");
	begin("one");
	tick(0, 1);
	end("one");
	OTHER_BEGIN(&other, "two");
	tick(0, 10);
	OTHER_END(&other, "two");
	tick(0, 100);
	end("outer");
	OTHER_END(&other, "outer");
	model = model_now();
	is_u64(model_row(model, "all/outer")->self[CYCLES], 100, "one after the other");
	is_u64(model_row(model, "all/outer")->self_missing, 0, "they leave what is known");
	pmu_model_free(model);
	begin("outer");
	begin("one");
	OTHER_BEGIN(&other, "outer");
	OTHER_BEGIN(&other, "two");
	tick(0, 1000);
	end("one");
	OTHER_END(&other, "two");
	end("outer");
	OTHER_END(&other, "outer");
	OTHER_END(&other, "all");
	tick(0, 10000);
	end("all");
	model = model_now();
	is_row(row_of(model, "all/outer", 0), 2, 1111, "both are in the region around them");
	is_row(row_of(model, "all/outer/one", 0), 2, 1001, "one has what was counted");
	is_row(row_of(model, "all/outer/two", 0), 2, 1010, "and so does the other");
	ok(row_of(model, "all/outer", 0)->self_missing >> CYCLES & 1, "what is left is not known");
	ok(model_row(model, "all/outer")->self_missing >> CYCLES & 1, "nor in the sum");
	ok(!(model_row(model, "all/outer")->self_missing >> INSTRUCTIONS & 1), "a thread's own is");
	is_u64(row_of(model, "all", 0)->self[CYCLES], 10000, "further out it is");
	is_u64(row_of(model, "all", 0)->self_missing & OURS, 0, "for sure");
	is_int((int)doubts_with(model, ""), 0, "without a doubt");
	text = render(model, PMU_REPORT_JSON);
	has(text, "\"flags\": [\"no_self\"]", "JSON says so");
	free(text);
	is_read_back(model);
	pmu_model_free(model);
	OTHER_EXIT(&other);
	pmu_fini();
}

static void reentry_does_not_count_again(void)
{
	struct pmu_model *model;

	start();
	begin("f");
	tick(0, 1);
	begin("f");
	tick(0, 10);
	end("f");
	tick(0, 100);
	begin("g");
	begin("f");
	tick(0, 1000);
	end("f");
	end("g");
	end("f");
	tick(0, 10000);
	model = model_now();
	is_row(model_row(model, "f"), 3, 1111, "from the outermost begin to its end");
	is_row(row_of(model, "f", 0), 1, 1111, "occupied once");
	ok(row_of(model, "f", 0)->flags & PMU_ROW_RECURSIVE, "which its row says");
	ok(row_of(model, "f", 0)->self_missing >> CYCLES & 1, "on the socket");
	ok(model_row(model, "f")->self_missing >> CYCLES & 1, "mutual recursion leaves no self");
	pmu_model_free(model);
	pmu_fini();
}

static void a_region_set_aside_goes_on_counting(void)
{
	struct pmu_model *model;

	start();
	begin("a");
	begin("b");
	tick(0, 1);
	end("a");
	tick(0, 10);
	end("b");
	tick(0, 100);
	model = model_now();
	is_row(model_row(model, "a"), 1, 1, "the region below");
	is_row(model_row(model, "a/b"), 1, 11, "the one set aside");
	ok(row_of(model, "a/b", 0)->flags & PMU_ROW_OVERLAP, "is marked on the socket");
	ok(model_row(model, "a")->self_missing >> CYCLES & 1, "and leaves no self");
	is_int((int)doubts_with(model, "below zero"), 0, "nor a negative one");
	pmu_model_free(model);
	/* begun again: the old call is given up, and what it began to count with it */
	begin("a");
	begin("b");
	tick(0, 1000);
	end("a");
	begin("a");
	begin("b");
	tick(0, 10000);
	end("b");
	end("a");
	model = model_now();
	is_row(model_row(model, "a/b"), 2, 10011, "a call that was given up adds nothing");
	is_int((int)doubts_with(model, "never ended it: that time is not counted on socket 0"), 1,
	       "and is told");
	pmu_model_free(model);
	pmu_fini();
}

static void a_thread_that_ends_inside_leaves(void)
{
	struct pmu_model *model;
	struct other other;

	start();
	other_start(&other, 0);
	OTHER_BEGIN(&other, "alone");
	OTHER_BEGIN(&other, "shared");
	begin("alone"); /* another path than the next: alone/shared */
	begin("shared");
	tick(0, 5);
	OTHER_EXIT(&other);
	tick(0, 60);
	end("shared");
	end("alone");
	tick(0, 700);
	model = model_now();
	is_row(row_of(model, "alone/shared", 0), 1, 65, "those that remain go on");
	is_u64(row_of(model, "alone", 0)->n_open, 0, "nobody is inside any more");
	is_int((int)doubts_with(model, "not counted on"), 0, "nothing was lost");
	pmu_model_free(model);
	other_start(&other, 0);
	OTHER_BEGIN(&other, "alone");
	tick(0, 8000);
	OTHER_EXIT(&other);
	model = model_now();
	is_row(row_of(model, "alone", 0), 1, 65, "who was alone adds nothing");
	is_int((int)doubts_with(model, "not counted on"), 1, "which is told");
	pmu_model_free(model);
	begin("alone");
	tick(0, 100);
	end("alone");
	model = model_now();
	is_row(row_of(model, "alone", 0), 2, 165, "the next one starts anew");
	pmu_model_free(model);
	pmu_fini();
}

static void a_moved_thread_leaves_the_socket_it_came_in_on(void)
{
	struct pmu_model *model;

	start();
	begin("outer");
	on_socket = 1;
	begin("inner");
	tick(0, 5);
	tick(1, 60);
	end("inner");
	tick(1, 700);
	end("outer");
	model = model_now();
	is_row(row_of(model, "outer", 0), 1, 5, "outer on socket 0");
	is_row(row_of(model, "outer/inner", 1), 1, 60, "inner on socket 1");
	is_u64(row_of(model, "outer", 1)->calls, 0, "where nobody began outer");
	ok(model_row(model, "outer")->self_missing >> CYCLES & 1, "self is not known then");
	is_int((int)doubts_with(model, "below zero"), 0, "rather than negative");
	pmu_model_free(model);
	pmu_fini();
}

static void an_unknown_socket_makes_the_sum_missing(void)
{
	struct pmu_model *model;
	struct other other;

	start();
	other_start(&other, -1);
	begin("solve");
	tick(0, 5);
	end("solve");
	begin("known");
	tick(0, 5);
	end("known");
	OTHER_BEGIN(&other, "solve");
	OTHER_END(&other, "solve");
	model = model_now();
	is_row(row_of(model, "solve", 0), 1, 5, "what is known");
	is_row(row_of(model, "solve", -1), 1, UINT64_MAX, "what is not");
	is_row(model_row(model, "solve"), 2, UINT64_MAX, "and so their sum");
	is_row(model_row(model, "known"), 1, 5, "another region has nothing to do with it");
	is_int((int)doubts_with(model, "whose socket is not counted"), 1, "which is told once");
	pmu_model_free(model);
	OTHER_EXIT(&other);
	pmu_fini();
}

static void a_read_that_fails_is_missing(void)
{
	struct pmu_model *model;

	start();
	begin("solve");
	tick(0, 5);
	unreadable = 1u << CYCLES;
	end("solve");
	unreadable = 0;
	begin("other");
	tick(0, 5);
	end("other");
	unreadable = 1u << CYCLES;
	begin("third");
	unreadable = 0;
	end("third");
	model = model_now();
	is_row(model_row(model, "solve"), 1, UINT64_MAX, "the sum");
	is_row(model_row(model, "third"), 1, UINT64_MAX, "where the first read failed");
	ok(!(model_row(model, "solve")->missing >> ENERGY & 1), "the other slot is there");
	is_u64(model_row(model, "solve")->net[ENERGY], 10, "with its count");
	is_row(model_row(model, "other"), 1, 5, "the next region");
	is_int((int)doubts_with(model, "cycles could not be read at every call on socket 0"), 2,
	       "doubts");
	pmu_model_free(model);
	pmu_fini();
}

static void an_open_region_is_in_no_report_yet(void)
{
	struct pmu_model *model;

	start();
	begin("solve");
	tick(0, 5);
	begin("inner");
	tick(0, 60);
	end("inner");
	model = model_now();
	is_row(model_row(model, "solve"), 0, 0, "nothing has ended");
	ok(row_of(model, "solve", 0)->flags & PMU_ROW_OPEN, "it is marked");
	is_row(model_row(model, "solve/inner"), 1, 60, "what has ended in it counts");
	is_int((int)doubts_with(model, ""), 0, "no doubt");
	pmu_model_free(model);
	end("solve");
	model = model_now();
	is_row(model_row(model, "solve"), 1, 65, "the report after its end");
	pmu_model_free(model);
	pmu_fini();
}

static void reset_and_read(void)
{
	struct pmu_region_counts counts = { .size = sizeof(counts) };
	struct pmu_model *model;
	struct other other;

	start();
	other_start(&other, 0);
	begin("solve");
	tick(0, 5);
	end("solve");
	is_int(pmu_region_read("solve", PMU_THREAD_SELF, &counts), 0, "read");
	is_u64(counts.missing, OURS, "a thread has no count of a socket");
	is_int(pmu_region_read("solve", 0, &counts), 0, "by number");
	is_u64(counts.missing, OURS, "thread 0, not socket 0");
	on_socket = 1;
	begin("mine");
	end("mine");
	on_socket = 0;
	OTHER_BEGIN(&other, "theirs");
	OTHER_END(&other, "theirs");
	is_int(pmu_region_read("mine", 1, &counts), -ENOENT, "socket 1 is no thread 1");
	OTHER_BEGIN(&other, "solve");
	tick(0, 60);
	is_int(pmu_region_reset("solve"), 0, "reset");
	tick(0, 700);
	OTHER_END(&other, "solve");
	model = model_now();
	is_row(row_of(model, "solve", 0), 1, 700, "counted from the reset on");
	pmu_model_free(model);
	OTHER_EXIT(&other);
	pmu_fini();
}

static void begin_tick_end(uint64_t n)
{
	begin("solve");
	tick(0, n);
	end("solve");
}

static void every_group_has_its_own(const struct pmu_backend *source)
{
	struct pmu_model *model;

	unsetenv("PMU_EVENTS");
	setenv("PMU_GROUP", "CORE,SOFTWARE", 1);
	if (pmu_init(NULL) < 0)
		abort();
	use_source(0, source);
	use_source(1, source);
	on_socket = 0;
	n_misused = 0;
	begin("solve");
	tick(0, 5);
	is_int(pmu_group_next(), -EBUSY, "not while a region is open");
	end("solve");
	is_int(pmu_group_next(), 0, "the next group");
	begin_tick_end(60);
	is_int(pmu_group_next(), 0, "and back");
	begin_tick_end(700);
	model = model_now();
	is_int((int)model->n_sections, 2, "two groups");
	is_int((int)model->n_threads, 1, "one thread");
	is_int((int)model->n_sockets, 1, "one socket");
	is_u64(model->section[0].row[0].net[CYCLES], 705, "the first");
	is_u64(model->section[1].row[0].net[CYCLES], 60, "the second");
	is_u64(model->section[0].row[0].missing & OURS, 0, "of which nothing is missing");
	pmu_model_free(model);
	is_int((int)n_misused, 0, "nobody reads what is closed");
	pmu_fini();
	unsetenv("PMU_GROUP");
}

static void a_source_that_closes_leaves_the_rest_missing(void)
{
	struct pmu_model *model;

	start();
	n_misused = 0;
	begin_tick_end(5);
	begin("open");
	pmu_session_lock();
	pmu_session_close_group(&pmu_session.group[0]);
	pmu_session_unlock();
	end("open");
	begin("later");
	end("later");
	model = model_now();
	is_row(model_row(model, "solve"), 1, 5, "before");
	is_row(model_row(model, "open"), 1, UINT64_MAX, "meanwhile");
	is_row(model_row(model, "later"), 1, UINT64_MAX, "afterwards");
	pmu_model_free(model);
	is_int((int)n_misused, 0, "nobody reads what is closed");
	pmu_fini();
}

/* --- what is written --- */

static char *render(const struct pmu_model *model, enum pmu_report_format format)
{
	const struct pmu_text_options options = { .threads = true, .all = true };
	struct pmu_strbuf out = { 0 };

	pmu_report_render(&out, model, format, &options);
	ok(!out.failed && out.text, "rendered");
	return out.text;
}

static void hasnt(const char *text, const char *part, const char *name)
{
	if (!ok(!strstr(text, part), "%s", name))
		diag("there is \"%s\" in %s", part, text);
}

static void is_read_back(const struct pmu_model *model)
{
	char *text = render(model, PMU_REPORT_TEXT), *csv = render(model, PMU_REPORT_CSV);
	char *json = render(model, PMU_REPORT_JSON), *again;
	struct pmu_model *read = NULL;

	if (!ok(pmu_json_read(json, strlen(json), &read) == 0, "JSON is read back")) {
		diag("%s\n%s", pmu_error_text(), json);
		return;
	}
	again = render(read, PMU_REPORT_TEXT);
	is_str(again, text, "the same text");
	free(again);
	again = render(read, PMU_REPORT_CSV);
	is_str(again, csv, "the same CSV");
	free(again);
	again = render(read, PMU_REPORT_JSON);
	is_str(again, json, "the same JSON");
	free(again);
	free(text);
	free(csv);
	free(json);
	pmu_model_free(read);
}

static void reports_tell_sockets_from_threads(void)
{
	struct pmu_model *model;
	struct other other;
	char *text;

	start();
	other_start(&other, 1);
	begin("solve");
	OTHER_BEGIN(&other, "solve");
	begin("inner");
	own += 50;
	tick(0, 61728);
	tick(1, 617280000);
	end("inner");
	end("solve");
	OTHER_END(&other, "solve");
	model = model_now();
	text = render(model, PMU_REPORT_TEXT);
	has(text, ", 2 threads ", "the head counts threads alone");
	has(text,
	    "\n  sockets   uncore and energy counts are the socket's, while at least one thread was in the "
	    "region\n            there; reading the socket's counters takes ",
	    "whose the counts are");
	ok(model->section->socket_read_ns > 0, "what reading them takes");
	has(text, "energy moves in steps", "how fine energy is");
	has(text, "EVENTS, all threads together; ", "sums");
	has(text, "1.235 kJ", "energy with a unit that fits");
	has(text, "123.5 mJ", "and another");
	has(text, "\n  EVENTS, thread 1 (", "a thread");
	has(text, "\n  EVENTS, socket 1\n", "a socket");
	ok(strstr(text, "thread 1 (") < strstr(text, "socket 0\n"),
	   "sockets stand behind the threads");
	hasnt(text, "not counted", "what is another's is not missing");
	free(text);
	text = render(model, PMU_REPORT_CSV);
	has(text, "\nEVENTS,solve,solve,0,socket 1,1,", "CSV");
	has(text, ",617280000,1234560000,", "with all digits");
	free(text);
	text = render(model, PMU_REPORT_JSON);
	has(text, "{\"name\": \"energy\", \"unit\": \"uJ\", \"scope\": \"socket\"}",
	    "JSON: a socket's count");
	has(text, "{\"name\": \"instructions\", \"unit\": \"\"}", "a thread's");
	has(text, "\"sockets\": [\n    {\"socket\": 0, \"time_ns\": ", "sockets");
	has(text, "       {\"socket\": 1, \"calls\": 1, ", "their rows");
	has(text,
	    "\"raw\": {\"instructions\": null, \"cycles\": 617280000, \"energy\": 1234560000}",
	    "with their counts");
	free(text);
	is_read_back(model);
	pmu_model_free(model);
	OTHER_EXIT(&other);
	/* the same with regions that nobody knows the socket of */
	on_socket = -1;
	begin("lost");
	end("lost");
	model = model_now();
	text = render(model, PMU_REPORT_CSV);
	has(text, "\nEVENTS,lost,lost,0,unknown socket,1,", "CSV");
	free(text);
	is_read_back(model);
	pmu_model_free(model);
	pmu_fini();
}

static void without_such_counts_nothing_is_said_of_sockets(void)
{
	struct pmu_model *model;
	char *text;

	start();
	/* refused by the source */
	pmu_session.group[0].plan.absent = pmu_session.group[0].layout->absent = OURS;
	pmu_sockets_open(&pmu_session.group[0]);
	ok(!pmu_session.group[0].sockets, "nothing to count costs nothing");
	begin("solve");
	tick(0, 5);
	end("solve");
	model = model_now();
	is_int((int)model->n_sockets, 0, "no socket");
	is_row(model_row(model, "solve"), 1, UINT64_MAX, "the sum");
	text = render(model, PMU_REPORT_JSON);
	hasnt(text, "socket\"", "JSON");
	hasnt(text, "\"sockets\": ", "no list of them");
	free(text);
	text = render(model, PMU_REPORT_TEXT);
	hasnt(text, "\n  sockets ", "text");
	free(text);
	is_read_back(model);
	pmu_model_free(model);
	pmu_fini();
}

/* As those of memory do in a virtual machine that only shows them. */
static void counters_that_stand_still_are_named(void)
{
	static const char both[] =
		"cycles, energy stayed 0 all the time: there was none of it, or this machine has nothing "
		"behind its counters, as virtual ones may";
	const struct timespec long_enough = { .tv_nsec = 12000000 };
	struct pmu_model *model;

	start();
	begin("solve");
	nanosleep(&long_enough, NULL);
	end("solve");
	model = model_now();
	ok(model_note(model, both), "in milliseconds they should have moved");
	pmu_model_free(model);
	begin("again");
	tick(0, 1);
	end("again");
	model = model_now();
	ok(!model_note(model, both), "once they have there is nothing to say");
	pmu_model_free(model);
	pmu_fini();
}

/* --- other processes --- */

static void a_killed_program_leaves_its_counts(void)
{
	struct pmu_model *model = NULL;
	char pattern[256];
	glob_t found = { 0 };
	int status, pid = fork();

	if (!pid) {
		start();
		begin("solve");
		tick(0, 5);
		end("solve");
		begin("solve");
		tick(0, 60);
		raise(SIGKILL);
	}
	waitpid(pid, &status, 0);
	ok(WIFSIGNALED(status), "killed");
	snprintf(pattern, sizeof(pattern), "%s/*/*%d*", dir, pid);
	if (!ok(glob(pattern, 0, NULL, &found) == 0 && found.gl_pathc, "a store is left"))
		return;
	is_int(pmu_store_snapshot_file(found.gl_pathv[0], &model), 0, "and read");
	is_row(row_of(model, "solve", 0), 1, 5, "what had ended");
	is_row(model_row(model, "solve"), 1, 5, "and its sum");
	has(model->died, "open then: solve (thread 0)", "what was open");
	hasnt(model->died, "),", "once");
	pmu_model_free(model);
	unlink(found.gl_pathv[0]);
	globfree(&found);
}

static void a_child_waits_for_nobody(void)
{
	pthread_barrier_t stop;
	struct other other;
	struct pmu_model *model;
	int status, pid;

	start();
	other_start(&other, 0);
	begin("solve");
	end("solve");
	OTHER_BEGIN(&other, "warm");
	OTHER_END(&other, "warm");
	begin("outer");
	/* the other thread is in the middle of a read, with the lock of its region */
	pthread_barrier_init(&stop, NULL, 2);
	__atomic_store_n(&stop_at, &stop, __ATOMIC_RELAXED);
	other.step = step_begin;
	other.arg = (void *)(uintptr_t) "solve";
	pthread_barrier_wait(&other.go);
	pthread_barrier_wait(&stop);
	pid = fork();
	if (!pid) {
		alarm(20);
		stop_at = NULL;
		_exit(pmu_region_begin("solve") < 0 || pmu_region_end("solve") < 0 ||
		      pmu_region_end("outer") < 0 || pmu_fini() < 0);
	}
	waitpid(pid, &status, 0);
	is_int(status, 0, "the child goes on by itself");
	__atomic_store_n(&stop_at, NULL, __ATOMIC_RELAXED);
	pthread_barrier_wait(&stop);
	pthread_barrier_wait(&other.done);
	tick(0, 5);
	OTHER_END(&other, "solve");
	end("outer");
	model = model_now();
	is_row(row_of(model, "solve", 0), 2, 5, "and so does the parent");
	pmu_model_free(model);
	OTHER_EXIT(&other);
	pmu_fini();
}

static void a_fork_in_the_middle_of_a_read_harms_nobody(void)
{
	struct pmu_model *model;
	int status;

	start();
	on_socket = 1;
	begin("outer");
	begin("solve");
	end("solve");
	fork_now = true;
	begin("solve");
	tick(1, 5);
	if (!forked) {
		alarm(20);
		_exit(pmu_region_end("solve") < 0 || pmu_region_begin("solve") < 0 ||
		      pmu_region_end("solve") < 0 || pmu_region_end("outer") < 0 || pmu_fini() < 0);
	}
	waitpid(forked, &status, 0);
	is_int(status, 0, "the child goes on");
	end("solve");
	fork_now = true;
	end("outer");
	if (!forked) {
		alarm(20);
		_exit(pmu_region_begin("solve") < 0 || pmu_region_end("solve") < 0 ||
		      pmu_fini() < 0);
	}
	waitpid(forked, &status, 0);
	is_int(status, 0, "also from an end");
	model = model_now();
	is_row(row_of(model, "outer", 1), 1, 5, "the parent's counts");
	is_row(row_of(model, "outer/solve", 1), 2, 5, "are its own");
	pmu_model_free(model);
	pmu_fini();
}

/* --- many at once --- */

#define CROWD       4
#define CROWD_CALLS 3000

static void *crowd_main(void *arg)
{
	on_socket = (int)(uintptr_t)arg & 1;
	for (int i = 0; i < CROWD_CALLS; i++) {
		begin("outer");
		tick(on_socket, 1);
		begin(i & 1 ? "odd" : "even");
		tick(on_socket, 1);
		end(i & 1 ? "odd" : "even");
		end("outer");
	}
	return NULL;
}

static void a_crowd_counts_every_tick_once(void)
{
	const uint64_t n = CROWD / 2 * 2 * CROWD_CALLS;
	pthread_t thread[CROWD];
	struct pmu_model *model;

	start();
	yielding = true;
	for (uintptr_t i = 0; i < CROWD; i++)
		if (pthread_create(&thread[i], NULL, crowd_main, (void *)i))
			abort();
	for (int i = 0; i < 20; i++)
		pmu_model_free(model_now());
	for (int i = 0; i < CROWD; i++)
		pthread_join(thread[i], NULL);
	yielding = false;
	model = model_now();
	/* every tick is inside of outer: whoever is in counts it, and nobody twice */
	is_u64(row_of(model, "outer", 0)->net[CYCLES], n, "socket 0");
	is_u64(row_of(model, "outer", 1)->net[CYCLES], n, "socket 1");
	is_u64(model_row(model, "outer")->net[CYCLES], 2 * n, "both");
	ok(row_of(model, "outer", 0)->calls <= n / 2, "occupied at most as often as it was called");
	is_u64(row_of(model, "outer", 0)->n_open, 0, "nobody is left inside");
	is_int((int)doubts_with(model, ""), 0, "no doubt");
	pmu_model_free(model);
	pmu_fini();
}

int main(void)
{
	static const char *const names[] = { "PMU_GROUP", "PMU_COUNT", "PMU_REPORT", "PMU_ENABLE",
					     "PMU_MAX_THREADS" };
	struct pmu_backend exclusive;
	char command[128];

	for (size_t i = 0; i < PMU_ARRAY_LEN(names); i++)
		unsetenv(names[i]);
	if (!mkdtemp(dir))
		return 1;
	setenv("XDG_RUNTIME_DIR", dir, 1);
	setenv("PMU_BACKEND", "clock", 1);
	setenv("PMU_PIN", "none", 1);
	setenv("PMU_OUTPUT", "none", 1);
	a_killed_program_leaves_its_counts();
	a_region_has_what_its_socket_counted_meanwhile();
	threads_that_overlap_count_once();
	sockets_are_added_up();
	nested_regions_have_their_part();
	regions_side_by_side_leave_no_self();
	reentry_does_not_count_again();
	a_region_set_aside_goes_on_counting();
	a_thread_that_ends_inside_leaves();
	a_moved_thread_leaves_the_socket_it_came_in_on();
	an_unknown_socket_makes_the_sum_missing();
	a_read_that_fails_is_missing();
	an_open_region_is_in_no_report_yet();
	reset_and_read();
	exclusive = fake;
	exclusive.exclusive = true;
	every_group_has_its_own(&fake);
	every_group_has_its_own(&exclusive);
	a_source_that_closes_leaves_the_rest_missing();
	reports_tell_sockets_from_threads();
	without_such_counts_nothing_is_said_of_sockets();
	counters_that_stand_still_are_named();
	a_child_waits_for_nobody();
	a_fork_in_the_middle_of_a_read_harms_nobody();
	a_crowd_counts_every_tick_once();
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command) ? 1 : done_testing();
}
