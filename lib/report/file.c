/* SPDX-License-Identifier: BSD-3-Clause */
/* Where reports go: descriptors, and files that are replaced whole. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/retry.h"
#include "base/write.h"
#include "report/report.h"

#define LINKS_MAX 40
/* ".pmu-PID-NUMBER.tmp" */
#define TEMP_NAME_MAX 48
#define TEMP_TRIES    100u

/* Names that stand for an open descriptor; -1 for all others. */
static int descriptor_of(const char *path)
{
	static const char *const folders[] = { "/dev/fd/", "/proc/self/fd/" };

	if (!strcmp(path, "/dev/stdout"))
		return STDOUT_FILENO;
	if (!strcmp(path, "/dev/stderr"))
		return STDERR_FILENO;
	for (size_t i = 0; i < PMU_ARRAY_LEN(folders); i++) {
		size_t n = strlen(folders[i]);
		char *end;
		long fd;

		if (strncmp(path, folders[i], n) || path[n] < '0' || path[n] > '9')
			continue;
		fd = strtol(path + n, &end, 10);
		if (!*end && fd <= INT_MAX)
			return (int)fd;
	}
	return -1;
}

/* Bytes of the folder's name in @path, with its last '/'; 0 for the current one. */
static size_t folder_length(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? (size_t)(slash + 1 - path) : 0;
}

/* The descriptor that the links of @path's last name lead to; -1: to something else. */
static int descriptor_behind(const char *path)
{
	char target[PATH_MAX], link[PATH_MAX];

	if (strlen(path) >= PATH_MAX)
		return -1;
	strcpy(target, path);
	for (int i = 0; i < LINKS_MAX; i++) {
		size_t keep = 0;
		ssize_t n;

		if (descriptor_of(target) >= 0)
			return descriptor_of(target);
		n = readlink(target, link, sizeof(link) - 1);
		if (n < 0)
			return -1;
		link[n] = '\0';
		if (link[0] != '/')
			keep = folder_length(target);
		if (keep + (size_t)n >= PATH_MAX)
			return -1;
		strcpy(target + keep, link);
	}
	return -1;
}

/* --- what a name leads to --- */

/*
 * Opened once, with the kernel following links: it refuses a stranger's in a shared folder. From
 * then on the opened file and its name in its folder are used: should a name change meanwhile,
 * nothing else is written to.
 */
struct target {
	int fd; /* of the file itself, O_PATH; -1: there is none yet */
	struct stat st;
	int folder; /* O_PATH; -1: not known */
	char name[NAME_MAX + 1];
};

static void leave_folder(struct target *target)
{
	if (target->folder >= 0)
		close(target->folder);
	target->folder = -1;
}

static void leave_target(struct target *target)
{
	leave_folder(target);
	if (target->fd >= 0)
		close(target->fd);
	target->fd = -1;
}

/* Return: 0 or a negative errno; -ENOENT where @path names no file in a folder. */
static int enter_folder(struct target *target, const char *path)
{
	size_t len = folder_length(path);
	char folder[PATH_MAX] = ".";

	if (len >= sizeof(folder) || strlen(path + len) > NAME_MAX)
		return -ENAMETOOLONG;
	if (!path[len])
		return -ENOENT;
	if (len)
		snprintf(folder, sizeof(folder), "%.*s", (int)len, path);
	strcpy(target->name, path + len);
	target->folder = PMU_RETRY(open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC));
	return target->folder < 0 ? -errno : 0;
}

static bool is_same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static bool is_in_folder(const struct target *target)
{
	struct stat st;

	return !fstatat(target->folder, target->name, &st, AT_SYMLINK_NOFOLLOW) &&
	       is_same_file(&st, &target->st);
}

/* The name that the file itself bears.  Return: 0, or -ENOENT: it has none that is known here. */
static int find_target_name(struct target *target, const char *path)
{
	char link[32], real[PATH_MAX];
	ssize_t n;

	if (!enter_folder(target, path) && is_in_folder(target))
		return 0;
	leave_folder(target);
	/* a link led to it */
	snprintf(link, sizeof(link), "/proc/self/fd/%d", target->fd);
	n = readlink(link, real, sizeof(real) - 1);
	real[n < 0 ? 0 : n] = '\0';
	if (n > 0 && real[0] == '/' && !enter_folder(target, real) && is_in_folder(target))
		return 0;
	leave_folder(target);
	return -ENOENT;
}

