/* SPDX-License-Identifier: BSD-3-Clause */
/* What cannot be counted, options, and every error code that the header lists. */
#include <stddef.h>
#include <sys/resource.h>

#include "read.h"

/* --- what cannot be counted ----------------------------------------------------------
 */

/* Whatever lay on the stack is not what was counted. */
static __attribute__((noinline)) void litter_the_stack(void)
{
	volatile unsigned char litter[2000];

	for (size_t i = 0; i < sizeof(litter); i++)
		litter[i] = 0x5a;
}

static bool store_holds(const struct run *r, const void *bytes, size_t len)
{
	char path[512] = "";
	bool found = false;
	struct stat st;
	void *store;
	int fd;

	run_stores(r, path, sizeof(path));
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (!want(fd >= 0 && fstat(fd, &st) == 0))
		return true;
	store = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0);
	if (want(store != MAP_FAILED)) {
		found = memmem(store, (size_t)st.st_size, bytes, len) != NULL;
		munmap(store, (size_t)st.st_size);
	}
	close(fd);
	return found;
}

static int count_on_the_clock(void *arg)
{
	struct pmu_region_counts counts;

	for (int i = 0; i < 3; i++) {
		want_int(pmu_region_begin_n("counted", 5), 0);
		litter_the_stack();
		want_int(pmu_region_end_n("counted", 5), 0);
	}
	counts = read_region("count", PMU_THREAD_SELF);
	want_int((long long)counts.calls, 3);
	want_int(counts.n_counts, 2);
	want_int(counts.missing, 3);
	want(store_holds(arg, "count", 5));
	want(!store_holds(arg, "\x5a\x5a\x5a\x5a", 4));
	return 0;
}

static void what_the_source_does_not_count_is_missing(void)
{
	static const char *const env[] = { "PMU_PIN=none", "PMU_BACKEND=clock",
					   "PMU_EVENTS=instructions,cycles", NULL };
	const json_t *raw;
	struct run r;

	run(&r, count_on_the_clock, &r, env);
	run_good(&r, "events on a source that only tells the time");
	raw = json_object_get(run_region(r.json, "count"), "raw");
	ok(json_is_null(json_object_get(raw, "instructions")) &&
		   json_is_null(json_object_get(raw, "cycles")),
	   "are null in the report");
	run_done(&r);
}

static int count_once(void *arg)
{
	(void)arg;
	begin_end("count");
	return 0;
}

/* Of the kernel's PMUs not every machine has each: that is no mistake of the user's. */
static void what_the_kernel_has_no_pmu_for_is_missing(void)
{
	static const char *const env[] = {
		"PMU_PIN=none",
		"PMU_EVENTS=uncore_of_another_machine/cas_count_read/,page-faults,"
		"uncore_of_another_machine/cas_count_write/",
		NULL
	};
	const json_t *raw;
	char *notes;
	struct run r;

	run(&r, count_once, NULL, env);
	run_good(&r, "events of a PMU that is not here");
	raw = json_object_get(run_region(r.json, "count"), "raw");
	ok(json_is_null(json_object_get(raw, "uncore_of_another_machine/cas_count_read/")) &&
		   json_is_null(json_object_get(raw, "uncore_of_another_machine/cas_count_write/")),
	   "are null in the report");
	ok(json_is_integer(json_object_get(raw, "page-faults")), "what can be counted is");
	notes = json_dumps(r.json, 0);
	has(notes, "shows no PMU called uncore_of_another_machine",
	    "and the report names what is not here");
	free(notes);
	run_done(&r);
}

/* --- options --------------------------------------------------------------------------
 */

static int use_options(void *arg)
{
	const struct run *r = arg;
	struct pmu_options options = { .size = sizeof(options), .group = "TIME" };
	char output[512];

	snprintf(output, sizeof(output), "%s/other.json", r->dir);
	options.output = output;
	want_int(pmu_init(&options), 0);
	memset(output, 'x', sizeof(output) - 1); /* was copied */
	begin_end("r");
	want_int(pmu_init(&options), -EALREADY);
	want_int(pmu_init(NULL), -EALREADY);
	want(strstr(pmu_last_error(), "pmu_fini") != NULL);
	return 0;
}

static void options_win_over_the_environment(void)
{
	static const char *const env[] = { "PMU_PIN=none", "PMU_GROUP=NO_SUCH", NULL };
	struct run r;
	json_t *other;

	run(&r, use_options, &r, env);
	run_good(&r, "struct pmu_options");
	ok(!r.json, "PMU_OUTPUT is not used");
	other = run_load(&r, "other.json");
	is_int(run_calls(other, "r"), 1, "the output of the options is");
	ok(run_region_of_group(other, "r", "TIME") != NULL, "and so is its group");
	json_decref(other);
	run_done(&r);
}

