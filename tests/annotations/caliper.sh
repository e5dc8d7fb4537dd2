#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Programs annotated with Caliper, as they are under the preload: Caliper has every call as without.
# shellcheck source=tests/bindings/markers.sh
. "${TEST_SRCDIR:-$(dirname "$0")/../..}/tests/bindings/markers.sh"
# shellcheck source=tests/annotations/standins.sh
. "$top/tests/annotations/standins.sh"

[ -z "${TEST_SANITIZERS:-}" ] || skip_all 'a sanitizer cannot be preloaded'
source=$top/tests/annotations/caliper.c
common='phase 1
exchange 1
loop 2
function 10
inner 10
statement 1
solver:multigrid 1
solver:changed 1
other 1
by name 1
by its number 1'
classes='scoped 2
scope 2
cxx loop 2
in loop 6
stage:init 2
stage:guarded 2
flag 2
method:direct 2
method:by both 2
switched 2'

# A library with Caliper's functions, classes and variables, which tells what it was called for.
mkdir caliper
cat >caliper/cali.h <<'C'
#include <stdint.h>
typedef uint64_t cali_id_t;
#define CALI_INV_ID UINT64_MAX
enum { CALI_TYPE_INT = 2, CALI_TYPE_STRING = 4, CALI_TYPE_DOUBLE = 6, CALI_TYPE_BOOL = 7 };
enum { CALI_ATTR_DEFAULT = 0, CALI_ATTR_NESTED = 256 };
#ifdef __cplusplus
extern "C" {
#endif
extern cali_id_t cali_region_attr_id, cali_function_attr_id, cali_loop_attr_id, cali_annotation_attr_id,
	cali_statement_attr_id, cali_phase_attr_id;
void cali_init(void);
cali_id_t cali_create_attribute(const char *, int, int), cali_make_loop_iteration_attribute(const char *);
const char *cali_attribute_name(cali_id_t);
void cali_begin_region(const char *), cali_end_region(const char *), cali_begin_phase(const char *);
void cali_end_phase(const char *), cali_begin_comm_region(const char *), cali_end_comm_region(const char *);
void cali_begin(cali_id_t), cali_begin_int(cali_id_t, int), cali_begin_double(cali_id_t, double);
void cali_begin_string(cali_id_t, const char *), cali_end(cali_id_t), cali_safe_end_string(cali_id_t, const char *);
void cali_begin_byname(const char *), cali_begin_int_byname(const char *, int);
void cali_begin_double_byname(const char *, double), cali_begin_string_byname(const char *, const char *);
void cali_end_byname(const char *), cali_set_int_byname(const char *, int);
#ifdef __cplusplus
}
#endif
/* as in 2.0: by attributes' numbers */
#ifdef OLD
#define CALI_MARK_BEGIN(name) cali_begin_string(cali_annotation_attr_id, name)
#define CALI_MARK_END(name) cali_safe_end_string(cali_annotation_attr_id, name)
#define CALI_MARK_FUNCTION_BEGIN \
	if (cali_function_attr_id == CALI_INV_ID) cali_init(); cali_begin_string(cali_function_attr_id, __func__)
#define CALI_MARK_FUNCTION_END cali_safe_end_string(cali_function_attr_id, __func__)
#define CALI_WRAP_STATEMENT(name, s) \
	cali_begin_string(cali_statement_attr_id, name); s; cali_safe_end_string(cali_statement_attr_id, name)
#else
#define CALI_MARK_BEGIN(name) cali_begin_region(name)
#define CALI_MARK_END(name) cali_end_region(name)
#define CALI_MARK_FUNCTION_BEGIN cali_begin_region(__func__)
#define CALI_MARK_FUNCTION_END cali_end_region(__func__)
#define CALI_WRAP_STATEMENT(name, s) cali_begin_region(name); s; cali_end_region(name)
#endif
#define CALI_MARK_PHASE_BEGIN(name) cali_begin_phase(name)
#define CALI_MARK_PHASE_END(name) cali_end_phase(name)
#define CALI_MARK_COMM_REGION_BEGIN(name) cali_begin_comm_region(name)
#define CALI_MARK_COMM_REGION_END(name) cali_end_comm_region(name)
#define CALI_MARK_LOOP_BEGIN(id, name) \
	if (cali_loop_attr_id == CALI_INV_ID) cali_init(); \
	cali_begin_string(cali_loop_attr_id, name); \
	cali_id_t iteration_##id = cali_make_loop_iteration_attribute(name)
