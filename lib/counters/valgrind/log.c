/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Callgrind's counters, as they come back through valgrind's log.
 *
 * Callgrind tells them to a thread that asks in the way of a debugger, and valgrind writes the
 * answer where all its text goes: at the end of its log, which is a file.  The thread notes where
 * that ended, asks, and reads on from there; what has been read is given back to the file system
 * now and then.
 *
 * A forked child's valgrind goes on writing into its parent's log, where the two cannot be told
 * apart: one thread asks at a time, in all processes that share the file.
 */
#include "counters/valgrind/log.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/retry.h"
#include "base/write.h"
#include "counters/valgrind/request.h"
#include "counters/valgrind/text.h"
#include "counters/valgrind/valgrind.h"

/* Bytes of the log that are read before they are given back. */
#define KEPT_MOST (1 << 20)
/* Tries to become the holder: each is a sched_yield(2). */
#define TRIES_MOST           1000000
#define TRIES_BEFORE_LOOKING 1000

/* In memory that children share. */
struct asking {
	int holder;     /* thread that asks now, as gettid(2) has it; 0: none */
	uint64_t freed; /* bytes at the beginning of the log that were given back; by the holder */
};

/* Valgrind's log is the process's, and so is this. */
static struct {
	int fd; /* -1: not open */
	struct pmu_fd_identity identity;
	char path[PATH_MAX]; /* "" before it was found out: a forked child keeps its parent's */
	struct asking *asking;
	struct pmu_callgrind_columns columns;
} the_log = { .fd = -1 };

/* --- one at a time --- */

static bool is_gone(int tid)
{
	return kill(tid, 0) < 0 && errno == ESRCH;
}

