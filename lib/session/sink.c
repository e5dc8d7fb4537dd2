/* SPDX-License-Identifier: BSD-3-Clause */
/* The program's standard output and error, kept for the report. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "report/report.h"
#include "session/session.h"

void pmu_sink_open(struct pmu_sink *sink, int fd)
{
	struct pmu_fd_limit limit;
	int copy;

	sink->fd = -1;
	pmu_fd_raise(&limit);
	copy = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	if (copy >= 0)
		copy = pmu_fd_park(copy, &limit);
	pmu_fd_lower(&limit);
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
	return pmu_report_write_fd(sink->fd, text, len);
}

void pmu_session_say(const char *fmt, ...)
{
	char line[1024] = "pmu: ";
	struct pmu_sink before = { .fd = -1 };
	const struct pmu_sink *sink = &pmu_session.err;
	va_list args;
	size_t len;

	va_start(args, fmt);
	vsnprintf(line + 5, sizeof(line) - 6, fmt, args);
	va_end(args);
	len = strlen(line);
	line[len++] = '\n';
	if (pmu_session.running) {
		pmu_sink_write(sink, line, len);
		return;
	}
	/* At the start: what standard error is now is what it is. */
	if (pmu_fd_identify(STDERR_FILENO, &before.identity) == 0) {
		before.fd = STDERR_FILENO;
		pmu_sink_write(&before, line, len);
	}
}
