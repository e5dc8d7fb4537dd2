#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Builds and runs a program against the installed library, as make installcheck does: CC, CFLAGS,
# PKG_CONFIG, DESTDIR, bindir, libdir and pkgconfigdir come from the Makefile.
set -eu
: "${CC:=cc}" "${CFLAGS:=}" "${PKG_CONFIG:=pkg-config}" "${DESTDIR:=}"
: "${bindir:?}" "${libdir:?}" "${pkgconfigdir:?}"

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
pkg() {
	PKG_CONFIG_PATH="$DESTDIR$pkgconfigdir${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}" \
		PKG_CONFIG_SYSROOT_DIR="$DESTDIR" $PKG_CONFIG "$@" pmu
}
cflags=$(pkg --cflags)
libs=$(pkg --libs)
case $libs in
*hwloc*) die "pkg-config --libs pmu names hwloc, which only static linking needs: $libs" ;;
esac
# shellcheck disable=SC2086 # lists of words
$CC $CFLAGS $cflags "$tmp/prog.c" -o "$tmp/prog" $libs || die "cannot build with $cflags and $libs"

export LD_LIBRARY_PATH="$DESTDIR$libdir${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
PMU_BACKEND=clock PMU_OUTPUT="$tmp/report.csv" "$tmp/prog" >/dev/null ||
	die "the program failed with status $?"
[ -s "$tmp/report.csv" ] || die "the program left no report"
grep -q 'solve.*[^0-9]1000\([^0-9]\|$\)' "$tmp/report.csv" ||
	die "no 1000 calls of solve in its report: $(cat "$tmp/report.csv")"
"$DESTDIR$bindir/pmu" help environment | grep -q PMU_OUTPUT ||
	die "pmu help environment does not know PMU_OUTPUT"
echo "installcheck: a program built with pkg-config runs and reports"
