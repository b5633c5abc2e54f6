"""Laws of forces as functions: machines with them are as Simulations with the same functions, on both engines."""

import math

import numba
import numpy as np
import pytest

import gori
from gori.errors import InputError, UnsupportedError
from gori.sim.batch.derivatives import step_jacobian
from gori.sim.batch.laws import LawForce, Laws
from tests.sim.batch.machines import H, four_bar, on_host, pendulum, speeds

__all__ = ["on_host"]
STRENGTH, REACH = "forces.magnet.strength", "forces.magnet.reach"


def magnet(t, q, v, tau, strength, reach=0.5):
    tau[0] -= strength * math.sin(q[0]) / (reach + q[0] * q[0])
    tau[1] += 0.1 * strength * t


def drag(t, q, v, tau):
    for k in range(v.shape[0]):
        tau[k] -= 0.2 * v[k] * abs(v[k])


def breaks(t, q, v, tau, limit):
    if t > limit:
        raise ValueError("no pressure in the cylinder")


def alone(model, v, steps, strength, reach=0.5, method=None) -> gori.Simulation:
    """A Simulation with the same laws."""

    @numba.njit
    def both(t, q, v, tau):
        tau[0] -= strength * math.sin(q[0]) / (reach + q[0] * q[0])
        tau[1] += 0.1 * strength * t
        for k in range(v.shape[0]):
            tau[k] -= 0.2 * v[k] * abs(v[k])

    run = gori.Simulation(model, method or gori.SemiImplicit(step=H), forces=both, state=model.state().replace(v=v))
    run.step(steps)
    return run


@pytest.mark.parametrize("device", ["cpu", "cuda"])
@pytest.mark.parametrize("make", [pendulum, four_bar])
def test_machines_with_laws_are_as_simulations(make, device, on_host):
    model, strength = make(), np.linspace(0.0, 2.0, 40)
    batch, v = gori.batch(
        model, 40, gori.SemiImplicit(step=H), forces=[magnet, drag], parameters={STRENGTH: strength}, device=device,
        workers=2,
    ), speeds(model, 40)  # fmt: skip
    batch.v[:] = v
    batch.step(60)
    assert not batch.failed.any() and batch.laws == ("magnet", "drag")
    for k in (0, 21, 39):
        run = alone(model, v[k], 60, strength[k])
        assert np.abs(batch.q[k] - run.q).max() < (1e-15 if device == "cpu" else 1e-12)
        assert batch.work[k] == pytest.approx(run.stepper.work, abs=1e-13) and abs(batch.work[k]) > 1e-4
    assert np.abs(np.diff(batch.q[:, 0])).min() > 0.0


def test_implicit_methods_take_laws():
    model, method = pendulum(), gori.ImplicitEuler(step=H)
    batch = gori.batch(model, 3, method, forces=[magnet, drag], parameters={STRENGTH: 1.5})
    batch.step(30)
    run = alone(model, model.v0, 30, 1.5, method=method)
    assert np.array_equal(batch.q[2], run.q)


@pytest.mark.parametrize("device", ["cpu", "cuda"])
def test_parameters_are_inputs(device, on_host):
    batch = gori.batch(
        pendulum(), 3, forces={"pull": magnet}, parameters={"forces.pull.strength": [1.0, 2.0, 3.0]}, device=device
    )
    assert list(batch.inputs) == ["twist", "hold", "pull.strength", "pull.reach"]
    assert np.array_equal(batch.inputs["pull.strength"], [1.0, 2.0, 3.0])
    assert np.array_equal(batch.inputs["pull.reach"], [0.5] * 3)
    batch.inputs["pull.strength"] = [3.0, 2.0, 1.0]
    batch.q[:] = 0.5
    batch.step(20)
    assert batch.q[0, 0] < batch.q[1, 0] < batch.q[2, 0]
    batch.reset([0])
    assert np.array_equal(batch.inputs["pull.strength"], [1.0, 2.0, 1.0])
    batch.inputs["pull.strength"][1] = np.nan
    batch.step(1)
    assert batch.failed.tolist() == [False, True, False] and "pull.strength" in batch.failures()[1]


@pytest.mark.parametrize("device", ["cpu", "cuda"])
def test_parameters_may_be_expressions_and_tables(device, on_host):
    given = {STRENGTH: [[0.0, 0.0], [0.05, 2.0]], REACH: "0.5 + 0.1*upper.x"}
    batch = gori.batch(pendulum(), 2, forces=magnet, parameters=given, device=device)
    assert list(batch.inputs) == ["twist", "hold"]
    batch.q[:] = 0.4
    batch.step(30)

    @numba.njit
    def same(t, q, v, tau):
        strength, reach = 40.0 * t, 0.5
        tau[0] -= strength * math.sin(q[0]) / (reach + q[0] * q[0])
        tau[1] += 0.1 * strength * t

    run = gori.Simulation(pendulum(), gori.SemiImplicit(step=1e-3), forces=same)
    run.state = run.state.replace(q=np.full(2, 0.4))
    run.step(30)
    assert np.abs(batch.q[1] - run.q).max() < 1e-14  # the origin of the upper body does not move


