/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a command is before it is started: found as execvp() finds it, and can anything be preloaded
 * into it?
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <paths.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "bindings/command/command.h"
#include "bindings/command/run.h"

/* Linux: as much of a script's first line as the kernel looks at. */
#define SCRIPT_LINE 256
/* Scripts whose interpreter is a script; Linux follows five (exec_binprm). */
#define SCRIPTS_MAX 5
/* Linux refuses more than 64 KiB of program headers (load_elf_phdrs). */
#define PHDRS_MAX (65536 / sizeof(ElfW(Phdr)))

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

/* --- the search --- */

static bool is_executable(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode) &&
	       !faccessat(AT_FDCWD, path, X_OK, AT_EACCESS);
}

/* In PATH, or in what execvp() takes without it; an empty element is the working directory. */
bool pmu_run_search(const char *command, char *path, size_t size)
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
		int n = snprintf(path, size, "%.*s%s%s", (int)len, list, len ? "/" : "./", command);

		if (n > 0 && (size_t)n < size && is_executable(path))
			return true;
		list += len;
		if (!*list)
			return false;
	}
}

/* --- the file --- */

static bool read_at(int fd, void *to, size_t size, uint64_t offset)
{
	return offset <= INT64_MAX - size && pread(fd, to, size, (off_t)offset) == (ssize_t)size;
}

/* PT_INTERP's text: the loader.  Return: 1; 0 without one; -1 where the headers are no sense. */
static int loader_of(int fd, const ElfW(Ehdr) * head, char *loader, size_t size)
{
	ElfW(Phdr) phdr;

	if (head->e_phentsize != sizeof(phdr) || !head->e_phnum || head->e_phnum > PHDRS_MAX)
		return -1;
	for (unsigned int i = 0; i < head->e_phnum; i++) {
		if (head->e_phoff > INT64_MAX / 2 ||
		    !read_at(fd, &phdr, sizeof(phdr), head->e_phoff + i * sizeof(phdr)))
			return -1;
		if (phdr.p_type != PT_INTERP)
			continue;
		if (phdr.p_filesz < 2 || phdr.p_filesz > size ||
		    !read_at(fd, loader, phdr.p_filesz, phdr.p_offset))
			return -1;
		return loader[phdr.p_filesz - 1] ? -1 : 1;
	}
	return 0;
}

static bool same_file(const char *a, const char *b)
{
	struct stat x, y;

	return !stat(a, &x) && !stat(b, &y) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* Our own; "" where we cannot tell. */
static void own_loader(char *loader, size_t size)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	ElfW(Ehdr) head;

	loader[0] = '\0';
	if (fd < 0)
		return;
	if (!read_at(fd, &head, sizeof(head), 0) || loader_of(fd, &head, loader, size) != 1)
		loader[0] = '\0';
	close(fd);
}

/* e_ident[4..5] and e_machine: of another kind of processor, or another mode of this one. */
static bool is_of_another_kind(const ElfW(Ehdr) * head)
{
	return head->e_ident[EI_CLASS] != OWN_CLASS || head->e_ident[EI_DATA] != OWN_DATA ||
	       (OWN_MACHINE != EM_NONE && head->e_machine != OWN_MACHINE);
}

static void look_elf(int fd, const char *path, struct pmu_run_target *target)
{
	char loader[PATH_MAX], own[PATH_MAX];
	ElfW(Ehdr) head;

	if (!read_at(fd, &head, sizeof(head), 0) || is_of_another_kind(&head)) {
		snprintf(target->why, sizeof(target->why),
			 "%s is for another kind of processor than this libpmu", path);
		target->no_preload = target->no_script = true;
		return;
	}
	own_loader(own, sizeof(own));
	switch (loader_of(fd, &head, loader, sizeof(loader))) {
	case 0:
		/* the loader itself was asked to start a program */
		if (!own[0] || !same_file(path, own))
			snprintf(target->why, sizeof(target->why), "%s is statically linked", path);
		return;
	case 1:
		if (!own[0] || same_file(loader, own))
			return;
		snprintf(target->why, sizeof(target->why),
			 "%s is linked with another C library (%s)", path, loader);
		target->no_preload = true;
		return;
	default:
		snprintf(target->why, sizeof(target->why), "%s has ELF headers that make no sense",
			 path);
		target->no_preload = target->no_script = true;
	}
}

/*
 * AT_SECURE in the program (capabilities(7), ld.so(8)): it gets rights that we do not have, so the
 * loader ignores us.
 */
static void look_rights(int fd, const char *path, struct pmu_run_target *target)
{
	struct statvfs fs;
	struct stat st;

	if (target->why[0] || fstat(fd, &st) || prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 ||
	    (!fstatvfs(fd, &fs) && fs.f_flag & ST_NOSUID))
		return;
	if (st.st_mode & S_ISUID && st.st_uid != getuid())
		snprintf(target->why, sizeof(target->why),
			 "%s is setuid: it takes no libraries from its caller", path);
	else if ((st.st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP) && st.st_gid != getgid())
		snprintf(target->why, sizeof(target->why),
			 "%s is setgid: it takes no libraries from its caller", path);
	else if (getuid() && fgetxattr(fd, "security.capability", NULL, 0) > 0)
		snprintf(target->why, sizeof(target->why),
			 "%s has file capabilities: it takes no libraries from its caller", path);
}

/* "#! interpreter argument".  Return: whether there is an interpreter. */
static bool interpreter_of(const char *line, size_t len, char *path, size_t size)
{
	const char *end = line + len, *at = line + 2;
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

/* One file.  Return: whether @next has the interpreter that is to be looked at in its place. */
static bool look_file(const char *path, struct pmu_run_target *target, char *next, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	char line[SCRIPT_LINE];
	bool script = false;
	ssize_t n;

	if (fd < 0)
		return false; /* executable, not readable */
	n = pread(fd, line, sizeof(line), 0);
	if (n >= 2 && line[0] == '#' && line[1] == '!') {
		script = interpreter_of(line, (size_t)n, next, size);
	} else if (n >= SELFMAG && !memcmp(line, ELFMAG, SELFMAG)) {
		look_elf(fd, path, target);
		look_rights(fd, path, target);
	} else if (n >= 0) {
		/* execvp(): what the kernel does not know is a script of the shell's */
		snprintf(next, size, "%s", _PATH_BSHELL);
		script = true;
	}
	close(fd);
	return script;
}

void pmu_run_look(const char *command, struct pmu_run_target *target)
{
	char path[PATH_MAX], next[PATH_MAX];

	*target = (struct pmu_run_target){ .no_preload = false };
	if (strchr(command, '/'))
		snprintf(path, sizeof(path), "%s", command);
	else if (!pmu_run_search(command, path, sizeof(path)))
		return;
	snprintf(target->path, sizeof(target->path), "%s", path);
	for (int i = 0; i < SCRIPTS_MAX && look_file(path, target, next, sizeof(next)); i++)
		memcpy(path, next, sizeof(path));
}
