/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzz target: any bytes as what a thread sends, and then as its ring and its marks, look by look. */
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bindings/command/sample/hello.h"
#include "bindings/command/sample/ring.h"
#include "tests/fuzz/fuzz.h"

#define RING    4096u
#define PLACES  8u
#define RESTING UINT64_C(0x7f0012345678)
#define MOST    512u /* bytes that come for a look */

/** What has changed before a look; its bytes of the ring follow, up to the head. */
struct frame {
	uint64_t data_head;
	uint64_t n, head, end, reserved; /* as in struct pmu_samples_marks */
	struct pmu_samples_mark mark[PLACES];
	uint64_t n_bytes;
};

/* --- what a thread sends --- */

static void send_hello(int fd, const uint8_t *data, size_t size, const int *passed, size_t n)
{
	struct iovec part = { .iov_base = (void *)(uintptr_t)data, .iov_len = size };
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(3 * sizeof(int))];
	} control = { .room = { 0 } };
	struct msghdr message = { .msg_iov = &part,
				  .msg_iovlen = 1,
				  .msg_control = n ? &control : NULL,
				  .msg_controllen = n ? CMSG_SPACE(n * sizeof(int)) : 0 };

	if (n) {
		control.head.cmsg_level = SOL_SOCKET;
		control.head.cmsg_type = SCM_RIGHTS;
		control.head.cmsg_len = CMSG_LEN(n * sizeof(int));
		memcpy(CMSG_DATA(&control.head), passed, n * sizeof(int));
	}
	if (sendmsg(fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
		abort();
}

/* The next that will be given out. */
static int lowest_free(int fd)
{
	int lowest = dup(fd);

	close(lowest);
	return lowest;
}

/* None of the descriptors is an event's, so nothing is ever taken; and none may stay open. */
static void check_hello(const uint8_t *data, size_t size)
{
	static int pair[2];
	struct pmu_sample_hello hello;
	size_t n = size ? data[0] % 4 : 0;
	int passed[3], lowest;

	if (!pair[0] && socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair))
		abort();
	for (size_t i = 0; i < 3; i++)
		passed[i] = pair[1];
	if (size > sizeof(hello.said))
		size = sizeof(hello.said);
	/* now: the fuzzer opens files of its own in between */
	lowest = lowest_free(pair[0]);
	send_hello(pair[1], data, size, passed, n);
	if (pmu_sample_hello_take(pair[0], &hello) >= 0)
		abort();
	if (lowest_free(pair[0]) != lowest)
		abort();
}

/* --- rings and marks --- */

static void check_maps(const struct pmu_sample_maps *maps)
{
	for (size_t i = 0; i < maps->n; i++) {
		const struct pmu_sample_map *map = &maps->map[i];

		if (map->start >= map->end || (i && maps->map[i - 1].end > map->start) ||
		    !pmu_sample_maps_path(maps, map->file))
			abort();
	}
}

static void check_chains(const struct pmu_sample_sums *sums)
{
	for (uint32_t i = 0; i < sums->chains.n; i++) {
		const struct pmu_sample_at *call = &sums->chains.call[i];

		if (call->chain > i || !pmu_sample_maps_path(&sums->maps, call->file))
			abort();
	}
	for (size_t i = 0; i < sums->hits.n; i++)
		if (sums->hits.of[i].at.chain > sums->chains.n)
			abort();
}

/* A sample takes 32 bytes of the ring, and is nowhere twice. */
static void check_sums(const struct pmu_sample_sums *sums, uint64_t n_bytes)
{
	uint64_t n = sums->n_dropped;

	for (size_t i = 0; i < sums->hits.n; i++) {
		if (!pmu_sample_maps_path(&sums->maps, sums->hits.of[i].at.file))
			abort();
		n += sums->hits.of[i].n;
	}
	if (n > n_bytes / 32)
		abort();
}

static void apply(const struct frame *frame, const uint8_t *bytes, size_t n,
		  struct perf_event_mmap_page *page, char *ring, struct pmu_samples_marks *marks)
{
	uint64_t end = frame->data_head == RESTING ? frame->head : frame->data_head;

	page->data_head = frame->data_head;
	marks->n = frame->n;
	marks->head = frame->head;
	marks->end = frame->end;
	memcpy(marks->mark, frame->mark, sizeof(frame->mark));
	for (size_t i = 0; i < n; i++)
		ring[(end - n + i) % RING] = (char)bytes[i];
}

static void check_ring(const uint8_t *data, size_t size)
{
	static struct perf_event_mmap_page page;
	static char bytes[RING];
	char room[sizeof(struct pmu_samples_marks) + PLACES * sizeof(struct pmu_samples_mark)]
		__attribute__((aligned(8)));
	struct pmu_sample_sums sums = { .n_stretches = 0 };
	struct pmu_sample_scratch scratch = { .size = 0 };
	struct pmu_sample_ring ring = { .page = &page,
					.ring = bytes,
					.size = RING,
					.marks = (void *)room,
					.n_places = PLACES,
					.resting = RESTING,
					.tid = 1,
					.sums = &sums };
	uint64_t looks = 0;
	struct frame frame;

	memset(bytes, 0, sizeof(bytes));
	memset(room, 0, sizeof(room));
	for (; size >= sizeof(frame) && !ring.has_ended; looks++) {
		size_t n;

		memcpy(&frame, data, sizeof(frame));
		n = frame.n_bytes % MOST < size - sizeof(frame) ? frame.n_bytes % MOST
								: size - sizeof(frame);
		apply(&frame, data + sizeof(frame), n, &page, bytes, (void *)room);
		pmu_sample_ring_read(&ring, &scratch);
		pmu_sample_ring_mark(&ring);
		check_maps(&sums.maps);
		data += sizeof(frame) + n;
		size -= sizeof(frame) + n;
	}
	pmu_sample_ring_finish(&ring, PMU_SAMPLE_OPEN(ring.tid));
	check_sums(&sums, looks * RING);
	check_chains(&sums);
	pmu_sample_maps_free(&sums.maps);
	pmu_sample_chains_free(&sums.chains);
	pmu_sample_hits_free(&sums.hits);
	free(scratch.at);
}

/* As a list of mappings it is text. */
static void check_text(const uint8_t *data, size_t size)
{
	struct pmu_sample_maps maps = { .n = 0 };
	char *text = malloc(size + 1);

	if (!text)
		return;
	if (size)
		memcpy(text, data, size);
	text[size] = '\0';
	pmu_sample_maps_read(&maps, text);
	check_maps(&maps);
	pmu_sample_maps_free(&maps);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	check_hello(data, size);
	check_ring(data, size);
	check_text(data, size);
	return 0;
}
