// SPDX-License-Identifier: BSD-3-Clause
// pmu.hpp as a C++ program uses it.  Built with and without exceptions.
#include "pmu.hpp"

#include <atomic>
#include <cstdio>
#include <functional>
#include <string>
#include <thread>
#include <type_traits>

#include "tap.h"

namespace
{

std::uint64_t calls(const char *name)
{
	std::error_code code;
	std::optional<pmu::region_counts> did = pmu::read(name, PMU_THREAD_SELF, code);

	return did ? did->calls : 0;
}

pmu::region made_elsewhere()
{
	return pmu::region{ "made elsewhere" };
}

void regions_take_any_text()
{
	const std::string long_name(PMU_NAME_MAX, 'l');

	for (int i = 0; i < 3; i++) {
		pmu::region literal{ "literal" };
		pmu::region text{ std::string("a temporary of ") + std::to_string(i) };
		pmu::region again{ std::string("a temporary of the same text") };
		pmu::region part{ std::string_view("a view of text", 6) };
		pmu::region heap{ std::string_view(long_name) };
		pmu::region in_line{ std::string(63, 'i') };
		pmu::region beyond{ std::string(64, 'b') };
	}
	is_u64(calls("literal"), 3, "a literal");
	is_u64(calls("a temporary of 2"), 1, "a temporary string");
	is_u64(calls("a temporary of the same text"), 3, "the same text in several of them");
	is_u64(calls("a view"), 3, "a view without a terminator");
	is_u64(calls(long_name.c_str()), 3, "the longest name");
	is_u64(calls(std::string(63, 'i').c_str()), 3, "one that just fits the object");
	is_u64(calls(std::string(64, 'b').c_str()), 3, "one that just does not");
}

// The region is what was begun, whatever becomes of the buffer.
void a_copied_name_may_change()
{
	std::string name = "before";
	{
		pmu::region r{ name };
		name = "behind";
	}
	is_u64(calls("before"), 1, "ended under the name it began with");
	is_u64(calls("behind"), 0, "and under no other");
}

void ends_once()
{
	pmu::region around{ "ends" };
	{
		pmu::region r{ "ends" };

		r.end();
		r.end();
		is_u64(calls("ends"), 1, "end() ends");
	}
	is_u64(calls("ends"), 1, "neither a second end() nor the destructor end it again");
	around.end();
	is_u64(calls("ends"), 2, "the one around it was still open");
}

void a_region_that_could_not_begin_ends_nothing()
{
	const std::string too_long(PMU_NAME_MAX + 1, 'x');
	std::error_code code;

	{
		pmu::region r{ too_long };
		pmu::region none{ "" };
		pmu::region nul{ std::string_view("a\0b", 3) };
		pmu::region null{ static_cast<const char *>(nullptr) };
		pmu::region empty{ std::string_view() };
	}
	std::string text = pmu::report_text("json", code);
	ok(text.find("empty or too long\", \"region\": null, \"thread\": 0, \"count\": 5}") !=
		   std::string::npos,
	   "five refused begins, and no end");
}

void is_a_thing_of_its_scope()
{
	static_assert(!std::is_copy_constructible<pmu::region>::value, "not copied");
	static_assert(!std::is_move_constructible<pmu::region>::value, "not moved");
	static_assert(std::is_nothrow_constructible<pmu::region, const char *>::value, "");
	static_assert(std::is_nothrow_constructible<pmu::region, const std::string &>::value, "");
	static_assert(!std::is_convertible<const char *, pmu::region>::value, "explicit");

	std::optional<pmu::region> kept;

	kept.emplace("kept");
	{
		pmu::region r = made_elsewhere();
	}
	kept.reset();
	is_u64(calls("kept"), 1, "in an optional");
	is_u64(calls("made elsewhere"), 1, "returned by a function");
}

void by_hand()
{
	std::string name("by hand, copied");

	is_int(pmu::begin("by hand"), 0, "begin");
	is_int(pmu::begin(std::string_view(name).substr(0, 7)), 0, "the same name by length");
	is_int(pmu::end(name.c_str()), -ENOENT, "an end without its begin");
	is_int(pmu::end("by hand"), 0, "end");
	is_int(pmu::end(std::string_view("by hand")), 0, "end by length");
	is_u64(calls("by hand"), 2, "two calls");
}

void reads_say_what_is_missing()
{
	std::optional<pmu::region_counts> did = pmu::read("literal");
	std::error_code code;

	ok(did && did->calls == 3 && did->time.count() > 0, "calls and time");
	ok(did && did->counts.size() == 2, "two counts");
	ok(did && did->counts.size() == 2 && did->counts[0].name == "page-faults" &&
		   did->counts[0].value,
	   "the first one");
	ok(did && did->counts.size() == 2 && did->counts[0].net &&
		   did->counts[0].net <= did->counts[0].value && did->net_time.count() > 0 &&
		   did->net_time <= did->time,
	   "net of the library's own work");
	ok(did && (*did)["page-faults"] == did->counts[0].value, "by its name");
	ok(did && !(*did)["no such count"], "no value where there is no count");
	ok(!pmu::read("never entered"), "nothing for a region never entered");
	pmu::read("never entered", PMU_THREAD_SELF, code);
	ok(!code, "which is no error");
	pmu::read("literal", 4711, code);
	is_int(code.value(), ESRCH, "an unknown thread is one");
	ok(code == std::errc::no_such_process, "comparable with what the standard calls it");
}

void forgets()
{
	std::error_code code;

	ok(pmu::reset("literal", code) && !code, "reset");
	is_u64(calls("literal"), 0, "forgotten");
	ok(!pmu::reset("never entered", code) && !code, "nothing to forget is no error");
}

void goes_on_to_the_next_group()
{
	std::error_code code;

	ok(!pmu::group_next(code) && !code, "one group: no next one, and no error");
	{
		pmu::region r{ "open" };

		pmu::group_next(code);
	}
}

void reports()
{
	std::error_code code;
	std::string text = pmu::report_text("csv", code);

	is_int(code.value(), 0, "a report in memory");
	ok(text.compare(0, 6, "group,") == 0, "as CSV");
	ok(pmu::report_text().compare(0, 1, "{") == 0, "as JSON, where nothing else is said");
	pmu::report_text("no such format", code);
	is_int(code.value(), EINVAL, "a format that does not exist");
	pmu::report("/nonexistent/report.json", code);
	is_int(code.value(), ENOENT, "a file that cannot be written");
	is_int(pmu::note("written by the test"), 0, "a note");
	ok(pmu::report_text("text").find("written by the test") != std::string::npos,
	   "is in the report");
}

void threads_have_their_own()
{
	std::uint64_t theirs = 0;

	std::thread([&theirs] {
		pmu::thread_attach();
		for (int i = 0; i < 5; i++)
			pmu::region r{ "in a thread" };
		theirs = calls("in a thread");
	}).join();
	is_u64(theirs, 5, "a thread reads its own");
	is_u64(calls("in a thread"), 0, "and only that");
}

void counts_without_regions()
{
	pmu::counters set{ "page-faults" };
	pmu::counters none{ "no-such-event" };

	is_int(none.error().value(), EINVAL, "an unknown event");
	ok(!none && none.read().empty() && !none.start(), "counts nothing");
	ok(set && !set.error(), "counters");
	ok(set.start() && set.stop() && set.reset(), "start, stop, reset");
	pmu::counters moved = std::move(set);
	ok(!set && moved && moved.read().size() == 1 && moved.read()[0] == 0u, "moved");
}

#if defined(__cpp_exceptions)
bool throws(int want, const char *part, const std::function<void()> &what)
{
	try {
		what();
	} catch (const pmu::error &thrown) {
		return thrown.code().value() == want && std::strstr(thrown.what(), part);
	} catch (...) {
	}
	return false;
}

void throw_through(int depth)
{
	pmu::region r{ "thrown through" };

	if (!depth)
		throw depth;
	throw_through(depth - 1);
}

void errors_are_thrown_where_nobody_asked_for_the_code()
{
	ok(throws(ESRCH, "4711", [] { pmu::read("literal", 4711); }), "read");
	ok(throws(EINVAL, "xml", [] { pmu::report_text("xml"); }), "report_text");
	ok(throws(ENOENT, "/nonexistent", [] { pmu::report("/nonexistent/report.json"); }),
	   "report");
	ok(throws(EBUSY, "",
		  [] {
			  pmu::region r{ "open" };
			  pmu::reset("open");
		  }),
	   "reset");
	try {
		throw_through(4);
	} catch (int) {
	}
	is_u64(calls("thrown through"), 5, "regions end when they are thrown through");
}
#endif

// What was never switched on is no reason to stop a program.
void nothing_throws_where_nothing_is_measured()
{
	std::error_code code;

	ok(!pmu::read("literal"), "read");
	pmu::reset("literal");
	ok(!pmu::group_next(), "group_next");
	ok(pmu::report_text().empty(), "report_text");
	pmu::report("/nonexistent/report.json");
	pmu::report();
	pmu::report("/nonexistent/report.json", code);
	is_int(code.value(), ENODEV, "who asks is told");
	{
		pmu::region r{ "after the end" };
	}
}

// What others do for a region is below it; neither copies nor moves lose it.
void work_is_done_for_a_context()
{
	std::vector<std::function<int(int)>> tasks;
	std::string text;
	int sum = 0;

	// started in no region: it works for none by itself
	std::atomic<bool> go{ false };
	std::thread worker([&] {
		pmu::region own{ "worker" };

		while (!go)
			std::this_thread::yield();
		for (auto &task : tasks)
			sum += task(10);
	});

	ok(!pmu::context::here(), "nothing is open");
	{
		pmu::region submits{ "submits" };
		pmu::context its = pmu::context::here();

		ok(bool(its) && its.value() == pmu_context_get(), "a context");
		for (int i = 0; i < 3; i++)
			tasks.emplace_back(pmu::in_context([i](int n) {
				pmu::region r{ "task" };

				return i + n;
			}));
		go = true;
		worker.join();
		std::thread([its] {
			pmu::entered scope{ its };
			pmu::region r{ "by hand" };
		}).join();
		sum += tasks[0](100);
		pmu::in_context([&] { sum += 1000; })();
		pmu::in_context([&](int &to) { to += 1000; })(sum);
		const auto constant = pmu::in_context([](int n) { return n; });
		sum += constant(1000);
	}
	is_int(sum, 3 + 30 + 100 + 3000, "each is called as it was");
	{
		pmu::entered none{ pmu::context{} };
	}
	text = pmu::report_text("csv");
	ok(text.find(",submits/task,task,1,all,4,") != std::string::npos, "tasks of a pool");
	ok(text.find(",submits/by hand,by hand,1,all,1,") != std::string::npos, "a scope");
	ok(text.find(",worker,worker,0,all,1,") != std::string::npos,
	   "the worker's own region is where it was");
}

} // namespace

int main()
{
	pmu::options its;

	its.backend = "software";
	its.events = "page-faults,task-clock";
	its.pin = "none";
	its.output = "none";
	is_int(pmu::init(its).value(), 0, "a session by options");
	is_int(pmu::init().value(), EALREADY, "runs");
	regions_take_any_text();
	a_copied_name_may_change();
	ends_once();
	a_region_that_could_not_begin_ends_nothing();
	is_a_thing_of_its_scope();
	by_hand();
	reads_say_what_is_missing();
	forgets();
	goes_on_to_the_next_group();
	reports();
	threads_have_their_own();
	work_is_done_for_a_context();
	counts_without_regions();
#if defined(__cpp_exceptions)
	errors_are_thrown_where_nobody_asked_for_the_code();
#endif
	is_int(pmu::fini().value(), 0, "the end");
	nothing_throws_where_nothing_is_measured();
	return done_testing();
}
