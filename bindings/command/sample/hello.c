/* SPDX-License-Identifier: BSD-3-Clause */
/* What a thread brings along: checked before anything of it is used. */
#include "bindings/command/sample/hello.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/compiler.h"
#include "base/retry.h"

/* More than anybody needs; the kernel knows about the rest. */
#define MOST_RING   (1u << 24)
#define MOST_PLACES (1u << 20)

static bool is_power(uint64_t number, uint64_t most)
{
	return number && number <= most && !(number & (number - 1));
}

static size_t page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

static size_t marks_size(uint32_t n_places)
{
	return sizeof(struct pmu_samples_marks) +
	       (size_t)n_places * sizeof(struct pmu_samples_mark);
}

static bool makes_sense(const struct pmu_samples_hello *said)
{
	const char *end = memchr(said->store, '\0', sizeof(said->store));

	return said->version == PMU_SAMPLES_VERSION && is_power(said->ring_size, MOST_RING) &&
	       said->ring_size >= page_size() && is_power(said->n_places, MOST_PLACES) &&
	       said->n_places >= 2 && pmu_sample_is_sound(&said->unit) && end &&
	       end != said->store && !strchr(said->store, '/');
}

/* Memory that could become shorter would end us by a signal. */
static bool is_firm(int fd, size_t size)
{
	int seals = fcntl(fd, F_GET_SEALS);
	struct stat st;

	return seals >= 0 && seals & F_SEAL_SHRINK && !fstat(fd, &st) && st.st_size >= 0 &&
	       (size_t)st.st_size >= size;
}

/* So would a file. */
static bool is_event(int fd)
{
	static const char event[] = "anon_inode:[perf_event]";
	char link[64], path[32];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	n = readlink(path, link, sizeof(link));
	return n == (ssize_t)strlen(event) && !memcmp(link, event, strlen(event));
}

/* unix(7): whose connection it is, as the kernel says. */
bool pmu_sample_peer_is_ours(int fd, pid_t *pid)
{
	struct ucred peer;
	socklen_t size = sizeof(peer);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size))
		return false;
	*pid = peer.pid;
	return peer.uid == geteuid() || peer.uid == 0;
}

static void close_all(const int *fd, size_t n)
{
	for (size_t i = 0; i < n; i++)
		close(fd[i]);
}

/* All that came with it: as many as were wanted, or none is left open. */
static bool take_descriptors(struct msghdr *message, int *fd, size_t wanted)
{
	struct cmsghdr *part = CMSG_FIRSTHDR(message);
	int got[8];
	size_t n;

	if (!part || part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS)
		return false;
	n = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
	n = n < PMU_ARRAY_LEN(got) ? n : PMU_ARRAY_LEN(got);
	memcpy(got, CMSG_DATA(part), n * sizeof(int));
	if (n == wanted && !(message->msg_flags & MSG_CTRUNC)) {
		memcpy(fd, got, n * sizeof(int));
		return true;
	}
	close_all(got, n);
	return false;
}

int pmu_sample_hello_take(int fd, struct pmu_sample_hello *hello)
{
	struct iovec part = { .iov_base = &hello->said, .iov_len = sizeof(hello->said) };
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(8 * sizeof(int))];
	} control;
	struct msghdr message = {
		.msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	ssize_t n = PMU_RETRY(recvmsg(fd, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC));
	int got[2];

	if (n < 0)
		return -errno;
	if (!n && !message.msg_controllen)
		return -EPIPE;
	if (!take_descriptors(&message, got, PMU_ARRAY_LEN(got)))
		return -EPROTO;
	if (n == (ssize_t)sizeof(hello->said) && pmu_sample_peer_is_ours(fd, &hello->pid) &&
	    makes_sense(&hello->said) && is_event(got[0]) &&
	    is_firm(got[1], marks_size(hello->said.n_places))) {
		hello->event_fd = got[0];
		hello->marks_fd = got[1];
		return 0;
	}
	close_all(got, PMU_ARRAY_LEN(got));
	return -EPROTO;
}

int pmu_sample_hello_map(const struct pmu_sample_hello *hello, struct pmu_sample_ring *ring)
{
	const struct pmu_samples_hello *said = &hello->said;
	char *page = mmap(NULL, page_size() + said->ring_size, PROT_READ, MAP_SHARED,
			  hello->event_fd, 0);
	void *marks = mmap(NULL, marks_size(said->n_places), PROT_READ, MAP_SHARED, hello->marks_fd,
			   0);
	int rc = page == MAP_FAILED || marks == MAP_FAILED ? -errno : 0;

	close(hello->event_fd);
	close(hello->marks_fd);
	*ring = (struct pmu_sample_ring){
		.page = page == MAP_FAILED ? NULL : (const void *)page,
		.ring = page == MAP_FAILED ? NULL : page + page_size(),
		.size = said->ring_size,
		.marks = marks == MAP_FAILED ? NULL : marks,
		.n_places = said->n_places,
		.resting = said->resting,
		.tid = said->tid,
	};
	if (rc)
		pmu_sample_hello_unmap(ring);
	return rc;
}

void pmu_sample_hello_unmap(const struct pmu_sample_ring *ring)
{
	if (ring->page)
		munmap((void *)(uintptr_t)ring->page, page_size() + ring->size);
	if (ring->marks)
		munmap((void *)(uintptr_t)ring->marks, marks_size(ring->n_places));
}
