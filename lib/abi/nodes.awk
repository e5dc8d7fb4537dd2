# SPDX-License-Identifier: BSD-3-Clause
# A linker's version script as lines "NODE SYMBOL", and "NODE < NODE" for the one it goes on from; sorted by who calls it.
{
	while (match($0, /\/\*([^*]|\*[^\/])*\*\//))
		$0 = substr($0, 1, RSTART - 1) " " substr($0, RSTART + RLENGTH)
}
inside { if (!sub(/.*\*\//, "")) next; inside = 0 }
/\/\*/ { inside = 1; sub(/\/\*.*/, "") }
{
	gsub(/[{};]/, " & ")
	for (i = 1; i <= NF; i++) {
		if ($i == "{")
			depth = 1
		else if ($i == "}") {
			depth = 0
			closed = 1
		} else if ($i == ";")
			closed = 0
		else if ($i == "global:" || $i == "local:")
			continue
		else if (depth)
			print node, $i
		else if (closed)
			print node, "<", $i
		else
			node = $i
	}
}
