/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the regions of a program should count, to the instruction, by executing it one instruction after the other:
 *
 *   oracle [-o FILE] [-s] PROG [ARG]...
 *
 * Prints for each path of regions "CALLS INSTRUCTIONS PATH": user instructions of all threads and processes, without
 * libpmu's and those of what it calls; PATH as the column "path" of a CSV report, without CSV's own quotes.  "team " stands
 * before what was done in a context, as in the report's rows "team N".  "# about PATH" comes before a path with net counts
 * only about right, says pmu.h: something in it was reset.  Other lines with "#" are comments.  The instructions that make
 * a call are not counted, as net counts have it: 2 for one with one argument, 3 with a length, 1 without arguments.
 *
 * -s: what signal handlers do is in no region, as under valgrind. PMU_MAX_REGIONS is heeded: what is above it has no path.
 *
 * PROG is linked with the shared library, or loads it; PMU_BACKEND=clock lets it measure anywhere.  An instruction with a
 * rep prefix is one; valgrind counts each of its turns.  Of functions that libpmu stands in for (pthread_create(), fork(),
 * posix_spawn()) what libc does is counted, and what libpmu does around it is not.  Not known: PMU_ROTATE, markers of
 * other libraries.
 *
 * Status: 0; 125 where the oracle itself has failed, and says why; 77 where this machine does not let it.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "oracle_regions.h"
#include "oracle_text.h"
#include "oracle_thread.h"
#include "oracle_trace.h"

static void print(const char *path, int status)
{
	FILE *out = path ? fopen(path, "w") : stdout;

	if (!out)
		fail("cannot write %s: %s", path, strerror(errno));
	if (WIFSIGNALED(status))
		fprintf(out, "# ended by signal %d\n", WTERMSIG(status));
	else if (WEXITSTATUS(status))
		fprintf(out, "# ended with status %d\n", WEXITSTATUS(status));
	regions_print(out);
	if (fclose(out))
		fail("cannot write %s: %s", path ? path : "standard output", strerror(errno));
}

int main(int argc, char **argv)
{
	const char *path = NULL, *most = getenv("PMU_MAX_REGIONS");
	int c;

	while ((c = getopt(argc, argv, "+o:s")) != -1) {
		if (c == 'o')
			path = optarg;
		else if (c == 's')
			thread_leave_out_handlers();
		else
			return 125;
	}
	if (most)
		regions_limit(strtoul(most, NULL, 10));
	if (optind == argc)
		fail("which program? oracle [-o FILE] PROG [ARG]...");
	print(path, trace(argv + optind));
	return 0;
}
