/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzz target: any text as PMU_WRAP; its last line is a name that the words are compared with. */
#include <stdlib.h>
#include <string.h>

#include "bindings/preload/wrap/list.h"
#include "tests/fuzz/fuzz.h"

static void check_text(const struct wrap_list *list, const char *text)
{
	if (text < list->text || text >= list->text + sizeof(list->text) ||
	    !memchr(text, '\0', (size_t)(list->text + sizeof(list->text) - text)))
		abort();
}

static void check_rule(const struct wrap_list *list, const struct wrap_rule *rule, const char *name)
{
	check_text(list, rule->text);
	check_text(list, rule->function);
	if (!*rule->function)
		abort();
	if (rule->library) {
		check_text(list, rule->library);
		if (!*rule->library || !wrap_rule_library(rule, rule->library))
			/* a set in brackets does not match itself */
			if (!*rule->library || !strchr(rule->library, '['))
				abort();
	}
	(void)wrap_rule_library(rule, name);
	(void)wrap_rule_function(rule, name, NULL);
	(void)wrap_rule_function(rule, name, name);
	if (!strchr(rule->function, '[') && !wrap_matches(rule->function, rule->function))
		abort();
	if (!wrap_matches("*", rule->function) || wrap_matches("?*", ""))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wrap_list *list = calloc(1, sizeof(*list));
	char *text = malloc(size + 1), *name;

	if (!list || !text)
		abort();
	memcpy(text, data, size);
	text[size] = '\0';
	name = strrchr(text, '\n');
	if (name)
		*name++ = '\0';
	wrap_list_parse(list, text);
	if (list->n > WRAP_RULES_MAX)
		abort();
	if (list->wrong)
		check_text(list, list->wrong);
	for (size_t i = 0; i < list->n; i++)
		check_rule(list, &list->rule[i], name ? name : "libblas.so.3");
	(void)wrap_is_refused(name ? name : text);
	free(text);
	free(list);
	return 0;
}
