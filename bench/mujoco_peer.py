"""MuJoCo beside Gori: a Spec as MJCF, with the same bodies, joints and coordinates, contacts off.

MuJoCo: q of a free joint is position, then quaternion; v is linear (world axes), then angular (body axes).
"""

import numpy as np

import gori
from gori.model.graph import compose, invert
from gori.spec import GROUND

try:
    import mujoco
except ImportError as error:
    raise SystemExit("this needs MuJoCo: pip install 'gori[dev]'") from error

_TYPES = {"revolute": "hinge", "prismatic": "slide", "universal": "hinge", "spherical": "ball", "free": "free"}
_WITH_AXIS = ("revolute", "prismatic", "universal")


def mjcf(spec: gori.Spec, step: float, integrator: str, elements: str = "", flags: str = "", options: str = "") -> str:
    """The tree of a Spec as MJCF text; integrator Euler or RK4.

    A universal joint NAME is two hinges, NAME and NAME.2. The ends of cuts and springs are sites; what acts between
    them is left to `elements`, more of the file. More flags and options as in XML.
    """
    children: dict[str, list[str]] = {}
    marks = sites(spec)
    for name, joint in spec.joints.items():
        children.setdefault(joint.parent, []).append(name)

    def body(name: str) -> str:
        joint = spec.joints[name]
        R, p = compose(joint.pose(), invert(joint.child_pose()))
        R_CJ, p_CJ = joint.child_pose()
        mass, com, J = spec.bodies[joint.child].inertial()
        parts = [f'<body name="{joint.child}" pos="{_words(p)}" xyaxes="{_words([*R[:, 0], *R[:, 1]])}">']
        if joint.type != "fixed":
            axes = [joint.axis] if joint.axis2 is None else [joint.axis, joint.axis2]
            for k, axis in enumerate(axes):
                words = f' axis="{_words(R_CJ @ axis)}"' if joint.type in _WITH_AXIS else ""
                if joint.type != "free":
                    words += f' pos="{_words(p_CJ)}" armature="{joint.armature[0]!r}" damping="{joint.damping[0]!r}"'
                if joint.type == "prismatic":
                    words += f' stiffness="{joint.stiffness[0]!r}" springref="{(joint.rest or (0.0,))[0]!r}"'
                parts.append(f'<joint name="{name}{".2" * k}" type="{_TYPES[joint.type]}"{words}/>')
        if mass > 0.0:
            full = _words([J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]])
            parts.append(f'<inertial pos="{_words(com)}" mass="{mass!r}" fullinertia="{full}"/>')
        parts += marks.get(joint.child, ())
        parts += [body(child) for child in children.get(joint.child, ())]
        return "".join(parts) + "</body>"

    flags = f'<flag contact="disable" limit="disable" frictionloss="disable" eulerdamp="disable" {flags}/>'
    options += f' timestep="{step!r}" integrator="{integrator}" gravity="{_words(spec.gravity)}"'
    bodies = "".join([*marks.get(GROUND, ()), *(body(name) for name in children[GROUND])])
    limits = '<compiler autolimits="false" balanceinertia="true" boundmass="1e-9" boundinertia="1e-12"/>'
    return f"<mujoco>{limits}<option {options}>{flags}</option><worldbody>{bodies}</worldbody>{elements}</mujoco>"


def sites(spec: gori.Spec) -> dict[str, list[str]]:
    """Sites for the two ends of every cut and spring, NAME.A and NAME.B, by body."""
    marks: dict[str, list[str]] = {}
    pairs = [*spec.cuts.items(), *((name, force) for name, force in spec.forces.items() if force.type == "spring")]
    for name, pair in pairs:
        for end, body, at in (("A", pair.parent, pair.at), ("B", pair.child, pair.child_at)):
            marks.setdefault(body, []).append(f'<site name="{name}.{end}" pos="{_words(at)}"/>')
    return marks


def _words(numbers) -> str:
    return " ".join(repr(float(x)) for x in numbers)


class Peer:
    """A MuJoCo model of the same machine at the same start."""

    def __init__(self, model: gori.Model, step: float, integrator: str, *more: str):
        self.model = mujoco.MjModel.from_xml_string(mjcf(model.spec, step, integrator, *more))
        self.data = mujoco.MjData(self.model)
        self.gori = model
        self.reset()

    def reset(self) -> None:
        mujoco.mj_resetData(self.model, self.data)
        q, v = self.gori.q0, self.gori.v0
        for info in self.gori.joints:
            joint = self.model.joint(info.name)
            at, dof = joint.qposadr[0], joint.dofadr[0]
            ours = q[info.q]
            self.data.qpos[at : at + info.nq] = np.roll(ours, 3) if info.type == "free" else ours
            if info.type != "free":  # a free base starts at rest here
                self.data.qvel[dof : dof + info.nv] = v[info.v]

    def run(self, steps: int) -> None:
        mujoco.mj_step(self.model, self.data, nstep=steps)

    def q(self, name: str) -> np.ndarray:
        joint = self.model.joint(name)
        info = self.gori.joint(name)
        value = self.data.qpos[joint.qposadr[0] : joint.qposadr[0] + info.nq]
        return np.roll(value, -3) if info.type == "free" else value
