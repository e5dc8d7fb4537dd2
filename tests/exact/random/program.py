# SPDX-License-Identifier: BSD-3-Clause
"""Random programs: what they are made of, how they are chosen, and the C that does them.

A case is data: {"names": [TEXT...], "programs": [{"where": WHERE, "body": [STEP...]}...], "build": {...}, "settings": {...}}.
A step is {"do": KIND, ...}, with "body" where there are steps in it.  Each program is below an outermost region of its own:
"p0", "p1" and so on.  Whatever is left out of a case, what remains is one: so it can be made smaller, step by step.
"""
import random

FORMS = ("literal", "array", "data", "placed", "rewritten", "stack", "sized literal", "sized data", "sized placed")
UNCOPIED = ("literal", "array", "data", "sized literal", "sized data")
LENGTHS = (1, 2, 3, 7, 8, 9, 15, 16, 17, 24, 31, 32, 33, 63, 64, 65, 127, 128, 255, 256, 511, 512, 1000, 1022, 1023)
LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJ0123456789_-.:()<>&*+ éß漢😀/\\,\"'"
PATH_MAX = 3000  # bytes of names that are open: a path in a report has 4,096
DEPTH_MAX = 7
TUNABLES = "glibc.cpu.hwcaps=" + ",".join("-" + f for f in (
    "AVX512F", "AVX512VL", "AVX512BW", "AVX2", "AVX", "BMI1", "BMI2", "LZCNT", "MOVBE", "RTM", "ERMS", "FSRM", "SSE4_1", "SSE4_2", "SSSE3",
    "FMA", "FMA4", "Fast_Unaligned_Load", "Fast_Unaligned_Copy",
    # what glibc prefers where there is AVX2, and does not where there is RTM, of which valgrind's processor has none
    "AVX_Fast_Unaligned_Load", "Prefer_No_VZEROUPPER"))
WHERES = ("main", "main", "main", "thread", "child")
PMU_NAME_MAX = 1023
OFTEN = 8  # what is done as often as that is not repeated further
WORKS = ("turns", "turns", "sort", "arithmetic", "length")
LIBC_WORKS = ("libc_sort", "libc_print", "libc_number", "libc_text") * 2
PROGRAMS_OF_A_SET = 7  # of names


def long_name(rng, n):
    """n bytes of UTF-8"""
    text = ""
    while len(text.encode()) < n:
        left = n - len(text.encode())
        text += rng.choice([c for c in LETTERS if len(c.encode()) <= left])
    return text


def some_names(rng):
    names = [long_name(rng, rng.choice(LENGTHS[:12])) for _ in range(rng.randint(2, 5))]
    names += [long_name(rng, rng.choice(LENGTHS)) for _ in range(rng.randint(0, 3))]
    first = names[0].encode()[:-1].decode(errors="ignore")
    return names + [first + "x", first + "y"]


def make_names(rng, n):
    """n sets of names, of which the later ones have some of an earlier one.  Return: all names, and which ones are in each set"""
    names, sets = [], []
    for i in range(n):
        own = some_names(rng) + ([names[k] for k in rng.sample(rng.choice(sets), 2)] if i else [])
        names = list(dict.fromkeys(names + own))
        sets.append(list(dict.fromkeys(names.index(name) for name in own)))
    return names, sets


