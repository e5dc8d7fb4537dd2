#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Builds and runs the example in every language: each computes the same, and enters the same regions
# equally often.
# shellcheck source=tests/command/pmu.sh
. "$(dirname "$0")/../command/pmu.sh"

examples=$source/bindings/examples
libs="-L$build/lib/.libs -lpmu"
cflags="-Wall -Wextra -Werror -I$source/include -I$source/bindings/cxx ${TEST_CFLAGS:--O2}"
export LD_LIBRARY_PATH="$build/lib/.libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
export PYTHONPATH="$source/bindings/python" PYTHONDONTWRITEBYTECODE=1
export PMU_LIBRARY="$build/lib/.libs/libpmu.so.0" PMU_BACKEND=clock
sweeps=40

# with LANGUAGE COMPILER: whether it can be tried here
with() {
	if ! command -v "${2%% *}" >/dev/null || [ "$2" = : ]; then
		skip "$1" "no compiler or interpreter"
	elif [ -n "${TEST_SANITIZERS:-}" ] && [ "$3" = plain ]; then
		skip "$1" "built with a sanitizer"
	else
		return 0
	fi
	return 1
}

# build LANGUAGE COMMAND...: makes ./heat
build() {
	language=$1
	shift
	rm -f heat
	"$@" >out 2>err
	result $? "$language: builds"
}

# compare LANGUAGE COMMAND...: its regions and what it prints are the first one's
compare() {
	language=$1
	shift
	rm -f heat.json heat.csv
	PMU_OUTPUT=heat.json "$@" $sweeps >out 2>err
	result $? "$language: runs"
	tr E e <out | sed 's/e-\([0-9]\)$/e-0\1/' >result # Fortran's and Rust's exponents
	"$pmu" report heat.json -o heat.csv 2>>err
	awk -F, '$5 == "all" { print $2, $6 }' heat.csv | sort >calls
	[ -f first.calls ] || {
		cp calls first.calls
		cp result first.result
	}
	diff first.calls calls >>err
	result $? "$language: the same regions, equally often"
	diff first.result result >>err
	result $? "$language: the same result"
}

# shellcheck disable=SC2086 # lists of words
if with C "${TEST_CC:-cc}" any; then
	build C ${TEST_CC:-cc} -std=gnu11 $cflags -o heat "$examples/heat.c" $libs -lm
	compare C ./heat
	printf 'init 1\nsolve 1\nsolve/residual %d\nsolve/sweep %d\n' $((sweeps / 10)) $sweeps >want
	diff want calls >err
	result $? "as often as the program says"
fi
# shellcheck disable=SC2086
if with C++ "${TEST_CXX:-c++}" any; then
	build C++ ${TEST_CXX:-c++} -std=c++17 $cflags -o heat "$examples/heat.cc" $libs
	compare C++ ./heat
fi
# shellcheck disable=SC2086
if with 'a pool' "${TEST_CXX:-c++}" any; then
	build 'a pool' ${TEST_CXX:-c++} -std=c++17 $cflags -pthread -o pool "$examples/pool.cc" $libs
	PMU_OUTPUT=pool.csv ./pool 30 >out 2>err
	awk -F, 'FNR > 1 && $5 == "all" { print $2, $6 }' pool.csv | sort >calls
	printf 'solve 1\nsolve/sum 30\n' >want
	diff want calls >>err
	result $? 'a pool: its tasks are in the region that has made them'
fi
# shellcheck disable=SC2086
if with Fortran "${TEST_FC:-gfortran}" plain; then
	build Fortran ${TEST_FC:-gfortran} -O2 -o heat "$source/bindings/fortran/pmu.f90" \
		"$examples/heat.f90" $libs
	compare Fortran ./heat
fi
if with Python "${TEST_PYTHON:-python3}" plain; then
	# shellcheck disable=SC2086
	compare Python ${TEST_PYTHON:-python3} "$examples/heat.py"
fi
# Debian's, which another one may be in front of
rustc=rustc
[ ! -x /usr/bin/rustc ] || rustc=/usr/bin/rustc
if with Rust $rustc plain; then
	build Rust $rustc -D warnings -O -L "$build/lib/.libs" -o heat "$examples/rust/heat.rs"
	compare Rust ./heat
fi
# shellcheck source=tests/bindings/go_env.sh
if with Go go plain; then
	top=$source
	. "$source/tests/bindings/go_env.sh"
	# shellcheck disable=SC2016 # $0 and $1 are the inner shell's
	build Go sh -c 'cd "$0" && go build -o "$1" .' "$examples/go" "$tmp/heat"
	compare Go ./heat
fi
finish
