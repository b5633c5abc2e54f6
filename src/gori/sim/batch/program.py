"""Compiled programs for the machines of a batch: on a GPU, kept on disk like the kernels of the CPU.

A Program has a few kernels, whose arguments are whole numbers and float64 alone: addresses, counts, the step. The same
sources compile for the host, where a loop takes the place of the threads: that is how they are tested without a GPU.
"""

import hashlib
import json
import re
import warnings
from collections.abc import Callable
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import numba
from numba import types

from gori.integrate import TimeStepping
from gori.integrate.batch.many import steps_of_many
from gori.kernels.batch.copies import choose_set, put_image, put_numbers, take_image
from gori.kernels.batch.members import Members, Tree, members_at, read_byte, structure_of
from gori.kernels.batch.regions import Regions
from gori.kernels.device_functions import link_once
from gori.kernels.device_loops import use_plain_ranges
from gori.kernels.jit import part
from gori.kernels.sources import hash_of_all
from gori.kernels.store import cache_root, cache_roots, read_whole, usable, write_whole
from gori.kernels.vehicle.start import start_one

WHOLE: Any = types.int64
NUMBER: Any = types.float64
SIGNATURES = {
    "advance": (WHOLE, WHOLE, WHOLE, NUMBER),  # words, machines, steps, h
    "choose_set": (WHOLE, WHOLE, WHOLE, WHOLE, WHOLE),  # sets, given, many, mask, machines
    "put_image": (WHOLE, WHOLE, WHOLE, WHOLE),  # table, arrays, mask, machines
    "put_numbers": (WHOLE, WHOLE, WHOLE, WHOLE, WHOLE, WHOLE),  # table, numbers, values, sets, mask, machines
    "start_vehicles": (WHOLE, WHOLE, WHOLE, NUMBER),  # words, mask, machines, h
    "take_image": (WHOLE, WHOLE, WHOLE, WHOLE),  # table, arrays, machines, machine
}
"""arguments of the kernels"""
BLOCK = {
    "advance": 64, "choose_set": 128, "put_image": 128, "put_numbers": 128, "start_vehicles": 64, "take_image": 128,
}  # fmt: skip
"""threads of a block; `put_image` has one block for each machine"""
TOGETHER = 256
"""threads of a block that wait for each other"""
SUFFIX = ".cubin"


class ProgramSource(NamedTuple):
    """What a program is made from.

    tree      members of one machine: machine, data, memory, many, y, before
    step      of the method
    name      of the method
    turning   turns of angles of cuts are counted
    starting  forces of the ground on vehicles are found anew where they stand: without that, `start_vehicles` does
              nothing, and takes no time to compile
    foreign   it works in the memory of another program
    """

    tree: Tree
    step: Any
    name: str
    turning: bool
    starting: bool = False
    foreign: bool = False

    @property
    def sized(self) -> bool:
        """Whether sizes and places of arrays are constants of the code, which serves machines of these sizes alone:
        those with loops and vehicles, whose steps are long. One program serves all trees.
        """
        machine = self.tree["machine"]
        return not self.foreign and any(machine.get(name) is not None for name in ("closed", "vehicle"))

    @property
    def called(self) -> bool:
        """Whether large functions with several callers are called: those of contact, which take minutes to compile
        otherwise. For other machines all are inlined: calls would take a quarter of the speed of vehicles, and
        three quarters of that of loops.
        """
        return self.name == TimeStepping.kind

    @property
    def together(self) -> bool:
        """Whether the threads of a block wait for each other after each step. The steps of vehicles are longer than the
        memory of a multiprocessor for instructions: warps that are at the same place read them once for all.
        """
        return self.tree["machine"].get("vehicle") is not None

    @property
    def blocks(self) -> dict[str, int]:
        """Threads of a block of each kernel."""
        return BLOCK | {"advance": TOGETHER} if self.together else BLOCK

    def key(self, target: str) -> str:
        """All that the compiled program depends on."""
        parts = [
            hash_of_all(),
            Path(__file__).read_text(),
            self.name,
            str(self.turning),
            str(self.starting),
            structure_of(self.tree, self.sized),
            str((self.called, self.together, self.sized)),
            target,
        ]
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:24]


class Used(NamedTuple):
    """Members that the steps of a program need, by path, and where it has put them, if it has."""

    paths: frozenset[str]
    regions: Regions | None


class Program(NamedTuple):
    """Kernels by name, each to be called with its arguments."""

    kernels: dict[str, Callable[..., None]]
    used: Used


