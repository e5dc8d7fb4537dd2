#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# make wheel: what it makes installs into a virtual environment without network and compiler, and measures there.
set -u
export LC_ALL=C.UTF-8 PYTHONDONTWRITEBYTECODE=1

top=$(cd "${TEST_SRCDIR:-$(dirname "$0")/../..}" && pwd) || exit 1
# shellcheck source=tests/tap.sh
. "$top/tests/tap.sh"
build=$(cd "${TEST_BUILDDIR:-.}" && pwd) || exit 1
python=${TEST_PYTHON:-python3}
[ "${TEST_SLOW:-}" != skip ] || skip_all 'TEST_SLOW=skip'
[ -z "${TEST_SANITIZERS:-}" ] || skip_all 'built with a sanitizer, which no Python is'
$python -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 8))' 2>/dev/null ||
	skip_all "$python has no venv (Debian: python3-venv)"
for tool in patchelf strip readelf; do
	command -v $tool >/dev/null || skip_all "no $tool"
done
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 1
: >out
: >err
evidence='out err'

make -s -C "$build" wheel WHEEL_OUTPUT="$tmp/dist" >out 2>err
result $? 'make wheel'
wheel=$(echo dist/*-manylinux_*.whl) sdist=$(echo dist/*.tar.gz)
[ -e "$wheel" ] && [ -e "$sdist" ]
result $? 'there are a wheel with the tag of a platform, and an sdist'
make -s -C "$build" wheel WHEEL_OUTPUT="$tmp/again" >out 2>err
cmp "$wheel" again/*.whl >out 2>&1 && cmp "$sdist" again/*.tar.gz >>out 2>&1
result $? 'made again, both are the same bytes'

cat >look.py <<'PYTHON'
import base64, hashlib, os, re, subprocess, sys, zipfile
archive = zipfile.ZipFile(sys.argv[1])
archive.extractall("unpacked")
bad, names = [], set(archive.namelist())
record = next(name for name in names if name.endswith(".dist-info/RECORD"))
for line in archive.read(record).decode().splitlines():
    path, digest, size = line.rsplit(",", 2)
    names.discard(path)
    if path != record:
        content = archive.read(path)
        its = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        if digest != "sha256=" + its or int(size) != len(content):
            bad.append(path)
print("record", bad + sorted(names))
tag = re.search(r"-(py3-none-manylinux_(\d+)_(\d+)_\w+)\.whl$", sys.argv[1])
print("tag", "Tag: " + tag.group(1) in archive.read(record.replace("RECORD", "WHEEL")).decode())
outside, latest = re.compile(r"(libc|libm|libpthread|libdl|librt|libgcc_s|ld-linux[-a-z0-9_]*)\.so\.\d+$"), (0, 0)
files = [os.path.join(where, name) for where, _, names in os.walk("unpacked/pmu/lib") for name in names] + ["unpacked/pmu/bin/pmu"]
missing, elsewhere = [], []
for file in files:
    dynamic = subprocess.run(["readelf", "-dVW", file], stdout=subprocess.PIPE, universal_newlines=True).stdout
    for needed in re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic):
        if not outside.match(needed) and not os.path.exists("unpacked/pmu/lib/" + needed):
            missing.append(needed)
    elsewhere += [path for path in re.findall(r"\(R(?:UN)?PATH\).*\[(.*)\]", dynamic) if path not in ("$ORIGIN", "$ORIGIN/..", "$ORIGIN/../lib")]
    needs = dynamic.split("Version needs section", 1)[-1]
    latest = max([latest] + [(int(a), int(b)) for a, b in re.findall(r"Name: GLIBC_(\d+)\.(\d+)", needs)])
print("missing", missing, elsewhere)
print("glibc", latest == (int(tag.group(2)), int(tag.group(3))))
print("licences", sorted(os.path.basename(name) for name in archive.namelist() if "/licenses/" in name) != [])
PYTHON
$python look.py "$wheel" >out 2>err
is 'RECORD has every file, with its size and digest' "$(sed -n 1p out)" 'record []'
is 'the tag is that of the file name' "$(sed -n 2p out)" 'tag True'
is 'what is linked from outside is of glibc, and nothing is looked for outside' "$(sed -n 3p out)" 'missing [] []'
is 'no symbol of glibc is later than the tag' "$(sed -n 4p out)" 'glibc True'
is 'the licences of what is inside are there' "$(sed -n 5p out)" 'licences True'

# --- installed ---

$python -m venv env >out 2>err
result $? 'a virtual environment'
# in <path> COMMAND...: nothing of the caller's
inside() {
	env -i PATH="$tmp/env/bin:/usr/bin:/bin" HOME="$tmp" XDG_RUNTIME_DIR="$tmp" LC_ALL=C.UTF-8 PMU_BACKEND=clock "$@"
}
PIP_CONFIG_FILE=/dev/null inside pip install --no-index --no-deps --no-compile "$wheel" >out 2>err
result $? 'pip installs it, without network'
cat >prog.py <<'PYTHON'
import re, sys, pmu
def f(): return 1
with pmu.region("solve"): f()
print(pmu.library().startswith(sys.prefix), [(row["path"].split("/")[-1], row["calls"]) for row in pmu.report()])
with pmu.functions("__main__.*"): f()
print(pmu.report()[-1]["name"])
ours = {line.split()[-1] for line in open("/proc/self/maps") if re.search("lib(pmu|hwloc|udev).*[.]so", line)}
print(sorted({path.split("/")[-1].split(".so")[0] for path in ours}), all(path.startswith(sys.prefix) for path in ours))
PYTHON
inside env PMU_OUTPUT=none PMU_PIN=scatter python prog.py >out 2>err
is 'import pmu finds the library inside, and measures' "$(sed -n 1p out)" "True [('solve', 1)]"
is 'functions too' "$(sed -n 2p out)" '__main__.f'
is 'what it loads is in the wheel' "$(sed -n 3p out)" "['libhwloc', 'libpmu', 'libpmu-python', 'libudev'] True"
inside pmu --version >out 2>err && grep -q "$(sed -n 's/^version = "\(.*\)"/\1/p' "$top/bindings/python/pyproject.toml")" out
result $? 'the command pmu is there'
inside pmu run -o run.csv --functions '__main__.f' python prog.py >out 2>err
grep -q ',main/solve/__main__.f,' run.csv
result $? 'pmu run measures programs in it, with functions'
inside pmu run -o run.txt sh -c true >out 2>err && grep -q ' main ' run.txt
result $? 'and other ones'
inside pmu info >out 2>err && ! grep -qi 'hwloc' err
result $? 'pmu info has what it needs'

inside ldd env/lib/python3*/site-packages/pmu/bin/pmu >out 2>err
awk '/=> / && !/lib(c|m)\.so/ && $3 !~ /site-packages/ { bad = 1 } /site-packages/ { n++ } END { exit bad || !n }' out
result $? 'the command is linked with what is in the wheel'

# --- the sdist ---

$python -m venv plain >out 2>err &&
	env -i PATH="$tmp/plain/bin:/usr/bin:/bin" HOME="$tmp" PIP_CONFIG_FILE=/dev/null \
		pip install --no-index --no-deps --no-build-isolation "$sdist" >out 2>err
result $? 'pip builds the sdist, without network'
env -i PATH="$tmp/plain/bin:/usr/bin:/bin" HOME="$tmp" PMU_OUTPUT=none PMU_LIBRARY="$build/lib/.libs/libpmu.so.0" python prog.py >out 2>err
grep -q "('solve', 1)" out
result $? 'its package works with a library from elsewhere'
finish
