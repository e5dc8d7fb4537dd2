/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is counted for whole sockets, by region.
 *
 * A region's share is what a socket counted while at least one thread was in the region there: read
 * when the first one comes in and when the last one has left.  It has rows of its own, in a record
 * for each socket.
 */
#ifndef PMU_SESSION_SOCKETS_H
#define PMU_SESSION_SOCKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pmu_session_group;
struct pmu_socket_entry;
struct pmu_socket_region;
struct pmu_sockets;
struct pmu_thread;

/** A thread's part in the occupancy of a region, by path; all zero to begin with. */
struct pmu_occupancy {
	struct pmu_socket_region *region; /* NULL: not looked up yet */
	/* the socket's part that it is counted in now; NULL: none */
	struct pmu_socket_entry *entry;
	struct pmu_occupancy *next; /* in the thread's list of those that are */
};

/**
 * pmu_sockets_open() - make group->sockets, once the group's source is open for the first time
 *
 * NULL where nothing is counted for sockets; without memory, too, which a note says.
 *
 * Context: the session's lock, and so the next two.
 */
void pmu_sockets_open(struct pmu_session_group *group);

/** pmu_sockets_resume() - its source has been opened again, or another one in its place. */
void pmu_sockets_resume(struct pmu_session_group *group);

/**
 * pmu_sockets_stop() - before its source is closed: from now on reads are missing.  NULL does
 * nothing.
 */
void pmu_sockets_stop(struct pmu_sockets *sockets);

/**
 * pmu_sockets_note_spoiled() - what something else has counted in is missing: pmu_backend.spoiled()
 *
 * Context: the session's lock.  NULL does nothing.
 */
void pmu_sockets_note_spoiled(struct pmu_sockets *sockets);

/**
 * pmu_sockets_forked() - in a forked child: the same, without waiting for readers, which are the
 * parent's.
 */
void pmu_sockets_forked(struct pmu_sockets *sockets);

/** pmu_sockets_close() - no thread is attached any more; NULL does nothing. */
void pmu_sockets_close(struct pmu_sockets *sockets);

/**
 * pmu_sockets_attach(), _detach() - a thread counts the group now, or no longer.  Context: the
 * session's lock.
 */
void pmu_sockets_attach(struct pmu_thread *self);
void pmu_sockets_detach(struct pmu_thread *self);

/*
 * The rest is for the calling thread, where pmu_thread.sockets is set.
 */

/**
 * pmu_occupancy_place() - look up what pmu_occupancy_begin() needs
 * @around: of the region it is nested in, NULL for none
 * @flat: kept by name alone
 * Context: takes the session's lock where it is new.
 */
void pmu_occupancy_place(struct pmu_thread *self, struct pmu_occupancy *occupancy,
			 const struct pmu_occupancy *around, const char *name, size_t len,
			 bool flat);

/** pmu_occupancy_begin() - in, on the socket where the thread is */
void pmu_occupancy_begin(struct pmu_thread *self, struct pmu_occupancy *occupancy,
			 const struct pmu_occupancy *around);

/**
 * pmu_occupancy_end() - out, of the socket where it came in; @flags for its row: enum
 * pmu_store_row_flags
 */
void pmu_occupancy_end(struct pmu_thread *self, struct pmu_occupancy *occupancy,
		       unsigned int flags);

/** pmu_occupancy_give_up() - out without an end: where no other thread is in, nothing is added */
void pmu_occupancy_give_up(struct pmu_thread *self, struct pmu_occupancy *occupancy);

/** pmu_occupancy_flag() - flags for the row it is counted in */
void pmu_occupancy_flag(struct pmu_occupancy *occupancy, unsigned int flags);

/**
 * pmu_occupancy_reset() - its rows of all sockets start again from zero, from now where a thread is
 * in
 */
void pmu_occupancy_reset(struct pmu_thread *self, struct pmu_occupancy *occupancy);

#endif
