/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * NVTX 3: each object of a program that uses it finds this by NVTX_INJECTION64_PATH, and calls
 * InitializeInjectionNvtx2() for itself.
 */
#include "bindings/annotations/nvtx.h"

#include <stdio.h>

#include "bindings/annotations/aside.h"
#include "bindings/annotations/categories.h"
#include "bindings/annotations/door.h"
#include "bindings/annotations/names.h"
#include "bindings/annotations/stack.h"
#include "bindings/annotations/wide.h"

/* Stands for the default domain, which has the handle NULL. */
static const char nameless;

static const void *stack_of(nvtx_handle domain)
{
	return domain ? domain : &nameless;
}

/* A text that stays: the same for the same text. */
static nvtx_handle handle_of(const char *text)
{
	return text && *text ? annotation_name(NULL, NULL, NULL, text) : NULL;
}

static const char *name_of_text(nvtx_handle domain, const char *text)
{
	return annotation_name("nvtx", domain, NULL, text);
}

static const char *name_of_wide(nvtx_handle domain, const wchar_t *wide)
{
	struct annotation_text text;

	return name_of_text(domain, annotation_narrow(&text, wide));
}

static const char *name_of(nvtx_handle domain, const struct nvtx_attributes *attributes)
{
	const char *category, *text = NULL;
	struct annotation_text narrow;

	if (!attributes || attributes->size < sizeof(*attributes))
		return name_of_text(domain, NULL);
	category = annotation_category(domain, attributes->category);
	if (attributes->message_type == NVTX_MESSAGE_REGISTERED)
		return annotation_name_of_kept("nvtx", domain, category,
					       attributes->message.registered);
	if (attributes->message_type == NVTX_MESSAGE_TEXT)
		text = attributes->message.text;
	else if (attributes->message_type == NVTX_MESSAGE_WIDE)
		text = annotation_narrow(&narrow, attributes->message.wide);
	return annotation_name("nvtx", domain, category, text);
}

/* --- ranges of a thread --- */

ASIDE_HERE(int, nvtx_domain_push_ex, (nvtx_handle domain, const struct nvtx_attributes *attributes),
	   0)
{
	return annotation_push(stack_of(domain), name_of(domain, attributes));
}

ASIDE_HERE(int, nvtx_push_ex, (const struct nvtx_attributes *attributes), 0)
{
	return nvtx_domain_push_ex_aside(NULL, attributes);
}

ASIDE_HERE(int, nvtx_push_text, (const char *text), 0)
{
	return annotation_push(&nameless, name_of_text(NULL, text));
}

ASIDE_HERE(int, nvtx_push_wide, (const wchar_t *wide), 0)
{
	return annotation_push(&nameless, name_of_wide(NULL, wide));
}

ASIDE_HERE(int, nvtx_domain_pop, (nvtx_handle domain), 0)
{
	return annotation_pop(stack_of(domain));
}

ASIDE_HERE(int, nvtx_pop, (void), 0)
{
	return annotation_pop(&nameless);
}

/* --- ranges by their numbers, which may overlap, of a process --- */

ASIDE_HERE(uint64_t, nvtx_domain_start_ex,
	   (nvtx_handle domain, const struct nvtx_attributes *attributes), 0)
{
	return annotation_range_start(name_of(domain, attributes));
}

ASIDE_HERE(uint64_t, nvtx_start_ex, (const struct nvtx_attributes *attributes), 0)
{
	return nvtx_domain_start_ex_aside(NULL, attributes);
}

ASIDE_HERE(uint64_t, nvtx_start_text, (const char *text), 0)
{
	return annotation_range_start(name_of_text(NULL, text));
}

ASIDE_HERE(uint64_t, nvtx_start_wide, (const wchar_t *wide), 0)
{
	return annotation_range_start(name_of_wide(NULL, wide));
}

ASIDE_HERE(void, nvtx_domain_end, (nvtx_handle domain, uint64_t range), 0)
{
	(void)domain;
	annotation_range_stop(range);
}

ASIDE_HERE(void, nvtx_end, (uint64_t range), 0)
{
	annotation_range_stop(range);
}

/* --- names --- */

ASIDE_HERE(void, nvtx_domain_name_category,
	   (nvtx_handle domain, uint32_t category, const char *text), 0)
{
	annotation_category_name(domain, category, text);
}

ASIDE_HERE(void, nvtx_domain_name_category_wide,
	   (nvtx_handle domain, uint32_t category, const wchar_t *wide), 0)
{
	struct annotation_text text;

	annotation_category_name(domain, category, annotation_narrow(&text, wide));
}

