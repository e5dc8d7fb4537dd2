#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# rdmsr and wrmsr, written by others for the kernel's files, take the simulated ones for them.
# The files are laid over /dev/cpu in a mount namespace of our own.
. "$(dirname "$0")/laid_over.sh"

evidence=$tmp/err

# gives STATUS:OUTPUT NAME COMMAND...
gives() {
	want=$1 name=$2
	shift 2
	got=$("$@" 2>"$tmp/err")
	is "$name" "$?:$got" "$want"
}

gives 0:f "the global control after reset" rdmsr -p 3 0x38f
gives 0: "a select is written" wrmsr -p 3 0x186 0x4300c0
gives 0:4300c0 "and read" rdmsr -p 3 0x186
gives 0:0 "on that processor alone" rdmsr -p 4 0x186
echo "count 3 0xc0 0 user 1000" >"$tmp/machine/ctl"
gives 0:1000 "what happens is counted" rdmsr -p 3 -d 0xc1
gives 0: "a register of the package is written" wrmsr -p 0 0x391 1
gives 0:1 "and read on another processor of it" rdmsr -p 13 0x391
gives 4: "an unknown register cannot be read" rdmsr -p 3 0x999
gives 4: "a reserved bit cannot be set" wrmsr -p 3 0x38f 0x10
gives 127: "there is no processor 24" rdmsr -p 24 0x38f
gives 0:24 "all processors are found" sh -c 'rdmsr -a 0x38f | grep -c f'
finish
