# SPDX-License-Identifier: BSD-3-Clause
"""The package pmu as a Python program uses it: TAP."""
import asyncio
import concurrent.futures
import csv
import errno
import inspect
import io
import json
import multiprocessing
import os
import subprocess
import sys
import tempfile
import threading
import warnings

import pmu

HERE = os.path.abspath(__file__)
done = failed = 0


def ok(holds, name):
    global done, failed
    done += 1
    failed += not holds
    print("%sok %d - %s" % ("" if holds else "not ", done, name), flush=True)
    return holds


def same(got, want, name):
    if not ok(got == want, name):
        print("# got %r, want %r" % (got, want), flush=True)


def raises(kind, function, *arguments, **named):
    try:
        function(*arguments, **named)
    except kind as why:
        return why
    return None


def calls(name):
    did = pmu.read(name)
    return did["calls"] if did else 0


# --- what a child process does: python.py NAME ---

def child_plain():
    with pmu.region("plain"):
        pass


def child_where():
    child_plain()
    print(pmu.library())


def child_off():
    """PMU_ENABLE=0, or no library at all."""
    child_plain()
    pmu.begin("x")
    pmu.end("x")
    pmu.note("x")
    pmu.reset("x")
    pmu.thread_attach()
    pmu.report("/nonexistent/report.json")
    pmu.fini()
    print(pmu.read("plain"), pmu.report(), pmu.report_dict(), repr(pmu.report_text()),
          pmu.group_next(), pmu.library() is None)


def worker(n):
    with pmu.region("worker"):
        return n * n


def child_workers():
    with pmu.region("parent"):
        pass
    process = multiprocessing.get_context("fork").Process(target=worker, args=(3,))
    process.start()
    process.join()


def child_pool():
    from concurrent.futures import ProcessPoolExecutor

    with pmu.region("parent"):
        pass
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("fork")) as pool:
        print(sum(pool.map(worker, range(4))))


def child_spawned():
    process = multiprocessing.get_context("spawn").Process(target=worker, args=(3,))
    process.start()
    process.join()


def child_fork():
    with pmu.region("both"):
        pid = os.fork()
        if pid:
            os.waitpid(pid, 0)


def child_first_end():
    pmu.end("never begun")
    print(json.dumps(pmu.report_dict()["doubts"]))


