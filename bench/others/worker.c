/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A contender's process: takes the time of blocks of pairs when bench/compare asks for one.  It is
 * told what to count
 * as its argument, and writes a line when it is ready; then a line of answer for each of
 *	size SUBJECT	as many pairs as take about BLOCK_NS
 *	SUBJECT N	ns per pair of a block of N pairs; with two threads, of the slower one
 *	check		whether all that was done was recorded
 * or "none" where it has no such subject, or "cannot WHY".  It ends with its standard input.
 */
#include "worker.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/common/numbers.h"

#define BLOCK_NS  200000 /* so short that most blocks pass without an interrupt */
#define MAX_PAIRS 1000000
#define MAX_SPINS 1000 /* before the CPU is left to others */

#define TEN(text)                                                                                 \
	text "0", text "1", text "2", text "3", text "4", text "5", text "6", text "7", text "8", \
		text "9"
const char *const names[N_NAMES] = {
	TEN("region_0"), TEN("region_1"), TEN("region_2"), TEN("region_3"), TEN("region_4"),
	TEN("region_5"), TEN("region_6"), TEN("region_7"), TEN("region_8"), TEN("region_9"),
};

int worker_cpu[THREADS];
int worker_n_cpus;

static enum what what;
static struct done done;
static FILE *answers; /* what was standard output: a library may print there */

static struct second {
	pthread_t id;
	bool runs;
	char why[WHY_LEN]; /* it does not */
	pthread_barrier_t barrier;
	atomic_int n_ready; /* threads that wait to start a block */
	size_t n_pairs;     /* of the next block; 0: it is to end */
	double ns;          /* of the last one */
} second;

static void find_cpus(void)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set) < 0)
		return;
	for (int cpu = 0; cpu < CPU_SETSIZE && worker_n_cpus < THREADS; cpu++)
		if (CPU_ISSET(cpu, &set))
			worker_cpu[worker_n_cpus++] = cpu;
}

/* All contenders on the same CPUs: their ratios do not depend on which those are. */
static bool begin_thread(int index, char why[WHY_LEN])
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(worker_cpu[index], &set);
	if (sched_setaffinity(0, sizeof(set), &set) < 0)
		return because(why, "cannot run on CPU %d: %s", worker_cpu[index], strerror(errno));
	return !contender.attach || contender.attach(what, why);
}

/* --- blocks --- */

/* The first pairs after a wait meet cold caches: they are not timed. */
static double time_one(size_t n_pairs)
{
	double start;

	contender.one(n_pairs / 8 + 1);
	start = now_ns();
	contender.one(n_pairs);
	return (now_ns() - start) / (double)n_pairs;
}

static double block_one(size_t n_pairs)
{
	done.one += n_pairs + n_pairs / 8 + 1;
	return time_one(n_pairs);
}

static double block_named(size_t n_pairs)
{
	size_t n_rounds = (n_pairs + N_NAMES - 1) / N_NAMES;
	double start;

	done.named += n_rounds + 1;
	contender.named(1);
	start = now_ns();
	contender.named(n_rounds);
	return (now_ns() - start) / (double)(n_rounds * N_NAMES);
}

/* Both threads are awake when the block starts. */
static void start_together(void)
{
	int spins = 0;

	pthread_barrier_wait(&second.barrier);
	atomic_fetch_add(&second.n_ready, 1);
	while (atomic_load(&second.n_ready) < THREADS)
		if (++spins % MAX_SPINS == 0)
			sched_yield();
}

static double block_two(size_t n_pairs)
{
	double ns;

	second.n_pairs = n_pairs;
	atomic_store(&second.n_ready, 0);
	start_together();
	ns = block_one(n_pairs);
	pthread_barrier_wait(&second.barrier);
	return second.ns > ns ? second.ns : ns;
}

static void *second_thread(void *unused)
{
	(void)unused;
	second.runs = begin_thread(1, second.why);
	pthread_barrier_wait(&second.barrier);
	while (second.runs) {
		start_together();
		if (!second.n_pairs)
			break;
		second.ns = time_one(second.n_pairs);
		pthread_barrier_wait(&second.barrier);
	}
	return NULL;
}

