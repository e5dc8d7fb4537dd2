// SPDX-License-Identifier: BSD-3-Clause
/**
 * pmu.hpp - pmu.h for C++17: regions that end with their scope
 *
 *     #include <pmu.hpp>
 *
 *     void step()
 *     {
 *             pmu::region r{"step"};
 *             ...
 *     }
 *
 * Header only; link with -lpmu.  What begins and ends regions never throws, and neither does
 * anything where nothing is measured (PMU_ENABLE=0, no session): reads are empty then.
 * Calls that can fail otherwise have two forms: one throws pmu::error, one has a
 * std::error_code as its last argument.  Both can be compiled with -fno-exceptions, where
 * the first form returns what is empty instead of throwing.
 *
 * -DPMU_DISABLE turns all of it into nothing.
 */
#ifndef PMU_HPP
#define PMU_HPP

#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

#include "pmu.h"

namespace pmu
{
// Compiled with -finstrument-functions, what begins a region is none itself.
#if defined(__GNUC__)
#define PMU_UNSEEN_ __attribute__((no_instrument_function))
#else
#define PMU_UNSEEN_
#endif

// Files with and without PMU_DISABLE can be in one program: their inline functions differ in name.
#ifdef PMU_DISABLE
inline namespace disabled
{
#else
inline namespace v0
{
#endif

/** What a call threw: code() is the errno, what() ends with pmu_last_error()'s sentence. */
class error : public std::system_error
{
      public:
	error(int code, const std::string &what)
	    : std::system_error(code, std::generic_category(), what)
	{
	}
};

/** Configuration by the program; null leaves a setting to the environment variable beside it. */
struct options {
	const char *enable = nullptr;  // PMU_ENABLE
	const char *group = nullptr;   // PMU_GROUP
	const char *events = nullptr;  // PMU_EVENTS
	const char *backend = nullptr; // PMU_BACKEND
	const char *count = nullptr;   // PMU_COUNT
	const char *pin = nullptr;     // PMU_PIN
	const char *output = nullptr;  // PMU_OUTPUT
};

/** One count; no value where it could not be made, or not for every call: it is not 0. */
struct count {
	std::string name;
	std::optional<std::uint64_t> value;
	std::optional<std::uint64_t> net; // without the library's own work, as reports have it
};

/** What a region did. */
struct region_counts {
	std::uint64_t calls = 0;
	std::chrono::nanoseconds time{ 0 };     // inclusive of nested regions
	std::vector<count> counts;              // in the order of the group
	std::chrono::nanoseconds net_time{ 0 }; // without the library's own work

	/** The count of that name; nothing where there is none, or no value. */
	std::optional<std::uint64_t> operator[](std::string_view name) const noexcept
	{
		for (const count &one : counts)
			if (one.name == name)
				return one.value;
		return std::nullopt;
	}
};

namespace detail
{
inline std::error_code code(int rc) noexcept
{
	return rc < 0 ? std::error_code(-rc, std::generic_category()) : std::error_code();
}

// Where nothing is measured is not where something went wrong.
inline void check(const char *what, const std::error_code &code)
{
	if (!code || code == std::errc::no_such_device)
		return;
#if defined(__cpp_exceptions)
	throw error(code.value(), std::string(what) + ": " + pmu_last_error());
#else
	(void)what;
#endif
}
} // namespace detail

/**
 * init() - start measuring now rather than at the first begin
 *
 * Return: why not; a session that runs already is EALREADY.  The program goes on unmeasured, and
 * need not ask: the reason is on standard error.
 */
inline std::error_code init(const options &its = {}) noexcept
{
	pmu_options plain = { sizeof(plain), its.enable, its.group, its.events,
			      its.backend,   its.count,  its.pin,   its.output };

	return detail::code(pmu_init(&plain));
}

/** fini() - write the reports and stop measuring.  Return: why a report could not be written. */
inline std::error_code fini() noexcept
{
	return detail::code(pmu_fini());
}

/** thread_attach() - pin the calling thread and open its counters now */
inline std::error_code thread_attach() noexcept
{
	return detail::code(pmu_thread_attach());
}

/** begin(), end() - a region by hand.  Return: 0 or a negative errno, as in pmu.h. */
PMU_UNSEEN_ inline int begin(const char *name) noexcept
{
	return pmu_region_begin(name);
}
PMU_UNSEEN_ inline int begin(std::string_view name) noexcept
{
	return pmu_region_begin_n(name.data(), name.size());
}
PMU_UNSEEN_ inline int end(const char *name) noexcept
{
	return pmu_region_end(name);
}
PMU_UNSEEN_ inline int end(std::string_view name) noexcept
{
	return pmu_region_end_n(name.data(), name.size());
}

/**
 * region - one that lasts as long as the object
 *
 * It belongs to the thread and the scope that made it, so it is neither copied nor moved; a
 * function may return one, and std::optional<region> has emplace().
 */
class region
{
      public:
	/** @name: a literal, or a text that outlives the object; it is not copied */
	[[nodiscard]] PMU_UNSEEN_ explicit region(const char *name) noexcept;
	/** @name: any text, std::string too; copied, so that a temporary will do */
	[[nodiscard]] PMU_UNSEEN_ explicit region(std::string_view name) noexcept;

	region(const region &) = delete;
	region &operator=(const region &) = delete;

	PMU_UNSEEN_ ~region()
	{
		end();
	}

	/** end() - now rather than with the scope; once */
	PMU_UNSEEN_ void end() noexcept;

#ifndef PMU_DISABLE
      private:
	const char *text = nullptr; // null: not begun, or ended
	char *heap = nullptr;       // of a copy that is longer than this:
	char copy[64];

	PMU_UNSEEN_ void start(const char *name) noexcept;
#endif
};

#ifdef PMU_DISABLE
inline region::region(const char *) noexcept
{
}
inline region::region(std::string_view) noexcept
{
}
inline void region::end() noexcept
{
}
#else
// A begin that failed is not ended: the end would be that of a region of the same name around it.
inline void region::start(const char *name) noexcept
{
	if (pmu_region_begin(name) == 0)
		text = name;
}

inline region::region(const char *name) noexcept
{
	start(name);
}

// The copy comes first: it is not in the region.
inline region::region(std::string_view name) noexcept
{
	char *to = copy;

	if (name.empty() || name.size() > PMU_NAME_MAX ||
	    std::memchr(name.data(), '\0', name.size())) {
		(void)pmu_region_begin_n(name.data(),
					 name.size()); // refused, and the report says so
		return;
	}
	if (name.size() >= sizeof(copy))
		to = heap = new (std::nothrow) char[name.size() + 1];
	if (!to)
		return;
	std::memcpy(to, name.data(), name.size());
	to[name.size()] = '\0';
	start(to);
}

inline void region::end() noexcept
{
	if (text)
		(void)pmu_region_end(text);
	text = nullptr;
	if (heap)
		delete[] heap;
	heap = nullptr;
}
#endif

/**
 * context - what a thread has open, for work that another one will do for it
 *
 * A word that can be copied and stored; without a region it is none.  It is valid until the
 * region's call ends.
 */
class context
{
      public:
	context() noexcept = default;
	explicit context(pmu_context_t value) noexcept : word(value)
	{
	}

	/** here() - that of the calling thread */
	PMU_UNSEEN_ static context here() noexcept
	{
		return context(pmu_context_get());
	}
	pmu_context_t value() const noexcept
	{
		return word;
	}
	explicit operator bool() const noexcept
	{
		return word != 0;
	}

      private:
	pmu_context_t word = 0;
};

/**
 * entered - as long as the object is there, what the calling thread does is done for a context
 *
 * It belongs to the thread and the scope that made it.  On the context's own thread it is nothing.
 */
class entered
{
      public:
	[[nodiscard]] PMU_UNSEEN_ explicit entered(context its) noexcept : is(bool(its))
	{
		if (is)
			(void)pmu_context_enter(its.value());
	}

	entered(const entered &) = delete;
	entered &operator=(const entered &) = delete;

	PMU_UNSEEN_ ~entered()
	{
		if (is)
			(void)pmu_context_leave();
	}

      private:
	bool is;
};

/**
 * in_context() - a function that is called for the context it was made in, on whatever thread
 *
 *     pool.submit(pmu::in_context([=] { solve(part); }));
 *     std::thread worker(pmu::in_context(work));
 *     tbb::parallel_for(range, pmu::in_context([&](const auto &part) { ... }));
 *
 * It takes and returns what @function does.
 */
template <class Function> class in_context
{
      public:
	explicit in_context(Function its_function, context its_context = context::here())
	    : function(std::move(its_function)), its(its_context)
	{
	}

	template <class... Arguments>
	std::invoke_result_t<Function &, Arguments...> operator()(Arguments &&...arguments)
	{
		entered scope{ its };

		return std::invoke(function, std::forward<Arguments>(arguments)...);
	}
	template <class... Arguments>
	std::invoke_result_t<const Function &, Arguments...> operator()(
		Arguments &&...arguments) const
	{
		entered scope{ its };

		return std::invoke(function, std::forward<Arguments>(arguments)...);
	}

      private:
	Function function;
	context its;
};

/**
 * read() - what a region has done so far
 * @name: a region's name; with a thread number a path, as pmu_region_read() explains
 * @thread: the number a report gives the thread; without it the calling thread
 *
 * Return: nothing for a region that was never entered, and where nothing is measured.
 * Errors: ESRCH for an unknown thread.
 */
inline std::optional<region_counts> read(const std::string &name, int thread, std::error_code &code)
{
	pmu_region_counts plain = {};
	region_counts result;

	plain.size = sizeof(plain);
	code = detail::code(pmu_region_read(name.c_str(), thread, &plain));
	if (code == std::errc::no_such_file_or_directory)
		code.clear();
	else if (!code)
		result.calls = plain.calls;
	if (code || !result.calls)
		return std::nullopt;
	result.time = std::chrono::nanoseconds(plain.time_ns);
	result.net_time = std::chrono::nanoseconds(plain.net_time_ns);
	for (unsigned int i = 0; i < plain.n_counts && i < PMU_MAX_COUNTS; i++) {
		const char *label = pmu_count_name(i);
		count one{ label ? label : "", std::nullopt, std::nullopt };

		if (!(plain.missing >> i & 1)) {
			one.value = plain.count[i];
			one.net = plain.net[i];
		}
		result.counts.push_back(std::move(one));
	}
	return result;
}
inline std::optional<region_counts> read(const std::string &name, int thread = PMU_THREAD_SELF)
{
	std::error_code code;
	std::optional<region_counts> result = read(name, thread, code);

	detail::check("cannot read a region", code);
	return result;
}

/**
 * reset() - forget what a region has done on the calling thread
 *
 * Return: false for a region never entered here.  Errors: EBUSY while the region is open.
 */
inline bool reset(const std::string &name, std::error_code &code) noexcept
{
	code = detail::code(pmu_region_reset(name.c_str()));
	if (code != std::errc::no_such_file_or_directory)
		return !code;
	code.clear();
	return false;
}
inline bool reset(const std::string &name)
{
	std::error_code code;
	bool result = reset(name, code);

	detail::check("cannot reset a region", code);
	return result;
}

/**
 * group_next() - count the next group of PMU_GROUP from now on
 *
 * Return: false where only one group is configured, and where nothing is measured.
 * Errors: EBUSY while any thread has a region open.
 */
inline bool group_next(std::error_code &code) noexcept
{
	code = detail::code(pmu_group_next());
	if (code != std::errc::no_such_file_or_directory)
		return !code;
	code.clear();
	return false;
}
inline bool group_next()
{
	std::error_code code;
	bool result = group_next(code);

	detail::check("cannot go on to the next group", code);
	return result;
}

/**
 * report() - write a report of everything that has ended so far
 * @path: its ending chooses the format (.json, .csv, else text); "-" is standard output; without
 *        it the text goes to standard error
 *
 * Errors: those of a file that cannot be written.
 */
inline void report(const std::string &path, std::error_code &code) noexcept
{
	code = detail::code(pmu_report(path.c_str()));
}
inline void report(const std::string &path)
{
	std::error_code code;

	report(path, code);
	detail::check("cannot write a report", code);
}
inline void report(std::error_code &code) noexcept
{
	code = detail::code(pmu_report(nullptr));
}
inline void report()
{
	std::error_code code;

	report(code);
	detail::check("cannot write a report", code);
}

/**
 * report_text() - the same report as a text in memory
 * @format: "json", "csv" or "text"
 *
 * Return: an empty text where nothing is measured.  Errors: EINVAL for another format.
 */
inline std::string report_text(const std::string &format, std::error_code &code)
{
	struct freed {
		char *text = nullptr;
		~freed()
		{
			std::free(text);
		}
	} made;

	code = detail::code(pmu_report_text(format.c_str(), &made.text));
	return !code && made.text ? std::string(made.text) : std::string();
}
inline std::string report_text(const std::string &format = "json")
{
	std::error_code code;
	std::string result = report_text(format, code);

	detail::check("cannot make a report", code);
	return result;
}

/** note() - a line for the report's head.  Return: 0 or a negative errno. */
inline int note(const std::string &text) noexcept
{
	return pmu_note(text.c_str());
}

/**
 * counters - counts without regions
 *
 *     pmu::counters c{"instructions,cycles"};
 *     c.start();
 *     ...
 *     c.stop();
 *     std::vector<std::optional<std::uint64_t>> made = c.read();
 *
 * What can be counted is up to the machine, so nothing here throws but for want of memory; one
 * that could not be opened says why in error() and reads nothing.
 */
class counters
{
      public:
	/** Stopped, at zero. */
	explicit counters(const std::string &events, pmu_scope scope = PMU_SCOPE_THREAD) noexcept
	    : why(detail::code(pmu_counters_open(events.c_str(), scope, &set)))
	{
	}
	counters(counters &&other) noexcept : set(std::exchange(other.set, nullptr)), why(other.why)
	{
	}
	counters &operator=(counters &&other) noexcept
	{
		std::swap(set, other.set);
		std::swap(why, other.why);
		return *this;
	}
	~counters()
	{
		pmu_counters_close(set);
	}

	/** Why it could not be opened; after that, the last error of the calls below. */
	std::error_code error() const noexcept
	{
		return why;
	}
	explicit operator bool() const noexcept
	{
		return set != nullptr;
	}

	/** Return: whether it could. */
	bool start() noexcept
	{
		return set && held(pmu_counters_start(set));
	}
	bool stop() noexcept
	{
		return set && held(pmu_counters_stop(set));
	}
	bool reset() noexcept
	{
		return set && held(pmu_counters_reset(set));
	}

	/**
	 * In the order of the events, running or stopped; no value is one that could not be read.
	 */
	std::vector<std::optional<std::uint64_t>> read()
	{
		std::uint64_t value[PMU_MAX_COUNTS] = {};
		std::uint32_t missing = 0;
		std::vector<std::optional<std::uint64_t>> result;
		int n = set ? pmu_counters_read(set, value, PMU_MAX_COUNTS, &missing) : 0;

		held(n);
		for (int i = 0; i < n && i < PMU_MAX_COUNTS; i++)
			result.push_back(missing >> i & 1 ? std::nullopt : std::optional(value[i]));
		return result;
	}

      private:
	pmu_counters *set = nullptr;
	std::error_code why;

	bool held(int rc) noexcept
	{
		if (rc < 0)
			why = detail::code(rc);
		return rc >= 0;
	}
};

} // namespace disabled or v0
} // namespace pmu

#endif
