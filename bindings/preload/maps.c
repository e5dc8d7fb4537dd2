/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads /proc/self/maps, wherever the program may be: in a signal handler, on a small stack. */
#include "bindings/preload/maps.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * System calls by number: libc's functions are cancellation points, and another library may have
 * replaced them.
 */

struct reader {
	int fd;
	long n, at; /* bytes in the buffer, and of these taken */
	char buffer[512];
};

/* -1 at the end. */
static int next_byte(struct reader *reader)
{
	if (reader->at == reader->n) {
		do
			reader->n = syscall(SYS_read, reader->fd, reader->buffer,
					    sizeof(reader->buffer));
		while (reader->n < 0 && errno == EINTR);
		reader->at = 0;
		if (reader->n <= 0) {
			reader->n = 0;
			return -1;
		}
	}
	return (unsigned char)reader->buffer[reader->at++];
}

/* A hexadecimal number and what stands behind it. */
static int take_address(struct reader *reader, uintptr_t *address)
{
	uintptr_t value = 0;

	for (;;) {
		int byte = next_byte(reader);

		if (byte >= '0' && byte <= '9')
			value = value << 4 | (uintptr_t)(byte - '0');
		else if (byte >= 'a' && byte <= 'f')
			value = value << 4 | (uintptr_t)(byte - 'a' + 10);
		else {
			*address = value;
			return byte;
		}
	}
}

/* "7f0000000000-7f0000001000 r-xp ..." */
static bool take_line(struct reader *reader, struct preload_mapping *mapping)
{
	int byte;

	if (take_address(reader, &mapping->first) != '-' ||
	    take_address(reader, &mapping->end) != ' ')
		return false;
	mapping->protection = next_byte(reader) == 'r' ? PROT_READ : 0;
	mapping->protection |= next_byte(reader) == 'w' ? PROT_WRITE : 0;
	mapping->protection |= next_byte(reader) == 'x' ? PROT_EXEC : 0;
	do
		byte = next_byte(reader);
	while (byte >= 0 && byte != '\n');
	return true;
}

bool preload_mapping_find(uintptr_t address, struct preload_mapping *mapping)
{
	struct reader reader = { .fd = -1 };
	struct preload_mapping line;
	int saved = errno;
	bool found = false;

	reader.fd = (int)syscall(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC);
	if (reader.fd >= 0) {
		while (!found && take_line(&reader, &line))
			found = address >= line.first && address < line.end;
		syscall(SYS_close, reader.fd);
	}
	if (found)
		*mapping = line;
	errno = saved;
	return found;
}

/* The kernel reads the set before it looks at what to do with it, and that is nothing it knows. */
bool preload_page_readable(uintptr_t address)
{
	int saved = errno;
	bool readable = syscall(SYS_rt_sigprocmask, ~0, address & ~(uintptr_t)7, NULL, _NSIG / 8) <
				0 &&
			errno == EINVAL;

	errno = saved;
	return readable;
}
