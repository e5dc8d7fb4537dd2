#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Some of the system calls that may fail, spread over all.
exec "${TEST_BUILDDIR:-.}/tests/faults/sweep" 300
