/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzz target: any bytes as the file of a program in which addresses are looked up, by elfutils. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bindings/command/code/code.h"
#include "tests/fuzz/fuzz.h"

/* In the corpus' functions, at their ends, and in no file. */
static const uint64_t offsets[] = { 0, 0x1a5, 0x1b0, 0x1d5, 0x200, 0x1000, UINT64_MAX };

static void look_up(struct pmu_code *code, const char *path, uint64_t offset)
{
	const struct pmu_code_at at = { .path = path, .offset = offset };
	struct pmu_code_place place = pmu_code_find(code, &at), again = pmu_code_find(code, &at);

	if (!place.function[0] || strcmp(place.object, strrchr(path, '/') + 1) != 0 ||
	    !place.file[0] != !place.line)
		abort();
	if (place.function != again.function || place.file != again.file ||
	    place.line != again.line)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	struct pmu_code *code;
	char path[64];

	if (fd < 0)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	code = pmu_code_new();
	if (!code || write(fd, data, size) != (ssize_t)size)
		abort();
	for (size_t i = 0; i < sizeof(offsets) / sizeof(*offsets); i++)
		look_up(code, path, offsets[i]);
	pmu_code_free(code);
	close(fd);
	return 0;
}
