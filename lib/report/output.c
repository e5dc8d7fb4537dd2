/* SPDX-License-Identifier: BSD-3-Clause */
/* Where reports go: descriptors, files, and the names of files. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "report/report.h"

/* A reader that takes nothing for so long is given up. */
#define STUCK_MS  10000
#define LINKS_MAX 40
/* Appended to a folder's name: "/.pmu-PID-NUMBER.tmp" */
#define TEMP_NAME_MAX 48
#define TEMP_TRIES    100u

/* Signals held back in this thread. */
struct hold {
	sigset_t old_mask;
	sigset_t pending; /* before we wrote */
	bool blocked;
};

/* A reader that has gone, and the limit of a file's size: errors here, not the program's end. */
static void write_signals(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGPIPE);
	sigaddset(set, SIGXFSZ);
}

static void hold_signals(struct hold *hold)
{
	sigset_t set;

	write_signals(&set);
	sigemptyset(&hold->pending);
	sigpending(&hold->pending);
	hold->blocked = !pthread_sigmask(SIG_BLOCK, &set, &hold->old_mask);
}

/* The one that our write caused is taken away; one that was there before stays. */
static void release_signals(const struct hold *hold, int rc)
{
	int caused = rc == -EPIPE ? SIGPIPE : rc == -EFBIG ? SIGXFSZ : 0;
	const struct timespec now = { 0 };
	sigset_t one;

	if (!hold->blocked)
		return;
	sigemptyset(&one);
	if (caused && !sigismember(&hold->pending, caused)) {
		sigaddset(&one, caused);
		while (sigtimedwait(&one, NULL, &now) < 0 && errno == EINTR)
			;
	}
	pthread_sigmask(SIG_SETMASK, &hold->old_mask, NULL);
}

/* A descriptor that the program made non-blocking.  Return: 0 once it takes more. */
static int wait_writable(int fd)
{
	struct pollfd poll_fd = { .fd = fd, .events = POLLOUT };
	int n;

	do
		n = poll(&poll_fd, 1, STUCK_MS);
	while (n < 0 && errno == EINTR);
	return n > 0 ? 0 : -EAGAIN;
}

static int write_all(int fd, const char *text, size_t len)
{
	while (len) {
		ssize_t n = write(fd, text, len);

		if (n > 0) {
			text += n;
			len -= (size_t)n;
			continue;
		}
		if (!n)
			return -EIO;
		if (errno == EINTR)
			continue;
		if (errno != EAGAIN)
			return -errno;
		if (wait_writable(fd) < 0)
			return -EAGAIN;
	}
	return 0;
}

int pmu_report_write_fd(int fd, const char *text, size_t len)
{
	struct hold hold = { 0 };
	int rc;

	hold_signals(&hold);
	rc = write_all(fd, text, len);
	release_signals(&hold, rc);
	return rc;
}

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
static size_t folder_len(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? (size_t)(slash + 1 - path) : 0;
}

/*
 * Follows the links that @path's last name is, to what is to be replaced; a target that
 * does not exist yet is made.
 */
static int follow(const char *path, char *target)
{
	if (strlen(path) >= PATH_MAX)
		return -ENAMETOOLONG;
	strcpy(target, path);
	for (int i = 0; i < LINKS_MAX; i++) {
		char link[PATH_MAX];
		ssize_t n;
		size_t keep = 0;

		if (descriptor_of(target) >= 0)
			return 0;
		n = readlink(target, link, sizeof(link) - 1);
		if (n < 0)
			return 0; /* not a link, or not there: opening it will tell */
		link[n] = '\0';
		if (link[0] != '/')
			keep = folder_len(target);
		if (keep + (size_t)n >= PATH_MAX)
			return -ENAMETOOLONG;
		strcpy(target + keep, link);
	}
	return -ELOOP;
}

static int close_written(int fd, int rc)
{
	if (close(fd) < 0 && !rc && errno != EINTR)
		return -errno;
	return rc;
}

/*
 * Devices, pipes, and files whose folder we must not write to.  Does not wait for
 * somebody to open a pipe's other end: a program must be able to exit.
 */
