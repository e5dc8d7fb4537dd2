/* SPDX-License-Identifier: BSD-3-Clause */
/* Hands what a thread is sampled by to who collects. */
#include "session/samples_hand.h"

#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/retry.h"

/* For who collects to answer. */
#define PATIENCE_S 1

static int reach_collector(const char *folder)
{
	const struct timeval patience = { .tv_sec = PATIENCE_S };
	int folder_fd = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	struct sockaddr_un address;
	int rc = -1;

	if (fd >= 0) {
		pmu_samples_address(&address, folder, folder_fd);
		setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
		setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
		rc = PMU_RETRY(connect(fd, (const void *)&address, sizeof(address)));
	}
	if (folder_fd >= 0)
		close(folder_fd);
	if (rc >= 0 || fd < 0)
		return fd;
	close(fd);
	return -1;
}

static bool send_hello(int fd, const struct pmu_samples_hello *hello, const int *passed)
{
	struct iovec part = { .iov_base = (void *)(uintptr_t)hello, .iov_len = sizeof(*hello) };
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(PMU_SAMPLES_PASSED * sizeof(int))];
	} control = { .room = { 0 } };
	struct msghdr message = {
		.msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control.room),
	};
	struct cmsghdr *rights = CMSG_FIRSTHDR(&message);

	rights->cmsg_level = SOL_SOCKET;
	rights->cmsg_type = SCM_RIGHTS;
	rights->cmsg_len = CMSG_LEN(PMU_SAMPLES_PASSED * sizeof(int));
	memcpy(CMSG_DATA(rights), passed, PMU_SAMPLES_PASSED * sizeof(int));
	return PMU_RETRY(sendmsg(fd, &message, MSG_NOSIGNAL)) == (ssize_t)sizeof(*hello);
}

static bool is_taken(int fd)
{
	char answer = 0;

	return PMU_RETRY(recv(fd, &answer, 1, 0)) == 1 && answer == PMU_SAMPLES_TAKEN;
}

bool pmu_samples_hand(const char *folder, const struct pmu_samples_hello *hello, const int *passed)
{
	int fd = reach_collector(folder);
	bool taken;

	if (fd < 0)
		return false;
	taken = send_hello(fd, hello, passed) && is_taken(fd);
	close(fd);
	return taken;
}
