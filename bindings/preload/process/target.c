/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a file is that is about to be started: its kind, its loader or interpreter, and where
 * execvp() finds it.
 */
#include "bindings/preload/process/target.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <paths.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Linux: as much of a script's first line as the kernel looks at. */
#define SCRIPT_LINE 256
/* Linux refuses more than 64 KiB of program headers (load_elf_phdrs). */
#define PHDRS_MAX (65536 / sizeof(ElfW(Phdr)))
/* More are no program that a linker has made. */
#define ENTRIES_MAX 4096
/* Linkers put the program headers and the loader's name first. */
#define HEAD_BYTES 1024

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define OWN_DATA ELFDATA2LSB
#else
#define OWN_DATA ELFDATA2MSB
#endif
#if __SIZEOF_POINTER__ == 8
#define OWN_CLASS ELFCLASS64
#else
#define OWN_CLASS ELFCLASS32
#endif
#if defined(__x86_64__)
#define OWN_MACHINE EM_X86_64
#elif defined(__aarch64__)
#define OWN_MACHINE EM_AARCH64
#else
#define OWN_MACHINE EM_NONE /* whatever the file says is taken for ours */
#endif

/* --- the file --- */

/* Its first bytes, and the way to the others. */
struct file {
	int fd;
	size_t n;
	char head[HEAD_BYTES];
};

static bool read_at(const struct file *file, void *to, size_t size, uint64_t offset)
{
	if (offset <= file->n && size <= file->n - offset) {
		memcpy(to, file->head + offset, size);
		return true;
	}
	return offset <= INT64_MAX - size &&
	       pread(file->fd, to, size, (off_t)offset) == (ssize_t)size;
}

enum found { IS_BROKEN = -1, IS_NOT, IS_FOUND };

/* The first program header of a type that has an address, or any where that is 0. */
static enum found find_header(const struct file *file, const ElfW(Ehdr) * head, uint32_t type,
			      uint64_t address, ElfW(Phdr) * phdr)
{
	if (head->e_phentsize != sizeof(*phdr) || !head->e_phnum || head->e_phnum > PHDRS_MAX ||
	    head->e_phoff > INT64_MAX / 2)
		return IS_BROKEN;
	for (unsigned int i = 0; i < head->e_phnum; i++) {
		if (!read_at(file, phdr, sizeof(*phdr), head->e_phoff + i * sizeof(*phdr)))
			return IS_BROKEN;
		if (phdr->p_type == type && (!address || address - phdr->p_vaddr < phdr->p_filesz))
			return IS_FOUND;
	}
	return IS_NOT;
}

/* PT_INTERP's text. */
static enum target_kind loader_of(const struct file *file, const ElfW(Ehdr) * head, char *loader,
				  size_t size)
{
	ElfW(Phdr) phdr;
	enum found found = find_header(file, head, PT_INTERP, 0, &phdr);

	if (found != IS_FOUND)
		return found == IS_NOT ? TARGET_STATIC : TARGET_BROKEN;
	if (phdr.p_filesz < 2 || phdr.p_filesz > size ||
	    !read_at(file, loader, phdr.p_filesz, phdr.p_offset) || loader[phdr.p_filesz - 1])
		return TARGET_BROKEN;
	return TARGET_DYNAMIC;
}

/* e_ident[4..5] and e_machine. */
static bool is_foreign(const ElfW(Ehdr) * head)
{
	return head->e_ident[EI_CLASS] != OWN_CLASS || head->e_ident[EI_DATA] != OWN_DATA ||
	       (OWN_MACHINE != EM_NONE && head->e_machine != OWN_MACHINE);
}

static enum target_kind look_elf(const struct file *file, char *loader, size_t size)
{
	enum target_kind kind;
	ElfW(Ehdr) head;

	if (!read_at(file, &head, sizeof(head), 0) || is_foreign(&head))
		return TARGET_FOREIGN;
	kind = loader_of(file, &head, loader, size);
	if (kind != TARGET_DYNAMIC)
		loader[0] = '\0';
	return kind;
}

/* "#! interpreter argument".  Return: whether there is an interpreter. */
static bool interpreter_of(const char *line, size_t len, char *path, size_t size)
{
	const char *end = line + (len < SCRIPT_LINE ? len : SCRIPT_LINE), *at = line + 2;
	size_t n = 0;

	while (at < end && (*at == ' ' || *at == '\t'))
		at++;
	while (at + n < end && at[n] && !strchr(" \t\n", at[n]))
		n++;
	if (!n || n >= size)
		return false;
	memcpy(path, at, n);
	path[n] = '\0';
	return true;
}

enum target_kind target_look(int fd, char *text, size_t size)
{
	struct file file = { .fd = fd };
	ssize_t n = pread(fd, file.head, sizeof(file.head), 0);

