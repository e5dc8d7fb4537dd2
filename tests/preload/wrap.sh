#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# PMU_WRAP: functions of shared libraries are regions, as often as they are called from another object, and
# programs do what they do without.
# shellcheck source=tests/command/pmu.sh
. "${TEST_SRCDIR:-$(dirname "$0")/../..}/tests/command/pmu.sh"

[ -z "${TEST_SANITIZERS:-}" ] || skip_all 'a library with sanitizers cannot be loaded into a program without'
cc=${TEST_CC:-cc} cxx=${TEST_CXX:-c++} valgrind=${TEST_VALGRIND:-valgrind}
preload=$build/bindings/.libs/libpmu-preload.so
unset PMU_STORE PMU_AUTO PMU_WRAP PMU_FUNCTIONS PMU_MIN_TIME
export XDG_RUNTIME_DIR="$tmp" PMU_BACKEND=clock TEST_PLUGINS="$tmp" LD_LIBRARY_PATH="$tmp"

# build_library OPTION...: libwrapped.so.1 and two plugins
build_library() {
	# shellcheck disable=SC2086 # holds options
	$cc -std=gnu11 -O2 -fPIC -fno-inline -fexceptions "$@" -shared -Wl,-soname,libwrapped.so.1 -o libwrapped.so.1 \
		"$source/tests/preload/wrapped_lib.c" &&
		ln -sf libwrapped.so.1 libwrapped.so &&
		$cc -O2 -fPIC "$@" -shared -DNUMBER=3 -o wrapped_plugin0.so "$source/tests/preload/wrapped_plugin.c" -L. -lwrapped &&
		$cc -O2 -fPIC "$@" -shared -DNUMBER=4 -o wrapped_plugin1.so "$source/tests/preload/wrapped_plugin.c"
}

# build_program OPTION...
build_program() {
	$cc -std=gnu11 -O2 "$@" -o program "$source/tests/preload/wrapped.c" -L. -lwrapped -pthread -ldl
}

# wrapped WRAP COMMAND...: its report in run.csv and run.json
wrapped() {
	rm -f run.*
	wrap=$1
	shift
	LD_PRELOAD=$preload PMU_WRAP=$wrap PMU_OUTPUT=run.csv,run.json "$@"
}

# calls: NAME CALLS of all regions but main and thread.  What calls itself by two kinds of slots is left out.
calls() {
	awk -F, '
		/^group,/ || $5 != "all" || $3 ~ /^(main|thread|w_asks|w_is_itself)$/ { next }
		{ n[$3] += $6 }
		END { for (name in n) print name, n[name] }' run.csv | sort
}

sum_calls() {
	awk '{ n[$1] += $2 } END { for (name in n) print name, n[name] }' "$1" | sort
}

# equal NAME 'NAME CALLS'...: these are all
equal() {
	name=$1
	shift
	printf '%s\n' "$@" | sort >want.list
	calls >got.list
	diff want.list got.list >err
	result $? "$name"
}

# same NAME PART...: a run of the program with the functions wrapped prints what it prints without, and has the calls
same() {
	name=$1
	shift
	TEST_CALLS=want.calls ./program "$@" >want.out 2>err
	want=$?
	TEST_CALLS=got.calls wrapped 'libwrapped:w_*,libc:qsort' ./program "$@" >out 2>err
	got=$?
	if [ $want = 7 ] && [ $got = 7 ] && cmp -s want.out out && ! [ -s err ]; then
		result 0 "$name: same output and status"
	else
		echo "status $got, want $want" >>err
		diff want.out out >>err
		result 1 "$name: same output and status"
	fi
	sum_calls want.calls >want.list
	calls >got.list
	[ -s got.list ] && diff want.list got.list >err
	result $? "$name: every call is counted"
}

# shorter PATH: than the 100 ms after it?
shorter() {
	awk -F, -v path="$1" '$2 == path && $5 == "all" { n++; ns = $7 } END { exit n != 1 || ns > 9e7 }' run.csv
}

# --- ways to call --------------------------------------------------------------------------------------------

