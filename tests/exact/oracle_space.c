/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the library's code lies in a process, by /proc/PID/maps, and its functions, by its symbols. */
#include "oracle_space.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "oracle_text.h"

#define BREAKPOINT 0xcc

struct range {
	uint64_t first, end;
	bool is_library;
};

struct function {
	uint64_t address;
	char *name;
	bool is_known;
	int place; /* in the caller's names */
};

struct space {
	pid_t pid;
	struct range *range;
	size_t n_ranges, last;
	struct function *function;
	size_t n_functions;
	char library[4096]; /* the file that has these functions */
	uint64_t trap, init;
};

struct space *space_new(pid_t pid)
{
	struct space *space = text_alloc(sizeof(*space));

	space->pid = pid;
	return space;
}

struct space *space_copy(const struct space *from, pid_t pid)
{
	struct space *space = space_new(pid);

	space->trap = from->trap;
	strcpy(space->library, from->library);
	space->n_functions = from->n_functions;
	space->function = text_grow(NULL, (from->n_functions + 1) * sizeof(*space->function));
	for (size_t i = 0; i < from->n_functions; i++) {
		space->function[i] = from->function[i];
		space->function[i].name = text_copy(from->function[i].name);
	}
	return space;
}

void space_free(struct space *space)
{
	for (size_t i = 0; i < space->n_functions; i++)
		free(space->function[i].name);
	free(space->function);
	free(space->range);
	free(space);
}

size_t space_read(pid_t pid, uint64_t address, void *to, size_t size)
{
	const size_t page = 4096;
	size_t n = 0;

	while (n < size) { /* a page at a time, as the next one may not be there */
		size_t part = page - (address + n) % page;
		struct iovec from = { (void *)(uintptr_t)(address + n), part },
			     here = { (char *)to + n, part };

		if (part > size - n)
			from.iov_len = here.iov_len = part = size - n;
		if (process_vm_readv(pid, &here, 1, &from, 1, 0) != (ssize_t)part)
			break;
		n += part;
	}
	return n;
}

/* --- functions of the library --- */

static void add_symbols(struct space *space, uint64_t base, const Elf64_Sym *symbol, size_t n,
			const char *names)
{
	space->function = text_grow(space->function,
				    (space->n_functions + n + 1) * sizeof(*space->function));
	for (size_t i = 0; i < n; i++)
		if (ELF64_ST_TYPE(symbol[i].st_info) == STT_FUNC && symbol[i].st_shndx != SHN_UNDEF)
			space->function[space->n_functions++] =
				(struct function){ .address = base + symbol[i].st_value,
						   .name = text_copy(names + symbol[i].st_name) };
}

static void find_init(struct space *space, uint64_t base, const Elf64_Dyn *entry, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (entry[i].d_tag == DT_INIT)
			space->init = base + entry[i].d_un.d_val;
}

static void read_sections(struct space *space, uint64_t base, const char *file, size_t size)
{
	const Elf64_Ehdr *head = (const void *)file;
	const Elf64_Shdr *section = (const void *)(file + head->e_shoff);

	if (size < sizeof(*head) || head->e_ident[EI_CLASS] != ELFCLASS64 ||
	    head->e_shoff + (uint64_t)head->e_shnum * sizeof(*section) > size)
		fail("%s is no shared library of this machine", space->library);
	for (int i = 0; i < head->e_shnum; i++) {
		const char *data = file + section[i].sh_offset;

		if (section[i].sh_type == SHT_DYNSYM)
			add_symbols(space, base, (const void *)data,
				    section[i].sh_size / sizeof(Elf64_Sym),
				    file + section[section[i].sh_link].sh_offset);
		if (section[i].sh_type == SHT_DYNAMIC)
			find_init(space, base, (const void *)data,
				  section[i].sh_size / sizeof(Elf64_Dyn));
	}
}

static void read_symbols(struct space *space, uint64_t base, const char *path)
{
	struct stat is;
	void *file;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || fstat(fd, &is) < 0)
		fail("cannot read %s", path);
	file = mmap(NULL, (size_t)is.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (file == MAP_FAILED)
		fail("cannot map %s", path);
	close(fd);
	snprintf(space->library, sizeof(space->library), "%s", path);
	read_sections(space, base, file, (size_t)is.st_size);
	munmap(file, (size_t)is.st_size);
}

