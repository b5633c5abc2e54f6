"""MuJoCo beside Gori: the HMMWV-like vehicle over a trapezoid bump, all of it written anew.

Bodies, joints and loops are MuJoCo's own: arms hinged on the chassis, knuckles in ball joints on the lower arms, the
upper balls as `connect` constraints, the tie rods as tendons of constant length. Springs and dampers are tendons too.
Wheels on the ground are the exact nearest point of a polyline in the wheel plane, with Fiala's tyre and first-order
transient slip; they roll freely, without a drive train. The figures are in `vehicle_figures.py`.
"""

from typing import Any

import mujoco
import numpy as np

from bench import vehicle_figures as f

CORNERS = ("fl", "fr", "rl", "rr")
BUMP = np.array([(0.0, 0.0), (0.15, 0.08), (0.45, 0.08), (0.6, 0.0)])
"""corners of the trapezoid, from where it begins [m]"""
MU = 0.8
"""friction coefficient of the ground, which is that of the tyre's data"""


def cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Of rows; np.cross is slow for few."""
    return a[:, [1, 2, 0]] * b[:, [2, 0, 1]] - a[:, [2, 0, 1]] * b[:, [1, 2, 0]]


def dot(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.einsum("ij,ij->i", a, b)


# ---- the model


def mjcf(step: float, time_constant: float) -> str:
    """The vehicle in its design position; constraints as hard as MuJoCo makes them."""
    hard = f'solref="{time_constant!r} 1" solimp="0.9999 0.9999 0.001 0.5 2"'
    mass, com, moments = f.CHASSIS
    rack = 0.5 * (f.point("rod_inner", "fl") + f.point("rod_inner", "fr"))
    inside = [_sites("chassis", np.zeros(3), ["spring_chassis", "damper_chassis"], CORNERS)]
    inside.append(_sites("chassis", np.zeros(3), ["rod_inner"], ("rl", "rr")))
    inside.append(
        f'<body name="rack" pos="{_text(rack)}"><joint name="rack" type="slide" axis="0 -1 0" '
        f'stiffness="{f.RACK_STIFFNESS}" damping="{f.RACK_DAMPING}"/>'
        f"{_inertial(f.RACK_MASS, np.zeros(3), f.RACK_INERTIA)}"
        f"{_sites('rack', rack, ['rod_inner'], ('fl', 'fr'))}</body>"
    )
    inside += [_corner(corner) for corner in CORNERS]
    tendons = [
        f'<spatial name="{part}_{c}"><site site="{a}_{c}"/><site site="{b}_{c}"/></spatial>'
        for c in CORNERS
        for part, a, b in (
            ("spring", "spring_chassis", "spring_arm"),
            ("damper", "damper_chassis", "damper_arm"),
            ("rod", "rod_inner", "rod_outer"),
        )
    ]
    closing = [f'<connect site1="upper_ball_{c}" site2="knuckle_ball_{c}" {hard}/>' for c in CORNERS]
    closing += [f'<tendon tendon1="rod_{c}" {hard}/>' for c in CORNERS]
    motors = [f'<motor tendon="{part}_{c}"/>' for c in CORNERS for part in ("spring", "damper")]
    return f"""<mujoco>
      <option timestep="{step!r}" gravity="0 0 -9.81" iterations="1">
      <flag contact="disable" refsafe="disable"/></option>
      <worldbody><body name="chassis"><freejoint/>{_inertial(mass, com, moments)}
      {"".join(inside)}</body></worldbody>
      <tendon>{"".join(tendons)}</tendon><equality>{"".join(closing)}</equality><actuator>{"".join(motors)}</actuator>
    </mujoco>"""


def _text(values: Any) -> str:
    return " ".join(repr(float(value)) for value in values)


def _inertial(mass: float, com: Any, moments: Any, axes: np.ndarray | None = None) -> str:
    """Principal moments about axes, the columns of a matrix; if not given, those of the chassis."""
    turn = quaternion(np.eye(3) if axes is None else axes)
    return f'<inertial mass="{mass!r}" pos="{_text(com)}" quat="{_text(turn)}" diaginertia="{_text(moments)}"/>'


def _sites(body: str, origin: np.ndarray, names: list[str], corners: Any) -> str:
    return "".join(f'<site name="{n}_{c}" pos="{_text(f.point(n, c) - origin)}"/>' for n in names for c in corners)


def _corner(corner: str) -> str:
    """Upper arm, lower arm and knuckle of a corner, as bodies on the chassis."""
    hub, side = f.point("hub", corner), 1.0 if corner[1] == "l" else -1.0
    text = {}
    for arm, sites in (("lower", ["spring_arm", "damper_arm"]), ("upper", ["upper_ball"])):
        front, back, ball = (f.point(f"{arm}_{end}", corner) for end in ("front", "back", "ball"))
        middle, (mass, moments) = 0.5 * (front + back), f.ARMS[arm]
        x, z = front - back, np.cross(front - back, ball - back)
        axes = np.column_stack([x / np.linalg.norm(x), np.zeros(3), z / np.linalg.norm(z)])
        axes[:, 1] = np.cross(axes[:, 2], axes[:, 0])
        text[arm] = (
            f'<body name="{arm}_{corner}" pos="{_text(middle)}">'
            f'<joint name="{arm}_{corner}" type="hinge" axis="{_text(side * x)}"/>'
            f"{_inertial(mass, f.point(f'{arm}_com', corner) - middle, moments, axes)}"
            f"{_sites(arm, middle, sites, [corner])}"
        )
    # wheel and upright about their common centre; the wheel's spin is not the knuckle's
    (m1, i1), (m2, i2) = f.KNUCKLE, f.WHEEL
    arm = f.point("knuckle", corner) - hub
    com, reduced = m1 / (m1 + m2) * arm, m1 * m2 / (m1 + m2)
    inertia = np.diag(i1) + np.diag([i2[0], 0.0, i2[2]]) + reduced * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    moments, axes = np.linalg.eigh(inertia)
    axes = axes * np.linalg.det(axes)  # no mirror
    ball, origin = f.point("lower_ball", corner), 0.5 * (f.point("lower_front", corner) + f.point("lower_back", corner))
    knuckle = (
        f'<body name="knuckle_{corner}" pos="{_text(hub - origin)}">'
        f'<joint name="knuckle_{corner}" type="ball" pos="{_text(ball - hub)}"/>'
        f"{_inertial(m1 + m2, com, moments, axes)}"
        f'<site name="hub_{corner}"/>{_sites("knuckle", hub, ["rod_outer"], [corner])}'
        f'<site name="knuckle_ball_{corner}" pos="{_text(f.point("upper_ball", corner) - hub)}"/></body>'
    )
    return text["upper"] + "</body>" + text["lower"] + knuckle + "</body>"


# ---- wheels on the ground


def contact(c: np.ndarray, a: np.ndarray, bump: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Depth (4,), normal (4, 3) and point (4, 3) of discs with centres c and axes a, on a trapezoid that begins at x =
    `bump` and has no end across.
    """
    level = np.hypot(a[:, 0], a[:, 1])
    e = np.column_stack([a[:, 1] / level, -a[:, 0] / level, np.zeros(4)])
    d = cross(e, a)
    # corners of the ground where the wheel plane cuts them, in the wheel plane: s ahead, r up
    x = np.concatenate([c[:, :1] - 9.0, np.tile(bump + BUMP[:, 0], (4, 1)), c[:, :1] + 9.0], axis=1) - c[:, :1]
    z = np.concatenate([[0.0], BUMP[:, 1], [0.0]]) - c[:, 2:]
    y = -(x * a[:, :1] + z * a[:, 2:]) / a[:, 1:2]
    s, r = x * e[:, :1] + y * e[:, 1:2], x * d[:, :1] + y * d[:, 1:2] + z * d[:, 2:]
    # the nearest point of each side of the polyline
    ds, dr = np.diff(s), np.diff(r)
    share = np.clip(-(s[:, :-1] * ds + r[:, :-1] * dr) / (ds * ds + dr * dr), 0.0, 1.0)
    near_s, near_r = s[:, :-1] + share * ds, r[:, :-1] + share * dr
    wheel, best = np.arange(4), np.argmin(near_s**2 + near_r**2, axis=1)
    s, r = near_s[wheel, best][:, None], near_r[wheel, best][:, None]
    away = np.hypot(s, r)
    point = c + s * e + r * d
    # across: the ground's lines run along y
    u = (c - point) / away
    n = cross(cross(a, u), np.tile([0.0, 1.0, 0.0], (4, 1)))
    return f.RADIUS - away[:, 0], n / np.linalg.norm(n, axis=1)[:, None], point


