# SPDX-License-Identifier: BSD-3-Clause
"""Finding libpmu, and its start and end."""
import ctypes
import os
import sys
import warnings
from errno import ENODEV

SONAME = "libpmu.so.0"
OPTIONS = ("enable", "group", "events", "backend", "count", "pin", "output")
MAX_COUNTS = 16


class Error(OSError):
    """What the library refused: errno, and strerror with its reason."""


class _Options(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t)] + [(name, ctypes.c_char_p) for name in OPTIONS]


class RegionCounts(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("calls", ctypes.c_uint64),
        ("time_ns", ctypes.c_uint64),
        ("n_counts", ctypes.c_uint32),
        ("missing", ctypes.c_uint32),
        ("count", ctypes.c_uint64 * MAX_COUNTS),
        ("net_time_ns", ctypes.c_uint64),
        ("net", ctypes.c_uint64 * MAX_COUNTS),
    ]


# Arguments of what is called now and then; all of these return a number.
_text, _set = ctypes.c_char_p, ctypes.c_void_p
_FUNCTIONS = {
    "pmu_init": [ctypes.POINTER(_Options)],
    "pmu_thread_attach": [],
    "pmu_region_read": [_text, ctypes.c_int, ctypes.POINTER(RegionCounts)],
    "pmu_region_reset": [_text],
    "pmu_context_enter": [ctypes.c_uint64],
    "pmu_context_leave": [],
    "pmu_group_next": [],
    "pmu_report": [_text],
    "pmu_report_text": [_text, ctypes.POINTER(ctypes.c_void_p)],
    "pmu_note": [_text],
    "pmu_fini": [],
    "pmu_counters_open": [_text, ctypes.c_int, ctypes.POINTER(ctypes.c_void_p)],
    "pmu_counters_start": [_set],
    "pmu_counters_stop": [_set],
    "pmu_counters_read": [_set, ctypes.POINTER(ctypes.c_uint64), ctypes.c_size_t,
                          ctypes.POINTER(ctypes.c_uint32)],
    "pmu_counters_reset": [_set],
    "pmu_version": [],
}


def _places():
    """Files that may be the library: in this installation, beside it, in the virtual environment."""
    here = os.path.dirname(os.path.abspath(__file__))
    yield os.path.join(here, "lib", SONAME)  # a wheel that has it inside
    above = here
    for _ in range(3):  # lib/python3.11/site-packages/pmu
        above = os.path.dirname(above)
        yield os.path.join(above, SONAME)
    # a build tree: bindings/python/pmu
    top = os.path.dirname(os.path.dirname(os.path.dirname(here)))
    yield os.path.join(top, "lib", ".libs", SONAME)
    yield os.path.join(sys.prefix, "lib", SONAME)


def _open():
    """Return the library and where it came from, or None and why there is none."""
    chosen = os.environ.get("PMU_LIBRARY")
    if chosen:
        try:
            return ctypes.PyDLL(chosen), chosen
        except OSError as why:
            return None, "PMU_LIBRARY: %s" % why
    try:  # one that the process has already: preloaded, or a program's that runs Python
        return ctypes.PyDLL(SONAME, mode=os.RTLD_NOLOAD | os.RTLD_NOW), SONAME
    except OSError:
        pass
    for place in [place for place in _places() if os.path.exists(place)] + [SONAME]:
        try:
            return ctypes.PyDLL(place), place
        except OSError as error:
            why = str(error)
    return None, why


class _Absent:
    """Stands for a library that is not there: nothing is being measured."""

    def __getattr__(self, name):
        return lambda *arguments: -ENODEV

    def pmu_region_begin(self, name):
        pass

    pmu_region_end = pmu_region_begin


