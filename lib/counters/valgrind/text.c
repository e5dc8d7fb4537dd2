/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The lines of callgrind's answer: callgrind/main.c, "status internal", which callgrind_control(1)
 * reads too.
 */
#include "counters/valgrind/text.h"

#include <stdio.h>
#include <string.h>

/* Valgrind has room for 500 threads, unless it is told otherwise. */
#define THREADS_MOST 1000000

static bool skip_word(const char **at, const char *word)
{
	size_t len = strlen(word);

	if (strncmp(*at, word, len) != 0)
		return false;
	*at += len;
	return true;
}

/* Return: false where there is no number, or one that does not fit. */
static bool take_log_number(const char **at, uint64_t *value)
{
	const char *from = *at;

	for (*value = 0; **at >= '0' && **at <= '9'; ++*at)
		if (__builtin_mul_overflow(*value, 10u, value) ||
		    __builtin_add_overflow(*value, (uint64_t)(**at - '0'), value))
			return false;
	return *at != from;
}

static bool is_line_end(const char *at)
{
	return *at == '\n' || *at == '\0';
}

bool pmu_callgrind_line_columns(const char *line, struct pmu_callgrind_columns *columns)
{
	struct pmu_callgrind_columns found = { .n = 0 };

	if (!skip_word(&line, "events: "))
		return false;
	while (!is_line_end(line)) {
		size_t len = strcspn(line, " \n");
		int event = pmu_callgrind_event(line, len);

		if (!len || found.n == sizeof(found.event))
			return false;
		found.event[found.n++] = (int8_t)event;
		if (event >= 0)
			found.known |= 1u << event;
		line += len;
		line += *line == ' ';
	}
	*columns = found;
	return found.n != 0;
}

int pmu_callgrind_line_thread(const char *line)
{
	uint64_t thread;

	if (!skip_word(&line, "current-tid: ") || !take_log_number(&line, &thread) ||
	    !is_line_end(line) || thread > THREADS_MOST)
		return 0;
	return (int)thread;
}

bool pmu_callgrind_line_part(const char *line, uint64_t *part)
{
	uint64_t number;

	if (!skip_word(&line, "part: ") || !take_log_number(&line, &number) || !is_line_end(line))
		return false;
	*part = number;
	return true;
}

bool pmu_callgrind_line_counts(const char *line, const struct pmu_callgrind_columns *columns,
			       struct pmu_callgrind_answer *answer)
{
	uint64_t count[PMU_CALLGRIND_EVENTS] = { 0 }, value;

	if (!skip_word(&line, "events-") || !take_log_number(&line, &value) ||
	    value != (uint64_t)answer->thread || !skip_word(&line, ": "))
		return false;
	for (unsigned int i = 0; !is_line_end(line); i++) {
		if (i == columns->n || !take_log_number(&line, &value) ||
		    (*line != ' ' && !is_line_end(line)))
			return false;
		if (columns->event[i] >= 0)
			count[columns->event[i]] = value;
		line += *line == ' ';
	}
	memcpy(answer->count, count, sizeof(count));
	return true;
}

bool pmu_callgrind_log_path(const char *format, int pid, char *path, size_t size)
{
	size_t len = 0;
	char number[16];

	snprintf(number, sizeof(number), "%d", pid);
	for (; *format; format++) {
		const char *part = format;
		size_t n = 1;

		if (*format == '%' && *++format == 'p') {
			part = number;
			n = strlen(number);
		} else if (*part == '%' && *format != '%') {
			return false;
		}
		if (n >= size - len)
			return false;
		memcpy(path + len, part, n);
		len += n;
	}
	path[len] = '\0';
	return len != 0;
}