def test_laws_and_parameters_of_the_spec_by_sets():
    """Sets of parameters are those of both."""
    given = {STRENGTH: np.arange(4.0), "bodies.lower.mass": np.linspace(1.0, 2.0, 4)}
    batch = gori.batch(pendulum(), 2, gori.SemiImplicit(step=H), forces=magnet, parameters=given)
    batch.assign([3, 2])
    batch.reset()
    assert batch.sets == 4 and batch.inputs["magnet.strength"].tolist() == [3.0, 2.0]
    assert batch.spec(0).bodies["lower"].mass == 2.0
    assert batch.state(0).model == gori.compile(batch.spec(0)).fingerprint


def test_an_exception_stops_its_machine(tmp_path):
    batch = gori.batch(pendulum(), 3, forces=breaks, parameters={"forces.breaks.limit": [1.0, 0.0105, 1.0]})
    batch.step(20)
    assert batch.failed.tolist() == [False, True, False] and batch.time == pytest.approx([0.02, 0.011, 0.02])
    assert "t = 0.011 s: ValueError: no pressure in the cylinder" in batch.failures()[1]
    batch.inputs["breaks.limit"][0] = 0.0
    batch.step(1)
    assert "t = 0.02 s: ValueError" in batch.failures()[0]
    batch.save(tmp_path / "b.npz")
    batch.reset()
    batch.load(tmp_path / "b.npz")
    assert batch.failed.tolist() == [True, True, False]


def test_files_know_their_laws(tmp_path):
    given = {STRENGTH: 1.0}
    batch = gori.batch(pendulum(), 2, forces=magnet, parameters=given)
    batch.save(tmp_path / "b.npz")
    gori.batch(pendulum(), 2, forces=magnet, parameters=given).load(tmp_path / "b.npz")
    for forces in (drag, None, {"magnet": drag}):
        with pytest.raises(gori.errors.FileError, match="of another batch"):
            gori.batch(pendulum(), 2, forces=forces).load(tmp_path / "b.npz")


@pytest.mark.parametrize(
    "forces, given, words",
    [
        (magnet, {}, r"law 'magnet' needs a value for 'strength': give parameters=\{'forces.magnet.strength'"),
        (magnet, {STRENGTH: 1.0, "forces.magnet.strenght": 1.0}, "no parameter 'magnet.strenght'.*magnet.strength"),
        (magnet, {STRENGTH: np.nan}, "'magnet.strength' of a law must be a finite number"),
        (magnet, {STRENGTH: np.ones((2, 2))}, "'magnet.strength' of a law must be"),
        (magnet, {STRENGTH: [1.0, 2.0]}, "parameters are given for 2 machines, and the batch has 3"),
        (magnet, {STRENGTH: "1 + nobody.q"}, "forces.magnet.strength.*nobody"),
        ([drag, drag], {}, "two laws have the name 'drag'"),
        ({"a b": drag}, {}, "a name that Python would take, not 'a b'"),
        ({"twist": drag}, {}, "law 'twist' has the name of a force"),
        (3, {}, "forces must be functions, not 3"),
        (math.sin, {}, "must be a function of Python"),
        (lambda t, q, v: v, {}, "must have a name that Python would take"),
        ({"f": lambda t, q, v: v}, {}, r"law 'f' must be a function of t, q, v, tau"),
        ({"f": lambda t, q, v, tau=1: None}, {}, "'tau' has no default"),
        ({"f": lambda t, q, v, *tau: None}, {}, "must be a function of t, q, v, tau"),
    ],
)
def test_what_is_no_law(forces, given, words):
    with pytest.raises(InputError, match=words):
        gori.batch(pendulum(), 3, forces=forces, parameters=given)


def test_a_gpu_raises_nothing(on_host):
    with pytest.raises(UnsupportedError, match=r"law 'breaks' raises exceptions.*raise ValueError"):
        gori.batch(pendulum(), 2, forces=breaks, parameters={"forces.breaks.limit": 1.0}, device="cuda")


def test_derivatives_do_not_know_laws():
    with pytest.raises(UnsupportedError, match=r"laws of forces as functions \(drag\)"):
        step_jacobian(gori.batch(pendulum(), 2, forces=drag))


def test_one_law_alone():
    model = pendulum()
    laws = Laws(magnet, {STRENGTH: 2.0, "bodies.lower.mass": 1.0})
    model = laws.model(model)
    assert laws.others({STRENGTH: 2.0, "bodies.lower.mass": 1.0}) == {"bodies.lower.mass": 1.0}
    force = laws.force(model, False)
    assert isinstance(force, LawForce) and force.address and not laws.numbers(model)
    run = gori.Simulation(model, gori.SemiImplicit(step=H), forces=force)
    force.stand(run.stepper)
    tau = np.zeros(2)
    magnet(0.0, np.array([0.3, 0.0]), np.zeros(2), tau, 2.0)
    assert np.array_equal(force.values(0.0, np.array([0.3, 0.0]), np.zeros(2))["magnet"], tau)
    names = [device_name(model, forces) for forces in (magnet, magnet, {"magnet": _other()})]
    assert names[0] == names[1] != names[2]
    assert Laws(None, {}).force(model, False) is None and Laws(None, {}).digest == ""


def device_name(model: gori.Model, forces) -> str:
    """Name of the function in programs for a GPU, by which their keys differ."""
    made = Laws(forces, {STRENGTH: 2.0}).force(model, True)
    assert made is not None
    return made.device_function.__name__


def _other():
    def magnet(t, q, v, tau, strength, reach=0.5):
        tau[0] -= strength * math.cos(q[0])

    return magnet
