/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzz target: any text as a perf map, and as the kernel's list of symbols. */
#include <stdlib.h>
#include <string.h>

#include "bindings/command/code/lines.h"
#include "tests/fuzz/fuzz.h"

static void check_found(const struct pmu_code_symbols *symbols, uint64_t address)
{
	const struct pmu_code_symbol *symbol = pmu_code_symbols_find(symbols, address);

	if (symbol &&
	    (symbol->start > address || (symbol->size && address - symbol->start >= symbol->size)))
		abort();
}

static void check(const struct pmu_code_symbols *symbols, const char *text, size_t size)
{
	for (size_t i = 0; i < symbols->n; i++) {
		const struct pmu_code_symbol *symbol = &symbols->of[i];

		if (i && symbol[-1].start >= symbol->start)
			abort();
		if (symbol->name < text || symbol->name >= text + size || !symbol->name[0] ||
		    strchr(symbol->name, '\n'))
			abort();
		if (pmu_code_symbols_find(symbols, symbol->start) != symbol)
			abort();
		check_found(symbols, symbol->start + symbol->size - 1);
		check_found(symbols, symbol->start + symbol->size);
	}
	check_found(symbols, 0);
	check_found(symbols, UINT64_MAX);
}

static void read_by(void (*read)(char *text, struct pmu_code_symbols *symbols), const uint8_t *data,
		    size_t size)
{
	struct pmu_code_symbols symbols = { 0 };
	char *text = malloc(size + 1);

	if (!text)
		return;
	memcpy(text, data, size);
	text[size] = '\0';
	read(text, &symbols);
	check(&symbols, text, size);
	pmu_code_symbols_free(&symbols);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!size)
		return 0;
	read_by(pmu_code_read_perf_map, data, size);
	read_by(pmu_code_read_kallsyms, data, size);
	return 0;
}
