# SPDX-License-Identifier: BSD-3-Clause
# Manual pages of the public calls, from the comments of pmu.h: awk -v dir=DIR -v date=DATE -f man.awk pmu.h
# A comment that begins "name() - what it does" is a page; where it has several names, the others lead to the
# first.  "@name: text" is an argument or a member, "Context:" and "Return:" begin paragraphs of those
# sections.  Structures and enumerations stand on the pages of the calls that take them.

/^#define PMU_VERSION_STRING/ { version = $3; gsub(/"/, "", version) }
/^#else \/\* PMU_DISABLE/ { declared = 0; skipping = 1 }
/^#endif \/\* PMU_DISABLE/ { skipping = 0 }
skipping { next }

/^\/\*\*/ {
	n_lines = 0
	in_comment = 1
	declared = 0
}
in_comment {
	line = $0
	last = sub(/ *\*\/$/, "", line)
	if (sub(/^\/\*\* */, "", line) || sub(/^ \* ?/, "", line))
		if (n_lines || line != "")
			comment[++n_lines] = line
	if (last) {
		in_comment = 0
		begin_comment()
	}
	next
}
/^(struct|enum) [a-z_]+ \{/ {
	kind = $1 " " $2
	code[kind] = ""
	in_code = 1
	if (!(kind in brief) && n_lines == 1)
		brief[kind] = comment[1]
}
in_code {
	code[kind] = code[kind] $0 "\n"
	if (/^};/)
		in_code = 0
}
/^$/ { declared = 0 }
declared && /^[A-Za-z\t]/ {
	line = $0
	sub(/^[ \t]+/, " ", line)
	declaration = declaration line
	if (line ~ /;$/) {
		declare(declaration)
		declaration = ""
	}
}
END {
	for (p = 1; p <= n_pages; p++)
		page(p)
}

# The text of a comment, by parts, and what it is of.
function begin_comment(    i, first, part, text, names, n) {
	first = comment[1]
	part = ""
	n = split("", names)
	if (first ~ /^struct [a-z_]+ - /) {
		of = first
		sub(/ - .*/, "", of)
		brief[of] = first
		sub(/^[^-]* - /, "", brief[of])
		n_named[of] = 0
	} else if (first ~ /^(pmu_[a-z_]+\(\)(, )?)+ - / || first ~ /^PMU_[A-Z]+\(\) - /) {
		of = ++n_pages
		text = first
		sub(/ - .*/, "", text)
		gsub(/\(\)/, "", text)
		n_names[of] = split(text, names, ", ")
		for (i = 1; i <= n_names[of]; i++)
			name_of[of, i] = names[i]
		text = first
		sub(/^[^-]* - /, "", text)
		# of one line: "what it does.  Return: what"
		if (match(text, /\.?  Return: /)) {
			returns[of] = substr(text, RSTART + RLENGTH)
			text = substr(text, 1, RSTART - 1)
		} else if (n_lines == 1 && match(text, /[;,] /)) {
			about[of] = capital(substr(text, RSTART + 2))
			text = substr(text, 1, RSTART - 1)
		}
		sub(/\.$/, "", text)
		brief[of] = text
		n_named[of] = 0
		# a macro has no declaration: its argument's name says enough
		declared = first !~ /^PMU/
	} else {
		return
	}
	for (i = 2; i <= n_lines; i++)
		part = add(of, part, comment[i])
}

# One line of a comment goes to the part that it begins, or to the one that it goes on with.
function add(of, part, line) {
	if (match(line, /^@[a-z_]+: */)) {
		n_named[of]++
		named[of, n_named[of]] = substr(line, 2, index(line, ":") - 2)
		named_text[of, n_named[of]] = substr(line, RLENGTH + 1)
		return "named"
	}
	if (sub(/^Context: */, "", line))
		part = "context"
	else if (sub(/^Return: */, "", line))
		part = "returns"
	else if (line == "" && part == "named")
		part = "about"
	else if (part == "" && line != "")
		part = "about"
	if (part == "named")
		named_text[of, n_named[of]] = named_text[of, n_named[of]] " " line
	else if (part == "context")
		context[of] = context[of] (line == "" ? "\n" : " " line)
	else if (part == "returns")
		returns[of] = returns[of] (line == "" ? "\n" : " " line)
	else if (part == "about")
		about[of] = about[of] (line == "" ? "\n" : " " line)
	return part
}

# "const char *pmu_x(int a, char **b);" as .Ft and .Fn
function declare(text,    type, name, arguments, n, i, argument) {
	sub(/^PMU_DIRECT_ /, "", text)
	if (!match(text, /pmu_[a-z_]+\(/))
		return
	type = substr(text, 1, RSTART - 1)
	sub(/ $/, "", type)
	name = substr(text, RSTART, RLENGTH - 1)
	arguments = substr(text, RSTART + RLENGTH)
	sub(/\);.*/, "", arguments)
	synopsis[of] = synopsis[of] ".Ft " (type ~ / / ? "\"" type "\"" : type) "\n.Fn " name
	if (arguments == "void") {
		synopsis[of] = synopsis[of] " void\n"
		return
	}
	n = split(arguments, argument, /, */)
	for (i = 1; i <= n; i++) {
		synopsis[of] = synopsis[of] " \"" argument[i] "\""
		if (match(argument[i], /(struct|enum) [a-z_]+/))
			takes[of] = takes[of] substr(argument[i], RSTART, RLENGTH) "\n"
	}
	synopsis[of] = synopsis[of] "\n"
}

