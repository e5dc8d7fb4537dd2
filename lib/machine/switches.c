/* SPDX-License-Identifier: BSD-3-Clause */
/* Has the calling thread been off its processor?  Where the word is, and whether it can be trusted. */
#include "machine/switches.h"

#include <dlfcn.h>
#include <stddef.h>
#include <time.h>

/* linux/rseq.h; the members from 4.18 on */
struct area {
	uint32_t cpu_id_start;
	int32_t cpu_id; /* negative: not registered */
	uint64_t section;
};

/* Of glibc, sysdeps/unix/sysv/linux/ARCH/bits/rseq.h: what it has registered areas with. */
#if defined(__x86_64__)
#define SIGNATURE 0x53053053u
#elif defined(__aarch64__)
#define SIGNATURE 0xd428bc00u
#else
#define SIGNATURE 0u /* not known: no word is used */
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

static uint64_t *word_at(const ptrdiff_t *offset)
{
	struct area *area;

	if (!offset)
		return NULL;
	area = (struct area *)(void *)(thread_pointer() + *offset);
	return __atomic_load_n(&area->cpu_id, __ATOMIC_RELAXED) < 0 ? NULL : &area->section;
}

/*
 * Kernels may come to do without clearing it where a system call is what a thread is switched off in
 * (no section may have one), and simulators without all of it: a sleep tells.
 */
static bool is_cleared(uint64_t *word, const struct pmu_switch_mark *mark)
{
	const struct timespec shortest = { .tv_nsec = 1 };
	bool cleared;

	pmu_switch_watch(word, mark);
	nanosleep(&shortest, NULL);
	cleared = !__atomic_load_n(word, __ATOMIC_RELAXED);
	pmu_switch_forget(word, mark);
	return cleared;
}

uint64_t *pmu_switch_word(const struct pmu_switch_mark *mark)
{
	static enum { NOT_LOOKED, NOT_TRIED, TOLD, NOT_TOLD } state;
	static const ptrdiff_t *offset;
	uint64_t *word;

	if (state == NOT_LOOKED) {
		offset = find_offset();
		state = NOT_TRIED;
	}
	word = word_at(offset);
	if (word && state == NOT_TRIED)
		state = is_cleared(word, mark) ? TOLD : NOT_TOLD;
	return state == TOLD ? word : NULL;
}
