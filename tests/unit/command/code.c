/* SPDX-License-Identifier: BSD-3-Clause */
/* What stands at an address: of this program, of libc, of what has no names, and of files that are none. */
#include "bindings/command/code/code.h"

#include <dlfcn.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/textfile.h"
#include "loads.h"
#include "unit/part.h"

#ifdef HAVE_DW
#define NAMES true
#else
#define NAMES false
#endif

static char folder[] = "/tmp/pmu-code-XXXXXX";

/* Called by nobody, so that the compiler makes no copy of it with another name. */
enum { FIRST_LINE = __LINE__ };
__attribute__((noinline, used)) static unsigned int stands_here(unsigned int n)
{
	unsigned int sum = 0;

	for (volatile unsigned int i = 0; i < n; i++)
		sum += i ^ sum << 3;
	return sum;
}
enum { LAST_LINE = __LINE__ };

__attribute__((noinline, used)) static unsigned int stands_there(unsigned int n)
{
	unsigned int product = 1;

	for (volatile unsigned int i = 0; i < n; i++)
		product *= i + (product >> 5);
	return product;
}

/* Where /proc/self/maps has an address of this process; path "" where it has not. */
static struct pmu_code_at find_mapped(uintptr_t address, char path[4096])
{
	struct pmu_code_at at = { .path = path, .address = address, .pid = getpid() };
	FILE *maps = fopen("/proc/self/maps", "r");
	char *line = NULL;
	size_t room = 0;

	path[0] = '\0';
	while (maps && getline(&line, &room, maps) > 0) {
		uintptr_t from, to;
		uint64_t offset;

		if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %*s %" SCNx64 " %*s %*s %4095s", &from,
			   &to, &offset, path) == 4 &&
		    address >= from && address < to) {
			at.offset = address - from + offset;
			break;
		}
		path[0] = '\0';
	}
	free(line);
	if (maps)
		fclose(maps);
	return at;
}

static const char *last_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* @text is @name with an offset behind it */
static bool is_offset_in(const char *text, const char *name)
{
	size_t len = strlen(name);

	return !strncmp(text, name, len) && !strncmp(text + len, "+0x", 3) &&
	       strspn(text + len + 3, "0123456789abcdef") == strlen(text + len + 3) &&
	       text[len + 3];
}

static bool ends_in(const char *text, const char *end)
{
	size_t len = strlen(text), n = strlen(end);

	return len >= n && !strcmp(text + len - n, end);
}

/* Has this program's file lines? */
static bool has_lines(void)
{
	/* its name is not in this program as it is */
	char section[] = "\0?debug_line", *text;
	volatile char *first = &section[1];
	bool has = false;
	size_t len;

	*first = '.';
	if (!pmu_textfile_read("/proc/self/exe", SIZE_MAX, &text, &len))
		has = memmem(text, len, section, sizeof(section));
	free(text);
	return has;
}

static void in_this_program(struct pmu_code *code)
{
	char path[4096];
	struct pmu_code_at at = find_mapped((uintptr_t)stands_here, path);
	struct pmu_code_place place = pmu_code_find(code, &at), again;

	is_str(place.object, last_of(path), "this program: the object is its file");
	if (!NAMES) {
		ok(is_offset_in(place.function, last_of(path)),
		   "without libdw a function is an offset");
		is_str(place.file, "", "  and has no file");
		return;
	}
	is_str(place.function, "stands_here", "a static function has its name");
	if (has_lines()) {
		ok(ends_in(place.file, "unit/command/code.c"), "its file is this one: %s",
		   place.file);
		ok(place.line >= FIRST_LINE && place.line <= LAST_LINE, "its line is one of it: %u",
		   place.line);
	} else {
		skip("file and line", "built without debugging information");
	}
	at.offset += 4;
	again = pmu_code_find(code, &at);
	ok(again.function == place.function, "the same name is the same text");
	at = find_mapped((uintptr_t)stands_there, path);
	is_str(pmu_code_find(code, &at).function, "stands_there",
	       "another function has another name");
}

static void in_libc(struct pmu_code *code)
{
	void *libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
	void *address = libc ? dlsym(libc, "qsort") : NULL;
	struct pmu_code_place place;
	struct pmu_code_at at;
	char path[4096];

	if (!address) {
		skip("libc", "no libc.so.6");
		return;
	}
	at = find_mapped((uintptr_t)address, path);
	place = pmu_code_find(code, &at);
	ok(!strncmp(place.object, "libc", 4), "libc: the object is %s", place.object);
	if (NAMES)
		has(place.function, "qsort", "a function that it exports has its name");
	else
		ok(is_offset_in(place.function, place.object), "without libdw it is an offset");
	dlclose(libc);
}

