/* SPDX-License-Identifier: BSD-3-Clause */
/* A ring and marks as the kernel and a thread write them, in memory of the test's own. */
#ifndef PMU_TESTS_UNIT_SAMPLE_MADE_H
#define PMU_TESTS_UNIT_SAMPLE_MADE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bindings/command/sample/ring.h"

#define MADE_RING   4096u
#define MADE_PLACES 8u
/* What a thread leaves where the kernel stores the head. */
#define MADE_RESTING UINT64_C(0x7f0012345678)
#define MADE_TID     77u

struct made {
	struct perf_event_mmap_page page;
	_Alignas(8) char bytes[MADE_RING];
	uint64_t head; /* the kernel's own */
	struct pmu_samples_marks *marks;
	struct pmu_sample_ring ring;
	struct pmu_sample_scratch scratch;
};

static inline void made_open(struct made *made, struct pmu_sample_sums *sums)
{
	memset(made, 0, sizeof(*made));
	made->marks = calloc(1,
			     sizeof(*made->marks) + MADE_PLACES * sizeof(struct pmu_samples_mark));
	if (!made->marks)
		abort();
	made->ring = (struct pmu_sample_ring){ .page = &made->page,
					       .ring = made->bytes,
					       .size = MADE_RING,
					       .marks = made->marks,
					       .n_places = MADE_PLACES,
					       .resting = MADE_RESTING,
					       .tid = MADE_TID,
					       .sums = sums };
}

static inline void made_close(struct made *made)
{
	pmu_sample_ring_finish(&made->ring, PMU_SAMPLE_OPEN(made->ring.tid));
	free(made->marks);
	free(made->scratch.at);
}

/* Any bytes, over what is oldest; not told of yet. */
static inline void made_store(struct made *made, const void *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		made->bytes[made->head++ % MADE_RING] = ((const char *)bytes)[i];
}

static inline void made_put(struct made *made, const void *bytes, size_t n)
{
	made_store(made, bytes, n);
	made->page.data_head = made->head;
}

static inline void made_header(struct made *made, uint32_t type, unsigned int misc, size_t size)
{
	const struct perf_event_header header = { .type = type,
						  .misc = (uint16_t)misc,
						  .size = (uint16_t)size };

	made_put(made, &header, sizeof(header));
}

struct made_sample {
	struct perf_event_header header;
	uint64_t ip, who, time, more;
};

/* Not told of yet. */
static inline void made_sample_at(struct made *made, uint64_t address)
{
	const struct made_sample sample = {
		.header = { .type = PERF_RECORD_SAMPLE,
			    .misc = PERF_RECORD_MISC_USER,
			    .size = sizeof(sample) },
		.ip = address,
	};

	made_store(made, &sample, sizeof(sample));
}

static inline void made_sample_in(struct made *made, unsigned int mode, uint64_t address)
{
	const uint64_t rest[] = { address, UINT64_C(77) << 32 | 76, 123456789, 0 };

	made_header(made, PERF_RECORD_SAMPLE, mode,
		    sizeof(struct perf_event_header) + sizeof(rest));
	made_put(made, rest, sizeof(rest));
}

static inline void made_sample(struct made *made, uint64_t address)
{
	made_sample_in(made, PERF_RECORD_MISC_USER, address);
}

static inline void made_switch(struct made *made)
{
	made_header(made, PERF_RECORD_SWITCH, 0, sizeof(struct perf_event_header));
}

/* PERF_RECORD_MMAP2 of perf_event_open(2) */
static inline void made_mapping(struct made *made, uint64_t address, uint64_t len, uint64_t offset,
				const char *path)
{
	const uint64_t rest[] = { UINT64_C(77) << 32 | 76, address, len, offset, 0, 12, 0, 5 };
	char padded[64] = "";

	snprintf(padded, sizeof(padded), "%s", path);
	made_header(made, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER,
		    sizeof(struct perf_event_header) + sizeof(rest) + sizeof(padded));
	made_put(made, rest, sizeof(rest));
	made_put(made, padded, sizeof(padded));
}

static inline void made_exec(struct made *made)
{
	const uint64_t rest[] = { UINT64_C(77) << 32 | 76, 0 };

	made_header(made, PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC,
		    sizeof(struct perf_event_header) + sizeof(rest));
	made_put(made, rest, sizeof(rest));
}

/* As put_mark() of lib/session/samples.c: all up to now is of @who. */
static inline void made_mark(struct made *made, uint64_t who)
{
	made->marks->mark[made->marks->n++ % MADE_PLACES] = (struct pmu_samples_mark){ made->head,
										       who };
	made->marks->head = made->head;
	made->page.data_head = MADE_RESTING;
}

static inline void made_look(struct made *made)
{
	pmu_sample_ring_read(&made->ring, &made->scratch);
	pmu_sample_ring_mark(&made->ring);
}

#endif