static int write_in_place(const char *path, const char *text, size_t len)
{
	int fd = open(path, O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
	struct stat st;
	int rc;

	if (fd < 0)
		return -errno;
	rc = pmu_report_write_fd(fd, text, len);
	if (!rc && !fstat(fd, &st) && S_ISREG(st.st_mode) && ftruncate(fd, (off_t)len))
		rc = -errno;
	return close_written(fd, rc);
}

/* A new file in the folder of @path.  Return: a descriptor. */
static int open_beside(const char *path, char *temp, size_t size)
{
	static unsigned int last;
	int folder = (int)folder_len(path);

	for (unsigned int i = 0; i < TEMP_TRIES; i++) {
		unsigned int n = __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
		int fd;

		snprintf(temp, size, "%.*s.pmu-%ld-%u.tmp", folder, path, (long)getpid(), n);
		fd = open(temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
		if (fd >= 0)
			return fd;
		if (errno != EEXIST)
			return -errno;
	}
	return -EEXIST;
}

/* The new file gets the old one's owner, as far as we may, and its permissions. */
static int take_over(int fd, const struct stat *old)
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
 * The kernel's own stamp may be a clock tick old; whoever asks whether a report was written after
 * they started needs a better one.
 */
static void set_time(int fd)
{
	struct timespec times[2] = { { .tv_nsec = UTIME_OMIT } };

	clock_gettime(CLOCK_REALTIME, &times[1]);
	futimens(fd, times);
}

/* @old is NULL where there is no such file yet. */
static int replace(const char *path, const struct stat *old, const char *text, size_t len)
{
	char temp[PATH_MAX + TEMP_NAME_MAX];
	int fd, rc;

	/* a file that we could not write to is not replaced either */
	if (old && faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) < 0)
		return -errno;
	fd = open_beside(path, temp, sizeof(temp));
	if (fd < 0 && old && (fd == -EACCES || fd == -EPERM || fd == -EROFS))
		return write_in_place(path, text, len);
	if (fd < 0)
		return fd;
	rc = pmu_report_write_fd(fd, text, len);
	if (!rc && old)
		rc = take_over(fd, old);
	set_time(fd);
	rc = close_written(fd, rc);
	if (!rc && rename(temp, path) < 0)
		rc = -errno;
	if (!rc)
		return 0;
	unlink(temp);
	/* a file that is a mount of its own */
	if (old && (rc == -EBUSY || rc == -EXDEV))
		return write_in_place(path, text, len);
	return rc;
}

static int write_to(const char *path, const char *text, size_t len)
{
	char target[PATH_MAX];
	struct stat st;
	int rc;

	/* the kernel's way there first: it refuses a stranger's link in a shared folder
	 */
	if (stat(path, &st) < 0 && (errno != ENOENT || !path[0]))
		return -errno;
	rc = follow(path, target);
	if (rc < 0)
		return rc;
	if (descriptor_of(target) >= 0)
		return pmu_report_write_fd(descriptor_of(target), text, len);
	if (stat(target, &st) < 0)
		return errno == ENOENT ? replace(target, NULL, text, len) : -errno;
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	if (!S_ISREG(st.st_mode))
		return write_in_place(target, text, len);
	return replace(target, &st, text, len);
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
	{ ENXIO, "nobody reads this pipe: start its reader first" },
	{ EPIPE, "its reader has gone" },
	{ EAGAIN, "its reader takes nothing" },
};

static int tell(const char *path, int rc)
{
	size_t folder = folder_len(path);

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

	return rc < 0 ? tell(path, rc) : 0;
}

/* Names of files. */

struct path_out {
	char *text;
	size_t len;
	size_t size;
};

static void put(struct path_out *out, const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++, out->len++)
		if (out->len + 1 < out->size)
			out->text[out->len] = text[i];
}

/* A host or a rank is part of one file's name: it names no folder. */
static void put_name(struct path_out *out, const char *name)
{
	bool only_dots = !name[strspn(name, ".")];

	for (; *name; name++)
		put(out, *name == '/' || only_dots ? "_" : name, 1);
}

static int end_path(struct path_out *out)
{
	if (out->size)
		out->text[out->len < out->size ? out->len : out->size - 1] = '\0';
	return out->len < out->size ? (int)out->len : -ENAMETOOLONG;
}

static void put_letter(struct path_out *out, char letter, const struct pmu_output_names *names)
{
	char number[32];

	switch (letter) {
	case 'p':
		put(out, number, (size_t)sprintf(number, "%ld", names->pid));
		break;
	case 'n':
		put(out, number, (size_t)sprintf(number, "%u", names->nth));
		break;
	case 'r':
		put_name(out, names->rank && names->rank[0] ? names->rank : "0");
		break;
	case 'h':
		put_name(out, names->host && names->host[0] ? names->host : "localhost");
		break;
	case '%':
		put(out, "%", 1);
		break;
	default:
		put(out, "%", 1);
		put(out, &letter, 1);
	}
}

int pmu_output_path(const char *configured, const struct pmu_output_names *names, char *out,
		    size_t size)
{
	struct path_out path = { .text = out, .size = size };

	for (const char *c = configured; *c; c++) {
		if (*c == '%' && c[1])
			put_letter(&path, *++c, names);
		else
			put(&path, c, 1);
	}
	return end_path(&path);
}

int pmu_output_aside(const char *path, long pid, unsigned int nth, char *out, size_t size)
{
	struct path_out aside = { .text = out, .size = size };
	size_t folder = folder_len(path), len = strlen(path);
	const char *dot = strrchr(path + folder, '.');
	size_t before = dot ? (size_t)(dot - path) : len;
	char number[48];

	/* ".name" is a hidden file, not an ending, unless a format goes by it */
	if (before == folder && pmu_report_format_of(path) == PMU_REPORT_TEXT)
		before = len;
	put(&aside, path, before);
	put(&aside, number, (size_t)sprintf(number, ".%ld", pid));
	if (nth)
		put(&aside, number, (size_t)sprintf(number, "-%u", nth));
	put(&aside, path + before, len - before);
	return end_path(&aside);
}
