/* SPDX-License-Identifier: BSD-3-Clause */
/* Files of source, which may be anything, or not there. */
#include "bindings/command/annotate/source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/strbuf.h"
#include "base/textfile.h"

/* One that is larger was written by a program, and none of these has been seen. */
#define MOST_SOURCE (64u << 20)

static int split_lines(struct pmu_source *source, size_t len)
{
	char *at = source->text, *end = source->text + len;
	size_t n = 1;

	for (const char *c = at; c < end; c++)
		n += *c == '\n';
	source->start = calloc(n, sizeof(*source->start));
	if (!source->start)
		return -ENOMEM;
	while (at < end) {
		char *stop = memchr(at, '\n', (size_t)(end - at));

		source->start[source->n_lines++] = (size_t)(at - source->text);
		if (!stop)
			break;
		*stop = '\0';
		if (stop > at && stop[-1] == '\r')
			stop[-1] = '\0';
		at = stop + 1;
	}
	return 0;
}

/* Return: whether it is there, and then also what cannot be read. */
static bool try_source(struct pmu_source *source, const char *path)
{
	struct stat st;
	size_t len;

	if (stat(path, &st))
		return false;
	source->path = strdup(path);
	source->written = st.st_mtim;
	source->error = -pmu_textfile_read(path, MOST_SOURCE, &source->text, &len);
	if (!source->error && split_lines(source, len)) {
		source->error = ENOMEM;
		free(source->text);
		source->text = NULL;
	}
	return true;
}

static bool try_below(struct pmu_source *source, const char *folder, size_t len, const char *name)
{
	struct pmu_strbuf path = { 0 };
	bool found;

	pmu_strbuf_add_n(&path, folder, len);
	pmu_strbuf_addf(&path, "/%s", name);
	found = !path.failed && try_source(source, pmu_strbuf_text(&path));
	pmu_strbuf_free(&path);
	return found;
}

/* "/build/a/b.c": a source tree that was moved, by as much of the name as fits. */
static bool try_folder(struct pmu_source *source, const char *folder)
{
	for (const char *name = source->name; name; name = strchr(name, '/')) {
		name += strspn(name, "/");
		if (*name && try_below(source, folder, strlen(folder), name))
			return true;
	}
	return false;
}

static void look_for_source(struct pmu_source *source, const char *folder, const char *object)
{
	const char *slash = strrchr(object, '/');

	source->error = ENOENT;
	if (folder && try_folder(source, folder))
		return;
	if (try_source(source, source->name) || source->name[0] == '/')
		return;
	if (slash)
		try_below(source, object, (size_t)(slash - object), source->name);
}

struct pmu_source *pmu_source_find(struct pmu_source **list, const char *name, const char *folder,
				   const char *object)
{
	struct pmu_source *source = *list;

	while (source && strcmp(source->name, name) != 0)
		source = source->next;
	if (source)
		return source;
	source = calloc(1, sizeof(*source));
	if (source)
		source->name = strdup(name);
	if (!source || !source->name) {
		free(source);
		return NULL;
	}
	look_for_source(source, folder, object);
	source->next = *list;
	*list = source;
	return source;
}

const char *pmu_source_line(const struct pmu_source *source, uint32_t line)
{
	if (!source || !source->text || !line || line > source->n_lines)
		return NULL;
	return source->text + source->start[line - 1];
}

void pmu_source_free(struct pmu_source **list)
{
	struct pmu_source *source;

	while ((source = *list)) {
		*list = source->next;
		free(source->name);
		free(source->path);
		free(source->text);
		free(source->start);
		free(source);
	}
}
