/* SPDX-License-Identifier: BSD-3-Clause */
/* A CPUID dump in a file. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/retry.h"
#include "base/textfile.h"
#include "machine/cpuid.h"

int pmu_cpuid_load(const char *path, struct pmu_cpuid_dump *dump)
{
	/* O_NONBLOCK: does not wait for a pipe's writer */
	int fd = PMU_RETRY(open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
	char *text;
	size_t len;
	int rc;

	memset(dump, 0, sizeof(*dump));
	if (fd < 0)
		return pmu_fail(errno, "cannot open the CPUID dump '%s': %s", path,
				strerror(errno));
	rc = pmu_textfile_read_open(fd, PMU_CPUID_MAX_BYTES, &text, &len);
	close(fd);
	if (rc == -EFBIG) {
		rc = pmu_fail(E2BIG, "CPUID dump '%s': a CPUID dump of more than %u MiB", path,
			      PMU_CPUID_MAX_BYTES >> 20);
	} else if (rc) {
		pmu_fail(rc, "cannot read the CPUID dump '%s': %s", path, strerror(-rc));
	} else {
		rc = pmu_cpuid_parse(text, len, dump);
		if (rc)
			pmu_fail(rc, "CPUID dump '%s': %s", path, pmu_error_text());
	}
	free(text);
	return rc;
}
