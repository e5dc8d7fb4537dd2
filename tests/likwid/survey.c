/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which lines of LIKWID's group files are understood, on every processor that it has groups for.  Run by
 * hand, with a checkout of LIKWID: nothing here needs one.
 *
 *	survey [-r | -g | -n] FOLDER/groups [ARCH...]
 *
 * A line for each processor; -r: and the reasons of what is refused, -g: and every group's counts, formulas
 * and note; -n: events alone, of which tests/data/likwid.csv is made.  SYSFS in the environment: the PMUs of
 * a kernel, like tests/data/sysfs/client; else none is known, and no box is missing.
 */
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/compiler.h"
#include "base/error.h"
#include "names/likwid/parts.h"
#include "tests/likwid/cpus.h"

#define MAX_LINES 2048
#define TEXT_MAX  160

/* One counter's unit with one event, in whatever group and box. */
struct asked {
	char counter[TEXT_MAX], event[TEXT_MAX], unit[64];
	char found[PMU_ERROR_MAX]; /* our event, or why not */
	uint64_t config;           /* of the first that is counted */
	bool understood;
};

struct survey {
	struct pmu_catalog catalog;
	char how; /* the option's letter */
	unsigned int n_files, n_whole, n_lines, n_understood, n_metrics, n_metrics_taken, n;
	struct asked asked[MAX_LINES];
};

static void ask(struct survey *survey, struct asked *asked)
{
	static struct pmu_group group;
	const char *why;

	pmu_error_clear();
	asked->understood = likwid_counts(asked->counter, asked->event, &survey->catalog, &group);
	why = strstr(group.note, "x:2: ");
	snprintf(asked->found, sizeof(asked->found), "%s",
		 !asked->understood ? (why ? why + strlen("x:2: ") : pmu_error_text())
		 : group.n_events   ? group.event[0].name
				    : ".");
	asked->config = asked->understood ? group.event[0].slot.config : 0;
}

static const struct asked *find_asked(struct survey *survey, const struct pmu_likwid_line *line)
{
	struct asked *asked = &survey->asked[survey->n];
	const char *name = line->first.at, *options = memchr(name, ':', line->first.len);
	size_t len = line->first.len, letters = 0;

	while (letters < len && isalpha((unsigned char)name[letters]))
		letters++;
	snprintf(asked->counter, TEXT_MAX, "%.*s", PMU_LIKWID_SHOW(line->first));
	snprintf(asked->event, TEXT_MAX, "%.*s", PMU_LIKWID_SHOW(line->last));
	snprintf(asked->unit, sizeof(asked->unit), "%.*s%.*s", (int)letters, name,
		 options ? (int)(len - (size_t)(options - name)) : 0, options ? options : "");
	for (unsigned int i = 0; i < survey->n; i++)
		if (!strcmp(survey->asked[i].unit, asked->unit) &&
		    !strcmp(survey->asked[i].event, asked->event))
			return &survey->asked[i];
	ask(survey, asked);
	if (survey->n + 1 < MAX_LINES)
		survey->n++;
	return asked;
}

static void print_group(const char *path, const struct pmu_group *group)
{
	printf("%s: %s\n\tcounts:", path, group->about);
	for (unsigned int i = 0; i < group->n_events; i++)
		printf(" %s", group->event[i].name);
	printf("\n");
	for (unsigned int i = 0; i < group->n_metrics; i++)
		printf("\t%s [%s] = %s\n", group->metric[i].name, group->metric[i].unit,
		       group->metric[i].formula);
	if (group->note[0])
		printf("\tnote: %s\n", group->note);
}

