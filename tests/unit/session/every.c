/* SPDX-License-Identifier: BSD-3-Clause */
/* Rules of PMU_EVERY, and which of them a region's name suits. */
#include "session/every.h"

#include <string.h>

#include "base/error.h"
#include "tests/tap.h"

static struct pmu_every_rules rules;

static void says(const char *text, const char *name, unsigned int one_in)
{
	int rc = pmu_every_parse(text, &rules);

	ok(rc == 0 && pmu_every_one_in(&rules, name) == one_in, "%s: of %s one in %u", text, name,
	   one_in);
}

static void refuses(const char *text, const char *words)
{
	int rc = pmu_every_parse(text, &rules);

	ok(rc < 0 && rules.n == 0 && strstr(pmu_error_text(), words), "\"%s\" is refused: %s", text,
	   words);
}

static void suits(void)
{
	says("kernel:10", "kernel", 10);
	says("kernel:10", "kernels", 1);
	says("kernel:10", "kerne", 1);
	says("kernel:10,*:3", "other", 3);
	says("kernel:10,*:3", "kernel", 10);
	says("*:3,kernel:10", "kernel", 3);
	says("kernel:10, *:3", "other", 3);
	says("solve*:7", "solve", 7);
	says("solve*:7", "solver", 7);
	says("*solve:7", "resolve", 7);
	says("*solve:7", "resolve it", 1);
	says("*a*b*:7", "xaxxabx", 7);
	says("*a*b*:7", "xbxxa", 1);
	says("*ab:7", "aab", 7);
	says("a::b:5", "a::b", 5);
	says("a::b:5", "a", 1);
	says("**:2", "", 2);
	says("x:1000000", "x", 1000000);
	says("", "x", 1);
	says(" ", "x", 1);
	says("x:2,", "x", 2);
	says(" x:2, ", "x", 2);
}

static void says_what_it_does(void)
{
	char text[80];

	pmu_every_parse("kernel:10,solve*:100,*:2", &rules);
	pmu_every_text(&rules, text, sizeof(text));
	is_str(text, "of kernel one call in 10 was measured, of solve* one in 100, of * one in 2",
	       "rules in words");
	pmu_every_text(&rules, text, 40);
	is_str(text, "of kernel one call in 10 was measured, ", "as many as there is room for");
	rules.n = 0;
	pmu_every_text(&rules, text, sizeof(text));
	is_str(text, "", "none");
}

static void refuses_the_rest(void)
{
	char long_name[200], many[400] = "";

	refuses("kernel", "PMU_EVERY=kernel: say a region");
	refuses("kernel:", "from 1 to");
	refuses("kernel:0", "from 1 to");
	refuses("kernel:1000001", "from 1 to");
	refuses("kernel:-1", "from 1 to");
	refuses("kernel:1x", "from 1 to");
	refuses("kernel:99999999999999999999", "from 1 to");
	refuses(":10", "from 1 to");
	refuses("a:1,,b:2", "from 1 to");
	refuses("a:1,b", "PMU_EVERY=b:");
	memset(long_name, 'x', sizeof(long_name));
	memcpy(long_name + 128, ":2", 3);
	refuses(long_name, "from 1 to");
	for (int i = 0; i < PMU_EVERY_MAX_RULES + 1; i++)
		strcat(many, i ? ",a:2" : "a:2");
	refuses(many, "more than 32 rules");
}

int main(void)
{
	suits();
	says_what_it_does();
	refuses_the_rest();
	return done_testing();
}
