/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds a group's file: the user's own, then the shipped ones. */
#include "names/file/file.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/textfile.h"
#include "names/file/parts.h"

#define ENDING ".group"

/* --- folders --- */

/* Until one says something else than 0. */
typedef int visit_folder(void *arg, const char *folder);

static int visit_made(visit_folder *visit, void *arg, char *folder)
{
	int rc = folder ? visit(arg, folder) : 0;

	free(folder);
	return rc;
}

static int visit_path(visit_folder *visit, void *arg)
{
	const char *path = secure_getenv("PMU_GROUP_PATH");
	int rc = 0;

	while (path && *path && !rc) {
		size_t len = strcspn(path, ":");

		if (len)
			rc = visit_made(visit, arg, strndup(path, len));
		path += len;
		path += *path == ':';
	}
	return rc;
}

/* XDG Base Directory Specification: relative paths do not count. */
static int visit_own(visit_folder *visit, void *arg)
{
	const char *config = secure_getenv("XDG_CONFIG_HOME"), *home = secure_getenv("HOME");
	bool given = config && config[0] == '/';
	char *folder = NULL;

	if (!given && (!home || home[0] != '/'))
		return 0;
	if (asprintf(&folder, given ? "%s/pmu/groups" : "%s/.config/pmu/groups",
		     given ? config : home) < 0)
		return 0;
	return visit_made(visit, arg, folder);
}

static int visit_folders(visit_folder *visit, void *arg)
{
	int rc = visit_path(visit, arg);

	return rc ? rc : visit_own(visit, arg);
}

/* The group's name in "NAME.group"; false: it is no such file. */
static bool name_of_file(const char *file, const char *ending, char *name, size_t size)
{
	size_t len = strlen(file), more = strlen(ending);

	if (len <= more || len - more >= size || strcmp(file + len - more, ending) != 0 ||
	    file[0] == '.')
		return false;
	memcpy(name, file, len - more);
	name[len - more] = '\0';
	return true;
}

/* --- files --- */

static int read_group_file(const char *path, char **text, size_t *len)
{
	int rc = pmu_textfile_read(path, PMU_GROUP_FILE_MAX, text, len);

	if (rc == -EFBIG)
		return pmu_fail(EINVAL, "%s: more than %d bytes", path, PMU_GROUP_FILE_MAX);
	if (rc)
		return pmu_fail(EINVAL, "cannot read %s: %s", path,
				rc == -ENOTSUP ? "it is no regular file" : strerror(-rc));
	return 0;
}

/* A group that is looked for, and the file that it is in. */
struct search {
	const char *name, *ending;
	struct pmu_group_text *found;
};

static int look_in(void *arg, const char *folder)
{
	struct search *search = arg;
	struct pmu_group_text *found = search->found;
	DIR *dir = opendir(folder);
	struct dirent *entry;

	while (dir && !found->path && (entry = readdir(dir)))
		if (name_of_file(entry->d_name, search->ending, found->name, sizeof(found->name)) &&
		    !strcasecmp(found->name, search->name) &&
		    asprintf(&found->path, "%s/%s", folder, entry->d_name) < 0)
			found->path = NULL;
	if (dir)
		closedir(dir);
	return found->path != NULL;
}

int pmu_group_text_load(const char *name, const char *ending, struct pmu_group_text *text)
{
	struct search search = { .name = name, .ending = ending, .found = text };
	int rc;

	memset(text, 0, sizeof(*text));
	if (!visit_folders(look_in, &search))
		return -ENOENT;
	rc = read_group_file(text->path, &text->text, &text->len);
	if (rc)
		pmu_group_text_free(text);
	return rc;
}

void pmu_group_text_free(struct pmu_group_text *text)
{
	free(text->text);
	free(text->path);
	text->text = text->path = NULL;
}

int pmu_group_file_find(const char *name, struct pmu_catalog *catalog, struct pmu_group *group)
{
	struct pmu_group_text file;
	int rc = pmu_group_text_load(name, ENDING, &file);

	if (rc)
		return rc == -ENOENT ? pmu_group_shipped_find(name, catalog, group) : rc;
	rc = pmu_group_file_parse(file.text, file.len, file.path, file.name, catalog, group);
	pmu_group_text_free(&file);
	return rc;
}

int pmu_group_shipped_find(const char *name, struct pmu_catalog *catalog, struct pmu_group *group)
{
	char origin[PMU_GROUP_NAME_MAX + sizeof(ENDING)];

	for (const struct pmu_group_shipped *file = pmu_group_shipped; file->name; file++) {
		if (strcasecmp(file->name, name) != 0)
			continue;
		snprintf(origin, sizeof(origin), "%s" ENDING, file->name);
		return pmu_group_file_parse(file->text, strlen(file->text), origin, file->name,
					    catalog, group);
	}
	return pmu_fail(ENOENT, "there is no group \"%.60s\"", name);
}

