/* SPDX-License-Identifier: BSD-3-Clause */
/* Folders for stores, new stores, and what becomes of old ones. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>

#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "store/read/list.h"
#include "tap.h"
#include "unit/store_build.h"

static char root[64]; /* a folder of this test alone */

/* Every place that the environment can name is under root from here on. */
static void use_folder(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", root, name);
	mkdir(path, 0700);
	setenv("XDG_RUNTIME_DIR", path, 1);
}

static void path_in(const char *folder, const char *name, char *path, size_t size)
{
	snprintf(path, size, "%s/%s/pmu/%s", root, folder, name);
}

static void the_folder_is_ours_alone(void)
{
	char dir[256], want[256];
	struct stat st;

	use_folder("fresh");
	path_in("fresh", "", want, sizeof(want));
	want[strlen(want) - 1] = '\0';
	is_int(pmu_store_dir(1, dir, sizeof(dir)), 0, "made where it is missing");
	is_str(dir, want, "in XDG_RUNTIME_DIR first");
	ok(!stat(dir, &st) && (st.st_mode & 07777) == 0700, "with rights for us alone");
	is_int(pmu_store_dir(0, dir, sizeof(dir)), 0, "found again");
}

static void folders_of_others_are_passed_over(void)
{
	char dir[256], path[256], target[256];

	use_folder("open");
	path_in("open", "", path, sizeof(path));
	path[strlen(path) - 1] = '\0';
	mkdir(path, 0700);
	chmod(path, 0755);
	ok(pmu_store_dir(1, dir, sizeof(dir)) || strcmp(dir, path), "one that others can read");
	use_folder("linked");
	path_in("linked", "", path, sizeof(path));
	path[strlen(path) - 1] = '\0';
	snprintf(target, sizeof(target), "%s/fresh/pmu", root);
	is_int(symlink(target, path), 0, "a symbolic link to a good one");
	ok(pmu_store_dir(1, dir, sizeof(dir)) || strcmp(dir, path), "is not followed");
	setenv("XDG_RUNTIME_DIR", "relative", 1);
	ok(pmu_store_dir(1, dir, sizeof(dir)) || dir[0] == '/', "relative paths do not count");
}

/* Root finds the user's in its environment by 'sudo -E'. */
static void the_runtime_folder_of_another_is_not_used(void)
{
	char dir[256], path[256], theirs[256];
	struct stat st;

	if (geteuid()) {
		skip("another user's XDG_RUNTIME_DIR", "only root can make one");
		return;
	}
	use_folder("theirs");
	snprintf(theirs, sizeof(theirs), "%s/theirs", root);
	is_int(chown(theirs, 65534, 65534), 0, "XDG_RUNTIME_DIR is another user's");
	path_in("theirs", "", path, sizeof(path));
	path[strlen(path) - 1] = '\0';
	ok(pmu_store_dir(1, dir, sizeof(dir)) || strcmp(dir, path), "it is passed over");
	ok(stat(path, &st) && errno == ENOENT, "and nothing of ours is in it");
	use_folder("fresh");
}

static void new_stores_bear_their_owner_and_number(void)
{
	struct pmu_process self;
	char path[512], want[256];
	uint32_t nth = 0;
	struct stat st;
	mode_t mask = umask(0777);
	int fd;

	use_folder("fresh");
	pmu_process_self(&self);
	is_int(self.pid, getpid(), "our pid");
	ok(self.start_time > 0, "our start time");
	fd = pmu_store_create(&self, path, sizeof(path), &nth);
	umask(mask);
	ok(fd >= 0, "a new store");
	is_u64(nth, 1, "the first of this process");
	snprintf(want, sizeof(want), "%d-%" PRIu64 "-1.pmu", self.pid, self.start_time);
	has(path, want, "its name");
	ok(!fstat(fd, &st) && (st.st_mode & 07777) == 0600,
	   "rights for us alone, whatever the umask");
	is_u64((uint64_t)st.st_size, 0, "empty");
	ok(fcntl(fd, F_GETFD) & FD_CLOEXEC, "closed by exec");
	is_int(pwrite(fd, "x", 1, 0), 1, "open for writing");
	close(fd);
	fd = pmu_store_create(&self, path, sizeof(path), &nth);
	is_u64(nth, 2, "the second");
	ok(fd >= 0, "is a file of its own");
	close(fd);
	unlink(path);
	path_in("fresh", want, path, sizeof(path));
	is_int(unlink(path), 0, "the first is where it should be");
}

/* A folder on a file system that has no room: only root, or a user who may make
 * namespaces. */
