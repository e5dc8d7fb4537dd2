# SPDX-License-Identifier: BSD-3-Clause
"""Work on other threads that counts for a region of this one."""
import concurrent.futures
import functools

from ._library import c


def context():
    """Return what the calling thread has open, for work that another one will do; 0 for nothing.

    It is a number, valid until the region's call ends, in this process.
    """
    return max(c.pmu_context_get(), 0)


class entered:
    """What the calling thread does in this `with` is done for a context.

        its = pmu.context()          # in the thread that submits
        with pmu.entered(its): ...   # in the thread that works

    Not around an await: other coroutines of the thread would be in it meanwhile.
    """

    __slots__ = ("context",)

    def __init__(self, context):
        self.context = context

    def __enter__(self):
        if self.context:
            c.pmu_context_enter(self.context)
        return self

    def __exit__(self, kind, value, trace):
        if self.context:
            c.pmu_context_leave()


def in_context(function):
    """Return a function that does the same for the region that is open here, on any thread.

        threading.Thread(target=pmu.in_context(work))
        await asyncio.to_thread(pmu.in_context(work))
    """
    its = context()

    @functools.wraps(function)
    def measured(*args, **kwargs):
        with entered(its):
            return function(*args, **kwargs)
    return measured


class Executor(concurrent.futures.Executor):
    """An executor of threads: its tasks count for the region that was open where they were submitted.

        with pmu.Executor(concurrent.futures.ThreadPoolExecutor()) as pool:
            pool.map(step, parts)
    """

    def __init__(self, executor):
        if isinstance(executor, concurrent.futures.ProcessPoolExecutor):
            raise TypeError("pmu.Executor is for threads: processes report for themselves")
        self._executor = executor

    def submit(self, function, /, *args, **kwargs):
        return self._executor.submit(in_context(function), *args, **kwargs)

    def shutdown(self, *args, **kwargs):
        self._executor.shutdown(*args, **kwargs)
