/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Regions in every way that they can be used, by hand or, with -DPAPI, by another library's calls: overlapping, entered again, begun
 * one way and ended the other, named in a buffer, missed.
 */
#include <pmu.h>
#include <string.h>

#ifdef PAPI
int PAPI_hl_region_begin(const char *name), PAPI_hl_region_end(const char *name);
#define BEGIN(name) PAPI_hl_region_begin(name)
#define END(name)   PAPI_hl_region_end(name)
#else
#define BEGIN(name) pmu_region_begin(name)
#define END(name)   pmu_region_end(name)
#endif

#define WORK(n)                                                      \
	__asm__ volatile("mov $" #n ", %%ecx\n1:	dec %%ecx\n	jnz 1b" \
			 :                                           \
			 :                                           \
			 : "ecx", "cc", "memory")
#define APART static __attribute__((noinline)) void

APART leaf(void)
{
	BEGIN("leaf");
	WORK(10);
	END("leaf");
}

APART overlapping(void)
{
	BEGIN("early");
	WORK(20);
	leaf();
	BEGIN("late");
	WORK(30);
	leaf();
	END("early");
	WORK(40);
	leaf();
	END("late");
}

APART recursive(int n)
{
	BEGIN("recursive");
	WORK(10);
	if (n)
		recursive(n - 1);
	leaf();
	END("recursive");
	WORK(3);
}

APART mutual(void)
{
	BEGIN("one");
	WORK(5);
	BEGIN("other");
	WORK(6);
	BEGIN("one");
	WORK(7);
	END("one");
	END("other");
	END("one");
}

APART by_hand_inside(void)
{
	BEGIN("around");
	WORK(10);
	pmu_region_begin("by hand");
	WORK(10);
	leaf();
	pmu_region_end("by hand");
	END("around");
}

APART half(void)
{
	BEGIN("begun");
	WORK(10);
	leaf();
	pmu_region_end("begun");
	pmu_region_begin("ended");
	WORK(10);
	leaf();
	END("ended");
}

APART buffer(int i)
{
	char text[] = "a text in a buffer, long enough: 0";

	__asm__ volatile("" : : "r"(text) : "memory");
	text[sizeof(text) - 2] = (char)('0' + i % 3);
	BEGIN(text);
	WORK(10);
	leaf();
	END(text);
}

APART missed(void)
{
	BEGIN("outer");
	WORK(5);
	BEGIN("inner");
	WORK(5);
	END("outer");
	BEGIN("inner");
	WORK(7);
	END("inner");
	END("never begun");
}

int main(void)
{
	for (int i = 0; i < 12; i++) {
		pmu_region_begin("top");
		overlapping();
		recursive(3);
		mutual();
		by_hand_inside();
		half();
		buffer(i);
		missed();
		pmu_region_end("top");
	}
	return 0;
}
