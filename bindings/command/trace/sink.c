/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes a file beside its place. */
#include "bindings/command/trace/sink.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/retry.h"
#include "base/write.h"

#ifdef HAVE_ZLIB
#include <zlib.h>

/* Ten million slices in seconds: the fastest level, which makes an eighth of it. */
#define MODE "wb1"

bool pmu_trace_sink_compresses(void)
{
	return true;
}

static void *gz_open(int fd)
{
	int copy = dup(fd);
	gzFile gz = copy < 0 ? NULL : gzdopen(copy, MODE);

	if (!gz && copy >= 0)
		close(copy);
	if (gz)
		gzbuffer(gz, 1u << 18);
	return gz;
}

static int gz_put(void *gz, const char *bytes, size_t len)
{
	while (len > 0) {
		unsigned int part = len < INT_MAX ? (unsigned int)len : INT_MAX;

		errno = 0;
		if (gzwrite(gz, bytes, part) != (int)part)
			return errno ? -errno : -EIO;
		bytes += part;
		len -= part;
	}
	return 0;
}

static int gz_close(void *gz)
{
	errno = 0;
	if (gzclose(gz) == Z_OK)
		return 0;
	return errno ? -errno : -EIO;
}
#else
bool pmu_trace_sink_compresses(void)
{
	return false;
}

static void *gz_open(int fd)
{
	(void)fd;
	errno = ENOTSUP;
	return NULL;
}

static int gz_put(void *gz, const char *bytes, size_t len)
{
	(void)gz;
	(void)bytes;
	(void)len;
	return -ENOTSUP;
}

static int gz_close(void *gz)
{
	(void)gz;
	return -ENOTSUP;
}
#endif

static int sink_fail(const struct pmu_trace_sink *sink, int error)
{
	return pmu_fail(error, "cannot write %s: %s", sink->path ? sink->path : "a trace",
			strerror(abs(error)));
}

/* A device or pipe is written to. */
static int open_file(struct pmu_trace_sink *sink)
{
	struct stat st;

	if (stat(sink->path, &st) == 0 && !S_ISREG(st.st_mode))
		return PMU_RETRY(open(sink->path, O_WRONLY | O_CLOEXEC));
	if (asprintf(&sink->beside, "%s.%d.new", sink->path, (int)getpid()) < 0) {
		sink->beside = NULL;
		errno = ENOMEM;
		return -1;
	}
	return PMU_RETRY(
		open(sink->beside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666));
}

int pmu_trace_sink_open(struct pmu_trace_sink *sink, const char *path, bool compressed)
{
	int error = 0;

	memset(sink, 0, sizeof(*sink));
	sink->path = strdup(path);
	sink->fd = -1;
	if (!sink->path)
		return sink_fail(sink, ENOMEM);
	sink->fd = open_file(sink);
	if (sink->fd < 0 || (compressed && !(sink->gz = gz_open(sink->fd))))
		error = errno ? errno : ENOMEM;
	if (!error)
		return 0;
	sink_fail(sink, error);
	pmu_trace_sink_close(sink, false);
	return -error;
}

int pmu_trace_sink_put(struct pmu_trace_sink *sink, const char *bytes, size_t len)
{
	if (!sink->error)
		sink->error = sink->gz ? gz_put(sink->gz, bytes, len)
				       : pmu_write_all(sink->fd, bytes, len);
	return sink->error;
}

int pmu_trace_sink_close(struct pmu_trace_sink *sink, bool keep)
{
	int error = sink->error;

	if (sink->gz && gz_close(sink->gz) < 0 && !error)
		error = -EIO;
	if (sink->fd >= 0 && close(sink->fd) < 0 && !error)
		error = -errno;
	if (keep && !error && sink->beside && rename(sink->beside, sink->path) < 0)
		error = -errno;
	if (keep && error)
		error = sink_fail(sink, error);
	if (sink->beside && (!keep || error))
		unlink(sink->beside);
	free(sink->beside);
	free(sink->path);
	memset(sink, 0, sizeof(*sink));
	sink->fd = -1;
	return keep ? error : 0;
}
