#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# `pmu run --tree`, `pmu report --tree`: what a program's processes started stands below the region that started it.
. "$(dirname "$0")/pmu.sh"
[ -z "${TEST_SANITIZERS:-}" ] || skip_all 'a library with sanitizers cannot be loaded into a program without'
mkdir -m 700 place
export XDG_RUNTIME_DIR="$tmp/place"
unset PMU_OUTPUT

cat >program.c <<'C'
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "pmu.h"

extern char **environ;

static pid_t start(char **argv, int wait)
{
	pid_t pid = fork();

	if (!pid) {
		pmu_region_begin("a/b");
		execvp(argv[0], argv);
		_exit(1);
	}
	if (wait)
		waitpid(pid, NULL, 0);
	return pid;
}

/* How, and the program with its arguments. */
int main(int argc, char **argv)
{
	pid_t pid = 0;

	(void)argc;
	pmu_region_begin("outer");
	pmu_region_begin("inner");
	if (!strcmp(argv[1], "fork") || !strcmp(argv[1], "outlived"))
		pid = start(argv + 2, argv[1][0] == 'f');
	if (!strcmp(argv[1], "kill")) {
		pid = start(argv + 2, 0);
		usleep(300000);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	if (!strcmp(argv[1], "exec"))
		execvp(argv[2], argv + 2);
	if (!strcmp(argv[1], "spawn") && !posix_spawnp(&pid, argv[2], NULL, NULL, argv + 2, environ))
		waitpid(pid, NULL, 0);
	pmu_region_end("inner");
	pmu_region_end("outer");
	return 0;
}
C
${TEST_CC:-cc} -D_GNU_SOURCE ${TEST_CFLAGS:-} -I"$source/include" -o program program.c -L"$build/lib/.libs" -lpmu \
	-Wl,-rpath,"$build/lib/.libs" 2>log || {
	sed 's/^/# /' log
	echo 'Bail out! the test program cannot be built'
	exit 1
}
evidence='err out paths'
export PMU_BACKEND=clock

# paths FILE: of a CSV report, the sums alone
paths() {
	awk -F, 'NR > 1 && $5 == "all" { print $2 }' "$1" | sort >paths
}

# stands PATH NAME
stands() {
	grep -qxF -- "$1" paths
	result $? "$2"
}

inner=program/main/outer/inner

run 0 'fork and exec' run --tree -o out.csv ./program fork sleep 0.01
paths out.csv
stands "$inner/a\\/b/sleep/main" 'below the region that was open last'
! grep -qx 'sleep' paths
result $? 'and nowhere else'

run 0 'without being asked' run -o out.csv ./program fork sleep 0.01
paths out.csv
stands 'sleep/main' 'it stands by itself'

run 0 'no fork' run --tree -o out.csv ./program exec sleep 0.01
paths out.csv
stands "$inner/sleep/main" 'a program that goes on as another one'

run 0 'nested' run --tree -o out.csv ./program fork ./program fork ./program exec sleep 0.01
paths out.csv
deep="$inner/a\\/b/$inner/a\\/b/$inner/sleep/main"
stands "$deep" 'programs that start programs'
is 'each once' "$(awk -F, '$5 == "all" && $3 == "main" && $2 ~ /sleep/ { print $6 }' out.csv)" 1

# what it did is what it did by itself: not more for standing elsewhere
awk -F, '$5 == "all" && $3 == "inner" { sum = $7 + 0; self = $8 + 0; if (self > sum) exit 1 }' out.csv
result $? 'self is no more than all'

run 0 'spawned' run --tree -o out.csv ./program spawn sleep 0.01
paths out.csv
stands 'sleep/main' 'one whose parent is not known stands at the top'

run 0 'killed' run --tree -o out.csv ./program kill sleep 30
paths out.csv
stands "$inner/a\\/b/sleep/main" 'what was killed is there'

run 0 'outlived' run --tree -o out.csv ./program outlived sleep 0.05
paths out.csv
stands "$inner/a\\/b/sleep" 'a child that outlives its parent'

run 0 'text' run --tree ./program fork sleep 0.01
has err '            sleep ' 'the text is indented'

run 0 'JSON' run --tree -o all.json ./program fork sleep 0.01
run 0 'is read again' report all.json -o again.json
cmp all.json again.json >/dev/null
result $? 'as it was'
run 0 'as text' report --tree all.json
has out '            sleep ' 'also with --tree'

run 2 'both' run --tree --each ./program fork sleep 0.01
has err 'tree or --each?' 'says so'
run 2 'both of a report' report --tree --each all.json
finish
