/* SPDX-License-Identifier: BSD-3-Clause */
/* The demonstration: two threads, three pieces of work of different character. */
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pmu.h"

#define N_THREADS  2
#define N_LINES    100000 /* of text */
#define LINE_WORDS 15
#define LINE_SIZE  256
#define N_PEOPLE   (1u << 22) /* the tables of them are larger than most caches */
#define N_FRIENDS  4
#define N_ROUNDS   10
#define N_BODIES   5000
#define N_STEPS    8

/* Charles Darwin, On the Origin of Species, 1859: how the book begins. */
static char opening[] = "when on board hms beagle as naturalist i was much struck with "
			"certain facts in the distribution of the inhabitants of south "
			"america and in the geological relations of the present to the "
			"past inhabitants of that continent these facts seemed to me to "
			"throw some light on the origin of species";

static char line[N_LINES][LINE_SIZE];
static char *word[N_THREADS][N_LINES * LINE_WORDS];
static uint32_t n_written, n_words[N_THREADS];
static uint32_t friends[N_PEOPLE][N_FRIENDS];
static double news[2][N_PEOPLE]; /* what each has heard: before a round, after it */
static double x[N_BODIES], y[N_BODIES], x_speed[N_BODIES], y_speed[N_BODIES];
static pthread_barrier_t barrier;

static uint32_t random_below(uint32_t limit)
{
	static uint64_t state = 1;

	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(state >> 33) % limit;
}

/* A region of its own: waiting for the other thread is not taken for work. */
static void wait_for_all(void)
{
	PMU_REGION("wait"); /* to the end of the block */
	pthread_barrier_wait(&barrier);
}

/* Lines of 5 to LINE_WORDS words, each from anywhere in the book's opening. */
static void write_text(void)
{
	char *choice[sizeof(opening)];
	uint32_t n_choices = 0;

	PMU_REGION("text");
	for (char *at = strtok(opening, " "); at; at = strtok(NULL, " "))
		choice[n_choices++] = at;
	for (int i = 0; i < N_LINES; i++) {
		char *end = line[i];

		for (uint32_t n = 5 + random_below(LINE_WORDS - 4); n; n--, n_written++)
			end += sprintf(end, "%s ", choice[random_below(n_choices)]);
		end[-1] = '\0';
	}
}

/* Each person has N_FRIENDS friends and is a friend of as many: column k is a shuffle of all. */
static void make_friends(void)
{
	PMU_REGION("friends");
	for (int k = 0; k < N_FRIENDS; k++) {
		uint32_t odd = random_below(N_PEOPLE) | 1;

		for (uint32_t i = 0; i < N_PEOPLE; i++) {
			uint32_t mixed = (i * odd + odd) % N_PEOPLE;

			friends[i][k] = (mixed ^ mixed >> 11) * odd % N_PEOPLE;
		}
	}
}

static void load(void)
{
	PMU_REGION("load");
	write_text();
	make_friends();
	news[0][0] = 1;
	for (int i = 0; i < N_BODIES; i++) {
		x[i] = random_below(1000000) / 1e6;
		y[i] = random_below(1000000) / 1e6;
	}
}

/* --- words: branches that no predictor can foresee ------------------------------- */

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void words(int me)
{
	PMU_REGION("words");
	for (int i = me; i < N_LINES; i += N_THREADS) {
		PMU_REGION("line");
		for (char *rest = line[i]; rest;)
			word[me][n_words[me]++] = strsep(&rest, " ");
	}
	pmu_region_begin("sort");
	qsort(word[me], n_words[me], sizeof(*word[me]), by_text);
	pmu_region_end("sort");
}

static int check_words(void)
{
	uint32_t n = 0;

	for (int t = 0; t < N_THREADS; n += n_words[t++])
		for (uint32_t i = 1; i < n_words[t]; i++)
			if (by_text(&word[t][i - 1], &word[t][i]) > 0)
				return -1;
	printf("words   %u in %d lines, sorted from \"%s\" to \"%s\"\n", n, N_LINES, word[0][0],
	       word[0][n_words[0] - 1]);
	return n == n_written ? 0 : -1;
}

/* --- spread: far more memory than cache, read in no order ------------------------ */

static void spread(int me)
{
	uint32_t n = N_PEOPLE / N_THREADS, first = (uint32_t)me * n;

	PMU_REGION("spread");
	for (int round = 0; round < N_ROUNDS; round++) {
		const double *before = news[round & 1];
		double *after = news[~round & 1];

		pmu_region_begin("round");
		for (uint32_t i = first; i < first + n; i++) {
			double sum = before[i];

			for (int k = 0; k < N_FRIENDS; k++)
				sum += before[friends[i][k]];
			after[i] = sum / (N_FRIENDS + 1);
		}
		pmu_region_end("round");
		wait_for_all();
	}
}

/* Passing the news on makes it neither more nor less. */
static int check_spread(void)
{
	const double *heard = news[N_ROUNDS & 1];
	uint32_t n_heard = 0;
	double sum = 0;

	for (uint32_t i = 0; i < N_PEOPLE; i++) {
		n_heard += heard[i] > 0;
		sum += heard[i];
	}
	printf("spread  %u of %u people have heard the news, %.9f of it in all\n", n_heard,
	       N_PEOPLE, sum);
	return fabs(sum - 1) < 1e-9 ? 0 : -1;
}

/* --- bodies: arithmetic, all of it in the cache ---------------------------------- */

static void attract(int i)
{
	double x_pull = 0, y_pull = 0;

	PMU_REGION("attract");
	for (int j = 0; j < N_BODIES; j++) {
		double dx = x[j] - x[i], dy = y[j] - y[i];
		double square = dx * dx + dy * dy + 0.001;
		double pull = 1e-6 / (square * sqrt(square));

		x_pull += pull * dx;
		y_pull += pull * dy;
	}
	x_speed[i] += x_pull;
	y_speed[i] += y_pull;
}

static void bodies(int me)
{
	PMU_REGION("bodies");
	for (int step = 0; step < N_STEPS; step++) {
		for (int i = me; i < N_BODIES; i += N_THREADS)
			attract(i);
		wait_for_all();
		for (int i = me; i < N_BODIES; i += N_THREADS) {
			x[i] += x_speed[i];
			y[i] += y_speed[i];
		}
		wait_for_all();
	}
}

/* Each pulls the others as they pull it: all movements add up to nothing. */
static int check_bodies(void)
{
	double sum = 0;

	for (int i = 0; i < N_BODIES; i++)
		sum += x_speed[i] + y_speed[i];
	printf("bodies  %d attracted each other for %d steps, and moved by %.9f in all\n", N_BODIES,
	       N_STEPS, fabs(sum));
	return fabs(sum) < 1e-9 ? 0 : -1;
}

static void *work(void *number)
{
	int me = (int)(intptr_t)number;

	words(me);
	spread(me);
	bodies(me);
	return NULL;
}

int main(void)
{
	pthread_t other;
	int wrong;

	load();
	if (pthread_barrier_init(&barrier, NULL, N_THREADS) ||
	    pthread_create(&other, NULL, work, (void *)(intptr_t)1)) {
		fputs("demo: cannot start a second thread\n", stderr);
		return 1;
	}
	work((void *)(intptr_t)0);
	pthread_join(other, NULL);
	pmu_region_begin("check");
	wrong = check_words() | check_spread() | check_bodies();
	pmu_region_end("check");
	if (wrong)
		fputs("demo: a result is wrong\n", stderr);
	return wrong ? 1 : 0; /* the report follows by itself */
}
