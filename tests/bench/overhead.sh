#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# bench/overhead says what it measured, where, and what it could not measure; nothing here looks at how long
# anything took.
# shellcheck source=tests/bench/bench.sh
program=overhead
. "$(dirname "$0")/bench.sh"
export PMU_BACKEND=nonsense PMU_EVENTS=nonsense # what is measured is not for these to say

# has FILE PATTERN NAME
has() {
	grep -qE -- "$2" "$1"
	result $? "$3"
}

# json NAME: what is in out is one JSON value: quotes, braces and brackets by pairs, and nothing but what JSON has
# between texts
json() {
	awk '
		{ text = text $0 "\n" }
		END {
			gsub(/"([^"\\]|\\.)*"/, "s", text)
			gsub(/[ \t\n]/, "", text)
			gsub(/-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?|true|false|null/, "s", text)
			do {
				before = text
				gsub(/\{(s:[sv](,s:[sv])*)?\}|\[([sv](,[sv])*)?\]/, "v", text)
			} while (text != before)
			exit text != "v"
		}' out
	result $? "$1"
}

# --- the fixed list ---
run 0 'one subject' one
has out '^.+; Linux .+; libpmu [0-9]+\.[0-9]+\.[0-9]+$' 'the first line says where'
has out '^one region  +1 +[0-9.]+ +[0-9.]+ +[0-9.]+ ns +[0-9.]+ +[0-9.]+ +1\.10 x bare' 'a row has its numbers and its target'
run 0 'the same as JSON' --json one
json 'it is JSON'
has out '"machine": \{"description": "[^"]+", "processors": [1-9][0-9]*, "kernel": "Linux [^"]+", "libpmu": ' \
	'it says where'
has out '"subject": "one region", "threads": 1, .*"value": [0-9.e+]+, .*"bare": [0-9.e+]+, "ratio_bare": [0-9.e+]+' \
	'and what was measured'
run 0 'a subject by its name' 'PMU_ENABLE=0'
[ "$(grep -c ' ns ' out)" = 1 ]
result $? 'and no other'

# --- the sweep ---
run 0 'the sweep' --json --sweep
json 'it is JSON, too'
[ "$(grep -c '"source": "clock", .*"value": [0-9]' out)" -ge 11 ]
result $? 'the clock has a value at each point'
for point in '"names": 1, "depth": 1, ' '"names": 10000, "depth": 1, ' '"names": 1, "depth": 16, '; do
	has out "\"source\": \"clock\", $point\"counts\": 0" "one of them is at $point"
done
for source in software perf msr; do
	has out "\"source\": \"$source\", .*\"counts\": 1, " "$source is measured, or there is"
done
! grep '"value": null' out | grep -v '"optional": true, "note": "[^"]'
result $? 'where there is no value there is the reason, and it is no failure'

# --- what it refuses ---
for wrong in '--nonsense' '--plot' 'one two'; do
	# shellcheck disable=SC2086 # words
	run 2 "refuses $wrong" $wrong
	has err "^overhead: .*${wrong##* }.*; try overhead --help\$" 'and says what is wrong'
done
run 2 'refuses a plot of another kind' --plot x.gif
has err 'x\.gif: a plot is a \.svg or a \.png file' 'and says which there are'

# --- the plot ---
PATH='' run 1 'no plot without gnuplot' --plot x.svg
has err 'gnuplot is not in PATH' 'and it says so'
[ ! -e x.svg ] && [ ! -s out ]
result $? 'before anything is measured'
mkdir bin
printf '#!/bin/sh\nexec cat >commands\n' >bin/gnuplot
printf '#!/bin/sh\nexit 3\n' >bin/broken
chmod +x bin/gnuplot bin/broken
# the folder is looked for after gnuplot is: here is one
PATH="$tmp/bin:$PATH" run 1 'a folder that does not exist' --plot nowhere/x.svg
has err 'cannot write the plot nowhere/x\.svg: No such file or directory' 'is named'
PATH="$tmp/bin:$PATH" run 1 'gnuplot that draws nothing' --plot x.svg
has err 'no plot: gnuplot failed' 'is a failure'
[ ! -e x.svg ]
result $? 'and leaves no empty file'
for text in "names in rotation" "depth of nesting" "threads at once" "ns per pair" "What a begin/end pair costs"; do
	has commands "$text" "it was told to draw \"$text\""
done
mv bin/broken bin/gnuplot
PATH="$tmp/bin:$PATH" run 1 'gnuplot that fails' --plot x.png
has err 'no plot: gnuplot failed' 'is a failure, too'
rm -r bin
if command -v gnuplot >/dev/null; then
	run 0 'a plot' --plot x.svg
	grep -q '<svg' x.svg && grep -q '</svg>' x.svg
	result $? 'is a picture'
	has x.svg 'threads at once' 'with its axes named'
else
	skip 'a plot' 'gnuplot is not installed'
fi
finish
