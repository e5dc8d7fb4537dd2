# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# In the guest, as root: what the command says about the machine and counts on it, before and after the kernel's modules are
# there, for root and for nobody.  What it prints is in /out/WHO/, its statuses in /out/WHO/statuses.
export LD_LIBRARY_PATH=/job/lib
pmu=/job/bin/pmu

say() { # FILE ARGUMENT...
	file=$1
	shift
	echo "command: $file" >&2
	"$pmu" "$@" >"$to/$file" 2>&1
	echo "$file $?" >>"$to/statuses"
}

run() { # FILE OPTION...
	file=$1
	shift
	echo "command: $file" >&2
	"$pmu" run "$@" -o "$to/$file.csv" -o "$to/$file.txt" -- ./work 10 1 3 >"$to/$file.want" 2>"$to/$file.err"
	echo "$file $?" >>"$to/statuses"
}

# names SOURCE OPTION...: the events of names.txt for this machine, and their codes
names() {
	source=$1
	shift
	sed -n "s/^$MODEL //p" names.txt | {
		n=0
		while read -r one one_code two two_code; do
			n=$((n + 1))
			run "names-$source-$n" -e "$one,$two" --source "$source" "$@" </dev/null
			run "codes-$source-$n" -e "r$one_code,r$two_code" --source "$source" "$@" </dev/null
		done
	}
}

who() { # NAME
	to=/out/$1
	say doctor doctor
	say groups list groups
	run core-perf -g CORE --source perf
	run core-msr -g CORE --source msr --pin compact
	run energy-perf -g ENERGY --source perf
}

if [ "${1:-}" = nobody ]; then
	who nobody
	exit 0
fi

mkdir -p /out/bare /out/root /out/nobody
chmod 777 /out/nobody
to=/out/bare
say doctor doctor
say groups list groups
for module in msr rapl intel-uncore; do
	modprobe $module 2>/dev/null
done
who root
say info info
say plan msr plan
say event event instructions
say nonsense event nonsense
run nosuch -g NOSUCH
run branch-perf -g BRANCH --source perf
run mem-perf -g MEM --source perf
run mem-msr -g MEM --source msr --pin compact
run energy-msr -g ENERGY --source msr --pin compact
run topdown-perf -g TOPDOWN --source perf
"$pmu" run --topdown=3 --source perf -o "$to/turns.csv" -o "$to/turns.txt" -- ./work 300 1 3 >/dev/null 2>&1
[ "$(nproc)" -gt 1 ] || run core-msr-again -g CORE --source msr --pin compact
names perf
names msr --pin compact
su -s /bin/sh nobody -c "sh job_command.sh nobody"
