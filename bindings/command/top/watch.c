/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Programs that are looked at again and again.  Of each its store stays open, for reading alone:
 * when the program ends it is removed, and its last state is still there.
 */
#include "bindings/command/top/watch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/retry.h"
#include "bindings/command/code/code.h"
#include "bindings/command/sample/ask.h"
#include "bindings/command/sample/collector.h"
#include "pmu.h"
#include "store/place.h"
#include "store/read/snapshot.h"

/* A store that is being begun makes no sense for a moment. */
#define ENOUGH_FAILED 10

/** Of one program. */
struct pmu_top_watched {
	char *path;
	int fd; /* -1: it has ended */
	dev_t device;
	ino_t inode; /* which another file may have as soon as it has ended */
	int32_t pid;
	uint64_t start_unix_ns;    /* by its store's head; 0: there is none yet */
	struct pmu_top_look *look; /* the last one */
	struct pmu_top_program *program;
	bool was_seen_alive;
	unsigned int n_failed; /* looks, one after another */
};

/* --- what comes and goes --- */

static bool is_same_store(const struct pmu_top_watched *one, const struct stat *st, int fd)
{
	struct pmu_store_head head;

	if (one->device != st->st_dev || one->inode != st->st_ino)
		return false;
	if (one->fd >= 0)
		return true;
	return PMU_RETRY(pread(fd, &head, sizeof(head), 0)) == (ssize_t)sizeof(head) &&
	       head.pid == one->pid && head.start_unix_ns == one->start_unix_ns;
}

static bool is_watched(const struct pmu_top_watch *watch, const struct stat *st, int fd)
{
	for (size_t i = 0; i < watch->n; i++)
		if (is_same_store(&watch->watched[i], st, fd))
			return true;
	return false;
}