static int open_target(struct target *target, const char *path)
{
	int rc;

	*target = (struct target){ .fd = PMU_RETRY(open(path, O_PATH | O_CLOEXEC)), .folder = -1 };
	if (target->fd < 0)
		return -errno;
	if (!fstat(target->fd, &target->st))
		return 0;
	rc = -errno;
	leave_target(target);
	return rc;
}

/* The same file for writing; without /proc by its name. */
static int reopen_target(const struct target *target, const char *path)
{
	const int flags = O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC;
	char link[32];
	struct stat st;
	int fd;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", target->fd);
	fd = PMU_RETRY(open(link, flags));
	if (fd >= 0 || (errno != ENOENT && errno != EACCES))
		return fd < 0 ? -errno : fd;
	fd = PMU_RETRY(open(path, flags));
	if (fd < 0)
		return -errno;
	if (!fstat(fd, &st) && is_same_file(&st, &target->st))
		return fd;
	close(fd);
	return -ESTALE;
}

/* --- writing --- */

static int close_written(int fd, int rc)
{
	if (close(fd) < 0 && !rc && errno != EINTR)
		return -errno;
	return rc;
}

/*
 * Writes devices, pipes, and files in folders that we must not write to. Does not wait for a reader
 * of a pipe: a program must be able to exit.
 */
static int write_in_place(const struct target *target, const char *path, const char *text,
			  size_t len)
{
	int fd = reopen_target(target, path), rc;

	if (fd < 0)
		return fd;
	rc = pmu_write_all(fd, text, len);
	if (!rc && S_ISREG(target->st.st_mode))
		rc = pmu_write_resize(fd, (off_t)len);
	return close_written(fd, rc);
}

