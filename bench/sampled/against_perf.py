#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Whether `pmu run --sample` sees the same functions as `perf record`: make sampled.

Each program runs in turns under both, at the same rate.  The ten functions in which perf found most samples, and all
others together, are two multinomial samples: chi-square says whether they are of one.  Runs of one program may differ by
more than that, so two runs under perf, and two under pmu, are compared likewise: the yardstick.

Functions are compared by symbol and file; what has no symbol, by where the function begins that pmu found there.  perf is
asked for mangled names, as it leaves parameters out.  Of two names of one function (memcpy is memmove, __read is read) either may
be found; stubs by which libraries are called (memcpy@plt) are one for each file.  What the dynamic linker does before main is in
no region: it is left out, too.  What the kernel does meanwhile, as interrupts, varies by what else the machine does: it is left out but for --kernel.
"""
import argparse
import bisect
import collections
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

RATE = 997
HOTTEST = 10
FIXED = 0x400000
LEAST = 5  # samples that are expected; of fewer chi-square knows nothing
HEAD = ("program", "samples: perf", "pmu", "perf/perf: chi2", "df", "p", "pmu/pmu: chi2", "df", "p",
        "perf/pmu: chi2", "df", "p", "hottest: perf", "pmu")

C_OPENMP = r"""
#include <stdio.h>
#include <stdlib.h>
enum { N = 600 };
static double a[N][N], b[N][N], c[N][N];
__attribute__((noinline)) static void fill(void)
{
#pragma omp parallel for
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++) {
			a[i][j] = i * 0.5 + j;
			b[i][j] = i - j * 0.25;
		}
}
__attribute__((noinline)) static void multiply(void)
{
#pragma omp parallel for
	for (int i = 0; i < N; i++)
		for (int k = 0; k < N; k++)
			for (int j = 0; j < N; j++)
				c[i][j] += a[i][k] * b[k][j];
}
__attribute__((noinline)) static double sum(void)
{
	double all = 0;
#pragma omp parallel for reduction(+ : all)
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++)
			all += c[i][j] / (1 + a[i][j] * a[i][j]);
	return all;
}
int main(void)
{
	double all = 0;
	for (int i = 0; i < 12; i++) {
		for (int k = 0; k < 20; k++)
			fill();
		multiply();
		for (int k = 0; k < 20; k++)
			all += sum();
	}
	printf("%g\n", all);
}
"""

CXX = r"""
#include <algorithm>
#include <iostream>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <unordered_map>
#include <vector>
namespace work {
template <typename T> struct Tree {
	std::map<T, int> all;
	__attribute__((noinline)) void add(const T &value) { ++all[value]; }
};
__attribute__((noinline)) static std::string text(unsigned n)
{
	std::ostringstream out;
	out << "key " << n;
	return out.str();
}
}
int main()
{
	std::mt19937 random(1);
	work::Tree<std::string> tree;
	std::unordered_map<std::string, unsigned> hash;
	std::vector<unsigned> numbers(2000000);
	for (int i = 0; i < 400000; i++) {
		std::string key = work::text(random() % 50000);
		tree.add(key);
		hash[key] += i;
	}
	for (int k = 0; k < 4; k++) {
		for (auto &n : numbers)
			n = random();
		std::sort(numbers.begin(), numbers.end());
	}
	std::cout << tree.all.size() + hash.size() + numbers[7] << "\n";
}
"""

PYTHON = """
import json, re
words = [str(i * 7919 % 10007) for i in range(20000)]
for _ in range(12):
    text = json.dumps({w: [len(w), w[::-1]] for w in words})
    data = json.loads(text)
    n = len(re.findall(r'"(\\d+)1"', text))
    total = sum(sorted(int(k) ** 2 % 1009 for k in data))
