/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What can be written to the simulated machine's ctl file, a command a line:
 *
 *   count CPU EVENT UMASK user|kernel N [fixed MASK]  the event happens N times there
 *   uncore CPU UNIT EVENT UMASK N                     the same outside the cores
 *   energy CPU DOMAIN RAW                             so many raw units are used
 *   set CPU ADDRESS VALUE                             past the rules
 *   fail CPU|all ADDRESS read|write|both ERRNO        from now on; ERRNO 0: works;
 *                                                     "ignored": as if it had worked
 *   refuse CPU|all ERRNO                              opening that device fails; ERRNO 0: works
 *   at N error ERRNO                                  the N-th access from now fails, once
 *   at N signal NUMBER                                its caller gets that signal; at 0 ...: never
 *   offline CPU, online CPU
 *   vanish, appear                                    all devices
 *   phase TEXT                                        a mark in the log
 *   forget                                            the log starts afresh
 *
 * Numbers as in C, ERRNO also by name.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "server.h"

#define MAX_WORDS 8

static bool number(const char *text, uint64_t max, uint64_t *value)
{
	char *end;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	*value = strtoull(text, &end, 0);
	return !*end && !errno && *value <= max;
}

/* -1: all, where that is allowed */
static bool processor(const char *text, bool all, int *cpu)
{
	uint64_t value;

	if (all && !strcmp(text, "all")) {
		*cpu = -1;
		return true;
	}
	if (!number(text, INT32_MAX, &value))
		return false;
	*cpu = (int)value;
	return true;
}

static bool error_number(const char *text, int *error)
{
	uint64_t value;

	if (number(text, 133, &value)) {
		*error = -(int)value;
		return true;
	}
	for (int i = 1; i < 134; i++) {
		const char *name = strerrorname_np(i);

		if (name && !strcmp(name, text)) {
			*error = -i;
			return true;
		}
	}
	return false;
}

static int do_count(struct sim_server *server, char **word, size_t n)
{
	struct sim_event event = { 0 };
	uint64_t code, umask, fixed = 0;
	int cpu;

	if ((n != 6 && n != 8) || !processor(word[1], false, &cpu) ||
	    !number(word[2], 0xfff, &code) || !number(word[3], 0xff, &umask) ||
	    !number(word[5], UINT64_MAX, &event.n))
		return -EINVAL;
	event.kernel = !strcmp(word[4], "kernel");
	if (!event.kernel && strcmp(word[4], "user"))
		return -EINVAL;
	if (n == 8 && (strcmp(word[6], "fixed") || !number(word[7], UINT32_MAX, &fixed)))
		return -EINVAL;
	event.event = (uint16_t)code;
	event.umask = (uint8_t)umask;
	event.fixed = (uint32_t)fixed;
	return sim_count(server->machine, cpu, &event);
}

static int do_uncore(struct sim_server *server, char **word, size_t n)
{
	uint64_t code, umask, times;
	int cpu;

	if (n != 6 || !processor(word[1], false, &cpu) || !number(word[3], 0xfff, &code) ||
	    !number(word[4], 0xff, &umask) || !number(word[5], UINT64_MAX, &times))
		return -EINVAL;
	return sim_count_uncore(server->machine, cpu, word[2], (uint16_t)code, (uint8_t)umask,
				times);
}

static int do_energy(struct sim_server *server, char **word, size_t n)
{
	uint64_t raw;
	int cpu;

	if (n != 4 || !processor(word[1], false, &cpu) || !number(word[3], UINT64_MAX, &raw))
		return -EINVAL;
	return sim_energy(server->machine, cpu, word[2], raw);
}

static int do_set(struct sim_server *server, char **word, size_t n)
{
	uint64_t address, value;
	int cpu;

	if (n != 4 || !processor(word[1], false, &cpu) || !number(word[2], UINT32_MAX, &address) ||
	    !number(word[3], UINT64_MAX, &value))
		return -EINVAL;
	return sim_poke(server->machine, cpu, (uint32_t)address, value);
}

static int do_fail(struct sim_server *server, char **word, size_t n)
{
	uint64_t address;
	int cpu, error;
	bool both;

	if (n != 5 || !processor(word[1], true, &cpu) || !number(word[2], UINT32_MAX, &address))
		return -EINVAL;
	if (!strcmp(word[4], "ignored") && !strcmp(word[3], "write"))
		error = SIM_IGNORED;
	else if (!error_number(word[4], &error))
		return -EINVAL;
	both = !strcmp(word[3], "both");
	if (!both && strcmp(word[3], "read") && strcmp(word[3], "write"))
		return -EINVAL;
	return sim_fail(server->machine, cpu, (uint32_t)address, both || *word[3] == 'r',
			both || *word[3] == 'w', error);
}

static int do_refuse(struct sim_server *server, char **word, size_t n)
{
	int cpu, error;

	if (n != 3 || !processor(word[1], true, &cpu) || !error_number(word[2], &error))
		return -EINVAL;
	server->refused_cpu = cpu;
	server->refused = error;
	return 0;
}

static int do_at(struct sim_server *server, char **word, size_t n)
{
	uint64_t at, signal = 0;
	int error = 0;

	if (n != 4 || !number(word[1], UINT64_MAX, &at))
		return -EINVAL;
	if (strcmp(word[2], "error") ? strcmp(word[2], "signal") || !number(word[3], 64, &signal)
				     : !error_number(word[3], &error))
		return -EINVAL;
	server->at = at;
	server->at_error = error;
	server->at_signal = (int)signal;
	return 0;
}

static int do_offline(struct sim_server *server, char **word, size_t n)
{
	int cpu;

	if (n != 2 || !processor(word[1], false, &cpu))
		return -EINVAL;
	return sim_offline(server->machine, cpu, *word[0] == 'o' && word[0][1] == 'f');
}

static int do_vanish(struct sim_server *server, char **word, size_t n)
{
	if (n != 1)
		return -EINVAL;
	server->vanished = *word[0] == 'v';
	return 0;
}

static int do_forget(struct sim_server *server, char **word, size_t n)
{
	(void)word;
	if (n != 1)
		return -EINVAL;
	server->log.length = 0;
	server->n_log = 0;
	return 0;
}

static const struct {
	const char *name;
	int (*run)(struct sim_server *server, char **word, size_t n);
} commands[] = {
	{ "count", do_count },   { "uncore", do_uncore },   { "energy", do_energy },
	{ "set", do_set },       { "fail", do_fail },       { "refuse", do_refuse },
	{ "at", do_at },         { "offline", do_offline }, { "online", do_offline },
	{ "vanish", do_vanish }, { "appear", do_vanish },   { "forget", do_forget },
};

int sim_command(struct sim_server *server, char *line)
{
	char *word[MAX_WORDS + 1], *rest = line, *next;
	size_t n = 0;

	if (!strncmp(line, "phase ", 6)) {
		sim_log_line(server, "phase %s", line + 6);
		return 0;
	}
	while (n <= MAX_WORDS && (next = strtok_r(n ? NULL : line, " \t", &rest)))
		word[n++] = next;
	if (!n)
		return 0;
	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++)
		if (!strcmp(commands[i].name, word[0]))
			return commands[i].run(server, word, n);
	return -EINVAL;
}
