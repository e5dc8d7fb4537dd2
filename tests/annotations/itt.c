/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program with two clients of ITT, each with a static part such as libittnotify's, as its public
 * headers describe it.  With -DNATIVE the same work with regions by hand.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "work.h"

typedef struct {
	unsigned long long d1, d2, d3;
} id_type;

struct domain {
	volatile int flags;
	const char *name_a;
	void *name_w;
	int extra1;
	void *extra2;
	struct domain *next;
};

struct string {
	const char *str_a;
	void *str_w;
	int extra1;
	void *extra2;
	struct string *next;
};

struct api_info {
	const char *name;
	void **func_ptr;
	void *init_func, *null_func;
	int group;
};

struct global {
	unsigned char magic[8];
	unsigned long version_major, version_minor, version_build;
	volatile long api_initialized, mutex_initialized, atomic_counter;
	pthread_mutex_t mutex;
	void *lib, *error_handler;
	const char **dll_path_ptr;
	struct api_info *api_list_ptr;
	struct global *next;
	void *thread_list;
	struct domain *domain_list;
	struct string *string_list;
};

/* --- a static part: its pointers, and the list that a collector fills --- */

#define FUNCTIONS(X)                                                                               \
	X(struct domain *, domain_create, (const char *))                                          \
	X(struct string *, string_handle_create, (const char *))                                   \
	X(void, task_begin, (const struct domain *, id_type, id_type, struct string *))            \
	X(void, task_begin_fn, (const struct domain *, id_type, id_type, void *))                  \
	X(void, task_end, (const struct domain *))                                                 \
	X(void, task_begin_overlapped, (const struct domain *, id_type, id_type, struct string *)) \
	X(void, task_end_overlapped, (const struct domain *, id_type))                             \
	X(void, region_begin, (const struct domain *, id_type, id_type, struct string *))          \
	X(void, region_end, (const struct domain *, id_type))                                      \
	X(void, frame_begin_v3, (const struct domain *, id_type *))                                \
	X(void, frame_end_v3, (const struct domain *, id_type *))                                  \
	X(void, frame_submit_v3,                                                                   \
	  (const struct domain *, id_type *, unsigned long long, unsigned long long))              \
	X(unsigned long long, get_timestamp, (void))                                               \
	X(void, pause, (void))                                                                     \
	X(void, resume, (void))                                                                    \
	X(void, thread_set_name, (const char *))                                                   \
	X(int, event_create, (const char *, int))                                                  \
	X(int, event_start, (int))                                                                 \
	X(int, event_end, (int))                                                                   \
	X(void *, counter_create, (const char *, const char *))                                    \
	X(void, sync_prepare, (void *))                                                            \
	X(void *, stack_caller_create, (void))                                                     \
	X(const char *, api_version, (void))

/* What some have without a collector: objects in lists, as libittnotify keeps them. */
static void *none_counter_create(const char *name, const char *domain)
{
	static char counter;

	(void)name;
	(void)domain;
	return &counter;
}

struct client {
#define POINTER(type, name, parameters) type(*name) parameters;
	FUNCTIONS(POINTER)
	struct api_info list[32];
	struct global global;
};

static void *null_of(const char *name)
{
	return strcmp(name, "__itt_counter_create") ? NULL : (void *)none_counter_create;
}

static struct client one, two;
static id_type null_id;

