# SPDX-License-Identifier: BSD-3-Clause
"""Reports: written, as plain lists and dicts, and read back from files."""
import ctypes
import os
import sys

from ._library import c, check

SCHEMA = 1
_LIBC = ctypes.PyDLL(None)
_LIBC.free.argtypes = [ctypes.c_void_p]
_LIBC.free.restype = None

# Columns of a row, as in the CSV report, and where they are in JSON.
_REGION = (("group", "group"), ("path", "path"), ("name", "name"), ("depth", "depth"))
_MEASURED = (("calls", "calls"), ("time_ns", "time_ns"), ("self_ns", "self_ns"),
             ("min_ns", "time_min_ns"), ("mean_ns", "time_mean_ns"), ("max_ns", "time_max_ns"),
             ("sd_ns", "time_sd_ns"))
# With PMU_HISTOGRAM=1.
_PERCENTILES = (("p50_ns", "time_p50_ns"), ("p90_ns", "time_p90_ns"), ("p99_ns", "time_p99_ns"),
                ("p99.9_ns", "time_p99_9_ns"))
_REST = (("share", "share"), ("own_ns", "time_own_ns"), ("cpu_ns", "cpu_ns"), ("blocked_ns", "blocked_ns"),
         ("runnable_ns", "runnable_ns"), ("self_cpu_ns", "self_cpu_ns"))


def report_text(format="text"):
    """Return a report of everything that has ended so far, as "text", "json" or "csv".

    Empty where nothing is measured.
    """
    made = ctypes.c_void_p()
    if check(c.pmu_report_text(format.encode(), ctypes.byref(made))) < 0:
        return ""
    try:
        return ctypes.string_at(made).decode("utf-8", "backslashreplace")
    finally:
        _LIBC.free(made)


def report_dict():
    """Return the whole report as its JSON says it, None where nothing is measured."""
    import json

    text = report_text("json")
    return json.loads(text) if text else None


def report(path=None, *, threads=False):
    """Report everything that has ended so far.

    With a path write a file: .json, .csv or text by its ending, "-" for text on standard output;
    Error where that cannot be.  Without, return rows(report_dict(), threads): for
    pandas.DataFrame(), with "all" under "thread" for a sum over threads.
    """
    if path is None:
        whole = report_dict()
        return rows(whole, threads) if whole else []
    path = os.fsencode(path)
    if path == b"-":
        sys.stdout.flush()
    if b"\0" in path:
        raise ValueError("a path with a NUL in it")
    check(c.pmu_report(path))
    return None


def load(file):
    """Return the JSON report in a file (a path, or an open text file) as a dict.

    ValueError for what is none.
    """
    return load_numbers(file, float)


def load_numbers(file, number):
    """What is no integer comes by number()."""
    import json

    def read(opened):
        try:
            return json.load(opened, parse_float=number)
        except RecursionError:
            raise ValueError("too deep for a report") from None

    if hasattr(file, "read"):
        made = read(file)
    else:
        with open(file, encoding="utf-8") as opened:
            made = read(opened)
    if not isinstance(made, dict) or "pmu_report" not in made:
        raise ValueError("no report of libpmu")
    if made["pmu_report"] != SCHEMA:
        raise ValueError("a report of version %s; known here is %d" % (made["pmu_report"], SCHEMA))
    return made


def _title(column):
    return "%s [%s]" % (column["name"], column["unit"]) if column["unit"] else column["name"]


# Where a region has what a group makes: title, table in the region, list in the group.
_TABLES = (("raw:", "raw", "counts"), ("net:", "net", "counts"), ("least:", "least", "counts"),
           ("", "metrics", "metrics"))


def titles(group, of):
    """Titles of the columns for the table "raw", "net", "least" or "metrics" of a group."""
    return [prefix + _title(one) for prefix, table, its in _TABLES if table == of
            for one in group[its]]


def _tables(report):
    has_least = any("least" in one for region in report["regions"]
                    for one in [region] + region["threads"])
    return [one for one in _TABLES if has_least or one[1] != "least"]


def _columns(group, tables):
    return [(prefix + _title(one), table, one["name"]) for prefix, table, its in tables
            for one in group[its]]


def _measured(report):
    """Columns of what is measured in a row: title and member."""
    has_percentiles = any("histogram" in one for region in report["regions"]
                          for one in [region] + region["threads"])
    return _MEASURED + (_PERCENTILES if has_percentiles else ()) + _REST


def _row(region, measured, thread, columns, ranks):
    row = {title: region[member] for title, member in _REGION}
    row["thread"] = thread
    row.update((title, measured.get(member)) for title, member in columns[0])
    # the part and rank that the thread or socket is of
    row["part"] = measured.get("part", 0) if measured is not region else "all"
    row["rank"] = ranks[row["part"]] if measured is not region else None
    row.update((title, measured.get(table, {}).get(name)) for title, table, name in columns[1])
    return row


def rows(report, threads=False):
    """Return a report as a list of rows, each a dict with the columns of the CSV report.

    One row for each region in tree order; with threads also one for each thread in it, and for
    each socket where some counts are the sockets', "process" where they are all threads' together.  None is unknown, never 0.  "part" is which of
    several processes, an index into report["parts"] or "all", and "rank" its MPI rank.
    """
    ranks = [part["rank"] for part in report.get("parts", [report])]
    of_all = _measured(report)
    tables = _tables(report)
    columns = {group["name"]: (of_all, _columns(group, tables)) for group in report["groups"]}
    made = []
    for region in report["regions"]:
        its = columns[region["group"]]
        made.append(_row(region, region, "all", its, ranks))
        if not threads:
            continue
        for one in region["threads"]:
            made.append(_row(region, one, one["thread"], its, ranks))
        for one in region.get("sockets", ()):
            number = one["socket"]
            name = ("unknown socket" if number is None else number if number == "process"
                    else "socket %d" % number)
            made.append(_row(region, one, name, its, ranks))
    return made


def row_titles(report):
    """Return all columns that rows may have, in the order of the CSV report."""
    made = [title for title, _ in _REGION] + ["thread"]
    made += [title for title, _ in _measured(report)] + ["part", "rank"]
    for _, table, _ in _tables(report):
        for group in report["groups"]:
            made += [title for title in titles(group, table) if title not in made]
    return made
