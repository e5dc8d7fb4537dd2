#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The manual pages say what the command's help and the header say, no more and no less.
# shellcheck source=tests/command/pmu.sh
. "$(dirname "$0")/../command/pmu.sh"
header=$source/include/pmu.h
pages=$source/bindings/command
page1=$pages/pmu.1
page3=$source/include/pmu.3
page7=$source/include/pmu.7
cc=${TEST_CC:-cc}

# same ONE OTHER NAME: two files of lines, in any order
same() {
	sort -u "$1" >"$1.sorted"
	sort -u "$2" >"$2.sorted"
	diff "$1.sorted" "$2.sorted" >err 2>&1 && [ -s "$1.sorted" ]
	result $? "$3"
}

# part FILE BEGINNING: a section of a page, or a subsection, by its first line
part() {
	awk -v first="$2" '
		$0 == first { on = 1; kind = substr(first, 1, 3); next }
		on && (/^\.Sh/ || (kind == ".Ss" && /^\.Ss/)) { exit }
		on' "$1"
}

# What follows Fl: until another macro, and across punctuation.
flags() {
	awk '{
		on = 0
		for (i = 1; i <= NF; i++)
			if ($i == "Fl" || $i == ".Fl")
				on = 1
			else if ($i == "Ar" || $i == "Cm" || $i == "No")
				on = 0
			else if (on && $i !~ /^[,.;:|]$/ && $i != "-")
				print "-" $i
	}'
}

# Options in a help text: in the usage, and where they are explained.
helped() {
	grep -E "$1" out | sed "s/'[^']*'//g" | grep -oE '(^|[][ ,|])--?[A-Za-z][a-z-]*' | sed 's/^[^-]*//' | grep -vxE -e '-h|--help'
}

# --- the command ---

run 0 'the commands' help
sed -n 's/^  \([a-z]*\)  .*/\1/p' out >commands
sed -n 's/^\.Ss pmu //p' "$page1" >described
same commands described 'each command has its place in pmu.1, and no other'
sed -n '/^\.Sh SYNOPSIS/,/^\.Sh DESCRIPTION/s/^\.Cm \([a-z]*\)$/\1/p' "$page1" >described
same commands described 'and in its synopsis'

# Most have one of their own.
while read -r command; do
	run 0 "$command" help "$command"
	helped '^usage:' >options
	page=$pages/pmu-$command.1
	[ -e "$page" ] || page=$page1
	awk -v command="$command" '
		/^\.Nm/ { on = 0 }
		$0 == ".Cm " command { on = 1 }
		on
		/^\.Sh DESCRIPTION/ { exit }' "$page" | flags >described
	echo >>options
	echo >>described
	same options described "  its usage is that of ${page##*/}"
done <commands
ls "$pages" | sed -n 's/^pmu-\([a-z]*\)\.1$/\1/p' >own
sort commands | comm -23 own - >err 2>&1 && ! [ -s err ]
result $? 'and no page is of a command that there is not'

run 0 'the settings' help environment
sed -n 's/^  \(PMU_[A-Z_]*\) .*/\1/p' out >settings
for page in "$pages"/pmu*.1; do
	awk -v pmu="$pmu" -f "$pages/manual.awk" "$page" 2>err | diff - "$page" >>err && ! [ -s err ]
	result $? "the lists of options and settings in ${page##*/} are those of help: 'make manual' prints them"
done
cat "$pages/pmu-run.1" "$pages/pmu-report.1" "$page1" |
	sed '/^\.It Fl -trace-size/,/^\.It/{//!d}; /^\.It Fl -each$/d; s/^\.It Ev PMU_ENABLE/.It Ev PMU_ENABEL/' >page
awk -v pmu="$pmu" -f "$source/bindings/command/manual.awk" page >out 2>err
has out '.Ev PMU_TRACE_SIZE :' 'an option of which the page says nothing has the words of help'
for heading in '.It Fl -each' '.It Ev PMU_ENABLE'; do
	grep -qx "$heading" out
	result $? "  and $heading is there again"
done
has err 'PMU_ENABEL' '  one that there is not is named'

# --- the calls ---

grep -v '^ \*' "$header" | sed -n '1,/^#else.*PMU_DISABLE/p' | grep -oE '\bpmu_[a-z_]+\(' | tr -d '(' |
	grep -v '^pmu_region_scope_' >functions
part "$page3" '.Sh SYNOPSIS' | sed -n 's/^\.Fn \(pmu_[a-z_]*\).*/\1/p' >described
same functions described 'pmu.3 has the functions of pmu.h'
# What is made of the header's comments when the library is built.
{
	cat functions
	echo PMU_REGION
} >calls
ls "$build/include/man" | sed -n 's/\.3$//p' >described
same calls described 'each has a page of its own, and so has the macro'
: >err
for call in $(cat calls); do
	page=$build/include/man/$call.3
	of=$(sed -n 's|^\.so man3/||p' "$page")
	[ -z "$of" ] || page=$build/include/man/$of
	grep -qE "^\.Nm $call( |\$)" "$page" && grep -q "^\.Fn $call " "$page" || echo "$call is not on $page" >>err
	part "$page" '.Sh DESCRIPTION' | grep -q '[a-z]' || echo "$page explains nothing" >>err
	! grep -q '^\.Ft int' "$page" || part "$page" '.Sh RETURN VALUES' | grep -q . || echo "$page: what does it return?" >>err
	sed -n 's/^\.Fn [A-Za-z_]* //p' "$page" | grep -oE '[a-z_]+("|$)' | tr -d '"' | grep -vx void | sort -u |
		while read -r argument; do
			grep -q "^\.It Fa $argument\$" "$page" || grep -q "^\.Fn pmu_counters_" "$page" || grep -q "^\.Fn pmu_strerror" "$page" ||
				echo "$page does not explain $argument" >>err
		done
	[ -n "$of" ] || ! command -v mandoc >/dev/null || mandoc -Tlint -Wwarning "$page" >>err 2>&1
