/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions by their addresses. */
#include "bindings/command/code/symbols.h"

#include <errno.h>
#include <stdlib.h>

/* Of a browser with its debugging information there are a million. */
#define MOST_SYMBOLS ((size_t)1 << 24)

int pmu_code_symbols_add(struct pmu_code_symbols *symbols, const struct pmu_code_symbol *symbol)
{
	if (symbols->n == symbols->room) {
		size_t room = symbols->room ? 2 * symbols->room : 256;
		struct pmu_code_symbol *grown = room > MOST_SYMBOLS
							? NULL
							: reallocarray(symbols->of, room,
								       sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		symbols->of = grown;
		symbols->room = room;
	}
	symbols->of[symbols->n++] = *symbol;
	return 0;
}

/* Labels with a size, in a function of assembler, that end before the address. */
#define MOST_INSIDE 16

static int by_start(const void *a, const void *b)
{
	const struct pmu_code_symbol *x = a, *y = b;
	int order = (x->start > y->start) - (x->start < y->start);

	return order ? order : (x->rank < y->rank) - (x->rank > y->rank);
}

static uint64_t end_of(const struct pmu_code_symbol *symbol)
{
	uint64_t end = symbol->start + symbol->size;

	return !symbol->size ? 0 : end < symbol->start ? UINT64_MAX : end;
}

void pmu_code_symbols_sort(struct pmu_code_symbols *symbols)
{
	uint64_t end = 0; /* of those with a size so far */
	size_t n = 0;

	if (symbols->n)
		qsort(symbols->of, symbols->n, sizeof(*symbols->of), by_start);
	for (size_t i = 0; i < symbols->n; i++) {
		struct pmu_code_symbol symbol = symbols->of[i];

		if (n && symbols->of[n - 1].start == symbol.start)
			continue;
		/* a part of a function: of assembler, for unwinders, which know no names */
		if (!symbol.size && symbol.start < end)
			continue;
		if (end_of(&symbol) > end)
			end = end_of(&symbol);
		symbols->of[n++] = symbol;
	}
	symbols->n = n;
}

struct pmu_code_symbol *pmu_code_symbols_find(const struct pmu_code_symbols *symbols,
					      uint64_t address)
{
	size_t low = 0, high = symbols->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (symbols->of[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	for (size_t i = 0; i < MOST_INSIDE && i < low; i++) {
		struct pmu_code_symbol *symbol = &symbols->of[low - 1 - i];

		/* up to the next one, which is behind it for the first alone */
		if (symbol->size ? address - symbol->start < symbol->size : !i)
			return symbol;
	}
	return NULL;
}

void pmu_code_symbols_free(struct pmu_code_symbols *symbols)
{
	free(symbols->of);
	*symbols = (struct pmu_code_symbols){ 0 };
}
