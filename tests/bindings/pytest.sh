#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# pytest --pmu, with pytest-benchmark: counts in its JSON, a table, and the same outcomes.
set -u
export LC_ALL=C.UTF-8

top=${TEST_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
# shellcheck source=tests/tap.sh
. "$top/tests/tap.sh"
build=$(cd "${TEST_BUILDDIR:-.}" && pwd) || exit 1
[ -z "${TEST_SANITIZERS:-}" ] || skip_all "built with a sanitizer, which Python is not"
# Debian's packages are for Debian's Python, which another one may be in front of.
python=
for one in ${TEST_PYTHON:-python3} /usr/bin/python3; do
	$one -c 'import pytest, pytest_benchmark' 2>/dev/null && python=$one && break
done
[ -n "$python" ] || skip_all "no Python with pytest and pytest-benchmark"

tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
cat >"$tmp/test_it.py" <<'END'
import pytest

def work(n):
    return sum(range(n))

@pytest.mark.parametrize("n", [1000, 100000])
def test_sum(benchmark, n):
    benchmark.pedantic(work, args=(n,), rounds=5, iterations=2)

def test_plain():
    work(1000)

def test_bad():
    assert work(3) == 4
END
cd "$tmp" || exit 1
evidence="$tmp/log"
export PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$top/bindings/python" PMU_OUTPUT="$tmp/report.json"
export PMU_LIBRARY="$build/lib/.libs/libpmu.so.0"

tests() {
	rm -f report.json
	"$@" -m pytest -q -p no:cacheprovider -p pmu.pytest $options --benchmark-json=bench.json test_it.py >log 2>&1
}

options=
tests "$python"
is "without --pmu: the failing test's status" $? 1
! grep -q 'pmu:' log && [ ! -e report.json ] && grep -q '"extra_info": {}' bench.json
result $? "without --pmu: no table, no report, no extra_info"

options=--pmu
PMU_BACKEND=clock tests "$python"
is "--pmu: the same status" $? 1
grep -q '^1 failed, 3 passed' log
result $? "--pmu: the same outcomes"
grep -q '^test_sum\[1000\]  *10  *[0-9]' log && grep -q '^test_it.py::test_plain  *1  *[0-9]' log
result $? "a table with benchmarks and other tests, and their calls"
is "why there are no counts is said once" "$(grep -c '^missing counts: ' log)" 1

if valgrind --version >/dev/null 2>&1; then
	tests "$build/pmu" run --emulate -- "$python"
	is "--emulate: the same status" $? 1
	$python - >>log 2>&1 <<'END'
import json
one, other = (b["extra_info"]["pmu"] for b in json.load(open("bench.json"))["benchmarks"])
print(one, other)
assert 20 < other["instructions"] / one["instructions"] < 110  # 100 times the work
END
	result $? "extra_info has counts per call, and more for more work"
	grep -q '^name .*  instructions ' log && ! grep -q 'has not entered' log
	result $? "and the table has them"
	! grep -q 'cycles": 0' bench.json && ! grep -q '"cycles"' bench.json
	result $? "a count that is missing is not in extra_info"
else
	skip "counts" "no valgrind"
fi
finish
