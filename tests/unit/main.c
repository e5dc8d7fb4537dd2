/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A folder's unit tests: without an argument all parts, each in a process of its own, so that one that crashes, or changes
 * what the process has, is no matter to the next; with a part's name that one alone, in this process.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit/part.h"

static struct unit_part *parts; /* by name */

void unit_add(struct unit_part *part)
{
	struct unit_part **at = &parts;

	while (*at && strcmp((*at)->name, part->name) < 0)
		at = &(*at)->next;
	part->next = *at;
	*at = part;
}

/* In a process of its own. */
static void run_part(const struct unit_part *part)
{
	int status = -1, failed = tap->failed;
	pid_t pid;

	tap->part = part->name;
	tap->ended = false;
	tap->failed = 0;
	fflush(stdout);
	pid = fork();
	if (!pid)
		exit(part->run(tap));
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (!tap->ended || !WIFEXITED(status) || WEXITSTATUS(status) != !!tap->failed)
		ok(false, "it runs to its end (status %#x)", (unsigned int)status);
	tap->failed += failed;
}

int main(int argc, char **argv)
{
	const struct unit_part *part = parts;

	while (argc > 1 && part && strcmp(part->name, argv[1]) != 0)
		part = part->next;
	if (!part) {
		fprintf(stderr, "there is no such part\n");
		return 2;
	}
	if (argc > 1)
		return part->run(tap);
	tap = mmap(NULL, sizeof(*tap), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (tap == MAP_FAILED) {
		perror("memory for all parts");
		return 2;
	}
	for (; part; part = part->next)
		run_part(part);
	tap->part = NULL;
	return done_testing();
}
