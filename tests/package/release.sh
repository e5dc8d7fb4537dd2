#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# make release-check: is what is committed here fit to be released?  release.sh [STEP...]: those alone, of
#
#   committed  nothing is changed, and CHANGELOG.md has a date for this version
#   version    it is the same everywhere, and nodes of released symbols are as they were
#   distcheck  the tarball builds, passes its tests, installs and goes again
#   abi        the public calls are those of the last release
#   manual     the pages say what the command and the header say
#   same       another clone makes the same tarball to the bit
#   readme     what README.md says to type works, in a root without libpmu, from the tarball
set -u
export LC_ALL=C
source=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
build=$PWD
log=$(mktemp) || exit 1
failed=0
version=$(sed -n 's/^AC_INIT(\[libpmu\], \[\(.*\)\])$/\1/p' "$source/configure.ac")
tarball=$build/libpmu-$version.tar.gz

committed() {
	git -C "$source" status --porcelain
	[ -z "$(git -C "$source" status --porcelain)" ] &&
		grep -E "^## $version, [0-9]{4}-[0-9]{2}-[0-9]{2}\$" "$source/CHANGELOG.md" || {
		echo "CHANGELOG.md has no line '## $version, YEAR-MONTH-DAY', or something above is not committed"
		return 1
	}
}
version() {
	make -s check TESTS=tests/package/version.sh
}
distcheck() {
	make -s distcheck
}
abi() {
	make -s check-abi
}
manual() {
	make -s check TESTS=tests/package/man.sh
}
tarball_made() {
	[ -e "$tarball" ] || make -s dist
}
same() {
	tarball_made && sh "$source/tests/package/dist.sh" "$source" "$tarball"
}
readme() {
	tarball_made && sh "$source/tests/package/readme.sh" "$tarball"
}

steps='committed version distcheck abi manual same readme'
for step in ${*:-$steps}; do
	case " $steps " in *" $step "*) ;; *)
		echo "release-check: no step $step; there are: $steps" >&2
		exit 2
		;;
	esac
done
for step in ${*:-$steps}; do
	printf '%-12s' "$step"
	if (cd "$build" && "$step") >"$log" 2>&1; then
		echo ok
	else
		echo FAILED
		tail -n 30 "$log" | sed 's/^/    /'
		failed=1
	fi
done
rm -f "$log"
exit $failed
