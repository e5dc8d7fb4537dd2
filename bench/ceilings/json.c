/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ceilings as a file, which `pmu report --roofline` reads (bindings/command/roofline/ceilings.c).
 *
 * JSON, version 1 of the schema:
 *   pmu_ceilings   1
 *   version        of the library
 *   machine, host, cpu  as in a report
 *   unix_s         when it was measured
 *   threads        [1, on all processors]
  *   how            {runs, run_ns}: a number is the median of so many runs that nothing disturbed
 *   disturbed      numbers for which there were not as many: other work was there
 *   flops          [{precision: "double" or "single", vector_bits: 0 for scalar, fused, rates}]
 *     rates        for each of threads: {median, least, most}, FLOP/s of all threads together; a
 *                  multiply-add is two
 *   levels         [{name, cache_bytes: null for memory, data_bytes: for each of threads, moves}]
 *     moves        [{kind: "read", "copy" or "triad", vector_bits, rates}]: bytes/s that are loaded
 *                  and stored
 */
#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/ceilings/ceilings.h"
#include "bindings/command/roofline/place.h"
#include "pmu.h"

static json_t *rates(const struct rate rate[N_TEAMS])
{
	json_t *list = json_array();

	for (enum team team = 0; team < N_TEAMS; team++)
		json_array_append_new(list, json_pack("{s:f, s:f, s:f}", "median",
						      rate[team].median, "least", rate[team].least,
						      "most", rate[team].most));
	return list;
}

static json_t *flops(const struct ceilings *ceilings)
{
	json_t *list = json_array();

	for (size_t i = 0; i < ceilings->n_flops; i++) {
		const struct flops_kernel *kernel = ceilings->flops[i];

		json_array_append_new(list, json_pack("{s:s, s:i, s:b, s:o}", "precision",
						      kernel->precision, "vector_bits",
						      kernel->vector_bits, "fused", kernel->fused,
						      "rates", rates(ceilings->flops_rate[i])));
	}
	return list;
}

static json_t *levels(const struct ceilings *ceilings)
{
	json_t *list = json_array();

	for (size_t i = 0; i < ceilings->n_levels; i++) {
		const struct level *level = &ceilings->level[i];
		json_t *moves = json_array();

		for (size_t k = 0; k < ceilings->n_kinds; k++)
			json_array_append_new(
				moves, json_pack("{s:s, s:i, s:o}", "kind", ceilings->kind[k]->kind,
						 "vector_bits", ceilings->kind[k]->vector_bits,
						 "rates", rates(level->rate[k])));
		json_array_append_new(
			list,
			json_pack("{s:s, s:o, s:[I, I], s:o}", "name", level->name, "cache_bytes",
				  level->cache ? json_integer((json_int_t)level->cache)
					       : json_null(),
				  "data_bytes", (json_int_t)level->total[TEAM_ONE],
				  (json_int_t)level->total[TEAM_ALL], "moves", moves));
	}
	return list;
}

static json_t *all(const struct ceilings *ceilings)
{
	return json_pack("{s:i, s:s, s:s, s:s, s:s, s:I, s:[i, i], s:{s:i, s:i}, s:i, s:o, s:o}",
			 "pmu_ceilings", 1, "version", PMU_VERSION_STRING, "machine",
			 ceilings->machine, "host", ceilings->host, "cpu", ceilings->cpu, "unix_s",
			 (json_int_t)ceilings->unix_s, "threads", ceilings->n_threads[TEAM_ONE],
			 ceilings->n_threads[TEAM_ALL], "how", "runs", CEILINGS_RUNS, "run_ns",
			 CEILINGS_RUN_NS, "disturbed", ceilings->n_disturbed, "flops",
			 flops(ceilings), "levels", levels(ceilings));
}

/* --- the file --- */

static int fail(const char *path)
{
	fprintf(stderr, "pmu-bench: cannot write %s: %s\n", path, strerror(errno));
	return -1;
}

/* Those before it, too: a fresh home has no ~/.cache. */
static void make_folders(char *path, size_t folder)
{
	for (size_t i = 1; i <= folder; i++) {
		char c = path[i];

		if (c != '/')
			continue;
		path[i] = '\0';
		mkdir(path, 0700); /* what is missing shows when the file is opened */
		path[i] = c;
	}
}

/* What is not all there is not there: it is written beside its place. */
static FILE *open_beside(const char *path, char beside[PATH_MAX])
{
	FILE *file;

	if (snprintf(beside, PATH_MAX, "%s.%d", path, (int)getpid()) >= PATH_MAX) {
		errno = ENAMETOOLONG;
		fail(path);
		return NULL;
	}
	file = fopen(beside, "wxe");
	if (!file)
		fail(path);
	return file;
}

static int write_file(const char *text, const char *path)
{
	char beside[PATH_MAX];
	FILE *file = open_beside(path, beside);
	bool written;

	if (!file)
		return -1;
	written = fprintf(file, "%s\n", text) > 0;
	if (fclose(file) == 0 && written && rename(beside, path) == 0)
		return 0;
	fail(path);
	unlink(beside);
	return -1;
}

int ceilings_place(struct ceilings *ceilings, const char *output)
{
	char beside[PATH_MAX];
	FILE *file;
	int folder = 0;

	if (output)
		snprintf(ceilings->path, sizeof(ceilings->path), "%s", output);
	else
		folder = pmu_ceilings_path(ceilings->host, ceilings->cpu, ceilings->path,
					   sizeof(ceilings->path));
	if (folder < 0) {
		fputs("pmu-bench: neither XDG_CACHE_HOME nor HOME names a folder for the ceilings; -o FILE "
		      "does\n",
		      stderr);
		return -1;
	}
	make_folders(ceilings->path, (size_t)folder);
	if (!strcmp(ceilings->path, "-"))
		return 0;
	file = open_beside(ceilings->path, beside);
	if (!file)
		return -1;
	fclose(file);
	unlink(beside);
	return 0;
}

int ceilings_write(const struct ceilings *ceilings, const char *path)
{
	json_t *root = all(ceilings);
	char *text = root ? json_dumps(root, JSON_INDENT(1) | JSON_REAL_PRECISION(6) |
						     JSON_PRESERVE_ORDER)
			  : NULL;
	int rc = -1;

	if (!text)
		fputs("pmu-bench: there is no memory for the file\n", stderr);
	else if (strcmp(path, "-") != 0)
		rc = write_file(text, path);
	else
		rc = puts(text) < 0 ? -1 : 0;
	free(text);
	json_decref(root);
	return rc;
}
