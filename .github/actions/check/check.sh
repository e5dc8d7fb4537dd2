#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Compares a program with what the main branch left, or, on the main branch, leaves it: by pmu check, and gh for what
# GitHub keeps.  All that it is told is in the environment: CHECK_... as action.yml has it, and the runner's own.
set -u

fail() {
	echo "::error title=pmu check::$1"
	exit 2
}

# say RESULT
say() {
	echo "result=$1" >>"${GITHUB_OUTPUT:-/dev/null}"
}

command -v pmu >/dev/null || fail 'there is no pmu in PATH: install libpmu in a step before this one'
[ -n "${CHECK_COMMAND:-}" ] || fail 'the input "command" is empty: which program?'
case ${CHECK_NAME:=pmu-baseline} in */* | .*) fail "the input \"name\" is part of a path: $CHECK_NAME" ;; esac
folder=${RUNNER_TEMP:-/tmp}/$CHECK_NAME
mkdir -p "$folder" || fail "cannot make $folder"
limits=$folder/limits
printf '%s\n' "${CHECK_LIMITS:-}" >"$limits"

# check OPTION...: the command is words of a shell, as it would be behind "run:"
check() {
	eval "set -- \"\$@\" -- $CHECK_COMMAND" || fail "the input \"command\" is no shell's: $CHECK_COMMAND"
	[ "${CHECK_BRANCHES:-}" != true ] || set -- --exact-branches "$@"
	pmu check --limits "$limits" "$@"
}

# What the newest run of this workflow on the main branch left; nothing where there is none yet.
fetch() {
	id=$(gh run list --workflow "${GITHUB_WORKFLOW:-}" --branch "$CHECK_MAIN" --status success --limit 1 \
		--json databaseId --jq '.[0].databaseId') && [ -n "$id" ] &&
		gh run download "$id" --name "$CHECK_NAME" --dir "$folder" && [ -e "$folder/baseline.json" ]
}

# The last one of ours is replaced, so that a pull request does not fill with them.
comment() {
	number=${GITHUB_REF#refs/pull/}
	number=${number%/*}
	[ "${CHECK_COMMENT:-}" = true ] && [ "$number" != "${GITHUB_REF:-}" ] || return 0
	gh pr comment "$number" --edit-last --body-file "$folder/summary.md" 2>/dev/null ||
		gh pr comment "$number" --body-file "$folder/summary.md" ||
		echo '::warning title=pmu check::no comment could be made: does the job have the permission pull-requests write?'
}

baseline=${CHECK_BASELINE:-}
if [ -z "$baseline" ] && [ "${GITHUB_REF_NAME:-}" = "${CHECK_MAIN:=main}" ]; then
	check --baseline "$folder/baseline.json" --update || exit
	say updated
	exit 0
fi
if [ -n "$baseline" ]; then
	[ -e "$baseline" ] || fail "the baseline is not there: $baseline"
elif fetch; then
	baseline=$folder/baseline.json
else
	echo "::notice title=pmu check::$CHECK_MAIN has left no $CHECK_NAME yet: nothing to compare with"
	say none
	exit 0
fi
: >"$folder/summary.md"
check --baseline "$baseline" --summary "$folder/summary.md" --annotate
status=$?
cat "$folder/summary.md" >>"${GITHUB_STEP_SUMMARY:-/dev/null}"
case $status in
0) say within ;;
1) say beyond ;;
*) exit "$status" ;;
esac
comment
exit "$status"
