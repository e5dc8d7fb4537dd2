# SPDX-License-Identifier: BSD-3-Clause
#
# Prints a manual page of the command anew: its lists of options and of settings have what `pmu help`
# has, in that order and with those headings.  What stands below a heading stays; what help alone knows
# gets help's words, marked so that they change when those do.
#
#	awk -v pmu=./pmu -f manual.awk pmu-run.1

BEGIN {
	printed = ".\\\" as help says it"
}

# A page is of one command, or has a subsection of each that is short.
/^\.Dt PMU-/ { command = tolower(substr($2, 5)) }
/^\.(Ss pmu|Sh ENVIRONMENT)/ || (command && /^\.Sh DESCRIPTION/) {
	print
	read_help(/^\.Ss/ ? $3 : /ENV/ ? "environment" : command)
	next
}
/^\.S[hs] / { n_keys = 0 }
# A list is the one that is meant where its first item is an option, or a setting of ours.
/^\.Bl -tag/ && n_keys {
	begun = $0
	if ((getline) > 0 && /^\.It (Fl|Ev PMU_)/) {
		print begun
		take_list()
		put_list()
		next
	}
	print begun
}
{ print }

# --- what help says: key[1..n_keys], heading[KEY], text[KEY] ---

function read_help(topic,    ask, line, at, label) {
	n_keys = 0
	split("", text)
	split("", heading)
	split("", block)
	split("", is_told)
	ask = pmu " help " topic
	at = ""
	label = "^  (-[A-Za-z], )?--[a-z-]*( [^ ]+|[[]=[^ ]+)?  "
	if (topic == "environment")
		label = "^  PMU_[A-Z_]+ "
	while ((ask | getline line) > 0) {
		if (match(line, label))
			at = add_key(substr(line, 3, RLENGTH - 2), substr(line, RLENGTH + 1), topic)
		else if (at != "" && line ~ /^      /)
			add_text(at, line)
		else
			at = ""
	}
	close(ask)
}

# "-g, --group GROUP", "--topdown[=LEVEL]", "--", "PMU_GROUP".  Return: what it is known by.
function add_key(label, words, topic,    name, argument, found) {
	sub(/ +$/, "", label)
	if (topic == "environment") {
		name = label
		found = ".It Ev " name
		words = ""
	} else {
		argument = label
		sub(/^(-[A-Za-z], )?--[a-z-]*/, "", argument)
		name = substr(label, 1, length(label) - length(argument))
		found = ".It Fl " (name ~ /^--/ ? "" : substr(name, 2, 1) " , ")
		sub(/^(-[A-Za-z], )?-/, "", name)
		found = found name mdoc_argument(argument)
		if (name == "-help")
			return ""
	}
	key[++n_keys] = name
	heading[name] = found
	sub(/^ +/, "", words)
	text[name] = words
	return name
}

function mdoc_argument(argument) {
	if (sub(/^\[=/, "", argument)) {
		sub(/\]$/, "", argument)
		return " Ns Op = Ns " (argument ~ /^[a-z]/ ? "Cm " : "Ar ") argument
	}
	if (argument == "")
		return ""
	sub(/^ /, " Ar ", argument)
	sub(/=/, " Ns = Ns Ar ", argument)
	sub(/%$/, " Ns Cm %", argument)
	return argument
}

function add_text(name, line) {
	sub(/^ +/, "", line)
	if (line ~ /^default: /)
		line = "(" line ")"
	text[name] = text[name] (text[name] == "" ? "" : " ") line
}

# --- what the page says: block[KEY], the lines below a heading ---

function take_list(    depth, name, n, word, i, n_told) {
	depth = 1
	do {
		if (/^\.Bl/)
			depth++
		if (/^\.El/ && !--depth)
			return
		if (depth > 1 || !/^\.It (Fl|Ev)/) {
			if (name != "" || block[name] != "")
				block[name] = block[name] $0 "\n"
			continue
		}
		n = split($0, word, " ")
		name = ""
		n_told = 0
		for (i = 3; i <= n; i++)
			if (word[i] in heading && ++n_told == 1)
				name = word[i]
			else if (word[i] in heading)
				is_told[word[i]] = 1
		if (name == "") {
			print "manual: help knows nothing of " $0 >"/dev/stderr"
			name = "?"
		}
		# one more heading of the same option, and one of several, are the page's own
		if (block[name] != "")
			block[name] = block[name] $0 "\n"
		else if (n_told > 1)
			heading[name] = $0
	} while ((getline) > 0)
}

function put_list(    i, name, below) {
	for (i = 1; i <= n_keys; i++) {
		name = key[i]
		if (name in is_told)
			continue
		print heading[name]
		below = block[name]
		if (below == "" || index(below, printed) == 1)
			put_text(text[name])
		else
			printf "%s", below
	}
	print ".El"
	n_keys = 0
}

function put_text(words,    n, word, i, line) {
	print printed
	words = toupper(substr(words, 1, 1)) substr(words, 2)
	if (match(words, /^As (in )?PMU_[A-Z_]+(=1)?: /)) {
		n = split(substr(words, 1, RLENGTH - 2), word, " ")
		words = substr(words, RLENGTH + 1)
		for (i = 1; i < n; i++)
			line = line (i > 1 ? " " : "") word[i]
		print line
		sub(/=1$/, " Ns Cm =1", word[n])
		print ".Ev " word[n] " :"
	}
	n = split(words ".", word, " ")
	line = ""
	for (i = 1; i <= n; i++) {
		if (line != "" && length(line " " word[i]) > 80) {
			put_line(line)
			line = ""
		}
		line = line (line == "" ? "" : " ") word[i]
	}
	put_line(line)
}

function put_line(line) {
	gsub(/\\/, "\\e", line)
	print (line ~ /^[.']/ ? "\\&" : "") line
}
