#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes the tables of events: make update-events SRC=FOLDER.

FOLDER is a checkout of intel/perfmon, which has mapfile.csv and the JSON files that it names, or one of Linux (or its
tools/perf/pmu-events), for AMD's, Arm's and RISC-V processors.  The tables are written beside this
script, README.md says how they are to be read.  Names and codes are taken, descriptions are not.
"""

import csv
import glob
import json
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
EVENTS = ("core", "hybridcore", "offcore", "fp_arith_inst", "uncore", "uncore experimental")
NOTHING = ("", "null", "na", "n/a", "none", "-")
FLAGS = (("Invert", "i"), ("EdgeDetect", "e"), ("AnyThread", "t"), ("Equal", "q"), ("Deprecated", "d"),
         ("EnAllSlices", "a"), ("EnAllCores", "b"), ("ConfigCode", "g"))
NUMBERS = (("UMaskExt", "x"), ("CounterMask", "c"), ("PortMask", "p"), ("FCMask", "h"), ("ExtSel", "s"),
           ("FILTER_VALUE", "v"), ("RdWrMask", "w"), ("SliceId", "n"), ("ThreadMask", "y"))
FIRST_FIXED = 32  # "32" in a list of counters is fixed counter 0
DEEPEST = 3  # tables that a table stands upon
# Folders of Linux's tools/perf/pmu-events/arch that processors are taken from, and what they are called here.
LINUX = (("x86", "AuthenticAMD-", "amd"), ("arm64", "0x", "arm64"), ("riscv", "0x", "riscv"))
# Members of an event of Linux's that say which event it is, and those that do not.
LINUX_SAYS = {"EventName", "EventCode", "ConfigCode", "UMask", "CounterMask", "Invert", "EdgeDetect", "Unit",
              "Deprecated", "Errata", "RdWrMask", "SliceId", "EnAllSlices", "EnAllCores", "ThreadMask"}
LINUX_IS_SILENT = {"ArchStdEvent", "PerPkg", "ScaleUnit", "SampleAfterValue", "Experimental"}


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


def write(folder, name, text):
    with open(os.path.join(HERE, folder, name), "w", encoding="ascii") as file:
        file.write(text)


def clear(folder):
    os.makedirs(os.path.join(HERE, folder), exist_ok=True)
    for old in os.listdir(os.path.join(HERE, folder)):
        os.remove(os.path.join(HERE, folder, old))


def update_intel(source):
    with open(os.path.join(source, "mapfile.csv"), encoding="utf-8-sig") as file:
        rows = [row for row in csv.DictReader(file) if row["EventType"].lower() in EVENTS]
    done, bases, lines = {}, {}, []
    clear("intel")
    for row in rows:
        path = row["Filename"].lstrip("/")
        name = re.sub(r"\.json$", "", os.path.basename(path)).lower()
        if name not in done:
            kind = "uncore" if row["EventType"].startswith("uncore") else "core"
            table = read_events(os.path.join(source, path))
            head = f"intel/perfmon, {os.path.basename(path)}, {row['Version']}"
            write("intel", name + ".events", smallest(name, kind, table, done, bases, head))
            done[name] = (kind, table)
        lines.append(f"{row['Family-model']},{row['Version']},{name},{row['EventType']},{row['Core Type']}")
    write("intel", "mapfile.csv", "# Family-model,Version,Filename,EventType,Core Type\n" + "\n".join(lines) + "\n")


# --- Linux ---


def linux_version(source):
    """From the Makefile of the tree that SRC is in, "6.12.1"."""
    for up in ("", "../..", "../../..", "../../../.."):
        path = os.path.join(source, up, "Makefile")
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                numbers = re.findall(r"^(?:VERSION|PATCHLEVEL|SUBLEVEL) = (\d+)$", file.read(), re.M)
            if len(numbers) == 3:
                return "Linux " + ".".join(numbers[:2] if numbers[2] == "0" else numbers)
    return "Linux"


def read_objects(folder):
    """All that the JSON files of a folder have, but for those that are no list."""
    for path in sorted(glob.glob(os.path.join(folder, "*.json"))):
        with open(path, encoding="utf-8") as file:
            objects = json.load(file)
        if isinstance(objects, list):
            yield from objects


def resolved(thing, standard):
    """An event with what it has from the architecture's standard events; None where it is none."""
    name = thing.get("ArchStdEvent", "")
    if name and name.lower() not in standard:
        sys.exit(f"there is no standard event {name}")
    event = {**standard[name.lower()], **thing} if name else thing
    if "EventName" not in event:
        return None
    for key in sorted(set(event) - LINUX_SAYS - LINUX_IS_SILENT):
        # some are misspelt, and some events are a metric too
        if not re.match("(Brief|Public)Desc|Metric|DefaultMetric", key):
            sys.exit(f"{event['EventName']}: what is {key}?")
    if "EventCode" not in event and "ConfigCode" not in event:
        sys.exit(f"{event['EventName']} has no code")
    if "ConfigCode" in event:
        event = {**event, "EventCode": event["ConfigCode"], "ConfigCode": "1"}
    return event


def read_linux(folder, standard):
    """{(unit, name): (line, counters)} of a processor's folder, as read_events() of a file."""
    if not os.path.isdir(folder):
        sys.exit(f"there is no {folder}")
    table = {}
    for thing in read_objects(folder):
        event = resolved(thing, standard)
        if event:
            table.setdefault((event.get("Unit", ""), event["EventName"]), line_of(event, True, set()))
    return table


def update_linux(source, arch, mine, here):
    """The processors of one folder of Linux's with names in the map that begin with @mine."""
    top = os.path.join(source, "arch", arch)
    standard = {str(thing.get("EventName", thing.get("MetricName"))).lower(): thing for thing in read_objects(top)}
    done, bases, lines, texts = {}, {}, [], {}
    version = linux_version(source)
    with open(os.path.join(top, "mapfile.csv"), encoding="utf-8") as file:
        rows = [line.strip().split(",") for line in file if line.startswith(mine)]
    for cpu, number, folder, kind in rows:
        name = folder.replace("/", "-")
        if name not in done:
            table = read_linux(os.path.join(top, folder), standard)
            head = f"{version}, tools/perf/pmu-events/arch/{arch}/{folder}, {number}"
            texts[name] = smallest(name, arch, table, done, bases, head)
            done[name] = (arch, table)
        lines.append(f"{cpu},{number},{name},{kind}")
    # what is there stays until all is understood
    clear(here)
    for name, text in texts.items():
        write(here, name + ".events", text)
    write(here, "mapfile.csv", "# The first that fits: CPU,Version,Filename,EventType\n" + "\n".join(lines) + "\n")


def write_list():
    """What make is to build, of all that is here."""
    files = [os.path.relpath(path, HERE) for end in ("mapfile.csv", "*.events")
             for path in sorted(glob.glob(os.path.join(HERE, "*", end)))]
    with open(os.path.join(HERE, "files.mk"), "w", encoding="ascii") as file:
        file.write("# Made by update.py.\nevent_tables =" + "".join(f" \\\n\t%D%/{name}" for name in files) + "\n")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    source = sys.argv[1]
    for below in ("tools/perf/pmu-events", ""):
        linux = os.path.join(source, below)
        # the tree's own arch/x86 has no map
        if os.path.exists(os.path.join(linux, "arch/x86/mapfile.csv")):
            for arch, mine, here in LINUX:
                update_linux(linux, arch, mine, here)
            break
    else:
        update_intel(source)
    write_list()


if __name__ == "__main__":
    main()
