#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Nothing that may be edited in a store's file moves a write: code that writes stores cannot read its
# sizes, offsets, ids, counts of records and states; what else it reads there is totals.
set -u
export LC_ALL=C

top=${TEST_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
# shellcheck source=tests/tap.sh
. "$top/tests/tap.sh"
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
evidence="$tmp/out"
cd "$top/lib" || exit 1

# "struct field" of each field in row.h that is only stored
fields() {
	awk '/^ *struct [a-z_]+ \{/ { s = $2 }
		/PMU_PUBLISHED\([a-z0-9_]+\)$/ { half = $0; next }
		{ $0 = half " " $0; half = ""; gsub(/[ \t]+/, " ") }
		match($0, /PMU_PUBLISHED\([a-z0-9_]+\) [a-z0-9_]+;/) {
			field = substr($0, RSTART, RLENGTH); sub(/.* /, "", field); sub(/;/, "", field); print s, field
		}' store/row.h
}

# compiles OPTION: code that reads such a field, from standard input
compiles() {
	${TEST_CC:-cc} -std=gnu11 -fsyntax-only -I. "$@" -x c - >"$tmp/out" 2>&1
}

reads() {
	echo '#include "store/row.h"'
	while read -r struct field; do
		echo "uint64_t read_${struct}_$field(const struct $struct *p); uint64_t read_${struct}_$field(const struct $struct *p)"
		echo "{ return p->$field + 1u; }"
	done
}

fields >"$tmp/fields"
n_fields=$(wc -l <"$tmp/fields")
ok "row.h has $n_fields fields that are only stored" [ "$n_fields" -ge 48 ]
for field in 'pmu_store_chunk size' 'pmu_store_chunk used' 'pmu_store_name len' 'pmu_store_group n_slots' \
	'pmu_store_row parent' 'pmu_store_row open' 'pmu_store_trace n_places' 'pmu_store_head size'; do
	ok "$field is one" grep -qx "$field" "$tmp/fields"
done
reads <"$tmp/fields" >"$tmp/all.c"
ok 'readers read them' compiles -DPMU_STORE_READER <"$tmp/all.c"
bad=
while read -r struct field; do
	echo "$struct $field" | reads >"$tmp/one.c"
	if compiles <"$tmp/one.c"; then bad="$bad $struct.$field"; fi
done <"$tmp/fields"
is 'a writer that reads one does not compile' "$bad" ''

is 'what takes the type away stands in one file' "$(grep -rl --include='*.[ch]' 'only_stored' . | sort)" ./store/published.h
is 'readers are those that check what they read, or have it from elsewhere' \
	"$(grep -rl --include='*.[ch]' '^#define PMU_STORE_READER' . | grep -v '^\./store/read/' | sort | xargs)" \
	'./store/brief.c ./store/place.c ./store/save.c'
# Whether and what is stored may follow from these, never where: how often it is open (a sum, or whether a
# handler saves it), which of a row's two banks was the valid one, flags that are added, calls that a ring had.
is 'what is read back to be added up' \
	"$(grep -rhoE --include='*.[ch]' 'PMU_PUBLISHED_SUM\([a-z>.-]+' . | sed 's/.*[>.(]//' | grep -v '^field$' | sort -u | xargs)" \
	'flags n open seq'
finish
