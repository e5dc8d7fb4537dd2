/* SPDX-License-Identifier: BSD-3-Clause */
/* What a JSON report that ranks have made together has of them, for reports of it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bindings/command/json/reader.h"
#include "reports/ranks/ranks.h"

static int digit_of(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* RFC 4648, 4.  Return: how many bytes; at most three for four of @text; 0 for what is none. */
static size_t decode(const char *text, size_t len, unsigned char *bytes)
{
	size_t n = 0;
	uint32_t word = 0;
	unsigned int bits = 0;

	while (len && text[len - 1] == '=')
		len--;
	for (size_t i = 0; i < len; i++) {
		int digit = digit_of(text[i]);

		if (digit < 0)
			return 0;
		word = word << 6 | (uint32_t)digit;
		bits += 6;
		if (bits >= 8) {
			bits -= 8;
			bytes[n++] = (unsigned char)(word >> bits);
		}
	}
	return n;
}

void pmu_json_read_ranks(struct pmu_json_reader *reader, const struct pmu_value *root)
{
	const struct pmu_value *over = pmu_value_member(root, "over_ranks");
	const char *text = pmu_value_text(pmu_value_member(over, "record"));
	size_t len = text ? strlen(text) : 0;
	struct pmu_ranks *ranks = NULL;
	unsigned char *bytes;
	int rc;

	if (reader->rc || !text || reader->model->n_parts)
		return;
	bytes = malloc(len + 1);
	if (!bytes) {
		pmu_json_no_memory(reader);
		return;
	}
	rc = pmu_ranks_decode(bytes, decode(text, len, bytes), &ranks);
	free(bytes);
	if (!rc)
		rc = pmu_ranks_match(ranks, reader->model);
	if (!rc) {
		pmu_ranks_keep(ranks, reader->model);
		return;
	}
	pmu_ranks_free(ranks);
	if (rc == -ENOMEM)
		pmu_json_no_memory(reader);
	else
		pmu_json_complain(reader, "\"record\" of \"over_ranks\" is not of this report");
}
