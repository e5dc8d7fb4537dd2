/* SPDX-License-Identifier: BSD-3-Clause */
/* Types' names are told from labels by their form, and looked up when they have been met before. */
#include "bindings/annotations/functor.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bindings/annotations/handles.h"
#include "bindings/annotations/names.h"
#include "bindings/preload/symbols/symbols.h"

/* Longest type: beyond it the name is cut anyway. */
#define TYPE_MAX 16384

/*
 * <type> of the Itanium C++ ABI, section 5.1, as functors have it: nested (N...E), local (Z...), of
 * the unnamed kind, or a length and so many characters, with arguments of a template behind it.
 * "2norm" is a label, though a demangler would take it for a function "no(unsigned long restrict)".
 */
static bool is_type(const char *text, size_t len)
{
	size_t digits = 0, name = 0;

	for (size_t i = 0; i < len; i++)
		if (!isalnum((unsigned char)text[i]) && text[i] != '_' && text[i] != '$' &&
		    text[i] != '.')
			return false;
	if (len > 3 && text[0] == 'N')
		return text[len - 1] == 'E' && !islower((unsigned char)text[1]);
	if (len > 3 && text[0] == 'Z')
		return memchr(text, 'E', len);
	while (digits < len && digits < 5 && isdigit((unsigned char)text[digits]))
		name = name * 10 + (size_t)(text[digits++] - '0');
	if (!digits || text[0] == '0' || name > len - digits || !name)
		return false;
	return digits + name == len || text[digits + name] == 'I';
}

/* For free(); NULL where it is no type. */
static char *type_name(const char *text, size_t len)
{
	char *mangled, *name = NULL;

	if (!is_type(text, len) || asprintf(&mangled, "_Z%.*s", (int)len, text) < 0)
		return NULL;
	name = preload_demangle(mangled);
	free(mangled);
	return name;
}

/* Return: what stands for the text; NULL: the text itself. */
static char *whole_name(const char *text)
{
	size_t len = strnlen(text, TYPE_MAX);
	const char *slash = memchr(text, '/', len);
	char *functor, *tag, *both = NULL;

	if (len == TYPE_MAX)
		return NULL;
	functor = type_name(text, slash ? (size_t)(slash - text) : len);
	if (!functor || !slash)
		return functor;
	tag = type_name(slash + 1, strlen(slash + 1));
	if (asprintf(&both, "%s/%s", functor, tag ? tag : slash + 1) < 0)
		both = NULL;
	free(functor);
	free(tag);
	return both;
}

const char *annotation_functor(const char *tool, const char *category, const char *text)
{
	static struct annotation_handles met;
	const char *plain = annotation_name(tool, NULL, category, text), *name;
	int saved = errno;
	char *whole;

	/* labels begin like this rarely */
	if (!plain || !text || !(isdigit((unsigned char)*text) || *text == 'N' || *text == 'Z'))
		return plain;
	name = annotation_handle_name(&met, (uintptr_t)plain);
	if (name)
		return name;
	whole = whole_name(text);
	name = whole ? annotation_name(tool, NULL, category, whole) : plain;
	free(whole);
	annotation_handle_set(&met, (uintptr_t)plain, name);
	errno = saved;
	return name;
}
