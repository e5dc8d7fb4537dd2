/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs into which our libraries cannot be loaded are started without them in LD_PRELOAD. */
#include "bindings/preload/process/fit.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <paths.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "base/execroom.h"

#include "bindings/preload/inside.h"
#include "bindings/preload/preload.h"
#include "bindings/preload/process/target.h"

/* On the stacks of small threads and of vfork()'s callers: what is longer is taken as it is. */
#define PATH_ROOM   1024
#define LOADER_ROOM 512

#define VARIABLE "LD_PRELOAD="

/* Of this process; NULL: not known, and any is taken for it. */
static const char *own_loader;

/* --- what starts it --- */

static int take_loader(struct dl_phdr_info *object, size_t size, void *data)
{
	(void)size, (void)data;
	for (int i = 0; i < object->dlpi_phnum; i++)
		if (object->dlpi_phdr[i].p_type == PT_INTERP)
			own_loader = (const char *)(object->dlpi_addr +
						    object->dlpi_phdr[i].p_vaddr);
	return 1; /* the program is the first */
}

__attribute__((constructor(101))) static void find_loader(void)
{
	dl_iterate_phdr(take_loader, NULL);
}

static bool takes_ours(enum target_kind kind, const char *loader)
{
	if (kind == TARGET_DYNAMIC)
		return !own_loader || !strcmp(loader, own_loader) ||
		       target_same_file(loader, own_loader);
	/* static ones ignore the words, and may start others */
	return kind != TARGET_FOREIGN && kind != TARGET_BROKEN;
}

/* From a descriptor on through scripts' interpreters. */
static bool file_takes_ours(int fd)
{
	char text[LOADER_ROOM];
	enum target_kind kind = target_look(fd, text, sizeof(text));

	for (int i = 0; i < TARGET_SCRIPTS_MAX && (kind == TARGET_SCRIPT || kind == TARGET_TEXT);
	     i++) {
		fd = target_open(AT_FDCWD, text);
		if (fd < 0)
			return true;
		kind = target_look(fd, text, sizeof(text));
		close(fd);
	}
	return takes_ours(kind, text);
}

/* What cannot be read is taken as one that does. */
static bool program_takes_ours(int dir, const char *path)
{
	int fd;
	bool takes;

	if (!*path)
		return dir < 0 || file_takes_ours(dir);
	fd = target_open(dir, path);
	if (fd < 0)
		return true;
	takes = file_takes_ours(fd);
	close(fd);
	return takes;
}

/* --- our libraries in LD_PRELOAD --- */

static bool is_preload(const char *variable)
{
	return !strncmp(variable, VARIABLE, strlen(VARIABLE));
}

static bool has_ours(const char *words)
{
	const char *word;
	size_t len;

	while ((word = target_next_word(&words, &len)))
		if (target_is_ours(word, len))
			return true;
	return false;
}

/*
 * Another root has other files, and another user may not read ours: the loader would say that they are not
 * there.  What else may be wrong with them is for it to say.
 */
static bool is_reachable(const char *words)
{
	char path[PATH_ROOM];
	const char *word;
	size_t len;

	while ((word = target_next_word(&words, &len))) {
		if (!target_is_ours(word, len) || !memchr(word, '/', len) || len >= sizeof(path))
			continue;
		memcpy(path, word, len);
		path[len] = '\0';
		if (access(path, R_OK) && (errno == ENOENT || errno == ENOTDIR || errno == EACCES))
			return false;
	}
	return true;
}

/*
 * Return: the bytes that a copy needs; 0: our libraries are not there.  @words: result: the value
 * that has them.
 */
static size_t measure(char *const envp[], const char **words)
{
	size_t n = 0, text = 0;

	*words = NULL;
	for (; envp && envp[n]; n++) {
		if (!is_preload(envp[n]))
			continue;
		text += strlen(envp[n]) + 1;
		if (has_ours(envp[n] + strlen(VARIABLE)))
			*words = envp[n] + strlen(VARIABLE);
	}
	return *words ? (n + 1) * sizeof(char *) + text : 0;
}

