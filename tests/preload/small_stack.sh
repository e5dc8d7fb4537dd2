#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A thread with the least stack that there is starts programs with 1,300 and 20,000 variables: what it takes to do so
# without our words in LD_PRELOAD is not on its stack, and does not stay.
# shellcheck source=tests/command/pmu.sh
. "${TEST_SRCDIR:-$(dirname "$0")/../..}/tests/command/pmu.sh"

[ -z "${TEST_SANITIZERS:-}" ] || skip_all 'with sanitizers every function takes more stack'

unset PMU_STORE PMU_AUTO PMU_WRAP PMU_FUNCTIONS LD_PRELOAD
export XDG_RUNTIME_DIR="$tmp" PMU_OUTPUT=none

cc=${TEST_CC:-cc}
cat >hello.c <<'C'
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	(void)argv;
	printf("hello %d %s %s\n", argc, getenv("V0"), getenv("LD_PRELOAD") ? "preloaded" : "alone");
	return 3;
}
C
{ $cc -o hello hello.c && $cc -D_GNU_SOURCE -pthread -o plain "$source/tests/preload/small_stack.c" &&
	$cc -D_GNU_SOURCE -DLINKED -I"$source/include" -I"$build/include" -pthread -o linked \
		"$source/tests/preload/small_stack.c" -L"$build/lib/.libs" -Wl,-rpath,"$build/lib/.libs" -lpmu; } 2>err ||
	skip_all "no compiler: $(head -n 1 err)"

# With another loader our library cannot be preloaded; an ELF file of no processor cannot even be started.
loader=$("${TEST_READELF:-readelf}" -lW hello | sed -n 's/.*program interpreter: \(.*\)]/\1/p')
cp "$loader" loader
$cc -o other hello.c -Wl,--dynamic-linker="$tmp/loader" 2>err
printf '\177ELF\001\001\001%0100d' 0 >foreign
chmod +x foreign

# alike NAME WAY PROGRAM N: as without us, preloaded and linked
alike() {
	PMU_ENABLE=0 ./plain "$2" "$tmp/$3" "$4" >want 2>want.err
	echo "status $?" >>want
	"$pmu" run -- ./plain "$2" "$tmp/$3" "$4" >out 2>err
	echo "status $?" >>out
	./linked "$2" "$tmp/$3" "$4" >linked.out 2>linked.err
	echo "status $?" >>linked.out
	"$pmu" run -- ./linked "$2" "$tmp/$3" "$4" >both.out 2>both.err
	echo "status $?" >>both.out
	cmp want out && cmp want.err err && cmp want linked.out && cmp want.err linked.err && cmp want both.out &&
		cmp want.err both.err
	result $? "$1: by $2, with $4 variables"
}
evidence='want want.err out err linked.out linked.err both.out both.err'

for way in execve execvp execl execle vfork posix_spawn posix_spawnp system popen; do
	alike 'another loader' $way other 1300
done
for way in execve execl vfork posix_spawn; do
	alike 'another loader' $way other 20000
	alike 'what cannot be started' $way foreign 20000
done

finish