def _declare(held):
    # The interpreter's lock is kept: a thread that waited for it would wait in its region.
    for name, arguments in _FUNCTIONS.items():
        function = getattr(held, name)
        function.argtypes = arguments
        function.restype = ctypes.c_int
    held.pmu_context_get.argtypes = []
    held.pmu_context_get.restype = ctypes.c_uint64
    # No argtypes: a bytes object goes as it is, without a check of its type.
    for name in ("pmu_region_begin", "pmu_region_end"):
        getattr(held, name).restype = None
    for name in ("pmu_last_error", "pmu_count_name"):
        getattr(held, name).restype = ctypes.c_char_p
    held.pmu_count_name.argtypes = [ctypes.c_uint]


def _load():
    found, place = _open()
    if found:
        try:
            _declare(found)
            return found, place, ""
        except AttributeError as why:
            place = "%s: %s" % (place, why)
    warnings.warn("nothing is measured: %s (PMU_LIBRARY=FILE names the library)" % place,
                  RuntimeWarning, stacklevel=_frames_in_here())
    return _Absent(), None, place


def _frames_in_here():
    """As warn() counts them, up to the caller of this package."""
    frame, n = sys._getframe(1), 1
    while frame and frame.f_globals.get("__package__") == __package__:
        frame, n = frame.f_back, n + 1
    return n


class _Library:
    """The library's functions; it is loaded when the first of them is used."""

    place, why_not = None, ""

    def __getattr__(self, name):
        loaded = self.__dict__.get("loaded")
        if not loaded:
            loaded, self.place, self.why_not = _load()
            self.loaded = loaded
        function = getattr(loaded, name)
        setattr(self, name, function)
        return function


c = _Library()
_started = False


def library():
    """Return the file of the library that measures, None where there is none."""
    c.pmu_version  # is loaded now
    return c.place


def version():
    """Return the version of the library, as in (0, 1, 0); None without one."""
    number = c.pmu_version()
    return (number >> 16, number >> 8 & 255, number & 255) if number >= 0 else None


def last_error():
    """Return one sentence on this thread's last error; "" before any."""
    text = c.pmu_last_error
    return text().decode("utf-8", "replace") if c.place else c.why_not


def check(code, quiet=()):
    """Raise Error for a negative code; not where nothing is measured, nor for those of quiet."""
    if code < 0 and code != -ENODEV and -code not in quiet:
        raise Error(-code, last_error() or os.strerror(-code))
    return code


def encode(text):
    """Return a str as the library takes it; for one with a NUL the empty text, which it refuses."""
    if not isinstance(text, str):
        raise TypeError("a text is a str, not %s" % type(text).__name__)
    text = text.encode("utf-8", "backslashreplace")
    return b"" if b"\0" in text else text


def _option(value):
    if isinstance(value, bool):
        value = "1" if value else "0"
    elif isinstance(value, (list, tuple)):
        value = ",".join(map(os.fspath, value))
    else:
        value = os.fspath(value)
    if "\0" in value:
        raise ValueError("an option with a NUL in it")
    return os.fsencode(value)


def init(*, enable=None, group=None, events=None, backend=None, count=None, pin=None, output=None):
    """Start measuring now rather than at the first region.

    Each option is the text of the PMU_* variable of its name, and wins over it; a list stands for
    a text with commas, True and False for 1 and 0.  Without pin and PMU_PIN nothing is pinned,
    but for the source msr, which needs it.

    Return whether it started with these; False where a session runs already, or where something
    in them or in the environment cannot be: last_error() has the reason, standard error too.
    """
    global _started
    if pin is None and "PMU_PIN" not in os.environ:
        if (backend or os.environ.get("PMU_BACKEND")) != "msr":
            pin = "none"
    options = _Options(size=ctypes.sizeof(_Options))
    for name, value in zip(OPTIONS, (enable, group, events, backend, count, pin, output)):
        if value is not None:
            setattr(options, name, _option(value))
    _started = True
    return c.pmu_init(ctypes.byref(options)) == 0


def start():
    """What the first region does."""
    if not _started:
        init()


def thread_attach():
    """Open the calling thread's counters now rather than at its first region."""
    start()
    c.pmu_thread_attach()


def fini():
    """Write the reports and stop measuring; the exit does it too.

    Raises Error for a report that cannot be written.
    """
    check(c.pmu_fini())
