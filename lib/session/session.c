/* SPDX-License-Identifier: BSD-3-Clause */
/* Init and fini: builds the parts, takes them down in reverse. */
#include "session/session.h"
#include "session/rotate.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/owner.h"
#include "base/room.h"
#include "counters/valgrind/request.h"
#include "group/fold.h"
#include "group/metric.h"
#include "group/resolve.h"
#include "machine/mask.h"
#include "machine/pinned.h"
#include "pmu.h"
#include "report/report.h"
#include "session/guard.h"
#include "session/sockets.h"
#include "session/spawn.h"
#include "store/place.h"
#include "store/read/list.h"
#include "store/read/snapshot.h"

struct pmu_session pmu_session = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* The highest epoch given out: none is given twice. */
static int32_t last_epoch = 1;

/*
 * Opening and writing files are cancellation points: a thread that was cancelled there would keep
 * the lock, so cancellation is off while it is held.
 */
void pmu_session_lock(void)
{
	int state;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	pmu_session_own_lock();
	pthread_mutex_lock(&pmu_session.lock);
	pmu_session.cancel_state = state;
}

bool pmu_session_lock_within(unsigned int seconds)
{
	struct timespec until;
	int state;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += seconds;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	pmu_session_own_lock();
	if (!pthread_mutex_timedlock(&pmu_session.lock, &until)) {
		pmu_session.cancel_state = state;
		return true;
	}
	pthread_setcancelstate(state, NULL);
	return false;
}

void pmu_session_unlock(void)
{
	int state = pmu_session.cancel_state;

	pthread_mutex_unlock(&pmu_session.lock);
	pthread_setcancelstate(state, NULL);
}

void pmu_session_publish(int32_t epoch)
{
	__atomic_store_n(&pmu_epoch, epoch, __ATOMIC_RELEASE);
}

int32_t pmu_session_next_epoch(void)
{
	/* in steps of 16: attempts to enter change a guard by a few for a moment */
	last_epoch += 16;
	return last_epoch;
}

/* --- groups --- */

static int write_layout(unsigned int index)
{
	struct pmu_session_group *group = &pmu_session.group[index];
	int rc = pmu_table_group(&pmu_session.table, index, group->group.name, group->plan.n_slots,
				 &group->layout);

	if (rc < 0)
		return rc;
	for (unsigned int i = 0; i < group->plan.n_slots; i++) {
		struct pmu_store_slot *slot = &group->layout->slot[i];

		snprintf(slot->name, sizeof(slot->name), "%s", group->group.event[i].name);
		snprintf(slot->unit, sizeof(slot->unit), "%s", group->group.event[i].unit);
	}
	group->layout->absent = group->plan.absent;
	return 0;
}

/* The processors of PMU_COUNT=cpu: those the process may use. */
static void list_cpus(struct pmu_plan *plan)
{
	static int *cpus; /* [PMU_MASK_CPUS], for all groups and sessions */
	struct pmu_mask mask;
	unsigned int n = 0;

	if (plan->scope != PMU_COUNT_CPU || pmu_mask_allowed(&mask) < 0)
		return;
	if (!cpus)
		cpus = pmu_pages_alloc(PMU_MASK_CPUS * sizeof(*cpus));
	if (!cpus)
		return;
	for (int cpu = pmu_mask_next(&mask, 0); cpu >= 0; cpu = pmu_mask_next(&mask, cpu + 1))
		cpus[n++] = cpu;
	plan->cpu = cpus;
	plan->n_cpus = n;
}

/* Where no group was asked for: the one that a forced source is made for, else CORE. */
static int default_group(struct pmu_group *group)
{
	const struct pmu_backend *forced = pmu_session.config.backend;
	const char *name = forced && forced->default_group ? forced->default_group : "CORE";

	return pmu_session_usual_group(name, &pmu_session.config.catalog, group);
}

static void refuse_open(struct pmu_session_group *group)
{
	char text[PMU_ERROR_MAX + 32];

	snprintf(text, sizeof(text), "%s\t%s\t", group->backend->name, pmu_error_text());
	pmu_session_tell(PMU_META_REFUSAL, text);
	if (!group->why[0])
		snprintf(group->why, sizeof(group->why), "%s: %s", group->backend->name,
			 pmu_error_text());
}

