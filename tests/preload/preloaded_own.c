/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program with an execv(), execvp() and execve() of its own, each made of the variadic function.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int execv(const char *path, char *const argv[])
{
	return execl(path, argv[0], argv[1], (char *)NULL);
}

int execvp(const char *file, char *const argv[])
{
	return execlp(file, argv[0], argv[1], (char *)NULL);
}

int execve(const char *path, char *const argv[], char *const envp[])
{
	return execle(path, argv[0], argv[1], (char *)NULL, envp);
}

/* Each start of the program says how it came about, and goes on to the next. */
int main(int argc, char **argv)
{
	static const char *const ways[] = { "execv", "execvp", "execve" };
	int step = argc > 1 ? atoi(argv[1]) : 0;
	char next[] = { (char)('1' + step), '\0' };
	char *const words[] = { argv[0], next, NULL };

	if (step > 0)
		printf(step < 3 ? "%s " : "%s\n", ways[step - 1]);
	fflush(stdout);
	if (step == 0)
		execv(argv[0], words);
	else if (step == 1)
		execvp(argv[0], words);
	else if (step == 2)
		execve(argv[0], words, environ);
	else
		return 23;
	return 1;
}
