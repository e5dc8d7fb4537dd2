/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The same work in regions by hand and in those of other libraries' calls, one way in each program: -DHAND, -DPAPI and so on.
 * Argument: how often.
 */
#include <stdint.h>
#include <stdlib.h>

#define PLAIN __attribute__((noinline, no_instrument_function)) static

#if defined(HAND)
#include <pmu.h>
#define BEGIN(name) pmu_region_begin(name)
#define END(name)   pmu_region_end(name)
#elif defined(LIKWID_HEADER)
#define LIKWID_PERFMON
#include <likwid-marker.h>
#define START       LIKWID_MARKER_INIT
#define BEGIN(name) LIKWID_MARKER_START(name)
#define END(name)   LIKWID_MARKER_STOP(name)
#elif defined(PAPI)
int PAPI_hl_region_begin(const char *name), PAPI_hl_region_end(const char *name);
#define BEGIN(name) PAPI_hl_region_begin(name)
#define END(name)   PAPI_hl_region_end(name)
#elif defined(LIKWID)
void likwid_markerInit(void);
int likwid_markerStartRegion(const char *name), likwid_markerStopRegion(const char *name);
#define START       likwid_markerInit()
#define BEGIN(name) likwid_markerStartRegion(name)
#define END(name)   likwid_markerStopRegion(name)
#elif defined(CALIPER)
void cali_begin_region(const char *name), cali_end_region(const char *name);
#define BEGIN(name) cali_begin_region(name)
#define END(name)   cali_end_region(name)
#elif defined(CALIPER_CLASS)
/* cali::Caliper::begin() and end(): of an attribute, a value's type and size, and its text */
struct attribute {
	const char *node;
};
struct variant {
	uint64_t type_and_size;
	const char *text;
};
void _ZN4cali7Caliper5beginERKNS_9AttributeERKNS_7VariantE(void *, const struct attribute *,
							   const struct variant *);
void _ZN4cali7Caliper3endERKNS_9AttributeE(void *, const struct attribute *);
static const struct attribute region = { "region" };
#define BEGIN(name)                                                                           \
	{                                                                                     \
		static const struct variant value = { 4 | (uint64_t)(sizeof(name) - 1) << 32, \
						      name };                                 \
		_ZN4cali7Caliper5beginERKNS_9AttributeERKNS_7VariantE(NULL, &region, &value); \
	}
#define END(name) _ZN4cali7Caliper3endERKNS_9AttributeE(NULL, &region)
#elif defined(TAU)
void Tau_start(const char *name), Tau_stop(const char *name);
#define BEGIN(name) Tau_start(name)
#define END(name)   Tau_stop(name)
#elif defined(NVTX)
#include <dlfcn.h>
/* What nvToolsExt.h keeps of a tool's functions: its first module's, of which these are the places. */
enum { PLACES = 16, PUSH_A = 9, POP = 11 };
static void *functions[PLACES], **places[PLACES];

static int module_functions(int module, void ****found, unsigned int *n)
{
	for (int i = 0; i < PLACES; i++)
		places[i] = &functions[i];
	*found = places;
	*n = PLACES;
	return module == 1;
}

static const struct {
	size_t size;
	int (*functions)(int module, void ****found, unsigned int *n);
} callbacks = { sizeof(callbacks), module_functions };

static const void *exports(uint32_t id)
{
	return id == 1 ? &callbacks : NULL;
}

static void start(void)
{
	void *tool = dlopen(getenv("NVTX_INJECTION64_PATH"), RTLD_NOW);
	int (*init)(const void *(*exports)(uint32_t id));

	init = tool ? (__typeof__(init))dlsym(tool, "InitializeInjectionNvtx2") : NULL;
	if (!init || !init(exports))
		exit(1);
}
#define START       start()
#define BEGIN(name) ((int (*)(const char *))functions[PUSH_A])(name)
#define END(name)   ((int (*)(void))functions[POP])()
#elif defined(FUNCTIONS)
#define BEGIN(name) (void)0
#define END(name)   (void)0
#undef PLAIN
#define PLAIN __attribute__((noinline)) static
#endif
#ifndef START
#define START (void)0
#endif

#define WORK(n)                                                      \
	__asm__ volatile("mov $" #n ", %%ecx\n1:	dec %%ecx\n	jnz 1b" \
			 :                                           \
			 :                                           \
			 : "ecx", "cc", "memory")

#define REGION(name, ...)     \
	PLAIN void name(void) \
	{                     \
		BEGIN(#name); \
		__VA_ARGS__;  \
		END(#name);   \
	}
REGION(shorter, WORK(10))
REGION(longer, WORK(500))
REGION(five, shorter(), shorter(), shorter(), shorter(), shorter())
REGION(ten, shorter(), shorter(), shorter(), shorter(), shorter(), shorter(), shorter(), shorter(),
       shorter(), shorter())

__attribute__((no_instrument_function)) int main(int argc, char **argv)
{
	START;
	for (int i = argc > 1 ? atoi(argv[1]) : 1; i > 0; i--) {
		longer();
		five();
		ten();
	}
	return 0;
}
