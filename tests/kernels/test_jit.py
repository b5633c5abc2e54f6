"""Entry points: one signature each, no allocation, and a cache that follows the sources."""

import importlib
import pkgutil
import re
import threading
from collections import namedtuple

import numba
import numpy as np
import pytest
from numba.core.runtime import _nrt_python, rtsys

import gori.kernels
from gori.cli.cache import all_kernels
from gori.kernels import jit, sources
from tests.checks import machine, states, take
from tests.model.test_identities import ANSWERS

for module in pkgutil.walk_packages(gori.kernels.__path__, "gori.kernels."):
    if not module.name.rpartition(".")[2].startswith("cuda"):
        importlib.import_module(module.name)


def test_all_entry_points_are_listed():
    declared = 0
    for folder in (sources.ROOT / name for name in sources.PACKAGES):
        for file in folder.rglob("*.py"):
            declared += len(re.findall(r"^@kernel\(", file.read_text(), re.MULTILINE))
    own = [one for one in all_kernels().values() if one.dispatcher.py_func.__module__.startswith("gori.")]
    assert declared == len(own) >= 25


@pytest.mark.parametrize("name", all_kernels())
def test_one_signature(name):
    entry = jit.KERNELS[name]
    entry.load()
    assert len(entry.dispatcher.signatures) == 1
    assert entry.call is entry.dispatcher
    # arrays of another type are refused: they would compile a second version in silence
    with pytest.raises(TypeError):
        entry(*(np.zeros((1, 1), np.float32) for _ in entry.dispatcher.signatures[0]))
    assert len(entry.dispatcher.signatures) == 1


@pytest.mark.parametrize("count", [1, 40])
def test_no_allocation(count, monkeypatch):
    """Numba's runtime counts nothing, not even a record for each array that is passed in."""
    _nrt_python.memsys_enable_stats()
    model, tree = machine(2)
    batch = states(tree, count)
    extra = {}

    def counted(name, entry):
        entry.load()
        real = entry.dispatcher

        def call(*args):
            before = rtsys.get_allocation_stats()
            result = real(*args)
            after = rtsys.get_allocation_stats()
            extra[name] = after.mi_alloc - before.mi_alloc, after.alloc - before.alloc
            return result

        return call

    for name, entry in jit.KERNELS.items():
        monkeypatch.setattr(entry, "call", counted(name, entry))
    for ask in ANSWERS.values():
        ask(model, batch)
        ask(model, take(batch, 0))
    assert extra == dict.fromkeys(extra, (0, 0))
    asked = {name for name, entry in jit.KERNELS.items() if _in_model(entry)}
    assert asked == set(extra)


def _in_model(entry):
    """Whether a kernel is one of the Model's: of the tree."""
    return entry.dispatcher.py_func.__module__.startswith("gori.kernels.tree.")


def test_allocation_would_be_seen():
    """The counter of the test above does count."""
    import numba

    _nrt_python.memsys_enable_stats()
    allocates = numba.njit("f8(f8[::1])")(lambda x: np.zeros(3 + len(x)).sum())
    before = rtsys.get_allocation_stats()
    allocates(np.zeros(2))
    assert rtsys.get_allocation_stats().mi_alloc - before.mi_alloc == 2


# ---- loading


def test_two_threads_may_load_one_kernel():
    """The first call of a large batch does just this."""
    for _ in range(5):
        source = jit.KERNELS["difference_batch"]
        fresh = jit.kernel(source.signature)(source.dispatcher.py_func)
        try:
            start, problems = threading.Barrier(2), []

            def load(entry=fresh, start=start, problems=problems):
                start.wait()
                try:
                    entry.load()
                except RuntimeError as error:
                    problems.append(error)

            threads = [threading.Thread(target=load) for _ in range(2)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        finally:
            jit.KERNELS["difference_batch"] = source
        assert not problems
        assert len(fresh.dispatcher.signatures) == 1


def test_a_function_in_the_place_of_an_address():
    """As on a GPU, where no address of the host means anything."""
    Members = namedtuple("Members", "closed vehicle")

    @numba.njit
    def add(members, x, what):
        x[0] += what
        return 7

    @numba.njit
    def calls(x):
        members = Members(add, None)
        code = 0
        if jit.present(members.closed):
            code += jit.call_at(members.closed, members, x, 1)
            code += jit.call_at(members.closed, members, x, 2)
        if jit.present(members.vehicle):
            code += jit.call_at(members.vehicle, members, x, 4)
        return code

    x = np.zeros(1)
    assert calls(x) == 14
    assert x[0] == 3.0
    assert len(add.signatures) == 1  # numbers as such do not make it compile again