build_library >err 2>&1
result $? "a library is built"
all='values variadic vectors control jumps leaps stacks coroutines threads plugins addresses'
for how in '-Wl,-z,lazy' '-Wl,-z,now' '-Wl,-z,now -fPIE -pie' '-fno-pie -no-pie' '-fno-pie -no-pie -Wl,-z,now' '-O0'; do
	# shellcheck disable=SC2086 # holds options
	build_program $how >err 2>&1
	result $? "the program is built: $how"
	# shellcheck disable=SC2086
	same "$how" $all
done
for part in $all; do
	[ "$part" = addresses ] || same "$part" "$part"
done
LD_BIND_NOW=1 same 'bound at start' values variadic control plugins

# when they go is a matter of chance
./program busy | grep -v goes >want.out
wrapped 'libwrapped:w_*' ./program busy 2>err | grep -v goes >out
cmp want.out out
result $? 'objects come and go in four threads'

# gcc calls through the slots; clang loads pointers from them, which stay as they are.
if build_program -fno-plt >err 2>&1; then
	# shellcheck disable=SC2086
	./program $all >want.out
	# shellcheck disable=SC2086
	TEST_CALLS=got.calls wrapped 'libwrapped:w_*,libc:qsort' ./program $all >out 2>err
	cmp want.out out
	result $? 'no procedure linkage: same output'
	if $cc --version | grep -q clang; then
		skip 'no procedure linkage: every call is counted' 'clang'
	else
		sum_calls got.calls >want.list
		calls >got.list
		diff want.list got.list >err
		result $? 'no procedure linkage: every call is counted'
	fi
else
	skip 'no procedure linkage' 'the compiler has no -fno-plt'
fi

wrapped 'libwrapped:w_tail_end' ./program addresses >out 2>err
has run.json 'PMU_WRAP: calls of w_tail_end from the program are not seen, or not all' 'a use of an address is said'

# Symbol versions, and another library in front that stands in for a function.
echo 'WRAPPED_1 { global: w_*; };' >map
build_library -Wl,--version-script=map >err 2>&1 && build_program -Wl,-z,lazy >>err 2>&1
result $? 'with symbol versions it is built'
# shellcheck disable=SC2086
same 'versions' $all
cat >stand.c <<'C'
#include <stdlib.h>
int w_errno(int value) { return 100 + abs(value) + atoi("0"); }
C
$cc -O2 -fPIC -shared -o stand.so stand.c && LD_PRELOAD=./stand.so ./program control >want.out
PMU_WRAP='libwrapped:w_errno,libwrapped:w_address' PMU_OUTPUT=run.csv LD_PRELOAD="$preload ./stand.so" \
	./program control >out 2>err
cmp want.out out && calls | grep -q '^w_address 1$' && ! calls | grep -q w_errno
result $? 'what stands in for a function stays in front'
build_library >err 2>&1

# --- what is left by other ways ---------------------------------------------------------------------------

if command -v "${cxx%% *}" >/dev/null; then
	# shellcheck disable=SC2086 # holds options
	$cxx -std=c++17 -O2 -o thrower "$source/tests/preload/wrapped.cc" -L. -lwrapped >err 2>&1
	result $? 'a program that throws exceptions is built'
	./thrower >want.out
	wrapped 'libwrapped:w_*,libc:qsort' ./thrower >out 2>err
	cmp want.out out
	result $? 'exceptions: same output'
	equal 'exceptions: every call is counted' 'qsort 20' 'w_each 40' 'w_tail 180' 'w_tail_end 180'
	# what is called after them is in none of them
	grep -q '^TIME,main/w_tail/w_tail_end,w_tail_end,2,all,100,' run.csv
	result $? 'exceptions: regions end where they are passed'
	shorter main/w_each && shorter main/qsort
	result $? 'exceptions: and when they are passed'
else
	skip 'exceptions' 'no C++ compiler'
fi

