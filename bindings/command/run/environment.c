/* SPDX-License-Identifier: BSD-3-Clause */
/* The environment of a measured command: settings, and what is preloaded. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bindings/command/command.h"
#include "bindings/command/run/run.h"
#include "bindings/preload/process/target.h"
#include "counters/valgrind/counter.h"
#include "counters/valgrind/valgrind.h"
#include "session/describe.h"
#include "store/place.h"

/* More variables than it had. */
#define N_SETTINGS (PMU_CONFIG_VARS + 8 + PMU_RUN_DOORS)

/* --- where the libraries are --- */

/* The folder of our executable; NULL where /proc does not tell. */
static const char *own_folder(char *path, size_t size)
{
	ssize_t n = readlink("/proc/self/exe", path, size - 1);
	char *slash;

	if (n <= 0)
		return NULL;
	path[n] = '\0';
	slash = strrchr(path, '/');
	if (!slash)
		return NULL;
	*slash = '\0';
	return path;
}

/* How many bytes of folders two paths begin with alike. */
static size_t common_folders(const char *a, const char *b)
{
	size_t common = 0;

	for (size_t i = 0;; i++) {
		bool end_a = !a[i] || a[i] == '/', end_b = !b[i] || b[i] == '/';

		if (end_a && end_b)
			common = i;
		if (!a[i] || a[i] != b[i])
			return common;
	}
}

/*
 * Where a whole installation was moved elsewhere, the two folders still lie the same way to each
 * other.
 */
static bool moved_folder(const char *own, char *folder, size_t size)
{
	size_t common = common_folders(PMU_BINDIR, PMU_LIBDIR);
	const char *bin = &PMU_BINDIR[common], *lib = &PMU_LIBDIR[common];
	size_t own_len = strlen(own), bin_len = strlen(bin);
	int n;

	if (own_len < bin_len || strcmp(own + own_len - bin_len, bin) != 0)
		return false;
	n = snprintf(folder, size, "%.*s%s", (int)(own_len - bin_len), own, lib);
	return n > 0 && (size_t)n < size;
}

static bool find_in(const char *folder, const char *below, const char *name, char *path,
		    size_t size)
{
	int n = snprintf(path, size, "%s%s/%s", folder, below, name);

	return n > 0 && (size_t)n < size && access(path, R_OK) == 0;
}

/*
 * In the build tree, else where it was installed.  @below: in the build tree's folder; @installed:
 * in that of libraries.
 */
static bool find_below(const char *below, const char *installed, const char *name, char *path,
		       size_t size)
{
	char own[PATH_MAX], moved[PATH_MAX];

	if (own_folder(own, sizeof(own))) {
		if (find_in(own, below, name, path, size))
			return true;
		if (moved_folder(own, moved, sizeof(moved)) &&
		    find_in(moved, installed, name, path, size))
			return true;
	}
	if (find_in(PMU_LIBDIR, installed, name, path, size))
		return true;
	path[0] = '\0';
	return false;
}

static bool find_library(const char *below, const char *name, char *path, size_t size)
{
	return find_below(below, "", name, path, size);
}

#ifdef VALGRIND_PLATFORM
bool pmu_run_tool_find(char *folder, size_t size, char *why, size_t why_size)
{
	static const char tool[] = PMU_COUNTER_TOOL "-" VALGRIND_PLATFORM,
			  preloaded[] = "vgpreload_core-" VALGRIND_PLATFORM ".so";
	char path[PATH_MAX];

	if (!find_below("/bindings/valgrind/lib", "/pmu/valgrind", tool, folder, size)) {
		snprintf(why, why_size,
			 "%s, a tool of valgrind's, is not in " PMU_LIBDIR "/pmu/valgrind", tool);
		return false;
	}
	*strrchr(folder, '/') = '\0';
	if (find_in(folder, "", preloaded, path, sizeof(path)))
		return true;
	snprintf(why, why_size, "%s/%s leads to no file: valgrind has moved since libpmu was built",
		 folder, preloaded);
	return false;
}
#else
bool pmu_run_tool_find(char *folder, size_t size, char *why, size_t why_size)
{
	(void)folder;
	(void)size;
	snprintf(
		why, why_size,
		"libpmu was built without the tool of valgrind's that counts instructions; configure says why");
	return false;
}
#endif

/* ld.so(8): blanks and colons separate, and a dollar begins a word that it replaces. */
static bool is_speakable(const char *path)
{
	return !strpbrk(path, " :$\t\n");
}

/*
 * A path that cannot be said gets a link in the run's folder that can.  Both libraries do: the
 * first looks for the other beside itself.
 */
