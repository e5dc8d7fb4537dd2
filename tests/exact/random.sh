#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Random programs: each region must count what an oracle says that executes them one instruction after the other.
#
#   random.sh                                    twenty of them, and those that were wrong once (tests/exact/cases)
#   random.sh --seeds FROM-TO [--shrink]         others; of what is wrong the smallest that is
#   random.sh --seeds FROM- --for MINUTES --programs 100    as many as there is time for
# shellcheck source=tests/command/pmu.sh
. "$(dirname "$0")/../command/pmu.sh"
subcommand=run
mkdir -m 700 place
export XDG_RUNTIME_DIR="$tmp/place"
unset VALGRIND_OPTS PMU_OUTPUT
oracle=$build/tests/exact/oracle
python=${TEST_PYTHON:-python3}

[ -z "${TEST_SANITIZERS:-}" ] || skip_all 'built with a sanitizer'
case $(uname -m) in x86_64) ;; *) skip_all 'the oracle knows x86-64 alone' ;; esac
command -v "$python" >/dev/null || skip_all 'no Python here'
command -v "${TEST_VALGRIND:-valgrind}" >/dev/null || skip_all 'no valgrind here'
"$pmu" run --emulate=fast true >/dev/null 2>log || skip_all "nothing can be counted: $(sed 's/^pmu: //' log | head -n 1)"
"$oracle" true >/dev/null 2>log
[ $? -ne 77 ] || skip_all "$(head -n 1 log)"

TEST_SRCDIR=$source TEST_BUILDDIR=$build PYTHONDONTWRITEBYTECODE=1 "$python" "$source/tests/exact/random/run.py" \
	--oracle "$oracle" --cases "$source/tests/exact/cases" "$@"
