/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the object that an address lies in, its symbols in its file or beside it, and the name. */
#include "bindings/preload/symbols/symbols.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bindings/preload/inside.h"
#include "bindings/preload/keep.h"
#include "bindings/preload/preload.h"
#include "bindings/preload/symbols/elf.h"

#define DEBUG_FOLDER "/usr/lib/debug"
#define PATH_SIZE    4096
/* Longer symbols are cut, and then no names of C++ any more. */
#define MANGLED_MAX 65536

/* An object of the process as the loader tells of it. */
struct where {
	uintptr_t address; /* that was asked for */
	uintptr_t bias;    /* address here less address in the file */
	const char *path;
	const ElfW(Phdr) * header;
	size_t n_headers;
	unsigned long long unloaded; /* how many objects have been, so far */
	bool is_program, is_found;
};

/* Which file it was: another one may come to the same place under the same name. */
struct identity {
	dev_t device;
	ino_t inode;
	off_t size;
	struct timespec changed;
};

/* What is known of an object; stays when it is gone, for it may come back. */
struct object {
	struct object *next;
	const char *path, *name; /* name: for people */
	uintptr_t bias;
	uint64_t memory; /* hash of headers and build id as loaded */
	unsigned long long unloaded;
	struct identity file;
	bool is_program;
	struct preload_elf elf;
};

static struct object *objects; /* preload_lock() */

/* --- what the loader knows --- */

static bool is_inside(const struct dl_phdr_info *info, uintptr_t address)
{
	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];

		if (segment->p_type == PT_LOAD &&
		    address - (info->dlpi_addr + segment->p_vaddr) < segment->p_memsz)
			return true;
	}
	return false;
}

static int look_at(struct dl_phdr_info *info, size_t size, void *data)
{
	struct where *where = data;
	bool is_first = where->is_program;

	where->is_program = false;
	if (!is_inside(info, where->address))
		return 0;
	where->is_found = true;
	where->is_program = is_first;
	where->bias = info->dlpi_addr;
	where->path = info->dlpi_name ? info->dlpi_name : "";
	where->header = info->dlpi_phdr;
	where->n_headers = info->dlpi_phnum;
	if (size >= offsetof(struct dl_phdr_info, dlpi_subs) + sizeof(info->dlpi_subs))
		where->unloaded = info->dlpi_subs;
	return 1;
}

static struct where find_where(const void *address)
{
	/* the program is told of first */
	struct where where = { .address = (uintptr_t)address, .is_program = true };

	dl_iterate_phdr(look_at, &where);
	return where;
}

static const void *vdso(const struct where *where)
{
	const void *start = (const void *)getauxval(AT_SYSINFO_EHDR);

	if (!start || where->is_program)
		return NULL;
	for (size_t i = 0; i < where->n_headers; i++)
		if (where->header[i].p_type == PT_LOAD && !where->header[i].p_offset &&
		    where->bias + where->header[i].p_vaddr == (uintptr_t)start)
			return start;
	return NULL;
}

static uint64_t hash_memory(const struct where *where, struct preload_id *id)
{
	uint64_t hash = preload_hash(0, where->header, where->n_headers * sizeof(*where->header));

	*id = (struct preload_id){ 0 };
	for (size_t i = 0; i < where->n_headers && !id->size; i++)
		if (where->header[i].p_type == PT_NOTE)
			preload_id_read((const void *)(where->bias + where->header[i].p_vaddr),
					where->header[i].p_memsz, id);
	return preload_hash(hash, id->byte, id->size);
}

static const char *path_of(const struct where *where)
{
	return where->is_program ? "/proc/self/exe" : where->path;
}

static struct identity identify(const struct where *where)
{
	struct stat st;

	if (vdso(where) || stat(path_of(where), &st) < 0)
		return (struct identity){ 0 };
	return (struct identity){ st.st_dev, st.st_ino, st.st_size, st.st_mtim };
}

