"""Which modules of Gori a test file calls, read from the sources: names are followed to where they are defined."""

import ast
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import gori

ROOT = Path(gori.__file__).parent
SOURCES = {path.relative_to(ROOT).as_posix(): ast.parse(path.read_text()) for path in sorted(ROOT.rglob("*.py"))}
"""all modules, by path"""


def modules() -> list[str]:
    """Paths of the modules with code of their own."""
    kinds = ast.FunctionDef | ast.ClassDef
    return [path for path, tree in SOURCES.items() if any(isinstance(node, kinds) for node in tree.body)]


@cache
def path_of(module: str) -> str | None:
    """gori.sim.run -> sim/run.py; None if there is no such module."""
    base = "/".join(module.split(".")[1:])
    found = [path for path in (f"{base}.py", f"{base}/__init__.py".lstrip("/")) if path in SOURCES]
    return found[0] if found and module.split(".")[0] == "gori" else None


def top_level(nodes: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements of a module, also those behind an `if`."""
    for node in nodes:
        yield node
        if isinstance(node, ast.If):
            yield from top_level([*node.body, *node.orelse])


@cache
def defined(path: str) -> frozenset[str]:
    """Names that a module defines itself."""
    names = set()
    for node in top_level(SOURCES[path].body):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names |= {leaf.id for target in targets for leaf in ast.walk(target) if isinstance(leaf, ast.Name)}
    return frozenset(names)


def imported(tree: ast.Module) -> dict[str, tuple[str, tuple[str, ...]]]:
    """Imported names, each as a module and the names to follow in it."""
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            found |= {name.asname or name.name: (node.module, (name.name,)) for name in node.names}
        elif isinstance(node, ast.Import):
            for name in node.names:
                first = name.name.split(".")[0]
                found[name.asname or first] = (name.name if name.asname else first, ())
    return found


@cache
def home(module: str, names: tuple[str, ...]) -> str | None:
    """Path of the module that defines names[0] of a module, or what follows if that is a module."""
    path = path_of(module)
    if path is None or not names:
        return None
    if names[0] in defined(path):
        return path
    there = imported(SOURCES[path]).get(names[0])
    if there is not None and there != (module, names[:1]):
        return home(there[0], there[1] + names[1:])
    return home(f"{module}.{names[0]}", names[1:])


@cache
def methods() -> dict[str, str]:
    """Public methods and properties that one module alone has, and its path."""
    homes = {
        (member.name, path)
        for path, tree in SOURCES.items()
        for node in tree.body
        if isinstance(node, ast.ClassDef)
        for member in node.body
        if isinstance(member, ast.FunctionDef) and not member.name.startswith("_")
    }
    count = Counter(name for name, _ in homes)
    return {name: path for name, path in homes if count[name] == 1}


def called(text: str) -> set[str]:
    """Paths of the modules whose functions, classes, constants or methods a test file uses.

    A command counts as called where its name is among the words of a command line.
    """
    tree, paths = ast.parse(text), set()
    known = imported(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in methods():
            paths.add(methods()[node.attr])
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            paths.add(f"cli/{node.value.replace('-', '_')}.py")
        names: list[str] = []
        while isinstance(node, ast.Attribute):
            names.insert(0, node.attr)
            node = node.value
        if isinstance(node, ast.Name) and node.id in known:
            module, first = known[node.id]
            paths.add(home(module, (*first, *names)))
    return paths & SOURCES.keys()


def mirror_of(path: str) -> Path:
    """Where the test of a module stands: a/b/c.py -> tests/a/b/test_c.py."""
    stem = Path(path).stem.removeprefix("__").removesuffix("__")
    return Path(__file__).parent / Path(path).parent / f"test_{stem}.py"


def mirrored(path: str) -> bool:
    """Whether the test of a module is there and calls the module."""
    file = mirror_of(path)
    return file.is_file() and "def test_" in file.read_text() and path in called(file.read_text())
