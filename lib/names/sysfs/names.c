/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists the kernel's folders of PMUs, formats and events. */
#include "names/sysfs/names.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/strbuf.h"

/* Several times what the largest PMUs have; also a limit to how long a folder is read. */
#define MOST_NAMES   4096
#define MOST_ENTRIES 65536

/* What can stand between slashes and commas, and in a sentence. */
static bool is_word(const char *name)
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.+@";
	size_t len = strnlen(name, PMU_SYSFS_NAME_MAX);

	return len && len < PMU_SYSFS_NAME_MAX && name[0] != '.' && strspn(name, letters) == len;
}

static bool names_have_room(struct pmu_sysfs_names *names)
{
	size_t room = names->room ? 2 * names->room : 32;
	void *grown;

	if (names->n < names->room)
		return true;
	if (names->n >= MOST_NAMES)
		return false;
	grown = realloc(names->name, room * sizeof(names->name[0]));
	if (!grown)
		return false;
	names->name = grown;
	names->room = room;
	return true;
}

void pmu_sysfs_names_add(struct pmu_sysfs_names *names, const char *folder,
			 bool (*keep)(char *name))
{
	DIR *dir = opendir(folder);
	const struct dirent *entry;

	if (!dir)
		return;
	for (int i = 0; i < MOST_ENTRIES && (entry = readdir(dir)) && names_have_room(names); i++) {
		char *name = names->name[names->n];

		if (!is_word(entry->d_name))
			continue;
		memcpy(name, entry->d_name, strlen(entry->d_name) + 1);
		if (!keep || keep(name))
			names->n++;
	}
	closedir(dir);
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(a, b);
}

void pmu_sysfs_names_sort(struct pmu_sysfs_names *names)
{
	size_t kept = 0;

	if (!names->n)
		return;
	qsort(names->name, names->n, sizeof(names->name[0]), compare_names);
	for (size_t i = 1; i < names->n; i++)
		if (strcmp(names->name[i], names->name[kept]) != 0 && ++kept != i)
			memcpy(names->name[kept], names->name[i], sizeof(names->name[0]));
	names->n = kept + 1;
}

void pmu_sysfs_names_free(struct pmu_sysfs_names *names)
{
	free(names->name);
	*names = (struct pmu_sysfs_names){ 0 };
}

const char *pmu_sysfs_names_find(const struct pmu_sysfs_names *names, const char *word)
{
	const char *found = NULL;

	for (size_t i = 0; i < names->n; i++) {
		if (!strcmp(names->name[i], word))
			return names->name[i];
		if (!strcasecmp(names->name[i], word))
			found = names->name[i];
	}
	return found;
}

const char *pmu_sysfs_names_nearest(const struct pmu_sysfs_names *names,
				    const struct pmu_sysfs_names *more, const char *word)
{
	size_t n = names->n + (more ? more->n : 0), at = 0;
	const char **list = calloc(n + 1, sizeof(*list)), *near;

	if (!list)
		return NULL;
	for (size_t i = 0; i < names->n; i++)
		list[at++] = names->name[i];
	for (size_t i = 0; more && i < more->n; i++)
		list[at++] = more->name[i];
	near = pmu_closest(word, list);
	free(list);
	return near;
}

void pmu_sysfs_names_text(const struct pmu_sysfs_names *names, char *text, size_t size)
{
	size_t len = 0;

	snprintf(text, size, "none");
	for (size_t i = 0; i < names->n; i++) {
		/* room for ", ..." is kept */
		if (len + strlen(names->name[i]) + 8 > size) {
			if (len)
				snprintf(text + len, size - len, ", ...");
			return;
		}
		len += (size_t)snprintf(text + len, size - len, "%s%s", len ? ", " : "",
					names->name[i]);
	}
}