static int switched_off(void *arg)
{
	struct pmu_region_counts counts = { .size = sizeof(counts) };
	struct pmu_options options = { .size = sizeof(options), .enable = "0" };

	want_int(pmu_init(arg ? &options : NULL), 0);
	begin_end("r");
	want_int(pmu_region_end("never begun"), 0);
	want_int(pmu_region_begin(NULL), 0);
	want_int(pmu_thread_attach(), 0);
	want_int(pmu_region_read("r", PMU_THREAD_SELF, &counts), -ENODEV);
	want_int(pmu_report(NULL), -ENODEV);
	want_int(pmu_fini(), -ENODEV);
	return 0;
}

static void switched_off_everything_returns_at_once(void)
{
	static const char *const env[] = { "PMU_ENABLE=0", NULL };
	struct run r;
	int by_option = 1;

	run(&r, switched_off, NULL, env);
	run_good(&r, "PMU_ENABLE=0");
	ok(!r.json, "no report");
	is_str(r.err, "", "not a word");
	run_done(&r);
	run(&r, switched_off, &by_option, NULL);
	run_good(&r, "the same by an option");
	ok(!r.json, "no report");
	run_done(&r);
}

/* --- errors ---------------------------------------------------------------------------
 */

static int without_session(void *arg)
{
	struct pmu_region_counts counts = { .size = sizeof(counts) };

	(void)arg;
	want(!strcmp(pmu_last_error(), ""));
	want_int(pmu_region_read("r", PMU_THREAD_SELF, &counts), -ENODEV);
	want(pmu_last_error()[0] != '\0');
	want_int(pmu_group_next(), -ENODEV);
	want_int(pmu_report("/nowhere/x"), -ENODEV);
	want_int(pmu_fini(), -ENODEV);
	want(pmu_count_name(0) == NULL);
	return 0;
}

static void without_a_session_calls_say_so(void)
{
	struct run r;

	run(&r, without_session, NULL, quick);
	run_good(&r, "-ENODEV");
	ok(!r.json, "and no session was started");
	run_done(&r);
}

static int misuse(void *arg)
{
	struct pmu_region_counts counts = { .size = sizeof(counts) };
	struct pmu_options options = { .size = 0 };
	const struct run *r = arg;

	want_int(pmu_init(&options), -EINVAL);
	want_int(pmu_thread_attach(), 0);
	want_int(pmu_thread_attach(), 0);
	begin_end("r");
	want_int(pmu_region_read(NULL, PMU_THREAD_SELF, &counts), -EINVAL);
	want_int(pmu_region_read("", PMU_THREAD_SELF, &counts), -EINVAL);
	want_int(pmu_region_read("r", -2, &counts), -EINVAL);
	want_int(pmu_region_read("r", PMU_THREAD_SELF, NULL), -EINVAL);
	want_int(pmu_region_read("other", PMU_THREAD_SELF, &counts), -ENOENT);
	want(strstr(pmu_last_error(), "other") != NULL);
	want_int(pmu_region_read("other", 0, &counts), -ENOENT);
	want_int(pmu_region_read("r", 77, &counts), -ESRCH);
	want_int(pmu_region_reset(NULL), -EINVAL);
	want_int(pmu_region_reset(""), -EINVAL);
	want_int(pmu_region_is_open(NULL), -EINVAL);
	want_int(pmu_region_is_open(""), -EINVAL);
	want_int(pmu_region_reset("other"), -ENOENT);
	want_int(pmu_group_next(), -ENOENT);
	want_int(pmu_report(""), -EINVAL);
	want_int(pmu_report("/no/such/folder/x.json"), -ENOENT);
	want(strstr(pmu_last_error(), "/no/such/folder") != NULL);
	want_int(pmu_report(r->dir), -EISDIR);
	if (access("/dev/full", W_OK) == 0)
		want_int(pmu_report("/dev/full"), -ENOSPC);
	want_int(pmu_fini(), 0);
	want_int(pmu_fini(), -ENODEV);
	want_int(pmu_report(NULL), -ENODEV);
	begin_end("after the end");
	return 0;
}

static void misuse_has_its_codes(void)
{
	struct run r;

	run(&r, misuse, &r, quick);
	run_good(&r, "the codes that the header lists");
	is_int(run_calls(r.json, "r"), 1, "the region is as it was");
	ok(!run_region(r.json, "after the end"), "and nothing came after the end");
	run_done(&r);
}

static int bad_start(void *arg)
{
	(void)arg;
	want_int(pmu_thread_attach(), -EINVAL);
	want(pmu_last_error()[0] != '\0');
	begin_end("r");
	want_int(pmu_thread_attach(), 0);
	return 7;
}

