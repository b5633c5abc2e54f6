"""Closed mechanisms of the literature as Specs: to measure, to validate and to test with.

All start in a pose that closes the loops, with velocities that keep them closed. Planar mechanisms lie in the x-y plane
and turn about z; their cuts are revolute (5 equations, of which 2 count in the plane).
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

import gori
from gori.spec.base import quaternion, rotation


class Case(NamedTuple):
    make: Callable[[], gori.Spec]
    duration: float  # [s]
    point: str  # the frame whose position is compared
    size: float  # of the mechanism [m]


def rod(along: tuple[float, float, float], mass: float = 1.0, width: float = 0.0) -> gori.spec.Body:
    """A uniform rod from the origin of its frame to the point `along` on one of its axes; square section of `width`."""
    end = np.array(along, float)
    squares = end**2 + width**2 * (end == 0.0)  # of the edges of the cuboid
    return gori.spec.Body(mass=mass, com=tuple(end / 2), inertia=tuple(mass / 12 * (squares.sum() - squares)))


def planar(spec: gori.Spec) -> bool:
    """Whether all joints turn about z, so that the tree alone keeps the bodies in the plane."""
    return all(joint.type == "revolute" and joint.axis == (0, 0, 1) for joint in spec.joints.values())


# ---- in the plane


def four_bar() -> gori.Spec:
    """One parallelogram of three bars: `n_four_bar` with n = 1."""
    return n_four_bar(1)


def n_four_bar(n: int) -> gori.Spec:
    """IFToMM A02: a row of n squares out of 2n + 1 bars of 1 m and 1 kg, uniform; g = 9.81 m/s2 in -y.

    Vertical bar i stands on the ground at x = i. Horizontal bar i is carried by vertical i-1 and cut from the top of
    vertical i. At the start B0, the top of vertical 0, has vx = 1 m/s: all verticals turn at -1 rad/s, and the
    horizontals do not turn. One degree of freedom; all bars come to lie in one line, where the mechanism could leave
    the parallelogram: the published runs stay on it.
    """
    bodies, joints, cuts = {}, {}, {}
    for i in range(n + 1):
        bodies[f"vertical{i}"] = rod((0, 1, 0))
        joints[f"foot{i}"] = gori.spec.Joint(
            type="revolute", parent="ground", child=f"vertical{i}", at=(i, 0, 0), q=0.0, v=-1.0
        )
    for i in range(1, n + 1):
        carrier, bar = f"vertical{i - 1}", f"horizontal{i}"
        bodies[bar] = rod((1, 0, 0))
        joints[f"elbow{i}"] = gori.spec.Joint(type="revolute", parent=carrier, child=bar, at=(0, 1, 0), q=0.0, v=1.0)
        cuts[f"top{i}"] = gori.spec.Cut(
            type="revolute", parent=bar, child=f"vertical{i}", at=(1, 0, 0), child_at=(0, 1, 0)
        )
    frames = {"B0": gori.spec.Frame(body="vertical0", at=(0, 1, 0))}
    return gori.Spec(gravity=(0, -9.81, 0), bodies=bodies, joints=joints, cuts=cuts, frames=frames)


ANDREWS_START = {
    "beta": -0.0617138900142764496,
    "Theta": 0.0,
    "gamma": 0.455279819163070380,
    "Phi": 0.222668390165885885,
    "delta": 0.487364979543842550,
    "Omega": -0.222668390165885885,
    "epsilon": 1.23054744454982119,
}
"""start angles [rad] of Andrews' squeezer, in the order of the IVP test set"""


