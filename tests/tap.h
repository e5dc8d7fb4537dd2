/* SPDX-License-Identifier: BSD-3-Clause */
/* Test Anything Protocol, as much of it as these tests need. */
#ifndef PMU_TESTS_TAP_H
#define PMU_TESTS_TAP_H

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Checks so far.  The parts of a program, each in a process of its own, share one: unit/part.h. */
struct tap {
	int n, failed;
	const char *part; /* its name stands before a check's; NULL: the program has no parts */
	bool ended;       /* that part has said so */
};
static struct tap tap_alone, *tap = &tap_alone;

static void tap_put(bool holds)
{
	printf("%sok %d - %s%s", holds ? "" : "not ", ++tap->n, tap->part ? tap->part : "",
	       tap->part ? ": " : "");
	tap->failed += !holds;
}

/* All functions return whether the check held. */
__attribute__((format(printf, 2, 3), unused)) static bool ok(bool holds, const char *fmt, ...)
{
	va_list args;

	tap_put(holds);
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	putchar('\n');
	fflush(stdout);
	return holds;
}

__attribute__((format(printf, 1, 2), unused)) static void diag(const char *fmt, ...)
{
	va_list args;

	fputs("# ", stdout);
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	putchar('\n');
	fflush(stdout);
}

__attribute__((unused)) static bool is_u64(uint64_t got, uint64_t want, const char *name)
{
	bool holds = ok(got == want, "%s", name);

	if (!holds)
		diag("got %" PRIu64 ", want %" PRIu64, got, want);
	return holds;
}

__attribute__((unused)) static bool is_int(long long got, long long want, const char *name)
{
	bool holds = ok(got == want, "%s", name);

	if (!holds)
		diag("got %lld, want %lld", got, want);
	return holds;
}

__attribute__((unused)) static bool is_str(const char *got, const char *want, const char *name)
{
	bool holds = ok(got && want ? !strcmp(got, want) : got == want, "%s", name);

	if (!holds)
		diag("got \"%s\", want \"%s\"", got ? got : "(null)", want ? want : "(null)");
	return holds;
}

/* @text contains @part */
__attribute__((unused)) static bool has(const char *text, const char *part, const char *name)
{
	bool holds = ok(text && strstr(text, part), "%s", name);

	if (!holds)
		diag("no \"%s\" in \"%s\"", part, text ? text : "(null)");
	return holds;
}

/* One check that cannot be made here, with the reason. */
__attribute__((format(printf, 2, 3), unused)) static void skip(const char *name, const char *fmt,
							       ...)
{
	va_list args;

	tap_put(true);
	printf("%s # SKIP ", name);
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	putchar('\n');
	fflush(stdout);
}

/* The last line of main, or of a part: return done_testing(); */
__attribute__((unused)) static int done_testing(void)
{
	if (tap->part)
		tap->ended = true;
	else
		printf("1..%d\n", tap->n);
	return tap->failed ? 1 : 0;
}

/* The whole program, or part, cannot run here: call before any check, and return its value. */
__attribute__((unused)) static int skip_all(const char *reason)
{
	if (!tap->part) {
		printf("1..0 # SKIP %s\n", reason);
		return 0;
	}
	skip("all of it", "%s", reason);
	return done_testing();
}

#endif
