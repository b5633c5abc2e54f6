"""Loops over ranges in programs for a GPU: a turn asks once whether there is one."""

import re

from numba import types
from numba.cuda.compiler import compile_cuda

from gori.kernels.device_loops import use_plain_ranges


def total(first, last, step):
    found = 0
    for k in range(first, last, step):
        found = 10 * found + k
    return found


def made() -> str:
    """Intermediate code of `total`, as it is handed to the compiler for a GPU."""
    compiled = compile_cuda(total, types.int64, (types.int64,) * 3, cc=(9, 0), fastmath=False, nvvm_options={})
    return str(compiled.library._module)


def test_a_turn_asks_once_whether_there_is_one():
    use_plain_ranges()
    use_plain_ranges()
    text = made()
    assert text.count("br i1") == 3  # a step of zero, a range that is empty, and the loop
    left = re.findall(r"(%\S+) = icmp sgt i64 \S+, 0", text)[-1]
    assert f"br i1 {left}" not in text and re.search(r"sub nsw i64 \S+, 1", text)
