"""Statics of gears by hand: a spur pair, a rack and a planetary set, what their bearings bear.

With the torque T on a wheel of pitch radius r, teeth of pressure angle a push with F = T/r along the pitch line and
F tan(a) apart. All turn at a steady speed and without gravity, so nothing else loads the bearings.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

import gori
from validation.check import Check, compare

CASE = "gears"
TORQUE, ANGLE, BOUND = 30.0, 20.0, 1e-9
PART = {"mass": 1.0, "inertia": (1e-3, 1e-3, 2e-3)}
WEIGHTLESS = {"mass": 1e-9, "inertia": (1e-12, 1e-12, 1e-12)}
"""of planets, whose mass would pull at their pins"""


def hinge(child: str, at: tuple[float, float, float] = (0.0, 0.0, 0.0), parent: str = "ground") -> dict[str, Any]:
    return {"type": "revolute", "parent": parent, "child": child, "at": at}


def solved(joints: dict, gears: dict, force: dict, motion: str, bodies: dict[str, Any]) -> gori.Recording:
    """In steady motion; the first sample is the start pose."""
    spec = gori.Spec(gravity=(0, 0, 0), bodies=bodies, joints=joints, gears=gears, forces={"load": force})
    return gori.inverse_dynamics(gori.compile(spec), np.linspace(0.0, 0.7, 8), {motion: "4*t"})


def spur_pair() -> tuple[dict[str, float], dict[str, float]]:
    """Pinion of 50 mm at the origin, wheel of 100 mm beside it on x, which the torque loads."""
    rec = solved(
        {"A": hinge("pinion"), "B": hinge("wheel", (0.15, 0, 0))},
        {"mesh": {"type": "gear", "bodies": ("pinion", "wheel"), "radii": (0.05, 0.1), "pressure_angle_deg": ANGLE}},
        {"type": "torque", "joint": "B", "value": TORQUE}, "A", {"pinion": PART, "wheel": PART},
    )  # fmt: skip
    along = TORQUE / 0.1
    apart = along * np.tan(np.radians(ANGLE))
    hand = {"A, x": apart, "A, y": along, "B, x": -apart, "B, y": -along, "drive": 0.05 * along}
    ours = {f"{joint}, {axis}": rec[f"{joint}.reaction"][-1, 3 + k] for joint in "AB" for k, axis in enumerate("xy")}
    return hand, ours | {"drive": rec["A.drive"][-1]}


def rack() -> tuple[dict[str, float], dict[str, float]]:
    """Pinion of 50 mm at the origin, the rack below it; a force on the rack, against which the pinion turns."""
    rail = {"type": "prismatic", "parent": "ground", "child": "rack", "at": (0, -0.05, 0), "axis": (1, 0, 0)}
    rec = solved(
        {"A": hinge("pinion"), "rail": rail},
        {"teeth": {"type": "rack", "bodies": ("pinion", "rack"), "radius": 0.05, "pressure_angle_deg": ANGLE}},
        {"type": "force", "joint": "rail", "value": -80.0}, "A", {"pinion": PART, "rack": PART},
    )  # fmt: skip
    apart = 80.0 * np.tan(np.radians(ANGLE))
    hand = {"A, x": 80.0, "A, y": -apart, "rail, y": apart, "rail, moment": -apart * 0.05 * 2.8, "drive": 80.0 * 0.05}
    A, guide = rec["A.reaction"][-1], rec["rail.reaction"][-1]  # the rack has moved by r 4 t, its teeth press at x = 0
    return hand, {
        "A, x": A[3],
        "A, y": A[4],
        "rail, y": guide[4],
        "rail, moment": guide[2],
        "drive": rec["A.drive"][-1],
    }


def planetary(planets: int) -> tuple[dict[str, float], dict[str, float]]:
    """Sun of 20 mm, planets of 30 mm, a ring of 80 mm that stands still; a torque on the sun holds against the arm."""
    joints, gears, bodies = {"A": hinge("arm"), "sun": hinge("sun")}, {}, {"arm": PART, "sun": PART}
    for k in range(planets):
        turn, planet = 2.0 * np.pi * k / planets, f"planet{k}"
        joints[f"pin{k}"] = hinge(planet, (0.05 * np.cos(turn), 0.05 * np.sin(turn), 0.0), "arm")
        bodies[planet] = WEIGHTLESS
        gears[f"inner{k}"] = {"type": "gear", "bodies": ("sun", planet), "carrier": "arm", "radii": (0.02, 0.03)}
        gears[f"outer{k}"] = {"type": "gear", "bodies": (planet, "ground"), "radii": (0.03, 0.08), "internal": True}
    rec = solved(joints, gears, {"type": "torque", "joint": "sun", "value": TORQUE}, "A", bodies)
    along = TORQUE / 0.02 / planets
    hand = {"arm / sun, speed": 0.2, "drive": -TORQUE * (1.0 + 80.0 / 20.0)}
    ours = {"arm / sun, speed": rec["A.v"][-1] / rec["sun.v"][-1], "drive": rec["A.drive"][-1]}
    for k in range(planets):
        hand |= {f"pin {k}": 2.0 * along, f"tooth {k}": along}
        ours[f"pin {k}"] = np.linalg.norm(rec[f"pin{k}.reaction"][-1, 3:])
        ours[f"tooth {k}"] = abs(rec[f"inner{k}.tangential"][-1])
    # one planet pushes the sun away from it; several in a ring cancel
    apart = along * np.tan(np.radians(ANGLE))
    hand["sun"] = float(np.hypot(along, apart)) if planets == 1 else 0.0
    return hand, ours | {"sun": float(np.linalg.norm(rec["sun.reaction"][-1, 3:]))}


def checks(long: bool = False) -> Iterator[Check]:
    yield compare(CASE, "spur pair [N, N m]", "gori.Trace", *spur_pair(), BOUND, source="exact")
    yield compare(CASE, "rack [N, N m]", "gori.Trace", *rack(), BOUND, source="exact")
    yield compare(CASE, "planetary, one planet [N, N m]", "gori.Trace", *planetary(1), BOUND, source="exact")
    yield compare(
        CASE, "planetary, three planets share alike [N, N m]", "gori.Trace", *planetary(3), BOUND, source="exact"
    )
