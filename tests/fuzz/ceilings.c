/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzz target: any bytes as a file of ceilings; what is taken from them can be computed and drawn with. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "bindings/command/roofline/ceilings.h"
#include "bindings/command/roofline/roofline.h"
#include "tests/fuzz/fuzz.h"

static void check(const struct pmu_ceilings *ceilings)
{
	if (!ceilings->threads || ceilings->n_flops > PMU_CEILINGS_MAX_FLOPS ||
	    ceilings->n_levels > PMU_CEILINGS_MAX_LEVELS || !ceilings->host[0] ||
	    strlen(ceilings->machine) >= sizeof(ceilings->machine))
		abort();
	for (unsigned int threads = 0; threads < 5; threads++) {
		for (unsigned int i = 0; i < ceilings->n_flops; i++) {
			double rate = pmu_ceilings_of(ceilings, &ceilings->flops[i].rate, threads);

			if (!isfinite(rate) || rate <= 0)
				abort();
		}
		for (unsigned int i = 0; i < ceilings->n_levels; i++) {
			double rate = pmu_ceilings_of(ceilings, &ceilings->level[i].rate, threads);

			if (!isfinite(rate) || rate <= 0)
				abort();
		}
	}
}

/* Of a report without regions: the ceilings alone. */
static void draw(const struct pmu_ceilings *ceilings)
{
	struct pmu_text_options options = { .columns = 100 };
	struct pmu_model *model = pmu_model_new();
	struct pmu_strbuf svg = { 0 }, text = { 0 };
	struct pmu_roofline roofline;

	if (model && !pmu_roofline_make(model, ceilings, &roofline)) {
		if (!pmu_roofline_write_svg(&svg, &roofline, &options) &&
		    !strstr(pmu_strbuf_text(&svg), "</svg>"))
			abort();
		/* quotation marks in names are escaped */
		if (strstr(pmu_strbuf_text(&svg), "=\"nan") ||
		    strstr(pmu_strbuf_text(&svg), "=\"-nan") ||
		    strstr(pmu_strbuf_text(&svg), "=\"inf") ||
		    strstr(pmu_strbuf_text(&svg), "=\"-inf"))
			abort();
		pmu_roofline_write_text(&text, &roofline, "", &options);
		pmu_roofline_free(&roofline);
	}
	pmu_strbuf_free(&svg);
	pmu_strbuf_free(&text);
	pmu_model_free(model);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pmu_ceilings ceilings;
	char *copy = malloc(size + 1);
	int rc;

	if (!copy)
		return 0;
	if (size)
		memcpy(copy, data, size);
	pmu_error_clear();
	rc = pmu_ceilings_parse(copy, size, &ceilings);
	if (rc && ((rc != -EINVAL && rc != -ENOTSUP && rc != -ENOMEM) || !pmu_error_text()[0]))
		abort();
	if (!rc) {
		check(&ceilings);
		draw(&ceilings);
	}
	free(copy);
	return 0;
}
