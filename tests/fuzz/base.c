/* SPDX-License-Identifier: BSD-3-Clause */
/* Any text as a number, as a mistyped word, as an error's and as a line of /proc/PID/stat. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/process.h"
#include "base/strbuf.h"
#include "base/sysfile.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const words[] = {
		"instructions", "cycles", "PMU_OUTPUT", "a", "", NULL
	};
	struct pmu_strbuf buf = { 0 };
	char *text = malloc(size + 1);
	struct pmu_process_stat stat;
	uint64_t value;

	if (!text)
		return 0;
	if (size)
		memcpy(text, data, size);
	text[size] = '\0';

	/* a number that was taken reads back as itself */
	if (!pmu_parse_u64(text, &value)) {
		uint64_t again = 0;

		pmu_strbuf_addf(&buf, "%#llx", (unsigned long long)value);
		if (pmu_parse_u64(pmu_strbuf_text(&buf), &again) || again != value)
			abort();
	}
	if (pmu_closest(text, words) == words[4])
		abort(); /* nothing is close to no word */
	/* what was taken has all of its fields after the name */
	if (!pmu_process_stat_parse(text, &stat) && !strchr(text, ')'))
		abort();
	pmu_fail(1, "%s", text);
	if (strlen(pmu_error_text()) >= PMU_ERROR_MAX)
		abort();
	pmu_strbuf_free(&buf);
	free(text);
	return 0;
}
