/* SPDX-License-Identifier: BSD-3-Clause */
/* One of Intel's event files in memory: its events as they are written there. */
#ifndef PMU_NAMES_VENDOR_FILE_H
#define PMU_NAMES_VENDOR_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A file with more is refused. */
#define PMU_VENDOR_MAX_EVENTS 65536

/** One event; texts lie in the file's own. */
struct pmu_vendor_entry {
	const char *name, *about, *unit, *filter;
	const char *counter_type; /* "FREERUN", ...; "" */
	const char *errata;       /* "SKL091"; "" */
	/* Linux's: the standard event that has the rest, the metric that it is; "" */
	const char *standard, *metric;
	const char *wrong; /* the member that could not be read; NULL none */
	size_t at;         /* the event's beginning in the text; of a table its line */
	uint64_t outline;  /* pmu_word_outline() of the name, once it is in the index */
	uint64_t code, umask, umask_ext, cmask;
	uint64_t msr_index, msr_value, port_mask, fc_mask, filter_value, ext_sel;
	uint64_t rd_wr_mask, slice, thread_mask; /* AMD's units */
	uint64_t config;                         /* ConfigCode */
	uint64_t given;                          /* bit i: the file has that member */
	uint64_t counters;                       /* bit i: general counter i can count it */
	int fixed;         /* number of the fixed counter as it is written; -1 none */
	bool fixed_from_0; /* it is counted from 0 for sure */
	bool fixed_uncore; /* "FIXED" */
	bool invert, edge, any, equal, deprecated;
	bool all_slices, all_cores; /* AMD's L3 */
	bool whole;                 /* code is all of what the kernel's PMU is told */
	bool described;             /* about is not in the file's text: memory of its own */
	uint8_t core_type;          /* 0, PMU_SLOT_P, PMU_SLOT_E: the file's */
	const struct pmu_vendor_file *file;
	/* in the indices: another of the same name */
	const struct pmu_vendor_entry *next, *next_respelled;
};

struct pmu_vendor_file {
	char *text; /* as it was read, strings cut out of it */
	size_t len;
	char *name; /* for sentences: folder and file */
	char *relative;
	uint32_t n;
	struct pmu_vendor_entry *entry;
	bool zero_based; /* fixed counters are numbered from 0 */
	bool is_linux;   /* of Linux's tools/perf/pmu-events */
	bool is_table;   /* of tables/: its text is names, cut out of lines */
};

/**
 * pmu_vendor_file_parse() - take the events out of a file's text
 * @file: text, len and name are set; text has a NUL behind its end
 *
 * What an event has that cannot be read is told when the event is asked for; a text that is no JSON
 * is told here.
 *
 * Return: 0; -EINVAL with a sentence that names the line; -ENOMEM.
 */
int pmu_vendor_file_parse(struct pmu_vendor_file *file, uint8_t core_type);

/**
 * pmu_vendor_file_settle() - what an event of Linux's leaves to others
 * @standard: files of the architecture's standard events, which stay where they are
 *
 * Events are completed from the standard ones, what is a metric or nothing is taken out, and kinds
 * of cores are told from units.
 */
void pmu_vendor_file_settle(struct pmu_vendor_file *file, const struct pmu_vendor_file *standard,
			    unsigned int n_standard);

/** pmu_vendor_file_free() - all but the structure itself */
void pmu_vendor_file_free(struct pmu_vendor_file *file);

/** pmu_vendor_file_line() - where an event begins */
unsigned int pmu_vendor_file_line(const struct pmu_vendor_entry *entry);

#endif
