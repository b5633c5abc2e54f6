"""Machines in space, and grains: a platform on six legs, a governor, a tray of gravel."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from gori.analysis import inverse_dynamics
from gori.integrate import RK4
from gori.model import compile
from gori.record import Recording
from gori.sim import Simulation
from gori.spec import Body, Joint, Spec
from gori.web.serve.play.example import Example, Parameter

LEGS = 6


def _circle(radius: float, degrees: float) -> np.ndarray:
    return radius * np.array([np.cos(np.radians(degrees)), np.sin(np.radians(degrees)), 0.0])


def stewart(p: Mapping[str, float]) -> Recording:
    """A platform on six legs that moves as wanted: lengths and forces of the legs follow."""
    height = p["height"]
    base = [_circle(p["base"], 120 * (k // 2) + (15 if k % 2 == 0 else -15)) for k in range(LEGS)]
    top = [_circle(p["top"], 120 * (k // 2) + (45 if k % 2 == 0 else -45)) for k in range(LEGS)]

    def bar(mass: float, end: float, width: float) -> Body:
        across = mass * (end**2 + width**2) / 12
        shape = {"type": "cylinder", "length": abs(end), "radius": width / 2, "axis": (0, 0, float(np.sign(end)))}
        return Body(
            mass=mass, com=(0, 0, end / 2), inertia=(across, across, mass * width**2 / 6), shapes={"bar": shape}
        )

    bodies: dict[str, Any] = {}
    joints: dict[str, Any] = {}
    parent = "ground"
    axes = {"x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1), "yaw": (0, 0, 1), "pitch": (0, 1, 0), "roll": (1, 0, 0)}
    plate = {"type": "cylinder", "length": 0.03, "radius": p["top"] * 1.05, "axis": (0, 0, 1)}
    for name, axis in axes.items():
        child = "platform" if name == "roll" else f"after_{name}"
        moment = p["load"] * p["top"] ** 2 / 4.0
        loaded = Body(mass=p["load"], inertia=(moment, moment, 2 * moment), shapes={"plate": plate})
        bodies[child] = loaded if name == "roll" else Body()
        kind = "prismatic" if len(name) == 1 else "revolute"
        joints[name] = Joint(type=kind, parent=parent, child=child, axis=axis, q=height if name == "z" else 0.0)
        parent = child
    for k, (low, high) in enumerate(zip(base, top)):
        name, along = f"leg{k}", high + np.array([0, 0, height]) - low
        length = float(np.linalg.norm(along))
        angles = float(np.arctan2(-along[1], along[2])), float(np.arcsin(along[0] / length))
        bodies[f"{name}_cylinder"] = bar(2.0, 0.55 * length, 0.05)
        bodies[f"{name}_rod"] = bar(1.0, -0.55 * length, 0.03)
        joints[f"{name}_foot"] = Joint(
            type="universal",
            parent="ground",
            child=f"{name}_cylinder",
            at=low,
            axis=(1, 0, 0),
            axis2=(0, 1, 0),
            q=angles,
        )
        joints[name] = Joint(type="prismatic", parent=f"{name}_cylinder", child=f"{name}_rod", q=length)
        joints[f"{name}_ball"] = Joint(type="spherical", parent=f"{name}_rod", child="platform", child_at=high)
    model = compile(Spec(bodies=bodies, joints=joints))
    there, sway = f"sin({2 * np.pi / p['time']}*t)", f"cos({2 * np.pi / p['time']}*t)"
    wanted = {
        "x": f"{p['move']}*{there}",
        "y": f"{p['move']}*({sway} - 1)",
        "z": f"{height} + {0.5 * p['move']}*{there}",
        "yaw": "0",
        "pitch": f"{np.radians(p['tilt'])}*{there}",
        "roll": f"{np.radians(p['tilt'])}*({sway} - 1)/2",
    }
    times = np.linspace(0.0, 1.2 * p["time"], 145)
    moved = inverse_dynamics(model, times, wanted, progress=False)
    # what the legs must do: they are driven along these lengths, and the platform's own coordinates bear nothing; at
    # both ends of a table its spline has no acceleration, so that one turn from its middle is shown
    tables = {f"leg{k}": np.column_stack([times, moved[f"leg{k}.q"]]) for k in range(LEGS)}
    return inverse_dynamics(model, times[12:133], tables, q=moved.q[12], progress=False)


def governor(p: Mapping[str, float]) -> Recording:
    """Watt's governor: balls rise with the speed of the spindle and lift a sleeve against a spring."""
    arm, link, spread = p["arm"], 0.8 * p["arm"], 0.05
    angle = 0.6
    drop = 2.0 * 0.8 * arm * np.cos(angle)
    bodies: dict[str, Any] = {
        "spindle": Body(
            mass=2.0,
            inertia=(0.01, 0.01, 0.01),
            shapes={
                "rod": {
                    "type": "cylinder",
                    "length": 2.4 * arm,
                    "radius": 0.012,
                    "axis": (0, 0, -1),
                    "at": (0, 0, 0.05),
                }
            },
        ),
        "sleeve": Body(
            mass=p["sleeve"],
            inertia=(0.01, 0.01, 0.01),
            shapes={
                "ring": {"type": "cylinder", "length": 0.05, "radius": 0.045, "axis": (0, 0, 1), "at": (0, 0, -0.025)}
            },
        ),
    }
    joints: dict[str, Any] = {
        "shaft": Joint(type="revolute", parent="ground", child="spindle", axis=(0, 0, 1), q=0.0),
        "lift": Joint(
            type="prismatic",
            parent="spindle",
            child="sleeve",
            axis=(0, 0, 1),
            guess=-drop,
            stiffness=p["spring"],
            rest=-2.0 * 0.8 * arm,
            damping=p["damping"],
        ),
    }
    for side, sign in (("left", 1.0), ("right", -1.0)):
        ball = p["ball"]
        radius = float(np.cbrt(3.0 * ball / (4.0 * np.pi * 7800.0)))
        moment = 0.4 * ball * radius**2
        bodies[f"{side}_arm"] = Body(
            mass=ball,
            com=(0, 0, -arm),
            inertia=(moment, moment, moment),
            shapes={
                "bar": {"type": "capsule", "length": arm, "radius": 0.008, "axis": (0, 0, -1)},
                "ball": {"type": "sphere", "radius": radius, "at": (0, 0, -arm)},
            },
        )
        bodies[f"{side}_link"] = Body(
            mass=0.1,
            com=(0, 0, -link / 2),
            inertia=(1e-4, 1e-4, 1e-5),
            shapes={"bar": {"type": "capsule", "length": link, "radius": 0.006, "axis": (0, 0, -1)}},
        )
        joints[f"{side}_hinge"] = Joint(
            type="revolute",
            parent="spindle",
            child=f"{side}_arm",
            at=(sign * spread, 0, 0),
            axis=(0, -sign, 0),
            guess=angle,
        )
        joints[f"{side}_elbow"] = Joint(
            type="revolute",
            parent=f"{side}_arm",
            child=f"{side}_link",
            at=(0, 0, -0.8 * arm),
            axis=(0, -sign, 0),
            guess=-2.0 * angle,
        )
        joints[f"{side}_foot"] = Joint(
            type="revolute",
            parent="sleeve",
            child=f"{side}_link",
            at=(sign * spread, 0, 0),
            child_at=(0, 0, -link),
            axis=(0, -sign, 0),
        )
    slow, fast = p["speed"], p["speed"] * (1.0 + p["step"])
    # from one speed to another within a second; the angle is the integral
    turned = f"{slow}*t + {(fast - slow) / 2}*((t > 1)*(t - 1)**2 - (t > 2)*(t - 2)**2)"
    spec = Spec(bodies=bodies, joints=joints, motions={"motor": {"joint": "shaft", "value": turned}})
    run = Simulation(compile(spec), RK4(step=1e-3))
    return run.run(6.0, sample=0.02, progress=False)


