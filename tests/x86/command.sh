# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# For models.sh: what the pmu command says about each machine and counts on it, as root and as nobody.

command_prepare() {
	compile work x86/work.c
}

# status NAME WHO FILE WANT
status() {
	got=$(sed -n "s/^$3 //p" "$out/$1/$2/statuses")
	[ "$got" = "$4" ]
	result $? "$1, $2, $3: its status is $4"
	[ "$got" = "$4" ] || echo "# got $got"
}

# says NAME WHO FILE PATTERN: lines that were broken are whole here
says() {
	tr -s '\n ' '  ' <"$out/$1/$2/$3" | grep -qE -- "$4"
	said=$?
	result $said "$1, $2, $3 says \"$4\""
	[ $said -eq 0 ] || head -n 40 "$out/$1/$2/$3" | sed 's/^/# /'
}

says_not() {
	! tr -s '\n ' '  ' <"$out/$1/$2/$3" | grep -qE -- "$4"
	said=$?
	result $said "$1, $2, $3 does not say \"$4\""
	[ $said -eq 0 ] || head -n 40 "$out/$1/$2/$3" | sed 's/^/# /'
}

# counts NAME WHO FILE: the regions' instructions, cycles and branches as the program did them, an IPC of 1, the other events
# in the proportion that the machine has them, and a reason for each that is missing
counts() {
	awk -F, -v wants="$out/$1/$2/$3.want" -v text="$out/$1/$2/$3.txt" '
		BEGIN {
			while ((getline line < wants) > 0) {
				split(line, word, " ")
				path = "main/" word[2]
				calls[path] = word[3]
				n[path, "instructions"] = n[path, "cycles"] = word[4]
				n[path, "branches"] = word[5]
				about[path, "branch-misses"] = word[5] / 8
				if (intel()) {
					about[path, "ref-cycles"] = word[4] / 2
					about[path, "cache-references"] = word[4] / 16
					about[path, "cache-misses"] = word[4] / 64
				}
				regions++
			}
			while ((getline line < text) > 0)
				report = report " " line
			gsub(/ +/, " ", report)
		}
		function intel() { return "'"$1"'" !~ /^(Naples|Rome|Milan|Genoa)$/ }
		function wrong(what) { print "# " path ": " what; bad++ }
		NR == 1 { for (i = 1; i <= NF; i++) { title[i] = $i; sub(/^net:/, "", title[i]); at[$i] = i } next }
		!($2 in calls) || $5 != "all" { next }
		{
			path = $2
			seen++
			if ($6 != calls[path])
				wrong($6 " calls instead of " calls[path])
			# calls that a slow read makes look short have none
			if (at["IPC"] && $(at["IPC"]) != "" && $(at["IPC"]) != 1)
				wrong("IPC " $(at["IPC"]))
			for (i = 1; i <= NF; i++) {
				event = title[i]
				if ((path, event) in n && at["net:" event] == i && $i != n[path, event])
					wrong(event " " $i " instead of " n[path, event])
				if (!((path, event) in about) || at["net:" event] != i)
					continue
				if ($i == "" && report !~ ("cannot count [^.]*" event))
					wrong("no " event ", and no reason")
				off = $i - about[path, event]
				if ($i != "" && (off > 40 + $i / 20 || -off > 40 + $i / 20))
					wrong(event " " $i " instead of about " about[path, event])
			}
			if (!(at["net:instructions"] && at["net:branches"]))
				wrong("not counted")
		}
		END { exit bad || seen != regions || regions != 2 }' "$out/$1/$2/$3.csv"
}

# exact_run NAME WHO FILE [AGAIN]: counts() of it, or of the same once more: what counts a whole processor sees the command, too,
# which looks around twice a second, where there is one processor
exact_run() {
	counts "$1" "$2" "$3" >"$out/log" 2>&1 || { [ -n "${4:-}" ] && counts "$1" "$2" "$4" >>"$out/log" 2>&1; }
	said=$?
	result $said "$1, $2, $3: counts are exact"
	cat "$out/log"
	[ $said -eq 0 ] || head -n 30 "$out/$1/$2/$3.txt" | sed 's/^/# /'
}

# counted NAME WHO FILE YES: whether the file has counts that are not 0, or none and a sentence why not; zero: the kernel has
# counters for it, and the machine none behind them
counted() {
	awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) raw[i] = $i ~ /^raw:/; next }
		$2 == "main" { for (i = 1; i <= NF; i++) some += raw[i] && $i > 0 }
		END { exit !some }' "$out/$1/$2/$3.csv"
	has=$?
	if [ "$4" = yes ]; then
		result $has "$1, $2, $3: it is counted"
	else
		[ $has -ne 0 ]
		result $? "$1, $2, $3: it is not counted"
		[ "$4" = zero ] || says "$1" "$2" "$3.txt" '(not (perf|msr)  ?[a-z]|note .*(cannot|no events))'
	fi
	[ $has -eq 0 ] || [ "$4" != yes ] || head -n 20 "$out/$1/$2/$3.txt" | sed 's/^/# /'
}