class Chooser:
    """One program's steps."""

    def __init__(self, rng, names, own, kinds):
        self.rng, self.names, self.own, self.kinds = rng, names, own, kinds
        if "signal" in kinds:
            self.in_handlers, self.own = own[::2], own[1::2]
        self.left = rng.randint(3, 20)
        self.times = 1  # how often a step at hand is done
        self.around = []  # regions that it is in
        self.others = []  # another thread's regions, by contexts that this one has entered
        self.cycles = rng.random() < .1  # regions are in themselves by way of others
        self.works = WORKS + LIBC_WORKS * ("libc" in kinds)

    def name(self, open_bytes):
        """Of a region: its number, or None where no name is left"""
        unfit = set(self.others)
        if not self.cycles:
            unfit |= set(self.around[:-1])
        fit = [i for i in self.own if open_bytes + len(self.names[i].encode()) < PATH_MAX and i not in unfit]
        return self.rng.choice(fit) if fit else None

    def forms(self, name):
        """Most programs give a region's name in one way; copying a long one each time is most of what the program does"""
        forms = FORMS if self.times * len(self.names[name]) < 300 else UNCOPIED
        one = self.rng.choice(forms)
        other = self.rng.choice(forms)
        return one, one if self.rng.random() < .6 else other

    def work(self):
        kind = self.rng.choice(self.works)
        name = self.rng.choice(self.own)
        if kind == "libc_text" or kind == "length" and self.times * len(self.names[name]) < 300:
            return {"do": kind, "name": name}
        kind = "turns" if kind == "length" or kind.startswith("libc") and self.times > OFTEN else kind
        return {"do": kind, "n": self.rng.choice((1, 2, 3, 10, 30) if self.times <= OFTEN else (1, 2, 3))}

    def steps(self, depth, open_bytes):
        made = []
        for _ in range(self.rng.choice((1, 1, 2, 2, 3, 5))):
            if self.left <= 0:
                break
            self.left -= 1
            made += self.step(depth, open_bytes)
        return made

    def step(self, depth, open_bytes):
        kind = self.rng.choice(self.kinds if depth < DEPTH_MAX else ("work",))
        if kind in ("work", "libc"):
            return [self.work()]
        if kind == "overlap":
            return self.overlap(open_bytes)
        if kind in ("loop", "recursion", "scope") and self.times > OFTEN:
            kind = "region"
        step = {"do": kind}
        if kind in ("region", "recursion", "scope", "jump", "begin", "end", "reset", "read", "is_open"):
            step["name"] = self.name(open_bytes)
            if step["name"] is None:
                return [self.work()]
            open_bytes += len(self.names[step["name"]].encode()) + 1
            self.around += [step["name"]] * (kind == "recursion")
            step["begin"], step["end"] = self.forms(step["name"])
            self.around += [step["name"]] * (kind in ("region", "scope", "jump"))
        if kind in ("loop", "recursion", "scope"):
            step["n"] = self.rng.randint(2, 4)
        if kind in ("region", "recursion", "scope", "jump", "loop", "thread", "context", "signal", "fork"):
            self.inside(step, depth, open_bytes)
            if kind in ("region", "recursion", "scope", "jump"):
                self.around.pop()
        if kind == "thread":
            step["later"] = self.rng.random() < .4
        return [step]

    def inside(self, step, depth, open_bytes):
        around, others, own = self.around, self.others, self.own
        if step["do"] == "context" and "names of the context" in EXCLUDED:
            self.around, self.others = [], others + around
        if step["do"] == "signal" and "handlers' regions elsewhere" in EXCLUDED:
            self.own = self.in_handlers
        times, self.times = self.times, self.times * (step.get("n", 1) + (step["do"] == "recursion"))
        step["body"] = self.steps(depth + 1, open_bytes)
        self.times, self.around, self.others, self.own = times, around, others, own

    def overlap(self, open_bytes):
        """Regions that end in another order than they begin in"""
        around, self.around = self.around, self.around + [None]
        names = list(dict.fromkeys(n for n in (self.name(open_bytes + 400) for _ in range(3)) if n is not None and n not in around))
        self.around = around
        made = []
        for do in "begin", "end":
            self.rng.shuffle(names)
            for name in names:
                made += [{"do": do, "name": name, do: self.forms(name)[0]}, self.work()]
        return made


