"""Numbers of machines as float32: how far machines come from those in float64, and what is refused."""

import numpy as np
import pytest

import gori
from gori.errors import FileError, InputError, UnsupportedError
from gori.kernels.batch.members import APART, SHARED, TILED, Laid
from gori.sim.batch.precision import in_single, is_single, may_be_single
from tests.sim.batch.machines import H, arm, balls, four_bar, on_host, pendulum, speeds

__all__ = ["on_host"]


def batch_of(precision, count=4, **options):
    batch = gori.batch(arm(), count, gori.SemiImplicit(step=H), device="cuda", precision=precision, **options)
    batch.v[:] = speeds(arm(), count)
    return batch


def test_errors_and_memory(on_host):
    one, other = batch_of("float64"), batch_of("float32")
    assert other.bytes_per_machine < 0.6 * one.bytes_per_machine
    assert other.q.dtype == other.v.dtype == other.work.dtype == np.float64
    for steps, bound in ((1, 1e-8), (99, 1e-6)):
        one.step(steps)
        other.step(steps)
        difference = np.abs(other.v - one.v).max()
        assert 1e-12 < difference < bound and not other.failed.any()
    assert np.array_equal(one.time, other.time)


def test_single_machines_come_and_go(on_host, tmp_path):
    batch = batch_of("float32", 3)
    batch.step(10)
    state, q = batch.state(1), batch.q[1].copy()
    assert np.array_equal(state.q, q)
    batch.save(tmp_path / "b.npz")
    batch.step(10)
    end = batch.q.copy()
    batch.reset([0, 2], state)
    assert np.array_equal(batch.q[0], q) and np.array_equal(batch.q[2], q) and np.array_equal(batch.q[1], end[1])
    batch.load(tmp_path / "b.npz")
    batch.step(10)
    assert np.array_equal(batch.q, end)
    with pytest.raises(FileError, match="of another batch"):
        batch_of("float64", 3).load(tmp_path / "b.npz")


def test_parameters_are_stored_so_too(on_host):
    given = {"bodies.lower.mass": np.linspace(0.5, 2.0, 5), "forces.twist.value": np.linspace(0.0, 1.0, 5)}
    ends = []
    for precision in ("float64", "float32"):
        batch = gori.batch(
            pendulum(), 5, gori.SemiImplicit(step=H), device="cuda", precision=precision, parameters=given
        )
        batch.step(50)
        assert batch.inputs["twist"].dtype == np.float64
        ends.append(batch.q.copy())
    assert 0.0 < np.abs(ends[0] - ends[1]).max() < 1e-7 and np.abs(np.diff(ends[0][:, 0])).min() > 1e-5


@pytest.mark.parametrize(
    "make, device, words",
    [
        (arm, "cpu", "not there on a CPU"),
        (four_bar, "cuda", "not there for closed loops .*C"),
        (balls, "cuda", "not there for contact between bodies"),
    ],
)
def test_what_is_refused(make, device, words):
    with pytest.raises(UnsupportedError, match=words):
        is_single("float32", make(), device)
    assert is_single("float64", make(), device) is False


def test_other_words():
    with pytest.raises(InputError, match="must be 'float64' or 'float32', not 'half'"):
        is_single("half", arm(), "cuda")


def test_which_members():
    side, apart = Laid(np.zeros(3), TILED), Laid(np.zeros(3), APART)
    whole = Laid(np.zeros(3, np.int64), TILED)
    tree = in_single(
        {"data": {"body_w": side, "values": side}, "machine": {"body_f": side, "body_i": whole}, "y": side}
    )
    assert tree["data"]["body_w"].single and tree["machine"]["body_f"].single
    assert not (tree["data"]["values"].single or tree["machine"]["body_i"].single or tree["y"].single)
    assert not may_be_single("machine.body_n", apart) and not may_be_single("machine.x", Laid(np.zeros(3), SHARED))
    single = tree["data"]["body_w"]
    assert (single.nbytes, single.words, single.stored) == (12, 3, np.float32) and side.nbytes == 24
