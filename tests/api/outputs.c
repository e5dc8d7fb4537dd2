/* SPDX-License-Identifier: BSD-3-Clause */
/* Settings as people write them: where reports go, and what a mistake costs. */
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "run.h"

static void begin_end(const char *name)
{
	if (pmu_region_begin(name) < 0 || pmu_region_end(name) < 0)
		want(false);
}

static int print_and_measure(void *arg)
{
	(void)arg;
	printf("before\n"); /* still in the buffer when the program ends */
	begin_end("r");
	return 0;
}

static int n_lines(const char *text)
{
	int n = 0;

	for (; text && *text; text++)
		n += *text == '\n';
	return n;
}

/* --- mistakes -------------------------------------------------------------------------
 */

static int exit_with_7(void *arg)
{
	(void)arg;
	printf("the program's own\n");
	pmu_region_begin("r"); /* the first call starts the session, and says so */
	pmu_region_end("r");
	for (int i = 0; i < 10; i++)
		begin_end("r");
	return 7;
}

static const struct mistake {
	const char *setting;
	const char *names[4]; /* what the line must say */
} mistakes[] = {
	{ "PMU_GROUP=CROE", { "PMU_GROUP", "CROE", "CORE" } },
	{ "PMU_GROUP=nonsense", { "PMU_GROUP", "nonsense", "SOFTWARE" } },
	{ "PMU_GROUP=CORE,,TIME", { "PMU_GROUP" } },
	{ "PMU_EVENTS=instructoins", { "PMU_EVENTS", "instructoins", "instructions" } },
	{ "PMU_EVENTS=instructions,zzzzz", { "PMU_EVENTS", "zzzzz" } },
	{ "PMU_EVENTS=instructions:q", { "PMU_EVENTS", "instructions:q" } },
	{ "PMU_EVENTS=,", { "PMU_EVENTS" } },
	{ "PMU_BACKEND=pref", { "PMU_BACKEND", "pref", "perf", "software" } },
	{ "PMU_BACKEND=nonsense", { "PMU_BACKEND", "auto", "clock", "software" } },
	{ "PMU_PIN=compcat", { "PMU_PIN", "compcat", "compact" } },
	{ "PMU_PIN=cpus:", { "PMU_PIN", "cpus:" } },
	{ "PMU_PIN=cpus:0-", { "PMU_PIN", "cpus" } },
	{ "PMU_PIN=cpus:99999", { "PMU_PIN", "99999" } },
	{ "PMU_PIN=cpus:1-0", { "PMU_PIN", "1-0" } },
	{ "PMU_COUNT=core", { "PMU_COUNT", "core", "thread", "process" } },
	{ "PMU_ENABLE=perhaps", { "PMU_ENABLE", "perhaps", "0", "1" } },
	{ "PMU_REQUIRE=perhaps", { "PMU_REQUIRE", "perhaps", "0", "1" } },
	{ "PMU_REPORT=everything", { "PMU_REPORT", "all", "total", "threads" } },
	{ "PMU_MAX_THREADS=0", { "PMU_MAX_THREADS", "0", "1" } },
	{ "PMU_MAX_THREADS=-1", { "PMU_MAX_THREADS", "-1" } },
	{ "PMU_MAX_REGIONS=many", { "PMU_MAX_REGIONS", "many", "number" } },
	{ "PMU_MAX_REGIONS=99999999999999999999", { "PMU_MAX_REGIONS", "number" } },
};

/* Each is good without the other. */
static const struct mistake both = { "PMU_GROUP=TIME", { "PMU_GROUP", "PMU_EVENTS" } };

static void a_mistake_costs_one_line(const struct mistake *mistake, const char *beside)
{
	const char *const env[] = { mistake->setting, beside, NULL };
	struct run r;
	int said = 1;

	run(&r, exit_with_7, NULL, env);
	ok(WIFEXITED(r.status) && WEXITSTATUS(r.status) == 7 && !r.notes->n_failed,
	   "%s: the program runs on", mistake->setting);
	is_str(r.out, "the program's own\n", "with its output");
	ok(!r.json, "unmeasured");
	is_int(n_lines(r.err), 1, "with one line");
	for (int i = 0; i < 4 && mistake->names[i]; i++)
		said &= r.err && strstr(r.err, mistake->names[i]) != NULL;
	if (!ok(said && r.err && !strncmp(r.err, "pmu: ", 5), "that names what is valid"))
		diag("%s", r.err ? r.err : "");
	run_done(&r);
}

