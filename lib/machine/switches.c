/* SPDX-License-Identifier: BSD-3-Clause */
/* Has the calling thread been off its processor?  Which word tells it, and whether it can be trusted. */
#include "machine/switches.h"

#include <dlfcn.h>
#include <linux/perf_event.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Of glibc, sysdeps/unix/sysv/linux/ARCH/bits/rseq.h: what it has registered areas with. */
#if defined(__x86_64__)
#define SIGNATURE 0x53053053u
#elif defined(__aarch64__)
#define SIGNATURE 0xd428bc00u
#else
#define SIGNATURE 0u /* not known: no area is used */
#endif

/* linux/rseq.h, which libcs need not have */
#define UNREGISTER     1
#define NOT_REGISTERED (-1)

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

void pmu_switch_mark_fill(struct pmu_switch_mark *mark)
{
	*mark = (struct pmu_switch_mark){
		.start_ip = (uintptr_t)&mark->nowhere[1],
		.post_commit_offset = 1,
		.abort_ip = (uintptr_t)&mark->nowhere[0],
		.signature = SIGNATURE,
	};
}
_Static_assert(offsetof(struct pmu_switch_mark, nowhere) ==
		       offsetof(struct pmu_switch_mark, signature) + sizeof(uint32_t),
	       "the signature is in front of where it would start over");

/* --- the area that libc has registered: glibc from 2.35 on --- */

/* What offsets of TLS are from. */
static char *thread_pointer(void)
{
	char *pointer = NULL;

#if defined(__x86_64__)
	__asm__("movq %%fs:0, %0" : "=r"(pointer));
#elif defined(__aarch64__)
	__asm__("mrs %0, tpidr_el0" : "=r"(pointer));
#endif
	return pointer;
}

/* Where libc has threads' areas, from the thread pointer on; NULL: it registers none. */
static const ptrdiff_t *find_offset(void)
{
	const unsigned int *size = dlsym(RTLD_DEFAULT, "__rseq_size");

	return SIGNATURE && size && *size ? dlsym(RTLD_DEFAULT, "__rseq_offset") : NULL;
}

static bool is_registered(const struct pmu_switch_area *area)
{
	return __atomic_load_n(&area->cpu_id, __ATOMIC_RELAXED) >= 0;
}

static uint64_t *take_libcs(struct pmu_switches *switches)
{
	static const ptrdiff_t *offset;
	static bool looked;
	struct pmu_switch_area *area;

	(void)switches;
	if (!looked)
		offset = find_offset();
	looked = true;
	if (!offset)
		return NULL;
	area = (struct pmu_switch_area *)(void *)(thread_pointer() + *offset);
	return is_registered(area) ? &area->section : NULL;
}

static bool is_area_told(const uint64_t *word)
{
	return is_registered(
		(const void *)((const char *)word - offsetof(struct pmu_switch_area, section)));
}

/* --- one of our own --- */

static long register_own(struct pmu_switch_area *own, int flags)
{
#ifdef SYS_rseq
	return syscall(SYS_rseq, own, sizeof(*own), flags, SIGNATURE);
#else
	return -1;
#endif
}

/* A thread has one area.  Whose libc leaves that to another library is to have it. */
static bool others_register(void)
{
	return dlsym(RTLD_DEFAULT, "__rseq_abi") ||
	       dlsym(RTLD_DEFAULT, "rseq_register_current_thread");
}

static uint64_t *take_own(struct pmu_switches *switches)
{
	static bool is_others;

	if (!SIGNATURE || is_others)
		return NULL;
	switches->own = (struct pmu_switch_area){ .cpu_id = NOT_REGISTERED };
	/* also where another library is linked into the program, which had its area first */
	is_others = others_register() || register_own(&switches->own, 0) != 0;
	return is_others ? NULL : &switches->own.section;
}

static void give_own_back(uint64_t *word)
{
	register_own((void *)((char *)word - offsetof(struct pmu_switch_area, section)),
		     UNREGISTER);
}

/* --- the page of an event --- */

/*
 * perf_event_open(2): a dummy event may be had wherever a thread may count its own work at user level.  The
 * page outlives the descriptor.  Its offset is the count that the kernel had when it began to count.
 */
