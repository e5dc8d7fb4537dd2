/* SPDX-License-Identifier: BSD-3-Clause */
/* What is said of a process's samples to another program, and what makes no sense of it. */
#include "bindings/command/sample/answer.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bindings/command/sample/ask.h"
#include "bindings/command/sample/collector.h"
#include "unit/part.h"

#define PERIOD_NS 1003009u

/* Two files, and what is in none. */
static void fill(struct pmu_sample_process *process)
{
	static const struct pmu_sample_at at[] = { { PMU_SAMPLE_FILES, 0, 0x1230 },
						   { PMU_SAMPLE_FILES + 1, 0, 0x40 },
						   { PMU_SAMPLE_KERNEL, 0, UINT64_MAX - 4095 },
						   { PMU_SAMPLE_NO_FILE, 0, 0x7f0000001000 } };

	*process = (struct pmu_sample_process){ .pid = 4711, .unit = { .period = PERIOD_NS } };
	if (pmu_sample_maps_add(&process->sums.maps, 4096, 8192, 0, "/usr/bin/a b") ||
	    pmu_sample_maps_add(&process->sums.maps, 8192, 9000, 0, "[vdso]"))
		abort();
	for (uint64_t i = 0; i < 4; i++)
		if (pmu_sample_hits_add(&process->sums.hits, i << 32 | 7, at[i], 10 + i))
			abort();
}

static bool is_same(const struct pmu_sample_process *a, const struct pmu_sample_process *b)
{
	bool same = a->pid == b->pid && !memcmp(&a->unit, &b->unit, sizeof(a->unit)) &&
		    a->sums.hits.n == b->sums.hits.n;

	for (size_t i = 0; same && i < a->sums.hits.n; i++) {
		const struct pmu_sample_hit *x = &a->sums.hits.of[i], *y = &b->sums.hits.of[i];

		same = x->who == y->who && x->n == y->n && x->at.at == y->at.at &&
		       !strcmp(pmu_sample_maps_path(&a->sums.maps, x->at.file),
			       pmu_sample_maps_path(&b->sums.maps, y->at.file));
	}
	return same;
}

static void what_is_written_is_read(void)
{
	struct pmu_sample_process process, read;
	struct pmu_strbuf bytes = { 0 };

	fill(&process);
	pmu_sample_answer_write(&process, &bytes);
	is_int(pmu_sample_answer_read(bytes.text, bytes.len, "", &read), 0, "it is read");
	ok(is_same(&process, &read), "as it was");
	pmu_sample_process_free(&read);
	pmu_sample_answer_read(bytes.text, bytes.len, "/proc/9/root", &read);
	is_str(pmu_sample_maps_path(&read.sums.maps, PMU_SAMPLE_FILES), "/proc/9/root/usr/bin/a b",
	       "files of another root are found there");
	is_str(pmu_sample_maps_path(&read.sums.maps, PMU_SAMPLE_FILES + 1), "[vdso]",
	       "what is no file is nowhere else");
	pmu_sample_process_free(&read);
	pmu_sample_process_free(&process);
	pmu_strbuf_free(&bytes);
}

/* Who asks wants functions: where they were called from is added up. */
static void callers_are_left_out(void)
{
	struct pmu_sample_process process, read;
	struct pmu_strbuf bytes = { 0 };

	fill(&process);
	for (uint32_t chain = 1; chain <= 3; chain++) {
		const struct pmu_sample_at at = { PMU_SAMPLE_FILES, chain, 0x1230 };

		if (pmu_sample_hits_add(&process.sums.hits, 7, at, 100))
			abort();
	}
	is_u64(process.sums.hits.n, 7, "one place, called from three more");
	pmu_sample_answer_write(&process, &bytes);
	is_int(pmu_sample_answer_read(bytes.text, bytes.len, "", &read), 0, "it is read");
	is_u64(read.sums.hits.n, 4, "as one");
	is_u64(read.sums.hits.of[0].n, 310, "with the samples of all");
	pmu_sample_process_free(&read);
	pmu_sample_process_free(&process);
	pmu_strbuf_free(&bytes);
}

static void what_makes_no_sense_is_not(void)
{
	struct pmu_sample_process process, read;
	struct pmu_sample_answer *head;
	struct pmu_sample_answer_hit *hit;
	struct pmu_strbuf bytes = { 0 };
	int n_read = 0;

	fill(&process);
	pmu_sample_answer_write(&process, &bytes);
	head = (void *)bytes.text;
	hit = (void *)(head + 1);
	for (size_t len = 0; len < bytes.len; len++)
		n_read += pmu_sample_answer_read(bytes.text, len, "", &read) != -EINVAL;
	is_int(n_read, 0, "nothing that is shorter");
	hit->file = PMU_SAMPLE_FILES + 2;
	is_int(pmu_sample_answer_read(bytes.text, bytes.len, "", &read), -EINVAL,
	       "a file that is none");
	hit->file = UINT64_C(1) << 32;
	is_int(pmu_sample_answer_read(bytes.text, bytes.len, "", &read), -EINVAL,
	       "one whose number is cut");
	hit->file = 0;
	head->n_hits = UINT64_MAX / sizeof(*hit) + 2;
	is_int(pmu_sample_answer_read(bytes.text, bytes.len, "", &read), -EINVAL,
	       "more than there can be");
	head->n_hits = 4;
	head->n_paths = UINT64_MAX;
	is_int(pmu_sample_answer_read(bytes.text, bytes.len, "", &read), -EINVAL, "of paths, too");
	head->n_paths = 2;
	head->unit.period = 0;
	is_int(pmu_sample_answer_read(bytes.text, bytes.len, "", &read), -EINVAL, "no period");
	head->unit.period = 1;
	head->version++;
	is_int(pmu_sample_answer_read(bytes.text, bytes.len, "", &read), -EINVAL,
	       "another version");
	pmu_sample_process_free(&process);
	pmu_strbuf_free(&bytes);
}