/* A new file in a folder.  Return: a descriptor. */
static int open_temporary(int folder, char *temp, size_t size)
{
	static unsigned int last;

	for (unsigned int i = 0; i < TEMP_TRIES; i++) {
		unsigned int n = __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
		int fd;

		snprintf(temp, size, ".pmu-%ld-%u.tmp", (long)getpid(), n);
		fd = PMU_RETRY(openat(folder, temp,
				      O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
		if (fd >= 0)
			return fd;
		if (errno != EEXIST)
			return -errno;
	}
	return -EEXIST;
}

/* The new file gets the old one's owner, as far as we may, and its permissions. */
static int take_owner(int fd, const struct stat *old)
{
	struct stat now;

	if (fstat(fd, &now) < 0)
		return -errno;
	if ((now.st_uid != old->st_uid || now.st_gid != old->st_gid) &&
	    fchown(fd, old->st_uid, old->st_gid) < 0 && errno != EPERM)
		return -errno;
	return fchmod(fd, old->st_mode & 0777) < 0 ? -errno : 0;
}

/*
 * The kernel's own time stamp may be late by a clock tick: too old for a process that checks whether
 * the report was written after it started.
 */
static void set_time(int fd)
{
	struct timespec times[2] = { { .tv_nsec = UTIME_OMIT } };

	clock_gettime(CLOCK_REALTIME, &times[1]);
	futimens(fd, times);
}

/* @target->fd is -1 where there is no such file yet. */
static int replace_target(const struct target *target, const char *path, const char *text,
			  size_t len)
{
	bool old = target->fd >= 0;
	char temp[TEMP_NAME_MAX];
	int fd, rc;

	/* a file that we could not write to is not replaced either */
	if (old && faccessat(target->folder, target->name, W_OK, AT_EACCESS) < 0)
		return -errno;
	fd = open_temporary(target->folder, temp, sizeof(temp));
	if (fd < 0 && old && (fd == -EACCES || fd == -EPERM || fd == -EROFS))
		return write_in_place(target, path, text, len);
	if (fd < 0)
		return fd;
	rc = pmu_write_all(fd, text, len);
	if (!rc && old)
		rc = take_owner(fd, &target->st);
	set_time(fd);
	rc = close_written(fd, rc);
	if (!rc && renameat(target->folder, temp, target->folder, target->name) < 0)
		rc = -errno;
	if (!rc)
		return 0;
	unlinkat(target->folder, temp, 0);
	/* a file that is a mount of its own */
	if (old && (rc == -EBUSY || rc == -EXDEV))
		return write_in_place(target, path, text, len);
	return rc;
}

static int write_to_target(struct target *target, const char *path, const char *text, size_t len)
{
	int fd = descriptor_behind(path);
	struct stat st;

	if (fd >= 0 && !fstat(fd, &st) && is_same_file(&st, &target->st))
		return pmu_write_all(fd, text, len);
	if (S_ISDIR(target->st.st_mode))
		return -EISDIR;
	if (!S_ISREG(target->st.st_mode) || find_target_name(target, path))
		return write_in_place(target, path, text, len);
	return replace_target(target, path, text, len);
}

/* A link to a file that does not exist yet: the kernel creates that, where it may be created. */
static int write_behind_link(struct target *target, const char *path, const char *text, size_t len)
{
	int fd = PMU_RETRY(
		    open(path, O_WRONLY | O_CREAT | O_NOCTTY | O_NONBLOCK | O_CLOEXEC, 0666)),
	    rc;

	if (fd < 0)
		return -errno;
	close(fd);
	rc = open_target(target, path);
	if (rc)
		return rc;
	rc = write_to_target(target, path, text, len);
	if (rc && target->folder >= 0 && is_in_folder(target))
		unlinkat(target->folder, target->name, 0);
	return rc;
}

static int write_new(struct target *target, const char *path, const char *text, size_t len)
{
	struct stat st;
	int rc;

	if (descriptor_behind(path) >= 0)
		return -EBADF;
	rc = enter_folder(target, path);
	if (rc)
		return rc;
	if (fstatat(target->folder, target->name, &st, AT_SYMLINK_NOFOLLOW))
		return errno == ENOENT ? replace_target(target, path, text, len) : -errno;
	leave_folder(target);
	return write_behind_link(target, path, text, len);
}

static int write_to(const char *path, const char *text, size_t len)
{
	struct target target;
	int rc;

	if (descriptor_of(path) >= 0)
		return pmu_write_all(descriptor_of(path), text, len);
	rc = open_target(&target, path);
	if (!rc)
		rc = write_to_target(&target, path, text, len);
	else if (rc == -ENOENT && path[0])
		rc = write_new(&target, path, text, len);
	leave_target(&target);
	return rc;
}

/* What would help, by the reason. */
static const struct {
	int error;
	const char *help;
} helps[] = {
	{ EACCES, "choose a folder that you may write to with PMU_OUTPUT" },
	{ EPERM, "choose a folder that you may write to with PMU_OUTPUT" },
	{ EROFS, "choose a folder that you may write to with PMU_OUTPUT" },
	{ ENOSPC, "make room, or choose another place with PMU_OUTPUT" },
	{ EDQUOT, "make room, or choose another place with PMU_OUTPUT" },
	{ EISDIR, "name a file in it, or change PMU_OUTPUT" },
	{ ENXIO, "no process reads this pipe: start its reader first" },
	{ EPIPE, "its reader has gone" },
	{ EAGAIN, "its reader takes nothing" },
};

static int tell_write_error(const char *path, int rc)
{
	size_t folder = folder_length(path);

	for (size_t i = 0; i < PMU_ARRAY_LEN(helps); i++)
		if (helps[i].error == -rc)
			return pmu_fail(rc, "cannot write %s: %s; %s", path, strerror(-rc),
					helps[i].help);
	if (rc == -ENOENT && folder > 1)
		return pmu_fail(rc, "cannot write %s: %s; create %.*s first, or change PMU_OUTPUT",
				path, strerror(-rc), (int)folder - 1, path);
	return pmu_fail(rc, "cannot write %s: %s; set PMU_OUTPUT to another place", path,
			strerror(-rc));
}

int pmu_report_write_file(const char *path, const char *text, size_t len)
{
	int rc = write_to(path, text, len);

	return rc < 0 ? tell_write_error(path, rc) : 0;
}