class Wheels:
    """Spins and transient slips of the four wheels; damping of their tyres [N s/m]."""

    def __init__(self, spins: np.ndarray, damping: float):
        self.spin, self.slip, self.damping = np.array(spins, float), np.zeros((4, 2)), damping

    def forces(self, c, v, w, a, bump: float, step: float):
        """Force and moment on the knuckles at the hubs, (4, 3) each, world axes; the states go on by a step."""
        depth, n, point = contact(c, a, bump)
        rate = -dot(v, n) / np.cos(np.arcsin(dot(a, n)))
        pressed = np.maximum(depth, 0.0)
        load = f.table(f.LOADS, pressed) + self.damping * rate * np.minimum(1.0, pressed / f.TOUCH)
        load = np.where(depth > 0.0, np.maximum(load, 0.0), 0.0)
        x = cross(a, n)
        x /= np.linalg.norm(x, axis=1)[:, None]
        y, r = cross(n, x), point - c
        radius = f.RADIUS - pressed / 3.0
        forward = dot(v, x)
        sliding = np.column_stack([forward - self.spin * radius, dot(v + cross(w, r), y)])
        self._move(load, forward, sliding, step)
        F, Mz = self._fiala(load)
        force = load[:, None] * n + F[:, :1] * x + F[:, 1:] * y
        moment = cross(r, force) + Mz[:, None] * n
        J = f.WHEEL[1][1]
        moment = moment - dot(moment, a)[:, None] * a - J * self.spin[:, None] * cross(w, a)
        self.spin = self.spin - step / J * (F[:, 0] * radius + f.ROLLING * load * f.RADIUS)
        return force, moment, load

    def _move(self, load, forward, sliding, step):
        """Deflections of the patch, with no more than friction could ever hold."""
        stiff = np.array([f.C_SLIP, f.C_ALPHA])
        speed = np.abs(forward)[:, None]
        assert speed.min() > 1.0, "the peer has no law for standing"
        self.slip = (self.slip - step * sliding) / (1.0 + step * speed / f.RADIUS)
        most = np.maximum(3.0 * f.U_MAX * load, np.linalg.norm(stiff * sliding, axis=1) / speed[:, 0])
        over = np.linalg.norm(stiff * self.slip, axis=1) / f.RADIUS / np.maximum(most, 1e-9)
        self.slip = np.where(load[:, None] > 0.0, self.slip / np.maximum(1.0, over)[:, None], 0.0)

    def _fiala(self, load):
        slip = self.slip / f.RADIUS
        wish = slip * (f.C_SLIP, f.C_ALPHA)
        U = f.U_MAX - (f.U_MAX - f.U_MIN) * np.minimum(1.0, np.linalg.norm(slip, axis=1))
        limit, size = U * load, np.maximum(1e-12, np.linalg.norm(wish, axis=1))
        H = np.maximum(0.0, 1.0 - size / np.maximum(1e-9, 3.0 * limit))
        F = (limit * (1.0 - H**3) / size)[:, None] * wish
        return F, -limit * f.WIDTH * (1.0 - H) * H**3 * wish[:, 1] / size