/* --- by the socket --- */

static struct pmu_sample_process *add_sampled(struct pmu_samples_collector *collector,
					      const char *store)
{
	struct pmu_sample_process *process = calloc(1, sizeof(*process));

	if (!process)
		abort();
	fill(process);
	snprintf(process->store, sizeof(process->store), "%s", store);
	process->next = collector->processes;
	collector->processes = process;
	return process;
}

static void send_bytes(int fd, const void *bytes, size_t len)
{
	if (send(fd, bytes, len, 0) != (ssize_t)len)
		abort();
}

/* Return: whether an answer came, with something in it. */
static bool answers(struct pmu_samples_collector *collector,
		    const struct pmu_sample_question *question)
{
	char byte, room[CMSG_SPACE(sizeof(int))];
	struct iovec part = { &byte, 1 };
	struct msghdr message = { .msg_iov = &part,
				  .msg_iovlen = 1,
				  .msg_control = room,
				  .msg_controllen = sizeof(room) };
	int fd[2], with;
	bool has;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, fd))
		abort();
	send_bytes(fd[0], question, sizeof(*question));
	ok(pmu_sample_is_question(fd[1]), "it is a question");
	pmu_sample_answer(collector, fd[1]);
	has = recvmsg(fd[0], &message, 0) == 1 && message.msg_controllen;
	if (has) {
		memcpy(&with, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof(with));
		close(with);
	}
	close(fd[0]);
	close(fd[1]);
	return has;
}

static void questions_are_answered(void)
{
	struct pmu_sample_question question = { .version = PMU_SAMPLE_ANSWER_VERSION,
						.store = "1-2-3.pmu" };
	struct pmu_samples_collector collector = { .n_threads = 0 };
	const struct pmu_samples_hello hello = { .version = PMU_SAMPLES_VERSION };
	struct pmu_sample_process process;
	int fd[2];

	add_sampled(&collector, "1-2-3.pmu");
	ok(answers(&collector, &question), "of a process that is sampled there is an answer");
	strcpy(question.store, "1-2-4.pmu");
	ok(!answers(&collector, &question), "of another one there is nothing");
	memset(question.store, 'x', sizeof(question.store));
	ok(!answers(&collector, &question), "nor of a name without an end");
	strcpy(question.store, "1-2-3.pmu");
	question.version++;
	ok(!answers(&collector, &question), "nor of another version's question");
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, fd))
		abort();
	ok(!pmu_sample_is_question(fd[1]), "nothing is no question");
	send_bytes(fd[0], &hello, sizeof(hello));
	ok(!pmu_sample_is_question(fd[1]), "nor is what a thread says");
	close(fd[0]);
	close(fd[1]);
	pmu_sample_take_process(&collector, "1-2-3.pmu", true, &process);
	pmu_sample_process_free(&process);
}

static void a_collector_is_asked(void)
{
	char folder[] = "/tmp/pmu-answer-XXXXXX", path[128];
	struct pmu_samples_collector *collector;
	struct pmu_sample_process read, process;

	if (!mkdtemp(folder))
		abort();
	snprintf(path, sizeof(path), "%s/1-2-3.pmu", folder);
	is_int(pmu_sample_ask(path, &read), -ENOENT, "where nobody collects there is nothing");
	is_int(pmu_sample_collect(folder, 0, false, &collector), 0, "somebody collects");
	is_int(pmu_sample_ask(path, &read), -ENOENT, "but nothing of this one");
	pthread_mutex_lock(&collector->lock);
	add_sampled(collector, "1-2-3.pmu");
	pthread_mutex_unlock(&collector->lock);
	fill(&process);
	if (is_int(pmu_sample_ask(path, &read), 0, "then something of it")) {
		ok(is_same(&process, &read), "and all of it");
		pmu_sample_process_free(&read);
	}
	is_u64(pmu_sample_account(collector).n_refused, 0,
	       "who asks is no thread that was refused");
	pmu_sample_process_free(&process);
	pmu_sample_stop(collector);
	is_int(pmu_sample_ask(path, &read), -ENOENT, "when it has ended there is nothing again");
	snprintf(path, sizeof(path), "%s/samples", folder);
	unlink(path);
	rmdir(folder);
}

UNIT_PART(sample_answer)
{
	what_is_written_is_read();
	callers_are_left_out();
	what_makes_no_sense_is_not();
	questions_are_answered();
	a_collector_is_asked();
	return done_testing();
}
