/* SPDX-License-Identifier: BSD-3-Clause */
/* The same work in regions of several tools, and by hand (-DNATIVE); with an argument only pairs, so many of one tool. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "work.h"

void Tau_start(const char *name), Tau_stop(const char *name);
int GPTLstart(const char *name), GPTLstop(const char *name);
void cali_begin_region(const char *name), cali_end_region(const char *name);
void SCOREP_User_RegionByNameBegin(const char *, uint32_t, const char *, uint32_t);
void SCOREP_User_RegionByNameEnd(const char *);

static void (*kokkos_begin)(const char *name, uint32_t device, uint64_t *id);
static void (*kokkos_end)(uint64_t id);

static void find_kokkos(void)
{
	const char *name = getenv("KOKKOS_TOOLS_LIBS");
	void *tool = name ? dlopen(name, RTLD_NOW | RTLD_GLOBAL) : NULL;
	void (*init)(int, uint64_t, uint32_t, void *);

	if (!tool)
		return;
	init = (__typeof__(init))dlsym(tool, "kokkosp_init_library");
	kokkos_begin = (__typeof__(kokkos_begin))dlsym(tool, "kokkosp_begin_parallel_for");
	kokkos_end = (__typeof__(kokkos_end))dlsym(tool, "kokkosp_end_parallel_for");
	init(0, 20211015, 0, NULL);
}

static uint64_t begin_kernel(const char *name)
{
	uint64_t id = 0;

	if (kokkos_begin)
		kokkos_begin(name, 1, &id);
	return id;
}

static void end_kernel(uint64_t id)
{
	if (kokkos_end)
		kokkos_end(id);
}

#define SCOREP(name) SCOREP_User_RegionByNameBegin(name, 0, __FILE__, __LINE__)

int main(int argc, char **argv)
{
	const char *only = argc > 2 ? argv[1] : "";
	int pairs = argc > 2 ? atoi(argv[2]) : 0;
	uint64_t id;

	find_kokkos();
#define PAIRS(word, begin, end)                                  \
	for (int i = 0; i < pairs && !strcmp(only, word); i++) { \
		BEGIN("pair", begin);                            \
		END("pair", end);                                \
	}
	PAIRS("tau", Tau_start("pair"), Tau_stop("pair"))
	PAIRS("gptl", GPTLstart("pair"), GPTLstop("pair"))
	PAIRS("caliper", cali_begin_region("pair"), cali_end_region("pair"))
	PAIRS("scorep", SCOREP("pair"), SCOREP_User_RegionByNameEnd("pair"))
	PAIRS("kokkos", id = begin_kernel("pair"), end_kernel(id))
	for (int i = 0; i < 200 && !pairs; i++) {
		BEGIN("caliper's", cali_begin_region("caliper's"));
		work(100);
		BEGIN("tau's", Tau_start("tau's"));
		work(100);
		BEGIN("gptl's", GPTLstart("gptl's"));
		work(200);
		END("gptl's", GPTLstop("gptl's"));
		END("tau's", Tau_stop("tau's"));
		BEGIN("scorep's", SCOREP("scorep's"));
		work(300);
		END("scorep's", SCOREP_User_RegionByNameEnd("scorep's"));
		BEGIN("kokkos'", id = begin_kernel("kokkos'"));
		work(400);
		END("kokkos'", end_kernel(id));
		END("caliper's", cali_end_region("caliper's"));
	}
	puts("done");
	return 0;
}
