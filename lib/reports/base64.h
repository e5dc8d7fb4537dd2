/* SPDX-License-Identifier: BSD-3-Clause */
/* Bytes in a text. */
#ifndef PMU_REPORTS_BASE64_H
#define PMU_REPORTS_BASE64_H

#include "base/strbuf.h"

/** pmu_encode_base64() - append a string of @bytes, with its quotes (RFC 4648, 4) */
void pmu_encode_base64(struct pmu_strbuf *out, const struct pmu_strbuf *bytes);

#endif
