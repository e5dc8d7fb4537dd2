/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names of C++ functions without what matters least: template arguments, namespaces, argument
 * lists.
 */
#include "report/name.h"

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "report/encode.h"

#define OPERATOR    "operator"
#define PARALLEL    "parallel " /* before the function that an OpenMP region is in */
#define LEAST_NAME  8u
#define BETWEEN     "..."
#define MOST_SHARES 4u /* of a path's room, for its names */

/* Where the parts of a demangled name stand: "int ns::thing::twice<int>(int) const". */
struct parts {
	const char *class;     /* behind the return type the last name but one, and */
	const char *own;       /* the last */
	const char *arguments; /* their parenthesis; NULL: it has none */
	const char *behind;    /* " const", "[abi:cxx11]" */
	const char *end;
};

static bool is_in_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '~' || c == '$' ||
	       (unsigned char)c >= 0x80;
}

/* "operator", but not "operators" */
static bool is_operator(const char *at, const char *end)
{
	return (size_t)(end - at) > strlen(OPERATOR) && !strncmp(at, OPERATOR, strlen(OPERATOR)) &&
	       !is_in_word(at[strlen(OPERATOR)]);
}

/* Behind the bracket that closes the one at @at; @end where none does. */
static const char *closing(const char *at, const char *end)
{
	int depth = 0;

	for (; at < end; at++) {
		if (strchr("<({[", *at))
			depth++;
		else if (strchr(">)}]", *at) && at[-1] != '-' && --depth == 0)
			return at + 1;
	}
	return end;
}

/*
 * The parenthesis that opens the list that the last one closes; NULL where that is no list of
 * arguments.
 */
static const char *find_arguments(const char *name, const char **behind)
{
	const char *last = strrchr(name, ')'), *at = last;
	size_t operator_len = strlen(OPERATOR);
	int depth = 0;

	if (!last || strcspn(last, ">}:") < strcspn(last, "["))
		return NULL;
	for (; at > name; at--) {
		depth += (*at == ')') - (*at == '(');
		if (!depth)
			break;
	}
	if (at == name || ((size_t)(at - name) >= operator_len &&
			   !strncmp(at - operator_len, OPERATOR, operator_len)))
		return NULL;
	*behind = last + 1;
	return at;
}

static bool take_apart(const char *name, struct parts *parts)
{
	bool has_space = false, has_template = false;
	const char *end;

	*parts = (struct parts){ .class = name, .own = name, .end = name + strlen(name) };
	parts->arguments = find_arguments(name, &parts->behind);
	if (!parts->arguments)
		parts->behind = parts->end;
	end = parts->arguments ? parts->arguments : parts->end;
	for (const char *at = name; at < end; at++) {
		if (is_operator(at, end) && (at == name || !is_in_word(at[-1]))) {
			has_template |= has_space;
			break; /* what follows are signs, or a type */
		}
		if (strchr("<({[", *at)) {
			has_template |= *at == '<';
			at = closing(at, end) - 1;
			if (!strchr(">)}]", *at))
				return false;
		} else if (*at == ' ') {
			has_space = true;
			parts->class = parts->own = at + 1;
		} else if (at[0] == ':' && at[1] == ':') {
			parts->class = parts->own;
			parts->own = at + 2;
		}
	}
	/* only of templates the return type is a part of the name */
	return parts->own < end &&
	       (has_template || (!has_space && (parts->arguments || parts->own > name)));
}

/* Part of a name without what is between <>, and without namespaces if that is asked for. */
static void add_name_part(struct pmu_strbuf *out, const char *at, const char *end,
			  bool no_namespaces)
{
	size_t begun = out->len; /* a name with the names around it */

	if (at < end && is_operator(at, end)) {
		const char *sign = at + strlen(OPERATOR);
		size_t n = (size_t)(sign - at) +
			   (strchr("([", *sign) ? 2 : strspn(sign, "<>=!+-*/%&|^~,"));

		n = n < (size_t)(end - at) ? n : (size_t)(end - at);
		pmu_strbuf_add_n(out, at, n);
		at += n;
	}
	while (at < end) {
		const char *next = at + 1;

		if (*at == '<') {
			next = closing(at, end);
			pmu_strbuf_add(out, "<>");
		} else if (*at == '{' || !strncmp(at, "(anonymous", 10)) {
			next = closing(at, end);
			pmu_strbuf_add_n(out, at, (size_t)(next - at));
		} else if (no_namespaces && at[0] == ':' && at[1] == ':') {
			next = at + 2;
			if (!out->failed)
				out->len = begun;
		} else {
			pmu_strbuf_add_n(out, at, 1);
			if (!is_in_word(*at) && *at != ':')
				begun = out->len;
		}
		at = next;
	}
}

