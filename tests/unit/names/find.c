/* SPDX-License-Identifier: BSD-3-Clause */
/* Where groups are found: folders of the user's, then what is shipped. */
#include "names/file/file.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/strbuf.h"
#include "plan/formula.h"
#include "unit/part.h"

static struct pmu_group group;
static char folder[64];

/* --- files --- */

static void path_of(const char *name, char *path, size_t size)
{
	if ((size_t)snprintf(path, size, "%s/%s", folder, name) >= size)
		abort();
}

static void make_folder(const char *name)
{
	char path[256];

	path_of(name, path, sizeof(path));
	if (mkdir(path, 0700) < 0)
		diag("mkdir %s: %s", path, strerror(errno));
}

static void write_file(const char *name, const char *text)
{
	char path[256];
	FILE *file;

	path_of(name, path, sizeof(path));
	file = fopen(path, "w");
	if (!file || fputs(text, file) < 0 || fclose(file) != 0)
		diag("cannot write %s: %s", path, strerror(errno));
}

static void set_path(const char *names)
{
	struct pmu_strbuf path = { 0 };
	char *copy = strdup(names), *rest = copy, *name;

	while ((name = strsep(&rest, ":")))
		pmu_strbuf_addf(&path, "%s%s/%s", path.len ? ":" : "", folder, name);
	setenv("PMU_GROUP_PATH", pmu_strbuf_text(&path), 1);
	pmu_strbuf_free(&path);
	free(copy);
}

static const char *about(const char *name)
{
	return pmu_group_file_find(name, NULL, &group) ? pmu_error_text() : group.about;
}

static void set_up(void)
{
	snprintf(folder, sizeof(folder), "/tmp/pmu-groups-XXXXXX");
	if (!mkdtemp(folder))
		diag("mkdtemp: %s", strerror(errno));
	make_folder("first");
	make_folder("second");
	make_folder("config");
	make_folder("config/pmu");
	make_folder("config/pmu/groups");
	make_folder(".config");
	make_folder(".config/pmu");
	make_folder(".config/pmu/groups");
	write_file("first/Mine.group",
		   "[group]\nabout = mine, first\n[events]\nI = instructions\n");
	write_file("second/MINE.group", "[group]\nabout = mine, second\n");
	write_file("second/TIME.group", "[group]\nabout = my own time\n");
	write_file("first/broken.group", "[group]\nabout : x\n");
	write_file("first/no-ending", "[group]\nabout = none\n");
	write_file("first/.group", "[group]\nabout = none\n");
	write_file("first/.hidden.group", "[group]\nabout = none\n");
	make_folder("first/folder.group");
	write_file("config/pmu/groups/TIME.group", "[group]\nabout = configured time\n");
	write_file(".config/pmu/groups/TIME.group", "[group]\nabout = time at home\n");
}

static void tear_down(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s", folder);
	if (system(command) != 0)
		diag("%s", command);
}

/* --- what is tested --- */

static void the_first_folder_wins(void)
{
	setenv("XDG_CONFIG_HOME", "/nonexistent", 1);
	unsetenv("PMU_GROUP_PATH");
	is_str(about("TIME"), "Time only", "what is shipped");
	set_path("first:second");
	is_str(about("mine"), "mine, first", "the first folder's, whatever the case");
	is_str(group.name, "Mine", "  by the file's name");
	is_str(about("TIME"), "my own time", "a shipped group of one's own");
	is_str(about("CORE"),
	       "Instructions, cycles, branches and cache: the seven architectural events",
	       "  beside the others");
	set_path("nowhere:second:first");
	is_str(about("MINE"), "mine, second",
	       "the other way round, behind a folder that is not there");
	setenv("PMU_GROUP_PATH", "::", 1);
	is_str(about("TIME"), "Time only", "empty folders are none");
}

static void the_configuration_folder_comes_next(void)
{
	char path[256];

	path_of("config", path, sizeof(path));
	setenv("XDG_CONFIG_HOME", path, 1);
	unsetenv("PMU_GROUP_PATH");
	is_str(about("time"), "configured time", "$XDG_CONFIG_HOME");
	set_path("second");
	is_str(about("time"), "my own time", "PMU_GROUP_PATH is before it");
	unsetenv("PMU_GROUP_PATH");
	setenv("HOME", folder, 1);
	setenv("XDG_CONFIG_HOME", "relative", 1);
	is_str(about("time"), "time at home",
	       "~/.config, as a relative $XDG_CONFIG_HOME does not count");
	unsetenv("XDG_CONFIG_HOME");
	is_str(about("time"), "time at home", "~/.config without it");
	unsetenv("HOME");
	is_str(about("time"), "Time only", "and nothing without a home");
	setenv("XDG_CONFIG_HOME", "/nonexistent", 1);
}