static void look_at_group(struct survey *survey, const char *name, const char *text, size_t len)
{
	static struct pmu_group group;
	struct pmu_likwid_scan scan = { .text = text, .len = len, .origin = "x" };
	struct pmu_likwid_line line;
	bool whole = true;

	while (pmu_likwid_scan_line(&scan, &line) > 0) {
		survey->n_metrics += line.section == PMU_LIKWID_METRICS;
		if (line.section != PMU_LIKWID_EVENTSET)
			continue;
		survey->n_lines++;
		if (find_asked(survey, &line)->understood)
			survey->n_understood++;
		else
			whole = false;
	}
	survey->n_files++;
	survey->n_whole += whole;
	if (pmu_likwid_parse(text, len, "x", "x", &survey->catalog, &group))
		snprintf(group.note, sizeof(group.note), "%s", pmu_error_text());
	survey->n_metrics_taken += group.n_metrics;
	if (survey->how == 'g')
		print_group(name, &group);
}

static void look_at_file(struct survey *survey, const char *path)
{
	static char text[1 << 16];
	FILE *file = fopen(path, "r");

	if (!file)
		return;
	look_at_group(survey, path, text, fread(text, 1, sizeof(text), file));
	fclose(file);
}

static int look_at_folder(struct survey *survey, const char *groups, const char *name)
{
	char path[4096];
	struct dirent **files;
	int n;

	snprintf(path, sizeof(path), "%s/%s", groups, name);
	n = scandir(path, &files, NULL, alphasort);
	for (int i = 0; i < n; i++) {
		if (strstr(files[i]->d_name, ".txt")) {
			snprintf(path, sizeof(path), "%s/%s/%s", groups, name, files[i]->d_name);
			look_at_file(survey, path);
		}
		free(files[i]);
	}
	if (n >= 0)
		free(files);
	return n;
}

static void print_survey(const struct survey *survey, const char *name)
{
	char how = survey->how;
	unsigned int refused = 0;

	for (unsigned int i = 0; i < survey->n; i++)
		refused += !survey->asked[i].understood;
	if (how != 'n')
		printf("%-14s %6u %6u %7u %7u %7u %7u %7u %7u\n", name, survey->n_files,
		       survey->n_whole, survey->n_lines, survey->n_understood, survey->n, refused,
		       survey->n_metrics, survey->n_metrics_taken);
	for (unsigned int i = 0; i < survey->n; i++) {
		const struct asked *asked = &survey->asked[i];

		if (how == 'n')
			printf("%s,%s,%s,%s%s,%llx\n", name, asked->counter, asked->event,
			       asked->understood ? "" : "-: ", asked->found,
			       (unsigned long long)asked->config);
		else if (how == 'r' && !asked->understood)
			printf("\t%s %s: %s\n", asked->counter, asked->event, asked->found);
	}
}

static bool is_wanted(const char *name, char *const *names)
{
	for (char *const *wanted = names; *wanted; wanted++)
		if (!strcmp(*wanted, name))
			return true;
	return !*names;
}

int main(int argc, char **argv)
{
	static struct survey survey;
	char how = argc > 1 && argv[1][0] == '-' ? argv[1][1] : '\0';
	char **rest = argv + 1 + !!how;

	if (argc < 2 + !!how)
		return fprintf(stderr, "survey [-r | -g | -n] FOLDER/groups [ARCH...]\n"), 2;
	if (how != 'n')
		printf("%-14s %6s %6s %7s %7s %7s %7s %7s %7s\n", "", "groups", "whole", "lines",
		       "taken", "events", "refused", "metrics", "taken");
	for (size_t i = 0; i < PMU_ARRAY_LEN(likwid_cpus); i++) {
		if (!is_wanted(likwid_cpus[i].name, rest + 1))
			continue;
		memset(&survey, 0, sizeof(survey));
		survey.how = how;
		survey.catalog = likwid_catalog(&likwid_cpus[i]);
		if (getenv("SYSFS"))
			survey.catalog.sysfs = getenv("SYSFS");
		if (look_at_folder(&survey, *rest, likwid_cpus[i].name) >= 0)
			print_survey(&survey, likwid_cpus[i].name);
		pmu_catalog_close(&survey.catalog);
	}
	return 0;
}
