# SPDX-License-Identifier: BSD-3-Clause
"""Builds the wheel for pip, from nothing but the standard library: so it needs no network.

This one has the package alone; wheel.py makes one with the library inside.
"""
import base64
import gzip
import hashlib
import io
import os
import re
import tarfile
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
ENTRY_POINTS = "[pytest11]\npmu = pmu.pytest\n"
PURE = "py3-none-any"


def _setting(name):
    with open(os.path.join(HERE, "pyproject.toml"), encoding="utf-8") as file:
        return re.search('^%s = "(.*)"$' % name, file.read(), re.M).group(1)


def _metadata():
    return ("Metadata-Version: 2.1\nName: %s\nVersion: %s\nSummary: %s\nLicense: BSD-3-Clause\n"
            "Requires-Python: %s\n" % tuple(map(_setting, ("name", "version", "description",
                                                           "requires-python"))))


def distribution():
    """NAME-VERSION, as files are called."""
    return "%s-%s" % (_setting("name"), _setting("version"))


def write_wheel(folder, files, tag=PURE, entry_points=ENTRY_POINTS, programs=()):
    """A wheel of {path: bytes}, those of programs to be executed; return its name."""
    name = distribution()
    info = name + ".dist-info/"
    files[info + "METADATA"] = _metadata().encode()
    files[info + "WHEEL"] = ("Wheel-Version: 1.0\nGenerator: libpmu\nRoot-Is-Purelib: %s\nTag: %s\n" %
                             ("true" if tag == PURE else "false", tag)).encode()
    files[info + "entry_points.txt"] = entry_points.encode()
    record = ""
    for path, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        record += "%s,sha256=%s,%d\n" % (path, digest, len(content))
    files[info + "RECORD"] = ("%s%sRECORD,,\n" % (record, info)).encode()
    wheel = "%s-%s.whl" % (name, tag)
    with zipfile.ZipFile(os.path.join(folder, wheel), "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in files.items():
            entry = zipfile.ZipInfo(path)  # of 1980, whenever it is made
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100755 if path in programs else 0o100644) << 16
            archive.writestr(entry, content)
    return wheel


def package():
    """{path: bytes} of the package itself."""
    files = {}
    for name in sorted(os.listdir(os.path.join(HERE, "pmu"))):
        if name.endswith(".py"):
            with open(os.path.join(HERE, "pmu", name), "rb") as file:
                files["pmu/" + name] = file.read()
    return files


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    return write_wheel(wheel_directory, package())


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    return write_wheel(wheel_directory, {"libpmu.pth": (HERE + "\n").encode()})


def build_sdist(sdist_directory, config_settings=None):
    """The package alone: the library is released as a whole, by make dist."""
    name = distribution()
    files = dict(package(), **{"PKG-INFO": _metadata().encode()})
    for own in ("backend.py", "pyproject.toml"):
        with open(os.path.join(HERE, own), "rb") as file:
            files[own] = file.read()
    path = os.path.join(sdist_directory, name + ".tar.gz")
    with open(path, "wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=0) as packed, \
            tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for path, content in sorted(files.items()):
            entry = tarfile.TarInfo("%s/%s" % (name, path))
            entry.size, entry.mode = len(content), 0o644
            archive.addfile(entry, io.BytesIO(content))
    return name + ".tar.gz"
