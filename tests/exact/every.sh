# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# For machines whose counters are exact: one call in a few, against all of them.

# every_run COMMAND...: plain.csv, every.csv
every_run() {
	PMU_OUTPUT=plain.csv "$@" || return
	PMU_EVERY='all:1,nested:3,second:7,*:4' PMU_OUTPUT=every.csv "$@"
}

# every_compare FOLDER: a measured call has counted as much in both, and of some regions not each was measured
every_compare() {
	awk -F, '
		FNR == 1 { split("", name); for (i = 1; i <= NF; i++) name[i] = $i; next }
		$5 != "all" { next }
		{
			for (i = 1; i <= NF; i++)
				if (name[i] ~ /^net:/ && $i != "" && $6 > 0) {
					key = $2 " " name[i]
					if (FILENAME ~ /plain\.csv$/)
						plain[key] = $i / $6
					else
						every[key] = $i / $6
				}
			if (FILENAME ~ /plain\.csv$/)
				calls[$2] = $6
			else if ($6 < calls[$2])
				fewer++
		}
		END {
			for (key in plain) {
				n++
				if (!(key in every) || every[key] != plain[key])
					print "# " key ": " every[key] " of some, " plain[key] " of all"
				else
					same++
			}
			print "# " n " counts a call, " same " the same; of " fewer + 0 " regions not each call was measured"
			exit !(n >= 8 && same == n && fewer == 7)
		}' "$1/plain.csv" "$1/every.csv"
}
