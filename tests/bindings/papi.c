/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program annotated with PAPI's high-level API, as its documentation has it: C and C++, for our
 * header and for PAPI's. papi.sh builds it both ways.  What it prints is the same each time; a line
 * that begins with "wrong" is a failure.
 */
#include <papi.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef _OPENMP
#include <omp.h>
#endif

static void want(int got, int wanted, const char *what)
{
	if (got != wanted)
		printf("wrong: %s: %d (%s), not %d\n", what, got, PAPI_strerror(got), wanted);
}

static void touch_pages(void)
{
	const size_t size = 100 * 4096;
	char *pages = (char *)malloc(size);

	for (size_t i = 0; pages && i < size; i += 4096)
		((volatile char *)pages)[i] = 1;
	free(pages);
}

#ifdef _OPENMP
/*
 * What each thread of the team does: 1 + number calls of "mine", 10 nested ones, labels made in a
 * buffer.
 */
static void work(int number)
{
	char label[32];

	want(PAPI_hl_region_begin("outer"), PAPI_OK, "begin outer");
	for (int i = 0; i < 10; i++) {
		want(PAPI_hl_region_begin("inner"), PAPI_OK, "begin inner");
		if (i % 2)
			want(PAPI_hl_read("inner"), PAPI_OK, "read inner");
		want(PAPI_hl_region_end("inner"), PAPI_OK, "end inner");
		snprintf(label, sizeof(label), "step %d", i % 3);
		want(PAPI_hl_region_begin(label), PAPI_OK, "begin a step");
		want(PAPI_hl_region_end(label), PAPI_OK, "end a step");
	}
	for (int i = 0; i <= number; i++) {
		PAPI_hl_region_begin("mine");
		PAPI_hl_region_end("mine");
	}
	want(PAPI_hl_region_end("outer"), PAPI_OK, "end outer");
	want(PAPI_hl_stop(), PAPI_OK, "stop");
}

static void team(void)
{
#pragma omp parallel num_threads(3)
	work(omp_get_thread_num());
}
#endif

static void mistakes(void)
{
	want(PAPI_hl_stop(), PAPI_ENOEVNT, "stop before any begin");
	want(PAPI_hl_read("early"), PAPI_ENOTRUN, "read before any begin");
	want(PAPI_hl_region_end("early"), PAPI_ENOTRUN, "end before any begin");
	want(PAPI_hl_region_begin("x"), PAPI_OK, "begin");
	want(PAPI_hl_region_begin("x"), PAPI_OK, "begin again");
	want(PAPI_hl_region_end("x"), PAPI_OK, "end");
	want(PAPI_hl_read("x"), PAPI_OK, "read of the outer call");
	want(PAPI_hl_region_end("x"), PAPI_OK, "end again");
	want(PAPI_hl_read("x"), PAPI_EINVAL, "read outside");
	want(PAPI_hl_region_end("x"), PAPI_EINVAL, "end outside");
	want(PAPI_hl_region_end("y"), PAPI_EINVAL, "end of a region that never was");
	want(PAPI_hl_region_begin(NULL), PAPI_EINVAL, "begin without a name");
	want(PAPI_hl_read(NULL), PAPI_EINVAL, "read without a name");
	want(PAPI_hl_region_end(""), PAPI_EINVAL, "end without a name");
	want(PAPI_hl_stop(), PAPI_OK, "stop");
	want(PAPI_hl_stop(), PAPI_ENOEVNT, "stop again");
	want(PAPI_hl_region_begin("after"), PAPI_OK, "begin after stop");
	want(PAPI_hl_region_end("after"), PAPI_OK, "end after stop");
	want(PAPI_strerror(PAPI_EINVAL) != NULL, 1, "words for a code");
	want(PAPI_strerror(1) == NULL, 1, "none for what is no code");
}

static void plain(void)
{
	want(PAPI_hl_region_begin("computation"), PAPI_OK, "begin");
	touch_pages();
	want(PAPI_hl_region_end("computation"), PAPI_OK, "end");
}

static const struct scenario {
	const char *name;
	void (*run)(void);
} scenarios[] = {
#ifdef _OPENMP
	{ "team", team },
#endif
	{ "mistakes", mistakes },
	{ "plain", plain },
};

int main(int argc, char **argv)
{
	for (size_t i = 0; argc > 1 && i < sizeof(scenarios) / sizeof(scenarios[0]); i++)
		if (!strcmp(argv[1], scenarios[i].name)) {
			scenarios[i].run();
			printf("done\n");
			return 0;
		}
	printf("wrong: there is no such scenario\n");
	return 2;
}