done
! [ -s err ]
result $? 'it has name, arguments and what comes back, and mandoc has nothing to say about any'
part "$page3" '.Sh DESCRIPTION' | grep -oE 'pmu_[a-z_]+' >words
grep -Fxf functions words >described
same functions described 'each is explained'

# A declaration that contradicts the header's does not compile.
{
	echo '#include <pmu.h>'
	part "$page3" '.Sh SYNOPSIS' | awk '
		/^\.Ft/ { type = substr($0, 5); gsub(/"/, "", type) }
		/^\.Fn/ {
			rest = $0; sub(/^\.Fn [a-z_]+ /, "", rest); gsub(/" "/, ", ", rest); gsub(/"/, "", rest)
			printf "%s %s(%s);\n", type, $2, rest
		}'
} >declared.c
$cc -std=gnu11 -Werror -I"$source/include" -c declared.c -o declared.o 2>err
result $? 'with their arguments'

# Enumerators, and macros for users: ours end with an underscore.
grep -v '^ \*' "$header" | sed 's|/\*.*||' | sed -n '/^enum/,/};/p' | grep -oE 'PMU_[A-Z_]+' >constants
sed -n 's/^#define \(PMU_[A-Z_]*[A-Z]\)\>.*/\1/p' "$header" | grep -vxE 'PMU_H' >>constants
{
	sed 's/^\./ /' "$page3" | grep -oE '(Dv|Fn) PMU_[A-Z_]+' | sed 's/.* //'
} >described
same constants described 'and the constants'

# structure FILE NAME: without comments and blanks
structure() {
	sed -n "/^struct $2 {/,/^};/p" "$1" | sed 's|/\*.*\*/||; s/[[:space:]]//g'
}
for name in $(sed -n 's/^struct \([a-z_]*\) {$/\1/p' "$header"); do
	structure "$header" "$name" >members
	structure "$page3" "$name" >described
	diff members described >err 2>&1 && [ -s members ]
	result $? "struct $name has the header's members"
done

sed -n '1,/^#else.*PMU_DISABLE/p' "$header" | grep -E '^ \*' | grep -oE -e '-E[A-Z]+' >errors
part "$page3" '.Sh ERRORS' | grep -oE -e '-E[A-Z]+' >described
same errors described 'the errors are those that the header names'

part "$page3" '.Sh EXAMPLES' | sed -n '/^\.Bd/,/^\.Ed/p' | sed '/^\./d; s/\\e/\\/g' >example.c
# shellcheck disable=SC2086 # a list of words
$cc -std=gnu11 ${TEST_CFLAGS:-} -Wall -Wextra -Werror -I"$source/include" example.c -o example \
	-L"$build/lib/.libs" -lpmu 2>err &&
	LD_LIBRARY_PATH="$build/lib/.libs" PMU_OUTPUT=none PMU_BACKEND=clock ./example >out 2>err
result $? 'the example compiles and runs'
has out ': 100 calls, ' '  and prints what it should'

# --- both ---

run 0 'the version' --version
version=$(sed 's/.* //' out)
for page in "$pages"/pmu*.[17] "$page3" "$page7"; do
	name=${page##*/}
	has "$page" ".Os libpmu $version" "$name is of this version"
	if command -v mandoc >/dev/null; then
		mandoc -Tlint -Wwarning "$page" >out 2>err
		result $? "mandoc has nothing to say about $name"
	else
		skip "mandoc has nothing to say about $name" 'no mandoc'
	fi
	if command -v man >/dev/null && command -v groff >/dev/null; then
		# it writes its pages' index where it may
		man --warnings -l "$page" 2>&1 >out | grep -v 'mandoc\.db\|manpath:' >err
		[ -s out ] && ! [ -s err ]
		result $? "nor man about $name"
	else
		skip "nor man about $name" 'no man with groff'
	fi
done

# What other texts say of settings and options is not of another version.
sort -u settings >settings.sorted
sed -n '/^\.Sh DESCRIPTION/,/^\.Sh ENVIRONMENT/p' "$pages"/pmu*.1 | grep '^\.It' | flags | sort -u >described
(cd "$source" && cat README.md include/pmu.7 bench/README.md bindings/README.md) >texts
sed 's/PMU_[A-Z_]*[()]//g' texts | grep -oE '\bPMU_[A-Z_]*[A-Z]\b' | grep -vxE 'PMU_(DISABLE|LIBRARY)' | sort -u >named
[ -s named ] && comm -23 named settings.sorted >err && ! [ -s err ]
result $? 'README.md, pmu(7) and those of the folders have no settings of their own'
sed 's/\\&//g' texts | grep -oE '\bpmu (run|report|msr|info|event|list) [^`#|]*' | sed 's/ -- .*//' |
	grep -oE ' --?[A-Za-z][a-z-]*' | tr -d ' ' | sort -u >named
[ -s named ] && comm -23 named described >err && ! [ -s err ]
result $? 'nor options'

finish