static void what_is_required_and_cannot_be_had_costs_one_line(void)
{
	static const char *const events[] = { "PMU_REQUIRE=1", "PMU_BACKEND=software",
					      "PMU_EVENTS=page-faults,instructions", NULL };
	static const char *const group[] = { "PMU_REQUIRE=1", "PMU_BACKEND=clock", "PMU_GROUP=CORE",
					     NULL };
	static const struct {
		const char *const *env, *says;
	} tries[] = {
		{ events, "pmu: PMU_REQUIRE=1: instructions cannot be counted: software: " },
		{ group, "pmu: PMU_REQUIRE=1: instructions, cycles cannot be counted: clock: " },
	};
	struct run r;

	for (size_t i = 0; i < sizeof(tries) / sizeof(*tries); i++) {
		run(&r, exit_with_7, NULL, tries[i].env);
		ok(WIFEXITED(r.status) && WEXITSTATUS(r.status) == 7, "the program runs on");
		ok(!r.json, "unmeasured");
		is_int(n_lines(r.err), 1, "with one line");
		has(r.err, tries[i].says, "that says what is missing, and why");
		run_done(&r);
	}
}

static int init_and_say(void *arg)
{
	(void)arg;
	want_int(pmu_init(NULL), -ENOTSUP);
	return 0;
}

static int measure(void *arg)
{
	(void)arg;
	begin_end("r");
	return 0;
}

static void what_is_required_and_can_be_had_is_measured(void)
{
	static const char *const none[] = { "PMU_REQUIRE=1", "PMU_BACKEND=clock",
					    "PMU_EVENTS=page-faults", NULL };
	static const char *const all[] = { "PMU_REQUIRE=1", "PMU_EVENTS=page-faults",
					   "PMU_PIN=none", NULL };
	struct run r;

	run(&r, init_and_say, NULL, none);
	run_done(&r);
	run(&r, measure, NULL, all);
	run_good(&r, "PMU_REQUIRE=1");
	is_str(r.err, "", "has nothing to say");
	is_int(run_calls(r.json, "r"), 1, "and measures");
	run_done(&r);
}

static void a_slip_in_a_variables_name_is_warned_of(void)
{
	static const char *const slip[] = { "PMU_OUPUT=x.json", "PMU_PIN=none", NULL };
	static const char *const other[] = { "PMU_MY_OWN=1", "PMUSIC=1", "PMU_PIN=none", NULL };
	struct run r;

	run(&r, print_and_measure, NULL, slip);
	run_good(&r, "PMU_OUPUT");
	is_int(n_lines(r.err), 1, "has one line");
	has(r.err, "PMU_OUPUT", "that names it");
	has(r.err, "PMU_OUTPUT", "and what was meant");
	is_int(run_calls(r.json, "r"), 1, "the program is measured");
	run_done(&r);

	run(&r, print_and_measure, NULL, other);
	run_good(&r, "variables that are not ours");
	is_str(r.err, "", "have none");
	run_done(&r);
}

static void a_setting_that_is_gone_is_warned_of(void)
{
	static const char *const gone[] = { "PMU_EVERY=r:1000000", "PMU_PIN=none", NULL };
	static const char *const empty[] = { "PMU_EVERY=", "PMU_PIN=none", NULL };
	struct run r;

	run(&r, print_and_measure, NULL, gone);
	run_good(&r, "PMU_EVERY");
	is_int(n_lines(r.err), 1, "has one line");
	has(r.err, "PMU_EVERY is gone: ", "that names it");
	has(r.err, "every call is measured", "and what is so now");
	is_int(run_calls(r.json, "r"), 1, "the program is measured");
	run_done(&r);

	run(&r, print_and_measure, NULL, empty);
	run_good(&r, "PMU_EVERY, empty,");
	is_str(r.err, "", "has none");
	run_done(&r);
}

