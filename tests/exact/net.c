/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Regions that do exactly as many instructions as this program says, in every way that regions can
 * be used: the report, which has the library's own work taken out, must say the same.
 *
 *   net FILE    gets a line for each region: what it did, and its path
 */
#include <pmu.h>

#include "steps.h"
#include "tap.h"

#define REPEATS 100

static struct steps_book book;

static void begin(const char *name)
{
	steps_begin(&book, name);
}

static void end(const char *name)
{
	steps_end(&book, name);
}

static void turns(uint64_t n)
{
	steps_work(&book, &steps_kernel[0], n);
}

static void go(void)
{
	steps_go(&book);
}

/* --- the cases --- */

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

/* What goes on while a region is set aside is in that one, too, but for what the library does. */
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
	static char buffer[64], fresh[REPEATS][16];
	static const char *const text[] = { "alpha", "a longer text, beta", "c" };

	strcpy(buffer, text[round % 3]);
	begin("buffers");
	begin(buffer);
	turns(3);
	end(buffer);
	strcpy(fresh[round], "fresh");
	begin(fresh[round]);
	turns(4);
	end(fresh[round]);
	end("buffers");
	go();
	steps_forget_names(&book);
}

/* What it does itself is in none of the regions that go on. */
static void saved(void)
{
	begin("saved");
	turns(3);
	steps_call(&book, (void *)pmu_checkpoint, (const void *)PMU_NEXT_GOES_ON);
	turns(4);
	begin("part");
	turns(5);
	steps_call(&book, (void *)pmu_checkpoint, (const void *)PMU_NEXT_GOES_ON);
	turns(6);
	end("part");
	begin("other");
	turns(7);
	end("other");
	turns(8);
	end("saved");
	go();
}

/* What has been forgotten, and what the library did in it, is in nothing any more. */
static void forget(const char *name)
{
	go();
	is_int(pmu_region_reset(name), 0, "it is set to zero");
	for (int i = 0; i < book.n_regions; i++)
		if (book.region[i].name && !strcmp(book.region[i].name, name))
			book.region[i].want = (struct steps_cost){ { 0 } };
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

static void many(void)
{
	static char name[500][16];

	for (int i = 0; i < 500; i++)
		snprintf(name[i], sizeof(name[i]), "region %d", i);
	for (int round = 0; round < 3; round++) {
		begin("many");
		for (int i = 0; i < 500; i++) {
			begin(name[i]);
			turns(2);
			end(name[i]);
		}
		end("many");
		go();
	}
}

static int write_wants(const char *path)
{
	FILE *file = fopen(path, "w");

	if (!file)
		return -1;
	for (int i = 0; i < book.n_regions; i++)
		fprintf(file, "%" PRIu64 " %s\n", book.region[i].want.of[STEPS_INSTRUCTIONS],
			book.region[i].path);
	return fclose(file);
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	for (int i = 0; i < REPEATS; i++) {
		flat();
		nested();
		recursive();
		overlapping();
		beside();
		names();
		rotated();
		saved();
		buffers(i);
	}
	many();
	afresh();
	is_int(write_wants(argv[1]), 0, "what each region did is written down");
	return done_testing();
}