def andrews() -> gori.Spec:
    """IFToMM A03, Andrews' squeezer: seven bodies in the plane, one degree of freedom, no gravity.

    Data of the IVP test set (Schiehlen 1990; Hairer, Wanner). The joints are its seven angles, each with its name:
    beta (K1 on the ground at O), Theta (K2 on K1), gamma (K3 at B), delta (K5 at A), Phi (K4 on K5), epsilon (K7 at A),
    Omega (K6 on K7). K2, K3, K4 and K6 meet at E: three cuts. A torque of 0.033 N m on beta, a spring from C to K3.
    The moments of inertia about x and y do not count in the plane and are set to that about z.
    """
    d, da, e, ea, rr, ra = 0.028, 0.0115, 0.02, 0.01421, 0.007, 0.00092
    ss, sa, sb, sc, sd, ta, tb = 0.035, 0.01874, 0.01043, 0.018, 0.02, 0.02308, 0.00916
    u, ua, ub, zf, zt, fa = 0.04, 0.01228, 0.00449, 0.02, 0.04, 0.01421
    A, B, C = (-0.06934, -0.00227, 0), (-0.03635, 0.03273, 0), (0.014, 0.072, 0)
    # mass [kg], moment of inertia [kg m2], centre of mass, and the point E
    parts = {
        "K1": (0.04325, 2.194e-6, (ra, 0, 0), None),
        "K2": (0.00365, 4.410e-7, (-da, 0, 0), (-d, 0, 0)),
        "K3": (0.02373, 5.255e-6, (sb, -sa, 0), (0, -ss, 0)),
        "K4": (0.00706, 5.667e-7, (0, ea - e, 0), (0, -e, 0)),
        "K5": (0.07050, 1.169e-5, (ta, tb, 0), None),
        "K6": (0.00706, 5.667e-7, (zf - fa, 0, 0), (zf, 0, 0)),
        "K7": (0.05498, 1.912e-5, (-ub, -ua, 0), None),
    }
    # parent, child, place on the parent
    places = {
        "beta": ("ground", "K1", (0, 0, 0)),
        "Theta": ("K1", "K2", (rr, 0, 0)),
        "gamma": ("ground", "K3", B),
        "delta": ("ground", "K5", A),
        "Phi": ("K5", "K4", (zt, 0, 0)),
        "epsilon": ("ground", "K7", A),
        "Omega": ("K7", "K6", (0, -u, 0)),
    }
    return gori.Spec(
        gravity=(0, 0, 0),
        bodies={
            name: gori.spec.Body(mass=mass, com=com, inertia=(inertia, inertia, inertia))
            for name, (mass, inertia, com, _) in parts.items()
        },
        joints={
            name: gori.spec.Joint(type="revolute", parent=parent, child=child, at=at, q=ANDREWS_START[name], v=0.0)
            for name, (parent, child, at) in places.items()
        },
        cuts={
            f"E{name}": gori.spec.Cut(
                type="revolute", parent="K2", child=name, at=parts["K2"][3], child_at=parts[name][3]
            )
            for name in ("K3", "K4", "K6")
        },
        forces={
            "drive": {"type": "torque", "joint": "beta", "value": 0.033},
            "spring": {
                "type": "spring",
                "parent": "ground",
                "at": C,
                "child": "K3",
                "child_at": (sd, -sc, 0),
                "stiffness": 4530.0,
                "length": 0.07785,
            },
        },
        frames={"F": gori.spec.Frame(body="K1", at=(rr, 0, 0)), "E": gori.spec.Frame(body="K2", at=(-d, 0, 0))},
    )


# ---- in space


def bricard() -> gori.Spec:
    """IFToMM A04, Bricard's mechanism: five rods of 1 m, 1 kg, square section 0.1 m; six hinges; g = 9.81 in -y.

    The rods run along edges of a cube from P0 = (0, 0, 0) through P1, P2, P3, P4 to P5 = (0, 0, 1), with a hinge at
    each point, about y, z, x, y, z, x; P0 and P5 are on the ground. Two chains, P0 P1 P2 P3 and P5 P4 P3, meet in the
    cut at P3. From rest. One degree of freedom, though 5 coordinates less 5 equations leave none: one equation follows
    from the others.
    """
    x, y, z = (1, 0, 0), (0, 1, 0), (0, 0, 1)
    down, back = (0, -1, 0), (0, 0, 1)
    # hinge: parent, child, place on the parent, axis, the child's run from there
    places = {
        "hinge0": ("ground", "rod0", (0, 0, 0), y, x),
        "hinge1": ("rod0", "rod1", x, z, down),
        "hinge2": ("rod1", "rod2", down, x, back),
        "hinge5": ("ground", "rod4", (0, 0, 1), x, down),
        "hinge4": ("rod4", "rod3", down, z, x),
    }
    return gori.Spec(
        gravity=(0, -9.81, 0),
        bodies={child: rod(along, width=0.1) for _, child, _, _, along in places.values()},
        joints={
            name: gori.spec.Joint(type="revolute", parent=parent, child=child, at=at, axis=axis, q=0.0, v=0.0)
            for name, (parent, child, at, axis, _) in places.items()
        },
        cuts={"hinge3": gori.spec.Cut(type="revolute", parent="rod2", child="rod3", at=back, child_at=x, axis=y)},
        frames={"P3": gori.spec.Frame(body="rod2", at=back)},
    )