/* A copy of this program without its names; false where there is no strip(1) that can. */
static bool make_stripped(const char *to)
{
	int status = -1;
	char self[64];
	pid_t pid;

	/* /proc/self would be strip's */
	snprintf(self, sizeof(self), "/proc/%d/exe", getpid());
	fflush(stdout);
	pid = fork();
	if (!pid) {
		execlp("strip", "strip", "-o", to, self, (char *)NULL);
		_exit(127);
	}
	return pid > 0 && waitpid(pid, &status, 0) == pid && !status && !access(to, R_OK);
}

static void without_names(struct pmu_code *code)
{
	char copy[sizeof(folder) + 16], path[4096];
	struct pmu_code_at at = find_mapped((uintptr_t)stands_here, path);
	struct pmu_code_place place;

	snprintf(copy, sizeof(copy), "%s/stripped", folder);
	if (!NAMES || !make_stripped(copy)) {
		skip("stripped", "%s", NAMES ? "no strip(1) that can" : "built without libdw");
		return;
	}
	at.path = copy;
	place = pmu_code_find(code, &at);
	ok(is_offset_in(place.function, "stripped"), "stripped: a function is its beginning: %s",
	   place.function);
	is_str(place.object, "stripped", "  of that file");
	ok(!place.file[0] && !place.line, "  without a line");
	at.offset += 4;
	is_str(pmu_code_find(code, &at).function, place.function,
	       "another address of it is the same function");
	at.offset += find_mapped((uintptr_t)stands_there, path).offset -
		     find_mapped((uintptr_t)stands_here, path).offset;
	ok(strcmp(pmu_code_find(code, &at).function, place.function) != 0,
	   "one of another function is another one");
	unlink(copy);
}

/* Return: where a section of that name lies in an ELF file of this machine's class; 0: there is none. */
static uint64_t offset_of_section(const char *text, size_t len, const char *name)
{
	const ElfW(Ehdr) *head = (const void *)text;
	const ElfW(Shdr) *section = (const void *)(text + head->e_shoff);
	const char *names;

	if (!head->e_shoff || head->e_shoff + head->e_shnum * sizeof(*section) > len ||
	    head->e_shstrndx >= head->e_shnum)
		return 0;
	names = text + section[head->e_shstrndx].sh_offset;
	for (unsigned int i = 0; i < head->e_shnum; i++)
		if (!strcmp(names + section[i].sh_name, name))
			return section[i].sh_offset;
	return 0;
}

static void in_stubs(struct pmu_code *code)
{
	struct pmu_code_at at = { .path = "/proc/self/exe", .pid = getpid() };
	char path[4096], *text = NULL;
	size_t len;

	if (!pmu_textfile_read("/proc/self/exe", SIZE_MAX, &text, &len)) {
		at.offset = offset_of_section(text, len, ".plt.sec");
		at.offset = at.offset ? at.offset : offset_of_section(text, len, ".plt");
	}
	free(text);
	if (!NAMES || !at.offset) {
		skip("stubs", "%s", NAMES ? "this program has none" : "built without libdw");
		return;
	}
	find_mapped((uintptr_t)stands_here, path);
	at.path = path;
	at.offset += 4;
	is_str(pmu_code_find(code, &at).function, "[plt]",
	       "what calls another library's functions says so");
}

/* --- what has no file --- */

static void without_a_file(struct pmu_code *code)
{
	struct pmu_code_at at = { .path = "[kernel]",
				  .address = 0xffffffff81000100,
				  .pid = getpid() };
	struct pmu_code_place place = pmu_code_find(code, &at);

	is_str(place.object, "[kernel]", "the kernel is its own object");
	ok(place.function[0], "something of it: %s", place.function);
	at.path = "[vdso]";
	at.offset = 0x7fff0000;
	place = pmu_code_find(code, &at);
	is_str(place.object, "[vdso]", "what the kernel maps is its own object");
	is_str(place.function, "[vdso]+0x7fff0000", "of which an offset is known");
	at.path = "";
	at.pid = 0; /* no process has it */
	place = pmu_code_find(code, &at);
	is_str(place.object, "", "memory without a file, and without a perf map, is no object");
	ok(place.function[0], "it is called: %s", place.function);
}