static int find_name(const char *name, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(names[i], name))
			return (int)i;
	return FUNCTION_OTHER;
}

int space_function(struct space *space, uint64_t address, const char *const *names, size_t n)
{
	struct function *function = NULL;

	for (size_t i = 0; !function && i < space->n_functions; i++)
		if (space->function[i].address == address)
			function = &space->function[i];
	if (!function)
		return FUNCTION_NONE;
	if (!function->is_known)
		function->place = find_name(function->name, names, n);
	function->is_known = true;
	return function->place;
}

uint64_t space_address(const struct space *space, const char *name)
{
	for (size_t i = 0; i < space->n_functions; i++)
		if (!strcmp(space->function[i].name, name))
			return space->function[i].address;
	return 0;
}

/* --- the map --- */

/* Somewhere in its code the byte is there, as a part of another instruction. */
static void find_trap(struct space *space, const struct range *range)
{
	size_t size = range->end - range->first;
	unsigned char *code = text_alloc(size), *found;

	found = memchr(code, BREAKPOINT, space_read(space->pid, range->first, code, size));
	if (found)
		space->trap = range->first + (uint64_t)(found - code);
	free(code);
}

static bool is_librarys(const char *path)
{
	const char *name = strrchr(path, '/');

	return name && !strncmp(name, "/libpmu", 7);
}

static bool has_functions(const char *path)
{
	return strstr(path, "/libpmu.so") != NULL;
}

static void add_range(struct space *space, uint64_t first, uint64_t end, const char *path)
{
	struct range *range;

	space->range = text_grow(space->range, (space->n_ranges + 1) * sizeof(*space->range));
	range = &space->range[space->n_ranges++];
	*range = (struct range){ first, end, is_librarys(path) };
	if (has_functions(path) && !space->trap)
		find_trap(space, range);
}

static void read_map(struct space *space)
{
	char name[32], line[4200], mode[8], path[4096];
	unsigned long first, end, offset;
	FILE *map;

	sprintf(name, "/proc/%d/maps", space->pid);
	map = fopen(name, "r");
	space->n_ranges = space->last = 0;
	while (map && fgets(line, sizeof(line), map)) {
		path[0] = '\0';
		if (sscanf(line, "%lx-%lx %7s %lx %*s %*s %4095[^\n]", &first, &end, mode, &offset,
			   path) < 4)
			continue;
		if (has_functions(path) && !offset && strcmp(space->library, path))
			read_symbols(space, first, path);
		if (mode[2] == 'x')
			add_range(space, first, end, path);
	}
	if (map)
		fclose(map);
}

uint64_t space_find_library(struct space *space)
{
	read_map(space);
	return space->trap ? space->init : 0;
}

static const struct range *find_range(struct space *space, uint64_t address)
{
	for (size_t i = 0; i < space->n_ranges; i++) {
		size_t at = (space->last + i) % space->n_ranges;

		if (address >= space->range[at].first && address < space->range[at].end) {
			space->last = at;
			return &space->range[at];
		}
	}
	return NULL;
}

bool space_is_library(struct space *space, uint64_t address)
{
	const struct range *range = find_range(space, address);

	if (!range) {
		read_map(space);
		range = find_range(space, address);
	}
	return range && range->is_library;
}

bool space_is_named(const struct space *space, const char *name)
{
	char path[32];
	struct stat status;
	bool is_named = false;
	void *file;
	int fd;

	sprintf(path, "/proc/%d/exe", space->pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &status) < 0 || !status.st_size)
		goto out;
	file = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (file == MAP_FAILED)
		goto out;
	is_named = memmem(file, (size_t)status.st_size, name, strlen(name) + 1);
	munmap(file, (size_t)status.st_size);
out:
	if (fd >= 0)
		close(fd);
	return is_named;
}

uint64_t space_trap(const struct space *space)
{
	return space->trap;
}
