/* SPDX-License-Identifier: BSD-3-Clause */
/* The session: the one mutable global, and what starts and ends it. */
#ifndef PMU_SESSION_SESSION_H
#define PMU_SESSION_SESSION_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "session/control.h"
#include "session/groups.h"
#include "session/sink.h"
#include "session/steal.h"
#include "session/thread.h"
#include "settings/config.h"
#include "store/brief.h"
#include "store/table.h"

/** Which process a session or its lock belongs to. */
enum pmu_owner {
	PMU_OWNER_PARENT = 0, /* the parent process's: this is a child */
	PMU_OWNER_SELF = 1,
	PMU_OWNER_CHANGING = 2, /* a thread of the child is letting go of the parent's parts */
};

/** A forked child that has used no region yet: region/forked.h */
struct pmu_waiting {
	int32_t pid; /* the process that waits; a child has a copy with its parent's */
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
	bool kept;     /* PMU_STORE: the table stays, and the command makes the report */
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
	struct pmu_steal steal; /* at the start */
	struct pmu_control control;
	char *folder; /* the working folder at the start; NULL: unknown */
	struct pmu_sink err, out;
};

extern struct pmu_session pmu_session __attribute__((visibility("hidden")));

/** pmu_session_lock(), _unlock() - the session's lock. */
void pmu_session_lock(void);
void pmu_session_unlock(void);
/** pmu_session_lock_within() - the same, unless it takes longer.  Return: whether it is held. */
bool pmu_session_lock_within(unsigned int seconds);

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

/** pmu_session_model() - everything measured so far, metrics included.  Context: lock held. */
int pmu_session_model(struct pmu_model **model);

/**
 * pmu_session_publish() - let threads in (positive), who attach anew, or keep them out (-1).  Where measuring is
 * switched off they come in when it is on again.
 */
void pmu_session_publish(int32_t epoch);

/** pmu_session_next_epoch() - one that no thread has seen. */
int32_t pmu_session_next_epoch(void);

#endif
