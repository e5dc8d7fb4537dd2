#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Ordinary programs, with libpmu loaded into all of them and without: same output, same status.
# shellcheck disable=SC2016 # what is quoted is for the shells that run it
# shellcheck source=tests/command/pmu.sh
. "${TEST_SRCDIR:-$(dirname "$0")/../..}/tests/command/pmu.sh"

[ -z "${TEST_SANITIZERS:-}" ] || skip_all 'a library with sanitizers cannot be loaded into a program without'
[ "${TEST_SLOW:-}" != skip ] || skip_all TEST_SLOW=skip

# In reach of an ordinary user too.
chmod 755 "$tmp"
mkdir "$tmp/lib" "$tmp/work"
cp "$build/bindings/.libs/libpmu-preload.so" "$build/lib/.libs/libpmu.so.0" "$build/lib/.libs/libpmu-events.so" \
	"$tmp/lib" || exit 1
preload=$tmp/lib/libpmu-preload.so
stores=$tmp/stores
mkdir -m 700 "$stores"
cc=${TEST_CC:-cc}
unset PMU_AUTO PMU_WRAP PMU_FUNCTIONS
export HOME="$tmp" XDG_RUNTIME_DIR="$tmp"
export GIT_CONFIG_NOSYSTEM=1 GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example.org GIT_COMMITTER_NAME=a \
	GIT_COMMITTER_EMAIL=a@example.org GIT_AUTHOR_DATE='2026-01-01T00:00:00Z' \
	GIT_COMMITTER_DATE='2026-01-01T00:00:00Z'

# The interpreters of the system: shims of others are scripts that take seconds.
python=/usr/bin/python3
[ -x $python ] || python=python3

# once NAME SHELL COMMAND: its output in NAME.out and NAME.err, its status in the last line of the first
once() {
	rm -rf "$tmp/work"
	mkdir -m 777 "$tmp/work"
	(
		cd "$tmp/work" || exit
		exec "$2" -c "$3" >"$tmp/$1.out" 2>"$tmp/$1.err"
	)
	echo "status $?" >>"$tmp/$1.out"
}

