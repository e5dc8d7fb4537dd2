# SPDX-License-Identifier: BSD-3-Clause
"""python3 -m pmu FILE: a JSON report as a table."""
import argparse
import os
import re
import sys

from ._report import load_numbers, row_titles, rows as rows_of, titles

MAX_DEPTH = 64


def plain(text):
    """Nothing that a terminal would take for an order."""
    return "".join(one if one.isprintable() else one.encode("unicode_escape").decode()
                   for one in str(text))


def duration(ns):
    """Four digits and a unit."""
    if ns is None:
        return "-"
    for unit, size in (("s", 1e9), ("ms", 1e6), ("us", 1e3)):
        if ns >= size:
            return "%s %s" % (digits(ns / size), unit)
    return "%s ns" % digits(ns)


def per_call(ns, calls):
    return duration(None if ns is None or not calls else ns / calls)


def digits(number):
    if number is None:
        return "-"
    if isinstance(number, int) or abs(number) >= 1e4:
        return format(round(number), ",") if abs(number) < 1e15 else "%.4g" % number
    return "%.4g" % number


def lay_out(table):
    """Left-aligned names, right-aligned numbers."""
    width = [max(len(row[i]) for row in table) for i in range(len(table[0]))]
    for row in table:
        cells = [row[0].ljust(width[0])] + [cell.rjust(size) for cell, size in zip(row[1:], width[1:])]
        print("  " + "  ".join(cells).rstrip())


def head(whole):
    n = len(whole["threads"])
    where = ([] if whole["pid"] is None else ["pid %s" % plain(whole["pid"])]) + (
        ["on " + plain(whole["host"])] if whole["host"] else [])
    print("%s (%s) %s, %d thread%s" % (
        plain(whole["program"]) or "%d processes" % len(whole["parts"]), " ".join(where),
        # valgrind's time is not the program's
        ("took %s under valgrind" if whole["source"]["name"] == "valgrind" else "ran %s") % duration(whole["duration_ns"]),
        n, "" if n == 1 else "s"))
    print("  machine  " + plain(whole["machine"]["description"]))
    print("  source   " + plain(whole["source"]["name"]))
    if whole["died"]:
        print("  died     " + plain(whole["died"]))
    for note in whole["notes"]:
        print("  note     " + plain(note))


def numbers(row, extra):
    calls = row["calls"]
    share = row["share"]
    return ([digits(calls), duration(row["time_ns"]), "-" if share is None else "%.1f%%" % (100 * share),
             per_call(row["time_ns"], calls), duration(row["self_ns"])] +
            [digits(row.get(title)) for title in extra])


def whose(row, of_several):
    name = plain(row["thread"])
    name = "thread " + name if isinstance(row["thread"], int) else name
    return "part %s, %s" % (plain(row["part"]), name) if of_several else name


def table(group, rows, of_several):
    """Regions below one another, with each metric; without metrics the net counts."""
    extra = titles(group, "metrics") or titles(group, "net")
    share = "% CPU" if group["share_of"] == "cpu_ns" else "% time"
    made = [["region", "calls", "time", share, "per call", "self"] +
            [plain(title.replace("net:", "", 1)) for title in extra]]
    for row in rows:
        name = "  " * min(row["depth"], MAX_DEPTH)
        name += plain(row["name"]) if row["thread"] == "all" else "  " + whose(row, of_several)
        made.append([name] + numbers(row, extra))
    print("\n  " + plain(group["name"]))
    lay_out(made)


def text(whole, rows):
    head(whole)
    for group in whole["groups"]:
        its = [row for row in rows if row["group"] == group["name"]]
        if its:
            table(group, its, "parts" in whole)
    if not rows:
        print("\n  no region was entered")
    for doubt in whole["doubts"]:
        about = "" if doubt["region"] is None else plain(doubt["region"]) + ": "
        times = "" if doubt["count"] is None else " (%d)" % doubt["count"]
        print("  doubt    %s%s%s" % (about, plain(doubt["text"]), times))


class Number(str):
    """Of JSON, with the digits that it has there."""


# Control characters, and those that cannot be seen or turn the text around them: as the command shows them in a cell.
HIDDEN = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]|^[=+@-]")


def csv(titles, rows):
    def bytes_of(match):
        return "".join("\\x%02x" % byte for byte in match.group().encode())

    def cell(value):
        if isinstance(value, str) and not isinstance(value, Number):
            value = HIDDEN.sub(bytes_of, value)
        value = "" if value is None else str(value)
        if any(one in value for one in '",\r\n'):
            value = '"%s"' % value.replace('"', '""')
        return value

    print(",".join(map(cell, titles)))
    for row in rows:
        print(",".join(cell(row.get(title)) for title in titles))


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python3 -m pmu", description="Show a JSON report of libpmu.")
    parser.add_argument("file", help="a report that was written as .json; - is standard input")
    parser.add_argument("--csv", action="store_true", help="as CSV: every number, and every thread")
    parser.add_argument("--threads", action="store_true", help="the threads' rows, too")
    its = parser.parse_args(arguments)
    try:
        # For CSV numbers stay as they are written.
        whole = load_numbers(sys.stdin if its.file == "-" else its.file,
                             Number if its.csv else float)
        made = rows_of(whole, its.threads or its.csv)
        if its.csv:
            csv(row_titles(whole), made)
        else:
            text(whole, made)
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # the reader is gone; the exit flushes once more
        return 0
    except OSError as why:
        sys.stderr.write("pmu: %s\n" % why)
        return 1
    except ValueError as why:
        sys.stderr.write("pmu: %s: %s\n" % (plain(its.file), plain(why)))
        return 1
    except (AttributeError, IndexError, KeyError, OverflowError, TypeError) as why:
        sys.stderr.write("pmu: %s: not a whole report: %s\n" % (plain(its.file), plain(repr(why))))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
