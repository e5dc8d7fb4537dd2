/* SPDX-License-Identifier: BSD-3-Clause */
/* The stores of this user: which there are, and which may go. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "pmu.h"
#include "store/place.h"
#include "store/place_dirs.h"
#include "store/snapshot.h"

/* The program's name stands early on: chunks looked at, and bytes of each. */
#define LOOK_CHUNKS 64
#define LOOK_SIZE   4096u
/* A store of another machine or container whose fate cannot be told may go after this. */
#define FOREIGN_KEEP_NS (30ull * 24 * 3600 * 1000000000u)

struct listing {
	struct pmu_store_entry *entry;
	size_t n;
	size_t room;
};

static struct pmu_store_entry *listing_add(struct listing *list)
{
	struct pmu_store_entry *grown;
	size_t room;

	if (list->n == list->room) {
		room = list->room ? 2 * list->room : 16;
		grown = reallocarray(list->entry, room, sizeof(*grown));
		if (!grown)
			return NULL;
		list->entry = grown;
		list->room = room;
	}
	memset(&list->entry[list->n], 0, sizeof(list->entry[0]));
	return &list->entry[list->n++];
}

/* Return: whether the program's name was among the records of a META chunk at @offset. */
static bool find_in_meta(int fd, uint64_t offset, const struct pmu_chunk_copy *chunk,
			 struct pmu_store_entry *entry)
{
	_Alignas(8) char bytes[LOOK_SIZE];
	size_t used = chunk->used < sizeof(bytes) ? chunk->used : sizeof(bytes), pos = 0;
	ssize_t n = pread(fd, bytes, used, (off_t)(offset + sizeof(struct pmu_store_chunk)));
	struct pmu_record record;

	while (n > 0 && pmu_meta_next(bytes, (size_t)n, &pos, &record) > 0) {
		if (record.id != PMU_META_PROGRAM)
			continue;
		snprintf(entry->program, sizeof(entry->program), "%.*s", (int)record.len,
			 record.text);
		return true;
	}
	return false;
}

static void find_program(int fd, uint64_t size, struct pmu_store_entry *entry)
{
	struct pmu_store_chunk chunk;
	struct pmu_chunk_copy copy;
	uint64_t offset = PMU_STORE_HEAD_SIZE;
	int i;

	for (i = 0; i < LOOK_CHUNKS && offset < size; i++) {
		if (pread(fd, &chunk, sizeof(chunk), (off_t)offset) != sizeof(chunk) ||
		    !pmu_chunk_check(&chunk, size - offset, &copy))
			return;
		if (copy.kind == PMU_CHUNK_META && find_in_meta(fd, offset, &copy, entry))
			return;
		offset += copy.size;
	}
}

/* A store killed before its head was written still bears its owner's name. */
static bool head_from_name(const char *name, struct pmu_store_head *head)
{
	int end = -1;

	memset(head, 0, sizeof(*head));
	sscanf(name, "%" SCNd32 "-%" SCNu64 "-%*u.pmu%n", &head->pid, &head->start_time, &end);
	return end > 0 && !name[end] && head->pid > 0;
}

static bool entry_fill(int fd, const char *name, const struct stat *st,
		       struct pmu_store_entry *entry)
{
	struct pmu_store_head head;
	ssize_t n = pread(fd, &head, sizeof(head), 0);

	entry->size = (uint64_t)st->st_size;
	entry->start_unix_ns = (uint64_t)st->st_mtim.tv_sec * 1000000000u +
			       (uint64_t)st->st_mtim.tv_nsec;
	snprintf(entry->program, sizeof(entry->program), "?");
	if (n == sizeof(head) && !pmu_store_check_head(&head, entry->size)) {
		entry->start_unix_ns = head.start_unix_ns;
		find_program(fd, head.size < entry->size ? head.size : entry->size, entry);
	} else if (!head_from_name(name, &head)) {
		return false;
	}
	entry->pid = head.pid;
	entry->fate = pmu_store_fate(&head);
	entry->ended = head.ended || head.next == PMU_NEXT_EXEC;
	return true;
}

static bool is_store_name(const char *name)
{
	size_t len = strlen(name);

	return len > 4 && !strcmp(name + len - 4, ".pmu");
}

