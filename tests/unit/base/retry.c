/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls that a signal interrupts are made again: reports, stores and their copies are written all the same. */
#include "base/retry.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/report.h"
#include "store/place.h"
#include "store/read/list.h"
#include "store/save.h"
#include "store/table.h"
#include "tap.h"

/* --- what stands in for libc's: each call is interrupted twice before it succeeds --- */

#define TWICE 2u

static unsigned int n_calls, n_interrupted;
static bool interrupting;

static bool is_interrupted(void)
{
	if (!interrupting || ++n_calls % (TWICE + 1) == 0)
		return false;
	n_interrupted++;
	errno = EINTR;
	return true;
}

static void *next_of(const char *name)
{
	void *next = dlsym(RTLD_NEXT, name);

	if (!next)
		abort();
	return next;
}

static mode_t mode_of(int flags, va_list args)
{
	return flags & (O_CREAT | __O_TMPFILE) ? va_arg(args, mode_t) : 0;
}

int open(const char *path, int flags, ...)
{
	int (*next)(const char *, int, ...) = next_of("open");
	va_list args;
	mode_t mode;

	va_start(args, flags);
	mode = mode_of(flags, args);
	va_end(args);
	return is_interrupted() ? -1 : next(path, flags, mode);
}

int openat(int dir, const char *path, int flags, ...)
{
	int (*next)(int, const char *, int, ...) = next_of("openat");
	va_list args;
	mode_t mode;

	va_start(args, flags);
	mode = mode_of(flags, args);
	va_end(args);
	return is_interrupted() ? -1 : next(dir, path, flags, mode);
}

ssize_t write(int fd, const void *bytes, size_t len)
{
	ssize_t (*next)(int, const void *, size_t) = next_of("write");

	return is_interrupted() ? -1 : next(fd, bytes, len);
}

int ftruncate(int fd, off_t size)
{
	int (*next)(int, off_t) = next_of("ftruncate");

	return is_interrupted() ? -1 : next(fd, size);
}

int fallocate(int fd, int mode, off_t offset, off_t size)
{
	int (*next)(int, int, off_t, off_t) = next_of("fallocate");

	return is_interrupted() ? -1 : next(fd, mode, offset, size);
}

/* --- */

static char dir[] = "/tmp/pmu-retry-XXXXXX";

static const char *in_dir(const char *name)
{
	static char path[2][128];
	static int i;

	i = !i;
	snprintf(path[i], sizeof(path[i]), "%s/%s", dir, name);
	return path[i];
}

static void interrupt_all(bool yes)
{
	interrupting = yes;
	n_calls = n_interrupted = 0;
}

static void writes(const char *path, const char *how)
{
	interrupt_all(true);
	is_int(pmu_report_write_file(path, "text\n", 5), 0, how);
	ok(n_interrupted >= TWICE, "was interrupted");
	interrupt_all(false);
}

static void reports_are_written(void)
{
	char text[16] = "";
	int fd;

	writes(in_dir("new"), "a new report");
	writes(in_dir("new"), "in the place of an old one");
	is_int(symlink("behind", in_dir("link")), 0, "a link");
	writes(in_dir("link"), "to a file that there is not");
	is_int(mkfifo(in_dir("fifo"), 0600), 0, "a pipe");
	fd = open(in_dir("fifo"), O_RDWR | O_NONBLOCK);
	writes(in_dir("fifo"), "that is read");
	is_int(read(fd, text, sizeof(text)), 5, "has it");
	close(fd);
}

static void stores_are_made_and_saved(void)
{
	struct pmu_store_entry *entry;
	struct pmu_table table;
	char name[32];

	is_int(setenv("XDG_RUNTIME_DIR", dir, 1), 0, "a folder for stores");
	interrupt_all(true);
	is_int(pmu_table_open(&table, PMU_CLOCK_MONOTONIC), 0, "a store");
	for (int i = 0; i < 5000; i++)
		pmu_table_name(&table, name, (size_t)snprintf(name, sizeof(name), "region %d", i));
	is_str(table.why, "", "is a file to its end");
	is_int(pmu_store_save(table.path, NULL, in_dir("saved")), 0, "it is saved");
	is_int(pmu_store_list_folder(in_dir("pmu"), &entry), 1, "and found");
	ok(n_interrupted >= TWICE, "though all was interrupted");
	interrupt_all(false);
	free(entry);
	pmu_table_remove(&table);
}

int main(void)
{
	char line[64];

	if (!ok(mkdtemp(dir) != NULL, "a folder"))
		return done_testing();
	reports_are_written();
	stores_are_made_and_saved();
	snprintf(line, sizeof(line), "rm -r %s", dir);
	is_int(system(line), 0, "all is removed");
	return done_testing();
}
