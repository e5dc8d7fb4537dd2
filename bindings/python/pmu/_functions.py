# SPDX-License-Identifier: BSD-3-Clause
"""A program's functions as regions, from within it."""
import ctypes
import os
import threading  # noqa: F401: what starts threads is to be there before it is told of them

from . import _library
from ._library import Error, c, encode

NAME = "libpmu-python.so"
_held = None


def _places():
    """Beside the library; in a build tree; where the linker looks."""
    folder = os.path.dirname(c.place or "")
    if folder:
        yield os.path.join(folder, NAME)
        yield os.path.join(folder, "..", "..", "bindings", ".libs", NAME)
    here = os.path.dirname(os.path.abspath(__file__))
    yield os.path.join(here, "lib", NAME)
    yield NAME


def _open():
    """The library that measures functions; Error where it cannot be loaded."""
    global _held
    if _held is None:
        why = ""
        for place in _places():
            if os.path.dirname(place) and not os.path.exists(place):
                continue
            try:
                held = ctypes.PyDLL(place)
                break
            except OSError as error:
                why = str(error)
        else:
            raise Error(2, "functions cannot be measured: %s" % (why or NAME + " is not there"))
        held.pmu_python_start.argtypes = [ctypes.c_char_p]
        held.pmu_python_stop.restype = None
        _held = held
    return _held


class functions:
    """Functions called in this `with` are regions, by patterns of their names.

        with pmu.functions("numpy.*,mymodule.Solver.*,!*.small"):
            ...

    As `pmu run --functions` does for whole programs: names are module.name, functions are those
    written in Python.  Not within one another; before Python 3.12 for the calling thread and those
    that are started in it.
    """

    __slots__ = ("patterns",)

    def __init__(self, patterns):
        self.patterns = encode(patterns if isinstance(patterns, str) else ",".join(patterns))

    def __enter__(self):
        _library.start()
        if c.pmu_version() >= 0:  # nothing is measured without the library
            code = _open().pmu_python_start(self.patterns)
            if code < 0:
                raise Error(-code, "functions cannot be measured: " + os.strerror(-code))
        return self

    def __exit__(self, kind, value, trace):
        if _held is not None:
            _held.pmu_python_stop()
