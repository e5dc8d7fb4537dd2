/* SPDX-License-Identifier: BSD-3-Clause */
/* The session: the one mutable global, and what starts and ends it. */
#ifndef PMU_SESSION_SESSION_H
#define PMU_SESSION_SESSION_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/fd.h"
#include "counters/backend.h"
#include "session/config.h"
#include "session/thread.h"
#include "store/brief.h"
#include "store/merge.h"
#include "store/table.h"

/** One group of the session, as it is counted. */
struct pmu_session_group {
	struct pmu_group group;
	struct pmu_plan plan;
	const struct pmu_backend *backend;
	void *source; /* the backend's state, */
	bool is_open; /* while it is; an exclusive one's only while its group is counted */
	bool was_open;
	char why[640]; /* "" or why something of it is not counted: the first reason */
	struct pmu_store_group *layout;
	struct pmu_merge merge; /* finished threads beyond the limit */
	/* what is counted for whole sockets, or for the process; NULL: nothing */
	struct pmu_sockets *sockets;
};

/** A descriptor of the program's that reports may go to. */
struct pmu_sink {
	int fd; /* ours; -1: was closed at the start */
	struct pmu_fd_identity identity;
};

/** Which process a session or its lock belongs to. */
enum pmu_owner {
	PMU_OWNER_PARENT = 0, /* the parent process's: this is a child */
	PMU_OWNER_SELF = 1,
	PMU_OWNER_CHANGING = 2, /* a thread of the child is letting go of the parent's parts */
};

/** A forked child that has used no region yet: region/forked.h */
struct pmu_waiting {
	int32_t pid; /* whose this is; another process's where it is not the own one */
	int32_t forked_from;
	uint64_t start_unix_ns; /* at the fork: */
	uint64_t boot_ns;       /* CLOCK_BOOTTIME */
	struct pmu_clock_point start;
	struct pmu_usage usage;
	bool usage_known;
	char path[512]; /* of its store; "": none yet */
};

struct pmu_session {
	pthread_mutex_t lock; /* every member below, except in the thread that starts the session */
	int cancel_state;     /* of the thread that holds it, for when it lets go */
	uint32_t *owner;      /* enum pmu_owner; 0 in a forked child, as guards are */
	bool running;
	int pid;
	uid_t uid;          /* as it started */
	int forked_from;    /* the process that forked this one while it was measured; 0 for none */
	uint32_t n_started; /* sessions in this process so far */
	uint64_t first_start_unix_ns; /* of the first of them, or of the parent process's */
	bool kept;     /* PMU_STORE: the table stays, and who asked for it makes the report */
	bool reported; /* what PMU_OUTPUT asks for of several processes is there: PMU_NEXT_REPORTED */
	bool exiting; /* the process: what the kernel takes back is left to it */
	/* goes on from a parent process's session: its outputs get names of their own */
	bool in_child;
	struct pmu_waiting waiting;
	struct pmu_brief_texts texts; /* of children's stores, where this one is kept */
	struct pmu_config config;
	struct pmu_table table;
	struct pmu_pinning *pinning;
	struct pmu_session_group *group; /* [PMU_CONFIG_MAX_GROUPS] from the first session on */
	unsigned int n_groups;
	unsigned int current;       /* index of the group that is counted now */
	struct pmu_thread *threads; /* attached */
	struct pmu_thread *unused;  /* detached, for the next ones */
	uint32_t n_threads;         /* numbers given out */
	uint32_t n_finished_kept;
	uint32_t merged_number; /* of the set of merged threads; 0: none yet */
	bool memory_noted;      /* that results lie in memory */
	uint32_t untraced;      /* threads that found no room for a ring of calls */
	char last_note[160];    /* of a thread's attachment */
	char last_pinning[256]; /* as the table has it */
	char *folder;           /* the working folder at the start; NULL: unknown */
	struct pmu_sink err, out;
};

/**
 * pmu_session_is_exclusive() - is it opened only while it is counted?  Of a whole process the
 * events of every group would count at once, and be in each other's way.
 */