build_program >err 2>&1
wrapped 'libwrapped:w_*' ./program jumps control >out 2>err
grep -q '^TIME,main/w_errno,w_errno,1,all,1,' run.csv && shorter main/w_leave
result $? 'longjmp: regions end when they are left'
wrapped 'libwrapped:w_*' ./program leaps >out 2>err
grep -q '^TIME,main/w_tail/w_tail_end,w_tail_end,2,all,1,' run.csv
result $? 'another way to leave: regions end at the next call'

# --- plugins --------------------------------------------------------------------------------------------------

cat >opener.c <<'C'
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
static int is_mapped(const char *name)
{
	char line[4096];
	FILE *maps = fopen("/proc/self/maps", "r");
	int is = 0;
	while (fgets(line, sizeof(line), maps))
		is |= strstr(line, name) != NULL;
	fclose(maps);
	return is;
}
int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		void *object = dlopen(argv[i], RTLD_LAZY);
		long (*run)(long) = object ? (long (*)(long))dlsym(object, "plugin_run") : NULL;
		printf("%s ", dlerror() ? "no" : "yes");
		printf("%ld", run ? run(10) : -1);
		if (object)
			dlclose(object);
		printf(" %d\n", is_mapped("libwrapped"));
	}
	return 0;
}
C
$cc -O2 -o opener opener.c -ldl >err 2>&1
./opener "$tmp/wrapped_plugin0.so" "$tmp/none.so" "$tmp/wrapped_plugin0.so" >want.out
wrapped 'libwrapped:w_*' ./opener "$tmp/wrapped_plugin0.so" "$tmp/none.so" "$tmp/wrapped_plugin0.so" >out 2>err
cmp want.out out
result $? 'a wrapped library is unloaded when it would have been'
equal 'it is wrapped each time that it comes' 'w_tail 20' 'w_tail_end 20'

# A name without a folder is searched for as the program says that calls dlopen().
mkdir -p plugins && cp wrapped_plugin0.so plugins/by_runpath.so
for tags in '-Wl,--enable-new-dtags' '-Wl,--disable-new-dtags'; do
	$cc -O2 -o opener opener.c -ldl "$tags" "-Wl,-rpath,$tmp/plugins" >err 2>&1
	wrapped 'libwrapped:w_*' ./opener by_runpath.so "$tmp/wrapped_plugin0.so" >out 2>err
	printf 'yes 480 0\nyes 480 0\n' | sed "s/480/$(sed -n '1s/yes \(-*[0-9]*\) .*/\1/p' want.out)/" | cmp - out
	result $? "dlopen() searches as ever: $tags"
done

# --- words ---------------------------------------------------------------------------------------------------

wrapped 'libnone:x,libwrapped:nothing*,libc:_setjmp,libwrapped:,libwrapped.so.1:w_errno,libwrap:w_each,w_deep?r' \
	./program control jumps >out 2>err
equal 'only what is named' 'w_errno 1' 'w_deeper 500'
has run.json 'PMU_WRAP=libnone:x: no library of that name was loaded' 'a library that is not there is named'
has run.json 'PMU_WRAP=libwrapped:nothing*: nothing was found' 'a function that is not there is named'
has run.json 'PMU_WRAP=libc:_setjmp: not wrapped, because' 'what cannot be wrapped is named'
has run.json "PMU_WRAP: 'libwrapped:' is not LIBRARY:FUNCTION" 'what is no word of the list is named'
has run.json 'PMU_WRAP=libwrap:w_each: no library' 'a library is named up to a stop'
PMU_AUTO=main wrapped 'libwrapped:w_*' ./program control >out 2>err
! grep -q w_errno run.csv && grep -q '^TIME,main,main' run.csv
result $? 'PMU_AUTO without wrap wraps nothing'

# --- real programs ----------------------------------------------------------------------------------------------

python=$(python3 -c 'import sys, zlib; print(sys.executable)' 2>err)
if [ -n "$python" ]; then
	cat >zlib.py <<'PY'
import zlib
for i in range(20):
    data = bytes(range(256)) * (100 + i)
    packed = zlib.compress(data)
    assert zlib.decompress(packed) == data
    print(len(packed), zlib.crc32(data))
