# SPDX-License-Identifier: BSD-3-Clause
# fill's own: awk -v form=FORM -v version=... -f fill.awk dependencies TEMPLATE

# How each form says "this version or a later one"; those that are not here leave it to what they have.
BEGIN {
	later["debian"] = " (>= %s)"
	later["rpm"] = " >= %s"
	later["spack"] = "@%s:"
	later["conda"] = " >=%s"
	value["VERSION"] = version
	value["DATE"] = date
	value["YEAR"] = year
	value["MAINTAINER"] = maintainer
}

# The table: its last line of comment names the columns.
FILENAME == ARGV[1] && /^# configure / {
	for (i = 2; i <= NF; i++)
		column[$i] = i - 1
	if (!(form in column))
		fail("no column " form)
	next
}
FILENAME == ARGV[1] && (/^#/ || !NF) { next }
FILENAME == ARGV[1] {
	rows++
	split($column["kind"], kinds, "+")
	name = $column[form]
	if (name != "-") {
		if ($column["least"] != "-" && form in later)
			name = name sprintf(later[form], $column["least"])
		kind[rows] = kinds[1]
		build[rows] = name
	}
	if (form ".run" in column && $column[form ".run"] != "-") {
		run[rows] = $column[form ".run"]
		how[rows] = kinds[2]
	}
	next
}

# The template.  @each@ is replaced by text alone, so that an ampersand stays one.
function put(line, word, text,    at) {
	at = index(line, word)
	return substr(line, 1, at - 1) text substr(line, at + length(word))
}
function fail(why) {
	print "fill.awk: " why > "/dev/stderr"
	exit 1
}
{
	for (word in value)
		while (index($0, "@" word "@"))
			$0 = put($0, "@" word "@", value[word])
	if (!match($0, /@[a-z]+(,[a-z]+)*@/)) {
		print
		next
	}
	word = substr($0, RSTART, RLENGTH)
	n = split(substr(word, 2, length(word) - 2), asked, ",")
	split("", wanted)
	for (i = 1; i <= n; i++)
		wanted[asked[i]]
	for (row = 1; row <= rows; row++) {
		if (row in build && kind[row] in wanted)
			print put($0, word, build[row])
		if (row in run && how[row] in wanted)
			print put($0, word, run[row])
	}
}
