#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Programs below a measured one into which nothing can be loaded: with another C library, of 32 bits, in another root, in
# a sandbox.  They run as without measuring, however they are started.
# shellcheck source=tests/command/pmu.sh
. "${TEST_SRCDIR:-$(dirname "$0")/../..}/tests/command/pmu.sh"

[ -z "${TEST_SANITIZERS:-}" ] || skip_all 'a library with sanitizers cannot be loaded into a program without'

preload=$build/bindings/.libs/libpmu-preload.so
unset PMU_STORE PMU_AUTO PMU_WRAP PMU_FUNCTIONS LD_PRELOAD
export XDG_RUNTIME_DIR="$tmp" PMU_OUTPUT=none
ways='execve execv execvp name execvpe execl execlp execle fexecve execveat syscall vfork posix_spawn posix_spawnp'

cc=${TEST_CC:-cc}
cat >hello.c <<'C'
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	const char *preload = getenv("LD_PRELOAD"), *last = getenv("TEST_LAST");

	printf("hello %d %s, %s, %s\n", argc, argv[0], preload ? preload : "nothing", last ? last : "nothing");
	return 3;
}
C
$cc -D_GNU_SOURCE -o foreign "$source/tests/preload/foreign.c" 2>err && $cc -o hello hello.c 2>>err ||
	skip_all "no compiler: $(head -n 1 err)"

# alike WAY PROGRAM NAME [WORDS]: the same output, messages and status as without us; WORDS: of others in LD_PRELOAD
alike() {
	env ${4:+"LD_PRELOAD=$4"} TEST_LAST=last ./foreign "$1" "$2" >plain.out 2>plain.err
	plain=$?
	[ $plain != 77 ] || { skip "$3: by $1" 'not allowed here'; return; }
	env LD_PRELOAD="$preload${4:+:$4}" TEST_LAST=last ./foreign "$1" "$2" >out 2>err
	got=$?
	echo "status $got, want $plain" >>out
	echo "status $got, want $plain" >>plain.out
	[ $got = $plain ] && cmp -s out plain.out && cmp -s err plain.err
	result $? "$3: by $1"
}

# all PROGRAM NAME
all() {
	for way in $ways; do
		alike "$way" "$1" "$2"
	done
}

# Nothing is taken from those that can have it.
LD_PRELOAD=$preload ./foreign execve ./hello >out 2>err
has out "$preload" 'one with our C library keeps what it is given'
LD_PRELOAD=$preload ./foreign posix_spawn ./hello >out 2>err
has out "$preload" 'also when it is spawned'

# Another loader, which needs no other C library to be told from ours.
loader=$("${TEST_READELF:-readelf}" -lW hello | sed -n 's/.*program interpreter: \(.*\)]/\1/p')
cp "$loader" loader
$cc -o other hello.c -Wl,--dynamic-linker="$tmp/loader" 2>err
all "$tmp/other" 'another loader'
printf '#!%s/other\n' "$tmp" >script
printf '#!%s/script\n' "$tmp" >script_of_script
chmod +x script script_of_script
all "$tmp/script" 'a script of its'
alike execvp "$tmp/script_of_script" 'a script whose interpreter is a script of its'
$cc -shared -fPIC -nostdlib -o mine.so -x c /dev/null 2>err
alike execve "$tmp/other" 'words of others' "$tmp/mine.so"
alike posix_spawn "$tmp/other" 'words of others' "$tmp/mine.so"
alike sandboxed "$tmp/hello" 'a sandbox'
export PMU_ENABLE=0
alike execve "$tmp/other" 'measuring switched off'
unset PMU_ENABLE

# musl
if command -v musl-gcc >/dev/null && musl-gcc -o musl hello.c 2>err; then
	all "$tmp/musl" 'musl'
	"$pmu" run -- sh -c ./musl >out 2>err
	[ $? = 3 ]
	result $? 'musl below a shell below pmu run'
else
	skip musl 'no musl-gcc'
fi

# 32 bits
if $cc -m32 -o narrow hello.c 2>err && ./narrow >out 2>err; [ $? = 3 ]; then
	all "$tmp/narrow" '32 bits'
else
	skip '32 bits' 'no compiler or no kernel for them'
fi

# Another root
mkdir -p root/bin
cp hello root/program
for file in /bin/sh "$tmp/hello"; do
	ldd "$file" | sed -n 's/.*=> \(\/[^ ]*\) .*/\1/p; s/^[[:space:]]*\(\/[^ ]*\) .*/\1/p'
done | sort -u | while read -r library; do
	mkdir -p "root/${library%/*}" && cp -L "$library" "root/$library"
done
cp -L /bin/sh root/bin/sh
for way in root root_system root_popen; do
	alike $way "$tmp/root" 'another root'
done

finish
