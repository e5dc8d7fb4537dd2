/* SPDX-License-Identifier: BSD-3-Clause */
/* Options of valgrind's that are told elsewhere than on its command line (Valgrind manual, "Setting Default Options"). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/compiler.h"
#include "bindings/command/run/run.h"

#define BLANKS " \t\n\v\f\r\"'"

/* The last one's value, as the last one holds; NULL: it is not there.  Any tool's, or callgrind's alone. */
static const char *find_told_value(const char *text, const char *option)
{
	static const char *const spelled[] = { "--%s=", "--callgrind:%s=" };
	const char *found = NULL;

	for (size_t i = 0; i < PMU_ARRAY_LEN(spelled); i++) {
		char name[64];
		size_t len = (size_t)snprintf(name, sizeof(name), spelled[i], option);

		for (const char *at = strstr(text, name); at; at = strstr(at + 1, name))
			if ((at == text || strchr(BLANKS, at[-1])) && at + len > found)
				found = at + len;
	}
	return found;
}

static bool take_told_value(const char *text, const char *option, char *value, size_t size)
{
	const char *found = text ? find_told_value(text, option) : NULL;

	if (found && size)
		snprintf(value, size, "%.*s", (int)strcspn(found, BLANKS), found);
	return found != NULL;
}

/* Valgrind ignores a file of another user, or one that all users may write. */
static bool is_taken(FILE *file)
{
	struct stat st;

	return !fstat(fileno(file), &st) && S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
	       !(st.st_mode & S_IWOTH);
}

static bool take_from_file(const char *path, const char *option, char *value, size_t size)
{
	FILE *file = fopen(path, "re");
	char *text = NULL;
	size_t room = 0;
	bool has;

	has = file && is_taken(file) && getdelim(&text, &room, '\0', file) > 0 &&
	      take_told_value(text, option, value, size);
	if (file)
		fclose(file);
	free(text);
	return has;
}

bool pmu_run_valgrind_told(const char *option, char *value, size_t size, const char **where)
{
	const char *home = getenv("HOME");
	char path[PMU_PLACE_MAX];

	*where = "./.valgrindrc";
	if (take_from_file(".valgrindrc", option, value, size))
		return true;
	*where = "VALGRIND_OPTS";
	if (take_told_value(getenv("VALGRIND_OPTS"), option, value, size))
		return true;
	*where = "~/.valgrindrc";
	return home && snprintf(path, sizeof(path), "%s/.valgrindrc", home) < (int)sizeof(path) &&
	       take_from_file(path, option, value, size);
}
