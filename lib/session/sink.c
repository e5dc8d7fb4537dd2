/* SPDX-License-Identifier: BSD-3-Clause */
/* The program's standard output and error, kept for the report. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/write.h"
#include "report/encode.h"
#include "session/session.h"

/* Standard output and error as the program was started with. */
static struct pmu_fd_identity at_load[STDERR_FILENO + 1];
static bool open_at_load[STDERR_FILENO + 1];

__attribute__((constructor)) static void remember_standard_files(void)
{
	for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++)
		open_at_load[fd] = pmu_fd_identify(fd, &at_load[fd]) == 0;
}

/* Where text is expected: a terminal, a pipe, a file opened for appending. */
static bool takes_messages(int fd)
{
	int flags = fcntl(fd, F_GETFL);
	struct stat st;

	if (flags < 0 || fstat(fd, &st) < 0)
		return false;
	return S_ISCHR(st.st_mode) || S_ISFIFO(st.st_mode) ||
	       (S_ISREG(st.st_mode) && flags & O_APPEND);
}

/*
 * What the program was started with, or has replaced it by to take messages. A descriptor number
 * that was closed and reused for a data file or a socket of the program's is not ours to write to.
 */
static bool is_for_messages(int fd)
{
	return (open_at_load[fd] && pmu_fd_is(fd, &at_load[fd])) || takes_messages(fd);
}

void pmu_sink_open(struct pmu_sink *sink, int fd)
{
	struct pmu_fd_limit limit;
	int copy;

	sink->fd = -1;
	if (!is_for_messages(fd))
		return;
	pmu_fd_begin(&limit);
	do
		copy = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	while (copy < 0 && pmu_fd_more(errno));
	if (copy >= 0)
		copy = pmu_fd_park(copy, &limit);
	pmu_fd_end();
	if (copy < 0)
		return;
	if (pmu_fd_identify(copy, &sink->identity) < 0)
		close(copy);
	else
		sink->fd = copy;
}

void pmu_sink_close(struct pmu_sink *sink)
{
	if (sink->fd >= 0 && pmu_fd_is(sink->fd, &sink->identity))
		close(sink->fd);
	sink->fd = -1;
}

int pmu_sink_write(const struct pmu_sink *sink, const char *text, size_t len)
{
	if (sink->fd < 0 || !pmu_fd_is(sink->fd, &sink->identity))
		return -EBADF;
	return pmu_write_message(sink->fd, text, len, false);
}

static void say_line(const char *line, size_t len)
{
	if (pmu_session.running)
		pmu_sink_write(&pmu_session.err, line, len);
	else if (is_for_messages(STDERR_FILENO))
		pmu_write_message(STDERR_FILENO, line, len, false);
}

#define LINE_ROOM 1024

/* @text: with room for a line's end */
static void say_plainly(char *text)
{
	for (char *c = text; *c; c++)
		*c = *c >= ' ' && *c < 0x7f ? *c : '?';
	strcat(text, "\n");
	say_line(text, strlen(text));
}

static void make_line(char *text, size_t size, const char *fmt, va_list args)
{
	strcpy(text, "pmu: ");
	/* with room for a line's end */
	vsnprintf(text + 5, size - 6, fmt, args);
}

/* Names of files and settings may hold anything; without memory all but ASCII's letters and signs is "?". */
void pmu_session_say(const char *fmt, ...)
{
	struct pmu_strbuf line = { 0 };
	char text[LINE_ROOM];
	va_list args;

	va_start(args, fmt);
	make_line(text, sizeof(text), fmt, args);
	va_end(args);
	pmu_encode_line(&line, text);
	pmu_strbuf_add(&line, "\n");
	if (line.failed)
		say_plainly(text);
	else
		say_line(line.text, line.len);
	pmu_strbuf_free(&line);
}

void pmu_session_say_plainly(const char *fmt, ...)
{
	char text[LINE_ROOM];
	va_list args;

	va_start(args, fmt);
	make_line(text, sizeof(text), fmt, args);
	va_end(args);
	say_plainly(text);
}
