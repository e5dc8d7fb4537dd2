# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# For tests of programs under pmu run: a place of their own for stores, nothing that is set, and no sanitizer.
# shellcheck disable=SC2154 # source, tmp: of who reads this
# shellcheck source=tests/valgrind/common.sh
. "$source/tests/valgrind/common.sh"
[ -z "${TEST_SANITIZERS:-}" ] || skip_all 'a sanitizer cannot be preloaded'
mkdir -m 700 place
export XDG_RUNTIME_DIR="$tmp/place"
unset PMU_OUTPUT PMU_SAMPLE PMU_TRACE PMU_GROUP PMU_EVENTS PMU_BACKEND PMU_PIN
