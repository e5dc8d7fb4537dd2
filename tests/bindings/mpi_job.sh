#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# One report, made by the ranks of a job: under each MPI that is here, linked and preloaded, in C and in Fortran; and
# where not all ranks are measured, or one dies.
. "$(dirname "$0")/../command/pmu.sh"
ranks=64 slow=37

[ -z "${TEST_SANITIZERS:-}" ] || skip_all 'an MPI library does not run in a sanitized program'
OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 PMU_PIN=none
export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM PMU_PIN
mkdir -m 700 run
export XDG_RUNTIME_DIR="$tmp/run"
mpi_library=$build/bindings/.libs/libpmu-mpi.so

# launch RANKS COMMAND...: standard output in out, standard error in err
launch() {
	launched=$1
	shift
	oversubscribe=
	[ "$mpi" = mpich ] || oversubscribe=--oversubscribe
	timeout 120 "mpirun.$mpi" $oversubscribe -np "$launched" "$@" >out 2>err
}

# sums FILE: of each region of a JSON report: path, threads, calls, time, the page faults; of more than the last digit
sums() {
	"${TEST_PYTHON:-python3}" - "$1" <<-'END'
		import json, sys
		report = json.load(open(sys.argv[1]))
		for row in sorted(report["regions"], key=lambda row: row["path"]):
		    # the clock's rate is known a little better at each rank's end than at MPI_Finalize
		    times = ["%.17e" % row[name] for name in ("time_ns", "time_min_ns", "time_max_ns")]
		    print(row["path"], row["n_threads"], row["calls"], *times, row["raw"], row["open"], row["flags"])
	END
}

# over FILE: of each region over ranks: how many have it, calls, page faults; and of the whole, to what digits the clock
# allows
over() {
	"${TEST_PYTHON:-python3}" - "$1" <<-'END'
		import json, sys
		report = json.load(open(sys.argv[1]))
		for row in sorted(report["regions"], key=lambda row: row["path"]):
		    over = row["over_ranks"]
		    calls = over["calls"]
		    print(row["path"], calls["n"], calls["min"], "rank", calls["min_rank"], calls["max"], "rank",
		          calls["max_rank"], calls["sd"], over["net"], over["time_ns"]["max_rank"],
		          ["%.17e" % over["time_ns"][name] for name in ("sum", "mean", "sd", "imbalance")])
		print(["%.17e" % report["over_ranks"]["time_ns"][name] for name in ("sum", "max", "sd")])
	END
}

# alike FILE FILE: the same words; of times, which have a point, as much as the clock allows
alike() {
	"${TEST_PYTHON:-python3}" - "$1" "$2" <<-'END'
		import math, re, sys
		a, b = (re.split(r"([\s',\[\]]+)", open(name).read()) for name in sys.argv[1:])
		def same(x, y):
		    if x == y:
		        return True
		    is_time = re.fullmatch(r"-?[0-9]\.[0-9]+e[-+][0-9]+", x) and re.fullmatch(r"-?[0-9]\.[0-9]+e[-+][0-9]+", y)
		    return bool(is_time) and math.isclose(float(x), float(y), rel_tol=1e-5)
		for x, y in zip(a, b):
		    if not same(x, y):
		        print(x, y)
		sys.exit(len(a) != len(b) or not all(map(same, a, b)))
	END
}

# explained FILE: what regions explain is all there is, and most of it is where the work is
explained() {
	"${TEST_PYTHON:-python3}" - "$1" <<-'END'
		import json, sys
		parts = {row["path"]: row["over_ranks"]["explains"] for row in json.load(open(sys.argv[1]))["regions"]}
		print(parts)
		whole = sum(part for part in parts.values() if part is not None)
		mpi = [part for path, part in parts.items() if "MPI_" in path]
		sys.exit(not (abs(whole - 1) < 1e-6 and parts["solve/work/pass"] > 0.9 and mpi == [None]))
	END
}

