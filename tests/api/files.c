/* SPDX-License-Identifier: BSD-3-Clause */
/* Files and their folders: no room, no folder, no right to them, limits of their size. */
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>

#include "surroundings.h"

/* --- where the store goes -------------------------------------------------------------
 */

static int mount_at(const char *where, const char *options)
{
	if (unshare(CLONE_NEWNS) < 0)
		return -errno;
	if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
	    mount("tmpfs", where, "tmpfs", 0, options) < 0)
		return -errno;
	return 0;
}

static int without_shared_memory(void *arg)
{
	if (mount_at("/dev", "size=64k") < 0)
		return 77;
	(void)arg;
	some_regions();
	return 0;
}

static void fill(const char *path)
{
	char zero[4096] = { 0 };
	int fd = open(path, O_WRONLY | O_CREAT, 0600);

	while (write(fd, zero, sizeof(zero)) > 0)
		;
	close(fd);
}

static int full_shared_memory(void *arg)
{
	if (mount_at("/dev/shm", "size=128k") < 0)
		return 77;
	(void)arg;
	fill("/dev/shm/full");
	some_regions();
	return 0;
}

static int shared_memory_that_fills_up(void *arg)
{
	char name[32];

	if (mount_at("/dev/shm", "size=256k") < 0)
		return 77;
	(void)arg;
	some_regions();
	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < 5000; i++) {
			snprintf(name, sizeof(name), "region %d", i);
			begin_end(name);
		}
	}
	return 0;
}

static const char *const no_place[] = { "PMU_PIN=none", "PMU_BACKEND=clock", "XDG_RUNTIME_DIR",
					"TMPDIR=@/no/such/folder", NULL };
static const char *const tmp_place[] = { "PMU_PIN=none", "PMU_BACKEND=clock", "XDG_RUNTIME_DIR",
					 "TMPDIR=@", NULL };

static void memory_serves_where_there_is_no_file(int (*fn)(void *), const char *how)
{
	struct run r;
	char *notes;

	run(&r, fn, NULL, no_place);
	if (WIFEXITED(r.status) && WEXITSTATUS(r.status) == 77) {
		skip(how, "this user may not mount");
		run_done(&r);
		return;
	}
	run_good(&r, how);
	check_regions(&r);
	notes = run_list(r.json, "notes");
	has(notes, "memory only", "the report says so");
	free(notes);
	run_done(&r);

	run(&r, fn, NULL, tmp_place);
	run_good(&r, "with TMPDIR instead");
	check_regions(&r);
	notes = run_list(r.json, "notes");
	ok(!strstr(notes, "memory only"), "a file is there");
	free(notes);
	run_done(&r);
}

static void a_store_may_outgrow_its_disk(void)
{
	const json_t *region;
	struct run r;
	int good = 0;
	char *notes;

	run(&r, shared_memory_that_fills_up, NULL, no_place);
	if (WIFEXITED(r.status) && WEXITSTATUS(r.status) == 77) {
		skip("a disk that fills up", "this user may not mount");
		run_done(&r);
		return;
	}
	run_good(&r, "a disk that fills up meanwhile");
	check_regions(&r);
	for (int i = 0; i < 5000; i++) {
		char name[32];

		snprintf(name, sizeof(name), "region %d", i);
		region = json_array_get(json_object_get(r.json, "regions"), (size_t)i);
		good += region && run_int(region, "calls") >= 2;
	}
	is_int(good, 5000, "and no region is lost");
	notes = run_list(r.json, "notes");
	has(notes, "memory", "the report says where the rest was");
	free(notes);
	run_done(&r);
}

static int keep_errno_without_the_folder(void *arg)
{
	const struct run *r = arg;
	char store[512] = "", name[32];

	some_regions();
	want_int(run_stores(r, store, sizeof(store)), 1);
	want_int(nftw(run_path(r, "xdg"), run_unlink, 16, FTW_DEPTH | FTW_PHYS), 0);
	for (int i = 0; i < 5000; i++) {
		snprintf(name, sizeof(name), "region %d", i);
		errno = 4711;
		if (pmu_region_begin(name) < 0 || errno != 4711 || pmu_region_end(name) < 0 ||
		    errno != 4711)
			break;
	}
	want_int(errno, 4711);
	for (int i = 0; i < 5000; i++) {
		snprintf(name, sizeof(name), "no begin %d", i);
		errno = 4711;
		if (pmu_region_end(name) != -ENOENT || errno != 4711)
			break;
	}
	want_int(errno, 4711);
	return 0;
}

