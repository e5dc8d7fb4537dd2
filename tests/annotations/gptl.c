/* SPDX-License-Identifier: BSD-3-Clause */
/* A program annotated for GPTL: by name, by handle, in threads, switched off and on. */
#include <gptl.h>
#include <pthread.h>
#include <stdio.h>

static void *work(void *data)
{
	static int handle;

	for (int i = 0; i < 10; i++) {
		GPTLstart_handle("work", &handle);
		GPTLstart("inner");
		GPTLstop("inner");
		GPTLstop_handle("work", &handle);
	}
	return data;
}

static void recurse(int depth)
{
	GPTLstart("recurse");
	if (depth)
		recurse(depth - 1);
	GPTLstop("recurse");
}

static void switched(void)
{
	GPTLstart("goes on");
	GPTLdisable();
	GPTLstop("goes on");
	GPTLstart("never");
	GPTLstop("never");
	GPTLenable();
	GPTLstart("again");
	GPTLstop("again");
}

int main(void)
{
	pthread_t thread[2];
	int wrong = 0, count = 0;
	double wall = -1;

	wrong |= GPTLsetoption(GPTLcpu, 1);
	wrong |= GPTLinitialize();
	wrong |= GPTLstart("total");
	for (int i = 0; i < 2; i++)
		if (pthread_create(&thread[i], NULL, work, NULL))
			return 1;
	for (int i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	recurse(3);
	switched();
	wrong |= GPTLstop("total");
	wrong |= GPTLget_count("recurse", 0, &count);
	wrong |= GPTLget_wallclock("total", 0, &wall);
	if (wrong || count != 4 || wall <= 0)
		printf("wrong: %d, %d calls, %g s\n", wrong, count, wall);
	wrong = GPTLpr(0) | GPTLfinalize();
	puts(wrong ? "wrong" : "done");
	return 0;
}
