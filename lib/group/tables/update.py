#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes the tables of events from a checkout of intel/perfmon: make update-events SRC=FOLDER.

FOLDER has mapfile.csv and the JSON files that it names.  The tables are written beside this script, README.md says how
they are to be read.  Names and codes are taken, descriptions are not.
"""

import csv
import json
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
EVENTS = ("core", "hybridcore", "offcore", "fp_arith_inst", "uncore", "uncore experimental")
NOTHING = ("", "null", "na", "n/a", "none", "-")
FLAGS = (("Invert", "i"), ("EdgeDetect", "e"), ("AnyThread", "t"), ("Equal", "q"), ("Deprecated", "d"))
NUMBERS = (("UMaskExt", "x"), ("CounterMask", "c"), ("PortMask", "p"), ("FCMask", "h"), ("ExtSel", "s"),
           ("FILTER_VALUE", "v"))
FIRST_FIXED = 32  # "32" in a list of counters is fixed counter 0
DEEPEST = 3  # tables that a table stands upon


def number(event, member):
    """A member's first value: "0xB7,0xBB" is the code that goes with the first register."""
    text = str(event.get(member, "")).split(",")[0].strip()
    return 0 if text.lower() in NOTHING else int(text, 0)


def flag(event, member):
    text = str(event.get(member, "")).strip().lower()
    return text == "true" or (text not in NOTHING + ("false",) and int(text, 0) != 0)


def ranges(counters):
    """[0, 1, 2, 3, 5] is 0-3,5."""
    out = []
    for n in sorted(counters):
        if out and out[-1][1] == n - 1:
            out[-1][1] = n
        else:
            out.append([n, n])
    return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in out)


def counters_of(event):
    """What counts it: (general counters, number of the fixed counter as it is written, is one of the uncore fixed?)"""
    general, fixed, uncore = set(), None, False
    for word in str(event.get("Counter", "")).split(","):
        word = word.strip().lower()
        if word in NOTHING:
            continue
        if word == "fixed":
            uncore = True
        elif re.fullmatch(r"fixed ?counter ?\d+", word):
            fixed = int(word.split("counter")[1])
        elif re.fullmatch(r"\d-\d", word):
            general.update(range(int(word[0]), int(word[2]) + 1))
        elif int(word) >= FIRST_FIXED:
            fixed = int(word) - FIRST_FIXED
        else:
            general.add(int(word))
    return general, fixed, uncore


def line_of(event, from_0, all_of_them):
    """An event as a line; its counters as a word of their own, which a table may leave out."""
    general, fixed, uncore = counters_of(event)
    words = [event["EventName"].strip(), f"{number(event, 'EventCode'):x}", f"{number(event, 'UMask'):x}"]
    for member, letter in NUMBERS:
        if number(event, member):
            words.append(f"{letter}{number(event, member):x}")
    words += [letter for member, letter in FLAGS if flag(event, member)]
    if number(event, "MSRIndex"):
        words.append(f"m{number(event, 'MSRIndex'):x}:{number(event, 'MSRValue'):x}")
    if fixed is not None:
        # Files without a counter 0 number them from 1 on.
        words.append(f"f{fixed if from_0 or not fixed else fixed - 1}")
    if uncore:
        words.append("u")
    if str(event.get("CounterType", "")).strip().upper() == "FREERUN":
        words.append("r")
    if str(event.get("Filter", "")).strip().lower() not in NOTHING + ("0",):
        words.append("F" + re.sub(r"\s", "", event["Filter"]))
    if str(event.get("Errata", "")).strip().lower() not in NOTHING + ("0",):
        words.append("E" + re.sub(r"\s", "", event["Errata"]))
    # Of a core's events, what any general counter counts is not said: with hyperthreading off there are more of them.
    if general == all_of_them and fixed is None and not event.get("Unit"):
        general = set()
    return " ".join(words), "k" + ranges(general) if general else ""