static void an_empty_setting_is_none(void)
{
	static const char *const env[] = { "PMU_GROUP=", "PMU_EVENTS=", "PMU_BACKEND=",
					   "PMU_PIN=",   "PMU_ENABLE=", NULL };
	struct run r;

	run(&r, print_and_measure, NULL, env);
	run_good(&r, "empty settings");
	is_str(r.err, "", "are no mistake");
	is_int(run_calls(r.json, "r"), 1, "and mean the defaults");
	run_done(&r);
}

/* --- where reports go -----------------------------------------------------------------
 */

static void the_default_is_text_on_standard_error(void)
{
	static const char *const env[] = { "PMU_OUTPUT", "PMU_PIN=none", NULL };
	struct run r;

	run(&r, print_and_measure, NULL, env);
	run_good(&r, "no PMU_OUTPUT");
	is_str(r.out, "before\n", "standard output is the program's");
	has(r.err, "region", "standard error has the text");
	run_done(&r);
}

static void a_dash_is_standard_output(void)
{
	static const char *const env[] = { "PMU_OUTPUT=-", "PMU_PIN=none", NULL };
	struct run r;

	run(&r, print_and_measure, NULL, env);
	run_good(&r, "PMU_OUTPUT=-");
	ok(r.out && !strncmp(r.out, "before\n", 7), "what the program printed comes first");
	has(r.out, "region", "then the text");
	is_str(r.err, "", "nothing on standard error");
	run_done(&r);
}

static void none_is_nothing(void)
{
	static const char *const env[] = { "PMU_OUTPUT=none", "PMU_PIN=none", NULL };
	struct run r;

	run(&r, print_and_measure, NULL, env);
	run_good(&r, "PMU_OUTPUT=none");
	is_str(r.out, "before\n", "only the program's");
	is_str(r.err, "", "nothing on standard error");
	is_int(run_stores(&r, NULL, 0), 0, "no store is left");
	run_done(&r);
}

static void letters_stand_for_the_process(void)
{
	static const char *const env[] = { "PMU_OUTPUT=@/%p-%r-%h-%n-%%.json,@/b.CSV",
					   "PMU_PIN=none", "OMPI_COMM_WORLD_RANK=42", NULL };
	char host[256] = "", name[512];
	json_t *report;
	struct run r;
	char *text;

	gethostname(host, sizeof(host) - 1);
	run(&r, print_and_measure, NULL, env);
	run_good(&r, "%p %r %h %n");
	snprintf(name, sizeof(name), "%d-42-%s-1-%%.json", (int)r.pid, host);
	report = run_load(&r, name);
	is_int(run_calls(report, "r"), 1, "the file bears process, rank, host and number");
	json_decref(report);
	text = run_slurp(run_path(&r, "b.CSV"));
	ok(text && !strncmp(text, "group,path", 10),
	   "the format follows the ending, small or large");
	free(text);
	run_done(&r);
}

static int go_elsewhere(void *arg)
{
	want_int(chdir(run_path(arg, "xdg")), 0);
	begin_end("r");
	want_int(chdir("/"), 0);
	want_int(pmu_report("now.json"), 0);
	return 0;
}

static void a_path_is_meant_from_where_the_program_was(void)
{
	static const char *const env[] = { "PMU_OUTPUT=end.json", "PMU_PIN=none", NULL };
	json_t *now, *end;
	struct run r;

	run(&r, go_elsewhere, &r, env);
	run_good(&r, "a program that goes to another folder");
	now = run_load(&r, "xdg/now.json");
	end = run_load(&r, "xdg/end.json");
	is_int(run_calls(now, "r"), 1, "a report meanwhile");
	is_int(run_calls(end, "r"), 1, "and the one at the end are where it was first");
	json_decref(now);
	json_decref(end);
	run_done(&r);
}

static void the_others_are_written_where_one_fails(void)
{
	static const char *const env[] = {
		"PMU_OUTPUT=@/run.json,@/no/such/x.json,/dev/full,@/b.csv,-", "PMU_PIN=none", NULL
	};
	struct run r;
	char *csv;

	if (access("/dev/full", W_OK) < 0) {
		skip("/dev/full", "not here");
		return;
	}
	run(&r, print_and_measure, NULL, env);
	run_good(&r, "five outputs, two of which cannot be written");
	csv = run_slurp(run_path(&r, "b.csv"));
	is_int(run_calls(r.json, "r"), 1, "the first one");
	ok(csv && strstr(csv, "\nTIME,r,r,"), "the one after the failures");
	has(r.out, "region", "the last one");
	has(r.err, "/no/such/x.json: No such file or directory", "what failed and why");
	has(r.err, "/dev/full: No space left on device", "both of them");
	free(csv);
	run_done(&r);
}

