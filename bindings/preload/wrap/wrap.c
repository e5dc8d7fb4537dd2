/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Chosen functions of shared libraries as regions: the slots through which loaded objects call them
 * lead to trampolines instead, those of other functions to what stands in for them (stand_in.h).  Calls that go through no slot are not seen: those within one
 * library that its linker has bound, and those through pointers, which stay as they are: programs
 * compare them.
 *
 * The loader's lock on its list of objects, which dl_iterate_phdr() holds, is the only lock here:
 * under it nothing is unloaded, and nothing of the loader or malloc() may be called, since other
 * threads wait the other way round.  So slots are found first, then names are looked up without it,
 * and then the slots are written.
 *
 * Wrapping does not keep a library loaded: an object with a slot to it depends on it anyway.
 */
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

#include "bindings/preload/inside.h"
#include "bindings/preload/keep.h"
#include "bindings/preload/preload.h"
#include "bindings/preload/symbols/plt.h"
#include "bindings/preload/symbols/symbols.h"
#include "bindings/preload/wrap/bind.h"
#include "bindings/preload/wrap/call.h"
#include "bindings/preload/wrap/candidates.h"
#include "bindings/preload/wrap/list.h"
#include "bindings/preload/wrap/note.h"
#include "bindings/preload/wrap/stand_in.h"

/*
 * Objects with slots that are left as they are: the loader, libc, our libraries, and those that
 * ours need.
 */
static const char *const left_alone[] = {
	"ld-linux", "ld-linux-x86-64", "ld-linux-aarch64", "libc",       "libpthread",
	"libpmu",   "libhwloc",        "libpfm",           "linux-vdso",
};

static struct wrap_list list;
static bool active;

static struct wrap_notes notes; /* written under the loader's lock */

/* What has been looked at: objects are listed in the order in which they came, until one goes. */
static struct {
	unsigned long long adds, subs;
	size_t objects; /* all slots of these, from the first on, are known */
} seen;

/* One time through all objects. */
struct pass {
	struct candidates found;
	unsigned long long adds, subs;
	size_t objects;  /* 0: nothing is new */
	size_t complete; /* those before the first that was still being loaded */
	bool stands_in;  /* in the object that is looked at */
};

/* --- under the lock --- */

struct locked {
	void (*work)(struct pass *pass);
	struct pass *pass;
};

static int call_once(struct dl_phdr_info *info, size_t size, void *data)
{
	struct locked *locked = data;

	(void)size;
	if (!locked->pass->objects) {
		locked->pass->adds = info->dlpi_adds;
		locked->pass->subs = info->dlpi_subs;
	} else if (locked->pass->subs != info->dlpi_subs) {
		return 2; /* what was found may be gone */
	}
	locked->work(locked->pass);
	return 1;
}

/* Its owner may take the lock again.  Return: false where objects have gone since the last time. */
static bool with_objects_held(void (*work)(struct pass *pass), struct pass *pass)
{
	struct locked locked = { work, pass };

	return dl_iterate_phdr(call_once, &locked) == 1;
}

struct search {
	uintptr_t address;
	struct dl_phdr_info info;
	size_t n;
};

static int is_owner(struct dl_phdr_info *info, size_t size, void *data)
{
	struct search *search = data;

	(void)size;
	search->n++;
	search->info = *info;
	return plt_info_has(info, search->address, 1, 0);
}

/* The object that an address lies in; the program is the first in the list. */
static bool find_object(uintptr_t address, struct dl_phdr_info *info, bool *is_program)
{
	struct search search = { .address = address };
	bool found = dl_iterate_phdr(is_owner, &search) == 1;

	*info = search.info;
	*is_program = search.n == 1;
	return found;
}

/* --- slots that may be meant --- */

static int rate_libraries(struct dl_phdr_info *info, size_t size, void *data)
{
	size_t *n = data;

	(void)size;
	for (size_t i = 0; *n && i < list.n; i++) {
		int is = wrap_rule_library(&list.rule[i], plt_info_name(info));

		if (is > list.rule[i].best)
			list.rule[i].best = is;
	}
	++*n;
	return 0;
}

/* The rule that means a function of a library. */
static struct wrap_rule *find_rule(const char *file, const char *name, const char *demangled)
{
	for (size_t i = 0; i < list.n; i++) {
		struct wrap_rule *rule = &list.rule[i];
		int is = wrap_rule_library(rule, file);

		if (is && is >= rule->best && wrap_rule_function(rule, name, demangled))
			return rule;
	}
	return NULL;
}

/* As far as can be told before it is demangled; in any library where @file is NULL. */
static bool may_be_meant(const char *file, const char *name)
{
	bool cxx = name[0] == '_' && name[1] == 'Z';

	for (size_t i = 0; i < list.n; i++)
		if ((!file || wrap_rule_library(&list.rule[i], file)) &&
		    (list.rule[i].cxx ? cxx : wrap_rule_function(&list.rule[i], name, NULL)))
			return true;
	return false;
}

