#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Builds and runs a program against the installed library, as make installcheck does: CC, CFLAGS,
# CXX, FC, PYTHON, PKG_CONFIG, DESTDIR and the folders come from the Makefile.
set -eu
: "${CC:=cc}" "${CFLAGS:=}" "${PKG_CONFIG:=pkg-config}" "${DESTDIR:=}"
: "${bindir:?}" "${libdir:?}" "${docdir:?}" "${mandir:?}" "${pkgconfigdir:?}" "${pythondir:=}"

die() {
	echo "installcheck: $*" >&2
	exit 1
}

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
for v in $(env | sed -n 's/^\(PMU_[A-Za-z0-9_]*\)=.*/\1/p'); do unset "$v"; done

cat >"$tmp/prog.c" <<'C'
#include <pmu.h>
#include <stdio.h>

int main(void)
{
	double sum = 0;

	for (int i = 0; i < 1000; i++) {
		if (pmu_region_begin("solve"))
			return 2;
		for (int k = 1; k < 1000; k++)
			sum += 1.0 / k;
		if (pmu_region_end("solve"))
			return 3;
	}
	printf("%d %d %g\n", PMU_VERSION, pmu_version(), sum);
	return pmu_version() != PMU_VERSION;
}
C

# Where DESTDIR is not empty the .pc file tells where things will be, not where they are.
pkg_of() {
	PKG_CONFIG_PATH="$DESTDIR$pkgconfigdir${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}" \
		PKG_CONFIG_SYSROOT_DIR="$DESTDIR" $PKG_CONFIG "$@"
}
pkg() {
	pkg_of pmu "$@"
}
cflags=$(pkg --cflags)
libs=$(pkg --libs)
case $libs in
*hwloc*) die "pkg-config --libs pmu names hwloc, which only static linking needs: $libs" ;;
esac
# shellcheck disable=SC2086 # lists of words
$CC $CFLAGS $cflags "$tmp/prog.c" -o "$tmp/prog" $libs || die "cannot build with $cflags and $libs"

# Nothing that is installed looks for libraries where it was built.
for file in "$DESTDIR$bindir"/pmu* "$DESTDIR$libdir"/libpmu*.so; do
	! readelf -d "$file" 2>/dev/null | grep -E 'R(UN)?PATH.*/\.libs' || die "$file has a path into the build tree"
done
export LD_LIBRARY_PATH="$DESTDIR$libdir${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
PMU_BACKEND=clock PMU_OUTPUT="$tmp/report.csv" "$tmp/prog" >/dev/null ||
	die "the program failed with status $?"
[ -s "$tmp/report.csv" ] || die "the program left no report"
grep -q 'solve.*[^0-9]1000\([^0-9]\|$\)' "$tmp/report.csv" ||
	die "no 1000 calls of solve in its report: $(cat "$tmp/report.csv")"
# What knows names of events is found where it is installed.
PMU_EVENTS=page-faults PMU_OUTPUT="$tmp/events.csv" "$tmp/prog" >/dev/null 2>"$tmp/events.err" ||
	die "the program failed with status $?"
grep -q 'page-faults' "$tmp/events.csv" || die "no names of events: $(cat "$tmp/events.err")"
# A program that was not linked with it, by what `pmu run` finds; a sanitizer cannot be preloaded.
case $CFLAGS in
*-fsanitize*) ;;
*)
	"$DESTDIR$bindir/pmu" run -o "$tmp/run.csv" sh -c : || die "pmu run failed with status $?"
	grep -q 'main' "$tmp/run.csv" || die "pmu run has measured nothing: $(cat "$tmp/run.csv")"
	;;
esac
# Programs annotated for other libraries find headers of their names where the .pc file says.
cat >"$tmp/annotated.c" <<'C'
#include <likwid-marker.h>
#include <papi.h>

int main(void)
{
	LIKWID_MARKER_INIT;
	LIKWID_MARKER_START("likwid");
	PAPI_hl_region_begin("papi");
	PAPI_hl_region_end("papi");
	LIKWID_MARKER_STOP("likwid");
	LIKWID_MARKER_CLOSE;
	return 0;
}
C
for dir in $(pkg --variable=likwidincludedir) $(pkg --variable=papiincludedir); do
	[ -d "$dir" ] || dir=$DESTDIR$dir
	cflags="$cflags -I$dir"
