/* SPDX-License-Identifier: BSD-3-Clause */
/* A store's file in memory: mapped while its process runs and is ours, else copied. */
#define PMU_STORE_READER 1
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/owner.h"
#include "base/retry.h"
#include "store/place.h"
#include "store/read/snapshot.h"

/** A file's content. */
struct image {
	void *bytes;
	size_t size;
	bool mapped;
	bool cut;    /* the file ends before the store does */
	bool moving; /* copied while its process wrote to it */
	bool live;   /* its process may write to it */
};

/* A larger store is not copied although no process writes to it: memory may be smaller. */
#define LARGE (UINT64_C(64) << 20)

/* --- a mapped file that loses its end --- */

/* What is mapped; one at a time. */
static struct {
	uintptr_t first;
	size_t size;
	volatile sig_atomic_t lost;
	struct sigaction before;
} mapped;

/*
 * SIGBUS, for a look beyond the file's end: a page of zeroes goes there.  The reader trusts no byte
 * anyway.
 */
static void take_loss(int number, siginfo_t *info, void *context)
{
	uintptr_t page_size = (uintptr_t)sysconf(_SC_PAGESIZE),
		  page = (uintptr_t)info->si_addr & ~(page_size - 1);
	int saved = errno;

	(void)context;
	if (page - mapped.first >= mapped.size ||
	    mmap((void *)page, page_size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
		 0) == MAP_FAILED)
		sigaction(number, &mapped.before, NULL); /* not ours: it comes again */
	else
		mapped.lost = 1;
	errno = saved;
}

static void expect_loss(const struct image *image)
{
	struct sigaction action = { .sa_sigaction = take_loss, .sa_flags = SA_SIGINFO };

	mapped.first = (uintptr_t)image->bytes;
	mapped.size = image->size;
	mapped.lost = 0;
	sigemptyset(&action.sa_mask);
	sigaction(SIGBUS, &action, &mapped.before);
}

/* Return: whether there was any. */
static bool end_loss(void)
{
	sigaction(SIGBUS, &mapped.before, NULL);
	mapped.size = 0;
	return mapped.lost;
}

/* --- copies --- */

/* All of @size bytes from the file's begin; fewer where it ends.  Return: bytes, or a
 * negative errno. */
static ssize_t pread_all(int fd, char *bytes, size_t size)
{
	size_t done = 0;
	ssize_t n;

	while (done < size) {
		n = pread(fd, bytes + done, size - done, (off_t)done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n)
			break;
		done += (size_t)n;
	}
	return (ssize_t)done;
}

static int image_read(int fd, size_t size, struct image *image)
{
	ssize_t n;

	image->bytes = malloc(size);
	if (!image->bytes)
		return -ENOMEM;
	n = pread_all(fd, image->bytes, size);
	if (n < (ssize_t)PMU_STORE_HEAD_SIZE) {
		free(image->bytes);
		return n < 0 ? (int)n : -EIO;
	}
	image->size = (size_t)n;
	return 0;
}

/* Where the file still equals its copy, all of the copy is of one moment. */
static bool has_changed(int fd, const struct image *image)
{
	char bytes[4096];

	for (size_t at = 0; at < image->size; at += sizeof(bytes)) {
		size_t size = image->size - at < sizeof(bytes) ? image->size - at : sizeof(bytes);

		if (PMU_RETRY(pread(fd, bytes, size, (off_t)at)) != (ssize_t)size ||
		    memcmp(bytes, (const char *)image->bytes + at, size))
			return true;
	}
	return false;
}

/* Of another user's process: that user may change or cut the file at any time. */
static int image_copy(int fd, size_t size, struct image *image)
{
	int rc = image_read(fd, size, image);

	if (rc)
		return rc;
	image->cut = image->size < ((const struct pmu_store_head *)image->bytes)->size;
	image->moving = has_changed(fd, image);
	return 0;
}

/* Rows are read by their protocol, so they must be the process's own memory, not a copy
 * of it. */
static int image_map(int fd, size_t size, struct image *image)
{
	const struct pmu_store_head *head;
	struct stat st;
	uint64_t used;

	image->bytes = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	if (image->bytes == MAP_FAILED)
		return -errno;
	image->size = size;
	image->mapped = true;
	head = image->bytes;
	/* The file grows before the store does: what it does not hold by now stays in
	 * memory only. */
	used = __atomic_load_n(&head->size, __ATOMIC_ACQUIRE);
	image->cut = !fstat(fd, &st) && (uint64_t)st.st_size < used;
	return 0;
}

static void image_free(struct image *image)
{
	if (image->mapped)
		munmap(image->bytes, image->size);
	else
		free(image->bytes);
}

