/* SPDX-License-Identifier: BSD-3-Clause */
/* Claims between sessions: respected while they live, gone when they die, never trusted
 * blindly. */
#include "machine/claims.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit/part.h"

static char dir[] = "/tmp/pmu-claims-XXXXXX";
static char path[64];
/* 48 KB each: not for the stack */
static struct pmu_claims mine, again;

static void open_claims(struct pmu_claims *claims, const char *folder)
{
	struct pmu_process self;

	pmu_process_self(&self);
	pmu_claims_open(claims, folder, &self);
}

/* Another session: claims a CPU and lives until killed. */
static pid_t claimant(int cpu)
{
	static struct pmu_claims theirs;
	int ready[2];
	pid_t pid;
	char c;

	if (pipe(ready))
		exit(1);
	pid = fork();
	if (!pid) {
		open_claims(&theirs, dir);
		if (pmu_claims_lock(&theirs))
			_exit(1);
		pmu_claims_unlock(&theirs, cpu);
		(void)!write(ready[1], "", 1);
		for (;;)
			pause();
	}
	close(ready[1]);
	ok(read(ready[0], &c, 1) == 1, "another session claims CPU %d", cpu);
	close(ready[0]);
	return pid;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static const char *others(struct pmu_claims *claims)
{
	static char text[64];

	if (pmu_claims_lock(claims))
		return "cannot lock";
	pmu_claims_sift(claims, NULL);
	pmu_mask_format(&claims->others, text, sizeof(text));
	pmu_claims_unlock(claims, -1);
	return text;
}

static void sees_the_living_only(void)
{
	pid_t a = claimant(3), b = claimant(5000);
	siginfo_t info;

	is_str(others(&mine), "3,5000", "both are seen");
	end(a);
	is_str(others(&mine), "5000", "the killed one is not");
	kill(b, SIGKILL);
	waitid(P_PID, (id_t)b, &info, WEXITED | WNOWAIT);
	is_str(others(&mine), "", "nor is a zombie");
	waitpid(b, NULL, 0);
}

static void gives_back_at_close(void)
{
	struct stat st;

	pmu_claims_lock(&mine);
	pmu_claims_unlock(&mine, 7);
	ok(pmu_mask_has(&mine.mine, 7), "CPU 7 is claimed");
	stat(path, &st);
	is_u64((uint64_t)st.st_size, 64 + 32, "it is in the file");
	is_u64(st.st_mode & 0777, 0600, "which is ours alone");
	is_str(others(&mine), "", "one's own claims are nobody else's");
	pmu_claims_close(&mine);
	stat(path, &st);
	is_u64((uint64_t)st.st_size, 64, "nothing is left of it");
}

static void takes_back_what_an_earlier_program_left(void)
{
	struct stat st;

	pmu_claims_lock(&mine);
	pmu_claims_unlock(&mine, 7);
	/* as after an exec: the same process, another session */
	open_claims(&again, dir);
	is_str(others(&again), "", "not in the way");
	stat(path, &st);
	is_u64((uint64_t)st.st_size, 64, "and gone");
	open_claims(&mine, dir);
}

static void forked_children_give_nothing_back(void)
{
	struct stat st;
	pid_t pid;

	pmu_claims_lock(&mine);
	pmu_claims_unlock(&mine, 7);
	pid = fork();
	if (!pid) {
		pmu_claims_close(&mine);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	stat(path, &st);
	is_u64((uint64_t)st.st_size, 64 + 32, "the claim is still there");
	pmu_claims_close(&mine);
}

static void leaves_no_descriptor(void)
{
	int before = dup(0), after;

	close(before);
	pmu_claims_lock(&mine);
	pmu_claims_unlock(&mine, 7);
	after = dup(0);
	close(after);
	is_int(after, before, "nothing stays open");
	pmu_claims_close(&mine);
}

static void put(const void *data, size_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	if (write(fd, data, size) != (ssize_t)size)
		diag("cannot write %s", path);
	close(fd);
}

static void trusts_no_file(void)
{
	struct {
		char head[64];
		struct pmu_claim claim[6];
	} file = { .head = "PMUCLM1" };
	struct pmu_claim good;
	pid_t pid = claimant(4);
	int fd = open(path, O_RDONLY);

	ok(read(fd, &file, sizeof(file)) == 64 + 32, "a good file to start from");
	close(fd);
	good = file.claim[0];
	for (int i = 1; i < 6; i++)
		file.claim[i] = good;
	file.claim[0].cpu = -1;
	file.claim[1].cpu = PMU_MASK_CPUS;
	file.claim[2].pid = -pid;
	file.claim[3].start_time--;
	file.claim[4].pid_ns++;
	put(&file, sizeof(file));
	is_str(others(&mine), "4", "one good claim among five bad ones");
	put(&file, sizeof(file) - 7);
	is_str(others(&mine), "", "torn off in the middle of the good one");
	file.head[0] = 'X';
	put(&file, sizeof(file));
	is_str(others(&mine), "", "another file");
	file.head[0] = 'P';
	file.head[8] ^= 1;
	put(&file, sizeof(file));
	is_str(others(&mine), "", "another boot");
	put("", 0);
	is_str(others(&mine), "", "an empty file");
	end(pid);
}

static void refuses_what_is_not_a_file_of_ours(void)
{
	unlink(path);
	if (symlink("/tmp/pmu-claims-elsewhere", path))
		diag("no link");
	is_int(pmu_claims_lock(&mine), -ELOOP, "a link");
	unlink(path);
	mkfifo(path, 0600);
	is_int(pmu_claims_lock(&mine), -EPERM, "a pipe, without waiting for its other end");
	unlink(path);
	mkdir(path, 0700);
	is_int(pmu_claims_lock(&mine), -EISDIR, "a folder");
	rmdir(path);
	open_claims(&again, NULL);
	is_int(pmu_claims_lock(&again), -ENOENT, "no folder was given");
	pmu_claims_unlock(&again, 1);
	pmu_claims_close(&again);
	open_claims(&again, "/nonexistent");
	is_int(pmu_claims_lock(&again), -ENOENT, "one that is not there");
}

static void does_not_wait_for_ever(void)
{
	int fd = open(path, O_RDWR | O_CREAT, 0600);

	flock(fd, LOCK_EX);
	is_int(pmu_claims_lock(&mine), -EAGAIN, "a lock that somebody keeps");
	close(fd);
	is_int(pmu_claims_lock(&mine), 0, "and lets go");
	pmu_claims_unlock(&mine, -1);
}

static void has_a_limit(void)
{
	open_claims(&again, dir);
	is_int(pmu_claims_lock(&again), 0, "a full file");
	again.n = PMU_CLAIMS_MAX;
	pmu_claims_unlock(&again, 1);
	ok(!pmu_mask_has(&again.mine, 1), "takes no claim more");
	is_str(others(&again), "", "and is cleaned up by the next who looks");
	pmu_claims_close(&again);
}

UNIT_PART(claims)
{
	if (!mkdtemp(dir))
		return skip_all("no folder can be made in /tmp");
	snprintf(path, sizeof(path), "%s/claims", dir);
	open_claims(&mine, dir);
	sees_the_living_only();
	gives_back_at_close();
	takes_back_what_an_earlier_program_left();
	forked_children_give_nothing_back();
	leaves_no_descriptor();
	trusts_no_file();
	refuses_what_is_not_a_file_of_ours();
	does_not_wait_for_ever();
	has_a_limit();
	unlink(path);
	rmdir(dir);
	return done_testing();
}
