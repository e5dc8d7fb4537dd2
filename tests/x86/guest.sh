# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# For the scripts beside it, which source it: the x86-64 machine and what is run there.
#
# TEST_X86=skip leaves these tests out; TEST_X86_FROM is where the machine's setup is, TEST_X86_DIR where the machine is kept.
set -u
export LC_ALL=C

top=${TEST_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
build=${TEST_BUILDDIR:-.}
out=$build/tests/x86/out/$(basename "$0" .sh)
vm=${TEST_X86_DIR:-$build/tests/x86/vm}
here=$top/tests/x86
from=${TEST_X86_FROM:-$top/../shared/x86vm}
# shellcheck source=tests/tap.sh
. "$top/tests/tap.sh"

bail_out() {
	sed 's/^/# /' "$out/log"
	echo "Bail out! $*"
	exit 1
}

# A machine to boot, and a folder for its jobs with the library and the command as they were built.
prepare() {
	[ "${TEST_X86:-}" != skip ] || skip_all "TEST_X86=skip"
	[ -z "${TEST_SANITIZERS:-}" ] || skip_all "the machine has no libraries for sanitizers"
	case $(${TEST_CC:-cc} -dumpmachine) in
	x86_64-*) ;;
	*) skip_all "what is built here is not for x86-64" ;;
	esac
	rm -rf "$out"
	mkdir -p "$out/job/bin" "$out/job/lib" || exit 1
	out=$(cd "$out" && pwd)
	sh "$here/setup.sh" "$from" "$vm" >"$out/log" 2>&1
	rc=$?
	[ $rc -ne 77 ] || skip_all "$(tail -n 1 "$out/log")"
	[ $rc -eq 0 ] || bail_out "the machine cannot be set up"
	vm=$(cd "$vm" && pwd)
	{
		cp -L "$build/lib/.libs/libpmu.so.0" "$build/bindings/.libs/libpmu-preload.so" "$out/job/lib/" &&
			mkdir -p "$out/job/lib/pmu" && cp -L "$build/lib/.libs/libpmu-events.so" "$out/job/lib/pmu/" &&
			cp -L "$build/pmu" "$out/job/bin/" && ln -s libpmu.so.0 "$out/job/lib/libpmu.so"
	} >"$out/log" 2>&1 || bail_out "the library has not been built"
}

# compile NAME SOURCE OPTION...: a program for the guest
compile() {
	name=$1 source=$2
	shift 2
	case $source in
	*.cc) how="${TEST_CXX:-c++} -std=c++17 -I$top/bindings/cxx" ;;
	*) how="${TEST_CC:-cc} -std=gnu11 -D_GNU_SOURCE -Wshadow" ;;
	esac
	# Bound at the start: the linker must not look for an end inside of its region.
	# shellcheck disable=SC2086 # lists of words
	$how -O2 -Wall -Wextra -I"$top/include" -I"$top/tests" -o "$out/job/$name" "$top/tests/$source" "$@" \
		-L"$out/job/lib" -lpmu -pthread -Wl,-z,now -Wl,-rpath,/job/lib >"$out/log" 2>&1 ||
		bail_out "$source cannot be compiled"
}

# boots COMMAND: for each line "NAME OPTION..." of the input a machine with these options that runs COMMAND, two at a time; what
# it prints is in NAME.log, what it leaves in the folder NAME, its status in NAME.rc.  MODEL is NAME there.  An emulated machine
# that stands still or dies, as it may on a busy host, is booted again, twice at most, and what it had printed goes before.
boots() {
	export here vm out
	# shellcheck disable=SC2016 # the inner shell's
	COMMAND=$1 xargs -P 2 -L 1 sh -c '
		name=$1
		shift
		: >"$out/$name.raw"
		for try in 1 2 3; do
			rm -rf "${out:?}/$name"
			sh "$here/run.sh" "$vm" "$out/job" "$out/$name" "export MODEL=$name; $COMMAND" "$@" >>"$out/$name.raw" 2>&1
			rc=$?
			[ $rc -eq 125 ] || break
			echo "-- the machine died or took too long, try $try" >>"$out/$name.raw"
		done
		echo $rc >"$out/$name.rc"
		tr -d "\r" <"$out/$name.raw" >"$out/$name.log"' sh
}
