/* SPDX-License-Identifier: BSD-3-Clause */
/* Picks the writer by a file's name. */
#include "bindings/command/viewers/viewers.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "bindings/command/page/page.h"

static const struct pmu_viewer viewers[] = {
	{ "", ".folded", pmu_viewer_folded },
	{ "", ".speedscope.json", pmu_viewer_speedscope },
	{ "callgrind.out.", "", pmu_viewer_callgrind },
	{ "", ".pb", pmu_viewer_pprof },
};

#define GZ ".gz"

static const char *file_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool name_ends_with(const char *name, size_t len, const char *ending)
{
	size_t n = strlen(ending);

	return len >= n && !strncasecmp(name + len - n, ending, n);
}

static bool is_compressed(const char *path)
{
	return name_ends_with(path, strlen(path), GZ);
}

/* An ending that another writer, also the library's, recognises has precedence over a beginning. */
static bool is_other(const char *path)
{
	return pmu_report_format_of(path) != PMU_REPORT_TEXT || pmu_page_is(path);
}

const struct pmu_viewer *pmu_viewer_of(const char *path)
{
	const char *name = file_of(path);
	size_t len = strlen(name) - (is_compressed(name) ? strlen(GZ) : 0);

	for (size_t i = 0; i < PMU_ARRAY_LEN(viewers); i++) {
		size_t n = strlen(viewers[i].beginning);

		if (len > n && !strncmp(name, viewers[i].beginning, n) &&
		    (viewers[i].ending[0] ? name_ends_with(name, len, viewers[i].ending)
					  : !is_other(path)))
			return &viewers[i];
	}
	return NULL;
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

int pmu_viewer_render(struct pmu_strbuf *out, const struct pmu_model *model,
		      const struct pmu_viewer *viewer, const char *path,
		      const struct pmu_text_options *options)
{
	struct pmu_strbuf plain = { 0 };
	struct pmu_stacks stacks;
	int rc = pmu_stacks_make(model, &stacks);

	if (!rc && is_compressed(path)) {
		rc = viewer->write(&plain, &stacks, options);
		rc = rc ? rc : compress_into(out, &plain);
		pmu_strbuf_free(&plain);
	} else if (!rc) {
		rc = viewer->write(out, &stacks, options);
	}
	pmu_stacks_free(&stacks);
	if (!rc && out->failed)
		rc = -ENOMEM;
	return rc == -ENOMEM ? pmu_fail(ENOMEM, "no memory") : rc;
}
