# SPDX-License-Identifier: BSD-3-Clause
"""What your hot code does to the processor: libpmu for Python.

    import pmu

    with pmu.region("solve"):
        ...

    @pmu.region                  # under its own name, or @pmu.region("name")
    def step():
        ...

At exit a report goes to standard error, or where PMU_OUTPUT says; PMU_* variables configure it
as they do in C (`pmu help environment`).  In here:

    pandas.DataFrame(pmu.report())     # a list of rows, each a dict; nothing measured: an empty list
    pmu.report("run.json")             # a file; also .csv and text
    python3 -m pmu run.json            # the file as a table

What other threads do for a region counts there where they get its context:

    with pmu.Executor(ThreadPoolExecutor()) as pool: ...     # submit() and map() hand it on
    threading.Thread(target=pmu.in_context(step)).start()

Functions as they are, by name, and in a notebook what a cell does:

    with pmu.functions("numpy.*,mymodule.*"): ...
    %load_ext pmu                            # then %%pmu above a cell

Threads and forked processes are measured like the rest; each process makes a report of its own.
(A multiprocessing.Pool used in a `with` kills its workers: close() and join() it, or use `pmu run`.)
Nothing is pinned unless PMU_PIN or init(pin=...) says so.

Nothing here stops a program that is not measured: with PMU_ENABLE=0, or where the library is not
found (a RuntimeWarning says so), regions do nothing and what reads is empty.  Error is raised
for what the program itself got wrong, a report that cannot be written for instance.
"""
from ._context import Executor, context, entered, in_context
from ._functions import functions
from ._library import Error, fini, init, last_error, library, thread_attach, version
from ._region import begin, end, region
from ._report import load, report, report_dict, report_text, rows
from ._session import Counters, group_next, note, read, reset

__all__ = [
    "Counters", "Error", "Executor", "begin", "context", "end", "entered", "fini", "functions", "group_next",
    "in_context", "init", "last_error", "library", "load", "note", "read", "region", "report", "report_dict", "report_text", "reset", "rows",
    "thread_attach", "version",
]


def load_ipython_extension(shell):
    """%load_ext pmu: the magics %%pmu and %pmu."""
    from . import jupyter

    jupyter.load_ipython_extension(shell)
