/* SPDX-License-Identifier: BSD-3-Clause */
/* PMU_GROUP: what a session counts, one group after the other; and groups that stand for several. */
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/strbuf.h"
#include "settings/config.h"
#include "unit/part.h"

#define SANDY_BRIDGE TEST_SRCDIR "/tests/data/cpuid/sandybridge-i7-2600k.txt"

/* 36 groups, as many as a line has room for. */
#define THREE_TIMES "TIME,TIME,TIME"
#define NINE_TIMES  THREE_TIMES "," THREE_TIMES "," THREE_TIMES
#define MANY_TIMES  NINE_TIMES "," NINE_TIMES "," NINE_TIMES "," NINE_TIMES

static char folder[64];

static const struct {
	const char *name, *text;
} files[] = {
	{ "ONE", "[events Sandy Bridge]\nI = instructions\n" },
	{ "TWO", "[events snb]\nC = cycles\n" },
	{ "OTHER", "[events Neoverse V1]\nC = cycles\n" },
	{ "LIKEWISE", "[events Zen 4]\nC = cycles\n" },
	{ "BOTH", "[group]\nabout = Two\ngroups = ONE, two\n" },
	{ "MORE", "[group]\ngroups = OTHER,TWO , LIKEWISE, ONE\n" },
	{ "NONE", "[group]\ngroups = OTHER, LIKEWISE\n" },
	{ "ABSENT", "[group]\ngroups = ONE, NOWHERE\n" },
	{ "NESTED", "[group]\ngroups = ONE, BOTH\n" },
	{ "MANY", "[group]\ngroups = " MANY_TIMES "\n" },
};

_Static_assert(PMU_CONFIG_MAX_GROUPS < 36, "so many groups are too many");

static void path_of(const char *name, char *path, size_t size)
{
	if ((size_t)snprintf(path, size, "%s/%s.group", folder, name) >= size)
		abort();
}

static bool write_files(void)
{
	char path[256];
	FILE *file;

	snprintf(folder, sizeof(folder), "/tmp/pmu-groups-XXXXXX");
	if (!mkdtemp(folder))
		return false;
	for (size_t i = 0; i < PMU_ARRAY_LEN(files); i++) {
		path_of(files[i].name, path, sizeof(path));
		file = fopen(path, "w");
		if (!file || fputs(files[i].text, file) < 0 || fclose(file) != 0)
			return false;
	}
	return !setenv("PMU_GROUP_PATH", folder, 1) && !setenv("PMU_CPUID_FILE", SANDY_BRIDGE, 1);
}

static void remove_files(void)
{
	char path[256];

	for (size_t i = 0; i < PMU_ARRAY_LEN(files); i++) {
		path_of(files[i].name, path, sizeof(path));
		unlink(path);
	}
	rmdir(folder);
}

/* "ONE 1, TWO 1 (note)": groups, how many events each has; or the sentence that says why not. */
static const char *groups_of(const char *list)
{
	static struct pmu_config config;
	static char text[2048];
	struct pmu_strbuf warnings = { 0 };
	size_t len = 0;
	int rc;

	pmu_error_clear();
	setenv("PMU_GROUP", list, 1);
	rc = pmu_config_load(&config, NULL, &warnings);
	snprintf(text, sizeof(text), "%s", pmu_error_text());
	for (unsigned int i = 0; !rc && i < config.n_groups; i++) {
		const struct pmu_group *group = &config.group[i];

		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%s %u%s%s%s",
					i ? ", " : "", group->name, group->n_events,
					group->note[0] ? " (" : "", group->note,
					group->note[0] ? ")" : "");
	}
	pmu_strbuf_free(&warnings);
	pmu_catalog_close(&config.catalog);
	pmu_config_free(&config);
	return text;
}

static void a_list_is_taken_in_its_order(void)
{
	is_str(groups_of("TWO, ONE"), "TWO 1, ONE 1", "two groups");
	is_str(groups_of("OTHER"), "OTHER 0 (group OTHER has no events of this CPU (Sandy Bridge))",
	       "what cannot be counted becomes time only");
	has(groups_of(MANY_TIMES), "PMU_GROUP: more than ", "there are so many and no more");
}

static void a_group_stands_for_several(void)
{
	is_str(groups_of("BOTH"), "ONE 1, TWO 1", "in its order");
	is_str(groups_of("both"), "ONE 1, TWO 1", "case does not count");
	is_str(groups_of("TWO,BOTH,TIME"), "TWO 1, ONE 1, TWO 1, TIME 0", "among others");
	has(groups_of("MANY"), "PMU_GROUP: more than ", "within the same limit");
}

static void what_this_processor_lacks_is_left_out(void)
{
	is_str(groups_of("MORE"),
	       "TWO 1 (MORE is without OTHER, LIKEWISE here: group OTHER has no events of this CPU "
	       "(Sandy Bridge)), ONE 1",
	       "named, and once why");
	is_str(groups_of("NONE"),
	       "NONE 0 (NONE cannot be counted here: group OTHER has no events of this CPU (Sandy Bridge))",
	       "without any it is time only");
}

static void mistakes_are_told(void)
{
	has(groups_of("ABSENT"), "PMU_GROUP: there is no group \"NOWHERE\"", "a name of no group");
	is_str(groups_of("NESTED"), "PMU_GROUP: NESTED stands for BOTH, which stands for others",
	       "none stands for one that does");
}

UNIT_PART(groups)
{
	if (!write_files())
		return skip_all("no folder for files");
	a_list_is_taken_in_its_order();
	a_group_stands_for_several();
	what_this_processor_lacks_is_left_out();
	mistakes_are_told();
	remove_files();
	return done_testing();
}
