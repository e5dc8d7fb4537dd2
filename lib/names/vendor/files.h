/* SPDX-License-Identifier: BSD-3-Clause */
/* The event files of one CPU, for the code that reads, indexes and searches them. */
#ifndef PMU_NAMES_VENDOR_FILES_H
#define PMU_NAMES_VENDOR_FILES_H

#include "base/index.h"
#include "base/strbuf.h"
#include "machine/cpu.h"
#include "names/vendor/file.h"

#define PMU_VENDOR_MAX_FILES    64
#define PMU_VENDOR_MAX_STANDARD 16 /* files of an architecture's standard events */

struct pmu_vendor_files {
	char *folder;       /* NULL: the library's own tables */
	const char *wanted; /* of those only events that this text may mean; NULL all */
	struct pmu_cpu_id id;
	unsigned int n_files;
	struct pmu_vendor_file file[PMU_VENDOR_MAX_FILES];
	struct pmu_vendor_file
		standard[PMU_VENDOR_MAX_STANDARD]; /* Linux's, events of an architecture */
	unsigned int n_standard;
	bool has_e; /* a file of E cores */
	struct pmu_strbuf missing;
	struct pmu_vendor_entry **entry; /* of all files, in their order */
	uint32_t n_entries;
	/* the first of each; of each that is the same but for words that are spelled in two ways */
	struct pmu_index by_name, respelled;
};

/** pmu_vendor_index() - the names of all that was read.  Return: 0; -ENOMEM with a sentence. */
int pmu_vendor_index(struct pmu_vendor_files *files);

/** pmu_vendor_first() - the first event of a name, the rest by @next; NULL: none */
const struct pmu_vendor_entry *pmu_vendor_first(const struct pmu_vendor_files *files,
						const char *name);

/** pmu_vendor_first_respelled() - the same for names with words in another spelling, by
 * @next_respelled */
const struct pmu_vendor_entry *pmu_vendor_first_respelled(const struct pmu_vendor_files *files,
							  const char *name);

#endif
