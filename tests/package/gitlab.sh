#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What GitLab's job .pmu-check does on the default branch and in merge requests, where this shell plays the runner and
# a folder the cache.
# shellcheck source=tests/command/pmu.sh
. "$(dirname "$0")/../command/pmu.sh"
[ -z "${TEST_SANITIZERS:-}" ] || skip_all 'a library with sanitizers cannot be loaded into a program without'
template=$source/.gitlab/check.yml
readme=$source/.github/actions/check/README.md
[ -e "$template" ] || skip_all 'it is not released'
mkdir -m 700 place bin checkout
export XDG_RUNTIME_DIR="$tmp/place"
evidence='out err'
cat >program.c <<'C'
#include <stdlib.h>
#include "pmu.h"

int main(int argc, char **argv)
{
	for (int i = 0; argc > 1 && i < atoi(argv[1]); i++) {
		pmu_region_begin("step");
		pmu_region_end("step");
	}
	return 0;
}
C
${TEST_CC:-cc} ${TEST_CFLAGS:-} -I"$source/include" -o checkout/program program.c -L"$build/lib/.libs" -lpmu \
	-Wl,-rpath,"$build/lib/.libs" >compiler 2>&1 || skip_all "cannot build a program: $(head -n 1 compiler)"
ln -s "$pmu" bin/pmu

# The script is what stands below "- |"; the runner gives it to the image's shell, which ends at the first failure.
awk '/^    - \|$/ { on = 1; next } on && !/^      / && NF { exit } on { print substr($0, 7) }' "$template" >script
ok 'the script is one' sh -n script
ok '  and not empty' grep -q 'pmu check' script
for shell in sh bash dash; do
	! command -v "$shell" >/dev/null || ok "  for $shell" "$shell" -n script
done

# job BRANCH NAME=VALUE...: "" in a merge request; pmu-baseline/ comes from the cache, and goes there
job() {
	branch=$1
	shift
	(cd checkout && env PATH="$tmp/bin:$PATH" CI_DEFAULT_BRANCH=main ${branch:+CI_COMMIT_BRANCH="$branch"} "$@" sh -e ../script) >out 2>err
	status=$?
}
job '' CHECK_COMMAND='./program 5'
is 'no baseline yet: no failure' "$status" 0
has out 'main has left no baseline yet' 'which is said'
ok 'the table is there, and empty' test -e checkout/pmu-check.md
job feature CHECK_COMMAND='./program 5'
is 'nor on another branch' "$status $(ls checkout/pmu-baseline)" '0 limits'
job main CHECK_COMMAND='--repeat 3 ./program 5'
is 'on the default branch it is made' "$status $(ls checkout/pmu-baseline)" '0 baseline.json
limits'
limits='*:time=none
step:calls=0%'
cp checkout/pmu-baseline/baseline.json kept.json
job '' CHECK_COMMAND='--repeat 3 ./program 5' CHECK_LIMITS="$limits"
is 'in a merge request it is compared with' "$status" 0
ok 'and stays as it is' cmp kept.json checkout/pmu-baseline/baseline.json
job '' CHECK_COMMAND='--repeat 3 ./program 6' CHECK_LIMITS="$limits"
is 'one call more is a failure' "$status" 1
ok 'in the table' grep -q '^| main/step | calls | 5 | 6 | +20.00% | 0% |' checkout/pmu-check.md
cp kept.json checkout/mine.json
job main CHECK_COMMAND='./program 5' CHECK_LIMITS="$limits" CHECK_BASELINE=mine.json
is 'with a baseline of the repository the default branch compares, too' "$status" 0
job main CHECK_COMMAND='./program 5' CHECK_BASELINE=nowhere
is 'which must be there' "$status" 2
has out 'the baseline is not there: nowhere' 'or it is said'
job '' CHECK_COMMAND=
is 'which program?' "$status" 2
job '' CHECK_COMMAND="false 'a b"
is 'quotes that do not end are no program' "$([ "$status" -ge 1 ] && echo failed)" failed
job '' CHECK_COMMAND=false
is 'a program that fails is no comparison' "$status" 2

# What stands in README.md is what the file has.
sed -n '/^## GitLab/,/^## Any/p' "$readme" | sed -n '/^```yaml$/,/^```$/p' | sed '/^```/d' >shown
is 'five lines use it' "$(grep -c . shown)" 5
ok 'of the file as it is called' grep -qF "file: ${template#"$source"/}" shown
ok 'of the job that it has' sh -c "grep -q 'extends: .pmu-check ' shown && grep -qx '.pmu-check:' '$template'"
is "GitHub's action takes no more" "$(sed -n '/^```yaml$/,/^```$/p' "$readme" | sed '/^```$/q' | grep -vc '^```')" 5
sed -n '/^  variables:/,/^  script:/s/^    \(CHECK_[A-Z]*\):.*/\1/p' "$template" | sort >given
grep -oE 'CHECK_[A-Z]+' script | sort -u >read
ok 'the script reads the variables that it gives, and no others' diff given read
grep -oE 'CHECK_[A-Z]+' "$readme" | sort -u >told
ok 'and all are told' diff given told
python=${TEST_PYTHON:-python3}
if "$python" -c 'import yaml' 2>/dev/null; then
	ok 'it is YAML' "$python" -c 'import sys, yaml
file = yaml.safe_load(open(sys.argv[1]))
job = file[".pmu-check"]
use = yaml.safe_load(open("shown"))
assert list(file) == [".pmu-check"] and use["solver"]["extends"] == ".pmu-check"
assert open("script").read().strip() == job["script"][0].strip()
assert not set(use["solver"]["variables"]) - set(job["variables"])' "$template"
else
	skip 'it is YAML' 'no yaml for Python'
fi
finish