/* vdso(7): where the loader knows it, its symbols can be asked for. */
static void in_the_vdso(struct pmu_code *code)
{
	void *vdso = dlopen("linux-vdso.so.1", RTLD_LAZY | RTLD_NOLOAD);
	const char *image = (const void *)getauxval(AT_SYSINFO_EHDR);
	const char *symbol = vdso ? dlsym(vdso, "__vdso_clock_gettime") : NULL;
	struct pmu_code_at at = { .path = "[vdso]", .pid = getpid() };
	struct pmu_code_place place;

	if (!symbol || !image || !NAMES) {
		skip("the kernel's code in every process", "nothing tells where its functions are");
		return;
	}
	at.offset = (uint64_t)(symbol - image) + 1;
	place = pmu_code_find(code, &at);
	is_str(place.function, "clock_gettime", "a function of the kernel's in every process");
	is_str(place.object, "[vdso]", "which is its own object");
}

static bool has_demangler(void)
{
	void *library = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);

	return library && !dlclose(library);
}

static void of_a_compiler_at_run_time(struct pmu_code *code)
{
	static const char lines[] = "1000 10 first\n2000 10 _ZN3foo3barEv\n3000 10 _Z\n";
	struct pmu_code_at at = { .path = "", .address = 0x100f, .pid = getpid() };
	struct pmu_code_place place;
	char map[64];
	int fd;

	snprintf(map, sizeof(map), "/tmp/perf-%d.map", getpid());
	fd = open(map, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0) {
		skip("a perf map", "%s: %s", map, strerror(errno));
		return;
	}
	ok(write(fd, lines, sizeof(lines) - 1) == sizeof(lines) - 1, "a perf map is written");
	close(fd);
	place = pmu_code_find(code, &at);
	is_str(place.function, "first", "what a compiler made has the name of its map");
	fd = open(map, O_WRONLY | O_APPEND | O_CLOEXEC);
	ok(write(fd, "4000 10 more\n", 13) == 13, "more is compiled");
	close(fd);
	at.address = 0x4001;
	is_str(pmu_code_find(code, &at).function, "[jit]", "what is not known yet has no name");
	pmu_code_renew(code);
	is_str(pmu_code_find(code, &at).function, "more", "and has one when that is looked for");
	unlink(map);
	pmu_code_renew(code);
	is_str(pmu_code_find(code, &at).function, "more", "which stays when the map is gone");
	is_str(place.object, "[jit]", "its object says what it is");
	ok(!place.file[0] && !place.line, "it has no line");
	at.address = 0x1010;
	is_str(pmu_code_find(code, &at).function, "[jit]", "between functions that alone is known");
	at.address = 0x3000;
	is_str(pmu_code_find(code, &at).function, "_Z", "what only looks like C++'s stays");
	at.address = 0x2000;
	if (has_demangler())
		is_str(pmu_code_find(code, &at).function, "foo::bar()", "names are C++'s");
	else
		skip("names are C++'s", "no libstdc++");
}

/* --- what is no object's file --- */

static void is_unreadable(struct pmu_code *code, const char *path)
{
	const struct pmu_code_at at = { .path = path, .offset = 0x1230, .pid = getpid() };
	struct pmu_code_place place = pmu_code_find(code, &at);

	ok(is_offset_in(place.function, last_of(path)) && ends_in(place.function, "+0x1230"),
	   "nothing to read at %s: %s", last_of(path), place.function);
	is_str(place.object, last_of(path), "  its name is known");
	ok(!place.file[0] && !place.line, "  no line is");
}

