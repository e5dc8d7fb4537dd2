#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What `pmu complete` tells shells, and what bash, zsh and fish make of it.
# shellcheck source=tests/command/pmu.sh
. "$(dirname "$0")/pmu.sh"
scripts=$source/bindings/command/complete
unset PMU_EVENT_FILES PMU_GROUP_PATH

# candidates WORD...: as lines, without what is said about them, and without what the shell is to do
candidates() {
	"$pmu" complete -- "$@" 2>&1 | grep -v '^:' | sed 's/	.*//'
}
# does WORD...: what it is to do, in a line
does() {
	"$pmu" complete -- "$@" | sed -n 's/^://p' | tr '\n' ' '
}

"$pmu" help | sed -n 's/^  \([a-z]*\)  .*/\1/p' >commands
candidates '' | grep -v '^-' >out
ok 'the commands are those of help' diff commands out
: >err
while read -r command; do
	"$pmu" help "$command" | sed -n 's/^  \(-[A-Za-z], \)\{0,1\}\(--[a-z-]*[a-z]\).*/\2/p' | sort -u >helped
	candidates "$command" - | sort -u >out
	diff helped out >>err || echo "$command" >>err
done <commands
ok "each command's options are those of its help" test ! -s err
ok 'what an option is for stands beside it' \
	sh -c "'$pmu' complete -- run --sou | grep -qx -e '--source	as in PMU_BACKEND: where counts come from'"

"$pmu" list groups | sed -n 's/^  \([A-Z][A-Z0-9_]*\) .*/\1/p' | sort -u >listed
candidates run -g '' | sort -u >out
ok 'groups are those of pmu list' sh -c '[ -s listed ] && ! comm -23 listed out | grep .'
is 'of a list the last one' "$(candidates run -g CORE,BRA) $(does run -g CORE,BRA)" 'CORE,BRANCH nospace '
is 'joined to its option' "$(candidates run -gBRA) $(candidates run --group=BRA)" '-gBRANCH --group=BRANCH'
ok 'events are those of pmu list' \
	sh -c "[ \$('$pmu' complete -- run -e '' | wc -l) -ge \$('$pmu' list events | grep -c '^  [a-z]') ]"
is 'in the letters in which they were begun' "$(candidates event page-f)" page-faults
is 'or in others' "$(candidates event PAGE-F)" page-faults

# Whatever is offered is taken; nothing with a sanitizer is preloaded.
for option in --source --pin --scope --count --trace-keep --auto --sort --topdown= --emulate=; do
	: >err
	values=$(case $option in *=) candidates run "$option" ;; *) candidates run "$option" '' ;; esac)
	for value in $values; do
		case $option in
		*=) set -- "$value" ;;
		*) set -- "$option" "$value" ;;
		esac
		[ "$option" != --trace-keep ] || set -- --trace "$tmp/t.trace" "$@"
		case $value in
		msr | perf | valgrind | cpu | *emulate* | *topdown*) continue ;; # not everywhere
		esac
		[ -n "${TEST_SANITIZERS:-}" ] || "$pmu" run -o none "$@" true >out 2>&1 || echo "$*: $(cat out)" >>err
	done
	ok "$option: $(echo $values)" sh -c '[ -n "$1" ] && ! [ -s err ]' sh "$values"
done
is 'endings of reports' "$(candidates run -o run.s) $(candidates diff -o d.m)" 'run.speedscope.json d.md'
is 'beside files' "$(does run -o run) $(does report x) $(does info --cpuid '') $(does list --event-files '')" \
	'files  files  files  folders '

is "what follows is a command's" "$(does run sh -c) $(does run -e x -- sh) $(does top -i 1s sh) $(does run -o)" \
	'command 1  command 4  command 3  '
is "behind check's -- are run's options" "$(candidates check -b b.json -- --emu)" --emulate
is 'and a command' "$(does check -b b.json -- --emulate ls '')" 'command 5 '
ok 'processes, to attach to' sh -c "'$pmu' complete -- attach '' | grep -qx '$$	.*'"
is 'topics of help' "$(candidates help env)$(candidates help env '')" environment--help
is 'nothing of what is none' "$(candidates nothing '')$("$pmu" complete; echo $?)$("$pmu" complete -- ; echo $?)" 00
is 'of a bug report, too' "$(candidates --version --verb)" --verbose
awk 'BEGIN { for (i = 0; i < 60000; i++) printf "x"; }' >long
ok 'nor of a long word' sh -c "'$pmu' complete -- run -e \"\$(cat long)\""

# --- shells ---