def stewart() -> gori.Spec:
    """A Stewart platform on passive legs, universal-prismatic-spherical (6-6); six degrees of freedom; g in -z.

    No published case: the data are chosen here. Base joints on a circle of 0.5 m, 15 deg to both sides of 0, 120 and
    240 deg; platform joints on one of 0.3 m, 15 deg to both sides of 60, 180 and 300 deg; each leg goes to the nearest.
    Platform: a disc of 20 kg, 0.3 m, 0.04 m thick. A leg: two tubes of 0.35 m, 2 kg and 1 kg (4 and 2.8 cm thick,
    reckoned as square bars). Springs of 4000 N/m with 40 N s/m along the legs, free at 0.68 m. From rest, moved by
    (0.02, -0.03, 0.02) m and turned by (5, -4, 8) deg (roll, pitch, yaw) from the level pose 0.6 m high, close to which
    it would come to rest.

    The platform is carried by leg 0, which saves three coordinates beside a free joint: 21, and five spherical cuts.
    q of a prismatic joint is the length of the leg, as the upper tube's frame is at its end.
    """
    start_R, start_p = rotation((5.0, -4.0, 8.0), None), np.array([0.02, -0.03, 0.62])
    mass, radius, thickness = 20.0, 0.3, 0.04
    across = mass * (radius**2 / 4 + thickness**2 / 12)
    bodies = {"platform": gori.spec.Body(mass=mass, inertia=(across, across, mass * radius**2 / 2))}
    joints, cuts = {}, {}
    lower = rod((0, 0, 0.35), mass=2.0, width=0.04)
    upper = rod((0, 0, -0.35), mass=1.0, width=0.028)
    for i in range(6):
        third, side = np.radians(120 * (i // 2)), (1 if i % 2 == 0 else -1)
        base = 0.5 * _heading(third + side * np.radians(15))
        place = radius * _heading(third + side * np.radians(45))
        leg = start_p + start_R @ place - base
        length = float(np.linalg.norm(leg))
        # the leg's direction, turned about x by a and then about its y by b, is (sin b, -sin a cos b, cos a cos b)
        a, b = np.arctan2(-leg[1], leg[2]), np.arcsin(leg[0] / length)
        bodies[f"lower{i}"], bodies[f"upper{i}"] = lower, upper
        joints[f"universal{i}"] = gori.spec.Joint(
            type="universal", parent="ground", child=f"lower{i}", at=base, axis=(1, 0, 0), axis2=(0, 1, 0), q=(a, b)
        )
        joints[f"slide{i}"] = gori.spec.Joint(
            type="prismatic",
            parent=f"lower{i}",
            child=f"upper{i}",
            q=length,
            stiffness=4000.0,
            damping=40.0,
            rest=0.68,
        )
        if i == 0:
            R_leg = rotation((np.degrees(a), 0, 0), None) @ rotation((0, np.degrees(b), 0), None)
            joints["ball0"] = gori.spec.Joint(
                type="spherical",
                parent="upper0",
                child="platform",
                child_at=place,
                q=quaternion(R_leg.T @ start_R),
            )
        else:
            cuts[f"ball{i}"] = gori.spec.Cut(type="spherical", parent=f"upper{i}", child="platform", child_at=place)
    frames = {"tool": gori.spec.Frame(body="platform", at=(0.2, 0, 0.1))}
    return gori.Spec(bodies=bodies, joints=joints, cuts=cuts, frames=frames)


def _heading(angle: float) -> np.ndarray:
    return np.array([np.cos(angle), np.sin(angle), 0.0])


CASES = {
    "four_bar": Case(four_bar, 1.0, "B0", 1.0),
    "n_four_bar_40": Case(lambda: n_four_bar(40), 1.0, "B0", 1.0),
    "andrews": Case(andrews, 0.03, "F", 0.1),
    "bricard": Case(bricard, 1.0, "P3", 1.0),
    "stewart": Case(stewart, 1.0, "tool", 0.6),
}