done
# shellcheck disable=SC2086
$CC $CFLAGS $cflags -DLIKWID_PERFMON "$tmp/annotated.c" -o "$tmp/annotated" $libs ||
	die "cannot build an annotated program with $cflags and $libs"
PMU_BACKEND=clock PMU_OUTPUT="$tmp/annotated.csv" "$tmp/annotated" || die "the annotated program failed with status $?"
[ "$(grep -cE '(likwid|papi),[01],all,1,' "$tmp/annotated.csv")" = 2 ] ||
	die "no calls of both libraries' regions: $(cat "$tmp/annotated.csv")"

# Other languages: the installed examples, with what is installed and nothing of the source tree.
# regions LANGUAGE PROGRAM...: runs it, and has every sweep counted
regions() {
	language=$1
	shift
	rm -f "$tmp/heat.csv"
	PMU_BACKEND=clock PMU_OUTPUT="$tmp/heat.csv" "$@" 20 >/dev/null ||
		die "the example in $language failed with status $?"
	grep -qE '^[^,]*,solve/sweep,sweep,1,all,20,' "$tmp/heat.csv" ||
		die "no 20 sweeps of the example in $language: $(cat "$tmp/heat.csv")"
	echo "installcheck: the example in $language runs and reports"
}
heat=$DESTDIR$docdir/examples/heat
if [ -n "${CXX:-}" ]; then
	# shellcheck disable=SC2046,SC2086
	$CXX -std=c++17 $CFLAGS $(pkg --cflags) "$heat.cc" -o "$tmp/heat" $(pkg --libs) ||
		die "cannot build the example in C++"
	regions C++ "$tmp/heat"
fi
case $CFLAGS in
*-fsanitize*) FC='' PYTHON=: rustc=: go=: ;;
*)
	rustc=$(command -v /usr/bin/rustc || echo rustc) go=go # Debian's, which another one may be in front of
	$rustc --version >/dev/null 2>&1 || rustc=:
	command -v go >/dev/null || go=:
	;;
esac
if [ -n "${FC:-}" ]; then
	module=$(pkg --variable=fortransource)
	[ -f "$module" ] || module=$DESTDIR$module
	# shellcheck disable=SC2046
	(cd "$tmp" && $FC "$module" "$heat.f90" -o heat $(pkg --libs)) ||
		die "cannot build the example in Fortran with the module's source"
	regions "Fortran, from source" "$tmp/heat"
	# shellcheck disable=SC2046
	$FC $(pkg_of pmu-fortran --cflags) "$heat.f90" -o "$tmp/heat" $(pkg_of pmu-fortran --libs) ||
		die "cannot build the example in Fortran"
	regions Fortran "$tmp/heat"
fi
if [ "${PYTHON:-:}" != : ]; then
	export PYTHONPATH="$DESTDIR$pythondir" PYTHONDONTWRITEBYTECODE=1
	regions Python "$PYTHON" "$heat.py"
	"$PYTHON" -c 'import pmu, sys
pmu.library()
sys.exit(sys.argv[1] not in open("/proc/self/maps").read())' "$DESTDIR$libdir/libpmu.so" ||
		die "the Python package takes another library than the installed one"
fi

if [ "$rustc" != : ]; then
	# shellcheck disable=SC2046
	$rustc -O "${heat%/*}/rust/heat.rs" -o "$tmp/heat" $(pkg --libs) || die "cannot build the example in Rust"
	regions Rust "$tmp/heat"
fi
if [ "$go" != : ]; then
	(
		cd "${heat%/*}/go"
		export PKG_CONFIG_PATH="$DESTDIR$pkgconfigdir" PKG_CONFIG_SYSROOT_DIR="$DESTDIR" CC
		GOCACHE="$tmp/gocache" GOPATH="$tmp/gopath" GOPROXY=off GOFLAGS=-buildvcs=false \
			$go build -o "$tmp/heat" .
	) || die "cannot build the example in Go"
	regions Go "$tmp/heat"
fi

"$DESTDIR$bindir/pmu" help environment | grep -q PMU_OUTPUT ||
	die "pmu help environment does not know PMU_OUTPUT"
for page in 1/pmu.1 1/pmu-run.1 7/pmu-events.7 3/pmu.3 3/pmu_region_begin.3 3/pmu_region_end_n.3 3/PMU_REGION.3 7/pmu.7; do
	[ -s "$DESTDIR$mandir/man$page" ] || die "no manual page man$page in $mandir"
done
echo "installcheck: a program built with pkg-config runs and reports"
