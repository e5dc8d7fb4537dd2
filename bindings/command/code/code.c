/* SPDX-License-Identifier: BSD-3-Clause */
/* What stands at an address of a program's code: whose it is, and what that says of it. */
#include "bindings/command/code/code.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/index.h"
#include "base/textfile.h"
#include "bindings/command/code/lines.h"
#include "bindings/command/code/object.h"
#include "bindings/command/code/vdso.h"
#include "bindings/preload/symbols/symbols.h"

#define MOST_TEXT  (256u << 20)
#define MOST_FILES 65536u

/** A file, the kernel, or what a process has compiled. */
struct source {
	struct source *next;
	char *path;
	int64_t pid; /* of what it has compiled; else 0 */
	const char *name;
	struct pmu_code_object *object;
	char *text;     /* or lines of symbols */
	off_t map_size; /* of what a process has compiled, when that was read */
	struct pmu_code_symbols symbols;
};

/** A text that was made, once. */
struct text {
	struct text *next;
	char is[];
};

struct pmu_code {
	struct source *sources; /* that which was asked last comes first */
	size_t n_sources;
	struct pmu_index index; /* of texts */
	struct text *texts;
};

struct pmu_code *pmu_code_new(void)
{
	/* elfutils would ask servers for debugging information that is not here */
	unsetenv("DEBUGINFOD_URLS");
	return calloc(1, sizeof(struct pmu_code));
}

const char *pmu_code_why(void)
{
	return pmu_code_object_why();
}

static void free_source(struct source *source)
{
	pmu_code_object_close(source->object);
	pmu_code_symbols_free(&source->symbols);
	free(source->text);
	free(source->path);
	free(source);
}

void pmu_code_free(struct pmu_code *code)
{
	struct source *source;
	struct text *text;

	if (!code)
		return;
	while ((source = code->sources)) {
		code->sources = source->next;
		free_source(source);
	}
	while ((text = code->texts)) {
		code->texts = text->next;
		free(text);
	}
	pmu_index_free(&code->index);
	free(code);
}

/* --- texts --- */

static bool is_text(const void *wanted, uintptr_t thing)
{
	return !strcmp(wanted, ((const struct text *)thing)->is);
}

/* "" without memory */
static const char *keep(struct pmu_code *code, const char *is)
{
	size_t len = strlen(is);
	uint32_t hash = pmu_hash_text(is, len);
	struct pmu_index_place *place;
	struct text *text;

	if (pmu_index_reserve(&code->index, 1) < 0)
		return "";
	place = pmu_index_find(&code->index, hash, is_text, is);
	if (place->thing)
		return ((const struct text *)place->thing)->is;
	text = malloc(sizeof(*text) + len + 1);
	if (!text)
		return "";
	memcpy(text->is, is, len + 1);
	text->next = code->texts;
	code->texts = text;
	pmu_index_take(&code->index, place, hash, (uintptr_t)text);
	return text->is;
}

static const char *keep_name(struct pmu_code *code, const char *name)
{
	char *demangled = preload_demangle(name), *bare;
	const char *kept;

	/* "name@@VERSION" in symbol tables of separate files */
	bare = demangled ? demangled : strndup(name, strcspn(name, "@"));
	kept = bare ? keep(code, bare) : "";
	free(bare);
	return kept;
}

static const char *keep_place(struct pmu_code *code, const char *name, uint64_t address)
{
	char text[4096 + 32];

	snprintf(text, sizeof(text), "%.4096s+0x%" PRIx64, name, address);
	return keep(code, text);
}

/* --- sources --- */

static void read_text_symbols(struct source *source, const char *path,
			      void (*read)(char *text, struct pmu_code_symbols *symbols))
{
	size_t len;

	if (!pmu_textfile_read(path, MOST_TEXT, &source->text, &len))
		read(source->text, &source->symbols);
}

static struct pmu_code_object *open_vdso(void)
{
	struct pmu_code_object *object;
	int fd = pmu_code_vdso();
	char path[64];

	if (fd < 0)
		return NULL;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	object = pmu_code_object_open(path);
	close(fd);
	return object;
}

