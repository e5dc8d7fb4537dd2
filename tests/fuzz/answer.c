/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzz target: any bytes as what a collector says of a process; what is read can be written, and is the same again. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bindings/command/sample/answer.h"
#include "bindings/command/sample/collector.h"
#include "tests/fuzz/fuzz.h"

static void check_files(const struct pmu_sample_process *process)
{
	for (size_t i = 0; i < process->sums.hits.n; i++)
		if (!pmu_sample_maps_path(&process->sums.maps, process->sums.hits.of[i].at.file))
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pmu_sample_process process, again;
	struct pmu_strbuf first = { 0 }, second = { 0 };
	int rc = pmu_sample_answer_read((const char *)data, size, "", &process);

	if (rc) {
		if (rc != -EINVAL && rc != -ENOMEM)
			abort();
		return 0;
	}
	check_files(&process);
	pmu_sample_answer_write(&process, &first);
	if (first.failed || pmu_sample_answer_read(first.text, first.len, "", &again))
		abort();
	pmu_sample_answer_write(&again, &second);
	if (first.len != second.len || memcmp(first.text, second.text, first.len) != 0)
		abort();
	pmu_strbuf_free(&first);
	pmu_strbuf_free(&second);
	pmu_sample_process_free(&process);
	pmu_sample_process_free(&again);
	return 0;
}
