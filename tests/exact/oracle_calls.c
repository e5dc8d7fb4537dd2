/* SPDX-License-Identifier: BSD-3-Clause */
/* The public functions, how many instructions of the program a call of each takes, and what it does to regions. */
#include "oracle_calls.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "oracle_text.h"

/* One more than a name can have, and its end. */
#define NAME_ROOM 1025

enum act { NOTHING, BEGIN, END, GET, ENTER, LEAVE, RESET, CHECKPOINT, FORGET, COUNTED };

/*
 * Of the program's instructions the call itself and one for each argument are the library's; of those that have no place
 * in measured code as many as for one argument.
 */
static const struct {
	const char *name;
	int cost;
	enum act act;
	bool is_named, is_sized;
} functions[] = {
	{ "pmu_region_begin", 2, BEGIN, true, false },
	{ "pmu_region_end", 2, END, true, false },
	{ "pmu_region_begin_n", 3, BEGIN, true, true },
	{ "pmu_region_end_n", 3, END, true, true },
	{ "pmu_region_begin_once", 2, BEGIN, true, false },
	{ "pmu_context_get", 1, GET, false, false },
	{ "pmu_context_enter", 2, ENTER, false, false },
	{ "pmu_context_leave", 1, LEAVE, false, false },
	{ "pmu_region_reset", 2, RESET, true, false },
	{ "pmu_checkpoint", 2, CHECKPOINT, false, false },
	{ "pmu_init", 2, NOTHING, false, false },
	{ "pmu_fini", 2, FORGET, false, false },
	{ "pmu_region_read", 2, NOTHING, false, false },
	{ "pmu_report", 2, NOTHING, false, false },
	{ "pmu_report_text", 2, NOTHING, false, false },
	{ "pmu_count_name", 2, NOTHING, false, false },
	{ "pmu_note", 2, NOTHING, false, false },
	{ "pmu_group_next", 2, NOTHING, false, false },
	{ "pmu_region_is_open", 0, COUNTED, false, false },
	{ "pmu_thread_attach", 0, COUNTED, false, false },
	{ "pmu_counters_read", 0, COUNTED, false, false },
	{ "pmu_counters_start", 0, COUNTED, false, false },
	{ "pmu_counters_stop", 0, COUNTED, false, false },
};

#define N_FUNCTIONS (sizeof(functions) / sizeof(*functions))

int calls_find(struct space *space, uint64_t address)
{
	static const char *names[N_FUNCTIONS];

	for (size_t i = 0; !names[N_FUNCTIONS - 1] && i < N_FUNCTIONS; i++)
		names[i] = functions[i].name;
	return space_function(space, address, names, N_FUNCTIONS);
}

bool calls_of_idle(const struct space *space, uint64_t address[N_CALLS_OF_IDLE])
{
	size_t n = 0;

	memset(address, 0, N_CALLS_OF_IDLE * sizeof(*address));
	for (size_t i = 0; i < N_FUNCTIONS; i++) {
		if (functions[i].act != BEGIN && functions[i].act != ENTER &&
		    functions[i].act != RESET)
			continue;
		/* there are as many breakpoints as all but this one */
		if (!strcmp(functions[i].name, "pmu_region_begin_once") &&
		    !space_is_named(space, functions[i].name))
			continue;
		if (n == N_CALLS_OF_IDLE)
			return false;
		address[n++] = space_address(space, functions[i].name);
	}
	return true;
}

bool calls_is_counted(int function)
{
	return function >= 0 && functions[function].act == COUNTED;
}

static char *read_name(pid_t tid, const uint64_t argument[2], bool is_sized)
{
	size_t room = is_sized && argument[1] < NAME_ROOM ? argument[1] : NAME_ROOM, n;
	char *name = text_alloc(NAME_ROOM + 1);

	n = space_read(tid, argument[0], name, room);
	name[n] = '\0';
	return name;
}

void calls_enter(struct call *call, int function, pid_t tid, const uint64_t argument[2],
		 struct regions *regions, bool by_program)
{
	*call = (struct call){ .function = function };
	if (function < 0)
		return;
	if (by_program)
		regions_step(regions, -functions[function].cost);
	regions_begin_inherited(regions);
	call->argument = argument[0];
	call->at = regions_now(regions);
	if (functions[function].is_named && argument[0])
		call->name = read_name(tid, argument, functions[function].is_sized);
}

void calls_return(struct call *call, uint64_t value, struct regions *regions)
{
	enum act act = call->function < 0 ? NOTHING : functions[call->function].act;

	if (act == GET)
		regions_get(regions, value);
	else if ((int)value == 0 && act == BEGIN)
		regions_begin(regions, call->name);
	else if ((int)value == 0 && act == END)
		regions_end(regions, call->name, call->at);
	else if ((int)value == -ENOENT && act == END)
		regions_end_refused(regions, call->name);
	else if ((int)value == 0 && act == ENTER)
		regions_enter(regions, call->argument, call->at);
	else if ((int)value == 0 && act == LEAVE)
		regions_leave(regions, call->at);
	else if ((int)value == 0 && act == RESET)
		regions_reset(regions, call->name);
	else if ((int)value == 0 && act == CHECKPOINT)
		regions_checkpoint(regions, call->at);
	else if (act == FORGET)
		regions_forget(regions);
	free(call->name);
	call->name = NULL;
}