static void a_bad_setting_is_an_error_once(void)
{
	static const char *const env[] = { "PMU_GROUP=NO_SUCH", NULL };
	struct run r;

	run(&r, bad_start, NULL, env);
	is_int(WEXITSTATUS(r.status), 7, "the program runs on");
	is_int(r.notes->n_failed, 0, "unmeasured");
	ok(r.err && strchr(r.err, '\n') && !strchr(r.err, '\n')[1], "with one line");
	ok(!r.json, "and no report");
	run_done(&r);
}

static int bad_output(void *arg)
{
	(void)arg;
	begin_end("r");
	want_int(pmu_fini(), -ENOENT);
	return 0;
}

static void fini_returns_the_first_outputs_error(void)
{
	static const char *const env[] = { "PMU_PIN=none", "PMU_BACKEND=clock",
					   "PMU_OUTPUT=/no/such/folder/x,@/run.json", NULL };
	struct run r;

	run(&r, bad_output, NULL, env);
	run_good(&r, "an output that cannot be written");
	is_int(run_calls(r.json, "r"), 1, "the other one is written");
	has(r.err, "/no/such/folder", "the message names it");
	run_done(&r);
}

static void limit_memory(unsigned long more)
{
	struct rlimit limit;
	unsigned long pages = 0;
	FILE *file = fopen("/proc/self/statm", "re");

	want(file && fscanf(file, "%lu", &pages) == 1);
	if (file)
		fclose(file);
	getrlimit(RLIMIT_AS, &limit);
	limit.rlim_cur = pages * (unsigned long)sysconf(_SC_PAGESIZE) + more;
	setrlimit(RLIMIT_AS, &limit);
}

static int no_memory_for_regions(void *arg)
{
	char name[PMU_NAME_MAX + 1];
	int n = 0, rc = 0;

	(void)arg;
	begin_end("before");
	limit_memory(4 << 20);
	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	while (rc == 0 && n < 60000) {
		char digits[16];

		snprintf(digits, sizeof(digits), "%08d", n++);
		memcpy(name, digits, 8);
		rc = pmu_region_begin(name);
		if (rc == 0)
			rc = pmu_region_end(name);
	}
	want_int(rc, -ENOMEM);
	begin_end("before");
	limit_memory(256 << 20); /* the report needs some */
	return 0;
}

static int no_memory_for_a_session(void *arg)
{
	(void)arg;
	limit_memory(0);
	want_int(pmu_init(NULL), -ENOMEM);
	begin_end("r");
	return 0;
}

static void want_of_memory_is_an_error(void)
{
	struct run r;

	if (RUN_SANITIZED) {
		skip("want of memory", "a sanitizer needs its memory");
		return;
	}
	run(&r, no_memory_for_regions, NULL, quick);
	run_good(&r, "no memory for another region");
	is_int(run_calls(r.json, "before"), 2, "what was there goes on");
	ok(run_doubts(r.json, NULL, "want of memory") >= 1, "and the report says so");
	run_done(&r);
	run(&r, no_memory_for_a_session, NULL, quick);
	run_good(&r, "no memory for a session");
	run_done(&r);
}

static int names_of_errors(void *arg)
{
	static const int codes[] = { EINVAL, ENOENT,       EBUSY,    ENODEV, ENOMEM,
				     ENOSPC, ENAMETOOLONG, EALREADY, ESRCH };

	(void)arg;
	for (size_t i = 0; i < sizeof(codes) / sizeof(*codes); i++) {
		want(pmu_strerror(codes[i])[0] != '\0');
		want(!strcmp(pmu_strerror(codes[i]), pmu_strerror(-codes[i])));
		for (size_t k = 0; k < i; k++)
			want(strcmp(pmu_strerror(codes[i]), pmu_strerror(codes[k])));
	}
	want(pmu_strerror(0)[0] != '\0');
	want(pmu_strerror(123456)[0] != '\0');
	want(pmu_strerror(-2147483647 - 1)[0] != '\0');
	want_int(pmu_version(), PMU_VERSION);
	return 0;
}

static void errors_have_words(void)
{
	struct run r;

	run(&r, names_of_errors, NULL, NULL);
	run_good(&r, "pmu_strerror() and pmu_version()");
	run_done(&r);
}

int main(void)
{
	what_the_source_does_not_count_is_missing();
	what_the_kernel_has_no_pmu_for_is_missing();
	options_win_over_the_environment();
	switched_off_everything_returns_at_once();
	without_a_session_calls_say_so();
	misuse_has_its_codes();
	a_bad_setting_is_an_error_once();
	fini_returns_the_first_outputs_error();
	want_of_memory_is_an_error();
	errors_have_words();
	return done_testing();
}