static bool is_same_file(const struct identity *a, const struct identity *b)
{
	return a->device == b->device && a->inode == b->inode && a->size == b->size &&
	       a->changed.tv_sec == b->changed.tv_sec && a->changed.tv_nsec == b->changed.tv_nsec;
}

/* --- files --- */

/* Regular files only: what else has a name may block, or change things when it is opened. */
static int open_bytes(const char *path, struct preload_bytes *bytes)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
		close(fd);
		return -ENOEXEC;
	}
	*bytes = (struct preload_bytes){ .fd = fd, .size = (uint64_t)st.st_size };
	return 0;
}

static bool is_same_id(const struct preload_id *a, const struct preload_id *b)
{
	return a->size == b->size && !memcmp(a->byte, b->byte, a->size);
}

/*
 * The symbols that were stripped, if this is the file they are in: by build id, else by checksum.
 */
static bool take_debug_file(struct preload_elf *elf, const char *path)
{
	struct preload_bytes bytes;
	struct preload_elf debug;
	uint32_t crc = 0;
	bool is_it;

	if (open_bytes(path, &bytes))
		return false;
	is_it = !preload_elf_read(&bytes, &debug) && debug.full;
	if (is_it && elf->id.size && debug.id.size)
		is_it = is_same_id(&elf->id, &debug.id);
	else if (is_it)
		is_it = elf->link[0] && !preload_crc(&bytes, &crc) && crc == elf->link_crc;
	close(bytes.fd);
	if (!is_it) {
		preload_elf_free(&debug);
		return false;
	}
	/* what the object itself says of itself stays */
	debug.id = elf->id;
	debug.headers = elf->headers;
	preload_elf_free(elf);
	*elf = debug;
	return true;
}

static void find_debug_file(struct preload_elf *elf, const char *object_path, char *path)
{
	static const char *const places[] = { "%.*s/%s", "%.*s/.debug/%s", DEBUG_FOLDER "%.*s/%s" };
	const char *slash = strrchr(object_path, '/');
	int at;

	if (elf->id.size > 1) {
		at = snprintf(path, PATH_SIZE, DEBUG_FOLDER "/.build-id/%02x/", elf->id.byte[0]);
		for (size_t i = 1; i < elf->id.size; i++)
			at += snprintf(path + at, PATH_SIZE - (size_t)at, "%02x", elf->id.byte[i]);
		snprintf(path + at, PATH_SIZE - (size_t)at, ".debug");
		if (take_debug_file(elf, path))
			return;
	}
	for (size_t i = 0; i < PRELOAD_ARRAY_LEN(places) && elf->link[0] && slash; i++) {
		at = snprintf(path, PATH_SIZE, places[i], (int)(slash - object_path), object_path,
			      elf->link);
		if (at < PATH_SIZE && take_debug_file(elf, path))
			return;
	}
}

/* The program's own path, for what lies beside it and as a name; "" where it cannot be told. */
static void program_path(char *path)
{
	ssize_t len = readlink("/proc/self/exe", path, PATH_SIZE - 1);
	static const char deleted[] = " (deleted)";

	path[len > 0 ? len : 0] = '\0';
	if (len > (ssize_t)strlen(deleted) && !strcmp(path + len - strlen(deleted), deleted))
		path[len - (ssize_t)strlen(deleted)] = '\0';
}

/* --- objects --- */

static void read_memory(struct object *object, const struct where *where, const void *start)
{
	struct preload_bytes bytes = { .fd = -1, .memory = start };
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	for (size_t i = 0; i < where->n_headers; i++)
		if (where->header[i].p_type == PT_LOAD && !where->header[i].p_offset)
			bytes.size = (where->header[i].p_filesz + page - 1) / page * page;
	(void)preload_elf_read(&bytes, &object->elf);
}

