/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * This machine's PMU and the library over it: regions of work that is known to the instruction,
 * branch, load and store, without the library's own (net).  With TEST_KNOWN=exact, on a machine
 * with an exact PMU, every count must be met; elsewhere within what the makers promise:
 *
 *   x86    RDPMC does not wait for the instructions before it: Intel SDM vol. 2B, RDPMC, and
 *          vol. 3B, 20.3.1 ("counts ... may be imprecise").  So each of a call's two reads may be
 *          off by what a core has in flight, 512 on the widest ones.  An interrupt, exception or
 *          assist that comes in between adds one to what retires (Weaver, Terpstra and Moore,
 *          "Non-determinism and overcount on modern hardware performance counter implementations",
 *          2013).
 *   arm64  counts are of instructions that are architecturally executed, behind an ISB (Arm ARM,
 *          "Accuracy of the Performance Monitors": "reasonable degree of inaccuracy", none for one
 *          that is asked behind a context synchronization event).
 */
#include <pmu.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "tap.h"

#if (!defined(__x86_64__) && !defined(__aarch64__)) || !defined(__LP64__)
int main(void)
{
	return skip_all("no work of known length for this processor");
}
#else
#include "steps.h"

#define REPEATS      100
/* An interrupt every so many ns at most: timers, devices. */
#define INTERRUPT_NS 20000

static bool exact;

/* --- what this machine counts --- */

/* By name where the kernel's own name is that event on every model, else by the model's code. */
static const struct {
	enum steps_event event;
	const char *name;
} candidates[] = {
	{ STEPS_INSTRUCTIONS, "instructions" },
#if defined(__x86_64__)
	/* BR_INST_RETIRED.ALL_BRANCHES; AMD: EX_RET_BRN */
	{ STEPS_BRANCHES, "branches" },
	{ STEPS_LOADS, "MEM_INST_RETIRED.ALL_LOADS" }, /* since Skylake */
	{ STEPS_LOADS, "MEM_UOPS_RETIRED.ALL_LOADS" }, /* before */
	{ STEPS_STORES, "MEM_INST_RETIRED.ALL_STORES" },
	{ STEPS_STORES, "MEM_UOPS_RETIRED.ALL_STORES" },
#else
	/*
	 * Arm ARM, common events: the kernel's "branches" counts jumps that are taken on some
	 * models.
	 */
	{ STEPS_BRANCHES, "r21" }, /* BR_RETIRED */
	{ STEPS_LOADS, "r06" },    /* LD_RETIRED */
	{ STEPS_STORES, "r07" },   /* ST_RETIRED */
#endif
};

static int slot_of[STEPS_EVENTS]; /* -1: not counted here */
static char events[512];

/*
 * A kernel may open an event of which the processor knows nothing: the last one must count
 * something.
 */
static bool can_count(const char *list, int last)
{
	struct pmu_counters *counters;
	uint64_t value[STEPS_EVENTS + 1] = { 0 };
	uint32_t missing = ~0u;

	if (pmu_counters_open(list, PMU_SCOPE_THREAD, &counters) < 0)
		return false;
	pmu_counters_start(counters);
	steps_mixed(1000);
	pmu_counters_read(counters, value, STEPS_EVENTS + 1, &missing);
	pmu_counters_close(counters);
	return !(missing >> last & 1) && value[last] > 0;
}

/* As many of them as fit together. */
static void choose_events(void)
{
	static const char *const what[] = { "instructions", "branches", "loads", "stores" };
	char longer[512];
	int n = 0;

	for (int i = 0; i < STEPS_EVENTS; i++)
		slot_of[i] = -1;
	for (size_t i = 0; i < sizeof(candidates) / sizeof(*candidates); i++) {
		if (slot_of[candidates[i].event] >= 0)
			continue;
		snprintf(longer, sizeof(longer), "%.400s%s%s", events, n ? "," : "",
			 candidates[i].name);
		if (!can_count(longer, n)) {
			if (candidates[i].event == STEPS_INSTRUCTIONS)
				return;
			continue;
		}
		strcpy(events, longer);
		slot_of[candidates[i].event] = n++;
	}
	for (int i = 0; i < STEPS_EVENTS; i++)
		if (n && slot_of[i] < 0)
			diag("%s are not counted here", what[i]);
}

