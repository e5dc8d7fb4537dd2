# SPDX-License-Identifier: BSD-3-Clause
"""A notebook with %%pmu is executed, and what is below its cells looked at."""
import os
import re
import sys

import nbclient
import nbformat

number, failed = 0, 0


def ok(holds, name, shown=""):
    global number, failed
    number += 1
    print("%s %d - %s" % ("ok" if holds else "not ok", number, name))
    if not holds:
        failed = 1
        print(re.sub("^", "# ", str(shown), flags=re.M))


CELLS = {
    "load": "%load_ext pmu",
    "define": "import pmu, time\ndef leaf(n): return n + 1\ndef solve(n): return sum(leaf(i) for i in range(n))\nsolve(9)",
    "cell": "%%pmu\nwith pmu.region('inner <b>'):\n    time.sleep(0.01)\nx = 41\nx + 1",
    "again": "%%pmu\nwith pmu.region('inner <b>'):\n    pass",
    "quiet": "%%pmu\nsolve(2);",
    "functions": "%%pmu --functions '__main__.*'\nsolve(5)",
    "after": "%%pmu\nsolve(5)",
    "line": "%pmu --functions=__main__.leaf sum([leaf(1), leaf(2)], len('a b'))",
    "magic": "%%pmu\n!echo from the shell",
    "raises": "%%pmu\nwith pmu.region('before'): pass\n1/0",
    "group": "%%pmu -g CYCLES\nx",
    "nobody": "%%pmu -g NOBODY\nx",
    "recovers": "%%pmu\nx",
    "statement": "%%pmu x\nx",
}
book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in CELLS.values()])
nbclient.NotebookClient(book, kernel_name="python3", allow_errors=True, timeout=60).execute()
outputs = dict(zip(CELLS, (cell.outputs for cell in book.cells)))
counts = dict(zip(CELLS, (cell.execution_count for cell in book.cells)))


def shown(name, kind="display_data", form="text/plain"):
    return "\n".join(one.data.get(form, "") for one in outputs[name] if one.output_type == kind)


def streams(name, of="stderr"):
    return "".join(one.text for one in outputs[name] if one.output_type == "stream" and one.name == of)


def calls(name):
    """{region: calls}, without depth."""
    return {match.group(1): int(match.group(2)) for match in
            re.finditer(r"^ +(\S.*?)  +([0-9]+)  ", shown(name), re.M)}


def own(name):
    return "In [%d]" % counts[name]


ok(outputs["load"] == [] and shown("define") == "", "nothing is shown without the magic", outputs["define"])
ok(calls("cell") == {own("cell"): 1, "inner <b>": 1}, "a cell's table has the cell and its regions", shown("cell"))
ok(float(re.search(r"inner <b> +1 +([0-9.]+) ms", shown("cell")).group(1)) >= 10, "with their times", shown("cell"))
ok(shown("cell", "execute_result") == "42", "its last expression is shown, too", outputs["cell"])
ok("<table>" in shown("cell", form="text/html") and "inner &lt;b&gt;</td>" in shown("cell", form="text/html"),
   "as HTML, in which names are text", shown("cell", form="text/html"))
ok(calls("again") == {own("again"): 1, "inner <b>": 1}, "the next cell's has nothing of the one before", shown("again"))
ok(shown("quiet", "execute_result") == "" and calls("quiet") == {own("quiet"): 1}, "a semicolon keeps the value quiet", outputs["quiet"])
ok(calls("functions") == {own("functions"): 1, "__main__.solve": 1, "__main__.solve.<locals>.<genexpr>": 6, "__main__.leaf": 5},
   "functions by their names", shown("functions"))
ok(calls("after") == {own("after"): 1}, "and not in the next cell", shown("after"))
ok(calls("line") == {own("line"): 1, "__main__.leaf": 2} and shown("line", "execute_result") == "8",
   "%pmu measures a statement, which may have quotes and blanks", outputs["line"])
ok("from the shell" in streams("magic", "stdout") and calls("magic") == {own("magic"): 1}, "what IPython adds to the language works", outputs["magic"])
errors = [one for one in outputs["raises"] if one.output_type == "error"]
ok(len(errors) == 1 and errors[0].ename == "ZeroDivisionError" and calls("raises") == {own("raises"): 1, "before": 1},
   "an exception is the cell's, below what was measured up to it", outputs["raises"])
ok("CYCLES" in shown("group") and "IPC" in shown("group") and "missing counts: " in shown("group"),
   "-g GROUP has its metrics' columns, and says why they are empty", shown("group"))
ok('there is no group "NOBODY"' in streams("nobody"), "a group that is none is said", outputs["nobody"])
ok(calls("recovers") == {own("recovers"): 1}, "and the next cell is measured", outputs["recovers"])
ok("takes -g GROUP" in streams("statement"), "%%pmu takes no statement", outputs["statement"])
said = [name for name in CELLS if name not in ("nobody", "statement") and streams(name)]
ok(not said, "nothing is written to standard error", [streams(name) for name in said])
print("1..%d" % number)
sys.exit(failed)