n_stores() {
	set -- "$stores"/*.pmu
	[ -e "$1" ] || set --
	echo $#
}

# compare MEASURED NAME SHELL COMMAND: MEASURED processes at least leave results
compare() {
	once plain "$3" "$4"
	(
		export LD_PRELOAD="$preload" PMU_STORE="$stores"
		once with "$3" "$4"
	)
	got=$(n_stores)
	rm -f "$stores"/*.pmu
	for side in plain with; do
		sed -E "$filter" $side.out >$side.out.filtered
		sed -E "$filter" $side.err >$side.err.filtered
	done
	{
		diff plain.out.filtered with.out.filtered && diff plain.err.filtered with.err.filtered &&
			if [ "$got" -lt "$1" ]; then echo "$got processes measured" && false; fi
	} >out 2>err
	result $? "$2 ($(tail -n 1 plain.out), $got measured)"
	filter=''
}

# needs COMMAND...: is each of them here?
needs() {
	lacking=''
	for command; do
		command -v "$command" >/dev/null 2>&1 || lacking="$lacking $command"
	done
	[ -z "$lacking" ]
}

# same MEASURED NAME PROGRAMS COMMAND, same_in SHELL MEASURED NAME PROGRAMS COMMAND
same() { same_in sh "$@"; }
same_in() {
	# shellcheck disable=SC2086 # words
	if needs "$1" $4; then
		compare "$2" "$3" "$1" "$5"
	else
		skip "$3" "no$lacking"
		filter=''
	fi
}
filter='' # a sed script: what differs from run to run
numbers='s/[0-9]+(\.[0-9]+)?/N/g'

# --- shells ---
same 5 'a pipeline' 'sort uniq tr' 'printf "b\na\nb\n" | sort | uniq -c | sort -rn | tr a-z A-Z'
same_in bash 5 'a pipeline of bash' 'seq grep wc' 'seq 1 10000 | grep 7 | wc -l; echo ${PIPESTATUS[*]}'
same_in bash 2 'a pipe that breaks' 'yes head' 'yes | head -n 1; echo ${PIPESTATUS[*]}'
same 2 'a status' '' '(exit 7); echo $?; exit 3'
same 2 'a child that is killed' sleep 'sleep 60 & kill $!; wait $!; echo $?'
# which are padded by the length of a process's number
filter="$numbers; s/ +/ /g" same_in bash 2 'messages about the dead' '' \
	'for s in HUP INT QUIT ABRT KILL SEGV TERM USR1; do bash -c "kill -$s \$\$"; echo $?; done'
same 1 'traps' '' 'trap "echo caught" TERM; trap "echo bye" EXIT; kill $$; trap - TERM; trap'
same_in bash 1 'traps of bash' '' 'trap "echo caught" TERM INT; trap "echo bye" EXIT; kill $$; kill -INT $$; trap -p'
same 1 'what is ignored stays ignored' '' 'trap "" HUP; sh -c "kill -HUP \$\$; echo alive"; nohup sh -c "kill -HUP \$\$; echo alive"'
same_in bash 2 'process substitution' 'diff seq' 'diff <(seq 3) <(seq 4)'
same 2 'the environment of children' env 'env | grep -v -e ^LD_PRELOAD= -e ^PMU_ -e ^_= | sort'
same 0 'a bare environment' env 'env -i /bin/echo x'
same 1 'descriptors' ls 'ls /proc/self/fd | wc -l'
same 1 'closed descriptors' 'cat' 'exec <&- 2>&-; cat; echo $?'
same 1 'few descriptors' seq 'ulimit -n 8; seq 3; sh -c "echo x | cat"'
same 1 'a limit of memory' seq 'ulimit -v 300000; seq 3'
same 1 'a limit of file sizes' seq 'ulimit -f 0; seq 3 >file; echo $?'
same 2 'a limit of time' timeout 'timeout 0.2 sleep 60; echo $?; timeout -s KILL 0.2 sleep 60; echo $?'
same 2 'the number of processors' nproc 'nproc; nproc --all'
same 2 'affinity' taskset 'taskset -pc $$ | sed "s/.*: //"'
same 1 'no such command' '' '/nowhere/at/all; no-such-command; exec /etc/passwd'
same 3 'xargs' 'seq xargs' 'seq 20 | xargs -n 5 -P 2 echo | sort'
same 2 'find' 'find sort' 'mkdir -p a/b; touch a/b/c; find . -type f -exec echo {} \; -exec sh -c "exit 1" \; | sort'

# --- languages ---
same 1 'python' $python "$python"' -c "
import sys, os
print(sum(range(1000)), len(os.sched_getaffinity(0)), file=sys.stderr); sys.exit(4)"'
same 1 'python: signals' $python "$python"' -c "
import signal
for s in sorted(signal.valid_signals()): print(s, signal.getsignal(s))"'
same 3 'python: children' $python "$python"' -c "
import os, subprocess, signal
print(subprocess.run([\"sh\", \"-c\", \"echo x; exit 5\"], capture_output=True))
print(os.system(\"exit 6\"), os.popen(\"echo y\").read(), os.spawnlp(os.P_WAIT, \"sh\", \"sh\", \"-c\", \"exit 7\"))
p = os.fork()
if p == 0: os.kill(os.getpid(), signal.SIGTERM)
print(os.waitpid(p, 0)[1])
p = os.fork()
if p == 0: os._exit(8)
print(os.waitpid(p, 0)[1], flush=True)
os.execlp(\"sh\", \"sh\", \"-c\", \"exit 9\")"'
same 3 'python: multiprocessing' $python "$python"' -c "
import multiprocessing as m
def f(x): return x * x
if __name__ == \"__main__\":
    with m.Pool(2) as p: print(p.map(f, range(10)))
    import concurrent.futures as c
    with c.ThreadPoolExecutor(4) as e: print(list(e.map(f, range(10))))"'
same 1 'python: everything is closed' $python "$python"' -c "
import os
os.closerange(0, 65536)
a = os.open(\"f\", os.O_CREAT | os.O_RDWR, 0o600); b = os.dup(a); os.write(a, b\"%d %d\" % (a, b)); os._exit(len(os.listdir(\"/proc/self/fd\")))"
echo $?; cat f'
same 1 'python: an abort' $python "$python"' -c "import os; os.abort()"; echo $?'
same 1 'python: a fault that is caught' $python "$python"' -X faulthandler -c "import ctypes; ctypes.string_at(0)" 2>err; echo $?; wc -l <err'
same 2 'perl' perl 'perl -e '\''$SIG{TERM} = sub { print "term\n" }; kill TERM => $$; print `echo x`; system("exit 3"); print $? >> 8, "\n";
my $p = fork; if (!$p) { exit 4 } waitpid $p, 0; print $? >> 8, "\n"; $SIG{TERM} = "DEFAULT"; kill TERM => $$; sleep 9'\''; echo $?'

# --- builds ---
cat >"$tmp/many.c" <<'END'
#include <stdio.h>
#include <stdlib.h>
static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
int main(int argc, char **argv)
{
	int a[100];
	for (int i = 0; i < 100; i++)
		a[i] = i * 37 % 101 + argc;
	qsort(a, 100, sizeof(*a), compare);
	printf("%d %d %s\n", a[0], a[99], argc > 1 ? argv[1] : "");
	return 5;
}
END
export MANY="$tmp/many.c" CC="$cc"
same 3 'a compiler' "$cc cksum" '$CC -O2 -c "$MANY" -o many.o && cksum <many.o; $CC -S -o - "$MANY" | cksum; $CC -c nowhere.c'
same 3 'a program just built' "$cc" '$CC "$MANY" -o many && ./many x'
same 1 'a static program' "$cc" '$CC -static "$MANY" -o many && ./many x'
cat >"$tmp/throws.cc" <<'END'
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <thread>
int main(int argc, char **)
{
	std::thread t([] { try { throw std::runtime_error("caught"); } catch (std::exception &e) { puts(e.what()); } });
	t.join();
	struct Last { ~Last() { puts("last"); fflush(stdout); } };
	std::thread u([argc] { static thread_local Last last; (void)&last; if (argc > 1) throw 1; });
	u.join();
	throw std::runtime_error("not caught");
}
END
export THROWS="$tmp/throws.cc" CXX="${TEST_CXX:-c++}"
same 3 'exceptions' "$CXX" '$CXX -pthread "$THROWS" -o throws && ./throws; echo $?; ./throws x; echo $?'
printf 'all: a b c d\na b c d:\n\t@sh -c "echo $@ >$@"\n\t@cat $@ >>$@.all\nfails:\n\t@exit 3\n' >"$tmp/Makefile"
export MAKEFILE="$tmp/Makefile"
same 9 'make -j' make 'make -s -j4 -f "$MAKEFILE" && cat *.all | sort; make -s -f "$MAKEFILE" fails; echo $?'
same 4 'git' git 'git init -q . && echo x >a && git add a && git commit -qm one && git log --stat && git gc -q && git fsck; git show nothing'

# --- others ---
same 1 'sqlite3' sqlite3 'sqlite3 f.db "create table t(a, b); insert into t values (1, 2), (3, 4); select sum(a), b from t group by b; select nothing"'
same 1 'openssl' openssl 'seq 1000 | openssl dgst -sha256; seq 10 | openssl enc -aes-128-cbc -K 00 -iv 00 -nosalt 2>/dev/null | cksum'
filter="$numbers;/^compiler:/d" same 2 'openssl speed' openssl 'openssl speed -seconds 1 -multi 2 sha256 2>&1 | sed -n "/^type/,\$p" | tr -s " "'
same 1 'xz with threads' xz 'seq 400000 | xz -T2 --block-size=300000 -c >f.xz && xz -T2 -dc f.xz | cksum; echo x | xz -d'
same 2 'sort with threads' sort 'seq 200000 | sort --parallel=2 -S 1M -r | cksum'
same 2 'tar and gzip' 'tar gzip' 'seq 1000 >f; tar --mtime=@0 --owner=0 --group=0 -czf f.tgz f && tar -tzf f.tgz; tar -tzf nothing.tgz'
same 1 'file' file 'file -b /bin/sh /etc/passwd | cut -c -20'
same 1 'awk' awk 'seq 100 | awk "{ s += \$1 } END { print s; exit 3 }"'
same 1 'dd' dd 'dd if=/dev/zero bs=1k count=100 status=none | cksum'
filter=$numbers same 1 'gdb' gdb 'gdb -q -nx -batch -ex run -ex bt --args sh -c "exit 3" 2>/dev/null | grep -i "exited"'

# --- privilege ---
if [ "$(id -u)" -eq 0 ]; then
	same 0 'a setuid program' 'setpriv passwd' 'setpriv --reuid=65534 --regid=65534 --clear-groups passwd -S'
	same 0 'su, by an ordinary user' 'setpriv su' 'echo wrong | setpriv --reuid=65534 --regid=65534 --clear-groups su -c id'
	same 0 'an ordinary user' 'setpriv' 'setpriv --reuid=65534 --regid=65534 --clear-groups sh -c "id -u; exit 3"'
else
	same 0 'a setuid program' passwd 'passwd -S | wc -l'
	same 0 'su' su 'echo wrong | su -c id'
fi

finish
