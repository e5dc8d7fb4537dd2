/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads PMU_WRAP. */
#include "bindings/preload/wrap/list.h"

#include <string.h>

#include "base/stars.h"
#include "bindings/preload/inside.h"

/* --- patterns --- */

/*
 * Behind a '[': does the set have the byte?  Returns what follows it; NULL for one without end: a
 * plain '['.
 */
static const char *match_set(const char *set, unsigned char byte, bool *has)
{
	bool inverted = *set == '!' || *set == '^';
	const char *first = set += inverted;

	*has = false;
	for (; *set && (*set != ']' || set == first); set++) {
		unsigned char low = (unsigned char)*set, high = low;

		if (set[1] == '-' && set[2] && set[2] != ']') {
			high = (unsigned char)set[2];
			set += 2;
		}
		*has |= byte >= low && byte <= high;
	}
	*has ^= inverted;
	return *set ? set + 1 : NULL;
}

/* One element of a pattern against one byte; goes on behind it. */
static bool match_one(const char **pattern, char byte)
{
	const char *at = *pattern, *behind;
	bool has;

	*pattern = at + 1;
	if (*at == '?')
		return byte;
	if (*at == '[' && byte) {
		behind = match_set(at + 1, (unsigned char)byte, &has);
		if (behind) {
			*pattern = behind;
			return has;
		}
	}
	return *at == byte;
}

bool wrap_matches(const char *pattern, const char *text)
{
	return pmu_stars_match(pattern, text, match_one);
}

/* --- the list --- */

/* The colon between library and function, not one of a C++ name. */
static char *find_colon(char *word)
{
	char *colon = strchr(word, ':');

	return colon && colon[1] != ':' ? colon : NULL;
}

static bool take_rule(struct wrap_rule *rule, char *word)
{
	char *colon = find_colon(word);

	rule->function = word;
	if (colon) {
		*colon = '\0';
		rule->library = word;
		rule->function = colon + 1;
	}
	rule->cxx = strpbrk(rule->function, ":(<& ");
	return *rule->function && (!colon || *rule->library);
}

/* A copy of the next word, without blanks around it, in what is left of the list's text. */
static char *take_word(const char **text, char **room)
{
	const char *at = *text + strspn(*text, " \t");
	size_t len = strcspn(at, ",");
	char *word = *room;

	*text = at[len] ? at + len + 1 : at + len;
	while (len && strchr(" \t", at[len - 1]))
		len--;
	memcpy(word, at, len);
	word[len] = '\0';
	*room = word + len + 1;
	return word;
}

void wrap_list_parse(struct wrap_list *list, const char *text)
{
	char *room = list->text;

	list->too_long = strlen(text) >= WRAP_TEXT_MAX;
	while (*text && !list->too_long) {
		const char *again = text;
		struct wrap_rule *rule = &list->rule[list->n];
		char *whole = take_word(&again, &room), *word;

		if (!*whole) {
			text = again;
			continue;
		}
		if (list->n == WRAP_RULES_MAX) {
			list->too_long = true;
			return;
		}
		word = take_word(&text, &room);
		*rule = (struct wrap_rule){ .text = whole };
		if (take_rule(rule, word))
			list->n++;
		else if (!list->wrong)
			list->wrong = whole;
	}
}

/* --- matching --- */

static bool is_word(char byte)
{
	return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
	       (byte >= '0' && byte <= '9') || byte == '_';
}

bool wrap_starts(const char *start, const char *file)
{
	size_t len = strlen(start);

	return !strncmp(start, file, len) && !is_word(file[len]);
}

int wrap_rule_library(const struct wrap_rule *rule, const char *file)
{
	if (!rule->library || wrap_matches(rule->library, file))
		return 2;
	return wrap_starts(rule->library, file) ? 1 : 0;
}

/* With its parameters or without. */
static bool matches_cxx(const char *pattern, const char *name)
{
	char plain[1024];
	size_t len = strcspn(name, "(");

	if (wrap_matches(pattern, name))
		return true;
	if (!name[len] || len >= sizeof(plain))
		return false;
	memcpy(plain, name, len);
	plain[len] = '\0';
	return wrap_matches(pattern, plain);
}

bool wrap_rule_function(const struct wrap_rule *rule, const char *name, const char *demangled)
{
	if (!rule->cxx)
		return wrap_matches(rule->function, name);
	return demangled && matches_cxx(rule->function, demangled);
}

/* --- what is never wrapped --- */

static const char *const refused[] = {
	/* return twice, on another stack, or somewhere else */
	"setjmp",
	"_setjmp",
	"__setjmp",
	"sigsetjmp",
	"__sigsetjmp",
	"longjmp",
	"_longjmp",
	"siglongjmp",
	"__longjmp_chk",
	"vfork",
	"__vfork",
	"clone",
	"__clone",
	"clone3",
	"syscall",
	"getcontext",
	"setcontext",
	"swapcontext",
	"makecontext",
	"jump_fcontext",
	"make_fcontext",
	"ontop_fcontext",
	"savectx",
	"sigreturn",
	/* never return */
	"exit",
	"_exit",
	"_Exit",
	"quick_exit",
	"abort",
	"pthread_exit",
	"thrd_exit",
	"__pthread_unwind_next",
	"execl",
	"execle",
	"execlp",
	"execv",
	"execve",
	"execvp",
	"execvpe",
	"execveat",
	"fexecve",
	"err",
	"errx",
	"verr",
	"verrx",
	"error_at_line",
	"__assert_fail",
	"__assert_perror_fail",
	"__assert",
	"__stack_chk_fail",
	"__chk_fail",
	"__fortify_fail",
	"__libc_fatal",
	"__libc_start_main",
	"__cxa_throw",
	"__cxa_rethrow",
	"__cxa_bad_cast",
	"__cxa_bad_typeid",
	"__cxa_call_unexpected",
	"__cxa_pure_virtual",
	"_ZSt9terminatev",
	"_ZSt10unexpectedv",
	"_ZSt17rethrow_exceptionNSt15__exception_ptr13exception_ptrE",
	/* look at their caller, or have a calling convention of their own */
	"dlopen",
	"dlmopen",
	"dlsym",
	"dlvsym",
	"dladdr",
	"dladdr1",
	"dlinfo",
	"dlclose",
	"dlerror",
	"dl_iterate_phdr",
	"__tls_get_addr",
	"___tls_get_addr",
	"__tls_get_addr_slow",
	"__cxa_finalize",
	"__gxx_personality_v0",
	"__gcc_personality_v0",
	"mcount",
	"_mcount",
	"__fentry__",
	"__morestack",
	"__gmon_start__",
	"__libc_alloca_cutoff",
	"backtrace",
	"ompt_start_tool",
};

/* Those of compilers, of the loader, and ours. */
static const char *const refused_starts[] = {
	"_Unwind_", "_dl_",         "_ITM_",          "__asan_",    "__tsan_", "__msan_",
	"__ubsan_", "__sanitizer_", "__cyg_profile_", "__aarch64_", "pmu_",
};

bool wrap_is_refused(const char *name)
{
	for (size_t i = 0; i < PRELOAD_ARRAY_LEN(refused); i++)
		if (!strcmp(name, refused[i]))
			return true;
	for (size_t i = 0; i < PRELOAD_ARRAY_LEN(refused_starts); i++)
		if (!strncmp(name, refused_starts[i], strlen(refused_starts[i])))
			return true;
	return false;
}
