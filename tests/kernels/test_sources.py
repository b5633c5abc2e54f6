"""What a kernel is compiled from, and the folder that it is kept in."""

import ast
import importlib
import shutil

import pytest

from gori.cli.cache import all_kernels
from gori.kernels import sources


@pytest.fixture
def copy(tmp_path, monkeypatch):
    """A copy of all sources that may be edited."""
    for name in sources.PACKAGES:
        shutil.copytree(sources.ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(sources, "ROOT", tmp_path)
    yield tmp_path
    forget()


def forget():
    for memo in (sources._file, sources._read, sources.sources_of, sources.source_hash):
        memo.cache_clear()


def hashes():
    forget()
    modules = {name: kernel.dispatcher.py_func.__module__ for name, kernel in all_kernels().items()}
    return {name: sources.source_hash(module) for name, module in modules.items() if module.startswith("gori.")}


def test_the_folders_of_kernels_are_named_by_their_sources():
    folders = {name: kernel.folder.name for name, kernel in all_kernels().items()}
    assert hashes().items() <= folders.items()


def test_an_edit_concerns_the_kernels_that_import_it(copy):
    before = hashes()
    for edited, concerned, others in (
        ("kernels/tree/joints.py", {"aba_one", "rk4_run", "multipliers"}, {"march", "splat", "signals_one"}),
        ("kernels/particles/law.py", {"march"}, {"aba_one", "rk4_run", "vehicle", "splat"}),
        ("integrate/dopri5.py", {"dopri5_run"}, {"rk4_run", "aba_one"}),
        ("kernels/lanes.py", {"aba_one", "march", "rk4_run"}, set()),
    ):
        (copy / edited).write_text((copy / edited).read_text() + "\n")
        after = hashes()
        changed = {name for name in before if before[name] != after[name]}
        assert concerned <= changed and not others & changed, edited
        before = after


def test_what_is_not_imported_does_not_matter(copy):
    before = hashes()
    (copy / "kernels" / "notes.txt").write_text("not a source")
    (copy / "kernels" / "extra.py").write_text("")
    assert hashes() == before


def names_of(node: ast.AST) -> list[str]:
    if isinstance(node, ast.ImportFrom):
        return [f"{node.module}.{name.name}" for name in node.names]
    return [name.name for name in node.names] if isinstance(node, ast.Import) else []


def test_imports_are_found_as_python_finds_them():
    """All that Python imports from the packages of compiled code, read from the syntax tree."""
    for name in {
        name for kernel in all_kernels().values() for name in sources.sources_of(kernel.dispatcher.py_func.__module__)
    }:
        wanted = set()
        for node in ast.walk(ast.parse((sources.ROOT / name).read_text())):
            for word in names_of(node):
                word = word.removeprefix("gori.")
                wanted |= {sources._file(word), sources._file(word.rpartition(".")[0])}
        assert wanted - {None} <= set(sources._read(name)[1]), name


def test_kernels_outside_gori_see_all_edits(copy, tmp_path_factory, monkeypatch):
    """Of their own module, and of any compiled code of Gori, however they import it."""
    folder = tmp_path_factory.mktemp("outside")
    file = folder / "laws_of_a_user.py"
    file.write_text("x = 1\n")
    monkeypatch.syspath_prepend(str(folder))
    importlib.import_module("laws_of_a_user")

    def now():
        forget()
        return sources.source_hash("laws_of_a_user")

    first = now()
    assert now() == first
    file.write_text("x = 2\n")
    second = now()
    edited = copy / "kernels/tree/joints.py"
    edited.write_text(edited.read_text() + "\n")
    assert len({first, second, now()}) == 3
