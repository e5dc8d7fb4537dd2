#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Files of packages: they are what their programs take, have this version, and ask for what configure and bootstrap look for.
set -u
export LC_ALL=C

# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
cd "${TEST_SRCDIR:-$(dirname "$0")/../..}" || exit 1
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
packages=bindings/packages
table=$packages/dependencies
python=${TEST_PYTHON:-python3}
evidence="$tmp/got.diff $tmp/log"
version=$(sed -n 's/^AC_INIT(\[libpmu\], \[\(.*\)\])$/\1/p' configure.ac)

# same NAME GOT WANT: both files have the same lines, in any order
same() {
	sort -u "$2" >"$tmp/got.sorted"
	sort -u "$3" >"$tmp/want.sorted"
	[ -s "$tmp/want.sorted" ] && diff "$tmp/want.sorted" "$tmp/got.sorted" >"$tmp/got.diff"
	result $? "$1"
}

# rows COLUMN KINDS: the names in a column of the dependencies of kinds (an extended regular expression)
rows() {
	awk -v wanted="$1" -v kinds="^($2)\$" '
		/^# configure / { for (i = 2; i <= NF; i++) at[$i] = i - 1 }
		/^#/ || !NF { next }
		{ split($at["kind"], kind, "+") }
		kind[1] ~ kinds && $at[wanted] != "-" { print $at[wanted] (wanted == "configure" ? " " $at["least"] : "") }' $table
}

awk '!/^#/ && NF { print NF }' $table | sort -u >"$tmp/widths"
awk '/^# configure / { print NF - 1 }' $table >"$tmp/columns"
same 'each dependency has a name or a "-" for each form' "$tmp/widths" "$tmp/columns"

# --- what configure looks for
{
	sed -n 's/^PKG_CHECK_MODULES(\[[A-Z_]*\], \[\([^] ]*\) *>* *=* *\([0-9.]*\)\].*/\1 \2/p; s/^\tPKG_CHECK_MODULES(\[[A-Z_]*\], \[\([^] ]*\) *>* *=* *\([0-9.]*\)\].*/\1 \2/p' configure.ac
	grep -oE 'AC_CHECK_HEADERS?\(\[[a-z0-9./]*\]' configure.ac | sed 's/.*\[\(.*\)\]/\1/'
	sed -n 's/^PKG_PROG_PKG_CONFIG(\[\(.*\)\])$/pkg-config \1/p; s/^AM_PATH_PYTHON(\[\([0-9.]*\)\].*/python \1/p' configure.ac
	sed -n 's/^AC_PREREQ(\[\(.*\)\])$/autoconf \1/p; s/^AM_INIT_AUTOMAKE(\[\([0-9.]*\) .*/automake \1/p; s/^LT_INIT(.*/libtool/p' configure.ac
} | awk '{ print $1, (NF == 1 ? "-" : $2) }' >"$tmp/configure"
rows configure '[a-z]*' >"$tmp/table"
same 'the dependencies are those of configure, with its versions' "$tmp/configure" "$tmp/table"

# The compiler and make, by which everything is built, are in no table.
grep -oE '(need|want "[^"]*") ("[^"]*"|[a-z-]+) [a-z0-9-]+ ' bootstrap | sed 's/ $//; s/.* //' | grep -vxE 'make|gcc' >"$tmp/bootstrap"
{
	rows debian 'needed|checkout|wanted' | sed 's/\[.*//'
	echo pkg-config
} >"$tmp/needed"
same 'bootstrap installs those that are needed or wanted' "$tmp/bootstrap" "$tmp/needed"
grep -oE "pkg-config --exists '[^']* >= [^']*'" bootstrap | sed "s/.*'\(.*\) >= \(.*\)'/\1 \2/" >"$tmp/bootstrap"
rows configure 'needed|wanted' | grep -v ' -$' | grep -v '^valgrind ' >"$tmp/needed"
same '  and looks for the same versions' "$tmp/bootstrap" "$tmp/needed"

