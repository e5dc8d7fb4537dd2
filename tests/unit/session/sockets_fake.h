/* SPDX-License-Identifier: BSD-3-Clause */
/* For the tests of sockets: a source of counters that only tests move, and a second thread. */
#ifndef PMU_TESTS_SESSION_SOCKETS_FAKE_H
#define PMU_TESTS_SESSION_SOCKETS_FAKE_H

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"
#include "bindings/command/json/read.h"
#include "pmu.h"
#include "region/call.h"
#include "report/report.h"
#include "session/session.h"
#include "session/sockets.h"
#include "store/read/snapshot.h"
#include "tap.h"
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
static inline void tick(int socket, uint64_t n)
{
	__atomic_fetch_add(&counter[socket][CYCLES], n, __ATOMIC_RELAXED);
	__atomic_fetch_add(&counter[socket][ENERGY], 2 * n, __ATOMIC_RELAXED);
}

static inline size_t fake_size(const struct pmu_plan *plan)
{
	(void)plan;
	return 0;
}

static inline uint32_t fake_read(void *thread, uint64_t *value)
{
	(void)thread;
	memset(value, 0xa5, SLOTS * sizeof(*value));
	value[INSTRUCTIONS] = own;
	return 0;
}

static inline int fake_attach(void *state, void *thread, int cpu, pmu_read_fn **read,
			      struct pmu_attachment *got)
{
	(void)state, (void)thread, (void)cpu;
	*read = fake_read;
	got->missing = OURS;
	return 0;
}

static inline void fake_detach(void *state, void *thread)
{
	(void)state, (void)thread;
}

/* A state is whether it is open. */
static bool states[16];
static unsigned int n_states, n_misused;

static inline int fake_open(void **state, const struct pmu_plan *plan)
{
	(void)plan;
	*state = &states[n_states++ % PMU_ARRAY_LEN(states)];
	*(bool *)*state = true;
	return 0;
}

static inline void fake_close(void *state)
{
	*(bool *)state = false;
}

static inline unsigned int fake_sockets(void *state)
{
	(void)state;
	return 2;
}

static inline int fake_socket_of(void *state, int cpu)
{
	(void)state, (void)cpu;
	return on_socket;
}

static inline uint32_t fake_read_socket(void *state, unsigned int socket, uint64_t *value)
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

static inline void use_source(unsigned int index, const struct pmu_backend *source)
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
static inline void start(void)
{
	setenv("PMU_EVENTS", "instructions,cycles,branches", 1);
	if (pmu_init(NULL) < 0)
		abort();
	use_source(0, &fake);
	on_socket = 0;
	unreadable = 0;
}

static inline void begin(const char *name)
{
	if (pmu_region_begin(name) < 0)
		ok(false, "begin %s: %s", name, pmu_last_error());
}

static inline void end(const char *name)
{
	if (pmu_region_end(name) < 0)
		ok(false, "end %s: %s", name, pmu_last_error());
}

/* --- what came of it --- */

static inline struct pmu_model *model_now(void)
{
	struct pmu_model *model = NULL;

	if (pmu_call_enter() < 0 || pmu_session_model(&model) < 0)
		abort();
	pmu_call_leave();
	return model;
}

static inline const struct pmu_model_row *row_of(const struct pmu_model *model, const char *path,
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
static inline void is_row(const struct pmu_model_row *row, uint64_t calls, uint64_t cycles,
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

static inline long doubts_with(const struct pmu_model *model, const char *part)
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

static inline void *other_main(void *arg)
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

static inline void other_start(struct other *other, int socket)
{
	other->socket = socket;
	pthread_barrier_init(&other->go, NULL, 2);
	pthread_barrier_init(&other->done, NULL, 2);
	if (pthread_create(&other->thread, NULL, other_main, other))
		abort();
}

static inline void other_do(struct other *other, void (*step)(void *), const char *name)
{
	other->step = step;
	other->arg = (void *)(uintptr_t)name;
	pthread_barrier_wait(&other->go);
	if (step)
		pthread_barrier_wait(&other->done);
	else
		pthread_join(other->thread, NULL);
}

static inline void step_begin(void *name)
{
	begin(name);
}

static inline void step_end(void *name)
{
	end(name);
}

#define OTHER_BEGIN(other, name) other_do(other, step_begin, name)
#define OTHER_END(other, name)   other_do(other, step_end, name)
#define OTHER_EXIT(other)        other_do(other, NULL, NULL)

/* --- what is written --- */

static inline char *render(const struct pmu_model *model, enum pmu_report_format format)
{
	const struct pmu_text_options options = { .threads = true, .all = true };
	struct pmu_strbuf out = { 0 };

	pmu_report_render(&out, model, format, &options);
	ok(!out.failed && out.text, "rendered");
	return out.text;
}

static inline void is_read_back(const struct pmu_model *model)
{
	char *text = render(model, PMU_REPORT_TEXT), *csv = render(model, PMU_REPORT_CSV);
	char *json = render(model, PMU_REPORT_JSON), *again = strdup(json);
	struct pmu_model *read = NULL;
	int rc = pmu_json_read(again, strlen(again), &read);

	free(again);
	if (!ok(rc == 0, "JSON is read back")) {
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

/* --- a program's settings, and a folder for its stores --- */

static inline void set_up(void)
{
	static const char *const names[] = { "PMU_GROUP", "PMU_COUNT", "PMU_REPORT", "PMU_ENABLE",
					     "PMU_MAX_THREADS" };

	for (size_t i = 0; i < PMU_ARRAY_LEN(names); i++)
		unsetenv(names[i]);
	if (!mkdtemp(dir))
		exit(1);
	setenv("XDG_RUNTIME_DIR", dir, 1);
	setenv("PMU_BACKEND", "clock", 1);
	setenv("PMU_PIN", "none", 1);
	setenv("PMU_OUTPUT", "none", 1);
}

static inline int finish(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command) ? 1 : done_testing();
}

#endif
