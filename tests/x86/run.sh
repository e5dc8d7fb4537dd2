#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# run.sh VM JOB OUT COMMAND [OPTION...]: boots the machine that setup.sh left in VM with a copy of the folder JOB as /job, runs
# the shell command there as root, shows what it prints, puts what it left in /out into the folder OUT, and exits with its
# status; 125: the guest died or took longer than TEST_X86_LIMIT seconds.
#
# The options say which machine it is, for example: --cpu Haswell --smp 2 --sockets 2 --watchdog --perf
set -eu
export LC_ALL=C

[ $# -ge 4 ] || {
	echo "usage: run.sh VM JOB OUT COMMAND [OPTION...]" >&2
	exit 2
}
vm=$1 job=$2 out=$3 command=$4
shift 4
X86VM_DIR=$vm exec "$vm/run-x86vm.sh" --timeout "${TEST_X86_LIMIT:-600}" --out "$out" "$@" "$job" "$command" </dev/null
