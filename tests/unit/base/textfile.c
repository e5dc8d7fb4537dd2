/* SPDX-License-Identifier: BSD-3-Clause */
/* Whole files, whatever they are. */
#include "base/textfile.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit/part.h"

#define MOST 100000

static char path[64];

static void file_has(size_t len)
{
	FILE *file = fopen(path, "w");

	for (size_t i = 0; file && i < len; i++)
		putc('a' + (int)(i % 26), file);
	if (!file || fclose(file)) {
		printf("Bail out! cannot write %s: %s\n", path, strerror(errno));
		exit(1);
	}
}

static void is_whole(const char *text, size_t got, size_t len)
{
	bool same = text && got == len && !text[len];

	for (size_t i = 0; same && i < len; i++)
		same = text[i] == 'a' + (char)(i % 26);
	ok(same, "%zu bytes and a NUL", len);
}

static void reads_all(void)
{
	static const size_t lens[] = { 0, 1, 65535, 65536, 65537, MOST - 1, MOST };
	char *text;
	size_t len;

	for (size_t i = 0; i < sizeof(lens) / sizeof(*lens); i++) {
		file_has(lens[i]);
		is_int(pmu_textfile_read(path, MOST, &text, &len), 0, "a file");
		is_whole(text, len, lens[i]);
		free(text);
	}
}

static void refuses(const char *name, int error, const char *what)
{
	char *text = path;
	size_t len;

	is_int(pmu_textfile_read(name, MOST, &text, &len), error, what);
	ok(!text, "  and gives none");
}

static void says_why_not(void)
{
	file_has(MOST + 1);
	refuses(path, -EFBIG, "a byte too much");
	file_has(3 * MOST);
	refuses(path, -EFBIG, "far too much");
	refuses("/", -ENOTSUP, "a folder");
	refuses("/dev/zero", -ENOTSUP, "a device");
	unlink(path);
	refuses(path, -ENOENT, "no file");
	if (!mkfifo(path, 0600))
		refuses(path, -ENOTSUP, "a pipe that nobody writes to");
}

/* What a file is said to have may be less than it has: those of /proc have 0. */
static void reads_what_is_open(void)
{
	char *text;
	size_t len;
	int fd[2];

	if (pipe(fd) || write(fd[1], "abc", 3) != 3 || write(fd[1], "defg", 4) != 4) {
		printf("Bail out! no pipe: %s\n", strerror(errno));
		exit(1);
	}
	close(fd[1]);
	is_int(pmu_textfile_read_open(fd[0], MOST, &text, &len), 0, "a pipe");
	close(fd[0]);
	is_whole(text, len, 7);
	free(text);
	is_int(pmu_textfile_read("/proc/self/status", MOST, &text, &len), 0,
	       "a file of the kernel's");
	ok(text && len == strlen(text) && strstr(text, "Threads:"), "which is whole");
	free(text);
	fd[0] = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	is_int(pmu_textfile_read_open(fd[0], MOST, &text, &len), -EFBIG, "what has no end");
	close(fd[0]);
	is_int(pmu_textfile_read_open(-1, MOST, &text, &len), -EBADF, "nothing");
}

UNIT_PART(textfile)
{
	int fd;

	snprintf(path, sizeof(path), "/tmp/pmu-textfile-XXXXXX");
	fd = mkstemp(path);
	if (fd < 0) {
		printf("Bail out! no temporary file\n");
		return 1;
	}
	close(fd);
	reads_all();
	says_why_not();
	reads_what_is_open();
	unlink(path);
	return done_testing();
}