static void what_cannot_be_read_is_said(void)
{
	char path[256];

	set_path("first");
	is_int(pmu_group_file_find("broken", NULL, &group), -EINVAL, "a file that is wrong");
	has(pmu_error_text(), "first/broken.group:2: a ':' before the '='",
	    "  by its name and line");
	is_int(pmu_group_file_find("folder", NULL, &group), -EINVAL, "a folder");
	has(pmu_error_text(), "folder.group: it is no regular file", "  is none");
	path_of("first/pipe.group", path, sizeof(path));
	is_int(mkfifo(path, 0600), 0, "a pipe");
	is_int(pmu_group_file_find("pipe", NULL, &group), -EINVAL, "  holds up nobody");
	path_of("first/gone.group", path, sizeof(path));
	is_int(symlink("nowhere", path), 0, "a link to nothing");
	is_int(pmu_group_file_find("gone", NULL, &group), -EINVAL, "  cannot be read");
	is_int(pmu_group_file_find("no-ending", NULL, &group), -ENOENT,
	       "a file without the ending is none");
	is_int(pmu_group_file_find("hidden", NULL, &group), -ENOENT, "  nor a hidden one");
	is_int(pmu_group_file_find("", NULL, &group), -ENOENT, "  nor one without a name");
}

/* --- all of them --- */

static void list(void *arg, const char *name, const char *text, const char *origin)
{
	pmu_strbuf_addf(arg, "%s|%.30s|%s\n", name, text, origin[0] ? strrchr(origin, '/') : "");
}

static void all_are_listed_once(void)
{
	struct pmu_strbuf out = { 0 };

	set_path("second:first");
	pmu_group_file_each(list, &out);
	has(pmu_strbuf_text(&out), "BRANCH|Branches: how many, which kind|\n", "a shipped one");
	has(pmu_strbuf_text(&out), "\nMINE|mine, second|/MINE.group\nNUMA|",
	    "one of two, in order");
	has(pmu_strbuf_text(&out), "\nTIME|my own time|/TIME.group\n", "the one that wins");
	has(pmu_strbuf_text(&out), "\nbroken|/tmp/", "a broken one, and why");
	ok(!strstr(pmu_strbuf_text(&out), "hidden") && !strstr(pmu_strbuf_text(&out), "no-ending"),
	   "nothing else");
	pmu_strbuf_free(&out);
}

static int any_value(void *arg, const char *name, double *value)
{
	(void)arg;
	(void)name;
	*value = 2;
	return 0;
}

static bool formulas_hold(const struct pmu_group *of)
{
	double value;

	for (unsigned int i = 0; i < of->n_metrics; i++)
		if (pmu_metric_eval(of->metric[i].formula, any_value, NULL, &value) ||
		    (value != value && !strstr(of->metric[i].formula, " - "))) {
			diag("%s, %s: %s", of->name, of->metric[i].name, pmu_error_text());
			return false;
		}
	return true;
}

/* Also of CPUs that the matrix does not have. */
static void shipped_ones_are_sound_on_every_cpu(void)
{
	struct pmu_catalog catalog = { .sysfs = "" };

	for (const struct pmu_group_shipped *file = pmu_group_shipped; file->name; file++) {
		bool sound = true, about = false;

		for (const struct pmu_cpu_model *model = pmu_cpu_models; model->vendor; model++) {
			int rc;

			catalog.model = model;
			rc = pmu_group_shipped_find(file->name, &catalog, &group);
			if ((rc && rc != -ENOTSUP) || (!rc && !formulas_hold(&group))) {
				diag("%s, %02X_%02XH: %s", model->microarchitecture, model->family,
				     model->model_first, pmu_error_text());
				sound = false;
			}
			about |= group.about[0] != '\0';
		}
		ok(sound && about, "%s", file->name);
	}
}

UNIT_PART(find)
{
	set_up();
	the_first_folder_wins();
	the_configuration_folder_comes_next();
	what_cannot_be_read_is_said();
	all_are_listed_once();
	tear_down();
	shipped_ones_are_sound_on_every_cpu();
	return done_testing();
}
