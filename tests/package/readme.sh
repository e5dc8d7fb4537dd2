#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# readme.sh TARBALL: what README.md says to type, as it stands there, by a user with the tarball and an empty home.
#
# As root in a name space of its own, where /usr/local and home are empty and /etc is a copy: it is installed where it
# goes without a prefix, and the machine stays as it is.  Otherwise below a prefix.
set -u
tarball=$(realpath "$1") || exit 1
if [ -z "${README_ROOT:-}" ] && [ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null; then
	README_ROOT=1 exec unshare -m sh "$0" "$tarball"
fi
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
. "$(dirname "$0")/../tap.sh"
mkdir "$tmp/home" "$tmp/work" "$tmp/etc"
prefix=$tmp/prefix
if [ "${README_ROOT:-}" ]; then
	mount --make-rprivate / && mount -t tmpfs tmpfs /usr/local && cp -a /etc/. "$tmp/etc" && mount --bind "$tmp/etc" /etc || exit 1
	mkdir -p /usr/local/bin /usr/local/lib
	prefix=/usr/local
fi

# types LINE: in a shell that knows nothing of the caller's
types() {
	(cd "$where" && env -i HOME="$tmp/home" PATH=/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin TERM=dumb \
		XDG_RUNTIME_DIR="$tmp/home" timeout 600 sh -c "$settings
$1") >"$tmp/said" 2>&1 </dev/null
}
evidence=$tmp/said
settings=
where=$tmp/work
tar -xzf "$tarball" -C "$tmp/work" || exit 1
readme=$(echo "$tmp"/work/*/README.md)

# part HEADING: the lines below it; commands are indented by four
part() {
	awk -v heading="## $1" '/^## /{ on = $0 == heading } on' "$readme"
}
# commands HEADING: without their comments and their output
commands() {
	part "$1" | sed '/^```/,/^```$/d' | sed -n 's/^    //p' | sed 's/  *# .*//'
}

# --- Install ---

where=${readme%/*}
commands Install >"$tmp/lines"
is 'README.md says how to install it' "$(grep -c . "$tmp/lines")" 5
if [ "$prefix" = /usr/local ]; then
	grep -E '^(\./bootstrap && make|make install && ldconfig)$' "$tmp/lines" >"$tmp/typed"
else
	echo "./bootstrap --prefix=$prefix && make && make install" >"$tmp/typed"
	settings=$(sed -n "s|DIR|$prefix|g; /^export/p" "$tmp/lines")
fi
while read -r line; do
	types "$line"
	result $? "$line"
done <"$tmp/typed"
types 'make demo'
result $? 'make demo'

# --- Regions of your own: the program and what it is compiled by ---

where=$tmp/work
part 'Regions of your own' | sed -n '/^```c$/,/^```$/p' | sed '/^```/d' >"$where/solve.c"
commands 'Regions of your own' >"$tmp/typed"
ok 'README.md has a program' grep -q pmu_region_begin "$where/solve.c"
while read -r line; do
	types "$line"
	result $? "$line"
done <"$tmp/typed"
ok '  it reports its region' grep -qE '^  solve +1 ' "$tmp/said"

# --- A program as it is ---

# What these lines take for granted: programs, reports of earlier, and something to make.
for name in prog old new; do
	cp "$where/solve" "$where/$name"
done
seq 100000 >"$where/data"
printf 'all:\n\tcc -O0 -o made solve.c $$(pkg-config --cflags --libs pmu)\n' >"$where/Makefile"
types 'pmu run --repeat 3 -o old.json ./prog && pmu check --baseline base.json --update -- --repeat 3 ./prog && pmu-bench --ceilings >ceilings.txt 2>&1 || :'
part 'A program as it is' | sed -n '/^```$/,/^```$/s/^\$ //p' >"$tmp/typed"
commands 'A program as it is' >>"$tmp/typed"
ok 'README.md has commands' test "$(wc -l <"$tmp/typed")" -gt 8
while read -r line; do
	case $line in
	'pmu top') line='pmu top --once' ;; # the view needs a terminal
	'pmu attach'*) line='pmu attach $$ --for 100ms || [ $? -eq 1 ]' ;; # itself; where perf_event may not
	'pmu check'*) line="$line || [ \$? -eq 1 ]" ;; # times differ
	esac
	types "$line"
	result $? "$line"
	: >"$tmp/said"
done <"$tmp/typed"
types 'grep -qi "^<!doctype html>" run.html && python3 -m json.tool run.json >/dev/null'
result $? 'the files are what they are called'
if [ "$prefix" = /usr/local ]; then
	where=${readme%/*}
	types 'make uninstall'
	result $? 'make uninstall'
	find /usr/local ! -type d ! -name '*.pyc' >"$tmp/said"
	ok '  leaves no file' test ! -s "$tmp/said"
fi
finish