static int full_disk_child(void)
{
	struct pmu_process self;
	uint32_t nth;
	char path[512];
	int fd;

	if (unshare(CLONE_NEWNS) && unshare(CLONE_NEWUSER | CLONE_NEWNS))
		return 2;
	if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("tmpfs", getenv("XDG_RUNTIME_DIR"), "tmpfs", 0, "size=16k,mode=0777"))
		return 2;
	pmu_process_self(&self);
	fd = pmu_store_create(&self, path, sizeof(path), &nth);
	if (fd < 0)
		return 3; /* no other place on this machine either */
	unlink(path);
	return strncmp(path, root, strlen(root)) ? 0 : 1;
}

static void a_full_disk_is_passed_over(void)
{
	int status = 0;
	pid_t pid;

	use_folder("full");
	pid = fork();
	if (!pid)
		_exit(full_disk_child());
	waitpid(pid, &status, 0);
	if (WIFEXITED(status) && WEXITSTATUS(status) >= 2)
		skip("a full disk is passed over", "no file system may be mounted here");
	else
		ok(status == 0, "a full disk is passed over");
}

static void liveness_goes_by_pid_and_start_time(void)
{
	struct build *build = build_new();
	struct pmu_store_head *head = build_head(build), good = *head;
	char boot = head->boot_id[0];

	is_int(pmu_store_liveness(head), PMU_PROCESS_ALIVE, "this process is alive");
	head->start_time++;
	is_int(pmu_store_liveness(head), PMU_PROCESS_DEAD,
	       "another process with its pid is not it");
	*head = good;
	head->pid_ns ^= 1;
	is_int(pmu_store_liveness(head), PMU_PROCESS_FOREIGN, "another pid namespace");
	*head = good;
	head->boot_id[0] = boot == 'x' ? 'y' : 'x';
	is_int(pmu_store_liveness(head), boot ? PMU_PROCESS_FOREIGN : PMU_PROCESS_ALIVE,
	       "another boot");
	*head = good;
	head->pid = -1;
	is_int(pmu_store_liveness(head), PMU_PROCESS_FOREIGN, "an impossible pid");
	free(build);
}

static void a_zombie_is_dead(void)
{
	struct build *build = build_new();
	struct pmu_store_head *head = build_head(build);
	struct pmu_process child;
	siginfo_t info;
	int pipes[2];
	pid_t pid;

	if (pipe(pipes))
		exit(1);
	pid = fork();
	if (!pid) {
		char odd[] = "a) Z (b";

		prctl(PR_SET_NAME, odd); /* must not be taken for the fields behind it */
		pmu_process_self(&child);
		_exit(write(pipes[1], &child, sizeof(child)) != sizeof(child));
	}
	ok(read(pipes[0], &child, sizeof(child)) == sizeof(child), "a child says who it is");
	head->pid = child.pid;
	head->start_time = child.start_time;
	waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT);
	is_int(pmu_store_liveness(head), PMU_PROCESS_DEAD,
	       "not yet waited for, and dead all the same");
	waitpid(pid, NULL, 0);
	is_int(pmu_store_liveness(head), PMU_PROCESS_DEAD, "gone for good");
	close(pipes[0]);
	close(pipes[1]);
	free(build);
}

static void *stay(void *arg)
{
	(void)arg;
	pause();
	return NULL;
}

/* Its main thread is a zombie, the others work on. */
static void a_process_without_main_thread_is_alive(void)
{
	struct build *build = build_new();
	struct pmu_store_head *head = build_head(build);
	struct pmu_process child;
	char state[512] = "", path[64];
	int pipes[2], tries;
	pid_t pid;
	FILE *file;

	if (pipe(pipes))
		exit(1);
	pid = fork();
	if (!pid) {
		pthread_t id;

		pmu_process_self(&child);
		if (write(pipes[1], &child, sizeof(child)) != sizeof(child) ||
		    pthread_create(&id, NULL, stay, NULL))
			_exit(1);
		pthread_exit(NULL);
	}
	ok(read(pipes[0], &child, sizeof(child)) == sizeof(child), "a child says who it is");
	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	for (tries = 0; tries < 100000 && !strstr(state, ") Z "); tries++) {
		file = fopen(path, "r");
		if (!file || !fgets(state, sizeof(state), file))
			break;
		fclose(file);
		sched_yield();
	}
	head->pid = child.pid;
	head->start_time = child.start_time;
	has(state, ") Z ", "its main thread has ended");
	is_int(pmu_store_liveness(head), PMU_PROCESS_ALIVE, "the process has not");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(pipes[0]);
	close(pipes[1]);
	free(build);
}

static int n_walks; /* through /proc */

/* In the place of libc's. */
DIR *opendir(const char *name)
{
	int fd = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	n_walks += !strcmp(name, "/proc");
	return fd < 0 ? NULL : fdopendir(fd);
}

static void write_store(const char *folder, const char *name, const void *bytes, size_t size)
{
	char path[256];
	int fd;

	path_in(folder, name, path, sizeof(path));
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, bytes, size) != (ssize_t)size)
		exit(1);
	close(fd);
}

