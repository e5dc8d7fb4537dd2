#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The same with ten million edits of each store.
exec "${TEST_BUILDDIR:-.}/tests/api/scribble" 10000000
