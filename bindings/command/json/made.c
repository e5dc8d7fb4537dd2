/* SPDX-License-Identifier: BSD-3-Clause */
/* Values of JSON as a text. */
#include "bindings/command/json/made.h"

#include <errno.h>
#include <stdlib.h>

json_t *pmu_json_known_text(const char *text)
{
	return text && *text ? json_string(text) : json_null();
}

int pmu_json_made(json_t *root, size_t flags, struct pmu_strbuf *out)
{
	char *text = root ? json_dumps(root, flags) : NULL;

	json_decref(root);
	pmu_strbuf_addf(out, "%s\n", text ? text : "");
	out->failed |= !text;
	free(text);
	return out->failed ? -ENOMEM : 0;
}
