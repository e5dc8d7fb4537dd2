#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Debian's packages: built of the release's tarball, without lintian's errors, installed into a clean root, and used there.
set -u
export LC_ALL=C DEBIAN_FRONTEND=noninteractive

# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
[ "${TEST_SLOW:-}" != skip ] || skip_all TEST_SLOW=skip
[ -z "${TEST_SANITIZERS:-}" ] || skip_all 'a package is built without sanitizers'
[ "$(id -u)" -eq 0 ] || skip_all 'needs root, for a root folder'
for tool in dpkg-buildpackage dh dh_python3 lintian mmdebstrap gfortran valgrind; do
	command -v "$tool" >/dev/null || skip_all "$tool is missing"
done
build=$(cd "${TEST_BUILDDIR:-.}" && pwd) || exit 1
cd "${TEST_SRCDIR:-$(dirname "$0")/../..}" || exit 1
tmp=$(mktemp -d "${TMPDIR:-/tmp}/pmu-debian.XXXXXX") || exit 1
chmod 755 "$tmp" # apt's own user reads the packages there
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM
packages=bindings/packages

# This system and where it is got from, as apt knows it.
codename=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
# shellcheck disable=SC2016 # apt's own
apt-get indextargets --format '$(REPO_URI) $(CODENAME) $(COMPONENT)' 'Created-By: Packages' |
	awk -v code="$codename" '$2 == code && $3 == "main" { print "deb", $1, $2, $3; exit }' >"$tmp/sources"
unshare --mount true 2>"$tmp/log" || skip_all "no mounts of its own: $(cat "$tmp/log")"
[ -s "$tmp/sources" ] || skip_all "apt has no archive of $codename: apt-get update"
mkdir "$tmp/debs"
# The root is made meanwhile.  What these programs need is asked for by the packages' names.
root=$tmp/root
(mmdebstrap --quiet --variant=apt --include=gcc,gfortran,libc6-dev,pkg-config,python3 "$codename" "$root" "$tmp/sources" >"$tmp/root.log" 2>&1
	echo $? >"$tmp/root.rc") &
ok 'the tarball is made' make -s -C "$build" dist
version=$(sed -n 's/^AC_INIT(\[libpmu\], \[\(.*\)\])$/\1/p' configure.ac)
evidence=$tmp/build.log
# Without debugging information and at -O1: it is the packaging that is tested here.
DEB_BUILD_OPTIONS='nocheck noautodbgsym parallel=2' DEB_CFLAGS_APPEND='-O1 -g0' \
	sh $packages/build deb "$build/libpmu-$version.tar.gz" "$tmp/debs" >"$tmp/build.full" 2>&1
rc=$?
tail -n 40 "$tmp/build.full" >"$tmp/build.log"
result $rc 'its packages are built'
[ $rc = 0 ] || finish
(cd "$tmp/debs" && printf '%s\n' *.deb | sed 's/_.*//' | tr '\n' ' ') >"$tmp/names"
is '  all of them' "$(cat "$tmp/names")" 'libpmu-dev libpmu-doc libpmu0 pmu-tools python3-pmu '
evidence=$tmp/lintian
lintian --fail-on error "$tmp"/debs/*.changes >"$tmp/lintian" 2>&1
result $? '  and lintian finds no errors in them'

# --- a root with nothing of ours, and nothing that libpmu is built with
wait
evidence=$tmp/root.log
[ "$(cat "$tmp/root.rc")" = 0 ]
result $? 'a clean root is made'
[ "$(cat "$tmp/root.rc")" = 0 ] || finish
cp "$tmp"/debs/*.deb "$root/tmp" && cp /etc/resolv.conf "$root/etc/resolv.conf"
cp -R "$packages/debian/tests" "$root/tmp/tests"
# inside COMMAND...: in the root, with /proc, mounted for this command alone
inside() {
	# shellcheck disable=SC2016
	unshare --mount --propagation private env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root DEBIAN_FRONTEND=noninteractive \
		sh -c 'mount --rbind /proc "$0/proc" && exec chroot "$0" "$@"' "$root" "$@"
}
evidence=''
ok '  and the packages are installed into it, with what they depend on' \
	inside sh -c 'apt-get update -qq && apt-get install -y -qq --no-install-recommends /tmp/*.deb'
for each in run build python; do
	ok "  where the test that is installed with them, $each, holds" inside sh "/tmp/tests/$each"
done
ok '  and they can be removed' inside dpkg --purge libpmu-dev libpmu-doc libpmu0 pmu-tools python3-pmu
is '  wholly' "$(find "$root/usr" -name '*pmu*' ! -path '*/linux/*' ! -path '*perf*' | head)" ''

finish
