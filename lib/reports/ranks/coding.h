/* SPDX-License-Identifier: BSD-3-Clause */
/* What writes and what reads the bytes of a record of ranks share. */
#ifndef PMU_REPORTS_RANKS_CODING_H
#define PMU_REPORTS_RANKS_CODING_H

#include <stdlib.h>

#include "reports/ranks/ranking.h"

/** Ranks of one job are measured by one version of the library. */
#define PMU_RANKS_VERSION 2u

/** A longer text is not from us. */
#define PMU_RANKS_MAX_TEXT 65536u

#endif