static void look_at_slot(const struct plt_object *object, const struct plt_slot *slot, void *data)
{
	struct pass *pass = data;
	uintptr_t value = __atomic_load_n(slot->at, __ATOMIC_RELAXED);
	bool own = slot->symbol->st_shndx != SHN_UNDEF &&
		   value == object->base + slot->symbol->st_value;
	struct candidate candidate = { .slot = slot->at,
				       .value = value,
				       .target = value,
				       .name = slot->name,
				       .is_call = slot->is_call };
	const struct wrap_stand_in *stand_in = pass->stands_in ? wrap_stand_in_find(slot->name)
							       : NULL;
	struct dl_phdr_info info;
	bool is_program;

	if (!value || wrap_call_is_stub(value) || !(stand_in || may_be_meant(NULL, slot->name)))
		return;
	if (!find_object(value, &info, &is_program)) {
		pass->complete = pass->objects < pass->complete ? pass->objects : pass->complete;
		return;
	}
	if (slot->is_call && !own && info.dlpi_phdr == object->info->dlpi_phdr) {
		/* to what will bind it at the first call */
		candidate.target = 0;
		candidate.version = plt_object_version(object, slot->symbol_index);
		candidate.object = object->info->dlpi_name;
	} else if (!stand_in && (is_program || !may_be_meant(plt_info_name(&info), slot->name))) {
		return;
	}
	candidate.stand_in = stand_in;
	candidates_add(&pass->found, &candidate);
}

/* Which slots hold addresses that are more than called, so that they must stay. */
static void look_at_uses(struct candidates *found, size_t from, const struct dl_phdr_info *info)
{
	const uintptr_t *first = NULL, *last = NULL;
	uint8_t *uses;
	size_t n;

	for (size_t i = from; i < found->n; i++) {
		const uintptr_t *slot = found->at[i].slot;

		if (found->at[i].is_call)
			continue;
		first = !first || slot < first ? slot : first;
		last = !last || slot > last ? slot : last;
	}
	if (!first)
		return;
	n = (size_t)(last - first) + 1;
	uses = preload_map(n);
	if (uses)
		plt_slot_uses(info, first, n, uses);
	for (size_t i = from; i < found->n; i++) {
		struct candidate *candidate = &found->at[i];
		uint8_t use = candidate->is_call ? PLT_CALLED
			      : uses             ? uses[candidate->slot - first]
						 : PLT_TAKEN;

		candidate->is_taken = use & PLT_TAKEN;
		if (!use)
			candidate->target = 0;
	}
	if (uses)
		preload_unmap(uses, n);
}

static bool may_stand_in(const struct plt_object *object)
{
	bool may = wrap_stands_in(object);

	if (!may && wrap_has_stand_ins() && wrap_is_allocator(object))
		snprintf(notes.allocator, sizeof(notes.allocator), "%s",
			 *object->name ? object->name : "the program");
	return may;
}

static int look_at_object(struct dl_phdr_info *info, size_t size, void *data)
{
	struct pass *pass = data;
	struct plt_object object;
	bool skip = pass->objects < seen.objects;
	size_t from = pass->found.n;

	(void)size;
	for (size_t i = 0; !skip && i < PRELOAD_ARRAY_LEN(left_alone); i++)
		skip = wrap_starts(left_alone[i], plt_info_name(info));
	if (!skip && plt_object_read(info, &object)) {
		pass->stands_in = may_stand_in(&object);
		plt_object_slots(&object, look_at_slot, pass);
		look_at_uses(&pass->found, from, info);
	}
	pass->objects++;
	return 0;
}

static void look_at_all(struct pass *pass)
{
	size_t n = 0;

	if (pass->subs != seen.subs)
		seen.objects = 0;
	else if (pass->adds == seen.adds)
		return;
	pass->complete = SIZE_MAX;
	dl_iterate_phdr(rate_libraries, &n);
	dl_iterate_phdr(look_at_object, pass);
}

/* --- without the lock --- */

/* Data that other objects use, where it lies among code. */
static bool is_data(uintptr_t address)
{
	const ElfW(Sym) *symbol = NULL;
	Dl_info info;

	return dladdr1((void *)address, &info, (void **)&symbol, RTLD_DL_SYMENT) && symbol &&
	       (uintptr_t)info.dli_saddr == address && ELF64_ST_TYPE(symbol->st_info) == STT_OBJECT;
}

static void complete(struct candidates *found)
{
	for (size_t i = 0; i < found->n; i++) {
		struct candidate *candidate = &found->at[i];

		if (!candidate->target && candidate->object)
			candidate->target = wrap_bind(candidate);
		if (candidate->target && is_data(candidate->target))
			candidate->target = 0;
		if (candidate->target && candidate->name[0] == '_' && candidate->name[1] == 'Z')
			candidate->demangled = preload_demangle(candidate->name);
	}
	/* what the program asks for next is what it did itself */
	(void)dlerror();
}

