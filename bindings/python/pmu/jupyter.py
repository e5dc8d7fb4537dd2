# SPDX-License-Identifier: BSD-3-Clause
"""Magics of IPython and Jupyter: `%load_ext pmu`, then `%%pmu` above a cell.

Each cell is a region of its own, "In [7]": what is shown below it is that region and what is in it.
Nothing goes to the kernel's standard error, and no report is written unless PMU_OUTPUT says so.
"""
import ast
import contextlib
import html
import os
import re
import sys

from IPython.core.error import UsageError
from IPython.core.magic import Magics, line_cell_magic, magics_class
from IPython.display import display

from . import _library, _report
from .__main__ import digits, duration, per_call, plain
from ._functions import functions
from ._region import region

# Regions that a session may have before the next cell gets one of its own: reports stay short.
_MANY = 2000
_OPTION = re.compile(r"""\s*(-g|-e|--group|--events|--functions)(?:\s+|=)("[^"]*"|'[^']*'|[^\s"']+)(?=\s|$)""")
_MEANT = {"-g": "group", "-e": "events"}


def _options(line):
    """What is given, and what is left: a statement stays as it is."""
    given = {}
    while True:
        match = _OPTION.match(line)
        if not match:
            return given, line.strip()
        given[_MEANT.get(match.group(1), match.group(1)[2:])] = match.group(2).strip("\"'")
        line = line[match.end():]


def _lay_out(table):
    width = [max(len(row[i]) for row in table) for i in range(len(table[0]))]
    for row in table:
        yield "  ".join([row[0].ljust(width[0])] +
                        [cell.rjust(size) for cell, size in zip(row[1:], width[1:])]).rstrip()


class CellCounts:
    """What a cell did: a table, and with rows() what pandas.DataFrame() takes."""

    def __init__(self, name, report):
        self.name = name
        self.report = report
        self._its = [one for one in report["regions"]
                     if one["path"] == name or one["path"].startswith(name + "/")]

    def rows(self):
        paths = {one["path"] for one in self._its}
        return [row for row in _report.rows(self.report) if row["path"] in paths]

    def _tables(self):
        """Of each group its name, and cells: a title row, then regions with their depth."""
        for group in self.report["groups"]:
            titles = _report.titles(group, "metrics") or _report.titles(group, "net")
            rows = [row for row in self.rows() if row["group"] == group["name"]]
            made = [(0, ["region", "calls", "time", "per call", "self"] +
                     [plain(title.replace("net:", "", 1)) for title in titles])]
            for row in rows:
                calls = row["calls"]
                made.append((row["depth"], [plain(row["name"]), digits(calls), duration(row["time_ns"]),
                                            per_call(row["time_ns"], calls),
                                            duration(row["self_ns"])] +
                             [digits(row.get(title)) for title in titles]))
            if rows:
                yield plain(group["name"]), made

    def _remarks(self):
        source = self.report["source"]
        detail = source.get("detail")
        yield "source %s%s" % (plain(source["name"]), ": " + plain(detail) if detail else "")
        if not self._its:
            yield "nothing was measured: %s" % (plain(_library.last_error()) or "the limit of regions")
        if any(value is None for row in self._its for value in row["metrics"].values()) or any(
                set(one["name"] for one in group["metrics"]) - set(row["metrics"])
                for group in self.report["groups"] for row in self._its if row["group"] == group["name"]):
            whys = list(dict.fromkeys(one["why"] for one in self.report["refused"]))
            yield "missing counts: " + (plain("; ".join(whys)) or "this source does not make them")
        for doubt in self.report["doubts"]:
            of = doubt["region"]
            if of is None or of == self.name or of.startswith(self.name + "/"):
                yield "doubt: %s%s" % (plain(of) + ": " if of else "", plain(doubt["text"]))

    def __repr__(self):
        lines = []
        for group, table in self._tables():
            lines += [group] + ["  " + line for line in
                                _lay_out([["  " * depth + row[0]] + row[1:] for depth, row in table])]
        return "\n".join(lines + list(self._remarks()))

    def _repr_html_(self):
        made = []
        for group, table in self._tables():
            made.append("<table><caption>%s</caption>" % html.escape(group))
            for i, (depth, row) in enumerate(table):
                tag = "td" if i else "th"
                cells = "".join('<%s style="text-align:right">%s</%s>' % (tag, html.escape(cell), tag)
                                for cell in row[1:])
                made.append('<tr><%s style="text-align:left;padding-left:%.1fem">%s</%s>%s</tr>' % (
                    tag, 0.5 + 1.5 * depth, html.escape(row[0]), tag, cells))
            made.append("</table>")
        return "\n".join(made + ["<small>%s</small>" % "<br>".join(map(html.escape, self._remarks()))])