def tray(p: Mapping[str, float]) -> Recording:
    """Gravel in a tray on a spring, shaken by a force."""
    count = int(p["count"])
    push = f"{p['force']}*sin({2 * np.pi * p['frequency']}*t)"
    touch = {"restitution": p["restitution"], "friction": p["friction"]}
    spec = Spec(
        materials={"steel": {"E": 2.1e11, "nu": 0.3}, "gravel": {"E": 5e6, "nu": 0.25, "density": 2500}},
        contacts={"gravel/gravel": touch, "gravel/steel": touch},
        bodies={
            "tray": Body(
                mass=20,
                inertia=(1, 1, 1),
                shapes={
                    "bin": {
                        "type": "box",
                        "size": (0.4, 0.25, 0.2),
                        "hollow": True,
                        "open": ["z+"],
                        "material": "steel",
                    }
                },
            )
        },
        joints={
            "shaker": Joint(
                type="prismatic", parent="ground", child="tray", axis=(1, 0, 0), stiffness=p["spring"], damping=100.0
            )
        },
        forces={"push": {"type": "force", "joint": "shaker", "value": push}},
        particles={
            "load": {
                "material": "gravel",
                "radius": (0.010, 0.014),
                "fill": {"shape": "tray.bin", "count": count, "packing": "poured", "seed": 1},
            }
        },
    )
    return Simulation(compile(spec), RK4(step=1e-3)).run(2.0, sample=0.01, frames=0.02, progress=False)