# What every MPI has to do.
check_mpi() {
	program=./job.$mpi
	"mpicc.$mpi" -O2 -I"$source/include" "$source/tests/bindings/mpi_job.c" -o "$program" "$mpi_library" \
		"$build/lib/.libs/libpmu.so" -Wl,-rpath,"$build/lib/.libs:$build/bindings/.libs" 2>err
	result $? "$mpi: a program that is linked with libpmu-mpi"
	launch 2 "$program" || {
		skip "$mpi" "mpirun.$mpi does not run here"
		return
	}
	rm -f ./*.json

	# --- one report, and those of each rank, of the same run ---
	PMU_BACKEND=software PMU_EVENTS=page-faults PMU_OUTPUT='job.json,rank-%r.json' \
		launch $ranks "$program" $slow
	result $? "$mpi: $ranks ranks"
	has out 'sum 2016' 'the program prints what it always does'
	[ "$(ls rank-*.json | wc -l)" = $ranks ] && [ -s job.json ] && [ "$(ls ./*.json | wc -l)" = $((ranks + 1)) ]
	result $? 'one report, and one of each'
	run 0 'merged' report rank-*.json -o merged.json
	sums job.json >job.sums
	sums merged.json >merged.sums
	cp job.sums out
	alike job.sums merged.sums >err && [ "$(wc -l <job.sums)" = 4 ]
	result $? 'sums are those of the merged reports'
	grep -q 'solve/work/pass 64 1980 ' job.sums
	result $? 'calls are exact'
	over job.json >job.over
	over merged.json >merged.over
	cp job.over out
	alike job.over merged.over >err && [ "$(wc -l <job.over)" = 5 ]
	result $? 'what is spread over ranks is that of the merged reports'
	grep -q "^solve/work/pass 64 30 rank 0 90 rank $slow " job.over
	result $? 'the rank that does more is named'
	run 0 'a report of it' report job.json -o again.json
	cmp job.json again.json >err
	result $? 'is the same again'
	run 0 'as text' report job.json
	has out 'over 64 ranks: time' 'says how time is spread'
	has out 'PMU_AUTO=mpi tells it' 'and what would tell waiting apart'
	awk 'length > 100 { exit 1 }' out
	result $? 'within 100 columns'

	# --- MPI's time apart ---
	# Eight ranks wait for processors, too; on few of them, with other work beside, another rank may be the slowest,
	# or the time be spent elsewhere.
	for _ in 1 2 3 4 5; do
		PMU_AUTO=mpi PMU_OUTPUT='job.json,-' launch 8 "$program" 5
		launched=$?
		! { grep -q 'computing longest: rank 5 (' out && explained job.json >/dev/null 2>&1; } || break
	done
	result $launched 'calls of MPI as regions'
	has out '  MPI_Allreduce' 'are in the report'
	awk '$1 == "computing" && /rank 5$/ { n++ } /^ *in MPI / { n++ } END { exit n != 2 }' out
	result $? 'who computes longest is told from who waits'
	has out 'computing longest: rank 5 (' 'and named'
	explained job.json >out
	result $? 'all of it is explained, by the pass'

	# --- nothing else is asked for: one text ---
	launch 5 "$program" 3
	[ "$(grep -c '^pmu: ' err)" = 1 ]
	result $? 'one text on standard error'

	# --- ranks under pmu run, of a program without libpmu ---
	"mpicc.$mpi" -O2 -DPMU_DISABLE -I"$source/include" "$source/tests/bindings/mpi_job.c" -o "plain.$mpi" 2>err
	rm -f ./*.json
	launch 4 "$pmu" run -o job.json -o 'rank-%r.json' "./plain.$mpi"
	result $? 'under pmu run'
	[ "$(ls rank-*.json | wc -l)" = 4 ] && [ -s job.json ] && [ "$(ls ./*.json | wc -l)" = 5 ]
	result $? 'one report, and one of each'
	awk '/"path": "main"/ { getline; if (/"calls": 4, /) found = 1 } END { exit !found }' job.json
	result $? 'of all four'
	has job.json '"path": "main/MPI_Allreduce"' 'with calls of MPI, without being asked for them'
	launch 2 "$pmu" run --auto main -o job.json "./plain.$mpi"
	lacks job.json MPI_Allreduce 'unless something else is asked for'
	PMU_ROTATE=1 launch 2 "$pmu" run -o job.json "./plain.$mpi"
	lacks job.json MPI_Allreduce 'nor are they all there is where groups take turns'
	run 0 'no rank, but linked with MPI' run -o job.json -- "./plain.$mpi"
	has job.json 'MPI_Allreduce"' 'has its calls of MPI'
	run 0 'the command that starts ranks' run -o job.json -- "mpirun.$mpi" $oversubscribe -np 2 "./plain.$mpi"
	has job.json '/main/MPI_Allreduce"' 'has their calls of MPI, too'
	launch 4 "$pmu" run "./plain.$mpi"
	[ "$(grep -c '^pmu: ' err)" = 1 ]
	result $? 'one text on standard error'
	PMU_MPI=0 launch 3 "$pmu" run "./plain.$mpi"
	[ "$(grep -c '^pmu: ' err)" = 3 ]
	result $? 'unless it is switched off'
	[ -z "$(ls run/pmu/*.pmu run/pmu/run-* 2>/dev/null)" ]
	result $? 'nothing is left'

	# --- some ranks are not measured: the others do not wait for ever, and nothing is lost ---
	cat >some <<-END
		#!/bin/sh
		if [ "\${OMPI_COMM_WORLD_RANK:-\$PMI_RANK}" = 0 ]; then exec "$pmu" run -o some.json "\$@"; fi
		exec "\$@"
	END
	chmod +x some
	PMU_MPI_WAIT=1 launch 3 ./some "./plain.$mpi"
	result $? 'a run of which one rank is measured'
	grep -q 'not all ranks came to MPI_Finalize measured' some.json && grep -q '"path": "main"' some.json
	result $? 'has its report, which says so'

	# --- a rank dies: stores are there, and are merged ---
	rm -f ./*.json
	PMU_OUTPUT='job.json,died-%r.json' launch 4 "$program" 2 kill
	[ $? != 0 ] && [ ! -e job.json ]
	result $? 'a rank that is killed takes the job with it'
	set -- died-*.json run/pmu/*.pmu
	[ -e "$1" ] || shift
	run 0 'is reported' report "$@"
	has out 'work' 'with what they did'
	rm -f run/pmu/*.pmu
}

# Fortran calls another MPI_Finalize.
check_fortran() {
	cat >f.f90 <<-'END'
		program f
		  use mpi
		  integer :: error
		  call MPI_Init(error)
		  call MPI_Barrier(MPI_COMM_WORLD, error)
		  call MPI_Finalize(error)
		end program
	END
	sed 's/use mpi/use mpi_f08/; s/(error)/()/; s/, error//' f.f90 >f08.f90
	for name in f f08; do
		"mpif90.$mpi" "$name.f90" -o "$name.$mpi" 2>err
		result $? "$mpi: Fortran, $name"
		rm -f job.json
		launch 3 "$pmu" run --auto mpi -o job.json "./$name.$mpi"
		cp job.json out
		grep -q '"ranks": 3' job.json && grep -q '"path": "main/MPI_Barrier"' job.json
		result $? 'one report, with its calls of MPI'
	done
}

any=
for mpi in openmpi mpich; do
	command -v "mpicc.$mpi" >/dev/null && command -v "mpirun.$mpi" >/dev/null || {
		skip "$mpi" "no mpicc.$mpi here"
		continue
	}
	any=1
	check_mpi
	if command -v "mpif90.$mpi" >/dev/null && command -v gfortran >/dev/null; then
		check_fortran
	else
		skip "$mpi, Fortran" 'no compiler for it'
	fi
done
[ "$any" ] || skip 'any MPI' 'none is here'

finish
