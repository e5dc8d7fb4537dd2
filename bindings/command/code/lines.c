/* SPDX-License-Identifier: BSD-3-Clause */
/* Symbols that are lines of a text, which may be any. */
#include "bindings/command/code/lines.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool take_hex(char **text, uint64_t *number)
{
	char *end;

	if (strspn(*text, "0123456789abcdefABCDEF") == 0)
		return false;
	*number = strtoull(*text, &end, 16);
	*text = end + strspn(end, " \t");
	return end != *text;
}

void pmu_code_read_perf_map(char *text, struct pmu_code_symbols *symbols)
{
	char *line;

	/* code is compiled again where other code was: the later line is right */
	for (size_t rank = 0; (line = strsep(&text, "\n")); rank++) {
		struct pmu_code_symbol symbol = { .rank = rank };

		if (!take_hex(&line, &symbol.start) || !take_hex(&line, &symbol.size) ||
		    !symbol.size || !*line)
			continue;
		symbol.name = line;
		if (pmu_code_symbols_add(symbols, &symbol))
			break;
	}
	pmu_code_symbols_sort(symbols);
}

void pmu_code_read_kallsyms(char *text, struct pmu_code_symbols *symbols)
{
	char *line;

	while ((line = strsep(&text, "\n"))) {
		struct pmu_code_symbol symbol = { .size = 0 };
		size_t len;

		if (!take_hex(&line, &symbol.start) || !symbol.start || strspn(line, "tTwW") != 1 ||
		    line[1] != ' ')
			continue;
		len = strcspn(line + 2, "\t ");
		if (!len)
			continue;
		symbol.name = line + 2;
		line[2 + len] = '\0';
		if (pmu_code_symbols_add(symbols, &symbol))
			break;
	}
	pmu_code_symbols_sort(symbols);
}
