/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Programs made at random of regions, work, tasks on other threads and contexts, beside a model of
 * what each region and its team must have counted.
 *
 *	teams [PROGRAMS [SEED]]
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

#include "session/groups.h"
#include "unit/session/sockets_fake.h"

#define WORKERS  3
#define OPENERS  2
#define THREADS  (WORKERS + OPENERS)
#define NAMES    5
#define PATHS    8192
#define DEEPEST  5 /* names in a path */
#define FRAMES   24
#define CONTEXTS 8

/* --- paths --- */

static struct path {
	int parent, name, depth;
	int inside[NAMES]; /* 0: none yet */
} paths[PATHS];
static int n_paths = 1; /* [0]: outside of all */
static pthread_mutex_t paths_lock = PTHREAD_MUTEX_INITIALIZER;

static int path_inside(int parent, int name)
{
	int *at = &paths[parent].inside[name], path = __atomic_load_n(at, __ATOMIC_ACQUIRE);

	if (path)
		return path;
	pthread_mutex_lock(&paths_lock);
	if (!*at) {
		if (n_paths == PATHS)
			abort();
		paths[n_paths] = (struct path){ parent, name, paths[parent].depth + 1, { 0 } };
		__atomic_store_n(at, n_paths++, __ATOMIC_RELEASE);
	}
	path = *at;
	pthread_mutex_unlock(&paths_lock);
	return path;
}

/* As a team has it: a name once, the outermost. */
static int path_for_team(int path)
{
	int outer, at;

	if (!path)
		return 0;
	outer = path_for_team(paths[path].parent);
	for (at = outer; at; at = paths[at].parent)
		if (paths[at].name == paths[path].name)
			return at;
	return path_inside(outer, paths[path].name);
}

static bool is_at_or_below(int path, int above)
{
	while (path && path != above)
		path = paths[path].parent;
	return path == above;
}

static void path_text(int path, char *text)
{
	static const char names[] = "abcde";
	size_t end = 2 * (size_t)paths[path].depth;

	text[end - 1] = '\0';
	for (; path; path = paths[path].parent, end -= 2) {
		text[end - 2] = names[paths[path].name];
		if (end > 2)
			text[end - 3] = '/';
	}
}

/* --- a thread, and what it should have counted --- */

/* Between an enter and its leave, or around them all: what can be seen there. */
struct level {
	int team; /* path; 0: its own regions */
	uint64_t context;
	unsigned long number;     /* never the same again */
	int frame[FRAMES], depth; /* paths; one that is entered again is there again */
	struct level *around;
};

struct context {
	pmu_context_t word;
	int path;
	const struct actor *owner;
	unsigned long level;
};

struct task {
	struct context context;
	int budget;
};

static struct actor {
	pthread_t thread;
	uint64_t random;
	struct level *level;
	unsigned long n_levels;
	/* contexts that are live for as long as what the actor does */
	struct context context[CONTEXTS];
	int n_contexts;
	uint64_t own[PATHS], team[PATHS];
	/* of a worker: */
	int busy;
	struct task task;
	sem_t go, done;
} actors[THREADS];
static __thread struct actor *self;
static int n_wrong_calls;

static unsigned int any(unsigned int n)
{
	self->random ^= self->random << 13;
	self->random ^= self->random >> 7;
	self->random ^= self->random << 17;
	return (unsigned int)(self->random >> 20) % n;
}

static int here(void)
{
	const struct level *level = self->level;

	return level->depth ? level->frame[level->depth - 1] : level->team;
}

static bool is_again(const struct level *level, int depth)
{
	for (int i = 0; i < depth; i++)
		if (level->frame[i] == level->frame[depth])
			return true;
	return false;
}

static void work(void)
{
	const struct level *level = self->level;
	uint64_t n = any(100);

	own += n;
	for (int i = 0; i < level->depth; i++)
		if (!is_again(level, i))
			self->own[level->frame[i]] += n;
	if (level->team)
		self->team[level->team] += n;
}

static void check_call(int rc)
{
	if (rc)
		__atomic_fetch_add(&n_wrong_calls, 1, __ATOMIC_RELAXED);
}

/* --- what a program is made of --- */

static void some(int budget);

