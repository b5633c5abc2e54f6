"""Restitution that makes no energy: a rod that falls on its tip, and the share of a rebound that is left."""

import warnings

import numpy as np
import pytest

import gori
from gori.kernels.contact.impulses.rebound import add_share, keep_all, rebounds, share_without_gain, take_off_present
from gori.kernels.contact.memory import AXIS, HEAD, ROWS
from gori.spec import GROUND
from tests.plain import Plain, plain, rows

SHAPE = {"type": "capsule", "axis": [1, 0, 0], "length": 1.0, "radius": 0.01, "density": 1000.0}
SURFACE = {"material": "a", "collide": True}


@pytest.mark.parametrize(
    "work", [(-1.0, -0.5, 0.5), (-1.0, -1.5, 2.0), (-0.1, 0.6, 0.7), (0.0, -1.0, 1.0), (-2.0, -0.5, 1.0)]
)
def test_the_share_is_where_the_work_is_zero(work):
    share = plain(share_without_gain)(*work)
    parabola = np.polyfit([0.0, 0.5, 1.0], work, 2)
    assert 0.0 < share < 1.0
    assert np.polyval(parabola, share) == pytest.approx(0.0, abs=1e-12)
    assert (np.polyval(parabola, np.linspace(share, 1.0, 50)[1:]) > 0.0).all()  # no larger one


def test_nothing_is_left_where_no_rebound_gains_too():
    assert plain(share_without_gain)(0.1, 0.2, 0.3) == 0.0


def test_a_mixture_of_both_solutions():
    """Points with rolling friction, and an axis: half of what was kept, and half of what is there."""
    kept, there = ROWS.zeros(4), ROWS.zeros(4)
    rng = np.random.default_rng(0)
    kept["impulse"], there["impulse"] = rng.normal(size=(4, 3)), rng.normal(size=(4, 3))
    axes, head = AXIS.zeros(1), HEAD.zeros(1)
    axes["impulse"], head["points"] = 3.0, 2
    memory = Plain(
        head=rows(head), rows=rows(kept[:2].copy()), turns=rows(kept[2:].copy()), axes=rows(axes),
        rebound=np.zeros(16), x_rebound=np.zeros(8),
    )  # fmt: skip
    x = np.arange(8.0)
    plain(keep_all)(memory, x)
    memory.rows, memory.turns, x = rows(there[:2].copy()), rows(there[2:].copy()), np.ones(8)
    memory.axes[0].impulse = 1.0
    plain(take_off_present)(memory, x)
    plain(add_share)(memory, x, 0.5)
    mixed = [row.impulse for table in (memory.rows, memory.turns) for row in table]
    np.testing.assert_allclose(mixed, 0.5 * (kept["impulse"] + there["impulse"]), rtol=1e-14)
    assert memory.axes[0].impulse == 2.0
    np.testing.assert_allclose(x, 0.5 * (np.arange(8.0) + 1.0))


def test_which_points_shall_rebound():
    table, head = ROWS.zeros(2), HEAD.zeros(1)
    head["points"] = 2
    table["least"], table["soft_normal"] = [-0.1, 0.2], [1e-3, 0.0]  # one that parts bodies slowly, one that is apart
    assert not plain(rebounds)(Plain(head=rows(head), rows=rows(table)))
    table["least"][1] = -0.2
    assert plain(rebounds)(Plain(head=rows(head), rows=rows(table)))


@pytest.mark.parametrize("restitution", [0.9, 1.0])
def test_no_blow_of_a_rod_makes_energy(restitution):
    """Without the limit a quarter of these gains up to 38 %."""
    rng, gains = np.random.default_rng(1), []
    for _ in range(40):
        angle, friction = rng.uniform(0.1, 1.4), float(rng.choice([0.1, 0.3, 0.6, 1.0]))
        turned = np.array([[np.cos(angle), 0, -np.sin(angle)], [0, 1, 0], [np.sin(angle), 0, np.cos(angle)]])
        spin, way = rng.uniform(-15, 15), turned.T @ [rng.uniform(-10, 10), 0.0, -rng.uniform(1, 5)]
        joint = {
            "type": "free", "parent": GROUND, "child": "rod",
            "q": [np.cos(angle / 2), 0, -np.sin(angle / 2), 0, 0, 0, 0.012], "v": [0, spin, 0, *way],
        }  # fmt: skip
        spec = gori.Spec(
            gravity=[0, 0, 0], materials={"a": {"rigid": True}},
            contacts={"a/a": {"friction": friction, "restitution": restitution}},
            bodies={
                GROUND: {"shapes": {"floor": {"type": "plane"} | SURFACE}}, "rod": {"shapes": {"s": SHAPE | SURFACE}}
            },
            joints={"rod_j": joint},
        )  # fmt: skip
        simulation = gori.Simulation(gori.compile(spec), gori.TimeStepping(1e-3))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            energy = simulation.run(4e-3, sample=1e-3, progress=False)["energy.kinetic"]
        gains.append((np.diff(energy) / energy[:-1]).max())
    assert max(gains) < 1e-9
