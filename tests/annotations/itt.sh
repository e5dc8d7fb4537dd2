#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Programs and libraries with Intel's ITT report their own tasks, regions, frames and events.
# shellcheck source=tests/annotations/common.sh
. "${TEST_SRCDIR:-$(dirname "$0")/../..}/tests/annotations/common.sh"

# shellcheck disable=SC2086 # lists of words, here and below
ok 'a program with a static part as the headers describe it' \
	$cc -std=gnu11 -O2 -g $warn -o prog "$source/tests/annotations/itt.c" -pthread -ldl

# --- its regions ---

measure ./prog
is 'it runs' "$? $(cat out)" '0 3780'
each 'calls' <<'LIST'
app:outer 20
app:inner 100
lib:early 20
app:shared 300
lib:shared 300
app:a_function 4
frames 4
an event 4
app:left 2
lib:right 1
app:right 1
app:a region 1
app:around 1
app:paused none
app 1
LIST
is 'nothing else is a region' "$(grep -vc ' \(app\|lib\|frames\|an event\|main\|thread\)' calls.list)" 0
is 'what is nested is below it' "$(grep -c ',main/app:outer/app:inner,.*,all,100,' run.csv)" 1
has run.json 'pauses measuring (__itt_pause)' 'a pause is noted'
has run.json 'frames of frames are handed over' 'frames that come too late are noted'

# --- what can be chosen ---

measure --prefix none ./prog
is 'no prefix' "$(calls outer) $(calls app:outer)" '20 none'
measure --prefix tool,domain ./prog
is 'tool and domain' "$(calls itt:app:outer) $(calls itt:frames)" '20 4'
PMU_PREFIX=tool measure ./prog
is 'by the variable' "$(calls itt:outer)" 20
run 2 'a prefix that is none' run --prefix domian ./prog
has err "there is no 'domian', did you mean domain" 'is asked back'
measure --auto main,nvtx ./prog
is 'not asked for: no collector' "$(cat out)" 'no collector'
PMU_ENABLE=0 measure ./prog
is 'switched off: none' "$(cat out)" 'no collector'
cat >other.c <<'C'
void __itt_api_init(void *global, int groups);
void __itt_api_init(void *global, int groups)
{
	(void)global;
	(void)groups;
}
C
$cc -shared -fPIC -o other.so other.c
INTEL_LIBITTNOTIFY64=$tmp/other.so measure ./prog
is "the user's own collector stays" "$(cat out)" 'no collector'
has run.json "ITT's annotations go to $tmp/other.so" 'and the report says so'
INTEL_LIBITTNOTIFY64=$tmp/other.so measure --auto main ./prog
lacks run.json "ITT's annotations go to" 'but where they are not wanted'
"$pmu" run -o outer.csv "$pmu" run -o run.csv ./prog >out 2>err
is 'a pmu run around it' "$(cat out)" 3780
calls_of run.csv >calls.list
is 'has no part in it' "$(calls app:outer)" 20
mkdir 'a b;c' && cp -r "$build/bindings/.libs/libpmu-annotations.so" 'a b;c/'
INTEL_LIBITTNOTIFY64="$tmp/a b;c/libpmu-annotations.so" LD_LIBRARY_PATH=$build/lib/.libs PMU_OUTPUT=run.csv \
	./prog >out 2>err
calls_of run.csv >calls.list
is 'without pmu run' "$(cat out err) $(calls app:outer)" '3780 20'

measure grep -c "libpmu-annotations" /proc/self/maps
is 'a program without annotations does not load it' "$(cat out)" 0
measure sh -c ./prog
is 'a program that another one starts' "$(cat out) $(calls app:outer)" '3780 20'

# --- counts ---

if can_count; then
	$cc -std=gnu11 -O2 -g -DNATIVE -I"$source/include" -o native "$source/tests/annotations/itt.c" \
		-L"$build/lib/.libs" -lpmu -pthread -ldl 2>err
	count annotated.csv ./prog
	count native.csv ./native
	for region in app:inner lib:early; do
		beside counts $region 3
	done
else
	skip 'counts' 'no valgrind, or no tool of ours for it'
fi

# --- libraries that have it ---

if $cxx -std=c++17 -O1 -DTBB_USE_PROFILING_TOOLS=1 -o flow "$source/tests/annotations/tbb.cc" -ltbb 2>err; then
	same 'TBB' ./flow
	each 'TBB' <<'LIST'
tbb:tbb_parallel_for 5
tbb.flow:body 50
LIST
	# how often it is entered is TBB's: another thread may come to it on a busy machine
	ok 'TBB: its own task around them' test "$(calls tbb:tbb_flow_graph)" -ge 1
else
	skip 'TBB' 'no libtbb-dev'
fi

if $cc -O1 -o dnn "$source/tests/annotations/dnnl.c" -ldnnl 2>err; then
	OMP_NUM_THREADS=2 same 'oneDNN' ./dnn
	OMP_NUM_THREADS=2 measure --scope thread --auto itt ./dnn
	is 'oneDNN: a primitive is a region, also of its other thread' "$(calls dnnl::primitive::execute:eltwise)" 14
else
	skip 'oneDNN' 'no libdnnl-dev of version 2'
fi

if ${TEST_CLANG:-clang} -g -O1 -fopenmp -o omp "$source/tests/annotations/omp.c" 2>err; then
	same 'libomp' ./omp
	is 'libomp: a parallel region is one, by OMPT' "$(grep -c 'parallel main' calls.list) $(grep -c 'omp\$' calls.list)" '1 0'
	measure --auto main,itt ./omp
	is 'libomp: and none by ITT' "$(grep -vc ' main$' calls.list)" 0
else
	skip 'libomp' 'no clang with libomp'
fi

finish