/* --- what a region may be off by --- */

static uint64_t slack(uint64_t calls, uint64_t time_ns)
{
#if defined(__x86_64__)
	uint64_t each = 2 * 512;
#else
	uint64_t each = 2;
#endif

	return exact ? 0 : calls * (each + 1) + time_ns / INTERRUPT_NS;
}

static bool is_within(uint64_t got, uint64_t want, uint64_t off)
{
	return got <= want + off && got + off >= want;
}

/* --- one region --- */

static int thread_number; /* the thread with the regions that are looked at */

static bool read_region(const char *path, struct pmu_region_counts *got)
{
	got->size = sizeof(*got);
	return pmu_region_read(path, thread_number, got) == 0;
}

static bool is_as_known(const struct steps_region *region)
{
	struct pmu_region_counts got = { 0 };
	bool right = read_region(region->path, &got) && got.calls == region->calls;

	if (!right) {
		diag("%s: %" PRIu64 " calls instead of %" PRIu64, region->path, got.calls,
		     region->calls);
		return false;
	}
	for (int event = 0; event < STEPS_EVENTS; event++) {
		int slot = slot_of[event];
		uint64_t want = region->want.of[event], off = slack(got.calls, got.time_ns);

		if (slot < 0)
			continue;
		if (!(got.missing >> slot & 1) && is_within(got.net[slot], want, off))
			continue;
		if (right)
			diag("%s: %s is %" PRIu64 " instead of %" PRIu64
			     ", which may be off by %" PRIu64 " (as read: %" PRIu64 ")",
			     region->path, pmu_count_name((unsigned int)slot), got.net[slot], want,
			     off, got.count[slot]);
		right = false;
	}
	return right;
}

/* @but: of an outermost one that has this program's own work in it, too; NULL */
static void is_known(const struct steps_book *book, const char *but, const char *what)
{
	int wrong = 0;

	for (int i = 0; i < book->n_regions && wrong < 10; i++)
		wrong += (!but || strcmp(book->region[i].path, but)) &&
			 !is_as_known(&book->region[i]);
	ok(book->n_regions > 0 && wrong == 0, "%s: what each of %d regions has done", what,
	   book->n_regions);
}

/* --- the cases --- */

/* Names are made once: what lies in memory that changes is another case. */
static const char *name_of(const char *what, const struct steps_kernel *kernel, uint64_t turns)
{
	char text[64];
	char *name;

	snprintf(text, sizeof(text), "%s, %s %" PRIu64, what, kernel->name, turns);
	name = strdup(text);
	if (!name)
		abort();
	return name;
}

/* The large ones are as exact, and take their time on an emulated machine. */
static int repeats(uint64_t turns)
{
	return turns <= 100000 ? REPEATS : turns <= 1000000 ? 10 : 2;
}

static void alone(struct steps_book *book, uint64_t most)
{
	for (size_t k = 0; k < STEPS_KERNELS; k++) {
		const struct steps_kernel *kernel = &steps_kernel[k];

		for (uint64_t turns = 0; turns <= most; turns = turns ? 10 * turns : 1) {
			const char *name = name_of("alone", kernel, turns);

			for (int i = 0; i < repeats(turns); i++) {
				steps_begin(book, name);
				steps_work(book, kernel, turns);
				steps_end(book, name);
				steps_go(book);
			}
		}
	}
}

static void three_deep(struct steps_book *book)
{
	for (int i = 0; i < REPEATS; i++) {
		for (size_t k = 0; k < STEPS_KERNELS; k++) {
			const struct steps_kernel *kernel = &steps_kernel[k];

			steps_begin(book, "outer");
			steps_work(book, kernel, 10);
			steps_begin(book, "middle");
			steps_work(book, kernel, 100);
			steps_begin(book, "inner");
			steps_work(book, kernel, 1000);
			steps_end(book, "inner");
			steps_work(book, kernel, 1);
			steps_end(book, "middle");
			steps_work(book, kernel, 0);
			steps_end(book, "outer");
			steps_go(book);
		}
	}
}

