# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# job_random.sh: in the guest, as root: the programs in /job/cases, each twice by each source of counts that its file "sources"
# names, with the settings in "settings".  Reports are /out/CASE/SOURCE.RUN.PROCESS.json and .csv.
export LD_LIBRARY_PATH=/job/lib PMU_EVENTS=instructions
rdpmc=/sys/bus/event_source/devices/cpu/rdpmc
modprobe msr
cd /tmp || exit 1

one() { # CASE SOURCE RUN
	(
		while read -r setting; do
			export "${setting?}"
		done <"$1/settings"
		[ -z "${PMU_GROUP:-}" ] || unset PMU_EVENTS # those groups have the same
		case $2 in
		msr) export PMU_BACKEND=msr ;;
		*) export PMU_BACKEND=perf ;;
		esac
		PMU_OUTPUT=/out/${1##*/}/$2.$3.%p.json,/out/${1##*/}/$2.$3.%p.csv timeout 60 "$1/case"
	) >/tmp/said 2>&1 || {
		echo "$1 by $2: status $?"
		head -n 5 /tmp/said
	}
	rm -f trace.*
}

for case in /job/cases/*; do
	mkdir -p "/out/${case##*/}"
	for source in $(cat "$case/sources"); do
		[ "$source" != read ] || echo 0 >$rdpmc
		for run in 1 2; do
			one "$case" "$source" "$run"
		done
		echo 1 >$rdpmc
	done
done
