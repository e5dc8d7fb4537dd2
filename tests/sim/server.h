/* SPDX-License-Identifier: BSD-3-Clause */
/* Inside the program that shows a simulated machine as files: what its parts share. */
#ifndef PMU_SIM_SERVER_H
#define PMU_SIM_SERVER_H

#include <stdio.h>
#include <sys/types.h>

#include "model.h"

struct sim_text {
	char *text;
	size_t length, room;
};

struct sim_server {
	struct sim_machine *machine;
	size_t n_places;
	struct sim_place *place;
	bool batch;    /* there is a batch device */
	bool vanished; /* the devices are gone */
	/* opening them fails so: negative errno, of this processor or -1 all */
	int refused_cpu, refused;
	/* The so many-th access from now, 0 none, fails so, or its caller gets this signal. */
	uint64_t at;
	int at_error, at_signal;
	pid_t caller; /* the process that made this access */
	struct sim_text log, state;
	uint64_t n_log;
	FILE *copy; /* of the log, or NULL */
};

/* --- places.c --- */

/**
 * sim_places_load() - from an hwloc XML file.  0, or a negative errno with a line on standard
 * error.
 */
int sim_places_load(const char *xml, struct sim_place **place, size_t *n);

/* --- command.c --- */

/** sim_command() - one line of what is written to ctl: 0 or a negative errno */
int sim_command(struct sim_server *server, char *line);

/* --- access.c --- */

void sim_text_add(struct sim_text *text, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/** sim_log_line() - its number goes before it, a newline behind it */
void sim_log_line(struct sim_server *server, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/** sim_access() - one register, logged */
int sim_access(struct sim_server *server, int cpu, uint32_t address, bool write, uint64_t *value);
/** sim_batch() - msr-safe's ioctl for the process @pid: @data is its struct of 16 bytes */
int sim_batch(struct sim_server *server, pid_t pid, const void *data);
/** sim_state() - every register, "cpu address value" lines */
void sim_state(struct sim_server *server, struct sim_text *text);

#endif