static uint64_t *take_page(struct pmu_switches *switches)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	struct perf_event_mmap_page *page;

	(void)switches;
	if (fd < 0)
		return NULL;
	page = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	return page == MAP_FAILED ? NULL : (uint64_t *)&page->offset;
}

static void *page_of(uint64_t *word)
{
	return (char *)word - offsetof(struct perf_event_mmap_page, offset);
}

static void give_page_back(uint64_t *word)
{
	munmap(page_of(word), (size_t)sysconf(_SC_PAGESIZE));
}

static bool is_page_told(const uint64_t *word)
{
	(void)word;
	return true;
}

static bool fill(char *at, size_t size)
{
	void *got = mmap(at, size, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	/* there is something already, and the kernel is older than 4.17 */
	if (got != MAP_FAILED && got != at)
		munmap(got, size);
	return got == at;
}

/* What ran in the child before may have got some of the hole: the rest, then. */
void pmu_switches_fill(void *at, size_t size)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	if (fill(at, size))
		return;
	for (size_t from = 0; from < size; from += page)
		fill((char *)at + from, page);
}

static void shed_page(uint64_t *word)
{
	pmu_switches_fill(page_of(word), (size_t)sysconf(_SC_PAGESIZE));
}

/* --- which of them --- */

struct pmu_switch_way {
	uint64_t *(*take)(struct pmu_switches *switches);
	void (*give_back)(uint64_t *word); /* NULL: it was there */
	bool (*is_told)(const uint64_t *word);
	void (*shed)(uint64_t *word); /* NULL: nothing is to be done */
};

static const struct pmu_switch_way ways[] = {
	{ take_libcs, NULL, is_area_told, NULL },
	{ take_own, give_own_back, is_area_told, give_own_back },
	{ take_page, give_page_back, is_page_told, shed_page },
};
#define N_WAYS (sizeof(ways) / sizeof(ways[0]))

static long count_switches(void)
{
	struct rusage usage = { 0 };

	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_nvcsw + usage.ru_nivcsw;
}

/* A slow machine may come back from the shortest sleep without having switched. */
#define SHORTEST_NS 1
#define LONGEST_NS  1000000

/*
 * Kernels may do without clearing it where a system call is what a thread is switched off in (Linux 6.19:
 * no section may have one), and simulators without all of it: a sleep tells.
 */
static bool is_cleared(uint64_t *word, const struct pmu_switch_mark *mark)
{
	long before = count_switches();

	pmu_switch_watch(word, mark);
	for (long ns = SHORTEST_NS; ns <= LONGEST_NS; ns *= 10) {
		const struct timespec time = { .tv_nsec = ns };

		nanosleep(&time, NULL);
		if (count_switches() != before)
			break;
	}
	return !__atomic_load_n(word, __ATOMIC_RELAXED);
}

void pmu_switches_detach(struct pmu_switches *switches, const struct pmu_switch_mark *mark)
{
	if (!switches->word)
		return;
	pmu_switch_forget(switches->word, mark);
	if (switches->way->give_back)
		switches->way->give_back(switches->word);
	switches->word = NULL;
}

void pmu_switches_attach(struct pmu_switches *switches, const struct pmu_switch_mark *mark)
{
	static enum { NOT_TRIED, TOLD, NOT_TOLD } state[N_WAYS];

	switches->word = NULL;
	for (size_t i = 0; i < N_WAYS && !switches->word; i++) {
		if (state[i] != NOT_TOLD)
			switches->word = ways[i].take(switches);
		if (!switches->word)
			continue;
		switches->way = &ways[i];
		if (state[i] == NOT_TRIED)
			state[i] = is_cleared(switches->word, mark) ? TOLD : NOT_TOLD;
		if (state[i] == NOT_TOLD)
			pmu_switches_detach(switches, mark);
	}
}

bool pmu_switches_told(const struct pmu_switches *switches)
{
	return switches->word && switches->way->is_told(switches->word);
}

bool pmu_switches_to_shed(const struct pmu_switches *switches)
{
	return switches->word && switches->way->shed;
}

void pmu_switches_shed(const struct pmu_switches *switches)
{
	if (pmu_switches_to_shed(switches))
		switches->way->shed(switches->word);
}