/* Sockets belong to no call: their counters run while it is the group's turn, whoever does what there. */
static void note_sockets(const struct pmu_session_group *group)
{
	char text[256];

	if (!pmu_session.config.rotate || !group->sockets || group->plan.scope != PMU_COUNT_THREAD)
		return;
	snprintf(
		text, sizeof(text),
		"%s counts whole sockets, which take turns by time: it has what they did in its own turns",
		group->group.name);
	pmu_session_tell(PMU_META_NOTE, text);
}

int pmu_session_open_group(struct pmu_session_group *group)
{
	int rc;

	while ((rc = group->backend->open(&group->source, &group->plan)) < 0) {
		/*
		 * The source could count this when it was chosen. What other groups count, and the
		 * times, are still of use.
		 */
		refuse_open(group);
		if (!group->backend->counts)
			return rc;
		pmu_session_choose_next(group);
	}
	group->layout->absent = group->plan.absent;
	group->is_open = true;
	if (group->was_open)
		pmu_sockets_resume(group);
	else
		pmu_sockets_open(group);
	if (!group->was_open)
		note_sockets(group);
	group->was_open = true;
	return 0;
}

bool pmu_session_any_open(void)
{
	for (struct pmu_thread *thread = pmu_session.threads; thread; thread = thread->next)
		if (pmu_thread_any_open(thread))
			return true;
	return false;
}

/* What sources have found out while they counted. */
static void note_remarks(const struct pmu_session_group *group)
{
	char text[448];

	pmu_sockets_note_spoiled(group->sockets);
	while (group->is_open && group->backend->remark &&
	       group->backend->remark(group->source, text, sizeof(text)))
		pmu_table_meta(&pmu_session.table, PMU_META_NOTE, text);
}

/*
 * If that fails, registers of this machine are not as they were: a note in the report that is made
 * now (@model, unless NULL), and in the store for one that is made later.
 */
static void put_group_back(const struct pmu_session_group *group, struct pmu_model *model)
{
	char text[PMU_ERROR_MAX + 64];

	if (!group->is_open || !group->backend->put_back)
		return;
	pmu_sockets_stop(group->sockets);
	if (!group->backend->put_back(group->source))
		return;
	snprintf(text, sizeof(text), "not all registers could be put back: %s; try 'pmu restore'",
		 pmu_error_text());
	pmu_table_meta(&pmu_session.table, PMU_META_NOTE, text);
	if (model)
		pmu_model_add_note(model, text);
}

void pmu_session_close_group(struct pmu_session_group *group)
{
	if (!group->is_open)
		return;
	/* a session that is ending has given its table away */
	if (pmu_session.running) {
		note_remarks(group);
		put_group_back(group, NULL);
	}
	group->is_open = false;
	pmu_sockets_stop(group->sockets);
	group->backend->close(group->source);
	group->source = NULL;
}

int pmu_session_change_group(unsigned int next)
{
	struct pmu_session_group *from = &pmu_session.group[pmu_session.current];
	struct pmu_session_group *to = &pmu_session.group[next];

	/*
	 * First: what threads begin from here on waits for the lock, and is counted in the new
	 * group.
	 */
	pmu_session.current = next;
	pmu_session_publish(pmu_session_next_epoch());
	if (pmu_session_is_exclusive(from))
		pmu_session_close_group(from);
	return to->is_open ? 0 : pmu_session_open_group(to);
}

/* The machine that is counted, if it is another one, or its devices are. */
static const struct pmu_machine_from *counted_machine(void)
{
	const struct pmu_machine_from *from = &pmu_session.config.from;

	return from->cpuid_file || from->topology || from->msr_device || from->msr_batch ? from
											 : NULL;
}

/*
 * Adds a count of interrupts, which may add to the instructions; a simulation has none. @why:
 * result: "" or why not
 */