#define CALI_MARK_LOOP_END(id) cali_end(cali_loop_attr_id)
#define CALI_MARK_ITERATION_BEGIN(id, i) cali_begin_int(iteration_##id, i)
#define CALI_MARK_ITERATION_END(id) cali_end(iteration_##id)
#ifdef __cplusplus
namespace cali {
/* up to 2.9 there was no hash beside the size */
#ifdef OLD
enum { SIZE_SHIFT = 8, HASH = 0 };
#else
enum { SIZE_SHIFT = 32, HASH = 0x616200 };
#endif
struct Variant {
	uint64_t type_and_size;
	const char *text;
	explicit Variant(const char *s) : type_and_size(4 | HASH | (uint64_t)__builtin_strlen(s) << SIZE_SHIFT), text(s) {}
	explicit Variant(bool is) : type_and_size(7), text((const char *)(uintptr_t)is) {}
	explicit Variant(int n) : type_and_size(2), text((const char *)(intptr_t)n) {}
};
class Attribute {
	const char *node;
public:
	Attribute(const char *kept = nullptr) : node(kept) {}
	const char *name_c_str() const;
};
class Caliper {
	void *p[3];
public:
	Attribute create_attribute(const char *, int, int);
	void begin(const Attribute &, const Variant &), end(const Attribute &);
	void end_with_value_check(const Attribute &, const Variant &);
};
class Function { char c; public: Function(const char *); ~Function(); };
class ScopeAnnotation { char c; public: ScopeAnnotation(const char *); ~ScopeAnnotation(); };
class Loop {
	void *p;
public:
	struct Iteration { void *p; Iteration(void *, int); ~Iteration(); };
	Loop(const char *);
	~Loop();
	void end();
	Iteration iteration(int) const;
};
class Annotation {
	const char *p;
public:
	Annotation(const char *, int = 0);
	Annotation &begin(), &begin(int), &begin(double), &begin(const Variant &);
	Annotation &begin(const char *text) { return begin(Variant(text)); }
	void end();
	class Guard { const char *p; public: Guard(Annotation &); ~Guard(); };
};
}
#define CALI_CXX_MARK_FUNCTION cali::Function f_(__func__)
#define CALI_CXX_MARK_SCOPE(name) cali::ScopeAnnotation s_(name)
#define CALI_CXX_MARK_LOOP_BEGIN(id, name) cali::Loop loop_##id(name)
#define CALI_CXX_MARK_LOOP_END(id) loop_##id.end()
#define CALI_CXX_MARK_LOOP_ITERATION(id, i) cali::Loop::Iteration it_##id(loop_##id.iteration(i))
#endif
C
cat >stubcaliper.c <<'C'
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <caliper/cali.h>
cali_id_t cali_region_attr_id = CALI_INV_ID, cali_function_attr_id = CALI_INV_ID, cali_loop_attr_id = CALI_INV_ID,
	cali_annotation_attr_id = CALI_INV_ID, cali_statement_attr_id = CALI_INV_ID, cali_phase_attr_id = CALI_INV_ID;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const char *name[100];