static int make_watched_room(struct pmu_top_watch *watch)
{
	size_t room = watch->room ? 2 * watch->room : 16;
	const struct pmu_top_program **shown;
	struct pmu_top_watched *grown;

	if (watch->n < watch->room)
		return 0;
	shown = reallocarray(watch->shown, room, sizeof(*shown));
	if (!shown)
		return -ENOMEM;
	watch->shown = shown;
	grown = reallocarray(watch->watched, room, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	watch->watched = grown;
	watch->room = room;
	return 0;
}

static int take_up(struct pmu_top_watch *watch, const char *path)
{
	struct pmu_top_watched one = { 0 };
	struct stat st;
	int rc;

	one.fd = PMU_RETRY(open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
	if (one.fd < 0)
		return 0; /* gone since, or not ours to read */
	if (fstat(one.fd, &st) || !S_ISREG(st.st_mode) || is_watched(watch, &st, one.fd)) {
		close(one.fd);
		return 0;
	}
	one.device = st.st_dev;
	one.inode = st.st_ino;
	one.path = strdup(path);
	rc = one.path ? make_watched_room(watch) : -ENOMEM;
	if (rc) {
		free(one.path);
		close(one.fd);
		return rc;
	}
	watch->watched[watch->n++] = one;
	return 0;
}

static void drop(struct pmu_top_watched *one)
{
	if (one->fd >= 0)
		close(one->fd);
	pmu_top_look_free(one->look);
	pmu_top_program_free(one->program);
	free(one->path);
}

static void drop_at(struct pmu_top_watch *watch, size_t i)
{
	drop(&watch->watched[i]);
	watch->n--;
	memmove(&watch->watched[i], &watch->watched[i + 1],
		(watch->n - i) * sizeof(watch->watched[0]));
}

/* Builds start thousands of programs: of those that are gone the last ones stay. */
static void drop_old(struct pmu_top_watch *watch)
{
	size_t n_ended = 0;

	for (size_t i = watch->n; i-- > 0;) {
		if (watch->watched[i].fd >= 0)
			continue;
		if (++n_ended > PMU_TOP_ENDED_SHOWN || !watch->watched[i].program)
			drop_at(watch, i);
	}
}

/* --- one look --- */

static enum pmu_top_state state_of(struct pmu_top_watched *one)
{
	struct pmu_store_head head;
	ssize_t n = PMU_RETRY(pread(one->fd, &head, sizeof(head), 0));
	enum pmu_liveness liveness;

	if (n != (ssize_t)sizeof(head))
		return PMU_TOP_DIED; /* the file was cut */
	one->pid = head.pid;
	one->start_unix_ns = head.start_unix_ns;
	if (head.ended || head.next == PMU_NEXT_EXEC)
		return PMU_TOP_ENDED;
	liveness = pmu_store_liveness(&head);
	one->was_seen_alive |= liveness == PMU_PROCESS_ALIVE;
	if (liveness == PMU_PROCESS_ALIVE)
		return PMU_TOP_RUNS;
	/* in a container whether it is gone shows by that it was there */
	if (liveness == PMU_PROCESS_FOREIGN && !one->was_seen_alive)
		return PMU_TOP_RUNS;
	return head.next == PMU_NEXT_EXIT || head.next == PMU_NEXT_STOP ? PMU_TOP_ENDED
									: PMU_TOP_DIED;
}

static void end_watched(struct pmu_top_watched *one)
{
	close(one->fd);
	one->fd = -1;
	pmu_top_look_free(one->look);
	one->look = NULL;
}

/* Another version's will make no sense later on either.  Return: 0 or -ENOMEM. */
static int fail_watched(struct pmu_top_watch *watch, struct pmu_top_watched *one,
			enum pmu_top_state state, int rc)
{
	if (state != PMU_TOP_RUNS) {
		if (one->program)
			one->program->state = state;
		end_watched(one);
		return 0;
	}
	if (rc == -ENOMEM)
		return rc;
	one->n_failed = rc == -ENOTSUP ? ENOUGH_FAILED : one->n_failed + 1;
	if (strstr(pmu_error_text(), one->path))
		snprintf(watch->why, sizeof(watch->why), "%s", pmu_error_text());
	else
		snprintf(watch->why, sizeof(watch->why), "cannot read %s: %s", one->path,
			 pmu_error_text());
	return 0;
}

/* Where its regions are in their code, by whom samples are collected: `pmu run`. */
static bool give_samples(struct pmu_top_watch *watch, const struct pmu_top_watched *one,
			 struct pmu_model *model)
{
	struct pmu_sample_process process;

	if (pmu_sample_ask(one->path, &process))
		return false;
	if (!watch->code)
		watch->code = pmu_code_new();
	if (watch->code) {
		/* after the samples: what is in them is compiled */
		pmu_code_renew(watch->code);
		pmu_sample_give_sums(watch->code, process.pid, "", &process.unit, &process.sums,
				     model);
	}
	pmu_sample_process_free(&process);
	return watch->code != NULL;
}

/* Of a program that has ended all is since its start. */
static int look_at_watched(struct pmu_top_watch *watch, struct pmu_top_watched *one)
{
	enum pmu_top_state state = state_of(one);
	struct pmu_top_program *program;
	struct pmu_model *model = NULL;
	struct pmu_top_look *look;
	bool is_sampled;
	int rc = pmu_store_snapshot_open(one->fd, one->path, &model);

	if (rc)
		return fail_watched(watch, one, state, rc);
	one->n_failed = 0;
	is_sampled = give_samples(watch, one, model);
	look = pmu_top_look_new(model, one->look);
	if (look)
		look->is_sampled = is_sampled;
	program = look ? pmu_top_program_new(state == PMU_TOP_RUNS ? one->look : NULL, look) : NULL;
	if (!program) {
		pmu_top_look_free(look);
		return -ENOMEM;
	}
	program->state = state;
	program->store = one->path;
	pmu_top_look_free(one->look);
	pmu_top_program_free(one->program);
	one->look = look;
	one->program = program;
	if (state != PMU_TOP_RUNS)
		end_watched(one);
	return 0;
}

static void show_watched(struct pmu_top_watch *watch)
{
	watch->n_shown = 0;
	watch->n_running = 0;
	watch->n_unread = 0;
	for (size_t i = 0; i < watch->n; i++) {
		bool is_unread = watch->watched[i].n_failed >= ENOUGH_FAILED;

		watch->n_unread += watch->watched[i].fd >= 0 && is_unread;
		watch->n_running += watch->watched[i].fd >= 0 && !is_unread;
		if (watch->watched[i].program)
			watch->shown[watch->n_shown++] = watch->watched[i].program;
	}
}

int pmu_top_watch_look(struct pmu_top_watch *watch)
{
	struct pmu_top_paths paths = { 0 };
	int rc = pmu_top_find(&watch->wanted, &paths);

	for (size_t i = 0; i < paths.n && !rc; i++)
		rc = take_up(watch, paths.path[i]);
	pmu_top_paths_free(&paths);
	for (size_t i = 0; i < watch->n && !rc; i++)
		if (watch->watched[i].fd >= 0)
			rc = look_at_watched(watch, &watch->watched[i]);
	drop_old(watch);
	show_watched(watch);
	watch->n_looks++;
	return rc;
}

void pmu_top_watch_free(struct pmu_top_watch *watch)
{
	for (size_t i = 0; i < watch->n; i++)
		drop(&watch->watched[i]);
	pmu_code_free(watch->code);
	free(watch->watched);
	free(watch->shown);
}
