# SPDX-License-Identifier: BSD-3-Clause
"""Regions: what is called most."""
import functools
import inspect
import sys

from . import _library
from ._library import c, encode

# Names that are kept, with their regions: one that stays in its place is found faster.
_KEPT = 10000


def _first_begin(text):
    """Until the first region has loaded the library and started the session."""
    global _begin
    _library.start()
    _begin = c.pmu_region_begin
    _begin(text)


def _first_end(text):
    global _end
    _end = c.pmu_region_end
    _end(text)


_begin, _end = _first_begin, _first_end
_texts = {}
_regions = {}


def _keep(cache, name, value):
    if len(cache) >= _KEPT:
        cache.clear()
    cache[name] = value
    return value


def begin(name):
    """Enter a region on the calling thread."""
    try:
        text = _texts[name]
    except KeyError:
        text = _keep(_texts, name, encode(name))
    _begin(text)


def end(name):
    """Leave it."""
    try:
        text = _texts[name]
    except KeyError:
        text = _keep(_texts, name, encode(name))
    _end(text)


class Region:
    """What region() returns: for `with`, again and again, on any thread, and as a decorator."""

    __slots__ = ("name", "_text")

    def __init__(self, name):
        self.name = name
        self._text = encode(name)

    def __enter__(self):
        _begin(self._text)
        return self

    def __exit__(self, kind, value, trace):
        _end(self._text)

    def __call__(self, function):
        return _decorate(function, self._text)

    def __repr__(self):
        return "pmu.region(%r)" % self.name


def region(name):
    """A region for `with`, or for a function.

        with pmu.region("solve"): ...

        @pmu.region              # its qualified name, Solver.step
        @pmu.region("solve")
        def step(self): ...

    A coroutine or a generator is in its region while it runs: each stretch from one await or yield
    to the next is a call, and what others do in between is not counted.  A `with` around an await
    counts that, too.
    """
    try:
        return _regions[name]
    except (KeyError, TypeError):  # TypeError: a callable that has no hash
        pass
    if isinstance(name, str):
        return _keep(_regions, name, Region(name))
    if not callable(name):
        raise TypeError("pmu.region takes a name or a function, not %s" % type(name).__name__)
    return _decorate(name, encode(getattr(name, "__qualname__", type(name).__qualname__)))


def _decorate(function, text):
    if inspect.isclass(function) or not callable(function):
        raise TypeError("pmu.region decorates functions, not %r; put it below @classmethod and "
                        "the like" % (function,))
    if inspect.isasyncgenfunction(function):
        raise TypeError("pmu.region cannot decorate the asynchronous generator %r; use it in there"
                        % (function,))
    if inspect.iscoroutinefunction(function):
        @functools.wraps(function)
        async def measured(*args, **kwargs):
            return await _Stretches(function(*args, **kwargs), text)
    elif inspect.isgeneratorfunction(function):
        @functools.wraps(function)
        def measured(*args, **kwargs):
            return (yield from _stretches(function(*args, **kwargs), text))
    else:
        @functools.wraps(function)
        def measured(*args, **kwargs):
            _begin(text)
            try:
                return function(*args, **kwargs)
            finally:
                _end(text)
    return measured


def _stretches(inner, text):
    """Pass everything on to a generator or coroutine, and be in the region while it runs."""
    resume, argument = inner.send, None
    while True:
        _begin(text)
        try:
            value = resume(argument)
        except StopIteration as stop:
            return stop.value
        finally:
            argument = None  # an exception would keep this frame, and this frame the exception
            _end(text)
        try:
            argument = yield value
            resume = inner.send
        except GeneratorExit:
            _begin(text)
            try:
                inner.close()
            finally:
                _end(text)
            raise
        except BaseException:
            resume, argument = inner.throw, sys.exc_info()[1]


class _Stretches:
    """The same for await."""

    __slots__ = ("_inner", "_text")

    def __init__(self, inner, text):
        self._inner = inner
        self._text = text

    def __await__(self):
        return _stretches(self._inner, self._text)
