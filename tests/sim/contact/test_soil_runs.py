"""Bodies that fall onto soft soil and slide on it: they come to rest, gain nothing, and leave ruts that are kept."""

import numpy as np
import pytest

import gori
from gori import Simulation
from gori.errors import UnsupportedError
from gori.integrate import RK4, Dopri5, SemiImplicit
from tests.kernels.contact.test_soil import KC, KPHI, SIZE, N, sled

SAND = gori.soil("lete_sand")


def start(model, height, v=(0, 0, 0, 0, 0, 0), pose=(1, 0, 0, 0)):
    return model.state(q=[*pose, -0.4, 0, height], v=list(v))


def depths(model, state):
    """Rut depths [m], (ny, nx)."""
    from gori.model.vehicle.soil import rut_depths

    return rut_depths(model.spec.terrain.soft, state.vehicle)


@pytest.mark.parametrize("pose", [(1, 0, 0, 0), (0.85, 0.3, 0.4, 0.1)], ids=["flat", "on a corner"])
@pytest.mark.parametrize("method", [SemiImplicit(step=5e-4), RK4(step=5e-4)], ids=["semi_implicit", "rk4"])
def test_a_dropped_box_comes_to_rest_and_gains_nothing(pose, method):
    pose = np.array(pose) / np.linalg.norm(pose)
    model = gori.compile(sled(cell=0.04, friction=0.5))
    simulation = Simulation(model, method, state=start(model, 0.6, pose=pose))
    rec = simulation.run(4.0, sample=0.01)
    energy = np.array([sum(model.energy(q, v)) for q, v in zip(rec.q, rec.v)])
    weight = 50.0 * 9.81
    # what soil gives back is less than a tenth of the way down; potential energy is counted from z = 0
    lowest = np.minimum.accumulate(energy)
    back = 0.5 * np.ptp(rec.q[:, 6]) * 0.1 * weight
    assert (energy - lowest).max() < 0.02 * weight * 0.5 + back
    assert energy[-1] < energy[0] and np.abs(rec.v[-20:]).max() < (5e-3 if pose[0] == 1.0 else 0.15)
    assert depths(model, simulation.state).max() > 0.003
    assert abs(rec["sled.contact"][-1][2] - weight) < 0.1 * weight


def test_a_box_that_is_let_down_slowly_sinks_as_bekker_says():
    """Its weight grows from nothing in 4 s, as gravity does: z = (m g / A / (kc / b + kphi))^(1 / n)."""
    weight = {"type": "wrench", "body": "sled", "force": [0, 0, "-1962 * min(1, t / 4)"]}
    model = gori.compile(sled(cell=0.02, mass=200.0, gravity=[0, 0, 0], forces={"weight": weight}))
    simulation = Simulation(model, SemiImplicit(step=1e-3), state=start(model, 0.05))
    rec = simulation.run(5.0, sample=0.01)
    z = (1962.0 / 0.08 / (KC / SIZE[1] + KPHI)) ** (1.0 / N)
    assert 0.05 - rec.q[-1, 6] == pytest.approx(z, rel=0.01)


def test_a_box_that_slides_scrapes_a_rut_and_stops():
    model = gori.compile(sled(cell=0.04, soil=SAND, friction=0.5))
    simulation = Simulation(model, SemiImplicit(step=5e-4), state=start(model, 0.05, v=(0, 0, 0, 1.5, 0, 0)))
    rec = simulation.run(1.5, sample=0.01)
    way = rec.q[-1, 4] - rec.q[0, 4]
    assert 0.5 * 1.5**2 / (0.9 * 9.81) < way < 1.5**2 / (2.0 * 0.3 * 9.81)
    rut = depths(model, simulation.state)
    trace = rut[25, int((1.0 - 0.4 - 0.1) / 0.04) : int((1.0 - 0.4 + way + 0.1) / 0.04)]
    assert trace.min() > 1e-5 and rut[40:].max() == 0.0 and abs(rec.v[-1, 3]) < 0.01


def test_ruts_are_kept_bit_for_bit():
    def run(seconds, state=None):
        model = gori.compile(sled(cell=0.05, soil=SAND))
        state = start(model, 0.08, v=(0, 0, 0, 1, 0.3, 0)) if state is None else state
        simulation = Simulation(model, SemiImplicit(step=1e-3), state=state)
        simulation.run(seconds)
        return simulation.state

    whole, halves = run(0.2).arrays(), run(0.1, run(0.1)).arrays()
    assert whole.keys() == halves.keys() and len(whole["vehicle/cells"]) > 10
    for name in whole.keys() - {"clock/first_step"}:
        assert whole[name].tobytes() == halves[name].tobytes(), name


def test_a_box_in_the_trace_of_another_sinks_no_further():
    model = gori.compile(sled(cell=0.04))
    first = Simulation(model, SemiImplicit(step=5e-4), state=start(model, 0.3))
    first.run(1.0)
    rut = depths(model, first.state)
    again = Simulation(
        model, SemiImplicit(step=5e-4), state=first.state.replace(q=[1, 0, 0, 0, -0.4, 0, 0.05], v=np.zeros(6))
    )
    again.run(1.0)
    deeper = depths(model, again.state) - rut
    assert rut.max() > 0.005 and np.abs(deeper).max() < 0.05 * rut.max()
    assert again.q[6] < 0.05 - 0.9 * rut.max()


def test_methods_that_control_their_step_are_refused():
    with pytest.raises(UnsupportedError, match="vehicles"):
        Simulation(gori.compile(sled()), Dopri5())