function page(of,    file, i) {
	file = dir "/" name_of[of, 1] ".3"
	printf ".\\\" Made from pmu.h by man.awk.\n.Dd %s\n.Dt %s 3\n.Os libpmu %s\n.Sh NAME\n", date,
		toupper(name_of[of, 1]), version >file
	for (i = 1; i <= n_names[of]; i++)
		printf ".Nm %s%s\n", name_of[of, i], i < n_names[of] ? " ," : "" >file
	printf ".Nd %s\n.Sh SYNOPSIS\n.In pmu.h\n", brief[of] >file
	if (of in synopsis)
		printf "%s", synopsis[of] >file
	else
		printf ".Fn %s %s\n", name_of[of, 1], named[of, 1] >file
	printf ".Sh DESCRIPTION\n" >file
	list(file, of, "Fa")
	if (of in about)
		paragraphs(file, about[of], n_named[of] > 0)
	else if (n_named[of] == 0)
		flow(file, capital(brief[of]) ".")
	structures(file, of)
	if (of in context) {
		printf ".Ss Where it may be called\n" >file
		paragraphs(file, capital(context[of]), 0)
	}
	if (of in returns) {
		printf ".Sh RETURN VALUES\n" >file
		paragraphs(file, capital(returns[of]), 0)
	}
	printf ".Sh SEE ALSO\n.Xr pmu 1 ,\n.Xr pmu 3 ,\n.Xr pmu 7\n" >file
	close(file)
	for (i = 2; i <= n_names[of]; i++) {
		file = dir "/" name_of[of, i] ".3"
		printf ".so man3/%s.3\n", name_of[of, 1] >file
		close(file)
	}
}

# What the call takes, as it is declared, and its members.
function structures(file, of,    kinds, n, i, text) {
	n = split(takes[of], kinds, "\n")
	for (i = 1; i < n; i++) {
		if (!(kinds[i] in code))
			continue
		text = code[kinds[i]]
		gsub(/\\/, "\\e", text)
		printf ".Bd -literal -offset indent\n%s.Ed\n", text >file
		if (n_named[kinds[i]])
			list(file, kinds[i], "Va")
		if (kinds[i] in about)
			paragraphs(file, about[kinds[i]], 1)
	}
}

function capital(text) {
	sub(/^ +/, "", text)
	return toupper(substr(text, 1, 1)) substr(text, 2)
}

function list(file, of, macro,    i) {
	if (!n_named[of])
		return
	printf ".Bl -tag -width Ds\n" >file
	for (i = 1; i <= n_named[of]; i++) {
		printf ".It %s %s\n", macro, named[of, i] >file
		flow(file, named_text[of, i])
	}
	printf ".El\n" >file
}

function paragraphs(file, text, more,    part, n, i) {
	n = split(text, part, "\n")
	for (i = 1; i <= n; i++) {
		if (part[i] ~ /^ *$/)
			continue
		if (more)
			printf ".Pp\n" >file
		flow(file, part[i])
		more = 1
	}
}

# Running text: a sentence begins a line, and what has a macro stands on one of its own.
function flow(file, text,    word, n, i, line, marked, before, after) {
	gsub(/\\/, "\\e", text)
	n = split(text, word, /[ \t]+/)
	line = ""
	for (i = 1; i <= n; i++) {
		if (word[i] == "")
			continue
		before = after = ""
		marked = word[i]
		if (sub(/^\(/, "", marked))
			before = ".Pf ( "
		if (match(marked, /[]).,;:]+$/) && marked !~ /^[^(]*\(\)$/) {
			after = substr(marked, RSTART)
			marked = substr(marked, 1, RSTART - 1)
			# of "name()." the point alone
			if (marked ~ /\($/) {
				marked = marked ")"
				after = substr(after, 2)
			}
		}
		marked = macro_of(marked)
		if (marked != "") {
			if (line != "")
				print line >file
			line = ""
			gsub(/./, " &", after)
			print (before == "" ? "." : before) marked after >file
			continue
		}
		if (line != "" && length(line) + length(word[i]) > 78) {
			print line >file
			line = ""
		}
		if (line == "" && word[i] ~ /^[.']/)
			word[i] = "\\&" word[i]
		line = line (line == "" ? "" : " ") word[i]
		if (word[i] ~ /\.$/) {
			print line >file
			line = ""
		}
	}
	if (line != "")
		print line >file
}

function macro_of(word) {
	if (word ~ /^@[a-z_]+$/)
		return "Fa " substr(word, 2)
	if (word ~ /^(pmu_[a-z_]+|PMU_REGION|_?exit)\(\)$/)
		return "Fn " substr(word, 1, length(word) - 2)
	if (word ~ /^-E[A-Z]+$/)
		return "Er " word
	if (word ~ /^PMU_[A-Z_]+(=[0-9a-z]+)?$/ || word == "NULL")
		return "Dv " word
	return ""
}
