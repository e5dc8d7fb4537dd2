/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs a fuzz target without libFuzzer: over its corpus and a fixed set of mutations of
 * each file. "NAME FILE [MUTATION [LAST]]" runs one of them, or all from one to another, in this process.
 */
#include <dirent.h>
#include <errno.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/fuzz/fuzz.h"
#include "tests/sanitized.h"
#include "tests/tap.h"

/* Sanitizers take ten times as long, and libFuzzer runs with them anyway. */
#if TEST_SANITIZED
#define MUTATIONS 200
#else
#define MUTATIONS 2000
#endif
#define EDITS_MAX 8
#define FILE_MAX  (1u << 20)
/* One file's mutations take seconds; this is for a target that never comes back. */
#define PATIENCE_S 600

struct input {
	uint8_t *data;
	size_t size;
};

static bool input_load(const char *path, struct input *in)
{
	FILE *file = fopen(path, "rb");

	*in = (struct input){ 0 };
	if (!file)
		return false;
	in->data = malloc(FILE_MAX);
	in->size = in->data ? fread(in->data, 1, FILE_MAX, file) : 0;
	fclose(file);
	return in->data;
}

/* xorshift64*: the same numbers everywhere */
static uint64_t next_random(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * 0x2545f4914f6cdd1dull;
}

static void edit(struct input *in, uint64_t *state)
{
	static const uint8_t nasty[] = { 0x00, 0x01, 0x7f, 0x80, 0xff, '"', '\\', '\n', '-', '9' };
	size_t at, len;

	if (!in->size)
		return;
	at = next_random(state) % in->size;
	len = next_random(state) % 16 + 1;
	len = len < in->size - at ? len : in->size - at;
	switch (next_random(state) % 6) {
	case 0:
		in->data[at] ^= (uint8_t)(1u << next_random(state) % 8);
		break;
	case 1:
		in->data[at] = nasty[next_random(state) % sizeof(nasty)];
		break;
	case 2:
		in->size = at;
		break;
	case 3: /* leave a piece out */
		memmove(in->data + at, in->data + at + len, in->size - at - len);
		in->size -= len;
		break;
	case 4: /* a piece twice */
		if (in->size + len > FILE_MAX)
			break;
		memmove(in->data + at + len, in->data + at, in->size - at);
		in->size += len;
		break;
	default: /* a piece from elsewhere */
		memmove(in->data + at, in->data + next_random(state) % (in->size - len + 1), len);
	}
}

/* Mutation 0 is the file itself.  The target gets memory of exactly its input's size. */
static void run_one(const struct input *file, unsigned int mutation)
{
	uint64_t state = 0x9e3779b97f4a7c15ull * (mutation + 1);
	struct input in = { malloc(FILE_MAX), file->size };
	uint8_t *exact;

	if (!in.data)
		abort();
	memcpy(in.data, file->data, file->size);
	if (mutation)
		for (uint64_t n = next_random(&state) % EDITS_MAX + 1; n; n--)
			edit(&in, &state);
	exact = malloc(in.size ? in.size : 1);
	if (!exact)
		abort();
	memcpy(exact, in.data, in.size);
	free(in.data);
	LLVMFuzzerTestOneInput(exact, in.size);
	free(exact);
}

/* In a child, so that a crash names the mutation it happened at. */
static void survives(const char *path, const char *name)
{
	volatile unsigned int *at = mmap(NULL, sizeof(*at), PROT_READ | PROT_WRITE,
					 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct input file;
	int status = 0;
	pid_t child;

	if (at == MAP_FAILED || !input_load(path, &file)) {
		ok(false, "%s cannot be read: %s", name, strerror(errno));
		return;
	}
	fflush(stdout);
	child = fork();
	if (!child) {
		alarm(PATIENCE_S);
		for (*at = 0; *at <= MUTATIONS; ++*at)
			run_one(&file, *at);
		free(file.data);
		exit(0); /* not _exit: a leak is an error too */
	}
	free(file.data);
	if (child < 0 || waitpid(child, &status, 0) != child)
		ok(false, "%s: no child: %s", name, strerror(errno));
	else if (!ok(!status, "%s and %d mutations", name, MUTATIONS))
		diag("wait status 0x%x at mutation %u of %s", status, *at, path);
	munmap((void *)at, sizeof(*at));
}

static int no_dots(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

/* What is asked for by hand. */
static int run_some(int argc, char **argv)
{
	unsigned int first = argc > 2 ? (unsigned int)strtoul(argv[2], NULL, 10) : 0;
	unsigned int last = argc > 3 ? (unsigned int)strtoul(argv[3], NULL, 10) : first;
	struct input file;

	if (!input_load(argv[1], &file))
		return 2;
	for (unsigned int i = first; i <= last; i++)
		run_one(&file, i);
	free(file.data);
	return 0;
}

int main(int argc, char **argv)
{
	const char *slash = strrchr(argv[0], '/');
	const char *name = slash ? slash + 1 : argv[0];
	struct dirent **entry;
	char dir[2048], path[4096];
	int n;

	if (argc > 1)
		return run_some(argc, argv);
	snprintf(dir, sizeof(dir), "%s/tests/fuzz/corpus/%s", TEST_SRCDIR, name);
	n = scandir(dir, &entry, no_dots, alphasort);
	ok(n > 0, "there is a corpus in %s", dir);
	for (int i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, entry[i]->d_name);
		survives(path, entry[i]->d_name);
		free(entry[i]);
	}
	if (n >= 0)
		free(entry);
	return done_testing();
}