static inline bool pmu_session_is_exclusive(const struct pmu_session_group *group)
{
	return group->backend->exclusive || group->plan.scope == PMU_COUNT_PROCESS;
}

extern struct pmu_session pmu_session __attribute__((visibility("hidden")));

/** pmu_session_own_lock() - in a forked child: the lock is free, whoever held it in the parent */
void pmu_session_own_lock(void);

/** pmu_session_lock(), _unlock() - the session's lock. */
void pmu_session_lock(void);
void pmu_session_unlock(void);
/** pmu_session_lock_within() - the same, unless it takes longer.  Return: whether it is held. */
bool pmu_session_lock_within(unsigned int seconds);

/**
 * pmu_session_shed() - a thread of a forked child takes what it finds for what it is: a copy.
 * Before anything else.
 */
void pmu_session_shed(void);

/**
 * pmu_session_bar(), pmu_session_unbar() - keep this thread's signal handlers out meanwhile
 *
 * Before the session's lock is taken: a handler's first call of a region would wait for it for
 * ever.
 */
void pmu_session_bar(void);
void pmu_session_unbar(void);

/**
 * pmu_session_turn_away() - pmu_session_unbar() of a thread that lacks what begin and end need: its
 * next call takes the slow path again, too, and finds that out
 */
void pmu_session_turn_away(void);

/**
 * pmu_session_note_memory() - a call of the calling thread was not counted for want of memory: in
 * its record, or where it has none as a note
 * Context: outside; takes the lock.
 */
void pmu_session_note_memory(void);

/**
 * pmu_session_start() - build the parts
 * @options: may be NULL
 * Context: lock held.  Prints one line where something is wrong with the settings.
 * Return: 0 (also when it is switched off); the error that pmu_init() returns.
 */
int pmu_session_start(const struct pmu_options *options);

/**
 * pmu_session_end() - write the reports, take the parts down in reverse
 * Context: lock held; no thread comes in any more; by pmu_call_end_session() alone.
 * Return: 0 or the first output's error.
 */
int pmu_session_end(void);

/** pmu_options_keep() - copy what the program gave, NULL for nothing.  Context: lock held. */
void pmu_options_keep(const struct pmu_options *options);

/**
 * pmu_options_kept() - that copy, which a forked child's session starts with too; NULL: nothing was
 * given.
 */
const struct pmu_options *pmu_options_kept(void);

/** pmu_session_is_ours() - false in a child that was forked from the session's process. */
bool pmu_session_is_ours(void);

/**
 * pmu_session_forked() - in such a child: let go of the parent's parts.  Context: lock not held.
 */
void pmu_session_forked(void);

/** pmu_session_child() - in a child that came through our fork: what it need not keep open. */
void pmu_session_child(void);

/**
 * pmu_session_usual_group() - as pmu_group_find(), for groups that nobody has asked for
 */
int pmu_session_usual_group(const char *name, struct pmu_catalog *catalog, struct pmu_group *group);

/**
 * pmu_session_choose() - for one group: the source that counts it, and what of it it counts
 * @group: group.group set; group, plan and backend are made final
 * @asked: the user named this group or a source: what cannot be counted stays as a missing column
 *
 * Every refusal and everything given up is written into the table.
 */
void pmu_session_choose(struct pmu_session_group *group, bool asked);

/**
 * pmu_session_choose_next() - the chosen source could not be opened: the next one
 *
 * Columns stay as they are: the layout may have been written.
 */
void pmu_session_choose_next(struct pmu_session_group *group);

/**
 * pmu_session_open_group() - make a group ready to be counted, by another source if need be
 * Context: lock held.  Return: 0 or a negative errno.
 */
int pmu_session_open_group(struct pmu_session_group *group);

/**
 * pmu_session_choose_groups() - the configured groups, each with its source; nothing is opened
 * @emulated: say what it would be under valgrind
 * Context: configuration loaded.  Return: 0 or a negative errno.
 */
int pmu_session_choose_groups(enum pmu_emulation emulated);

/**
 * pmu_session_require() - is all of it counted, where PMU_REQUIRE=1 wants that?  Return: 0, or
 * -ENOTSUP with a sentence.
 */
int pmu_session_require(void);

