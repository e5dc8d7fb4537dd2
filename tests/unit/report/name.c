/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of functions and paths in less room than they ask for. */
#include "unit/part.h"

#include "base/strbuf.h"
#include "report/encode.h"
#include "report/name.h"

static void is_shorter(const char *name, enum pmu_name_shorter how, const char *want)
{
	struct pmu_strbuf out = { 0 };

	pmu_name_shorten(&out, name, how);
	is_str(pmu_strbuf_text(&out), want, want);
	pmu_strbuf_free(&out);
}

static const char find_name[] =
	"std::_Rb_tree<int, std::less<int> >::find<std::less<int> >(std::string const&, "
	"std::vector<int>&) const";

static void leaves_out_what_matters_least(void)
{
	is_shorter(find_name, PMU_NAME_NO_TEMPLATES,
		   "std::_Rb_tree<>::find<>(std::string const&, std::vector<>&) const");
	is_shorter(find_name, PMU_NAME_NO_NAMESPACES,
		   "_Rb_tree<>::find<>(string const&, vector<>&) const");
	is_shorter(find_name, PMU_NAME_NO_ARGUMENTS, "_Rb_tree<>::find<>(...) const");
	is_shorter(find_name, PMU_NAME_NO_CLASS, "find<>(...) const");
	is_shorter(find_name, PMU_NAME_BARE, "find<>");
	is_shorter("int ns::twice<int>(int)", PMU_NAME_NO_NAMESPACES, "ns::twice<>(int)");
	is_shorter("solve()", PMU_NAME_NO_ARGUMENTS, "solve()");
}

static void shortens_what_parallel_regions_are_in(void)
{
	static const char name[] = "parallel ns::set<int>::fill(ns::range const&) const:2";

	is_shorter(name, PMU_NAME_NO_NAMESPACES, "parallel set<>::fill(range const&) const:2");
	is_shorter(name, PMU_NAME_NO_CLASS, "parallel fill(...) const:2");
	is_shorter(name, PMU_NAME_BARE, "fill:2");
	is_shorter("parallel solve():0:1", PMU_NAME_NO_ARGUMENTS, "parallel solve():0:1");
	is_shorter("parallel solve:0", PMU_NAME_BARE, "solve:0");
	is_shorter("parallel :0", PMU_NAME_NO_CLASS, "parallel :0");
	is_shorter("parallel a::b(int)", PMU_NAME_BARE, "parallel a::b(int)");
}

static void knows_odd_names(void)
{
	static const char *const odd[][2] = {
		{ "a::b::operator()(int, a::c<int>) const", "b::operator()(...) const" },
		{ "bool a::b::operator()<std::c<int> >(std::c<int>) const",
		  "b::operator()<>(...) const" },
		{ "a::operator<(a::b const&, a::b const&)", "a::operator<(...)" },
		{ "std::ostream& std::operator<< <char>(std::ostream&, char)",
		  "std::operator<< <>(...)" },
		{ "a::b<int>::operator->() const", "b<>::operator->() const" },
		{ "a::b::operator unsigned long() const", "b::operator unsigned long() const" },
		{ "main::{lambda(int)#1}::operator()(int) const",
		  "{lambda(int)#1}::operator()(...) const" },
		{ "(anonymous namespace)::work(int)", "(anonymous namespace)::work(...)" },
		{ "a::b::~b()", "b::~b()" },
		{ "f[abi:cxx11](int)", "f[abi:cxx11](...)" },
		{ "core::ptr::drop_in_place<alloc::vec::Vec<u8>>", "ptr::drop_in_place<>" },
	};

	for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++)
		is_shorter(odd[i][0], PMU_NAME_NO_ARGUMENTS, odd[i][1]);
}

static void leaves_others_alone(void)
{
	static const char *const plain[] = {
		"",      "solve",    "phase 2 (of three)", "a < b",    "f(", ")", "::",
		"x > y", "operator", "read file (x)",      "50 % {a}", "(",  "<", "a::",
		"f()g("
	};

	for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++)
		is_shorter(plain[i], PMU_NAME_NO_TEMPLATES, plain[i]);
}

static void is_fit(const char *name, unsigned int width, const char *want)
{
	struct pmu_strbuf out = { 0 };

	pmu_name_fit(&out, name, width);
	is_str(pmu_strbuf_text(&out), want, want);
	pmu_strbuf_free(&out);
}

static void is_path(const char *path, unsigned int width, const char *want)
{
	struct pmu_strbuf out = { 0 };

	pmu_path_fit(&out, path, width);
	is_str(pmu_strbuf_text(&out), want, want);
	pmu_strbuf_free(&out);
}

static void fits(void)
{
	is_fit(find_name, 200, find_name);
	is_fit(find_name, 30, "_Rb_tree<>::find<>(...) const");
	is_fit(find_name, 10, "find<>");
	is_fit("a_very_long_name_of_c", 10, "a_ve...f_c");
	is_fit("\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4", 8,
	       "\xc3\xa4\xc3\xa4\xc3\xa4...\xc3\xa4\xc3\xa4");
	is_path("main/solve", 20, "main/solve");
	is_path("main/ns::solve(int, int)/ns::exchange(int)", 40, "main/solve(...)/exchange(...)");
	is_path("main/solve/exchange/wait", 16, ".../wait");
	is_path("a\\/b/c\\/d\\/e\\/f\\/g", 12, ".../c\\/.../g");
}

/* Any bytes: nothing is read beyond the end, and what fits is as wide as was asked for. */
static void survives_anything(void)
{
	static const char bytes[] = "ab:<>(){}[]~ -/\\,&.operator\xc3\xff";
	uint32_t random = 1;
	bool right = true;

	for (unsigned int i = 0; i < 20000; i++) {
		struct pmu_strbuf out = { 0 };
		char *name = calloc(1, 1 + i % 40);

		for (unsigned int k = 0; k < i % 40; k++) {
			random = random * 1664525 + 1013904223;
			name[k] = bytes[(random >> 16) % (sizeof(bytes) - 1)];
		}
		for (int how = 0; how < PMU_NAME_WAYS; how++)
			pmu_name_shorten(&out, name, (enum pmu_name_shorter)how);
		out.len = 0;
		pmu_name_fit(&out, name, 12);
		right &= pmu_utf8_width(pmu_strbuf_text(&out)) <= 12;
		pmu_path_fit(&out, name, 12);
		pmu_strbuf_free(&out);
		free(name);
	}
	ok(right, "any bytes");
}

UNIT_PART(name)
{
	leaves_out_what_matters_least();
	shortens_what_parallel_regions_are_in();
	knows_odd_names();
	leaves_others_alone();
	fits();
	survives_anything();
	return done_testing();
}
