/* SPDX-License-Identifier: BSD-3-Clause */
/* Another tool for an OpenMP runtime: says that it is there, and nothing else. */
#include <stdio.h>

#include "ompt.h"

static int start(ompt_lookup *lookup, int device, union ompt_data *tool)
{
	(void)lookup;
	(void)device;
	(void)tool;
	puts("another tool");
	return 1;
}

static void end(union ompt_data *tool)
{
	(void)tool;
}

struct ompt_start_tool_result *ompt_start_tool(unsigned int omp_version,
					       const char *runtime_version)
{
	static struct ompt_start_tool_result result = { .initialize = start, .finalize = end };

	(void)omp_version;
	(void)runtime_version;
	return &result;
}
