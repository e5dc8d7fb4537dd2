/* SPDX-License-Identifier: BSD-3-Clause */
/* The system calls that may fail, and by what: errors are those of their manual pages. */
#include "calls.h"

#include <errno.h>
#include <stddef.h>
#include <sys/syscall.h>

const struct faults_call faults_call[] = {
	{ SYS_mmap, "mmap", 0, { ENOMEM } },
	{ SYS_munmap, "munmap", 0, { ENOMEM } },
	{ SYS_mremap, "mremap", 0, { ENOMEM } },
	{ SYS_mprotect, "mprotect", 0, { ENOMEM } },
	{ SYS_madvise, "madvise", 0, { EINVAL, ENOMEM } },
	{ SYS_openat, "openat", FAULTS_EINTR, { EMFILE, EACCES, ENFILE, ENOMEM } },
	{ SYS_read, "read", FAULTS_EINTR | FAULTS_SHORT, { EIO } },
	{ SYS_pread64, "pread64", FAULTS_EINTR | FAULTS_SHORT, { EIO } },
	{ SYS_write, "write", FAULTS_EINTR | FAULTS_SHORT, { ENOSPC, EIO } },
	{ SYS_pwrite64, "pwrite64", FAULTS_EINTR | FAULTS_SHORT, { ENOSPC, EIO } },
	{ SYS_ftruncate, "ftruncate", FAULTS_EINTR, { EFBIG, EIO } },
	{ SYS_fallocate, "fallocate", FAULTS_EINTR, { ENOSPC, EOPNOTSUPP, EIO } },
	{ SYS_fstat, "fstat", 0, { ENOMEM } },
	{ SYS_newfstatat, "newfstatat", 0, { EACCES, ENOMEM } },
	{ SYS_statx, "statx", 0, { EACCES, ENOMEM } },
	{ SYS_statfs, "statfs", 0, { ENOSYS, EACCES } },
	{ SYS_faccessat, "faccessat", 0, { EIO, ENOMEM } },
	{ SYS_faccessat2, "faccessat2", 0, { EIO, ENOMEM } },
	{ SYS_readlinkat, "readlinkat", 0, { EACCES, ENOMEM } },
	{ SYS_getdents64, "getdents64", 0, { EIO } },
	{ SYS_getcwd, "getcwd", 0, { ENOENT, ENOMEM } },
	{ SYS_lseek, "lseek", 0, { ESPIPE } },
	{ SYS_renameat, "renameat", 0, { ENOSPC, EACCES, EROFS } },
	{ SYS_renameat2, "renameat2", 0, { ENOSPC, EACCES, EINVAL } },
	{ SYS_mkdirat, "mkdirat", 0, { ENOSPC, EACCES, EROFS } },
	{ SYS_unlinkat, "unlinkat", 0, { EACCES, EROFS, EBUSY } },
	{ SYS_linkat, "linkat", 0, { ENOSPC, EPERM } },
	{ SYS_fchmod, "fchmod", 0, { EPERM, EROFS } },
	{ SYS_fchmodat, "fchmodat", 0, { EPERM, EROFS } },
	{ SYS_fchown, "fchown", 0, { EPERM } },
	{ SYS_utimensat, "utimensat", 0, { EPERM } },
	{ SYS_dup, "dup", 0, { EMFILE } },
	{ SYS_dup3, "dup3", 0, { EMFILE } },
	{ SYS_fcntl, "fcntl", 0, { EMFILE, EINVAL } },
	{ SYS_flock, "flock", FAULTS_EINTR, { ENOLCK } },
	{ SYS_pipe2, "pipe2", 0, { EMFILE } },
	{ SYS_ioctl, "ioctl", FAULTS_EINTR, { EINVAL, ENOMEM } },
	{ SYS_ppoll, "ppoll", FAULTS_EINTR, { ENOMEM } },
	{ SYS_socket, "socket", 0, { EMFILE, EACCES } },
	{ SYS_memfd_create, "memfd_create", 0, { EMFILE, ENOSYS } },
	{ SYS_perf_event_open, "perf_event_open", 0, { EMFILE, EACCES, ENOSPC, ENODEV } },
	{ SYS_prctl, "prctl", 0, { EINVAL, EPERM } },
	{ SYS_prlimit64, "prlimit64", 0, { EPERM } },
	{ SYS_sched_setaffinity, "sched_setaffinity", 0, { EPERM, EINVAL } },
	{ SYS_sched_getaffinity, "sched_getaffinity", 0, { ESRCH } },
	{ SYS_getrusage, "getrusage", 0, { EINVAL } },
	{ SYS_wait4, "wait4", FAULTS_EINTR, { 0 } },
	{ SYS_clock_nanosleep, "clock_nanosleep", FAULTS_EINTR, { 0 } },
	{ SYS_clone, "clone", FAULTS_STARTS, { EAGAIN, ENOMEM } },
	{ SYS_clone3, "clone3", FAULTS_STARTS, { EAGAIN, ENOMEM, ENOSYS } },
#ifdef __x86_64__
	{ SYS_open, "open", FAULTS_EINTR, { EMFILE, EACCES, ENFILE, ENOMEM } },
	{ SYS_stat, "stat", 0, { EACCES, ENOMEM } },
	{ SYS_lstat, "lstat", 0, { EACCES, ENOMEM } },
	{ SYS_access, "access", 0, { EIO, ENOMEM } },
	{ SYS_readlink, "readlink", 0, { EACCES, ENOMEM } },
	{ SYS_rename, "rename", 0, { ENOSPC, EACCES, EROFS } },
	{ SYS_mkdir, "mkdir", 0, { ENOSPC, EACCES, EROFS } },
	{ SYS_rmdir, "rmdir", 0, { EACCES, EROFS, EBUSY } },
	{ SYS_unlink, "unlink", 0, { EACCES, EROFS, EBUSY } },
	{ SYS_link, "link", 0, { ENOSPC, EPERM } },
	{ SYS_chmod, "chmod", 0, { EPERM, EROFS } },
	{ SYS_dup2, "dup2", 0, { EMFILE } },
	{ SYS_poll, "poll", FAULTS_EINTR, { ENOMEM } },
	{ SYS_fork, "fork", FAULTS_STARTS, { EAGAIN, ENOMEM } },
	{ SYS_vfork, "vfork", FAULTS_STARTS, { EAGAIN, ENOMEM } },
#endif
};
const size_t faults_n_calls = sizeof(faults_call) / sizeof(*faults_call);

const struct faults_call *faults_call_of(long number)
{
	for (size_t i = 0; i < faults_n_calls; i++)
		if (faults_call[i].number == number)
			return &faults_call[i];
	return NULL;
}

bool faults_call_suits(const struct faults_call *call, enum inject_kind kind,
		       enum inject_whose whose)
{
	switch (kind) {
	case INJECT_INTERRUPTED:
		return call->flags & FAULTS_EINTR;
	case INJECT_SHORT:
		return call->flags & FAULTS_SHORT;
	default:
		return call->error[0] &&
		       (whose == INJECT_COMMAND || !(call->flags & FAULTS_STARTS));
	}
}

int faults_call_error(const struct faults_call *call, unsigned int which)
{
	unsigned int n = 0;

	while (n < FAULTS_MAX_ERRORS && call->error[n])
		n++;
	return call->error[which % n];
}
