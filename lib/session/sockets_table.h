/* SPDX-License-Identifier: BSD-3-Clause */
/* What the two halves of the sockets' counting share: the table of regions, and threads in them. */
#ifndef PMU_SESSION_SOCKETS_TABLE_H
#define PMU_SESSION_SOCKETS_TABLE_H

#include <pthread.h>

#include "base/index.h"
#include "session/session.h"
#include "session/sockets.h"

/* One region on one socket.  @row alone is looked at without the lock. */
struct pmu_socket_entry {
	pthread_mutex_t lock;
	uint32_t inside; /* threads */
	uint32_t socket; /* index; as many as there are: unknown */
	uint32_t id;     /* of the row */
	uint32_t start_missing;
	uint32_t nested;                 /* regions nested in it that are occupied; atomic */
	struct pmu_socket_entry *around; /* of the region around it, NULL for none */
	struct pmu_store_row *row;       /* NULL until a thread comes in; release */
	uint32_t n_published;            /* of its totals */
	uint16_t flags;                  /* of the row */
	uint64_t start_ticks;
	uint64_t start[PMU_MAX_SLOTS];
} __attribute__((aligned(64)));

/*
 * One region on one path, on all sockets.
 *
 * Its memory is wiped in a forked child: code that the fork interrupted finds its locks open and no
 * row, and leaves.  A lock that is all zero is a free one.
 */
struct pmu_socket_region {
	struct pmu_socket_region *parent;
	uint32_t name; /* id in the table */
	bool flat;
	struct pmu_socket_entry entry[]; /* [n + 1] */
};

struct pmu_sockets {
	/* These two hold while @open; a reader is counted first. */
	const struct pmu_backend *backend;
	void *source;
	bool open;
	uint32_t n_readers;
	unsigned int group;
	unsigned int n;
	bool process; /* there is one, which stands for the process */
	uint32_t n_slots;
	uint32_t slots; /* that are counted */
	enum pmu_clock_kind clock;
	struct pmu_index regions;
	struct pmu_sockets_piece *pieces;
	struct pmu_table_rows rows[]; /* [n + 1] */
};

/** pmu_sockets_use() - the source may be asked until pmu_sockets_release(); false: it is closed */
bool pmu_sockets_use(struct pmu_sockets *sockets);
void pmu_sockets_release(struct pmu_sockets *sockets);

/** pmu_sockets_read() - value[n_slots] of a socket; returns the slots that are missing */
uint32_t pmu_sockets_read(struct pmu_sockets *sockets, unsigned int socket, uint64_t *value);

/**
 * pmu_sockets_rows() - a row on that socket for a region and those around it
 * Context: takes the session's lock.  Return: 0; -ENOMEM, also where the session has ended.
 */
int pmu_sockets_rows(struct pmu_thread *self, struct pmu_socket_region *region,
		     unsigned int socket);

#endif