ASIDE_HERE(void, nvtx_name_category, (uint32_t category, const char *text), 0)
{
	annotation_category_name(NULL, category, text);
}

ASIDE_HERE(void, nvtx_name_category_wide, (uint32_t category, const wchar_t *wide), 0)
{
	nvtx_domain_name_category_wide_aside(NULL, category, wide);
}

ASIDE_HERE(nvtx_handle, nvtx_domain_create, (const char *name), 0)
{
	return handle_of(name);
}

ASIDE_HERE(nvtx_handle, nvtx_domain_create_wide, (const wchar_t *wide), 0)
{
	struct annotation_text text;

	return handle_of(annotation_narrow(&text, wide));
}

ASIDE_HERE(nvtx_handle, nvtx_register_string, (nvtx_handle domain, const char *text), 0)
{
	(void)domain;
	return handle_of(text);
}

ASIDE_HERE(nvtx_handle, nvtx_register_wide, (nvtx_handle domain, const wchar_t *wide), 0)
{
	(void)domain;
	return nvtx_domain_create_wide_aside(wide);
}

/* --- the door --- */

/* Marks are points in time, and other names are of no region: the rest stays what it is, nothing. */
static const struct {
	unsigned int module, place;
	void *function;
} ours[] = {
	{ NVTX_CORE, NVTX_RANGE_START_EX, (void *)nvtx_start_ex },
	{ NVTX_CORE, NVTX_RANGE_START_A, (void *)nvtx_start_text },
	{ NVTX_CORE, NVTX_RANGE_START_W, (void *)nvtx_start_wide },
	{ NVTX_CORE, NVTX_RANGE_END, (void *)nvtx_end },
	{ NVTX_CORE, NVTX_RANGE_PUSH_EX, (void *)nvtx_push_ex },
	{ NVTX_CORE, NVTX_RANGE_PUSH_A, (void *)nvtx_push_text },
	{ NVTX_CORE, NVTX_RANGE_PUSH_W, (void *)nvtx_push_wide },
	{ NVTX_CORE, NVTX_RANGE_POP, (void *)nvtx_pop },
	{ NVTX_CORE, NVTX_NAME_CATEGORY_A, (void *)nvtx_name_category },
	{ NVTX_CORE, NVTX_NAME_CATEGORY_W, (void *)nvtx_name_category_wide },
	{ NVTX_CORE2, NVTX_DOMAIN_RANGE_START_EX, (void *)nvtx_domain_start_ex },
	{ NVTX_CORE2, NVTX_DOMAIN_RANGE_END, (void *)nvtx_domain_end },
	{ NVTX_CORE2, NVTX_DOMAIN_RANGE_PUSH_EX, (void *)nvtx_domain_push_ex },
	{ NVTX_CORE2, NVTX_DOMAIN_RANGE_POP, (void *)nvtx_domain_pop },
	{ NVTX_CORE2, NVTX_DOMAIN_NAME_CATEGORY_A, (void *)nvtx_domain_name_category },
	{ NVTX_CORE2, NVTX_DOMAIN_NAME_CATEGORY_W, (void *)nvtx_domain_name_category_wide },
	{ NVTX_CORE2, NVTX_DOMAIN_REGISTER_STRING_A, (void *)nvtx_register_string },
	{ NVTX_CORE2, NVTX_DOMAIN_REGISTER_STRING_W, (void *)nvtx_register_wide },
	{ NVTX_CORE2, NVTX_DOMAIN_CREATE_A, (void *)nvtx_domain_create },
	{ NVTX_CORE2, NVTX_DOMAIN_CREATE_W, (void *)nvtx_domain_create_wide },
};

static void fill(const struct nvtx_callbacks *callbacks, unsigned int module)
{
	void ***functions = NULL;
	unsigned int n = 0;

	if (!callbacks->module_functions((int)module, &functions, &n) || !functions)
		return;
	for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
		if (ours[i].module == module && ours[i].place < n && functions[ours[i].place])
			*functions[ours[i].place] = ours[i].function;
}

ANNOTATION_DOOR int InitializeInjectionNvtx2(const void *(*exports)(uint32_t id));

/* Return: 0: nothing was filled in, and nothing of us is wanted. */
ANNOTATION_DOOR int InitializeInjectionNvtx2(const void *(*exports)(uint32_t id))
{
	const struct nvtx_callbacks *callbacks = exports ? exports(NVTX_EXPORT_CALLBACKS) : NULL;

	if (!callbacks || callbacks->size < sizeof(*callbacks) || !callbacks->module_functions ||
	    !annotation_door_open(PRELOAD_NVTX))
		return 0;
	fill(callbacks, NVTX_CORE);
	fill(callbacks, NVTX_CORE2);
	return 1;
}
