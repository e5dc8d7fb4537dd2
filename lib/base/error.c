/* SPDX-License-Identifier: BSD-3-Clause */
/* Keeps each thread's last error as one sentence. */
#include "base/error.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/races.h"

/*
 * Sentences are in pages of their own, and a thread has no more than a pointer, by pthread's key:
 * what the loader keeps free of threads' own memory is little, and for all libraries that come by
 * dlopen().  A page stays; what is in it goes from thread to thread.
 */
#define PER_PAGE 7
struct sentence {
	char text[PMU_ERROR_MAX];
};
struct page {
	struct page *older;
	bool taken[PER_PAGE]; /* atomic */
	struct sentence sentence[PER_PAGE];
};
_Static_assert(sizeof(struct page) <= 4096, "one page");

static struct page *newest; /* pages are only added */
/* In place of one that found no memory, which most often is what it would have said. */
static struct sentence unsaid = { "there was no memory, not even to say what for" };

/* --- a sentence for each thread --- */

static pthread_key_t exit_key;
static bool have_key;

static void free_sentence(const struct sentence *sentence)
{
	for (struct page *page = __atomic_load_n(&newest, __ATOMIC_ACQUIRE); page;
	     page = page->older) {
		uintptr_t at = (uintptr_t)sentence - (uintptr_t)page->sentence;

		if (at < sizeof(page->sentence))
			__atomic_store_n(&page->taken[at / sizeof(*sentence)], false,
					 __ATOMIC_RELEASE);
	}
}

static void free_thread_sentence(void *sentence)
{
	free_sentence(sentence);
}

__attribute__((constructor(101))) static void make_sentence_key(void)
{
	have_key = pthread_key_create(&exit_key, free_thread_sentence) == 0;
	pmu_races_ignore(&newest, sizeof(newest));
}

/* The calling thread's; NULL: it has none. */
static struct sentence *last(void)
{
	return have_key ? pthread_getspecific(exit_key) : NULL;
}

static struct sentence *take_from(struct page *page)
{
	for (size_t i = 0; i < PER_PAGE; i++)
		/* Pairs with the release in free_sentence(). */
		if (!__atomic_exchange_n(&page->taken[i], true, __ATOMIC_ACQUIRE))
			return &page->sentence[i];
	return NULL;
}

static struct sentence *alloc_sentence(void)
{
	struct page *page = __atomic_load_n(&newest, __ATOMIC_ACQUIRE);
	struct sentence *found = NULL;

	for (; page && !found; page = page->older)
		found = take_from(page);
	if (found)
		return found;
	page = pmu_pages_alloc(sizeof(*page));
	if (!page)
		return NULL;
	/* from thread to thread without a lock */
	pmu_races_ignore(page, sizeof(*page));
	page->taken[0] = true;
	page->older = __atomic_load_n(&newest, __ATOMIC_RELAXED);
	/* Pairs with the acquire above: a thread that sees the page sees older ones, too. */
	while (!__atomic_compare_exchange_n(&newest, &page->older, page, false, __ATOMIC_RELEASE,
					    __ATOMIC_RELAXED))
		;
	return &page->sentence[0];
}

/* Return: the calling thread's; NULL without memory. */
static struct sentence *own(void)
{
	struct sentence *sentence = last();

	if ((sentence && sentence != &unsaid) || !have_key)
		return sentence;
	sentence = alloc_sentence();
	if (!sentence) {
		pthread_setspecific(exit_key, &unsaid);
		return NULL;
	}
	sentence->text[0] = '\0';
	if (!pthread_setspecific(exit_key, sentence))
		return sentence;
	free_sentence(sentence);
	return NULL;
}

/* --- sentences --- */

/* Put "..." at the end of a full buffer, without leaving half a UTF-8 character before
 * it. */
static void mark_cut(char *text, size_t size)
{
	size_t end = size - sizeof("...");

	for (int i = 0; i < 3 && ((unsigned char)text[end] & 0xc0) == 0x80; i++)
		end--;
	memcpy(text + end, "...", sizeof("..."));
}

int pmu_fail(int code, const char *fmt, ...)
{
	int saved = errno;
	char text[PMU_ERROR_MAX]; /* the arguments may point into the last sentence */
	struct sentence *sentence;
	va_list args;
	int len;

	va_start(args, fmt);
	len = vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	if (len < 0)
		snprintf(text, sizeof(text), "an error whose text cannot be formatted");
	else if ((size_t)len >= sizeof(text))
		mark_cut(text, sizeof(text));
	sentence = own();
	if (sentence)
		memcpy(sentence->text, text, sizeof(sentence->text));
	errno = saved;
	if (!code)
		return -EIO;
	return code < 0 ? code : -code;
}

const char *pmu_error_text(void)
{
	const struct sentence *sentence = last();

	return sentence ? sentence->text : "";
}

void pmu_error_clear(void)
{
	struct sentence *sentence = last();

	if (sentence == &unsaid)
		pthread_setspecific(exit_key, NULL);
	else if (sentence)
		sentence->text[0] = '\0';
}

const char *pmu_error_name(int code)
{
	static const struct {
		int code;
		const char *text;
	} ours[] = {
		{ EALREADY, "a session is running already" },
		{ EBUSY,
		  "the library is busy: a region is open, or a signal handler interrupted it" },
		{ ENODEV, "nothing is being measured" },
		{ ENOENT, "no such region is open or known" },
		{ EUCLEAN, "the file is damaged" },
	};

	if (code < 0)
		code = code == INT_MIN ? INT_MAX : -code;
	for (size_t i = 0; i < PMU_ARRAY_LEN(ours); i++)
		if (ours[i].code == code)
			return ours[i].text;
	if (!code)
		return "success";
	return strerrordesc_np(code) ? strerrordesc_np(code) : "unknown error";
}
