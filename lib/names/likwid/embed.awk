# SPDX-License-Identifier: BSD-3-Clause
# events.names as C, without what is for people: char pmu_likwid_names[] of names/likwid/parts.h.
BEGIN {
	print "/* Made of lib/names/likwid/events.names by embed.awk. */"
	print "#include \"names/likwid/parts.h\"\n"
	print "const char pmu_likwid_names[] ="
}
{
	sub(/[ \t]*#.*/, "")
}
NF {
	gsub(/\\/, "\\\\")
	gsub(/"/, "\\\"")
	print "\t\"" $0 "\\n\""
}
END {
	print "\t\"\";"
}