/* Entries in @folder of this test, in the order of the list. */
static int list_folder(const char *folder, struct pmu_store_entry *out, int most)
{
	struct pmu_store_entry *entry;
	int n = pmu_store_list(&entry), i, kept = 0;
	char prefix[128];

	snprintf(prefix, sizeof(prefix), "%s/%s/", root, folder);
	for (i = 0; i < n && kept < most; i++)
		if (!strncmp(entry[i].path, prefix, strlen(prefix)))
			out[kept++] = entry[i];
	if (n > 0)
		free(entry);
	return kept;
}

static void lists_stores_newest_first(void)
{
	struct stat st;
	struct build *build = build_new();
	struct pmu_store_head *head = build_head(build);
	struct pmu_store_entry entry[8];
	char dir[256], path[256];
	int n;

	use_folder("list");
	pmu_store_dir(1, dir, sizeof(dir));
	build_meta(build, PMU_META_PROGRAM, "solver");
	write_store("list", "1-1-1.pmu", build->bytes, head->size);
	build_kill(build);
	head->start_unix_ns += 1000000000;
	write_store("list", "1-2-1.pmu", build->bytes, head->size);
	write_store("list", "2147483647-5-1.pmu", "", 0);
	write_store("list", "notes.txt", "x", 1);
	write_store("list", "junk.pmu", "junk", 4);
	path_in("list", "9-9-9.pmu", path, sizeof(path));
	is_int(symlink("1-1-1.pmu", path), 0, "a symbolic link among them");
	n = list_folder("list", entry, 8);
	is_int(n, 3, "stores only");
	is_int(entry[0].pid, 2147483647, "one killed before its head was written, by its name");
	is_int(entry[0].liveness, PMU_PROCESS_DEAD, "is dead");
	is_str(entry[1].program, "solver", "the newer of the others");
	is_int(entry[1].liveness, PMU_PROCESS_DEAD, "died");
	is_int(entry[2].liveness, PMU_PROCESS_ALIVE, "the older runs");
	is_int(stat(entry[2].path, &st), 0, "it is there");
	is_u64(entry[2].size, (uint64_t)st.st_blocks * 512, "what it takes");
	free(build);
}

/* A file of that name: one of a process that runs, or one of a program that was killed. */
static void leave(struct build *build, const char *name, size_t size)
{
	build_head(build)->start_unix_ns++;
	write_store("prune", name, build->bytes, size);
}

static bool is_there(const char *name)
{
	char path[256];

	path_in("prune", name, path, sizeof(path));
	return !access(path, F_OK);
}

/* As if it had last been written so many days ago. */
static void make_older(const char *name, int days)
{
	struct timespec times[2];
	char path[256];

	path_in("prune", name, path, sizeof(path));
	clock_gettime(CLOCK_REALTIME, &times[0]);
	times[0].tv_sec -= (time_t)days * 24 * 3600;
	times[1] = times[0];
	if (utimensat(AT_FDCWD, path, times, 0))
		abort();
}

static void all_that_died_together_are_kept(const char *dir, struct build *build)
{
	char name[64];
	int n = 0;

	for (int i = 0; i < 64; i++) {
		snprintf(name, sizeof(name), "2-%d-1.pmu", i + 1);
		leave(build, name, build_head(build)->size);
	}
	is_int(pmu_store_prune_folder(dir), 0, "64 that were killed together are all kept");
	for (int i = 0; i < 64; i++) {
		snprintf(name, sizeof(name), "2-%d-1.pmu", i + 1);
		n += is_there(name);
	}
	is_int(n, 64, "they are there");
}

static void the_newest_bytes_are_kept(const char *dir, struct build *build)
{
	char name[64];

	for (int i = 0; i < 8; i++) {
		snprintf(name, sizeof(name), "3-%d-1.pmu", i + 1);
		leave(build, name, sizeof(build->bytes));
	}
	setenv(PMU_STORE_MIB_VARIABLE, "1", 1);
	ok(pmu_store_prune_folder(dir) > 0, "those beyond a MiB are removed");
	unsetenv(PMU_STORE_MIB_VARIABLE);
	ok(is_there("3-8-1.pmu") && is_there("3-7-1.pmu"), "the newest are not");
	ok(!is_there("3-1-1.pmu") && !is_there("2-64-1.pmu"), "the oldest are");
	ok(is_there("1-1-1.pmu"), "nor is an older one whose process runs");
}

