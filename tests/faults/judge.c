/* SPDX-License-Identifier: BSD-3-Clause */
/* What a program left, and whether it is as good as can be with what failed. */
#include "judge.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Of the command: what it was to run was not started. */
#define NOT_STARTED 125

/* What was found. */
struct found {
	char out[JUDGE_TEXT], err[JUDGE_TEXT];
	long calls; /* -1: there is no report */
	char said[JUDGE_TEXT];
	bool damaged;   /* a report that cannot be read */
	char left[512]; /* files in the folder of stores; "": none */
};

/* --- looking --- */

static void slurp(const char *folder, const char *name, char text[JUDGE_TEXT])
{
	char path[4096];
	ssize_t n = 0;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		n = read(fd, text, JUDGE_TEXT - 1);
		close(fd);
	}
	text[n > 0 ? n : 0] = '\0';
}

static void append(char *text, size_t size, const char *line)
{
	size_t len = strlen(text);

	if (line && len + strlen(line) + 2 <= size)
		snprintf(text + len, size - len, "%s\n", line);
}

static void add_report(const json_t *report, struct found *found)
{
	size_t i;
	json_t *item;

	found->calls = found->calls < 0 ? 0 : found->calls;
	json_array_foreach(json_object_get(report, "regions"), i, item)
		found->calls += (long)json_number_value(json_object_get(item, "calls"));
	json_array_foreach(json_object_get(report, "notes"), i, item)
		append(found->said, sizeof(found->said), json_string_value(item));
	json_array_foreach(json_object_get(report, "doubts"), i, item) append(
		found->said, sizeof(found->said), json_string_value(json_object_get(item, "text")));
}

static void add_reports(const char *folder, struct found *found)
{
	DIR *dir = opendir(folder);
	struct dirent *file;
	char path[4096 + 256];

	while (dir && (file = readdir(dir))) {
		size_t len = strlen(file->d_name);
		json_t *report;

		if (len < 5 || strcmp(file->d_name + len - 5, ".json") != 0)
			continue;
		snprintf(path, sizeof(path), "%s/%s", folder, file->d_name);
		/* a stop is a context switch: counts of those are not what they were measured to be */
		report = json_load_file(path, JSON_ALLOW_NUL | JSON_DECODE_INT_AS_REAL, NULL);
		found->damaged |= !report;
		if (report)
			add_report(report, found);
		json_decref(report);
	}
	if (dir)
		closedir(dir);
}

/* What may stay: empty files that sessions share, and the folder itself. */
static bool may_stay(const char *name)
{
	return name[0] == '.' || !strcmp(name, "claims") || !strcmp(name, "outputs");
}

static void find_left(const char *folder, struct found *found)
{
	char path[4096];
	struct dirent *file;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/xdg/pmu", folder);
	dir = opendir(path);
	while (dir && (file = readdir(dir)))
		if (!may_stay(file->d_name))
			append(found->left, sizeof(found->left), file->d_name);
	if (dir)
		closedir(dir);
}

static void look(const char *folder, struct found *found)
{
	memset(found, 0, sizeof(*found));
	found->calls = -1;
	slurp(folder, "out", found->out);
	slurp(folder, "err", found->err);
	add_reports(folder, found);
	find_left(folder, found);
}

/* --- judging --- */

/* A line that an undisturbed run does not have. */
static bool says_more(const char *text, const struct expected *expected)
{
	char lines[JUDGE_TEXT], *rest = lines, *line;

	snprintf(lines, sizeof(lines), "%s", text);
	while ((line = strsep(&rest, "\n")))
		if (*line && !strstr(expected->said, line))
			return true;
	return false;
}

/* Is there a sentence with the cause? */
static bool names_cause(const struct found *found, const struct injected *result)
{
	const char *line = strstr(found->err, "pmu: ");

	if (!line || line[5] == ';' || strstr(found->err, "used no region"))
		return false;
	return strstr(line, strerror(result->error)) ||
	       strstr(line, "; the program runs unmeasured") ||
	       (result->error == ENOMEM && strstr(line, "memory"));
}

/*
 * Where standard error cannot be written to either, or it cannot be found out what it is: a file of the
 * program's, perhaps, that was opened after standard error was closed.
 */
static bool excuses_silence(const struct injection *injection, const struct injected *result)
{
	return injection->kind == INJECT_FROM_ON && result->call &&
	       (!strcmp(result->call, "write") || strstr(result->call, "stat"));
}

