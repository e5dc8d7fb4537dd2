# SPDX-License-Identifier: BSD-3-Clause
"""Builds the wheel for pip, from nothing but the standard library: so it needs no network."""
import base64
import hashlib
import os
import re
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))


class UnsupportedOperation(Exception):
    """The name that PEP 517 gives it."""


def _setting(name):
    with open(os.path.join(HERE, "pyproject.toml"), encoding="utf-8") as file:
        return re.search('^%s = "(.*)"$' % name, file.read(), re.M).group(1)


def _metadata():
    return ("Metadata-Version: 2.1\nName: %s\nVersion: %s\nSummary: %s\nLicense: BSD-3-Clause\n"
            "Requires-Python: %s\n" % tuple(map(_setting, ("name", "version", "description",
                                                           "requires-python"))))


def _write(folder, files):
    """A wheel of {path: bytes}; return its name."""
    name = "%s-%s" % (_setting("name"), _setting("version"))
    info = name + ".dist-info/"
    files[info + "METADATA"] = _metadata().encode()
    files[info + "WHEEL"] = (b"Wheel-Version: 1.0\nGenerator: libpmu\nRoot-Is-Purelib: true\n"
                             b"Tag: py3-none-any\n")
    files[info + "entry_points.txt"] = b"[pytest11]\npmu = pmu.pytest\n"
    record = ""
    for path, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        record += "%s,sha256=%s,%d\n" % (path, digest, len(content))
    files[info + "RECORD"] = ("%s%sRECORD,,\n" % (record, info)).encode()
    wheel = name + "-py3-none-any.whl"
    with zipfile.ZipFile(os.path.join(folder, wheel), "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in files.items():
            archive.writestr(zipfile.ZipInfo(path), content)
    return wheel


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    files = {}
    for name in sorted(os.listdir(os.path.join(HERE, "pmu"))):
        if name.endswith(".py"):
            with open(os.path.join(HERE, "pmu", name), "rb") as file:
                files["pmu/" + name] = file.read()
    return _write(wheel_directory, files)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    return _write(wheel_directory, {"libpmu.pth": (HERE + "\n").encode()})


def build_sdist(sdist_directory, config_settings=None):
    raise UnsupportedOperation("libpmu is released as a whole: make dist")
