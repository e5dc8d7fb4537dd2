/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzz target: any bytes as a command of `pmu run`. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bindings/command/run/run.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct pmu_run_target target;
	char path[64];
	int fd = memfd_create("command", MFD_CLOEXEC);

	if (fd < 0)
		return 0;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (write(fd, data, size) == (ssize_t)size) {
		pmu_run_look(path, &target);
		if (strcmp(target.path, path) != 0 || (target.no_preload && !target.why[0]))
			abort();
	}
	close(fd);
	return 0;
}
