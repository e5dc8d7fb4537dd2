# SPDX-License-Identifier: BSD-3-Clause
"""recipe.py FORM FILE: reads a package's file as its program would, with stand-ins for what the file imports, and prints
"version VERSION" and a line "needs NAME" for each dependency."""
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


version, needed = globals()[sys.argv[1]](sys.argv[2])
print("version", version)
for one in needed:
    print("needs", one)