static bool make_speakable(const struct pmu_run_folder *folder, const char *name, char *path,
			   size_t size)
{
	char link[PATH_MAX];
	int n = snprintf(link, sizeof(link), "%s/%s", folder->path, name);

	if (n < 0 || (size_t)n >= size || !is_speakable(link) || symlink(path, link))
		return false;
	memcpy(path, link, (size_t)n + 1);
	return true;
}

static void refuse_preload(struct pmu_run_libraries *libraries)
{
	snprintf(
		libraries->why, sizeof(libraries->why),
		"the path %s cannot be preloaded: there is a blank, a colon or a dollar sign in it",
		libraries->preload);
	libraries->preload[0] = libraries->pmu[0] = libraries->mpi[0] = '\0';
}

/* Without it each rank has a report of its own, as it always had. */
static void find_mpi(const struct pmu_run_folder *folder, struct pmu_run_libraries *libraries)
{
	if (find_library("/bindings/.libs", MPI_NAME, libraries->mpi, sizeof(libraries->mpi)) &&
	    !is_speakable(libraries->mpi) &&
	    !make_speakable(folder, MPI_NAME, libraries->mpi, sizeof(libraries->mpi)))
		libraries->mpi[0] = '\0';
}

/* Annotated programs load it; without it their annotations are no regions. */
static void find_annotations(const struct pmu_run_folder *folder,
			     struct pmu_run_libraries *libraries)
{
	char *path = libraries->annotations;
	const size_t size = sizeof(libraries->annotations);

	/* a semicolon separates where Kokkos reads it */
	if (find_library("/bindings/.libs", ANNOTATIONS_NAME, path, size) &&
	    (!is_speakable(path) || strchr(path, ';')) &&
	    !make_speakable(folder, ANNOTATIONS_NAME, path, size))
		path[0] = '\0';
}

void pmu_run_libraries_find(const struct pmu_run_folder *folder, bool with_pmu, bool with_mpi,
			    struct pmu_run_libraries *libraries)
{
	bool have_pmu, linked;

	libraries->why[0] = libraries->mpi[0] = libraries->annotations[0] = '\0';
	if (with_mpi)
		find_mpi(folder, libraries);
	have_pmu = find_library("/lib/.libs", PMU_NAME, libraries->pmu, sizeof(libraries->pmu));
	if (!find_library("/bindings/.libs", PRELOAD_NAME, libraries->preload,
			  sizeof(libraries->preload))) {
		snprintf(libraries->why, sizeof(libraries->why),
			 "%s is not in %s, so only programs that are linked "
			 "with libpmu can be measured",
			 PRELOAD_NAME, PMU_LIBDIR);
		libraries->pmu[0] = libraries->mpi[0] = '\0';
		return;
	}
	linked = is_speakable(libraries->preload) && is_speakable(libraries->pmu);
	if (!linked)
		linked = make_speakable(folder, PRELOAD_NAME, libraries->preload,
					sizeof(libraries->preload)) &&
			 (!have_pmu ||
			  make_speakable(folder, PMU_NAME, libraries->pmu, sizeof(libraries->pmu)));
	if (!linked) {
		refuse_preload(libraries);
		return;
	}
	find_annotations(folder, libraries);
	if (!with_pmu)
		libraries->pmu[0] = '\0';
}

/* --- the environment --- */

struct list {
	char **text;
	size_t n;
	bool failed;
};

static void set(struct list *list, const char *name, const char *value)
{
	if (!value)
		return;
	if (asprintf(&list->text[list->n], "%s=%s", name, value) >= 0) {
		list->n++;
		return;
	}
	list->text[list->n] = NULL;
	list->failed = true;
}

/* Words of an LD_PRELOAD but for our own libraries: those of a `pmu run` around us. */
static void add_others(struct pmu_strbuf *out, const char *words)
{
	const char *word;
	size_t len;

	while ((word = target_next_word(&words, &len))) {
		if (target_is_ours(word, len))
			continue;
		pmu_strbuf_add(out, out->len ? ":" : "");
		pmu_strbuf_add_n(out, word, len);
	}
}

/* Ours first. */
static void set_preload(struct list *list, const struct pmu_run_libraries *libraries)
{
	const char *before = getenv("LD_PRELOAD");
	struct pmu_strbuf out = { 0 };

	pmu_strbuf_add(&out, libraries->preload);
	if (libraries->mpi[0])
		pmu_strbuf_addf(&out, ":%s", libraries->mpi);
	if (libraries->pmu[0])
		pmu_strbuf_addf(&out, ":%s", libraries->pmu);
	if (before)
		add_others(&out, before);
	if (out.failed)
		list->failed = true;
	else if (out.len || before)
		set(list, "LD_PRELOAD", pmu_strbuf_text(&out));
	pmu_strbuf_free(&out);
}