print(n, total)
"""

PERL = r"""
my %h; my $t = "";
for my $i (1 .. 600000) { my $k = $i * 7919 % 10007; $h{"k$k"} += $i; $t .= chr(97 + $k % 26) if $i % 2 }
my $n = () = $t =~ /a[b-y]+?z/g;
my @s = sort { $h{$a} <=> $h{$b} } keys %h;
print scalar(@s), " $n\n";
"""

NODE = """
function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
function sieve(n) { const a = new Uint8Array(n); let c = 0; for (let i = 2; i < n; i++) { if (a[i]) continue; c++; for (let j = 2 * i; j < n; j += i) a[j] = 1; } return c; }
function texts(n) { const m = new Map(); for (let i = 0; i < n; i++) { const k = 'k' + (i * 7919 % 10007); m.set(k, (m.get(k) || 0) + i); } return m.size; }
let all = 0;
for (let i = 0; i < 6; i++) all += fib(32) + sieve(3000000) + texts(400000);
console.log(all);
"""

NUMPY = """
import numpy
a = numpy.random.default_rng(1).random((1100, 1100))
for _ in range(8):
    b = a @ a
    c = numpy.sort(a, axis=1).sum() + numpy.exp(a).mean() + numpy.linalg.norm(numpy.linalg.solve(a, b[:, :40]))
print(c)
"""

SQL = """
create table t(a integer primary key, b text, c real);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 400000)
insert into t select i, 'text ' || (i * 7919 % 10007), i * 0.5 from n;
create index tb on t(b);
select count(*), sum(c) from t where b like '%77%';
select b, count(*), avg(c) from t group by b order by 2 desc, 1 limit 3;
select count(*) from t x join t y on x.a = y.a + 1 where x.b < y.b;
"""

LAMMPS = """
units lj
atom_style atomic
lattice fcc 0.8442
region box block 0 10 0 10 0 10
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 3.0 87287
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
neighbor 0.3 bin
fix 1 all nve
run 800
"""

JAVA = """
import java.util.*;
public class Work {
    static double matrix(int n) {
        double[][] a = new double[n][n], b = new double[n][n];
        double s = 0;
        for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) { a[i][j] = i + j; b[i][j] = i - j; }
        for (int i = 0; i < n; i++) for (int k = 0; k < n; k++) for (int j = 0; j < n; j++) s += a[i][k] * b[k][j];
        return s;
    }
    static int words(int n) {
        Map<String, Integer> m = new HashMap<>();
        for (int i = 0; i < n; i++) m.merge("k" + (i * 7919 % 10007), i, Integer::sum);
        return m.size();
    }
    static int sieve(int n) {
        boolean[] c = new boolean[n];
        int k = 0;
        for (int i = 2; i < n; i++) { if (c[i]) continue; k++; for (int j = 2 * i; j < n; j += i) c[j] = true; }
        return k;
    }
    public static void main(String[] arguments) {
        double s = 0;
        for (int i = 0; i < 60; i++) s += matrix(400) + words(300000) + sieve(3000000);
        System.out.println(s);
    }
}
"""

GO = """
package main

import (
	"fmt"
	"sort"
)

//go:noinline
func collatz(n int) int {
	m := 0
	for i := 1; i < n; i++ {
		for x := i; x != 1; m++ {
			if x&1 == 1 {
				x = 3*x + 1
			} else {
				x /= 2
			}
		}
	}
	return m
}

//go:noinline
func sorts(n int) int {
	a := make([]int, n)
	for i := range a {
		a[i] = i * 7919 % 100003
	}
	sort.Ints(a)
	return a[n/2]
}

