"""Mechanisms in a plane, turned by a motor at constant speed: one turn, with all reactions."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from gori.analysis import inverse_dynamics
from gori.model import compile
from gori.record import Recording
from gori.spec import Body, Joint, Spec
from gori.web.serve.play.example import Example, Parameter

SAMPLES = 181
"""of one turn"""
STEEL = 7800.0


def _bar(length: float, radius: float, **other: Any) -> dict[str, Any]:
    return {"type": "capsule", "length": length, "radius": radius, **other}


def four_bar(p: Mapping[str, float]) -> Recording:
    """A crank turns, a rocker swings, and a point of the coupler draws a curve."""
    radius = 0.02
    lengths = {"crank": p["crank"], "coupler": p["coupler"], "rocker": p["rocker"]}
    spec = Spec(
        gravity=(0, -9.81, 0),
        bodies={
            name: Body(shapes={"bar": _bar(length, radius, density=STEEL * p["density"])})
            for name, length in lengths.items()
        },
        joints={
            "A": Joint(type="revolute", parent="ground", child="crank", q=1.0),
            "B": Joint(type="revolute", parent="crank", child="coupler", at=(p["crank"], 0, 0)),
            "C": Joint(
                type="revolute",
                parent="coupler",
                child="rocker",
                at=(p["coupler"], 0, 0),
                child_at=(p["rocker"], 0, 0),
            ),
            "D": Joint(type="revolute", parent="ground", child="rocker", at=(p["ground"], 0, 0), guess_deg=100),
        },
        frames={"P": {"body": "coupler", "at": (0.5 * p["coupler"], 0.3 * p["coupler"], 0)}},
        motions={"motor": {"joint": "A", "value": f"1.0 + {2 * np.pi * p['speed']}*t"}},
    )
    return inverse_dynamics(compile(spec), np.linspace(0.0, 1.0 / p["speed"], SAMPLES), progress=False)


def slider_crank(p: Mapping[str, float]) -> Recording:
    """A crank, a rod, and a piston that slides along x."""
    crank, rod = p["crank"], p["rod"]
    across = p["rod_mass"] * rod**2 / 12.0
    spec = Spec(
        gravity=(0, 0, -9.81),
        bodies={
            "crank": Body(mass=0.5, inertia=(1e-3, 1e-3, 1e-3), shapes={"bar": _bar(crank, 0.012)}),
            "rod": Body(
                mass=p["rod_mass"],
                com=(rod / 2, 0, 0),
                inertia=(1e-4, across, across),
                shapes={"bar": _bar(rod, 0.009)},
            ),
            "piston": Body(
                mass=p["piston_mass"],
                inertia=(1e-3, 1e-3, 1e-3),
                shapes={"block": {"type": "box", "size": (0.07, 0.06, 0.06)}},
            ),
        },
        joints={
            "shaft": Joint(type="revolute", parent="ground", child="crank", axis=(0, -1, 0), q=0.7),
            "slide": Joint(type="prismatic", parent="ground", child="piston", axis=(1, 0, 0), guess=crank + 0.9 * rod),
            "pin": Joint(type="revolute", parent="crank", child="rod", at=(crank, 0, 0), axis=(0, -1, 0), guess=-0.9),
            "wrist": Joint(type="revolute", parent="rod", child="piston", at=(rod, 0, 0), axis=(0, -1, 0)),
        },
        motions={"motor": {"joint": "shaft", "value": f"0.7 + {2 * np.pi * p['speed']}*t"}},
    )
    return inverse_dynamics(compile(spec), np.linspace(0.0, 1.0 / p["speed"], SAMPLES), progress=False)


def quick_return(p: Mapping[str, float]) -> Recording:
    """A shaper: slow while it cuts, quick on the way back."""
    crank, rocker, coupler, pivot, rail, start = p["crank"], p["rocker"], p["coupler"], -2.0, 1.2, 3.2
    x, y = crank * np.cos(start), crank * np.sin(start) - pivot
    angle = np.arctan2(y, x)

    def body(mass: float, moment: float, length: float = 0.0) -> Body:
        shape = (
            _bar(abs(length), 0.06, axis=(np.sign(length), 0, 0))
            if length
            else {"type": "box", "size": (0.5, 0.3, 0.3)}
        )
        return Body(mass=mass, com=(length / 2, 0, 0), inertia=(moment, moment, moment), shapes={"bar": shape})

    joints = {
        "drive_shaft": {"type": "revolute", "parent": "ground", "child": "crank", "q": start},
        "foot": {"type": "revolute", "parent": "ground", "child": "rocker", "at": (0, pivot, 0), "guess": angle},
        "rail": {
            "type": "prismatic",
            "axis": (1, 0, 0),
            "parent": "ground",
            "child": "slider",
            "at": (0, rail, 0),
            "guess": rocker * np.cos(angle) - coupler,
        },
        "pin": {"type": "revolute", "parent": "crank", "child": "block", "at": (crank, 0, 0)},
        "slot": {"type": "prismatic", "axis": (1, 0, 0), "parent": "block", "child": "rocker"},
        "tip": {"type": "revolute", "parent": "rocker", "child": "coupler", "at": (rocker, 0, 0), "guess": -angle},
        "wrist": {"type": "revolute", "parent": "coupler", "child": "slider", "at": (-coupler, 0, 0)},
    }
    spec = Spec(
        gravity=(0, -9.81, 0),
        bodies={
            "crank": body(1000.0, 2000.0, crank),
            "block": body(5.0, 0.5),
            "rocker": body(100.0, 100.0, rocker),
            "coupler": body(30.0, 10.0, -coupler),
            "slider": body(p["tool_mass"], 1.5),
        },
        joints={name: Joint(**joint) for name, joint in joints.items()},
        forces={
            "tool": {"type": "wrench", "body": "slider", "force": (f"{1e3 * p['cut']}*(rail.v < 0)", 0, 0)},
        },
        motions={"motor": {"joint": "drive_shaft", "value": f"{start} + {2 * np.pi * p['speed']}*t"}},
    )
    return inverse_dynamics(compile(spec), np.linspace(0.0, 1.0 / p["speed"], SAMPLES), progress=False)


def scissor_lift(p: Mapping[str, float]) -> Recording:
    """Two stages of crossed bars, lifted by a ram that pulls the foot inwards."""
    bar, half = p["bar"], 0.5 * p["bar"]
    low, high = 0.45 * bar, 0.92 * bar
    moment = p["bar_mass"] * bar**2 / 12.0
    slant = float(np.arccos(high / bar))
    stick = Body(mass=p["bar_mass"], inertia=(1e-2, moment, moment), shapes={"bar": _bar(bar, 0.03, at=(-half, 0, 0))})
    across = (0, -1, 0)

    def pin(parent: str, child: str, at: float = 0.0, child_at: float = 0.0, **guess: float) -> Joint:
        ends = {"at": (at, 0, 0), "child_at": (child_at, 0, 0)}
        return Joint(type="revolute", parent=parent, child=child, axis=across, **ends, **guess)

    floor = {"type": "box", "at": (half, 0, 0.05), "size": (bar, 0.5 * bar, 0.05)}
    spec = Spec(
        bodies={
            "foot": Body(mass=5.0, shapes={"wheel": {"type": "sphere", "radius": 0.05}}),
            **dict.fromkeys(("a1", "b1", "a2", "b2"), stick),
            "roller": Body(mass=5.0, shapes={"wheel": {"type": "sphere", "radius": 0.05}}),
            "platform": Body(mass=p["load"], com=(half, 0, 0.1), inertia=(1, 1, 1), shapes={"floor": floor}),
        },
        joints={
            "ram": Joint(type="prismatic", parent="ground", child="foot", axis=(1, 0, 0), q=high),
            "hinge": pin("ground", "a1", child_at=-half, guess=slant),
            "heel": pin("foot", "b1", child_at=half),
            "middle1": pin("a1", "b1", guess=-2 * slant),
            "left1": pin("b1", "a2", at=-half, child_at=-half, guess=2 * slant),
            "right1": pin("a1", "b2", at=half, child_at=half),
            "middle2": pin("a2", "b2", guess=-2 * slant),
            "top": pin("b2", "platform", at=-half, guess=slant),
            "track": Joint(type="prismatic", parent="platform", child="roller", axis=(1, 0, 0), guess=high),
            "wrist": pin("a2", "roller", at=half),
        },
        motions={
            "lift": {"joint": "ram", "value": f"{(low + high) / 2} + {(high - low) / 2}*cos({2 * np.pi / p['time']}*t)"}
        },
    )
    return inverse_dynamics(compile(spec), np.linspace(0.0, p["time"], SAMPLES), progress=False)


PLANAR = (
    Example(
        "four-bar",
        "Four-bar linkage",
        "A crank-rocker: which curve does the coupler draw, and what do the joints bear?",
        (
            Parameter("ground", "frame", 0.3, 0.9, 0.6, "m"),
            Parameter("crank", "crank", 0.05, 0.35, 0.2, "m"),
            Parameter("coupler", "coupler", 0.3, 0.9, 0.5, "m"),
            Parameter("rocker", "rocker", 0.25, 0.8, 0.4, "m"),
            Parameter("speed", "speed", 0.2, 5.0, 1.0, "1/s"),
            Parameter("density", "density, of steel", 0.1, 2.0, 1.0),
        ),
        four_bar,
        ("motor.drive", "A.reaction", "D.q", "P.y"),
        ("P",),
    ),
    Example(
        "slider-crank",
        "Slider-crank",
        "An engine without gas: torque and bearing loads that come from inertia alone.",
        (
            Parameter("crank", "crank", 0.03, 0.12, 0.08, "m"),
            Parameter("rod", "rod", 0.18, 0.5, 0.3, "m"),
            Parameter("rod_mass", "mass of the rod", 0.05, 2.0, 0.5, "kg"),
            Parameter("piston_mass", "mass of the piston", 0.1, 5.0, 2.0, "kg"),
            Parameter("speed", "speed", 0.5, 50.0, 10.0, "1/s"),
        ),
        slider_crank,
        ("motor.drive", "slide.q", "slide.a", "shaft.reaction"),
        ("rod",),
    ),
    Example(
        "quick-return",
        "Quick return",
        "A shaper: slow while it cuts, quick on the way back.",
        (
            Parameter("crank", "crank", 0.8, 1.7, 1.5, "m"),
            Parameter("rocker", "rocker", 3.7, 4.4, 4.0, "m"),
            Parameter("coupler", "coupler", 1.2, 3.0, 1.5, "m"),
            Parameter("tool_mass", "mass of the tool", 10.0, 500.0, 50.0, "kg"),
            Parameter("cut", "cutting force", 0.0, 300.0, 200.0, "kN"),
            Parameter("speed", "speed", 0.1, 2.0, 0.7, "1/s"),
        ),
        quick_return,
        ("rail.q", "rail.v", "motor.drive", "foot.reaction"),
        (),
    ),
    Example(
        "scissor-lift",
        "Scissor lift",
        "The force of the ram grows without bound as the lift lies down.",
        (
            Parameter("bar", "length of a bar", 0.6, 2.0, 1.0, "m"),
            Parameter("load", "load", 20.0, 1000.0, 200.0, "kg"),
            Parameter("bar_mass", "mass of a bar", 2.0, 50.0, 12.0, "kg"),
            Parameter("time", "time up and down", 2.0, 20.0, 8.0, "s"),
        ),
        scissor_lift,
        ("lift.drive", "platform.z", "hinge.reaction"),
        (),
    ),
)
