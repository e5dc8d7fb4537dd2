#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What the texts for people name is there: files, links, functions, targets of make.
set -u
export LC_ALL=C

# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
build=$(cd "${TEST_BUILDDIR:-.}" && pwd) || exit 1
cd "${TEST_SRCDIR:-$(dirname "$0")/../..}" || exit 1
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
texts='README.md CONTRIBUTING.md SECURITY.md CHANGELOG.md lib/README.md lib/ADDING.md lib/GLOSSARY.md tests/README.md bench/README.md bindings/README.md bindings/packages/README.md'
evidence=$tmp/bad

# What stands between backticks in running text, without blanks in it, a line each.
words() {
	awk '/^ *```/ { code = !code } !code && !/^    /' "$1" | grep -oE '`[^` ]+`' | tr -d '`' | sort -u
}

# named FILE WORD: is it a file or a folder, as it is named from there, or a program that is built?  The rest of a list
# may leave out the folder.
named() {
	word=${2%/}
	folder=$(dirname "$1")
	for top in . "$folder" include; do
		[ ! -e "$top/$word" ] || return 0
	done
	[ -z "$(find "$folder" bindings -path "*/$word" -print -quit)" ] || return 0
	grep -qsE "%D%/$word( .*)?\$" "$folder/local.mk" || grep -qsE "%D%/${word#*/}( .*)?\$" "${word%%/*}/local.mk"
}

for text in $texts; do
	: >"$tmp/bad"
	grep -oE '\]\([^)#]+\)' "$text" | sed 's/^](//; s/)$//' | grep -v '^https:' | while read -r link; do
		[ -e "$(dirname "$text")/$link" ] || echo "no $link"
	done >"$tmp/bad"
	words "$text" | grep -E '^[.a-z][A-Za-z0-9_./-]*(/|\.(c|h|cc|sh|awk|hpp|f90|py|mk|map|group|yml|json))$|^[a-z]+/[a-z_]+$' |
		grep -vE 'NAME|^(run|rank|sum|solve)\.|^[a-z]*\.(json|csv)$|^\.(json|csv|xml)$|^solve/' | while read -r word; do
		named "$text" "$word" || echo "no $word"
	done >>"$tmp/bad"
	! [ -s "$tmp/bad" ]
	result $? "$text: the files that it names are there"
	words "$text" | sed -n 's/^\(pmu_[a-z_]*\)()$/\1/p' | grep -vx pmu_part_verb | while read -r call; do
		grep -rqw --include='*.h' --include='*.c' "$call" include lib || echo "no $call()"
	done >"$tmp/bad"
	! [ -s "$tmp/bad" ]
	result $? '  and so are its functions'
	{
		grep -oE '`make [a-z][a-z-]*' "$text"
		grep -E '^    (make|\./)' "$text" | grep -oE '\bmake (-j2 )?[a-z][a-z-]*'
	} | sed 's/.* //' | sort -u | while read -r target; do
		grep -qE "^$target(-am|-recursive)?:" "$build/Makefile" || echo "no target $target"
	done >"$tmp/bad"
	! [ -s "$tmp/bad" ]
	result $? '  and its targets of make'
done

wc -w <README.md >"$tmp/bad"
[ "$(cat "$tmp/bad")" -le 1200 ]
result $? 'README.md is short'

# README's two commands, which other people's machines start.
for command in './bootstrap && make demo ' './bootstrap && make check '; do
	echo "no $command" >"$tmp/bad"
	grep -q "^    $command" README.md
	result $? "README.md has $command"
done

finish
