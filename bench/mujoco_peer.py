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

_TYPES = {"revolute": "hinge", "prismatic": "slide", "spherical": "ball", "free": "free"}


def mjcf(spec: gori.Spec, step: float, integrator: str) -> str:
    """The tree of a Spec as MJCF text; integrator Euler or RK4."""
    children: dict[str, list[str]] = {}
    for name, joint in spec.joints.items():
        children.setdefault(joint.parent, []).append(name)

    def body(name: str) -> str:
        joint = spec.joints[name]
        R, p = compose(joint.pose(), invert(joint.child_pose()))
        R_CJ, p_CJ = joint.child_pose()
        mass, com, J = spec.bodies[joint.child].inertial()
        parts = [f'<body name="{joint.child}" pos="{_words(p)}" xyaxes="{_words([*R[:, 0], *R[:, 1]])}">']
        if joint.type != "fixed":
            axis = f' axis="{_words(R_CJ @ joint.axis)}"' if joint.type in ("revolute", "prismatic") else ""
            place = "" if joint.type == "free" else f' pos="{_words(p_CJ)}"'
            extra = f' armature="{joint.armature[0]!r}" damping="{joint.damping[0]!r}"' if joint.type != "free" else ""
            parts.append(f'<joint name="{name}" type="{_TYPES[joint.type]}"{place}{axis}{extra}/>')
        if mass > 0.0:
            full = _words([J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]])
            parts.append(f'<inertial pos="{_words(com)}" mass="{mass!r}" fullinertia="{full}"/>')
        parts += [body(child) for child in children.get(joint.child, ())]
        return "".join(parts) + "</body>"

    flags = '<flag contact="disable" limit="disable" frictionloss="disable" eulerdamp="disable"/>'
    option = f'<option timestep="{step!r}" integrator="{integrator}" gravity="{_words(spec.gravity)}">{flags}</option>'
    bodies = "".join(body(name) for name in children[GROUND])
    limits = '<compiler autolimits="false" balanceinertia="true" boundmass="1e-9" boundinertia="1e-12"/>'
    return f"<mujoco>{limits}{option}<worldbody>{bodies}</worldbody></mujoco>"


def _words(numbers) -> str:
    return " ".join(repr(float(x)) for x in numbers)


class Peer:
    """A MuJoCo model of the same machine at the same start."""

    def __init__(self, model: gori.Model, step: float, integrator: str):
        self.model = mujoco.MjModel.from_xml_string(mjcf(model.spec, step, integrator))
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
