# SPDX-License-Identifier: BSD-3-Clause
"""The smallest case that is still wrong: whatever is taken away or made simpler stays so where it is wrong without it, too."""
import copy
import re

SIMPLE = {"n": 2, "begin": "literal", "end": "literal", "later": False, "where": "main"}


def lists(node):
    """Every list of steps or programs in a case"""
    if isinstance(node, dict):
        for key, value in node.items():
            if key in ("programs", "body"):
                yield value
            yield from lists(value)
    elif isinstance(node, list):
        for value in node:
            yield from lists(value)


def shorter(case):
    """Cases with less in a list: halves of it, quarters and so on, then a step's own steps in its place"""
    for i, steps in enumerate(lists(case)):
        size = len(steps)
        while size:
            for at in range(0, len(steps), size):
                less = copy.deepcopy(case)
                del list(lists(less))[i][at:at + size]
                yield less
            size //= 2
    for i, steps in enumerate(lists(case)):
        for at, step in enumerate(steps):
            if "do" in step and "body" in step:
                less = copy.deepcopy(case)
                list(lists(less))[i][at:at + 1] = copy.deepcopy(step["body"])
                yield less


def simpler(case):
    """Cases with a simpler value somewhere"""
    for i, steps in enumerate(lists(case)):
        for at, step in enumerate(steps):
            for key, value in SIMPLE.items():
                if key in step and step[key] != value and not (key == "n" and step[key] < value):
                    less = copy.deepcopy(case)
                    list(lists(less))[i][at][key] = value
                    yield less
    for key in case["settings"]:
        less = copy.deepcopy(case)
        del less["settings"][key]
        yield less
    flags = case["build"]["flags"].split()
    for at in range(1, len(flags)):
        yield {**case, "build": {**case["build"], "flags": " ".join(flags[:at] + flags[at + 1:])}}
    for key, value in (("flags", "-O1"), ("compiler", "gcc"), ("init", False), ("plugin", False)):
        if case["build"].get(key, value) != value and (key != "flags" or len(flags) == 1):
            yield {**case, "build": {**case["build"], key: value}}
    used = {step["name"] for steps in lists(case) for step in steps if "name" in step}
    for at, name in enumerate(case["names"]):
        if at not in used:
            continue
        for other in ("abcdefghijklmnopqrstuvwxyz"[at % 26], name[:len(name) // 2]):
            if len(other.encode()) < len(name.encode()) and other and other not in case["names"]:
                yield {**case, "names": case["names"][:at] + [other] + case["names"][at + 1:]}


def alone(case, paths):
    """Cases with one of the programs that have these regions; what other threads do is below none"""
    numbers = dict.fromkeys(int(found[1]) for found in (re.match(r"p([0-9]+)(/|$)", path) for path in paths) if found)
    for i in numbers if len(case["programs"]) > 1 else ():
        yield {**case, "programs": [case["programs"][i]]}


def shrink(case, paths, is_wrong, go_on=lambda: True):
    """
    paths: of the regions that are wrong
    is_wrong: whether a case still is
    """
    case = next((c for c in alone(case, paths) if go_on() and is_wrong(c)), case)
    smaller = True
    while smaller and go_on():
        smaller = False
        for ways in shorter, simpler:
            found = True
            while found and go_on():
                found = next((c for c in ways(case) if go_on() and is_wrong(c)), None)
                if found:
                    case, smaller = found, True
    return case
