/* SPDX-License-Identifier: BSD-3-Clause */
/* Looks through Intel's metric files of a CPU. */
#include "names/vendor/metric.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "names/vendor/map.h"
#include "names/vendor/metric_parts.h"

#define LEGACY_PREFIX "metric_"
#define SHOWN         60

/* --- the files of a CPU --- */

struct walk {
	struct pmu_catalog *catalog;
	uint8_t core_type; /* of the file: PMU_SLOT_P, PMU_SLOT_E; 0 any */
	unsigned int n_files;
	int (*metric)(struct walk *walk, const struct pmu_intel_metric *metric);
	void *arg;
	struct pmu_intel_metric room;
};

static int one_metric(void *arg, struct pmu_intel_metric *metric)
{
	struct walk *walk = arg;

	return walk->metric(walk, metric);
}

static int one_file(void *arg, const struct pmu_vendor_map_row *row)
{
	struct walk *walk = arg;
	char *text;
	size_t len;
	int rc;

	if (strcmp(row->type, "metrics") != 0)
		return 0;
	rc = pmu_vendor_read(walk->catalog->event_files, row->file, &text, &len);
	/* parts of the collection are enough */
	if (rc)
		return rc == -ENOENT ? 0 : rc;
	walk->n_files++;
	walk->core_type = row->core_type == 0x40   ? PMU_SLOT_P
			  : row->core_type == 0x20 ? PMU_SLOT_E
						   : 0;
	rc = pmu_intel_metrics_read(row->file, text, len, &walk->room, one_metric, walk);
	free(text);
	return rc;
}

/* Return: what ended the walk; 0: it came to the end. */
static int walk_files(struct pmu_catalog *catalog,
		      int (*metric)(struct walk *walk, const struct pmu_intel_metric *metric),
		      void *arg)
{
	struct pmu_cpu_id id;
	struct walk *walk;
	int rc;

	if (!catalog || !catalog->event_files)
		return pmu_fail(
			EINVAL,
			"Intel's metrics are read from its event files: set PMU_EVENT_FILES to a folder "
			"with a mapfile.csv, such as a checkout of github.com/intel/perfmon");
	id = catalog->id;
	if (!catalog->model && pmu_cpu_identify(&id))
		return pmu_fail(EINVAL, "Intel's metrics are for a processor that says who it is");
	walk = calloc(1, sizeof(*walk));
	if (!walk)
		return pmu_fail(ENOMEM, "no memory for a metric");
	walk->catalog = catalog;
	walk->metric = metric;
	walk->arg = arg;
	rc = pmu_vendor_map_each(catalog->event_files, &id, one_file, walk);
	if (rc >= 0 && !walk->n_files)
		rc = pmu_fail(EINVAL, "%s has no metrics for %s-%u-%X", catalog->event_files,
			      id.vendor, id.family, id.model);
	free(walk);
	return rc < 0 ? rc : 0;
}

/* --- by name --- */

struct search {
	const char *name;
	struct pmu_group *group; /* result */
	int rc;
	char **names; /* for the nearest */
	size_t n_names, room;
};

#define FOUND (-ECANCELED)

static const char *short_legacy(const char *legacy)
{
	size_t len = strlen(LEGACY_PREFIX);

	return strncmp(legacy, LEGACY_PREFIX, len) != 0 ? legacy : legacy + len;
}

static void remember(struct search *search, const char *name)
{
	if (search->n_names + 1 >= search->room) {
		size_t room = search->room ? 2 * search->room : 64;
		char **names = realloc(search->names, room * sizeof(*names));

		if (!names)
			return;
		search->names = names;
		search->room = room;
	}
	search->names[search->n_names] = strdup(name);
	if (search->names[search->n_names])
		search->names[++search->n_names] = NULL;
}

static int look_at_metric(struct walk *walk, const struct pmu_intel_metric *metric)
{
	struct search *search = walk->arg;

	if (strcasecmp(metric->name, search->name) != 0 &&
	    strcasecmp(metric->legacy, search->name) != 0 &&
	    strcasecmp(short_legacy(metric->legacy), search->name) != 0) {
		remember(search, metric->name);
		return 0;
	}
	search->rc = pmu_intel_metric_group(metric, walk->core_type, walk->catalog, search->group);
	return FOUND;
}

static int not_found(const struct search *search)
{
	const char *nearest = search->n_names ? pmu_closest(search->name,
							    (const char *const *)search->names)
					      : NULL;

	if (nearest)
		return pmu_fail(EINVAL,
				"Intel has no metric \"%.*s\" for this CPU; did you mean intel:%s?",
				SHOWN, search->name, nearest);
	return pmu_fail(
		EINVAL,
		"Intel has no metric \"%.*s\" for this CPU; 'pmu list groups intel:' lists them",
		SHOWN, search->name);
}

int pmu_intel_metric_find(struct pmu_catalog *catalog, const char *name, struct pmu_group *group)
{
	struct search search = { .name = name, .group = group };
	char why[PMU_ERROR_MAX];
	int rc = walk_files(catalog, look_at_metric, &search);

	if (rc == FOUND) {
		rc = search.rc;
		snprintf(why, sizeof(why), "%s", pmu_error_text());
		if (rc)
			rc = pmu_fail(rc,
				      "Intel's metric %.*s cannot be counted as a group: %.400s",
				      SHOWN, name, why);
	} else if (rc == -ENOENT) {
		snprintf(why, sizeof(why), "%s", pmu_error_text());
		rc = pmu_fail(EINVAL, "%s", why);
	} else if (!rc) {
		rc = not_found(&search);
	}
	for (size_t i = 0; i < search.n_names; i++)
		free(search.names[i]);
	free(search.names);
	return rc;
}

/* --- all of them --- */

struct visit {
	void (*each)(void *arg, const char *name, const char *about, const char *unit,
		     const char *note, const char *why_not);
	void *arg;
};

static int show(struct walk *walk, const struct pmu_intel_metric *metric)
{
	struct visit *visit = walk->arg;
	struct pmu_group group;
	int rc = pmu_intel_metric_group(metric, walk->core_type, walk->catalog, &group);

	visit->each(visit->arg, metric->name, metric->about, group.metric[0].unit,
		    !rc && group.note[0] ? PMU_INTEL_BY_GENERAL : "", rc ? pmu_error_text() : "");
	return 0;
}

int pmu_intel_metric_each(struct pmu_catalog *catalog,
			  void (*each)(void *arg, const char *name, const char *about,
				       const char *unit, const char *note, const char *why_not),
			  void *arg)
{
	struct visit visit = { .each = each, .arg = arg };

	return walk_files(catalog, show, &visit);
}
