/* SPDX-License-Identifier: BSD-3-Clause */
/* The last error: its code and text, by thread. */
#include "base/error.h"

#include <errno.h>
#include <pthread.h>

#include "unit/part.h"

static void codes_come_back_negative(void)
{
	is_int(pmu_fail(ENOENT, "a"), -ENOENT, "positive code");
	is_int(pmu_fail(-EPERM, "b"), -EPERM, "negative code");
	is_int(pmu_fail(0, "c"), -EIO, "no code");
}

static void keeps_the_last_sentence(void)
{
	pmu_error_clear();
	is_str(pmu_error_text(), "", "nothing after clear");
	pmu_fail(EINVAL, "first %d", 1);
	pmu_fail(EINVAL, "cannot open %s: %s", "/dev/x", "Permission denied");
	is_str(pmu_error_text(), "cannot open /dev/x: Permission denied", "the later one");
}

static void leaves_errno_alone(void)
{
	errno = EDOM;
	pmu_fail(EINVAL, "%s", "text");
	is_int(errno, EDOM, "errno after pmu_fail");
}

static void wraps_its_own_text(void)
{
	pmu_fail(ENOENT, "inner");
	pmu_fail(ENOENT, "outer: %s", pmu_error_text());
	is_str(pmu_error_text(), "outer: inner", "an argument that is the last sentence");
}

static void long_sentences_end_in_dots(void)
{
	char longest[PMU_ERROR_MAX], longer[2 * PMU_ERROR_MAX];

	memset(longest, 'x', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	pmu_fail(EINVAL, "%s", longest);
	is_str(pmu_error_text(), longest, "the longest that fits stays whole");

	memset(longer, 'y', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	pmu_fail(EINVAL, "%s", longer);
	is_u64(strlen(pmu_error_text()), PMU_ERROR_MAX - 1, "a longer one fills the room");
	is_str(pmu_error_text() + PMU_ERROR_MAX - 6, "yy...", "and says that it was cut");
}

/* U+20AC is three bytes; whichever of them the cut would fall on, none of it may stay. */
static void a_cut_leaves_no_half_character(void)
{
	for (size_t shift = 0; shift < 3; shift++) {
		char text[PMU_ERROR_MAX + 16] = "";
		size_t n = 0, end;

		for (; n < shift; n++)
			text[n] = 'z';
		for (; n + 3 < sizeof(text); n += 3)
			memcpy(text + n, "\xe2\x82\xac", 3);
		pmu_fail(EINVAL, "%s", text);
		end = strlen(pmu_error_text());
		is_str(pmu_error_text() + end - 3, "...", "cut");
		is_u64((end - 3 - shift) % 3, 0, "between two characters");
	}
}

static void *other_thread(void *seen)
{
	strcpy(seen, pmu_error_text());
	pmu_fail(EINVAL, "of the other thread");
	return NULL;
}

static void each_thread_has_its_own(void)
{
	char seen[PMU_ERROR_MAX] = "untouched";
	pthread_t thread;

	pmu_fail(EINVAL, "of the first thread");
	if (!is_int(pthread_create(&thread, NULL, other_thread, seen), 0, "a second thread"))
		return;
	pthread_join(thread, NULL);
	is_str(seen, "", "a new thread has none");
	is_str(pmu_error_text(), "of the first thread", "nor does it change ours");
}

static void *address_of_text(void *arg)
{
	pmu_fail(EINVAL, "of a short life");
	*(const char **)arg = pmu_error_text();
	return NULL;
}

static void what_ended_leaves_its_room_to_the_next(void)
{
	const char *first = NULL, *now = NULL;
	pthread_t thread;
	int moved = 0;

	for (int i = 0; i < 100; i++) {
		if (pthread_create(&thread, NULL, address_of_text, &now))
			break;
		pthread_join(thread, NULL);
		first = first ? first : now;
		moved += now != first;
	}
	ok(first != NULL, "threads, one after another");
	is_int(moved, 0, "have their sentences in one place");
}

#define N_AT_ONCE 40
static pthread_barrier_t all_there;

static void *number_in_text(void *arg)
{
	int number = *(int *)arg;
	char want[32];

	pmu_fail(EINVAL, "of thread %d", number);
	pthread_barrier_wait(&all_there);
	snprintf(want, sizeof(want), "of thread %d", number);
	*(int *)arg = strcmp(pmu_error_text(), want) == 0;
	return NULL;
}

static void many_at_once_have_their_own(void)
{
	pthread_t thread[N_AT_ONCE];
	int value[N_AT_ONCE], good = 0;

	pthread_barrier_init(&all_there, NULL, N_AT_ONCE);
	for (int i = 0; i < N_AT_ONCE; i++) {
		value[i] = i;
		if (pthread_create(&thread[i], NULL, number_in_text, &value[i]))
			exit(1); /* the others would wait for it */
	}
	for (int i = 0; i < N_AT_ONCE; i++) {
		pthread_join(thread[i], NULL);
		good += value[i];
	}
	pthread_barrier_destroy(&all_there);
	is_int(good, N_AT_ONCE, "more than a page holds");
}

UNIT_PART(error)
{
	is_str(pmu_error_text(), "", "none before any");
	codes_come_back_negative();
	keeps_the_last_sentence();
	leaves_errno_alone();
	wraps_its_own_text();
	long_sentences_end_in_dots();
	a_cut_leaves_no_half_character();
	each_thread_has_its_own();
	what_ended_leaves_its_room_to_the_next();
	many_at_once_have_their_own();
	return done_testing();
}
