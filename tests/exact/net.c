/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Regions that do exactly as many instructions as this program says, in every way that regions can
 * be used, with names of all lengths wherever they can lie: its report, which has the library's own
 * work taken out, must say the same.
 *
 *   net [THREADS [SEED]]    each thread does all of it; SEED is for what is chosen at random
 *
 * For machines that have exact counters and take a cycle for each instruction.
 */
#include <pmu.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

#include "net.h"
#include "steps.h"
#include "tap.h"

#define REPEATS     30
#define MAX_THREADS 4
#define MAX_LENGTH  1000
#define LINE        64 /* of a cache */

/* --- a thread --- */

/* Names lie in two pages; the page behind them cannot be read. */
#define N_PLACES 160

struct worker {
	pthread_t id;
	char own[16];
	uint64_t random;
	char *places;
	size_t page;
	unsigned int n_laid; /* names that lie there until steps are gone */
	struct steps_book book;
};

static __thread struct worker *self;

static void begin(const char *name)
{
	steps_begin(&self->book, name);
}

static void end(const char *name)
{
	steps_end(&self->book, name);
}

static void turns(uint64_t n)
{
	steps_work(&self->book, &steps_kernel[0], n);
}

static void go(void)
{
	steps_go(&self->book);
	steps_forget_names(&self->book);
	self->n_laid = 0;
}

static unsigned int any(unsigned int n)
{
	self->random ^= self->random << 13;
	self->random ^= self->random >> 7;
	self->random ^= self->random << 17;
	return (unsigned int)(self->random >> 16) % n;
}