static void start_second(void)
{
	int rc;

	if (worker_n_cpus < THREADS) {
		because(second.why, "there is one CPU for it");
		return;
	}
	rc = pthread_barrier_init(&second.barrier, NULL, THREADS);
	if (rc == 0)
		rc = pthread_create(&second.id, NULL, second_thread, NULL);
	if (rc == 0)
		pthread_barrier_wait(&second.barrier); /* runs is known */
	else
		because(second.why, "cannot start a thread: %s", strerror(rc));
}

static void end_second(void)
{
	if (!second.runs)
		return;
	second.n_pairs = 0;
	atomic_store(&second.n_ready, 0);
	start_together();
	pthread_join(second.id, NULL);
}

/* --- answers --- */

static const struct subject {
	const char *name;
	double (*block)(size_t n_pairs);
	size_t unit; /* pairs that make no sense alone */
} subjects[] = {
	{ "one", block_one, 1 },
	{ "two", block_two, 1 },
	{ "named", block_named, N_NAMES },
};

static const struct subject *find_subject(const char *name)
{
	for (size_t i = 0; i < sizeof(subjects) / sizeof(*subjects); i++)
		if (!strcmp(subjects[i].name, name))
			return &subjects[i];
	return NULL;
}

static size_t block_size(const struct subject *subject)
{
	size_t n = subject->unit;

	while (n < MAX_PAIRS && subject->block(n) * (double)n < BLOCK_NS)
		n *= 2;
	return n;
}

static void answer_subject(const struct subject *subject, const char *number)
{
	size_t n_pairs = number ? strtoul(number, NULL, 10) : 0;

	if (subject->block == block_named && !contender.named)
		fputs("none\n", answers);
	else if (subject->block == block_two && !second.runs)
		fprintf(answers, "cannot %s\n", second.why);
	else if (!number)
		fprintf(answers, "%zu\n", block_size(subject));
	else if (n_pairs < 1 || n_pairs > 2 * MAX_PAIRS)
		fputs("cannot count so many pairs\n", answers);
	else
		fprintf(answers, "%.6f\n", subject->block(n_pairs));
}

static void answer_check(void)
{
	char why[WHY_LEN] = "";

	if (!contender.check || contender.check(&done, why))
		fputs("good\n", answers);
	else
		fprintf(answers, "cannot %s\n", why);
}

static void answer(char *question)
{
	char *word = strtok(question, " \n"), *argument = strtok(NULL, " \n");
	const struct subject *subject;

	if (word && !strcmp(word, "check"))
		answer_check();
	else if (word && !strcmp(word, "size") && argument && (subject = find_subject(argument)))
		answer_subject(subject, NULL);
	else if (word && argument && (subject = find_subject(word)))
		answer_subject(subject, argument);
	else
		fputs("cannot understand this\n", answers);
	fflush(answers);
}

static bool parse(char **argv)
{
	static const char *const word[] = {
		[TIME] = "time", [PAGE_FAULTS] = "page-faults", [INSTRUCTIONS] = "instructions"
	};

	for (size_t i = 0; argv[1] && i < sizeof(word) / sizeof(*word); i++) {
		what = (enum what)i;
		if (!strcmp(argv[1], word[i]))
			return !argv[2];
	}
	return false;
}

/* Without the reports that exit() would have written. */
__attribute__((noreturn)) static void leave(int status)
{
	if (contender.end)
		contender.end();
	_exit(status);
}

int main(int argc, char **argv)
{
	char why[WHY_LEN] = "", question[64];

	(void)argc;
	if (!parse(argv)) {
		fputs("bench/compare starts this program\n", stderr);
		return 2;
	}
	answers = fdopen(dup(STDOUT_FILENO), "w");
	if (!answers || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
		return 1;
	find_cpus();
	if (worker_n_cpus == 0 || !contender.start(what, why) || !begin_thread(0, why)) {
		fprintf(answers, "cannot %s\n", *why ? why : "find a CPU");
		fflush(answers);
		leave(1);
	}
	start_second();
	fprintf(answers, "ready %s\n", contender.version ? contender.version() : "");
	fflush(answers);
	while (fgets(question, sizeof(question), stdin))
		answer(question);
	end_second();
	leave(0);
}
