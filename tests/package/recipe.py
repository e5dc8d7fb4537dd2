# SPDX-License-Identifier: BSD-3-Clause
"""recipe.py FORM FILE: reads a package's file as its program would, with stand-ins for what the file imports, and prints
"version VERSION" and a line "needs NAME" for each dependency."""
import json
import sys
import types


def module(name, **members):
    """A module of that name, to import from."""
    made = types.ModuleType(name)
    made.__dict__.update(members)
    sys.modules[name] = made
    return made


def run(path, **members):
    """The names that a file of Python leaves behind."""
    names = dict(members, __name__="recipe")
    with open(path, encoding="utf-8") as file:
        exec(compile(file.read(), path, "exec"), names)  # it is our own
    return names


def spack(path):
    found = {"needs": []}

    class AutotoolsPackage:
        def with_or_without(self, name, variant):
            return ["--with-" + name]

    module("spack")
    module("spack.package", AutotoolsPackage=AutotoolsPackage, license=lambda name: None,
           version=lambda number, url: found.update(version=number),
           variant=lambda name, default, description: None, extends=lambda name: None,
           depends_on=lambda spec, type=None: found["needs"].append(spec))
    arguments = run(path)["Libpmu"]().configure_args()
    assert "--with-valgrind-tool" in arguments, arguments
    return found["version"], [spec.split("@")[0] for spec in found["needs"] if spec not in ("c", "fortran")]


def easybuild(path):
    found = run(path, SHLIB_EXT="so")
    assert found["name"] == "libpmu" and found["easyblock"] == "ConfigureMake"
    for each in found["builddependencies"] + found["dependencies"]:
        assert len(each) >= 2 and all(isinstance(text, str) for text in each), each
    return found["version"], found["local_build"][1:] + found["local_run"]


def conan(path):
    needs = []

    class ConanFile:
        def tool_requires(self, name):
            needs.append(name)

        def requires(self, name, options=None):
            needs.append(name)

    module("conan", ConanFile=ConanFile)
    module("conan.errors", ConanInvalidConfiguration=ValueError)
    module("conan.tools")
    module("conan.tools.files", unzip=None)
    module("conan.tools.gnu", Autotools=None, AutotoolsToolchain=None, PkgConfigDeps=None)
    made = run(path)["Libpmu"]()
    made.settings = types.SimpleNamespace(os="Linux", arch="armv8")
    made.validate()
    made.build_requirements()
    made.requirements()
    return made.version, needs


def conda(path):
    import jinja2
    import yaml
    with open(path, encoding="utf-8") as file:
        text = jinja2.Template(file.read()).render(compiler=lambda name: "compiler-" + name)
    found = yaml.safe_load(text)
    needs = found["requirements"]["build"] + found["requirements"]["host"]
    assert set(found["requirements"]["run"]) <= set(needs) | {"python"}, found["requirements"]["run"]
    return found["package"]["version"], [need.split(" ")[0] for need in needs
                                         if need != "make" and not need.startswith("compiler-")]


def vcpkg(path):
    with open(path, encoding="utf-8") as file:
        found = json.load(file)
    return found["version"], [need for need in found["dependencies"] if isinstance(need, str)]


version, needed = globals()[sys.argv[1]](sys.argv[2])
print("version", version)
for one in needed:
    print("needs", one)
