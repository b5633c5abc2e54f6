"""A program for a GPU, made of functions that call each other: what is handed over of it."""

import llvmlite.binding as llvm
from llvmlite import ir
from numba.cuda.codegen import CUDACodeLibrary

from gori.kernels.device_functions import LARGE, link_once

NUMBER = ir.DoubleType()
KIND = ir.FunctionType(NUMBER, [NUMBER])


def compiled(name: str, size: int, *called: CUDACodeLibrary) -> CUDACodeLibrary:
    """A function of one number, to be inlined, that calls others; linked with them, as numba-cuda leaves it.

    size   number of its instructions besides the calls
    """
    module = ir.Module(name)
    function = ir.Function(module, KIND, name)
    function.attributes.add("alwaysinline")
    builder, (x,) = ir.IRBuilder(function.append_basic_block()), function.args
    library = CUDACodeLibrary(None, name)
    for other in called:
        callee = module.globals.get(other.name) or ir.Function(module, KIND, other.name)
        x = builder.call(callee, [x])
        library.add_linking_library(other)
    for _ in range(size):
        x = builder.fadd(x, x)
    builder.ret(x)
    library.add_ir_module(module)
    library.finalize()
    return library


def program() -> tuple[CUDACodeLibrary, CUDACodeLibrary]:
    """step -> first, second, small twice; first -> shared; second -> shared, alone; shared -> small. And `shared`."""
    small = compiled("small", 3)
    shared = compiled("shared", LARGE + 1, small)
    second = compiled("second", 5, shared, compiled("alone", LARGE + 1))
    return compiled("step", 5, compiled("first", 5, shared), second, small, small), shared


def handed_over(library: CUDACodeLibrary) -> list[str]:
    """Modules for a kernel that calls the function of the library, without its own."""
    kernel = compiled("kernel", 1, library)
    return [str(module) for module in kernel.modules[1:]]


def definitions(texts: list[str]) -> dict[str, str]:
    """First line of each function; each is there once."""
    lines = [line for text in texts for line in text.splitlines() if line.startswith("define")]
    found = {line.partition('@"')[2].partition('"')[0]: line for line in lines}
    assert len(found) == len(lines)
    return found


def test_each_function_is_linked_once_after_a_caller():
    step, _ = program()
    assert sum('define linkonce_odr double @"shared"' in text for text in handed_over(step)) == 2
    link_once(step)
    names = list(definitions(handed_over(step)))
    assert names[0] == "step" and set(names) == {"step", "first", "second", "small", "shared", "alone"}
    assert names.index("first") < names.index("shared") and names.index("second") < names.index("alone")


def test_what_is_large_and_called_from_several_places_is_not_inlined():
    step, _ = program()
    link_once(step)
    found = definitions(handed_over(step))
    assert "noinline" in found["shared"] and "alwaysinline" not in found["shared"]
    for name in ("small", "alone", "first"):
        assert "alwaysinline" in found[name] and "noinline" not in found[name]


def test_the_program_is_whole():
    step, _ = program()
    link_once(step)
    first, *others = (llvm.parse_assembly(text) for text in handed_over(step))
    for other in others:
        first.link_in(other)
    first.verify()
    assert not [function.name for function in first.functions if function.is_declaration]


def test_functions_are_left_for_other_programs_as_they_were():
    step, shared = program()
    before = shared.get_llvm_str()
    link_once(step)
    assert shared.get_llvm_str() == before
    other = compiled("other", 1, shared)
    link_once(other)
    assert "alwaysinline" in definitions(handed_over(other))["shared"]


def test_the_order_is_the_same_each_time():
    orders = set()
    for _ in range(5):
        parts = [compiled(name, 1) for name in "dacb"]
        step = compiled("step", 1, *parts)
        link_once(step)
        orders.add("".join(definitions(handed_over(step))))
    assert orders == {"stepabcd"}
