"""Device functions of a GPU program: each is linked once, and large ones are called.

A program for a GPU is compiled from the intermediate code of a function and of all that it calls. Left to itself,
numba-cuda hands a function over again for each path of calls that leads to it, and every `@part` is inlined at each of
its calls. After `link_once` each function is there once, and what is LARGE and called from several places stays a
function: code grows no more with the number of its callers.

To be used on what a kernel calls, before the kernel is compiled:

    function = cuda_target.typing_context.resolve_value_type(part).dispatcher
    link_once(function.compile_device(argument_types).library)

Functions themselves are left as they are, so that a program does not depend on those compiled before it.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

from llvmlite import ir

LARGE = 400
"""instructions before optimisation. For a step of a vehicle 200 and 400 took 45 s to compile, 1000 took 113 s"""


class _Text(NamedTuple):
    """A module as it is handed over; no functions are left to change."""

    text: str
    functions: tuple[()] = ()

    def __str__(self) -> str:
        return self.text


class _Texts(NamedTuple):
    """Modules, in the place of the libraries from which they come."""

    modules: tuple[_Text, ...]
    linking_libraries: tuple[()] = ()


def link_once(library: Any, large: int = LARGE) -> None:
    """Link the library of a compiled device function anew.

    library   a CUDACodeLibrary
    large     instructions from which on a function with several callers is called
    """
    own, *others = _modules(library, {}).values()
    functions = [function for module in (own, *others) for function in module.functions]
    calls = Counter(name for function in functions for name in _called(function))
    called = {function.name for function in functions if calls[function.name] > 1 and _size(function) > large}
    library._linking_libraries = {_Texts(tuple(_Text(_text(module, called)) for module in others))}


def _modules(library: Any, found: dict[int, ir.Module]) -> dict[int, ir.Module]:
    """Those of a library and of all that it is linked with, by id.

    Callers first, since what no module before it has called is left out; otherwise by name, since libraries stand in
    sets, in another order in each process.
    """
    if id(library) not in found:
        found[id(library)] = library._module
        for linked in sorted(library._linking_libraries, key=_name):
            _modules(linked, found)
    return found


def _name(library: Any) -> str:
    """Of its function."""
    return next(function.name for function in library._module.functions if _size(function) > 0)


def _size(function: ir.Function) -> int:
    """Its instructions; none of a function that is only declared."""
    return sum(len(block.instructions) for block in function.blocks)


def _called(function: ir.Function) -> Iterator[str]:
    """What it calls, by name, once for each place."""
    for block in function.blocks:
        for instruction in block.instructions:
            if isinstance(instruction, ir.CallInstr):
                yield getattr(instruction.callee, "name", "")


def _text(module: ir.Module, called: set[str]) -> str:
    """The module with these of its functions marked as never to be inlined."""
    marked = [function for function in module.functions if function.name in called and _size(function) > 0]
    inlined = [function for function in marked if "alwaysinline" in function.attributes]
    for function in marked:
        function.attributes.discard("alwaysinline")
        function.attributes.add("noinline")
    text = str(module)
    for function in marked:
        function.attributes.discard("noinline")
    for function in inlined:
        function.attributes.add("alwaysinline")
    return text
