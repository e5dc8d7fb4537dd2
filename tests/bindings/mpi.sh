#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# MPI ranks: a report of each, and one of all, also where a rank dies.
. "$(dirname "$0")/../command/pmu.sh"
ranks=8 steps=10

[ -n "${TEST_MPICC:=$(command -v mpicc)}" ] || skip_all 'no mpicc here'
command -v mpirun >/dev/null || skip_all 'no mpirun here'
[ -z "${TEST_SANITIZERS:-}" ] || skip_all 'an MPI library does not run in a sanitized program'
# as root in a container, on fewer processors than ranks
OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM
oversubscribe=
case $(mpirun --version 2>/dev/null) in
*Open*MPI*) oversubscribe=--oversubscribe ;;
esac

"$TEST_MPICC" -O2 -I"$source/include" "$source/tests/bindings/mpi.c" -o mpi \
	"$build/lib/.libs/libpmu.so" -Wl,-rpath,"$build/lib/.libs" 2>err
result $? 'an MPI program with marked regions'
[ -x mpi ] || finish
mkdir -m 700 run
export XDG_RUNTIME_DIR="$tmp/run"

# launch RANKS ARGUMENT...: standard output in out, standard error in err
launch() {
	launched=$1
	shift
	timeout 120 mpirun $oversubscribe -np "$launched" ./mpi "$@" >out 2>err
}

launch 2 1 || skip_all "mpirun does not run here: $(head -n 3 err | tr '\n' ' ')"

# --- a report of each rank ---
PMU_OUTPUT='rank-%r.json,rank-%r.csv' launch $ranks $steps
result $? 'runs'
has out "$ranks ranks: 36.000000" 'the program prints what it always does'
[ "$(ls rank-*.json | wc -l)" = $ranks ] && [ "$(ls rank-*.csv | wc -l)" = $ranks ]
result $? "$ranks reports of each kind"
rank=0
while [ $rank -lt $ranks ]; do
	grep -q "^  \"rank\": $rank,\$" rank-$rank.json && grep -q "^  \"ranks\": $ranks,\$" rank-$rank.json
	result $? "rank $rank of $ranks is in its own"
	rank=$((rank + 1))
done

# --- one of all ---
run 0 'all in one' report rank-*.json
has out "pmu: mpi ($ranks ranks on " 'says how many'
has out "over $ranks ranks: time" 'how time is spread'
lacks out 'no report' 'none is missing'
awk '$1 == "wait" && NF > 6 { line = $0 } END { exit line !~ /rank 7$/ }' out
result $? 'the rank with the most to wait for'
awk 'length > 100 { exit 1 }' out
result $? 'within 100 columns'

run 0 'as JSON' report rank-*.json -o all.json -o all.csv
[ -s all.json ] && [ -s all.csv ]
result $? 'the files are there'
# what the ranks' own CSV files have, against "over_parts": of wait, the rows of all threads
awk -F, '$2 == "solve/wait" && $5 == "all" {
		sum += $7; n++
		if (n == 1 || $7 < min) min = $7
		if ($7 > max) max = $7
		calls += $6
	}
	END { printf "%d %d %.0f %.0f %.0f %.4f\n", n, calls, sum, min, max, max / (sum / n) - 1 }' rank-*.csv >want
awk '/"path": "solve\/wait"/ { found = 1 }
	found {
		gsub(/[{},":]/, " ")
		for (i = 1; i < NF; i++)
			if (!($i in v))
				v[$i] = $(i + 1)
	}
	found && /over_parts/ {
		print v["n"], v["calls"], v["sum"], v["min"], v["max"], v["imbalance"]
		print v["min_part"], v["max_part"] >"extremes"
		exit
	}' all.json >got
# nine digits
awk 'NR == FNR { split($0, want); next }
	{ for (i = 1; i <= 6; i++) if (!(($i - want[i]) ^ 2 <= (1e-4 * want[i]) ^ 2)) exit 1; n++ }
	END { exit !n }' want got
result $? "sum, min, max and imbalance are those of the ranks ($(cat want); $(cat got))"
echo '0 7' | cmp -s - extremes
result $? 'the least in rank 0, the most in rank 7'
awk '{ exit !($6 > 1) }' want
result $? 'the imbalance is seen'
grep -Eq "^TIME,solve/exchange,exchange,1,all,$((ranks * steps)),.*,all,\$" all.csv
result $? 'calls are added up'
grep -Eq "^TIME,output,output,0,0,1,.*,0,0\$" all.csv
result $? 'a region of rank 0 alone'
run 0 'a report of all is a report' report all.json -o again.json
cmp -s all.json again.json
result $? 'and says the same'

rm rank-3.json rank-7.json
run 0 'without two' report rank-*.json
has out "6 of $ranks: ranks 3, 7 have no report" 'says so, also of the last'

# --- a rank that dies takes the others with it; what all did until then is there ---
for how in abort kill; do
	PMU_OUTPUT="$how-%r.json" launch 4 $steps $how
	status=$?
	[ $status != 0 ]
	result $? "$how in one (status $status)"
	set -- "$how"-*.json run/pmu/*.pmu
	[ -e "$1" ] || shift
	run 0 'is reported' report "$@"
	has out 'pmu: mpi (4 ranks on ' 'with all ranks'
	has out 'did not end cleanly' 'and how they ended'
	awk '$1 == "smooth" && $2 > 0 { found = 1 } END { exit !found }' out
	result $? 'with what they did'
	rm -f run/pmu/*.pmu
done

# --- ranks that mpirun has bound keep their place ---
if [ "$(nproc)" -ge 2 ] && mpirun -np 2 --bind-to core true 2>err; then
	PMU_OUTPUT='bound-%r.json' mpirun -np 2 --bind-to core ./mpi $steps >out 2>err
	result $? 'bound ranks'
	run 0 'both' report bound-*.json
	has out 'bound before' 'are left where they are'
else
	skip 'bound ranks' 'too few processors'
fi

finish