/* A file that is not what was loaded, replaced since then, has the wrong names. */
static void read_file(struct object *object, const struct where *where, const struct preload_id *id,
		      char *scratch)
{
	struct preload_bytes bytes;
	int rc;

	if (open_bytes(path_of(where), &bytes))
		return;
	rc = preload_elf_read(&bytes, &object->elf);
	close(bytes.fd);
	if (rc)
		return;
	if (!is_same_id(&object->elf.id, id) ||
	    object->elf.headers !=
		    preload_hash(0, where->header, where->n_headers * sizeof(*where->header)))
		preload_elf_free(&object->elf);
	else if (!object->elf.full)
		find_debug_file(&object->elf, object->path, scratch);
}

static struct object *new_object(const struct where *where)
{
	struct object *object = preload_keep(sizeof(*object));
	char *path = preload_map((size_t)2 * PATH_SIZE);
	const char *slash, *text = where->path;
	struct preload_id id;

	if (path && where->is_program) {
		program_path(path);
		text = path;
	}
	if (!object || !path ||
	    !(object->path = preload_keep_text(text, strnlen(text, PATH_SIZE - 1)))) {
		object = NULL;
		goto out;
	}
	slash = strrchr(object->path, '/');
	object->name = slash ? slash + 1 : object->path;
	object->is_program = where->is_program;
	object->bias = where->bias;
	object->memory = hash_memory(where, &id);
	object->unloaded = where->unloaded;
	object->file = identify(where);
	if (vdso(where))
		read_memory(object, where, vdso(where));
	else
		read_file(object, where, &id, path + PATH_SIZE);
	object->next = objects;
	objects = object;
out:
	if (path)
		preload_unmap(path, (size_t)2 * PATH_SIZE);
	return object;
}

static bool is_still(struct object *object, const struct where *where)
{
	struct preload_id id;
	struct identity file;

	if (object->bias != where->bias || object->is_program != where->is_program ||
	    (!where->is_program && strcmp(object->path, where->path) != 0))
		return false;
	if (object->is_program || object->unloaded == where->unloaded)
		return true;
	if (object->memory != hash_memory(where, &id))
		return false;
	file = identify(where);
	if (!is_same_file(&object->file, &file))
		return false;
	object->unloaded = where->unloaded;
	return true;
}

/* preload_lock() */
static struct object *object_at(const struct where *where)
{
	if (!where->is_found)
		return NULL;
	for (struct object *object = objects; object; object = object->next)
		if (is_still(object, where))
			return object;
	return new_object(where);
}

const void *preload_place_object(const void *address)
{
	struct where where = find_where(address);
	const struct object *object;
	int saved = errno, cancel;

	if (!preload_lock())
		return NULL;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	object = object_at(&where);
	pthread_setcancelstate(cancel, NULL);
	preload_unlock();
	errno = saved;
	return object;
}

const char *preload_object_path(const void *address, uintptr_t *bias)
{
	struct where where = find_where(address);

	if (bias)
		*bias = where.bias;
	return where.path;
}

/* --- names --- */

static const char *keep_unnamed(const struct object *object, uintptr_t address)
{
	char offset[32];
	size_t len = object ? strlen(object->name) : 0;
	char *text;

	snprintf(offset, sizeof(offset), "%s0x%llx", object ? "+" : "",
		 (unsigned long long)(object ? address - object->bias : address));
	if (len > PMU_NAME_MAX - sizeof(offset))
		len = PMU_NAME_MAX - sizeof(offset);
	text = preload_keep(len + strlen(offset) + 1);
	if (!text)
		return NULL;
	if (object)
		memcpy(text, object->name, len);
	memcpy(text + len, offset, strlen(offset) + 1);
	return text;
}

/* Template arguments of so many levels are kept of a name that is too long, then fewer. */
#define LEVELS_MOST 6

