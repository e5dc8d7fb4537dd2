/* SPDX-License-Identifier: BSD-3-Clause */
/* A report as stacks through a writer, and compressed where its name says so. */
#include "bindings/command/viewers/viewers.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"

#define GZ ".gz"

size_t pmu_viewer_plain_len(const char *path)
{
	size_t len = strlen(path);

	return pmu_format_fit(path, len, "", GZ) >= 0 ? len - strlen(GZ) : len;
}

static bool is_compressed(const char *path)
{
	return path[pmu_viewer_plain_len(path)];
}

int pmu_viewer_check(const char *path)
{
	if (!is_compressed(path) || pmu_gzip_works())
		return 0;
	return pmu_fail(ENOTSUP,
			"%s: this pmu was built without zlib, which compresses; leave the " GZ
			" out of its name",
			path);
}

static int compress_into(struct pmu_strbuf *out, const struct pmu_strbuf *plain)
{
	return plain->failed ? -ENOMEM : pmu_gzip(out, pmu_strbuf_text(plain), plain->len);
}

static unsigned int details_of(pmu_viewer_write *write)
{
	/* there calls are counted, and costs are a function's wherever it is called from */
	if (write == pmu_viewer_callgrind)
		return 0;
	return PMU_STACK_CALLS | (write == pmu_viewer_pprof ? PMU_STACK_LINES : 0);
}

int pmu_viewer_render(struct pmu_strbuf *out, const struct pmu_model *model,
		      pmu_viewer_write *write, const char *path,
		      const struct pmu_text_options *options)
{
	struct pmu_strbuf plain = { 0 };
	struct pmu_stacks stacks;
	int rc = pmu_stacks_make(model, details_of(write), &stacks);

	if (!rc && is_compressed(path)) {
		rc = write(&plain, &stacks, options);
		rc = rc ? rc : compress_into(out, &plain);
		pmu_strbuf_free(&plain);
	} else if (!rc) {
		rc = write(out, &stacks, options);
	}
	pmu_stacks_free(&stacks);
	if (!rc && out->failed)
		rc = -ENOMEM;
	return rc == -ENOMEM ? pmu_fail(ENOMEM, "no memory") : rc;
}
