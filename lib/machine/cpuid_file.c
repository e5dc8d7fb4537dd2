/* SPDX-License-Identifier: BSD-3-Clause */
/* A CPUID dump in a file. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "machine/cpuid.h"

/* A whole file, up to a byte more than a dump may have.  @text is for free(). */
static int read_file(int fd, char **text, size_t *len)
{
	size_t room = 0;
	ssize_t got;

	*text = NULL;
	*len = 0;
	for (;;) {
		if (*len == room) {
			char *moved = realloc(*text, room ? room * 2 : 65536);

			if (!moved)
				return -ENOMEM;
			*text = moved;
			room = room ? room * 2 : 65536;
		}
		got = read(fd, *text + *len, room - *len);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		*len += (size_t)got;
		if (!got || *len > PMU_CPUID_MAX_BYTES)
			return 0;
	}
}

int pmu_cpuid_load(const char *path, struct pmu_cpuid_dump *dump)
{
	/* a pipe nobody writes to holds up no one */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	char *text;
	size_t len;
	int rc;

	memset(dump, 0, sizeof(*dump));
	if (fd < 0)
		return pmu_fail(errno, "cannot open the CPUID dump '%s': %s", path,
				strerror(errno));
	rc = read_file(fd, &text, &len);
	close(fd);
	if (rc) {
		pmu_fail(rc, "cannot read the CPUID dump '%s': %s", path, strerror(-rc));
	} else {
		rc = pmu_cpuid_parse(text, len, dump);
		if (rc)
			pmu_fail(rc, "CPUID dump '%s': %s", path, pmu_error_text());
	}
	free(text);
	return rc;
}
