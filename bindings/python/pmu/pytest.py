# SPDX-License-Identifier: BSD-3-Clause
"""A plugin of pytest: `pytest --pmu` puts counts beside times.

A benchmark of pytest-benchmark is a region of its name, around each round and outside of what is
timed; its counts per call are in its extra_info, too.  Any other test's call is a region named by
its node id.
"""
import pytest

import pmu

from . import _library


def pytest_addoption(parser):
    parser.getgroup("pmu").addoption("--pmu", action="store_true",
                                     help="count what tests and benchmarks do to the processor")


def pytest_configure(config):
    if config.getoption("--pmu"):
        config.pluginmanager.register(_Plugin(), "pmu-counts")


def _minus(after, before):
    """None where one of them is missing."""
    return None if after is None or before is None else after - before


class _Measured:
    """What a region does between two readings: names may be used again by other files' tests."""

    def __init__(self, name):
        self.name, self.calls = name, 0
        self.before = pmu.read(name)

    def per_call(self):
        after = pmu.read(self.name)
        if not after or not self.calls:
            return None
        before = self.before or {"net_time_ns": 0, "net_counts": dict.fromkeys(after["net_counts"], 0)}
        made = {label: _minus(count, before["net_counts"].get(label))
                for label, count in after["net_counts"].items()}
        return {"name": self.name, "calls": self.calls,
                "time_ns": _minus(after["net_time_ns"], before["net_time_ns"]) / self.calls,
                "counts": {label: None if count is None else count / self.calls
                           for label, count in made.items()}}


def _measure_rounds(fixture, measured):
    """Enter the region around each round: what pytest-benchmark times stays as it is."""
    make_runner = fixture._make_runner

    def make_measured(*args, **kwargs):
        runner = make_runner(*args, **kwargs)

        def run(loops_range, *args, **kwargs):
            pmu.begin(measured.name)
            try:
                return runner(loops_range, *args, **kwargs)
            finally:
                pmu.end(measured.name)
                measured.calls += len(loops_range) if loops_range else 1
        return run
    fixture._make_runner = make_measured


class _Plugin:
    def __init__(self):
        self.rows = []
        self.why_not = ""

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_call(self, item):
        _library.start()
        fixture = getattr(item, "funcargs", {}).get("benchmark")
        if hasattr(fixture, "_make_runner") and not fixture.disabled:
            measured = _Measured(fixture.name)
            _measure_rounds(fixture, measured)
            yield
        else:
            fixture, measured = None, _Measured(item.nodeid)
            measured.calls = 1
            pmu.begin(measured.name)
            try:
                yield
            finally:
                pmu.end(measured.name)
        item._pmu_row = row = measured.per_call()
        if row and fixture is not None:
            fixture.extra_info["pmu"] = {label: count for label, count in row["counts"].items()
                                         if count is not None}

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self, item, call):
        outcome = yield
        if call.when == "call":  # in the report, which pytest-xdist hands to the process that prints
            row = getattr(item, "_pmu_row", None)
            outcome.get_result().pmu = {"row": row, "why_not": "" if row else pmu.last_error()}

    def pytest_runtest_logreport(self, report):
        its = getattr(report, "pmu", None)
        if its and its["row"]:
            self.rows.append(its["row"])
        if its and its["why_not"]:
            self.why_not = its["why_not"]

    def pytest_terminal_summary(self, terminalreporter):
        terminalreporter.section("pmu: counts per call")
        for line in _table(self.rows):
            terminalreporter.write_line(line)
        if any(not row["counts"] or None in row["counts"].values() for row in self.rows):
            terminalreporter.write_line("missing counts: %s" % (
                "this source does not make them all; its report and `pmu doctor` say why"))
        elif not self.rows:
            terminalreporter.write_line("nothing is measured%s" % (self.why_not and ": " + self.why_not))


def _number(value):
    return "-" if value is None else "%.0f" % value if value >= 1000 else "%.4g" % value


def _table(rows):
    labels = list(dict.fromkeys(label for row in rows for label in row["counts"]))
    lines = [["name", "calls", "time [ns]"] + labels] if rows else []
    for row in rows:
        lines.append([row["name"].encode("unicode_escape").decode(), str(row["calls"]),
                      _number(row["time_ns"])]
                     + [_number(row["counts"].get(label)) for label in labels])
    widths = [max(map(len, column)) for column in zip(*lines)]
    for line in lines:
        yield "  ".join([line[0].ljust(widths[0])]
                        + [cell.rjust(width) for cell, width in zip(line[1:], widths[1:])])
