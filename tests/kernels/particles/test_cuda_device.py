"""Building blocks of the CPU for a GPU: with all that they call, each once."""

from types import SimpleNamespace

import numpy as np
from numba.cuda.dispatcher import CUDADispatcher

from gori.kernels.particles import columns as c
from gori.kernels.particles import cuda_device as kernel
from gori.kernels.particles import law, wall_contacts
from tests.kernels.particles.device import on_host, settings


def test_a_building_block_takes_its_callees_along():
    contact = kernel.on_device(law.contact)
    assert isinstance(contact, CUDADispatcher) and contact.py_func.__code__ is law.contact.py_func.__code__
    assert kernel.on_device(law.contact) is contact  # once
    scope = contact.py_func.__globals__
    assert scope["turned"] is kernel.on_device(law.turned) and isinstance(scope["larger"], CUDADispatcher)
    assert law.contact.py_func.__globals__["turned"] is law.turned  # that of the CPU is as it was
    inner = kernel.on_device(wall_contacts.gap_to).py_func.__globals__["nearest"].py_func.__globals__
    assert isinstance(inner["to_facet"], CUDADispatcher)


def test_what_does_not_change_within_a_sub_step():
    g = SimpleNamespace(settings=settings(count=9, law=c.VOIGT, materials=2, history=8, step=1e-5))
    step = on_host(kernel.sub_step)(g, 1, 0)
    assert (step.n, step.now, step.lists, step.law, step.materials, step.rolls) == (9, 1, 0, c.VOIGT, 2, True)
    assert step.dt == np.float32(1e-5) and isinstance(step.dt, np.float32)
    assert not on_host(kernel.sub_step)(SimpleNamespace(settings=settings(history=4)), 0, 0).rolls
