#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What the action for GitHub does on the main branch and in pull requests, where this shell plays the runner, and a
# script what gh would do.
# shellcheck source=tests/command/pmu.sh
. "$(dirname "$0")/../command/pmu.sh"
[ -z "${TEST_SANITIZERS:-}" ] || skip_all 'a library with sanitizers cannot be loaded into a program without'
action=$source/.github/actions/check
[ -e "$action/check.sh" ] || skip_all 'it is not released'
mkdir -m 700 place bin temp kept
export XDG_RUNTIME_DIR="$tmp/place"
unset PMU_OUTPUT PMU_GROUP PMU_EVENTS PMU_BACKEND CHECK_BASELINE CHECK_LIMITS CHECK_COMMENT CHECK_NAME
evidence='out err summary gh.log kept/comment'

cat >program.c <<'C'
#include <stdlib.h>
#include "pmu.h"

int main(int argc, char **argv)
{
	for (int i = 0; argc > 1 && i < atoi(argv[1]); i++) {
		pmu_region_begin(argc > 2 ? argv[2] : "step");
		pmu_region_end(argc > 2 ? argv[2] : "step");
	}
	return 0;
}
C
${TEST_CC:-cc} ${TEST_CFLAGS:-} -I"$source/include" -o program program.c -L"$build/lib/.libs" -lpmu \
	-Wl,-rpath,"$build/lib/.libs" >compiler 2>&1 || skip_all "cannot build a program: $(head -n 1 compiler)"

# gh keeps artifacts in a folder; a pull request has one comment.
cat >bin/gh <<'S'
#!/bin/sh
echo "$*" >>gh.log
case "$1 $2" in
'run list') [ ! -e kept/baseline.json ] || echo 7 ;;
'run download') [ "$3 $4 $5" = '7 --name pmu-baseline' ] && cp kept/baseline.json "$7" ;;
'pr comment')
	[ ! -e kept/forbidden ] || exit 1
	case " $* " in *' --edit-last '*) [ -e kept/comment ] || exit 1 ;; esac
	cp "$(echo "$*" | sed 's/.*--body-file //')" kept/comment
	;;
esac
S
chmod +x bin/gh
ln -s "$pmu" bin/pmu
PATH=$tmp/bin:$PATH

# step REF NAME: the runner's part of it
step() {
	: >output
	: >summary
	GITHUB_REF=$1 GITHUB_REF_NAME=$2 GITHUB_WORKFLOW=checks GITHUB_OUTPUT=output GITHUB_STEP_SUMMARY=summary \
		RUNNER_TEMP="$tmp/temp" CHECK_MAIN=main GITHUB_ACTION_PATH="$action" \
		sh -c '"$GITHUB_ACTION_PATH/check.sh"' >out 2>err
	status=$?
	result=$(sed -n 's/^result=//p' output)
}
export CHECK_COMMAND='--repeat 3 ./program 5'
pull=refs/pull/42/merge

step "$pull" 42/merge
is "no baseline yet: no failure" "$status $result" '0 none'
ok "which is said" grep -q '^::notice title=pmu check::main has left no pmu-baseline yet' out
step refs/heads/main main
is "on the main branch it is made" "$status $result" '0 updated'
cp temp/pmu-baseline/baseline.json kept
rm -r temp/pmu-baseline
export CHECK_LIMITS='*:time=none
step:calls=0%'
step "$pull" 42/merge
is "in a pull request it is compared with" "$status $result" '0 within'
ok "of the newest run on the main branch" grep -q '^run list --workflow checks --branch main --status success --limit 1' gh.log
ok "the summary says so" grep -q 'within' summary
ok "and nobody comments" test ! -e kept/comment
CHECK_COMMAND='--repeat 3 ./program 6' CHECK_COMMENT=true
export CHECK_COMMENT
step "$pull" 42/merge
is "one call more" "$status $result" '1 beyond'
ok "is named in the summary" grep -q '^| main/step | calls | 5 | 6 | +20.00% | 0% |' summary
ok "and marked" grep -q '^::error title=pmu check::main/step: calls 5 -> 6 (+20.00%25), limit 0%25$' out
ok "the comment is the summary" cmp summary kept/comment
CHECK_COMMAND='--repeat 3 ./program 7'
step "$pull" 42/merge
ok "and is replaced by the next" cmp summary kept/comment
: >kept/forbidden
step "$pull" 42/merge
is "one that cannot be made changes nothing" "$status $result" '1 beyond'
ok "but is said" grep -q '^::warning title=pmu check::no comment' out
CHECK_COMMAND="--repeat 3 ./program 5 'a step; of \"two\"'"
step "$pull" 42/merge
is "words have the shell's quotes" "$status $result" '1 beyond'
ok "and one of them is gone" grep -q 'main/step: gone' out

CHECK_COMMAND='./program 5' CHECK_BRANCHES=true
export CHECK_BRANCHES
step "$pull" 42/merge
is "branches that nothing has counted" "$status $result" '2 '
ok "are asked for" grep -q -- 'exact-branches' err
unset CHECK_BRANCHES

CHECK_COMMAND='./program 5'
export CHECK_BASELINE=kept/baseline.json
step refs/heads/main main
is "with a baseline of the repository the main branch compares, too" "$status $result" '0 within'
CHECK_BASELINE=nowhere
step "$pull" 42/merge
is "which must be there" "$status $result" '2 '
ok "or it is said" grep -q '^::error title=pmu check::the baseline is not there: nowhere' out
unset CHECK_BASELINE
CHECK_COMMAND=false
step "$pull" 42/merge
is "a program that fails is no comparison" "$status $result" '2 '
CHECK_COMMAND=
step "$pull" 42/merge
is "nor is none" "$status $result" '2 '

# What the action hands on is what the script reads.
sed -n 's/^ *\(CHECK_[A-Z]*\): .*/\1/p' "$action/action.yml" | sort >given
grep -oE 'CHECK_[A-Z]+' "$action/check.sh" | sort -u >read
ok "all that the script reads is given to it" diff given read
sed -n '/^inputs:/,/^outputs:/s/^  \([a-z]*\):$/\1/p' "$action/action.yml" | sort >given
grep -oE 'inputs\.[a-z]+' "$action/action.yml" | sed 's/inputs\.//' | sort -u >read
ok "all inputs are used" diff given read
# shellcheck disable=SC2016 # as it stands there
sed -n 's/^| `\([a-z]*\)` .*/\1/p' "$action/README.md" | sort >read
ok "and described" diff given read
finish