static void what_cannot_be_written_is_kept(void)
{
	static const char *const env[] = { "PMU_OUTPUT=@/no/such/x.json", "PMU_PIN=none", NULL };
	char store[512] = "";
	struct run r;

	run(&r, print_and_measure, NULL, env);
	run_good(&r, "no output can be written");
	is_int(run_stores(&r, store, sizeof(store)), 1, "the store is left");
	has(r.err, store, "and named");
	run_done(&r);
}

static void a_failed_report_leaves_the_old_file(void)
{
	static const char *const env[] = { "PMU_OUTPUT=@/full/run.json", "PMU_PIN=none", NULL };
	struct run r;

	run_open(&r);
	/* a folder that cannot be written to stops root only where it is no folder */
	if (symlink("/dev/full", run_path(&r, "full")) < 0)
		run_die("symlink");
	fflush(stdout);
	r.pid = fork();
	if (r.pid == 0) {
		run_environment(&r, env);
		run_redirect(&r, "err", STDERR_FILENO);
		run_redirect(&r, "out", STDOUT_FILENO);
		exit(print_and_measure(NULL));
	}
	run_wait(&r);
	is_int(r.status, 0, "a path through a file");
	has(r.err, "Not a directory", "is told");
	run_done(&r);
}

/* --- nothing is overwritten -----------------------------------------------------------
 */

static int report_thrice(void *arg)
{
	const struct run *r = arg;

	begin_end("r");
	for (int i = 0; i < 3; i++)
		want_int(pmu_report(run_path(r, "run.json")), 0);
	return 0;
}

static void one_process_keeps_its_reports_apart(void)
{
	struct run r;

	run(&r, report_thrice, &r, NULL);
	run_good(&r, "four reports to one path");
	is_int(run_files(&r, "", ".json", NULL, 0), 4, "are four files");
	run_done(&r);
}