/* Without the template arguments of deeper levels.  Signs of operators are no brackets. */
static void fold_templates(char *name, int levels)
{
	static const char operator[] = "operator";
	char *to = name;
	int depth = 0;

	for (const char *from = name; *from; from++) {
		if (!strncmp(from, operator, strlen(operator))) {
			size_t n = strlen(operator) + strspn(from + strlen(operator), "<>=-");

			if (depth <= levels) {
				memmove(to, from, n);
				to += n;
			}
			from += n - 1;
			continue;
		}
		depth -= *from == '>' && from[-1] != '-';
		if (depth <= levels)
			*to++ = *from;
		depth += *from == '<';
	}
	*to = '\0';
}

/* As long as a region's name may be: what is cut ends in dots. */
static const char *keep_name(const char *name)
{
	static const char dots[] = "...";
	size_t len = strlen(name);
	char *text = preload_keep((len > PMU_NAME_MAX ? PMU_NAME_MAX : len) + 1);

	if (!text)
		return NULL;
	if (len <= PMU_NAME_MAX)
		return memcpy(text, name, len + 1);
	memcpy(text, name, PMU_NAME_MAX - strlen(dots));
	memcpy(text + PMU_NAME_MAX - strlen(dots), dots, sizeof(dots));
	return text;
}

/* As the linker has it. */
static void take_symbol(struct preload_place *place, const char *name, uintptr_t start,
			uintptr_t size)
{
	place->name = preload_keep_text(name, strnlen(name, MANGLED_MAX));
	place->start = start;
	place->size = size;
	place->is_symbol = true;
}

/* By the object's file; where that has no symbol for it, by the loader. */
static void name_place(const struct object *object, const Dl_info *loader, uintptr_t address,
		       struct preload_place *place)
{
	const struct preload_elf_symbol *symbol = NULL;

	place->object = object;
	if (object)
		symbol = preload_elf_find(&object->elf, address - object->bias);
	if (symbol)
		take_symbol(place, object->elf.text + symbol->name,
			    object->bias + (uintptr_t)symbol->value, (uintptr_t)symbol->size);
	else if (loader->dli_sname && loader->dli_saddr)
		take_symbol(place, loader->dli_sname, (uintptr_t)loader->dli_saddr, 0);
	else
		place->name = keep_unnamed(object, address);
}

/* Into what a region may be called. */
static int make_readable(struct preload_place *place)
{
	char *plain = place->is_symbol ? preload_demangle(place->name) : NULL;

	if (!plain && strlen(place->name) <= PMU_NAME_MAX)
		return 0;
	for (int levels = LEVELS_MOST; plain && levels >= 0 && strlen(plain) > PMU_NAME_MAX;
	     levels--)
		fold_templates(plain, levels);
	if (!preload_lock()) {
		free(plain);
		return -EBUSY;
	}
	place->name = keep_name(plain ? plain : place->name);
	preload_unlock();
	free(plain);
	return place->name ? 0 : -ENOMEM;
}

static int find_place(const void *address, struct preload_place *place)
{
	struct where where = find_where(address);
	const struct object *object;
	Dl_info loader = { 0 };

	if (!preload_lock())
		return -EBUSY;
	object = object_at(&where);
	if (object && !object->elf.n_symbols) {
		/* takes the loader's lock */
		preload_unlock();
		if (!dladdr(address, &loader))
			loader = (Dl_info){ 0 };
		if (!preload_lock())
			return -EBUSY;
	}
	name_place(object, &loader, (uintptr_t)address, place);
	preload_unlock();
	return place->name ? make_readable(place) : -ENOMEM;
}

int preload_place_find(const void *address, struct preload_place *place)
{
	int saved = errno, cancel, rc;

	*place = (struct preload_place){ 0 };
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	rc = find_place(address, place);
	pthread_setcancelstate(cancel, NULL);
	errno = saved;
	return rc;
}

const char *preload_symbol(const void *address)
{
	struct preload_place place;

	return preload_place_find(address, &place) ? NULL : place.name;
}