PY
	"$python" zlib.py >want.out
	wrapped 'libz:deflateEnd,libz:inflateEnd,libz:crc32' "$python" zlib.py >out 2>err
	cmp want.out out
	result $? 'python3 and zlib: same output'
	if grep -q 'no library of that name' run.json; then
		skip 'python3 and zlib: every call is counted' 'this one has zlib inside'
	else
		calls | grep -q '^deflateEnd 20$' && calls | grep -q '^inflateEnd 20$'
		result $? 'python3 and zlib: every call is counted'
	fi
	wrapped 'libc:malloc,libc:free,libc:calloc,libc:realloc,libc:mem*,libc:pthread_*' "$python" zlib.py >out 2>err
	cmp want.out out
	result $? 'python3 with malloc wrapped: same output'
	wrapped '*' "$python" -c 'import json, hashlib; print(hashlib.sha256(json.dumps([1]).encode()).hexdigest())' \
		>out 2>err
	"$python" -c 'import json, hashlib; print(hashlib.sha256(json.dumps([1]).encode()).hexdigest())' | cmp - out
	result $? 'python3 with everything wrapped: same output'
else
	skip 'python3 and zlib' 'no python3 with zlib'
fi

if command -v git >/dev/null; then
	export GIT_AUTHOR_DATE='2024-01-01T00:00:00Z' GIT_COMMITTER_DATE='2024-01-01T00:00:00Z' GIT_CONFIG_NOSYSTEM=1 \
		GIT_AUTHOR_NAME=a GIT_COMMITTER_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_EMAIL=a@b HOME="$tmp"
	cat >commit.sh <<'SH'
rm -rf repository && git init -q -b main repository && cd repository &&
seq 10000 >file && git add file && git commit -q -m one && git log --format=%H && git fsck && git cat-file -s HEAD:file
SH
	sh commit.sh >want.out 2>&1
	(LD_PRELOAD=$preload PMU_WRAP='libz:*flate*' PMU_OUTPUT="$tmp/git-%p.csv" sh commit.sh) >out 2>&1
	cmp want.out out
	result $? 'git: same output'
	cat git-*.csv | grep -q ',deflate,'
	result $? 'git: calls of zlib are counted'
fi

# --- cost, and processors without AVX-512 ------------------------------------------------------------------------

if command -v "${valgrind%% *}" >/dev/null && $valgrind -q --tool=none true >err 2>&1; then
	for part in values variadic vectors control jumps leaps stacks coroutines threads; do
		$valgrind -q --tool=none ./program $part >want.out 2>err
		# shellcheck disable=SC2086 # may hold options
		wrapped 'libwrapped:w_*' $valgrind -q --tool=none ./program $part >out 2>err
		cmp want.out out
		result $? "valgrind: $part: same output"
	done
	cat >cost.c <<'C'
#include <stdlib.h>
long w_tail_end(long a, long b, long c);
int main(int argc, char **argv)
{
	long n = atol(argv[argc - 1]), sum = 0;
	for (long i = 0; i < n; i++)
		sum += w_tail_end(i, 1, 2);
	return sum == 1;
}
C
	$cc -O2 -o cost cost.c -L. -lwrapped
	# ours N: instructions of what is preloaded, for N calls
	ours() {
		PMU_OUTPUT=none LD_PRELOAD=$preload PMU_WRAP=libwrapped:w_tail_end $valgrind --tool=callgrind \
			--callgrind-out-file=cost.out --compress-strings=no --compress-pos=no ./cost "$1" >err 2>&1
		awk '
			/^ob=/ { object = $0 }
			/^calls=/ { getline; next }
			/^[0-9+*-]/ && object ~ /libpmu-preload[^\/]*$/ { sum += $2 }
			END { print sum + 0 }' cost.out
	}
	short=$(ours 2000) long=$(ours 12000)
	each=$(((long - short) / 10000))
	echo "# $each instructions a call beside those of begin and end"
	[ $each -gt 50 ] && [ $each -le 320 ]
	result $? 'at most 320 instructions a call beside begin and end'
else
	skip 'valgrind: same output, cost of a call' 'no valgrind, or it cannot run the program'
fi

finish
