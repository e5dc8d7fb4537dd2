/* SPDX-License-Identifier: BSD-3-Clause */
/* What the kernel's records say of programs that are attached to: who began whom, and whose samples are whose. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bindings/command/attach/attach.h"
#include "bindings/command/attach/machine.h"
#include "report/model/model.h"
#include "unit/part.h"

#define PID   76
#define OTHER 99
#define CODE  UINT64_C(0x400000)
#define RING  8192u

static struct pmu_attach attach;
static struct pmu_attach_process process;
static struct pmu_attach_thread thread[2];

/* Two processors. */
static void open_rings(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	attach = (struct pmu_attach){ .process = &process, .n = 1 };
	attach.rings.of = calloc(2, sizeof(*attach.rings.of));
	if (!attach.rings.of)
		abort();
	for (; attach.rings.n < 2; attach.rings.n++) {
		struct pmu_attach_ring *ring = &attach.rings.of[attach.rings.n];

		*ring = (struct pmu_attach_ring){ .fd = -1, .size = RING };
		ring->page = mmap(NULL, page + RING, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (ring->page == MAP_FAILED)
			abort();
	}
}

static void open_process(void)
{
	memset(thread, 0, sizeof(thread));
	thread[0].tid = PID;
	thread[1].tid = PID + 1;
	process = (struct pmu_attach_process){ .pid = PID,
					       .thread = thread,
					       .n = 2,
					       .open_ns = 50,
					       .settled_ns = 80,
					       .start_ns = 100 };
	if (pmu_index_reserve(&process.index, 2) < 0)
		abort();
	for (size_t i = 0; i < 2; i++)
		pmu_attach_index(&process, thread[i].tid, i);
}

static void open_all(void)
{
	open_rings();
	open_process();
}

static void close_all(void)
{
	pmu_attach_rings_close(&attach.rings);
	free(attach.records.bytes);
	free(attach.records.at);
	free(process.begun);
	pmu_index_free(&process.index);
	pmu_sample_maps_free(&process.sums.maps);
	pmu_sample_chains_free(&process.sums.chains);
	pmu_sample_hits_free(&process.sums.hits);
}

/* --- records --- */

static void put_bytes(unsigned int cpu, const void *bytes, size_t n)
{
	struct pmu_attach_ring *ring = &attach.rings.of[cpu];
	char *to = (char *)ring->page + sysconf(_SC_PAGESIZE);

	for (size_t i = 0; i < n; i++)
		to[(ring->page->data_head++) % RING] = ((const char *)bytes)[i];
}

static void put_record(unsigned int cpu, uint32_t type, unsigned int misc, const uint64_t *rest,
		       size_t n)
{
	const struct perf_event_header header = { .type = type,
						  .misc = (uint16_t)misc,
						  .size = (uint16_t)(sizeof(header) +
								     n * sizeof(*rest)) };

	put_bytes(cpu, &header, sizeof(header));
	put_bytes(cpu, rest, n * sizeof(*rest));
}

static uint64_t pair(uint32_t low, uint32_t high)
{
	return (uint64_t)high << 32 | low;
}

/* What sample_id_all adds stands last: who, and when. */
static void put_task(unsigned int cpu, uint32_t type, uint32_t pid, uint32_t ppid, uint32_t tid,
		     uint32_t ptid, uint64_t time)
{
	const uint64_t rest[] = { pair(pid, ppid), pair(tid, ptid), time, pair(ppid, ptid), time };

	put_record(cpu, type, 0, rest, PMU_ARRAY_LEN(rest));
}

static void begins(unsigned int cpu, uint32_t tid, uint32_t by, uint64_t time)
{
	put_task(cpu, PERF_RECORD_FORK, PID, PID, tid, by, time);
}

static void ends(unsigned int cpu, uint32_t tid, uint64_t time)
{
	put_task(cpu, PERF_RECORD_EXIT, PID, 1, tid, 1, time);
}

static void put_sample(unsigned int cpu, uint32_t tid, uint64_t address, uint64_t time)
{
	const uint64_t rest[] = { address, pair(PID, tid), time };

	put_record(cpu, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, rest, PMU_ARRAY_LEN(rest));
}

static void maps(unsigned int cpu, const char *path, uint64_t time)
{
	uint64_t rest[] = { pair(PID, PID), CODE, 0x10000, 0x1000, 0, 12, 0, 5, 0, 0, 0, 0, time };

	snprintf((char *)&rest[8], 24, "%s", path);
	put_record(cpu, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER, rest, PMU_ARRAY_LEN(rest));
}

static void executes(unsigned int cpu, uint64_t time)
{
	const uint64_t rest[] = { pair(PID, PID), 0x616263, pair(PID, PID), time };

	put_record(cpu, PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC, rest, PMU_ARRAY_LEN(rest));
}

/* @path: NULL any */
static uint64_t samples_of(uint64_t who, const char *path)
{
	uint64_t n = 0;

	for (size_t i = 0; i < process.sums.hits.n; i++) {
		const struct pmu_sample_hit *hit = &process.sums.hits.of[i];

		if (hit->who == who &&
		    (!path ||
		     !strcmp(pmu_sample_maps_path(&process.sums.maps, hit->at.file), path)))
			n += hit->n;
	}
	return n;
}

/* --- threads --- */

static void threads_are_in_the_row_of_who_began_them(void)
{
	open_all();
	begins(0, 200, PID, 110);
	begins(1, 201, 200, 120);
	begins(1, 300, PID + 1, 115);
	ends(0, 201, 150);
	ends(1, 200, 170);
	pmu_attach_look(&attach);
	is_u64(thread[0].n_begun, 2, "a thread, and what that one began");
	is_u64(thread[0].begun_ns, 30 + 60, "  have run for as long as they did");
	is_u64(thread[1].n_begun, 1, "one of another's");
	is_u64(pmu_attach_find(&process, 201), 1, "  each is found by its number");
	is_u64(pmu_attach_find(&process, 300), 2, "  also one that goes on");
	is_u64(pmu_attach_find(&process, 400), 0, "  and none that is not known");
	ok(thread[0].begun_queued_ns == PMU_NOT_KNOWN,
	   "how long those waited that have ended is not known");
	pmu_attach_end_begun(&process, 200);
	is_u64(thread[1].begun_ns, 85, "what goes on has run until the end");
	close_all();
}

/* Rings are read one after another. */
static void records_are_taken_by_their_time(void)
{
	open_all();
	begins(0, 201, 200, 120);
	ends(0, 200, 130);
	begins(1, 200, PID + 1, 110);
	pmu_attach_look(&attach);
	is_u64(thread[1].n_begun, 2, "who began it is in the ring that is read later");
	is_u64(thread[1].begun_ns, 20, "  and its end in the one that is read first");
	close_all();
}

static void what_came_before_does_not_count(void)
{
	open_all();
	begins(0, 200, PID, 79);
	begins(0, PID + 1, PID, 90);
	put_task(0, PERF_RECORD_FORK, OTHER, PID, 500, PID, 120);
	put_task(0, PERF_RECORD_FORK, OTHER, OTHER, 501, OTHER, 120);
	put_sample(0, PID, CODE, 99);
	pmu_attach_look(&attach);
	is_u64(thread[0].n_begun, 0, "a thread of before, one that was attached to, processes");
	is_u64(process.sums.hits.n, 0, "  and samples of before counting began");
	begins(0, 202, PID, 90);
	ends(0, 202, 130);
	pmu_attach_look(&attach);
	is_u64(thread[0].begun_ns, 30, "one that began a moment before has run since then");
	close_all();
}

static void numbers_come_again(void)
{
	open_all();
	for (uint64_t i = 0; i < 100; i++) {
		begins(0, 200, i & 1 ? PID : PID + 1, 1000 + 10 * i);
		ends(1, 200, 1005 + 10 * i);
	}
	/* the end of this one is lost */
	begins(0, 200, PID, 5000);
	begins(0, 200, PID, 5100);
	pmu_attach_look(&attach);
	is_u64(thread[0].n_begun, 52, "threads of one number, one after another");
	is_u64(thread[0].begun_ns, 50 * 5 + 100, "  each for as long as it ran");
	is_u64(thread[1].n_begun, 50, "  of whom they were");
	is_u64(process.n_begun, 1, "  take one place");
	close_all();
}

static void a_thread_ends(void)
{
	open_all();
	ends(0, PID + 1, 130);
	pmu_attach_look(&attach);
	ok(thread[1].has_ended && thread[1].stop_ns == 130, "it was watched until then");
	begins(0, PID + 1, PID, 140);
	pmu_attach_look(&attach);
	is_u64(thread[0].n_begun, 1, "  and its number is another's");
	is_u64(pmu_attach_find(&process, PID + 1), 1, "  who is in that one's row");
	close_all();
}

/* --- samples --- */

static void samples_are_their_threads(void)
{
	open_all();
	maps(0, "/bin/program", 60);
	begins(0, 200, PID + 1, 110);
	put_sample(1, PID, CODE + 1, 120);
	put_sample(1, 200, CODE + 2, 121);
	put_sample(1, PID + 1, CODE + 2, 122);
	put_sample(1, 400, CODE + 2, 122);
	pmu_attach_look(&attach);
	is_u64(samples_of(1, "/bin/program"), 1, "one of the first thread");
	is_u64(samples_of(2, "/bin/program"), 2, "two of the second, one by a thread it began");
	is_u64(process.sums.n_dropped, 1, "of a thread that nobody began it is not known whose");
	process.stop_ns = 200;
	put_sample(0, PID, CODE, 201);
	pmu_attach_look(&attach);
	is_u64(samples_of(1, NULL), 1, "  and none comes when counting has ended");
	close_all();
}

static void another_program_has_files_of_its_own(void)
{
	open_all();
	maps(0, "/bin/first", 60);
	put_sample(0, PID, CODE, 110);
	put_sample(0, PID, CODE, 130);
	executes(1, 120);
	maps(1, "/bin/second", 125);
	pmu_attach_look(&attach);
	is_u64(process.n_execs, 1, "an exec");
	is_u64(samples_of(1, "/bin/first"), 1, "  before it, by time, the first program's code");
	is_u64(samples_of(1, "/bin/second"), 1, "  behind it the second's");
	close_all();
}

static void what_was_lost_is_told(void)
{
	const uint64_t rest[] = { 7, 42, pair(PID, PID), 130 };

	open_all();
	put_record(0, PERF_RECORD_LOST, 0, rest, PMU_ARRAY_LEN(rest));
	pmu_attach_look(&attach);
	is_u64(attach.n_lost, 42, "records that found no room");
	close_all();
}

/* Whatever is there: nothing is read beyond it. */
static void any_bytes_do_no_harm(void)
{
	unsigned int seed = 1;

	open_all();
	for (int look = 0; look < 2000; look++) {
		for (int i = 0; i < 8; i++) {
			uint64_t rest[12] = { 0 };

			for (size_t k = 0; k < PMU_ARRAY_LEN(rest); k++) {
				seed = seed * 1103515245u + 12345u;
				rest[k] = pair(PID + (seed >> 16) % 3, (seed >> 20) % 300);
			}
			put_record(i & 1, (seed >> 8) % 24, (seed >> 12) & 0x2007, rest,
				   (seed >> 10) % 12);
		}
		if (look % 7 == 0)
			put_bytes(0, &seed, sizeof(seed));
		if (look % 7 == 1)
			put_bytes(0, &seed, sizeof(seed));
		pmu_attach_look(&attach);
	}
	ok(process.n_begun <= 2000 * 8, "2,000 looks at any bytes");
	close_all();
}

/* --- a whole machine --- */

/* There is no process of these numbers: what is known of them is known by records. */
#define FIRST  2000000000u
#define SECOND 2000000001u

static struct pmu_attach_machine machine;
static struct pmu_attach_machine_cpu cpus[2];

static void open_machine(void)
{
	open_rings();
	machine = (struct pmu_attach_machine){ .cgroup_fd = -1, .cpu = cpus };
	machine.programs.n_cpus = 2;
	for (size_t i = 0; i < 2; i++)
		cpus[i] = (struct pmu_attach_machine_cpu){ .watch = -1, .start_ns = 100 };
	attach.machine = &machine;
}

static void close_machine(void)
{
	pmu_attach_programs_free(&machine.programs);
	close_all();
}

static void forks(unsigned int cpu, uint32_t pid, uint32_t by, uint64_t time)
{
	put_task(cpu, PERF_RECORD_FORK, pid, by, pid, by, time);
}

static void process_ends(unsigned int cpu, uint32_t pid, uint64_t time)
{
	put_task(cpu, PERF_RECORD_EXIT, pid, 1, pid, 1, time);
}

/* @name: at most 7 bytes */
static void is_called(unsigned int cpu, uint32_t pid, const char *name, bool executes_it,
		      uint64_t time)
{
	uint64_t rest[] = { pair(pid, pid), 0, pair(pid, pid), time };

	snprintf((char *)&rest[1], 8, "%s", name);
	put_record(cpu, PERF_RECORD_COMM, executes_it ? PERF_RECORD_MISC_COMM_EXEC : 0, rest,
		   PMU_ARRAY_LEN(rest));
}

static void maps_file(uint32_t pid, const char *path, uint64_t time)
{
	uint64_t rest[] = { pair(pid, pid), CODE, 0x10000, 0x1000, 0, 12, 0, 5, 0, 0, 0, 0, time };

	snprintf((char *)&rest[8], 24, "%s", path);
	put_record(0, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER, rest, PMU_ARRAY_LEN(rest));
}

static void is_sampled(unsigned int cpu, uint32_t pid, uint64_t time)
{
	const uint64_t rest[] = { CODE + 1, pair(pid, pid), time };

	put_record(cpu, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, rest, PMU_ARRAY_LEN(rest));
}

static const struct pmu_attach_program *program(const char *name)
{
	static uint64_t none[2];
	static const struct pmu_attach_program unknown = { .n_samples = none, .n_processes = none };

	for (size_t i = 0; i < machine.programs.n_names; i++)
		if (!strcmp(machine.programs.name[i].text, name))
			return &machine.programs.name[i];
	return &unknown;
}

static uint64_t samples_in(const char *name, const char *path)
{
	const struct pmu_sample_sums *sums = &program(name)->sums;
	uint64_t n = 0;

	for (size_t i = 0; i < sums->hits.n; i++)
		if (!strcmp(pmu_sample_maps_path(&sums->maps, sums->hits.of[i].at.file), path))
			n += sums->hits.of[i].n;
	return n;
}

static void programs_of_one_name_are_together(void)
{
	open_machine();
	for (uint32_t i = 0; i < 5; i++) {
		forks(0, FIRST + i, 1999999999, 110 + 10 * i);
		is_called(0, FIRST + i, "cc", true, 111 + 10 * i);
		maps_file(FIRST + i, "/bin/cc", 112 + 10 * i);
		is_sampled(0, FIRST + i, 113 + 10 * i);
		process_ends(1, FIRST + i, 114 + 10 * i);
		is_sampled(1, FIRST + i, 115 + 10 * i);
	}
	pmu_attach_look(&attach);
	pmu_attach_look(&attach);
	is_u64(program("cc")->n_samples[0], 5, "samples of five processes on a processor");
	is_u64(program("cc")->n_samples[1], 5, "  and on another, when they had told their end");
	is_u64(program("cc")->n_processes[0] + program("cc")->n_processes[1], 5,
	       "  each of them is counted once");
	is_u64(samples_in("cc", "/bin/cc"), 10, "  what they ran is known when they have ended");
	is_u64(machine.programs.n_nameless, 0, "  all of it");
	forks(0, FIRST, 1999999999, 210);
	is_called(0, FIRST, "ld", true, 211);
	is_sampled(0, FIRST, 213);
	pmu_attach_look(&attach);
	is_u64(program("ld")->n_samples[0], 1, "a number that comes again is another process");
	close_machine();
}

static void a_process_is_as_who_forked_it(void)
{
	open_machine();
	forks(0, FIRST, 1999999999, 110);
	is_called(0, FIRST, "shell", true, 111);
	maps_file(FIRST, "/bin/sh", 112);
	forks(0, SECOND, FIRST, 120);
	process_ends(0, FIRST, 121);
	is_sampled(1, SECOND, 122);
	is_called(1, SECOND, "other", true, 123);
	maps_file(SECOND, "/bin/other", 124);
	is_sampled(1, SECOND, 125);
	is_called(1, SECOND, "again", false, 126);
	is_sampled(1, SECOND, 127);
	pmu_attach_look(&attach);
	pmu_attach_programs_end(&machine.programs);
	is_u64(samples_in("shell", "/bin/sh"), 1, "until it executes something");
	is_u64(samples_in("other", "/bin/other"), 1, "  then it is that");
	is_u64(samples_in("again", "/bin/other"), 1, "  and has what name it gives itself");
	close_machine();
}

static void whose_it_is_may_not_be_known(void)
{
	open_machine();
	is_sampled(0, FIRST, 99);
	is_sampled(0, FIRST, 110);
	is_sampled(0, 0, 120);
	is_sampled(1, UINT32_MAX, 120);
	pmu_attach_look(&attach);
	is_u64(program(PMU_ATTACH_OTHERS)->n_samples[0], 2,
	       "a process that is gone, one of another namespace");
	is_u64(program(PMU_ATTACH_OTHERS)->n_samples[1], 1, "  and one that ends");
	close_machine();
}

static void names_are_limited(void)
{
	char name[8];

	open_machine();
	for (uint32_t i = 0; i < 5000; i++) {
		snprintf(name, sizeof(name), "n%u", i);
		is_called(i & 1, FIRST + i, name, true, 110);
		is_sampled(i & 1, FIRST + i, 111 + (i == 7));
		if (i == 7)
			is_sampled(1, FIRST + i, 113);
		if (i % 20 == 0)
			pmu_attach_look(&attach);
	}
	pmu_attach_look(&attach);
	is_u64(machine.programs.n_names, 4096, "5,000 names");
	is_u64(program(PMU_ATTACH_OTHERS)->n_samples[0] + program(PMU_ATTACH_OTHERS)->n_samples[1],
	       5000 - 4095, "  those beyond are together");
	pmu_attach_programs_fold(&machine.programs, 100);
	is_u64(program("n7")->n_samples[1], 2, "the one that was sampled most has its own");
	is_u64(pmu_attach_programs_count(&machine.programs), 3, "  where there is room for few");
	close_machine();
}

static void a_machine_takes_any_bytes(void)
{
	unsigned int seed = 1;

	open_machine();
	for (int look = 0; look < 2000; look++) {
		for (int i = 0; i < 8; i++) {
			uint64_t rest[12] = { 0 };

			for (size_t k = 0; k < PMU_ARRAY_LEN(rest); k++) {
				seed = seed * 1103515245u + 12345u;
				rest[k] = pair(FIRST + (seed >> 16) % 5, FIRST + (seed >> 20) % 5);
			}
			put_record(i & 1, (seed >> 8) % 24, (seed >> 12) & 0x2007, rest,
				   (seed >> 10) % 12);
		}
		if (look % 7 < 2)
			put_bytes(0, &seed, sizeof(seed));
		pmu_attach_look(&attach);
	}
	ok(machine.programs.n_names <= 4096, "2,000 looks at any bytes, of a machine");
	close_machine();
}

UNIT_PART(attach_look)
{
	threads_are_in_the_row_of_who_began_them();
	records_are_taken_by_their_time();
	what_came_before_does_not_count();
	numbers_come_again();
	a_thread_ends();
	samples_are_their_threads();
	another_program_has_files_of_its_own();
	what_was_lost_is_told();
	any_bytes_do_no_harm();
	programs_of_one_name_are_together();
	a_process_is_as_who_forked_it();
	whose_it_is_may_not_be_known();
	names_are_limited();
	a_machine_takes_any_bytes();
	return done_testing();
}
