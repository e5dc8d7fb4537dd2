/* SPDX-License-Identifier: BSD-3-Clause */
/* The stores of this user: which there are, and which may go. */
#define PMU_STORE_READER 1
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/owner.h"
#include "base/place.h"
#include "base/retry.h"
#include "base/sysfile.h"
#include "base/time.h"
#include "pmu.h"
#include "store/place.h"
#include "store/read/check.h"
#include "store/read/list.h"
#include "store/read/snapshot.h"

/* The program's name stands early on: chunks looked at, and bytes of each. */
#define LOOK_CHUNKS 64
#define LOOK_SIZE   4096u
/* Left-overs that a session looks at before it finds that one seems to be due. */
#define LOOK_FILES 4
/* Bytes of names that are read at once; what leaves so many free was the last. */
#define NAMES_SIZE 16384
#define NAME_ROOM  512
#define DAY_NS     (24ull * 3600 * 1000000000u)
/* A dead store is made read-only once; the file's time is then when it was found dead. */
#define FOUND_MODE 0400

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
	ssize_t n = PMU_RETRY(
		pread(fd, bytes, used, (off_t)(offset + sizeof(struct pmu_store_chunk))));
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
	struct pmu_chunk_copy copy;
	uint64_t offset = PMU_STORE_HEAD_SIZE;
	int i;

	for (i = 0; i < LOOK_CHUNKS && offset < size; i++) {
		if (!pmu_chunk_read(fd, offset, size, &copy))
			return;
		if (copy.kind == PMU_CHUNK_META && find_in_meta(fd, offset, &copy, entry))
			return;
		offset += copy.size;
	}
}

bool pmu_store_head_of_name(const char *name, struct pmu_store_head *head)
{
	int end = -1;

	memset(head, 0, sizeof(*head));
	sscanf(name, "%" SCNd32 "-%" SCNu64 "-%*u.pmu%n", &head->pid, &head->start_time, &end);
	return end > 0 && !name[end] && head->pid > 0;
}

/* Stores have holes where threads' rings may grow. */
static uint64_t taken_by(const struct stat *st)
{
	return (uint64_t)st->st_blocks * 512;
}

/* @reported: result: its report is written, but it could not be removed */
static bool entry_fill(int fd, const char *name, const struct stat *st,
		       struct pmu_store_entry *entry, bool *reported)
{
	struct pmu_store_head head;
	ssize_t n = PMU_RETRY(pread(fd, &head, sizeof(head), 0));
	uint64_t length = (uint64_t)st->st_size;

	entry->size = taken_by(st);
	entry->changed_unix_ns = pmu_time_ns(st->st_mtim);
	entry->found = (st->st_mode & 0777) == FOUND_MODE;
	entry->start_unix_ns = entry->changed_unix_ns;
	snprintf(entry->program, sizeof(entry->program), "?");
	if (n == sizeof(head) && !pmu_store_check_head(&head, length)) {
		entry->start_unix_ns = head.start_unix_ns;
		find_program(fd, head.size < length ? head.size : length, entry);
	} else if (!pmu_store_head_of_name(name, &head)) {
		return false;
	}
	entry->pid = head.pid;
	entry->process = pmu_store_process(&head);
	entry->liveness = pmu_process_liveness_here(&entry->process);
	entry->ended = head.ended || head.next == PMU_NEXT_EXEC;
	*reported = n == sizeof(head) && head.ended == PMU_STORE_REPORTED;
	return true;
}

static bool is_store_name(const char *name)
{
	size_t len = strlen(name);

	return len > 4 && !strcmp(name + len - 4, ".pmu");
}

/* All that its name says: it cannot be opened now, and a caller that reads it is told why. */
static bool entry_fill_unseen(const char *name, struct pmu_store_entry *entry)
{
	struct pmu_store_head head;

	if (!pmu_store_head_of_name(name, &head))
		return false;
	entry->pid = head.pid;
	entry->process = pmu_store_process(&head);
	entry->liveness = pmu_process_liveness_here(&entry->process);
	entry->changed_unix_ns = UINT64_MAX; /* not known to be old */
	snprintf(entry->program, sizeof(entry->program), "?");
	return true;
}

/* One whose report is written is removed. */
static int list_opened(struct listing *list, const char *place, int dir_fd, int fd,
		       const char *name)
{
	struct pmu_store_entry *entry;
	bool reported = false;
	struct stat st;
	bool is_seen = fd >= 0 && !pmu_owner_stat(fd, &st);

	if (is_seen && (!S_ISREG(st.st_mode) || st.st_uid != pmu_owner_self()))
		return 0;
	entry = listing_add(list);
	if (!entry)
		return -ENOMEM;
	if (!(is_seen ? entry_fill(fd, name, &st, entry, &reported)
		      : entry_fill_unseen(name, entry)) ||
	    reported ||
	    (size_t)snprintf(entry->path, sizeof(entry->path), "%s/%s", place, name) >=
		    sizeof(entry->path))
		list->n--;
	if (reported)
		unlinkat(dir_fd, name, 0);
	return 0;
}