static void in_a_loop(struct steps_book *book)
{
	for (int i = 0; i < REPEATS; i++) {
		steps_begin(book, "loop");
		for (int turn = 0; turn < 100; turn++) {
			steps_begin(book, "turn");
			steps_work(book, &steps_kernel[(size_t)turn % STEPS_KERNELS],
				   (uint64_t)turn);
			steps_begin(book, "nothing");
			steps_end(book, "nothing");
			steps_end(book, "turn");
		}
		steps_end(book, "loop");
		steps_go(book);
	}
}

static struct steps_book *new_book(void)
{
	struct steps_book *book = (struct steps_book *)calloc(1, sizeof(*book));

	if (!book)
		abort();
	return book;
}

static void one_thread(void)
{
	struct steps_book *book = new_book();

	alone(book, 10000000);
	three_deep(book);
	in_a_loop(book);
	is_known(book, NULL, "alone, three deep, in a loop");
	free(book);
}

/* --- switches --- */

/* A thread that comes and goes at any moment, and takes the processor when it comes. */
static volatile bool done;

static void *interrupt_often(void *unused)
{
	struct sched_param param = { .sched_priority = 1 };
	struct timespec pause = { 0, 20000 };

	pthread_setschedparam(pthread_self(), SCHED_FIFO, &param);
	for (long i = 0; !done; i++) {
		pause.tv_nsec = 15000 + i * 7919 % 20011;
		nanosleep(&pause, NULL);
	}
	return unused;
}

static long switches(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_nivcsw;
}

static void between_switches(void)
{
	struct steps_book *book = new_book();
	long before = switches();
	pthread_t thread;

	done = false;
	if (pthread_create(&thread, NULL, interrupt_often, NULL))
		abort();
	steps_begin(book, "switched");
	steps_go(book);
	alone(book, 1000);
	three_deep(book);
	for (int i = 0; i < 10; i++)
		in_a_loop(book);
	steps_end(book, "switched");
	steps_go(book);
	done = true;
	pthread_join(thread, NULL);
	diag("%ld switches", switches() - before);
	ok(!exact || switches() - before > 1000, "something else runs in between, often");
	is_known(book, "switched", "between switches");
	free(book);
}

/* --- threads --- */

struct worker {
	pthread_t id;
	struct steps_book *book;
	long switches;
};

static pthread_barrier_t attached, all_there;

static void *work(void *arg)
{
	struct worker *self = (struct worker *)arg;

	pmu_thread_attach();
	pthread_barrier_wait(&attached);
	pthread_barrier_wait(&all_there);
	alone(self->book, 100000);
	three_deep(self->book);
	in_a_loop(self->book);
	self->switches = switches();
	return NULL;
}

/* On one processor they take turns in the middle of their regions. */
static void two_threads(void)
{
	struct worker worker[2];

	pthread_barrier_init(&attached, NULL, 2);
	pthread_barrier_init(&all_there, NULL, 3);
	for (int i = 0; i < 2; i++) {
		worker[i].book = new_book();
		if (pthread_create(&worker[i].id, NULL, work, &worker[i]))
			abort();
		pthread_barrier_wait(&attached); /* numbers are given in the order of arrival */
	}
	pthread_barrier_wait(&all_there);
	for (int i = 0; i < 2; i++) {
		pthread_join(worker[i].id, NULL);
		thread_number = 1 + i;
		is_known(worker[i].book, NULL,
			 i ? "the second of two threads" : "the first of two threads");
		diag("%ld switches", worker[i].switches);
		free(worker[i].book);
	}
	thread_number = 0;
}

/* --- signals --- */

/*
 * The handler runs steps of its own: from the kernel's jump to it, back to the instruction that was
 * interrupted.  That is what follows, the steps, and two of libc's or the vDSO's that go back to
 * the kernel.
 */