/* One file of a folder; anything that is not a store of ours is passed over. */
static int list_file(struct listing *list, const char *place, int dir_fd, const char *name)
{
	struct pmu_store_entry *entry;
	struct stat st;
	int fd;

	if (!is_store_name(name))
		return 0;
	fd = openat(dir_fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return 0;
	entry = NULL;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_uid == geteuid()) {
		entry = listing_add(list);
		if (!entry) {
			close(fd);
			return -ENOMEM;
		}
		if (!entry_fill(fd, name, &st, entry) ||
		    (size_t)snprintf(entry->path, sizeof(entry->path), "%s/%s", place, name) >=
			    sizeof(entry->path))
			list->n--;
	}
	close(fd);
	return 0;
}

static DIR *open_place(const char *place)
{
	const char *why;
	DIR *dir;
	int fd;

	fd = pmu_place_open(place, 0, &why);
	if (fd < 0)
		return NULL;
	dir = fdopendir(fd);
	if (!dir)
		close(fd);
	return dir;
}

static int list_place(struct listing *list, const char *place)
{
	DIR *dir = open_place(place);
	struct dirent *file;
	int rc = 0;

	while (dir && !rc && (file = readdir(dir)))
		rc = list_file(list, place, dirfd(dir), file->d_name);
	if (dir)
		closedir(dir);
	return rc;
}

/* By their names alone: every session begins with this. */
static int count_stores(const char *place)
{
	DIR *dir = open_place(place);
	struct dirent *file;
	int n = 0;

	while (dir && (file = readdir(dir)))
		n += is_store_name(file->d_name);
	if (dir)
		closedir(dir);
	return n;
}

static int newest_first(const void *a, const void *b)
{
	const struct pmu_store_entry *x = a, *y = b;

	if (x->start_unix_ns != y->start_unix_ns)
		return x->start_unix_ns < y->start_unix_ns ? 1 : -1;
	return strcmp(x->path, y->path);
}

int pmu_store_list(struct pmu_store_entry **entries)
{
	char place[PMU_N_PLACES][PMU_PLACE_MAX];
	struct listing list = { 0 };
	size_t n, before;
	int rc = 0;

	*entries = NULL;
	for (n = 0; n < PMU_N_PLACES && !rc; n++) {
		if (pmu_place_path(n, place[n])) {
			place[n][0] = '\0';
			continue;
		}
		/* two variables may name one folder */
		for (before = 0; before < n && strcmp(place[before], place[n]); before++)
			;
		if (before == n)
			rc = list_place(&list, place[n]);
	}
	if (rc || !list.n) {
		free(list.entry);
		return rc ? pmu_fail(rc, "no memory for a list of stores") : 0;
	}
	qsort(list.entry, list.n, sizeof(list.entry[0]), newest_first);
	*entries = list.entry;
	return (int)list.n;
}

int pmu_store_list_folder(const char *folder, struct pmu_store_entry **entries)
{
	struct listing list = { 0 };
	int rc = list_place(&list, folder);

	*entries = list.entry;
	return rc ? pmu_fail(rc, "no memory for a list of stores") : (int)list.n;
}

static bool may_go(const struct pmu_store_entry *entry, uint64_t now_ns)
{
	if (entry->fate == PMU_STORE_FOREIGN)
		return entry->start_unix_ns < now_ns &&
		       now_ns - entry->start_unix_ns > FOREIGN_KEEP_NS;
	return entry->fate == PMU_STORE_DEAD;
}

/* Each folder by itself: what lies in one is no reason to remove something from another.
 */
static int prune_place(const char *place, uint64_t now_ns)
{
	struct listing list = { 0 };
	int kept = 0, removed = 0;
	size_t i;

	if (count_stores(place) <= PMU_STORE_KEEP)
		return 0;
	if (!list_place(&list, place) && list.n) {
		qsort(list.entry, list.n, sizeof(list.entry[0]), newest_first);
		for (i = 0; i < list.n; i++)
			if (may_go(&list.entry[i], now_ns) && ++kept > PMU_STORE_KEEP)
				removed += !unlink(list.entry[i].path);
	}
	free(list.entry);
	return removed;
}

int pmu_store_prune(void)
{
	char place[PMU_PLACE_MAX];
	struct timespec now;
	int removed = 0;
	size_t n;

	clock_gettime(CLOCK_REALTIME, &now);
	for (n = 0; n < PMU_N_PLACES; n++)
		if (!pmu_place_path(n, place))
			removed += prune_place(place, (uint64_t)now.tv_sec * 1000000000u);
	return removed;
}