static void the_stores_folder_may_go(void)
{
	struct run r;
	char *notes;

	run(&r, keep_errno_without_the_folder, &r, quick);
	run_good(&r, "the store's folder was removed, and errno is kept");
	check_regions(&r);
	is_int(run_calls(r.json, "region 4999"), 1, "the regions after that too");
	notes = run_list(r.json, "notes");
	has(notes, "the file is gone", "the report says so");
	free(notes);
	run_done(&r);
}

static int with_small_files(void *arg)
{
	struct rlimit limit;
	char text[16384] = "";
	int fd[2];

	(void)arg;
	want_int(pipe(fd), 0);
	dup2(fd[1], STDOUT_FILENO);
	close(fd[1]);
	getrlimit(RLIMIT_FSIZE, &limit);
	limit.rlim_cur = 4096;
	want_int(setrlimit(RLIMIT_FSIZE, &limit), 0);
	some_regions();
	want_int(pmu_fini(), 0);
	want(read(fd[0], text, sizeof(text) - 1) > 0);
	want(strstr(text, "outer") != NULL);
	return 7;
}

static void files_may_be_limited_in_size(void)
{
	static const char *const env[] = { "PMU_PIN=none", "PMU_BACKEND=clock", "PMU_OUTPUT=-",
					   NULL };
	struct run r;

	run(&r, with_small_files, NULL, env);
	ok(WIFEXITED(r.status) && WEXITSTATUS(r.status) == 7 && !r.notes->n_failed,
	   "files of 4 KiB at most: the program ends as it would, with its report");
	for (int i = 0; i < r.notes->n_failed && i < RUN_MAX_NOTES; i++)
		diag("%s", r.notes->failed[i]);
	run_done(&r);
}

static int everything_below_limit(void *arg)
{
	struct rlimit limit;
	char name[32];

	getrlimit(RLIMIT_FSIZE, &limit);
	limit.rlim_cur = *(rlim_t *)arg;
	want_int(setrlimit(RLIMIT_FSIZE, &limit), 0);
	for (int i = 0; i < 2000; i++) {
		snprintf(name, sizeof(name), "region %d", i);
		begin_end(name);
	}
	pmu_report(NULL);
	pmu_fini();
	fclose(stdout); /* what it could not write stays the program's own */
	return 7;
}

/* Standard output and error, the claims of processors, the store and each format: all are files. */
static void every_limit_leaves_the_program_alone(void)
{
	static const char *const env[] = { "PMU_PIN=compact", "PMU_BACKEND=clock",
					   "PMU_OUTPUT=@/run.json,@/run.csv,@/run.txt,-", NULL };
	static const rlim_t limits[] = { 0, 1, 70, 500, 4096, 65536, 100000 };
	struct run r;

	for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++) {
		rlim_t limit = limits[i];

		run(&r, everything_below_limit, &limit, env);
		ok(WIFEXITED(r.status) && WEXITSTATUS(r.status) == 7 && !r.notes->n_failed,
		   "files of %llu bytes at most: the program ends as it would",
		   (unsigned long long)limit);
		for (int n = 0; n < r.notes->n_failed && n < RUN_MAX_NOTES; n++)
			diag("%s", r.notes->failed[n]);
		run_done(&r);
	}
}

static int report_into_small_file(void *arg)
{
	struct rlimit limit;
	char name[32];

	(void)arg;
	for (int i = 0; i < 100; i++) {
		snprintf(name, sizeof(name), "region %d", i);
		begin_end(name);
	}
	getrlimit(RLIMIT_FSIZE, &limit);
	limit.rlim_cur = 4096;
	want_int(setrlimit(RLIMIT_FSIZE, &limit), 0);
	want_int(pmu_fini(), -EFBIG);
	return 7;
}

static void a_report_may_be_larger_than_a_file(void)
{
	struct run r;

	run(&r, report_into_small_file, NULL, quick);
	ok(WIFEXITED(r.status) && WEXITSTATUS(r.status) == 7 && !r.notes->n_failed,
	   "a report beyond the limit: the program ends as it would");
	for (int i = 0; i < r.notes->n_failed && i < RUN_MAX_NOTES; i++)
		diag("%s", r.notes->failed[i]);
	ok(!r.json, "without it");
	has(r.err, "File too large", "and says so");
	is_int(run_stores(&r, NULL, 0), 1, "the store is left");
	run_done(&r);
}

/* --- a trace for which the store had too little room --- */