# ---- the run


class Vehicle:
    """The vehicle in MuJoCo, placed as the bodies of another program stand.

    poses   {chassis, rack, lower_fl, ...: (4, 4) pose in the world, in the design position with the chassis' axes}
    speed   ahead along x, level [m/s]; nothing else moves
    """

    def __init__(self, poses: dict[str, np.ndarray], speed: float, wheels: Wheels, bump: float, step: float = 2e-5):
        self.model = mujoco.MjModel.from_xml_string(mjcf(step, 3.0 * step))
        self.data, self.wheels, self.bump, self.step = mujoco.MjData(self.model), wheels, bump, step
        self.hubs = [self.model.site(f"hub_{c}").id for c in CORNERS]
        self.knuckles = [self.model.body(f"knuckle_{c}").id for c in CORNERS]
        q = self.data.qpos
        q[:3], q[3:7] = poses["chassis"][:3, 3], quaternion(poses["chassis"][:3, :3])
        q[7] = -(poses["chassis"][:3, :3].T @ (poses["rack"] - poses["chassis"])[:3, 3])[1]
        for c in CORNERS:
            for arm in ("lower", "upper"):
                turn = quaternion(poses["chassis"][:3, :3].T @ poses[f"{arm}_{c}"][:3, :3])
                joint = self.model.joint(f"{arm}_{c}")
                q[joint.qposadr[0]] = 2.0 * np.arctan2(turn[1:] @ self.model.jnt_axis[joint.id], turn[0])
            at = self.model.joint(f"knuckle_{c}").qposadr[0]
            q[at : at + 4] = quaternion(poses[f"lower_{c}"][:3, :3].T @ poses[f"knuckle_{c}"][:3, :3])
        self.data.qvel[0] = speed

    def advance(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """One step. Returns velocity of the hubs (4, 3), loads (4,) and accelerations of all coordinates before it."""
        model, data = self.model, self.data
        mujoco.mj_step1(model, data)
        for k, c in enumerate(CORNERS):
            axle, i = f.AXLES[c[0]], 3 * k
            # a motor pushes apart
            data.ctrl[2 * k] = -f.spring_tension(axle, data.ten_length[i])
            data.ctrl[2 * k + 1] = -f.damper_tension(axle, data.ten_length[i + 1], data.ten_velocity[i + 1])
        twist = np.empty((4, 6))
        for k, site in enumerate(self.hubs):
            mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_SITE, site, twist[k], 0)
        c, a = data.site_xpos[self.hubs], data.site_xmat[self.hubs][:, 1::3]
        w, v = twist[:, :3], twist[:, 3:]
        force, moment, load = self.wheels.forces(c, v, w, a, self.bump, self.step)
        data.xfrc_applied[self.knuckles, :3] = force
        data.xfrc_applied[self.knuckles, 3:] = moment + cross(c - data.xipos[self.knuckles], force)
        mujoco.mj_step2(model, data)
        return v, load, data.qacc

    def run(self, duration: float) -> dict[str, np.ndarray]:
        """Time (n,), vertical accelerations of the hubs (n, 4) [m/s2] and loads (n, 4) [N]."""
        count = round(duration / self.step)
        up, loads = np.empty((count + 1, 4)), np.empty((count + 1, 4))
        for k in range(count + 1):
            v, loads[k], _ = self.advance()
            up[k] = v[:, 2]
        return {
            "time": self.step * np.arange(count),
            "acceleration": np.diff(up, axis=0) / self.step,
            "load": loads[:-1],
        }


def quaternion(R: np.ndarray) -> np.ndarray:
    out = np.empty(4)
    mujoco.mju_mat2Quat(out, np.ascontiguousarray(R).ravel())
    return out
