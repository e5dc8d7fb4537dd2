/* SPDX-License-Identifier: BSD-3-Clause */
/* What a thread sends is taken if all of it makes sense; of what does not, nothing stays. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bindings/command/sample/hello.h"
#include "unit/part.h"

#ifndef MFD_ALLOW_SEALING
#define MFD_ALLOW_SEALING 2U
#endif

#define PLACES     16u
#define MARKS_SIZE (sizeof(struct pmu_samples_marks) + PLACES * sizeof(struct pmu_samples_mark))

static size_t page;
static int pair[2];

static struct pmu_samples_hello sound_hello(void)
{
	struct pmu_samples_hello hello = { .version = PMU_SAMPLES_VERSION,
					   .ring_size = (uint32_t)page,
					   .n_places = PLACES,
					   .tid = 12,
					   .unit = { .period = 1000000 },
					   .resting = 1,
					   .store = "pmu-12-1" };

	return hello;
}

static int open_event(void)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.size = sizeof(attr),
					.config = PERF_COUNT_SW_CPU_CLOCK,
					.sample_period = 1000000,
					.exclude_kernel = 1,
					.exclude_hv = 1 };

	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static int open_marks(size_t size, int seals)
{
	int fd = memfd_create("marks", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd < 0 || ftruncate(fd, (off_t)size) || fcntl(fd, F_ADD_SEALS, seals))
		abort();
	return fd;
}

static void send_all(const void *bytes, size_t size, const int *passed, size_t n)
{
	struct iovec part = { .iov_base = (void *)(uintptr_t)bytes, .iov_len = size };
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(16 * sizeof(int))];
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
	if (sendmsg(pair[1], &message, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
		abort();
}

/* The descriptor that comes next: as many as before are open if it is the same. */
static int next_descriptor(void)
{
	int fd = dup(pair[0]);

	close(fd);
	return fd;
}

static void refused(const char *what, const void *bytes, size_t size, const int *passed, size_t n)
{
	int before = next_descriptor();
	struct pmu_sample_hello hello;

	send_all(bytes, size, passed, n);
	ok(pmu_sample_hello_take(pair[0], &hello) < 0, "%s is refused", what);
	is_int(next_descriptor(), before, "  and nothing of it stays open");
}

static void words_are_checked(int event, int marks)
{
	const int passed[] = { event, marks };
	struct pmu_samples_hello hello = sound_hello();

#define REFUSED_WITH(what, change)                               \
	do {                                                     \
		hello = sound_hello();                           \
		change;                                          \
		refused(what, &hello, sizeof(hello), passed, 2); \
	} while (0)
	REFUSED_WITH("another version", hello.version++);
	REFUSED_WITH("a ring of no pages", hello.ring_size = 0);
	REFUSED_WITH("a ring of half a page", hello.ring_size = (uint32_t)page / 2);
	REFUSED_WITH("a ring that is no power of 2", hello.ring_size = 3 * (uint32_t)page);
	REFUSED_WITH("a ring without end", hello.ring_size = 1u << 31);
	REFUSED_WITH("no place for a mark", hello.n_places = 0);
	REFUSED_WITH("places that are no power of 2", hello.n_places = PLACES - 1);
	REFUSED_WITH("more places than the memory has", hello.n_places = 1024 * PLACES);
	REFUSED_WITH("no period", hello.unit.period = 0);
	REFUSED_WITH("more than precise", hello.unit.precise = PMU_SAMPLE_PRECISE + 1);
	REFUSED_WITH("an event without an end",
		     memset(hello.unit.event, 'x', sizeof(hello.unit.event)));
	REFUSED_WITH("no store", hello.store[0] = '\0');
	REFUSED_WITH("a store elsewhere", strcpy(hello.store, "../pmu-12-1"));
	REFUSED_WITH("a store without an end", memset(hello.store, 'x', sizeof(hello.store)));
#undef REFUSED_WITH
	hello = sound_hello();
	refused("half a message", &hello, sizeof(hello) / 2, passed, 2);
}

static void descriptors_are_checked(int event, int marks)
{
	const struct pmu_samples_hello hello = sound_hello();
	int many[16], soft = open_marks(MARKS_SIZE, 0), small = open_marks(64, F_SEAL_SHRINK);
	int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	for (size_t i = 0; i < 16; i++)
		many[i] = marks;
	refused("a message without descriptors", &hello, sizeof(hello), NULL, 0);
	refused("one descriptor", &hello, sizeof(hello), &event, 1);
	refused("a third one", &hello, sizeof(hello), (int[]){ event, marks, marks }, 3);
	refused("more than there is room for", &hello, sizeof(hello), many, 16);
	refused("memory in place of an event", &hello, sizeof(hello), (int[]){ marks, marks }, 2);
	refused("a file for marks", &hello, sizeof(hello), (int[]){ event, file }, 2);
	refused("memory that may shrink", &hello, sizeof(hello), (int[]){ event, soft }, 2);
	refused("memory that is too short", &hello, sizeof(hello), (int[]){ event, small }, 2);
	close(soft);
	close(small);
	close(file);
}

static void is_taken(int event, int marks)
{
	const struct pmu_samples_hello said = sound_hello();
	int before = next_descriptor();
	struct pmu_sample_hello hello;
	struct pmu_sample_ring ring;

	send_all(&said, sizeof(said), (int[]){ event, marks }, 2);
	if (!is_int(pmu_sample_hello_take(pair[0], &hello), 0, "what makes sense is taken"))
		return;
	is_int(hello.pid, getpid(), "  with the process that it is of");
	is_int(pmu_sample_hello_map(&hello, &ring), 0, "  and mapped");
	is_int(next_descriptor(), before, "  after which no descriptor is needed");
	is_u64(ring.size, page, "  a ring as large as was said");
	is_u64(ring.marks->n, 0, "  and its marks");
	pmu_sample_hello_unmap(&ring);
}

static void silence_is_no_refusal(void)
{
	struct pmu_sample_hello hello;

	is_int(pmu_sample_hello_take(pair[0], &hello), -EAGAIN, "a thread may take its time");
	close(pair[1]);
	is_int(pmu_sample_hello_take(pair[0], &hello), -EPIPE, "  or go without a word");
}

UNIT_PART(sample_hello)
{
	int event, marks = open_marks(MARKS_SIZE, F_SEAL_SHRINK);

	page = (size_t)sysconf(_SC_PAGESIZE);
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		abort();
	event = open_event();
	if (event < 0)
		return skip_all("perf_event_open(2) may not be used here");
	is_taken(event, marks);
	words_are_checked(event, marks);
	descriptors_are_checked(event, marks);
	silence_is_no_refusal();
	return done_testing();
}
