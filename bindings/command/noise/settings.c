/* SPDX-License-Identifier: BSD-3-Clause */
/* What of the machine's noise stays as it is while commands run, in few words. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "bindings/command/noise/noise.h"

static PMU_PRINTF(2, 3) void add_noise_setting(struct pmu_strbuf *out, const char *fmt, ...)
{
	va_list args;
	char text[256];

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	if (out->len)
		pmu_strbuf_add(out, ", ");
	pmu_strbuf_add(out, text);
}

static const char *on(int value)
{
	return value ? "on" : "off";
}

void pmu_noise_settings(const struct pmu_noise_sample *sample, struct pmu_strbuf *out)
{
	struct pmu_strbuf line = { 0 };

	if (sample->is_virtual)
		add_noise_setting(&line, "virtual machine");
	if (sample->governor[0])
		add_noise_setting(&line, "governor %s", sample->governor);
	if (sample->turbo >= 0)
		add_noise_setting(&line, "turbo %s", on(sample->turbo));
	if (sample->smt >= 0)
		add_noise_setting(&line, "SMT %s", on(sample->smt));
	if (sample->aslr >= 0)
		add_noise_setting(&line, "ASLR %s", on(sample->aslr));
	if (!isnan(sample->quota) && sample->quota < (double)sample->n_cpus)
		add_noise_setting(&line, "limited to the time of %.3g processors", sample->quota);
	if (sample->isolated[0])
		add_noise_setting(&line, "isolated processors %s", sample->isolated);
	pmu_strbuf_add(out, pmu_strbuf_text(&line));
	out->failed |= line.failed;
	pmu_strbuf_free(&line);
}
