# SPDX-License-Identifier: BSD-3-Clause
# The group files given as arguments, as C: struct pmu_group_shipped of names/file/file.h.
BEGIN {
	print "/* Made of the files in lib/names/data/ by embed.awk. */"
	print "#include \"names/file/file.h\"\n"
	print "const struct pmu_group_shipped pmu_group_shipped[] = {"
}
FNR == 1 {
	if (NR > 1)
		print "\t},"
	name = FILENAME
	sub(/.*\//, "", name)
	sub(/\.group$/, "", name)
	print "\t{\n\t\t\"" name "\","
}
{
	gsub(/\\/, "\\\\")
	gsub(/"/, "\\\"")
	print "\t\t\"" $0 "\\n\""
}
END {
	if (NR)
		print "\t},"
	print "\t{NULL, NULL},\n};"
}
