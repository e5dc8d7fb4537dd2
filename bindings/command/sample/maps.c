/* SPDX-License-Identifier: BSD-3-Clause */
/* What a process has mapped that can be executed. */
#include "bindings/command/sample/maps.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/textfile.h"

/* /proc/PID/maps of 65,536 mappings with long names. */
#define MOST_MAPS_TEXT (64u << 20)

/* Compilers at run time map and unmap without end. */
#define MOST_MAPS  65536u
#define MOST_PATHS 16384u

/* A few hundred libraries at most, and the last one is often the next one's. */
int pmu_sample_maps_file(struct pmu_sample_maps *maps, const char *path, uint32_t *file)
{
	char **grown, *copy;

	for (uint32_t i = maps->n_paths; i > 0; i--)
		if (!strcmp(maps->path[i - 1], path)) {
			*file = PMU_SAMPLE_FILES + i - 1;
			return 0;
		}
	if (maps->n_paths == MOST_PATHS)
		return -ENOMEM;
	grown = reallocarray(maps->path, maps->n_paths + 1, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	maps->path = grown;
	copy = strdup(path);
	if (!copy)
		return -ENOMEM;
	maps->path[maps->n_paths++] = copy;
	*file = PMU_SAMPLE_FILES + maps->n_paths - 1;
	return 0;
}

/* The first that ends behind @address. */
static size_t first_behind(const struct pmu_sample_maps *maps, uint64_t address)
{
	size_t low = 0, high = maps->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (maps->map[middle].end > address)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

static bool make_maps_room(struct pmu_sample_maps *maps, size_t n)
{
	size_t room = maps->room ? 2 * maps->room : 64;
	struct pmu_sample_map *grown;

	if (maps->n + n <= maps->room)
		return true;
	grown = room > MOST_MAPS ? NULL : reallocarray(maps->map, room, sizeof(*grown));
	if (!grown)
		return false;
	maps->map = grown;
	maps->room = room;
	return true;
}

/* Makes place for [start, end): what is before it and behind it of others stays.  Needs room for one more. */
static size_t cut_out(struct pmu_sample_maps *maps, uint64_t start, uint64_t end)
{
	size_t first = first_behind(maps, start), last = first;
	struct pmu_sample_map *at = maps->map + first;

	if (first < maps->n && at->start < start) {
		if (at->end > end) {
			memmove(at + 1, at, (maps->n - first) * sizeof(*at));
			maps->n++;
		}
		at->end = start;
		first = ++last;
	}
	while (last < maps->n && maps->map[last].end <= end)
		last++;
	if (last < maps->n && maps->map[last].start < end) {
		maps->map[last].offset += end - maps->map[last].start;
		maps->map[last].start = end;
	}
	memmove(maps->map + first, maps->map + last, (maps->n - last) * sizeof(*at));
	maps->n -= last - first;
	return first;
}

int pmu_sample_maps_add(struct pmu_sample_maps *maps, uint64_t start, uint64_t end, uint64_t offset,
			const char *path)
{
	uint32_t file = PMU_SAMPLE_NO_FILE;
	size_t at;

	if (end <= start)
		return 0;
	/* "//anon" is what the kernel's records say of memory that is no file's */
	if (path[0] && strcmp(path, "//anon") != 0 && pmu_sample_maps_file(maps, path, &file) < 0)
		return -ENOMEM;
	if (!make_maps_room(maps, 2))
		return -ENOMEM;
	at = cut_out(maps, start, end);
	memmove(maps->map + at + 1, maps->map + at, (maps->n - at) * sizeof(*maps->map));
	maps->map[at] = (struct pmu_sample_map){ start, end, offset, file };
	maps->n++;
	return 0;
}

/* "START-END rwxp OFFSET MAJOR:MINOR INODE   PATH" */
static void read_line(struct pmu_sample_maps *maps, const char *line)
{
	uint64_t start, end, offset;
	char rights[5];
	int at = 0;

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %*s %*s %n", &start, &end, rights,
		   &offset, &at) < 4 ||
	    !at || !strchr(rights, 'x'))
		return;
	pmu_sample_maps_add(maps, start, end, offset, line + at);
}

void pmu_sample_maps_read(struct pmu_sample_maps *maps, const char *text)
{
	char line[4096 + 128];

	maps->n = 0;
	while (*text) {
		size_t len = strcspn(text, "\n");

		if (len < sizeof(line)) {
			memcpy(line, text, len);
			line[len] = '\0';
			read_line(maps, line);
		}
		text += len + (text[len] == '\n');
	}
}

int pmu_sample_maps_read_process(struct pmu_sample_maps *maps, int pid)
{
	char path[64], *text;
	size_t len;
	int rc;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	rc = pmu_textfile_read(path, MOST_MAPS_TEXT, &text, &len);
	if (rc < 0)
		return rc;
	if (len)
		pmu_sample_maps_read(maps, text);
	free(text);
	return len ? 0 : -ESRCH;
}

bool pmu_sample_maps_has(const struct pmu_sample_maps *maps, uint64_t address)
{
	size_t i = first_behind(maps, address);

	return i < maps->n && maps->map[i].start <= address;
}

struct pmu_sample_at pmu_sample_maps_find(const struct pmu_sample_maps *maps, uint64_t address)
{
	size_t i = first_behind(maps, address);
	const struct pmu_sample_map *map = i < maps->n ? &maps->map[i] : NULL;

	if (!map || map->start > address || map->file == PMU_SAMPLE_NO_FILE)
		return (struct pmu_sample_at){ .file = PMU_SAMPLE_NO_FILE, .at = address };
	return (struct pmu_sample_at){ .file = map->file,
				       .at = address - map->start + map->offset };
}

const char *pmu_sample_maps_path(const struct pmu_sample_maps *maps, uint32_t file)
{
	if (file == PMU_SAMPLE_KERNEL)
		return "[kernel]";
	return file < PMU_SAMPLE_FILES || file - PMU_SAMPLE_FILES >= maps->n_paths
		       ? ""
		       : maps->path[file - PMU_SAMPLE_FILES];
}

void pmu_sample_maps_free(struct pmu_sample_maps *maps)
{
	for (uint32_t i = 0; i < maps->n_paths; i++)
		free(maps->path[i]);
	free(maps->path);
	free(maps->map);
	*maps = (struct pmu_sample_maps){ 0 };
}
