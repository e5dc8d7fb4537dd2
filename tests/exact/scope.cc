// SPDX-License-Identifier: BSD-3-Clause
/*
 * Scopes of C++ around the same work, with names of all lengths in literals' and strings' memory:
 * what a scope's region counts is what its function does, so it must not depend on the name.
 * Between a begin and its end there are some instructions of the compiler's; the first set of names
 * says how many.
 *
 *   scope [SEED]
 */
#include <pmu.h>
#include <pmu.hpp>

#include <map>
#include <random>
#include <string>
#include <vector>

extern "C" {
#include "net.h"
}

#define ALONE __attribute__((noinline))

static constexpr uint64_t turns = 10;
static constexpr int levels = 8;

using names = std::vector<std::string>; // of one shape's regions

// --- shapes: where scopes are ---

ALONE static void literal(const names &name)
{
	pmu::region scope{ name[0].c_str() };
	steps_loop(turns);
}

ALONE static void longer(const names &name)
{
	pmu::region scope{ name[0].c_str() };
	steps_loop(turns + 1000);
}

ALONE static void text(const names &name)
{
	pmu::region scope{ name[0] };
	steps_loop(turns);
}

ALONE static void view(const names &name)
{
	pmu::region scope{ std::string_view(name[0]) };
	steps_loop(turns);
}

ALONE static void level(const names &name, size_t at)
{
	pmu::region scope{ name[at].c_str() };
	steps_loop(turns);
	if (at + 1 < name.size())
		level(name, at + 1);
	steps_loop(turns);
}

ALONE static void nested(const names &name)
{
	level(name, 0);
}

ALONE static void again(const char *name, int left)
{
	pmu::region scope{ name };
	steps_loop(turns);
	if (left > 0)
		again(name, left - 1);
}

ALONE static void recursive(const names &name)
{
	again(name[0].c_str(), 5);
}

ALONE static void mutual(const names &name, int left)
{
	pmu::region scope{ name[static_cast<size_t>(left & 1)].c_str() };
	steps_loop(turns);
	if (left > 0)
		mutual(name, left - 1);
}

ALONE static void mutually(const names &name)
{
	mutual(name, 5);
}

ALONE static void overlapping(const names &name)
{
	pmu::region left{ name[0].c_str() };
	steps_loop(turns);
	pmu::region right{ name[1].c_str() };
	steps_loop(turns);
	left.end();
	steps_loop(turns);
}

static const struct shape {
	const char *what;
	void (*run)(const names &name);
	size_t n_names;
	size_t most; // bytes of a name
} shapes[] = {
	{ "literal", literal, 1, 1000 },   { "longer", longer, 1, 1000 },
	{ "string", text, 1, 1000 },       { "view", view, 1, 1000 },
	{ "nested", nested, levels, 380 }, { "recursive", recursive, 1, 1000 },
	{ "mutual", mutually, 2, 1000 },   { "overlapping", overlapping, 2, 1000 },
};
static constexpr size_t n_shapes = sizeof(shapes) / sizeof(*shapes);

// --- names ---

static std::mt19937_64 random_number;

static size_t any(size_t n)
{
	return random_number() % n;
}

// Shape, set and number, which tell names apart, padded to the length; the reserve varies where its bytes lie.
static std::string name_of(size_t shape, size_t set, size_t number, size_t length)
{
	std::string name = std::string(1, static_cast<char>('A' + shape)) + std::to_string(set) +
			   "." + std::to_string(number);

	name.reserve(length + 16 * any(8));
	while (name.size() < length)
		name.push_back(static_cast<char>('a' + name.size() % 26));
	return name;
}

static std::vector<names> sets_of(size_t shape)
{
	static const size_t length[] = { 8,   15,  16,  17,  31,  32,  33,  63,  64,  65,
					 127, 128, 129, 255, 256, 257, 380, 511, 1000 };
	std::vector<names> sets;

	for (size_t one : length) {
		names set;

		for (size_t i = 0; i < shapes[shape].n_names; i++)
			set.push_back(
				name_of(shape, sets.size(), i, std::min(one, shapes[shape].most)));
		sets.push_back(set);
	}
	for (size_t k = 0; k < 20; k++) {
		names set;

		for (size_t i = 0; i < shapes[shape].n_names; i++)
			set.push_back(name_of(shape, sets.size(), i, 1 + any(shapes[shape].most)));
		sets.push_back(set);
	}
	return sets;
}

// --- what was counted ---

struct sum {
	uint64_t calls, instructions;
	bool missing;
};

// Of each name, over all paths.
static std::map<std::string, sum> read_report()
{
	std::map<std::string, sum> result;
	net_report report;
	char *csv;

	if (pmu_report_text("csv", &csv))
		return result;
	for (bool more = net_open(&report, csv) && net_line(&report); more;
	     more = net_line(&report)) {
		if (report.n_fields <= report.calls || strcmp(report.field[report.thread], "all"))
			continue;
		const char *path = report.field[report.path], *last = strrchr(path, '/');
		const char *count = report.count[0] < 0 ? "" : report.field[report.count[0]];
		sum &to = result[last ? last + 1 : path];

		to.calls += strtoull(report.field[report.calls], nullptr, 10);
		to.instructions += strtoull(count, nullptr, 10);
		to.missing |= !*count;
	}
	free(csv);
	return result;
}

static void judge(size_t shape, const std::vector<names> &sets, std::map<std::string, sum> &got,
		  net_result *result)
{
	for (const names &set : sets)
		for (size_t i = 0; i < set.size(); i++) {
			const sum &want = got[sets[0][i]], &is = got[set[i]];

			result->regions++;
			result->missing += is.missing;
			if (is.calls && is.calls == want.calls &&
			    is.instructions == want.instructions)
				continue;
			if (result->wrong++ < NET_SHOWN)
				diag("%s: %.20s of %zu bytes: %" PRIu64
				     " instructions instead of %" PRIu64,
				     shapes[shape].what, set[i].c_str(), set[i].size(),
				     is.instructions, want.instructions);
		}
}

int main(int argc, char **argv)
{
	std::vector<names> sets[n_shapes];
	std::map<std::string, sum> got;
	net_result result = {};
	uint64_t seed = argc > 1 ? strtoull(argv[1], nullptr, 0) : std::random_device{}();
	constexpr int rounds = 5;

	diag("seed %" PRIu64, seed);
	random_number.seed(seed);
	for (size_t i = 0; i < n_shapes; i++)
		sets[i] = sets_of(i);
	for (int k = 0; k < rounds; k++)
		for (size_t i = 0; i < n_shapes; i++)
			for (names set : sets[i]) // a copy: in other memory each time
				shapes[i].run(set);
	got = read_report();
	for (size_t i = 0; i < n_shapes; i++)
		judge(i, sets[i], got, &result);
	ok(!result.wrong, "%d scopes count the same whatever their names", result.regions);
	ok(!result.missing, "and no count is missing");
	is_u64(got[sets[1][0][0]].instructions - got[sets[0][0][0]].instructions, rounds * 2000,
	       "a scope with more work counts exactly that more");
	diag("net: %d regions, %d wrong, %d missing", result.regions, result.wrong, result.missing);
	return done_testing();
}
