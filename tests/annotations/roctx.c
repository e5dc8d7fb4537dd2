/* SPDX-License-Identifier: BSD-3-Clause */
/* A program with ROCTX: what its calls return is what it prints. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

int roctxRangePushA(const char *text);
int roctxRangePop(void);
uint64_t roctxRangeStartA(const char *text);
void roctxRangeStop(uint64_t range);
int roctxProfilerPause(uint64_t thread);
int roctxProfilerResume(uint64_t thread);
int roctxCalls(void);

static void *use(void *arg)
{
	int sum = 0;

	(void)arg;
	for (int i = 0; i < 40; i++) {
		uint64_t a, b;

		sum = sum * 3 + roctxRangePushA("pushed");
		sum = sum * 3 + roctxRangePushA("in it");
		sum = sum * 3 + roctxRangePop();
		sum = sum * 3 + roctxRangePop();
		if (arg)
			continue;
		a = roctxRangeStartA("range");
		b = roctxRangeStartA("other");
		printf("%d %d\n", (int)a, (int)b);
		roctxRangeStop(a);
		roctxRangeStop(b);
	}
	printf("%d %d\n", sum, roctxRangePop());
	return NULL;
}

int main(void)
{
	static char other;
	pthread_t thread;

	use(NULL);
	if (pthread_create(&thread, NULL, use, &other))
		return 1;
	pthread_join(thread, NULL);
	printf("%d\n", roctxProfilerPause(0));
	printf("%d\n", roctxRangePushA("paused"));
	printf("%d\n", roctxRangePop());
	printf("%d\n", roctxProfilerResume(0));
	roctxRangeStop(12345);
	printf("%d\n", roctxCalls());
	return 0;
}
