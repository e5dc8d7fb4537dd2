# SPDX-License-Identifier: BSD-3-Clause
# page.html, with the style and the script where it says so, as C: the lines of bindings/command/page/page.h.
# -v style="A.css ..." -v script="A.js ..." -v style_hash=HEX -v script_hash=HEX (SHA-256 of what stands
# between the tags, which the page's policy allows and nothing else).
# Not by gsub(): what backslashes mean in what it puts in differs from awk to awk.
function replaced(text, old, new, part, n, i, out) {
	n = split(text, part, old)
	out = part[1]
	for (i = 2; i <= n; i++)
		out = out new part[i]
	return out
}

function quoted(text) {
	text = replaced(text, "\\", "\\\\")
	text = replaced(text, "\"", "\\\"")
	return replaced(text, "?", "\\?") # no trigraphs
}

function put(text, newline) {
	print "\t\"" quoted(text) (newline ? "\\n" : "") "\","
}

function put_files(names, n, i, file, line) {
	n = split(names, file, " ")
	for (i = 1; i <= n; i++) {
		while ((getline line <file[i]) > 0)
			put(line, 1)
		close(file[i])
	}
}

# Hexadecimal digits as base64: three of them are two letters.
function base64(hex, digits, letters, i, k, n, out) {
	digits = "0123456789abcdef"
	letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	for (i = 1; i <= length(hex); i += 3) {
		n = 0
		for (k = 0; k < 3; k++)
			n = n * 16 + (i + k <= length(hex) ? index(digits, substr(hex, i + k, 1)) - 1 : 0)
		out = out substr(letters, int(n / 64) + 1, 1)
		if (i + 1 <= length(hex))
			out = out substr(letters, n % 64 + 1, 1)
	}
	while (length(out) % 4)
		out = out "="
	return out
}

BEGIN {
	print "/* Made of the files in bindings/command/page/ by embed.awk. */"
	print "#include \"bindings/command/page/page.h\"\n"
	print "const char *const pmu_page_before[] = {"
}
/^<!-- SPDX/ { next }
{
	gsub(/@style-hash@/, "sha256-" base64(style_hash))
	gsub(/@script-hash@/, "sha256-" base64(script_hash))
}
/^@data@$/ {
	print "\tNULL,\n};\n\nconst char *const pmu_page_after[] = {"
	next
}
/^<style>$/ {
	put($0)
	put_files(style)
	next
}
/^<script>$/ {
	put($0)
	put_files(script)
	next
}
{ put($0, 1) }
END { print "\tNULL,\n};" }
