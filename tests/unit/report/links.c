/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A name in a shared folder becomes a link while a report is written to it: nothing behind that
 * link is touched.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "report/report.h"
#include "tap.h"

#define REPORT "the report\n"
#define VICTIM "somebody else's\n"

static char dir[] = "/tmp/pmu-links-XXXXXX";
static char name[64], victim[64];
static bool counting, is_link, exists;
static int at, calls;

/* What the owner of the name does, once, after one of our calls. */
static void after_call(void)
{
	if (!counting || ++calls != at)
		return;
	if (exists)
		syscall(SYS_unlinkat, AT_FDCWD, name, 0);
	syscall(SYS_symlinkat, victim, AT_FDCWD, name);
	is_link = true;
}

/* As with fs.protected_symlinks: the kernel follows no other user's link in a shared folder. */
static bool is_refused(const char *path)
{
	return counting && is_link && !strcmp(path, name);
}

static long opened(int folder, const char *path, int flags, unsigned int mode)
{
	long rc;

	if (!(flags & O_NOFOLLOW) && is_refused(path)) {
		errno = EACCES;
		return -1;
	}
	rc = syscall(SYS_openat, folder, path, flags, mode);
	after_call();
	return rc;
}

/* In front of libc's. */
int open(const char *path, int flags, ...)
{
	va_list args;
	unsigned int mode;

	va_start(args, flags);
	mode = flags & O_CREAT ? va_arg(args, unsigned int) : 0;
	va_end(args);
	return (int)opened(AT_FDCWD, path, flags, mode);
}

int openat(int folder, const char *path, int flags, ...)
{
	va_list args;
	unsigned int mode;

	va_start(args, flags);
	mode = flags & O_CREAT ? va_arg(args, unsigned int) : 0;
	va_end(args);
	return (int)opened(folder, path, flags, mode);
}

int stat(const char *path, struct stat *st)
{
	int rc;

	if (is_refused(path)) {
		errno = EACCES;
		return -1;
	}
	rc = fstatat(AT_FDCWD, path, st, 0);
	after_call();
	return rc;
}

ssize_t readlink(const char *path, char *text, size_t size)
{
	ssize_t n = syscall(SYS_readlinkat, AT_FDCWD, path, text, size);

	after_call();
	return n;
}

int renameat(int from, const char *old, int to, const char *now)
{
	int rc = (int)syscall(SYS_renameat2, from, old, to, now, 0);

	after_call();
	return rc;
}

int faccessat(int folder, const char *path, int mode, int flags)
{
	int rc = (int)syscall(SYS_faccessat, folder, path, mode);

	(void)flags;
	after_call();
	return rc;
}

static void put_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	if (fd < 0 || write(fd, text, strlen(text)) < 0 || close(fd))
		abort();
}

static bool holds(const char *path, const char *text)
{
	char there[64] = "";
	int fd = open(path, O_RDONLY);

	if (fd < 0 || read(fd, there, sizeof(there) - 1) < 0 || close(fd))
		return false;
	return !strcmp(there, text);
}

/* Return: whether there were so many calls. */
static bool swapped_behind(int call)
{
	int rc;

	put_file(victim, VICTIM);
	if (exists)
		put_file(name, "an older one\n");
	calls = 0;
	at = call;
	is_link = false;
	counting = true;
	rc = pmu_report_write_file(name, REPORT, strlen(REPORT));
	counting = false;
	if (is_link) {
		ok(holds(victim, VICTIM),
		   "a link from call %d on, where %s: what is behind it is as it was", call,
		   exists ? "a file was" : "nothing was");
		ok(rc == 0 || rc == -EACCES, "and the report is written, or refused");
	} else {
		ok(!rc && holds(name, REPORT), "left alone it is written");
	}
	unlink(name);
	return is_link;
}

static void no_link_is_followed_later(void)
{
	int call = 1;

	while (call < 100 && swapped_behind(call))
		call++;
	ok(call > 3, "%d places for a change", call - 1);
}

int main(void)
{
	if (!mkdtemp(dir))
		return skip_all("no folder for the test's files");
	snprintf(name, sizeof(name), "%s/run.json", dir);
	snprintf(victim, sizeof(victim), "%s/victim", dir);
	exists = true;
	no_link_is_followed_later();
	exists = false;
	no_link_is_followed_later();
	unlink(victim);
	rmdir(dir);
	return done_testing();
}