static bool begin_asking(int tid)
{
	int holder = 0;

	/* acquire: pairs with the release in end_asking() */
	for (unsigned int tries = 1;
	     !__atomic_compare_exchange_n(&the_log.asking->holder, &holder, tid, false,
					  __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
	     tries++) {
		/* a signal handler of the thread that asks */
		if (holder == tid || tries > TRIES_MOST)
			return false;
		if (tries % TRIES_BEFORE_LOOKING || !is_gone(holder)) {
			sched_yield();
			holder = 0;
		}
	}
	return true;
}

static void end_asking(void)
{
	__atomic_store_n(&the_log.asking->holder, 0, __ATOMIC_RELEASE);
}

/* --- question and answer --- */

/* Text of the log, line by line. */
struct lines {
	off_t at;        /* of the next byte to be read */
	size_t from, to; /* of those in the buffer that are not taken yet */
	char text[1024];
};

/* Return: the next line with its newline; NULL: no more. */
static const char *next_log_line(struct lines *lines)
{
	for (;;) {
		char *line = lines->text + lines->from,
		     *end = memchr(line, '\n', lines->to - lines->from);
		ssize_t n;

		if (end) {
			lines->from += (size_t)(end + 1 - line);
			return line;
		}
		/* the rest of a line so long that it is none of those that are looked for */
		if (lines->to == sizeof(lines->text) && !lines->from)
			lines->to = 0;
		memmove(lines->text, lines->text + lines->from, lines->to - lines->from);
		lines->to -= lines->from;
		lines->from = 0;
		n = PMU_RETRY(pread(the_log.fd, lines->text + lines->to,
				    sizeof(lines->text) - lines->to, lines->at));
		if (n <= 0)
			return NULL;
		lines->at += n;
		lines->to += (size_t)n;
	}
}

/* How long the log is; -1 where the descriptor is something else by now. */
static off_t end_of_log(void)
{
	struct stat st;

	if (fstat(the_log.fd, &st) || st.st_dev != the_log.identity.dev ||
	    st.st_ino != the_log.identity.ino)
		return -1;
	return st.st_size;
}

static void punch_log(off_t end)
{
	struct asking *asking = the_log.asking;

	if ((uint64_t)end < asking->freed + KEPT_MOST)
		return;
	if (!pmu_write_reserve(the_log.fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
			       (off_t)asking->freed, end - (off_t)asking->freed))
		asking->freed = (uint64_t)end;
}

/* Context: asking. */
static enum pmu_callgrind_lost ask_now(const struct pmu_callgrind_columns *columns,
				       struct pmu_callgrind_answer *answer)
{
	struct lines lines = { .at = end_of_log() };
	off_t end = lines.at;
	const char *line;

	if (end < 0)
		return PMU_CALLGRIND_CLOSED;
	pmu_callgrind_status();
	while ((line = next_log_line(&lines))) {
		if (!answer->thread)
			answer->thread = pmu_callgrind_line_thread(line);
		else if (!pmu_callgrind_line_part(line, &answer->part) &&
			 pmu_callgrind_line_counts(line, columns, answer))
			break;
	}
	punch_log(end);
	return line ? PMU_CALLGRIND_ANSWERS : PMU_CALLGRIND_SILENT;
}

enum pmu_callgrind_lost pmu_callgrind_ask(const struct pmu_callgrind_columns *columns, int tid,
					  struct pmu_callgrind_answer *answer)
{
	enum pmu_callgrind_lost lost;

	if (the_log.fd < 0)
		return PMU_CALLGRIND_CLOSED;
	if (!begin_asking(tid))
		return PMU_CALLGRIND_SILENT;
	lost = ask_now(columns, answer);
	end_asking();
	return lost;
}

/* --- where it is --- */

static int find_path(char *why, size_t size)
{
	const char *format = secure_getenv(PMU_VALGRIND_LOG_VARIABLE);

	if (the_log.path[0])
		return 0;
	if (!format || !*format) {
		snprintf(
			why, size,
			"callgrind tells its counters in valgrind's log, and " PMU_VALGRIND_LOG_VARIABLE
			" does not say where that is");
		return -ENOENT;
	}
	if (pmu_callgrind_log_path(format, getpid(), the_log.path, sizeof(the_log.path)))
		return 0;
	the_log.path[0] = '\0';
	snprintf(why, size, PMU_VALGRIND_LOG_VARIABLE "=%.100s: no path, with %%p for the process",
		 format);
	return -EINVAL;
}

static int open_log_file(char *why, size_t size)
{
	struct pmu_fd_limit limit;
	struct stat st;
	int fd = PMU_RETRY(open(the_log.path, O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
	int rc = fd < 0 ? -errno : 0;

	if (!rc && (fstat(fd, &st) || !S_ISREG(st.st_mode)))
		rc = -ENOTSUP;
	if (rc) {
		snprintf(why, size, "valgrind's log %.150s cannot be read: %s", the_log.path,
			 rc == -ENOTSUP ? "no regular file" : strerror(-rc));
		if (fd >= 0)
			close(fd);
		return rc;
	}
	pmu_fd_begin(&limit);
	the_log.fd = pmu_fd_park(fd, &limit);
	pmu_fd_end();
	return pmu_fd_identify(the_log.fd, &the_log.identity);
}

static int share(char *why, size_t size)
{
	void *page;

	if (the_log.asking)
		return 0;
	page = mmap(NULL, sizeof(*the_log.asking), PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED) {
		snprintf(why, size, "no memory to read valgrind's log with");
		return -ENOMEM;
	}
	the_log.asking = page;
	return 0;
}

/* Context: asking.  What does callgrind count, and is this the file where it says so? */
static int learn_log(void)
{
	struct lines lines = { .at = end_of_log() };
	const char *line;

	pmu_callgrind_status();
	while (lines.at >= 0 && (line = next_log_line(&lines)))
		if (pmu_callgrind_line_columns(line, &the_log.columns))
			return 0;
	return -EBADMSG;
}

static int learn_columns(char *why, size_t size)
{
	int rc;

	if (the_log.columns.n)
		return 0;
	rc = begin_asking((int)syscall(SYS_gettid)) ? 0 : -EBUSY;
	if (!rc) {
		rc = learn_log();
		end_asking();
	}
	if (rc)
		snprintf(
			why, size,
			"callgrind's counters are not in %.150s: is that valgrind's log, and does callgrind "
			"count (--instr-atstart=yes)?",
			the_log.path);
	return rc;
}

int pmu_callgrind_log_open(struct pmu_callgrind_columns *columns, char *why, size_t size)
{
	int rc = find_path(why, size);

	/* a descriptor that has become something else is not ours to close */
	if (!rc && (the_log.fd < 0 || !pmu_fd_is(the_log.fd, &the_log.identity)))
		rc = open_log_file(why, size);
	if (!rc)
		rc = share(why, size);
	if (!rc)
		rc = learn_columns(why, size);
	if (!rc)
		*columns = the_log.columns;
	return rc;
}