# What is known not to be exact, and not made: name, and why.
EXCLUDED = {
    "other calls in a region": "some tens of instructions of pmu_region_reset() and pmu_region_read() may be in it, and all of "
                               "pmu_region_is_open(), as pmu(7) says: they are made behind the program's outermost region, and before "
                               "programs that leave regions open",
    "names of the context": "a name that is open in the thread whose context another one has entered is a region of its own there, "
                            "in what it was begun in; the oracle takes it for the same one, entered again",
    "longjmp": "libc's is stood in for by what pmu run preloads, whose 41 instructions are in the regions around: the compiler's own "
               "jumps instead",
    "starts in a region": "a region that is open while libc's pthread_create() or fork() is called has the 314 or 151 instructions of ours that "
                          "stand in for them, as pmu(7) says: programs that are started so come before those that leave regions open",
    "refused regions": "a begin that is refused as there are twice PMU_MAX_REGIONS is in the regions around: there are enough",
    "static": "the oracle tells the library's code from the program's by the file that it is in",
    "PMU_COUNT": "what else runs in a process or on a processor is nobody's to say",
    "counts of handlers": "under valgrind what a signal handler does is in no region, as pmu(7) says, and the oracle leaves it out; "
                          "regions in handlers have calls alone there",
    "handlers' regions elsewhere": "under valgrind, which counts nothing in a handler, a region that is begun there and elsewhere has no "
                                   "counts, and regions around it have those of its pairs, some 130 instructions, and no mark; a pair "
                                   "there of a region that is open is taken off it all the same, 63 instructions",
}

# Which steps a program may have, and how often.
KINDS = {
    "plain": ["work"] * 4 + ["region"] * 6 + ["loop"] * 2 + ["recursion", "scope"],
    "odd": ["work"] * 4 + ["region"] * 5 + ["loop", "recursion", "scope", "overlap", "overlap", "begin", "end"],
    "calls": ["work"] * 4 + ["region"] * 6 + ["loop", "reset", "reset", "read", "is_open", "checkpoint"],
    "threads": ["work"] * 4 + ["region"] * 5 + ["thread"] * 3 + ["loop", "recursion"],
    "contexts": ["work"] * 4 + ["region"] * 6 + ["thread", "context", "context", "loop"],
    "jumps": ["work"] * 4 + ["region"] * 6 + ["jump"] * 4 + ["loop", "recursion"],
    "libc": ["work", "libc", "libc"] + ["region"] * 3 + ["loop"],
    "signals": ["work"] * 4 + ["region"] * 6 + ["signal"] * 3 + ["loop", "recursion"],
    "forks": ["work"] * 4 + ["region"] * 6 + ["fork"] * 2 + ["loop"],
}


ALL_KINDS = ("plain", "plain", "plain", "odd", "odd", "calls", "threads", "threads", "contexts", "contexts", "jumps", "libc", "signals", "forks")
# What another machine does alike: it may have another libc.
PORTABLE_KINDS = tuple(kind for kind in ALL_KINDS if kind != "libc")


def make_build(rng):
    flags = [rng.choice(("-O0", "-O1", "-O2", "-O2", "-O3", "-Os", "-Og"))]
    for several in (("-fno-plt",), ("-fomit-frame-pointer", "-fno-omit-frame-pointer"), ("-no-pie", "-fPIE -pie"),
                    ("-fcf-protection=none", "-fcf-protection=full"), ("-fno-inline",), ("-fstack-protector-all",),
                    ("-fno-optimize-sibling-calls",), ("-falign-functions=64",)):
        if rng.random() < .25:
            flags.append(rng.choice(several))
    if flags[0] == "-Og" and rng.random() < .5:
        flags[0] = "-O1"
    plugin = rng.random() < .2
    # What the session loads at its start changes where a plugin's threads look for their memory, at the next access of each.
    return {"compiler": rng.choice(("gcc", "gcc", "clang")), "flags": " ".join(flags), "init": plugin or rng.random() < .5, "plugin": plugin}