/* One file of a folder; anything that is not a store of ours is passed over. */
static int list_store_file(struct listing *list, const char *place, int dir_fd, const char *name)
{
	int fd, rc;

	if (!is_store_name(name))
		return 0;
	fd = PMU_RETRY(openat(dir_fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
	if (fd < 0 && (errno == ENOENT || errno == ELOOP))
		return 0;
	rc = list_opened(list, place, dir_fd, fd, name);
	if (fd >= 0)
		close(fd);
	return rc;
}

/* Return: NULL, and @error is a negative errno. */
static DIR *open_store_folder(const char *place, int *error)
{
	const char *why;
	DIR *dir;
	int fd;

	fd = pmu_place_open(place, 0, &why);
	*error = fd;
	if (fd < 0)
		return NULL;
	dir = fdopendir(fd);
	*error = dir ? 0 : -errno;
	if (!dir)
		close(fd);
	return dir;
}

/* @pid: only stores of that process, by their names; 0: all. */
static int list_place(struct listing *list, const char *place, int32_t pid)
{
	struct pmu_store_head head;
	struct dirent *file;
	int rc;
	DIR *dir = open_store_folder(place, &rc);

	while (dir && !rc) {
		errno = 0;
		file = readdir(dir);
		if (!file) {
			rc = -errno;
			break;
		}
		if (!pid || (pmu_store_head_of_name(file->d_name, &head) && head.pid == pid))
			rc = list_store_file(list, place, dirfd(dir), file->d_name);
	}
	if (dir)
		closedir(dir);
	return rc;
}

static int newest_first(const void *a, const void *b)
{
	const struct pmu_store_entry *x = a, *y = b;

	if (x->start_unix_ns != y->start_unix_ns)
		return x->start_unix_ns < y->start_unix_ns ? 1 : -1;
	return strcmp(x->path, y->path);
}

/* For a list that people read: a container's process may be visible from here, in /proc. */
static void look_further(struct listing *list)
{
	for (size_t i = 0; i < list->n; i++) {
		struct pmu_store_entry *entry = &list->entry[i];

		if (entry->liveness == PMU_PROCESS_FOREIGN)
			entry->liveness = pmu_process_liveness(&entry->process);
	}
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
		/* what cannot be looked into has none of ours */
		if (before == n && list_place(&list, place[n], 0) == -ENOMEM)
			rc = -ENOMEM;
	}
	if (rc || !list.n) {
		free(list.entry);
		return rc ? pmu_fail(rc, "no memory for a list of stores") : 0;
	}
	look_further(&list);
	qsort(list.entry, list.n, sizeof(list.entry[0]), newest_first);
	*entries = list.entry;
	return (int)list.n;
}

int pmu_store_list_process(const char *folder, int32_t pid, struct pmu_store_entry **entries)
{
	struct listing list = { 0 };
	int rc = list_place(&list, folder, pid);

	look_further(&list);
	*entries = list.entry;
	if (rc < 0 && rc != -ENOENT && rc != -EPERM)
		return pmu_fail(rc, "cannot list the stores in %s: %s", folder, strerror(-rc));
	return (int)list.n;
}

int pmu_store_list_folder(const char *folder, struct pmu_store_entry **entries)
{
	return pmu_store_list_process(folder, 0, entries);
}

/* --- what is kept --- */

struct keeping {
	uint64_t now_ns, age_ns; /* older ones go */
	uint64_t most_bytes;     /* of all that are left over in a folder */
};

/* What is no number above zero is told where settings are read. */
static uint64_t limit(const char *variable, uint64_t fallback)
{
	const char *text = secure_getenv(variable);
	uint64_t value;

	return text && !pmu_parse_u64(text, &value) && value && value <= UINT32_MAX ? value
										    : fallback;
}

static struct keeping keeping_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (struct keeping){
		.now_ns = (uint64_t)now.tv_sec * 1000000000u,
		.age_ns = limit(PMU_STORE_DAYS_VARIABLE, PMU_STORE_DAYS) * DAY_NS,
		.most_bytes = limit(PMU_STORE_MIB_VARIABLE, PMU_STORE_MIB) << 20,
	};
}

static bool is_older(const struct keeping *keeping, uint64_t unix_ns)
{
	return unix_ns < keeping->now_ns && keeping->now_ns - unix_ns > keeping->age_ns;
}

/* Adds what a file takes.  Return: it is an old one. */
static bool look_at_kept(const struct keeping *keeping, int dir_fd, const char *name,
			 uint64_t *bytes)
{
	struct stat st;

	if (fstatat(dir_fd, name, &st, AT_SYMLINK_NOFOLLOW))
		return false;
	*bytes += taken_by(&st);
	return is_older(keeping, pmu_time_ns(st.st_mtim));
}