def read_events(path):
    """{(unit, name): (line, counters)}"""
    with open(path, encoding="utf-8-sig") as file:
        events = json.load(file)
    if isinstance(events, dict):
        events = events["Events"]
    from_0 = any(counters_of(event)[1] == 0 for event in events)
    all_of_them = set().union(*(counters_of(event)[0] for event in events))
    table = {}
    for event in events:
        if event.get("EventName"):
            unit = str(event.get("Unit", "") or "").strip()
            table.setdefault((unit, event["EventName"].strip()), line_of(event, from_0, all_of_them))
    return table


def render(head, table, base, base_name):
    """A table's text, over the one that it stands upon."""
    kept = {key: value for key, value in table.items() if base.get(key) != value}
    often = {}
    for _, counters in kept.values():
        often[counters] = often.get(counters, 0) + 1
    usual = max(sorted(often), key=lambda k: often[k]) if often else ""
    lines = [f"# {head}"]
    if base_name:
        lines.append(f"= {base_name}")
    if usual:
        lines.append(f"* {usual}")
    unit, before = "", ""
    for key in sorted(set(kept) | {k for k in base if k not in table}):
        if key[0] != unit:
            unit, before = key[0], ""
            lines.append(f"[{unit}]")
        if key not in table:
            lines.append(f"- {key[1]}")
            before = ""
            continue
        line, counters = kept[key]
        # ".ANY" is that of the group before it.
        group = key[1].split(".")[0] if "." in key[1] else ""
        text = line[len(group):] if group and group == before else line
        before = group
        if counters != usual:
            text += " " + (counters or "k")
        lines.append(text)
    return "\n".join(lines) + "\n"


def depth(name, bases):
    return 0 if not bases.get(name) else 1 + depth(bases[name], bases)


def smallest(name, kind, table, done, bases, head):
    """The table's text over whatever table of its kind makes it shortest."""
    best, best_base = render(head, table, {}, None), None
    for other, (other_kind, other_table) in done.items():
        if other_kind == kind and depth(other, bases) < DEEPEST:
            text = render(head, table, other_table, other)
            if len(text) < 0.8 * len(best):
                best, best_base = text, other
    bases[name] = best_base
    return best


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    source = sys.argv[1]
    with open(os.path.join(source, "mapfile.csv"), encoding="utf-8-sig") as file:
        rows = [row for row in csv.DictReader(file) if row["EventType"].lower() in EVENTS]
    done, bases, lines = {}, {}, []
    for old in os.listdir(os.path.join(HERE, "intel")):
        os.remove(os.path.join(HERE, "intel", old))
    for row in rows:
        path = row["Filename"].lstrip("/")
        name = re.sub(r"\.json$", "", os.path.basename(path)).lower()
        if name not in done:
            kind = "uncore" if row["EventType"].startswith("uncore") else "core"
            table = read_events(os.path.join(source, path))
            head = f"intel/perfmon, {os.path.basename(path)}, {row['Version']}"
            text = smallest(name, kind, table, done, bases, head)
            with open(os.path.join(HERE, "intel", name + ".events"), "w", encoding="ascii") as file:
                file.write(text)
            done[name] = (kind, table)
        lines.append(f"{row['Family-model']},{row['Version']},{name},{row['EventType']},{row['Core Type']}")
    with open(os.path.join(HERE, "intel", "mapfile.csv"), "w", encoding="ascii") as file:
        file.write("# Family-model,Version,Filename,EventType,Core Type\n" + "\n".join(lines) + "\n")
    with open(os.path.join(HERE, "files.mk"), "w", encoding="ascii") as file:
        file.write("# Made by update.py.\nevent_tables = \\\n\t%D%/intel/mapfile.csv")
        file.write("".join(f" \\\n\t%D%/intel/{name}.events" for name in sorted(done)) + "\n")


if __name__ == "__main__":
    main()
