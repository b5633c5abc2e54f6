"""Resets of a batch on a GPU, run on the host: launches alone, with masks and sets that are on the device."""

from functools import partial

import numpy as np
import pytest

import gori
from gori.errors import InputError
from gori.sim.batch.cuda import CudaMachines
from gori.sim.batch.devices import Host
from gori.sim.batch.resident import MachineImage, SetNumbers, uploaded
from gori.sim.batch.varied import Numbers
from tests.sim.batch.machines import H, arm, pendulum, speeds

METHOD = gori.SemiImplicit(step=H)


class OnGpu:
    """An array as PyTorch and CuPy have them."""

    def __init__(self, array: np.ndarray):
        self.array = array
        data = (array.ctypes.data, False)
        self.__cuda_array_interface__ = {"shape": array.shape, "typestr": array.dtype.str, "data": data}


@pytest.fixture
def transfers(monkeypatch):
    """The engine runs on the host; sizes of what is taken, uploaded and downloaded are noted."""
    monkeypatch.setattr(CudaMachines, "accelerator", Host)
    noted = []
    for name in ("take", "upload", "download", "synchronise"):
        before = getattr(Host, name)

        def noting(self, *arguments, before=before, name=name):
            noted.append(name)
            return before(self, *arguments)

        monkeypatch.setattr(Host, name, noting)
    return noted


def test_an_image_and_numbers_of_sets_are_put_into_machines_of_a_mask():
    machines = CudaMachines(partial(made, arm()), 4, 1, (), Host)
    device, members, memory = machines._device, machines._members, machines._memory
    image = MachineImage(device, members, memory)
    machines.simulation.stepper.y[:] = 7.0
    image.take_over()
    mask = uploaded(device, np.array([0, 1, 1, 0], np.uint8))
    y = machines.array("y")
    y[:] = 1.0
    image.put(members.moving, mask.address, 4)
    assert (y[[1, 2]] == 7.0).all() and (y[[0, 3]] == 1.0).all()
    numbers = Numbers("y", np.array([2, 0]), np.arange(6.0).reshape(2, 3))
    sets = uploaded(device, np.array([0, 2, 1, 0]))
    SetNumbers(device, members, memory, [numbers]).put(sets.address, mask.address, 4)
    assert y[:, 2].tolist() == [1.0, 2.0, 1.0, 1.0] and y[:, 0].tolist() == [1.0, 5.0, 4.0, 1.0]


def made(model: gori.Model) -> gori.Simulation:
    run = gori.Simulation(model, METHOD)
    run.stepper.plan_steps(1)
    return run


def test_a_reset_by_a_mask_on_the_device_is_launches_alone(transfers):
    model, v = arm(), speeds(arm(), 3)
    batch, mask = gori.batch(model, 3, METHOD, device="cuda"), np.zeros(3, np.uint8)
    batch.v[:] = v
    batch.step(20)
    transfers.clear()
    mask[1] = 1
    batch.reset(OnGpu(mask))
    batch.step(5)
    assert transfers == []
    assert batch.time == pytest.approx([25 * H, 5 * H, 25 * H])
    run = gori.Simulation(model, METHOD)
    run.step(5)
    assert np.abs(batch.q[1] - run.q).max() < 1e-12 and np.abs(batch.q[0] - run.q).max() > 1e-3


def test_sets_on_the_device_are_put_by_launches_alone(transfers):
    model, n = pendulum(), 3
    values = {"bodies.lower.mass": np.linspace(0.5, 2.0, 7), "forces.twist.value": np.linspace(-1.0, 1.0, 7)}
    batch = gori.batch(model, n, METHOD, parameters=values, device="cuda")
    transfers.clear()
    batch.assign(OnGpu(np.array([6, 3, 99])), OnGpu(np.array([1, 1, 1], np.uint8)))
    batch.reset(OnGpu(np.array([1, 1, 1], np.uint8)))
    batch.step(50)
    assert transfers == []
    assert batch._set.tolist() == [6, 3, 2]  # there is no set 99
    cpu = gori.batch(model, n, METHOD, parameters=values)
    cpu.assign([6, 3, 2])
    cpu.reset()
    cpu.step(50)
    assert np.abs(batch.q - cpu.q).max() < 1e-12
    assert np.array_equal(batch.inputs["twist"], values["forces.twist.value"][[6, 3, 2]])
    batch.assign(np.array([0, 1, 2]), [1])
    assert batch._set.tolist() == [6, 1, 2]
    with pytest.raises(InputError, match="numbers from 0 to 6"):
        batch.assign(np.array([0, 7, 2]))
    for wrong in (np.zeros(2, np.int64), np.zeros(3, np.int32)):
        with pytest.raises(InputError, match="of int64, and contiguous"):
            batch.assign(OnGpu(wrong))


def test_a_stream_is_that_of_the_caller(transfers):
    batch = gori.batch(arm(), 2, METHOD, device="cuda")
    assert batch.stream == 0
    batch.stream = 1234
    assert batch.stream == 1234
    batch.stream = None
    assert batch.stream == 0