static void days_count_from_when_it_was_found(const char *dir)
{
	make_older("3-8-1.pmu", 31);
	make_older("1-1-1.pmu", 31);
	is_int(pmu_store_prune_folder(dir), 0,
	       "one that was written to long ago may have died just now");
	is_int(pmu_store_prune_folder(dir), 0, "it is as new as the first look at it");
	make_older("3-8-1.pmu", 31);
	is_int(pmu_store_prune_folder(dir), 1, "days after that it goes");
	ok(!is_there("3-8-1.pmu") && is_there("3-7-1.pmu"), "and no other");
	make_older("3-7-1.pmu", 3);
	setenv(PMU_STORE_DAYS_VARIABLE, "2", 1);
	pmu_store_prune_folder(dir);
	make_older("3-7-1.pmu", 3);
	is_int(pmu_store_prune_folder(dir), 1, "how many is a setting");
	unsetenv(PMU_STORE_DAYS_VARIABLE);
	ok(is_there("1-1-1.pmu"), "one whose process runs stays");
}

static void old_stores_are_removed(void)
{
	struct build *build = build_new();
	char dir[256];

	use_folder("prune");
	pmu_store_dir(1, dir, sizeof(dir));
	leave(build, "1-1-1.pmu", build_head(build)->size);
	build_kill(build);
	all_that_died_together_are_kept(dir, build);
	the_newest_bytes_are_kept(dir, build);
	days_count_from_when_it_was_found(dir);
	free(build);
}

/* How many of those in the folder are there. */
static int count_there(int first, int last)
{
	char name[64];
	int n = 0;

	for (int i = first; i <= last; i++) {
		snprintf(name, sizeof(name), "5-%d-1.pmu", i);
		n += is_there(name);
	}
	return n;
}

/* A session looks at a few stores only; here all are alike, so any few will do. */
static void a_session_looks_at_a_few(void)
{
	struct build *build = build_new();
	char dir[256], beside[300], name[64];

	use_folder("prune");
	pmu_store_dir(1, dir, sizeof(dir));
	snprintf(beside, sizeof(beside), "%s/own.pmu", dir);
	build_kill(build);
	for (int i = 1; i <= 40; i++) {
		snprintf(name, sizeof(name), "5-%d-1.pmu", i);
		leave(build, name, sizeof(build->bytes));
	}
	is_int(pmu_store_prune_beside(beside), 0, "where none is old, or too many, all are kept");
	setenv(PMU_STORE_MIB_VARIABLE, "1", 1);
	ok(pmu_store_prune_beside(beside) > 0, "those beyond a MiB are removed beside a session's");
	unsetenv(PMU_STORE_MIB_VARIABLE);
	ok(count_there(1, 20) == 0 && count_there(39, 40) == 2, "the oldest, not the newest");
	is_int(pmu_store_prune_beside("own.pmu"), 0,
	       "a path without a folder has nothing beside it");
	free(build);
}

/* Of a container, and not seen: the whole of /proc says that. */
static void those_of_containers_are_looked_for_once(void)
{
	struct build *build = build_new();
	char dir[256], name[64];

	use_folder("prune");
	pmu_store_dir(1, dir, sizeof(dir));
	if (!build_head(build)->pid_ns) {
		skip("stores of containers", "no pid namespaces");
		free(build);
		return;
	}
	build_head(build)->pid_ns ^= 1;
	for (int i = 0; i < 8; i++) {
		snprintf(name, sizeof(name), "4-%d-1.pmu", i + 1);
		leave(build, name, sizeof(build->bytes));
	}
	make_older("4-3-1.pmu", 31);
	setenv(PMU_STORE_MIB_VARIABLE, "1", 1);
	n_walks = 0;
	is_int(pmu_store_prune_folder(dir), 1, "of stores of containers an old one goes");
	unsetenv(PMU_STORE_MIB_VARIABLE);
	ok(!is_there("4-3-1.pmu") && is_there("4-4-1.pmu"), "and no other");
	is_int(n_walks, 1, "its process alone was looked for");
	free(build);
}

static void clean_up(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf '%s'", root);
	if (system(command))
		diag("%s is left", root);
}

int main(void)
{
	const char *tmp = getenv("TMPDIR");

	snprintf(root, sizeof(root), "%.30s/pmu-place-XXXXXX", tmp && tmp[0] == '/' ? tmp : "/tmp");
	if (!mkdtemp(root))
		return skip_all("no folder for temporary files");
	setenv("TMPDIR", root, 1);
	the_folder_is_ours_alone();
	folders_of_others_are_passed_over();
	the_runtime_folder_of_another_is_not_used();
	new_stores_bear_their_owner_and_number();
	a_full_disk_is_passed_over();
	liveness_goes_by_pid_and_start_time();
	a_zombie_is_dead();
	a_process_without_main_thread_is_alive();
	lists_stores_newest_first();
	old_stores_are_removed();
	those_of_containers_are_looked_for_once();
	a_session_looks_at_a_few();
	clean_up();
	return done_testing();
}
