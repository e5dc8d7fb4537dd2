# SPDX-License-Identifier: BSD-3-Clause
"""make wheel: a wheel with the library and the command inside, and the sdist.

What is built is copied as it is, with the libraries that it needs from outside of glibc; each looks
for the others beside itself ($ORIGIN).  The platform's tag is by the versions of glibc's symbols
that any of them uses (PEP 600).
"""
import argparse
import ctypes
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile

import backend

# PEP 600 and the policies of auditwheel: what is on every machine with the glibc of the tag.
OUTSIDE = re.compile(r"(libc|libm|libpthread|libdl|librt|libgcc_s|ld-linux[-a-z0-9_]*)\.so\.[0-9]+$")
# Where they are built, and what they are called; what is in lib/pmu/ knows names of events.
BUILT = (("lib/.libs/libpmu.so.0", "lib/libpmu.so.0"),
         ("lib/.libs/libpmu-events.so", "lib/pmu/libpmu-events.so"),
         ("bindings/.libs/libpmu-preload.so", "lib/libpmu-preload.so"),
         ("bindings/.libs/libpmu-annotations.so", "lib/libpmu-annotations.so"),
         ("bindings/.libs/libpmu-python.so", "lib/libpmu-python.so"),
         ("bindings/.libs/libpmu-mpi.so", "lib/libpmu-mpi.so"),
         ("pmu", "bin/pmu"))
COMMAND = "bin/pmu"


def run(*words):
    return subprocess.run(words, check=True, stdout=subprocess.PIPE, universal_newlines=True).stdout


def loaded_when_needed(build):
    """Those that no file of ours is linked with."""
    with open(os.path.join(build, "config.h"), encoding="utf-8") as file:
        cpuid = re.search('^#define LIBCPUID_SONAME "(.*)"', file.read(), re.M)
    return ["libhwloc.so.15", "libpfm.so.4"] + ([cpuid.group(1)] if cpuid else [])


def file_of(soname):
    """Where this machine has a library: what its loader opens."""
    try:
        ctypes.CDLL(soname)
    except OSError as why:
        sys.exit("wheel: %s is to be inside, and cannot be loaded: %s" % (soname, why))
    with open("/proc/self/maps", encoding="utf-8") as maps:
        for line in maps:
            path = line.split(None, 5)[-1].strip()
            if path.startswith("/") and (os.path.basename(path) == soname or re.match(
                    re.escape(soname.split(".so")[0]) + r"\.so", os.path.basename(path))):
                return path
    sys.exit("wheel: %s is loaded, but from no file" % soname)


def needed(path):
    return run("patchelf", "--print-needed", path).split()


def copy(source, target, rpath):
    os.makedirs(os.path.dirname(target), exist_ok=True)
    shutil.copyfile(os.path.realpath(source), target)
    os.chmod(target, 0o755)
    run("strip", "--strip-unneeded", target)
    run("patchelf", "--set-rpath", rpath, target)


def gather(build, folder):
    """Copy everything; return the libraries of others, by their files."""
    wanted, others = loaded_when_needed(build), {}
    for source, target in BUILT:
        path = os.path.join(folder, target)
        above = os.path.relpath(os.path.join(folder, "lib"), os.path.dirname(path))
        copy(os.path.join(build, source), path, "$ORIGIN" if above == "." else "$ORIGIN/" + above)
        wanted += needed(path)
    while wanted:
        soname = wanted.pop()
        if OUTSIDE.match(soname) or soname in others or soname == "libpmu.so.0":
            continue
        others[soname] = file_of(soname)
        path = os.path.join(folder, "lib", soname)
        copy(others[soname], path, "$ORIGIN")
        wanted += needed(path)
    return others


def glibc(paths):
    """The latest version that any of them needs, as (2, 34)."""
    found = {(2, 5)}
    for path in paths:
        text = run("readelf", "-VW", path).split("Version needs section", 1)[-1]
        found.update((int(a), int(b)) for a, b in re.findall(r"Name: GLIBC_(\d+)\.(\d+)", text))
    return max(found)


def licences(others):
    """Debian's copyright files of what is inside; none where there is no dpkg."""
    made = {}
    for soname, path in others.items():
        real = os.path.realpath(path)
        try:
            # as it was packed: /lib may have become a part of /usr since
            owners = run("dpkg-query", "-S", "*" + re.sub("^/usr", "", real))
            owner = re.match("[^:]+", owners).group(0)
            with open("/usr/share/doc/%s/copyright" % owner, "rb") as file:
                made["licenses/%s.txt" % soname.split(".so")[0]] = file.read()
        except (OSError, subprocess.CalledProcessError):
            print("wheel: no licence was found for %s" % soname, file=sys.stderr)
    return made


def main():
    parser = argparse.ArgumentParser(description="Make a wheel with the library inside.")
    parser.add_argument("--build", default=".", help="where the library is built")
    parser.add_argument("--folders", nargs=2, metavar=("BINDIR", "LIBDIR"), required=True,
                        help="those it was configured with")
    parser.add_argument("--licence", required=True, help="the library's own")
    parser.add_argument("--output", default="dist", help="the folder for it")
    its = parser.parse_args()
    for tool in ("patchelf", "strip", "readelf"):
        if not shutil.which(tool):
            sys.exit("wheel: %s is needed (Debian: patchelf, binutils)" % tool)
    # The command looks for its libraries by the way from the one to the other.
    if os.path.relpath(its.folders[1], its.folders[0]) != "../lib":
        sys.exit("wheel: configured with --libdir=%s; a wheel needs PREFIX/lib" % its.folders[1])
    os.makedirs(its.output, exist_ok=True)
    files = backend.package()
    with tempfile.TemporaryDirectory() as folder:
        others = gather(its.build, folder)
        inside = [os.path.relpath(os.path.join(where, name), folder)
                  for where, _, names in os.walk(folder) for name in names]
        version = glibc(os.path.join(folder, name) for name in inside)
        for name in sorted(inside):
            with open(os.path.join(folder, name), "rb") as file:
                files["pmu/" + name] = file.read()
    info = backend.distribution() + ".dist-info/"
    files.update((info + name, content) for name, content in licences(others).items())
    with open(its.licence, "rb") as file:
        files[info + "licenses/LICENSE"] = file.read()
    tag = "py3-none-manylinux_%d_%d_%s" % (version + (platform.machine(),))
    entry_points = "[console_scripts]\npmu = pmu._command:main\n\n" + backend.ENTRY_POINTS
    made = backend.write_wheel(its.output, files, tag, entry_points, ["pmu/" + COMMAND])
    print(os.path.join(its.output, made))
    print(os.path.join(its.output, backend.build_sdist(its.output)))


if __name__ == "__main__":
    main()
