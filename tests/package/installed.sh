# SPDX-License-Identifier: BSD-3-Clause
# For tests of what is installed: sourced behind tests/command/pmu.sh.  $installed is a prefix with it, which was moved
# there; $libdir its libraries.
# shellcheck shell=sh disable=SC2034,SC2154
[ -z "${TEST_SANITIZERS:-}" ] || skip_all 'a library with sanitizers needs a program with them'
[ -e "$build/Makefile" ] || skip_all 'nothing is configured here'
# What make check was told is not for this make, and there may be two of them.
flock "$build/config.status" env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS -u TESTS \
	make -s -C "$build" install DESTDIR="$tmp/destdir" >install.log 2>&1 || {
	verdict 1 'it is installed' install.log
	finish
}
installed=$tmp/pmu
mv "destdir$(sed -n 's/^prefix=//p' "$build/pmu.pc")" "$installed" || exit 1
libdir=$(find "$installed" -name libpmu.so)
libdir=${libdir%/*}
export LD_LIBRARY_PATH="$libdir"
unset PKG_CONFIG_PATH CMAKE_PREFIX_PATH DESTDIR CC CXX FC CFLAGS CXXFLAGS FFLAGS FCFLAGS LDFLAGS

# regions PROGRAM: it runs, and reports its 20 sweeps
regions() {
	rm -f heat.csv
	PMU_BACKEND=clock PMU_OUTPUT=heat.csv "$1" 20 >out 2>err
	is "  it runs" "$? $(cat err)" '0 '
	is "  and reports its regions" "$(grep -cE '^[^,]*,solve/sweep,sweep,1,all,20,' heat.csv)" 1
}