mkdir bin
ln -s "$pmu" bin/pmu
PATH=$tmp/bin:$PATH
: >report-one.json
mkdir folder
cat >ask.bash <<'S'
source "$1"
shift
# readline's pieces: those that = and : begin and end stand alone
COMP_WORDS=()
for word; do
	while [[ $word == *[=:]* ]]; do
		piece=${word%%[=:]*}
		[ -z "$piece" ] || COMP_WORDS+=("$piece")
		word=${word#"$piece"}
		COMP_WORDS+=("${word:0:1}")
		word=${word:1}
		rest=1
	done
	[ -z "$word" ] && [ -n "${rest:-}" ] || COMP_WORDS+=("$word")
	rest=
done
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_pmu "${COMP_WORDS[0]}"
printf '%s\n' "${COMPREPLY[@]}"
S
# asks WORD...: what bash offers, in a line
asks() {
	bash --norc ask.bash "$scripts/bash/pmu" pmu "$@" 2>err | tr '\n' ' '
}
if command -v bash >/dev/null; then
	is 'bash: a command' "$(asks rep)" 'report '
	is 'bash: an option' "$(asks run --sou)" '--source '
	is 'bash: its value' "$(asks run --source v)$(asks run --source=v)$(asks run --source=)" \
		'valgrind valgrind auto perf msr valgrind software nvml clock '
	is 'bash: a list' "$(asks run -g CORE,BRA)$(asks run --group=CORE,BRA)" 'CORE,BRANCH CORE,BRANCH '
	is 'bash: files' "$(asks report rep)$(asks info --cpuid=report-o)" 'report-one.json report-one.json '
	is 'bash: files that will be' "$(asks run --output=new.j)" 'new.json '
	is 'bash: folders' "$(asks list --event-files fol)" 'folder '
	ok "bash: another command" sh -c 'case " $1" in *" pmu "*) ;; *) exit 1 ;; esac' sh "$(asks run -- pm)"
	is "bash: its files" "$(asks run -- ls report-)" 'report-one.json '
else
	skip bash 'no bash'
fi

if command -v fish >/dev/null; then
	# fishes LINE
	fishes() {
		HOME=$tmp XDG_CONFIG_HOME=$tmp fish -N -c 'source $argv[1]; complete -C "$argv[2]"' "$scripts/fish/pmu.fish" "$1" 2>err | sed 's/	.*//' | tr '\n' ' '
	}
	is 'fish: a command' "$(fishes 'pmu rep')" 'report '
	is 'fish: an option and its value' "$(fishes 'pmu run --sou')$(fishes 'pmu run --source v')$(fishes 'pmu run --source=v')" \
		'--source valgrind --source=valgrind '
	is 'fish: a list' "$(fishes 'pmu run -g CORE,BRA')" 'CORE,BRANCH '
	is 'fish: files' "$(fishes 'pmu report rep')$(fishes 'pmu info --cpuid=report')" 'report-one.json --cpuid=report-one.json '
	is 'fish: another command' "$(fishes 'pmu run pmu repo')" 'report '
else
	skip fish 'no fish'
fi

if command -v zsh >/dev/null; then
	# A terminal of its own; what is inserted at a tab is printed by the key that ends the line.
	cat >ask.zsh <<'S'
zmodload zsh/zpty
zpty shell "TERM=dumb zsh -f -i"
zpty -w shell "PS1=; fpath=($1 \$fpath); autoload -U compinit; compinit -u -D; show() { print -r -- \"<<\$BUFFER>>\"; BUFFER= }; zle -N show; bindkey '^X' show; bindkey '^I' complete-word; setopt no_beep no_auto_list no_auto_menu; print re''ady"
zpty -m -t shell '*ready*' 2>/dev/null
for ((i = 0; i < 100; i++)); do
	zpty -r -t shell got 2>/dev/null && seen+=$got
	[[ $seen == *ready* ]] && break
	sleep 0.05
done
shift
for line; do
	zpty -w -n shell "$line"$'\t'$'\x18'
	seen=
	for ((i = 0; i < 100; i++)); do
		zpty -r -t shell got 2>/dev/null && seen+=$got
		[[ $seen == *'<<'*'>>'* ]] && break
		sleep 0.05
	done
	seen=${seen##*'<<'}
	print -r -- "${seen%%'>>'*}"
done
zpty -d shell
S
	zsh -f ask.zsh "$scripts/zsh" 'pmu rep' 'pmu run --sou' 'pmu run --source v' 'pmu run --source=v' 'pmu run -g CORE,BRA' \
		'pmu report report-' 'pmu run -- pmu repo' >out 2>err
	cat >want <<'S'
pmu report 
pmu run --source 
pmu run --source valgrind 
pmu run --source=valgrind 
pmu run -g CORE,BRANCH
pmu report report-one.json 
pmu run -- pmu report 
S
	ok 'zsh: commands, options, values, lists, files, and another command' diff want out
else
	skip zsh 'no zsh'
fi

# --- what a report of a mistake needs ---

HOME=/home/somebody run 0 'the version with all about it' --version --verbose
for title in Built Libraries Machine 'Sources of counts, best first' 'Settings and limits'; do
	ok "  $title" grep -qx "$title" out
done
ok '  perf_event_paranoid' grep -q perf_event_paranoid out
ok '  not the name of the host' sh -c '! grep -qwF -- "$1" out' sh "$(uname -n)"
ok '  no folders of somebody' sh -c '! grep -qE "/(home|root|Users)\\b|$1" out' sh "$(id -un)[^a-z]*@"
finish