static void open_client(struct client *client, const char *path)
{
	void (*init)(struct global *, int);
	void *lib = path ? dlopen(path, RTLD_LAZY) : NULL;
	struct api_info *entry = client->list;

#define ENTRY(type, what, parameters)                                       \
	*entry++ = (struct api_info){ .name = "__itt_" #what,               \
				      .func_ptr = (void **)&client->what,   \
				      .null_func = null_of("__itt_" #what), \
				      .group = 1 };
	FUNCTIONS(ENTRY)
	memcpy(client->global.magic, "\xED\xAB\xAB\xEC\x0D\xEE\xDA\x30", 8);
	client->global.version_major = 3;
	client->global.version_build = 20180723;
	client->global.api_list_ptr = client->list;
	client->global.lib = lib;
	init = lib ? (void (*)(struct global *, int))dlsym(lib, "__itt_api_init") : NULL;
	if (init)
		init(&client->global, -1);
}

#define CALL(client, name, ...) ((client).name ? (void)(client).name(__VA_ARGS__) : (void)0)

/* --- what is annotated --- */

/* Made before a collector was there, by the second client. */
static struct string early_string = { .str_a = "early" };
static struct domain early = { .flags = 1, .name_a = "lib" };

static struct domain *app, *frames;
static struct string *outer, *inner, *left, *right;

static void a_function(void)
{
	work(10);
}

static void nest(void)
{
	for (int i = 0; i < 20; i++) {
		BEGIN("app:outer", one.task_begin(app, null_id, null_id, outer));
		work(10);
		for (int k = 0; k < 5; k++) {
			BEGIN("app:inner", one.task_begin(app, null_id, null_id, inner));
			work(20);
			END("app:inner", one.task_end(app));
		}
		BEGIN("lib:early", two.task_begin(&early, null_id, null_id, &early_string));
		work(30);
		END("lib:early", two.task_end(&early));
		END("app:outer", one.task_end(app));
	}
}

static void interleave(void)
{
	BEGIN("app:left", one.task_begin(app, null_id, null_id, left));
	BEGIN("lib:right", two.task_begin(&early, null_id, null_id, right));
	END("app:left", one.task_end(app));
	END("lib:right", two.task_end(&early));
}

static void others(void)
{
	id_type a = { 1, 2, 0 }, b = { 1, 3, 0 };
	int event = one.event_create("an event and more", 8);

	for (int i = 0; i < 4; i++) {
		one.frame_begin_v3(frames, NULL);
		work(5);
		one.frame_end_v3(frames, NULL);
		one.event_start(event);
		work(5);
		one.event_end(event);
		one.task_begin_fn(app, null_id, null_id, (void *)a_function);
		a_function();
		one.task_end(app);
	}
	one.task_begin_overlapped(app, a, null_id, left);
	one.task_begin_overlapped(app, b, null_id, right);
	one.task_end_overlapped(app, a);
	one.task_end_overlapped(app, b);
	one.region_begin(app, null_id, null_id, one.string_handle_create("a region"));
	one.region_end(app, null_id);
	one.region_begin(app, null_id, null_id, NULL);
	one.region_end(app, null_id);
	one.frame_submit_v3(frames, NULL, 1, one.get_timestamp());
	one.task_begin(app, null_id, null_id, NULL);
	one.task_end(app);
}

static void pause_all(void)
{
	one.task_begin(app, null_id, null_id, one.string_handle_create("around"));
	one.pause();
	one.task_begin(app, null_id, null_id, one.string_handle_create("paused"));
	one.task_end(app);
	one.resume();
	one.task_end(app);
}

static void wrong_ones(void)
{
	one.task_end(app);
	one.task_end(NULL);
	one.task_end_overlapped(app, (id_type){ 7, 7, 7 });
	one.event_start(0);
	one.event_start(99);
	one.event_end(1 << 30);
	one.frame_end_v3(frames, NULL);
	one.frame_begin_v3(NULL, NULL);
}

static void *thread(void *arg)
{
	for (int i = 0; i < 100; i++) {
		BEGIN("app:shared", one.task_begin(app, null_id, null_id, arg));
		BEGIN("lib:shared", two.task_begin(&early, null_id, null_id, arg));
		work(3);
		END("lib:shared", two.task_end(&early));
		END("app:shared", one.task_end(app));
	}
	return NULL;
}

static int start_threads(void *shared)
{
	pthread_t threads[3];
	int n = 0;

	while (n < 3 && !pthread_create(&threads[n], NULL, thread, shared))
		n++;
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	return n != 3;
}

static int refuse(const char *why)
{
	fprintf(stderr, "%s\n", why);
	return 1;
}

static int use_collector(void)
{
	if (one.stack_caller_create || one.sync_prepare)
		return refuse("a function is there that does nothing");
	if (one.counter_create != none_counter_create)
		return refuse("the client's own function is gone");
	if (!one.api_version())
		return refuse("no version");
	app = one.domain_create("app");
	if (app != one.domain_create("app") || !app->flags || strcmp(app->name_a, "app") != 0)
		return refuse("the domain is not what was asked for");
	/* as in libomp: another part of the library knows its regions */
	if (one.domain_create("main$omp$parallel:4@a.c:3:1")->flags)
		return refuse("OpenMP's domain is on");
	frames = one.domain_create("frames");
	outer = one.string_handle_create("outer");
	if (outer != two.string_handle_create("outer"))
		return refuse("equal strings differ");
	inner = one.string_handle_create("inner");
	left = one.string_handle_create("left");
	right = two.string_handle_create("right");
	return 0;
}

int main(void)
{
	const char *path = getenv("INTEL_LIBITTNOTIFY64");
	void *shared = NULL;

	two.global.domain_list = &early;
	two.global.string_list = &early_string;
	open_client(&one, path);
	open_client(&two, path);
#ifndef NATIVE
	if (!one.task_begin) {
		puts("no collector");
		return 0;
	}
	if (use_collector())
		return 1;
	shared = one.string_handle_create("shared");
#endif
	nest();
	interleave();
#ifndef NATIVE
	others();
	pause_all();
	wrong_ones();
	if (!getenv("TEST_ONE_THREAD"))
#endif
		if (start_threads(shared))
			return refuse("no thread");
	printf("%lu\n", worked);
	return 0;
}
