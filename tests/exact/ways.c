/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What valgrind does not count as a processor does, or not at all: repeated instructions, signal handlers, jumps out of
 * them, children, another program.  How many instructions a call of each region has is in its name.
 */
#include <pmu.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

/* A region of @body, written by hand so that no compiler puts anything else there. */
__asm__(".text\n"
	".macro region name, text, body\n"
	".type	\\name, @function\n"
	"\\name: push	%rbx\n"
	"	lea	9f(%rip), %rbx\n"
	"	mov	%rbx, %rdi\n"
	"	call	*pmu_region_begin@GOTPCREL(%rip)\n"
	"	\\body\n"
	"	mov	%rbx, %rdi\n"
	"	call	*pmu_region_end@GOTPCREL(%rip)\n"
	"	pop	%rbx\n"
	"	ret\n"
	".section .rodata\n"
	"9:	.asciz	\"\\text\"\n"
	".text\n"
	".endm\n"
	"region turns, \"turns: 7\", \"mov $3, %ecx; 1: dec %ecx; jnz 1b\"\n"
	"region in_handler, \"handler: 3\", \"nop; nop; nop\"\n"
	"region in_child, \"child: 2\", \"nop; nop\"\n"
	"region repeat, \"repeated: 6\", \"mov $1000, %ecx; lea memory(%rip), %rdi; xor %eax, %eax; "
	"rep stosb; xor %ecx, %ecx; rep stosb\"\n"
	"region hold, \"kept: 5\", \"mov pid(%rip), %edi; mov $10, %esi; mov $62, %eax; syscall; nop\"\n");

void turns(void);
void in_handler(void);
void in_child(void);
void repeat(void);
void hold(void);

__attribute__((used)) static char memory[4096];
__attribute__((used)) static int pid;
static sigjmp_buf landing;

static void handle(int number)
{
	(void)number;
	in_handler();
}

static void jump(int number)
{
	(void)number;
	in_handler();
	siglongjmp(landing, 1);
}

static void signals(void)
{
	pid = getpid();
	signal(SIGUSR1, SIG_IGN);
	hold();
	signal(SIGUSR1, handle);
	for (int i = 0; i < 3; i++)
		raise(SIGUSR1);
	pmu_region_begin("around");
	signal(SIGUSR1, jump);
	if (!sigsetjmp(landing, 1))
		raise(SIGUSR1);
	pmu_region_end("around");
	turns();
}

/* Both of them go on in what was open. */
static void child(void)
{
	pmu_region_begin("forked");
	if (!fork()) {
		in_child();
		_exit(0);
	}
	wait(NULL);
	turns();
	pmu_region_end("forked");
}

static void other(char *self)
{
	if (!vfork()) {
		execl(self, self, "once", (char *)NULL);
		_exit(1);
	}
	wait(NULL);
}

int main(int argc, char **argv)
{
	repeat();
	if (argc > 1)
		return 0;
	signals();
	child();
	other(argv[0]);
	return 0;
}