/* The other libraries of LD_PRELOAD, in their order. */
static char *add_others(char *to, const char *words)
{
	const char *word;
	bool first = true;
	size_t len;

	while ((word = target_next_word(&words, &len))) {
		if (target_is_ours(word, len))
			continue;
		if (!first)
			*to++ = ':';
		memmove(to, word, len); /* its own text, where that is changed in its place */
		to += len;
		first = false;
	}
	*to++ = '\0';
	return to;
}

/* The environment without our libraries. */
static char **make(char *const envp[], void *room)
{
	char **out = room, *text;
	size_t n = 0, kept = 0;

	while (envp[n])
		n++;
	text = (char *)(out + n + 1);
	for (size_t i = 0; i < n; i++) {
		char *begin = text;

		if (!is_preload(envp[i])) {
			out[kept++] = envp[i];
			continue;
		}
		memcpy(text, VARIABLE, strlen(VARIABLE));
		text = add_others(text + strlen(VARIABLE), envp[i] + strlen(VARIABLE));
		/* of which nothing is left was not there before us */
		if (begin[strlen(VARIABLE)])
			out[kept++] = begin;
		else
			text = begin;
	}
	out[kept] = NULL;
	return out;
}

/* --- sandboxes --- */

/*
 * NOBODY; EVERYBODY: all that have this memory; or the pid of a child that was not made by fork(),
 * which may share it with its parent.
 */
static pid_t sandboxed;
#define NOBODY    0
#define EVERYBODY (-1)

void fit_sandboxed(void)
{
	__atomic_store_n(&sandboxed, preload_is_child() ? getpid() : EVERYBODY, __ATOMIC_RELAXED);
}

/* Without a system call where there is one that may forbid it. */
static bool is_sandboxed(void)
{
	pid_t pid = __atomic_load_n(&sandboxed, __ATOMIC_RELAXED);

	return unlikely(pid != NOBODY) && (pid == EVERYBODY || pid == getpid());
}

/* --- what it is started with --- */

char **fit_take(size_t needs, char *const envp[])
{
	bool alone = __atomic_load_n(&sandboxed, __ATOMIC_RELAXED) == EVERYBODY;
	void *room = needs ? pmu_execroom_take(needs, alone) : NULL;

	return room ? make(envp, room) : (char **)(uintptr_t)envp;
}

void fit_give(char **fit, char *const envp[])
{
	if (fit != (char **)(uintptr_t)envp)
		pmu_execroom_give(fit);
}

/* --- the question --- */

static size_t decide(int dir, const char *path, char *const envp[])
{
	const char *words;
	size_t needs = measure(envp, &words);

	if (!needs || is_sandboxed())
		return needs;
	return is_reachable(words) && program_takes_ours(dir, path) ? 0 : needs;
}

size_t fit_needs(int dir, const char *path, char *const envp[])
{
	int saved = errno;
	size_t needs = path ? decide(dir, path, envp) : 0;

	errno = saved;
	return needs;
}

size_t fit_needs_command(const char *command, char *const envp[])
{
	char path[PATH_ROOM];
	const char *words;
	int saved = errno;
	size_t needs;

	if (!command || !measure(envp, &words))
		return 0;
	if (!strchr(command, '/') && !is_sandboxed() && target_search(command, path, sizeof(path)))
		command = path;
	needs = decide(AT_FDCWD, command, envp);
	errno = saved;
	return needs;
}

/*
 * The environment is the process's own here, and other threads may read it: the text changes in its
 * place, as no variable moves.  A child of vfork() would do so to its parent.
 */
void fit_shell(void)
{
	int saved = errno;

	if (preload_is_child() || !decide(AT_FDCWD, _PATH_BSHELL, environ))
		goto out;
	for (char **variable = environ; *variable; variable++)
		if (is_preload(*variable))
			add_others(*variable + strlen(VARIABLE), *variable + strlen(VARIABLE));
out:
	errno = saved;
}
