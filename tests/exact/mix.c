/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One thread, 322 paths: names of all lengths, depth, recursion, overlaps, blocks left early, jumps out of functions.
 *
 *   mix [ROUNDS]
 */
#include <pmu.h>
#include <stdlib.h>
#include <string.h>

#include "turns.h"

#define DEPTH     64
#define N_LENGTHS 16

static char level[DEPTH][3];
static char *of_length[N_LENGTHS], *the_same[N_LENGTHS];
static char buffer[256];

/* In few instructions: each is a step. */
static void make_names(void)
{
	static const size_t length[N_LENGTHS] = { 1,  7,   8,   15,  16,  17,   31,   63,
						  64, 127, 255, 511, 800, 1000, 1022, 1023 };

	for (int i = 0; i < DEPTH; i++) {
		level[i][0] = (char)('0' + i / 10);
		level[i][1] = (char)('0' + i % 10);
	}
	for (size_t i = 0; i < N_LENGTHS; i++) {
		of_length[i] = calloc(1, length[i] + 1);
		memset(of_length[i], 'a' + (int)i, length[i]);
		the_same[i] = strdup(of_length[i]);
	}
}

static void lengths(void)
{
	for (int i = 0; i < N_LENGTHS; i++) {
		pmu_region_begin(of_length[i]);
		TURNS(11);
		pmu_region_begin("in a length");
		TURNS(1);
		pmu_region_end("in a length");
		pmu_region_end(the_same[i]);
	}
}

static void deep(int depth)
{
	pmu_region_begin(level[depth]);
	TURNS(7);
	if (depth < DEPTH - 1)
		deep(depth + 1);
	TURNS(3);
	pmu_region_end(level[depth]);
}

static int fibonacci(int n)
{
	PMU_REGION("fibonacci");

	TURNS(5);
	return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static void ping(int n);

static void pong(int n)
{
	pmu_region_begin("pong");
	TURNS(9);
	if (n)
		ping(n - 1);
	pmu_region_end("pong");
}

static void ping(int n)
{
	pmu_region_begin("ping");
	TURNS(4);
	if (n)
		pong(n - 1);
	TURNS(2);
	pmu_region_end("ping");
}

static int leave_early(int n)
{
	PMU_REGION("early");

	for (int i = 0; i < n; i++) {
		PMU_REGION("early loop");

		if (i == 3)
			return i;
		TURNS(6);
		if (i & 1)
			continue;
		TURNS(2);
	}
	return -1;
}

/* One region, by a name that is a literal, in a buffer, or has a length. */
static void kinds(void)
{
	pmu_region_begin("kinds");
	for (int i = 0; i < 12; i++) {
		char *text = strcpy(buffer + i % 5 * 20, "a kind");

		if (i % 6 == 3)
			pmu_region_begin_n("a kind of which", 6);
		else if (i % 6 == 5)
			pmu_region_begin_n(text, 6);
		else
			pmu_region_begin(i % 6 == 1 ? text : "a kind");
		TURNS(3);
		if (i % 6 >= 4)
			pmu_region_end_n("a kind!", 6);
		else
			pmu_region_end(i % 6 == 2 ? text : "a kind");
	}
	pmu_region_end("kinds");
}

static void overlaps(void)
{
	pmu_region_begin("over 1");
	TURNS(2);
	pmu_region_begin("over 2");
	TURNS(3);
	pmu_region_begin("over 3");
	TURNS(4);
	pmu_region_end("over 1");
	TURNS(5);
	pmu_region_begin("over 4");
	TURNS(6);
	pmu_region_end("over 2");
	TURNS(7);
	pmu_region_end("over 4");
	pmu_region_end("over 3");
}

/* What is open beside others and begun again is given up. */
static void lose(void)
{
	pmu_region_begin("ended too early");
	pmu_region_begin("lost");
	TURNS(50);
	pmu_region_end("ended too early");
	pmu_region_begin("lost");
	TURNS(6);
	pmu_region_end("lost");
	pmu_region_end("lost");
}

/* What has been done before is in nothing any more. */
static void forget(void)
{
	pmu_region_begin("forgotten");
	TURNS(7);
	pmu_region_end("forgotten");
	pmu_region_reset("forgotten");
	pmu_region_begin("forgotten");
	TURNS(8);
	pmu_region_end("forgotten");
}

/* It goes on, and nothing is counted twice. */
static void save(void)
{
	pmu_region_begin("saved");
	TURNS(2);
	pmu_checkpoint(PMU_NEXT_GOES_ON);
	TURNS(5);
	pmu_region_begin("a part");
	pmu_checkpoint(PMU_NEXT_GOES_ON);
	TURNS(3);
	pmu_region_end("a part");
	pmu_region_end("saved");
}

static void *landing[5];

static __attribute__((noinline)) void jump(void)
{
	TURNS(8);
	pmu_region_begin("before the jump");
	TURNS(5);
	pmu_region_end("before the jump");
	__builtin_longjmp(landing, 1);
}

static void jumps(void)
{
	pmu_region_begin("jumps");
	if (!__builtin_setjmp(landing))
		jump();
	TURNS(3);
	pmu_region_end("jumps");
}

static void texts(void)
{
	static const char utf8[] = "\xc3\xa9t\xc3\xa9 \xe6\xbc\xa2\xe5\xad\x97 \xf0\x9f\x98\x80";

	pmu_region_begin(utf8);
	TURNS(20);
	pmu_region_end(utf8);
	strcpy(buffer, "rewritten");
	pmu_region_begin(buffer);
	TURNS(3);
	strcpy(buffer, "while open");
	pmu_region_begin(buffer);
	TURNS(4);
	pmu_region_end("while open");
	pmu_region_end("rewritten");
	pmu_region_begin("a/b\\c,\"d\"");
	TURNS(3);
	pmu_region_begin("=x,y\n\xff\\x41");
	TURNS(2);
	pmu_region_end("=x,y\n\xff\\x41");
	pmu_region_end("a/b\\c,\"d\"");
}

static void siblings(void)
{
	pmu_region_begin("siblings");
	for (int i = 0; i < 200; i++) {
		char name[] = { 's', (char)('0' + i / 100), (char)('0' + i / 10 % 10),
				(char)('0' + i % 10), '\0' };

		pmu_region_begin(name);
		TURNS(2);
		pmu_region_end(name);
	}
	pmu_region_end("siblings");
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 3;

	make_names();
	for (int i = 0; i < rounds; i++) {
		lengths();
		deep(0);
		pmu_region_begin("around fibonacci");
		fibonacci(6);
		pmu_region_end("around fibonacci");
		ping(7);
		pong(4);
		leave_early(2);
		leave_early(7);
		kinds();
		overlaps();
		lose();
		forget();
		save();
		jumps();
		texts();
		siblings();
	}
	return 0;
}
