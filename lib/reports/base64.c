/* SPDX-License-Identifier: BSD-3-Clause */
/* Bytes in a text. */
#include "reports/base64.h"

void pmu_encode_base64(struct pmu_strbuf *out, const struct pmu_strbuf *bytes)
{
	static const char digit[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const unsigned char *in = (const unsigned char *)bytes->text;

	pmu_strbuf_add(out, "\"");
	for (size_t i = 0; i < bytes->len; i += 3) {
		size_t n = bytes->len - i < 3 ? bytes->len - i : 3;
		uint32_t word = (uint32_t)in[i] << 16 | (n > 1 ? (uint32_t)in[i + 1] << 8 : 0) |
				(n > 2 ? in[i + 2] : 0);
		char four[4] = { digit[word >> 18], digit[word >> 12 & 63],
				 n > 1 ? digit[word >> 6 & 63] : '=',
				 n > 2 ? digit[word & 63] : '=' };

		pmu_strbuf_add_n(out, four, sizeof(four));
	}
	pmu_strbuf_add(out, "\"");
	out->failed |= bytes->failed;
}