struct pmu_code_object *pmu_code_open(const char *path)
{
	if (!strcmp(path, "[vdso]"))
		return open_vdso();
	return path[0] == '/' ? pmu_code_object_open(path) : NULL;
}

static off_t find_map(const struct source *source, char *path, size_t size)
{
	struct stat st;

	snprintf(path, size, "/tmp/perf-%" PRId64 ".map", source->pid);
	return stat(path, &st) ? -1 : st.st_size;
}

static void read_map(struct source *source)
{
	char path[64];

	/* what is added meanwhile makes it larger than that */
	source->map_size = find_map(source, path, sizeof(path));
	read_text_symbols(source, path, pmu_code_read_perf_map);
	source->name = source->text ? "[jit]" : "";
}

static void open_source(struct source *source)
{
	const char *slash = strrchr(source->path, '/');

	source->name = slash ? slash + 1 : source->path;
	if (!strcmp(source->path, "[kernel]")) {
		read_text_symbols(source, "/proc/kallsyms", pmu_code_read_kallsyms);
	} else if (source->pid) {
		read_map(source);
	} else {
		source->object = pmu_code_open(source->path);
	}
}

static struct source *add_code_source(struct pmu_code *code, const char *path, int64_t pid)
{
	struct source *source = code->n_sources < MOST_FILES ? calloc(1, sizeof(*source)) : NULL;

	if (!source)
		return NULL;
	source->path = strdup(path);
	if (!source->path) {
		free(source);
		return NULL;
	}
	source->pid = pid;
	open_source(source);
	code->n_sources++;
	return source;
}

static struct source *find_source(struct pmu_code *code, const char *path, int64_t pid)
{
	struct source **link = &code->sources, *source;

	while ((source = *link) && (source->pid != pid || strcmp(source->path, path) != 0))
		link = &source->next;
	if (source)
		*link = source->next;
	else
		source = add_code_source(code, path, pid);
	if (source) {
		source->next = code->sources;
		code->sources = source;
	}
	return source;
}

void pmu_code_renew(struct pmu_code *code)
{
	for (struct source *source = code->sources; source; source = source->next) {
		char path[64];

		if (!source->pid || find_map(source, path, sizeof(path)) <= source->map_size)
			continue;
		pmu_code_symbols_free(&source->symbols);
		free(source->text);
		source->text = NULL;
		read_map(source);
	}
}

/* --- an address --- */

static struct pmu_code_place place_in_object(struct pmu_code *code, const struct source *source,
					     uint64_t offset)
{
	struct pmu_code_place place = pmu_code_named("", source->name);
	struct pmu_code_found found = { .address = offset };

	if (source->object) {
		found = pmu_code_object_find(source->object, offset);
		place.path = source->path;
		place.build_id = pmu_code_object_build_id(source->object);
	}
	place.address = found.address;
	place.start = found.has_start ? found.start : found.address;
	place.size = found.size;
	if (found.name)
		place.function = keep_name(code, found.name);
	else
		place.function = keep_place(code, source->name,
					    found.has_start ? found.start : found.address);
	if (found.file && found.line) {
		place.file = keep(code, found.file);
		place.line = found.line;
	}
	return place;
}

static struct pmu_code_place place_by_lines(struct pmu_code *code, const struct source *source,
					    uint64_t address)
{
	const struct pmu_code_symbol *symbol = pmu_code_symbols_find(&source->symbols, address);
	struct pmu_code_place place = pmu_code_named("", source->name);

	if (symbol)
		place.function = keep_name(code, symbol->name);
	else if (source->name[0])
		place.function = source->name;
	else
		place.function = "code without a file";
	return place;
}

bool pmu_code_has_kernel(const struct pmu_code *code)
{
	const struct source *source = code->sources;

	while (source && strcmp(source->path, "[kernel]") != 0)
		source = source->next;
	return source;
}

struct pmu_code_place pmu_code_find(struct pmu_code *code, const struct pmu_code_at *at)
{
	bool of_process = !at->path[0];
	const struct source *source = find_source(code, at->path, of_process ? at->pid : 0);

	if (!source)
		return pmu_code_named("code", "");
	if (of_process || !strcmp(at->path, "[kernel]"))
		return place_by_lines(code, source, at->address);
	return place_in_object(code, source, at->offset);
}
