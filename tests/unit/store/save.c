/* SPDX-License-Identifier: BSD-3-Clause */
/* A store is copied while its program goes on. */
#include "store/save.h"

#include <errno.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "simple.h"

static char folder[64], from[96], to[96];

/* --- a program that does something just behind a read of a chunk's head --- */

static void (*meanwhile)(int fd);
static off_t watched; /* that chunk's place */

/* In the place of libc's. */
ssize_t pread(int fd, void *bytes, size_t size, off_t offset)
{
	ssize_t n = syscall(SYS_pread64, fd, bytes, size, offset);

	if (meanwhile && offset == watched) {
		meanwhile(fd);
		meanwhile = NULL;
	}
	return n;
}

static void change(const void *bytes, size_t size, off_t offset)
{
	int fd = open(from, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || pwrite(fd, bytes, size, offset) != (ssize_t)size)
		abort();
	close(fd);
}

/* As pmu_table_trace_end() and pmu_chunk_new() do it: what is left gets a head, then the first its size. */
static void part(int fd)
{
	struct pmu_store_chunk head, rest = { .magic = PMU_STORE_CHUNK_MAGIC };
	uint32_t size = 256;

	if (syscall(SYS_pread64, fd, &head, sizeof(head), watched) != (ssize_t)sizeof(head))
		abort();
	rest.size = head.size - size;
	change(&rest, sizeof(rest), watched + size);
	change(&size, sizeof(size), watched + (off_t)offsetof(struct pmu_store_chunk, size));
}

/* --- tests --- */

static void what_is_behind_a_chunk_that_is_parted_is_kept(enum pmu_store_kind kind,
							  const char *name)
{
	struct pmu_store_group *group;
	struct pmu_store_thread *thread;
	struct build *build = simple(&group, &thread);
	struct pmu_store_chunk *chunk = build_chunk(build, kind, 4096 - sizeof(*chunk));
	struct pmu_store_trace *ring = (void *)(chunk + 1);
	struct pmu_model *model = NULL;

	if (kind == PMU_CHUNK_TRACE) {
		chunk->owner = build_chunk_of(thread)->owner;
		*ring = (struct pmu_store_trace){ .record_size = 24, .n_places = 100, .n = 1 };
	}
	build_row(build_thread(build, 0, group, 1, PMU_THREAD_LIVE, 8), group,
		  build_name(build, "behind"), 0, 7, 10);
	watched = (char *)chunk - build->bytes;
	if (write_store(from, build, build_head(build)->size))
		abort();
	meanwhile = part;
	is_int(pmu_store_save(from, NULL, to), 0, "it is copied");
	ok(!meanwhile, "%s is parted meanwhile", name);
	is_int(pmu_store_snapshot_file(to, &model), 0, "the copy can be read");
	if (model) {
		ok(!model->is_damaged, "it is whole");
		is_u64(calls_of(model, "behind"), 7, "what was behind it is there");
	}
	pmu_model_free(model);
	free(build);
}

static long size_of(const char *path)
{
	struct stat st;

	return stat(path, &st) ? -1 : (long)st.st_size;
}

static void what_was_there_stays_until_the_copy_is_whole(void)
{
	struct pmu_store_group *group;
	struct pmu_store_thread *thread;
	struct build *build = simple(&group, &thread);
	const struct rlimit little = { 8192, RLIM_INFINITY },
			    much = { RLIM_INFINITY, RLIM_INFINITY };
	char beside[128];

	build_chunk(build, PMU_CHUNK_META, 65536);
	if (write_store(from, build, build_head(build)->size))
		abort();
	unlink(to);
	is_int(pmu_store_save(from, NULL, to), 0, "a copy");
	chmod(to, 0640);
	setrlimit(RLIMIT_FSIZE, &little);
	is_int(pmu_store_save(from, NULL, to), -EFBIG, "there is no room for the next one");
	setrlimit(RLIMIT_FSIZE, &much);
	is_int(size_of(to), (long)build_head(build)->size, "the older one is there, whole");
	snprintf(beside, sizeof(beside), "%s.%ld.new", to, (long)getpid());
	ok(access(beside, F_OK), "and nothing beside it");
	build_chunk(build, PMU_CHUNK_META, 4096);
	if (write_store(from, build, build_head(build)->size))
		abort();
	is_int(pmu_store_save(from, NULL, to), 0, "another one, with room");
	is_int(size_of(to), (long)build_head(build)->size, "takes its place");
	free(build);
}

int main(void)
{
	strcpy(folder, "/tmp/pmu-save-XXXXXX");
	if (!mkdtemp(folder))
		return 1;
	snprintf(from, sizeof(from), "%s/from.pmu", folder);
	snprintf(to, sizeof(to), "%s/to.trace", folder);
	what_is_behind_a_chunk_that_is_parted_is_kept(PMU_CHUNK_FREE, "a free chunk");
	what_is_behind_a_chunk_that_is_parted_is_kept(PMU_CHUNK_TRACE, "a ring");
	what_was_there_stays_until_the_copy_is_whole();
	unlink(from);
	unlink(to);
	rmdir(folder);
	return done_testing();
}