static bool open_places(struct worker *worker)
{
	worker->page = (size_t)sysconf(_SC_PAGESIZE);
	worker->places = mmap(NULL, 3 * N_PLACES * worker->page, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (worker->places == MAP_FAILED)
		return false;
	for (size_t i = 0; i < N_PLACES; i++)
		if (mprotect(worker->places + (3 * i + 2) * worker->page, worker->page, PROT_NONE))
			return false;
	return true;
}

/* --- where names lie --- */

/* A copy @at bytes behind the start of two pages of its own. */
static const char *lay(const char *text, size_t at)
{
	if (self->n_laid == N_PLACES)
		abort();
	return strcpy(self->places + 3 * self->page * self->n_laid++ + at, text);
}

/* The last byte that may be read is @behind bytes behind its end. */
static const char *lay_at_end(const char *text, size_t behind)
{
	return lay(text, 2 * self->page - strlen(text) - 1 - behind);
}

/* @in bytes of it are in the first page. */
static const char *lay_across(const char *text, size_t in)
{
	return lay(text, self->page - in);
}

static const char *lay_anywhere(const char *text)
{
	return lay(text, any((unsigned int)(2 * self->page - strlen(text))));
}

/* One text for each length. */
static const char *of_length(size_t length)
{
	static __thread char text[MAX_LENGTH + 1];

	for (size_t i = 0; i < length; i++)
		text[i] = "LengthsOfNames_0123456789"[(i * 7 + length) % 25];
	text[0] = 'L';
	text[length] = '\0';
	return text;
}

/* --- what regions are for --- */

static void flat(void)
{
	static const uint64_t n[] = { 1, 2, 3, 10, 100, 1000, 10000, 100000 };
	static const char *const name[] = { "flat 1",   "flat 2",    "flat 3",     "flat 10",
					    "flat 100", "flat 1000", "flat 10000", "flat 100000" };

	for (int i = 0; i < 8; i++) {
		begin(name[i]);
		turns(n[i]);
		end(name[i]);
		go();
	}
	begin("empty");
	end("empty");
	go();
}

static void nested(void)
{
	begin("one");
	turns(10);
	begin("two");
	turns(20);
	begin("three");
	turns(30);
	end("three");
	turns(40);
	begin("three");
	end("three");
	end("two");
	begin("two");
	turns(7);
	end("two");
	turns(50);
	end("one");
	go();
}

static void recursive(void)
{
	begin("again");
	turns(5);
	begin("again");
	turns(6);
	begin("again");
	turns(7);
	end("again");
	end("again");
	begin("leaf");
	turns(3);
	end("leaf");
	turns(8);
	end("again");
	go();
	begin("this");
	turns(2);
	begin("that");
	turns(3);
	begin("this");
	turns(4);
	end("this");
	turns(5);
	end("that");
	turns(6);
	end("this");
	go();
	begin("around");
	begin("again");
	begin("again");
	turns(9);
	end("again");
	end("again");
	end("around");
	go();
}

static void overlapping(void)
{
	begin("left");
	turns(11);
	begin("right");
	turns(12);
	end("left");
	turns(13);
	end("right");
	go();
	begin("frame");
	begin("left");
	turns(11);
	begin("right");
	turns(12);
	end("left");
	turns(13);
	end("right");
	turns(2);
	end("frame");
	go();
}

/* What goes on while a region is detached is in that one, too, but for what the library does. */
static void beside(void)
{
	begin("frame");
	begin("left");
	turns(2);
	begin("right");
	turns(12);
	end("left");
	for (int i = 0; i < 3; i++) {
		begin("beside");
		turns(3);
		begin("deep");
		turns(2);
		begin("deep");
		end("deep");
		end("deep");
		end("beside");
	}
	end("right");
	begin("beside");
	turns(4);
	end("beside");
	begin("left");
	begin("right");
	begin("inside");
	turns(5);
	end("left");
	begin("deep");
	end("right");
	end("inside");
	end("deep");
	turns(6);
	end("frame");
	go();
}

static const char n31[] = "a name of one and thirty bytes!";
static const char n200[] =
	"a name of two hundred bytes, which is what people get who put a file, a line, a function and the "
	"types of all its arguments into the name of a region, as some tools do, xxxxxxxxxxxxxxxxxxxxxxxxxxx";

static void names(void)
{
	begin("names");
	begin("n");
	turns(4);
	end("n");
	begin(n31);
	turns(5);
	end(n31);
	begin(n200);
	turns(6);
	end(n200);
	end("names");
	go();
}

static void rotated(void)
{
	static const char *const name[] = { "north", "east", "south", "west" };

	begin("rotated");
	for (int i = 0; i < 40; i++) {
		begin(name[i % 4]);
		turns(3);
		end(name[i % 4]);
	}
	end("rotated");
	go();
}

/* The same memory with another text each time, and the same text in other memory. */
static void buffers(int round)
{
	static const char *const text[] = { "alpha", "a longer text, beta", "c" };
	const char *buffer = lay(text[round % 3], 8), *fresh = lay_anywhere("fresh");

	begin("buffers");
	begin(buffer);
	turns(3);
	end(buffer);
	begin(fresh);
	turns(4);
	end(fresh);
	end("buffers");
	go();
}

/* The checkpoint's own instructions are in none of the regions that go on. */
static void saved(void)
{
	begin("saved");
	turns(3);
	steps_call(&self->book, (void *)pmu_checkpoint, (const void *)PMU_NEXT_GOES_ON);
	turns(4);
	begin("part");
	turns(5);
	steps_call(&self->book, (void *)pmu_checkpoint, (const void *)PMU_NEXT_GOES_ON);
	turns(6);
	end("part");
	begin("other");
	turns(7);
	end("other");
	turns(8);
	end("saved");
	go();
}

static bool is_named(const struct steps_region *region, const char *name)
{
	const char *last = strrchr(region->path, '/');

	return !strcmp(last ? last + 1 : region->path, name);
}

/* What has been forgotten, and what the library did in it, is in nothing any more. */
static void forget(const char *name)
{
	go();
	if (pmu_region_reset(name))
		abort();
	for (int i = 0; i < self->book.n_regions; i++) {
		struct steps_region *region = &self->book.region[i];

		if (!is_named(region, name))
			continue;
		region->want = (struct steps_cost){ { 0 } };
		region->calls = 0;
	}
}

static void twice(void)
{
	begin("kept");
	turns(2);
	for (int i = 0; i < 5; i++) {
		begin("sub");
		turns(3);
		begin("sub sub");
		end("sub sub");
		end("sub");
	}
	end("kept");
}

static void afresh(void)
{
	twice();
	forget("kept");
	twice();
	twice();
	forget("sub");
	twice();
	go();
}

static char many_name[500][16];

static void name_many(void)
{
	for (int i = 0; i < 500; i++)
		snprintf(many_name[i], sizeof(many_name[i]), "region %d", i);
}

static void many(void)
{
	for (int round = 0; round < 3; round++) {
		begin("many");
		for (int i = 0; i < 500; i++) {
			begin(many_name[i]);
			turns(2);
			end(many_name[i]);
		}
		end("many");
		go();
	}
}

/* --- names of all lengths, everywhere --- */

static const size_t lengths[] = { 1,   2,   3,   4,   7,   8,   9,   15,  16,  17,
				  31,  32,  33,  47,  48,  63,  64,  65,  96,  127,
				  128, 129, 200, 255, 256, 257, 511, 512, 513, MAX_LENGTH };
#define N_LENGTHS (sizeof(lengths) / sizeof(*lengths))

static void once(const char *first, const char *second)
{
	begin(first);
	turns(3);
	end(second);
}

/* Begun and ended with the same text at two addresses, never twice at the same two in a row. */
static void at_all_offsets(size_t length)
{
	const char *text = of_length(length);

	for (size_t at = 0; at < LINE; at++)
		once(lay(text, at), lay(text, 2 * LINE - 1 - at));
	go();
}

static void at_ends_of_pages(size_t length)
{
	const char *text = of_length(length);

	for (size_t k = 0; k <= 33; k++)
		once(lay_at_end(text, k), lay_across(text, k < length ? k : length));
	for (size_t k = 0; k <= 4; k++)
		once(lay_across(text, length * k / 4), lay_at_end(text, 16 * k));
	go();
}

static void anywhere(void)
{
	for (int i = 0; i < 60; i++) {
		const char *text = of_length(1 + any(MAX_LENGTH));

		begin("anywhere");
		once(lay_anywhere(text), lay_anywhere(text));
		once(lay_anywhere(text), lay_anywhere(text));
		end("anywhere");
		go();
	}
}

/* The number of a level, and as many bytes more as make its length. */
static const char *of_level(unsigned int level)
{
	static const size_t length[] = { 1, 15, 16, 33, 64, 255, 400, 900 };
	static __thread char text[MAX_LENGTH + 1];

	memset(text, 'a' + (int)level, length[level]);
	text[length[level]] = '\0';
	return lay_anywhere(text);
}

/* Eight deep, by buffers that lie elsewhere each time. */
static void deep(void)
{
	for (unsigned int level = 0; level < 8; level++) {
		begin(of_level(level));
		turns(level + 1);
		once(lay_anywhere("beside"), "beside");
	}
	for (unsigned int level = 8; level-- > 0;) {
		turns(level);
		end(of_level(level));
	}
	go();
}

static void laid_recursive(void)
{
	static const char *const name[] = { "a function that calls itself", "f", "g" };

	for (int i = 0; i < 6; i++) {
		begin(i % 2 ? name[0] : lay_anywhere(name[0]));
		turns(5);
	}
	for (int i = 0; i < 6; i++)
		end(lay_anywhere(name[0]));
	for (int i = 0; i < 8; i++) {
		begin(lay_anywhere(name[1 + i % 2]));
		turns(4);
	}
	for (int i = 8; i-- > 0;)
		end(i % 3 ? lay_anywhere(name[1 + i % 2]) : name[1 + i % 2]);
	go();
}

static void laid_overlapping(void)
{
	const char *left = "the left one of two that overlap", *right = "the right one";

	begin(lay_anywhere(left));
	turns(11);
	begin(lay_anywhere(right));
	turns(12);
	end(lay_anywhere(left));
	turns(13);
	once(lay_anywhere("between"), "between");
	end(lay_anywhere(right));
	go();
}

static void everywhere(void)
{
	for (size_t i = 0; i < N_LENGTHS; i++) {
		at_all_offsets(lengths[i]);
		at_ends_of_pages(lengths[i]);
	}
	anywhere();
	for (int i = 0; i < 20; i++) {
		deep();
		laid_recursive();
		laid_overlapping();
	}
}

/* The same with lengths given, in regions that are not begun in any other way. */
static void sized(void)
{
	self->book.sized = true;
	begin("sized");
	once("sized flat", "sized flat");
	begin("sized one");
	turns(3);
	begin("sized two");
	turns(4);
	end("sized two");
	end("sized one");
	end("sized");
	go();
	self->book.sized = false;
}

static void sized_long_ways(void)
{
	self->book.sized = true;
	begin("sized left");
	turns(11);
	begin("sized right");
	turns(12);
	end("sized left");
	turns(13);
	end("sized right");
	go();
	begin("sized again");
	turns(5);
	begin("sized again");
	turns(6);
	end("sized again");
	end("sized again");
	go();
	self->book.sized = false;
}

/* --- all of it --- */

/* --- for another thread's regions --- */

/* Of a thread that has two regions open all the time. */
static pmu_context_t of_outer, of_inner;

static void enter(pmu_context_t context, const char *path)
{
	steps_enter(&self->book, context, path);
}

static void leave(void)
{
	steps_leave(&self->book);
}

static void task(uint64_t n)
{
	turns(n);
	begin("task");
	turns(n);
	begin("of it");
	turns(2);
	end("of it");
	end("task");
	turns(3);
}

static void work_for_others(void)
{
	enter(of_outer, "opener's");
	leave();
	enter(of_outer, "opener's");
	task(5);
	leave();
	go();
	/* not counted in the regions around */
	begin("frame");
	turns(3);
	enter(of_inner, "opener's/inner");
	task(7);
	leave();
	begin("deep");
	turns(4);
	enter(of_outer, "opener's");
	leave();
	turns(2);
	enter(of_outer, "opener's");
	task(6);
	leave();
	end("deep");
	end("frame");
	go();
}

static void work_within_work(void)
{
	begin("frame");
	enter(of_outer, "opener's");
	turns(3);
	enter(of_inner, "opener's/inner");
	turns(4);
	enter(of_outer, "opener's");
	task(2);
	leave();
	turns(5);
	leave();
	turns(6);
	leave();
	end("frame");
	go();
	/* the same one, or none: nothing changes */
	begin("frame");
	turns(2);
	enter(0, NULL);
	turns(3);
	leave();
	steps_get(&self->book);
	turns(4);
	end("frame");
	/* left off the fast path */
	begin("frame");
	turns(1);
	enter(of_outer, "opener's");
	turns(2);
	enter(0, NULL);
	leave();
	steps_call(&self->book, (void *)pmu_checkpoint, (const void *)PMU_NEXT_GOES_ON);
	turns(3);
	leave();
	turns(4);
	end("frame");
	enter(of_inner, "opener's/inner");
	begin("skips");
	enter(of_inner, NULL);
	turns(3);
	leave();
	steps_get(&self->book);
	end("skips");
	leave();
	go();
}

static void shapes(void)
{
	flat();
	nested();
	recursive();
	overlapping();
	beside();
	names();
	rotated();
	work_for_others();
	work_within_work();
}

/*
 * What is counted of a processor is a thread's alone once all of them have theirs: until its first
 * region a thread runs anywhere.
 */
static pthread_barrier_t all_pinned, are_open;

static void *work(void *arg)
{
	self = arg;
	begin(self->own);
	turns(1);
	end(self->own);
	go();
	pthread_barrier_wait(&all_pinned);
	pthread_barrier_wait(&are_open);
	usleep(200000); /* the opener, on one of these processors, sleeps by then */
	for (int i = 0; i < REPEATS; i++) {
		shapes();
		saved();
		buffers(i);
		sized();
		sized_long_ways();
		/* the same names both ways */
		self->book.sized = i % 3 == 2;
		shapes();
		self->book.sized = false;
	}
	everywhere();
	many();
	afresh();
	return NULL;
}

/*
 * All memory is there before threads start: on an emulated machine they hold each other up in the
 * kernel.
 */
static void prepare(struct worker *worker, int number, uint64_t seed)
{
	memset(worker, 0, sizeof(*worker));
	snprintf(worker->own, sizeof(worker->own), "thread %d", number);
	worker->random = seed + 1 + (uint64_t)number;
	if (!open_places(worker))
		abort();
}

static pthread_barrier_t are_done;

static void *hold_open(void *unused)
{
	(void)unused;
	pthread_barrier_wait(&all_pinned);
	pmu_region_begin("opener's");
	of_outer = pmu_context_get();
	pmu_region_begin("inner");
	of_inner = pmu_context_get();
	pthread_barrier_wait(&are_open);
	pthread_barrier_wait(&are_done);
	pmu_region_end("inner");
	pmu_region_end("opener's");
	return NULL;
}

int main(int argc, char **argv)
{
	static struct worker worker[MAX_THREADS];
	const struct steps_book *book[MAX_THREADS];
	int n = argc > 1 ? atoi(argv[1]) : 1;
	pthread_t opener;
	uint64_t seed = 0;

	if (n < 1 || n > MAX_THREADS)
		return 2;
	if (argc > 2)
		seed = strtoull(argv[2], NULL, 0);
	else if (getrandom(&seed, sizeof(seed), 0) < 0)
		return 2;
	diag("%d threads, seed %" PRIu64, n, seed);
	name_many();
	for (int i = 0; i < n; i++) {
		prepare(&worker[i], i, seed);
		book[i] = &worker[i].book;
	}
	if (pthread_barrier_init(&all_pinned, NULL, (unsigned int)n + 1) ||
	    pthread_barrier_init(&are_open, NULL, (unsigned int)n + 1) ||
	    pthread_barrier_init(&are_done, NULL, 2) ||
	    pthread_create(&opener, NULL, hold_open, NULL))
		return 2;
	for (int i = 1; i < n; i++)
		if (pthread_create(&worker[i].id, NULL, work, &worker[i]))
			return 2;
	work(&worker[0]);
	for (int i = 1; i < n; i++)
		pthread_join(worker[i].id, NULL);
	pthread_barrier_wait(&are_done);
	pthread_join(opener, NULL);
	net_judge(book, n);
	return done_testing();
}
