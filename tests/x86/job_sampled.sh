# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# In the guest, as root: programs that know how many instructions their regions do, sampled by what they do.
#
# What is left in /out: NAME.csv, NAME.json and NAME.txt of each.
export LD_LIBRARY_PATH=/job/lib

# However long an interrupt takes here: none is held back.  Without a limit of time that of samples cannot be written.
echo 25 >/proc/sys/kernel/perf_cpu_time_max_percent
echo 100000 >/proc/sys/kernel/perf_event_max_sample_rate
echo 0 >/proc/sys/kernel/perf_cpu_time_max_percent

# sampled NAME OPTION...
sampled() {
	name=$1
	shift
	echo "sampled: $name" >&2
	bin/pmu run "$@" -o "/out/$name.csv" -o "/out/$name.json" -o "/out/$name.txt" -- ./sampled 10000000 2 2>"/out/$name.err"
	echo "sampled status $?"
}

sampled plain -e instructions,branches --sample=off
sampled instructions -e instructions,branches --sample=instructions:100000
sampled branches -e instructions,branches --sample=branches:50000
# as many as there are counters, so that none is left
sampled full -e r010e,r02c2,r01c2,r81d0,r82d0,r0108 --sample=r0208:10000
# a source that has the counters for itself
sampled msr -e instructions --source msr --sample=branches:50000
# each is an interrupt, and there are more than are allowed
echo 25 >/proc/sys/kernel/perf_cpu_time_max_percent
echo 1000 >/proc/sys/kernel/perf_event_max_sample_rate
sampled held -e instructions,branches --sample=instructions:10000
