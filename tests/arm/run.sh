#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# run.sh VM JOB OUT COMMAND: boots the machine that setup.sh left in VM with a copy of the folder JOB as
# /job, runs the shell command there as root, shows what it prints, puts what it left in /out into the
# folder OUT, and exits with its status; 125: the guest died or took longer than TEST_ARM_LIMIT seconds.
#
# One processor, and virtual time that follows the instructions: the PMU counts them exactly, and a run
# of the same files repeats exactly.
set -eu
export LC_ALL=C

[ $# -eq 4 ] || {
	echo "usage: run.sh VM JOB OUT COMMAND" >&2
	exit 2
}
vm=$1 job=$2 out=$3 command=$4
limit=${TEST_ARM_LIMIT:-900}

tmp=$(mktemp -d)
qemu=
trap 'rm -rf "$tmp"' EXIT
trap '[ -z "$qemu" ] || kill "$qemu"; exit 125' HUP INT TERM

# The kernel unpacks one archive after the other.
mkdir -p "$tmp/root/job" "$out"
cp -R "$job/." "$tmp/root/job/"
printf '%s\n' "$command" >"$tmp/root/command"
(cd "$tmp/root" && find . -exec touch -h -d @0 {} + && find . | sort |
	cpio -o -H newc --quiet --reproducible -R 0:0) >"$tmp/job.cpio"
cat "$vm/base.cpio" "$tmp/job.cpio" >"$tmp/initrd"

# Nothing from the host's clock or entropy gets in.  Without pointer authentication, which is slow to emulate.
: >"$tmp/result"
timeout "$limit" qemu-system-aarch64 -M virt,dtb-randomness=off -cpu max,pauth=off -smp 1 -m 512M \
	-icount shift=0,sleep=off -seed 1 -rtc base=2024-01-01,clock=vm \
	-nodefaults -display none -no-reboot -serial stdio \
	-chardev "file,id=result,path=$tmp/result" -device pci-serial,chardev=result \
	-kernel "$vm/vmlinuz" -initrd "$tmp/initrd" \
	-append "console=ttyAMA0 panic=-1 nokaslr quiet" </dev/null &
qemu=$!
rc=0
wait "$qemu" || rc=$?
qemu=

# The result is a line with the status, then a tar of /out.
read -r status <"$tmp/result" || {
	echo "the guest ended without a result (qemu: status $rc; 124: after $limit s)" >&2
	exit 125
}
tail -n +2 "$tmp/result" | tar -C "$out" -xf -
exit "$status"
