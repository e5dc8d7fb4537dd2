/* SPDX-License-Identifier: BSD-3-Clause */
/* The loops that are timed: begin/end pairs, each as plain as can be. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "overhead.h"
#include "pmu.h"

void loop_one(struct loop *loop, size_t n_pairs)
{
	(void)loop;
	for (size_t i = 0; i < n_pairs; i++) {
		pmu_region_begin("one region");
		pmu_region_end("one region");
	}
}

void loop_named(struct loop *loop, size_t n_pairs)
{
	for (size_t i = 0; i < n_pairs;) {
		for (size_t k = 0; k < loop->n_names && i < n_pairs; k++, i++) {
			pmu_region_begin(loop->name[k]);
			pmu_region_end(loop->name[k]);
		}
	}
}

void loop_counted(struct loop *loop, size_t n_pairs)
{
	(void)loop;
	for (size_t i = 0; i < n_pairs; i++) {
		pmu_region_begin_n("with its length", 15);
		pmu_region_end_n("with its length", 15);
	}
}

void loop_nested(struct loop *loop, size_t n_pairs)
{
	for (size_t i = 0; i < n_pairs; i += loop->n_names) {
		for (size_t k = 0; k < loop->n_names; k++)
			pmu_region_begin(loop->name[k]);
		for (size_t k = loop->n_names; k-- > 0;)
			pmu_region_end(loop->name[k]);
	}
}

void loop_buffer(struct loop *loop, size_t n_pairs)
{
	char text[16];

	for (size_t i = 0; i < n_pairs;) {
		for (size_t k = 0; k < loop->n_names && i < n_pairs; k++, i++) {
			memcpy(text, loop->name[k], sizeof(text));
			pmu_region_begin(text);
			pmu_region_end(text);
		}
	}
}

loop_fn *loop_find(const char *name)
{
	static const struct {
		const char *name;
		loop_fn *run;
	} loops[] = { { "one", loop_one },
		      { "named", loop_named },
		      { "nested", loop_nested },
		      { "counted", loop_counted },
		      { "buffer", loop_buffer } };

	for (size_t i = 0; i < sizeof(loops) / sizeof(*loops); i++)
		if (!strcmp(loops[i].name, name))
			return loops[i].run;
	return NULL;
}

/* --- what they work on --- */

int loop_names(struct loop *loop, size_t n, size_t len)
{
	size_t room = len < 16 ? 16 : len + 1;
	char *text = calloc(n, room);

	loop->name = calloc(n, sizeof(*loop->name));
	if (!loop->name || !text) {
		free(text);
		return -1;
	}
	for (size_t i = 0; i < n; i++) {
		loop->name[i] = text + i * room;
		if (len)
			memset(text + i * room, 'a', len);
		else
			snprintf(text + i * room, room, "region %zu", i);
	}
	loop->n_names = n;
	return 0;
}

#define DRAWS 4 /* of each name, so that what follows it is another one each time */

#define TEN(text)                                                                                 \
	text "0", text "1", text "2", text "3", text "4", text "5", text "6", text "7", text "8", \
		text "9"
#define HUNDRED(text)                                                                             \
	TEN(text "0"), TEN(text "1"), TEN(text "2"), TEN(text "3"), TEN(text "4"), TEN(text "5"), \
		TEN(text "6"), TEN(text "7"), TEN(text "8"), TEN(text "9")
#define THOUSAND(text)                                                                      \
	HUNDRED(text "0"), HUNDRED(text "1"), HUNDRED(text "2"), HUNDRED(text "3"),         \
		HUNDRED(text "4"), HUNDRED(text "5"), HUNDRED(text "6"), HUNDRED(text "7"), \
		HUNDRED(text "8"), HUNDRED(text "9")

int loop_literals(struct loop *loop, size_t n)
{
	static const char *literal[] = {
		THOUSAND("region 0"), THOUSAND("region 1"), THOUSAND("region 2"),
		THOUSAND("region 3"), THOUSAND("region 4"), THOUSAND("region 5"),
		THOUSAND("region 6"), THOUSAND("region 7"), THOUSAND("region 8"),
		THOUSAND("region 9"),
	};

	if (n > sizeof(literal) / sizeof(*literal))
		return -1;
	loop->name = literal;
	loop->n_names = n;
	return 0;
}

int loop_draw(struct loop *loop)
{
	size_t n = DRAWS * loop->n_names;
	const char **drawn = calloc(n, sizeof(*drawn));
	uint64_t state = 1;

	if (!drawn)
		return -1;
	for (size_t i = 0; i < n; i++) {
		state = state * 6364136223846793005u + 1442695040888963407u;
		drawn[i] = loop->name[(size_t)(state >> 33) % loop->n_names];
	}
	free(loop->name);
	loop->name = drawn;
	loop->n_names = n;
	return 0;
}
