# SPDX-License-Identifier: BSD-3-Clause
# The tables given as arguments, as C: struct pmu_table_place of names/tables/table.h and the text behind it.
BEGIN {
	print "/* Made of the files in lib/names/tables/ by embed.awk. */"
	print "#include \"names/tables/table.h\"\n"
	print "const char pmu_table_text[] ="
}
FNR == 1 {
	name = FILENAME
	sub(/\.[a-z]*$/, "", name)
	folder = name
	sub(/.*\//, "", name)
	# each folder has a map
	if (name == "mapfile") {
		sub(/\/mapfile$/, "", folder)
		sub(/.*\//, "", folder)
		name = folder "/mapfile"
	}
	at[++n] = total + 0
	names[n] = name
}
{
	total += length($0) + 1
	gsub(/\\/, "\\\\")
	gsub(/"/, "\\\"")
	print "\t\"" $0 "\\n\""
}
END {
	at[n + 1] = total
	print "\t\"\";\n"
	print "const struct pmu_table_place pmu_table_place[] = {"
	for (i = 1; i <= n; i++)
		print "\t{ \"" names[i] "\", " at[i] ", " at[i + 1] - at[i] " },"
	print "\t{ \"\", 0, 0 },\n};"
}
