#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# So many of them that each call of each program fails in some way.  All of all: `tests/faults/sweep`.
exec "${TEST_BUILDDIR:-.}/tests/faults/sweep" 5500
