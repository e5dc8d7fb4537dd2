#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# pmu run --functions with Python programs: each function by its name, in its place, as often as it
# was called, by either way that interpreters have, and nothing of the program changes.
# shellcheck source=tests/command/pmu.sh disable=SC2154
. "${TEST_SRCDIR:-$(dirname "$0")/../..}/tests/command/pmu.sh"

[ -z "${TEST_SANITIZERS:-}" ] || skip_all 'a library with sanitizers cannot be loaded into a program without'
python=${TEST_PYTHON:-python3}
$python -c 'import sys; sys.exit(sys.version_info < (3, 8))' 2>/dev/null || skip_all 'no Python 3.8 or later'
# itself, and no script that looks for it
python=$($python -c 'import sys; print(sys.executable)')
parts=$source/tests/bindings/functions
unset PMU_STORE PMU_AUTO PMU_WRAP PMU_FUNCTIONS PMU_MIN_TIME PYTHONPATH
export XDG_RUNTIME_DIR="$tmp" PMU_BACKEND=clock PYTHONDONTWRITEBYTECODE=1 LC_ALL=C.UTF-8
evidence='out err seen'
cp "$parts/prog.py" "$parts/expected" .

# measure PATTERNS COMMAND...: rows in run.csv, "CALLS PATH" of the functions' in seen
measure() {
	patterns=$1
	shift
	rm -f ./*.csv
	PMU_OUTPUT=run.csv "$build/pmu" run --functions "$patterns" "$@" >out 2>err
	status=$?
	calls run.csv >seen
	return $status
}

# calls FILE: without main, which is around everything
calls() {
	[ -s "$1" ] && "$python" - "$1" <<-'PYTHON' | LC_ALL=C sort -k 2
	import csv, re, sys
	for row in csv.DictReader(line for line in open(sys.argv[1]) if line[0] != "#"):
	    # the first name is the program's where one process was several
	    path = re.match("(?:[^/]*/)?main/(.*)", row["path"])
	    if row["thread"] == "all" and path:
	        print(row["calls"], path[1])
	PYTHON
}

# has_rows NAME ROW...: these are all
has_rows() {
	name=$1
	shift
	printf '%s\n' "$@" | cmp -s - seen
	result $? "$name"
}

# without the calls of deep, which are its depth: each is in the one before
check_program() {
	how=$1
	shift
	measure '__main__.*,!*.deep,!*.both' "$@" prog.py
	is "$how: the program's status" $? 3
	cmp -s expected seen || diff expected seen >>err
	cmp -s expected seen
	result $? "$how: each function in its place, as often as it was called"
	"$@" prog.py >plain 2>plain_err
	cmp -s plain out
	result $? "$how: the program's output is its own"
	measure '__main__.deep' "$@" prog.py
	is "$how: 201 levels of a recursion" "$(grep deep seen)" '201 __main__.deep'
}

for one in "$python" ${TEST_PYTHONS:-}; do
	version=$("$one" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
	case $version in
	3.8 | 3.9 | 3.10)
		# names without their class's
		sed 's/__main__\.[^/]*\.\([^./]*\)$/__main__.\1/; s|__main__\.Solver\.step/|__main__.step/|; s|__main__\.total\.<locals>\.<genexpr>/|__main__.<genexpr>/|' \
			"$parts/expected" | LC_ALL=C sort -k 2 >expected ;;
	*) cp "$parts/expected" . ;;
	esac
	check_program "$version" "$one"
done
cp "$parts/expected" .

if $python -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))'; then
	cp "$parts/monitoring.py" "$parts/sitecustomize.py" .
	export PYTHONPATH="$tmp"
	check_program 'sys.monitoring (a stand-in)' "$python"
	cat >asked.py <<-'PYTHON'
	import monitoring
	def chosen(): pass
	def other(): pass
	for _ in range(3): chosen(), other()
	print([sum(name == its for _, name in monitoring.asked) for its in ("chosen", "other")], monitoring._tools)
	PYTHON
	measure '__main__.chosen' "$python" asked.py
	is 'a function that is not chosen is asked about once at its beginning, once at its end' "$(cat out)" "[6, 2] {4: 'pmu'}"
	rm -f sitecustomize.py
	unset PYTHONPATH
else
	skip 'sys.monitoring (a stand-in)' 'it is made of 3.11'
fi

# --- how a program is started ---

echo "#!$(command -v "$python")" >small.py
cat >>small.py <<'PYTHON'
import os, sys
def f(): return 1
def g(): return f()
g()
if len(sys.argv) > 1:
    os.execv(sys.executable, [sys.executable, "-c", "def h(): pass\nh()"])
PYTHON
mkdir -p pkg && : >pkg/__init__.py && cp small.py pkg/mod.py && chmod +x small.py
one='1 __main__.g' two='1 __main__.g/__main__.f'
measure '__main__.*' "$python" small.py && has_rows 'python3 FILE' "$one" "$two"
measure '__main__.*' ./small.py && has_rows './FILE' "$one" "$two"
chmod -x small.py
mkdir -p bin && ln -sf "$(command -v "$python")" bin/python3
for name in small.py ./small.py; do
	PATH="$tmp/bin:$PATH" measure '__main__.*' $name && has_rows "$name, which is not to be executed" "$one" "$two"