/* --- under it again --- */

/* Of several versions a reference without one may mean another than dlsym() finds. */
static bool is_doubtful(const struct candidate *candidate, const struct dl_phdr_info *info)
{
	struct plt_object object;

	return candidate->target != candidate->value && !candidate->version &&
	       !(plt_object_read(info, &object) &&
		 plt_object_definitions(&object, candidate->name, NULL) == 1);
}

/* To call something else through it would be to give away another address, too. */
static void cannot_wrap(const struct candidate *candidate)
{
	struct dl_phdr_info owner;
	bool is_program;

	if (notes.n_taken++ || !find_object((uintptr_t)candidate->slot, &owner, &is_program))
		return;
	snprintf(notes.taken, sizeof(notes.taken), "%s",
		 candidate->demangled ? candidate->demangled : candidate->name);
	snprintf(notes.taken_by, sizeof(notes.taken_by), "%s",
		 is_program ? "the program" : plt_info_name(&owner));
}

/* Return: it leads there now. */
static bool lead_to(const struct candidate *candidate, uintptr_t stub,
		    struct preload_mapping *mapping)
{
	struct dl_phdr_info owner;
	bool is_program;
	int rc;

	if (!find_object((uintptr_t)candidate->slot, &owner, &is_program))
		return false;
	rc = plt_slot_write(&owner, candidate->slot, stub, mapping);
	if (rc && rc != -EAGAIN && !notes.write_error) {
		notes.write_error = -rc;
		snprintf(notes.write_failed, sizeof(notes.write_failed), "%s",
			 is_program ? "the program" : plt_info_name(&owner));
	}
	return rc == 0;
}

/* Another version of the function, or what another library has in its place, is left as it is. */
static void stand_in(const struct candidate *candidate, struct preload_mapping *mapping)
{
	if (candidate->target && candidate->target == candidate->stand_in->function &&
	    __atomic_load_n(candidate->slot, __ATOMIC_RELAXED) == candidate->value)
		lead_to(candidate, candidate->stand_in->ours, mapping);
}

static void wrap(const struct candidate *candidate, struct preload_mapping *mapping)
{
	struct dl_phdr_info info;
	struct wrap_rule *rule;
	bool is_program;
	uintptr_t stub;

	if (!candidate->target ||
	    __atomic_load_n(candidate->slot, __ATOMIC_RELAXED) != candidate->value ||
	    !find_object(candidate->target, &info, &is_program) || is_program ||
	    !plt_info_has(&info, candidate->target, 1, PF_X) ||
	    wrap_starts("libpmu", plt_info_name(&info)))
		return;
	rule = find_rule(plt_info_name(&info), candidate->name, candidate->demangled);
	if (!rule || is_doubtful(candidate, &info))
		return;
	if (wrap_is_refused(candidate->name)) {
		rule->refused = true;
		return;
	}
	if (candidate->is_taken) {
		cannot_wrap(candidate);
		return;
	}
	stub = wrap_call_add(candidate->target,
			     candidate->demangled ? candidate->demangled : candidate->name);
	if (stub)
		rule->used |= lead_to(candidate, stub, mapping);
	else
		notes.n_left_out++;
}

static void wrap_all(struct pass *pass)
{
	struct preload_mapping mapping = { .first = 0 };

	for (size_t i = 0; i < pass->found.n; i++)
		(pass->found.at[i].stand_in ? stand_in : wrap)(&pass->found.at[i], &mapping);
	seen.adds = pass->adds;
	seen.subs = pass->subs;
	seen.objects = pass->complete < pass->objects ? pass->complete : pass->objects;
}

/* --- when --- */

static bool look_and_wrap(void)
{
	struct pass pass = { .adds = 0 };
	bool done = true;

	with_objects_held(look_at_all, &pass);
	if (pass.objects) {
		complete(&pass.found);
		done = with_objects_held(wrap_all, &pass);
	}
	candidates_free(&pass.found);
	return done;
}

void preload_wrap_loaded(void)
{
	int saved = errno;

	for (int tries = 0; active && tries < 4; tries++)
		if (look_and_wrap())
			break;
	errno = saved;
}

void preload_wrap_start(const char *text)
{
	if (text && *text)
		wrap_list_parse(&list, text);
	if (!list.n && !wrap_has_stand_ins())
		return;
	wrap_call_start();
	__atomic_store_n(&active, true, __ATOMIC_RELEASE);
	preload_wrap_loaded();
}

bool preload_wrap_active(void)
{
	return __atomic_load_n(&active, __ATOMIC_ACQUIRE);
}

void preload_wrap_end(void)
{
	wrap_notes_say(&notes, &list);
}
