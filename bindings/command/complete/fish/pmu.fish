# SPDX-License-Identifier: BSD-3-Clause
# fish completes command lines of pmu: what `pmu complete` prints, as bindings/command/complete/complete.h says.
function __pmu_complete
	set -l tokens (commandline -opc)
	set -l current (commandline -ct)
	set -l command $tokens[1]
	set -e tokens[1]
	for line in ($command complete -- $tokens $current 2>/dev/null)
		switch $line
			case :files
				__fish_complete_path (string replace -r '^--[a-z-]*=' '' -- $current) | string replace -r '^' -- (string match -r -- '^--[a-z-]*=' $current; or echo '')
			case :folders
				__fish_complete_directories $current
			case :nospace
			case ':command *'
				set -l n (math (string replace ':command ' '' -- $line) + 1)
				complete --do-complete (string join ' ' -- (string escape -- $tokens[$n..-1]) $current)
			case '*'
				echo $line
		end
	end
end
complete -c pmu -f -a '(__pmu_complete)'
