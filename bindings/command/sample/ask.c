/* SPDX-License-Identifier: BSD-3-Clause */
/* Both ends of a question for samples: the collector's, and that of who asks. */
#include "bindings/command/sample/ask.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/retry.h"
#include "base/write.h"
#include "bindings/command/sample/answer.h"
#include "bindings/command/sample/collector.h"
#include "bindings/command/sample/hello.h"

/* A collector that takes longer is stopped, or very busy: there is another look. */
#define PATIENCE_MS 200
/* Of more no answer is made, nor read: a million places are 32 MiB. */
#define MOST_ANSWER (64u << 20)

union control {
	struct cmsghdr head;
	char room[CMSG_SPACE(sizeof(int))];
};

/* --- who is asked --- */

bool pmu_sample_is_question(int peer)
{
	struct pmu_sample_question question;
	ssize_t n = PMU_RETRY(
		recv(peer, &question, sizeof(question), MSG_PEEK | MSG_DONTWAIT | MSG_TRUNC));

	return n == (ssize_t)sizeof(question);
}

/* Return: a descriptor of it; -1: there is nothing that could be sent. */
static int make_answer(struct pmu_samples_collector *collector, const char *store)
{
	struct pmu_sample_process process;
	struct pmu_strbuf bytes = { 0 };
	int fd = -1;

	if (!pmu_sample_take_process(collector, store, false, &process))
		return -1;
	pmu_sample_answer_write(&process, &bytes);
	pmu_sample_process_free(&process);
	if (!bytes.failed && bytes.len <= MOST_ANSWER)
		fd = memfd_create("pmu samples", MFD_CLOEXEC);
	if (fd >= 0 && pmu_write_all(fd, bytes.text, bytes.len)) {
		close(fd);
		fd = -1;
	}
	pmu_strbuf_free(&bytes);
	return fd;
}

static void send_answer(int peer, int fd)
{
	char version = PMU_SAMPLE_ANSWER_VERSION;
	struct iovec part = { .iov_base = &version, .iov_len = 1 };
	union control control = { .head = { .cmsg_len = CMSG_LEN(sizeof(int)),
					    .cmsg_level = SOL_SOCKET,
					    .cmsg_type = SCM_RIGHTS } };
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };

	if (fd >= 0) {
		memcpy(CMSG_DATA(&control.head), &fd, sizeof(fd));
		message.msg_control = &control;
		message.msg_controllen = CMSG_SPACE(sizeof(int));
	}
	sendmsg(peer, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
}

void pmu_sample_answer(struct pmu_samples_collector *collector, int peer)
{
	struct pmu_sample_question question;
	ssize_t n = PMU_RETRY(recv(peer, &question, sizeof(question), MSG_DONTWAIT));
	pid_t pid;
	int fd;

	if (n != (ssize_t)sizeof(question) || question.version != PMU_SAMPLE_ANSWER_VERSION ||
	    !memchr(question.store, '\0', sizeof(question.store)) ||
	    !pmu_sample_peer_is_ours(peer, &pid))
		return;
	pmu_sample_drain(collector);
	fd = make_answer(collector, question.store);
	send_answer(peer, fd);
	if (fd >= 0)
		close(fd);
}

/* --- who asks --- */

/* unix(7): never waits, as there may be nobody who accepts. */
static int connect_to(const char *folder)
{
	int folder_fd = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC), rc = 0;
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	struct sockaddr_un address;

	if (fd < 0 || folder_fd < 0) {
		rc = -errno;
	} else {
		pmu_samples_address(&address, folder, folder_fd);
		if (connect(fd, (const void *)&address, sizeof(address)))
			rc = errno == ECONNREFUSED ? -ENOENT : -errno;
	}
	if (folder_fd >= 0)
		close(folder_fd);
	if (!rc)
		return fd;
	if (fd >= 0)
		close(fd);
	return rc;
}

/* Return: the descriptor; a negative errno. */
static int receive_answer(int fd)
{
	struct pollfd poller = { .fd = fd, .events = POLLIN };
	char version = 0;
	struct iovec part = { .iov_base = &version, .iov_len = 1 };
	union control control = { .room = { 0 } };
	struct msghdr message = { .msg_iov = &part,
				  .msg_iovlen = 1,
				  .msg_control = &control,
				  .msg_controllen = sizeof(control) };
	const struct cmsghdr *with;
	int got = -ENOENT;

	if (PMU_RETRY(poll(&poller, 1, PATIENCE_MS)) <= 0)
		return -ETIMEDOUT;
	if (PMU_RETRY(recvmsg(fd, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC)) != 1)
		return -EPROTO;
	with = CMSG_FIRSTHDR(&message);
	if (with && with->cmsg_level == SOL_SOCKET && with->cmsg_type == SCM_RIGHTS &&
	    with->cmsg_len == CMSG_LEN(sizeof(int)))
		memcpy(&got, CMSG_DATA(with), sizeof(got));
	return got;
}

/* Read, not mapped: memory that becomes shorter would end us by a signal. */
static int read_answer(int fd, const char *prefix, struct pmu_sample_process *out)
{
	size_t len = 0, size;
	struct stat st;
	char *bytes;
	int rc;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size <= 0 || st.st_size > MOST_ANSWER)
		return -EPROTO;
	size = (size_t)st.st_size;
	bytes = malloc(size);
	if (!bytes)
		return -ENOMEM;
	while (len < size) {
		ssize_t n = PMU_RETRY(pread(fd, bytes + len, size - len, (off_t)len));

		if (n <= 0)
			break;
		len += (size_t)n;
	}
	rc = pmu_sample_answer_read(bytes, len, prefix, out);
	free(bytes);
	return rc;
}

/* "/proc/4711/root" of a store there: what the process has mapped lies there, too. */
static void root_of(const char *path, char *prefix, size_t size)
{
	int n = 0;

	prefix[0] = '\0';
	if (sscanf(path, "/proc/%*[0-9]/root/%n", &n) == 0 && n > 1 && (size_t)n <= size) {
		memcpy(prefix, path, (size_t)n - 1);
		prefix[n - 1] = '\0';
	}
}

int pmu_sample_ask(const char *path, struct pmu_sample_process *out)
{
	struct pmu_sample_question question = { .version = PMU_SAMPLE_ANSWER_VERSION };
	const char *slash = strrchr(path, '/');
	char *folder = strndup(path, slash ? (size_t)(slash - path) : 0), prefix[64];
	int fd = slash && folder ? connect_to(folder) : -ENOENT, answer;

	free(folder);
	if (fd < 0)
		return fd;
	snprintf(question.store, sizeof(question.store), "%s", slash + 1);
	root_of(path, prefix, sizeof(prefix));
	answer = send(fd, &question, sizeof(question), MSG_DONTWAIT | MSG_NOSIGNAL) < 0
			 ? -errno
			 : receive_answer(fd);
	close(fd);
	if (answer >= 0) {
		fd = answer;
		answer = read_answer(fd, prefix, out);
		close(fd);
	}
	return answer;
}