# --- the forms
ok 'the files of all packages are made' sh $packages/fill all . "$tmp/p"
(cd "$packages" && ls -d -- */ | tr -d /) >"$tmp/folders"
(cd "$tmp/p" && ls) >"$tmp/got"
same 'every form is among them' "$tmp/got" "$tmp/folders"
is '  and nothing is left to fill in' "$(find "$tmp/p" -name '*.in')" ''
SOURCE_DATE_EPOCH=0 sh $packages/fill debian . "$tmp/again"
grep -q 'Thu, 01 Jan 1970' "$tmp/again/debian/changelog"
result $? '  of the date that SOURCE_DATE_EPOCH says'
mkdir "$tmp/other" && ! sh $packages/fill debian "$tmp/other" "$tmp/none" 2>"$tmp/log" && grep -q 'no version\|No such file' "$tmp/log"
result $? 'a folder that is not the source is refused'
rm -f "$tmp/log"

# asks FORM KINDS: $tmp/got and $tmp/version are those that the form has
asks() {
	is "$1: this version" "$(cat "$tmp/version")" "$version"
	rows "$1" "$2" | sed 's/\[.*//' >"$tmp/want"
	same '  and the dependencies of the table' "$tmp/got" "$tmp/want"
}

for form in spack:package.py conda:meta.yaml; do
	file=$tmp/p/${form%%:*}/${form#*:} form=${form%%:*}
	if [ "$python" = : ] || ! command -v "$python" >/dev/null; then
		skip "$form: its file is read" 'no Python'
		continue
	fi
	if [ "$form" = conda ] && ! "$python" -c 'import jinja2, yaml' 2>/dev/null; then
		skip "$form: its file is read" 'needs python3-jinja2 and python3-yaml'
		continue
	fi
	ok "$form: its file is read" "$python" -B tests/package/recipe.py "$form" "$file"
	sed -n 's/^version //p' "$tmp/tap.log" >"$tmp/version"
	sed -n 's/^needs //p' "$tmp/tap.log" >"$tmp/got"
	asks $form 'tool|needed|wanted'
done

ok 'conda: its script is one' sh -n "$tmp/p/conda/build.sh"

file=$tmp/p/rpm/libpmu.spec
if command -v rpmspec >/dev/null; then
	ok 'rpm: its file is read' rpmspec -q --srpm --qf '%{version}\n[%{requires}\n]' "$file"
	sed -n 1p "$tmp/tap.log" >"$tmp/version"
	sed 1d "$tmp/tap.log" | grep -vE '^(gcc|gcc-gfortran|make|rpmlib\(.*)$|^$' >"$tmp/got"
	asks rpm 'tool|needed|wanted'
else
	skip 'rpm: its file is read' 'no rpmspec'
fi

# --- Debian
debian=$tmp/p/debian
awk '/^Build-Depends:/ { on = 1; next } /^[^ ]/ { on = 0 } on { print $1 }' "$debian/control" |
	sed 's/,$//; s/\[.*//' | grep -vxE 'debhelper-compat|dh-sequence-python3|gfortran' >"$tmp/got"
sed -n '1s/^libpmu (\(.*\)-0upstream1) .*/\1/p' "$debian/changelog" >"$tmp/version"
asks debian 'tool|needed|wanted'
if command -v dpkg-parsechangelog >/dev/null; then
	ok '  its changelog is one' dpkg-parsechangelog -l "$debian/changelog"
else
	skip '  its changelog is one' 'no dpkg-dev'
fi
sed -n 's/^\t\(pmu_[a-z_]*\);$/\1/p' lib/libpmu.map >"$tmp/want"
sed -n 's/^ \(pmu_[a-z_]*\)@.*/\1/p' "$debian/libpmu0.symbols" >"$tmp/got"
same '  its symbols are those that the library promises' "$tmp/got" "$tmp/want"
soname=$(sed -n 's/.*_libpmu_la_LDFLAGS = -version-info \([0-9]*\):[0-9]*:\([0-9]*\).*/\1 \2/p' lib/local.mk | awk '{ print $1 - $2 }')
grep -q "^Package: libpmu$soname\$" "$debian/control" && [ -e "$debian/libpmu$soname.install" ]
result $? "  the library's package is called after its soname, libpmu$soname"
for script in "$debian"/tests/run "$debian"/tests/build "$debian"/tests/python $packages/build $packages/fill; do
	sh -n "$script" || echo "$script"
done >"$tmp/log" 2>&1
! [ -s "$tmp/log" ]
result $? 'scripts are scripts'

finish