/* No file is opened for this: every run begins with it. */
static bool may_any_go(const struct keeping *keeping, const char *place)
{
	int error;
	DIR *dir = open_store_folder(place, &error);
	struct dirent *file;
	uint64_t bytes = 0;
	bool any = false;

	while (dir && !any && (file = readdir(dir)))
		if (is_store_name(file->d_name))
			any = look_at_kept(keeping, dirfd(dir), file->d_name, &bytes) ||
			      bytes > keeping->most_bytes;
	if (dir)
		closedir(dir);
	return any;
}

/* Of a folder's names a few, drawn by chance. */
struct drawn {
	char name[LOOK_FILES][64];
	size_t n;
	size_t n_all;
};

static void draw_file(struct drawn *drawn, const char *name)
{
	size_t at = drawn->n, len = strlen(name);

	if (len >= sizeof(drawn->name[0]))
		return; /* none of ours */
	drawn->n_all++;
	if (drawn->n < LOOK_FILES)
		drawn->n++;
	else
		at = (size_t)(pmu_time_now_ns(CLOCK_MONOTONIC) % drawn->n_all);
	if (at < LOOK_FILES)
		memcpy(drawn->name[at], name, len + 1);
}

/* readdir() and what belongs to it would be four system calls more. */
static void draw_all(struct drawn *drawn, int dir_fd)
{
	_Alignas(struct dirent64) char bytes[NAMES_SIZE];
	long n;

	do {
		n = syscall(SYS_getdents64, dir_fd, bytes, sizeof(bytes));
		for (long at = 0; at < n;) {
			const struct dirent64 *file = (const void *)(bytes + at);

			if (is_store_name(file->d_name))
				draw_file(drawn, file->d_name);
			at += file->d_reclen;
		}
	} while (n > NAMES_SIZE - NAME_ROOM);
}

/* Every session begins with this: those drawn stand for all. */
static bool seems_any_to_go(const struct keeping *keeping, const char *place)
{
	struct drawn drawn = { .n = 0 };
	uint64_t bytes = 0;
	bool any = false;
	const char *why;
	int fd = pmu_place_open(place, 0, &why);

	if (fd < 0)
		return false;
	draw_all(&drawn, fd);
	for (size_t i = 0; i < drawn.n && !any; i++)
		any = look_at_kept(keeping, fd, drawn.name[i], &bytes);
	close(fd);
	return any || (drawn.n && bytes / drawn.n * drawn.n_all > keeping->most_bytes);
}

static void note_found(const struct pmu_store_entry *entry)
{
	if (!chmod(entry->path, FOUND_MODE))
		utimensat(AT_FDCWD, entry->path, NULL, AT_SYMLINK_NOFOLLOW);
}

/* Of one that no process writes to.  One elsewhere is looked for now, which takes all of /proc. */
static bool is_too_old(const struct keeping *keeping, const struct pmu_store_entry *entry)
{
	if (!is_older(keeping, entry->changed_unix_ns))
		return false;
	if (entry->liveness == PMU_PROCESS_FOREIGN)
		return pmu_process_liveness(&entry->process) == PMU_PROCESS_FOREIGN;
	if (entry->found)
		return true;
	note_found(entry);
	return false;
}

/* Each folder by itself: what lies in one is no reason to remove something from another.
 */
static int prune_place(const struct keeping *keeping, const char *place)
{
	struct listing list = { 0 };
	uint64_t bytes = 0;
	unsigned int n_dead = 0;
	int removed = 0;

	if (!may_any_go(keeping, place))
		return 0;
	if (!list_place(&list, place, 0) && list.n) {
		qsort(list.entry, list.n, sizeof(list.entry[0]), newest_first);
		for (size_t i = 0; i < list.n; i++) {
			const struct pmu_store_entry *entry = &list.entry[i];

			if (entry->liveness == PMU_PROCESS_DEAD)
				bytes += entry->size;
			else if (entry->liveness != PMU_PROCESS_FOREIGN)
				continue;
			n_dead += entry->liveness == PMU_PROCESS_DEAD;
			/* the newest stays: with calls of many threads it may be larger than all that */
			if (is_too_old(keeping, entry) ||
			    (entry->liveness == PMU_PROCESS_DEAD && n_dead > 1 &&
			     bytes > keeping->most_bytes))
				removed += !unlink(entry->path);
		}
	}
	free(list.entry);
	return removed;
}

int pmu_store_prune_folder(const char *folder)
{
	struct keeping keeping = keeping_now();

	return prune_place(&keeping, folder);
}

int pmu_store_prune_beside(const char *path)
{
	struct keeping keeping = keeping_now();
	const char *slash = strrchr(path, '/');
	char place[PMU_PLACE_MAX];

	if (!slash || (size_t)snprintf(place, sizeof(place), "%.*s", (int)(slash - path), path) >=
			      sizeof(place))
		return 0;
	return seems_any_to_go(&keeping, place) ? prune_place(&keeping, place) : 0;
}

int pmu_store_prune(void)
{
	struct keeping keeping = keeping_now();
	char place[PMU_PLACE_MAX];
	int removed = 0;

	for (size_t n = 0; n < PMU_N_PLACES; n++)
		if (!pmu_place_path(n, place))
			removed += prune_place(&keeping, place);
	return removed;
}
