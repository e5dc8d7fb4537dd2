/* SPDX-License-Identifier: BSD-3-Clause */
/* foreign WAY PROGRAM: starts a program in one of the ways there are, and ends as it does. */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

int execveat(int dir, const char *path, char *const argv[], char *const envp[], int flags);

static char *program;
static char word[] = "word", *const arguments[] = { word, word, NULL };

static int status_of(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return 125;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int by_execve(void)
{
	return execve(program, arguments, environ);
}

static int by_execv(void)
{
	return execv(program, arguments);
}

static int by_execvp(void)
{
	return execvp(program, arguments);
}

/* PATH leads to it. */
static int by_name(void)
{
	char *slash = strrchr(program, '/');

	*slash = '\0';
	setenv("PATH", program, 1);
	return execvp(slash + 1, arguments);
}

static int by_execvpe(void)
{
	return execvpe(program, arguments, environ);
}

static int by_execl(void)
{
	return execl(program, word, word, (char *)NULL);
}

static int by_execlp(void)
{
	return execlp(program, word, word, (char *)NULL);
}

static int by_execle(void)
{
	return execle(program, word, word, (char *)NULL, environ);
}

static int by_fexecve(void)
{
	return fexecve(open(program, O_RDONLY), arguments, environ);
}

static int by_execveat(void)
{
	return execveat(AT_FDCWD, program, arguments, environ, 0);
}

static int by_number(void)
{
	return (int)syscall(SYS_execve, program, arguments, environ);
}

static int by_vfork(void)
{
	pid_t pid = vfork();

	if (pid == 0) {
		execve(program, arguments, environ);
		_exit(127);
	}
	return status_of(pid);
}

static int by_spawn(void)
{
	pid_t pid;

	return posix_spawn(&pid, program, NULL, NULL, arguments, environ) ? 127 : status_of(pid);
}

static int by_spawnp(void)
{
	pid_t pid;

	return posix_spawnp(&pid, program, NULL, NULL, arguments, environ) ? 127 : status_of(pid);
}

/* In a filter that forbids nothing. */
static int sandboxed(void)
{
	struct sock_filter all[] = { BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW) };
	struct sock_fprog rules = { .len = 1, .filter = all };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &rules))
		return 77;
	return by_execve();
}

/* The program is the new root; in it is "program", and a shell. */
static int enter(void)
{
	return chroot(program) || chdir("/") ? 77 : 0;
}

static int in_root(void)
{
	return enter() ? 77 : execl("/program", word, word, (char *)NULL);
}

static int shell_in_root(void)
{
	int status;

	if (enter())
		return 77;
	status = system("exit 12");
	return WIFEXITED(status) ? WEXITSTATUS(status) : 125;
}

static int pipe_in_root(void)
{
	FILE *stream;
	int status;

	if (enter() || !(stream = popen("exit 13", "r")))
		return 77;
	status = pclose(stream);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 125;
}

static const struct {
	const char *name;
	int (*start)(void);
} ways[] = {
	{ "execve", by_execve },          { "execv", by_execv },
	{ "execvp", by_execvp },          { "name", by_name },
	{ "execvpe", by_execvpe },        { "execl", by_execl },
	{ "execlp", by_execlp },          { "execle", by_execle },
	{ "fexecve", by_fexecve },        { "execveat", by_execveat },
	{ "syscall", by_number },         { "vfork", by_vfork },
	{ "posix_spawn", by_spawn },      { "posix_spawnp", by_spawnp },
	{ "sandboxed", sandboxed },       { "root", in_root },
	{ "root_system", shell_in_root }, { "root_popen", pipe_in_root },
};

int main(int argc, char **argv)
{
	program = argc > 2 ? argv[2] : NULL;
	for (size_t i = 0; program && i < sizeof(ways) / sizeof(ways[0]); i++)
		if (!strcmp(argv[1], ways[i].name))
			return ways[i].start();
	return 2;
}
