/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a file is that is about to be started, for the code that preloads something into it: `pmu
 * run`, and the wrappers of exec and spawn.  Nothing here allocates or takes a lock: it may run in
 * signal handlers and children of vfork().
 */
#ifndef PMU_PRELOAD_TARGET_H
#define PMU_PRELOAD_TARGET_H

#include <stdbool.h>
#include <stddef.h>

/** The libraries that we put into LD_PRELOAD. */
#define PRELOAD_NAME "libpmu-preload.so"
#define PMU_NAME     "libpmu.so.0"
#define MPI_NAME     "libpmu-mpi.so"

/** The library that annotated programs load by themselves. */
#define ANNOTATIONS_NAME "libpmu-annotations.so"

/** Scripts with a script as interpreter; Linux follows five (exec_binprm). */
#define TARGET_SCRIPTS_MAX 5

enum target_kind {
	TARGET_UNREADABLE,
	TARGET_SCRIPT, /* text: its interpreter */
	/* the kernel does not know it: execvp() gives it to the shell, which text names */
	TARGET_TEXT,
	TARGET_DYNAMIC, /* text: its loader */
	TARGET_STATIC,
	TARGET_FOREIGN, /* of another kind of processor, or another mode of this one */
	TARGET_BROKEN,  /* ELF headers that make no sense */
};

/**
 * target_look() - as far as one read, where its headers are in their usual place
 * @fd: opened for reading; its position is left alone
 * @text: result: as the kind says, else ""
 *
 * Trusts nothing in the file.
 */
enum target_kind target_look(int fd, char *text, size_t size);

/**
 * target_needs() - is it linked with a library?
 * @start: of the library's name, at most 16 bytes
 *
 * With what that is linked with in turn does not matter.  Trusts nothing in the file.
 */
bool target_needs(int fd, const char *start);

/**
 * target_open() - to be looked at.  Return: a descriptor or -1, also where it is no file that can
 * be started.
 */
int target_open(int dir, const char *path);

/** target_same_file() - do both names lead to one file? */
bool target_same_file(const char *a, const char *b);

/**
 * target_search() - as execvp() does, in PATH.  Return: whether there is such a command.
 * @path: result; untouched beyond @size: names that are longer are passed over
 */
bool target_search(const char *command, char *path, size_t size);

/**
 * target_next_word() - words of LD_PRELOAD, one after another
 * @at: where to go on; moved behind the word
 * @len: result
 * Return: the word; NULL: there are no more.
 */
const char *target_next_word(const char **at, size_t *len);

/** target_is_ours() - is a word of LD_PRELOAD one of our libraries? */
bool target_is_ours(const char *word, size_t len);

/** target_is_annotations() - is it a path of the library that annotated programs load? */
bool target_is_annotations(const char *path);

#endif
