"""hatch_build.py: when pages are built, and what is said where they cannot be."""

import importlib.util
import os
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NODE = """#!/bin/sh
if [ "$1" = "--version" ]; then echo v22.12.0; exit 0; fi
echo "$@" >> "{log}"
mkdir -p ../src/gori/web/static
echo "built" > ../src/gori/web/static/view.js
"""
NPM = """#!/bin/sh
echo npm "$@" >> "{log}"
mkdir -p node_modules
cp package-lock.json node_modules/.package-lock.json
"""
LOCK = '{{"packages": {{"": {{}}, "node_modules/three": {{"version": "{version}"}}}}}}'


def hook():
    spec = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A checkout with sources of pages, and programs node and npm that note how they were called."""
    if sys.platform == "win32":
        pytest.skip("scripts of the shell")
    root, programs = tmp_path / "gori", tmp_path / "bin"
    (root / "web" / "src").mkdir(parents=True)
    programs.mkdir()
    (root / "LICENSE").write_text("MIT")
    (root / "web" / "package.json").write_text("{}")
    (root / "web" / "package-lock.json").write_text(LOCK.format(version="1.0.0"))
    (root / "web" / "src" / "view.ts").write_text("1")
    for name, text in (("node", NODE), ("npm", NPM)):
        (programs / name).write_text(text.format(log=tmp_path / "log"))
        (programs / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.delenv("GORI_BUILD_PAGES", raising=False)
    return root


def log(root):
    return (root.parent / "log").read_text().splitlines()


def test_unchanged_sources_are_not_built_again(checkout):
    build = hook().build
    assert build(checkout) and len(log(checkout)) == 2 and log(checkout)[0].startswith("npm install --no-save")
    assert (checkout / "src/gori/web/static/gori-license.txt").read_text() == "MIT"
    assert not build(checkout) and len(log(checkout)) == 2
    (checkout / "web" / "src" / "view.ts").write_text("2")
    assert build(checkout) and len(log(checkout)) == 3  # packages are there already
    (checkout / "web" / "package-lock.json").write_text(LOCK.format(version="1.0.1"))
    assert build(checkout) and len(log(checkout)) == 5


def test_built_pages_of_an_sdist_need_no_node(checkout, monkeypatch):
    module = hook()
    module.build(checkout)
    monkeypatch.setattr(module, "node_on_path", lambda: None)
    assert not module.build(checkout)
    (checkout / "web" / "package.json").unlink()
    assert not module.build(checkout)  # without sources what is there is taken


def test_without_node_it_says_what_to_do_and_asks_for_it_as_a_requirement(checkout, monkeypatch):
    module = hook()
    monkeypatch.setattr(module, "node_on_path", lambda: None)
    monkeypatch.setattr(module, "node_of_package", lambda: None)
    with pytest.raises(module.PagesError, match=r"need Node 20\.19 or newer: install it, or run pip install"):
        module.build(checkout)

    said = []

    class App:
        def display_warning(self, words):
            said.append(words)

    one = module.PagesBuildHook.__new__(module.PagesBuildHook)
    for name, value in (("root", str(checkout)), ("app", App())):
        monkeypatch.setattr(type(one), name, value, raising=False)
    assert one.dependencies() == [module.NODE_PACKAGE]
    one.initialize("editable", {})  # the install goes on
    assert "without the pages of its viewer" in said[0]
    with pytest.raises(module.PagesError):
        one.initialize("standard", {})
    monkeypatch.setenv("GORI_BUILD_PAGES", "0")
    one.initialize("standard", {})
    assert one.dependencies() == []


def test_a_failure_of_the_bundler_is_told(checkout):
    (checkout.parent / "bin" / "npm").write_text("#!/bin/sh\necho no network here >&2\nexit 1\n")
    module = hook()
    with pytest.raises(module.PagesError, match=r"(?s)npm could not install.*no network here"):
        module.build(checkout)
    assert not (checkout / "src/gori/web/static").exists()
