/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzz target: any bytes as a journal of registers. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "counters/msr/journal.h"
#include "counters/msr/registers.h"
#include "tests/fuzz/fuzz.h"

static const struct pmu_machine machine = {
	.id = { .vendor = "GenuineIntel", .family = 6, .model = 44, .stepping = 2 },
	.n_kinds = 1,
	.kind = { { .family = PMU_PERFMON_INTEL,
		    .version = 3,
		    .general = 0xf,
		    .general_bits = 48,
		    .fixed = 7,
		    .fixed_bits = 48 } },
};

/* What was taken for a journal is one: printed and read again it is the same. */
static void check(const struct pmu_msr_record *record)
{
	struct pmu_strbuf text = { 0 };
	struct pmu_msr_record again;

	for (size_t i = 0; i < record->n_ops; i++)
		if (record->op[i].cpu < 0 || !record->op[i].write ||
		    !pmu_msr_is_counting(&machine, record->op[i].address))
			abort();
	pmu_msr_journal_print(record, &text);
	if (pmu_msr_journal_parse(text.text, text.len, &machine, &again) ||
	    again.n_ops != record->n_ops || strcmp(again.device, record->device) != 0)
		abort();
	free(again.op);
	pmu_strbuf_free(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pmu_msr_record record;
	char *text = malloc(size + 1);

	if (!text)
		return 0;
	if (size)
		memcpy(text, data, size);
	pmu_error_clear();
	if (pmu_msr_journal_parse(text, size, &machine, &record)) {
		if (!pmu_error_text()[0] || record.op)
			abort();
	} else {
		check(&record);
	}
	free(record.op);
	free(text);
	return 0;
}