class Room:
    """What the functions of a program that is being compiled find out about its members."""

    def __init__(self, source: ProgramSource, type_of_function: Callable[[Any], Any]):
        self._source, self._type_of, self._paths = source, type_of_function, set[str]()
        self._regions = Regions() if source.sized else None

    def members(self) -> Any:
        """For one function: members(words, machines, t)."""
        return members_at(Members(self._source.tree, self._type_of, self._paths, regions=self._regions))

    def use(self, *paths: str) -> None:
        """These members are needed."""
        self._paths.update(paths)

    def used(self) -> Used:
        """So far."""
        return Used(frozenset(self._paths), self._regions)


# ---- on the host


_on_host: dict[str, Program] = {}


def on_host(source: ProgramSource) -> Program:
    """The program with a loop in place of the threads; compiled once in a process."""
    key = source.key("host")
    if key not in _on_host:
        _on_host[key] = _compiled_on_host(source)
    return _on_host[key]


def _compiled_on_host(source: ProgramSource) -> Program:
    room = Room(source, numba.typeof)
    advance_one, begin_one = _advance_one(source, room), _start_one(source, room)

    def over_machines(function: Any, count: int) -> Any:
        """function(arguments, t) for all machines; count: of its arguments after which `machines` stands."""
        numbers = ", ".join(f"a{k}" for k in range(count))
        text = f"def loop({numbers}, machines):\n    for t in range(machines):\n        function({numbers}, t)\n"
        return _from_text(text, "loop", function=function)

    jitted = {name: numba.njit(error_model="numpy", nogil=True) for name in SIGNATURES}

    @jitted["advance"]
    def advance(words, machines, steps, h):
        for t in range(machines):
            advance_one(words, machines, t, steps, h)

    @jitted["start_vehicles"]
    def start(words, mask, machines, h):
        for t in range(machines):
            begin_one(words, mask, machines, t, h)

    @jitted["put_image"]
    def put(table, arrays, mask, machines):
        for t in range(machines):
            put_image(table, arrays, mask, machines, t, 0, 1)

    @jitted["take_image"]
    def take(table, arrays, machines, machine):
        take_image(table, arrays, machines, machine, 0, 1)

    kernels = {
        "advance": advance, "take_image": take, "put_image": put, "start_vehicles": start,
        "choose_set": jitted["choose_set"](over_machines(choose_set, 4)),
        "put_numbers": jitted["put_numbers"](over_machines(put_numbers, 5)),
    }  # fmt: skip
    advance.compile(SIGNATURES["advance"])
    start.compile(SIGNATURES["start_vehicles"])
    return Program(kernels, room.used())


# ---- on a GPU


class Binary(NamedTuple):
    """The machine code of one kernel for a GPU, and its symbol there."""

    symbol: str
    code: bytes


def folder_of_programs() -> str:
    """Folder of programs that are compiled from these sources, named like those of kernels: others are stale."""
    return hashlib.sha256(f"{hash_of_all()} {Path(__file__).read_text()}".encode()).hexdigest()[:16]


def on_gpu(source: ProgramSource, capability: tuple[int, int]) -> tuple[dict[str, Binary], Used]:
    """Binaries of the kernels by name, from the cache or compiled, and the members that they use."""
    name = source.key(f"{capability} {version('numba-cuda')}") + SUFFIX
    for root in cache_roots():
        path = root / folder_of_programs() / name
        if path.is_file():
            try:
                return _unpacked(read_whole(path))
            except (OSError, ValueError):
                continue
    from numba.cuda.descriptor import cuda_target

    room = Room(source, cuda_target.typing_context.resolve_value_type)
    found = {
        kernel: _binary(function, kernel, capability, source.blocks[kernel])
        for kernel, function in _gpu_kernels(source, room).items()
    }
    if usable(cache_root()):
        _keep(cache_root() / folder_of_programs() / name, _packed(found, room.used()))
    return found, room.used()


