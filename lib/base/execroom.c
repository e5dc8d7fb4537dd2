/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rooms are mapped where none is free, and stay.  Each has a futex word with its owner: a
 * task that shares this memory with its parent registers the room as a robust mutex that it holds,
 * and an exec that works is to the kernel the end of a mutex's owner (robust_list(2); Linux:
 * exec_mm_release()).
 */
#include "base/execroom.h"

#include <errno.h>
#include <linux/futex.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ROOM_MIN ((size_t)16 << 10) /* bytes; twice and twice again for more */
#define NO_TASK  FUTEX_TID_MASK     /* an owner that is no task: the kernel finds it nowhere */

struct room {
	struct room *next;
	size_t size;    /* of the memory */
	uint32_t owner; /* the task, and the kernel's FUTEX_OWNER_DIED; 0: free */
	bool registered;
	struct robust_list link;
	struct robust_list_head list; /* of the task's rooms, where this is the last that it took */
	_Alignas(16) char memory[];
};

static struct room *rooms; /* only added to */

/* Its memory may be its parent's: a first task, for which libc has registered no list of its own. */
static bool may_share(uint32_t task)
{
	struct robust_list_head *list = NULL;
	size_t size;

	return task == (uint32_t)getpid() && !syscall(SYS_get_robust_list, 0, &list, &size) &&
	       !list;
}

static void register_rooms(struct room *last, uint32_t task)
{
	struct robust_list *end = &last->list.list;

	last->list.futex_offset = (long)offsetof(struct room, owner) -
				  (long)offsetof(struct room, link);
	last->list.list_op_pending = NULL;
	for (struct room *room = rooms; room; room = room->next)
		if (__atomic_load_n(&room->owner, __ATOMIC_RELAXED) == task) {
			end->next = &room->link;
			end = &room->link;
		}
	end->next = &last->list.list;
	last->registered = !syscall(SYS_set_robust_list, &last->list, sizeof(last->list));
}

static struct room *take_free(size_t size, uint32_t owner)
{
	struct room *room = __atomic_load_n(&rooms, __ATOMIC_ACQUIRE);

	for (; room; room = room->next) {
		uint32_t was = __atomic_load_n(&room->owner, __ATOMIC_RELAXED);

		/* Pairs with the release in pmu_execroom_give(), or with what the kernel does. */
		if (!(was & FUTEX_TID_MASK) && room->size >= size &&
		    __atomic_compare_exchange_n(&room->owner, &was, owner, false, __ATOMIC_ACQUIRE,
						__ATOMIC_RELAXED))
			return room;
	}
	return NULL;
}

static struct room *new_room(size_t size, uint32_t owner)
{
	size_t whole = ROOM_MIN;
	struct room *room;

	if (size > SIZE_MAX / 4)
		return NULL;
	while (whole - sizeof(*room) < size)
		whole *= 2;
	room = mmap(NULL, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (room == MAP_FAILED)
		return NULL;
	room->size = whole - sizeof(*room);
	room->owner = owner;
	room->next = __atomic_load_n(&rooms, __ATOMIC_RELAXED);
	/* Pairs with the acquire in take_free(). */
	while (!__atomic_compare_exchange_n(&rooms, &room->next, room, false, __ATOMIC_RELEASE,
					    __ATOMIC_RELAXED))
		;
	return room;
}

void *pmu_execroom_take(size_t size, bool alone)
{
	uint32_t owner = alone ? NO_TASK : (uint32_t)syscall(SYS_gettid);
	int saved = errno;
	struct room *room = take_free(size, owner);

	if (!room)
		room = new_room(size, owner);
	if (room) {
		room->registered = false;
		if (!alone && may_share(owner))
			register_rooms(room, owner);
	}
	errno = saved;
	return room ? room->memory : NULL;
}

void pmu_execroom_give(void *memory)
{
	int saved = errno;
	struct room *room;

	if (!memory)
		return;
	room = (struct room *)(void *)((char *)memory - offsetof(struct room, memory));
	if (room->registered)
		syscall(SYS_set_robust_list, NULL, sizeof(room->list));
	__atomic_store_n(&room->owner, 0, __ATOMIC_RELEASE);
	errno = saved;
}
