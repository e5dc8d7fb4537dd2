/* SPDX-License-Identifier: BSD-3-Clause */
/* The loops whose time is taken: bare reads and begin/end pairs, each as plain as can be.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "overhead.h"
#include "pmu.h"

static inline uint64_t stamp(void)
{
#if defined(__x86_64__)
	return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
	uint64_t ticks;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
	return ticks;
#else
	return (uint64_t)now_ns();
#endif
}

void loop_bare_clock(struct loop *loop, size_t n_pairs)
{
	for (size_t i = 0; i < n_pairs; i++) {
		uint64_t start = stamp();

		loop->sink = stamp() - start;
	}
}

/* n, time enabled, time running, then the values: as read_format asks for it. */
void loop_bare_read(struct loop *loop, size_t n_pairs)
{
	uint64_t before[3 + PMU_MAX_COUNTS], after[3 + PMU_MAX_COUNTS];

	for (size_t i = 0; i < n_pairs; i++) {
		if (read(loop->fd, before, sizeof(before)) < 0 ||
		    read(loop->fd, after, sizeof(after)) < 0)
			abort();
		loop->sink = after[3] - before[3];
	}
}

void loop_one(struct loop *loop, size_t n_pairs)
{
	(void)loop;
	for (size_t i = 0; i < n_pairs; i++) {
		pmu_region_begin("one region");
		pmu_region_end("one region");
	}
}

void loop_named(struct loop *loop, size_t n_pairs)
{
	for (size_t i = 0; i < n_pairs;) {
		for (size_t k = 0; k < loop->n_names && i < n_pairs; k++, i++) {
			pmu_region_begin(loop->name[k]);
			pmu_region_end(loop->name[k]);
		}
	}
}

void loop_counted(struct loop *loop, size_t n_pairs)
{
	(void)loop;
	for (size_t i = 0; i < n_pairs; i++) {
		pmu_region_begin_n("with its length", 15);
		pmu_region_end_n("with its length", 15);
	}
}

void loop_nested(struct loop *loop, size_t n_pairs)
{
	for (size_t i = 0; i < n_pairs; i += DEPTH) {
		for (size_t k = 0; k < DEPTH; k++)
			pmu_region_begin(loop->name[k]);
		for (size_t k = DEPTH; k-- > 0;)
			pmu_region_end(loop->name[k]);
	}
}

void loop_buffer(struct loop *loop, size_t n_pairs)
{
	char text[16];

	for (size_t i = 0; i < n_pairs;) {
		for (size_t k = 0; k < loop->n_names && i < n_pairs; k++, i++) {
			memcpy(text, loop->name[k], sizeof(text));
			pmu_region_begin(text);
			pmu_region_end(text);
		}
	}
}

/* --- what they work on
 * --------------------------------------------------------------------- */

int loop_names(struct loop *loop, size_t n, size_t len)
{
	size_t room = len < 16 ? 16 : len + 1;
	char *text = calloc(n, room);

	loop->name = calloc(n, sizeof(*loop->name));
	if (!loop->name || !text) {
		free(text);
		return -1;
	}
	for (size_t i = 0; i < n; i++) {
		loop->name[i] = text + i * room;
		if (len)
			memset(text + i * room, 'a', len);
		else
			snprintf(text + i * room, room, "region %zu", i);
	}
	loop->n_names = n;
	return 0;
}

#define TEN(text)                                                                       \
	text "0", text "1", text "2", text "3", text "4", text "5", text "6", text "7", \
		text "8", text "9"

void loop_literals(struct loop *loop)
{
	static const char *literal[] = {
		TEN("region 0"), TEN("region 1"), TEN("region 2"), TEN("region 3"),
		TEN("region 4"), TEN("region 5"), TEN("region 6"), TEN("region 7"),
		TEN("region 8"), TEN("region 9"),
	};

	loop->name = literal;
	loop->n_names = sizeof(literal) / sizeof(*literal);
}

void loop_shuffle(struct loop *loop)
{
	uint64_t state = 1;

	for (size_t left = loop->n_names; left > 1; left--) {
		const char *last = loop->name[left - 1];
		size_t other;

		state = state * 6364136223846793005u + 1442695040888963407u;
		other = (size_t)(state >> 33) % left;
		loop->name[left - 1] = loop->name[other];
		loop->name[other] = last;
	}
}

static const uint64_t group[] = {PERF_COUNT_SW_TASK_CLOCK, PERF_COUNT_SW_PAGE_FAULTS,
				 PERF_COUNT_SW_PAGE_FAULTS_MIN,
				 PERF_COUNT_SW_PAGE_FAULTS_MAJ};

int loop_group(struct loop *loop)
{
	loop->fd = -1;
	for (size_t i = 0; i < sizeof(group) / sizeof(*group); i++) {
		struct perf_event_attr attr = {
			.size = sizeof(attr),
			.type = PERF_TYPE_SOFTWARE,
			.config = group[i],
			.pinned = loop->fd < 0,
			.exclude_kernel = 1,
			.exclude_hv = 1,
			.read_format = PERF_FORMAT_GROUP |
				       PERF_FORMAT_TOTAL_TIME_ENABLED |
				       PERF_FORMAT_TOTAL_TIME_RUNNING,
		};
		int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, loop->fd,
				      PERF_FLAG_FD_CLOEXEC);

		if (fd < 0)
			return -1;
		if (loop->fd < 0)
			loop->fd = fd;
	}
	return 0;
}