def make_settings(rng, n_regions):
    """n_regions: of different names"""
    settings = {}
    for name, values in (("PMU_HISTOGRAM", "1"), ("PMU_EXACT", "1"), ("PMU_SCOPE", "thread"), ("PMU_TRACE", "trace.%p"),
                         ("PMU_REPORT", ("threads", "all", "brief")), ("PMU_MAX_THREADS", ("1", "2")),
                         ("PMU_PIN", ("compact", "scatter", "auto")), ("PMU_ROTATE", "1"), ("PMU_TRACE_MIN", "1us"),
                         ("PMU_MAX_REGIONS", (str(n_regions), str(n_regions * 3 // 2)))):
        if rng.random() < .25:
            settings[name] = values if isinstance(values, str) else rng.choice(values)
    if "PMU_TRACE" in settings:
        settings["PMU_TRACE_SIZE"] = "64KiB"
    if "PMU_ROTATE" in settings:
        settings["PMU_ROTATE_MIN"] = rng.choice(("0", "100us"))
    return settings


def make(seed, n_programs=0, kinds=ALL_KINDS):
    """
    The case of a seed.
    n_programs: how many are in it, which makes it another case; 0: a few
    """
    rng = random.Random(seed)
    n_programs = n_programs or rng.randint(3, 7)
    names, sets = make_names(rng, (n_programs + PROGRAMS_OF_A_SET - 1) // PROGRAMS_OF_A_SET)
    settings = make_settings(rng, len(names) + n_programs)
    programs = []
    for _ in range(n_programs):
        kind = rng.choice(kinds)
        chooser = Chooser(rng, names, rng.choice(sets), KINDS[kind])
        programs.append({"kind": kind, "where": rng.choice(WHERES), "body": chooser.steps(0, 0)})
    if "starts in a region" in EXCLUDED:
        programs.sort(key=lambda program: (program["where"] == "main") + (program["where"] == "main" and program["kind"] == "odd"))
    return {"seed": seed, "names": names, "programs": programs, "build": make_build(rng), "settings": settings}


def parts(steps):
    """All steps in some"""
    for step in steps:
        yield step
        yield from parts(step.get("body", ()))


def is_alone(case):
    """Has it one thread, in one process?"""
    return all(p["where"] == "main" for p in case["programs"]) and not any(
        s["do"] in ("thread", "context", "fork") for p in case["programs"] for s in parts(p["body"]))


# --- C ---

def literal(text):
    return '"' + "".join(chr(b) if 32 <= b < 127 and chr(b) not in '"\\?' else "\\%03o" % b for b in text.encode()) + '"'


class Where:
    """Where steps are: which thread does them, what is open around them in their thread, what they may do there"""

    def __init__(self, thread="", around=(), alone=False):
        self.thread, self.around, self.alone = thread, around, alone


class Writer:
    def __init__(self, case):
        self.case, self.names = case, case["names"]
        self.functions, self.declared, self.behind, self.workers, self.n = [], [], [], {}, 0

    def new(self, what):
        self.n += 1
        return "%s%d" % (what, self.n)

    def call(self, do, name, form):
        """A begin or end of a name that is given in this form"""
        text = self.names[name].encode()
        sized = form.startswith("sized ")
        rest = "XY" if sized else ""
        copied = "array%d, sizeof(array%d)" % (name, name)
        argument = {
            "literal": literal(self.names[name]), "array": "array%d" % name, "data": "data%d" % name,
            "placed": "placed(%s)" % copied, "rewritten": "copy(own->rewritten, %s)" % copied,
            "stack": "copy(stack, %s)" % copied, "sized literal": literal(self.names[name] + rest),
            "sized data": "more%d" % name, "sized placed": "placed(%s)" % copied}[form]
        if form == "stack":
            return "{ char stack[%d]; (void)pmu_region_%s(%s); }" % (len(text) + 1, do, argument)
        return "(void)pmu_region_%s%s(%s%s);" % (do, "_n" if sized else "", argument, ", %d" % len(text) if sized else "")

    def function(self, kind, lines, head="void", argument="void"):
        name = self.new(kind)
        self.declared.append("KEPT static %s %s(%s);" % (head, name, argument))
        self.functions.append("static %s %s(%s)\n{\n%s\n}\n" % (head, name, argument, "\n".join("\t" + line for line in lines)))
        return name

    def worker(self, key):
        return self.workers.setdefault(key, len(self.workers))

    def steps(self, steps, where):
        lines = []
        for step in steps:
            lines += getattr(self, "do_" + step["do"])(step, where)
        return lines

    def inner(self, step, where):
        return ["\t" + line for line in self.steps(step["body"], where)]

    def do_libc_sort(self, step, _where):
        return ["libc_sort(%d);" % step["n"]]

    def do_libc_print(self, step, _where):
        return ["libc_print(%d);" % step["n"]]

    def do_libc_number(self, step, _where):
        return ["libc_number(%d);" % step["n"]]

    def do_libc_text(self, step, _where):
        return ["libc_text(array%d, sizeof(array%d));" % (step["name"], step["name"])]

    def do_turns(self, step, _where):
        return ["TURNS(%d);" % step["n"]]

    def do_sort(self, step, _where):
        return ["sort(%d);" % step["n"]]

    def do_arithmetic(self, step, _where):
        return ["arithmetic(%d);" % step["n"]]

    def do_length(self, step, _where):
        return ["sink += length(array%d);" % step["name"]]

    def within(self, step, where):
        return Where(where.thread, where.around + ((step["name"], step["end"]),), where.alone)

    def do_region(self, step, where):
        return [self.call("begin", step["name"], step["begin"]), *self.steps(step["body"], self.within(step, where)),
                self.call("end", step["name"], step["end"])]

    def do_begin(self, step, _where):
        return [self.call("begin", step["name"], step["begin"])]

    def do_end(self, step, _where):
        return [self.call("end", step["name"], step["end"])]

    def do_loop(self, step, where):
        i = self.new("i")
        return ["for (int %s = 0; %s < %d; %s++) {" % (i, i, step["n"], i), *self.inner(step, where), "}"]

    def do_recursion(self, step, where):
        name = self.new("recursion")
        lines = [self.call("begin", step["name"], step["begin"]), *self.steps(step["body"], self.within(step, where)),
                 "if (n)", "\t%s(n - 1);" % name, self.call("end", step["name"], step["end"])]
        self.declared.append("KEPT static void %s(int n);" % name)
        self.functions.append("static void %s(int n)\n{\n%s\n}\n" % (name, "\n".join("\t" + line for line in lines)))
        return ["%s(%d);" % (name, step["n"])]

    def do_scope(self, step, where):
        """Left from the middle of a loop"""
        inner = Where(where.thread, where.around + ((step["name"], "literal"),), where.alone)
        name = self.function("scope", [
            "PMU_REGION(%s);" % literal(self.names[step["name"]]), "for (int i = 0;; i++) {", *self.inner(step, inner),
            "\tif (i == n)", "\t\treturn;", "}"], argument="int n")
        return ["%s(%d);" % (name, step["n"] - 2)]

    def do_jump(self, step, where):
        """Begun in a function that is left by a jump, and ended where that comes to"""
        name = self.function("thrown", [self.call("begin", step["name"], step["begin"]), *self.steps(step["body"], self.within(step, where)),
                                        "__builtin_longjmp(back, 1);"], argument="void **back")
        return ["{", "\tvoid *back[5];", "\tif (!__builtin_setjmp(back))", "\t\t%s(back);" % name, "}",
                self.call("end", step["name"], step["end"])]

    def away(self, why, lines):
        """Lines that have no place in a region, because of what is excluded"""
        if why not in EXCLUDED:
            return lines
        self.behind += lines
        return []

    def do_reset(self, step, _where):
        return self.away("other calls in a region", ["(void)pmu_region_reset(array%d);" % step["name"]])

    def do_read(self, step, _where):
        return self.away("other calls in a region", [
            "{", "\tstruct pmu_region_counts counts = { .size = sizeof(counts) };",
            "\t(void)pmu_region_read(array%d, PMU_THREAD_SELF, &counts);" % step["name"], "}"])

    def do_is_open(self, step, _where):
        return self.away("other calls in a region", ["sink += (uint64_t)pmu_region_is_open(array%d);" % step["name"]])

    def do_checkpoint(self, _step, _where):
        return ["(void)pmu_checkpoint(PMU_NEXT_GOES_ON);"]

    def do_thread(self, step, where):
        if where.alone or len(where.thread) >= 2:
            return self.steps(step["body"], where)
        key = where.thread + ("l" if step["later"] else "n")
        job = self.function("job", self.steps(step["body"], Where(key)))
        worker = self.worker(key)
        if not step["later"]:
            return ["post(%d, %s);" % (worker, job), "await(%d);" % worker]
        return ["post(%d, %s);" % (worker, job), "later[%d]++;" % worker]

    def do_context(self, step, where):
        if where.alone or len(where.thread) >= 2:
            return self.steps(step["body"], where)
        key = where.thread + "n"
        context = self.new("context")
        self.declared.append("static pmu_context_t %s;" % context)
        job = self.function("task", ["pmu_context_enter(%s);" % context, *self.steps(step["body"], Where(key)),
                                     "pmu_context_leave();"])
        worker = self.worker(key)
        return ["%s = pmu_context_get();" % context, "post(%d, %s);" % (worker, job), "await(%d);" % worker]

    def do_signal(self, step, where):
        return ["interrupted(%s);" % self.function("handler", self.steps(step["body"], Where(where.thread, where.around, True)))]

    def settle(self, where):
        """What the steps' thread let others do later is done"""
        key = where.thread + "l"
        worker = self.worker(key) if len(key) <= 2 else None
        return [] if worker is None else ["for (; later[%d]; later[%d]--)" % (worker, worker), "\tawait(%d);" % worker]

    def do_fork(self, step, where):
        if where.alone or where.thread:
            return self.steps(step["body"], where)
        pid = self.new("pid")
        return [*self.settle(where), "long %s = forked();" % pid, "if (!%s) {" % pid, *self.inner(step, Where("", where.around, True)),
                 *("\t" + self.call("end", name, form) for name, form in reversed(where.around)), "\tleave();", "}",
                 "waited(%s);" % pid]

    def program(self, i, program):
        where = Where("", (), program["where"] != "main")
        self.behind = []
        own = literal("p%d" % i)
        lines = ["(void)pmu_region_begin(%s);" % own, *self.steps(program["body"], where), *([] if where.alone else self.settle(where)),
                 "(void)pmu_region_end(%s);" % own, *self.behind]
        return self.function("program", lines)

    def text(self):
        how = {"main": "%s();", "thread": "in_thread(%s);", "child": "in_child(%s);"}
        main = [how[p["where"]] % self.program(i, p) for i, p in enumerate(self.case["programs"])]
        signals = any(s["do"] == "signal" for p in self.case["programs"] for s in parts(p["body"]))
        data = ['#include "work.h"', "", "static int later[N_THREADS];"]
        used = {s["name"] for p in self.case["programs"] for s in parts(p["body"]) if "name" in s}
        for i, name in ((i, self.names[i]) for i in sorted(used)):
            data += ["KEPT_DATA static const char array%d[] = %s;" % (i, literal(name)),
                     "KEPT_DATA static char data%d[] = %s, more%d[] = %s;" % (i, literal(name), i, literal(name + "XY"))]
        n = len(self.workers)
        main = ["start(%d, %d);" % (n, signals or self.case["build"]["init"]), *main, "stop(%d);" % n, "leave();"]
        return "\n".join([*data, "", *self.declared, "", *self.functions,
                          "int main(void)\n{\n%s\n}\n" % "\n".join("\t" + line for line in main)])


def as_c(case):
    return Writer(case).text()
