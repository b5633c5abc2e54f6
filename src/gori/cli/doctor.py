"""`gori doctor`: is everything there, and is it compiled?"""

import os
import platform
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from gori import __version__
from gori.cli import cache, machine
from gori.cli.terminal import complain, count, file_size, output

if TYPE_CHECKING:
    from gori.kernels.jit import Kernel

BROKEN = 1
"""exit code when Gori cannot work here"""
MOST_WORKERS = 8
"""processes that compile side by side: each takes up to 1 GB"""


def doctor(
    compile: Annotated[bool, typer.Option("--compile", help="Compile all kernels now, or load them.")] = False,
    clean: Annotated[bool, typer.Option("--clean", help="Remove kernels compiled from other sources.")] = False,
) -> None:
    """Check this installation and show what it runs on."""
    console = output()
    problems = _show_packages(console)
    if not problems:
        try:
            _show_machine(console)
            _show_kernels(console, compile, clean)
        except Exception as error:  # whatever is wrong with this installation is what was asked for
            problems.append(str(error) or type(error).__name__)
    for problem in problems:
        complain(problem)
    if problems:
        raise typer.Exit(BROKEN)


def _section(console: Console, title: str, rows: list[tuple[str, str | Text]]) -> None:
    console.print(Text(title, "bold"))
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(min_width=14)
    table.add_column(overflow="fold")
    for label, words in rows:
        table.add_row(Text(f"  {label}", "cyan"), words)
    console.print(table)


def _show_packages(console: Console) -> list[str]:
    mandatory, optional = machine.mandatory(), machine.optional()
    rows: list[tuple[str, str | Text]] = [
        ("python", f"{platform.python_version()}, {_short(Path(sys.executable))}"),
        ("platform", platform.platform()),
        ("needs", ", ".join(f"{name} {found}" for name, (found, _) in mandatory.items())),
    ]
    if there := [f"{name} {found}" for name, (found, _) in optional.items() if found]:
        rows.append(("optional", ", ".join(there)))
    for name, (found, how) in optional.items():
        if not found:
            rows.append(("not installed", Text(f"{name}: {how}", "yellow")))
    _section(console, f"gori {__version__}", rows)
    return [problem for _, problem in mandatory.values() if problem is not None]


def _show_machine(console: Console) -> None:
    from gori.model import threads

    rows: list[tuple[str, str | Text]] = [
        ("cores", machine.cores()),
        ("threads", f"{threads()} for batches; GORI_THREADS or gori.threads(n) sets it"),
        ("cpu", machine.simd()),
        ("numba layer", f"{machine.threading_layer()}; batches do not depend on it"),
        ("gpu", machine.gpu()),
    ]
    _section(console, "machine", rows)


def _show_kernels(console: Console, compile: bool, clean: bool) -> None:
    from gori.kernels.store import cache_root
    from gori.sim import devices
    from gori.sim.batch.program import folder_of_programs

    kernels = cache.all_kernels()
    if compile:
        _compile(console, kernels)
        if "cuda" in devices():
            _compile_for_gpu(console)
    cached = [name for name, kernel in kernels.items() if cache.is_cached(kernel)]
    others = [name for name in kernels if name not in cached]
    programs = cache_root() / folder_of_programs()
    current = {kernel.folder for kernel in kernels.values()} | {programs}
    rows: list[tuple[str, str | Text]] = [
        ("folder", _folder(cache_root(), current)),
        ("stale", _stale(cache_root(), current, clean)),
        ("compiled", f"{len(cached)} of {len(kernels)}"),
    ]
    if found := cache.programs_in(programs):
        rows.append(
            ("for a GPU", f"{count(len(found), 'program')} of batches, {file_size(cache.folder_size(programs))}")
        )
    if cached:
        rows.append(("", Text(", ".join(cached), "green")))
    if others and compile:
        rows.append(("not kept", Text(", ".join(others), "yellow")))
    elif others:
        rows.append(("not compiled", Text(", ".join(others), "yellow")))
        rows.append(("", "compiled on first use; to compile all of them now: gori doctor --compile"))
    _section(console, "kernels", rows)


