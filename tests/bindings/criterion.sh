#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The example with Criterion, in Rust: its statistics of counts, of work with known page faults.
# shellcheck disable=SC2317 # functions are called by ok
set -u
export LC_ALL=C

top=$(cd "${TEST_SRCDIR:-$(dirname "$0")/../..}" && pwd) || exit 1
# shellcheck source=tests/tap.sh
. "$top/tests/tap.sh"
build=$(cd "${TEST_BUILDDIR:-.}" && pwd) || exit 1
[ -z "${TEST_SANITIZERS:-}" ] || skip_all "built with a sanitizer, which Rust's programs are not"
[ "${TEST_CRITERION:-}" != skip ] || skip_all "TEST_CRITERION=skip"
# Debian's, which another one may be in front of.
[ ! -x /usr/bin/cargo ] || export PATH="/usr/bin:$PATH"
{ cargo --version && rustc --version; } >/dev/null 2>&1 || skip_all "no cargo"
set -- /usr/share/cargo/registry/criterion-0.3.*
[ -d "$1" ] || skip_all "no Criterion 0.3 among Debian's packages"
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
mkdir "$tmp/pc"
sed "s|^libdir=.*|libdir=$build/lib/.libs|; s|^includedir=.*|includedir=$top/include|" "$build/pmu.pc" \
	>"$tmp/pc/pmu.pc"
export PKG_CONFIG_PATH="$tmp/pc" LD_LIBRARY_PATH="$build/lib/.libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
unset PMU_OUTPUT PMU_GROUP PMU_EVENTS PMU_BACKEND
# Criterion and what it needs are compiled here, some fifty packages: unoptimized takes half as long.
export CARGO_HOME="$tmp/home" CARGO_INCREMENTAL=0 RUSTFLAGS="-D warnings"
export CARGO_PROFILE_BENCH_OPT_LEVEL=0 CARGO_PROFILE_BENCH_DEBUG=0 CARGO_PROFILE_BENCH_CODEGEN_UNITS=16
# cargo writes beside the sources.
cp -r "$top/bindings/examples/rust" "$tmp/rust" && chmod -R u+w "$tmp/rust" && cd "$tmp/rust" || exit 1
evidence="$tmp/out"

# bench SETTING... -- FILTER: short runs of the benchmarks with FILTER in their names
bench() {
	settings=''
	while [ "$1" != -- ]; do
		settings="$settings $1"
		shift
	done
	# shellcheck disable=SC2086 # a list of words
	env $settings cargo --config debian.toml --offline bench -- --warm-up-time 1 --measurement-time 1 \
		--sample-size 10 --nresamples 1000 "$2" >"$tmp/out" 2>&1
}
# middle GROUP/NAME UNIT: the middle of the interval; nothing where there is none
middle() {
	sed -n "s|^$1  *time:  *\\[[0-9.]* $2 \\([0-9.]*\\) $2 [0-9.]* $2\\]\$|\\1|p" "$tmp/out"
}

ok "builds without network" cargo --config debian.toml --offline bench --no-run

ok "runs with the clock alone" bench PMU_BACKEND=clock PMU_EVENTS=instructions,cycles -- sweep
ok "times are there" grep -q '^time/sweep  *time: ' "$tmp/out"
is "what was not counted is not there" "$(grep -cE '^(instructions|cycles)/' "$tmp/out")" 0
is "and is named once" "$(grep -c '^not counted: instructions, cycles: ' "$tmp/out")" 1

ok "runs with events of the kernel" bench PMU_BACKEND=software PMU_EVENTS=page-faults,cycles -- touch
if grep -q '^not counted: page-faults' "$tmp/out"; then
	skip "page faults" "they cannot be counted here: $(grep '^not counted: ' "$tmp/out")"
else
	ok "eight fresh pages are eight page faults" within "$(middle page-faults/touch/8 page-faults)" 8 8.5
	ok "64 are 64" within "$(middle page-faults/touch/64 page-faults)" 64 65
	is "cycles are missing, which is said once" "$(grep -c '^not counted: cycles: ' "$tmp/out")" 1
fi

if ! command -v valgrind >/dev/null; then
	skip "instructions" "no valgrind"
	finish
fi
program=$(find target/release/deps -name 'bench-*' -perm -u+x ! -name '*.d')
ok "runs by simulation" env PMU_EVENTS=instructions "$build/pmu" run --emulate -o /dev/null "$program" --bench \
	--warm-up-time 1 --measurement-time 1 --sample-size 10 --nresamples 100 --noplot sweep
cp "$tmp/tap.log" "$tmp/out"
# 62 rows of 62 points, each of them some adding and indexing.
ok "a sweep has instructions for each of its points" \
	within "$(middle instructions/sweep instructions)" $((62 * 62 * 5)) $((62 * 62 * 2000))
finish