static void shorten_function(struct pmu_strbuf *out, const char *name, enum pmu_name_shorter how)
{
	struct parts parts;
	const char *end;

	if (!take_apart(name, &parts)) {
		pmu_strbuf_add(out, name);
		return;
	}
	end = parts.arguments ? parts.arguments : parts.end;
	if (how == PMU_NAME_NO_TEMPLATES) {
		add_name_part(out, name, parts.own, false);
		add_name_part(out, parts.own, end, false);
	} else {
		add_name_part(out, how < PMU_NAME_NO_CLASS ? parts.class : parts.own, parts.own,
			      false);
		add_name_part(out, parts.own, end, false);
	}
	if (!parts.arguments || how == PMU_NAME_BARE)
		return;
	if (how < PMU_NAME_NO_ARGUMENTS)
		add_name_part(out, parts.arguments, parts.behind, how >= PMU_NAME_NO_NAMESPACES);
	else
		pmu_strbuf_add(out, parts.arguments[1] == ')' ? "()" : "(" BETWEEN ")");
	pmu_strbuf_add_n(out, parts.behind, (size_t)(parts.end - parts.behind));
}

/* Where ":0" starts, of a function's parallel regions the number; the end where it has none. */
static const char *region_number(const char *name)
{
	for (; *name; name++)
		if (name[0] == ':' && isdigit((unsigned char)name[1]))
			break;
	return name;
}

void pmu_name_shorten(struct pmu_strbuf *out, const char *name, enum pmu_name_shorter how)
{
	bool is_parallel = !strncmp(name, PARALLEL, strlen(PARALLEL));
	const char *function = name + (is_parallel ? strlen(PARALLEL) : 0);
	const char *number = is_parallel ? region_number(function) : "";
	struct pmu_strbuf own = { 0 };

	if (!*number) {
		shorten_function(out, name, how);
		return;
	}
	if (how != PMU_NAME_BARE)
		pmu_strbuf_add(out, PARALLEL);
	pmu_strbuf_add_n(&own, function, (size_t)(number - function));
	shorten_function(out, pmu_strbuf_text(&own), how);
	pmu_strbuf_add(out, number);
	out->failed |= own.failed;
	pmu_strbuf_free(&own);
}

/* --- into a width --- */

/* Of all characters up to a number of them. */
static const char *skip_characters(const char *text, unsigned int n)
{
	for (; n && *text; n--) {
		size_t len = pmu_utf8_next(text);

		text += len ? len : 1;
	}
	return text;
}

static void add_cut(struct pmu_strbuf *out, const char *text, unsigned int width)
{
	unsigned int n = (unsigned int)pmu_utf8_width(text),
		     room = width - (unsigned int)strlen(BETWEEN);

	if (n <= width) {
		pmu_strbuf_add(out, text);
		return;
	}
	pmu_strbuf_add_n(out, text, (size_t)(skip_characters(text, (room + 1) / 2) - text));
	pmu_strbuf_add(out, BETWEEN);
	pmu_strbuf_add(out, skip_characters(text, n - room / 2));
}

void pmu_name_fit(struct pmu_strbuf *out, const char *name, unsigned int width)
{
	struct pmu_strbuf text = { 0 };

	pmu_strbuf_add(&text, name);
	for (int how = 0; how < PMU_NAME_WAYS && pmu_utf8_width(pmu_strbuf_text(&text)) > width;
	     how++) {
		text.len = 0;
		pmu_name_shorten(&text, name, (enum pmu_name_shorter)how);
	}
	add_cut(out, pmu_strbuf_text(&text), width > LEAST_NAME ? width : LEAST_NAME);
	out->failed |= text.failed;
	pmu_strbuf_free(&text);
}

/* Behind a path's first name: at its '/' or its end. */
static const char *name_end(const char *path)
{
	for (; *path && *path != '/'; path++)
		path += path[0] == '\\' && path[1];
	return path;
}

/* The names from @path on, each in @each characters. */
static void add_path_names(struct pmu_strbuf *out, const char *path, unsigned int each)
{
	struct pmu_strbuf name = { 0 };

	for (const char *end; *path || !name.len; path = *end ? end + 1 : end) {
		end = name_end(path);
		name.len = 0;
		pmu_strbuf_add_n(&name, path, (size_t)(end - path));
		pmu_name_fit(out, pmu_strbuf_text(&name), each);
		if (*end)
			pmu_strbuf_add(out, "/");
		if (!*end)
			break;
	}
	out->failed |= name.failed;
	pmu_strbuf_free(&name);
}

void pmu_path_fit(struct pmu_strbuf *out, const char *path, unsigned int width)
{
	struct pmu_strbuf text = { 0 };
	const char *rest = path;

	pmu_strbuf_add(&text, path);
	for (unsigned int share = 2;
	     share <= MOST_SHARES && pmu_utf8_width(pmu_strbuf_text(&text)) > width; share++) {
		text.len = 0;
		add_path_names(&text, path, width / share);
	}
	while (pmu_utf8_width(pmu_strbuf_text(&text)) > width && *name_end(rest)) {
		rest = name_end(rest) + 1;
		text.len = 0;
		pmu_strbuf_add(&text, BETWEEN "/");
		add_path_names(&text, rest, width / 2);
	}
	pmu_strbuf_add(out, pmu_strbuf_text(&text));
	out->failed |= text.failed;
	pmu_strbuf_free(&text);
}

size_t pmu_path_add(char *out, const char *name)
{
	size_t n = 0;

	for (; *name; name++) {
		if (*name == '/' || *name == '\\')
			out[n++] = '\\';
		out[n++] = *name;
	}
	return n;
}
