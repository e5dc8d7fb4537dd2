# SPDX-License-Identifier: BSD-3-Clause
"""What is asked of a running session, and counters without regions."""
import ctypes
import os
import re
import sys
from errno import ENOENT

from . import _library
from ._library import MAX_COUNTS, RegionCounts, c, check, encode


def read(name, thread=None):
    """Return what a region has done so far: {"calls", "time_ns", "net_time_ns", "counts", "net_counts"}.

    The net ones are without the library's own work, as reports have them.  name is a region's name on the calling thread; with the number that a report gives a thread
    it is a path, "solve/assemble".  A count that could not be made is None, not 0.  None for a
    region that was never entered, and where nothing is measured.
    """
    counts = RegionCounts(size=ctypes.sizeof(RegionCounts))
    code = c.pmu_region_read(encode(name), -1 if thread is None else thread, counts)
    if check(code, (ENOENT,)) < 0:
        return None
    made, net = {}, {}
    for i in range(min(counts.n_counts, MAX_COUNTS)):
        label = c.pmu_count_name(i)
        if label is not None:
            missing, label = counts.missing >> i & 1, label.decode("utf-8", "replace")
            made[label] = None if missing else counts.count[i]
            net[label] = None if missing else counts.net[i]
    return {"calls": counts.calls, "time_ns": counts.time_ns, "net_time_ns": counts.net_time_ns,
            "counts": made, "net_counts": net}


def reset(name):
    """Forget what a region has done on the calling thread; Error while it is open."""
    check(c.pmu_region_reset(encode(name)), (ENOENT,))


def group_next():
    """Count the next group of PMU_GROUP from now on; Error while any thread has a region open.

    Return whether there is one: False where only one is configured, or nothing is measured.
    """
    return check(c.pmu_group_next(), (ENOENT,)) == 0


def note(text):
    """Add a line to the report's head."""
    _library.start()
    check(c.pmu_note(encode(text)))


class Counters:
    """Counters that the program starts, stops and reads by hand.

        with pmu.Counters("instructions,cycles") as counters:
            ...
        counters.read()    # {"instructions": 4194304, "cycles": None}

    Error where one of the events cannot be counted here.
    """

    def __init__(self, events, scope="thread"):
        if not isinstance(events, str):
            events = ",".join(events)
        self._set = ctypes.c_void_p()
        # cpu/event=0x0e,umask=0x01/ is one
        self._names = [name.strip() for name in re.findall("(?:[^,/]|/[^/]*/?)+", events)]
        code = c.pmu_counters_open(encode(events), ("thread", "cpu").index(scope),
                                   ctypes.byref(self._set))
        if code < 0:
            raise _library.Error(-code, _library.last_error() or os.strerror(-code))

    def _call(self, function, *arguments):
        if not self._set:
            raise ValueError("these counters are closed")
        return check(function(self._set, *arguments))

    def start(self):
        self._call(c.pmu_counters_start)

    def stop(self):
        self._call(c.pmu_counters_stop)

    def reset(self):
        self._call(c.pmu_counters_reset)

    def read(self):
        """Return {event: count}, running or stopped; None is a count that could not be read."""
        value = (ctypes.c_uint64 * MAX_COUNTS)()
        missing = ctypes.c_uint32()
        n = self._call(c.pmu_counters_read, value, MAX_COUNTS, ctypes.byref(missing))
        return {name: None if missing.value >> i & 1 else value[i]
                for i, name in enumerate(self._names[:n])}

    def close(self):
        if self._set:
            c.pmu_counters_close(self._set)
        self._set = ctypes.c_void_p()

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, kind, value, trace):
        self.stop()

    def __del__(self):
        if getattr(self, "_set", None):
            self.close()


_armed = False


def _in_child():
    """multiprocessing ends its processes by os._exit(): their reports come before that."""
    global _armed
    util = sys.modules.get("multiprocessing.util")
    if util and not _armed:
        _armed = True  # what is registered is inherited by children of this one
        util.register_after_fork(
            _in_child, lambda _: util.Finalize(None, c.pmu_fini, exitpriority=0))


os.register_at_fork(after_in_child=_in_child)