static void count_interrupts(struct pmu_group *group, char *why, size_t size)
{
	const struct pmu_backend *forced = pmu_session.config.backend;

	why[0] = '\0';
	if (pmu_session.config.exact && !(forced && forced->simulated) &&
	    pmu_resolve_interrupts(group, &pmu_session.config.catalog) < 0)
		snprintf(why, size, "%s", pmu_error_text());
}

/*
 * Leaves in the group what a simulation can count of it, and adds the names of the rest.  Return: is there
 * anything?
 */
static bool keep_simulated(struct pmu_group *group, enum pmu_emulation emulated,
			   struct pmu_strbuf *lost)
{
	unsigned int kept = 0;
	struct pmu_plan plan;
	struct pmu_probe probe;

	pmu_group_plan(group, &plan);
	plan.scope = pmu_session.config.count;
	plan.emulated = emulated;
	if (!group->n_events || pmu_backend_valgrind.probe(&plan, &probe))
		return false;
	for (unsigned int i = 0; i < group->n_events; i++) {
		if (!probe.error[i])
			group->event[kept++] = group->event[i];
		else if (!lost->text || !strstr(lost->text, group->event[i].name))
			pmu_strbuf_addf(lost, "%s%s", lost->len ? ", " : "", group->event[i].name);
	}
	group->n_events = kept;
	return true;
}

static void note_folded(const struct pmu_strbuf *lost)
{
	char text[512];

	snprintf(text, sizeof(text),
		 "valgrind counts groups all at once: they take no turns%s%.400s%s",
		 lost->len ? "; of them it cannot count " : "", pmu_strbuf_text(lost),
		 lost->len > 400 ? "..." : "");
	pmu_session_tell(PMU_META_NOTE, text);
}

/* A simulation has no lack of counters: groups that would take turns are one, as far as there is room. */
static void fold_simulated(struct pmu_config *config, enum pmu_emulation emulated)
{
	enum pmu_valgrind_tool tool = pmu_valgrind_tool();
	struct pmu_strbuf lost = { 0 };
	struct pmu_group *into = NULL;
	unsigned int n = 0;

	if (!config->rotate ||
	    (!emulated && tool != PMU_VALGRIND_CALLGRIND && tool != PMU_VALGRIND_COUNTER))
		return;
	for (unsigned int i = 0; i < config->n_groups; i++) {
		struct pmu_group *group = &config->group[i];
		bool simulated = keep_simulated(group, emulated, &lost);

		if (simulated && into && pmu_group_fold(into, group) == 0)
			continue;
		if (n != i)
			config->group[n] = *group;
		if (simulated && !into)
			into = &config->group[n];
		n++;
	}
	if (n < config->n_groups || lost.len)
		note_folded(&lost);
	pmu_strbuf_free(&lost);
	config->n_groups = n;
	config->rotate = n > 1;
}

int pmu_session_choose_groups(enum pmu_emulation emulated)
{
	const struct pmu_config *config = &pmu_session.config;
	char why[PMU_ERROR_MAX];
	int rc;

	if (!pmu_session.group)
		pmu_session.group = pmu_roots_alloc(PMU_CONFIG_MAX_GROUPS *
						    sizeof(*pmu_session.group));
	if (!pmu_session.group)
		return pmu_fail(ENOMEM, "no memory for a session");
	fold_simulated(&pmu_session.config, emulated);
	pmu_session.n_groups = config->n_groups ? config->n_groups : 1;
	for (unsigned int i = 0; i < pmu_session.n_groups; i++) {
		struct pmu_session_group *group = &pmu_session.group[i];

		memset(group, 0, sizeof(*group));
		if (config->n_groups)
			group->group = config->group[i];
		else if ((rc = default_group(&group->group)) < 0)
			return rc;
		count_interrupts(&group->group, why, sizeof(why));
		if (group->group.note[0])
			pmu_session_tell(PMU_META_NOTE, group->group.note);
		pmu_group_plan(&group->group, &group->plan);
		group->plan.scope = config->count;
		group->plan.by_kernel = !config->user_read;
		group->plan.from = counted_machine();
		group->plan.emulated = emulated;
		list_cpus(&group->plan);
		pmu_session_choose(group, config->group_given);
		/* where nothing is counted there is nothing to add to */
		if (why[0] && group->backend->counts)
			pmu_session_tell(PMU_META_NOTE, why);
	}
	return 0;
}

