# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# Boots each of a list of x86-64 machines once and looks at the library (exact.sh) and the command (command.sh) there.  For the
# scripts that have such a list, on the input of models():
#
#   NAME GENERAL FIXED ENERGY TOPDOWN MEM OPTION...
#
# How many counters there are, whether ENERGY, TOPDOWN and MEM can be counted there (yes, no; MEM also zero: by counters that stand still), and the options of run.sh.
#
# TEST_X86_MODELS is which of them (all), TEST_X86_PARTS what: the command is looked at on each, the library, which
# takes three times as long, on three that differ most in their counters, unless TEST_X86_PARTS says otherwise (exact command).
# TEST_X86_PROCESSES=20 is all there is to prove: 20 processes for each source and 1, 2 and 4 threads, on four CPUs.
. "$(dirname "$0")/guest.sh"
. "$here/exact.sh"
. "$here/command.sh"

# Is the library looked at on a model?
exact_on() { # MODEL
	case "${TEST_X86_PARTS:-}${TEST_X86_PROCESSES:-} $1" in
	*exact* | [0-9]*) true ;;
	" Nehalem" | " SapphireRapids" | " Genoa") true ;;
	*) false ;;
	esac
}

models() {
	parts=" ${TEST_X86_PARTS:-command} "
	prepare
	exact_prepare
	command_prepare
	cp "$here"/job_*.sh "$here/names.txt" "$out/job/"
	while read -r name facts; do
		case " ${TEST_X86_MODELS:-$name} " in
		*" $name "*) echo "$name $facts${TEST_X86_PROCESSES:+ --smp 4}" ;;
		esac
	done >"$out/machines"

	command=true
	case $parts in *" command "*) command="sh job_command.sh" ;; esac
	exact=
	while read -r name general fixed energy topdown mem options; do
		! exact_on "$name" || [ "$general" -eq 0 ] || exact="$exact $name"
		echo "$name $options"
	done <"$out/machines" >"$out/boots"
	# shellcheck disable=SC2016 # the guest's
	command="$command && "'case " '"$exact"' " in *" $MODEL "*) '"sh job_exact.sh ${TEST_X86_PROCESSES:-} >/out/exact ;; esac"
	boots "$command" <"$out/boots"

	while read -r name general fixed energy topdown mem options; do
		result "$(cat "$out/$name.rc")" "$name ($options): it ran to its end"
		sed 's/^/# /' "$out/$name.log"
		# shellcheck disable=SC2086 # a list of words
		case $parts in *" command "*) command_check "$name" "$general" "$fixed" "$energy" "$topdown" "$mem" $options ;; esac
		case " $exact " in *" $name "*) exact_check "$name" ;; esac
	done <"$out/machines"
	# shellcheck disable=SC2086
	[ -z "$exact" ] || exact_table $exact
	finish
}