def _compile(console: Console, kernels: dict[str, "Kernel"]) -> None:
    """Load or compile each kernel, with a bar that names it; then a line for each with its time."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = TextColumn("  {task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column()
    table.add_column(justify="right")
    started = time.perf_counter()
    others = _others(kernels)
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("", total=len(kernels))
        for name, kernel in kernels.items():
            progress.update(task, description=name.ljust(max(map(len, kernels))))
            begin = time.perf_counter()
            try:
                kernel.load()
            except Exception as error:
                raise RuntimeError(f"kernel {name} does not compile: {error}") from error
            words = "loaded" if kernel.cached else "compiled"
            table.add_row(Text(f"  {name}", "cyan"), f"{time.perf_counter() - begin:.2f} s", words)
            progress.advance(task)
    for other in others:
        other.wait()
    console.print(Text("compile", "bold"))
    console.print(table)
    console.print(Text(f"  {count(len(kernels), 'kernel')} ready in {time.perf_counter() - started:.1f} s", "green"))


def _compile_for_gpu(console: Console) -> None:
    """One step of a few particles on the GPU; its compiled code is cached by the driver, not in the kernel cache."""
    from gori.integrate import RK4
    from gori.model import compile
    from gori.sim import Simulation
    from gori.spec import Spec

    started = time.perf_counter()
    spec = Spec.model_validate({
        "materials": {"stone": {"E": 1e7, "density": 2500.0}},
        "contacts": {"stone/stone": {"restitution": 0.5, "friction": 0.5}},
        "bodies": {"ground": {"shapes": {"floor": {"type": "plane", "material": "stone"}}}},
        "particles": {"a": {"material": "stone", "radius": 0.1, "positions": [[0.0, 0.0, 0.1], [0.5, 0.0, 0.1]]}},
    })  # fmt: skip
    Simulation(compile(spec), RK4(step=1e-3), device="cuda").advance(1)
    console.print(Text(f"  particles on the GPU ready in {time.perf_counter() - started:.1f} s", "green"))


def _others(kernels: dict[str, "Kernel"]) -> list[subprocess.Popen]:
    """Other processes that compile too, one for each core but this one's, if there is much to do. Two of them begin at
    the ends of each part of the kernels, this process at its first. Each kernel is compiled by one and loaded by the
    others, as its lock has it.
    """
    to_do = sum(not cache.is_cached(kernel) for kernel in kernels.values())
    workers = min(os.cpu_count() or 1, MOST_WORKERS)
    if to_do < 4 or workers < 2 or sys.platform == "win32":
        return []
    parts, quiet, others = (workers + 1) // 2, subprocess.DEVNULL, []
    for k in range(1, workers):
        first, last = (round(end * len(kernels) / parts) for end in (k // 2, k // 2 + 1))
        work = f"""
from gori.cli.cache import all_kernels
for kernel in list(all_kernels().values())[{first}:{last}][::{-1 if k % 2 else 1}]:
    kernel.load()
"""
        others.append(subprocess.Popen([sys.executable, "-c", work], stdout=quiet, stderr=quiet))
    return others


def _folder(root: Path, current: set[Path]) -> str | Text:
    from gori.kernels.store import usable

    if not usable(root):
        return Text(f"{_short(root)} cannot be written: set GORI_CACHE to a folder that can", "yellow")
    return f"{_short(root)}, {file_size(sum(map(cache.folder_size, current)))}"


def _stale(root: Path, current: set[Path], clean: bool) -> str:
    folders = cache.stale_folders(root, current)
    if not folders:
        return "none"
    size = file_size(sum(map(cache.folder_size, folders)))
    if not clean:
        return f"{count(len(folders), 'folder')} of other sources or versions, {size}; --clean removes them"
    kept = sum(not cache.remove(folder) for folder in folders)
    removed = f"{count(len(folders) - kept, 'folder')} removed"
    return f"{removed}, {kept} in use and kept" if kept else f"{removed}, {size}"


def _short(path: Path) -> str:
    try:
        return f"~/{path.relative_to(Path.home()).as_posix()}"
    except (ValueError, RuntimeError):
        return str(path)
