/* SPDX-License-Identifier: BSD-3-Clause */
/* A program with NVTX 3.  With -DNATIVE the same work with regions by hand. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "nvtx_object.h"
#include "work.h"

void in_library(void);

static handle domain, registered;

static struct attributes with(int type, const void *message)
{
	struct attributes what = { .version = 3, .size = sizeof(what), .message_type = type };

	what.message.registered = (void *)message;
	what.color = 0xFF00FF00;
	what.payload_type = 3;
	what.payload = 42;
	return what;
}

static struct attributes of_registered;

static void nest(void)
{
	for (int i = 0; i < 20; i++) {
		BEGIN("outer", PUSH("outer"));
		for (int k = 0; k < 5; k++) {
			BEGIN("inner", PUSH("inner"));
			work(20);
			END("inner", POP());
		}
		BEGIN("domain:registered", DOMAIN_PUSH(domain, &of_registered));
		work(30);
		END("domain:registered", DOMAIN_POP(domain));
		END("outer", POP());
	}
}

static int depths(void)
{
	int wrong = 0;

	wrong += PUSH("a") != 0;
	wrong += PUSH("b") != 1;
	wrong += DOMAIN_PUSH(domain, &of_registered) != 0;
	/* of the default domain, around the other's */
	wrong += POP() != 1;
	wrong += POP() != 0;
	wrong += POP() >= 0;
	wrong += DOMAIN_POP(domain) != 0;
	wrong += DOMAIN_POP(domain) >= 0;
	return wrong;
}

static int ranges(void)
{
	struct attributes what = with(1, "with attributes");
	uint64_t a = START("first"), b = START_WIDE(L"second"), c = START_EX(&what),
		 d = DOMAIN_START(domain, &what);
	int wrong = !a || !b || !c || !d || a == b || b == c || c == d;

	STOP(a);
	DOMAIN_STOP(domain, d);
	STOP(c);
	STOP(b);
	STOP(b);
	STOP(0);
	STOP(~0ull);
	return wrong;
}

static void texts(void)
{
	struct attributes what = with(2, L"wide \u00e4\u4e2d\U0001F600"), none = with(0, NULL);
	struct attributes old = { .version = 1, .size = 8 };
	char buffer[16];

	PUSH_EX(&what);
	POP();
	PUSH_EX(&none);
	POP();
	PUSH_EX(&old);
	POP();
	PUSH_EX(NULL);
	POP();
	PUSH(NULL);
	POP();
	PUSH_WIDE(L"plain");
	POP();
	for (int i = 0; i < 6; i++) {
		snprintf(buffer, sizeof(buffer), "buffer %d", i % 3);
		PUSH(buffer);
		POP();
	}
	what = with(1, "categorized");
	what.category = 7;
	CATEGORY(7, "seven");
	DOMAIN_CATEGORY(domain, 7, "seven of domain");
	PUSH_EX(&what);
	POP();
	DOMAIN_PUSH(domain, &what);
	DOMAIN_POP(domain);
	what.category = 8;
	DOMAIN_PUSH(domain, &what);
	DOMAIN_POP(domain);
}

static void *thread(void *arg)
{
	(void)arg;
	for (int i = 0; i < 100; i++) {
		PUSH("shared");
		DOMAIN_PUSH(domain, &of_registered);
		work(3);
		POP();
		DOMAIN_POP(domain);
	}
	return NULL;
}

static int annotate(void)
{
	pthread_t threads[3];
	int wrong = 0;

	if (sync_functions[1] || core[1] || core[14])
		wrong++, puts("a function is there that does nothing");
	if (DOMAIN_CREATE_WIDE(L"domain") != domain ||
	    REGISTER_WIDE(domain, L"registered") != registered)
		wrong++, puts("equal names have different handles");
	wrong += depths() + ranges();
	texts();
	in_library();
	for (int i = 0; i < 3; i++)
		if (pthread_create(&threads[i], NULL, thread, NULL))
			wrong++;
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	return wrong;
}

int main(void)
{
	int wrong = 0;

#ifndef NATIVE
	if (!nvtx_open()) {
		puts("no tool");
		return 0;
	}
	domain = DOMAIN_CREATE("domain");
	registered = REGISTER(domain, "registered");
	of_registered = with(3, registered);
#endif
	nest();
	if (!getenv("TEST_ONE_THREAD"))
		wrong = annotate();
	printf("%lu, %d wrong\n", worked, wrong);
	return wrong != 0;
}
