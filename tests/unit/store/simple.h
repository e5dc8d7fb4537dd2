/* SPDX-License-Identifier: BSD-3-Clause */
/* What the tests of the checked reader share: a small store, and what is read of one that is whole. */
#ifndef PMU_TESTS_STORE_SIMPLE_H
#define PMU_TESTS_STORE_SIMPLE_H

#include <fcntl.h>
#include <unistd.h>

#include "base/error.h"
#include "tap.h"
#include "unit/store_build.h"

static inline struct pmu_model *must_read(struct build *build)
{
	struct pmu_model *model = NULL;
	int rc = build_read(build, &model);

	if (rc) {
		diag("pmu_store_snapshot: %d, %s", rc, pmu_error_text());
		exit(1);
	}
	return model;
}

static inline uint64_t calls_of(const struct pmu_model *model, const char *path)
{
	const struct pmu_model_row *row = model_row(model, path);

	return row ? row->calls : UINT64_MAX;
}

/* A store with solve/inner in one live thread. */
static inline struct build *simple(struct pmu_store_group **group, struct pmu_store_thread **thread)
{
	struct build *build = build_new();
	uint32_t solve, inner;

	build_meta(build, PMU_META_PROGRAM, "solver");
	*group = build_group(build, 0, "CORE", "instructions cycles");
	solve = build_name(build, "solve");
	inner = build_name(build, "inner");
	*thread = build_thread(build, 0, *group, 0, PMU_THREAD_LIVE, 8);
	solve = build_row(*thread, *group, solve, 0, 10, 1000);
	build_row(*thread, *group, inner, solve, 20, 100);
	return build;
}

static inline int write_store(const char *path, const struct build *build, size_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	ssize_t n = fd < 0 ? -1 : write(fd, build->bytes, size);

	if (fd >= 0)
		close(fd);
	return n == (ssize_t)size ? 0 : -1;
}

#endif
