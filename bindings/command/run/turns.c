/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs of a command, or of two in turns, until there are enough. */
#include <math.h>
#include <stdio.h>
#include <time.h>

#include "bindings/command/command.h"
#include "bindings/command/run/repeat.h"

static bool failed(const struct pmu_run *run)
{
	return run->end.run.signal || run->end.run.status;
}

static const struct pmu_run_request *request_of(const struct pmu_run_turns *turns)
{
	return &turns->run[0]->request;
}

/* What it did before that is reported. */
static void tell_failed(const struct pmu_run *run, unsigned int nth)
{
	const struct pmu_run_request *request = &run->request;
	const struct pmu_model_run *end = &run->end.run;
	bool warms_up = nth < request->warmup;
	unsigned int number = warms_up ? nth + 1 : nth - request->warmup + 1;
	char of[32] = "";

	if (warms_up || !request->until_precise)
		snprintf(of, sizeof(of), " of %u", warms_up ? request->warmup : request->repeat);
	pmu_command_error("%s %u%s%s%s ended %s %d: no further run", warms_up ? "warm-up" : "run",
			  number, of, request->against.we_wordv ? " of " : "",
			  request->against.we_wordv ? request->command[0] : "",
			  end->signal ? "by signal" : "with status",
			  end->signal ? end->signal : end->status);
}

/*
 * One of the runs.
 * Return: 0; an exit status where there is to be no further one, which the command itself may have
 * ended with.
 */
static int run_nth(struct pmu_run *run, struct pmu_run_repeated *repeated, unsigned int nth)
{
	int rc;

	pmu_run_repeated_begin(repeated);
	rc = pmu_run_enter(run);
	if (!rc && failed(run)) {
		pmu_run_gather(run);
		tell_failed(run, nth);
		rc = PMU_EXIT_FAILED;
	} else if (!rc && pmu_run_gather(run) && nth >= run->request.warmup) {
		rc = pmu_run_repeated_end(repeated, &run->parts, &run->end) ? PMU_EXIT_NOT_STARTED
									    : 0;
	}
	pmu_run_leave(run);
	return rc;
}

/* The first, the second; then the second first. */
static int run_round(struct pmu_run_turns *turns, unsigned int nth)
{
	unsigned int n = turns->run[1] ? 2 : 1;
	int rc = 0;

	for (unsigned int i = 0; !rc && i < n; i++) {
		unsigned int side = n > 1 && nth % 2 ? 1 - i : i;

		turns->last = turns->run[side];
		rc = run_nth(turns->run[side], turns->repeated[side], nth);
	}
	return rc;
}

/* --- how many --- */

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void note_in_series(struct pmu_run_turns *turns, const char *text)
{
	for (int side = 0; side < 2 && turns->repeated[side]; side++)
		pmu_series_note(pmu_run_repeated_series(turns->repeated[side]), text);
}

static void tell_precision(struct pmu_run_turns *turns, const struct pmu_run_precision *precision,
			   const char *why)
{
	const struct pmu_run_request *request = request_of(turns);
	bool is_change = turns->run[1] != NULL;
	char text[512], width[64];
	const char *of = precision->region[0] ? precision->region : "the command";

	if (isnan(precision->width))
		snprintf(width, sizeof(width), "is not known: six %s are needed",
			 is_change ? "pairs" : "runs");
	else
		snprintf(width, sizeof(width), "is %.2g%% wide", 100 * precision->width);
	snprintf(text, sizeof(text),
		 "--repeat auto: %zu %s%s; the interval of %s%s of %.200s %s, %.3g%% was asked for",
		 precision->n, is_change ? "pairs of runs" : "runs", why,
		 is_change ? "the change in " : "", precision->name, of, width,
		 100 * request->precision);
	note_in_series(turns, text);
}

/* Return: whether there are enough runs; or -1: there never will be. */
static int enough(struct pmu_run_turns *turns, uint64_t start_ns)
{
	const struct pmu_run_request *request = request_of(turns);
	const struct pmu_series *a = pmu_run_repeated_series(turns->repeated[0]), *b = NULL;
	struct pmu_run_precision precision;

	if (turns->repeated[1])
		b = pmu_run_repeated_series(turns->repeated[1]);
	if (pmu_run_precision(a, b, request->metric, &precision)) {
		pmu_command_error("no memory");
		return -1;
	}
	if (!precision.found) {
		pmu_command_error("--metric %s: no region has a value of that name; say it as the "
				  "report has it: time, instructions, IPC, solve:time",
				  request->metric);
		return -1;
	}
	if (precision.width <= request->precision && precision.told <= 2 * request->precision) {
		tell_precision(turns, &precision, "");
		return 1;
	}
	if (now_ns() - start_ns < request->limit_ns)
		return 0;
	tell_precision(turns, &precision, ", then its --limit ended it");
	return 1;
}

int pmu_run_turns_make(struct pmu_run_turns *turns)
{
	const struct pmu_run_request *request = request_of(turns);
	uint64_t start_ns = now_ns();
	int rc = 0, done = 0;

	for (int side = 0; side < 2 && turns->run[side]; side++) {
		turns->repeated[side] = pmu_run_repeated_new(&turns->run[side]->request);
		if (turns->repeated[side])
			continue;
		pmu_command_error("no memory");
		return PMU_EXIT_NOT_STARTED;
	}
	for (unsigned int nth = 0; !rc && !done && nth < request->warmup + request->repeat; nth++) {
		rc = run_round(turns, nth);
		if (!rc && request->until_precise && nth >= request->warmup)
			done = enough(turns, start_ns);
	}
	return !rc && done < 0 ? PMU_EXIT_USAGE : rc;
}

int pmu_run_turns_status(const struct pmu_run_turns *turns, int rc)
{
	if (rc && (!turns->last || !failed(turns->last)))
		return rc;
	return turns->last ? pmu_run_end_alike(&turns->last->end.run) : rc;
}

void pmu_run_turns_free(struct pmu_run_turns *turns)
{
	for (int side = 0; side < 2; side++)
		pmu_run_repeated_free(turns->repeated[side]);
}

int pmu_run_repeat(struct pmu_run *run)
{
	struct pmu_run_turns turns = { .run = { run } };
	int rc = pmu_run_turns_make(&turns);

	if (turns.repeated[0] && pmu_run_repeated_finish(turns.repeated[0]))
		pmu_run_repeated_write(turns.repeated[0]);
	rc = pmu_run_turns_status(&turns, rc);
	pmu_run_turns_free(&turns);
	return rc;
}