done
run 127 'a .py that is not there is no command' run nothing.py
measure '__main__.*' "$python" -m pkg.mod && has_rows 'python3 -m MODULE' "$one" "$two"
measure 'pkg.*' "$python" -c 'import pkg.mod' && has_rows 'python3 -c, an imported module' '1 pkg.mod.g' '1 pkg.mod.g/pkg.mod.f'
measure '__main__.*' "$python" - <small.py && has_rows 'python3 -, from standard input' "$one" "$two"
measure '__main__.*' "$python" -I -S small.py && has_rows 'an isolated interpreter' "$one" "$two"
measure '__main__.*,!*.f' "$python" small.py && has_rows 'without what ! leaves out' "$one"
rm -f ./*.csv
PMU_OUTPUT=run-%p.csv "$build/pmu" run --functions '__main__.*' sh -c "$python small.py; $python small.py again" >out 2>err
for file in run-*.csv; do calls "$file"; done | sort | uniq -c | awk '{ print $1, $3 }' >seen
has_rows 'interpreters that others start, and that replace themselves' "2 __main__.g" "2 __main__.g/__main__.f" "1 __main__.h"

# --- what else there is ---

cat >forks.py <<'PYTHON'
import multiprocessing, sys
def square(n): return n * n
def main():
    context = multiprocessing.get_context(sys.argv[1])
    with context.Pool(1) as pool:
        print(pool.map(square, range(4)))
        pool.close(); pool.join()
if __name__ == "__main__": main()
PYTHON
for way in fork spawn; do
	rm -f ./*.csv
	PMU_OUTPUT=run-%p.csv "$build/pmu" run --functions '*main__.square' "$python" forks.py $way >out 2>err
	for file in run-*.csv; do calls "$file"; done | awk '/square/ { n += $1 } END { print n + 0 }' >seen
	is "multiprocessing by $way" "$(cat seen) $(cat out)" '4 [0, 1, 4, 9]'
done

cat >profiles.py <<'PYTHON'
import cProfile
def f(): return 1
def g():
    its = cProfile.Profile()
    its.enable(); f(); its.disable()
    return sum(one.callcount for one in its.getstats() if getattr(one.code, "co_name", "") == "f")
f()
print(g())
f()
PYTHON
measure '__main__.*' "$python" profiles.py
is 'the program profiles itself, as ever' "$?$(cat out)" 01
PMU_OUTPUT=run.json "$build/pmu" run --functions '__main__.*' "$python" profiles.py >out 2>err
case $($python -c 'import sys; print(hasattr(sys, "monitoring"))') in
True) measure '__main__.*,!*>' "$python" profiles.py && has_rows 'and its functions are regions all the while' '2 __main__.f' '1 __main__.g' '1 __main__.g/__main__.f' ;;
*) grep -q 'set a profile function of its own' run.json
	result $? 'and the report says that what comes after is not measured' ;;
esac

cat >nests.py <<'PYTHON'
import pmu
def f():
    with pmu.region("inside"): g()
def g(): pass
with pmu.region("around"): f()
PYTHON
PYTHONPATH="$source/bindings/python" measure '__main__.*' "$python" nests.py &&
	has_rows 'regions of the program are in functions, and around them' '1 around' '1 around/__main__.f' '1 around/__main__.f/inside' '1 around/__main__.f/inside/__main__.g'

cat >short.py <<'PYTHON'
import time
def short(): pass
def long(): time.sleep(0.02)
for _ in range(2000): short()
long()
PYTHON
rm -f ./*.json
PMU_OUTPUT=run.json "$build/pmu" run --functions '__main__.*' --min-time 1ms "$python" short.py >out 2>err
grep -q 'PMU_MIN_TIME=1ms left out __main__.short' run.json && grep -q '"path": "main/__main__.long"' run.json &&
	! grep -q '"path": "main/__main__.short"' run.json
result $? 'short functions are left out, and named'
PMU_OUTPUT=run.json "$build/pmu" run --functions 'numpie.*' "$python" short.py >out 2>err
grep -q 'PMU_FUNCTIONS=numpie.\* matches none of the [0-9]* Python functions' run.json
result $? 'patterns that match nothing are said'
for patterns in '!numpy.*' '!a,!b'; do
	PMU_OUTPUT=none "$build/pmu" run --functions "$patterns" "$python" -c 'print("pmu-python" in open("/proc/self/maps").read())' >out 2>err
	is "--functions '$patterns' loads nothing into an interpreter" "$(cat out)" False
done
PMU_OUTPUT=none "$build/pmu" run --functions 'x.*' cat /proc/self/maps >out 2>err
! grep -q pmu-python out && grep -q pmu-preload out
result $? 'nor does any into another program'
finish