def _gpu_kernels(source: ProgramSource, room: Room) -> dict[str, Any]:
    """Functions of the threads."""
    from numba import cuda
    from numba.cuda.descriptor import cuda_target

    use_plain_ranges()
    type_of: Any = cuda_target.typing_context.resolve_value_type
    advance_one, begin_one = _advance_one(source, room), _start_one(source, room)
    for function, name in ((advance_one, "advance"), (begin_one, "start_vehicles")) if source.called else ():
        first, second, third, h = SIGNATURES[name]
        link_once(type_of(function).dispatcher.compile_device((first, second, third, WHOLE, h)).library)
    grid: Any = cuda.grid
    size: Any = cuda.gridsize
    width = BLOCK["put_image"]

    def advance(words, machines, steps, h):
        t = grid(1)
        if t < machines:
            advance_one(words, machines, t, steps, h)

    wait: Any = cuda.syncthreads

    def advance_together(words, machines, steps, h):
        t = grid(1)
        for _ in range(steps):
            if t < machines:
                advance_one(words, machines, t, 1, h)
            wait()

    def put(table, arrays, mask, machines):
        k = grid(1)
        if k < machines * width:
            put_image(table, arrays, mask, machines, k // width, k % width, width)

    def put_own(table, numbers, values, sets, mask, machines):
        t = grid(1)
        if t < machines:
            put_numbers(table, numbers, values, sets, mask, t)

    def choose(sets, given, many, mask, machines):
        t = grid(1)
        if t < machines:
            choose_set(sets, given, many, mask, t)

    def start(words, mask, machines, h):
        t = grid(1)
        if t < machines:
            begin_one(words, mask, machines, t, h)

    def take(table, arrays, machines, machine):
        take_image(table, arrays, machines, machine, grid(1), size(1))

    return {
        "advance": advance_together if source.together else advance, "choose_set": choose, "put_image": put,
        "put_numbers": put_own, "start_vehicles": start, "take_image": take,
    }  # fmt: skip


def _binary(function: Any, name: str, capability: tuple[int, int], block: int) -> Binary:
    from cuda.core import Program as Compiler  # type: ignore[import-not-found]  # comes with numba-cuda
    from cuda.core import ProgramOptions

    code = ptx_of(function, name, capability, block)
    options = ProgramOptions(arch=f"sm_{capability[0]}{capability[1]}", name=name, split_compile=0)  # in threads
    symbol = re.findall(r"\.entry\s+(\w+)", code)[0]
    return Binary(symbol, bytes(Compiler(code, "ptx", options=options).compile("cubin").code))


def ptx_of(function: Any, name: str, capability: tuple[int, int], block: int) -> str:
    """Its portable code."""
    from numba import cuda

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", numba.NumbaWarning)
        code, _ = cuda.compile(  # pyright: ignore[reportPrivateImportUsage]
            function, types.void(*SIGNATURES[name]), device=False, abi="numba", cc=capability, output="ptx",
            launch_bounds=block,
        )  # fmt: skip
    return code if isinstance(code, str) else code.decode()


# ---- both


def _advance_one(source: ProgramSource, room: Room) -> Any:
    """Steps of machine t."""
    members = room.members()
    steps_of_one = steps_of_many(source.step, source.turning)

    @part
    def advance_one(words, machines, t, steps, h):
        own = members(words, machines, t)
        steps_of_one(own.machine, own.data, own.memory, own.many, own.y, own.before, steps, h)

    return advance_one


def _start_one(source: ProgramSource, room: Room) -> Any:
    """Vehicles of machine t start where they stand, if its byte of the mask is set."""
    if not source.starting:

        @part
        def start_nothing(words, mask, machines, t, h):
            pass

        return start_nothing

    members = room.members()

    @part
    def start_one_of_many(words, mask, machines, t, h):
        if read_byte(mask + t) != 0:
            own = members(words, machines, t)
            many = own.many[0]
            many.code = start_one(own.machine, own.data, many.start_time + many.steps_done * h, own.y)

    return start_one_of_many


def _from_text(text: str, name: str, **space: Any) -> Any:
    exec(compile(text, f"<{name}>", "exec"), space)
    return space[name]


def _packed(binaries: dict[str, Binary], used: Used) -> bytes:
    kernels = [[name, binary.symbol, len(binary.code)] for name, binary in binaries.items()]
    regions = None if used.regions is None else asdict(used.regions)
    head = json.dumps({"used": sorted(used.paths), "regions": regions, "kernels": kernels}).encode()
    return len(head).to_bytes(8, "little") + head + b"".join(binary.code for binary in binaries.values())


def _unpacked(content: bytes) -> tuple[dict[str, Binary], Used]:
    size = int.from_bytes(content[:8], "little")
    head, at, found = json.loads(content[8 : 8 + size]), 8 + size, {}
    for name, symbol, length in head["kernels"]:
        found[name] = Binary(symbol, content[at : at + length])
        at += length
    regions = None if head["regions"] is None else Regions(**head["regions"])
    return found, Used(frozenset(head["used"]), regions)


def _keep(path: Path, content: bytes) -> None:
    try:
        write_whole(path, content)
    except OSError as error:
        warnings.warn(f"compiled kernels cannot be kept in {path.parent}: {error.strerror or error}", stacklevel=2)
