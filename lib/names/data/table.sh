#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Writes README.md: which of the groups here work on which processors, by what the command says of each.
#
#   sh table.sh PMU >README.md
set -eu
pmu=$1
# no groups but the shipped ones
HOME=/nonexistent
export HOME LC_ALL=C
unset XDG_CONFIG_HOME PMU_GROUP_PATH PMU_EVENT_FILES
groups='CORE CYCLES BRANCH CACHE L2 L3 TLB DATA UOPS STALLS TOPDOWN TMA1 FLOPS_DP FLOPS_SP MEM NUMA ENERGY'

# A line each: as --cpu takes it, and as people call it.
processors() {
	cat <<'EOF'
# Intel, servers
6-1A Nehalem-EP
6-2E Nehalem-EX
6-2C Westmere-EP
6-2F Westmere-EX
6-2D Sandy Bridge-EP
6-3E Ivy Bridge-EP
6-3F Haswell-EP
6-4F Broadwell-EP
6-56 Broadwell-DE
6-57 Knights Landing
6-85 Knights Mill
6-55-4 Skylake-SP
6-55-7 Cascade Lake
6-55-B Cooper Lake
6-6A Ice Lake-SP
6-6C Ice Lake-D
6-8F Sapphire Rapids
6-CF Emerald Rapids
6-AD Granite Rapids
6-AE Granite Rapids-D
6-AF Sierra Forest
6-DD Clearwater Forest
6-4D Avoton
6-5F Denverton
6-86 Snow Ridge
6-B6 Grand Ridge
13-1 Diamond Rapids
# Intel, clients
6-17 Penryn
6-2A Sandy Bridge
6-3A Ivy Bridge
6-3C Haswell
6-3D Broadwell
6-5E Skylake
6-9E Kaby Lake
6-A5 Comet Lake
6-7E Ice Lake
6-8C Tiger Lake
6-A7 Rocket Lake
6-97 Alder Lake
6-B7 Raptor Lake
6-D7 Bartlett Lake
6-AA Meteor Lake
6-C5 Arrow Lake-H
6-C6 Arrow Lake-S
6-BD Lunar Lake
6-CC Panther Lake
12-1 Nova Lake
6-37 Bay Trail
6-5C Apollo Lake
6-7A Gemini Lake
6-96 Elkhart Lake
6-BE Alder Lake-N
# AMD
17-1 Zen: Naples
17-8 Zen+: Pinnacle Ridge
17-31 Zen 2: Rome
17-71 Zen 2: Matisse
19-1 Zen 3: Milan
19-21 Zen 3: Vermeer
19-44 Zen 3+: Rembrandt
19-11 Zen 4: Genoa
19-61 Zen 4: Raphael
19-A0 Zen 4c: Bergamo
1A-2 Zen 5: Turin
1A-44 Zen 5: Granite Ridge
1A-11 Zen 5c: Turin Dense
1A-50 Zen 6
HygonGenuine-24-0 Dhyana
# Arm
0x410fd0c0 Neoverse N1
0x410fd400 Neoverse V1
0x410fd490 Neoverse N2, before r0p3
0x410fd493 Neoverse N2
0x410fd4f0 Neoverse V2
0x410fd8e0 Neoverse N3
0x410fd840 Neoverse V3
0x6d0fd490 Cobalt 100
0x460f0010 A64FX
0xc00fac30 AmpereOne
0xc00fac40 AmpereOneX
0x500f0000 X-Gene, eMAG
0x430f0af0 ThunderX2
0x480fd010 Kunpeng 920
0x410fd030 Cortex-A53
0x410fd050 Cortex-A55
0x410fd080 Cortex-A72
0x410fd0b0 Cortex-A76
0x410fd410 Cortex-A78
0x410fd470 Cortex-A710
0x410fd810 Cortex-A720
0x410fd870 Cortex-A725
0x410fd440 Cortex-X1
0x410fd480 Cortex-X2
0x410fd4e0 Cortex-X3
0x410fd820 Cortex-X4
0x410fd850 Cortex-X925
0x612f0230 Apple M1
0x611f0330 Apple M2
EOF
}

# Of one processor: a letter for each group.
marks() {
	"$pmu" list groups --cpu "$1" --json | awk -v groups="$groups" '
		# of a line, which is a group: what stands behind a name, up to the next one
		function value(of) {
			if (!match($0, "\"" of "\": (null|\"([^\"\\\\]|\\\\.)*\")"))
				return ""
			of = substr($0, RSTART + length(of) + 4, RLENGTH - length(of) - 4)
			gsub(/^"|"$/, "", of)
			return of
		}
		/"name":/ { name = value("name"); note[name] = value("note"); why[name] = value("why_not") }
		END {
			n = split(groups, group, " ")
			for (i = 1; i <= n; i++) {
				g = group[i]
				line = line " " (why[g] != "null" ? "" : note[g] ~ /kernel.s PMU/ ? "k" : note[g] ~ /architecture/ ? "a" : "x") " |"
			}
			print line
		}'
}

cat <<'EOF'
# Groups of events

What comes with the library, a file a group: which events, by processor, and what is made of them. The comment at the top of
each file says where its events and formulas are from. pmu-events(7) has the form; a group of your own goes into
`~/.config/pmu/groups`.

Which works on which processor, as far as the library's tables know, which is what `pmu list groups --cpu` says: x; k: with a
PMU of the kernel's, which a virtual machine may not have; a: by the architecture's events alone, those of them that the kernel
counts there. SOFTWARE and TIME work everywhere, GPU with NVIDIA's cards. An event that a processor does not count, or for which no counter is free, is
left out where the group can do without it, and so is what would be made of it.

TMA1 to TMA4 are top-down analysis to that level. They stand for the groups TMA_*, of which a processor has those that
it needs; a level more needs more of them. `pmu run --topdown` shows them as a tree.

Made by `make update-groups`.

EOF
table=$(mktemp)
trap 'rm -f "$table"' EXIT
processors >"$table"
while read -r cpu name; do
	if [ "$cpu" = '#' ]; then
		echo
		echo "| $name | $(echo "$groups" | sed 's/ / | /g') |"
		echo "|---|$(echo "$groups" | sed 's/[^ ][^ ]*/---|/g; s/ //g')"
	else
		echo "| $name |$(marks "$cpu")"
	fi
done <"$table" | sed 1d