	text[0] = '\0';
	if (n < 0)
		return TARGET_UNREADABLE;
	file.n = (size_t)n;
	if (n >= 2 && file.head[0] == '#' && file.head[1] == '!')
		return interpreter_of(file.head, file.n, text, size) ? TARGET_SCRIPT
								     : TARGET_UNREADABLE;
	if (n >= SELFMAG && !memcmp(file.head, ELFMAG, SELFMAG))
		return look_elf(&file, text, size);
	memcpy(text, _PATH_BSHELL, sizeof(_PATH_BSHELL));
	return TARGET_TEXT;
}

/* --- what it is linked with --- */

/* From entry @from on, the first of a tag.  Return: its number; -1 where there is none. */
static int find_entry(const struct file *file, const ElfW(Phdr) * table, int64_t tag, int from,
		      ElfW(Dyn) * entry)
{
	uint64_t n = table->p_filesz / sizeof(*entry);

	for (int i = from; i < ENTRIES_MAX && (uint64_t)i < n; i++) {
		if (table->p_offset > INT64_MAX / 2 ||
		    !read_at(file, entry, sizeof(*entry),
			     table->p_offset + (uint64_t)i * sizeof(*entry)) ||
		    entry->d_tag == DT_NULL)
			return -1;
		if (entry->d_tag == tag)
			return i;
	}
	return -1;
}

static bool needs(const struct file *file, const char *start)
{
	size_t len = strlen(start);
	ElfW(Phdr) table, segment;
	ElfW(Dyn) entry;
	ElfW(Ehdr) head;
	uint64_t names;
	char name[16];

	if (!read_at(file, &head, sizeof(head), 0) || memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
	    is_foreign(&head) || find_header(file, &head, PT_DYNAMIC, 0, &table) != IS_FOUND ||
	    find_entry(file, &table, DT_STRTAB, 0, &entry) < 0 ||
	    find_header(file, &head, PT_LOAD, entry.d_un.d_ptr, &segment) != IS_FOUND)
		return false;
	names = segment.p_offset + (entry.d_un.d_ptr - segment.p_vaddr);
	for (int i = 0; (i = find_entry(file, &table, DT_NEEDED, i, &entry)) >= 0; i++)
		if (names <= INT64_MAX / 2 && entry.d_un.d_val <= INT32_MAX &&
		    len <= sizeof(name) && read_at(file, name, len, names + entry.d_un.d_val) &&
		    !memcmp(name, start, len))
			return true;
	return false;
}

bool target_needs(int fd, const char *start)
{
	struct file file = { .fd = fd };
	ssize_t n = pread(fd, file.head, sizeof(file.head), 0);

	file.n = n > 0 ? (size_t)n : 0;
	return needs(&file, start);
}

int target_open(int dir, const char *path)
{
	return openat(dir, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

bool target_same_file(const char *a, const char *b)
{
	struct stat x, y;

	return !stat(a, &x) && !stat(b, &y) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* --- the search --- */

/* A regular file that this process may execute. */
static bool is_executable(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode) &&
	       !faccessat(AT_FDCWD, path, X_OK, AT_EACCESS);
}

/* An element of PATH and a command; an empty element is the working directory. */
static bool join(const char *folder, size_t len, const char *command, char *path, size_t size)
{
	size_t command_len = strlen(command);

	if (!len) {
		folder = ".";
		len = 1;
	}
	if (command_len >= size || len + 1 >= size - command_len)
		return false;
	memcpy(path, folder, len);
	path[len] = '/';
	memcpy(path + len + 1, command, command_len + 1);
	return true;
}

bool target_search(const char *command, char *path, size_t size)
{
	const char *list = getenv("PATH");
	char fallback[256];

	if (!list) {
		if (!confstr(_CS_PATH, fallback, sizeof(fallback)))
			return false;
		list = fallback;
	}
	for (;; list++) {
		size_t len = strcspn(list, ":");

		if (join(list, len, command, path, size) && is_executable(path))
			return true;
		list += len;
		if (!*list)
			return false;
	}
}

/* --- LD_PRELOAD: blanks and colons separate (ld.so(8)) --- */

const char *target_next_word(const char **at, size_t *len)
{
	const char *word = *at + strspn(*at, " :");

	*len = strcspn(word, " :");
	*at = word + *len;
	return *len ? word : NULL;
}

static bool is_file(const char *path, size_t len, const char *name)
{
	size_t name_len = strlen(name);

	return len >= name_len && !memcmp(path + len - name_len, name, name_len) &&
	       (len == name_len || path[len - name_len - 1] == '/');
}

bool target_is_ours(const char *word, size_t len)
{
	static const char *const ours[] = { PRELOAD_NAME, PMU_NAME, MPI_NAME };

	for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
		if (is_file(word, len, ours[i]))
			return true;
	return false;
}

bool target_is_annotations(const char *path)
{
	return is_file(path, strlen(path), ANNOTATIONS_NAME);
}
