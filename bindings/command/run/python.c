/* SPDX-License-Identifier: BSD-3-Clause */
/* A Python program that is named as it is, and not to be executed: its interpreter goes before it. */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bindings/command/run/run.h"
#include "bindings/preload/process/target.h"

static bool is_command(const char *name)
{
	char path[PATH_MAX];

	if (strchr(name, '/'))
		return access(name, X_OK) == 0;
	return target_search(name, path, sizeof(path));
}

void pmu_run_interpret(struct pmu_run_request *request)
{
	static char python[] = "python3";
	const char *name = request->command[0], *ending = strrchr(name, '.');
	struct stat st;

	if (!ending || strcmp(ending, ".py") != 0 || is_command(name) || stat(name, &st) < 0 ||
	    !S_ISREG(st.st_mode))
		return;
	/* the word before the command's was ours, and has been read */
	*--request->command = python;
}