/* --- all of them --- */

struct listed {
	char name[PMU_GROUP_NAME_MAX];
	char *path; /* NULL: shipped */
	const char *text;
};

struct list {
	const char *ending;
	struct listed *file;
	size_t n, room;
};

/* The first of a name wins.  What has no room is not listed. */
static void list_group_file(struct list *list, const char *name, const char *folder,
			    const char *file, const char *text)
{
	struct listed *more, *to;

	for (size_t i = 0; i < list->n; i++)
		if (!strcasecmp(list->file[i].name, name))
			return;
	if (list->n == list->room) {
		more = realloc(list->file, (list->room * 2 + 32) * sizeof(*more));
		if (!more)
			return;
		list->file = more;
		list->room = list->room * 2 + 32;
	}
	to = &list->file[list->n];
	*to = (struct listed){ .text = text };
	snprintf(to->name, sizeof(to->name), "%s", name);
	if (folder && asprintf(&to->path, "%s/%s", folder, file) < 0)
		return;
	list->n++;
}

static int list_folder(void *arg, const char *folder)
{
	struct list *list = arg;
	DIR *dir = opendir(folder);
	struct dirent *entry;
	char name[PMU_GROUP_NAME_MAX];

	while (dir && (entry = readdir(dir)))
		if (name_of_file(entry->d_name, list->ending, name, sizeof(name)))
			list_group_file(list, name, folder, entry->d_name, NULL);
	if (dir)
		closedir(dir);
	return 0;
}

static int by_listed_name(const void *a, const void *b)
{
	return strcasecmp(((const struct listed *)a)->name, ((const struct listed *)b)->name);
}

static void about_file(const struct listed *file, char *about, size_t size)
{
	char *text = NULL;
	size_t len = file->path ? 0 : strlen(file->text);
	int rc = file->path ? read_group_file(file->path, &text, &len) : 0;

	if (rc || pmu_group_file_about(file->path ? text : file->text, len,
				       file->path ? file->path : file->name, about, size) < 0)
		snprintf(about, size, "%s", pmu_error_text());
	free(text);
}

/* In the order of their names; the list's memory goes with it. */
static void list_end(struct list *list, void (*each)(void *arg, const struct listed *file),
		     void *arg)
{
	if (list->n)
		qsort(list->file, list->n, sizeof(*list->file), by_listed_name);
	for (size_t i = 0; i < list->n; i++) {
		each(arg, &list->file[i]);
		free(list->file[i].path);
	}
	free(list->file);
}

struct tell {
	void (*each)(void *arg, const char *name, const char *about, const char *origin);
	void *arg;
};

static void tell_file(void *arg, const struct listed *file)
{
	const struct tell *tell = arg;
	char about[PMU_ERROR_MAX];

	about_file(file, about, sizeof(about));
	tell->each(tell->arg, file->name, about, file->path ? file->path : "");
}

void pmu_group_file_each(void (*each)(void *arg, const char *name, const char *about,
				      const char *origin),
			 void *arg)
{
	struct list list = { .ending = ENDING };
	struct tell tell = { each, arg };

	visit_folders(list_folder, &list);
	for (const struct pmu_group_shipped *file = pmu_group_shipped; file->name; file++)
		list_group_file(&list, file->name, NULL, NULL, file->text);
	list_end(&list, tell_file, &tell);
}

struct tell_text {
	void (*each)(void *arg, const char *name, const struct pmu_group_text *text);
	void *arg;
};

static void tell_text(void *arg, const struct listed *file)
{
	const struct tell_text *tell = arg;
	struct pmu_group_text text = { .path = file->path };

	if (!read_group_file(file->path, &text.text, &text.len))
		tell->each(tell->arg, file->name, &text);
	else
		pmu_error_clear();
	free(text.text);
}

void pmu_group_text_each(const char *ending,
			 void (*each)(void *arg, const char *name,
				      const struct pmu_group_text *text),
			 void *arg)
{
	struct list list = { .ending = ending };
	struct tell_text tell = { each, arg };

	visit_folders(list_folder, &list);
	list_end(&list, tell_text, &tell);
}

struct tell_name {
	void (*each)(void *arg, const char *name);
	void *arg;
};

static void tell_name(void *arg, const struct listed *file)
{
	const struct tell_name *tell = arg;

	tell->each(tell->arg, file->name);
}

void pmu_group_file_names(void (*each)(void *arg, const char *name), void *arg)
{
	struct list list = { .ending = ENDING };
	struct tell_name tell = { each, arg };

	visit_folders(list_folder, &list);
	for (const struct pmu_group_shipped *file = pmu_group_shipped; file->name; file++)
		list_group_file(&list, file->name, NULL, NULL, file->text);
	list_end(&list, tell_name, &tell);
}
