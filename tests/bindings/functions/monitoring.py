# SPDX-License-Identifier: BSD-3-Clause
"""A stand-in for sys.monitoring (PEP 669) where there is none, made of 3.11's profile function.

As the real one: ids and their errors, callbacks by event, masks for the whole interpreter, DISABLE
for one place of a code object and refused for what has none, restart_events(), and nothing is told
while a callback runs.  Which event it is follows from the instruction that a frame is at.
"""
import opcode
import sys
import threading
import types

_NAMES = ("PY_START", "PY_RESUME", "PY_RETURN", "PY_YIELD", "CALL", "LINE", "INSTRUCTION", "JUMP", "BRANCH",
          "STOP_ITERATION", "RAISE", "EXCEPTION_HANDLED", "PY_UNWIND", "PY_THROW", "RERAISE", "C_RETURN", "C_RAISE")
_RESUME, _YIELD, _RETURN = map(opcode.opmap.get, ("RESUME", "YIELD_VALUE", "RETURN_VALUE"))

events = types.SimpleNamespace(NO_EVENTS=0, **{name: 1 << i for i, name in enumerate(_NAMES)})
DISABLE, MISSING = object(), object()
_not_local = events.PY_UNWIND | events.PY_THROW
_tools, _callbacks, _masks, _disabled, _thrown = {}, {}, {}, set(), {}
asked = []  # every callback that was made: event and name


def use_tool_id(tool, name):
    if not 0 <= tool < 6:
        raise ValueError("invalid tool %d" % tool)
    if tool in _tools:
        raise ValueError("tool %d is already in use" % tool)
    _tools[tool] = name


def get_tool(tool):
    return _tools.get(tool)


def free_tool_id(tool):
    _tools.pop(tool, None)
    _masks.pop(tool, None)
    for key in [key for key in _callbacks if key[0] == tool]:
        del _callbacks[key]


def register_callback(tool, event, function):
    before = _callbacks.get((tool, event))
    _callbacks[tool, event] = function
    return before


def set_events(tool, mask):
    if tool not in _tools:
        raise ValueError("tool %d is not in use" % tool)
    _masks[tool] = mask
    # a thread's function may be replaced by itself alone; it finds its masks empty
    if mask and sys.getprofile() is None:
        sys.setprofile(_profile)
        threading.setprofile(_profile)


def restart_events():
    _disabled.clear()


def _call(callback, *arguments):
    return callback(*arguments)


def _in_frame(frame, callback, *arguments):
    """As the real ones are called: C sees the frame's module, as if the frame were innermost."""
    return types.FunctionType(_call.__code__, frame.f_globals)(callback, *arguments)


def _tell(event, frame, code, offset, *more):
    for tool, mask in list(_masks.items()):
        key = tool, event, code, offset
        if not mask & event or (not event & _not_local and key in _disabled):
            continue
        asked.append((_NAMES[event.bit_length() - 1], code.co_name))
        if _in_frame(frame, _callbacks[tool, event], code, offset, *more) is DISABLE:
            if event & _not_local:
                raise ValueError("cannot disable %s" % _NAMES[event.bit_length() - 1])
            _disabled.add(key)


def _profile(frame, what, argument):
    code, offset = frame.f_code, frame.f_lasti
    at = code.co_code[offset] if offset >= 0 else None
    if what == "call":
        if at == _RESUME:
            _tell(events.PY_RESUME if code.co_code[offset + 1] & 3 else events.PY_START, frame, code, offset)
        else:
            _thrown[id(frame)] = offset
            _tell(events.PY_THROW, frame, code, offset, None)
    elif what == "return":
        stayed = _thrown.pop(id(frame), None) == offset  # what was thrown in goes out again
        if at == _RETURN:
            _tell(events.PY_RETURN, frame, code, offset, argument)
        elif at == _YIELD and not stayed:
            _tell(events.PY_YIELD, frame, code, offset, argument)
        else:
            _tell(events.PY_UNWIND, frame, code, offset, None)