static void of_other_files(struct pmu_code *code)
{
	char path[sizeof(folder) + 32];

	is_unreadable(code, "/there/is/none");
	is_unreadable(code, "/usr/lib/gone.so (deleted)");
	is_unreadable(code, "anon_inode");
	is_unreadable(code, "//anon");
	is_unreadable(code, folder);
	snprintf(path, sizeof(path), "%s/fifo", folder);
	if (ok(!mkfifo(path, 0600), "a FIFO is made"))
		is_unreadable(code, path);
	unlink(path);
	snprintf(path, sizeof(path), "%s/empty", folder);
	close(open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
	is_unreadable(code, path);
	unlink(path);
}

static void of_long_names(struct pmu_code *code)
{
	char path[6000];
	struct pmu_code_at at = { .path = path, .offset = 0x10 };
	struct pmu_code_place place;

	memset(path, 'x', sizeof(path));
	path[0] = '/';
	path[sizeof(path) - 1] = '\0';
	place = pmu_code_find(code, &at);
	ok(ends_in(place.function, "x+0x10"), "a long name's offset is there");
	is_str(place.object, path + 1, "  and its object is whole");
}

/* --- small files --- */

/* Those of another order of bytes are not this machine's. */
static const bool reads_small = NAMES && __BYTE_ORDER == __LITTLE_ENDIAN;

/* hot() of line 17, as gcc and clang write it; clang without a list of what addresses a unit has. */
static void by_any_compiler(struct pmu_code *code)
{
	static const struct {
		const char *name;
		uint64_t hot;
	} files[] = {
		{ "lines", 0x1cd }, { "dwarf4", 0x1cd }, { "compressed", 0x1cd }, { "clang", 0x1b0 }
	};

	for (size_t i = 0; reads_small && i < sizeof(files) / sizeof(*files); i++) {
		char path[4096];
		struct pmu_code_at at = { .path = path, .offset = files[i].hot };
		struct pmu_code_place place;

		snprintf(path, sizeof(path), "%s/tests/fuzz/corpus/code/%s", TEST_SRCDIR,
			 files[i].name);
		place = pmu_code_find(code, &at);
		is_str(place.function, "hot", files[i].name);
		is_str(last_of(place.file), "a.c", "  its file");
		ok(place.line >= 16 && place.line <= 18, "  its line: %u", place.line);
	}
}

struct small {
	char *bytes;
	size_t len;
	char path[sizeof(folder) + 16];
};

#define TRUNCATED 40
#define FLIPPED   300
#define FLIP_ENDS 4096

/* The first @len bytes of it as a file: is something said of each address? */
static bool says_something(const struct small *small, size_t len)
{
	static const uint64_t offsets[] = { 0, 0x1b0, 0x1c0, 0x1d0, 0x600, UINT64_MAX };
	struct pmu_code *code = pmu_code_new();
	int fd = open(small->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	bool is = code && fd >= 0 && write(fd, small->bytes, len) == (ssize_t)len;

	for (size_t i = 0; is && i < sizeof(offsets) / sizeof(*offsets); i++) {
		const struct pmu_code_at at = { .path = small->path, .offset = offsets[i] };
		const struct pmu_code_place place = pmu_code_find(code, &at);

		is = place.function[0] && !strcmp(place.object, "small") &&
		     !place.line == !place.file[0];
	}
	if (fd >= 0)
		close(fd);
	pmu_code_free(code);
	return is;
}

static void truncated(const struct small *small)
{
	for (size_t i = 0; i < TRUNCATED; i++) {
		size_t len = small->len * i / TRUNCATED;

		if (!says_something(small, len)) {
			ok(false, "something is said of the first %zu bytes", len);
			return;
		}
	}
	ok(true, "something is said of a file that was cut off");
}

static void flipped(struct small *small)
{
	uint64_t state = 0x9e3779b97f4a7c15;
	size_t ends = small->len < FLIP_ENDS ? small->len : FLIP_ENDS;

	for (size_t i = 0; i < FLIPPED; i++) {
		size_t at;
		char was;

		state = state * 6364136223846793005u + 1442695040888963407u;
		at = (state >> 33) % ends;
		at = i % 2 ? at : small->len - 1 - at;
		was = small->bytes[at];
		small->bytes[at] = (char)(was ^ 1 << (state >> 61));
		if (!says_something(small, small->len)) {
			ok(false, "something is said with byte %zu flipped", at);
			return;
		}
		small->bytes[at] = was;
	}
	ok(true, "something is said of a file with a bit flipped");
}

/* A small one of each kind that the fuzz target begins with. */
static void of_damaged_files(void)
{
	static const char *const names[] = { "lines", "dwarf4", "compressed", "stripped",
					     "narrow" };
	struct small small;

	snprintf(small.path, sizeof(small.path), "%s/small", folder);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		char from[4096];

		snprintf(from, sizeof(from), "%s/tests/fuzz/corpus/code/%s", TEST_SRCDIR, names[i]);
		if (!ok(!pmu_textfile_read(from, SIZE_MAX, &small.bytes, &small.len), "%s is read",
			names[i]))
			continue;
		ok(says_something(&small, small.len), "something is said of it");
		truncated(&small);
		flipped(&small);
		free(small.bytes);
	}
	unlink(small.path);
}

UNIT_PART(code)
{
	struct pmu_code *code = pmu_code_new();

	if (!ok(code && mkdtemp(folder), "a folder"))
		return done_testing();
	alarm(600); /* for what blocks for ever */
	in_this_program(code);
	in_libc(code);
	in_stubs(code);
	without_names(code);
	without_a_file(code);
	in_the_vdso(code);
	of_a_compiler_at_run_time(code);
	of_other_files(code);
	of_long_names(code);
	by_any_compiler(code);
	pmu_code_free(code);
	pmu_code_free(NULL);
	of_damaged_files();
	rmdir(folder);
	return done_testing();
}
