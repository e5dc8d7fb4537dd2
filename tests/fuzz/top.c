/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fuzz target: two looks of pmu top at any bytes as a store.  The first byte says how many of the
 * following are changed between them, the next ones where and to what.
 */
#include <stdlib.h>
#include <string.h>

#include "bindings/command/top/json.h"
#include "bindings/command/top/table.h"
#include "store/read/snapshot.h"
#include "tests/fuzz/fuzz.h"

#define MOST_CHANGES 8u

static struct pmu_top_look *look_at(const char *store, size_t size,
				    const struct pmu_top_look *before)
{
	const struct pmu_store_piece piece = { .base = store, .size = size };
	const struct pmu_store_view view = { &piece, 1 };
	struct pmu_model *model = NULL;

	return pmu_store_snapshot(&view, NULL, &model) ? NULL : pmu_top_look_new(model, before);
}

static void check_share(double share)
{
	if (share < 0 || share > 1)
		abort();
}

static void check_text(const struct pmu_strbuf *out)
{
	for (size_t i = 0; i < out->len; i++)
		if ((unsigned char)out->text[i] < ' ' || out->text[i] == 127)
			abort();
}

static void show(const struct pmu_top_program *program, bool flat)
{
	const struct pmu_top_order order = { .by = { .what = PMU_TOP_SELF }, .flat = flat };
	struct pmu_top_layout layout;
	struct pmu_strbuf out = { 0 };
	struct pmu_top_line *line;
	size_t n;

	line = pmu_top_lines(&program, 1, &order, &n);
	if (!line || n != 1 + (size_t)program->n_rows)
		abort();
	pmu_top_layout(&layout, &program, 1, flat ? 40 : 160, 0);
	pmu_top_put_overs(&out, &layout);
	pmu_top_put_titles(&out, &layout);
	for (size_t i = 0; i < n; i++)
		pmu_top_put_line(&out, &layout, &line[i], !flat);
	check_text(&out);
	pmu_strbuf_free(&out);
	pmu_top_put_json(&out, &program, 1, &order, 0);
	pmu_strbuf_free(&out);
	free(line);
}

static void check_program(const struct pmu_top_look *before, const struct pmu_top_look *now)
{
	struct pmu_top_program *program = pmu_top_program_new(before, now);

	if (!program)
		return;
	for (unsigned int i = 0; i < program->n_rows; i++) {
		const struct pmu_top_row *row = &program->row[i];

		if (row->parent >= (int)i || (!before && row->last.is_known))
			abort();
		check_share(row->start.share);
		check_share(row->last.share);
	}
	show(program, false);
	show(program, true);
	pmu_top_program_free(program);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const size_t head = sizeof(struct pmu_store_head);
	size_t n_changes = size ? data[0] % (MOST_CHANGES + 1) : 0, skip = 1 + 3 * n_changes, whole;
	struct pmu_top_look *first, *second;
	char *store;

	if (size < skip + head)
		return 0;
	whole = PMU_STORE_HEAD_SIZE + size - skip - head;
	store = calloc(1, whole);
	if (!store)
		return 0;
	memcpy(store, data + skip, head);
	memcpy(store + PMU_STORE_HEAD_SIZE, data + skip + head, size - skip - head);
	first = look_at(store, whole, NULL);
	for (size_t i = 0; i < n_changes; i++) {
		const uint8_t *change = data + 1 + 3 * i;
		size_t where = PMU_STORE_HEAD_SIZE + ((size_t)change[0] << 8 | change[1]);

		if (where < whole)
			store[where] = (char)change[2];
	}
	second = first ? look_at(store, whole, first) : NULL;
	if (first)
		check_program(NULL, first);
	if (second)
		check_program(first, second);
	pmu_top_look_free(first);
	pmu_top_look_free(second);
	free(store);
	return 0;
}