# turned NAME: each of the groups that take turns has calls, however slow the first changes were
turned() {
	groups=$(sed -n 's/.* \([0-9]*\) groups in turns.*/\1/p' "$out/$1/root/turns.txt")
	met=$(awk -F, '$2 == "work" && $5 == "all" && $6 > 0' "$out/$1/root/turns.csv" | wc -l)
	[ "${groups:-0}" -ge 3 ] && [ "$met" -eq "$groups" ]
	said=$?
	result $said "$1: all groups of top-down analysis have had a turn"
	[ $said -eq 0 ] || echo "# $met of ${groups:-no} groups"
}

# named NAME SOURCE: an event counts in each region what its code counts in another run
named() {
	line=0
	sed -n "s/^$1 //p" "$here/names.txt" >"$out/names"
	while read -r one one_code two two_code; do
		line=$((line + 1))
		file=$out/$1/root
		awk -F, -v one="$one" -v two="$two" -v one_code="r$one_code" -v two_code="r$two_code" '
			FNR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
			!($2 ~ /^main\/work/ && $5 == "all") { next }
			FNR == NR { first[$2] = $at["raw:" one]; second[$2] = $at["raw:" two]; next }
			# These counts are not exact, but neighbouring codes count 3 % more or less.
			function differ(a, b) { return a == "" || b == "" || a - b > b / 100 || b - a > b / 100 }
			{
				some += $at["raw:" one_code] + $at["raw:" two_code]
				if (differ(first[$2], $at["raw:" one_code]) || differ(second[$2], $at["raw:" two_code])) {
					print "# " $2 ": " first[$2] " " second[$2] " by name, and by code:", $0
					bad++
				}
				rows++
			}
			END { exit bad || rows != 2 || !some }' \
			"$file/names-$2-$line.csv" "$file/codes-$2-$line.csv" >"$out/log" 2>&1
		said=$?
		result $said "$1, $2: $one and $two count what their codes do"
		cat "$out/log"
		[ $said -eq 0 ] || sed 's/^/# /' "$file/names-$2-$line.err" "$file/codes-$2-$line.err"
	done <"$out/names"
}

# command_check NAME GENERAL FIXED ENERGY TOPDOWN MEM OPTION...
command_check() {
	name=$1 general=$2 fixed=$3 energy=$4 topdown=$5 mem=$6
	shift 6
	for what in doctor groups info event; do
		status "$name" root $what 0
	done
	status "$name" root nonsense 1
	says "$name" root nonsense 'no event "nonsense"'
	status "$name" root nosuch 2
	says "$name" root nosuch.err 'no group "NOSUCH"; there are BRANCH'
	says "$name" root groups 'CORE Instructions, cycles'
	case " $* " in
	*" --watchdog "*) says "$name" root doctor 'kernel.nmi_watchdog 1' ;;
	*)
		says "$name" root doctor 'kernel.nmi_watchdog 0'
		says_not "$name" root doctor 'watchdog\?|the NMI watchdog holds'
		;;
	esac
	for who in root nobody; do
		status "$name" $who core-perf 3
		status "$name" $who core-msr 3
	done
	if [ "$general" -eq 0 ]; then
		says "$name" root doctor 'perf not usable: the kernel shows no PMU'
		counted "$name" root core-perf no
		status "$name" root plan 1
		return
	fi
	status "$name" root plan 0
	says "$name" root event 'event C0H, umask 00H, USR, EN'
	says "$name" bare doctor 'msr not usable: there is no /dev/cpu/0/msr to fix it: modprobe msr'
	says "$name" nobody doctor 'msr not usable: cannot open /dev/cpu/0/msr: Permission denied'
	says "$name" root info "general counters $general x 48 bits"
	[ "$fixed" -gt 0 ] && says "$name" root info "fixed counters $fixed x 48 bits"
	[ "$fixed" -gt 0 ] || says "$name" root info "fixed counters none"
	says "$name" root plan 'instructions each core: (IA32_FIXED_CTR|PERF_CTR)[0-9], 48 bits'
	for who in root nobody; do
		says "$name" $who doctor 'perf usable: user level, read in user space'
		says "$name" $who core-perf.txt 'source perf: user level, read in user space'
		exact_run "$name" $who core-perf
	done
	says "$name" root doctor 'msr usable'
	says "$name" root core-msr.txt 'source msr: '
	case " $* " in
	*" --smp 1 "*) exact_run "$name" root core-msr core-msr-again ;;
	*) exact_run "$name" root core-msr ;;
	esac
	counted "$name" nobody core-msr no
	says "$name" nobody core-msr.txt 'cannot open /dev/cpu/0/msr: Permission denied'
	exact_run "$name" root branch-perf
	named "$name" perf
	named "$name" msr
	counted "$name" root energy-perf "$energy"
	counted "$name" root energy-msr "$energy"
	counted "$name" nobody energy-perf no
	counted "$name" root topdown-perf "$topdown"
	[ "$topdown" = no ] || [ "$general" -eq 0 ] || turned "$name"
	counted "$name" root mem-perf "$mem"
	counted "$name" root mem-msr "${mem#zero}"
	[ "$mem" != zero ] || says "$name" root mem-perf.txt 'uncore_imc/cas_count_write/ stayed 0 all the time'
	for text in "$out/$name"/*/*.txt; do
		! tr -s '\n ' '  ' <"$text" | grep -qE ';[^ ]| ;|\b-?(nan|inf)\b'
		result $? "$name, ${text#"$out/$name/"}: remarks have blanks between them, and numbers are some"
	done
}
