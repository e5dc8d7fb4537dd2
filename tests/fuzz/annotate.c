/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzz target: any bytes as the file of a program that is shown with its instructions and lines, wherever these are. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bindings/command/annotate/annotate.h"
#include "bindings/command/code/code.h"
#include "report/encode.h"
#include "report/model/objects.h"
#include "tests/fuzz/fuzz.h"

#define COLUMNS 100u

/* In the corpus' functions. */
static const uint64_t offsets[] = { 0x1a5, 0x1b0, 0x1d5 };

/* Nothing for a terminal; only a word that is too long makes its line so. */
static void check_text(const struct pmu_strbuf *out)
{
	const char *at = pmu_strbuf_text(out);

	if (out->failed || !*at)
		abort();
	for (size_t column = 0, word = 0; *at; at += pmu_utf8_next(at)) {
		column = *at == '\n' ? 0 : column + 1;
		word = *at == '\n' || *at == ' ' ? 0 : word + 1;
		if (column > COLUMNS && word < 8)
			abort();
		if ((*at != '\n' && (unsigned char)*at < ' ') || !pmu_utf8_next(at))
			abort();
	}
}

static void show(const struct pmu_code_place *place)
{
	struct pmu_model *model = pmu_model_new();
	const struct pmu_model_address address[] = { { place->address, 70 },
						     { place->address + 3, 30 } };
	struct pmu_model_code code = {
		.start = place->start, .size = place->size, .n_addresses = 2, .address = address
	};
	struct pmu_model_function function = { .name = place->function,
					       .object = place->object,
					       .n_samples = 100,
					       .n_codes = 1,
					       .code = &code };
	const struct pmu_model_samples samples = {
		.n = 100, .unit = { .period = 1000 }, .n_functions = 1, .function = &function
	};
	struct pmu_model_row row = { .name = "main", .path = "main", .samples = &samples };
	struct pmu_model_section section = { .row = &row, .n_rows = 1, .group = "TIME" };
	const struct pmu_annotate_request request = { .is_asked = true };

	if (!model)
		abort();
	model->section = &section;
	model->n_sections = 1;
	code.object = pmu_model_object(model, place->path, place->build_id);
	for (int all = 0; all < 2; all++) {
		const struct pmu_text_options options = { .columns = COLUMNS, .all = all };
		struct pmu_strbuf out = { 0 };

		if (pmu_annotate_text(&out, model, &request, &options))
			abort();
		check_text(&out);
		pmu_strbuf_free(&out);
	}
	pmu_model_free(model);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	struct pmu_code *code;
	char path[64];

	if (fd < 0)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	code = pmu_code_new();
	if (!code || write(fd, data, size) != (ssize_t)size)
		abort();
	for (size_t i = 0; i < sizeof(offsets) / sizeof(*offsets); i++) {
		const struct pmu_code_at at = { .path = path, .offset = offsets[i] };
		struct pmu_code_place place = pmu_code_find(code, &at);

		if (place.path[0])
			show(&place);
	}
	pmu_code_free(code);
	close(fd);
	return 0;
}
