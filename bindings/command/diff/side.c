/* SPDX-License-Identifier: BSD-3-Clause */
/* One side of a comparison: reports of runs, by their names. */
#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "bindings/command/command.h"
#include "bindings/command/diff/diff.h"
#include "bindings/command/report/inputs.h"

/* A series has many runs, a report is one. */
static int add_file(const char *path, struct pmu_series *series)
{
	struct pmu_input input = { .path = path, .wants_series = true };
	int rc = pmu_input_read(&input);

	if (!rc)
		rc = input.series ? pmu_series_append(series, input.series)
				  : pmu_series_add(series, input.model);
	if (input.series)
		pmu_series_free(input.series);
	free(input.series);
	pmu_model_free(input.model);
	if (rc)
		pmu_command_error("%s", pmu_error_text());
	return rc;
}

/* Patterns are for those that the shell did not expand; what is there under that name is that. */
static int expand(const char *name, glob_t *found)
{
	char pattern[4096];
	struct stat st;
	int rc, len = 0;

	if (!stat(name, &st) && S_ISDIR(st.st_mode))
		len = snprintf(pattern, sizeof(pattern), "%s/*.json", name);
	else if (access(name, F_OK))
		len = snprintf(pattern, sizeof(pattern), "%s", name);
	if (len >= (int)sizeof(pattern))
		return -ENAMETOOLONG;
	rc = glob(len ? pattern : name, (len ? 0 : GLOB_NOMAGIC) | GLOB_APPEND, NULL, found);
	if (rc == GLOB_NOMATCH && !len)
		return 0;
	return rc == GLOB_NOSPACE ? -ENOMEM : rc ? -ENOENT : 0;
}

int pmu_diff_side(char *const *name, size_t n, struct pmu_series *series)
{
	glob_t found = { .gl_pathc = 0 };
	int rc = 0;

	for (size_t i = 0; i < n && !rc; i++) {
		rc = expand(name[i], &found);
		if (rc == -ENOENT)
			pmu_command_error(
				"%s: there is no such report, nor any in a folder or for a "
				"pattern of that name",
				name[i]);
		else if (rc)
			pmu_command_error("%s: %s", name[i], strerror(-rc));
	}
	for (size_t i = 0; i < found.gl_pathc && !rc; i++)
		rc = add_file(found.gl_pathv[i], series);
	if (!rc && !series->n_runs)
		rc = -ENOENT;
	if (!rc && pmu_series_finish(series)) {
		pmu_command_error("no memory");
		rc = -ENOMEM;
	}
	if (found.gl_pathv)
		globfree(&found);
	return rc;
}
