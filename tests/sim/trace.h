/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a session did to the registers, from the simulated machine's log, against what it must do.
 */
#ifndef PMU_TESTS_SIM_TRACE_H
#define PMU_TESTS_SIM_TRACE_H

#include "session.h"

/* One access. */
struct trace_line {
	int cpu;
	bool write;
	uint32_t address;
	uint64_t value;
	int batch; /* which, from 1; 0: by itself */
};

struct trace {
	size_t n, room;
	struct trace_line *line;
	size_t ready, done; /* marks "phase ready", "phase done": lines before them */
	int n_batches, batches_ready, batches_done;
	int n_failed; /* accesses that were refused */
};

static void trace_add(struct trace *t, const struct trace_line *line)
{
	if (t->n == t->room) {
		t->room = t->room ? 2 * t->room : 4096;
		t->line = (struct trace_line *)realloc(t->line, t->room * sizeof(*t->line));
		if (!t->line)
			run_die("no memory for a trace");
	}
	t->line[t->n++] = *line;
}

static void trace_mark(struct trace *t, const char *mark)
{
	if (!strncmp(mark, "ready", 5)) {
		t->ready = t->n;
		t->batches_ready = t->n_batches;
	} else if (!strncmp(mark, "done", 4)) {
		t->done = t->n;
		t->batches_done = t->n_batches;
	}
}

/* Since the log was forgotten; for trace_free(). */
__attribute__((unused)) static void trace_load(struct trace *t)
{
	char *log = sim_log(&sim), *rest = log, *text, how[8], value[20], result[20];
	unsigned int in_batch = 0, n;
	struct trace_line line;

	memset(t, 0, sizeof(*t));
	while ((text = strsep(&rest, "\n"))) {
		if (sscanf(text, "%*u batch %u", &n) == 1) {
			t->n_batches++;
			in_batch = n;
		} else if (strstr(text, " phase ")) {
			trace_mark(t, strstr(text, " phase ") + 7);
		} else if (sscanf(text, "%*u cpu %d %7s %" SCNx32 "H %19s %19s", &line.cpu, how,
				  &line.address, value, result) == 5) {
			line.write = !strcmp(how, "write");
			line.value = strtoull(value, NULL, 16);
			line.batch = in_batch ? t->n_batches : 0;
			in_batch -= in_batch > 0;
			t->n_failed += strcmp(result, "ok") != 0;
			trace_add(t, &line);
		}
	}
	free(log);
}

__attribute__((unused)) static void trace_free(struct trace *t)
{
	free(t->line);
}

/* --- what has to be written, in which order --- */

enum trace_phase { STOP, CLEAR, SELECT, ZERO, ENABLE, TRACE_PHASES };

/* A write that a processor or a socket must get once: (what was there & keep) | value. */
struct trace_step {
	enum trace_phase phase;
	uint32_t address;
	uint64_t keep, value;
};

/* Lines of a phase, over all processors. */
struct trace_span {
	size_t first, last;
};

static void trace_widen(struct trace_span *span, size_t at)
{
	span->first = at < span->first ? at : span->first;
	span->last = at > span->last ? at : span->last;
}

/* The index of the step that is this line, or -1. */
static int trace_step_of(const struct trace_step *step, size_t n, const struct trace_line *line,
			 const char *before)
{
	uint64_t old = measure_state(before, line->cpu, line->address);

	for (size_t i = 0; i < n; i++)
		if (step[i].address == line->address &&
		    ((old & step[i].keep) | step[i].value) == line->value)
			return (int)i;
	return -1;
}

/*
 * trace_steps() - between two lines, @cpu writes what the steps say, each once and nothing else of
 * these addresses
 * @lowest, @highest: the addresses that are looked at
 * Return: whether it was so; what differs is shown.
 */
__attribute__((unused)) static bool trace_steps(const struct trace *t, int cpu, uint32_t lowest,
						uint32_t highest, const struct trace_step *step,
						size_t n, const char *before,
						struct trace_span span[TRACE_PHASES])
{
	unsigned int seen[64] = { 0 };
	bool good = true;

	for (size_t i = 0; i < t->ready; i++) {
		const struct trace_line *line = &t->line[i];
		int at;

		if (!line->write || line->cpu != cpu || line->address < lowest ||
		    line->address > highest)
			continue;
		at = trace_step_of(step, n, line, before);
		if (at < 0 || seen[at]++) {
			diag("CPU %d, %XH: %" PRIX64 "H is no step, or one again", cpu,
			     line->address, line->value);
			good = false;
		} else {
			trace_widen(&span[step[at].phase], i);
		}
	}
	for (size_t i = 0; i < n; i++)
		if (!seen[i]) {
			diag("CPU %d, %XH: never written in step %zu", cpu, step[i].address, i);
			good = false;
		}
	return good;
}

/*
 * The first or last write of one processor to one of these addresses within lines; NULL: there is
 * none.
 */
__attribute__((unused)) static const struct trace_line *trace_write(const struct trace *t,
								    size_t from, size_t to, int cpu,
								    uint32_t lowest,
								    uint32_t highest, bool last)
{
	const struct trace_line *found = NULL;

	for (size_t i = from; i < to && (last || !found); i++)
		if (t->line[i].write && t->line[i].cpu == cpu && t->line[i].address >= lowest &&
		    t->line[i].address <= highest)
			found = &t->line[i];
	return found;
}

#endif
