/* SPDX-License-Identifier: BSD-3-Clause */
/* Regions' names of annotations: what stands in front; one copy of each, for all threads. */
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bindings/annotations/names.h"
#include "pmu.h"
#include "unit/part.h"

/* --- the prefix: read once a process --- */

static void in_front(const char *prefix, const char *want)
{
	int to[2], status;
	char got[64] = "";
	pid_t child;

	if (pipe(to) < 0 || (child = fork()) < 0)
		abort();
	if (!child) {
		const char *name;

		if (prefix)
			setenv("PMU_PREFIX", prefix, 1);
		else
			unsetenv("PMU_PREFIX");
		name = annotation_name("itt", "tbb.flow", "io", "node");
		_exit(write(to[1], name, strlen(name)) < 0);
	}
	close(to[1]);
	(void)!read(to[0], got, sizeof(got) - 1);
	close(to[0]);
	waitpid(child, &status, 0);
	is_str(got, want, prefix ? prefix : "nothing said");
}

static void chosen_words_stand_in_front(void)
{
	in_front(NULL, "tbb.flow:node");
	in_front("", "tbb.flow:node");
	in_front("none", "node");
	in_front("tool", "itt:node");
	in_front("category", "io:node");
	in_front("category,tool", "itt:io:node");
	in_front("tool, domain,category", "itt:tbb.flow:io:node");
	in_front("no-such-word", "node");
}

static void what_is_missing_leaves_no_colon(void)
{
	is_str(annotation_name("itt", NULL, NULL, "a"), "a", "no domain");
	is_str(annotation_name("itt", "", "", "a"), "a", "an empty one");
	is_str(annotation_name("itt", "d", NULL, NULL), "d", "no text");
	is_str(annotation_name("itt", "d", NULL, ""), "d", "an empty one");
	is_str(annotation_name("itt", NULL, NULL, NULL), "itt", "nothing but the tool");
}

/* --- each once --- */

static void equal_texts_are_one_pointer(void)
{
	char first[] = "solve", second[] = "solve";
	const char *name = annotation_name("nvtx", "d", NULL, first);

	ok(annotation_name("nvtx", "d", NULL, second) == name, "another copy of the text");
	ok(annotation_name("nvtx", "d", NULL, first) == name, "the same again");
	ok(annotation_name("nvtx", "e", NULL, first) != name, "another domain");
	ok(annotation_name("nvtx", "d:solve", NULL, NULL) != NULL, "the same name by other parts");
	is_str(name, "d:solve", "it says both");
}

static void reused_buffers_are_looked_at(void)
{
	char text[16] = "first";
	const char *name = annotation_name("nvtx", "one", NULL, text);

	strcpy(text, "second");
	is_str(annotation_name("nvtx", "one", NULL, text), "one:second", "another text");
	is_str(annotation_name("nvtx", "two", NULL, text), "two:second", "another domain");
	is_str(annotation_name("nvtx", "two", "c", text), "two:second",
	       "a category that is not wanted");
	strcpy(text, "sec");
	is_str(annotation_name("nvtx", "two", NULL, text), "two:sec", "a shorter one");
	strcpy(text, "second2");
	is_str(annotation_name("nvtx", "two", NULL, text), "two:second2", "a longer one");
	text[0] = '\0';
	is_str(annotation_name("nvtx", "two", NULL, text), "two", "none");
	is_str(name, "one:first", "and the first stays");
}

static void kept_texts_are_known_by_their_address(void)
{
	static const char text[] = "kept";
	const char *name = annotation_name_of_kept("nvtx", "d", NULL, text);

	is_str(name, "d:kept", "the first time");
	ok(annotation_name_of_kept("nvtx", "d", NULL, text) == name, "and again");
	is_str(annotation_name_of_kept("nvtx", NULL, NULL, text), "kept", "another domain");
	is_str(annotation_name_of_kept("nvtx", "d", NULL, NULL), "d", "no text");
}

static void long_ones_are_cut(void)
{
	char text[4 * PMU_NAME_MAX];
	const char *name;

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	name = annotation_name("nvtx", "d", NULL, text);
	is_u64(strlen(name), PMU_NAME_MAX, "at the most that a name may have");
	ok(annotation_name("nvtx", "d", NULL, text) == name, "and stay one");
	/* two bytes a character, of which the last would be cut in the middle */
	for (size_t i = 0; i + 2 < sizeof(text); i += 2)
		memcpy(text + i, "\xC3\xA4", 2);
	name = annotation_name("nvtx", NULL, NULL, text);
	is_u64(strlen(name), PMU_NAME_MAX - 1, "no part of a character is left");
	name = annotation_name("nvtx", text, NULL, "gone");
	ok(strlen(name) <= PMU_NAME_MAX, "a domain fills it too");
}

/* --- many threads --- */

#define THREADS 8
#define NAMES   2000

static const char *seen[THREADS][NAMES];

static void *ask(void *arg)
{
	size_t self = (size_t)(uintptr_t)arg;
	char text[32];

	for (size_t i = 0; i < NAMES; i++) {
		size_t k = (i * 7 + self * 131) % NAMES;

		snprintf(text, sizeof(text), "name %zu", k);
		seen[self][k] = annotation_name("itt", "threads", NULL, text);
	}
	return NULL;
}

static void threads_agree(void)
{
	pthread_t thread[THREADS];
	size_t wrong = 0;
	char want[48];

	for (size_t i = 0; i < THREADS; i++)
		if (pthread_create(&thread[i], NULL, ask, (void *)(uintptr_t)i))
			abort();
	for (size_t i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	for (size_t k = 0; k < NAMES; k++) {
		snprintf(want, sizeof(want), "threads:name %zu", k);
		for (size_t i = 0; i < THREADS; i++)
			wrong += seen[i][k] != seen[0][k] || strcmp(seen[i][k], want) != 0;
	}
	is_u64(wrong, 0, "each name is the same pointer in each thread");
}

UNIT_PART(names)
{
	chosen_words_stand_in_front();
	unsetenv("PMU_PREFIX");
	what_is_missing_leaves_no_colon();
	equal_texts_are_one_pointer();
	reused_buffers_are_looked_at();
	kept_texts_are_known_by_their_address();
	long_ones_are_cut();
	threads_agree();
	return done_testing();
}
