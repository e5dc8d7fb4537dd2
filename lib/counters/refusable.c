/* SPDX-License-Identifier: BSD-3-Clause */
/* Goes on behind instructions that the kernel has refused. */
#include "counters/refusable.h"

#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/compiler.h"
#include "base/systemcall.h"

#if defined(__x86_64__)
#define SIGNAL      SIGSEGV /* #GP */
#define LENGTH      2
#define AT(context) ((context)->uc_mcontext.gregs[REG_RIP])

/* Intel SDM vol. 2B: RDPMC is 0F 33. */
static bool reads_a_counter(uintptr_t at)
{
	const uint8_t *code = (const uint8_t *)at;

	return code[0] == 0x0f && code[1] == 0x33;
}
#elif defined(__aarch64__)
#define SIGNAL      SIGILL
#define LENGTH      4
#define AT(context) ((context)->uc_mcontext.pc)

/*
 * Arm ARM D24.5: mrs of PMCCNTR_EL0 (3, 3, c9, c13, 0), of PMEVCNTR<n>_EL0 (3, 3, c14, c8 to c11, 0
 * to 7).
 */
static bool reads_a_counter(uintptr_t at)
{
	uint32_t code = *(const uint32_t *)at;

	return (code & ~UINT32_C(0x1f)) == 0xd53b9d00 || (code & 0xfffffc00) == 0xd53be800;
}
#endif

static bool was_refused;

/*
 * One function for all threads, and what it gets on each, which the handler looks for: threads' own
 * memory is scarce in a library.
 */
static void (*on_refusal)(void *arg);

struct place {
	int tid; /* 0: free */
	void *arg;
};
#define PER_PAGE 255
struct page {
	struct page *older;
	struct place place[PER_PAGE];
};
_Static_assert(sizeof(struct page) <= 4096, "one page");
static struct page *newest; /* pages are only added */

static int raw_gettid(void)
{
	return (int)pmu_system_call2(SYS_gettid, 0, 0);
}

/* A place of @tid, a free one for 0, becomes @taker's.  Return: NULL where there is none. */
static struct place *find_taker(int tid, int taker)
{
	struct page *page = __atomic_load_n(&newest, __ATOMIC_ACQUIRE);

	for (; page; page = page->older)
		for (size_t i = 0; i < PER_PAGE; i++) {
			int of = tid;

			if (__atomic_load_n(&page->place[i].tid, __ATOMIC_RELAXED) == tid &&
			    __atomic_compare_exchange_n(&page->place[i].tid, &of, taker, false,
							__ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
				return &page->place[i];
		}
	return NULL;
}

static struct place *add_page(int tid)
{
	struct page *page = pmu_pages_alloc(sizeof(*page));

	if (!page)
		return NULL;
	page->place[0].tid = tid;
	page->older = __atomic_load_n(&newest, __ATOMIC_RELAXED);
	/* Pairs with the acquire in find_taker(). */
	while (!__atomic_compare_exchange_n(&newest, &page->older, page, false, __ATOMIC_RELEASE,
					    __ATOMIC_RELAXED))
		;
	return &page->place[0];
}

void pmu_refusable_watch(void (*refused)(void *arg), void *arg)
{
	int tid = raw_gettid();
	struct place *place = find_taker(tid, tid);

	if (!place && refused)
		place = find_taker(0, tid);
	if (!place && refused)
		place = add_page(tid);
	if (!place)
		return;
	if (refused)
		__atomic_store_n(&on_refusal, refused, __ATOMIC_RELAXED);
	pmu_compiler_barrier(); /* the handler is on this thread */
	place->arg = refused ? arg : NULL;
	pmu_compiler_barrier();
	if (!refused)
		__atomic_store_n(&place->tid, 0, __ATOMIC_RELEASE);
}

bool pmu_refusable_was(void)
{
	return __atomic_load_n(&was_refused, __ATOMIC_RELAXED);
}

#ifdef SIGNAL

static struct sigaction before;
static uintptr_t first, end; /* of this library's code */

static int find_code(struct dl_phdr_info *info, size_t size, void *in)
{
	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &info->dlpi_phdr[i];
		uintptr_t from = info->dlpi_addr + part->p_vaddr;

		if (part->p_type != PT_LOAD || (uintptr_t)in - from >= part->p_memsz)
			continue;
		first = from;
		end = from + part->p_memsz;
		return 1;
	}
	return 0;
}

static bool is_refusable(uintptr_t at)
{
	return at >= first && at < end && reads_a_counter(at);
}

/* What would have happened without us. */
static void pass_signal_on(int number, siginfo_t *info, void *context)
{
	if (before.sa_flags & SA_SIGINFO) {
		before.sa_sigaction(number, info, context);
	} else if (before.sa_handler == SIG_IGN && info->si_code <= 0) {
		return;
	} else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
		before.sa_handler(number);
	} else {
		/* The instruction is tried again; what was sent is sent again. */
		sigaction(number, &before, NULL);
		if (info->si_code <= 0)
			pmu_system_call4(SYS_tgkill, getpid(), pmu_system_call2(SYS_gettid, 0, 0),
					 number, 0);
	}
}

static void handle_refusal(int number, siginfo_t *info, void *context)
{
	ucontext_t *where = context;
	struct place *place;
	int tid = raw_gettid();

	if (info->si_code <= 0 || !is_refusable((uintptr_t)AT(where))) {
		pass_signal_on(number, info, context);
		return;
	}
	__atomic_store_n(&was_refused, true, __ATOMIC_RELAXED);
	place = find_taker(tid, tid);
	if (place && place->arg)
		__atomic_load_n(&on_refusal, __ATOMIC_RELAXED)(place->arg);
	AT(where) += LENGTH;
}

static void install(void)
{
	struct sigaction ours = { .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER | SA_RESTART };

	if (!dl_iterate_phdr(find_code, (void *)(uintptr_t)handle_refusal))
		return;
	ours.sa_sigaction = handle_refusal;
	sigemptyset(&ours.sa_mask);
	sigaction(SIGNAL, NULL, &before);
	sigaction(SIGNAL, &ours, NULL);
}

void pmu_refusable_guard(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, install);
}

#else

void pmu_refusable_guard(void)
{
}

#endif
