/* SPDX-License-Identifier: BSD-3-Clause */
/* Caliper's regions, with its report of run times. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wstrict-prototypes" /* its headers' */
#include <caliper/cali-manager.h>
#include <caliper/cali.h>
#pragma GCC diagnostic pop

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "worker.h"

static cali_ConfigManager manager;
static char report[] = "/tmp/bench-caliper-XXXXXX"; /* looked at and removed at the end */

static bool start(enum what what, char why[WHY_LEN])
{
	char configuration[64];
	int fd;

	if (what != TIME)
		return because(why, "what Caliper counts depends on how it was built");
	if ((fd = mkstemp(report)) < 0)
		return because(why, "%s: %s", report, strerror(errno));
	close(fd);
	snprintf(configuration, sizeof(configuration), "runtime-report(output=%s)", report);
	cali_config_preset("CALI_CHANNEL_FLUSH_ON_EXIT", "false");
	cali_ConfigManager_new(&manager);
	cali_ConfigManager_add(&manager, configuration);
	if (cali_ConfigManager_error(&manager)) {
		unlink(report);
		return because(why, "Caliper refuses the configuration %s", configuration);
	}
	cali_ConfigManager_start(&manager);
	return true;
}

static void one(size_t n_pairs)
{
	for (size_t i = 0; i < n_pairs; i++) {
		CALI_MARK_BEGIN(THE_NAME);
		CALI_MARK_END(THE_NAME);
	}
}

static void named(size_t n_rounds)
{
	for (size_t i = 0; i < n_rounds; i++) {
		for (size_t k = 0; k < N_NAMES; k++) {
			CALI_MARK_BEGIN(names[k]);
			CALI_MARK_END(names[k]);
		}
	}
}

static bool in_report(const char *name)
{
	FILE *file = fopen(report, "r");
	char line[300];
	bool found = false;

	while (file && !found && fgets(line, sizeof(line), file))
		found = strstr(line, name) != NULL;
	if (file)
		fclose(file);
	return found;
}

static bool check(const struct done *done, char why[WHY_LEN])
{
	bool good;

	cali_ConfigManager_flush(&manager);
	good = (!done->one || in_report(THE_NAME)) &&
	       (!done->named || in_report(names[N_NAMES - 1]));
	unlink(report);
	return good || because(why, "Caliper's report does not have the regions");
}

static const char *version(void)
{
	static char text[40];

	snprintf(text, sizeof(text), "Caliper %s", cali_caliper_version());
	return text;
}

const struct contender contender = {
	.start = start, .one = one, .named = named, .check = check, .version = version
};