static void region(int budget)
{
	static const char *const text[NAMES] = { "a", "b", "c", "d", "e" };
	struct level *level = self->level;
	int name = (int)any(NAMES), path = 0;

	for (int i = 0; i < level->depth; i++)
		if (paths[level->frame[i]].name == name)
			path = level->frame[i];
	if (!path && paths[here()].depth < DEEPEST)
		path = path_inside(here(), name);
	if (!path || level->depth == FRAMES)
		return;
	check_call(pmu_region_begin(text[name]));
	level->frame[level->depth++] = path;
	some(budget - 1);
	level->depth--;
	check_call(pmu_region_end(text[name]));
}

static struct context get(void)
{
	const struct level *level = self->level;
	struct context context = { pmu_context_get(), path_for_team(here()), self, level->number };

	if (!level->depth && level->team)
		check_call(context.word != level->context);
	check_call(!context.word != !here());
	return context;
}

/* Is it of a region that can be seen here, or the one that was entered here? */
static bool changes_nothing(const struct context *context)
{
	const struct level *level = self->level;

	if (!context->word || context->word == level->context)
		return true;
	return context->owner == self && context->level == level->number;
}

static void inside(const struct context *context, int budget)
{
	struct level level = { .team = context->path,
			       .context = context->word,
			       .number = ++self->n_levels,
			       .around = self->level };
	bool nothing = changes_nothing(context);

	check_call(pmu_context_enter(context->word));
	if (!nothing)
		self->level = &level;
	some(budget - 1);
	if (!nothing)
		self->level = level.around;
	check_call(pmu_context_leave());
}

static struct actor *idle_worker(void)
{
	for (int i = 0; i < WORKERS; i++)
		if (!__atomic_exchange_n(&actors[i].busy, 1, __ATOMIC_ACQUIRE))
			return &actors[i];
	return NULL;
}

/* One task or two for others, if they have time, while this thread goes on. */
static void tasks(int budget)
{
	struct context context = get();
	struct actor *worker[2];
	int n = 0;

	while (n < 1 + (int)any(2)) {
		worker[n] = idle_worker();
		if (!worker[n])
			break;
		worker[n]->task = (struct task){ context, budget - 1 };
		sem_post(&worker[n++]->go);
	}
	if (self->n_contexts < CONTEXTS) {
		self->context[self->n_contexts++] = context;
		some(budget - 1);
		self->n_contexts--;
	}
	if (!n)
		inside(&context, budget);
	while (n-- > 0) {
		sem_wait(&worker[n]->done);
		__atomic_store_n(&worker[n]->busy, 0, __ATOMIC_RELEASE);
	}
}

static void some(int budget)
{
	for (int i = 1 + (int)any(3); i > 0 && budget > 0; i--)
		switch (any(12)) {
		case 0:
		case 1:
			tasks(budget);
			break;
		case 2:
			if (self->n_contexts)
				inside(&self->context[any((unsigned int)self->n_contexts)], budget);
			break;
		case 3:
			inside(&(struct context){ 0 }, budget);
			break;
		case 4:
			if (any(10) == 0)
				pmu_checkpoint(PMU_NEXT_GOES_ON);
			break;
		case 5:
		case 6:
		case 7:
		case 8:
			region(budget);
			break;
		default:
			work();
		}
	work();
}

/* --- threads --- */

static int n_programs;
static uint64_t first_seed;

static void start_actor(struct actor *actor, struct level *outside)
{
	self = actor;
	self->random = first_seed + 0x9e3779b97f4a7c15u * (uint64_t)(actor - actors + 1);
	self->level = outside;
}

static void *do_tasks(void *arg)
{
	struct level outside = { 0 };

	start_actor(arg, &outside);
	for (;;) {
		sem_wait(&self->go);
		if (self->task.budget < 0)
			return NULL;
		self->context[0] = self->task.context;
		self->n_contexts = 1;
		if (any(4) == 0) { /* a region of its own around it */
			self->task.budget++;
			region(1);
		}
		inside(&self->task.context, self->task.budget);
		sem_post(&self->done);
	}
}

static void *do_programs(void *arg)
{
	struct level outside = { 0 };

	start_actor(arg, &outside);
	for (int i = 0; i < n_programs / OPENERS; i++)
		region(5);
	return NULL;
}

static void run_all(void)
{
	for (int i = 0; i < THREADS; i++) {
		sem_init(&actors[i].go, 0, 0);
		sem_init(&actors[i].done, 0, 0);
		pthread_create(&actors[i].thread, NULL, i < WORKERS ? do_tasks : do_programs,
			       &actors[i]);
	}
	for (int i = WORKERS; i < THREADS; i++)
		pthread_join(actors[i].thread, NULL);
	for (int i = 0; i < WORKERS; i++) {
		actors[i].task.budget = -1;
		sem_post(&actors[i].go);
		pthread_join(actors[i].thread, NULL);
	}
}