/*
 * Stores with the results that no report has are shown by `pmu report`; folders of runs that could not be
 * emptied go with the next run.
 */
static bool excuses_leftovers(const struct found *found, const struct expected *expected,
			      const struct injection *injection, const struct injected *result)
{
	static const char *const emptying[] = { "unlink", "unlinkat", "rmdir", "openat",
						"getdents64" };

	if (strncmp(found->left, "run-", 4) != 0 && found->calls != expected->calls)
		return true;
	for (size_t i = 0; result->call && i < sizeof(emptying) / sizeof(*emptying); i++)
		if (!strcmp(result->call, emptying[i]))
			return true;
	return strstr(found->err, " kept") ||
	       (injection->kind == INJECT_FROM_ON && excuses_silence(injection, result));
}

/* Status 2 is that of a setting that cannot be understood: without memory none can. */
static bool was_not_started(const struct found *found, const struct injection *injection,
			    const struct injected *result)
{
	return injection->whose == INJECT_COMMAND &&
	       (result->status == NOT_STARTED || result->status == 2) && !found->out[0] &&
	       strstr(found->err, "pmu: ");
}

static const char *judge_end(const struct found *found, const struct expected *expected,
			     const struct injected *result)
{
	if (result->hung)
		return "it hung";
	if (result->killed)
		return "a process of it died of a signal";
	if (result->status != expected->status)
		return "it ended with another status";
	return strcmp(found->out, expected->out) ? "it printed something else" : NULL;
}

/* To such a program results are nothing to speak of: it may run as another user. */
static bool is_refused(const struct injected *result)
{
	return result->call && !strcmp(result->call, "openat") && result->error == EACCES;
}

static bool has_no_access(const struct found *found, const struct injected *result)
{
	return is_refused(result) &&
	       strstr(found->said, "or has no access to where results are kept");
}

/* A forked child's results are then missing beside its parent's. */
static bool is_child_refused(const struct injection *injection, const struct injected *result)
{
	return injection->kind == INJECT_FROM_ON && is_refused(result);
}

static const char *judge_report(const struct found *found, const struct expected *expected,
				const struct injection *injection, const struct injected *result)
{
	bool silence = excuses_silence(injection, result);

	if (expected->calls < 0)
		return NULL;
	if (found->damaged && !strstr(found->err, "pmu: ") && !silence)
		return "a report is damaged, and nothing says why";
	if (found->calls < 0 && !names_cause(found, result) && !silence)
		return "there is no report, and nothing says why";
	if (found->calls >= 0 && found->calls != expected->calls &&
	    !says_more(found->said, expected) && !says_more(found->err, expected) && !silence &&
	    !is_child_refused(injection, result))
		return "calls are missing, and nothing says so";
	/* what could not leave a word where results are kept has said it on standard error */
	if (strstr(found->said, "used no region") && !strstr(found->err, "runs unmeasured") &&
	    !strstr(found->err, "will be missing") && !has_no_access(found, result))
		return "it says that no region was used";
	return NULL;
}

const char *judge(const char *folder, const struct expected *expected,
		  const struct injection *injection, const struct injected *result, char *why,
		  size_t size)
{
	struct found found;
	const char *wrong;

	look(folder, &found);
	snprintf(why, size, "status %d, %ld calls, left %s| out: %.200s| err: %.500s| said: %.500s",
		 result->status, found.calls, found.left, found.out, found.err, found.said);
	if (was_not_started(&found, injection, result))
		return found.left[0] && !excuses_leftovers(&found, expected, injection, result)
			       ? "files are left"
			       : NULL;
	wrong = judge_end(&found, expected, result);
	if (!wrong)
		wrong = judge_report(&found, expected, injection, result);
	if (!wrong && found.left[0] && !excuses_leftovers(&found, expected, injection, result))
		wrong = "files are left";
	return wrong;
}

const char *judge_learn(const char *folder, const struct injected *result,
			struct expected *expected)
{
	struct found found;

	look(folder, &found);
	expected->calls = found.calls;
	snprintf(expected->said, sizeof(expected->said), "%.2000s%.2000s", found.said, found.err);
	if (found.damaged)
		return "its report is damaged";
	return found.left[0] ? "files are left" : judge_end(&found, expected, result);
}