SPATIAL = (
    Example(
        "stewart",
        "Stewart platform",
        "Six legs make the platform move as wanted: how long are they, and how hard do they push?",
        (
            Parameter("base", "radius of the base", 0.35, 0.8, 0.5, "m"),
            Parameter("top", "radius of the platform", 0.15, 0.5, 0.3, "m"),
            Parameter("height", "height", 0.4, 0.9, 0.6, "m"),
            Parameter("load", "load", 5.0, 100.0, 20.0, "kg"),
            Parameter("move", "travel", 0.0, 0.12, 0.06, "m"),
            Parameter("tilt", "tilt", 0.0, 15.0, 8.0, "deg"),
            Parameter("time", "time of a turn", 0.5, 5.0, 2.0, "s"),
        ),
        stewart,
        ("leg0.drive", "leg1.drive", "leg2.drive", "leg0.q", "platform.z"),
        ("platform",),
    ),
    Example(
        "governor",
        "Governor",
        "Balls rise with the speed and lift the sleeve; with too little damping it hunts.",
        (
            Parameter("arm", "length of an arm", 0.15, 0.4, 0.25, "m"),
            Parameter("ball", "mass of a ball", 0.5, 5.0, 1.5, "kg"),
            Parameter("sleeve", "mass of the sleeve", 0.5, 10.0, 2.0, "kg"),
            Parameter("spring", "spring", 0.0, 2000.0, 300.0, "N/m"),
            Parameter("damping", "damping", 1.0, 100.0, 15.0, "N s/m"),
            Parameter("speed", "speed", 4.0, 20.0, 10.0, "rad/s"),
            Parameter("step", "change of speed", -0.5, 1.0, 0.4),
        ),
        governor,
        ("lift.q", "left_hinge.q", "motor.drive"),
        ("left_arm",),
    ),
    Example(
        "tray",
        "Tray of gravel",
        "Grains slosh in a tray on a spring, and their friction damps it.",
        (
            Parameter("count", "grains", 50, 600, 300),
            Parameter("force", "force", 0.0, 350.0, 200.0, "N"),
            Parameter("frequency", "frequency", 0.3, 6.0, 1.3, "Hz"),
            Parameter("spring", "spring", 500.0, 10000.0, 4000.0, "N/m"),
            Parameter("friction", "friction", 0.05, 0.9, 0.4),
            Parameter("restitution", "restitution", 0.1, 0.9, 0.4),
        ),
        tray,
        ("shaker.q", "tray.wrench_from.load"),
        (),
        slow=True,
    ),
)