static int outgrow_files(void *dies)
{
	struct rlimit limit, little;
	char name[32];

	getrlimit(RLIMIT_FSIZE, &limit);
	little = limit;
	begin_end("before");
	little.rlim_cur = 4096;
	setrlimit(RLIMIT_FSIZE, &little);
	for (int i = 0; i < 5000; i++) {
		snprintf(name, sizeof(name), "region %d", i);
		begin_end(name);
	}
	setrlimit(RLIMIT_FSIZE, &limit);
	if (dies)
		kill(getpid(), SIGKILL);
	return 0;
}

static void a_trace_has_what_its_store_had_no_room_for(void)
{
	static const char *const env[] = { "PMU_PIN=none", "PMU_BACKEND=clock",
					   "PMU_TRACE=@/run.trace", "PMU_TRACE_SIZE=2MiB", NULL };
	struct run r;
	json_t *made;

	run(&r, outgrow_files, NULL, env);
	run_good(&r, "a store outgrows its room while calls are traced");
	made = run_report_of(&r, run_path(&r, "run.trace"));
	is_int(run_calls(made, "before"), 1, "the trace has what came before");
	is_int(run_calls(made, "region 4999"), 1, "and after that");
	is_int(run_stores(&r, NULL, 0), 0, "nothing is left");
	json_decref(made);
	run_done(&r);
}

/* What was in memory died with it. */
static void a_trace_that_is_cut_has_what_there_was(void)
{
	char line[10000], self[1024] = "", *text;
	struct run r;
	json_t *made;

	if (RUN_SANITIZED) {
		skip("a trace that is cut", "nothing with a sanitizer is preloaded");
		return;
	}
	run_open(&r);
	if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
		run_die("/proc/self/exe");
	snprintf(line, sizeof(line),
		 "cd %s && XDG_RUNTIME_DIR=$PWD/xdg PMU_BACKEND=clock PMU_TRACE_SIZE=2MiB "
		 "%s run --pin none --trace run.trace -o run.json %s --outgrow 2>err; "
		 "%s report run.trace -o run.pftrace 2>pftrace",
		 r.dir, run_command_path(), self, run_command_path());
	is_int(system(line), 0, "a program is killed that has outgrown its room");
	text = run_slurp(run_path(&r, "err"));
	has(text, "run.trace lacks what came when there was no room", "pmu run says so");
	free(text);
	text = run_slurp(run_path(&r, "pftrace"));
	has(text, "run.pftrace lacks what came when there was no room",
	    "so does what makes another format of it");
	free(text);
	made = run_report_of(&r, run_path(&r, "run.trace"));
	is_int(run_calls(made, "main/before"), 1, "the trace has what came before");
	json_decref(made);
	run_done(&r);
}

static void hostile_folders_are_not_used(void)
{
	struct run r;
	int n;

	/* a folder that others may write to, and one that is a link */
	run_open(&r);
	if (mkdir(run_path(&r, "xdg/pmu"), 0777) || chmod(run_path(&r, "xdg/pmu"), 0777))
		run_die("mkdir");
	fflush(stdout);
	r.pid = fork();
	if (r.pid == 0) {
		run_environment(&r, quick);
		run_redirect(&r, "err", STDERR_FILENO);
		begin_end("r");
		n = run_stores(&r, NULL, 0);
		exit(n ? 5 : 0);
	}
	run_wait(&r);
	is_int(r.status, 0, "no store in a folder that is open to others");
	is_int(run_calls(r.json, "r"), 1, "the report is there all the same");
	run_done(&r);

	run_open(&r);
	if (mkdir(run_path(&r, "elsewhere"), 0700) ||
	    symlink(run_path(&r, "elsewhere"), run_path(&r, "xdg/pmu")))
		run_die("symlink");
	fflush(stdout);
	r.pid = fork();
	if (r.pid == 0) {
		run_environment(&r, quick);
		run_redirect(&r, "err", STDERR_FILENO);
		begin_end("r");
		n = run_files(&r, "elsewhere", ".pmu", NULL, 0);
		exit(n ? 5 : 0);
	}
	run_wait(&r);
	is_int(r.status, 0, "nor behind a link");
	is_int(run_calls(r.json, "r"), 1, "the report is there all the same");
	run_done(&r);
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "--outgrow"))
		return outgrow_files(argv);
	memory_serves_where_there_is_no_file(without_shared_memory, "no /dev/shm");
	memory_serves_where_there_is_no_file(full_shared_memory, "a full /dev/shm");
	a_store_may_outgrow_its_disk();
	the_stores_folder_may_go();
	files_may_be_limited_in_size();
	every_limit_leaves_the_program_alone();
	a_report_may_be_larger_than_a_file();
	a_trace_has_what_its_store_had_no_room_for();
	a_trace_that_is_cut_has_what_there_was();
	hostile_folders_are_not_used();
	return done_testing();
}
