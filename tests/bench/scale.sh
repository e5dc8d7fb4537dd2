#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# bench/scale at its smallest sizes: every call is counted, every thread is apart, and what has no noise in it grows no
# faster than what it is of.  How long anything takes is no matter here.
# shellcheck disable=SC2317 # functions are called by ok
# shellcheck source=tests/bench/bench.sh
program=scale
. "$(dirname "$0")/bench.sh"
export TEST_BUILDDIR="$build" TEST_SRCDIR="$source"

one_part() {
	status 0 --quick regions && grep -q '^Regions' out && ! grep '^Threads' out
}

# rows PYTHON: an expression about every row; those for which it does not hold are shown
rows() {
	"${TEST_PYTHON:-python3}" - "$1" <<-'END'
		import json, sys
		rows = json.load(open("all.json"))["rows"]
		wrong = [row for row in rows if not eval(sys.argv[1], {}, row)]
		for row in wrong:
		    print(row["part"], "-", row["subject"], row["values"], row["growth"], row["note"])
		sys.exit(bool(wrong) or not rows)
	END
}

# there N SUBJECT: so many rows begin so and have values
there() {
	"${TEST_PYTHON:-python3}" - "$1" "$2" <<-'END'
		import json, sys
		rows = [row for row in json.load(open("all.json"))["rows"] if row["subject"].startswith(sys.argv[2])]
		for row in rows:
		    print(row["part"], "-", row["subject"], row["values"])
		sys.exit(len([row for row in rows if None not in row["values"]]) < int(sys.argv[1]))
	END
}

ok 'an option that there is not' refused --nonsense
ok 'a part that there is not' refused threads nonsense
ok 'help' helps
ok 'one part alone' one_part

# 1 where a value is missing: where the kernel refuses software events
"$pmu" --quick --json >all.json 2>err
got=$?
ok 'it runs, and says nothing on standard error' [ "$got" -le 1 -a ! -s err ]
ok 'JSON, with two values in every row' rows 'len(values) == len(sizes) == 2'
ok 'a missing value has a reason' rows 'None not in values or note'
ok 'only those of the software source may be missing' rows 'None not in values or "software" in part'
ok 'what is to be none is none' rows 'target != "none" or not any(value for value in values if value is not None)'
ok 'calls were compared in each sweep on the clock' there 2 'regions of threads with wrong calls'
ok 'and so were threads' there 2 'threads that are not apart'
ok 'stores grow no faster than what is in them' rows 'subject != "store, file" or growth is None or growth < 1.05'
ok 'stores were measured' there 2 'store, file'
ok 'the text report stays short' rows 'subject != "text, size" or None in values or max(values) < 64'
finish