static int open_groups(void)
{
	int rc = pmu_session_choose_groups(PMU_EMULATION_NONE);

	for (unsigned int i = 0; i < pmu_session.n_groups && rc == 0; i++)
		rc = write_layout(i);
	if (rc < 0)
		return rc;
	pmu_resolve_close(&pmu_session.config.catalog);
	/*
	 * Opened after all groups are chosen: what an open group has taken could not be chosen by
	 * the next.
	 */
	for (unsigned int i = 0; i < pmu_session.n_groups; i++) {
		if (i > 0 && pmu_session_is_exclusive(&pmu_session.group[i]))
			continue;
		rc = pmu_session_open_group(&pmu_session.group[i]);
		if (rc < 0)
			return rc;
	}
	return pmu_session_require();
}

static void close_groups(void)
{
	for (unsigned int i = 0; i < pmu_session.n_groups; i++) {
		struct pmu_session_group *group = &pmu_session.group[i];

		/*
		 * A thread that is still attached uses the source until it ends. Sources that write
		 * registers have put them back by now.
		 */
		if (!pmu_session.threads || pmu_session_is_exclusive(group))
			pmu_session_close_group(group);
		group->is_open = false;
		group->source = NULL;
		if (!pmu_session.threads)
			pmu_sockets_close(group->sockets);
		group->sockets = NULL;
		pmu_merge_forget(&group->merge);
	}
	pmu_session.n_groups = 0;
	for (const struct pmu_backend *const *backend = pmu_backends; *backend; backend++)
		if ((*backend)->end)
			(*backend)->end();
}

/* --- start --- */

/* Where sessions tell each other of their pins: beside a store that no command keeps. */
static const char *claims_folder(char *dir, size_t size)
{
	const char *path = pmu_session.table.path, *slash = strrchr(path, '/');

	if (pmu_store_kept() || !slash)
		return pmu_store_dir(1, dir, size) < 0 ? NULL : dir;
	return (size_t)snprintf(dir, size, "%.*s", (int)(slash - path), path) < size ? dir : NULL;
}

static int open_pinning(void)
{
	struct pmu_pin_request *request = &pmu_session.config.pin;
	struct pmu_process self = pmu_store_process(pmu_session.table.head);
	char dir[512];

	/*
	 * If the library was loaded late its wrappers are not called, and a pin would be inherited.
	 */
	if (!pmu_session.config.pin_given && !pmu_spawn_in_scope())
		request->policy = PMU_PIN_NONE;
	/* A policy that the user gave claims its CPUs, too, so that others avoid them. */
	return pmu_pinning_open(
		&pmu_session.pinning, request,
		request->policy == PMU_PIN_NONE ? NULL : claims_folder(dir, sizeof(dir)), &self);
}

static void print_warnings(struct pmu_strbuf *warnings)
{
	char *rest = warnings->text, *line;

	while (rest && *rest && (line = strsep(&rest, "\n")))
		pmu_session_say("%s", line);
}

static int build(const struct pmu_options *options)
{
	struct pmu_strbuf warnings = { 0 };
	int rc = pmu_config_load(&pmu_session.config, options, &warnings);

	/* groups are resolved by now; event files take memory */
	pmu_resolve_close(&pmu_session.config.catalog);
	/* who keeps the stores (pmu run) has warned once already */
	if (rc == 0 && pmu_session.config.enable && !pmu_store_kept())
		print_warnings(&warnings);
	pmu_strbuf_free(&warnings);
	if (rc < 0 || !pmu_session.config.enable)
		return rc;
	if (pmu_clock_forbidden())
		return pmu_fail(
			EPERM,
			"no clock can be read: the program forbade itself the time stamp counter (PR_SET_TSC)");
	if (!pmu_session.owner)
		pmu_session.owner = pmu_guard_alloc();
	if (!pmu_session.owner)
		return pmu_fail(ENOMEM, "no memory for a session");
	rc = pmu_thread_setup();
	if (rc < 0)
		return pmu_fail(-rc, "cannot watch threads end: %s", strerror(-rc));
	rc = pmu_table_open(&pmu_session.table, pmu_clock_choose());
	if (rc < 0)
		return pmu_fail(-rc, "no memory for the table of results");
	pmu_session.texts.used = 0;
	pmu_session.texts.is_short = false;
	rc = open_pinning();
	if (rc < 0)
		goto remove_table;
	rc = open_groups();
	if (rc < 0)
		goto close_pinning;
	pmu_session_describe();
	return 0;
close_pinning:
	close_groups();
	pmu_pinning_close(pmu_session.pinning);
	pmu_session.pinning = NULL;
remove_table:
	pmu_table_remove(&pmu_session.table);
	return rc;
}