/* --- what came of it --- */

static uint64_t own_of(int path)
{
	uint64_t sum = 0;

	for (int i = 0; i < THREADS; i++)
		sum += actors[i].own[path];
	return sum;
}

static uint64_t team_of(int path)
{
	uint64_t sum = own_of(path);

	for (int at = 1; at < n_paths; at++)
		for (int i = 0; i < THREADS && is_at_or_below(at, path); i++)
			sum += actors[i].team[at];
	return sum;
}

static bool is_right(const struct pmu_model *model, int path)
{
	uint64_t want_own = own_of(path), want_team = team_of(path);
	const struct pmu_model_row *row;
	char text[2 * (DEEPEST + 1) + 1];

	path_text(path, text);
	row = model_row(model, text);
	if (!row && !want_team)
		return true;
	if (row && row->net[INSTRUCTIONS] == want_own && !(row->missing & 1) &&
	    (row->team ? row->team->all.net[INSTRUCTIONS] : row->net[INSTRUCTIONS]) == want_team &&
	    !(row->team && row->team->all.missing & 1))
		return true;
	diag("%s: own %" PRIu64 " instead of %" PRIu64 ", team %" PRIu64 " instead of %" PRIu64,
	     text, row ? row->net[INSTRUCTIONS] : 0, want_own,
	     row && row->team ? row->team->all.net[INSTRUCTIONS] : 0, want_team);
	return false;
}

static unsigned int n_slots; /* one more than asked for with PMU_EXACT */

static uint32_t read_own(void *thread, uint64_t *value)
{
	(void)thread;
	memset(value, 0, n_slots * sizeof(*value));
	value[INSTRUCTIONS] = own;
	return 0;
}

static int attach(void *state, void *thread, int cpu, pmu_read_fn **read,
		  struct pmu_attachment *got)
{
	(void)state, (void)thread, (void)cpu, (void)got;
	*read = read_own;
	return 0;
}

static void start_with(const struct pmu_backend *source)
{
	struct pmu_session_group *group;

	setenv("PMU_EVENTS", "instructions,cycles,branches", 1);
	if (pmu_init(NULL) < 0)
		abort();
	group = &pmu_session.group[0];
	pmu_session_close_group(group);
	group->plan.absent = group->layout->absent = 0;
	n_slots = group->layout->n_slots;
	group->backend = source;
	group->was_open = false;
	if (pmu_session_open_group(group) < 0)
		abort();
}

/* A session that counts instructions by a source that counts only when this says so. */
static void start_counting(void)
{
	static struct pmu_backend source;

	source = fake;
	source.sockets = NULL;
	source.socket_of = NULL;
	source.read_socket = NULL;
	source.attach = attach;
	start_with(&source);
}

/* @how: the session's counts; sockets: every call takes the slow path */
static void check(const char *how)
{
	struct pmu_model *model;
	int n_wrong = 0;

	run_all();
	model = model_now();
	for (int path = 1; path < n_paths; path++)
		n_wrong += !is_right(model, path);
	is_int(n_wrong, 0, "each region and its team counted what was done for them");
	is_int(n_wrong_calls, 0, "no call failed, and contexts are there where regions are");
	for (unsigned int i = 0; i < model->n_doubts && i < 10; i++)
		diag("doubt: %s %s", model->doubt[i].region, model->doubt[i].text);
	is_int((int)model->n_doubts, 0, "and nothing is a doubt");
	diag("%s: %d paths", how, n_paths - 1);
	pmu_model_free(model);
	pmu_fini();
	memset(actors, 0, sizeof(actors));
}

int main(int argc, char **argv)
{
	n_programs = argc > 1 ? atoi(argv[1]) : 20000;
	first_seed = argc > 2 ? strtoull(argv[2], NULL, 0) : (uint64_t)getpid();
	diag("%d programs, seed %" PRIu64, n_programs, first_seed);
	if (!mkdtemp(dir))
		return 1;
	setenv("XDG_RUNTIME_DIR", dir, 1);
	setenv("PMU_OUTPUT", "none", 1);
	setenv("PMU_PIN", "none", 1);
	start_counting();
	check("threads");
	n_programs /= 10;
	start();
	check("sockets, too");
	setenv("PMU_EXACT", "1", 1);
	setenv("PMU_HISTOGRAM", "1", 1);
	start_counting();
	check("what is kept of each call, too");
	rmdir(dir);
	return done_testing();
}
