"""Many grains together: silo, discharge, heap, spinning drum, impact. Bounds say what scatter such small cases have."""

import math
from collections.abc import Iterator

import numpy as np

from gori.model import threads
from gori.model.particles.materials import rayleigh_step
from validation.check import Check, attempt, compare, small
from validation.particles_flow import beverloo, discharge, drum, drum_spec, impact, settled
from validation.particles_rest import heap, janssen

CASE = "grains in bulk"
INTERNAL = 10.0
"""angle of internal friction of spheres with a coefficient of 0.05 [deg]; of smooth ones 5.8 (Peyneau and Roux 2008)"""


def checks(long: bool = False) -> Iterator[Check]:
    before = threads()
    threads(1)  # cases run side by side
    try:
        for work in (silo, flow, repose, paraboloid, crater):
            yield from attempt(CASE, work.__name__, lambda _, work=work: work(long))
    finally:
        threads(before)


def silo(long: bool) -> Iterator[Check]:
    """Janssen (1895): the pressure on the wall goes to a limit, p = w D / (4 mu) (1 - exp(-4 mu K z / D))."""
    found = janssen(ratio=8, filling=5.0, friction=0.15, duration=0.8)
    words = "2189 grains, 8 across, 5 D high, wall friction 0.15"
    yield compare(CASE, "silo: friction on the wall over its limit", words, 1.0, found.mobilised, 0.03, source="exact")
    yield small(CASE, "silo: wall pressure off Janssen's curve, over its limit", words, found.deviation, 0.1)
    yield compare(CASE, "silo: K, of side to vertical pressure, fitted", words, 0.8, found.K, 0.4, source="typical")
    yield compare(
        CASE, "silo: load on the bottom over that of the curve", words, 1.0, found.bottom, 0.1, source="exact"
    )


def flow(long: bool) -> Iterator[Check]:
    """Beverloo et al. (1961): W = C rho_b sqrt(g) (D - k d)^2.5, C about 0.58, k about 1.4."""
    holes = (5.0, 6.0, 7.0, 8.0)
    # one filling tells a flow to 2 %, and so the exponent to 0.07: three of them
    flows = np.mean([[discharge(hole, 2500, duration=0.8, seed=seed) for hole in holes] for seed in range(3)], axis=0)
    exponent, k = beverloo(holes, flows)
    words = "2500 grains, holes of 5 to 8 across, three fillings"
    yield compare(CASE, "discharge: exponent of D - 1.4 d", words, 2.5, exponent, 0.25, source="published")
    yield compare(CASE, "discharge: k, where W^0.4 is zero", words, 1.4, k, 0.6, source="published")
    expected = 0.58 * 0.58 * 2500.0 * math.sqrt(9.81) * ((7.0 - 1.4) * 4e-3) ** 2.5
    yield compare(
        CASE, "discharge: flow at 7 across [kg/s]", words, expected, flows[2], 0.2, relative=True, source="published"
    )


def repose(long: bool) -> Iterator[Check]:
    """A heap of spheres that may roll is flat; resistance to rolling makes it steep."""
    smooth, rough = (math.degrees(heap(0.5, rolling).angle) for rolling in (0.0, 0.2))
    words = "700 grains, friction 0.5"
    yield compare(CASE, "heap: angle without rolling friction [deg]", words, 10.0, smooth, 5.0, source="typical")
    yield compare(CASE, "heap: angle with rolling friction 0.2 [deg]", words, 20.0, rough, 5.0, source="typical")
    yield compare(
        CASE, "heap: by how much rolling friction raises it [deg]", words, 10.0, rough - smooth, 5.0, source="typical"
    )


def paraboloid(long: bool) -> Iterator[Check]:
    """The surface of grains that spin with a drum, within the angle of internal friction of z = (w r)^2 / 2 g."""
    cases = [(3137, 0.05, 0.004, 10.0 * math.sqrt(2.0), 5e5)]
    if long:
        cases.append((25100, 0.10, 0.004, 10.0, 1e6))
    for count, R, d, spin, E in cases:
        found = drum(drum_spec(count, R, d, spin, E=E), R, spin, 2.0)
        words = f"{count} grains of {1e3 * d:g} mm, R {1e3 * R:g} mm, {spin:.4g} rad/s"
        off = float(np.degrees(np.abs(found.slope - found.exact_slope)).max())
        yield small(CASE, "drum: slope off the paraboloid's [deg]", words, off, INTERNAL)
        # slopes that are off by nine degrees one way, all along, leave the surface 0.08 R off at its ends
        high = float(np.abs(found.height - found.paraboloid).max()) / R
        yield small(CASE, "drum: height off the paraboloid's, over the radius", words, high, 0.08)
        by_volume, mean = 1e3 * found.by_volume, 1e3 * found.mean
        yield compare(
            CASE,
            "drum: mean height, out of the volume [mm]",
            words,
            by_volume,
            mean,
            0.05,
            relative=True,
            source="exact",
        )
        yield compare(
            CASE, "drum: spin of the grains over the drum's", words, 1.0, found.together, 0.02, source="exact"
        )


def crater(long: bool) -> Iterator[Check]:
    """Dosta et al. (2024): the height of the ball with a step and with half of it, over how deep it went."""
    count, d, duration = (25000, 0.002, 0.02) if long else (4000, 0.004, 0.02)
    size = (0.1, 0.06)
    rows = settled(count, d, size, 1e7, 0.4)
    step = 0.2 * rayleigh_step(d / 2, 2500.0, 1e9, 0.2)
    coarse, fine = (impact(rows, size, dt, duration) for dt in (step, step / 2.0))
    there = np.interp(fine.time, coarse.time, coarse.height)
    words = f"{count} grains of {1e3 * d:g} mm, {1e6 * step:.2g} us and half of it"
    # on its way down, as long as there are many grains between the ball and the floor: how it comes back from there is
    # a matter of the last few
    down = np.cumprod(fine.height > 0.3 * fine.bed) > 0
    off = float(np.abs(there - fine.height)[down].max() / (fine.bed - fine.height.min()))
    yield small(CASE, "impact: height of the ball on its way down, over its depth", words, off, 0.01, source="own run")
