"""The table of pairs: moduli, steps, and damping that makes the restitution come out; against integrated impacts."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from gori.errors import InputError
from gori.kernels.particles import columns as t
from gori.model.particles.materials import (
    DEEPEST,
    LEAST_RESTITUTION,
    contact_time,
    damped_share,
    damping_for,
    effective_moduli,
    pair_table,
    rayleigh_step,
    restitution_of,
    smallest_radii,
    suggested_step,
    voigt_step,
)
from gori.spec import Contact, Material
from tests.spec.particles.tray import CONTACTS, LOAD, MATERIALS, tray

VOIGT = {"law": "voigt", "k_n": 1e6, "c_n": 10, "k_t": 1e5, "c_t": 1, "friction": 0.3}


def impact(KN, CN, radius, mass, speed):
    """Restitution, largest force, largest overlap and duration of a head-on impact, integrated as the law stands."""

    def force(state):
        d, v = state
        a = math.sqrt(radius * max(d, 0.0))
        return KN * a * d + CN * math.sqrt(mass * a) * v

    def ends(_, state):  # the force over the contact radius, which is signed after the contact too
        d, v = state
        return KN * d + CN * math.sqrt(mass / math.sqrt(radius * max(d, 1e-12 * depth))) * v if v < 0.0 else 1.0

    ends.terminal, ends.direction = True, -1
    depth = (1.25 * mass * speed**2 / (KN * math.sqrt(radius))) ** 0.4
    # begin when it has touched, at a depth that has taken nothing from the speed yet
    start = [1e-9 * depth, speed]
    found = solve_ivp(
        lambda _, y: [y[1], -force(y) / mass], (0.0, 1e3 * depth / speed), start, "DOP853", events=ends, rtol=1e-11,
        atol=[1e-13 * depth, 1e-13 * speed], max_step=0.01 * depth / speed if CN == 0.0 else 0.05 * depth / speed,
    )  # fmt: skip
    forces = [force(y) for y in found.y.T]
    return -found.y[1, -1] / speed, max(forces), found.y[0].max(), found.t[-1]


@pytest.mark.parametrize("e", [0.05, 0.1, 0.5, 0.9, 0.98])
@pytest.mark.parametrize("speed", [0.01, 3.9])
def test_restitution_comes_out(e, speed):
    steel = {"E": 3.8e11, "nu": 0.23, "density": 4000}
    contacts = {"grain/grain": {"restitution": e, "friction": 0.1}, "grain/steel": CONTACTS["steel/grain"]}
    _, pair_f, _ = pair_table(tray(materials=MATERIALS | {"grain": steel}, contacts=contacts))
    found = impact(pair_f[3, t.KN], pair_f[3, t.CN], 0.0025, 2.6e-4, speed)[0]
    assert found == pytest.approx(e, abs=2e-6)


def test_map_is_inverted():
    for e in (*np.linspace(LEAST_RESTITUTION, 0.999, 200), math.exp(-2.0), math.exp(-2.0) + 1e-9):
        assert restitution_of(damping_for(float(e))) == pytest.approx(e, rel=1e-11)
    assert damping_for(1.0) == 0.0 and restitution_of(0.0) == 1.0
    assert damping_for(0.0) == damping_for(LEAST_RESTITUTION) and 4.0 < damping_for(0.0) < 6.0
    # one curve: both branches meet at critical damping
    assert restitution_of(1.0) == pytest.approx(math.exp(-2.0), rel=1e-12)
    near = [restitution_of(1.0 + x) for x in (-3e-6, -0.5e-6, 0.5e-6, 3e-6)]
    slopes = np.diff(near) / [2.5e-6, 1e-6, 2.5e-6]
    assert np.ptp(slopes) < 1e-5 * abs(slopes[0])
    # the usual formula, of a contact that may pull, makes 0.550 of 0.5
    usual = math.log(2.0) / math.hypot(math.log(2.0), math.pi)
    assert restitution_of(usual) == pytest.approx(0.550, abs=5e-4)
    for bad in (-0.1, 1.1):
        with pytest.raises(InputError, match="a restitution must lie between 0 and 1"):
            damping_for(bad)
    with pytest.raises(InputError, match="must not be negative"):
        restitution_of(-1.0)


# Chung and Ooi (2011), tests 1 and 2: largest force, overlap and duration of elastic impacts
ELASTIC = [
    ((4.8e10, 0.20, 2800), 0.010, 20.0, True, (10696.9, 274.11e-6, 40.34e-6)),
    ((2.0e10, 0.25, 2500), 0.010, 20.0, True, (7108.2, 368.30e-6, 54.20e-6)),
    ((7.0e10, 0.30, 2699), 0.1, 0.2, False, (11369.9, 49.717e-6, 731.7e-6)),
    ((4.0e10, 0.35, 1800), 0.1, 0.2, False, (7232.7, 52.123e-6, 767.1e-6)),
]


@pytest.mark.parametrize(("material", "radius", "speed", "equal", "expected"), ELASTIC)
def test_elastic_impacts(material, radius, speed, equal, expected):
    E, nu, density = material
    ball = Material(E=E, nu=nu, density=density)
    E_star, _ = effective_moduli(ball, ball if equal else Material(rigid=True))
    share = 0.5 if equal else 1.0
    R, m = share * radius, share * 4.0 / 3.0 * math.pi * radius**3 * density
    force, depth, duration = impact(4.0 / 3.0 * E_star, 0.0, R, m, speed)[1:]
    assert (force, depth, duration) == pytest.approx(expected, rel=2e-4)
    assert contact_time(R, m, E_star, speed) == pytest.approx(duration, rel=1e-6)


def test_pairs():
    spec = tray(contacts=CONTACTS | {"grain/grain": CONTACTS["grain/grain"] | {"rolling_friction": 0.1}})
    names, pair_f, law = pair_table(spec)
    assert names == ("steel", "grain") and law == t.HERTZ and pair_f.shape == (4, t.N_PAIR_F)
    assert (pair_f[1] == pair_f[2]).all()  # steel/grain is grain/steel
    E, nu = 1e8, 0.25
    assert pair_f[3, t.KN] == pytest.approx(4 / 3 * E / (2 * (1 - nu**2)), rel=1e-14)
    assert pair_f[3, t.KT] == pytest.approx(8 * E / (4 * (2 - nu) * (1 + nu)), rel=1e-14)
    soft = 4 / 3 / ((1 - nu**2) / E + (1 - 0.3**2) / 2.1e11)
    assert pair_f[1, t.KN] == pytest.approx(soft, rel=1e-14)
    # damping of normal and tangential motion is of one ratio
    assert pair_f[3, t.CN] / math.sqrt(1.5 * pair_f[3, t.KN]) == pytest.approx(
        pair_f[3, t.CT] / math.sqrt(pair_f[3, t.KT]), rel=1e-14
    )
    assert pair_f[:, t.MU].tolist() == [0.0, 0.3, 0.3, 0.4]
    assert pair_f[3, t.MU_ROLL] == 0.1 and pair_f[3, t.C_ROLL] == pytest.approx(0.6 * math.sqrt(1.4 * pair_f[3, t.KT]))
    assert (pair_f[:, [t.HALF, t.ONE, t.ZERO, t.DEEP]] == [0.5, 1.0, 0.0, DEEPEST]).all()
    assert pair_f[0, t.KN] == 0.0  # walls do not meet each other


def test_voigt_and_rigid_walls():
    spec = tray(materials={"steel": {}, "grain": {"density": 7800}}, contacts=dict.fromkeys(CONTACTS, VOIGT))
    _, pair_f, law = pair_table(spec)
    assert law == t.VOIGT
    assert pair_f[3, [t.KN, t.CN, t.KT, t.CT, t.MU]].tolist() == [1e6, 10.0, 1e5, 1.0, 0.3]
    _, pair_f, _ = pair_table(tray(materials=MATERIALS | {"steel": {"rigid": True}}))
    assert pair_f[1, t.KN] == pytest.approx(2.0 * pair_f[3, t.KN], rel=1e-14)
    with pytest.raises(InputError, match="two rigid materials have no contact stiffness"):
        effective_moduli(Material(rigid=True), Material(rigid=True))


def test_steps():
    # 2 mm glass beads, by hand
    assert rayleigh_step(1e-3, 2500, 5e7, 0.25) == pytest.approx(
        math.pi * 1e-3 * math.sqrt(2500 / 2e7) / (0.1631 * 0.25 + 0.8766), rel=1e-14
    )
    spec = tray(particles={"load": LOAD | {"radius": [0.008, 0.012]}})
    whole = rayleigh_step(0.008, 2500, 1e8, 0.25)
    assert smallest_radii(spec) == {"grain": 0.008}
    assert suggested_step(spec) == pytest.approx(0.2 * whole, rel=1e-14)
    assert suggested_step(spec, {"grain": 0.004}) == pytest.approx(0.1 * whole, rel=1e-14)
    dull = spec.set("grain/grain.restitution", 0.02)
    assert suggested_step(dull) == pytest.approx(0.2 * whole * damped_share(damping_for(0.02)), rel=1e-14)
    # the limit of the leapfrog: (w dt)^2 + 4 z w dt = 4 with z = 2.4 beta
    assert damped_share(1.0) ** 2 + 4.0 * 2.4 * damped_share(1.0) == pytest.approx(4.0)
    assert damped_share(damping_for(0.45)) == 1.0 > damped_share(damping_for(0.4))
    rows = tray(particles={"load": {"material": "grain", "positions": [[0, 0, 0, 0.1], [1, 1, 1, 0.004]]}})
    assert smallest_radii(rows) == {"grain": 0.004}
    with pytest.raises(InputError, match="there are no particles"):
        suggested_step(tray(particles={}))


def test_voigt_step_is_that_of_hertz_for_the_same_stiffness():
    """Equal grains of either law, equally stiff at a typical overlap, get steps of the same size."""
    for E, nu, density, r in ((1e8, 0.25, 2500, 0.01), (2e11, 0.3, 7800, 0.001)):
        k_n = 4 / 3 * E / (2 * (1 - nu**2)) * math.sqrt(r / 2)
        contact = Contact(**VOIGT | {"k_n": k_n, "c_n": 0.0})
        ratio = voigt_step(r, density, contact) / (0.2 * rayleigh_step(r, density, E, nu))
        assert 0.9 < ratio < 1.1
        strong = Contact(**VOIGT | {"k_n": k_n, "c_n": 1e9})
        assert voigt_step(r, density, strong) < 0.01 * voigt_step(r, density, contact)
