/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `pmu run --emulate`: the command runs under valgrind, and its tool callgrind, or a tool of ours,
 * counts in place of a processor.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bindings/command/command.h"
#include "bindings/command/run/run.h"
#include "bindings/preload/process/target.h"
#include "counters/valgrind/counter.h"
#include "counters/valgrind/valgrind.h"

#define VALGRIND "valgrind"
/* In the run's folder: one of each process, as valgrind names it. */
#define LOG "valgrind"
/* Likewise, and of nothing: what a program itself has callgrind write has names that begin so. */
#define PROFILE "profile"

/*
 * Valgrind manual, "Valgrind Core" and "Callgrind".  They come after what is told elsewhere, and so
 * they hold.
 */
static const char *const options[] = {
	"--tool=callgrind", "--cache-sim=yes",     "--branch-sim=yes",      "--trace-children=yes",
	"--vgdb=no",        "--instr-atstart=yes", "--collect-atstart=yes",
};
static const char fast_tool[] = "--tool=" PMU_COUNTER_TOOL;
static const char *const fast_options[] = { fast_tool, "--trace-children=yes", "--vgdb=no" };

/* --- what is needed --- */

static int check_tool(struct pmu_run_request *request)
{
	char why[PATH_MAX + 64];

	if (pmu_run_tool_find(request->tools, sizeof(request->tools), why, sizeof(why)))
		return 0;
	pmu_command_error("--emulate=fast: %s", why);
	return PMU_EXIT_NOT_STARTED;
}

int pmu_run_check_emulation(struct pmu_run_request *request)
{
	const char *toggle;

	if (!request->emulate)
		return 0;
	if (PMU_RUN_SETTING(request, PMU_BACKEND) &&
	    strcmp(PMU_RUN_SETTING(request, PMU_BACKEND), "valgrind") != 0) {
		pmu_command_error("--emulate has counts from the source valgrind, not from %s",
				  PMU_RUN_SETTING(request, PMU_BACKEND));
		return PMU_EXIT_USAGE;
	}
	PMU_RUN_SETTING(request, PMU_BACKEND) = "valgrind";
	if (!pmu_valgrind_built()) {
		pmu_command_error("--emulate: libpmu was built without valgrind's headers");
		return PMU_EXIT_NOT_STARTED;
	}
	if (!target_search(VALGRIND, request->valgrind, sizeof(request->valgrind))) {
		pmu_command_error("--emulate: there is no " VALGRIND
				  " in PATH; it is a package of that name");
		return PMU_EXIT_NOT_FOUND;
	}
	if (request->fast)
		return check_tool(request);
	if (pmu_run_valgrind_told("toggle-collect", NULL, 0, &toggle)) {
		pmu_command_error(
			"--emulate: --toggle-collect in %s has functions counted in place of regions; "
			"take it out there",
			toggle);
		return PMU_EXIT_USAGE;
	}
	pmu_run_caches_find(&request->caches);
	return 0;
}

int pmu_run_emulated_errno(const struct pmu_run_request *request,
			   const struct pmu_run_target *target)
{
	const char *name = request->command[0];
	struct stat st;

	if (!strchr(name, '/'))
		return target->path[0] ? 0 : ENOENT;
	if (stat(name, &st))
		return errno;
	return S_ISREG(st.st_mode) && !access(name, X_OK) ? 0 : EACCES;
}

bool pmu_run_emulated_refuses(const struct pmu_run_target *target)
{
	struct stat st;

	if (!target->path[0] || stat(target->path, &st) || !(st.st_mode & (S_ISUID | S_ISGID)))
		return false;
	pmu_command_error("--emulate: valgrind runs no %s program: %s",
			  st.st_mode & S_ISUID ? "setuid" : "setgid", target->path);
	return true;
}

/* --- valgrind's command line --- */

static void add_word(struct pmu_run_words *words, char *word)
{
	if (!word)
		words->failed = true;
	else
		words->word[words->n++] = word;
}

static void add_word_copy(struct pmu_run_words *words, const char *text)
{
	add_word(words, strdup(text));
}

static void add_option(struct pmu_run_words *words, const char *option, const char *value)
{
	char *word;

	add_word(words, asprintf(&word, "%s%s", option, value) < 0 ? NULL : word);
}

/*
 * With each answer callgrind tells the calls of all functions that are open, which takes long where
 * many are.  Those that are skipped it leaves out, and counts them all the same.  The names are
 * patterns; it cannot skip its way out of _dl_runtime_resolve, so nothing that begins as this is in
 * them.
 */