/* The head as it is now, checked. */
static int head_read(int fd, const char *path, struct pmu_store_head *head, uint64_t *size)
{
	struct stat st;
	ssize_t n;
	int rc;

	if (fstat(fd, &st))
		return pmu_fail(errno, "cannot examine %s: %s", path, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return pmu_fail(EINVAL, "%s is not an ordinary file", path);
	*size = (uint64_t)st.st_size;
	memset(head, 0, sizeof(*head));
	n = pread_all(fd, (char *)head, sizeof(*head));
	if (n < 0)
		return pmu_fail((int)n, "cannot read %s: %s", path, strerror((int)-n));
	rc = pmu_store_check_head(head, *size);
	if (!rc && *size > PMU_STORE_MAX_SIZE)
		rc = pmu_fail(EUCLEAN, "too large for a store");
	return rc;
}

static int image_load(int fd, const char *path, const struct pmu_store_head *head, uint64_t size,
		      struct image *image)
{
	bool alive = !head->ended && pmu_store_liveness(head) == PMU_PROCESS_ALIVE;
	struct stat st;
	int rc;

	memset(image, 0, sizeof(*image));
	image->live = alive;
	if (!alive && size > LARGE) {
		rc = image_map(fd, size, image);
	} else if (alive && !pmu_owner_stat(fd, &st) && st.st_uid == pmu_owner_self()) {
		rc = image_map(fd, size, image);
	} else if (alive) {
		rc = image_copy(fd, size, image);
	} else {
		rc = image_read(fd, size < head->size ? size : head->size, image);
		image->cut = !rc && image->size < head->size;
	}
	if (rc)
		return pmu_fail(rc, "cannot read %s: %s", path, strerror(-rc));
	return 0;
}

/* --- looks --- */

typedef int look_fn(const struct pmu_store_view *view, unsigned int is, void *arg);

static int look_at_image(const struct image *image, look_fn *look, void *arg)
{
	struct pmu_store_piece piece = { .base = image->bytes, .offset = 0, .size = image->size };
	struct pmu_store_view view = { .piece = &piece, .n_pieces = 1 };
	unsigned int is = image->mapped ? PMU_STORE_FILE : 0;

	if (image->live && image->mapped)
		is |= PMU_STORE_LIVE;
	return look(&view, is, arg);
}

/* @undo: what @look has made is of no use */
static int look_safely(const struct image *image, const char *path, look_fn *look, void *arg,
		       void (*undo)(void *arg))
{
	int rc;

	if (!image->mapped)
		return look_at_image(image, look, arg);
	expect_loss(image);
	rc = look_at_image(image, look, arg);
	if (!end_loss())
		return rc;
	if (!rc && undo)
		undo(arg);
	return pmu_fail(EIO,
			"%s became shorter while it was read: its process or another one cut it",
			path);
}

static int open_store_file(const char *path)
{
	int fd = PMU_RETRY(open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));

	if (fd < 0)
		return pmu_fail(errno, "cannot open %s: %s", path,
				errno == ELOOP ? "it is a symbolic link" : strerror(errno));
	return fd;
}

static int open_image(int fd, const char *path, struct image *image)
{
	struct pmu_store_head head;
	uint64_t size = 0;
	int rc = head_read(fd, path, &head, &size);

	return rc ? rc : image_load(fd, path, &head, size, image);
}

int pmu_store_look(const char *path, look_fn *look, void *arg)
{
	int fd = open_store_file(path), rc;
	struct image image;

	if (fd < 0)
		return fd;
	rc = open_image(fd, path, &image);
	close(fd);
	if (rc)
		return rc;
	rc = look_safely(&image, path, look, arg, NULL);
	image_free(&image);
	return rc;
}

/* --- a model --- */

struct snapshot {
	const struct image *image;
	struct pmu_model *model;
};

static int take_snapshot(const struct pmu_store_view *view, unsigned int is, void *arg)
{
	struct snapshot *snapshot = arg;
	int rc = pmu_store_snapshot(view, NULL, &snapshot->model);

	(void)is;
	if (!rc)
		snapshot->model->is_damaged |= snapshot->image->cut;
	if (!rc && snapshot->image->cut)
		rc = pmu_model_add_note(snapshot->model,
					"the file ends before the store does (it was cut, or its "
					"disk was full): what lay beyond is lost");
	if (!rc && snapshot->image->moving)
		rc = pmu_model_add_note(
			snapshot->model,
			"another user's process ran on while its results were copied: what it "
			"published meanwhile may be here in part");
	return rc;
}

static void drop_snapshot(void *arg)
{
	pmu_model_free(((struct snapshot *)arg)->model);
}

int pmu_store_snapshot_open(int fd, const char *path, struct pmu_model **model)
{
	struct image image;
	struct snapshot snapshot = { &image, NULL };
	int rc = open_image(fd, path, &image);

	if (rc)
		return rc;
	rc = look_safely(&image, path, take_snapshot, &snapshot, drop_snapshot);
	image_free(&image);
	if (!rc)
		*model = snapshot.model;
	return rc;
}

int pmu_store_snapshot_file(const char *path, struct pmu_model **model)
{
	int fd = open_store_file(path), rc;

	if (fd < 0)
		return fd;
	rc = pmu_store_snapshot_open(fd, path, model);
	close(fd);
	return rc;
}