func main() {
	s := 0
	for i := 0; i < 50; i++ {
		s += collatz(200000) + sorts(300000)
	}
	fmt.Println(s)
}
"""

REDIS = """
redis-server --port 17831 --save '' --appendonly no --daemonize no >/dev/null &
server=$!
while ! redis-cli -p 17831 ping >/dev/null 2>&1; do sleep 0.1; done
redis-benchmark -p 17831 -q -n 60000 -t set,get,lpush,zadd -P 8 >/dev/null
redis-cli -p 17831 shutdown nosave
wait $server
"""


class Missing(Exception):
    pass


class Place:
    """A folder with what the programs work on."""

    def __init__(self, folder):
        self.folder = folder

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w") as file:
            file.write(text)
        return path

    def compile(self, name, text, compiler, *options):
        self.needs(compiler)
        source = self.write(name + (".c" if compiler == "gcc" else ".cc"), text)
        out = os.path.join(self.folder, name)
        subprocess.run([compiler, "-g", "-O2", *options, source, "-o", out], check=True)
        return [out]

    def needs(self, *names):
        for name in names:
            if not shutil.which(name):
                raise Missing("no %s" % name)

    def data(self):
        path = os.path.join(self.folder, "data")
        if not os.path.exists(path):
            with open(path, "w") as file:
                for i in range(900000):
                    file.write("%d %x %s\n" % (i, i * 2654435761 % 4294967296, "abcdefgh"[i * 7919 % 8:]))
        return path


def gzip(place):
    place.needs("gzip")
    return ["gzip", "-9", "-c", place.data()]


def xz(place):
    place.needs("xz")
    return ["xz", "-1", "-T1", "-c", place.data()]


def xz_threads(place):
    place.needs("xz")
    return ["xz", "-1", "-T2", "-c", "--block-size=2MiB", place.data()]


def sqlite(place):
    place.needs("sqlite3")
    return ["sqlite3", "-init", place.write("x.sql", SQL), ":memory:", ""]


def python(place):
    return [sys.executable, place.write("x.py", PYTHON)]


def perl(place):
    place.needs("perl")
    return ["perl", place.write("x.pl", PERL)]


def node(place):
    place.needs("node")
    return ["node", "--perf-basic-prof", place.write("x.js", NODE)]


def ffmpeg(place):
    place.needs("ffmpeg")
    return ["ffmpeg", "-v", "error", "-nostdin", "-y", "-threads", "2", "-f", "lavfi", "-i", "testsrc=size=640x360:rate=25:duration=8",
            "-c:v", "mpeg4", "-f", "null", "-"]


def openblas(place):
    if subprocess.run([sys.executable, "-c", "import numpy"], stderr=subprocess.DEVNULL).returncode:
        place.needs("/usr/bin/python3")
        if subprocess.run(["/usr/bin/python3", "-c", "import numpy"], stderr=subprocess.DEVNULL).returncode:
            raise Missing("no numpy")
        return ["/usr/bin/python3", place.write("y.py", NUMPY)]
    return [sys.executable, place.write("y.py", NUMPY)]


def openmp(place):
    return place.compile("openmp", C_OPENMP, "gcc", "-fopenmp")


def cxx(place):
    return place.compile("cxx", CXX, "g++")


def java(place):
    place.needs("java", "javac")
    subprocess.run(["javac", "-d", place.folder, place.write("Work.java", JAVA)], check=True)
    # one compiler, and one collector: which code there is, is up to them
    return ["java", "-XX:+UnlockDiagnosticVMOptions", "-XX:+DumpPerfMapAtExit", "-XX:+UseSerialGC", "-cp", place.folder, "Work"]


def go(place):
    place.needs("go")
    out = os.path.join(place.folder, "go")
    subprocess.run(["go", "build", "-o", out, place.write("work.go", GO)], check=True, env={**os.environ, "GOCACHE": place.folder})
    return [out]


def redis(place):
    place.needs("redis-server", "redis-benchmark", "redis-cli")
    return ["sh", place.write("redis.sh", REDIS)]


def lammps(place):
    place.needs("lmp")
    return ["lmp", "-log", "none", "-in", place.write("in.lj", LAMMPS)]


def stockfish(place):
    path = shutil.which("stockfish") or "/usr/games/stockfish"
    if not os.path.exists(path):
        raise Missing("no stockfish")
    return [path, "bench", "16", "1", "11"]


PROGRAMS = [gzip, xz, xz_threads, sqlite, python, perl, node, ffmpeg, openblas, openmp, cxx, java, go, redis, lammps, stockfish]

# --- what both have found ---


def attach(tool, command, folder):
    """The tool on a program that runs already, until it ends."""
    program = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=folder)
    time.sleep(1)  # what starts up, as a compiler at run time does, is no part of it: one of them attaches faster
    run(tool + [str(program.pid)], folder)
    program.wait()


def run(command, folder):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, cwd=folder)
    if done.returncode:
        raise Missing("status %d: %s" % (done.returncode, done.stderr.decode(errors="replace")[-300:]))


def key(name, file):
    """(name, file), or (address, file) of what has no name"""
    if file.startswith("[JIT]"):
        file = "[jit]"
    if file.startswith("[") and file not in ("[vdso]", "[jit]"):
        return name, "[kernel]"
    if name.endswith("@plt") or name == "[plt]":
        return "(plt)", file
    address = re.match(r"(?:%s\+)?0x([0-9a-f]+)$" % re.escape(file), name)
    if address:
        return int(address.group(1), 16), file
    if not re.match(r"[\w.]+(@@?[\w.]+)?$", name):
        return name, file
    return re.sub(r"^memcpy_", "memmove_", re.sub(r"^vdso_", "", name.split("@")[0].lstrip("_"))), file


def by_perf(options, command, folder):
    data = os.path.join(folder, "perf.data")
    tool = ["perf", "record", "-q", "-e", "cpu-clock", "-F", str(RATE), "-o", data]
    if options.attach:
        attach([*tool, "-p"], command, folder)
    else:
        run([*tool, "--", *command], folder)
    report = subprocess.run(["perf", "report", "-q", "-i", data, "--no-inline", "--no-demangle", "-F", "sample,dso,sym", "--stdio", "-t", "\t"],
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout
    text = subprocess.run(["c++filt"], input=report, stdout=subprocess.PIPE, check=True).stdout.decode(errors="replace")
    counts = collections.Counter()
    for line in text.splitlines():
        parts = line.split("\t")
        if len(parts) == 3 and parts[0].strip().isdigit():
            file = os.path.basename(parts[1].strip())
            file = "[jit]" if re.match(r"perf-\d+\.map$", file) else file
            counts[key(re.sub(r"^\[.\] ", "", parts[2].strip()), file)] += int(parts[0])
    return counts


def place(counts, starts):
    """What has an address alone is of the function that begins before it."""
    placed = collections.Counter()
    for (name, file), n in counts.items():
        if isinstance(name, int):
            at = bisect.bisect_right(starts[file], name)
            if not at:  # perf has offsets of programs that lie at one address
                at = bisect.bisect_right(starts[file], name + FIXED)
            name = "%s+0x%x" % (file, starts[file][at - 1]) if at else "(no symbol)"
        placed[name, file] += n
    return placed


def place_all(perf, pmu):
    starts = collections.defaultdict(set)
    for counts in pmu:
        for name, file in counts:
            if isinstance(name, int):
                starts[file].add(name)
    starts = collections.defaultdict(list, {file: sorted(of) for file, of in starts.items()})
    return ([place(counts, starts) for counts in of] for of in (perf, pmu))


def by_pmu(options, command, folder):
    report = os.path.join(folder, "report.json")
    if options.attach:
        attach([options.pmu, "attach", "-o", report], command, folder)
    else:
        run([options.pmu, "run", "--sample=%d" % RATE, "-o", report, "--", *command], folder)
    with open(report) as file:
        regions = json.load(file)["regions"]
    counts = collections.Counter()
    for region in regions:
        for function in region.get("samples", {}).get("functions", []):
            counts[key(function["name"], function["object"] or "")] += function["n"]
    return counts


# --- statistics ---


def chi_square_p(x, df):
    """The upper tail: Q(df/2, x/2), by the series or the continued fraction of the incomplete gamma function."""
    a, x = df / 2, x / 2
    if df <= 0 or x <= 0:
        return 1.0
    front = math.exp(-x + a * math.log(x) - math.lgamma(a))
    if x < a + 1:
        term = total = 1 / a
        k = a
        while term > total * 1e-16:
            k += 1
            term *= x / k
            total += term
        return max(0.0, 1 - front * total)
    b, c = x + 1 - a, 1e300
    d = 1 / b
    h = d
    for i in range(1, 10000):
        n = -i * (i - a)
        b += 2
        d = 1 / (n * d + b)
        c = b + n / c
        h *= d * c
        if abs(d * c - 1) < 1e-15:
            break
    return front * h


def chi_square(a, b, hottest):
    """Of two samples over the categories, and the rest."""
    rest = [sum(x.values()) - sum(x[k] for k in hottest) for x in (a, b)]
    rows = [[a[k], b[k]] for k in hottest]
    kept = []
    n = [sum(a.values()), sum(b.values())]
    for row in rows:
        if min(sum(row) * n[0], sum(row) * n[1]) >= LEAST * sum(n):
            kept.append(row)
        else:
            rest = [rest[0] + row[0], rest[1] + row[1]]
    if sum(rest):
        kept.append(rest)
    x = 0
    for row in kept:
        for side in (0, 1):
            expected = sum(row) * n[side] / sum(n)
            x += (row[side] - expected) ** 2 / expected
    df = len(kept) - 1
    return x, df, chi_square_p(x, df)


def shown(key_of, counts):
    return "%s %.1f%%" % (key_of[0][:40], 100 * counts[key_of] / sum(counts.values()))


def compare(options, name, command, folder):
    perf, pmu = [], []
    for _ in range(2):
        perf.append(by_perf(options, command, folder))
        pmu.append(by_pmu(options, command, folder))
    perf, pmu = place_all(perf, pmu)
    perf, pmu = ([collections.Counter({k: n for k, n in x.items() if not k[1].startswith("ld-linux")}) for x in y] for y in (perf, pmu))
    if not options.kernel:
        perf, pmu = ([collections.Counter({k: n for k, n in x.items() if k[1] != "[kernel]"}) for x in y] for y in (perf, pmu))
    all_perf, all_pmu = perf[0] + perf[1], pmu[0] + pmu[1]
    hottest = [k for k, _ in all_perf.most_common(HOTTEST)]
    cells = [name, "%d" % sum(all_perf.values()), "%d" % sum(all_pmu.values())]
    for pair in (perf, pmu, (all_perf, all_pmu)):
        x, df, p = chi_square(*pair, hottest)
        cells += ["%.1f" % x, "%d" % df, "%.2g" % p]
    cells += [shown(hottest[0], all_perf), shown(all_pmu.most_common(1)[0][0], all_pmu)]
    print("| " + " | ".join(cells) + " |", flush=True)
    if options.verbose:
        seen = hottest + [k for k, _ in all_pmu.most_common(HOTTEST) if k not in hottest]
        for k in seen:
            print("  %6d %6d  %6d %6d  %s (%s)" % (perf[0][k], perf[1][k], pmu[0][k], pmu[1][k], k[0][:70], k[1]), file=sys.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pmu", default="./pmu", help="the command")
    parser.add_argument("--attach", action="store_true", help="perf record -p and pmu attach, of the program alone that is started")
    parser.add_argument("--kernel", action="store_true", help="with what the kernel does, in both")
    parser.add_argument("--verbose", action="store_true", help="the functions, too, to standard error")
    parser.add_argument("program", nargs="*", help="of these only: " + " ".join(p.__name__ for p in PROGRAMS))
    options = parser.parse_args()
    options.pmu = os.path.abspath(options.pmu)
    # threads that spin for work do so as long as the machine likes
    os.environ["OMP_WAIT_POLICY"] = "passive"
    for name, package in ("perf", "linux-perf"), ("c++filt", "binutils"):
        if not shutil.which(name):
            sys.exit("no %s: Debian has it in %s" % (name, package))
    print("| " + " | ".join(HEAD) + " |")
    print("|" + "--|" * len(HEAD), flush=True)
    for program in PROGRAMS:
        if options.program and program.__name__ not in options.program:
            continue
        with tempfile.TemporaryDirectory() as folder:
            try:
                compare(options, program.__name__, program(Place(folder)), folder)
            except Missing as why:
                print("| %s | left out: %s |" % (program.__name__, str(why).strip().replace("\n", " ")[-200:]), flush=True)


main()