static void add_skipped(struct pmu_run_words *words)
{
	static const char first[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789(~<_";
	char pattern[4];

	for (const char *c = first; *c; c++) {
		snprintf(pattern, sizeof(pattern), "%c*", *c);
		if (*c != '_')
			add_option(words, "--fn-skip=", pattern);
		snprintf(pattern, sizeof(pattern), "_%c*", *c);
		if (*c != 'd')
			add_option(words, "--fn-skip=", pattern);
	}
}

/* A file in the run's folder, as valgrind takes names. */
static char *log_name_format(const struct pmu_run_folder *folder, const char *file)
{
	struct pmu_strbuf format = { 0 };

	for (const char *c = folder->path; *c; c++) {
		if (*c == '%')
			pmu_strbuf_add(&format, "%");
		pmu_strbuf_add_n(&format, c, 1);
	}
	pmu_strbuf_add(&format, file);
	if (!format.failed)
		return format.text;
	pmu_strbuf_free(&format);
	return NULL;
}

char *pmu_run_log_format(const struct pmu_run_folder *folder)
{
	return log_name_format(folder, "/" LOG ".%p");
}

/* The profile that each process writes at its end is not used; others go with the folder. */
static void add_profile(const struct pmu_run_folder *folder, struct pmu_run_words *words)
{
	char path[PMU_PLACE_MAX + 64], *format = log_name_format(folder, "/" PROFILE);

	snprintf(path, sizeof(path), "%s/" PROFILE, folder->path);
	if (format && symlink("/dev/null", path) == 0)
		add_option(words, "--callgrind-out-file=", format);
	else
		add_word_copy(words, "--callgrind-out-file=/dev/null");
	free(format);
}

static void add_word_copies(struct pmu_run_words *words, const char *const *text, size_t n)
{
	for (size_t i = 0; i < n; i++)
		add_word_copy(words, text[i]);
}

static void add_callgrind(struct pmu_run_words *words, const struct pmu_run_request *request,
			  const struct pmu_run_folder *folder)
{
	add_word_copies(words, options, PMU_ARRAY_LEN(options));
	for (size_t i = 0; i < PMU_CACHES; i++)
		if (request->caches.option[i][0])
			add_word_copy(words, request->caches.option[i]);
	add_profile(folder, words);
	add_skipped(words);
}

int pmu_run_words_make(const struct pmu_run_request *request, const struct pmu_run_folder *folder,
		       struct pmu_run_words *words)
{
	char *log = pmu_run_log_format(folder);
	size_t n = 256;

	for (char **word = request->command; *word; word++)
		n++;
	words->word = calloc(n, sizeof(*words->word));
	if (!words->word || !log) {
		free(log);
		return -ENOMEM;
	}
	add_word_copy(words, VALGRIND);
	if (request->fast)
		add_word_copies(words, fast_options, PMU_ARRAY_LEN(fast_options));
	else
		add_callgrind(words, request, folder);
	add_option(words, "--log-file=", log);
	free(log);
	add_word_copy(words, "--");
	for (char **word = request->command; *word; word++)
		add_word_copy(words, *word);
	return words->failed ? -ENOMEM : 0;
}

void pmu_run_words_free(struct pmu_run_words *words)
{
	for (size_t i = 0; i < words->n; i++)
		free(words->word[i]);
	free(words->word);
}

/* --- what valgrind had to say --- */

/* Where it could not go on; what a program does wrong, it says in other words. */
static const char *const last_words[] = { "valgrind: Unrecognised instruction", "' failed.",
					  "valgrind: the 'impossible'",
					  "Valgrind's memory management: out of memory" };

static char *last_of_log(const char *path)
{
	char *text = calloc(1, 65536);
	FILE *file = fopen(path, "re");
	size_t n = 0;

	/* before it there are holes where answers were */
	if (file && text && (!fseek(file, -65535, SEEK_END) || !fseek(file, 0, SEEK_SET)))
		n = fread(text, 1, 65535, file);
	if (file)
		fclose(file);
	for (size_t i = 0; i < n; i++)
		if (!text[i])
			text[i] = '\n';
	return text;
}

void pmu_run_note_valgrind(const struct pmu_run_folder *folder, pid_t pid,
			   struct pmu_run_parts *parts)
{
	char path[PMU_PLACE_MAX + 64], *text, *rest, *line;

	snprintf(path, sizeof(path), "%s/" LOG ".%d", folder->path, (int)pid);
	text = rest = last_of_log(path);
	while (rest && (line = strsep(&rest, "\n")))
		for (size_t i = 0; i < PMU_ARRAY_LEN(last_words); i++)
			if (strstr(line, last_words[i])) {
				pmu_run_note(parts, "valgrind could not go on: %.200s", line);
				rest = NULL;
				break;
			}
	free(text);
}