static void set_log(struct list *list, const struct pmu_run_folder *folder)
{
	char *format = pmu_run_log_format(folder);

	list->failed |= !format;
	set(list, PMU_VALGRIND_LOG_VARIABLE, format);
	free(format);
}

/* Which the program cannot see under valgrind. */
static void set_machine(struct list *list)
{
	char text[256], cpu[64], both[sizeof(text) + sizeof(cpu) + 1];

	pmu_session_machine(text, sizeof(text), cpu, sizeof(cpu));
	snprintf(both, sizeof(both), "%s\t%s", text, cpu);
	set(list, PMU_SIM_MACHINE_VARIABLE, both);
}

static void set_doors(struct list *list, const struct pmu_run_request *request,
		      const struct pmu_run_libraries *libraries)
{
	for (size_t i = 0; i < PMU_RUN_DOORS && libraries->annotations[0]; i++) {
		bool is_ours;
		const char *variable = pmu_run_door(request, i, &is_ours);

		if (variable && is_ours)
			set(list, variable, libraries->annotations);
	}
}

static bool is(const char *variable, const char *name)
{
	size_t len = strlen(name);

	return !strncmp(variable, name, len) && variable[len] == '=';
}

/* Is it one of ours that the command's environment gets from us, or is to be without? */
static bool is_replaced_setting(const struct pmu_run_request *request, const char *variable)
{
	static const bool always[PMU_CONFIG_VARS] = {
#define VAR(...)
#define VALUED(...)
#define SWITCH(...)
#define SET(variable, ...) [PMU_CONFIG_##variable] = true,
#include "settings/vars.h"
	};
	const bool counts = PMU_RUN_SETTING(request, PMU_GROUP) ||
			    PMU_RUN_SETTING(request, PMU_EVENTS);

	for (size_t i = 0; i < PMU_CONFIG_VARS; i++) {
		bool is_of_counts = i == PMU_CONFIG_PMU_GROUP || i == PMU_CONFIG_PMU_EVENTS;

		if (is(variable, pmu_config_vars[i].name))
			return always[i] || request->setting[i] || (is_of_counts && counts);
	}
	return false;
}

/* Ours to say: what there was before would contradict it. */
static bool is_replaced(const struct pmu_run_request *request, bool starting, const char *variable)
{
	if (is_replaced_setting(request, variable) ||
	    (request->fast && is(variable, "VALGRIND_LIB")) ||
	    (starting && is(variable, "LD_PRELOAD")))
		return true;
	for (size_t i = 0; i < PMU_RUN_DOORS && starting; i++) {
		bool is_ours;
		const char *door = pmu_run_door(request, i, &is_ours);

		if (door && is(variable, door))
			return true;
	}
	return false;
}

static void set_settings(struct list *list, const struct pmu_run_request *request)
{
	/* the file is ours to write */
	static const char trace[] = "run.trace";

	for (size_t i = 0; i < PMU_CONFIG_VARS; i++)
		if (request->setting[i])
			set(list, pmu_config_vars[i].name,
			    i == PMU_CONFIG_PMU_TRACE ? trace : request->setting[i]);
}

char **pmu_run_environment(const struct pmu_run_request *request,
			   const struct pmu_run_folder *folder,
			   const struct pmu_run_libraries *libraries)
{
	struct list list = { .n = 0 };
	size_t n = 0;

	while (environ && environ[n])
		n++;
	list.text = calloc(n + N_SETTINGS + 1, sizeof(*list.text));
	if (!list.text)
		return NULL;
	for (size_t i = 0; i < n && !list.failed; i++) {
		if (is_replaced(request, libraries, environ[i]))
			continue;
		list.text[list.n] = strdup(environ[i]);
		list.failed = !list.text[list.n++];
	}
	set_settings(&list, request);
	/* a region in a constructor is before the preload, which says so in other programs */
	if (folder && !PMU_RUN_SETTING(request, PMU_PIN) && !request->pins && !getenv("PMU_PIN"))
		set(&list, "PMU_PIN", "none");
	if (folder)
		set(&list, PMU_STORE_VARIABLE, folder->path);
	if (folder && request->emulate)
		set_log(&list, folder);
	if (folder && request->emulate && request->caches.text[0])
		set(&list, PMU_SIM_CACHES_VARIABLE, request->caches.text);
	if (folder && request->emulate)
		set_machine(&list);
	if (folder && request->fast)
		set(&list, "VALGRIND_LIB", request->tools);
	if (libraries) {
		set_preload(&list, libraries);
		set_doors(&list, request, libraries);
	}
	if (!list.failed)
		return list.text;
	pmu_run_environment_free(list.text);
	return NULL;
}

void pmu_run_environment_free(char **environment)
{
	for (char **text = environment; text && *text; text++)
		free(*text);
	free(environment);
}
