#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The Python package with the library in the build folder: python.py's TAP is ours.
set -u
export LC_ALL=C.UTF-8

top=${TEST_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
# shellcheck source=tests/tap.sh
. "$top/tests/tap.sh"
build=$(cd "${TEST_BUILDDIR:-.}" && pwd) || exit 1
python=${TEST_PYTHON:-python3}
[ "$($python -c 'import sys, ctypes; print(sys.version_info >= (3, 8))' 2>/dev/null)" = True ] ||
	skip_all "no Python 3.8 or later with ctypes"
[ -z "${TEST_SANITIZERS:-}" ] || skip_all "built with a sanitizer, which $python is not"

export PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$top/bindings/python"
export TEST_SRCDIR="$top" PMU_LIBRARY="$build/lib/.libs/libpmu.so.0" TEST_PMU="$build/pmu"
exec $python "$top/tests/bindings/python.py"