static struct step handler_steps[5] __attribute__((used));
__attribute__((visibility("hidden"))) void handler(int number);
__attribute__((visibility("hidden"))) void count_handler(const void *unused);
static uint64_t n_handled __attribute__((used));

#if defined(__x86_64__)
__asm__(".text\n"
	"handler:\n"
	"	lea	handler_steps(%rip), %rdi\n"
	"	jmp	steps_run\n"
	"count_handler:\n"
	"	incq	n_handled(%rip)\n"
	"	ret\n");
#define HANDLER_MORE  (2 + 2 + 8 + 2)
#define COUNT_HANDLER 2
#else
__asm__(".text\n"
	"handler:\n"
	"	adrp	x0, handler_steps\n"
	"	add	x0, x0, :lo12:handler_steps\n"
	"	b	steps_run\n"
	"count_handler:\n"
	"	adrp	x1, n_handled\n"
	"	ldr	x0, [x1, :lo12:n_handled]\n"
	"	add	x0, x0, #1\n"
	"	str	x0, [x1, :lo12:n_handled]\n"
	"	ret\n");
#define HANDLER_MORE  (3 + 4 + 6 + 2)
#define COUNT_HANDLER 5
#endif

#define IN_HANDLER 25 /* turns */

static uint64_t instructions_of(const struct steps_kernel *kernel, uint64_t turns)
{
	return steps_step.of[STEPS_INSTRUCTIONS] + kernel->call.of[STEPS_INSTRUCTIONS] +
	       turns * kernel->turn.of[STEPS_INSTRUCTIONS];
}

static uint64_t in_handler, around_handler; /* instructions of its region; of all it does */

static void prepare_handler(void)
{
	const uint64_t library = steps_library.of[STEPS_INSTRUCTIONS];

	handler_steps[0] = (struct step){ NULL, (void *)count_handler, 0 };
	handler_steps[1] = (struct step){ "handler", (void *)pmu_region_begin, 0 };
	handler_steps[2] = (struct step){ (const void *)IN_HANDLER, (void *)steps_kernel[3].run,
					  0 };
	handler_steps[3] = (struct step){ "handler", (void *)pmu_region_end, 0 };
	in_handler = library + instructions_of(&steps_kernel[3], IN_HANDLER);
	around_handler = HANDLER_MORE + steps_step.of[STEPS_INSTRUCTIONS] + COUNT_HANDLER +
			 library + in_handler;
}

static void set_timer(long us)
{
	struct itimerval timer = { { 0, us }, { 0, us } };

	setitimer(ITIMER_REAL, &timer, NULL);
}

/*
 * What one call has come to, all of it: calls and instructions of the region and of the handler's
 * in it.
 */
struct seen {
	uint64_t handled, refused, calls, own, handlers, of_handlers, time_ns;
};

static struct seen look(void)
{
	struct pmu_region_counts own = { 0 }, inside = { 0 }, deeper = { 0 },
				 all = { .size = sizeof(all) };
	int slot = slot_of[STEPS_INSTRUCTIONS];

	read_region("signalled", &own);
	read_region("signalled/handler", &inside);
	read_region("signalled/part/handler", &deeper);
	pmu_region_read("handler", PMU_THREAD_SELF, &all);
	return (struct seen){
		n_handled,     n_handled - all.calls,       own.calls,
		own.net[slot], inside.calls + deeper.calls, inside.net[slot] + deeper.net[slot],
		own.time_ns
	};
}

/*
 * One that comes while the library is at work is refused, which the report counts as a doubt; what
 * the handler and the refusal do then is a part of whatever they came into.
 */
