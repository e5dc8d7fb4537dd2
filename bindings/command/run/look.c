/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a command is before it is started: found as execvp() finds it, and can anything be preloaded
 * into it?
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "bindings/command/command.h"
#include "bindings/command/run/run.h"
#include "bindings/preload/process/target.h"

/* Our own loader; "" where we cannot tell. */
static void own_loader(char *loader, size_t size)
{
	int fd = target_open(AT_FDCWD, "/proc/self/exe");

	if (fd < 0 || target_look(fd, loader, size) != TARGET_DYNAMIC)
		loader[0] = '\0';
	if (fd >= 0)
		close(fd);
}

static void say_static(const char *path, struct pmu_run_target *target)
{
	char own[PATH_MAX];

	own_loader(own, sizeof(own));
	/* the loader itself was asked to start a program */
	if (!own[0] || !target_same_file(path, own))
		snprintf(target->why, sizeof(target->why), "%s is statically linked", path);
}

static void say_dynamic(const char *path, const char *loader, struct pmu_run_target *target)
{
	char own[PATH_MAX];

	own_loader(own, sizeof(own));
	if (!own[0] || target_same_file(loader, own))
		return;
	snprintf(target->why, sizeof(target->why), "%s is linked with another C library (%s)", path,
		 loader);
	target->no_preload = true;
}

static void say_unfit(const char *path, const char *what, struct pmu_run_target *target)
{
	snprintf(target->why, sizeof(target->why), "%s %s", path, what);
	target->no_preload = target->no_script = true;
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

/* One file.  Return: whether @next has the interpreter that is to be looked at in its place. */
static bool look_file(const char *path, struct pmu_run_target *target, char *next, size_t size)
{
	int fd = target_open(AT_FDCWD, path);
	enum target_kind kind;

	if (fd < 0)
		return false; /* executable, not readable */
	kind = target_look(fd, next, size);
	switch (kind) {
	case TARGET_FOREIGN:
		say_unfit(path, "is for another kind of processor than this libpmu", target);
		break;
	case TARGET_BROKEN:
		say_unfit(path, "has ELF headers that make no sense", target);
		break;
	case TARGET_STATIC:
		say_static(path, target);
		break;
	case TARGET_DYNAMIC:
		say_dynamic(path, next, target);
		break;
	default:
		break;
	}
	if (kind == TARGET_STATIC || kind == TARGET_DYNAMIC)
		look_rights(fd, path, target);
	target->is_mpi = kind == TARGET_DYNAMIC && target_needs(fd, "libmpi");
	close(fd);
	return kind == TARGET_SCRIPT || kind == TARGET_TEXT;
}

void pmu_run_look(const char *command, struct pmu_run_target *target)
{
	char path[PATH_MAX], next[PATH_MAX];

	*target = (struct pmu_run_target){ .no_preload = false };
	if (strchr(command, '/'))
		snprintf(path, sizeof(path), "%s", command);
	else if (!target_search(command, path, sizeof(path)))
		return;
	snprintf(target->path, sizeof(target->path), "%s", path);
	for (int i = 0; i < TARGET_SCRIPTS_MAX && look_file(path, target, next, sizeof(next)); i++)
		memcpy(path, next, sizeof(path));
}
