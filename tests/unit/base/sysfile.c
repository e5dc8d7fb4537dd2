/* SPDX-License-Identifier: BSD-3-Clause */
/* Small files and the numbers in them, good and bad. */
#include "base/sysfile.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "unit/part.h"

#define UNTOUCHED 4711

static char path[64];

static void file_holds_n(const char *text, size_t len)
{
	FILE *file = fopen(path, "w");

	if (!file || fwrite(text, 1, len, file) != len || fclose(file)) {
		printf("Bail out! cannot write %s: %s\n", path, strerror(errno));
		exit(1);
	}
}

static void file_holds(const char *text)
{
	file_holds_n(text, strlen(text));
}

static void reads_without_the_white_space_behind(void)
{
	char buf[32];

	file_holds("0-3,8\n");
	is_int(pmu_sysfile_read(path, buf, sizeof(buf)), 5, "length");
	is_str(buf, "0-3,8", "text");
	file_holds(" two lines\nof it \t\r\n\n");
	pmu_sysfile_read(path, buf, sizeof(buf));
	is_str(buf, " two lines\nof it", "only what is behind is cut");
	file_holds(" \n");
	is_int(pmu_sysfile_read(path, buf, sizeof(buf)), 0, "nothing but white space");
	is_str(buf, "", "is nothing");
	file_holds("");
	is_int(pmu_sysfile_read(path, buf, sizeof(buf)), 0, "an empty file");
}

static void says_when_the_file_holds_more(void)
{
	char buf[5];

	file_holds("1234");
	is_int(pmu_sysfile_read(path, buf, sizeof(buf)), 4, "as much as there is room for");
	is_str(buf, "1234", "text that just fits");
	file_holds("12345");
	is_int(pmu_sysfile_read(path, buf, sizeof(buf)), -EFBIG, "one byte more");
	is_str(buf, "1234", "what there was room for");
	is_int(pmu_sysfile_read(path, buf, 0), -EINVAL, "no room at all");
}

static void passes_the_error_on(void)
{
	char buf[8] = "old";
	uint64_t u = UNTOUCHED;

	is_int(pmu_sysfile_read("/proc/no such file", buf, sizeof(buf)), -ENOENT, "no file");
	is_str(buf, "", "no old text left");
	is_int(pmu_sysfile_read("/", buf, sizeof(buf)), -EISDIR, "a directory");
	is_int(pmu_sysfile_u64("/proc/no such file", &u), -ENOENT, "no file, no number");
	is_u64(u, UNTOUCHED, "value untouched");
}

static void leaves_no_descriptor_open(void)
{
	char buf[8];
	int before = open("/dev/null", O_RDONLY), after;

	close(before);
	file_holds("x");
	pmu_sysfile_read(path, buf, sizeof(buf));
	pmu_sysfile_read(path, buf, 1);
	pmu_sysfile_read("/", buf, sizeof(buf));
	after = open("/dev/null", O_RDONLY);
	close(after);
	is_int(after, before, "the next free number is the same");
}

static void parses_whole_numbers_only(void)
{
	static const struct {
		const char *text;
		int rc;
		uint64_t value;
	} cases[] = {
		{ "0", 0, 0 },
		{ "010", 0, 10 },
		{ "18446744073709551615", 0, UINT64_MAX },
		{ "0xffffffffffffffff", 0, UINT64_MAX },
		{ "0X1aF", 0, 0x1af },
		{ "18446744073709551616", -ERANGE, UNTOUCHED },
		{ "0x10000000000000000", -ERANGE, UNTOUCHED },
		{ "99999999999999999999999", -ERANGE, UNTOUCHED },
		{ "99999999999999999999999z", -EINVAL, UNTOUCHED },
		{ "", -EINVAL, UNTOUCHED },
		{ "0x", -EINVAL, UNTOUCHED },
		{ "-1", -EINVAL, UNTOUCHED },
		{ "+1", -EINVAL, UNTOUCHED },
		{ " 1", -EINVAL, UNTOUCHED },
		{ "1 ", -EINVAL, UNTOUCHED },
		{ "12a", -EINVAL, UNTOUCHED },
		{ "0x1g", -EINVAL, UNTOUCHED },
		{ "0x0x1", -EINVAL, UNTOUCHED },
		{ "1.5", -EINVAL, UNTOUCHED },
		{ "\xff", -EINVAL, UNTOUCHED },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t value = UNTOUCHED;

		ok(pmu_parse_u64(cases[i].text, &value) == cases[i].rc, "\"%s\"", cases[i].text);
		is_u64(value, cases[i].value, "value");
	}
}

static void reads_numbers_from_files(void)
{
	uint64_t value = UNTOUCHED;

	file_holds("2\n");
	is_int(pmu_sysfile_u64(path, &value), 0, "decimal");
	is_u64(value, 2, "value");
	file_holds("0x1b\n");
	is_int(pmu_sysfile_u64(path, &value), 0, "hexadecimal");
	is_u64(value, 0x1b, "value");
}

static void refuses_files_that_hold_anything_else(void)
{
	static const char *const bad[] = {
		"", "\n", "-1\n", "1 2\n", "1\n2\n", "0-3\n", "none\n", "99999999999999999999999\n"
	};
	char digits[300];
	uint64_t value = UNTOUCHED;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		file_holds(bad[i]);
		ok(pmu_sysfile_u64(path, &value) == -EINVAL, "text %zu", i);
	}
	file_holds_n("12\0"
		     "34",
		     5);
	is_int(pmu_sysfile_u64(path, &value), -EINVAL, "a NUL inside");
	memset(digits, '0', sizeof(digits));
	file_holds_n(digits, sizeof(digits));
	is_int(pmu_sysfile_u64(path, &value), -EINVAL, "longer than any number");
	is_u64(value, UNTOUCHED, "value untouched");
}

static void signed_numbers_have_their_limits(void)
{
	static const struct {
		const char *text;
		int rc;
		int64_t value;
	} cases[] = {
		{ "-1\n", 0, -1 },
		{ "0\n", 0, 0 },
		{ "-0\n", 0, 0 },
		{ "3\n", 0, 3 },
		{ "9223372036854775807\n", 0, INT64_MAX },
		{ "-9223372036854775808\n", 0, INT64_MIN },
		{ "9223372036854775808\n", -EINVAL, UNTOUCHED },
		{ "-9223372036854775809\n", -EINVAL, UNTOUCHED },
		{ "-\n", -EINVAL, UNTOUCHED },
		{ "--1\n", -EINVAL, UNTOUCHED },
		{ "0x10\n", -EINVAL, UNTOUCHED },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int64_t value = UNTOUCHED;

		file_holds(cases[i].text);
		ok(pmu_sysfile_i64(path, &value) == cases[i].rc, "signed %zu", i);
		is_int(value, cases[i].value, "value");
	}
}

UNIT_PART(sysfile)
{
	const char *dir = getenv("TMPDIR");
	int fd;

	snprintf(path, sizeof(path), "%s/sysfile-XXXXXX", dir && strlen(dir) < 40 ? dir : "/tmp");
	fd = mkstemp(path);
	if (fd < 0)
		return skip_all("no temporary file can be made");
	close(fd);
	reads_without_the_white_space_behind();
	says_when_the_file_holds_more();
	passes_the_error_on();
	leaves_no_descriptor_open();
	parses_whole_numbers_only();
	reads_numbers_from_files();
	refuses_files_that_hold_anything_else();
	signed_numbers_have_their_limits();
	unlink(path);
	return done_testing();
}
