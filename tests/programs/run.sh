#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Real programs, as many of the list as are installed: each runs by itself and under `pmu run`, in a folder of its own.
# Output, messages, status and the files that it leaves must be the same.  Prints a table; the status is 1 where one
# differs.
#
# tests/programs/run.sh [--at-least N] [NAME...]: those alone; the status is 1 also where fewer than N of them are
# installed.  PMU=... names the command, else that of the build tree we are in.
set -u
export LC_ALL=C TZ=UTC GIT_CONFIG_NOSYSTEM=1 RUST_BACKTRACE=0

at_least=0
if [ "${1:-}" = --at-least ]; then
	at_least=${2:?how many}
	shift 2
fi
list=$(cd "$(dirname "$0")" && pwd)/list || exit 1
pmu=${PMU:-$(pwd)/pmu}
[ -x "$pmu" ] || { echo "there is no $pmu: start this where libpmu was built, or set PMU" >&2; exit 2; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export HOME="$work/home"
mkdir "$HOME" || exit 1
for variable in $(env | sed -n 's/^\(PMU_[A-Za-z0-9_]*\)=.*/\1/p'); do
	unset "$variable"
done

# What every program finds in its folder.
furnish() {
	mkdir "$1" "$1/tree" && cd "$1" || exit 1
	seq 1 2000 >numbers
	printf 'b 2\na 1\nc 3\n' >words
	printf '{"a": [1, 2, {"b": null}]}\n' >data.json
	for i in 1 2 3; do
		echo "file $i" >"tree/$i"
	done
	# shellcheck disable=SC2016 # Makefile's own
	printf 'all: one two\none two: words\n\tsort words >$@\n' >Makefile
	cat >hello.c <<-'C'
		#include <stdio.h>
		#include <stdlib.h>
		int main(void) { puts(getenv("NOTHING") ? "what" : "hello"); return 3; }
	C
	cat >threads.c <<-'C'
		#include <pthread.h>
		#include <stdio.h>
		static void *work(void *arg) { volatile long n = 0; while (n < 1000000) n = n + 1; return arg; }
		int main(void)
		{
			pthread_t thread[4];
			for (int i = 0; i < 4; i++) pthread_create(&thread[i], NULL, work, NULL);
			for (int i = 0; i < 4; i++) pthread_join(thread[i], NULL);
			puts("joined");
			return 4;
		}
	C
	cp hello.c hello.cc
}

# Names, kinds and contents.  Programs' own files may hold times: where the list says "names", they are not compared.
left_over() {
	if [ "$2" = names ]; then
		(cd "$1" && find . -printf '%y %p\n' | sort)
	else
		(cd "$1" && find . -type f -exec cksum {} + | sort -k 3; find . ! -type f -printf '%y %p\n' | sort)
	fi
}

# alone or measured: in "$work/SIDE", with its results beside it.
run_side() {
	side=$1
	shift
	rm -rf "${work:?}/cell" "$work/$side".*
	furnish "$work/cell"
	"$@" </dev/null >"$work/$side.out" 2>"$work/$side.err"
	echo $? >"$work/$side.status"
	cd "$work" && left_over cell "$compare" >"$work/$side.files"
}

differing() {
	for part in status out err files; do
		cmp -s "$work/alone.$part" "$work/measured.$part" || printf ' %s' "$part"
	done
}

n=0 n_differ=0 n_absent=0
printf '%-14s %-8s %s\n' program status result
while IFS='|' read -r name needs compare command; do
	case $name in '' | '#'*) continue ;; esac
	[ $# = 0 ] || case " $* " in *" $name "*) ;; *) continue ;; esac
	for need in $needs; do
		command -v "$need" >/dev/null || { n_absent=$((n_absent + 1)); continue 2; }
	done
	n=$((n + 1))
	run_side alone timeout 120 sh -c "$command"
	run_side measured timeout 120 "$pmu" run -o "$work/report" -- sh -c "$command"
	differs=$(differing)
	printf '%-14s %-8s %s\n' "$name" "$(cat "$work/alone.status")" "${differs:+DIFFERS:}${differs:-alike}"
	[ -n "$differs" ] || continue
	n_differ=$((n_differ + 1))
	for part in $differs; do
		diff "$work/alone.$part" "$work/measured.$part" | head -n 8 | sed "s/^/    $part: /"
	done
done <"$list"
echo "$n programs, $n_differ differ; $n_absent are not installed"
[ "$n" -ge "$at_least" ] || { echo "error: $at_least were to be installed"; exit 1; }
[ "$n_differ" = 0 ]
