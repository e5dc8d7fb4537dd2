# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# For machines with exact counters: 12 groups that take turns, against 12 runs of one each.

# rotate_groups FOLDER EVENT...: group files G01 to G12, each with instructions and one of the events, or none
rotate_groups() {
	folder=$1
	shift
	events=$*
	mkdir -p "$folder"
	for n in 01 02 03 04 05 06 07 08 09 10 11 12; do
		[ $# -gt 0 ] || set -- "" $events
		{
			printf '[group]\nabout = the %s. of twelve\n[events]\nI = instructions\n' $n
			[ -z "$1" ] || printf 'E = %s\n' "$1"
		} >"$folder/G$n.group"
		shift
	done
}

# rotate_run COMMAND...: in the folder where the groups are; all.csv, G01.csv and so on
rotate_run() {
	PMU_GROUP_PATH=$PWD
	export PMU_GROUP_PATH
	PMU_GROUP=G01,G02,G03,G04,G05,G06,G07,G08,G09,G10,G11,G12 PMU_ROTATE=1 PMU_ROTATE_MIN=0 PMU_OUTPUT=all.csv "$@" || return
	for n in 01 02 03 04 05 06 07 08 09 10 11 12; do
		PMU_GROUP=G$n PMU_OUTPUT=G$n.csv "$@" || return
	done
}

# rotate_compare FOLDER CALLS: a group's counts a call of a region are the same in both reports; every call is in one of
# the groups, and each group has its share of them
rotate_compare() {
	awk -F, -v calls="$2" '
		FNR == 1 { split("", name); for (i = 1; i <= NF; i++) name[i] = $i; next }
		$5 != "all" { next }
		FILENAME ~ /all\.csv$/ {
			n_rows++
			of[$2] += $6
			if ($2 == "call" && ($6 < calls / 12 - 15 || $6 > calls / 12 + 15))
				print "# " $1 " has " $6 " calls"
		}
		{
			for (i = 1; i <= NF; i++)
				if (name[i] ~ /^net:/ && $i != "") {
					key = $1 " " $2 " " name[i]
					if (FILENAME ~ /all\.csv$/)
						turned[key] = $i / $6
					else
						alone[key] = $i / $6
				}
		}
		END {
			for (key in alone) {
				n++
				if (!(key in turned) || turned[key] != alone[key])
					print "# " key ": " turned[key] " a call in turns, " alone[key] " alone"
				else
					same++
			}
			if (of["call"] != calls || of["call/loop"] != calls || of["call/mixed"] != 2 * calls)
				print "# calls: " of["call"] ", " of["call/loop"] ", " of["call/mixed"]
			else
				whole = 1
			print "# " n_rows " rows, " n " counts a call, " same " the same"
			exit !(whole && n_rows == 36 && n >= 36 && same == n)
		}' "$1"/all.csv "$1"/G*.csv
}