/**
 * pmu_session_foretell() - would a program with this environment be measured as PMU_REQUIRE=1 wants
 * it?
 * @emulated: it will run under valgrind
 * Context: for `pmu run`: no session runs, and none is started.  Return: as pmu_session_require().
 */
int pmu_session_foretell(enum pmu_emulation emulated);

/**
 * pmu_session_close_group() - the opposite; what its source has to say is kept.  Context: lock
 * held.
 */
void pmu_session_close_group(struct pmu_session_group *group);

/** pmu_session_any_open() - has any thread a region open?  Context: lock held. */
bool pmu_session_any_open(void);

/**
 * pmu_session_change_group() - for all threads: each attaches to it at its next call
 * Context: lock held; no region is open.  Return: 0 or a negative errno.
 */
int pmu_session_change_group(unsigned int next);

/** pmu_session_tell() - a text for the store, and for those of children that are forked */
void pmu_session_tell(enum pmu_meta_key key, const char *text);

/**
 * pmu_session_describe() - what the store should know of program, machine and source.  Context:
 * lock held.
 */
void pmu_session_describe(void);

/**
 * pmu_session_rank() - this process's MPI rank as its launcher's environment has it, digits; NULL:
 * none.
 */
const char *pmu_session_rank(void);
/** pmu_session_ranks() - how many ranks the launcher has started, likewise. */
const char *pmu_session_ranks(void);

/**
 * pmu_session_describe_pinning() - how threads are pinned by now, where that has changed.  Context:
 * lock held.
 */
void pmu_session_describe_pinning(void);

/** pmu_sink_open() - a duplicate of the program's descriptor @fd, out of its way. */
void pmu_sink_open(struct pmu_sink *sink, int fd);
void pmu_sink_close(struct pmu_sink *sink);

/** pmu_sink_write() - 0; -EBADF where it was closed or is something else by now; other errnos. */
int pmu_sink_write(const struct pmu_sink *sink, const char *text, size_t len);

/**
 * pmu_session_say() - one line on the program's standard error, "pmu: " before and a newline after
 * it.
 */
void pmu_session_say(const char *fmt, ...) PMU_PRINTF(1, 2);

/** pmu_session_model() - everything measured so far, metrics included.  Context: lock held. */
int pmu_session_model(struct pmu_model **model);

/** pmu_output_wants_stdout() - PMU_OUTPUT names "-". */
bool pmu_output_wants_stdout(void);

/** pmu_output_write_all() - the reports that PMU_OUTPUT asks for.  Return: 0 or the first error. */
int pmu_output_write_all(const struct pmu_model *model);

/** A report that is ready to go, and where to. */
struct pmu_output {
	const char *configured; /* a path of PMU_OUTPUT, "-", or NULL for standard error */
	struct pmu_strbuf text;
	char *path; /* of a file; found and kept from others */
	int lock;   /* descriptor of the lock on names, -1 */
};

/**
 * pmu_output_prepare() - render it and find its name.  Context: lock held.  Return: 0, for
 * pmu_output_send().
 */
int pmu_output_prepare(struct pmu_output *output, const struct pmu_model *model,
		       const char *configured);

/**
 * pmu_output_name() - only find the name of what somebody else writes, and keep it from others
 * Context: lock held.  Return: 0, for pmu_output_forget(); a negative errno with a sentence.
 */
int pmu_output_name(struct pmu_output *output);
void pmu_output_forget(struct pmu_output *output);

/** pmu_output_send() - write it, and forget it.  Context: the lock need not be held. */
int pmu_output_send(struct pmu_output *output);

/**
 * pmu_session_inside() - is the calling thread in a call of this library (so this is a signal
 * handler)?
 */
bool pmu_session_inside(void);

/**
 * pmu_session_unshare() - in a forked child: the parent's table is out of reach of what was
 * interrupted.
 */
void pmu_session_unshare(void);

/** pmu_session_publish() - let threads in (positive) or keep them out (-1). */
void pmu_session_publish(int32_t epoch);

/** pmu_session_next_epoch() - one that no thread has seen. */
int32_t pmu_session_next_epoch(void);

#endif