def run(what, *arguments, **settings):
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PMU_")}
    environment.update(settings)
    environment.setdefault("PMU_LIBRARY", os.environ["PMU_LIBRARY"])
    return subprocess.run([sys.executable, *arguments, HERE, what], env=environment,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


# --- in this process ---

def starts_by_options():
    same(pmu.init(backend="software", events=["page-faults", "task-clock"], output="none"), True,
         "a session by options")
    same(pmu.init(), False, "runs already")
    ok("running" in pmu.last_error() or pmu.last_error(), "and says so")
    ok(os.path.exists(pmu.library()), "the library's file")
    same(len(pmu.version()), 3, "its version")


def regions_for_with():
    for i in range(3):
        with pmu.region("outer") as entered:
            with pmu.region("inner"):
                with pmu.region("outer"):
                    pass
    same(entered.name, "outer", "with ... as")
    same(calls("outer"), 6, "recursion")
    same(calls("inner"), 3, "nesting")
    kept = pmu.region("kept")
    with kept, kept:
        pass
    ok(kept is pmu.region("kept"), "one object for a name")
    same(calls("kept"), 2, "that can be used again, also in itself")
    why = raises(ZeroDivisionError, leave_by_exception)
    ok(why and calls("left by exception") == 1, "an exception ends it, and goes on")


def leave_by_exception():
    with pmu.region("left by exception"):
        1 / 0


def names():
    for name in ("Größe", "a" * 1023, "\udcff", "\ud800", "a/b\\c", 'say "x", y\n'):
        with pmu.region(name):
            pass
    same(calls("Größe"), 1, "not only ASCII")
    same(calls("a" * 1023), 1, "the longest")
    same(calls("\\udcff"), 1, "what cannot be UTF-8 is written out")
    before = len(pmu.report())
    for name in ("", "a\0b", "a" * 1024):
        with pmu.region(name):
            pass
    same(len(pmu.report()), before, "what cannot be a name is no region")
    same([doubt["count"] for doubt in pmu.report_dict()["doubts"]
          if "empty or too long" in doubt["text"]], [6], "and a doubt")
    for wrong in (3, None, b"bytes"):
        ok(raises(TypeError, pmu.region, wrong), "no name: %r" % (wrong,))
        ok(raises(TypeError, pmu.begin, wrong), "nor for begin()")


def many_names():
    for i in range(25000):
        with pmu.region("many %d" % (i % 12500)):
            pass
    same(calls("many 0"), 2, "more names than are kept")
    ok(len(pmu._region._regions) <= 10000, "of which not all are")
    for i in range(12500):
        pmu.reset("many %d" % i)


def by_hand():
    for i in range(4):
        pmu.begin("by hand")
        pmu.end("by hand")
    same(calls("by hand"), 4, "begin and end")
    pmu.reset("by hand")
    same(calls("by hand"), 0, "reset")
    pmu.reset("never entered")
    pmu.begin("open")
    why = raises(pmu.Error, pmu.reset, "open")
    same(why and why.errno, errno.EBUSY, "not while it is open")
    ok(why and "open" in str(why), "for a reason")
    pmu.end("open")


def decorators():
    @pmu.region
    def bare(x, *, y=1):
        """Documented."""
        return x + y

    @pmu.region("named")
    def other():
        return bare(1)

    class Thing:
        @pmu.region
        def method(self):
            return self

        @staticmethod
        @pmu.region
        def of_none():
            return 1

        @classmethod
        @pmu.region
        def of_class(cls):
            return cls

    name = "decorators.<locals>."
    same(bare(1, y=2), 3, "arguments and the result go through")
    same(other(), 2, "a name of its own")
    thing = Thing()
    ok(thing.method() is thing and Thing.of_none() == 1 and Thing.of_class() is Thing, "methods")
    same([calls(name + "bare"), calls("named"), calls(name + "Thing.method"),
          calls(name + "Thing.of_none"), calls(name + "Thing.of_class")], [2, 1, 1, 1, 1],
         "each call counts, by the qualified name")
    same((bare.__name__, bare.__doc__), ("bare", "Documented."), "it looks as it did")

    @pmu.region("decorated, left by exception")
    def leave():
        raise KeyError

    ok(raises(KeyError, leave) and calls("decorated, left by exception") == 1, "exceptions")
    pmu.region("lambda")(lambda: None)()
    same(calls("lambda"), 1, "a lambda")
    ok(raises(TypeError, pmu.region, Thing), "no class")
    ok(raises(TypeError, pmu.region("x"), classmethod(leave)), "no classmethod object")


def generators():
    @pmu.region("generator")
    def count(n):
        got = []
        try:
            for i in range(n):
                ok(is_open("generator"), "in its region while it runs")
                try:
                    got.append((yield i))
                except KeyError as why:
                    got.append(why)
        finally:
            got.append("end")
        return got

    def outer():
        result.append((yield from count(2)))

    result = []
    made = outer()
    same(next(made), 0, "a generator yields")
    ok(not is_open("generator"), "and is out of its region then")
    same(made.send("sent"), 1, "takes what is sent")
    error = KeyError("thrown")
    ok(raises(StopIteration, made.throw, error) is not None, "and what is thrown")
    same(result, [["sent", error, "end"]], "returns its value")
    same(calls("generator"), 3, "each stretch is a call")
    closed = count(5)
    next(closed)
    closed.close()
    same(calls("generator"), 5, "closing is one, too")
    ok(inspect.isgeneratorfunction(count), "still a generator function")


def is_open(name):
    return any(region["open"] for region in pmu.report_dict()["regions"] if region["name"] == name)


def coroutines():
    order = []

    @pmu.region("coroutine")
    async def step(name):
        for i in range(3):
            order.append(name)
            await asyncio.sleep(0)
        return name

    async def both():
        return await asyncio.gather(step("a"), step("b"))

    same(asyncio.run(both()), ["a", "b"], "coroutines return")
    same(order, ["a", "b"] * 3, "and take turns")
    same(calls("coroutine"), 8, "each stretch between two awaits is a call")
    row = [row for row in pmu.report() if row["name"] == "coroutine"]
    ok(len(row) == 1 and row[0]["depth"] == 0 and row[0]["self_ns"] is not None,
       "none of them inside another")
    ok(inspect.iscoroutinefunction(step), "still a coroutine function")

    @pmu.region("cancelled")
    async def forever():
        await asyncio.sleep(1000)

    async def cancel():
        task = asyncio.ensure_future(forever())
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        return task.cancelled()

    ok(asyncio.run(cancel()) and calls("cancelled") == 2, "one that is cancelled")

    async def asynchronous():
        yield 1

    ok(raises(TypeError, pmu.region, asynchronous), "no asynchronous generator")


def reads():
    did = pmu.read("outer")
    same(sorted(did), ["calls", "counts", "net_counts", "net_time_ns", "time_ns"], "what read() has")
    same(list(did["counts"]), ["page-faults", "task-clock"], "counts by name")
    same(list(did["net_counts"]), list(did["counts"]), "and without the library's own work")
    ok(0 < did["net_time_ns"] <= did["time_ns"], "as is the time")
    ok(all(did["net_counts"][name] <= count for name, count in did["counts"].items()), "which is less")
    ok(did["time_ns"] > 0 and did["counts"]["task-clock"] > 0, "time and counts")
    same(pmu.read("never entered"), None, "nothing for a region never entered")
    same(pmu.read("outer/inner", 0)["calls"], 3, "a path of a thread by its number")
    same(raises(pmu.Error, pmu.read, "outer", 4711).errno, errno.ESRCH, "an unknown thread")
    same(pmu.group_next(), False, "no next group")


def reports(folder):
    rows = pmu.report()
    outer = [row for row in rows if row["path"] == "outer"][0]
    ok(isinstance(rows, list) and isinstance(outer, dict), "rows of dicts")
    same([outer["calls"], outer["thread"], outer["depth"], outer["group"]],
         [6, "all", 0, outer["group"]], "a row")
    ok(outer["net:page-faults"] is not None and outer["raw:task-clock [ns]"] > 0, "its counts")
    pmu.note("a note of the test")
    ok("a note of the test" in pmu.report_dict()["notes"], "the whole as a dict")
    ok("a note of the test" in pmu.report_text(), "as text")
    same(raises(pmu.Error, pmu.report_text, "xml").errno, errno.EINVAL, "no other format")
    path = os.path.join(folder, "r.json")
    pmu.report(path)
    same([row["path"] for row in pmu.rows(pmu.load(path))], [row["path"] for row in pmu.report()],
         "a file, read again")
    with open(path) as opened:
        same(pmu.load(opened)["pmu_report"], 1, "from an open file")
    why = raises(pmu.Error, pmu.report, os.path.join(folder, "none", "r.json"))
    same(why and why.errno, errno.ENOENT, "one that cannot be written")
    ok(why and folder in str(why), "with its name")
    threads = [row["thread"] for row in pmu.report(threads=True) if row["path"] == "outer"]
    same(threads, ["all", 0], "threads have their rows")


def threads_have_their_own():
    own = []

    def body(n):
        for i in range(n):
            with pmu.region("in a thread"):
                pass
        own.append(calls("in a thread"))

    threads = [threading.Thread(target=body, args=(n,)) for n in (1, 20, 300)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    same(sorted(own), [1, 20, 300], "each thread reads its own")
    rows = [row for row in pmu.report(threads=True) if row["path"] == "in a thread"]
    same([sorted(row["calls"] for row in rows[1:]), rows[0]["calls"]], [[1, 20, 300], 321],
         "the report has all")


def sum_of(path):
    return sum(row["calls"] for row in pmu.report() if row["path"] == path)


def work_is_done_for_a_context():
    @pmu.region("step")
    def step(n, plus=0):
        return n + plus

    async def elsewhere():
        return await asyncio.get_running_loop().run_in_executor(None, pmu.in_context(step), 5)

    same(pmu.context(), 0, "nothing is open")
    with pmu.Executor(concurrent.futures.ThreadPoolExecutor(2)) as pool:
        pool.submit(step, 1).result()
        with pmu.region("submits"):
            same(list(pool.map(step, range(10))), list(range(10)), "map()")
            same(pool.submit(step, 1, plus=2).result(), 3, "submit()")
            its = pmu.context()

            def by_hand():
                with pmu.region("own"), pmu.entered(its), pmu.region("by hand"):
                    pass
            one = threading.Thread(target=by_hand)
            one.start()
            one.join()
            same(asyncio.run(elsewhere()), 5, "an event loop's executor")
            same(pmu.in_context(step)(7), 7, "on the same thread")
    same(sum_of("submits/step"), 13, "tasks count for the region that submitted them")
    same([sum_of("submits/by hand"), sum_of("own")], [1, 1], "what is open around stays outside")
    same(sum_of("step"), 1, "a task of no region is in none")
    with concurrent.futures.ProcessPoolExecutor(1) as processes:
        ok(raises(TypeError, pmu.Executor, processes), "not for processes")
    with pmu.entered(0):
        pass


def counters():
    with pmu.Counters("page-faults,task-clock") as counted:
        sum(range(1000))
    made = counted.read()
    same(list(made), ["page-faults", "task-clock"], "counters without regions")
    ok(made["task-clock"] > 0, "count")
    same(counted.read(), made, "stopped, they stay")
    counted.reset()
    same(counted.read()["page-faults"], 0, "and go back to zero")
    counted.close()
    ok(raises(ValueError, counted.read), "closed, they are not read")
    same(raises(pmu.Error, pmu.Counters, "no-such-event").errno, errno.EINVAL, "an unknown event")


def ends():
    pmu.fini()
    with pmu.region("after the end"):
        pass
    same([pmu.read("outer"), pmu.report(), pmu.report_dict(), pmu.report_text()],
         [None, [], None, ""], "after the end nothing is measured")
    ok(pmu.init(backend="clock", output="none"), "another session")
    with pmu.region("again"):
        pass
    same([row["name"] for row in pmu.report()], ["again"], "starts afresh")
    pmu.fini()


# --- in other processes ---

def reports_at_exit(folder):
    got = run("child_plain", PMU_OUTPUT=folder + "/exit.json")
    same((got.returncode, got.stdout, got.stderr), (0, "", ""), "an exit")
    made = pmu.load(folder + "/exit.json")
    same([region["name"] for region in made["regions"]], ["plain"], "leaves a report")
    same(made["pinning"], "none", "nothing is pinned")
    run("child_plain", PMU_OUTPUT=folder + "/pin.json", PMU_PIN="compact")
    ok("compact" in pmu.load(folder + "/pin.json")["pinning"], "but for PMU_PIN")
    got = run("child_where", PMU_OUTPUT=folder + "/there.json", PMU_LIBRARY="",
              LD_PRELOAD=os.environ["PMU_LIBRARY"])
    same(got.stdout, "libpmu.so.0\n", "a library that is there already is taken")
    same(pmu.load(folder + "/there.json")["pinning"], "none", "where it could pin, it does not")
    got = run("child_plain", PMU_EVENTS="no-such-event")
    ok(got.returncode == 0 and "no-such-event" in got.stderr, "a wrong setting is said, no more")
    same(run("child_first_end", PMU_OUTPUT="none").stdout.count("ended without a begin"), 1,
         "an end before all else")


def is_nothing_where_nothing_is_measured():
    got = run("child_off", PMU_ENABLE="0")
    same((got.returncode, got.stdout, got.stderr), (0, "None [] None '' False False\n", ""),
         "switched off, everything is nothing")
    got = run("child_off", PMU_LIBRARY="/nonexistent/libpmu.so.0")
    same((got.returncode, got.stdout), (0, "None [] None '' False True\n"),
         "without the library, too")
    same(got.stderr.count("RuntimeWarning"), 1, "one warning says so")
    ok("/nonexistent/libpmu.so.0" in got.stderr and "python.py:" in got.stderr.split()[0],
       "why, and where it was needed")
    ok(run("child_plain", "-W", "ignore", PMU_LIBRARY="/nonexistent").stderr == "",
       "which can be switched off")


def reported(folder):
    """{names of the regions: their calls} of all reports in a folder."""
    made = []
    for name in sorted(os.listdir(folder)):
        report = pmu.load(os.path.join(folder, name))
        made.append({region["name"]: region["calls"] for region in report["regions"]})
    return sorted(made, key=str)


def processes_report_for_themselves(folder):
    for child, want in (("child_workers", [{"parent": 1}, {"worker": 1}]),
                        ("child_pool", [{"parent": 1}, {"worker": 4}]),
                        ("child_spawned", [{"worker": 1}]),
                        ("child_fork", [{"both": 1}, {"both": 1}])):
        sub = os.path.join(folder, child)
        os.mkdir(sub)
        got = run(child, PMU_OUTPUT=sub + "/%p.json", PMU_BACKEND="clock")
        same((got.returncode, got.stderr), (0, ""), child)
        same(reported(sub), want, "a report of each process")
        ok(all(pmu.load(os.path.join(sub, name))["pinning"] == "none" for name in os.listdir(sub)),
           "none of them pinned")


# --- python3 -m pmu ---

def module(*arguments, given=None):
    return subprocess.run([sys.executable, "-m", "pmu", *arguments], input=given,
                          env={**os.environ, "PMU_LIBRARY": "/nonexistent"},
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def shows_files(folder):
    path = os.path.join(folder, "r.json")
    got = module(path)
    same((got.returncode, got.stderr), (0, ""), "a table, without the library")
    lines = {line.split("  ")[1]: line for line in got.stdout.splitlines() if line.startswith("  outer")}
    ok("outer" in lines and " 6 " in lines["outer"], "with its regions")
    ok("a note of the test" in got.stdout, "and notes")
    ok("thread 0" in module("--threads", path).stdout, "and threads")
    ok("empty or too long (6)" in got.stdout, "and doubts")
    command = os.environ.get("TEST_PMU")
    if command:
        subprocess.run([command, "report", path, "-o", folder + "/r.csv"], check=True)
        with open(folder + "/r.csv", encoding="utf-8", newline="") as opened:
            want = opened.read()
        same(module("--csv", path).stdout, want, "--csv is what the command writes")
        read = list(csv.DictReader(io.StringIO(want)))
        same(list(pmu.rows(pmu.load(path))[0]), [column for column in read[0]],
             "rows have its columns, in its order")
    if command:
        least = os.path.join(os.environ["TEST_SRCDIR"], "tests/fuzz/corpus/json/leasts")
        subprocess.run([command, "report", least, "-o", folder + "/least.csv"], check=True)
        with open(folder + "/least.csv", encoding="utf-8", newline="") as opened:
            same(module("--csv", least).stdout, opened.read(), "of least counts, too")
        both = folder + "/both.json"
        subprocess.run([command, "report", "--merge", path, folder + "/exit.json", "-o", both,
                        "-o", folder + "/both.csv"], check=True)
        with open(folder + "/both.csv", encoding="utf-8", newline="") as opened:
            same(module("--csv", both).stdout, opened.read(), "of several processes, too")
        same([row["part"] for row in pmu.rows(pmu.load(both), threads=True)
              if row["path"] == "plain"], ["all", 1], "rows say which one")
        ok("part 1, thread 0" in module("--threads", both).stdout, "the table, too")
    with open(path, encoding="utf-8") as opened:
        text = opened.read()
    same(module("-", given=text).stdout, got.stdout, "standard input")
    for wrong, why in (("", "Expecting"), ("[]", "no report"), ('{"pmu_report": 2}', "version 2"),
                       ('{"pmu_report": 1}', "not a whole report"), ("[" * 100000, ""),
                       (text[:len(text) // 2], ""),
                       (text.replace('"depth": 0', '"depth": "deep"'), "not a whole report"),
                       (text.replace('"calls": 6', '"calls": 1' + "0" * 400), "")):
        got = module("-", given=wrong)
        ok(got.returncode in (0, 1) and "Traceback" not in got.stderr and why in got.stderr,
           "what is no report is refused: %.30r" % wrong)
    got = module("-", given=text.replace("outer", "\\u001b[31mred"))
    ok("\033" not in got.stdout and "\\x1b[31mred" in got.stdout, "no orders to the terminal")
    got = module("/nonexistent")
    ok(got.returncode == 1 and "No such file" in got.stderr, "a file that is not there")


def installs(folder):
    top = os.path.join(os.environ["TEST_SRCDIR"], "bindings", "python")
    there = os.path.join(folder, "installed")
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--no-index", "--quiet"]
    if subprocess.run(pip[:3] + ["--version"], stdout=subprocess.DEVNULL,
                      stderr=subprocess.DEVNULL).returncode:
        return ok(True, "pip install # SKIP no pip")
    got = subprocess.run(pip + ["--target", there, top], env=environment, stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, text=True)
    if got.returncode:
        print("# " + got.stdout.replace("\n", "\n# "))
    same(got.returncode, 0, "pip installs it, without a network")
    version = ".".join(map(str, pmu.version()))
    ok(os.path.isdir(os.path.join(there, "libpmu-%s.dist-info" % version)), "as the library's version")
    same(sorted(name for name in os.listdir(os.path.join(there, "pmu")) if name.endswith(".py")),
         sorted(name for name in os.listdir(os.path.join(top, "pmu")) if name.endswith(".py")), "all of it")
    got = subprocess.run([sys.executable, HERE, "child_where"], stdout=subprocess.PIPE, text=True,
                         env={**environment, "PYTHONPATH": there, "PMU_OUTPUT": "none"})
    same((got.returncode, got.stdout), (0, os.environ["PMU_LIBRARY"] + "\n"), "and it works")


def main():
    if len(sys.argv) > 1:
        return globals()[sys.argv[1]]()
    warnings.simplefilter("error")
    with tempfile.TemporaryDirectory() as folder:
        starts_by_options()
        regions_for_with()
        names()
        many_names()
        by_hand()
        decorators()
        generators()
        coroutines()
        reads()
        reports(folder)
        threads_have_their_own()
        counters()
        ends()
        reports_at_exit(folder)
        is_nothing_where_nothing_is_measured()
        processes_report_for_themselves(folder)
        shows_files(folder)
        installs(folder)
    print("1..%d" % done)
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
