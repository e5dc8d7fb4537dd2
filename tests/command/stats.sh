#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The command's statistics are those of R, on random data.
set -u
export LC_ALL=C
top=${TEST_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
. "$top/tests/tap.sh"

command -v Rscript >/dev/null || skip_all 'no Rscript here: Debian has it in r-base-core'
exec Rscript --vanilla "$top/tests/command/stats.R" "${TEST_BUILDDIR:-.}/tests/command/stats_print"