static int two_programs(void *arg)
{
	/* both are measuring before either ends */
	int *n = mmap(NULL, sizeof(*n), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t pid[2];
	int status;

	(void)arg;
	if (n == MAP_FAILED)
		return 1;
	for (int i = 0; i < 2; i++) {
		pid[i] = fork();
		if (pid[i] == 0) {
			begin_end(i ? "second" : "first");
			__atomic_fetch_add(n, 1, __ATOMIC_SEQ_CST);
			while (__atomic_load_n(n, __ATOMIC_SEQ_CST) < 2)
				usleep(100);
			exit(0);
		}
	}
	for (int i = 0; i < 2; i++) {
		waitpid(pid[i], &status, 0);
		want_int(status, 0);
	}
	return 0;
}

static void programs_of_one_run_keep_their_reports_apart(void)
{
	struct run r;
	int lost = 0;

	for (int i = 0; i < 10; i++) {
		run(&r, two_programs, NULL, NULL);
		lost += r.status != 0 || run_files(&r, "", ".json", NULL, 0) != 2;
		run_done(&r);
	}
	is_int(lost, 0, "two programs that end at the same time write two files");
}

static void the_next_run_replaces_the_report(void)
{
	struct run r;
	json_t *first;
	const char *text = "{}";
	int fd;

	run_open(&r);
	fd = open(run_path(&r, "run.json"), O_WRONLY | O_CREAT, 0600);
	if (fd < 0 || write(fd, text, 2) != 2)
		run_die("write");
	close(fd);
	/* as it was left an hour ago */
	if (utimensat(AT_FDCWD, run_path(&r, "run.json"),
		      (const struct timespec[]){ { 1000000000, 0 }, { 1000000000, 0 } }, 0) < 0)
		run_die("utimensat");
	fflush(stdout);
	r.pid = fork();
	if (r.pid == 0) {
		run_environment(&r, NULL);
		run_redirect(&r, "err", STDERR_FILENO);
		run_redirect(&r, "out", STDOUT_FILENO);
		exit(print_and_measure(NULL));
	}
	run_wait(&r);
	first = r.json;
	is_int(run_calls(first, "r"), 1, "an old report gives way to a new one");
	is_int(run_files(&r, "", ".json", NULL, 0), 1, "under the name that was asked for");
	is_int(run_files(&r, "", ".tmp", NULL, 0), 0, "nothing else is left");
	run_done(&r);
}

static int try_again(void *arg)
{
	(void)arg;
	begin_end("r");
	want(pmu_report("again/run.json") == -ENOENT);
	want_int(mkdir("again", 0700), 0);
	want_int(pmu_report("again/run.json"), 0);
	want_int(access("again/run.json", R_OK), 0);
	unlink("again/run.json");
	want_int(rmdir("again"), 0);
	return 0;
}

static void a_name_that_was_not_written_is_free(void)
{
	static const char *const env[] = { "PMU_OUTPUT=none", "PMU_PIN=none", NULL };
	char dir[] = "/tmp/pmu-outputs-XXXXXX", before[4096];
	struct run r;

	if (!ok(mkdtemp(dir) && getcwd(before, sizeof(before)) && !chdir(dir), "a folder"))
		return;
	run(&r, try_again, NULL, env);
	run_good(&r, "a report that could not be written, and again");
	run_done(&r);
	ok(!chdir(before) && !rmdir(dir), "nothing else is left there");
}

/* --- a pipe without a reader --- */

/* For one wait for the pipe; a wait at each message would take a minute. */
#define MUCH_NS 8000000000u

static void stop_up(bool blocks)
{
	char bytes[4096] = "";
	int fd[2], flags;

	if (!want(!pipe(fd)))
		return;
	flags = fcntl(fd[1], F_GETFL);
	fcntl(fd[1], F_SETFL, flags | O_NONBLOCK);
	while (write(fd[1], bytes, sizeof(bytes)) > 0)
		;
	fcntl(fd[1], F_SETFL, blocks ? flags : flags | O_NONBLOCK);
	dup2(fd[1], STDERR_FILENO);
}

static int measure_in_three_processes(void *blocks)
{
	alarm(60);
	stop_up(*(bool *)blocks);
	begin_end("r");
	for (int i = 0; i < 2; i++) {
		pid_t pid = fork();

		if (!pid) {
			begin_end("r");
			return 0;
		}
		waitpid(pid, NULL, 0);
	}
	return 0;
}

static void a_reader_that_is_stuck_is_waited_for_once(void)
{
	static const char *const env[] = { "PMU_OUTPUT", "PMU_PIN=none", "PMU_BACKEND=clock",
					   NULL };

	for (int i = 0; i < 2; i++) {
		bool blocks = i;
		uint64_t start_ns = run_now_ns();
		struct run r;

		run(&r, measure_in_three_processes, &blocks, env);
		run_good(&r,
			 blocks ? "standard error is full, and blocks" : "standard error is full");
		ok(run_now_ns() - start_ns < MUCH_NS, "three processes wait for it once");
		is_int(run_stores(&r, NULL, 0), 3, "their results are kept");
		run_done(&r);
	}
}

int main(void)
{
	for (size_t i = 0; i < sizeof(mistakes) / sizeof(*mistakes); i++)
		a_mistake_costs_one_line(&mistakes[i], NULL);
	a_mistake_costs_one_line(&both, "PMU_EVENTS=instructions");
	what_is_required_and_cannot_be_had_costs_one_line();
	what_is_required_and_can_be_had_is_measured();
	a_slip_in_a_variables_name_is_warned_of();
	a_setting_that_is_gone_is_warned_of();
	an_empty_setting_is_none();
	the_default_is_text_on_standard_error();
	a_dash_is_standard_output();
	none_is_nothing();
	letters_stand_for_the_process();
	a_path_is_meant_from_where_the_program_was();
	the_others_are_written_where_one_fails();
	what_cannot_be_written_is_kept();
	a_failed_report_leaves_the_old_file();
	one_process_keeps_its_reports_apart();
	programs_of_one_run_keep_their_reports_apart();
	the_next_run_replaces_the_report();
	a_name_that_was_not_written_is_free();
	a_reader_that_is_stuck_is_waited_for_once();
	return done_testing();
}