static int n, calls;
#define SAY __atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED)
cali_id_t cali_create_attribute(const char *text, int type, int properties)
{
	int i = 0;
	(void)type, (void)properties;
	pthread_mutex_lock(&lock);
	while (i < n && strcmp(name[i], text))
		i++;
	if (i == n)
		name[n++] = strdup(text);
	pthread_mutex_unlock(&lock);
	return 4000 + (cali_id_t)i;
}
cali_id_t cali_make_loop_iteration_attribute(const char *loop)
{
	char text[100];
	snprintf(text, sizeof(text), "iteration#%s", loop);
	return cali_create_attribute(text, 2, 1);
}
const char *cali_attribute_name(cali_id_t id) { return id >= 4000 && id < 4000 + (cali_id_t)n ? name[id - 4000] : NULL; }
void cali_init(void)
{
	puts("Caliper: init");
	cali_region_attr_id = cali_create_attribute("region", 4, 256);
	cali_function_attr_id = cali_create_attribute("function", 4, 256);
	cali_loop_attr_id = cali_create_attribute("loop", 4, 256);
	cali_annotation_attr_id = cali_create_attribute("annotation", 4, 256);
	cali_statement_attr_id = cali_create_attribute("statement", 4, 256);
	cali_phase_attr_id = cali_create_attribute("phase", 4, 256);
}
void cali_begin(cali_id_t id) { (void)id; SAY; }
void cali_begin_int(cali_id_t id, int v) { (void)id, (void)v; SAY; }
void cali_begin_double(cali_id_t id, double v) { (void)id; SAY; if (v != 1.5) puts("Caliper: what value?"); }
void cali_begin_string(cali_id_t id, const char *v) { (void)v; SAY; if (!cali_attribute_name(id)) puts("Caliper: what?"); }
void cali_end(cali_id_t id) { SAY; if (!cali_attribute_name(id)) puts("Caliper: what end?"); }
void cali_safe_end_string(cali_id_t id, const char *v) { (void)v; cali_end(id); }
void cali_begin_region(const char *v) { cali_begin_string(cali_region_attr_id, v); }
void cali_end_region(const char *v) { (void)v; cali_end(cali_region_attr_id); }
void cali_begin_phase(const char *v) { cali_begin_string(cali_phase_attr_id, v); }
void cali_end_phase(const char *v) { (void)v; cali_end(cali_phase_attr_id); }
void cali_begin_comm_region(const char *v) { (void)v; SAY; }
void cali_end_comm_region(const char *v) { (void)v; SAY; }
void cali_begin_byname(const char *a) { printf("Caliper: %s\n", a); }
void cali_begin_int_byname(const char *a, int v) { printf("Caliper: %s %d\n", a, v); }
void cali_begin_double_byname(const char *a, double v) { printf("Caliper: %s %g\n", a, v); }
void cali_begin_string_byname(const char *a, const char *v) { printf("Caliper: %s %s\n", a, v); }
void cali_end_byname(const char *a) { printf("Caliper: end %s\n", a); }
void cali_set_int_byname(const char *a, int v) { printf("Caliper: set %s %d\n", a, v); }
__attribute__((destructor)) static void end(void) { printf("Caliper: %d calls\n", calls); }
C
cat >stubclasses.cc <<'C'
#include <cstdio>
#include <caliper/cali.h>
namespace cali {
const char *Attribute::name_c_str() const { return node; }
Attribute Caliper::create_attribute(const char *name, int type, int properties)
{
	return cali_attribute_name(cali_create_attribute(name, type, properties));
}
void Caliper::begin(const Attribute &a, const Variant &v)
{
	std::printf("Caliper: begin %s %d\n", a.name_c_str(), (int)(v.type_and_size >> SIZE_SHIFT));
}
void Caliper::end(const Attribute &a) { std::printf("Caliper: end %s\n", a.name_c_str()); }
void Caliper::end_with_value_check(const Attribute &a, const Variant &v)
{
	std::printf("Caliper: end %s %s\n", a.name_c_str(), v.text);
}
Function::Function(const char *name) { Caliper().begin("function", Variant(name)); }
Function::~Function() { Caliper().end("function"); }
ScopeAnnotation::ScopeAnnotation(const char *name) { cali_begin_region(name); }
ScopeAnnotation::~ScopeAnnotation() { cali_end_region(""); }
Loop::Loop(const char *name) { p = new char; std::printf("Caliper: loop %s\n", name); }
void Loop::end() { std::puts("Caliper: end of loop"); }
Loop::~Loop() { delete (char *)p; }
Loop::Iteration Loop::iteration(int i) const { return Iteration(p, i); }
Loop::Iteration::Iteration(void *q, int i) { p = q; std::printf("Caliper: iteration %d\n", i); }
Loop::Iteration::~Iteration() {}
Annotation::Annotation(const char *name, int) { p = __builtin_strdup(name); }
Annotation &Annotation::begin() { std::printf("Caliper: %s\n", p); return *this; }
Annotation &Annotation::begin(int v) { std::printf("Caliper: %s %d\n", p, v); return *this; }
Annotation &Annotation::begin(double v) { std::printf("Caliper: %s %g\n", p, v); return *this; }
Annotation &Annotation::begin(const Variant &v)
{
	Caliper().begin(p, v);
	return *this;
}
void Annotation::end() { Caliper().end(p); }
Annotation::Guard::Guard(Annotation &a) { p = *(const char **)&a; }
Annotation::Guard::~Guard() { std::printf("Caliper: end of guard %s\n", p); }
}
C
ok "a library with Caliper's functions" shared stubcaliper -I. -pthread
for kind in new old; do
	define=
	[ $kind = new ] || define=-DOLD
	# shellcheck disable=SC2086
	ok "$kind macros: a program for Caliper" "$cc" -O2 $define -I. "$source" -o plain -L. -lstubcaliper -pthread
	measured "$kind macros" ./plain
	regions_are "$kind macros: regions and calls" "$common"
	is "$kind macros: Caliper has each call" "$(tail -n 1 out | tr -d 0-9)" "Caliper:  calls"
done
measured "PMU_AUTO=main" PMU_AUTO=main ./plain
is "PMU_AUTO=main: no region" "$(regions)" ""
env LD_LIBRARY_PATH=. PMU_PREFIX=tool,category PMU_OUTPUT=report.csv LD_PRELOAD="$preload" ./plain >out 2>err
is "PMU_PREFIX=tool,category" "$(calls caliper:function:function all) $(calls caliper:multigrid all)" "10 1"
# shellcheck disable=SC2086 # a list of words
if command -v "${cxx%% *}" >/dev/null; then
	for position in -no-pie -pie '-pie -DOLD'; do
		ok "C++, $position: a library with Caliper's classes" \
			$cxx $position -O2 -w -fPIC -shared -I. stubclasses.cc -o libstubclasses.so -L. -lstubcaliper
		ok "C++, $position: a program for Caliper" $cxx -x c++ -O2 -fPIE $position -I. "$source" -o plain++ -L. \
			-lstubclasses -lstubcaliper -pthread
		measured "C++, $position" ./plain++
		regions_are "C++, $position: regions and calls" "$common" "$classes"
	done
fi

# Our library in place of Caliper's: numbers of attributes are ours then.
mkdir alone
grep -v cali_set_int_byname "$source" >alone/plain.c
# shellcheck disable=SC2086
ok "without Caliper: a program" "$cc" -O2 -I. -DOLD alone/plain.c -o alone/plain -L. -lstubcaliper -pthread
ln -s "$preload" alone/libstubcaliper.so
PMU_OUTPUT=report.csv LD_LIBRARY_PATH=alone:$lib LD_PRELOAD=$preload alone/plain >out 2>err
is "without Caliper: it runs" "$(cat out err)" "done"
regions_are "without Caliper: regions and calls" "$common"
finish