/* "did you mean CORE?" */
static bool asks(const char *text)
{
	size_t len = strlen(text);

	return len && text[len - 1] == '?';
}

/*
 * The folder is not for this program to enter, as another user or in a file system of its own: it ends as
 * without us, in silence.  Of the first pmu_checkpoint() leaves a note.
 */
static bool is_out_of_reach(int rc)
{
	return rc == -EACCES || rc == -EPERM || rc == -EROFS || rc == -ENOENT || rc == -ENOTDIR;
}

static int start(void *given)
{
	const struct pmu_options *options = given;
	int rc, lost;

	if (options || !pmu_session.in_child)
		pmu_options_keep(options);
	rc = build(pmu_options_kept());

	if (rc < 0 || !pmu_session.config.enable) {
		if (rc < 0) {
			pmu_session_say("%s%s the program runs unmeasured", pmu_error_text(),
					asks(pmu_error_text()) ? "" : ";");
			pmu_store_say_lost(pmu_error_text());
		}
		pmu_session_publish(-1);
		return rc;
	}
	pmu_session.kept = pmu_store_keep();
	lost = pmu_session.kept && !pmu_session.table.path[0]
		       ? pmu_store_say_lost(pmu_session.table.why)
		       : 0;
	if (lost < 0 && !is_out_of_reach(lost))
		pmu_session_say("the results of process %d will be missing: %s", (int)getpid(),
				pmu_session.table.why);
	pmu_session.err.fd = pmu_session.out.fd = -1;
	/*
	 * With a kept store somebody else makes the report: no descriptor of the program's is
	 * needed.
	 */
	if (!pmu_session.kept)
		pmu_sink_open(&pmu_session.err, STDERR_FILENO);
	if (!pmu_session.kept && pmu_output_wants_stdout())
		pmu_sink_open(&pmu_session.out, STDOUT_FILENO);
	free(pmu_session.folder);
	pmu_session.folder = getcwd(NULL, 0);
	pmu_session.last_note[0] = '\0';
	pmu_session.n_threads = 0;
	pmu_session.n_finished_kept = 0;
	pmu_session.merged_number = 0;
	pmu_session.memory_noted = pmu_session.reported = false;
	pmu_session.untraced = 0;
	pmu_session.current = 0;
	pmu_rotation_start();
	pmu_thread_forget_all();
	pmu_session.pid = pmu_session.table.owner.pid;
	pmu_session.uid = pmu_owner_self();
	pmu_session.n_started++;
	if (!pmu_session.first_start_unix_ns)
		pmu_session.first_start_unix_ns = pmu_session.table.start_unix_ns;
	pmu_literals_find();
	/*
	 * Pairs with the acquire in pmu_session_is_ours(): a thread of a forked child may have seen
	 * the parent's session running and now finds the owner.
	 */
	__atomic_store_n(pmu_session.owner, PMU_OWNER_SELF, __ATOMIC_RELEASE);
	__atomic_store_n(&pmu_session.running, true, __ATOMIC_RELEASE);
	if (!pmu_session.kept)
		pmu_store_prune_beside(pmu_session.table.path);
	pmu_session_publish(pmu_session_next_epoch());
	return 0;
}

int pmu_session_start(const struct pmu_options *options)
{
	return pmu_with_room(start, (void *)(uintptr_t)options);
}

/* --- end --- */

