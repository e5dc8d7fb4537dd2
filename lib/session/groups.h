/* SPDX-License-Identifier: BSD-3-Clause */
/* The groups that a session counts, each by a source: opened, changed, closed. */
#ifndef PMU_SESSION_GROUPS_H
#define PMU_SESSION_GROUPS_H

#include <stdbool.h>

#include "counters/backend.h"
#include "plan/group.h"
#include "report/model/model.h"
#include "store/merge.h"
#include "store/row.h"

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

/**
 * pmu_session_is_exclusive() - is it opened only while it is counted?  Of a whole process the
 * events of every group would count at once, and be in each other's way.
 */
static inline bool pmu_session_is_exclusive(const struct pmu_session_group *group)
{
	return group->backend->exclusive || group->plan.scope == PMU_COUNT_PROCESS;
}

/**
 * pmu_session_choose_groups() - the configured groups, each with its source; nothing is opened
 * @emulated: say what it would be under valgrind
 * Context: configuration loaded.  Return: 0 or a negative errno.
 */
int pmu_session_choose_groups(enum pmu_emulation emulated);

/**
 * pmu_session_open_groups(), _close_groups() - choose the configured groups and open them; the
 * opposite, and of what is the sources' own
 * Context: lock held.  Return: 0 or a negative errno.
 */
int pmu_session_open_groups(void);
void pmu_session_close_groups(void);

/**
 * pmu_session_open_group() - make a group ready to be counted, by another source if need be
 * Context: lock held.  Return: 0 or a negative errno.
 */
int pmu_session_open_group(struct pmu_session_group *group);

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

/** pmu_session_note_remarks() - what sources have found out while they counted, into the table */
void pmu_session_note_remarks(void);

/**
 * pmu_session_put_back() - registers as they were before, of sources that write any
 * @model: of the report that is made; NULL: none is
 * Context: lock held; everything is read.
 */
void pmu_session_put_back(struct pmu_model *model);

#endif
