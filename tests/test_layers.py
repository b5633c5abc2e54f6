"""Who may import whom: a module sees only lower layers and its own package."""

import ast
import importlib
import inspect
import sys
from pathlib import Path

import pytest

import gori

ROOT = Path(gori.__file__).parent
LAYERS = [
    {"errors", "version"},
    {"door"},
    {"spec", "kernels"},
    {"text"},
    {"vehicle"},
    {"formats", "model"},
    {"integrate", "record"},
    {"methods", "jacobian", "loops"},
    {"sim"},
    {"analysis", "learn", "view", "study", "manoeuvre"},
    {"web"},
    {"cli"},
]
LAYER = {package: k for k, packages in enumerate(LAYERS) for package in packages}
KERNELS_MAY = {"numpy", "numba", "llvmlite", "gori"}
FILES = sorted(ROOT.rglob("*.py"))


def package_of(parts: tuple[str, ...]) -> str:
    return parts[0].removesuffix(".py")


def imports(source: str, parts: tuple[str, ...] = ()) -> set[str]:
    """Dotted names of all modules that a source imports, those inside functions too."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            above = ["gori", *parts[: len(parts) - node.level]] if node.level else []
            module = ".".join([*above, *([node.module] if node.module else [])])
            # `from gori import errors` imports gori.errors
            found |= {f"gori.{alias.name}" for alias in node.names} if module == "gori" else {module}
    return found


def breaches(package: str, names: set[str]) -> list[str]:
    """Imports that the layer of a package forbids."""
    bad = []
    for name in sorted(names):
        top, _, rest = name.partition(".")
        other = rest.partition(".")[0]
        if package == "kernels" and top not in KERNELS_MAY and top not in sys.stdlib_module_names:
            bad.append(name)
        gathered = top == "gori" and other not in LAYER  # gori itself, which gathers names of all layers below the last
        if gathered and package not in LAYERS[-1]:
            bad.append(name)
        if top == "gori" and not gathered and other != package and LAYER[other] >= LAYER[package]:
            bad.append(name)
    return bad


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(ROOT)))
def test_imports_point_down(file):
    parts = file.relative_to(ROOT).parts
    if parts == ("__init__.py",):  # it gathers the public names of all
        return
    package = package_of(parts)
    assert package in LAYER, f"{package} has no layer: add it to LAYERS"
    assert breaches(package, imports(file.read_text(), parts)) == []


@pytest.mark.parametrize(
    ("package", "source", "bad"),
    [
        ("kernels", "import scipy.linalg", ["scipy.linalg"]),
        ("kernels", "from gori.spec import Spec", ["gori.spec"]),
        ("spec", "from gori.kernels import lanes", ["gori.kernels"]),
        ("model", "def f():\n    from gori.formats import load", ["gori.formats"]),
        ("formats", "from gori import model, errors", ["gori.model"]),
        ("vehicle", "from gori.formats import load", ["gori.formats"]),
        ("text", "from gori.vehicle import read_vehicle", ["gori.vehicle"]),
        ("model", "import gori.sim", ["gori.sim"]),
        ("errors", "from gori.spec.base import Part", ["gori.spec.base"]),
        ("model", "from ..formats import load", ["gori.formats"]),
        ("sim", "import gori", ["gori"]),
        ("cli", "import gori\nfrom gori import __version__", []),
        ("cli", "from gori.web import to_html", []),
        ("web", "from gori.cli import app", ["gori.cli"]),
        ("view", "from gori.web import to_html", ["gori.web"]),
        ("model", "from gori.kernels import aba\nfrom gori.model.work import Work\nimport scipy", []),
        ("kernels", "import math\nimport numba\nfrom llvmlite import ir\nfrom gori.kernels.jit import part", []),
    ],
)
def test_breaches_are_seen(package, source, bad):
    assert breaches(package, imports(source, (package, "x.py"))) == bad


def test_import_of_gori_stays_light():
    """Optional and slow packages are imported where they are used."""
    import subprocess

    code = "import sys, gori; print(*{'matplotlib', 'trimesh', 'yourdfpy', 'lxml', 'h5py', 'starlette',"
    code += "'uvicorn', 'websockets', 'anywidget', 'IPython', 'pxr', 'gymnasium'}.intersection(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


@pytest.mark.parametrize("name", gori.__all__)
def test_public_names_are_documented(name):
    thing = getattr(gori, name)
    assert inspect.getdoc(thing)
    if inspect.isclass(thing):
        methods = [value for key, value in vars(thing).items() if inspect.isfunction(value) and not key.startswith("_")]
        assert all(inspect.getdoc(method) for method in methods if method.__module__.startswith("gori"))


def test_all_is_complete():
    assert len(gori.__all__) == len(set(gori.__all__))
    for name, home in gori._HOME_OF.items():
        assert getattr(gori, name) is getattr(importlib.import_module(home), name)
    assert set(gori._HOME_OF) <= set(gori.__all__) <= set(dir(gori))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        gori.nothing  # noqa: B018