static void under_signals(void)
{
	const struct steps_kernel *kernel = &steps_kernel[3];
	struct steps_book *book = new_book();
	int right = 0, refused = 0, wrong = 0;
	uint64_t handled = 0;
	sigset_t alarm;

	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	pthread_sigmask(SIG_BLOCK, &alarm, NULL);
	prepare_handler();
	sigaction(SIGALRM, &(struct sigaction){ .sa_handler = handler, .sa_flags = SA_RESTART },
		  NULL);
	set_timer(exact ? 97 : 1000);
	for (int i = 0; i < 3 * REPEATS; i++) {
		struct seen before = look(), after;
		uint64_t want, off;

		steps_begin(book, "signalled");
		for (int k = 0; k < 6; k++) {
			steps_work(book, kernel, 3000);
			steps_begin(book, "part");
			steps_work(book, kernel, 3);
			steps_end(book, "part");
		}
		steps_end(book, "signalled");
		want = book->region[0].want.of[STEPS_INSTRUCTIONS];
		pthread_sigmask(SIG_UNBLOCK, &alarm, NULL);
		steps_go(book);
		pthread_sigmask(SIG_BLOCK, &alarm, NULL);
		after = look();
		memset(book->region, 0, sizeof(book->region[0]) * 2);
		book->n_regions = 0;
		handled += after.handlers - before.handlers;
		if (after.refused != before.refused) {
			refused++;
			continue;
		}
		want += (after.handlers - before.handlers) * around_handler;
		off = slack(1 + after.handlers - before.handlers, after.time_ns - before.time_ns);
		if (after.calls - before.calls == 1 &&
		    is_within(after.own - before.own, want, off) &&
		    is_within(after.of_handlers - before.of_handlers,
			      (after.handlers - before.handlers) * in_handler, off)) {
			right++;
			continue;
		}
		if (wrong++ < 5)
			diag("call %d with %" PRIu64 " signals: %" PRIu64
			     " instructions instead of %" PRIu64 ", in the handlers %" PRIu64
			     " instead of %" PRIu64,
			     i, after.handlers - before.handlers, after.own - before.own, want,
			     after.of_handlers - before.of_handlers,
			     (after.handlers - before.handlers) * in_handler);
	}
	set_timer(0);
	diag("%" PRIu64 " signals in regions, %d of %d calls with one that was refused", handled,
	     refused, 3 * REPEATS);
	ok(handled > 100 || !exact, "signals come in the middle of regions");
	ok(right > REPEATS / 4 && wrong == 0,
	   "under signals: what a region and its handlers' have done");
	free(book);
}

/* --- the library's other calls --- */

/* Not to the instruction: a call's instructions before the part that all calls share. */
#define OTHER_CALL 60

static void other_calls(void)
{
	struct pmu_region_counts got = { .size = sizeof(got) };
	uint64_t off = slack(1, 0) + 4 * OTHER_CALL;
	int slot = slot_of[STEPS_INSTRUCTIONS];
	char *text = NULL;

	for (int i = 0; i < 2; i++) {
		pmu_region_begin("calls");
		pmu_note("a note");
		pmu_region_read("outer", 0, &got);
		pmu_report_text("json", &text);
		pmu_region_reset("inner");
		pmu_region_end("calls");
		free(text);
	}
	is_int(pmu_region_read("calls", PMU_THREAD_SELF, &got), 0,
	       "calls of other kinds in a region");
	if (!ok(got.net[slot] <= 2 * off, "count next to nothing there: %" PRIu64 " instructions",
		got.net[slot]))
		diag("as read: %" PRIu64, got.count[slot]);
}

static void stay_on_one_cpu(void)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	sched_setaffinity(0, sizeof(one), &one);
}

int main(void)
{
	struct pmu_options options = { .size = sizeof(options),
				       .events = events,
				       .backend = "perf",
				       .pin = "none",
				       .output = "none" };
	const char *how = getenv("TEST_KNOWN");

	exact = how && !strcmp(how, "exact");
	stay_on_one_cpu();
	choose_events();
	if (slot_of[STEPS_INSTRUCTIONS] < 0)
		return skip_all(pmu_last_error());
	is_int(pmu_init(&options), 0, "a session");
	diag("counted: %s", events);
	pmu_thread_attach();
	one_thread();
	between_switches();
	two_threads();
	under_signals();
	other_calls();
	return done_testing();
}
#endif
