#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The magics in a kernel of Jupyter: jupyter.py's TAP is ours.
set -u
export LC_ALL=C.UTF-8

top=${TEST_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
# shellcheck source=tests/tap.sh
. "$top/tests/tap.sh"
build=$(cd "${TEST_BUILDDIR:-.}" && pwd) || exit 1
[ -z "${TEST_SANITIZERS:-}" ] || skip_all 'built with a sanitizer, which no Python is'
for python in "${TEST_PYTHON:-python3}" /usr/bin/python3 ''; do
	[ -z "$python" ] || ! $python -c 'import ipykernel, nbclient, nbformat' 2>/dev/null || break
done
[ -n "$python" ] || skip_all 'no Python with ipykernel, nbclient and nbformat'
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

unset PMU_OUTPUT PMU_GROUP PMU_EVENTS
export PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$top/bindings/python" HOME="$tmp" PMU_BACKEND=clock
export IPYTHONDIR="$tmp" JUPYTER_RUNTIME_DIR="$tmp/run" XDG_RUNTIME_DIR="$tmp" TEST_STDERR="$tmp/kernel.err"
export PMU_LIBRARY="$build/lib/.libs/libpmu.so.0"
cd "$tmp" || exit 1
timeout 120 "$python" "$top/tests/bindings/jupyter.py" 2>"$tmp/err" || { rc=$?; sed 's/^/# /' "$tmp/err" | tail -n 20; exit "$rc"; }
