#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# dist.sh CHECKOUT TARBALL: is the tarball that was made of a commit the one that another clone makes, later, with another umask,
# in another language and zone?  Half a minute, so for .ci/run and make release-check.
set -u
checkout=$(cd "$1" && pwd) && tarball=$(realpath "$2") || exit 1
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
. "$(dirname "$0")/../tap.sh"
unset SOURCE_DATE_EPOCH MAKEFLAGS MAKELEVEL MFLAGS
evidence=$tmp/made

# made COMMAND...: what it says goes into a file
made() {
	"$@" >"$tmp/made" 2>&1
}
umask 077
export TZ=Asia/Tokyo LC_ALL=C.UTF-8
cd "$tmp" || exit 1
GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=safe.directory GIT_CONFIG_VALUE_0='*' made git clone -q --no-local "$checkout" clone &&
	made sh -c 'cd clone && mkdir -p build-aux/m4 && autoreconf -fi && mkdir build && cd build && ../configure && make dist'
result $? 'another clone makes a tarball'
other=$(echo clone/build/*.tar.gz)
is 'of the same name' "${other##*/}" "${tarball##*/}"
is 'and the same to the bit' "$(sha256sum <"$other")" "$(sha256sum <"$tarball")"
[ "$failed" = 0 ] || for one in "$tarball" "$other"; do
	tar -tvzf "$one" >"$(basename "$(dirname "$one")").list"
done
[ "$failed" = 0 ] || diff -- *.list | head -n 20 | sed 's/^/# /'
is 'nobody owns it, and nobody else may write' "$(tar -tvzf "$other" --numeric-owner | awk '{ print substr($1, 6, 1) substr($1, 9, 1), $2 }' | sort -u)" '-- 0/0'
is 'all is of one time' "$(tar -tvzf "$other" | awk '{ print $4, $5 }' | sort -u | wc -l)" 1
finish