@magics_class
class PmuMagics(Magics):
    """%%pmu and %pmu."""

    _asked = None  # group and events of the session
    _n = 0         # cells measured in this count of In []
    _last = None
    _is_long = False

    def _session(self, asked):
        """One that counts what is asked for: it cannot be changed, only ended for another."""
        if asked == self._asked and not self._is_long:
            return
        if self._asked is not None or _library._started:
            _library.c.pmu_fini()
        group, events = asked
        output = None if os.environ.get("PMU_OUTPUT") else "none"
        PmuMagics._asked, PmuMagics._is_long = asked, False
        if not _library.init(group=group, events=events, output=output):
            PmuMagics._asked = None
            raise UsageError(_library.last_error() or "nothing is measured (PMU_ENABLE=0?)")

    def _name(self):
        count = self.shell.execution_count
        PmuMagics._n = self._n + 1 if count == self._last else 1
        PmuMagics._last = count
        return "In [%d]" % count if self._n == 1 else "In [%d], %d" % (count, self._n)

    def _compile(self, cell):
        """The cell's statements, and the expression at its end, which is shown."""
        tree = self.shell.compile.ast_parse(self.shell.transform_cell(cell))
        tree = self.shell.transform_ast(tree)
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        file = self.shell.compile.cache(cell, self.shell.execution_count)
        return (self.shell.compile(tree, file, "exec"),
                last and self.shell.compile(ast.Expression(last.value), file, "eval"))

    def _run(self, name, cell, patterns):
        statements, last = self._compile(cell)
        names, value = self.shell.user_ns, None
        with functions(patterns) if patterns else contextlib.nullcontext(), region(name):
            exec(statements, names)
            if last:
                value = eval(last, names)
        if last and not cell.rstrip().endswith(";"):  # showing it is the kernel's work
            sys.displayhook(value)

    @line_cell_magic
    def pmu(self, line, cell=None):
        """What a cell, or a statement, does to the processor.

        %%pmu [-g GROUP | -e EVENTS] [--functions PATTERNS]
        %pmu  [-g GROUP | -e EVENTS] [--functions PATTERNS] STATEMENT

        The table has the cell and the regions in it, begun by pmu.region() or made of functions
        with names that match PATTERNS; functions of the notebook are __main__.NAME.  As with %%time, a
        cell has no await at its top.  Counts of the other regions of the kernel go on, unless another
        group or other events are asked for: that ends the session.
        """
        given, statement = _options(line)
        if cell is not None and statement:
            raise UsageError("%%%%pmu takes -g GROUP, -e EVENTS and --functions PATTERNS, no %s" % statement)
        self._session((given.get("group"), given.get("events")))
        name = self._name()
        try:
            self._run(name, statement if cell is None else cell, given.get("functions"))
        finally:
            report = _report.report_dict()
            if report is None:
                print("nothing is measured: %s" % (_library.last_error() or "no session"))
            else:
                PmuMagics._is_long = len(report["regions"]) > _MANY
                display(CellCounts(name, report))


def load_ipython_extension(shell):
    shell.register_magics(PmuMagics)
