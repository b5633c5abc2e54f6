"""A rattleback and a tippe top, whose spin is decided by rolling and sliding friction, against their own equations."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import gori
from tests.reference.tops import Rattleback, TippeTop
from tests.sim.contact.impact_machines import STEEL, machine

EXACT = gori.Dopri5(rtol=1e-9, atol=1e-11)


def axes_of(record):
    """Rotation matrices of the body (n, 3, 3)."""
    return Rotation.from_quat(record.q[:, [1, 2, 3, 0]]).as_matrix()


@pytest.mark.parametrize("spin", [-5.0, 5.0])
def test_a_rattleback_reverses_in_one_direction_alone(spin):
    """Kane and Levinson (1982): rolling without slip, so friction is high; -5 rad/s turns into 5 rad/s, +5 stays."""
    twin, tilt = Rattleback(), 0.01
    shape = {"type": "ellipsoid", "radii": twin.axes.tolist(), **STEEL}
    J = [twin.J[0, 0], twin.J[1, 1], twin.J[2, 2], twin.J[0, 1], 0.0, 0.0]
    body = {"mass": twin.mass, "com": [0, 0, -twin.depth], "inertia": J, "shapes": {"hull": shape}}
    model = machine({"stone": body}, {"fly": {"type": "free", "parent": "ground", "child": "stone"}}, 2.0, 0.0)
    arm = np.array([0.0, 0.0, -twin.depth]) + twin.contact(np.array([0.0, np.sin(tilt), np.cos(tilt)]))[0]
    position = -Rotation.from_rotvec([tilt, 0.0, 0.0]).as_matrix() @ arm  # the point of contact is the origin
    w = np.array([0.0, 0.0, spin])
    turn = [np.cos(tilt / 2), np.sin(tilt / 2), 0.0, 0.0]
    start = model.state(q=[*turn, *position], v=[*w, *-np.cross(w, arm)])
    record = gori.Simulation(model, EXACT, state=start, impacts=True).run(8.0, sample=0.02, progress=False)
    time, up, w = twin.run(8.0, spin, tilt, len(record.time))
    np.testing.assert_allclose(record.time, time, atol=1e-9)
    np.testing.assert_allclose(axes_of(record)[:, 2], up, atol=1e-5)
    np.testing.assert_allclose(record.v[:, :3], w, atol=1e-3)  # 3e-4 where it rattles with 10 rad/s
    spins = np.sum(axes_of(record)[:, 2] * record.v[:, :3], axis=1)
    assert (spins[-1] > 4.9) if spin < 0.0 else (spins.min() > 4.5)
    assert np.ptp(record["energy.total"]) < 1e-6 * 0.5 * twin.J[2, 2] * spin**2
    assert not record.info["impacts"]


def test_a_tippe_top_stands_up_on_its_head():
    """Coulomb friction that slides all the time: once it sticks, nothing turns it over (Cohen 1977; Or 1994).

    It starts with a precession at which gyroscopic moments balance, so that slip has a steady direction.
    """
    twin, tilt, rate, duration = TippeTop(mu=0.1, slow=1e-4), 0.5, 120.0, 1.7
    body = {"mass": twin.m, "com": [0, 0, -twin.a], "inertia": [twin.I1, twin.I1, twin.I3]}
    body |= {"shapes": {"hull": {"type": "sphere", "radius": twin.R, **STEEL}}}
    model = machine({"top": body}, {"fly": {"type": "free", "parent": "ground", "child": "top"}}, twin.mu, 0.0)
    axis = np.array([np.sin(tilt), 0.0, np.cos(tilt)])
    w = rate * ([0.0, 0.0, 1.0] - np.cos(tilt) * axis) + twin.I1 / twin.I3 * rate * np.cos(tilt) * axis
    back = Rotation.from_rotvec([0.0, -tilt, 0.0])
    v = [*back.apply(w), *back.apply(np.cross(w, twin.a * axis))]  # the centre of mass is at rest
    start = model.state(q=[np.cos(tilt / 2), 0.0, np.sin(tilt / 2), 0.0, 0.0, 0.0, twin.R], v=v)
    record = gori.Simulation(model, EXACT, state=start, impacts=True).run(duration, sample=0.01, progress=False)
    _, found, spins, _ = twin.run_from(duration, axis, w, len(record.time))
    R = axes_of(record)
    np.testing.assert_allclose(R[:, :, 2], found, atol=2e-3)
    np.testing.assert_allclose(np.einsum("nij,nj->ni", R, record.v[:, :3]), spins, atol=2e-3 * rate)
    assert R[0, 2, 2] > 0.87 and R[-1, 2, 2] < -0.9
    assert np.diff(record["energy.total"]).max() < 1e-9
    jellett = [twin.jellett(one[:, 2], one @ w) for one, w in zip(R, record.v[:, :3])]
    assert np.ptp(jellett) < 1e-6 * jellett[0]
