#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Programs with NVIDIA's NVTX report their own ranges, and those with AMD's ROCTX.
# shellcheck source=tests/annotations/common.sh
. "${TEST_SRCDIR:-$(dirname "$0")/../..}/tests/annotations/common.sh"

# shellcheck disable=SC2086 # lists of words, here and below
build() {
	$cc -std=gnu11 -O2 -g $warn -Wno-unused -fPIC -shared -o libin.so "$source/tests/annotations/nvtx_lib.c" -ldl &&
		$cc -std=gnu11 -O2 -g $warn -Wno-unused -o prog "$source/tests/annotations/nvtx.c" ./libin.so -pthread -ldl
}
ok 'a program and a library with NVTX as the headers describe it' build

# --- NVTX ---

measure ./prog
is 'it runs, and every call returns what it is to' "$? $(cat out)" '0 3500, 0 wrong'
each 'calls' <<'LIST'
outer 20
inner 100
domain:registered 321
shared 300
a 1
b 1
first 1
second 1
with attributes 1
domain:with attributes 1
wide ä中😀 1
nvtx 4
plain 1
buffer 0 2
buffer 2 2
categorized 1
domain:categorized 2
in a library 1
LIST
is 'what is nested is below it' "$(grep -c ',main/outer/domain:registered,.*,all,20,' run.csv)" 1
measure --prefix domain,category ./prog
each 'with categories' <<'LIST'
domain:seven of domain:categorized 1
domain:8:categorized 1
seven:categorized 1
domain:registered 321
LIST
measure --prefix tool ./prog
is 'the tool alone' "$(calls nvtx:registered)" 321
measure --auto main,itt ./prog
is 'not asked for: no tool' "$(cat out)" 'no tool'
NVTX_INJECTION64_PATH=/nowhere measure ./prog
is "the user's own stays" "$(cat out)" 'no tool'
has run.json "NVTX's annotations go to /nowhere" 'and the report says so'
NVTX_INJECTION64_PATH=$annotations LD_LIBRARY_PATH=$build/lib/.libs PMU_OUTPUT=run.csv ./prog >out 2>err
calls_of run.csv >calls.list
is 'without pmu run' "$(cat out err) $(calls inner)" '3500, 0 wrong 100'

if can_count; then
	$cc -std=gnu11 -O2 -g -DNATIVE -I"$source/include" -o native "$source/tests/annotations/nvtx.c" ./libin.so \
		-L"$build/lib/.libs" -lpmu -pthread -ldl 2>err
	count annotated.csv ./prog
	count native.csv ./native
	for region in inner domain:registered; do
		beside counts $region 3
	done
else
	skip 'counts' 'no valgrind, or no tool of ours for it'
fi

# --- ROCTX ---

roctx() {
	$cc -std=gnu11 -O2 $warn -fPIC -shared -Wl,-soname,libroctx64.so.4 -Wl,--version-script=roctx.map -o libroctx64.so.4 \
		"$source/tests/annotations/roctx_lib.c" &&
		$cc -std=gnu11 -O2 $warn -o roctx "$source/tests/annotations/roctx.c" ./libroctx64.so.4 -pthread
}
echo 'ROCTX_4.1 { global: roctx*; local: *; };' >roctx.map
ok "a program with ROCTX's library" roctx
export LD_LIBRARY_PATH="$tmp"
same 'ROCTX' ./roctx
each 'ROCTX' <<'LIST'
pushed 80
in it 80
range 40
other 40
paused none
LIST
has run.json 'pauses measuring (roctxProfilerPause)' 'a pause is noted'
measure --prefix tool ./roctx
is 'its name' "$(calls roctx:pushed)" 80
measure --auto main,nvtx ./roctx
is 'not asked for: the library alone' "$(cat out) $(calls pushed)" "$(cat want.out) none"

finish
