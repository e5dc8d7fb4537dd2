/* SPDX-License-Identifier: BSD-3-Clause */
/* What a process has mapped that can be executed, from when it was first asked on. */
#ifndef PMU_COMMAND_SAMPLE_MAPS_H
#define PMU_COMMAND_SAMPLE_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Files of all kinds, by their number. */
enum pmu_sample_file {
	PMU_SAMPLE_NO_FILE, /* anonymous memory, or memory of which nothing is known: path "" */
	PMU_SAMPLE_KERNEL,  /* "[kernel]" */
	PMU_SAMPLE_FILES,   /* those of maps */
};

struct pmu_sample_map {
	uint64_t start, end, offset;
	uint32_t file;
};

struct pmu_sample_maps {
	struct pmu_sample_map *map; /* by start; none overlaps the next */
	size_t n, room;
	char **path; /* of the files from PMU_SAMPLE_FILES on */
	uint32_t n_paths;
};

/** An address, and where its function was called from, as it is told apart from others. */
struct pmu_sample_at {
	uint32_t file;
	uint32_t chain; /* 1 + number of a struct pmu_sample_chains' call; 0: not known */
	uint64_t at;    /* offset in the file; of what is in none the address */
};

/**
 * pmu_sample_maps_read() - those of a process, in place of what is there
 * @text: /proc/PID/maps (proc(5)); lines that make no sense are left out
 */
void pmu_sample_maps_read(struct pmu_sample_maps *maps, const char *text);

/**
 * pmu_sample_maps_read_process() - the same of a process that runs
 * Return: 0; a negative errno, as of one that has just died, and they are as they were.
 */
int pmu_sample_maps_read_process(struct pmu_sample_maps *maps, int pid);

/** pmu_sample_maps_add() - one more, in place of what it covers.  Return: 0 or -ENOMEM. */
int pmu_sample_maps_add(struct pmu_sample_maps *maps, uint64_t start, uint64_t end, uint64_t offset,
			const char *path);

/** pmu_sample_maps_find() - without its chain */
struct pmu_sample_at pmu_sample_maps_find(const struct pmu_sample_maps *maps, uint64_t address);

/** pmu_sample_maps_has() - is anything mapped there, also memory of no file? */
bool pmu_sample_maps_has(const struct pmu_sample_maps *maps, uint64_t address);

/** pmu_sample_maps_file() - a file's number, by its path.  Return: 0 or -ENOMEM. */
int pmu_sample_maps_file(struct pmu_sample_maps *maps, const char *path, uint32_t *file);

/** pmu_sample_maps_path() - of a file's number */
const char *pmu_sample_maps_path(const struct pmu_sample_maps *maps, uint32_t file);

void pmu_sample_maps_free(struct pmu_sample_maps *maps);

#endif
