/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * NVTX 3: each object of a program that uses it finds this by NVTX_INJECTION64_PATH, and calls
 * InitializeInjectionNvtx2() for itself.
 */
#include "bindings/annotations/nvtx.h"

#include <stdbool.h>
#include <stdio.h>

#include "bindings/annotations/categories.h"
#include "bindings/annotations/door.h"
#include "bindings/annotations/names.h"
#include "bindings/annotations/stack.h"
#include "bindings/annotations/wide.h"

/* The default domain's ranges, whose handle is NULL. */
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

static int domain_push_ex(nvtx_handle domain, const struct nvtx_attributes *attributes)
{
	return annotation_push(stack_of(domain), name_of(domain, attributes));
}

static int push_ex(const struct nvtx_attributes *attributes)
{
	return domain_push_ex(NULL, attributes);
}

static int push_text(const char *text)
{
	return annotation_push(&nameless, name_of_text(NULL, text));
}

static int push_wide(const wchar_t *wide)
{
	return annotation_push(&nameless, name_of_wide(NULL, wide));
}

static int domain_pop(nvtx_handle domain)
{
	return annotation_pop(stack_of(domain));
}

static int pop(void)
{
	return annotation_pop(&nameless);
}

/* --- ranges by their numbers, which may overlap, of a process --- */

static uint64_t domain_start_ex(nvtx_handle domain, const struct nvtx_attributes *attributes)
{
	return annotation_range_start(name_of(domain, attributes));
}

static uint64_t start_ex(const struct nvtx_attributes *attributes)
{
	return domain_start_ex(NULL, attributes);
}

static uint64_t start_text(const char *text)
{
	return annotation_range_start(name_of_text(NULL, text));
}

static uint64_t start_wide(const wchar_t *wide)
{
	return annotation_range_start(name_of_wide(NULL, wide));
}

static void domain_end(nvtx_handle domain, uint64_t range)
{
	(void)domain;
	annotation_range_stop(range);
}

static void end(uint64_t range)
{
	annotation_range_stop(range);
}

/* --- names --- */

static void domain_name_category(nvtx_handle domain, uint32_t category, const char *text)
{
	annotation_category_name(domain, category, text);
}

static void domain_name_category_wide(nvtx_handle domain, uint32_t category, const wchar_t *wide)
{
	struct annotation_text text;

	annotation_category_name(domain, category, annotation_narrow(&text, wide));
}

static void name_category(uint32_t category, const char *text)
{
	annotation_category_name(NULL, category, text);
}

static void name_category_wide(uint32_t category, const wchar_t *wide)
{
	domain_name_category_wide(NULL, category, wide);
}

static nvtx_handle domain_create(const char *name)
{
	return handle_of(name);
}

static nvtx_handle domain_create_wide(const wchar_t *wide)
{
	struct annotation_text text;

	return handle_of(annotation_narrow(&text, wide));
}

static nvtx_handle register_string(nvtx_handle domain, const char *text)
{
	(void)domain;
	return handle_of(text);
}

static nvtx_handle register_wide(nvtx_handle domain, const wchar_t *wide)
{
	(void)domain;
	return domain_create_wide(wide);
}

/* --- the door --- */

/* Marks are points in time, and other names are of no region: the rest stays what it is, nothing. */
static const struct {
	unsigned int module, place;
	void *function;
} ours[] = {
	{ NVTX_CORE, NVTX_RANGE_START_EX, (void *)start_ex },
	{ NVTX_CORE, NVTX_RANGE_START_A, (void *)start_text },
	{ NVTX_CORE, NVTX_RANGE_START_W, (void *)start_wide },
	{ NVTX_CORE, NVTX_RANGE_END, (void *)end },
	{ NVTX_CORE, NVTX_RANGE_PUSH_EX, (void *)push_ex },
	{ NVTX_CORE, NVTX_RANGE_PUSH_A, (void *)push_text },
	{ NVTX_CORE, NVTX_RANGE_PUSH_W, (void *)push_wide },
	{ NVTX_CORE, NVTX_RANGE_POP, (void *)pop },
	{ NVTX_CORE, NVTX_NAME_CATEGORY_A, (void *)name_category },
	{ NVTX_CORE, NVTX_NAME_CATEGORY_W, (void *)name_category_wide },
	{ NVTX_CORE2, NVTX_DOMAIN_RANGE_START_EX, (void *)domain_start_ex },
	{ NVTX_CORE2, NVTX_DOMAIN_RANGE_END, (void *)domain_end },
	{ NVTX_CORE2, NVTX_DOMAIN_RANGE_PUSH_EX, (void *)domain_push_ex },
	{ NVTX_CORE2, NVTX_DOMAIN_RANGE_POP, (void *)domain_pop },
	{ NVTX_CORE2, NVTX_DOMAIN_NAME_CATEGORY_A, (void *)domain_name_category },
	{ NVTX_CORE2, NVTX_DOMAIN_NAME_CATEGORY_W, (void *)domain_name_category_wide },
	{ NVTX_CORE2, NVTX_DOMAIN_REGISTER_STRING_A, (void *)register_string },
	{ NVTX_CORE2, NVTX_DOMAIN_REGISTER_STRING_W, (void *)register_wide },
	{ NVTX_CORE2, NVTX_DOMAIN_CREATE_A, (void *)domain_create },
	{ NVTX_CORE2, NVTX_DOMAIN_CREATE_W, (void *)domain_create_wide },
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