/* Notes results that are in memory only: a crash would leave nothing of them. */
static void note_memory(void)
{
	struct pmu_table *table = &pmu_session.table;
	char text[384];

	if (!table->why[0] || pmu_session.memory_noted)
		return;
	pmu_session.memory_noted = true;
	snprintf(text, sizeof(text), "%sresults %s: %s", table->path[0] ? "some of the " : "",
		 pmu_session.kept ? "had no room where they were to be kept, and are missing"
				  : "were in memory only and would have died with the program",
		 table->why);
	pmu_table_meta(table, PMU_META_NOTE, text);
}

/* Beyond this number threads are not asked for faults and switches: two files each. */
#define MAX_ASKED 256

static void update_threads(void)
{
	int asked = 0;

	for (struct pmu_thread *thread = pmu_session.threads; thread; thread = thread->next)
		if (thread == pmu_own.self || asked++ < MAX_ASKED)
			pmu_thread_update(thread);
		else
			pmu_thread_note_lost(thread);
}

/* What is only known at a report goes into the table. */
static void settle(void)
{
	/* first: what is wrong with a source shows in the records of threads */
	for (unsigned int i = 0; i < pmu_session.n_groups; i++)
		note_remarks(&pmu_session.group[i]);
	update_threads();
	pmu_session_describe_pinning();
	note_memory();
	pmu_table_point(&pmu_session.table);
}

int pmu_session_model(struct pmu_model **model)
{
	struct pmu_store_view view;
	int rc;

	settle();
	view = pmu_table_view(&pmu_session.table);
	rc = pmu_store_snapshot(&view, NULL, model);
	if (rc == 0)
		pmu_metric_fill(*model);
	return rc;
}

/* A report could not be written: the store is kept, and a line says where. */
static void keep_store(int rc)
{
	if (rc == 0 || !pmu_session.table.path[0])
		pmu_table_remove(&pmu_session.table);
	else
		pmu_session_say("the results are kept in %s; `pmu report %s` shows them",
				pmu_session.table.path, pmu_session.table.path);
}

/* After everything is read, before the report is written. */
static void put_back(struct pmu_model *model)
{
	for (unsigned int i = 0; i < pmu_session.n_groups; i++)
		put_group_back(&pmu_session.group[i], model);
}

static int write_reports(void)
{
	struct pmu_model *model = NULL;
	int rc = pmu_session_model(&model);

	put_back(model);
	if (rc == 0)
		rc = pmu_output_write_all(model);
	else
		pmu_session_say("no report: %s", pmu_error_name(rc));
	pmu_model_free(model);
	return rc;
}

/*
 * Somebody else makes the report of these results, but the program may have asked for reports of
 * its own.
 */
static int end_kept(void)
{
	if (pmu_session.config.output[0])
		return write_reports();
	settle();
	put_back(NULL);
	return 0;
}

int pmu_session_end(void)
{
	int rc;

	pmu_rotation_remark();
	pmu_trace_remark();
	/* Regions that are open now are never ended: the reader says so, seeing this. */
	PMU_PUBLISH(pmu_session.table.head->ended, 1);
	if (pmu_session.kept) {
		rc = end_kept();
	} else {
		rc = write_reports();
		if (pmu_trace_save() < 0) {
			pmu_session_say("%s", pmu_error_text());
			rc = rc ? rc : -EIO;
		}
		keep_store(rc);
	}
	__atomic_store_n(&pmu_session.running, false, __ATOMIC_RELEASE);
	if (pmu_thread_self()) {
		/* The session has ended: this only closes the thread's counters. */
		pmu_thread_detach(pmu_own.self);
		/* Its processor is free for others again; it ends with its process, and so do claims. */
		if (!pmu_session.exiting) {
			pmu_pin_lift();
			pmu_pinned_forget();
		}
	}
	close_groups();
	if (!pmu_session.exiting)
		pmu_pinning_close(pmu_session.pinning);
	pmu_session.pinning = NULL;
	pmu_sink_close(&pmu_session.err);
	pmu_sink_close(&pmu_session.out);
	pmu_thread_forget_all();
	return rc;
}
