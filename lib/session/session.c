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

#include "base/error.h"
#include "base/owner.h"
#include "base/room.h"
#include "machine/pinned.h"
#include "plan/resolve.h"
#include "pmu.h"
#include "report/model/metric.h"
#include "session/describe.h"
#include "session/guard.h"
#include "session/lifecycle.h"
#include "session/options.h"
#include "session/output.h"
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

int32_t pmu_session_next_epoch(void)
{
	/* in steps of 16: attempts to enter change a guard by a few for a moment */
	last_epoch += 16;
	return last_epoch;
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

static int build_session(const struct pmu_options *options)
{
	struct pmu_strbuf warnings = { 0 };
	int rc = pmu_config_load(&pmu_session.config, options, &warnings);

	/* groups are resolved by now; event files take memory */
	pmu_resolve_close(&pmu_session.config.catalog);
	/* `pmu run`, which keeps the stores, has warned once already */
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
	rc = pmu_session_open_groups();
	if (rc < 0)
		goto close_pinning;
	pmu_session_describe();
	pmu_steal_start();
	return 0;
close_pinning:
	pmu_session_close_groups();
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
 * The program cannot enter the folder, as another user or in a file system of its own: it ends as
 * without us, in silence.  Of another user pmu_checkpoint() leaves a note.
 */
static bool is_out_of_reach(int rc)
{
	return rc == -EACCES || rc == -EPERM || rc == -EROFS || rc == -ENOENT || rc == -ENOTDIR;
}

static int start_session(void *given)
{
	const struct pmu_options *options = given;
	int rc, lost;

	if (options || !pmu_session.in_child)
		pmu_options_keep(options);
	rc = build_session(pmu_options_kept());

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
	 * With a kept store the command makes the report: no descriptor of the program's is
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
	pmu_control_start();
	pmu_session_publish(pmu_session_next_epoch());
	return 0;
}

int pmu_session_start(const struct pmu_options *options)
{
	return pmu_with_room(start_session, (void *)(uintptr_t)options);
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
static void settle_table(void)
{
	/* first: what is wrong with a source shows in the records of threads */
	pmu_session_note_remarks();
	update_threads();
	pmu_session_describe_pinning();
	note_memory();
	pmu_table_point(&pmu_session.table);
}

int pmu_session_model(struct pmu_model **model)
{
	struct pmu_store_view view;
	int rc;

	settle_table();
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

static int write_reports(void)
{
	struct pmu_model *model = NULL;
	int rc = pmu_session_model(&model);

	pmu_session_put_back(model);
	if (rc == 0)
		rc = pmu_output_write_all(model);
	else
		pmu_session_say("no report: %s", pmu_error_name(rc));
	pmu_model_free(model);
	return rc;
}

/*
 * The command makes the report of these results, but the program may have asked for reports of its
 * own.
 */
static int end_kept(void)
{
	if (pmu_session.config.output[0])
		return write_reports();
	settle_table();
	pmu_session_put_back(NULL);
	return 0;
}

int pmu_session_end(void)
{
	int rc;

	pmu_rotation_remark();
	pmu_trace_remark();
	pmu_steal_remark();
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
	pmu_session_close_groups();
	if (!pmu_session.exiting)
		pmu_pinning_close(pmu_session.pinning);
	pmu_session.pinning = NULL;
	pmu_sink_close(&pmu_session.err);
	pmu_sink_close(&pmu_session.out);
	pmu_thread_forget_all();
	return rc;
}
