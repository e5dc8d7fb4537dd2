/* SPDX-License-Identifier: BSD-3-Clause */
/* Words in lines. */
#include <string.h>

#include "bindings/command/command.h"
#include "report/encode.h"

void pmu_command_wrap(struct pmu_strbuf *out, size_t indent, size_t width, const char *text)
{
	const char *line = strrchr(pmu_strbuf_text(out), '\n');
	size_t start = line ? (size_t)(line + 1 - pmu_strbuf_text(out)) : 0;
	size_t word;
	int first = 1;

	for (; *text; first = 0) {
		word = strcspn(text, " ");
		if (!first && out->len - start + 1 + word > width && !pmu_begins_command(text)) {
			pmu_strbuf_add(out, "\n");
			start = out->len;
			pmu_strbuf_pad(out, start + indent, ' ');
		} else if (!first) {
			pmu_strbuf_add(out, " ");
		}
		pmu_strbuf_add_n(out, text, word);
		text += word;
		text += strspn(text, " ");
	}
}

void pmu_command_item(struct pmu_strbuf *out, size_t column, size_t width, const char *label,
		      const char *text)
{
	size_t start = out->len;

	pmu_strbuf_addf(out, "  %s", label);
	if (out->len - start >= column)
		pmu_strbuf_add(out, " ");
	pmu_strbuf_pad(out, start + column, ' ');
	pmu_command_wrap(out, column, width, text);
	pmu_strbuf_add(out, "\n");
}
